#!/usr/bin/env python3
"""stacks_profile.py CASE GECKOPROF FOLDER CALL_PAIRS: the stacks of a program whose code says little about itself.

FOLDER has the programs. Exit status 1, and a line for each fault. Status 77: the case cannot be tried here."""

import collections
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

CASE, GECKOPROF, FOLDER, CALL_PAIRS = sys.argv[1:]
CHAIN = ("outer", "middle", "leaf")
SCANNED = "(caller found by a scan, may be wrong)"
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def skip(text):
    print(f"skipped: {text}")
    sys.exit(77)


def program(kind):
    return os.path.join(FOLDER, f"stacks_{kind}_program")


def record(folder, *command, options=(), **environment):
    path = os.path.join(folder, "profile.json.gz")
    run = subprocess.run([GECKOPROF, "record", "-q", *options, "-o", path, "--", *command], check=False, stdin=subprocess.DEVNULL,
                         stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    if run.returncode == 77:
        skip("the program cannot do this here")
    check(run.returncode == 0, f"{command[0]} ended with {run.returncode}")
    return path


def rows(path, running=True):
    """The names of each sample's stack, outermost first."""
    with gzip.open(path) as file:
        profile = json.load(file)
    shared, names = profile["shared"], profile["shared"]["stringArray"]
    functions = [names[shared["funcTable"]["name"][function]] for function in shared["frameTable"]["func"]]
    known = {None: ()}

    def stack_names(stack):
        if stack not in known:
            known[stack] = (*stack_names(shared["stackTable"]["prefix"][stack]), functions[shared["stackTable"]["frame"][stack]])
        return known[stack]

    for thread in profile["threads"]:
        samples = thread["samples"]
        for stack, delta in zip(samples["stack"], samples["threadCPUDelta"]):
            if not running or delta:
                yield stack_names(stack)


def is_whole(names):
    return any(name in names for name in ("main", "Py_BytesMain")) and not any("incomplete" in name for name in names)


def check_chain(path, share=0.95):
    """Samples in leaf have exactly the chain above it, up to main, without a guess."""
    in_leaf = [names for names in rows(path) if names and names[-1] == "leaf"]
    right = [names for names in in_leaf if tuple(name for name in names if name in CHAIN) == CHAIN and
             names[-3:] == CHAIN and is_whole(names) and SCANNED not in names]
    check(len(in_leaf) >= 50, f"only {len(in_leaf)} samples are in leaf")
    check(len(right) >= share * len(in_leaf),
          f"{len(right)} of {len(in_leaf)} stacks are right, as {collections.Counter(in_leaf).most_common(3)}")


def case_pool(folder):
    """Threads that wait in functions with frame pointers have whole stacks."""
    stacks = list(rows(record(folder, program("pool")), running=False))
    incomplete = collections.Counter(names for names in stacks if any("incomplete" in name or name == SCANNED for name in names))
    check(len(stacks) > 200, f"there are {len(stacks)} rows")
    check(sum(incomplete.values()) <= 0.005 * len(stacks), f"{sum(incomplete.values())} of {len(stacks)}: {incomplete.most_common(3)}")


def case_debug_frame(folder):
    """Code without .eh_frame is walked by .debug_frame."""
    check_chain(record(folder, program("debug_frame"), "chain", "0.5"))


def case_damaged_debug_frame(folder):
    """A .debug_frame with other bytes makes no frame up, and ends no program."""
    source = program("debug_frame")
    sections = subprocess.run(["readelf", "-SW", source], check=True, stdout=subprocess.PIPE, text=True).stdout
    offset, size = (int(word, 16) for word in re.search(r" \.debug_frame +\w+ +\w+ +(\w+) +(\w+)", sections).groups())
    possible = {("main", "RunChain"), ("RunChain", "outer"), ("outer", "middle"), ("middle", "leaf"), ("RunChain", "Now")}
    random.seed(1)
    for round_number in range(12):
        copy = os.path.join(folder, f"copy{round_number}")
        shutil.copy(source, copy)
        with open(copy, "r+b") as file:
            for _ in range(1 + size // 8):
                file.seek(offset + random.randrange(size))
                file.write(bytes([random.choice((0, 8, 16, 0x7f, 0x80, 0xff, random.randrange(256)))]))
        stacks = []
        for _ in range(5):  # a busy machine may give the program no core for as long
            stacks += rows(record(folder, copy, "chain", "0.15"))
            if len(stacks) > 10:
                break
        check(len(stacks) > 10, f"there are {len(stacks)} samples")
        own = {name for pair in possible for name in pair}
        pairs = {pair for names in stacks for pair in zip(names, names[1:]) if own.issuperset(pair)}
        check(pairs <= possible, f"round {round_number} has {pairs - possible}")


def case_compressed_debug_frame(folder):
    """Frame pointers serve if .debug_frame is compressed."""
    path = record(folder, program("compressed"), "chain", "0.5")
    stacks = [names for names in rows(path) if names and names[-1] in CHAIN]
    right = [names for names in stacks if is_whole(names) and SCANNED not in names]
    check(len(stacks) >= 50 and len(right) >= 0.95 * len(stacks), f"{len(right)} of {len(stacks)}, {collections.Counter(stacks).most_common(3)}")


DIRECT = ("direct1", "direct2", "leaf")
CALLS = (DIRECT, ("pointer1", "pointer2", "leaf"), ("table1", "CallBack", "table2", "leaf"), ("deep",) * 3 + DIRECT)


def calls_rows(folder, kind, *options):
    """The samples in leaf, without the marks of guesses, and the share of them that has a mark."""
    path = record(folder, program(kind), "0.5", options=options)
    stacks = [names for names in rows(path) if names and names[-1] == "leaf"]
    marked = sum(SCANNED in names for names in stacks) / max(1, len(stacks))
    plain = [tuple(name for name in names if name != SCANNED) for names in stacks]
    right = [names for names in plain if is_whole(names) and names[names.index("main"):][:2] == ("main", "RunCalls") and
             names[names.index("main") + 2:] in CALLS]
    check(len(stacks) >= 50 and len(right) >= 0.95 * len(stacks),
          f"{len(right)} of {len(stacks)} are right, as {collections.Counter(plain).most_common(5)}")
    check(set(CALLS) <= {names[names.index("main") + 2:] for names in right}, "a way to call is missing")
    return path, marked


def case_calls(folder):
    """Calls on the stack lead through code without unwind data or frame pointers. The code's own evidence makes them certain."""
    _, marked = calls_rows(folder, "calls")
    check(marked <= 0.02, f"{marked:.3f} are marked")


def case_packed_calls(folder):
    """Callers that no evidence makes certain are right and marked, in the profile, in the raw profile and in the report."""
    path, marked = calls_rows(folder, "packed_calls")
    check(marked >= 0.1, f"{marked:.3f} are marked")
    report = subprocess.run([GECKOPROF, "report", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    check(SCANNED in report, f"the report is {report}")
    gecko = record(folder, program("packed_calls"), "0.2", options=("--format", "gecko"))
    with open(gecko, "rb") as file:
        content = file.read()
    text = gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content
    check(SCANNED.encode() in text, "the raw profile has no mark")


def case_moved_text(folder):
    """Code that moved to anonymous memory keeps its names."""
    check_chain(record(folder, program("plain"), "moved", "0.5"))


def case_signal_restorer(folder):
    """The walk goes on behind a handler whose restorer has no unwind data, also if the handler has none."""
    for kind, mode, restorer in (("plain", "restorer", "Restorer"), ("plain", "nop_restorer", "NopRestorer"),
                                 ("compressed", "restorer", "Restorer"), ("stripped", "nop_restorer", "NopRestorer")):
        path = record(folder, program(kind), mode, "0.5")
        order = ("main", "RunInHandler", restorer, "Handle", "RunChain")
        stacks = [names for names in rows(path) if names and names[-1] == "leaf"]
        right = [names for names in stacks if [name for name in names if name in order] == [name for name in order if name in names] and
                 restorer in names and is_whole(names) and names[-3:] == CHAIN]
        check(len(stacks) >= 50 and len(right) >= 0.95 * len(stacks),
              f"{kind}, {mode}: {len(right)} of {len(stacks)} go through the handler, as {collections.Counter(stacks).most_common(2)}")


def case_trampolines(folder):
    """Generated code between all functions hides none of them."""
    path = record(folder, program("plain"), "trampolines", "0.5")
    stacks = [tuple(name for name in names if not name.startswith("JIT code of ")) for names in rows(path) if names and names[-1] == "leaf"]
    right = [names for names in stacks if names[-3:] == CHAIN and is_whole(names) and SCANNED not in names]
    check(len(stacks) >= 50 and len(right) >= 0.95 * len(stacks), f"{len(right)} of {len(stacks)}: {collections.Counter(stacks).most_common(3)}")


def find_python():
    """A Python of version 3.12 or later, which has trampolines on this machine."""
    test = "import sys; sys.activate_stack_trampoline('perf')"
    candidates = [shutil.which(f"python3.{minor}") for minor in (14, 13, 12)] + [shutil.which("python3")]
    candidates += [os.path.expanduser(f"~/.pyenv/versions/{name}/bin/python3") for name in ("3.13.0", "3.12.1")]
    return [path for path in candidates
            if path and os.access(path, os.X_OK) and subprocess.run([path, "-c", test], check=False, stderr=subprocess.DEVNULL).returncode == 0]


def case_python_trampolines(folder):
    """Python's trampolines (-X perf) alternate with the interpreter. All of them are in the stack."""
    pythons = find_python()
    if not pythons:
        skip("there is no Python with trampolines")
    text = """
def f(n, g): return g() if n == 0 else f(n - 1, g) + 1
def work():
    total = 0
    for i in range(300): total += i * i % 7
    return total
import time
end = time.monotonic() + 0.6
while time.monotonic() < end: f(12, work)
"""
    for python in pythons:
        stacks = [names for names in rows(record(folder, python, "-X", "perf", "-c", text))]
        deep = [names for names in stacks if sum(name.startswith("py::f:") or name == "py::f:<string>" for name in names) == 13]
        check(len(stacks) >= 50 and len(deep) >= 0.6 * len(stacks), f"{python}: {len(deep)} of {len(stacks)} have all of Python's frames")
        doubtful = [names for names in deep if not is_whole(names) or SCANNED in names]
        check(len(doubtful) <= 0.05 * len(stacks), f"{python}: {len(doubtful)} are doubtful, as {doubtful[:1]}")


def case_go(folder):
    """Go is walked by its frame pointers. No pair of a caller and a callee contradicts the machine code."""
    if shutil.which("go") is None:
        skip("there is no Go")
    run = subprocess.run([sys.executable, CALL_PAIRS, "4", "go"], check=True, stdout=subprocess.PIPE, text=True,
                         env={**os.environ, "GECKOPROF_BUILD_DIR": os.path.dirname(os.path.dirname(GECKOPROF)), "HOME": folder})
    if "skipped" in run.stdout:
        skip(run.stdout)
    check(run.stdout.count("| met") == 1, run.stdout)


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"case_{CASE}"](folder)
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


main()
