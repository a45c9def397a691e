#!/usr/bin/env python3
"""locks_profile.py CASE GECKOPROF PROGRAM: what `geckoprof report --by lock` says of the waits of locks_program.

Exit status 1, and a line for each fault."""

import json
import os
import subprocess
import sys
import tempfile

CASE, GECKOPROF, PROGRAM = sys.argv[1:]
# The waiting function of each kind, and whether another thread has the lock.
KINDS = {"mutex": ("mutex", "WaitMutex", True), "mutex-timed": ("mutex", "WaitMutexTimed", True),
         "mutex-clock": ("mutex", "WaitMutexClock", True), "mutex-c11": ("mutex", "WaitMtx", True),
         "mutex-recursive": ("mutex", "WaitOther", True), "mutex-pi": ("mutex", "WaitOther", True),
         "mutex-robust": ("mutex", "WaitOther", True), "rwlock-read": ("rwlock", "WaitRead", True),
         "rwlock-write": ("rwlock", "WaitWrite", True), "condition": ("condition", "WaitCondition", False),
         "condition-timed": ("condition", "WaitConditionTimed", False), "condition-clock": ("condition", "WaitConditionClock", False),
         "semaphore": ("semaphore", "WaitOnce", False), "semaphore-timed": ("semaphore", "WaitSemaphoreTimed", False),
         "barrier": ("barrier", "WaitOnce", False), "join": ("join", "RunJoin", False), "futex": ("futex", "WaitFutex", False),
         "atomic": ("futex", "WaitAtomic", False)}
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def record(folder, *words, options=()):
    path = os.path.join(folder, "out.json.gz")
    done = subprocess.run([GECKOPROF, "record", "-q", "-o", path, "--features", "default,cpu,locks", *options, "--", PROGRAM, *words],
                          check=False, stdout=subprocess.PIPE, text=True)
    return path, done


def report(path, view="lock"):
    return json.loads(subprocess.run([GECKOPROF, "report", "--json", "--by", view, path], check=True, stdout=subprocess.PIPE).stdout)


def check_kind(folder, name, kind, function, has_holder):
    path, done = record(folder, name, "25")
    own_ms = float(done.stdout.split()[2])
    rows = [row for row in report(path)["rows"] if row["kind"] == kind and (kind == "join" or row["stack"])]
    check(len(rows) >= 1, f"{name}: no row")
    if not rows:
        return
    # The constructor of the program waits, too, for a short time.
    total = sum(row["totalMs"] for row in rows)
    if name != "atomic":
        check(abs(total - own_ms) <= 0.02 * own_ms + (60 if kind == "join" else 12), f"{name}: {total} ms, the program waited {own_ms} ms")
    stack = " ".join(rows[0]["stack"] or [])
    check(function in stack, f"{name}: waited at {stack}")
    check("geckoprof" not in stack, f"{name}: a hook is in the stack {stack}")
    if has_holder:
        holder = " ".join(rows[0]["holderStack"] or [])
        check("SpinWithLock" in holder or "Hold" in holder, f"{name}: held at {holder}")


def check_short(folder):
    """The sums of the short waits and the long ones are all the waits."""
    for options in ((), ("--lock-threshold", "0"), ("--lock-threshold", "1000")):
        path, done = record(folder, "short", "20000", options=options)
        own_ms = float(done.stdout.split()[2])
        rows = [row for row in report(path)["rows"] if row["kind"] == "mutex"]
        total = sum(row["totalMs"] for row in rows)
        # The program's times have the cost of the markers in them.
        part = 0.15 if options[1:] == ("0",) else 0.02
        check(abs(total - own_ms) <= part * own_ms + 15, f"short {options}: {total} ms, the program waited {own_ms} ms")
        check("RunShort" in str(rows) or options[1:] == ("1000",), f"short {options}: no stack in {rows}")
    wait = [row for row in report(path, "wait")["rows"] if row["cause"] == "lock"]
    check(wait and wait[0]["stack"] == ["(waits too short for a stack)"], f"--by wait has no sum: {wait}")
    # The thread's last sample may be in a wait whose end no sample shows.
    check(sum(row["totalMs"] for row in wait[1:]) <= 0.02 * own_ms + 15, f"--by wait has estimates: {wait}")


def check_behaviour(folder):
    bare = subprocess.run([PROGRAM, "behaviour"], check=True, stdout=subprocess.PIPE, text=True).stdout
    for options in ((), ("--lock-threshold", "0")):
        _, done = record(folder, "behaviour", options=options)
        check(done.returncode == 0, f"exit status {done.returncode}")
        check(done.stdout == bare, f"with locks: {done.stdout}\nwithout: {bare}")
    refused = subprocess.run([GECKOPROF, "record", "--lock-threshold", "x", "--", PROGRAM], check=False, stderr=subprocess.PIPE, text=True)
    check(refused.returncode == 2 and "--lock-threshold" in refused.stderr, f"bad threshold: {refused}")


def check_killed(folder):
    """After SIGKILL, what the program waited until a moment ago is there."""
    path = os.path.join(folder, "out.json.gz")
    with subprocess.Popen([GECKOPROF, "record", "-q", "-o", path, "--features", "default,cpu,locks", "--lock-threshold", "1000", "--",
                           "sh", "-c", f"{PROGRAM} short 1000000 & sleep 1.5; kill -9 $!; wait"], stdout=subprocess.DEVNULL) as recorder:
        recorder.wait()
    rows = [row for row in report(path)["rows"] if row["kind"] == "mutex"]
    check(sum(row["totalMs"] for row in rows) > 50, f"killed: {rows}")


with tempfile.TemporaryDirectory() as FOLDER:
    if CASE == "kinds":
        for NAME, WHAT in KINDS.items():
            check_kind(FOLDER, NAME, *WHAT)
    else:
        {"short": check_short, "behaviour": check_behaviour, "killed": check_killed}[CASE](FOLDER)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
