"""mutants.py KIND GECKOPROF PROGRAM [COUNT [FIRST]]: damages inputs at random, the same ones each time, and has the command read them.

KIND: sessions, profiles or programs (ELF files). PROGRAM is one with debug information, which works for some milliseconds.
COUNT inputs are made (200). FIRST is the number of the first one, with which a failure can be seen again.
Exit status 0: each command ended by itself with 0 or 1, in less than 20 s and 1 GiB, and wrote no control character."""
import copy
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import threading

MOST_SECONDS = 20
MOST_BYTES = 1 << 30
MOST_FILE_BYTES = 256 << 20
EXTREMES = (0, 1, 0x7F, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40, (1 << 63) - 1, 1 << 63, (1 << 64) - 1)
STRANGE_VALUES = (None, True, -1, 0, 1, 1e308, -1e308, 4294967296, 9007199254740993, 0.5, "", "\x1b[31mred\x1b]0;title\x07", "\u202ebidi", "\x7f\x9b31mred",
                  "x" * 5000, "0x1", [], {}, [[]], [None] * 3, {"name": 1}, {"length": 1 << 40})
REPORTS = (["report"], ["report", "--by", "thread"], ["report", "--by", "wait"], ["report", "--json"], ["check", "--warnings"])
BINARY_FORMATS = ("pprof", "perfetto", "otlp")
TEXT_FORMATS = ("processed", "chrome", "speedscope", "folded")
# All of C0 but tab and line end, DEL, C1 in UTF-8, and the marks that change the direction of text.
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]")


class Runner:
    def __init__(self, geckoprof):
        self.geckoprof = geckoprof
        self.number = 0
        self.counts = {}

    def fail(self, args, what):
        sys.exit(f"input {self.number}: {' '.join(map(str, args))}: {what}")

    def run(self, args, statuses=(0, 1)):
        """Returns the exit status."""
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
            child = subprocess.Popen([self.geckoprof, *args], stdin=subprocess.DEVNULL, stdout=out, stderr=err)
            resource.prlimit(child.pid, resource.RLIMIT_FSIZE, (MOST_FILE_BYTES, MOST_FILE_BYTES))
            timer = threading.Timer(MOST_SECONDS, os.kill, (child.pid, signal.SIGKILL))
            timer.start()
            _, status, usage = os.wait4(child.pid, 0)
            timer.cancel()
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            err.seek(0)
            texts = out.read(MOST_FILE_BYTES), err.read(1 << 20)
        if child.returncode not in statuses:
            self.fail(args, f"ended with {child.returncode}: {texts[1][:2000]}")
        if usage.ru_maxrss << 10 > MOST_BYTES:
            self.fail(args, f"took {usage.ru_maxrss >> 10} MiB")
        if child.returncode == 1 and args[0] != "check" and not texts[1].strip():
            self.fail(args, "failed without a word")
        for text in texts:
            found = CONTROLS.search(text)
            if found:
                self.fail(args, f"wrote {found.group()!r}: {text[max(0, found.start() - 100):found.end() + 100]!r}")
        key = (args[0], child.returncode)
        self.counts[key] = self.counts.get(key, 0) + 1
        return child.returncode


def record(runner, work, program, *options):
    profile = work / "good.json"
    if runner.run(["record", "-q", "-o", profile, *options, "--", "bash", "-c", f'{program} unnamed 0.05; {program} unnamed 0.05; cp -r "$GECKOPROF_SESSION_DIR" {work}/session']) != 0:
        sys.exit("nothing can be recorded")
    return profile


def change_bytes(data, chance, begin, end):
    """A few bytes, or one number, of data[begin:end]."""
    for _ in range(chance.choice((1, 1, 3, 20))):
        at = chance.randrange(begin, max(begin + 1, end - 8))
        if chance.random() < 0.5:
            data[at] = chance.randrange(256)
        else:
            at &= ~7
            struct.pack_into("<Q", data, at, chance.choice(EXTREMES))


