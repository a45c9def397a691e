#!/usr/bin/env python3
"""loops_profile.py CASE GECKOPROF PROGRAM: the blocks of event loops that `geckoprof report --by loop` shows.

Exit status 1, and a line for each fault. Status 77: there is no such interpreter."""

import json
import os
import shutil
import subprocess
import sys
import tempfile

CASE, GECKOPROF, PROGRAM = sys.argv[1:]
HERE = os.path.dirname(os.path.abspath(__file__))
LOOPS = ("epoll", "pwait2", "poll", "ppoll", "select", "pselect", "own")
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def blocks_of(folder, words, *options):
    """The blocks, and what the program printed, as (meant, taken)."""
    path = os.path.join(folder, "out.json.gz")
    done = subprocess.run([GECKOPROF, "record", "-q", "-o", path, "--features", "default,cpu,responsiveness", *options, "--", *words],
                          check=False, stdout=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"{words}: exit status {done.returncode}")
    report = subprocess.run([GECKOPROF, "report", "--json", "--by", "loop", path], check=True, stdout=subprocess.PIPE)
    return json.loads(report.stdout)["rows"], [tuple(map(float, line.split())) for line in done.stdout.splitlines()]


def check_blocks(folder, words, function):
    rows, printed = blocks_of(folder, words, "--loop-threshold", "0.9")
    check(len(printed) == 4, f"{words}: printed {printed}")
    for meant, taken in printed:
        # A core that the thread loses between its clock and the hook's is a part of the block.
        near = [row for row in rows if -0.1 <= row["durationMs"] - taken <= max(1, 0.01 * taken) + 15]
        check(near, f"{words}: no block of {taken} ms among {[row['durationMs'] for row in rows]}")
        if near and meant >= 20 and function:
            check(any(function in name for row in near for name in row["stack"] or []), f"{words}: {near} is not by {function}")


def check_none(folder, kind, options=()):
    rows, _ = blocks_of(folder, [PROGRAM, kind], *options)
    check(not rows, f"{kind}: {rows}")


def script(interpreter, name):
    if not interpreter:
        sys.exit(77)
    return [interpreter, os.path.join(HERE, name)]


with tempfile.TemporaryDirectory() as FOLDER:
    if CASE == "kinds":
        for KIND in LOOPS:
            check_blocks(FOLDER, [PROGRAM, KIND], "busy_callback")
    elif CASE == "idle":
        check_none(FOLDER, "idle")
    elif CASE == "no_loops":
        for KIND in ("socket", "nothing", "twice"):
            check_none(FOLDER, KIND)
    elif CASE == "asyncio":
        check_blocks(FOLDER, script(shutil.which("python3", path="/usr/bin"), "asyncio_loop.py"), "")
    elif CASE == "node":
        check_blocks(FOLDER, script(shutil.which("node"), "node_loop.js"), "")
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
