"""What the cases of control have in common: programs with base, commands, and what they must say."""

import json
import os
import re
import subprocess
import sys
import tempfile
import time

GECKOPROF, LIBRARY, STATIC_PROGRAM, OWNER_PROGRAM = sys.argv[2:6]
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable  # any user may run it
NOBODY = 65534
LONGEST_S = 5.0  # of a command that fails; the limit of 2 s, and a busy machine
BUSY = "import time\nprint('ready', flush=True)\nwhile True: sum(range(1000))\n"
COMMANDS = (("status",), ("start",), ("stop",), ("pause",), ("resume",), ("set", "--interval", "2"), ("capture", "-o", "/dev/null"))
BUSY_THREAD = "import threading\nthreading.Thread(target=lambda: [sum(range(1000)) for _ in iter(int, 1)], daemon=True).start()\n"


class Skipped(Exception):
    pass


def need_root():
    if os.geteuid() != 0:
        raise Skipped("needs root")


def environment(**more):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GECKOPROF_")}
    return {**kept, "LD_PRELOAD": LIBRARY, **more}


class Program:
    """A process with base that has printed its first line."""

    def __init__(self, *command, env=None, **options):
        self.process = subprocess.Popen(command, env=env or environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        **options)
        self.pid = self.process.pid

    def __enter__(self):
        assert self.process.stdout.readline() != "", "the program has ended"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.process.stdin.close()


def python(code, **options):
    return Program(PYTHON, "-c", code, **options)


def run(*arguments, **options):
    return subprocess.run([GECKOPROF, *map(str, arguments)], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          **options)


def ctl(*arguments, **options):
    return run("ctl", *arguments, **options)


def succeeds(*arguments):
    done = run(*arguments)
    assert done.returncode == 0, (arguments, done)
    return done.stdout + done.stderr


def fails(*arguments, says, status=1, **options):
    begin = time.monotonic()
    done = run(*arguments, **options)
    took_s = time.monotonic() - begin
    assert done.returncode == status, (arguments, done)
    assert done.stdout == "" and done.stderr.count("\n") == 1 and re.search(says, done.stderr), (arguments, done)
    assert took_s < LONGEST_S, (arguments, took_s)


def attach_to(pid, *options):
    recorder = subprocess.Popen([GECKOPROF, "record", "--pid", str(pid), *options], stderr=subprocess.PIPE, text=True)
    line = recorder.stderr.readline()
    assert line.startswith("geckoprof: recording process"), line
    return recorder


def state(pid):
    return succeeds("ctl", "status", pid).split(": ")[1].split()[0]


def samples_in(text):
    return int(re.search(r"\((\d+) samples?,", text).group(1))


def await_that(condition, what):
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def await_samples(pid, least):
    await_that(lambda: int(re.search(r"(\d+) samples", succeeds("ctl", "status", pid)).group(1)) >= least, "no samples")


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def field(pid, name):
    return re.search(rf"^{name}:\s*(.*)$", read(f"/proc/{pid}/status"), re.MULTILINE).group(1)


def threads_of(profile):
    report = json.loads(succeeds("report", "--json", profile))
    return [thread["name"] for thread in report["threads"]]


def main(cases):
    """Runs the case that the command names. Python has other meanings for two of the names. Returns the exit status."""
    name = {"list": "list_", "set": "set_"}.get(sys.argv[1], sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        try:
            cases[name](folder)
        except Skipped as reason:
            print(f"skipped: {reason}")
            return 77
    return 0
