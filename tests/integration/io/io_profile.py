#!/usr/bin/env python3
"""io_profile.py CASE GECKOPROF PROGRAM: what a recording says of the calls of io_program.

CASE is one of all, plain, main_thread, killed, threshold.
"""

import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile


def fail(what):
    sys.exit(f"io_profile: {what}")


def require(condition, what):
    if not condition:
        fail(what)


def record(geckoprof, program, features, folder, arguments=(), options=()):
    """Records PROGRAM FILES ARGUMENTS, where FILES is an empty folder. Returns the process, the profile and FILES."""
    profile = os.path.join(folder, "profile.json.gz")
    files = os.path.join(folder, "files")
    os.mkdir(files)
    command = [geckoprof, "record", "-q", "--features", features, *options, "-o", profile, "--", program, files, *arguments]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    subprocess.run([geckoprof, "check", profile], check=True, stdout=subprocess.DEVNULL)
    with gzip.open(profile) as file:
        return done, json.load(file), os.path.realpath(files)


def markers(profile, kind):
    for thread in profile["threads"]:
        rows = thread["markers"]
        for start, end, data in zip(rows["startTime"], rows["endTime"], rows["data"]):
            if data and data["type"] == kind:
                yield thread, start, end, data


def frames(profile, data):
    shared = profile["shared"]
    stack = data["cause"]["stack"]
    while stack is not None:
        frame = shared["stackTable"]["frame"][stack]
        yield shared["stringArray"][shared["funcTable"]["name"][shared["frameTable"]["func"][frame]]]
        stack = shared["stackTable"]["prefix"][stack]


def totals(profile):
    sums = collections.defaultdict(collections.Counter)
    for _, _, _, data in markers(profile, "IOTotals"):
        sums[data["class"], data["path"]].update({key: data[key] for key in ("calls", "read", "written", "time")})
    return sums


def check_totals(done, sums, files):
    def file(name):
        return sums["file", os.path.join(files, name)]

    def equal(name, calls, read, written):
        got = file(name)
        require((got["calls"], got["read"], got["written"]) == (calls, read, written), f"{name}: {got}")

    # Calls of four threads come on top of those of the main thread: 5000 reads and a close each.
    equal("positioned", 100 + 200 + 6 + 4 + 1 + 4 * 5001, 200 * 32 + 300 + 4 * 5000 * 16, 100 * 64 + 300)
    equal("reused_a", 2, 0, 11)
    equal("reused_b", 2, 0, 22)  # dup2 counts for the file that goes
    equal("reused_c", 5, 0, 33 + 44 + 55)
    equal("copy_from", 5, 3000, 1000)
    require(file("copy_to")["written"] == 2000, f"copy_to: {file('copy_to')}")
    require(file("stream")["read"] == 109 and file("stream")["written"] == 109, f"stream: {file('stream')}")
    equal("formatted", 2, 0, 9)
    require(file("interrupted")["calls"] == 20001, f"interrupted: {file('interrupted')}")
    handled = int(re.search(r"handler (\d+)", done.stdout).group(1))
    require(handled > 0 and file("handler")["written"] == 8 * handled, f"handler: {file('handler')}, not {handled} calls")
    equal("child", 30, 0, 210)  # the parent's descriptor number
    equal("executes", 9 * 42, 0, 9 * 42 * 3)
    require(file("parent")["written"] == 11, f"parent: {file('parent')}")
    require(not any("vforked" in path and kind != "path" for kind, path in sums), "a child of vfork has named a descriptor")
    port = re.search(r"port (\d+)", done.stdout).group(1)
    peer = sums["socket", f"tcp 127.0.0.1:{port}"]
    require((peer["read"], peer["written"]) == (300, 500), f"peer: {peer}")
    ring = sums["other", "anon_inode:[io_uring]"]
    if "ring\n" in done.stdout:
        require(ring["calls"] == 11 and ring["time"] >= 10 * 2, f"ring: {ring}")
    require(sums["path", "folder"]["calls"] >= 5, f"folder: {sums['path', 'folder']}")
    require(any(kind == "path" and path.startswith("...xxx") for kind, path in sums), "a long path has no row")


