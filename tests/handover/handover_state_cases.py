#!/usr/bin/env python3
"""handover_state_cases.py CASE BUILD_FOLDER [GECKOPROF]: the state of the recording, as either API tells it, in a process that nobody
else starts."""

from handover_run import CASE, SAVED, Late, Profile, check_sequences, expect, has_lines, program, run_case

INTERVAL_MS = 4


def state(*lines):
    output = program(CASE, name="handover_state_program", preload=False, started=False)
    has_lines(output, *lines)
    return output


def parameters():
    state("inactive: entries 0, duration -1, interval 0, features 0, filters",
          "started: entries 524288, duration 30.5, interval 2.5, features 4000, filters 'GeckoMain' 'part of a name' '*'",
          "another start: entries 1048576, duration -1, interval 0.5, features 4100, filters 'GeckoMain'",
          "handed back: entries 1048576, duration -1, interval 0.5, features 4100, filters 'GeckoMain'",
          "stopped: entries 0, duration -1, interval 0, features 0, filters")


def other_thread():
    output = state()
    expect(output.count(": seen 1\n") == 7 and "seen 0" not in output, output)


def arguments():
    state("never started: evaluated 0", "owned, inactive: evaluated 0", "active: evaluated 14", "paused: evaluated 2",
          "stopped: evaluated 0")


def features():
    state("inactive: features 0, unpaused 0, cpu 0, without cpu 0",
          "base's: features 100, unpaused 100, cpu 0, without cpu 1",
          "started: features 4000, unpaused 4000, cpu 1, without cpu 0",
          "sampling paused: features 4000, unpaused 4000, cpu 1, without cpu 0",
          "paused: features 4000, unpaused 0, cpu 1, without cpu 0",
          "handed back: features 4000, unpaused 0, cpu 1, without cpu 0",
          "another of base's: features 100, unpaused 100, cpu 0, without cpu 1",
          "taken over: features 100, unpaused 100, cpu 0, without cpu 1",
          "stopped: features 0, unpaused 0, cpu 0, without cpu 0")


def own_pid():
    output = state("start: the filters exclude this process", "active 0", "start: done", "active 1", "save: done")
    profile = Profile(SAVED)
    check_sequences(profile, output)
    for name in ("GeckoMain", "Load 0", "Load 1"):
        expect(profile.thread(name).samples(), f"no samples of {name}")


def filtered_markers():
    state("sampled 0, marked 1 1", "save: done")
    profile = Profile(SAVED)
    thread = profile.thread("left out")
    names = [thread.json["stringTable"][row[0]] for row in thread.json["markers"]["data"]]
    expect([name for name in names if name.startswith("by ")] == ["by full", "by base"], f"markers {names}")
    expect(not thread.samples(), f"{len(thread.samples())} samples of a thread that is filtered out")


def filters_change():
    """Who is left out from now on has no more rows, idle or not; who is taken in again has."""
    state("alpha only: done", "all: done", "alpha to the end: done", "save: done")
    profile = Profile(SAVED)
    changed, before, again, last = [profile.markers(name)[0][0] for name in ("changed", "before", "again", "last change")]
    late_ms = 5 * INTERVAL_MS  # a tick that was under way
    for name in ("GeckoMain", "beta", "alpha"):
        times = [row[1] for row in profile.thread(name).samples()]
        out = [time for time in times if changed + late_ms < time < before or time > last + late_ms]
        expect(bool(out) == (name == "alpha"), f"{name}: {len(out)} rows where only alpha is asked for")
        for begin, end in ((0, changed), (again, last)):
            expect(any(begin < time < end for time in times), f"{name}: no rows where all threads are asked for")


def filter_of_program():
    """Who is selected stays so at a takeover and a hand-back, whatever the main thread is called."""
    state("init: done", "shutdown: done", "profiled 1", "save: done")
    profile = Profile(SAVED)
    over, back = [profile.markers(name)[0][0] for name in ("taken over", "handed back")]
    times = [row[1] for row in profile.thread("GeckoMain").busy_samples()]
    counts = [sum(time < over for time in times), sum(over <= time < back for time in times), sum(back <= time for time in times)]
    print(f"{counts} samples before, meanwhile and after")
    expect(all(count >= 5 for count in counts), f"{counts} samples before, meanwhile and after")
    # Until it had registered itself it had the main thread's name.
    others = [row for thread in profile.json["threads"] if thread["name"] == "left out" for row in thread["samples"]["data"]
              if row[1] > over]
    expect(not others, f"{len(others)} samples of a thread that is filtered out")


def filter_of_profile():
    filter_of_program()


