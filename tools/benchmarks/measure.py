"""What the benchmark scripts share: where things lie, running, recording, and reading what was recorded."""

import array
import collections
import gzip
import json
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(ROOT, os.environ.get("GECKOPROF_BUILD_DIR", "build/release"))
GECKOPROF = os.path.join(BUILD, "bin", "geckoprof")
BASE = os.path.join(BUILD, "lib", "libbaseprofiler.so")
GPERFTOOLS = "/usr/lib/x86_64-linux-gnu/libprofiler.so.0"


def scenario(name):
    return os.path.join(BUILD, "tests", "scenarios", name)


def number_argument(position, default):
    return float(sys.argv[position]) if len(sys.argv) > position else default


class Recording:
    """One run of `geckoprof record`; the profile is read on demand and deleted with the object's folder."""

    def __init__(self, command, options=()):
        self.folder = tempfile.TemporaryDirectory()
        self.path = os.path.join(self.folder.name, "profile.json.gz")
        self.start_s = time.time()
        self.run = subprocess.run([GECKOPROF, "record", "-o", self.path, *options, "--", *command], check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.end_s = time.time()
        self.status = self.run.returncode
        self.output = self.run.stdout

    def profile(self):
        with gzip.open(self.path, "rt", encoding="utf-8") as file:
            return json.load(file)

    def report(self):
        text = subprocess.run([GECKOPROF, "report", "--json", self.path], check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(text)


def bare(command, environment=None, check=True):
    """(wall s, CPU s, output) of a run without the profiler."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    run = subprocess.run(command, check=check, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, env={**os.environ, **(environment or {})})
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def in_child(function, *arguments):
    """Calls the function in a process of its own, for what it leaves behind: the memory that it needed is not ours afterwards, and so
    does not count as a program's that is started later (the system takes the larger of before and after the exec)."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            function(*arguments)
            status = 0
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0, function


def used(command):
    """CPU seconds, user and system, and peak memory in bytes of a run."""
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (command, process.returncode)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def median(values):
    return statistics.median(values)


def bar(name, value, limit, met, text=None):
    """One line a figure: what it is, what was measured, what was promised, and whether it is kept."""
    print(f"BAR {name} | {text or value} | {limit} | {'met' if met else 'missed'}", flush=True)


def extra_numbers(profile, label):
    """Every number of that label in the sections of a processed profile."""
    return [entry["value"] for section in profile["meta"].get("extra", []) for entry in section["entries"] if entry["label"] == label]


class PauseHistogram:
    """What pause_meter printed, of one run or several."""

    LONGEST_NS = 200_000  # the meter has one bin for all that is longer: somebody else had the core

    def __init__(self):
        self.bins = collections.Counter()
        self.wall_ns = 0
        self.sum_ns = 0

    def add(self, output):
        for line in output.splitlines():
            words = line.split()
            if words[:1] == ["pauses"]:
                self.sum_ns += int(words[3])
                self.wall_ns += int(words[7])
            elif words[:1] == ["up_to_ns"]:
                self.bins[int(words[1])] += int(words[3])

    def without(self, noise):
        """Bins of what remains after the noise of as much time."""
        scale = self.wall_ns / noise.wall_ns
        return {limit: max(0, count - noise.bins[limit] * scale) for limit, count in sorted(self.bins.items())}

    def share(self):
        """The part that pauses up to LONGEST_NS, rounded up to the bins' limits, are of the time that the thread ran, in per cent."""
        return 100 * self._short_ns() / (self.wall_ns - self.sum_ns)

    def long_share(self):
        """The part that longer ones are of all time, in per cent."""
        return 100 * max(0, self.sum_ns - self._short_ns()) / self.wall_ns

    def _short_ns(self):
        return sum(limit * count for limit, count in self.bins.items() if limit <= self.LONGEST_NS)


def busy_deltas_ns(profile):
    """CPU time before each sample of the thread with most of it, in a processed profile, where there was any."""
    deltas = ([delta for delta in thread["samples"]["threadCPUDelta"] if delta] for thread in profile["threads"])
    return max(deltas, key=sum, default=[])


def gperftools_samples(path):
    """Samples in a file of gperftools: native words, a header that says how long it is, then records of a number of samples, a depth
    and that many addresses, until a record of no samples."""
    words = array.array("L")
    with open(path, "rb") as file:
        content = file.read()
    words.frombytes(content[:len(content) // words.itemsize * words.itemsize])
    count, at = 0, 2 + words[1]
    while at + 1 < len(words) and words[at] > 0:
        count += words[at]
        at += 2 + words[at + 1]
    return count


def have(program):
    return shutil.which(program) is not None


def threads_of(profile):
    """Every thread of a processed profile, or of a raw one with its subprocesses."""
    yield from profile.get("threads", [])
    for process in profile.get("processes", []):
        yield from threads_of(process)


def find_numbers(value, pattern):
    """All numbers in a JSON value whose key matches."""
    found = []
    if isinstance(value, dict):
        for key, below in value.items():
            if isinstance(below, (int, float)) and not isinstance(below, bool) and re.fullmatch(pattern, key):
                found.append(below)
            else:
                found += find_numbers(below, pattern)
    elif isinstance(value, list):
        for below in value:
            found += find_numbers(below, pattern)
    return found
