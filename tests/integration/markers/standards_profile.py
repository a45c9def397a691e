#!/usr/bin/env python3
"""standards_profile.py GECKOPROF SOURCE ARCHITECTURE LIBRARY: standards_program records the same as C++17 and as C++20.

The program is compiled with gcc and, if it is installed, clang, with the warnings of a strict program as errors. Exit status 1, and a line
for each fault.
"""

import os
import shutil
import subprocess
import sys
import tempfile

from marker_profile import check, compare, faults, run

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wold-style-cast", "-Werror"]
TIMES = ("startTime", "endTime", "id", "threadId")
BUILDS = (("g++", "c++17"), ("g++", "c++20"), ("clang++", "c++17"))


def compiled(compiler, standard, source, architecture, library, folder):
    program = os.path.join(folder, "standards_program")
    headers = ("baseprofiler/include", f"baseprofiler/arch/{architecture}", "common/include")
    command = [compiler, f"-std={standard}", "-O1", *WARNINGS, "-fno-exceptions", "-fno-rtti", *(f"-I{source}/{header}" for header in headers),
               f"{source}/tests/integration/markers/standards_program.cc", "-o", program, f"-L{library}", "-lbaseprofiler", f"-Wl,-rpath,{library}"]
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(result.returncode == 0, f"{compiler} -std={standard}: {result.stdout}")
    return program if result.returncode == 0 else None


def markers(profile):
    """What does not depend on the time or the process, in the order of the file."""
    found = []
    for marker in profile.markers:
        data = {key: value for key, value in (marker["data"] or {}).items() if key not in TIMES}
        name = "Load" if marker["name"].startswith("Load ") else marker["name"]
        found.append((name, marker["phase"], marker["category"], data))
    return found


def counters(profile):
    return sorted((counter["name"], counter["category"], counter["description"]) for counter in profile.raw.get("counters", [])
                  if counter["name"] in ("plain", "total"))


def check_contents(profile):
    check(len(profile.markers) == 35, f"{len(profile.markers)} markers: {[marker['name'] for marker in profile.markers]}")
    check(profile.one("all fields")["data"] == {
        "type": "AllFields", "u64": 2**64 - 1, "i8": -5, "real": 0.25, "flag": True, "chars": "dynamic", "wide": "w\u00e9", "took": 1.5,
        "flow": "abc", "list": ["x", "y"], "table": [["a", 3, 4], ["b", -1, None]], "maybe": 7}, f"{profile.one('all fields')}")
    check(profile.one("scope with copies")["data"] == {
        "type": "AllFields", "u64": 1, "i8": 2, "real": 3, "flag": False, "chars": "dynamic", "wide": "wide", "took": 2.5, "flow": "5",
        "list": ["dynamic"], "table": [], "none": "dynamic"}, f"{profile.one('scope with copies')}")
    check(profile.one("scope of StackMarker")["data"]["type"] == "StackMarker", f"{profile.one('scope of StackMarker')}")
    check(profile.one("scope with options")["data"] is None, f"{profile.one('scope with options')}")
    check(profile.one("labels")["data"]["stack"][-6:] == ["label", "Image decoding", "cstr dynamic", "string dynamic", "wide w\u00e9", "hot"],
          f"{profile.one('labels')}")


def main():
    geckoprof, source, architecture, library = sys.argv[1:5]
    first = None
    for compiler, standard in BUILDS:
        if shutil.which(compiler) is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            program = compiled(compiler, standard, source, architecture, library, folder)
            if program is None:
                continue
            _, recorded, own = run(geckoprof, [program], folder, "8MiB")
            compare(recorded, own)
            check_contents(recorded)
            check(len(counters(own)) == 2, f"{own.raw.get('counters')}")
            found = (markers(recorded), counters(own), recorded.schemas)
            first = first or found
            check(found == first, f"{compiler} -std={standard}: {found}, not {first}")
    for fault in faults[:30]:
        print(fault[:2000])
    sys.exit(1 if faults or first is None else 0)


if __name__ == "__main__":
    main()
