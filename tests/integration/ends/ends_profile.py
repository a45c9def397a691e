#!/usr/bin/env python3
"""ends_profile.py GECKOPROF PROGRAM CASE...: how programs end, bare and under `geckoprof record`.

Both must print the same and have the same status. The profile, the recorder's lines and `report` must show the end. Exit status 1, and a line for each
fault."""

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile

GECKOPROF, PROGRAM = map(os.path.abspath, sys.argv[1:3])
faults = []

# Each case: the signal, or the exit status; the crash's cause; functions of its stack, innermost first, "..." for any.
SEGV, BUS, FPE, ILL, ABRT = signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGABRT
CASES = {
    "read": (SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "CallReadBadly", "main"]),
    "at_once": (SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "CallReadBadly", "main"]),
    "write": (SEGV, "the memory's protection forbids", ["WriteToText", "main"]),
    "bus": (BUS, "beyond the end of a mapped file", ["ReadBeyondFile", "main"]),
    "divide": (FPE, "integer division by zero", ["DivideBadly", "main"]),
    "illegal": (ILL, "illegal instruction", ["RunIllegally", "main"]),
    "abort": (ABRT, "", ["...", "AbortBadly", "main"]),
    "sent": (SEGV, "(ends_program)", ["...", "main"]),
    "null_call": (SEGV, "no memory is mapped at address 0x0", ["0x0", "CallNothing", "main"]),
    "low_call": (SEGV, "no memory is mapped at address 0x8", ["0x8", "CallNothing", "main"]),
    "wild_call": (SEGV, "no memory is mapped at address 0x123456789000", ["...", "CallNothing", "main"]),
    "thread": (SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "CallReadBadly", "CrashInThread"]),
    "overflow": (SEGV, None, None),
    "overflow_elsewhere": (SEGV, "no memory is mapped at address", ["UseUpStack", "UseUpStack"]),
    "handler_resets": (SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "CallReadBadly", "main"]),
    "handler_crashes": (FPE, "integer division by zero", ["DivideBadly", "CrashAgain"]),
    "handler_of_another_signal": (SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "CallReadBadly", "CrashInHandler"]),
    "kill": (signal.SIGKILL, None, None),
    "terminate": (signal.SIGTERM, None, None),
    "own_handler": (42, None, None),
    "own_handler_elsewhere": (42, None, None),
    "ignored": (0, None, None),
    "exit": (3, None, None),
    "_exit": (6, None, None),
    "quick_exit": (5, None, None),
    "dispositions": (0, None, None),
    "child": (0, None, None),
    "vfork_child": (0, None, None),
    "exec_child": (0, None, None),
}
WORDS = {SEGV: "Segmentation fault", BUS: "Bus error", FPE: "Floating point exception", ILL: "Illegal instruction", ABRT: "Aborted",
         signal.SIGKILL: "Killed", signal.SIGTERM: "Terminated"}


def check(holds, text):
    if not holds:
        faults.append(text)


class Profile:
    def __init__(self, path):
        with gzip.open(path) as file:
            self.json = json.load(file)
        self.shared = self.json["shared"]

    def text(self, row):
        return self.shared["stringArray"][row]

    def markers(self, type_name):
        """(thread, name, data) of all markers of a type."""
        for thread in self.json["threads"]:
            markers = thread["markers"]
            for name, data in zip(markers["name"], markers["data"]):
                if isinstance(data, dict) and data.get("type") == type_name:
                    yield thread, self.text(name), data

    def functions(self, stack):
        """Names of a stack's functions, innermost first."""
        names = []
        tables = self.shared
        while stack is not None:
            frame = tables["stackTable"]["frame"][stack]
            names.append(self.text(tables["funcTable"]["name"][tables["frameTable"]["func"][frame]]))
            stack = tables["stackTable"]["prefix"][stack]
        return names

    def entries(self, section):
        return {entry["label"]: entry["value"] for entry in self.json["meta"]["extra"][section]["entries"]}


