"""What the benchmark scripts share: where things lie, running, recording, and reading what was recorded."""

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


def bare(command, environment=None):
    """(wall s, CPU s, output) of a run without the profiler."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.monotonic()
    run = subprocess.run(command, check=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True, env={**os.environ, **(environment or {})})
    wall = time.monotonic() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, run.stdout


def median(values):
    return statistics.median(values)


def bar(name, value, limit, met, text=None):
    """One line a figure: what it is, what was measured, what was promised, and whether it is kept."""
    print(f"BAR {name} | {text or value} | {limit} | {'met' if met else 'missed'}", flush=True)


def extra_numbers(profile, label):
    """Every number of that label in the sections of a processed profile."""
    return [entry["value"] for section in profile["meta"].get("extra", []) for entry in section["entries"] if entry["label"] == label]


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
