#!/usr/bin/env python3
"""startup_profile.py FORMAT PROFILE EXAMPLE: whether a profile of docs/examples/startup says what that program does.

FORMAT is `processed` or `gecko`. The raw format holds addresses only; they are looked up in nm's list here, by no code of ours.
Exit status 1, and a line for each thing that is not as it must be.
"""

import bisect
import collections
import gzip
import json
import os
import subprocess
import sys

# A sample: names of its functions, outermost first; names of their categories or None, as for native code in the raw format;
# time in ms; CPU time in ns or None.
Sample = collections.namedtuple("Sample", "functions categories time_ms cpu_ns")
Thread = collections.namedtuple("Thread", "name is_main samples markers")

REGISTRY = "libslow_registry.so"
MS_NS = 1_000_000
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


class SymbolTable:
    """Functions of one ELF file as nm lists them, by address."""

    def __init__(self, path):
        listed = subprocess.run(["nm", "-C", "-S", "--defined-only", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        rows = [line.split(" ", 3) for line in listed.splitlines()]
        self.rows = sorted((int(row[0], 16), int(row[1], 16), row[3]) for row in rows if len(row) == 4 and row[2] in "tTwW")
        self.starts = [row[0] for row in self.rows]

    def function_at(self, svma):
        index = bisect.bisect_right(self.starts, svma) - 1
        if index < 0 or svma >= self.rows[index][0] + self.rows[index][1]:
            return ""
        return self.rows[index][2]


def stack_rows(prefixes, frames, stack):
    """Rows of the frame table, outermost first."""
    rows = []
    while stack is not None:
        rows.append(frames[stack])
        stack = prefixes[stack]
    return rows[::-1]


def category_name(categories, index):
    return None if index is None else categories[index]


def processed_threads(profile):
    shared, names = profile["shared"], profile["shared"]["stringArray"]
    categories = [category["name"] for category in profile["meta"]["categories"]]
    frames, functions, stacks = shared["frameTable"], shared["funcTable"], shared["stackTable"]
    for thread in profile["threads"]:
        samples, markers = thread["samples"], thread["markers"]
        rows = []
        for stack, time_ms, cpu_ns in zip(samples["stack"], samples["time"], samples["threadCPUDelta"]):
            walked = stack_rows(stacks["prefix"], stacks["frame"], stack)
            rows.append(Sample([names[functions["name"][frames["func"][frame]]] for frame in walked],
                               [category_name(categories, frames["category"][frame]) for frame in walked], time_ms, cpu_ns))
        yield Thread(thread["name"], thread["isMainThread"], rows,
                     [(names[name], start, end) for name, start, end in zip(markers["name"], markers["startTime"], markers["endTime"])])


def gecko_function(location, is_innermost, libraries, tables):
    if not location.startswith("0x"):
        return location
    address = int(location, 16) - (0 if is_innermost else 1)
    for library in libraries:
        if library["start"] <= address < library["end"] and library["path"] in tables:
            return tables[library["path"]].function_at(address - library["start"] + library["offset"])
    return ""


def gecko_threads(profile, example):
    folder = os.path.dirname(os.path.realpath(example))
    tables = {path: SymbolTable(path) for path in (os.path.realpath(example), os.path.join(folder, REGISTRY))}
    categories = [category["name"] for category in profile["meta"]["categories"]]
    for thread in profile["threads"]:
        strings, frames = thread["stringTable"], thread["frameTable"]["data"]
        prefixes, stack_frames = zip(*thread["stackTable"]["data"])
        rows = []
        for row in thread["samples"]["data"]:
            stack, time_ms, _, _, cpu_ns = (row + [None] * 5)[:5]
            walked = [frames[index] for index in stack_rows(prefixes, stack_frames, stack)]
            rows.append(Sample([gecko_function(strings[frame[0]], frame is walked[-1], profile["libs"], tables) for frame in walked],
                               [category_name(categories, (frame + [None] * 7)[6]) for frame in walked], time_ms, cpu_ns))
        yield Thread(thread["name"], thread["name"] == "GeckoMain", rows, [])


def times_of(thread, function):
    return [sample.time_ms for sample in thread.samples if any(function in name for name in sample.functions)]


def check_work(main, helper):
    """The three things that the program does, in their order, each on its thread."""
    registry, parsing, drawing = (times_of(main, name) for name in ("HashWord(", "ParseSettings(", "DrawRows("))
    for name, times in (("HashWord", registry), ("ParseSettings", parsing), ("DrawRows", drawing), ("main", times_of(main, "main"))):
        check(times, f"{name} is in no stack of the main thread")
    if registry and parsing and drawing:
        check(max(registry) < min(parsing) and max(parsing) < min(drawing), "constructor, settings and picture are not in their order")
    check(any("main" in sample.functions and any("SetValue(" in name for name in sample.functions) for sample in main.samples),
          "SetValue is never below main")
    check(not any("main" in sample.functions and any("HashWord(" in name for name in sample.functions) for sample in main.samples),
          "the library's constructor is below main")
    check(times_of(helper, "DrawRows("), "DrawRows is in no stack of the helper thread")
    check(not times_of(helper, "ParseSettings("), "ParseSettings is in a stack of the helper thread")


def check_cpu(thread):
    used_ns = sum(sample.cpu_ns or 0 for sample in thread.samples)
    check(sum(1 for sample in thread.samples if sample.cpu_ns) >= 5, f"{thread.name}: less than five samples with CPU time")
    span_ns = (thread.samples[-1].time_ms - thread.samples[0].time_ms) * MS_NS
    check(0.01 * span_ns < used_ns < 1.05 * span_ns, f"{thread.name}: {used_ns} ns of CPU time in {span_ns:.0f} ns")


def check_processed(profile, main):
    """What only the processed format can say."""
    visible = profile["meta"].get("initialVisibleThreads", [])
    check(visible, "no thread is visible at first")
    check(any(profile["threads"][index]["isMainThread"] for index in visible), "the main thread is not visible at first")
    check(all(any(sample.categories) for sample in main.samples if sample.functions), "a stack whose frames have no category")
    of_function = {name: category for sample in main.samples for name, category in zip(sample.functions, sample.categories)}
    for function, category in (("SetValue(", "Program"), ("HashWord(", "Library")):
        found = {of_function[name] for name in of_function if function in name}
        check(found == {category}, f"{function[:-1]} has the categories {found}, not {category}")
    linking = [marker for marker in main.markers if marker[0] == "exec to constructor (dynamic linker)"]
    check(len(linking) == 1, f"{len(linking)} markers of the time from exec to our constructor")
    for _, start_ms, end_ms in linking:
        check(0 <= start_ms < end_ms <= main.samples[0].time_ms, f"exec marker from {start_ms} to {end_ms} ms")


def main():
    format_name, path, example = sys.argv[1:]
    with open(path, "rb") as file:
        content = file.read()
    profile = json.loads(gzip.decompress(content) if content[:2] == b"\x1f\x8b" else content)
    threads = list(processed_threads(profile) if format_name == "processed" else gecko_threads(profile, example))
    mains = [thread for thread in threads if thread.is_main]
    helpers = [thread for thread in threads if not thread.is_main and thread.name == "startup_example"]
    libraries = [library["name"] for library in profile["libs"]]
    check("startup_example" in libraries and REGISTRY in libraries, f"libraries {libraries}")
    check(len(mains) == 1 and len(helpers) == 1, f"threads {[thread.name for thread in threads]}")
    if len(mains) == 1 and len(helpers) == 1:
        check_work(mains[0], helpers[0])
        check_cpu(mains[0])
        check_cpu(helpers[0])
        check(any(category["color"] == "grey" for category in profile["meta"]["categories"]), "no grey category")
        if format_name == "processed":
            check_processed(profile, mains[0])
    for fault in dict.fromkeys(faults):
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
