#!/usr/bin/env python3
"""gaps_profile.py FORMAT CLOCK GECKOPROF PROGRAM: what a profile says of a time in which the sampler was stopped.

gaps_program runs once under `geckoprof record`. Exit status 1, and a line for each fault. Status 77: the sampler cannot be stopped here."""

import gzip
import json
import os
import subprocess
import sys
import tempfile

FORMAT, CLOCK, GECKOPROF, PROGRAM = sys.argv[1:]
UNSEEN_MS = 600
# The kernel's clocks interrupt the thread without the sampler, until all buffers are used.
BUFFERED_MS = 0 if CLOCK == "request" else 400
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def report(*options):
    return json.loads(subprocess.run([GECKOPROF, "report", "--json", *options], check=True, stdout=subprocess.PIPE).stdout)


def gap_markers(path, tid):
    """CPU times in ms of the markers of gaps of one thread, and their durations."""
    with (gzip.open if path.endswith(".gz") else open)(path) as file:
        profile = json.load(file)
    is_type = lambda data: isinstance(data, dict) and data.get("type") == "geckoprofGap"
    schemas = [schema["name"] for schema in profile["meta"]["markerSchema"]]
    check("geckoprofGap" in schemas, f"the marker's type is not among {schemas}")
    [thread] = [thread for thread in profile["threads"] if thread["tid"] == tid]
    markers = thread["markers"]
    if FORMAT == "gecko":
        rows = [(row[5]["cpuTime"], row[2] - row[1], thread["stringTable"][row[0]]) for row in markers["data"] if is_type(row[5])]
    else:
        rows = [(data["cpuTime"], markers["endTime"][i] - markers["startTime"][i], profile["shared"]["stringArray"][markers["name"][i]])
                for i, data in enumerate(markers["data"]) if is_type(data)]
    check(all(name == "gap" for _, _, name in rows), f"the markers are {rows}")
    return [(cpu, duration) for cpu, duration, _ in rows]


def check_profile(path):
    summary = report(path)
    main = max((thread for thread in summary["threads"] if thread["isMainThread"]), key=lambda thread: thread["cpuNs"] or 0)
    gaps = main["gaps"]
    longest = gaps["longestNs"] / 1e6
    # On a busy machine the sampler gets a processor some time after it may go on.
    check(UNSEEN_MS - BUFFERED_MS - 20 <= longest <= UNSEEN_MS + 150, f"the longest gap has {longest} ms of {UNSEEN_MS}")
    check(gaps["count"] >= 1 and gaps["cpuNs"] >= gaps["longestNs"], f"the thread's gaps are {gaps}")
    check(summary["gaps"]["longestNs"] >= gaps["longestNs"], f"all gaps are {summary['gaps']}")
    cpu = main["cpuNs"] / 1e6
    check(abs(cpu - UNSEEN_MS - 400) < 50, f"the thread used {cpu} ms of CPU time, not {UNSEEN_MS + 400}")
    markers = gap_markers(path, main["tid"])
    check(len(markers) == gaps["count"], f"there are {len(markers)} markers of {gaps}")
    check(abs(sum(cpu for cpu, _ in markers) - gaps["cpuNs"] / 1e6) < 0.001, f"the markers are {markers}, the gaps {gaps}")
    check(all(duration > 0 for _, duration in markers), f"the markers are {markers}")
    # The time is not charged to a function.
    rows = report("--by", "function", "--thread", main["name"], "--process", main["pid"], path)["rows"]
    charged = sum(row["selfCpuMs"] for row in rows)
    check(abs(charged + gaps["cpuNs"] / 1e6 - cpu) < 20, f"functions have {charged} ms of {cpu} ms, the gaps {gaps}")
    text = subprocess.run([GECKOPROF, "report", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    check(" without samples, in " in text and "A less busy machine or a longer --interval helps." in text, f"the report is\n{text}")
    # A format of another profiler has all CPU time, too.
    other = os.path.join(os.path.dirname(path), "speedscope.json")
    subprocess.run([GECKOPROF, "convert", "--to", "speedscope", "-o", other, path], check=True, stderr=subprocess.DEVNULL)
    with open(other) as file:
        speedscope = json.load(file)
    gap_frames = {i for i, frame in enumerate(speedscope["shared"]["frames"]) if frame["name"] == "(gap: ran without samples)"}
    shown = sum(weight for profile in speedscope["profiles"] for stack, weight in zip(profile["samples"], profile["weights"])
                if gap_frames.intersection(stack))
    check(abs(shown - summary["gaps"]["cpuNs"] / 1e6) < 1, f"speedscope's gaps have {shown} ms, all gaps are {summary['gaps']}")
    checked = subprocess.run([GECKOPROF, "check", path], stdout=subprocess.PIPE, text=True)
    check(checked.returncode == 0, f"check says\n{checked.stdout}")


with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "gaps.json.gz")
    recorded = subprocess.run([GECKOPROF, "record", "--clock", CLOCK, "--format", FORMAT, "-o", path, "--", PROGRAM],
                              stderr=subprocess.PIPE, text=True)
    if recorded.returncode == 77:
        print("skipped: the sampler's thread cannot be traced")
        sys.exit(77)
    check(recorded.returncode == 0, f"geckoprof record returned {recorded.returncode}:\n{recorded.stderr}")
    notes = [line for line in recorded.stderr.splitlines() if "note: running threads had no samples for " in line]
    check(len(notes) == 1, f"geckoprof record says\n{recorded.stderr}")
    if not faults:
        check_profile(path)
print("\n".join(faults))
sys.exit(1 if faults else 0)
