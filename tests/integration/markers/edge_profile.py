#!/usr/bin/env python3
"""edge_profile.py GECKOPROF PROGRAMS: what became of what edge_program gives to markers.

What the recorder and the process itself write is equal, and both are files that `geckoprof check` finds no fault with. Exit status 1, and a
line for each fault.
"""

import os
import subprocess
import sys
import tempfile

from marker_profile import check, compare, faults, run

LONGEST_MS = 2**63 / 1e6


def data(profile, name, *left_out):
    return {key: value for key, value in (profile.one(name)["data"] or {}).items() if key not in ("type", *left_out)}


def check_null_texts(profile):
    for name in ("null text", "nullptr text", "nullptr scope"):
        check(data(profile, name) == {"name": ""}, name)
    check(len(profile.named("")) == 4, f"{len(profile.named(''))} markers without a name")
    check(data(profile, "null list") == {"list": ["", "one"], "table": [["", "value"]], "maybe": ""}, f"{data(profile, 'null list')}")
    check(data(profile, "null written") == {"text": "", "n": 1}, "null written")
    check(data(profile, "null viewed") == {"text": ""}, "null viewed")
    check(profile.data("IPC", "messageType") == "", "IPC")
    check(data(profile, "null scope") == {"name": ""}, "null scope")


def check_durations(profile):
    for name in ("longest seconds", "longest hours", "longest ns", "long"):
        check(abs(profile.data(name, "d") - LONGEST_MS) < 1, f"{name}: {profile.data(name, 'd')}")
    for name in ("shortest hours", "shortest ns"):
        check(abs(profile.data(name, "d") + LONGEST_MS) < 1, f"{name}: {profile.data(name, 'd')}")
    for name in ("no duration", "endless"):
        check(data(profile, name) == {"d": None}, f"{name}: {data(profile, name)}")
    check(profile.data("fraction", "d") == 1.25 and profile.data("an hour back", "d") == -3600000, "durations")


def check_numbers(profile):
    check(data(profile, "minus one") == {"u8": 255, "u32": 2**32 - 1, "i8": -1, "u64": 2**64 - 1}, f"{data(profile, 'minus one')}")
    check(data(profile, "too large") == {"u8": 300, "u32": 2**40, "i8": 300, "u64": 2**64 - 1}, f"{data(profile, 'too large')}")
    check(data(profile, "beyond signed") == {"i32": 2**63 - 1, "i64": 2**63 - 1}, f"{data(profile, 'beyond signed')}")
    check(data(profile, "volatile") == {"i32": 7, "i64": 200}, f"{data(profile, 'volatile')}")
    check(profile.data("up to a sentinel", "list") == ["short", "an"], f"{profile.data('up to a sentinel', 'list')}")
    check(profile.data("unsigned cells", "table") == [[2**64 - 1, 2**64 - 1], [1, 2]], f"{profile.data('unsigned cells', 'table')}")
    spans = data(profile, "spans")
    check(spans == {"text": "a span", "wide": "", "n": 1, "maybe": "a span", "list": ["a span", "b"], "flow": "1"}, f"{spans}")
    check(data(profile, "span") == {"name": "a span"}, f"{data(profile, 'span')}")
    check(data(profile, "arrays") == {"list": ["an", "array"], "table": [[1, True]], "maybe": "maybe"}, f"{data(profile, 'arrays')}")


def check_null_times(profile):
    check(data(profile, "null time") == {"t": None}, f"{data(profile, 'null time')}")
    now = profile.one("evaluated")["start"]
    for name, phase in (("at null", 0), ("until null", 1), ("from null", 1), ("start null", 2), ("end null", 3), ("no time", 0), ("no time of fields", 0), ("no time of a text", 0),
                        ("no times", 1), ("no end", 3), ("scope without a time", 1), ("thread -7", 0)):
        marker = profile.one(name)
        check(marker["phase"] == phase, f"{name}: {marker}")
        for part in ("start", "end"):
            check(marker[part] is None or 0 <= now - marker[part] < 5000, f"{name}: {marker}")
    check(profile.named("no such phase") == profile.named("no such type") == [] and profile.losses.get("bad-marker") == 5, f"{profile.losses}")
    check(profile.named("thrown") == profile.named("thrown scope") == [], "a marker whose type threw")
    check(all(tid > 0 for _, tid in profile.threads), f"{profile.threads.keys()}")


