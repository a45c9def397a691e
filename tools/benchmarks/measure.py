"""What the benchmark scripts share: where things lie, running, recording, and reading what was recorded."""

import array
import bisect
import collections
import functools
import gzip
import json
import os
import pwd
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


def clang_tool(name):
    """The program of LLVM for that name, as "clang++"."""
    return subprocess.run([os.path.join(ROOT, "tools", "clang_tool"), name], check=False, stdout=subprocess.PIPE, text=True).stdout.strip()


def scenario(name):
    return os.path.join(BUILD, "tests", "scenarios", name)


def number_argument(position, default):
    return float(sys.argv[position]) if len(sys.argv) > position else default


def as_user(user, command):
    """The command as root runs it for that user, with neither root's rights nor root's environment."""
    if user is None:
        return command
    return ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", "--reset-env", *command]


class Recording:
    """One run of `geckoprof record`, as that user; the profile is read on demand and deleted with the object's folder."""

    def __init__(self, command, options=(), user=None):
        self.folder = tempfile.TemporaryDirectory()
        if user:
            shutil.chown(self.folder.name, user)
        self.path = os.path.join(self.folder.name, "profile.json.gz")
        self.start_s = time.time()
        self.run = subprocess.run(as_user(user, [GECKOPROF, "record", "-o", self.path, *options, "--", *command]), check=False,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.end_s = time.time()
        self.status = self.run.returncode
        self.output = self.run.stdout

    def profile(self):
        if not os.path.exists(self.path):
            sys.exit(f"no profile of {' '.join(self.run.args)}: {self.run.stderr.strip()}")
        return load_profile(self.path)

    def report(self):
        text = subprocess.run([GECKOPROF, "report", "--json", self.path], check=True, stdout=subprocess.PIPE, text=True).stdout
        return json.loads(text)


def load_profile(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


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


def sampled_by(profile):
    """Which clocks took the samples, in the words of the profile, for at most three of its processes."""
    texts = sorted(set(extra_numbers(profile, "Sampled by")))
    return "; ".join(texts[:3]) + (f"; and {len(texts) - 3} others" if len(texts) > 3 else "") or "the profile does not say by what"


@functools.cache
def perf_problem():
    """Why perf cannot record the kernel's time here; None if it can."""
    if not have("perf"):
        return "perf is not installed"
    if os.geteuid() != 0:
        return "perf must run as root"
    command = ["perf", "record", "-q", "-e", "cpu-clock", "-o", "/dev/null", "--", "true"]
    run = subprocess.run(command, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    return None if run.returncode == 0 else "perf is refused: " + " ".join(run.stderr.split())


def require_perf():
    """Ends the benchmark with a sentence where perf cannot be used."""
    if perf_problem() is not None:
        print(f"skipped: {perf_problem()}")
        sys.exit(0)


class SharesBesidePerf:
    """Parts of the CPU time of functions, by our profiles and by perf's files, in per cent.

    Time in the kernel belongs to the function that entered it: our stacks end there, and perf's callchain names it. Time that perf saw
    without any function of the program, as in exec and at the end of a process, is left out.

    Both are compared by address, because perf takes another alias of a symbol than we do, and has no name for functions without a symbol.
    perf prints offsets in files. They are addresses in the image, too, as GNU ld lays out text. perf's own name counts only for addresses
    in none of the functions that our profiles hold.
    """

    def __init__(self):
        self.own_ns = collections.Counter()
        self.own_samples = 0
        self.perf_periods = collections.Counter()  # by library, address and perf's name
        self.perf_samples = 0
        self._symbols = collections.defaultdict(dict)  # by library: address to (size, name)

    def add_profile(self, profile, thread_name=None):
        shared, names = profile["shared"], profile["shared"]["stringArray"]
        frames, functions, symbols = shared["frameTable"], shared["funcTable"], shared["nativeSymbols"]
        for library, address, size, name in zip(*(symbols[key] for key in ("libIndex", "address", "functionSize", "name"))):
            self._symbols[_library_name(profile["libs"][library]["path"])][address] = (size or 0, names[name])
        for thread in profile["threads"]:
            if thread_name not in (None, thread["name"]):
                continue
            for stack, cpu_ns in zip(thread["samples"]["stack"], thread["samples"].get("threadCPUDelta", [])):
                if not cpu_ns:
                    continue
                self.own_samples += 1
                if stack is None:
                    self.own_ns["(no stack)"] += cpu_ns
                    continue
                frame = shared["stackTable"]["frame"][stack]
                symbol = frames["nativeSymbol"][frame]
                self.own_ns[names[functions["name"][frames["func"][frame]] if symbol is None else symbols["name"][symbol]]] += cpu_ns

    def add_perf(self, path, thread_name=None):
        script = subprocess.run(["perf", "script", "-i", path, "--no-inline", "-F", "comm,tid,period,ip,sym,dso"], check=True,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
        for sample in script.split("\n\n"):
            header, *callchain = sample.strip("\n").splitlines() or [""]
            words = header.split()
            if not words or thread_name not in (None, " ".join(words[:-2])):
                continue
            for frame in callchain:
                address, name, library = re.fullmatch(r"\s*(\w+) (.*) \((.*)\)", frame).groups()
                if not library.startswith("["):
                    self.perf_periods[_library_name(library), int(address, 16), name] += int(words[-1])
                    self.perf_samples += 1
                    break

    def functions(self):
        """(name, our share, perf's share), those with most by perf first."""
        theirs = collections.Counter()
        starts = {library: sorted(symbols) for library, symbols in self._symbols.items()}
        for (library, address, name), periods in self.perf_periods.items():
            before = bisect.bisect_right(starts.get(library, []), address) - 1
            if before >= 0:
                start = starts[library][before]
                size, own_name = self._symbols[library][start]
                name = own_name if address < start + size else name
            theirs[name] += periods
        shares = [(name, 100 * self.own_ns[name] / max(1, self.own_ns.total()), 100 * theirs[name] / max(1, theirs.total()))
                  for name in {**theirs, **self.own_ns}]
        return sorted(shares, key=lambda share: (-share[2], -share[1]))

    def bar(self, name, limit, top=None):
        """A line with the largest difference, of the functions with most by perf, or of all; without a bar where the limit is None."""
        shares = self.functions()[:top]
        worst = max(shares, key=lambda share: abs(share[1] - share[2]), default=("nothing", 0, 0))
        difference = abs(worst[1] - worst[2])
        text = (f"{difference:.1f} points ({worst[0]}: {worst[1]:.1f} %, by perf {worst[2]:.1f} %), "
                f"{self.own_samples} samples, by perf {self.perf_samples}")
        if limit is None:
            print(f"{name}: {text}; no bar")
        else:
            bar(name, difference, f"<= {limit} points from perf", difference <= limit and self.own_samples > 0 < self.perf_samples, text)
        print("  " + ", ".join(f"{function} {own:.1f} ({perf:.1f})" for function, own, perf in shares if max(own, perf) >= 1))


def _library_name(path):
    return os.path.basename(path)


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
