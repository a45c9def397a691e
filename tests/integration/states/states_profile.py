#!/usr/bin/env python3
"""states_profile.py FORMAT GECKOPROF PROGRAM: what `geckoprof report` says of the threads of states_program.

The program runs once under `geckoprof record`. Exit status 1, and a line for each fault. Status 77: the kernel does not count how long
threads wait for a core."""

import gzip
import json
import os
import subprocess
import sys
import tempfile

FORMAT, GECKOPROF, PROGRAM = sys.argv[1:]
RUN_MS = 2500
# What each thread waits for most, and the function in which it does.
CAUSES = {"sleeper": ("sleep", "sleep_long"), "holder": ("sleep", "hold_the_lock"), "waiter": ("lock", "want_the_lock"),
          "conditioned": ("condition", "wait_for_signal"), "poller": ("poll", "poll_the_pipe"), "piped": ("pipe", "read_the_pipe"),
          "socketed": ("socket", "read_the_socket"), "parent": ("child", "wait_for_child")}
COMPETITORS = ("one of two", "other of two")
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def has_schedstat():
    with open("/proc/self/schedstat", encoding="ascii") as file:
        return file.read().split()[2] != "0"


def report(*options):
    return json.loads(subprocess.run([GECKOPROF, "report", "--json", *options], check=True, stdout=subprocess.PIPE).stdout)


def lives_of(path):
    """Seconds for which each thread of the first process lived, by its id."""
    with gzip.open(path) as file:
        profile = json.load(file)
    end = profile["meta"]["profilingEndTime"]
    return {thread["tid"]: ((thread["unregisterTime"] or end) - thread["registerTime"]) / 1e3 for thread in profile["threads"]}


def check_times(path, threads):
    """The three times of a thread add up to its life. That of the main thread begins with the exec, and its first sample comes later."""
    lives = lives_of(path)
    for thread in threads.values():
        life = lives[thread["tid"]]
        if life < 1 or thread["isMainThread"]:
            continue
        parts = [thread[key] / 1e9 for key in ("cpuNs", "coreWaitNs", "waitNs")]
        check(abs(sum(parts) - life) <= 0.02 * life, f"{thread['name']} lived {life:.3f} s, and its parts are {parts}")


def check_waits(path, pid, threads):
    for name, (cause, function) in CAUSES.items():
        rows = report("--by", "wait", "--process", pid, "--thread", name, "--top", "1000", path)["rows"]
        total = sum(row["totalMs"] for row in rows)
        check(abs(total - threads[name]["waitNs"] / 1e6) < 1e-3, f"{name}: the rows have {total} ms, the thread {threads[name]}")
        waits = [row for row in rows if isinstance(row["stack"], list) and row["waits"] is not None and row["waits"] > 0]
        most = max(waits, key=lambda row: row["totalMs"], default=None)
        if name == "parent":  # its children sleep as well, but in processes of their own
            most = next((row for row in waits if row["cause"] == cause), most)
        check(most is not None and most["cause"] == cause, f"{name} waits for {most}")
        if FORMAT == "processed" and most is not None:
            check(function in most["stack"], f"{name} waits at {most['stack']}")
        if name == "waiter" and most is not None:
            check_lock(most, threads)


def check_lock(row, threads):
    holder = f"holder ({threads['holder']['tid']})"
    check(row["holder"] == holder, f"the lock is held by {row['holder']}, not by {holder}")
    check(row["lock"] is not None and int(row["lock"], 16) != 0, f"the lock is at {row['lock']}")
    check(row["maxMs"] > 20, f"the longest wait for the lock took {row['maxMs']} ms of 50")
    if FORMAT == "processed":
        check("hold_the_lock" in (row["holderStack"] or []), f"the lock is held at {row['holderStack']}")


def check_markers(path):
    """Waits for the lock are markers of the waiter."""
    with gzip.open(path) as file:
        profile = json.load(file)
    strings = profile["shared"]["stringArray"]
    for thread in profile["threads"]:
        if thread["name"] != "waiter":
            continue
        names = [strings[name] for name in thread["markers"]["name"]]
        check(names.count("lock wait") >= 3, f"the waiter's markers are {names}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "profile.json.gz")
        subprocess.run([GECKOPROF, "record", "--format", FORMAT, "-o", path, "--", PROGRAM, str(RUN_MS)], check=True,
                       stderr=subprocess.DEVNULL)
        whole = report(path)
        pid = next(thread["pid"] for thread in whole["threads"] if thread["name"] == "waiter")
        threads = {thread["name"]: thread for thread in whole["threads"] if thread["pid"] == pid}
        check({*CAUSES, *COMPETITORS} <= set(threads), f"the threads are {sorted(threads)}")
        if not faults:
            if FORMAT == "processed":
                check_times(path, threads)
                check_markers(path)
            check_waits(path, pid, threads)
            for name in COMPETITORS:
                share = threads[name]["coreWaitNs"] / (RUN_MS * 1e6)
                check(share > 0.25, f"{name} waited for a core for {share:.0%} of the time")
    print("\n".join(faults))
    return 1 if faults else 0


sys.exit(main() if has_schedstat() else 77)