def check_scopes(profile):
    text = "as it was, and long enough for the heap"
    kept = data(profile, "scope keeps")
    check(kept == {"text": text, "wide": "w\u00e4rme", "n": 1, "maybe": "there", "list": ["a", "b"], "flow": "7"}, f"{kept}")
    check(data(profile, "scope keeps written") == {"text": text, "n": 1}, f"{data(profile, 'scope keeps written')}")
    check(data(profile, "bound") == {"text": "bound", "n": 7} and profile.one("beside")["data"]["type"] == "StackMarker", "bound")
    for name in ("from an instant", "from a start", "from here"):
        marker = profile.one(name)
        check(marker["phase"] == 1 and marker["end"] - marker["start"] >= 2, f"{name}: {marker}")
    check(data(profile, "scope cuts") == {"name": "x" * 1023} and profile.losses.get("text-cut") == 2, f"{profile.losses}")
    check(len(profile.named("k" * 400)) == 1, "a scope's own name is cut")
    check(profile.named("not wanted") == [] and profile.data("evaluated", "sampleStartTimeUs") == 1, "what is not recorded is not evaluated")


def check_writers(profile):
    both = data(profile, "both", "at")
    rest = {"took": 1.5, "flow": "b", "list": ["x"], "table": [["a", 1], ["b", None]], "large": 2**64 - 1,
            "wide": "\u20ac" * 1000, "longest": (2**63 - 1) / 1e6, "narrow": 300, "signed": 2**63 - 1, "unsigned": 255, "extra": True}
    check(both == {"n": 42, **rest}, f"{both}")
    marker = profile.one("both")
    check(abs(marker["data"].get("at", 0) + marker["zero"] - marker["start"]) < 5000, f"{marker}")
    check(data(profile, "both in a scope") == {"n": 8, "at": None, **rest}, f"{data(profile, 'both in a scope')}")
    check([field["key"] for field in profile.schemas["Both"]["data"]] == ["n", "at", "took", "flow", "list", "table", "none", "large", "wide",
                                                                          "longest", "narrow", "signed", "unsigned"],
          f"{profile.schemas['Both']}")
    own = data(profile, "own flow")
    check(sorted(own.values(), key=str) == [1, "2"] and profile.losses.get("marker-field", 0) >= 1, f"{own}, {profile.losses}")
    check(data(profile, "misplaced") == {"element": "an element", "list": [1], "last": "is there"}, f"{data(profile, 'misplaced')}")
    check(data(profile, "traced") == data(profile, "by base") == {"category": "kind"} and profile.one("traced")["phase"] == 1, "tracing")
    check(profile.one("without")["data"] is None, "without a payload")


def check_types_of_one_name(profile):
    check(data(profile, "twice, number") == {"x": 1, "y": 2}, f"{data(profile, 'twice, number')}")
    check(data(profile, "twice, list") == {"x": '["a","\\"b"]', "y": '[["c",3]]'}, f"{data(profile, 'twice, list')}")


def check_requests(profile):
    halves, wide = {}, []
    for marker in profile.markers:
        if (marker["data"] or {}).get("type") != "Network":
            continue
        if "\u20ac" in marker["data"]["URI"]:
            wide.append(marker["name"])
        else:
            halves.setdefault(marker["data"]["URI"][20:], []).append((marker["data"]["status"], marker["data"]["startTime"] > 0))
    check(halves == {"cancelled": [("STATUS_START", True), ("STATUS_CANCEL", True)],
                     "twice": [("STATUS_START", True), ("STATUS_STOP", True)]}, f"{halves}")
    check(len(wide) == 6 and all(len(name.encode()) in (254, 255, 256) and "\ufffd" not in name for name in wide),
          f"names of requests are cut between characters: {wide}")


def main():
    geckoprof, programs = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as folder:
        _, recorded, own = run(geckoprof, [os.path.join(programs, "edge_program")], folder, "8MiB")
        check(own is not None, "the process wrote no profile of its own")
        if own is not None:
            compare(recorded, own)
        for profile in filter(None, (recorded, own)):
            for part in (check_null_texts, check_durations, check_numbers, check_null_times, check_scopes, check_writers, check_requests,
                         check_types_of_one_name):
                part(profile)
        for name in ("recorded.json", "own.json"):
            said = subprocess.run([geckoprof, "check", os.path.join(folder, name)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, check=False)
            check(said.returncode == 0, said.stdout)
    for fault in faults[:30]:
        print(fault[:2000])
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