def check_crash(case, profile, number, cause, functions):
    crashes = list(profile.markers("geckoprofCrash"))
    check(len(crashes) == 1, f"{case}: {len(crashes)} crash markers")
    for thread, name, data in crashes:
        check(name == "crash" and data["signal"] == f"{WORDS[number]} ({number.name})", f"{case}: the marker is {name} {data}")
        check(cause in data.get("reason", ""), f"{case}: the cause is {data.get('reason')}")
        check((thread["name"] == "worker") == (case == "thread"), f"{case}: the marker is on thread {thread['name']}")
        found = profile.functions(data["cause"]["stack"]) if "cause" in data else []
        if functions is not None and functions[0] == "...":
            start = found.index(functions[1]) if functions[1] in found else 0
            check(found[start : start + len(functions) - 1] == functions[1:], f"{case}: the stack is {found}")
        elif functions is not None:
            check(found[: len(functions)] == functions, f"{case}: the stack is {found[:12]}")
        check("call" not in case or (len(found) <= 8 and not any("(" in name[1:] or "incomplete" in name for name in found)),
              f"{case}: the stack is {found}")


def check_processes(case, profile, statuses):
    lives = [(name, data) for _, name, data in profile.markers("geckoprofProcess")]
    names = [name for name, _ in lives]
    for name in ["process start", "exit"] + (["fork"] if case in ("child", "exec_child") else []) + (["exec"] if case == "exec_child" else []):
        check(name in names, f"{case}: no marker {name} among {names}")
    starts = [data for name, data in lives if name in ("process start", "exec")]
    check(any(data["command"].endswith(f"ends_program {case}") for data in starts), f"{case}: the starts are {starts}")
    if case == "exec_child":
        check(any(data["command"] == "renamed exit" for data in starts), f"{case}: the starts are {starts}")
        check("renamed" in {thread["processName"] for thread in profile.json["threads"]}, f"{case}: the process has another name")
    exits = [data for name, data in lives if name == "exit"]
    for status in statuses:
        check(any(data["end"] == f"exit status {status}" for data in exits), f"{case}: the exits are {exits}, without {status}")
    for data in exits:
        if "exit status" in data["end"] and "child" not in case:
            check(data["userTime"] + data["systemTime"] > 0 and data["peakMemory"] > 1 << 20, f"{case}: the exit is {data}")


def run_case(case, folder):
    number, cause, functions = CASES[case]
    path = os.path.join(folder, case + ".json.gz")
    bare = subprocess.run([PROGRAM, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    recorded = subprocess.run([GECKOPROF, "record", "-o", path, "--", PROGRAM, case], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    lines = recorded.stderr.decode()
    check(bare.stdout == recorded.stdout, f"{case}: prints {recorded.stdout}, not {bare.stdout}")
    is_signal = isinstance(number, signal.Signals)
    check(bare.returncode == (-number if is_signal else number), f"{case}: the bare program ends with {bare.returncode}")
    check(recorded.returncode == (128 + number if is_signal else number), f"{case}: the recorder ends with {recorded.returncode}")
    profile = Profile(path)
    end = profile.entries(0).get("End", "")
    if is_signal:
        check(re.search(rf"^geckoprof: the program ended: {WORDS[number]}", lines, re.M), f"{case}: the lines are {lines}")
        check(end.startswith(WORDS[number]), f"{case}: the end is {end}")
    else:
        check(("the program ended: exit status" in lines) == (number != 0 or case == "child"), f"{case}: the lines are {lines}")
        check(end.startswith(f"exit status {number}"), f"{case}: the end is {end}")
    text = subprocess.run([GECKOPROF, "report", path], check=True, stdout=subprocess.PIPE).stdout.decode()
    check(f"\nEnd          {end}" in text[:2000], f"{case}: the report begins with {text[:600]}")
    if case in ("read", "kill", "exit"):
        raw = os.path.join(folder, case + ".raw.json")
        subprocess.run([GECKOPROF, "record", "-q", "--format", "gecko", "-o", raw, "--", PROGRAM, case], stdout=subprocess.DEVNULL, cwd=folder)
        text = subprocess.run([GECKOPROF, "report", raw], check=True, stdout=subprocess.PIPE).stdout.decode()
        check(f"\nEnd          {end.split(' (')[0]}" in text[:2000], f"{case}: the report of the raw profile begins with {text[:600]}")
    if cause is not None:
        check(cause in end, f"{case}: the end is {end}")
        check_crash(case, profile, number, cause, functions)
    elif case == "child":
        check_crash(case, profile, SEGV, "no memory is mapped at address 0x10", ["ReadBadly", "main"])
        check("Segmentation fault of thread" in end, f"{case}: the end is {end}")
    else:
        check(not list(profile.markers("geckoprofCrash")), f"{case}: there is a crash")
    check_processes(case, profile, [number] if not is_signal else [])


with tempfile.TemporaryDirectory() as folder:
    for case in sys.argv[3:] or CASES:
        run_case(case, folder)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
