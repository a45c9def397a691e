#!/usr/bin/env python3
"""allocation_cases.py CASE GECKOPROF FOLDER: one case of `geckoprof record --features nativeallocations,memory`. FOLDER has the
programs. 77: skipped."""

import collections
import gzip
import json
import math
import os
import subprocess
import sys
import tempfile

GECKOPROF, FOLDER = sys.argv[2:4]
PROGRAM = f"{FOLDER}/allocation_program"


class Recorded:
    """A program that was recorded, with its blocks and what it printed."""

    def __init__(self, command, features="default,nativeallocations", interval="1", environment=(), status=0):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/profile.json.gz"
            settings = {**os.environ, "GECKOPROF_ALLOCATION_INTERVAL": interval, **dict(environment)}
            done = subprocess.run([GECKOPROF, "record", "-q", "-o", path, "--features", features, "--", *command], env=settings,
                                  capture_output=True, text=True, timeout=100, check=False)
            assert done.returncode == status, (done.returncode, done.stderr)
            self.lines = collections.Counter(done.stdout.split("\n"))
            subprocess.run([GECKOPROF, "check", path], check=True, stdout=subprocess.DEVNULL)
            self.report = subprocess.run([GECKOPROF, "report", "--by", "allocation", path], check=True, capture_output=True, text=True).stdout
            with gzip.open(path, "rt", encoding="utf-8") as file:
                self.profile = json.load(file)

    def rows(self):
        """(weight, address, thread) of all processes, in order of time."""
        for thread in self.profile["threads"]:
            table = thread.get("nativeAllocations")
            if table is not None:
                assert table["weightType"] == "bytes" and table["time"] == sorted(table["time"])
                yield from zip(table["weight"], table["memoryAddress"], table["threadId"])

    def expected(self, word):
        return [int(line.split()[1]) for line in self.lines if line.startswith(word + " ")]

    def markers(self):
        strings = self.profile["shared"]["stringArray"]
        return [strings[name] for thread in self.profile["threads"] for name in thread["markers"]["name"]]

    def counter(self, name):
        return [counter for counter in self.profile.get("counters", []) if counter["name"] == name]

    def expect_blocks(self):
        """Each printed block was got once, and given back where the program says so."""
        counts = collections.Counter(weight for weight, _, _ in self.rows())
        got, freed = self.expected("got"), self.expected("freed")
        assert got or freed, self.lines
        for size in got:
            assert counts[size] == 1 and counts[-size] == 0, (size, counts[size], counts[-size])
        for size in freed:
            assert counts[size] == 1 and counts[-size] == 1, (size, counts[size], counts[-size])


def family():
    recorded = Recorded([PROGRAM, "family"])
    recorded.expect_blocks()
    assert "Family" in recorded.report, recorded.report
    for name in ("Sample", "Record", "AllocateAndRecord", "malloc", "LiveAllocations"):
        assert f" {name} <" not in recorded.report, recorded.report


def retained():
    """After SIGKILL the report knows what the program still had."""
    recorded = Recorded([PROGRAM, "retained"], status=137)
    recorded.expect_blocks()
    live = {}
    for weight, address, _ in recorded.rows():
        if weight >= 0:
            live[address] = weight
        else:
            live.pop(address, None)
    assert set(recorded.expected("got")) <= set(live.values())


def out_of_memory():
    """After the kernel's out-of-memory killer the report knows what the program had."""
    most = 64 << 20
    first = "/sys/fs/cgroup/memory"  # of the first version of cgroups, or of the second one
    root, limit = (first, "memory.limit_in_bytes") if os.path.isdir(first) else ("/sys/fs/cgroup", "memory.max")
    group = f"{root}/geckoprof-{os.getpid()}"
    try:
        os.mkdir(group)
        try:
            with open(f"{group}/{limit}", "w", encoding="ascii") as file:
                file.write(str(most))
            enter = f"echo $$ > {group}/cgroup.procs && exec {PROGRAM} exhaust"
            recorded = Recorded(["sh", "-c", enter], status=137)
        finally:
            os.rmdir(group)
    except OSError as error:
        print("no group with a limit of memory:", error)
        sys.exit(77)
    retained = sum(weight for weight, _, _ in recorded.rows())
    assert 0.8 * most < retained < 1.1 * most, retained


