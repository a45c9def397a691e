#!/usr/bin/env python3
"""c_api_cases.py CASE GECKOPROF PROGRAMS LIBRARIES: what programs in C mark, as it is read back. Exit status 1, and a line for each
fault.

Cases: linked, shimmed, fixed (at a fixed address, shimmed): recorded by the recorder and by the process itself; bound: base is loaded by
name; without: there is no library; full: the full library by dlsym; example: the one of the documentation, in PROGRAMS.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "markers"))
import marker_profile  # noqa: E402

check = marker_profile.check


def check_marks(profile, raw):
    """What c_marks marks."""
    typed = profile.one("C typed")
    expected = {"type": "EveryKindOfC", "i": -7, "u": 4096, "d": 0.125, "b": True, "s": 'text of "C"', "n": 1.5, "f": "abcd",
                "l": ["one", "two"], "o": "given", "h": "hidden", "t": [["parse", 1.5], ["link", None]]}
    for key, value in expected.items():
        check(typed["data"].get(key) == value, f"C typed: {key} is {typed['data'].get(key)!r}, not {value!r}")
    check(abs(typed["data"]["m"] + typed["zero"] - typed["start"] - 1) < 0.001, f"C typed: the moment is {typed['data']['m']}")
    check((typed["phase"], typed["category"]) == (1, "Storage"), f"C typed: {typed}")
    check(abs(typed["end"] - typed["start"] - 2.5) < 0.001, f"C typed: {typed}")
    piecewise = profile.one("C piecewise")["data"]
    check(piecewise["i"] == 7 and piecewise["d"] == 2 and piecewise["b"] is False and piecewise["s"] == "" and "o" not in piecewise,
          f"piecewise: {piecewise}")
    check(piecewise["l"] == ["three", "four"] and piecewise["h"] == "last", f"piecewise: {piecewise}")
    schema = profile.schemas["EveryKindOfC"]
    check(schema["display"] == ["marker-chart", "marker-table"] and schema["chartLabel"] == "{marker.data.s}", f"{schema}")
    fields = {field.get("key"): field for field in schema["data"]}
    fields.update({field["key"]: field for field in schema.get("fields", [])})
    check(fields["u"]["label"] == "Bytes" and fields["u"]["format"] == "bytes" and fields["h"].get("hidden"), f"{fields}")
    for name, phase in (("C instant", 0), ("C begins", 2), ("C ends", 3), ("C about main", 0), ("C scope", 1), ("C scope of a thread", 1)):
        check(profile.one(name)["phase"] == phase, f"{name}: {profile.one(name)}")
    check(profile.one("C named")["category"] == "IPC", "C named: not its own category")
    check(profile.one("C own category")["category"] == "C physics", f"{profile.one('C own category')}")
    check(profile.data("C text", "name") == "a text of C" and profile.data("C no text", "name") == "", "texts")
    check(profile.one("C text")["category"] == "Logs", f"{profile.one('C text')}")
    check(profile.data("C format", "name") == "3 of seven" and len(profile.data("C long format", "name")) == 1024, "formatted texts")
    for phase in ("C phase one", "C phase two"):
        check([half["data"]["type"] for half in profile.named(phase)] == ["StartupPhase"] * 2, f"{phase}: {profile.named(phase)}")
    about_main = [(pid % 10000000, tid, marker["data"]["i"]) for (pid, tid), rows in profile.threads.items() for marker in rows
                  if marker["name"] == "C typed about main"]
    check([number for _, _, number in about_main] == [0, 1] and all(pid == tid for pid, tid, _ in about_main), f"C typed about main: {about_main}")
    check(profile.data("C in a flow", "flow") == "f10", f"{profile.one('C in a flow')}")
    check(profile.data("C at its end", "markerTerminatingFlow") == "f10", f"{profile.one('C at its end')}")
    check(profile.one("C backwards")["end"] >= profile.one("C backwards")["start"], "an interval goes backwards")
    for name in ("C stack", "C labels"):
        stack = profile.data(name, "stack")
        check(stack is not None and "C marks with a text" in stack, f"{name}: {stack}")
    check(not profile.named("C wrong type"), "a marker of a type that makes no sense is there")
    processes = [raw]
    for process in processes:
        processes.extend(process.get("processes", []))
    threads = [thread for process in processes for thread in process["threads"]]
    names = {thread["name"] for thread in threads}
    check("C thread" in names, f"threads {names}")
    strings = {text for thread in threads for text in thread["stringTable"]}
    check("C marks with a text" in strings and "C label" in strings, "labels are missing")
    counters = {counter["name"] for process in processes for counter in process.get("counters", [])}
    check("C counter" in counters, f"counters {counters}")


def read(path):
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    return marker_profile.Profile(raw), raw


def run(command, **environment):
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("GECKOPROF_", "LD_"))}
    result = subprocess.run(command, env={**clean, **environment}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            timeout=100, check=False)
    check(result.returncode == 0 and result.stdout == "", f"{command}: status {result.returncode}: {result.stdout}")


def recorded(geckoprof, program, folder):
    both = [os.path.join(folder, name) for name in ("recorded.json", "own.json")]
    run([geckoprof, "record", "-q", "--format", "gecko", "-o", both[0], "--", "env", "GECKOPROF_SHUTDOWN=" + both[1], program])
    run(["sh", "-c", 'for file; do "$0" check "$file" >/dev/null || exit 1; done', geckoprof, *both])
    (ours, our_raw), (own, own_raw) = read(both[0]), read(both[1])
    check_marks(ours, our_raw)
    check_marks(own, own_raw)
    marker_profile.compare(ours, own)


def example(geckoprof, program, out):
    """It prints the same however it runs, and its profile shows what it did."""
    printed = {subprocess.run(command, stdout=subprocess.PIPE, timeout=100, check=True).stdout
               for command in ([program], [geckoprof, "record", "-q", "--format", "gecko", "-o", out, "--", program])}
    check(len(printed) == 1, f"it prints {printed}")
    profile, raw = read(out)
    loads = [marker["data"] for marker in profile.named("load")]
    check([load["size"] for load in loads] == [8000, 16000, 24000], f"{loads}")
    check("checksum" not in loads[0] and "checksum" in loads[1], f"{loads}")
    check(len(profile.named("checksum")) == 3 and profile.data("done", "name") == "all files are loaded", "markers")
    check("Checksum /made/up/three" in raw["threads"][0]["stringTable"], "no label with its text")


def main():
    case, geckoprof, programs, libraries = sys.argv[1:]
    base, full = (os.path.join(libraries, name) for name in ("libbaseprofiler.so.0", "libgeckoprofiler.so.0"))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "out.json")
        if case in ("linked", "shimmed", "fixed"):
            recorded(geckoprof, os.path.join(programs, "c_" + case), folder)
        elif case == "without":
            run([os.path.join(programs, "c_shimmed"), "none"])
            run([os.path.join(programs, "c_fixed"), "none"])
        elif case == "bound":
            run([os.path.join(programs, "c_shimmed"), "bind", base], GECKOPROF_SHUTDOWN=out)
            check_marks(*read(out))
        elif case == "example":
            example(geckoprof, os.path.join(programs, "load_files"), out)
        elif case == "full":
            run([os.path.join(programs, "c_full"), full, out])
            run(["sh", "-c", '"$0" check "$1" >/dev/null', geckoprof, out])
            check_marks(*read(out))
    for fault in marker_profile.faults:
        print(fault)
    sys.exit(1 if marker_profile.faults else 0)


main()
