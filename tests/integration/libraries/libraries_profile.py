#!/usr/bin/env python3
"""libraries_profile.py CASE GECKOPROF FOLDER: the markers of the feature `libraries`, and the calls that they measure.

Exit status 1, and a line for each fault. Status 77: there is no such interpreter."""

import gzip
import json
import os
import subprocess
import sys
import tempfile

CASE, GECKOPROF, FOLDER = sys.argv[1:]
PLUGINS = os.path.join(FOLDER, "plugins")
PROGRAM = os.path.join(FOLDER, "libraries_program")
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def run(words):
    return subprocess.run(words, check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Recording:
    """What a program did while it was recorded, and without that."""

    def __init__(self, words):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json.gz")
            self.done = run([GECKOPROF, "record", "-q", "-o", path, "--features", "default,libraries", "--", *words])
            with gzip.open(path) as file:
                profile = json.load(file)
            report = run([GECKOPROF, "report", "--json", "--by", "startup", "--top", "1000", path])
            self.rows = json.loads(report.stdout)["rows"]
        strings = profile["shared"]["stringArray"]
        self.markers = []
        for thread in profile["threads"]:
            markers = thread["markers"]
            for name, start, end, data in zip(markers["name"], markers["startTime"], markers["endTime"], markers["data"]):
                if data and data["type"].startswith("Library"):
                    duration = end - start if start is not None and end is not None else None
                    self.markers.append({"name": strings[name], "start": start, "end": end, "duration": duration, **data})

    def of(self, name, library):
        return [marker for marker in self.markers if marker["name"] == name and os.path.basename(marker["file"]) == library]

    def only(self, name, library):
        found = self.of(name, library)
        check(len(found) == 1, f"{len(found)} markers {name} of {library}: {found}")
        return found[0] if found else {"duration": 0, "start": 0, "end": 0}


def check_same(case, program=PROGRAM):
    words = [program, case, PLUGINS]
    plain, recording = run(words), Recording(words)
    check(recording.done.stdout == plain.stdout, f"{case}: printed {recording.done.stdout!r}, and {plain.stdout!r} without us")
    check(recording.done.returncode == plain.returncode, f"{case}: exit status {recording.done.returncode}, not {plain.returncode}")
    return recording


def check_slow():
    recording = Recording([PROGRAM, "slow", PLUGINS])
    relocated, taken, closed = recording.done.stdout.split()
    check((relocated, closed) == ("1", "0"), f"printed {recording.done.stdout}")
    call, load = recording.only("dlopen", "libslow.so"), recording.only("Library load", "libslow.so")
    # A core that the thread loses between its clock and the hook's is a part of the time.
    check(-0.1 <= float(taken) - call["duration"] <= 15, f"{taken} ms are {call}")
    check(50 <= load["constructors"] <= call["duration"] and abs(load["constructors"] - load["duration"]) < 0.01, f"{load}")
    check(abs(call["constructors"] - load["constructors"]) < 1, f"{call} and {load}")
    parts = call["mapping"] + call["relocation"] + call["constructors"]
    check(abs(parts - call["duration"]) < 0.1, f"the parts of {call} are {parts} ms")
    check(call["relocation"] > 0.5, f"20,000 relocations in {call['relocation']} ms")
    check(20000 <= load["relocations"] < 21000, f"{load['relocations']} relocations")
    check(call["outcome"] == "loaded" and call["libraries"] == 1 and "cause" in call, f"{call}")
    check(load["size"] > 20000 * 8, f"{load['size']} bytes")
    unload = recording.only("Library unload", "libslow.so")
    check(unload["end"] >= call["end"] and unload["file"] == load["file"], f"{unload}")
    # Libraries of the start have a marker, too, and no file has two.
    check(recording.of("Library load", "libc.so.6"), "libc was not loaded")
    files = [marker["file"] for marker in recording.markers if marker["name"] == "Library load"]
    check(len(files) == len(set(files)), f"twice: {files}")
    rows = [row for row in recording.rows if row["phase"] == "dlopen"]
    check([round(row["relocationMs"], 3) for row in rows] == [round(call["relocation"], 3)], f"the report has {rows}")
    check(any(row["phase"] == "static constructors" and row["what"] == "libslow.so" and row["by"] == "marker" for row in recording.rows),
          f"the report has no constructors: {recording.rows}")


def check_nested():
    recording = check_same("nested")
    outer, inner = recording.only("Library load", "libnested.so"), recording.only("Library load", "libslow.so")
    check(outer["start"] < inner["start"] and inner["end"] < outer["end"], f"{inner} is not within {outer}")
    check(outer["constructors"] >= 60, f"{outer} has not the time of {inner}")
    check(recording.only("dlopen", "libnested.so")["libraries"] == 1, "the libraries of the inner call count for the outer one")


def check_bad():
    recording = check_same("bad")
    check(recording.only("dlopen", "libmissing.so")["outcome"] == "failed", "a missing library")
    check(not [marker for marker in recording.markers if marker["file"] == ""], "a call without a name has a marker")
    check(len(recording.of("Library load", "libslow.so")) == 1, "a load after constructors that were left by a jump")
    check(recording.only("Library load", "libjumping.so")["duration"] is None, "constructors that were left have a time")
    check(recording.of("Library unload", "libclosing.so"), "a library that closes another one is not unloaded")
    # A constructor that never returns has no marker. The process ends as it means to.
    check(check_same("endless").done.returncode == 7, "endless")


def check_callers():
    check_same("callers")
    recording = check_same("callers", os.path.join(FOLDER, "libraries_runpath"))
    # The constructors are not measured, because the call is not.
    check(not recording.of("dlopen", "libquick.so"), "a call that looks at its caller was measured")
    check(recording.only("Library load", "libquick.so")["duration"] is None, "a library of such a call has a time")


def check_python():
    words = ["/usr/bin/python3", "-c", "import ssl, decimal"]
    if not os.path.exists(words[0]):
        sys.exit(77)
    recording = Recording(words)
    modules = [marker for marker in recording.markers if marker["name"] == "dlopen" and "cpython" in marker["file"]]
    check(modules and all(marker["outcome"] == "loaded" for marker in modules), f"Python's modules: {modules}")
    main = [row for row in recording.rows if row["phase"] == "main"]
    check(main and main[0]["what"] == "/usr/bin/python3 -c import ssl, decimal" or "import ssl, decimal" in main[0]["what"], f"{main}")


if CASE == "slow":
    check_slow()
elif CASE == "nested":
    check_nested()
elif CASE == "bad":
    check_bad()
elif CASE == "callers":
    check_callers()
elif CASE == "threads":
    check_same("threads")
elif CASE == "python":
    check_python()
print("\n".join(faults))
sys.exit(1 if faults else 0)
