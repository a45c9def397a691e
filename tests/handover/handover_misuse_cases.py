#!/usr/bin/env python3
"""handover_misuse_cases.py CASE BUILD_FOLDER [GECKOPROF]: calls where none is expected, other owners, and no memory.

A call that does not come back ends its program by an alarm.
"""

import re
import shutil

from handover_run import AT_EXIT, BUILD, CASE, SAVED, Profile, check_sequences, expect, has_lines, program, run_case

TIMEOUT = "the sampler did not come to the end of a tick in time: nothing has changed"
OWNED = "another copy of this library controls the recording"
WRONG_THREAD = "this thread would have to wait for itself, or runs in a child that the library was not told of"


def saved(minimum=20):
    """The profile that the program saved, with samples of its main thread."""
    profile = Profile(SAVED)
    stacks = [row for row in profile.main()["samples"]["data"] if row[0] is not None]
    expect(len(stacks) >= minimum, f"{len(stacks)} samples of the main thread")
    return profile


def saved_since_start():
    profile = saved()
    expect(len(profile.markers("before")) == 1, "what was recorded before is not there")
    return profile


def misuse(*lines):
    output = program(CASE, name="handover_misuse_program")
    has_lines(output, *lines)
    return output


def after_sampling():
    output = misuse("init: it was so already", f"shutdown: {WRONG_THREAD}", "pause: done", "resume: done", "start: done", "stop: done",
           "start anew: done", "another 1", "base's stop 1", "active 0", "start at last: done", "save: done",
           "shutdown at last: done")
    expect("no samples" not in output, output)
    saved()


def state_callbacks():
    output = misuse("save: done")
    expect("no end" not in output, f"a listener's call comes back to the listener without end:\n{output}")
    expect(output.count(": ended") == 11, output)
    saved()


def signal_handler():
    output = misuse("handled 1", "save: done")
    expect("quiet: 4 done" in output, output)
    expect("handler: " in output, output)
    answers = set(re.findall(r"^handler: \d+ (.*)$", output, re.MULTILINE))
    expect(answers <= {"done", "it was so already", WRONG_THREAD}, output)
    saved_since_start()


def handler_forks():
    misuse("children that are not fine 0", "start: done", "pause: done", "told", "save: done")
    saved_since = Profile(SAVED)
    expect(saved_since.markers("Profilers handover"), "no handovers")


def racing():
    misuse("promised some 1, not called 0", "save: done")
    saved()


def children():
    output = misuse("fork: status 0", "_Fork: status 0", "vfork: status 12", "init: done", "vfork, pause and stop: status 24",
                    "active and unpaused 1", "save: done")
    expect(output.count("children\n") == 1, output)
    saved_since_start()
    Profile(f"{SAVED}.child")


def forked_idle():
    for preload in (False, True):
        output = program(CASE, name="handover_misuse_program", preload=preload, started=False)
        has_lines(output, "base: status 0", "full: status 0", "start: done", "save: done")
        for child in ("base", "full"):
            profile = Profile(f"{SAVED}.{child}")
            for label in ("open in the parent", "open in the child"):
                expect(profile.times_with_label(label), f"{child}: no sample in '{label}'")
        expect(not saved().times_with_label("open in the child"), "the child's label is in the parent's profile")


def exit_meanwhile():
    misuse("save: done")
    profile = Profile(AT_EXIT)
    expect(len(profile.markers("before")) == 1, "what was recorded before is not there")
    expect(len(profile.markers("Profilers handover")) > 50, "hardly any handovers")


def main_exits():
    misuse("save: done")
    saved()


def quick_exit():
    misuse()
    expect(len(Profile(AT_EXIT).markers("before")) == 1, "what was recorded before is not there")


def other_owner(*lines):
    output = program(CASE, name="handover_other_owner_program")
    has_lines(output, *lines)
    return output


def from_its_callbacks():
    other_owner("take over 0", "in tick: take over 4, hand back 4, reconfigure 0, start 1, stop 0", "state 1",
                "in change: take over 4, hand back 4, reconfigure 1, start 1, stop 1", "asked all the while",
                "hand back 0", "start: done", "save: done")
    saved()


