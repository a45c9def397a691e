#!/usr/bin/env python3
"""attach_cases.py CASE GECKOPROF LIBRARY STATIC_PROGRAM OWNER_PROGRAM: one case of `geckoprof record --pid`. 77: skipped."""

import gzip
import json
import os
import signal
import sys

from controlled_program import (
    BUSY, BUSY_THREAD, attach_to, await_samples, await_that, fails, main, python, run, samples_in, state, succeeds, threads_of,
)


def attach(folder):
    with python(BUSY_THREAD + BUSY) as program:
        for end in (signal.SIGINT, signal.SIGTERM):
            recorder = attach_to(program.pid, "-o", f"{folder}/attached.json.gz")
            await_samples(program.pid, 20)
            recorder.send_signal(end)
            error = recorder.communicate(timeout=60)[1]
            assert recorder.returncode == 0 and samples_in(error) >= 20, error
            assert state(program.pid) == "idle"
            assert len(threads_of(f"{folder}/attached.json.gz")) == 2
        assert program.process.poll() is None
    # Other tests may have requests meanwhile.
    requests = [name for name in os.listdir("/dev/shm") if name.startswith("geckoprof-control-")]
    await_that(lambda: not any(os.path.exists(f"/dev/shm/{name}") for name in requests), "a request was left behind")


def attach_duration(folder):
    with python(BUSY) as program:
        done = run("record", "--pid", program.pid, "--duration", "0.5", "-o", f"{folder}/attached.json.gz", timeout=60)
        assert done.returncode == 0 and samples_in(done.stderr) > 0, done
        await_that(lambda: state(program.pid) == "idle", "it goes on")


def attach_end(folder):
    with python("print('ready', flush=True)\ninput()\nraise SystemExit(7)\n") as program:
        recorder = attach_to(program.pid, "-o", f"{folder}/attached.json.gz")
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        program.process.wait()
        error = recorder.communicate(timeout=60)[1]
        assert recorder.returncode == 0, error
    report = succeeds("report", f"{folder}/attached.json.gz")
    assert "exit status 7" in report or "status 7" in report, report


def attach_without_hooks(folder):
    """Features of hooks are no features of a process that has base alone."""
    missing = "Not recorded, because libgeckoprofiler_hooks.so is not in the process: mainthreadio, fileio, locks"
    with python(BUSY) as program:
        done = run("record", "--pid", program.pid, "--duration", "0.5", "--features", "default,fileio,locks",
                   "-o", f"{folder}/attached.json.gz", timeout=60)
        assert done.returncode == 0 and missing in done.stderr, done
    assert missing in succeeds("report", "--by", "lock", f"{folder}/attached.json.gz")
    with gzip.open(f"{folder}/attached.json.gz", "rt", encoding="utf-8") as file:
        profile = json.load(file)
    facts = {entry["label"]: entry["value"] for section in profile["meta"]["extra"]
             for entry in section["entries"]}
    assert facts["Features"] == "stackwalk, cpu" and facts["Not as asked"] == missing, facts


def attach_follows(folder):
    """A later child, and a program that the process executes itself."""
    code = """import os, subprocess, sys, time
print('ready', flush=True)
input()
work = "import time\\nend = time.time() + 1\\nwhile time.time() < end: pass"
subprocess.run([sys.executable, '-c', work])
os.execv(sys.executable, [sys.executable, '-c', work])
"""
    with python(code) as program:
        recorder = attach_to(program.pid, "-o", f"{folder}/attached.json.gz")
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        program.process.wait()
        error = recorder.communicate(timeout=60)[1]
        assert recorder.returncode == 0 and "2 processes" in error and samples_in(error) > 100, error


def attach_without_base(_):
    with python(BUSY, env=dict(os.environ)) as program:
        fails("record", "-p", program.pid, says="start it by `geckoprof record`")


def attach_recorded(folder):
    with python(BUSY) as program:
        succeeds("ctl", "start", program.pid)
        fails("record", "-p", program.pid, "-o", f"{folder}/x.json", says="is recorded already")
        assert state(program.pid) == "recording" and not os.path.exists(f"{folder}/x.json")


if __name__ == "__main__":
    sys.exit(main(globals()))
