#!/usr/bin/env python3
"""ring_profile.py CASE GECKOPROF [PROGRAM HOST PLUGIN COPY]: what a recording says of the requests of ring_calls.

CASE is one of requests, sockets, plain, plugin, copy. Exit status 77: liburing or the kernel's rings are missing.
"""

import collections
import os
import sys
import tempfile

import io_profile
from io_profile import require


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def record(geckoprof, program, features, folder, arguments=()):
    done, profile, files = io_profile.record(geckoprof, program, features, folder, arguments)
    if done.stdout == "forbidden\n":
        skip("the kernel gives no ring (sysctl kernel.io_uring_disabled, or a sandbox)")
    require(done.returncode == 0 and done.stdout == "ok\n", f"the program failed: {done.stdout}{done.stderr}")
    return profile, files


def requests(profile):
    sums = collections.defaultdict(collections.Counter)
    for _, _, _, data in io_profile.markers(profile, "IORequests"):
        sums[data["operation"], data["class"], data["path"]].update({key: data[key] for key in ("requests", "completed", "bytes")})
    return {name: (sum["requests"], sum["completed"], sum["bytes"]) for name, sum in sums.items()}


def expected_of_files(files):
    def file(name):
        return os.path.join(files, name)

    return {
        ("write", "file", file("ring_file")): (160, 160, 160 * 64),
        ("read", "file", file("ring_file")): (150, 150, 160 * 64),
        ("writev", "file", file("ring_file")): (1, 1, 400),
        ("readv", "file", file("ring_file")): (1, 1, 30),
        ("fsync", "file", file("ring_file")): (1, 1, 0),
        ("openat", "path", "ring_first"): (1, 1, 0),
        ("openat", "path", "ring_second"): (1, 1, 0),
        ("openat", "path", "(others)"): (1, 1, 0),  # the text cannot be read
        ("close", "file", file("ring_first")): (1, 1, 0),
        ("write", "file", file("ring_second")): (1, 1, 33),
        ("write", "other", "(registered file)"): (3, 3, 210),
        ("write_fixed", "file", file("ring_registered")): (1, 0, 0),  # the next one has the same user data
        ("read_fixed", "file", file("ring_registered")): (1, 0, 0),
        ("read", "other", "(others)"): (1, 1, 0),
        ("nop", "other", "anon_inode:[io_uring]"): (1, 1, 0),
    }


EXPECTED_OF_SOCKETS = {
    ("send", "socket", "unix"): (1, 1, 500),
    ("recv", "socket", "unix"): (1, 1, 500),
    ("sendmsg", "socket", "unix"): (1, 1, 300),
    ("recvmsg", "socket", "unix"): (1, 1, 300),
}


def check_files(profile, files):
    sums = requests(profile)
    for name, expected in expected_of_files(files).items():
        require(sums.get(name) == expected, f"{name}: {sums.get(name)}, not {expected}")
    calls = io_profile.totals(profile)
    # The ring has closed a file, and was closed. Other files have their numbers now.
    for name, written in (("ring_first", 11), ("ring_second", 22), ("ring_after", 44)):
        row = calls["file", os.path.join(files, name)]
        require(row["written"] == written, f"{name}: {row}")
    waits = collections.Counter(data["operation"] for _, start, end, data in io_profile.markers(profile, "FileIO")
                                if data["filename"] == "anon_inode:[io_uring]" and end - start > 10)
    # liburing goes from the first one to the second one, which counts once all the same.
    for operation in ("io_uring_wait_cqe_timeout", "io_uring_wait_cqes", "io_uring_submit_and_wait_timeout"):
        require(waits[operation] == 1, f"{operation}: {waits}")
    require(waits["io_uring_wait_cqe"] >= 1, f"io_uring_wait_cqe: {waits}")


def check_requests(geckoprof, folder, program, *_):
    profile, files = record(geckoprof, program, "default,fileioall,netio", folder)
    check_files(profile, files)
    sums = requests(profile)
    for name, expected in EXPECTED_OF_SOCKETS.items():
        require(sums.get(name) == expected, f"{name}: {sums.get(name)}, not {expected}")
    for stack in (list(io_profile.frames(profile, data)) for _, _, _, data in io_profile.markers(profile, "FileIO")
                  if data["operation"] == "io_uring_wait_cqe_timeout"):
        require(stack[0] == "Errors", f"stack: {stack}")
    counters = {counter["name"]: sum(counter["samples"]["count"]) for counter in profile["counters"]}
    require(counters["sockets"] == 1600 and counters["files"] >= 2 * 10240 + 400 + 30 + 33, f"counters: {counters}")


def check_sockets(geckoprof, folder, program, *_):
    profile, _ = record(geckoprof, program, "default,netio", folder)
    require(requests(profile) == EXPECTED_OF_SOCKETS, f"{requests(profile)}")


def check_plain(geckoprof, folder, program, *_):
    """Without the features there are no markers, and the program behaves the same."""
    profile, _ = record(geckoprof, program, "default,memory", folder)
    for kind in ("IORequests", "IOTotals", "FileIO"):
        require(not any(io_profile.markers(profile, kind)), f"there are markers {kind}")


def check_plugin(geckoprof, folder, _, host, plugin, *__):
    """The program does not have liburing, and sees only the plugin's own function."""
    profile, files = record(geckoprof, host, "default,fileioall", folder, [plugin])
    check_files(profile, files)


def check_copy(geckoprof, folder, _, host, __, copy):
    """The plugin's own functions are called. Nothing is recorded of them."""
    profile, _ = record(geckoprof, host, "default,fileioall", folder, [copy])
    require(not requests(profile), "there are requests")


def main():
    case, geckoprof, *programs = sys.argv[1:]
    if not programs:
        skip("liburing-dev is not installed")
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"check_{case}"](geckoprof, folder, *programs)


main()
