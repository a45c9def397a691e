"""What the cases of the handover share: they run a small program with the two libraries and check the profiles it leaves.

Arguments of each script: [tsan:]CASE BUILD_FOLDER [GECKOPROF]. tsan: with the programs that were built with the thread sanitizer.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile

UNDER_TSAN = sys.argv[1].startswith("tsan:")
CASE, BUILD = sys.argv[1].removeprefix("tsan:"), sys.argv[2]
# Loose: the machine may be busy. What it is in the median is measured elsewhere.
LONGEST_GAP_MS = 600 if UNDER_TSAN else 60
TRIES = 3
GECKOPROF = sys.argv[3] if len(sys.argv) > 3 else None
PROGRAMS = f"{BUILD}/tests/handover"
BASE = f"{PROGRAMS}/libbase_for_tsan.so" if UNDER_TSAN else f"{BUILD}/lib/libbaseprofiler.so"
SAVED, AT_EXIT, RECORDED = "saved.json", "exit.json", "recorded.json"


class Late(Exception):
    """The machine may have been too busy: what is so by design is so at each try."""


def fail(text):
    sys.exit(f"{CASE}: {text}")


def expect(condition, text):
    if not condition:
        fail(text)


def run(command, preload=True, started=True, base=BASE, status=0, **variables):
    environment = {"PATH": os.environ["PATH"]} | variables
    if preload:
        environment["LD_PRELOAD"] = base
    if started:
        environment |= {"GECKOPROF_STARTUP": "1", "GECKOPROF_SHUTDOWN": f"{os.getcwd()}/{AT_EXIT}"}
        if GECKOPROF:  # a base of another folder has no command beside it
            environment["GECKOPROF_COMMAND"] = GECKOPROF
    if UNDER_TSAN:
        # Of base's handler it does not know; a child of a program with threads may have some of its own.
        environment["TSAN_OPTIONS"] = "die_after_fork=0 report_signal_unsafe=0"
        command = [command[0] + "_tsan", *command[1:]]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=100)
    late = " (a call that does not come back)" if done.returncode == -signal.SIGALRM else ""
    expect(done.returncode == status, f"status {done.returncode}{late}\n{done.stdout}{done.stderr}")
    return done.stdout


def program(mode, name="handover_program", **how):
    return run([f"{PROGRAMS}/{name}", mode, SAVED], **how)


def processes_of(profile):
    yield profile
    for process in profile.get("processes", []):
        yield from processes_of(process)


def recorded_program(mode, name, **how):
    """Runs it under the recorder, if there is one and no sanitizer, which needs a base of its own. Its output, and the same recording
    up to three times: as the program saved it, as base wrote it at the end, and as the recorder did."""
    command = [f"{PROGRAMS}/{name}", mode, SAVED]
    paths = [SAVED, AT_EXIT]
    has_recorder = GECKOPROF and not UNDER_TSAN
    if has_recorder:
        paths.append(RECORDED)
        command = [GECKOPROF, "record", "-q", "--format", "gecko", "-o", RECORDED, "--", "env",
                   f"GECKOPROF_SHUTDOWN={os.getcwd()}/{AT_EXIT}", *command]
    output = run(command, preload=not has_recorder, started=not has_recorder, **how)
    return output, {path: Profile(path) for path in paths}


class Thread:
    """`stacks`: by number, the texts of its frames, outermost first; `frames`: the same with category and subcategory by name."""

    def __init__(self, thread, categories):
        self.json = thread
        strings, rows = thread["stringTable"], []
        for row in thread["frameTable"]["data"]:
            category = categories[row[6]] if len(row) > 6 and row[6] is not None else None
            subcategory = category["subcategories"][row[7] or 0] if category and len(row) > 7 else None
            rows.append((strings[row[0]], category["name"] if category else None, subcategory))
        self.frames = []
        for prefix, frame in (row[:2] for row in thread["stackTable"]["data"]):
            self.frames.append(([] if prefix is None else self.frames[prefix]) + [rows[frame]])
        self.stacks = [[frame[0] for frame in stack] for stack in self.frames]

    def samples(self):
        return [row for row in self.json["samples"]["data"] if row[0] is not None]

    def busy_samples(self):
        """Without the rows in which it got no CPU: they have the stack of the one before, at another time."""
        cpu = self.json["samples"]["schema"]["threadCPUDelta"]
        return [row for row in self.samples() if len(row) > cpu and row[cpu]]


class MarkerRow:
    def __init__(self, row, thread):
        self.start, self.end, self.category = row[1], row[2], row[4]
        self.data = (row[5] if len(row) > 5 else None) or {}
        self.stack = thread.stacks[self.data["stack"]["samples"]["data"][0][0]] if "stack" in self.data else None


class Profile:
    """A raw Gecko profile: what the cases ask of it. Of a recorder's, which has several processes, that with most samples."""

    def __init__(self, path):
        expect(os.path.exists(path), f"there is no {path}")
        with open(path, encoding="utf-8") as file:
            self.json = max(processes_of(json.load(file)),
                            key=lambda process: sum(len(thread["samples"]["data"]) for thread in process["threads"]))
        if GECKOPROF:
            checked = subprocess.run([GECKOPROF, "check", path], capture_output=True, text=True)
            expect(checked.returncode == 0, f"geckoprof check {path}:\n{checked.stdout}{checked.stderr}")

    def markers(self, name, thread_name=None):
        out = []
        for thread in self.json["threads"]:
            if thread_name is not None and thread["name"] != thread_name:
                continue
            for row in thread["markers"]["data"]:
                if thread["stringTable"][row[0]] == name:
                    out.append((row[1] or 0, (row[5] if len(row) > 5 else None) or {}))
        return out

    def thread(self, name):
        found = [thread for thread in self.json["threads"] if thread["name"] == name]
        expect(len(found) == 1, f"{len(found)} threads {name}")
        return Thread(found[0], self.json["meta"]["categories"])

    def category(self, number):
        return self.json["meta"]["categories"][number]["name"]

    def rows(self, name):
        """Markers of all threads, by time."""
        out = []
        for thread in self.json["threads"]:
            rows = [row for row in thread["markers"]["data"] if thread["stringTable"][row[0]] == name]
            if rows:
                read = Thread(thread, self.json["meta"]["categories"])
                out += [MarkerRow(row, read) for row in rows]
        return sorted(out, key=lambda row: row.start if row.start is not None else row.end)

    def losses(self):
        """By reason, from the recording's own account."""
        out = {}
        for log in self.json.get("profilingLog", {}).values():
            for row in log.get("recording", {}).get("losses", []):
                out[row["what"]] = out.get(row["what"], 0) + row["count"]
        return out

    def main(self):
        return next(thread for thread in self.json["threads"] if thread["name"] == "GeckoMain")

    def times_with_label(self, label):
        thread = self.main()
        strings, frames, stacks = thread["stringTable"], thread["frameTable"]["data"], thread["stackTable"]["data"]
        has = [False] * len(stacks)
        for number, (prefix, frame) in enumerate(row[:2] for row in stacks):
            has[number] = label in strings[frames[frame][0]] or (prefix is not None and has[prefix])
        return [row[1] for row in thread["samples"]["data"] if row[0] is not None and has[row[0]]]

    def handover_times(self):
        """From the call to the change."""
        return [(row[1], row[2]) for thread in self.json["threads"] for row in thread["markers"]["data"]
                if thread["stringTable"][row[0]] == "Profilers handover"]

    def longest_gaps(self, label):
        """Between two samples with the label: where there was a handover meanwhile, and where there was none."""
        handovers, times, across, apart = self.handover_times(), self.times_with_label(label), 0, 0
        expect(len(times) > 10, f"{len(times)} samples with the label {label!r}")
        for a, b in zip(times, times[1:]):
            if any(begin < b and a < end for begin, end in handovers):
                across = max(across, b - a)
            else:
                apart = max(apart, b - a)
        return across, apart

    def expect_no_gap(self, label):
        """None that is longer than is usual on a machine that may be busy: than those without a handover in the same run."""
        across, apart = self.longest_gaps(label)
        print(f"longest gap across a handover {across:.2f} ms, elsewhere {apart:.2f} ms")
        if across >= LONGEST_GAP_MS and across >= 2 * apart:
            raise Late(f"{across} ms without a sample at a handover, {apart} ms elsewhere")


