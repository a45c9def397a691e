#!/usr/bin/env python3
"""handover_kept_cases.py CASE BUILD_FOLDER [GECKOPROF]: what is kept across a takeover and a hand-back, in every profile of the one
recording: saved by the full library, written by base at the end of the process, and gathered by the recorder."""

from handover_run import CASE, SAVED, Late, Profile, expect, has_lines, recorded_program, run_case

TIMES = ("before", "taken over", "meanwhile", "after")
# A counter's thread adds 1, then sleeps for so long; the sampler may be held up between the tick's time and its reading.
STEP_MS, MOST_AT_ONCE = 0.2, 150


def run_kept():
    output, profiles = recorded_program(CASE, "handover_kept_program")
    has_lines(output, "save: done")
    return output, profiles


def check_counter(path, name, total, has_number, counters):
    found = [counter for counter in counters if counter["name"] == name]
    expect(len(found) == 1, f"{path}: {len(found)} counters {name}")
    schema, rows = found[0]["samples"]["schema"], found[0]["samples"]["data"]
    times, counts = [row[schema["time"]] for row in rows], [row[schema["count"]] for row in rows]
    expect(sum(counts) == total, f"{path}: {name} is {sum(counts)}, not {total}")
    if has_number:
        calls = sum(row[schema["number"]] for row in rows)
        expect(calls == total, f"{path}: {name} was called {calls} times, not {total}")
    expect(len(rows) > 20, f"{path}: {name} has {len(rows)} rows")
    for i in range(1, len(rows)):
        most = (times[i] - times[i - 1]) / STEP_MS + MOST_AT_ONCE
        expect(times[i] > times[i - 1] and 0 <= counts[i] <= most, f"{path}: {name} jumps by {counts[i]} at {times[i]} ms")


# The recorder adds these.
OF_THE_KERNEL = {"CPU", "Resident memory", "Bytes read", "Bytes written", "Page faults", "Page faults from disk", "Context switches", "Threads"}


def counters():
    output, profiles = run_kept()
    totals = {line.split()[1]: int(line.split()[2]) for line in output.splitlines() if line.startswith("counter ")}
    expect(len(totals) == 7, output)
    expect(all(total > 2 * MOST_AT_ONCE - 10 for total in totals.values()), f"too little for a jump to be seen: {totals}")
    for path, profile in profiles.items():
        for name, total in totals.items():
            check_counter(path, name, total, name not in ("early_of_base", "late"), profile.json.get("counters", []))
        names = [row["name"] for row in profile.json["counters"] if row["name"] not in OF_THE_KERNEL]
        expect(len(names) == len(totals), f"{path}: {names}")


OUTER = ["outer of base", "outer of full copied"]
MEANWHILE = OUTER + ["meanwhile of base", "meanwhile of full text"]
STEPS = {"before": OUTER, "taken over": OUTER + ["closed meanwhile"], "meanwhile": MEANWHILE, "started": MEANWHILE,
         "handed back": MEANWHILE, "after": OUTER, "closed": []}
TO_MEANWHILE = ["other: before to after", "other: before to meanwhile"]
TO_AFTER = ["other: before to after", "other: meanwhile to after"]
STEPS_OF_OTHER = {"taken over": TO_MEANWHILE, "handed back": TO_AFTER, "after": TO_AFTER}


def check_labels(path, profile, thread, wanted, steps):
    known = {text for labels in wanted.values() for text in labels}
    stacks = [[text for text in stack if text in known] for stack in thread.stacks]
    for step, labels in wanted.items():
        begin, end = steps[step]
        seen = [stacks[row[0]] for row in thread.busy_samples() if begin < row[1] < end]
        wrong = [stack for stack in seen if stack != labels]
        expect(not wrong, f"{path}: {step}: of {len(seen)} samples {len(wrong)} are wrong, such as {wrong[:1]}")
        if len(seen) < 3:
            raise Late(f"{path}: {step}: {len(seen)} samples")


def labels():
    for path, profile in run_kept()[1].items():
        steps = {row.data["name"]: (row.start, row.end) for row in profile.rows("step")}
        expect(list(steps) == list(STEPS), f"{path}: {list(steps)}")
        check_labels(path, profile, profile.thread("GeckoMain"), STEPS, steps)
        check_labels(path, profile, profile.thread("Other"), STEPS_OF_OTHER, steps)


def check_stacks(path, profile):
    times = (*TIMES, "once more")
    for name in ("stack by full", "stack by base", "stack kept", "stack on a thread"):
        rows = profile.rows(name)
        expect([row.data["name"] for row in rows] == list(times), f"{path}: {name}: {[row.data['name'] for row in rows]}")
        for row in rows:
            expect(row.stack is not None, f"{path}: {name} {row.data['name']} has no stack")
            native = [text for text in row.stack if text.startswith("0x")]
            expect(len(native) >= 3, f"{path}: {name} {row.data['name']}: {row.stack}")
            expect(name == "stack on a thread" or "marking" in row.stack, f"{path}: {name} {row.data['name']}: no label")


