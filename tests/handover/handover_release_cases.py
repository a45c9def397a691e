#!/usr/bin/env python3
"""handover_release_cases.py CASE BUILD_FOLDER [GECKOPROF]: the full library beside a preloaded base of another release."""

from handover_run import AT_EXIT, CASE, PROGRAMS, SAVED, Profile, check_sequences, expect, has_lines, program, run_case

PROGRAM = "handover_release_program"
TOO_OLD_FOR = "the loaded libbaseprofiler.so is too old to "


def beside(release, mode):
    return program(mode, name=PROGRAM, base=f"{PROGRAMS}/libbase_{release}.so")


def base_went_on(output, handovers):
    profile = Profile(AT_EXIT)
    check_sequences(profile, output)
    for name in ("before", "after"):
        expect(len(profile.markers(name)) == 1, f"{len(profile.markers(name))} markers {name}")
    expect(len(profile.markers("Profilers handover")) == handovers, f"{len(profile.markers('Profilers handover'))} handovers")
    expect(len(profile.times_with_label("open all the while")) > 20, "hardly any samples")
    profile.expect_no_gap("open all the while")
    return profile


# Larger than this library knows, of the same meaning: all works.
def newer():
    output = beside("newer", "all")
    has_lines(output, "init: done", "start: done", "active 1", "pause: done", "resume: done", "after sampling 1", "interval 0.5",
              "buffer 1", "save: done", "shutdown: done")
    for profile in (Profile(SAVED), base_went_on(output, handovers=2)):
        expect(profile.json["meta"]["configuration"]["interval"] == 0.5, "the interval asked for is not in effect")
        expect(any(thread["name"] == "GeckoMain" for thread in profile.json["threads"]), "no main thread")


# What it has works; what it lacks is refused, and says so.
def older():
    output = beside("older", "all")
    has_lines(output, "init: done", "active 1", "pause: done", "resume: done", "after sampling 1", "interval 0", "buffer 0",
              f"save: {TOO_OLD_FOR}say where it records to", "shutdown: done",
              f"start: the recording goes on as it was: {TOO_OLD_FOR}change the parameters of a recording that runs")
    profile = base_went_on(output, handovers=2)
    expect(profile.json["meta"]["configuration"]["interval"] == 1, "the interval of base's recording has changed")


def refused(reason):
    output = beside(CASE, "all")
    has_lines(output, f"init: {reason}", f"start: {reason}", f"pause: {reason}", f"save: {reason}", "shutdown: it was so already",
              "active 0", "after sampling 0", "interval 0", "buffer 0")
    base_went_on(output, handovers=0)


# A recording that the full library starts itself: an old base does what it can.
def own(release, *lines):
    output = program("own", name=PROGRAM, base=f"{PROGRAMS}/libbase_{release}.so", started=False)
    has_lines(output, "start: done", "again: done", "stop: done", "active 0", *lines)


run_case({"newer": newer, "older": older,
          "too_old": lambda: refused("base's table lacks functions of control"),
          "older_version": lambda: refused("base's table is of version 1, this library's of 2"),
          "newer_version": lambda: refused("base's table is of version 3, this library's of 2"),
          "newer_own": lambda: own("newer", "save: done"),
          "older_own": lambda: own("older", f"save: {TOO_OLD_FOR}say where it records to")})