def check_sequences(profile, output):
    """Every numbered marker, once. A thread's first ones may find no chunk where several begin to mark within one tick: then
    the profile must say so, and nothing is missing after the first that is there."""
    counted, at_first = 0, 0
    for line in output.splitlines():
        if not line.startswith("seq "):
            continue
        _, thread, made = line.split()
        numbers = sorted(int(payload["name"]) for _, payload in profile.markers("seq", f"Load {thread}"))
        first = numbers[0] if numbers else int(made)
        missing = sorted(set(range(first, int(made))) - set(numbers))
        expect(not missing, f"Load {thread}: of {made} markers {missing} are missing; losses {profile.losses()}")
        expect(len(numbers) == len(set(numbers)), f"Load {thread}: a marker is there twice")
        counted += len(numbers)
        at_first += first
    expect(counted > 0, "no numbered markers")
    expect(at_first <= profile.losses().get("no-chunk", 0), f"{at_first} markers lost and not counted: {profile.losses()}")
    return counted


def has_lines(output, *lines):
    for line in lines:
        expect(line in output.splitlines(), f"no line {line!r} in\n{output}")


def run_case(cases):
    for attempt in range(1, TRIES + 1):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                cases[CASE]()
                return
            except Late as late:
                print(f"try {attempt}: {late}")
                if attempt == TRIES:
                    fail(late)
            finally:
                os.chdir("/")
