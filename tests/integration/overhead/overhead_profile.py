#!/usr/bin/env python3
"""overhead_profile.py CASE GECKOPROF PROGRAM BASE: what a profile says of the profiler's own time, and of a limit for it.

overhead_program runs under the profiler. Exit status 1, and a line for each fault."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

CASE, GECKOPROF, PROGRAM, BASE = sys.argv[1:]
PHASES = ("locking", "expiredMarkerCleaning", "counters", "threads")
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def near(found, wanted, share, least):
    return abs(found - wanted) <= max(share * wanted, least)


def run(*command, **more):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def report(*options):
    return json.loads(run(GECKOPROF, "report", "--json", *options))


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path) as file:
        return json.load(file)


def times_of(output):
    """The CPU times in ms that the program has printed: its own, and the sampler's."""
    return [float(number) for number in re.match(r"cpu_ms (\S+) sampler_ms (\S+)", output).groups()]


def record(path, arguments, *options):
    return times_of(run(GECKOPROF, "record", *options, "-o", path, "--", PROGRAM, *arguments))


def columns_of(profile):
    """The columns of the looks of the first process, and the rest of its object."""
    if isinstance(profile["profilerOverhead"], dict):
        overhead = profile["profilerOverhead"]
        schema = overhead["samples"]["schema"]
        return {name: [row[place] for row in overhead["samples"]["data"]] for name, place in schema.items()}, overhead
    [overhead] = profile["profilerOverhead"]
    check(profile["threads"][overhead["mainThreadIndex"]]["isMainThread"], "the table is not of a main thread")
    return overhead["samples"], overhead


def check_looks(path):
    """The table agrees with the kernel's count, with itself, and with the report."""
    cpu_ms, sampler_ms = record(path, ["20", "1.5", "0"], "--format", CASE)
    columns, overhead = columns_of(load(path))
    statistics = overhead["statistics"]
    looks = len(columns["time"])
    check(looks >= 50 and statistics["samplingCount"] == looks, f"there are {looks} looks, the statistics have {statistics}")
    check(columns["time"] == sorted(columns["time"]), "the looks are not in order of time")
    # The viewer divides times of the Gecko format by 1000.
    seconds = (columns["time"][-1] - columns["time"][0]) / (1e6 if CASE == "gecko" else 1e3)
    check(1.0 < seconds < 60, f"the looks take {seconds} s")
    # The program's last statement is some ms before the end of its recording.
    check(near(overhead["samplerCPUTime"], sampler_ms, 0.1, 1), f"the sampler took {overhead['samplerCPUTime']} ms, and {sampler_ms} ms by schedstat")
    check(near(sum(columns["samplerCPU"]) / 1e3, sampler_ms, 0.1, 2), f"its looks have {sum(columns['samplerCPU']) / 1e3} ms")
    phases = sum(sum(columns[name]) for name in PHASES)
    check(near(statistics["overheadDurations"], phases, 0.001, 1), f"the phases have {phases} us, the statistics {statistics}")
    check(near(statistics["overheadPercentage"] * seconds * 1e6, phases, 0.01, 100), f"the share is {statistics['overheadPercentage']}")
    check(sum(columns["threads"]) > sum(columns["counters"]), "counters cost more than samples")
    check(overhead["handlerTime"] > 0, "no time in handlers")
    [row] = report("--by", "overhead", path)["rows"]
    check(near(row["samplerMs"], overhead["samplerCPUTime"], 0.001, 0.01), f"the report has {row}")
    check(near(row["share"], (row["samplerMs"] + row["handlerMs"]) / overhead["recordingTime"], 0.01, 0), f"the report has {row}")
    check(row["lateMeanMs"] <= row["lateMaxMs"] and row["lateP99Ms"] <= row["lateMaxMs"], f"the report has {row}")
    check(near(row["lateMaxMs"], max(columns["lateness"]) / 1e3, 0.001, 0.001), f"the report has {row}")
    text = run(GECKOPROF, "report", path)
    check(re.search(r"^Overhead +[0-9.]+ % of a core: sampler .*; looks late by .* at most$", text, re.M), f"the report is\n{text}")
    check("The interval was" not in text, "a limit is told of that nobody asked for")
    check_profile(path)
    check_copies(path, row)