def check_all(geckoprof, program, folder):
    done, profile, files = record(geckoprof, program, "default,fileioall,netio", folder)
    require(done.returncode == 0 and done.stdout.endswith("ok\n"), f"the program failed: {done.stdout}{done.stderr}")
    check_totals(done, totals(profile), files)
    waits = [(data, end - start) for _, start, end, data in markers(profile, "NetIO") if data["operation"] == "recv"]
    require(any(25 < ms and data["read"] == 300 and data["peer"].startswith("tcp 127.0.0.1:") for data, ms in waits),
            f"the slow answer is missing: {waits}")
    stacks = [list(frames(profile, data)) for data, _ in waits if data.get("cause")]
    require(any(stack[0] == "Sockets" for stack in stacks), f"stacks: {stacks}")
    # The viewer's network track draws Firefox's own markers only, and is empty for others.
    rows = {schema["name"]: schema["display"][2:] for schema in profile["meta"]["markerSchema"]}
    require((rows["FileIO"], rows["NetIO"]) == (["timeline-fileio"], ["timeline-overview"]), f"rows of the markers: {rows}")
    for name, least in (("files", 300000), ("sockets", 800)):
        counters = [counter for counter in profile["counters"] if counter["name"] == name]
        require(all(counter["category"] == "Bandwidth" for counter in counters), f"{name}: another category")
        total = sum(sum(counter["samples"]["count"]) for counter in counters)
        require(total >= least, f"{name}: {total} bytes")
    text = subprocess.run([geckoprof, "report", "--by", "io", "--json", os.path.join(folder, "profile.json.gz")], check=True,
                          stdout=subprocess.PIPE).stdout
    rows = json.loads(text)["rows"]
    require({row["source"] for row in rows} == {"class", "path", "call", "counter", "marker"}, "report lacks rows")
    by_class = {row["name"]: row for row in rows if row["source"] == "class"}
    require(by_class["file"]["count"] > 40000 and by_class["socket"]["bytes"] >= 1000, f"classes: {by_class}")


def check_plain(geckoprof, program, folder):
    """Without the features there are no markers, and the program behaves the same."""
    done, profile, _ = record(geckoprof, program, "default,memory", folder)
    require(done.returncode == 0 and done.stdout.endswith("ok\n"), f"the program failed: {done.stdout}{done.stderr}")
    for kind in ("IOTotals", "FileIO", "NetIO"):
        require(not any(markers(profile, kind)), f"there are markers {kind}")


def check_main_thread(geckoprof, program, folder):
    done, profile, _ = record(geckoprof, program, "mainthreadio", folder, options=["--io-threshold", "0"])
    require(done.returncode == 0, f"the program failed: {done.stderr}")
    threads = {thread["isMainThread"] for thread, _, _, _ in markers(profile, "FileIO")}
    require(threads == {True}, "threads other than the main one have markers")
    require(not any(markers(profile, "NetIO")), "sockets have markers")
    require(not any(kind == "socket" for kind, _ in totals(profile)), "sockets have totals")


def check_threshold(geckoprof, program, folder):
    done, profile, files = record(geckoprof, program, "fileio", folder, options=["--io-threshold", "0"])
    require(done.returncode == 0, f"the program failed: {done.stderr}")
    reads = [data for _, _, _, data in markers(profile, "FileIO")
             if data["operation"] == "pread" and data["filename"] == os.path.join(files, "positioned")]
    require(len(reads) == 200 + 4 * 5000, f"{len(reads)} reads")


def check_killed(geckoprof, program, folder):
    done, profile, files = record(geckoprof, program, "fileio", folder, arguments=["kill"])
    require(done.returncode == 128 + 9, f"status {done.returncode}")
    killed = totals(profile)["file", os.path.join(files, "killed")]
    require(killed["written"] == 50010, f"totals of a killed program: {killed}")


def main():
    case, geckoprof, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"check_{case}"](geckoprof, program, folder)


if __name__ == "__main__":
    main()