def markers():
    for path, profile in run_kept()[1].items():
        check_stacks(path, profile)
        first, second = sorted(profile.handover_times())[:2]
        for name in ("scope by full", "scope by base"):
            rows = {row.data["name"]: row for row in profile.rows(name)}
            expect(len(rows) == 2 and len(profile.rows(name)) == 2, f"{path}: {name}: {rows.keys()}")
            for text, (begin, end) in (("before to meanwhile", first), ("meanwhile to after", second)):
                expect(rows[text].start < begin and end < rows[text].end, f"{path}: {name}: {text} is not round the handover")
        expect(len(profile.rows("plain scope")) == 1, f"{path}: {len(profile.rows('plain scope'))} plain scopes")
        expect(profile.rows("plain scope")[0].start < first[0] < first[1] < profile.rows("plain scope")[0].end, f"{path}: plain scope")


def categories():
    output, profiles = run_kept()
    has_lines(output, "same 4")
    for path, profile in profiles.items():
        added = [row for row in profile.json["meta"]["categories"] if row["name"].startswith("Category ")]
        expect([row["name"] for row in added] == [f"Category {when}" for when in TIMES], f"{path}: {added}")
        expect(all(row["color"] == "magenta" and row["subcategories"][1:] == [when] for row, when in zip(added, TIMES)), f"{path}: {added}")
        for number, when in enumerate(TIMES):
            found = [profile.category(row.category) for row in profile.rows(when)]
            expect(found == [f"Category {earlier}" for earlier in TIMES[:number + 1]], f"{path}: markers {when} are of {found}")
        main = profile.thread("GeckoMain")
        of_labels = {frame for stack in main.frames for frame in stack if frame[0].startswith("in ")}
        wanted = {("in a category", "Category before", "before")} | {("in the latest category", f"Category {when}", when) for when in TIMES}
        expect(of_labels == wanted, f"{path}: {sorted(of_labels)}")


def process_name():
    output, profiles = run_kept()
    has_lines(output, "name: done", "save before: done")
    for path, profile in [(f"{SAVED}.before", Profile(f"{SAVED}.before")), *profiles.items()]:
        names = {thread.get("processName") for thread in profile.json["threads"]}
        expect(names == {"first name" if path.endswith(".before") else "worker äö 7"}, f"{path}: {names}")


PAUSES = """\
at first: paused 0, sampling paused 0, base's 1
base's pause, taken over: paused 1, sampling paused 1, base's 2
base's pause, handed back: paused 1, sampling paused 1, base's 2
resumed by base: paused 0, sampling paused 0, base's 1
full's pause, handed back: paused 1, sampling paused 1, base's 2
full's pause, taken over again: paused 1, sampling paused 1, base's 2
pause of sampling, handed back: paused 0, sampling paused 1, base's 3
pause of sampling, taken over again: paused 0, sampling paused 1, base's 3
pause of sampling, other parameters: paused 0, sampling paused 1, base's 3
resumed by full: paused 0, sampling paused 0, base's 1
pause of sampling, handed back again: paused 0, sampling paused 1, base's 3
sampling resumed by base: paused 0, sampling paused 0, base's 1
base's pause of sampling, taken over: paused 0, sampling paused 1, base's 3
sampling resumed by full: paused 0, sampling paused 0, base's 1
""".splitlines()


def pauses():
    output, profiles = run_kept()
    has_lines(output, *PAUSES, "base resumes all: 0", "base resumes sampling: 1")
    for path, profile in profiles.items():
        marked = [row.data["name"] for row in profile.rows("marked")]
        expect(marked == [line.split(":")[0] for line in PAUSES if "paused 0, sampling" in line], f"{path}: marked {marked}")
        ranges = profile.json["pausedRanges"]
        expect([row["reason"] for row in ranges] == ["profiler-paused"] * 2 + ["sampling-paused"] * 3, f"{path}: {ranges}")
        times = [row[1] for row in profile.thread("GeckoMain").samples()]
        for row in ranges:
            inside = [time for time in times if row["startTime"] + 1 < time < row["endTime"]]
            expect(row["endTime"] - row["startTime"] > 25 and not inside, f"{path}: {row}: {len(inside)} samples in it")


def start_time():
    output, profiles = run_kept()
    has_lines(output, "the same beginning 1", "save before: done")
    early = Profile(f"{SAVED}.before")
    for path, profile in profiles.items():
        for key in ("startTime", "profilingStartTime"):
            apart = abs(profile.json["meta"].get(key, 0) - early.json["meta"].get(key, 0))
            expect(apart < 0.01, f"{path}: {key} has changed by {apart} ms")
        apart = abs(profile.rows("looked")[0].start - early.rows("looked")[0].start)
        expect(apart < 0.01, f"{path}: the first marker's time has changed by {apart} ms")
        count = len(profile.rows("looked"))
        expect(count == (9 if path == SAVED else 10), f"{path}: {count} markers")  # saved before the last hand-back


run_case({case.__name__: case for case in (counters, labels, markers, categories, process_name, pauses, start_time)})