class Sessions:
    def __init__(self, runner, work, program):
        record(runner, work, program)
        self.runner, self.work = runner, work
        self.good = {path.name: self.used_part(path) for path in (work / "session").glob("*.segment")}
        self.others = [path for path in (work / "session").iterdir() if path.name not in self.good]

    @staticmethod
    def used_part(path):
        with path.open("rb") as file:
            data = file.read(8 << 20)
        return data[: len(data.rstrip(b"\0")) + (64 << 10)]

    def damage(self, data, chance):
        used = len(data.rstrip(b"\0"))
        data = bytearray(data)
        pages = [at for at in range(0, used, 4096) if data[at : at + 4096].strip(b"\0")]
        page = chance.choice((0, 4096, chance.choice(pages), chance.choice(pages)))  # header, directory, anything
        length = len(data[page : page + 4096].rstrip(b"\0"))
        change_bytes(data, chance, page, page + max(length, 16))
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        else:
            data[:8] = b"GPROFSEG"
        return data

    def try_one(self, chance):
        session = self.work / "damaged"
        shutil.rmtree(session, ignore_errors=True)
        session.mkdir(mode=0o700)
        for other in self.others:
            shutil.copy(other, session) if other.is_file() else None
        for name, data in self.good.items():
            path = session / name
            path.write_bytes(self.damage(data, chance) if chance.random() < 0.7 else data)
            if chance.random() < 0.1 and len(data) > 4096:
                os.truncate(path, chance.choice((1 << 30, 1 << 33)))  # a hole
        profile = self.work / chance.choice(("made.json", "made.json.gz"))
        profile.unlink(missing_ok=True)
        self.runner.run(["recover", "--list"])
        if self.runner.run(["recover", session, "-q", "-o", profile]) == 0:
            if self.runner.run(["check", profile]) != 0:
                sys.exit(f"input {self.runner.number}: recover made a profile that check does not like")
            self.runner.run(chance.choice(REPORTS) + [profile])


class Profiles:
    def __init__(self, runner, work, program):
        self.runner, self.work = runner, work
        self.good = [record(runner, work, program).read_bytes()]
        shutil.rmtree(work / "session")
        self.good.append(record(runner, work, program, "--format", "gecko").read_bytes())

    def damage_value(self, value, chance, depth=0):
        """Replaces, removes or doubles something somewhere below a value."""
        if isinstance(value, (dict, list)) and value and (depth < 3 or chance.random() < 0.8):
            key = chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
            action = chance.random()
            if isinstance(value[key], (dict, list)) and value[key] and action < 0.85:
                self.damage_value(value[key], chance, depth + 1)
            elif action < 0.9:
                value[key] = copy.deepcopy(chance.choice(STRANGE_VALUES))  # which may be damaged in turn
            elif action < 0.95 or isinstance(value, dict):
                del value[key]
            else:
                value.insert(key, copy.deepcopy(value[key]))

    def try_one(self, chance):
        text = chance.choice(self.good)
        if chance.random() < 0.8:
            profile = json.loads(text)
            for _ in range(chance.choice((1, 1, 2, 8))):
                self.damage_value(profile, chance)
            text = json.dumps(profile).encode()
        else:
            text = bytearray(text)
            change_bytes(text, chance, 0, len(text))
        path = self.work / "damaged.json"
        path.write_bytes(text)
        self.runner.run(["check", path])
        self.runner.run(chance.choice(REPORTS) + [path])
        self.runner.run(["convert", "--to", chance.choice(BINARY_FORMATS), "-o", self.work / "converted", path])
        self.runner.run(["convert", "--to", chance.choice(TEXT_FORMATS), "-o", "-", path])
        more = chance.choice((["report", "--html", self.work / "page.html"], ["symbolicate", "-q", "--no-symbol-cache", "-o", "-"],
                              ["scrub", "-q", "-o", "-"], ["compare", self.work / "good.json"],
                              ["merge", "-q", "-o", self.work / "merged.json", self.work / "good.json"]))
        self.runner.run(more + [path])


class Programs:
    def __init__(self, runner, work, program):
        self.runner, self.work = runner, work
        self.copy = work / "program"
        shutil.copy(program, self.copy)
        self.profile = record(runner, work, self.copy, "--format", "gecko")
        self.good = self.copy.read_bytes()

    def try_one(self, chance):
        data = bytearray(self.good)
        header, sections = (0, 64), (struct.unpack_from("<Q", data, 40)[0], len(data))
        begin, end = chance.choice((header, sections, (0, len(data)), (64, min(4096, len(data)))))
        change_bytes(data, chance, begin, end)
        if chance.random() < 0.1:
            del data[chance.randrange(len(data)) :]
        self.copy.write_bytes(data)
        self.runner.run(["symbolicate", "-q", "--no-symbol-cache", "-o", self.work / "named.json", self.profile])


def main():
    kind, geckoprof, program, *rest = sys.argv[1:]
    count, first = ([int(each) for each in rest] + [200, 0][len(rest) :])[:2]
    runner = Runner(geckoprof)
    with tempfile.TemporaryDirectory() as work:
        os.environ.pop("DEBUGINFOD_URLS", None)
        inputs = {"sessions": Sessions, "profiles": Profiles, "programs": Programs}[kind](runner, pathlib.Path(work), program)
        for runner.number in range(first, first + count):
            inputs.try_one(random.Random(f"{kind} {runner.number}"))
    print(f"{count} inputs: " + ", ".join(f"{name} with {status}: {times}" for (name, status), times in sorted(runner.counts.items())))


main()
