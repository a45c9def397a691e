"""The process tree of a recording: recording a command, and what a profile says of its processes.

    tree = recorded_tree.record(folder, ["make", "-j4"])
    tree.check()                                 # each process has a parent, a name, a command, an end, and times on one clock
    tree.with_command("cc1")                     # the processes of which a program has that in its command line
"""

import ctypes
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

GECKOPROF = None  # the command, set by the script
LONGEST_S = 100
LIBC = ctypes.CDLL(None, use_errno=True)
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
SPIN = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"  # some 50 ms of a shell


class Skipped(Exception):
    """The machine cannot show it."""


class Process:
    """A process with all programs that it ran."""

    def __init__(self, key):
        self.key = key  # "4711", or "4711@1" for a second one with that number
        self.pid = int(key.partition("@")[0])
        self.parent = None
        self.names, self.commands, self.ends = [], [], []
        self.start_ms, self.end_ms = None, None
        self.cpu_ms, self.samples = 0.0, 0
        self.first_image, self.exec_count = None, 0

    def __repr__(self):
        return f"{self.key} (parent {self.parent}, {'; '.join(self.commands) or self.names}, {self.ends}, {self.samples} samples)"

    @property
    def end(self):
        return self.ends[-1] if self.ends else None


class Tree:
    """The processes of a profile, the program first."""

    def __init__(self, path, run=None, begin_s=None, end_s=None):
        self.path, self.run, self.begin_s, self.end_s = path, run, begin_s, end_s
        with open(path, "rb") as file:
            data = file.read()
        profile = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        self.meta, self.strings = profile["meta"], profile["shared"]["stringArray"]
        self.counters = {}  # names, by process
        for counter in profile.get("counters", []):
            self.counters.setdefault(str(counter["pid"]).partition(".")[0], set()).add(counter["name"])
        self.processes = {}
        for thread in profile["threads"]:
            key, _, image = str(thread["pid"]).partition(".")
            process = self.processes.setdefault(key, Process(key))
            self._add_thread(process, thread, int(image or 0))

    def _add_thread(self, process, thread, image):
        if thread["isMainThread"]:
            process.names.append(thread["processName"])
            start_ms = thread["processStartupTime"]
            process.start_ms = start_ms if process.start_ms is None else min(process.start_ms, start_ms)
            process.end_ms = thread["processShutdownTime"]
            process.exec_count = max(process.exec_count, image)
            parent = thread.get("parentPid")
            if process.first_image is None or image < process.first_image:  # it may have another parent by its next program
                process.first_image = image
                process.parent = None if parent is None else str(parent)
        samples = thread["samples"]
        weights = samples.get("weight") or [1] * samples["length"]
        states = samples.get("state") or [0] * samples["length"]
        process.samples += sum(1 for weight, state in zip(weights, states) if weight and state == 0)
        process.cpu_ms += sum(delta or 0 for delta in samples.get("threadCPUDelta") or []) / 1e6
        for name, data in zip(thread["markers"]["name"], thread["markers"]["data"]):
            if not isinstance(data, dict) or data.get("type") != "geckoprofProcess":
                continue
            if self.strings[name] in ("process start", "exec"):
                process.commands.append(data.get("command", ""))
            if self.strings[name] == "exit":
                process.ends.append(data.get("end"))

    def __iter__(self):
        return iter(self.processes.values())

    @property
    def program(self):
        return next(iter(self))

    def with_command(self, text):
        return [process for process in self if any(text in command for command in process.commands)]

    def children_of(self, process):
        return [child for child in self if child.parent == process.key]

    def notes(self):
        return self.run.stderr.decode(errors="replace")

    def faults(self, unknown_ends=False, may_go_on=False, foreign_parents=()):
        """What a process of the tree lacks. `foreign_parents` are processes outside of the profile. With `may_go_on` a process may outlive
        the program."""
        found = []
        length_ms = (self.end_s - self.begin_s) * 1000 if self.end_s else float("inf")
        for process in self:
            if process is not self.program and process.parent not in self.processes and process.parent not in foreign_parents:
                found.append(f"no parent: {process}")
            if not any(process.names):
                found.append(f"no name: {process}")
            if not any(process.commands):
                found.append(f"no command: {process}")
            # The kernel tells no status before somebody has waited for the process.
            goes_on = may_go_on and (process.end_ms is None or process.end == "ended")
            if not unknown_ends and not goes_on and process.end in (None, "ended", "unknown"):
                found.append(f"no end: {process}")
            parent = self.processes.get(process.parent)
            if parent is not None and process.start_ms < parent.start_ms:
                found.append(f"begins before its parent: {process}")
            last_ms = process.end_ms if process.end_ms is not None else process.start_ms
            if not -1000 <= process.start_ms <= last_ms <= length_ms + 1000:
                found.append(f"lives from {process.start_ms:.0f} to {last_ms:.0f} of {length_ms:.0f} ms: {process}")
        return found

    def check(self, **options):
        found = self.faults(**options)
        assert not found, "\n".join([*found, self.notes()])
        self.check_report()

    def check_report(self):
        """`report --by process` has each program once, below its parent."""
        text = geckoprof("report", "--by", "process", "--top", "100000", "--json", self.path)
        rows = json.loads(text)["rows"]
        programs = [row["pid"] for row in rows]
        assert len(programs) == len(set(programs)), programs
        assert {pid.partition(".")[0] for pid in programs} == set(self.processes), programs


def geckoprof(*words):
    done = subprocess.run([GECKOPROF, *words], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode == 0, (words, done)
    return done.stdout.decode(errors="replace")


def run(command, **options):
    return subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=LONGEST_S, **options)


def read(path, run=None, begin_s=None, end_s=None):
    """The tree of a profile, which must be sound."""
    geckoprof("check", path)
    return Tree(path, run, begin_s, end_s)


def record(folder, command, *options, **more):
    """Records a command. Its output is in `run` of the result, and so are the recorder's lines."""
    path = os.path.join(folder, "profile.json.gz")
    begin_s = time.monotonic()
    done = run([GECKOPROF, "record", "-o", path, *options, "--", *command], **more)
    assert os.path.exists(path), done
    return read(path, done, begin_s, time.monotonic())


def record_like_bare(folder, command, *options, **more):
    """Records a command, which must print the same as without us and end in the same way."""
    bare = run(command, **more)
    tree = record(folder, command, *options, **more)
    status = 128 - bare.returncode if bare.returncode < 0 else bare.returncode
    assert tree.run.returncode == status, (bare, tree.run)
    assert tree.run.stdout == bare.stdout, (bare, tree.run)
    return tree


# --- what the scripts of cases share ---

def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            raise Skipped(f"{program} is not installed")


def need_root():
    if os.geteuid() != 0:
        raise Skipped("needs root")


def newest(pattern, what):
    found = glob.glob(pattern)
    if not found:
        raise Skipped(f"{what} is not installed")
    return max(found)


def kernel_tells_ends():
    """Whether the kernel tells how processes ended that are not children of the recorder."""
    version = [int(word) for word in os.uname().release.split("-")[0].split(".")[:2]]
    return version >= [6, 15]


def wait_for(condition, what, seconds=60):
    deadline_s = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline_s, what
        time.sleep(0.02)


def main(cases, words):
    global GECKOPROF
    GECKOPROF = words[2]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        try:
            cases[words[1]](folder)
        except Skipped as reason:
            print(f"skipped: {reason}")
            return 77
    return 0