def filter_follows():
    state("init: done", "profiled 1", "save: done")
    profile = Profile(SAVED)
    renamed = profile.markers("before")[0][0]
    times = [row[1] for row in profile.thread("GeckoMain").busy_samples()]
    expect(not [time for time in times if time < renamed], "samples before it had the name")
    expect(len(times) >= 20, f"{len(times)} samples after it")


def filter_of_base():
    state("at first: profiled 1, by base 1", "again: profiled 1, by base 1", "save: done")
    expect(len(Profile(SAVED).thread("GeckoMain").busy_samples()) >= 20, "hardly any samples")


def stack_at_once():
    for _ in range(8):
        state("save: done")
        rows = Profile(SAVED).markers("with a stack")
        expect(len(rows) == 1 and rows[0][1].get("stack"), f"no stack in {rows}")


def ended_threads():
    state("save: done")
    profile = Profile(SAVED)
    for i in range(100):
        expect(len(profile.markers("here", f"brief {i}")) == 1, f"thread {i} is not there under its name")


def refused():
    """Base's recording goes on, and the caller and the profile are told."""
    output = state("excluded: the filters exclude this process", "in effect: same 1, less than asked for 1", "save: done")
    has_lines(output, f"smaller: the buffer stays at {16 << 20} bytes, not the {1 << 20} asked for: what is recorded stays",
              "the same: it was so already")
    expect("too large: the buffer holds " in output, output)
    profile = Profile(SAVED)
    expect(len(profile.markers("before")) == 1, "what was recorded before is not there")
    expect([payload["name"] for _, payload in profile.markers("Start refused")] == ["the filters exclude this process"], "no reason")
    expect(len(profile.markers("Capacity not available")) == 1, "no reason for the capacity")
    expect(len(profile.thread("GeckoMain").busy_samples()) > 20, "hardly any samples")


def deadlines():
    """Ticks keep to the times that were fixed at the start, however long each takes: where the sampler slept for an interval after
    each, they would come later and later, and their places in the interval would be spread over all of it."""
    state("save: done")
    counter = next(row for row in Profile(SAVED).json["counters"] if row["name"] == "changing")
    times = sorted(row[0] for row in counter["samples"]["data"])[1:]
    expect(len(times) > 20, f"{len(times)} rows")
    places = [time % INTERVAL_MS for time in times]
    earliest = min(places, key=lambda begin: sum((place - begin) % INTERVAL_MS for place in places))
    late = sorted((place - earliest) % INTERVAL_MS for place in places)
    print(f"{len(times)} ticks, in the median {late[len(late) // 2]:.3f} ms late, 3 of 4 {late[len(late) * 3 // 4]:.3f} ms")
    if late[len(late) * 3 // 4] > INTERVAL_MS / 4:
        raise Late("the ticks do not keep to their times")


def main_thread():
    output = state("at first: nobody, 0 times, profiled 0", "init by another: nobody, 0 times, profiled 0",
                   "init: GeckoMain, 1 times, profiled 0", "started: GeckoMain, 1 times, profiled 1",
                   "handed back: GeckoMain, 2 times, profiled 1", "init again: GeckoMain, 1 times, profiled 1",
                   "another thread: nobody, 0 times, profiled 0", "unregister: done", "unregister: it was so already")
    expect(output.index("unregister: done") < output.index("unregister: it was"), output)


def start_alone():
    state("at first: nobody, 0 times, profiled 0", "started: GeckoMain, 1 times, profiled 1", "again: GeckoMain, 1 times, profiled 1")


def check_heard(output):
    """The thread that made the profiler's thread is sampled afterwards, with stacks."""
    expect("no samples" not in output, output)
    main = Profile(SAVED).thread("GeckoMain")
    deaf = sum(any("(no stack" in text for text in main.stacks[row[0]]) for row in main.samples())
    expect(deaf < len(main.samples()) / 4, f"{deaf} of {len(main.samples())} samples without a stack: the signal is taken for blocked")


def one_thread():
    output = state("after a callback: forbidden 0", "with a listener: forbidden 0", "by number: forbidden 0", "called 2", "save: done")
    check_heard(output)


def clock():
    output = state("early 1", "save: done")
    asked = [[float(word) for word in line.split()[1:]] for line in output.splitlines() if line.startswith("asked ")]
    rows = Profile(SAVED).rows("asked")
    expect(len(asked) == len(rows) == 3, f"{len(rows)} markers")
    for (before, after), row in zip(asked, rows):
        expect(before - 0.5 < row.start < after + 0.5, f"a marker at {row.start} ms, between {before} and {after} ms")


run_case({case.__name__: case for case in (parameters, other_thread, arguments, features, own_pid, filtered_markers, filters_change,
                                            filter_of_program, filter_of_profile, filter_follows, filter_of_base, stack_at_once, ended_threads, refused,
                                            deadlines, main_thread, start_alone, clock, one_thread)})