def handler():
    Recorded([PROGRAM, "handler"])


def fork():
    recorded = Recorded([PROGRAM, "fork"])
    recorded.expect_blocks()


def threads():
    """The sum of weights is the sum of bytes within four standard errors, and no thread's part is missing."""
    mean = 65536
    recorded = Recorded([PROGRAM, "threads"], interval=str(mean))
    true = recorded.expected("all")[0]
    main = recorded.profile["threads"][0]["tid"]
    sampled = sum(weight for weight, _, thread in recorded.rows() if weight > 0 and thread != main)
    deviation = math.sqrt(true * mean)
    assert abs(sampled - true) < 4 * deviation, (sampled, true, deviation)
    balance = sum(weight for weight, _, thread in recorded.rows() if thread != main)
    assert abs(balance) < 0.02 * true, balance  # freed by other threads than those that got them


def deepbind():
    recorded = Recorded([PROGRAM, "deepbind", f"{FOLDER}/liballocation_plugin.so"])
    recorded.expect_blocks()


def limit():
    """Where there are no addresses, the program gets what it would get anyway."""
    recorded = Recorded([PROGRAM, "limit"], interval="512K")
    assert recorded.lines["full"] == 1


def own_malloc():
    recorded = Recorded([f"{FOLDER}/own_malloc"])
    assert list(recorded.rows()) == []
    assert "Allocations are not recorded" in recorded.markers(), recorded.markers()


def invalid():
    """Values of no use are told of, and the defaults count."""
    settings = {"GECKOPROF_ALLOCATION_INTERVAL": "1X", "GECKOPROF_IO_THRESHOLD": "", "GECKOPROF_LOCK_THRESHOLD": "-1", "GECKOPROF_LOOP_THRESHOLD": "5"}
    markers = Recorded([PROGRAM, "family"], environment=settings).markers()
    told = sorted(name.partition(" ")[0] for name in markers if name.endswith(" has an invalid value: the default is used"))
    assert told == sorted(set(settings) - {"GECKOPROF_LOOP_THRESHOLD"}), told


def counter():
    recorded = Recorded([PROGRAM, "family"], features="default,memory")
    assert list(recorded.rows()) == []
    (one,) = recorded.counter("malloc")
    samples = one["samples"]
    assert one["category"] == "Memory" and sum(samples["count"]) > 1_000_000, samples
    assert sum(samples["number"]) >= 2 * len(recorded.expected("freed")), samples


def off():
    """Preloaded, but not asked: nothing is recorded."""
    recorded = Recorded([PROGRAM, "family"], features="default",
                        environment={"LD_PRELOAD": os.path.join(os.path.dirname(GECKOPROF), "../lib/libgeckoprofiler_hooks.so")}.items())
    assert list(recorded.rows()) == [] and not recorded.counter("malloc")


def interpreter():
    """Python's own objects, by its own word."""
    code = "x = [bytearray(1000) for i in range(2000)]\nprint('got', 1)"
    recorded = Recorded(["/usr/bin/python3", "-c", code])
    sizes = collections.Counter(weight for weight, _, _ in recorded.rows())
    assert sizes[1001] >= 2000, sizes.most_common(5)


def other_allocator(library, folders=("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")):
    for folder in folders:
        if os.path.exists(f"{folder}/{library}"):
            recorded = Recorded([PROGRAM, "family"], environment={"LD_PRELOAD": f"{folder}/{library}"}.items())
            recorded.expect_blocks()
            return
    sys.exit(77)


def jemalloc():
    other_allocator("libjemalloc.so.2")


def tcmalloc():
    other_allocator("libtcmalloc_minimal.so.4")


def mimalloc():
    other_allocator("libmimalloc.so.2")


def main():
    case = globals().get(sys.argv[1])
    assert case is not None, sys.argv[1]
    case()


if __name__ == "__main__":
    main()