def owned():
    other_owner("take over 0", f"init: {OWNED}", f"start: {OWNED}", f"shutdown: {OWNED}", f"stop: {OWNED}", f"pause: {OWNED}", f"name: {OWNED}", "callback 0",
                "save: done", "hand back 0", "init: done")
    expect(len(saved_since_start().markers("Profilers handover")) == 1, "the full library has taken over")


def timeout():
    other_owner("take over 0", "hand back 3", f"init: {TIMEOUT}", f"shutdown meanwhile: {OWNED}", "shutdown waited 0",
                "init gave up in time 1", "hand back 0", "init: done", "save: done")
    expect(len(saved_since_start().markers("meanwhile")) == 1, "a marker of the time without ticks is missing")


def two_copies():
    shutil.copy(f"{BUILD}/lib/libgeckoprofiler.so", f"{SAVED}.copy")
    output = other_owner("pause: done", "resume: done", "shutdown: done", "copy's save 0", "save: done")
    expect(output.count(f"copy's init: {OWNED}\n") == 1 and f"copy's start: {OWNED}\n" in output, output)
    for call in ("shutdown", "pause", "resume", "pause_sampling", "resume_sampling", "stop", "name"):
        expect(f"copy's {call}: {OWNED}\n" in output, output)
    # The second has it while the first has not, until it is closed.
    expect(output.endswith(f"shutdown: done\ncopy's init: done\ninit: {OWNED}\ninit: done\nsave: done\n"), output)
    handovers = saved_since_start().markers("Profilers handover")
    expect(len(handovers) == 5, f"{len(handovers)} handovers")


def copies(preloaded=False):
    for name in ("first", "copy"):
        shutil.copy(f"{BUILD}/lib/libgeckoprofiler.so", f"{SAVED}.{name}")
    how = {"base": f"{BUILD}/lib/libbaseprofiler.so:{BUILD}/lib/libgeckoprofiler.so.0"} if preloaded else {}
    output = program(CASE, name="handover_copies_program", **how)
    calls = ("init", "start", "ensure", "pause", "resume", "pause_sampling", "resume_sampling", "stop", "shutdown", "after")
    has_lines(output, "start: 0", *(f"copy's {call}: 10" for call in calls), "pause: 0", "resume: 0", "told: 0", "sampled: 0", "save: 0")
    expect(output.endswith("shutdown: 0\ncopy's init: 0\ninit: 10\nstop: 10\ninit: 0\nstop: 0\n") and "one copy" not in output, output)
    expect(len(Profile(SAVED).markers("of the first")) == 1, "what the first recorded is not there")


def copies_preloaded():
    copies(preloaded=True)


def memory(*lines):
    output = program(CASE, name="handover_memory_program", GECKOPROF_STARTUP_FILTERS="a filter longer than a short string,*")
    has_lines(output, "save: done", *lines)
    return output


def allocations():
    names = ("init", "callback", "pause", "save", "get", "parameters", "start", "backtrace", "sample", "register", "shutdown")
    memory(*(f"{name}: threw 0, works at last 1" for name in names))
    saved()


def forks():
    names = ("listen", "callback", "pause", "start", "backtrace", "register")
    memory(*(f"{name}: some forks 1, not fine 0" for name in names))
    saved()


def address_space():
    output = memory("start answers 1", "active 1", "shutdown: done")
    for path in (SAVED, AT_EXIT):
        profile = Profile(path)
        check_sequences(profile, output)
        for name in ("before", "without memory"):
            expect(len(profile.markers(name)) == 1, f"{path}: {len(profile.markers(name))} markers {name}")
        profile.expect_no_gap("open all the while")


run_case({case.__name__: case for case in (
    after_sampling, state_callbacks, signal_handler, handler_forks, racing, children, forked_idle, exit_meanwhile, main_exits, quick_exit,
    from_its_callbacks, owned, timeout, two_copies, copies_preloaded, allocations, forks, address_space)} |
    {"copies_local": copies, "copies_global": copies})