def check_copies(path, row):
    """What is made of the profile has the same sums, and two of it merged have twice as much."""
    copy = f"{path}.copy.json"
    for command in (["symbolicate", "-q", "--no-symbol-cache"], ["convert", "--to", "processed"], ["merge", "-q"]):
        run(GECKOPROF, *command, "-o", copy, path)
        [copied] = report("--by", "overhead", copy)["rows"]
        check(copied == row, f"{command[0]} makes {copied} of {row}")
        check_profile(copy)
    twice = f"{path}.twice.json"
    run(GECKOPROF, "merge", "-q", "-o", twice, path, copy)
    both = report("--by", "overhead", twice)["rows"]
    check([part["looks"] for part in both] == [2 * row["looks"], row["looks"], row["looks"]], f"the merged profile has {both}")
    check_profile(twice)


def check_profile(path):
    checked = subprocess.run([GECKOPROF, "check", path], stdout=subprocess.PIPE, text=True)
    check(checked.returncode == 0, f"check says\n{checked.stdout}")


def interval_markers(profile):
    return [data for thread in profile["threads"] for data in thread["markers"]["data"]
            if isinstance(data, dict) and data.get("type") == "geckoprofInterval"]


def check_limited(path, cpu_ms):
    """The interval became longer and shorter again, and all sums are right."""
    profile = load(path)
    check(near(profile["meta"]["interval"], 0.05, 0, 1e-9), f"the interval is {profile['meta']['interval']}")
    markers = interval_markers(profile)
    steps = [(marker["before"], marker["interval"]) for marker in markers]
    check(steps and steps[0][0] == 0.05, f"the intervals are {steps}")
    check(all(before == after for (_, before), (after, _) in zip(steps, steps[1:])), f"the intervals are {steps}")
    check(all(marker["limit"] == "1 %" for marker in markers), f"the markers are {markers}")
    check(any(after < before for before, after in steps), f"the interval did not become shorter again: {steps}")
    summary = report(path)
    found_ms = sum(thread["cpuNs"] or 0 for thread in summary["threads"]) / 1e6
    check(near(found_ms, cpu_ms, 0.05, 20), f"the report has {found_ms} ms of CPU time, the program used {cpu_ms} ms")
    # A sample at a longer interval weighs more. A busy machine loses ticks of the short interval.
    check(near(summary["samples"] * 0.05, cpu_ms, 0.35, 50), f"the samples have {summary['samples'] * 0.05} ms, the program used {cpu_ms} ms")
    notes = [line for line in run(GECKOPROF, "report", path).splitlines() if "The interval was up to" in line]
    check(len(notes) >= 1 and "the limit of 1 %" in notes[0], f"the report says {notes}")
    check_profile(path)


def check_limit(path):
    cpu_ms, _ = record(path, ["8", "4", "8"], "--interval", "0.05", "--max-overhead", "1%")
    check_limited(path, cpu_ms)


def check_environment(path):
    settings = {"LD_PRELOAD": BASE, "GECKOPROF_STARTUP": "1", "GECKOPROF_STARTUP_INTERVAL": "0.05",
                "GECKOPROF_STARTUP_MAX_OVERHEAD": "1%", "GECKOPROF_SHUTDOWN": path, "GECKOPROF_COMMAND": GECKOPROF}
    cpu_ms, _ = times_of(run(PROGRAM, "8", "4", "8", env={**os.environ, **settings}))
    check_limited(path, cpu_ms)


def check_wrong_use(path):
    for text in ("0", "0%", "200%", "2", "much", "%", "-1%", "0.05%", "2%%"):
        told = subprocess.run([GECKOPROF, "record", f"--max-overhead={text}", "-o", path, "--", PROGRAM, "0", "0", "0"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(told.returncode == 2 and told.stdout == "" and len(told.stderr.splitlines()) == 1 and
              f"--max-overhead: {text} is not a percentage from 0.1% to 100%" in told.stderr, f"{text}: {told}")
    # A bad value never stops a program.
    settings = {"LD_PRELOAD": BASE, "GECKOPROF_STARTUP": "1", "GECKOPROF_STARTUP_MAX_OVERHEAD": "2", "GECKOPROF_SHUTDOWN": path,
                "GECKOPROF_COMMAND": GECKOPROF}
    run(PROGRAM, "0", "0", "0.1", env={**os.environ, **settings})
    check('GECKOPROF_STARTUP_MAX_OVERHEAD "2" is not a number' in json.dumps(load(path)).replace('\\"', '"'), "the profile does not tell of a bad value")


with tempfile.TemporaryDirectory() as folder:
    cases = {"processed": check_looks, "gecko": check_looks, "limit": check_limit, "environment": check_environment, "wrong_use": check_wrong_use}
    cases[CASE](os.path.join(folder, "overhead.json" if CASE == "gecko" else "overhead.json.gz"))
print("\n".join(faults))
sys.exit(1 if faults else 0)
