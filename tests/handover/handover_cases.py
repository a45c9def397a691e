#!/usr/bin/env python3
"""handover_cases.py CASE BUILD_FOLDER [GECKOPROF]: the ways in and out of the full library."""

import os
import re

from handover_run import (AT_EXIT, BASE, CASE, PROGRAMS, SAVED, UNDER_TSAN, Profile, check_sequences, expect, has_lines, program,
                          run, run_case)


def linked():
    output = program("linked")
    has_lines(output, "init: done", "active 1", "start: done", "shutdown: done", "save: done")
    for path in (SAVED, AT_EXIT):
        profile = Profile(path)
        check_sequences(profile, output)
        for name in ("before", "owned", "started", "after"):
            expect(len(profile.markers(name)) == 1, f"{path}: {len(profile.markers(name))} markers {name}")
        handovers = profile.markers("Profilers handover")
        expect(len(handovers) >= 3, f"{path}: {len(handovers)} markers of the handover")
        profile.expect_no_gap("open all the while")
    expect(Profile(AT_EXIT).times_with_label("static destructor"), "no sample in a static destructor")
    expect(profile.json["meta"]["configuration"]["interval"] == 0.5, "the interval asked for is not in effect")


def alone(preload=False):
    output = program("alone", preload=preload, started=False)
    has_lines(output, "active 0", "stop: it was so already", "start: done", "buffer 1", "save: done", "ensure: done",
              "ensure: it was so already", "stop: done", "get: nothing is recorded")
    expect("features 8044120 refused 26" in output, output)
    profile = Profile(SAVED)
    check_sequences(profile, output)
    expect(len(profile.times_with_label("alone")) > 10, "hardly any samples")
    refused = profile.markers("Feature not available")
    expect(len(refused) == 26, f"{len(refused)} markers of refused features")


def dependency():
    output = run([f"{PROGRAMS}/handover_dependency_program", SAVED], preload=False, started=False)
    expect(output.splitlines()[:3] == [f"{name}: libbaseprofiler.so.0" for name in ("sigaction", "setuid", "pthread_create")], output)
    has_lines(output, "start: done", "save: done")
    expect(len(Profile(SAVED).thread("GeckoMain").samples()) > 20, "hardly any samples")


def behind_libc():
    """Base as what a library needs: libc is found first, and nothing is behind us."""
    for started in (False, True):
        output = run([f"{PROGRAMS}/handover_behind_libc_program"], preload=False, started=started)
        has_lines(output, f"start {1 if started else 0}", "samples 1", "stop 1", "late start 0")
        pid = re.search(r"^pid (\d+)$", output, re.MULTILINE)[1]
        folder = f"/dev/shm/geckoprof-{os.getuid()}"
        left = [name for name in (os.listdir(folder) if os.path.exists(folder) else []) if re.search(rf"\b{pid}\b", name)]
        expect(not left, f"what a destructor recorded stays: {left}")


def namespace():
    """A copy that dlmopen loaded records nothing, and leaves the first one alone."""
    for preload in (False, True):
        output = run([f"{PROGRAMS}/handover_namespace_program", BASE], preload=preload, started=preload)
        has_lines(output, "start 5", "state 0")
    expect(Profile(AT_EXIT).json["threads"], "the first one's profile")


def cycles():
    count = 300 if UNDER_TSAN else 1000
    output = program("cycles")
    has_lines(output, f"cycles {count}", "save: done")
    for path in (SAVED, AT_EXIT):
        profile = Profile(path)
        print(f"{path}: {check_sequences(profile, output)} numbered markers")
        expect(profile.losses().get("no-chunk", 0) == 0, f"lost: {profile.losses()}")
        made = sum(int(line.split()[2]) for line in output.splitlines() if line.startswith("churn "))
        expect(len(profile.markers("of a short one")) == made > 0, f"of {made} markers of short threads some are missing")
        expect(len(profile.markers("Profilers handover")) == 2 * count, "markers of the handover are missing")


def both_apis():
    has_lines(program("both_apis"), "paused 1", "base active and unpaused 1", "sampling paused 1, all paused 0",
              "sampling paused 0", "added 1", "after sampling 3", "heard all 1", "active 0")


def duration():
    output = program("duration")
    has_lines(output, "start: done", "heard that it stopped 1", "active 0", "save: done", "heard of the profile 1")
    Profile(SAVED)


def duration_of_call():
    has_lines(program(CASE), "start: done", "active 0, too early 0", "save: done")
    Profile(SAVED)


def larger_capacity():
    output = program(CASE, GECKOPROF_STARTUP_ENTRIES=str((1 << 20) // 8))
    has_lines(output, f"small: capacity {1 << 20}, more than 8 MiB 0", "start: done",
              f"large: capacity {64 << 20}, more than 8 MiB 1", "save: done")
    for path in (SAVED, AT_EXIT):
        profile = Profile(path)
        check_sequences(profile, output)
        expect(profile.losses().get("no-chunk", 0) == 0, f"{path}: lost: {profile.losses()}")
        expect(len(profile.markers("before")) == 1, f"{path}: what was recorded before is not there")


def forked():
    output = program(CASE)
    has_lines(output, "children 20", "save: done")
    check_sequences(Profile(SAVED), output)


def plugin():
    output = run([f"{PROGRAMS}/handover_plugin_program", f"{PROGRAMS}/libfull_plugin.so", SAVED])
    expect(output.count("take over 0\n") == 5 and output.count("after sampling 1\n") == 5, output)
    expect(output.count("still loaded 0\n") == 5 and output.splitlines().count("loaded 1") == 5, output)
    has_lines(output, "save 0")
    profile = Profile(AT_EXIT)
    check_sequences(profile, output)
    expect(len(profile.markers("during")) == 5, "markers made while the plugin was loaded are missing")
    expect(len(profile.markers("before")) == 1 and len(profile.markers("after")) == 1, "before or after is missing")
    expect(len(profile.markers("Profilers handover")) == 10, f"{len(profile.markers('Profilers handover'))} handovers")
    Profile(SAVED)


run_case({"linked": linked, "alone": alone, "alone_preloaded": lambda: alone(preload=True), "dependency": dependency, "behind_libc": behind_libc, "namespace": namespace, "cycles": cycles,
          "both_apis": both_apis, "duration": duration, "duration_of_call": duration_of_call, "larger_capacity": larger_capacity, "forked": forked, "forked_meanwhile": forked, "plugin": plugin})
