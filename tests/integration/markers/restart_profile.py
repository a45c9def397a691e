#!/usr/bin/env python3
"""restart_profile.py GECKOPROF PROGRAMS: the last recording of restart_program.

Nothing is damaged, the main thread's markers are there, and threads that nobody announced walk their stacks by themselves once the
sampler knows the place. Exit status 1, and a line for each fault.
"""

import json
import os
import subprocess
import sys
import tempfile

from marker_profile import check, faults, losses_of


def is_cut(thread, data):
    strings, stacks, frames = thread["stringTable"], thread["stackTable"]["data"], thread["frameTable"]["data"]
    at = data["stack"]["samples"]["data"][0][0]
    while at is not None:
        if "too many markers" in strings[frames[stacks[at][1]][0]]:
            return True
        at = stacks[at][0]
    return False


def check_markers(profile):
    rows = [(thread["stringTable"][row[0]], row[1], thread, row[5] if len(row) > 5 else None) for thread in profile["threads"]
            for row in thread["markers"]["data"]]
    for name in ("first", "second", "third"):
        check(sum(row[0] == name for row in rows) == 1, f"{sum(row[0] == name for row in rows)} markers {name!r}")
    workers = [row for row in rows if row[0] in ("early", "late")]
    check(all(data and "stack" in data for _, _, _, data in workers), "a worker's marker without a stack")
    late = [row for row in workers if row[0] == "late"]
    cut = sum(is_cut(thread, data) for _, _, thread, data in late)
    check(len(late) > 100 and cut * 20 < len(late), f"{cut} of {len(late)} stacks are cut")


def main():
    geckoprof, programs = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        own = os.path.join(folder, "own.json")
        result = subprocess.run([os.path.join(programs, "restart_program")], env={**os.environ, "GECKOPROF_SHUTDOWN": own},
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=100, check=False)
        check(result.returncode == 0, f"status {result.returncode}: {result.stdout}")
        with open(own, encoding="utf-8") as file:
            profile = json.load(file)
        bad = [what for what in losses_of(profile) if "damaged" in what or "unreadable" in what]
        check(not bad, f"{bad}")
        check_markers(profile)
        result = subprocess.run([geckoprof, "check", own], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(result.returncode == 0, result.stdout[:1000])
    for fault in faults[:20]:
        print(fault)
    sys.exit(1 if faults else 0)


main()
