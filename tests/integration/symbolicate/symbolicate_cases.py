#!/usr/bin/env python3
"""symbolicate_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof symbolicate`."""

import ctypes
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
GECKOPROF = os.path.realpath(sys.argv[2])
START, ADDRESSES = 0x7F0000000000, 20000


def made(folder, program=GECKOPROF, code_id=None):
    """A Gecko profile whose samples stand all over a program: the geckoprof command itself."""
    lib = {"start": START, "end": START + (1 << 32), "offset": 0, "arch": "", "name": "geckoprof", "path": program,
           "debugName": "geckoprof", "debugPath": program, "breakpadId": "", "codeId": code_id}
    step = max(os.path.getsize(program) // 2 // ADDRESSES, 1)
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
    subprocess.run([GECKOPROF, "symbolicate", "--no-symbol-cache", "-o", output, made(folder)], check=True)
    with open(output, "rb") as file:
        content = file.read()
    assert is_finished(content)
    assert sum("geckoprof::" in name for name in json.loads(content)["shared"]["stringArray"]) > 100


def case_interrupt(folder):
    """A signal at any moment leaves what was there, and nothing half-written."""
    source = made(folder)
    output = os.path.join(folder, "out.json")
    began = time.monotonic()
    subprocess.run([GECKOPROF, "symbolicate", "--no-symbol-cache", "-q", "-o", output, source], check=True)
    whole_s = time.monotonic() - began
    before = sorted(os.listdir(folder))
    interrupted = 0
    for step in range(16):
        with open(output, "wb") as file:
            file.write(b"precious")
        child = subprocess.Popen([GECKOPROF, "symbolicate", "--no-symbol-cache", "-q", "-o", output, source])
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


def symbolicated(source, *options, environment=None):
    """The result, and what was said."""
    output = os.path.join(os.path.dirname(source), "out.json")
    ran = subprocess.run([GECKOPROF, "symbolicate", *options, "-o", output, source], check=True, stderr=subprocess.PIPE, text=True,
                         env={**os.environ, **(environment or {})})
    with open(output, "rb") as file:
        return file.read(), ran.stderr


def build_id_of(program):
    notes = subprocess.run(["readelf", "-n", program], check=True, stdout=subprocess.PIPE, text=True).stdout
    return re.search(r"Build ID: ([0-9a-f]+)", notes).group(1)


def compiled(folder):
    """A program with a build id and many functions."""
    program = os.path.join(folder, "program")
    source = os.path.join(folder, "program.cc")
    with open(source, "w", encoding="utf-8") as file:
        file.write("".join(f"int function_{i}(int x) {{ return x * {i + 3}; }}\n" for i in range(2000)) + "int main() { return 0; }\n")
    subprocess.run(["c++", "-g", "-Wl,--build-id", "-o", program, source], check=True)
    return program


def names_in(content):
    return sum(name.startswith("function_") for name in json.loads(content)["shared"]["stringArray"])


def case_cache(folder):
    """The second time nothing is read again, and the result is the same; what is gone keeps its names."""
    program, cache = compiled(folder), os.path.join(folder, "cache")
    build_id = build_id_of(program)
    source = made(folder, program, build_id)
    plain, said = symbolicated(source, "--no-symbol-cache")
    assert names_in(plain) > 500, names_in(plain)
    environment = {"XDG_CACHE_HOME": cache}
    for _ in range(2):
        assert symbolicated(source, environment=environment) == (plain, said)
        kept = os.path.join(cache, "geckoprof", "symbols", build_id + ".symbols")
        assert os.stat(kept).st_mode & 0o7777 == 0o600 and os.stat(os.path.dirname(kept)).st_mode & 0o7777 == 0o700
    # What it has is not written again.
    written = os.stat(kept).st_ino
    assert symbolicated(source, "--symbol-cache", os.path.dirname(kept)) == (plain, said)
    assert os.stat(kept).st_ino == written
    # Gone.
    os.rename(program, program + ".away")
    gone, said = symbolicated(source, environment=environment)
    assert gone == plain and "from the cache" in said, said
    without, said = symbolicated(source, "--no-symbol-cache")
    assert names_in(without) == 0 and "cannot open" in said, said
    # Another build at its place: its profile gets its own names, and the old one's still those of then.
    with open(program + ".away", "rb") as file:
        other = file.read()
    with open(program, "wb") as file:
        file.write(other.replace(bytes.fromhex(build_id), bytes.fromhex(build_id)[::-1]).replace(b"function_", b"otherwise"))
    other_source = made(folder, program, build_id_of(program))
    content, said = symbolicated(other_source, environment=environment)
    assert names_in(content) == 0 and b"otherwise" in content and "from the cache" not in said, said
    source = made(folder, program, build_id)
    gone, said = symbolicated(source, environment=environment)
    assert gone == plain and "from the cache" in said, said
    assert len(os.listdir(os.path.dirname(kept))) == 2


def case_bad_cache(folder):
    """A folder that cannot be, and a damaged file, cost nothing but a note."""
    program = compiled(folder)
    build_id = build_id_of(program)
    source = made(folder, program, build_id)
    plain, said = symbolicated(source, "--no-symbol-cache")
    content, noted = symbolicated(source, "--symbol-cache", "/dev/null/cache")
    assert content == plain and noted.replace(said, "").startswith("geckoprof: note: symbols are not kept"), noted
    assert len(noted.splitlines()) == len(said.splitlines()) + 1, noted
    content, noted = symbolicated(source, "-q", "--symbol-cache", "/dev/null/cache")
    assert content == plain and noted == ""
    kept = os.path.join(folder, "cache", build_id + ".symbols")
    assert symbolicated(source, "--symbol-cache", os.path.dirname(kept)) == (plain, said)
    with open(kept, "r+b") as file:
        whole = file.read()
        file.seek(len(whole) // 2)
        file.write(b"damaged")
    assert symbolicated(source, "--symbol-cache", os.path.dirname(kept)) == (plain, said)
    with open(kept, "rb") as file:
        assert file.read() == whole
    assert subprocess.run([GECKOPROF, "symbolicate", "--symbol-cache", folder, "--no-symbol-cache", source], stderr=subprocess.PIPE,
                          check=False).returncode == 2


def case_cache_servers(folder):
    """What a server had not is not taken for granted: it may have it by now."""
    program, cache = compiled(folder), os.path.join(folder, "cache")
    subprocess.run(["strip", program], check=True)
    build_id = build_id_of(program)
    source, kept = made(folder, program, build_id), os.path.join(cache, build_id + ".symbols")
    numbers = []
    for urls in ("file:///nowhere", "file:///nowhere", "", ""):
        environment = {"DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": os.path.join(folder, "debuginfod"), "HOME": folder}
        symbolicated(source, "--symbol-cache", cache, environment=environment)
        numbers.append(os.stat(kept).st_ino)
        os.link(kept, os.path.join(folder, f"held{len(numbers)}"))  # so that no inode is used again
    assert len(set(numbers)) == 3 and numbers[2] == numbers[3], numbers


def case_servers(folder):
    """What is not here comes from the servers that are named, and without a name nobody is asked."""
    try:
        ctypes.CDLL("libdebuginfod.so.1")
    except OSError:
        print("skipped: no libdebuginfod")
        sys.exit(77)
    program = compiled(folder)
    build_id = build_id_of(program)
    source = made(folder, program, build_id)
    served = os.path.join(folder, "server", "buildid", build_id)
    os.makedirs(served)
    shutil.copy(program, os.path.join(served, "executable"))
    subprocess.run(["objcopy", "--only-keep-debug", program, os.path.join(served, "debuginfo")], check=True)
    subprocess.run(["strip", program], check=True)

    def asked(urls, cache):
        """Functions that were named, and addresses with lines."""
        environment = {"DEBUGINFOD_URLS": urls, "DEBUGINFOD_CACHE_PATH": os.path.join(folder, cache), "HOME": folder}
        content, said = symbolicated(source, "--no-symbol-cache", environment=environment)
        return names_in(content), int(re.search("([0-9]+) with lines", said).group(1))

    server = "file://" + os.path.join(folder, "server")
    assert asked("", "none") == (0, 0)
    environment = {"DEBUGINFOD_URLS": "http://127.0.0.1:1", "DEBUGINFOD_CACHE_PATH": os.path.join(folder, "unreachable"), "HOME": folder}
    _, said = symbolicated(source, "--no-symbol-cache", environment=environment)
    assert said.count("the servers of DEBUGINFOD_URLS cannot be asked: ") == 1, said
    names, lines = asked(server, "debug_file")  # of a program without its own
    assert names > 500 and lines > 500, (names, lines)
    os.remove(program)
    os.remove(os.path.join(served, "debuginfo"))
    assert asked("", "none") == (0, 0)
    names, lines = asked(server, "program")
    assert names > 500 and lines > 500, (names, lines)
    assert sorted(name for name in os.listdir(folder) if name in ("none", "debug_file", "program")) == ["debug_file", "program"]


def main():
    os.makedirs(sys.argv[3], exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
        globals()["case_" + sys.argv[1]](folder)


main()
