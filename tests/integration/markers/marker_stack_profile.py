#!/usr/bin/env python3
"""marker_stack_profile.py CASE GECKOPROF PROGRAMS: the stacks of marker_stack_program's markers.

Each case is recorded twice: once as raw profile beside the one that the process writes itself, whose stacks must be the same, address
by address; and once processed, whose functions must be the program's. Exit status 1, and a line for each fault.
"""

import json
import os
import subprocess
import sys
import tempfile

from marker_profile import RECORDERS_TYPES, check, faults, losses_of

CHAIN = ["chain_outer", "chain_middle", "middle label of the moment", "chain_leaf"]


def run(geckoprof, options, command):
    result = subprocess.run([geckoprof, "record", "-q", *options, "--", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            text=True, timeout=100, check=False)
    check(result.returncode == 0 and result.stdout == "", f"status {result.returncode}: {result.stdout} {result.stderr}")
    check("unreadable" not in result.stderr and "damaged" not in result.stderr, result.stderr)


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def raw_stacks(profile):
    """By process and thread, in order: (name, frames as they stand, outermost first, or None) of each marker."""
    found = {}
    todo = [profile]
    while todo:
        process = todo.pop()
        todo.extend(process.get("processes", []))
        for thread in process["threads"]:
            strings = thread["stringTable"]
            stacks, frames = thread["stackTable"]["data"], thread["frameTable"]["data"]
            rows = found.setdefault((thread["pid"], thread["tid"]), [])
            for row in thread["markers"]["data"]:
                data = row[5] if len(row) > 5 else None
                path = None
                if data and data.get("type") in RECORDERS_TYPES:
                    continue
                if data and "stack" in data:
                    at, path = data["stack"]["samples"]["data"][0][0], []
                    while at is not None:
                        path.insert(0, strings[frames[stacks[at][1]][0]])
                        at = stacks[at][0]
                rows.append((strings[row[0]], path))
    return {key: rows for key, rows in found.items() if rows}


def categories_of(label, profile):
    """Of the frames with this text, in all threads."""
    found, todo = set(), [profile]
    while todo:
        process = todo.pop()
        todo.extend(process.get("processes", []))
        names = [category["name"] for category in process["meta"]["categories"]]
        for thread in process["threads"]:
            frames = [row for row in thread["frameTable"]["data"] if thread["stringTable"][row[0]] == label]
            found |= {names[row[6]] if len(row) > 6 else None for row in frames}
    return found


def processed_stacks(profile):
    """(name, functions outermost first or None) of each marker."""
    shared = profile["shared"]
    strings, stacks, frames, functions = (shared[key] for key in ("stringArray", "stackTable", "frameTable", "funcTable"))
    found = []
    for thread in profile["threads"]:
        for name, data in zip(thread["markers"]["name"], thread["markers"]["data"]):
            path = None
            if data and "cause" in data:
                at, path = data["cause"]["stack"], []
                while at is not None:
                    path.insert(0, strings[functions["name"][frames["func"][stacks["frame"][at]]]])
                    at = stacks["prefix"][at]
            found.append((strings[name], path))
    return found


def without_symbols(profile):
    """As a profile is where no symbols were found: stacks end at addresses, what was inlined there is not known."""
    stacks, frames, functions = (profile["shared"][key] for key in ("stackTable", "frameTable", "funcTable"))
    strings = profile["shared"]["stringArray"]

    def outer(stack):
        while stack is not None and frames["inlineDepth"][stacks["frame"][stack]] > 0:
            stack = stacks["prefix"][stack]
        return stack

    for thread in profile["threads"]:
        thread["samples"]["stack"] = [outer(stack) for stack in thread["samples"]["stack"]]
        for data in thread["markers"]["data"]:
            if data and "cause" in data:
                data["cause"]["stack"] = outer(data["cause"]["stack"])
    for frame, address in enumerate(frames["address"]):
        if address >= 0:
            functions["name"][frames["func"][frame]] = len(strings)
            strings.append(hex(address))
    profile["meta"]["symbolicated"] = False
    return profile


def check_symbolicated(geckoprof, path):
    """`geckoprof symbolicate` leaves the macros' own functions out as the recorder does."""
    out = path + ".symbolicated"
    result = subprocess.run([geckoprof, "symbolicate", "--no-symbol-cache", "-o", out, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    check(result.returncode == 0, result.stdout)
    check_chain(processed_stacks(load(out)))


def of(markers, name, count):
    found = [path for other, path in markers if other == name]
    check(len(found) == count, f"{len(found)} markers {name!r}, not {count}")
    return found


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(any(item == wanted for item in rest) for wanted in part)


def check_whole(name, path, wanted):
    check(path is not None and is_subsequence(wanted, path) and path[-1] == wanted[-1], f"{name}: {path}")
    check(path is not None and not any("incomplete" in frame or "geckoprof" in frame for frame in path), f"{name}: {path}")


def check_chain(markers):
    for path in of(markers, "chain", 5):
        check_whole("chain", path, ["main", *CHAIN])
    for path in of(markers, "labels only", 1):
        check(path == ["(root)", "outer label"], f"labels only: {path}")
    for name in ("no stack", "maybe", "taken from nobody"):
        check(of(markers, name, 1) == [None], f"{name} has a stack")
    for name in ("by itself", "of a function", "automatic"):
        for path in of(markers, name, 1):
            check_whole(name, path, ["main"] if path and path[-1] == "main" else ["main", path[-1] if path else ""])
    for name in ("stored", "taken", "taken for later", "taken from a temporary"):
        check(of(markers, name, 1) == [["(root)", "chain_outer", "a stored label", "chain_middle"]], f"{name}: {of(markers, name, 1)}")


def check_labels_only(markers):
    for path in of(markers, "chain", 5):
        check(path == ["(root)", "middle label of the moment"], f"chain: {path}")
    check(of(markers, "labels only", 1) == [["(root)", "outer label"]], f"labels only: {of(markers, 'labels only', 1)}")
    check(of(markers, "by itself", 1) == [None], f"by itself: {of(markers, 'by itself', 1)}")


def is_cut(path):
    """The sampler got no processor in time: for many at once, or in the 10 ms that dlclose waits."""
    return path is not None and any("too many markers" in frame or "unloaded at once" in frame for frame in path)


def check_burst(markers, profile):
    paths = of(markers, "burst", 61)
    check(all(path and len(path) > 1 for path in paths), "a marker of the burst without a stack")
    cut = [path for path in paths if is_cut(path)]
    lost = losses_of(profile).get("marker-stack", 0)
    check(len(cut) == lost, f"{len(cut)} stacks are cut, {lost} counted")


def main():
    case, geckoprof, programs = sys.argv[1:4]
    names = {"nomarkerstacks": "stackwalk,cpu,nomarkerstacks", "nostackwalk": "cpu"}.get(case)
    command = [os.path.join(programs, "marker_stack_program"), "chain" if names else case, os.path.join(programs, "libmarker_plugin.so")]
    features = ["--features", names] if names else []
    with tempfile.TemporaryDirectory() as folder:
        recorded, own, processed = (os.path.join(folder, name) for name in ("recorded.json", "own.json", "processed.json"))
        run(geckoprof, [*features, "--format", "gecko", "-o", recorded], ["env", "GECKOPROF_SHUTDOWN=" + own, *command])
        run(geckoprof, [*features, "-o", processed], command)
        theirs, ours = raw_stacks(load(recorded)), raw_stacks(load(own))
        for key, rows in ours.items():
            check(theirs.get(key) == rows, f"thread {key}: {theirs.get(key)} recorded, {rows} of the process itself")
        check(ours, "the process itself has written no markers")
        for path in (recorded, own):
            categories = categories_of("middle label of the moment", load(path))
            check(categories == {"Graphics"} or (not categories and case in ("nomarkerstacks", "burst")), f"{path}: {categories}")
        markers = processed_stacks(load(processed))
        for path in (recorded, own, processed):
            result = subprocess.run([geckoprof, "check", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            check(result.returncode == 0, result.stdout[:1000])
        if case == "chain":
            check_chain(markers)
            bare = os.path.join(folder, "bare.json")
            with open(bare, "w", encoding="utf-8") as file:
                json.dump(without_symbols(load(processed)), file)
            check(not any(path and "chain_outer" in path for name, path in processed_stacks(load(bare)) if name == "chain"), "bare has symbols")
            for path in (recorded, bare):
                check_symbolicated(geckoprof, path)
        elif case == "nomarkerstacks":
            check(len(of(markers, "chain", 5)) == 5 and all(path is None for name, path in markers if name != "stored" and "taken" not in name),
                  "a stack was captured all the same")
            check(of(markers, "stored", 1)[0] is not None, "what was captured before is not left out")
        elif case == "nostackwalk":
            for rows in (markers, [row for rows in ours.values() for row in rows]):
                check_labels_only(rows)
        elif case == "threads":
            whole = [path for path in of(markers, "on a thread", 200) if not is_cut(path)]
            check(len(whole) > 100, f"{len(whole)} whole stacks of 200")
            for path in whole:
                check_whole("on a thread", path, CHAIN)
        elif case == "handler":
            for path in of(markers, "in a handler", 2):
                check_whole("in a handler", path, ["main", *CHAIN])
        elif case == "coroutine":
            for path in of(markers, "on a coroutine", 4):
                check(path and is_subsequence(["label of the thread", *CHAIN], path) and path[-1] == CHAIN[-1], f"on a coroutine: {path}")
        elif case == "plugin":
            whole = [path for path in of(markers, "from the plugin", 24) if not is_cut(path)]
            check(len(whole) >= 12, f"{len(whole)} whole stacks of 24")
            for path in whole:
                check_whole("from the plugin", path, ["main", "CallFromPlugin", *CHAIN])
            at_end = [path for path in of(markers, "at the plugin's end", 12) if not is_cut(path)]
            check(len(at_end) >= 10, f"{len(at_end)} whole stacks of 12 at the plugin's end")
            for path in at_end:
                check_whole("at the plugin's end", path, ["main", "AtEnd()", *CHAIN])
        elif case == "fork":
            for name, count in (("before the fork", 1), ("in the child", 3), ("after the fork", 1)):
                for path in of(markers, name, count):
                    check_whole(name, path, ["main", *CHAIN])
        else:
            check_burst([row for rows in theirs.values() for row in rows], load(recorded))
    for fault in faults[:20]:
        print(fault)
    sys.exit(1 if faults else 0)


main()
