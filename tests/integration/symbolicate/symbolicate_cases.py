#!/usr/bin/env python3
"""symbolicate_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof symbolicate`."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
GECKOPROF = os.path.realpath(sys.argv[2])
START, ADDRESSES = 0x7F0000000000, 20000


def made(folder):
    """A Gecko profile whose samples stand all over the geckoprof command itself."""
    lib = {"start": START, "end": START + (1 << 32), "offset": 0, "arch": "", "name": "geckoprof", "path": GECKOPROF,
           "debugName": "geckoprof", "debugPath": GECKOPROF, "breakpadId": "", "codeId": None}
    step = max(os.path.getsize(GECKOPROF) // 2 // ADDRESSES, 1)
    thread = {"processType": "default", "name": "GeckoMain", "registerTime": 0, "unregisterTime": None, "pid": 1, "tid": 1,
              "stringTable": [hex(START + step * i) for i in range(ADDRESSES)],
              "frameTable": {"schema": {"location": 0}, "data": [[i] for i in range(ADDRESSES)]},
              "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, i] for i in range(ADDRESSES)]},
              "samples": {"schema": {"stack": 0, "time": 1}, "data": [[i, i] for i in range(ADDRESSES)]},
              "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5}, "data": []}}
    profile = {"meta": {"version": 27, "startTime": 0, "interval": 1, "categories": [], "markerSchema": []}, "libs": [lib],
               "pages": [], "processes": [], "threads": [thread]}
    path = os.path.join(folder, "made.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    return path


def is_finished(content):
    profile = json.loads(content)
    return len(profile["threads"][0]["samples"]["stack"]) == ADDRESSES


def case_own_program(folder):
    """Names come out, and the file is a whole one."""
    output = os.path.join(folder, "out.json")
    subprocess.run([GECKOPROF, "symbolicate", "-o", output, made(folder)], check=True)
    with open(output, "rb") as file:
        content = file.read()
    assert is_finished(content)
    assert sum("geckoprof::" in name for name in json.loads(content)["shared"]["stringArray"]) > 100


def case_interrupt(folder):
    """A signal at any moment leaves what was there, and nothing half-written."""
    source = made(folder)
    output = os.path.join(folder, "out.json")
    began = time.monotonic()
    subprocess.run([GECKOPROF, "symbolicate", "-q", "-o", output, source], check=True)
    whole_s = time.monotonic() - began
    before = sorted(os.listdir(folder))
    interrupted = 0
    for step in range(16):
        with open(output, "wb") as file:
            file.write(b"precious")
        child = subprocess.Popen([GECKOPROF, "symbolicate", "-q", "-o", output, source])
        time.sleep(whole_s * step / 14)
        child.send_signal(signal.SIGINT)
        status = child.wait()
        with open(output, "rb") as file:
            content = file.read()
        # The signal may come between the renaming and the end of the process.
        assert status == 0 or status == -signal.SIGINT, status
        assert status != 0 or content != b"precious", status
        assert content == b"precious" or is_finished(content)
        assert sorted(os.listdir(folder)) == before, os.listdir(folder)
        interrupted += status != 0
    assert interrupted >= 3, interrupted


def main():
    os.makedirs(sys.argv[3], exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
        globals()["case_" + sys.argv[1]](folder)


main()
