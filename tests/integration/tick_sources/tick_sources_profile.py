#!/usr/bin/env python3
"""tick_sources_profile.py CASE GECKOPROF PROGRAM: counters that the full library reads, and those that it asks for.

Exit status 1, and a line for each fault."""

import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

CASE, GECKOPROF, PROGRAM = sys.argv[1:]
OF_PROCESS = {"CPU", "Resident memory", "Bytes read", "Bytes written", "Page faults", "Context switches"}
faults = []


def check(is_right, text):
    if not is_right:
        faults.append(text)


def run(case, output="", command=(), status=0, **variables):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GECKOPROF_")} | variables
    done = subprocess.run([*command, PROGRAM, case, output], capture_output=True, text=True, timeout=60, env=environment)
    check(done.returncode == status, f"{case}: status {done.returncode}, not {status}: {done.stderr}")
    check("descriptors" not in done.stdout, f"{case}: {done.stdout}")
    return done.stdout


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def rows_of(counter):
    samples = counter["samples"]
    if "data" in samples:
        return [(row[0], row[1]) for row in samples["data"]]
    return list(zip(samples["time"], samples["count"]))


def counters_of(profile):
    return [counter["name"] for counter in profile.get("counters", [])]


def named(profile, name):
    found = [counter for counter in profile.get("counters", []) if counter["name"] == name]
    check(len(found) == 1, f"{name}: {len(found)} counters")
    return rows_of(found[0]) if found else [(0, 0), (0, 0)]


def growth(profile, name):
    return sum(count for _, count in named(profile, name)[1:])


def check_process(profile, cpu_ms, memory_bytes):
    names = counters_of(profile)
    check(OF_PROCESS <= set(names), f"counters: {names}")
    check(len(names) == len(set(names)), f"a counter is there twice: {names}")
    check(cpu_ms / 10 < growth(profile, "CPU") < cpu_ms * 3, f"CPU: {growth(profile, 'CPU')} ms")
    check(growth(profile, "Resident memory") > memory_bytes / 2, f"memory: {growth(profile, 'Resident memory')}")
    check(growth(profile, "Bytes written") > 1 << 20, f"written: {growth(profile, 'Bytes written')}")
    # No rate is above that of a few cores.
    rows = named(profile, "CPU")
    rates = [(row[1], row[0] - before[0]) for before, row in zip(rows[1:], rows[2:])]
    check(all(count <= 6 * max(ms, 5) for count, ms in rates), f"CPU rates: {rates}")


def values(profile, marker, field):
    """That field of all markers of this name. A number stands for a text of the thread's table."""
    found = []
    for thread in profile["threads"]:
        strings = thread["stringTable"]
        names = thread["markers"]["schema"]
        for row in thread["markers"]["data"]:
            if strings[row[names["name"]]] == marker:
                value = row[names["data"]][field]
                found.append(strings[value] if isinstance(value, int) else value)
    return found


def recover(folder, pid):
    output = os.path.join(folder, "recovered.json")
    listed = subprocess.run([GECKOPROF, "recover", "--list"], capture_output=True, text=True, timeout=60).stdout
    segments = re.findall(rf"\S+/{pid}-\d+\.segment", listed)
    check(len(segments) == 1, f"segments of {pid}: {segments}")
    if not segments:
        return {}
    subprocess.run([GECKOPROF, "recover", segments[0], "-o", output], capture_output=True, timeout=60, check=True)
    os.unlink(segments[0])
    return read(output)


def end_by_signal(folder, case, number):
    with subprocess.Popen([PROGRAM, case], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        process.wait(60)
        check(process.returncode == -number, f"{case}: status {process.returncode}")
    return recover(folder, process.pid)


def main(folder):
    output = os.path.join(folder, "profile.json")
    if CASE == "work":
        run("work", output)
        check_process(read(output), 300, 32 << 20)
        check(growth(read(output), "level") > 0, "no level")
    if CASE == "recorded":
        run("record", "", [GECKOPROF, "record", "-o", output, "--"])
        check_process(read(output), 300, 32 << 20)
        check(growth(read(output), "level") > 0, "no level")
    if CASE == "ask":
        printed = run("ask", output)
        check("blocked calls 1, level 1" in printed, printed)
        profile = read(output)
        check(growth(profile, "level") > 0, "no level")
        # Each is asked at times of its own.
        level, change = growth(profile, "level"), growth(profile, "growth")
        check(0 < change <= 1.5 * level, f"growth {change} of the level {level}")
        marked = sorted(values(profile, "Counter not read", "name"))
        check(marked == ["blocks: its function takes long", "throws: its function has no value"], f"markers: {marked}")
    if CASE == "turns":
        run("turns", output)
        check(len(named(read(output), "level")) >= 3 and growth(read(output), "level") > 0, "the level had no turn")
    if CASE == "remade":
        change = int(run("remade", output).split()[1])
        counted = growth(read(output), "level")
        check(0 < counted <= change, f"the level changed by {change}, and {counted} was counted")
    if CASE == "many":
        check(run("many") == "refused 3\n", "513 counters and more are not refused")
    if CASE == "crash":
        profile = end_by_signal(folder, "crash", 11)
        check("AskFunction" in json.dumps(profile), "the crash has no stack of the function")
    if CASE == "kill":
        profile = end_by_signal(folder, "kill", 9)
        check(OF_PROCESS - {"Resident memory"} <= set(counters_of(profile)), f"counters: {counters_of(profile)}")
        check(growth(profile, "level") > 0, "no level")
    if CASE == "fork":
        run("fork", output)
        profile = read(output)
        check(len(profile["processes"]) == 1, "there is no child")
        check_process(profile, 160, 0)
        check_process(profile["processes"][0], 400, 16 << 20)
        check(growth(profile["processes"][0], "level") > 0, "no level in the child")
    if CASE == "hooks":
        check(run("hooks", output, LD_PRELOAD=os.path.join(os.path.dirname(GECKOPROF), "..", "lib", "libgeckoprofiler_hooks.so")) == "",
              "the features are not as asked")
        # The first row may come behind the writes.
        files, malloc = (sum(count for _, count in named(read(output), name)) for name in ("files", "malloc"))
        check(files == 100 * 1000, f"files: {files} bytes")
        check(malloc >= 1 << 20, f"malloc: {malloc} bytes")
        # The threads of the library are none of the program's.
        paths = values(read(output), "IOTotals", "path")
        check("/dev/null" in paths and not any("/task" in path for path in paths), f"paths: {paths}")
    if CASE == "ends":
        check(run("alone") == "", "the process was not alone")
        run("exit")
        run("last_thread")
        run("again", output)
        check(growth(read(output), "level") > 0, "no level")
        check(len(named(read(output), "CPU")) >= 2, "no CPU")


with tempfile.TemporaryDirectory() as made:
    main(made)
for fault in faults:
    print(fault)
sys.exit(1 if faults else 0)
