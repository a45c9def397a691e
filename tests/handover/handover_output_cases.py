#!/usr/bin/env python3
"""handover_output_cases.py CASE BUILD_FOLDER [GECKOPROF]: where a profile that the program asks for may go.

By way of links of the case's own: where this fails, it is they that give way to a file, and not the machine's devices.
"""

import os
import stat
import subprocess

from handover_run import CASE, PROGRAMS, SAVED, Profile, expect, run_case


def run(file, mode="recorded", **how):
    """What it said."""
    done = subprocess.run([f"{PROGRAMS}/handover_output_program", mode, file], stderr=subprocess.PIPE, text=True, timeout=100, **how)
    expect(done.returncode == 0, f"status {done.returncode}\n{done.stderr}")
    expect("errno 77\n" in done.stderr, f"errno has changed:\n{done.stderr}")
    return done.stderr


def has_marker(path=SAVED):
    expect(len(Profile(path).markers("recorded")) == 1, "what was recorded is not there")


def link():
    os.symlink(SAVED, "link")
    for _ in range(2):  # to what is not there yet, and to what is
        expect("save: done\n" in run("link"), "not saved")
        expect(os.path.islink("link"), "the link was replaced")
        has_marker()
    expect(sorted(os.listdir()) == ["link", SAVED], f"left behind: {os.listdir()}")


def modes():
    for mode in (0o600, 0o400, 0o640):
        with open(SAVED, "w", encoding="utf-8"):
            os.chmod(SAVED, mode)
        if not os.access(SAVED, os.W_OK):
            continue
        run(SAVED)
        has_marker()
        now = stat.S_IMODE(os.stat(SAVED).st_mode)
        expect(now == mode, f"mode {mode:o} has become {now:o}")


def standard_output():
    """A file that a link of /proc leads to is written in place; a profile that cannot be leaves it alone."""
    os.symlink("/proc/self/fd/1", "stdout")
    with open(SAVED, "w", encoding="utf-8") as file:
        file.write("was there")
        file.flush()
        before = os.fstat(file.fileno()).st_ino
        expect("save: nothing is recorded\n" in run("stdout", mode="save", stdout=file), "saved nothing")
        with open(SAVED, encoding="utf-8") as now:
            expect(now.read() == "was there", "nothing has replaced something")
        expect("save: done\n" in run("stdout", stdout=file), "not saved")
    expect(os.stat(SAVED).st_ino == before, "another file")
    expect(os.path.islink("stdout"), "the link was replaced")
    has_marker()


def pipe():
    os.symlink("/proc/self/fd/1", "stdout")
    done = subprocess.run([f"{PROGRAMS}/handover_output_program", "recorded", "stdout"], capture_output=True, timeout=100)
    expect(done.returncode == 0 and b"save: done\n" in done.stderr, done.stderr)
    expect(os.path.islink("stdout"), "the link was replaced")
    with open(SAVED, "wb") as file:
        file.write(done.stdout)
    has_marker()


def nested():
    said = run(SAVED, mode="nested")
    expect("still ours: it was so already\n" in said and "after both: it was so already\n" in said, said)


def told():
    done = subprocess.run([f"{PROGRAMS}/handover_output_program", "told", SAVED], stderr=subprocess.PIPE, text=True, timeout=100)
    expect(done.returncode == 0, f"status {done.returncode}\n{done.stderr}")
    without, recorded = done.stderr.split("started\n")
    nothing, bad = "nothing is recorded, told 0\n", "no sink: an argument is out of range, told 0\n"
    expect(without == f"get: {nothing}stream: {nothing}streamed 0\n{bad}save: {nothing}", without)
    expect(recorded == f"get: done, told 1\nstream: done, told 1\nstreamed 1\n{bad}save: done, told 1\n", recorded)


def fifo():
    os.mkfifo("fifo")
    expect("save: fifo: nobody reads it\n" in run("fifo"), "saved to nobody")
    with subprocess.Popen(["sh", "-c", f"echo opens; exec cat fifo > {SAVED}"], stdout=subprocess.PIPE) as reader:
        reader.stdout.readline()
        while "save: done\n" not in (said := run("fifo")):  # until the reader has opened it
            expect("nobody reads it" in said, said)
        expect(reader.wait(timeout=100) == 0, "the reader failed")
    expect(stat.S_ISFIFO(os.stat("fifo").st_mode), "the FIFO was replaced")
    has_marker()



run_case({case.__name__: case for case in (link, modes, standard_output, pipe, fifo, nested, told)})
