#!/usr/bin/env python3
"""control_cases.py CASE GECKOPROF LIBRARY STATIC_PROGRAM OWNER_PROGRAM: one case of `geckoprof ctl`. 77: skipped."""

import contextlib
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

from controlled_program import (
    BUSY, BUSY_THREAD, COMMANDS, GECKOPROF, NOBODY, OWNER_PROGRAM, PYTHON, Program, attach_to, await_samples, await_that, ctl,
    environment, fails, field, main, need_root, python, read, samples_in, state, succeeds, threads_of,
)


# --- what works ---

def idle_costs(_):
    with python(BUSY) as program:
        assert field(program.pid, "Threads") == "1"
        assert ".segment" not in read(f"/proc/{program.pid}/maps")
        assert ctl("status", program.pid).stdout.endswith(": idle\n")


def start_stop(folder):
    with python(BUSY_THREAD + BUSY) as program:
        succeeds("ctl", "start", program.pid, "--interval", "0.5")
        await_samples(program.pid, 20)
        assert state(program.pid) == "recording"
        succeeds("ctl", "pause", program.pid)
        assert state(program.pid) == "paused"
        succeeds("ctl", "resume", program.pid)
        assert state(program.pid) == "recording"
        profile = f"{folder}/out.json.gz"
        assert samples_in(succeeds("ctl", "stop", program.pid, "-o", profile)) >= 20
        assert state(program.pid) == "idle"
        assert len(threads_of(profile)) == 2, threads_of(profile)  # without the thread that obeyed
        succeeds("ctl", "start", program.pid)
        await_samples(program.pid, 1)
        succeeds("ctl", "stop", program.pid)


def twice(_):
    with python(BUSY) as program:
        fails("ctl", "stop", program.pid, says="is not recorded")
        fails("ctl", "pause", program.pid, says="is not recorded")
        fails("ctl", "capture", program.pid, "-o", "/dev/null", says="is not recorded")
        succeeds("ctl", "start", program.pid)
        fails("ctl", "start", program.pid, says="is recorded already")
        fails("ctl", "resume", program.pid, says="is not paused")
        succeeds("ctl", "pause", program.pid)
        fails("ctl", "pause", program.pid, says="paused already")
        succeeds("ctl", "stop", program.pid)
        fails("ctl", "stop", program.pid, says="is not recorded")


def capture_goes_on(folder):
    with python(BUSY) as program:
        succeeds("ctl", "start", program.pid)
        await_samples(program.pid, 20)
        first = samples_in(succeeds("ctl", "capture", program.pid, "-o", f"{folder}/1.json.gz"))
        await_samples(program.pid, 2 * first)
        second = samples_in(succeeds("ctl", "capture", program.pid, "-o", f"{folder}/2.json.gz"))
        assert first >= 15 and second > first, (first, second)
        assert state(program.pid) == "recording"
        time.sleep(1)  # then half a second is a part, and long enough to run on a busy machine
        last = samples_in(succeeds("ctl", "capture", program.pid, "-o", f"{folder}/3.json.gz", "--last", "500ms"))
        whole = samples_in(succeeds("ctl", "capture", program.pid, "-o", f"{folder}/4.json.gz"))
        assert 0 < last < whole, (last, whole)
        fails("ctl", "capture", program.pid, "-o", f"{folder}/none/1.json", says="none")


def profile_at_the_end(folder):
    profile = f"{folder}/end.json.gz"
    with python("import time\nprint('ready', flush=True)\ninput()\nend = time.time() + 0.3\nwhile time.time() < end: pass\n") as program:
        succeeds("ctl", "start", program.pid, "-o", profile)
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        assert program.process.wait(30) == 0
    assert threads_of(profile)
    assert os.stat(profile).st_mode & 0o777 == 0o600


def waiting_process(_):
    with Program("sh", "-c", "echo ready; exec sleep 60") as program:
        await_that(lambda: read(f"/proc/{program.pid}/comm") == "sleep\n", "no exec")
        await_that(lambda: ctl("start", program.pid).returncode == 0, "it is not ready")
        assert state(program.pid) == "recording"
        succeeds("ctl", "stop", program.pid)
        assert program.process.poll() is None  # the sleep was not interrupted


def after_its_recorder(folder):
    """A process that outlived its recorder records anew, in a folder of its own."""
    words = ["setsid", PYTHON, "-c", f"import os\nopen('{folder}/pid', 'w').write(str(os.getpid()))\n" + BUSY]
    succeeds("record", "-o", f"{folder}/old.json", "--", "/bin/sh", "-c", f"{shlex.join(words)} >/dev/null 2>&1 & sleep 1")
    pid = int(read(f"{folder}/pid"))
    try:
        succeeds("ctl", "start", pid)
        await_samples(pid, 20)
        assert samples_in(succeeds("ctl", "stop", pid, "-o", f"{folder}/new.json")) >= 20
    finally:
        os.kill(pid, signal.SIGKILL)


def forked_child(_):
    code = "import os\npid = os.fork()\nif pid == 0:\n    while True: pass\nprint(pid, flush=True)\ninput()\n"
    process = subprocess.Popen([PYTHON, "-c", code], env=environment(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    try:
        succeeds("ctl", "start", child)
        await_samples(child, 5)
        assert state(process.pid) == "idle"
        succeeds("ctl", "stop", child)
        succeeds("ctl", "start", process.pid)
        assert state(child) == "idle"
    finally:
        os.kill(child, signal.SIGKILL)
        process.communicate("\n")


def program_after_exec(_):
    with Program("sh", "-c", f"echo ready; exec {PYTHON} -c 'while True: pass'") as program:
        await_that(lambda: "python" in read(f"/proc/{program.pid}/comm"), "no exec")
        await_that(lambda: ctl("start", program.pid).returncode == 0, "it is not ready")
        await_samples(program.pid, 1)


def list_(_):
    with python(BUSY) as idle, python(BUSY) as recorded:
        succeeds("ctl", "start", recorded.pid)
        lines = [line.split() for line in succeeds("ctl", "list").splitlines()]
        rows = {int(words[0]): words[1] for words in lines if words[0].isdigit()}  # without the sessions
        assert rows[idle.pid] == "idle" and rows[recorded.pid] == "recording", rows
        assert os.getpid() not in rows


# --- set ---

def interval_ms(pid):
    return float(re.search(r"interval ([\d.e-]+) ms", succeeds("ctl", "status", pid)).group(1))


def samples_of(pid):
    return int(re.search(r"(\d+) samples", succeeds("ctl", "status", pid)).group(1))


def set_(folder):
    """The recording goes on with other settings, and has what it had."""
    with python(BUSY_THREAD + BUSY) as program:
        succeeds("ctl", "start", program.pid, "--capacity", "8MiB")
        await_samples(program.pid, 50)
        succeeds("ctl", "set", program.pid, "--interval", "0.5")
        assert interval_ms(program.pid) == 0.5
        succeeds("ctl", "set", program.pid, "--threads", "no thread is called so", "--features", "stackwalk")
        assert interval_ms(program.pid) == 0.5
        seen = samples_of(program.pid)
        time.sleep(0.2)
        assert samples_of(program.pid) <= seen + 1
        succeeds("ctl", "set", program.pid, "--threads", "*", "--capacity", "16MiB")
        await_samples(program.pid, seen + 50)
        profile = f"{folder}/out.json.gz"
        assert samples_in(succeeds("ctl", "capture", program.pid, "-o", profile)) >= seen + 45
        report = json.loads(succeeds("report", "--json", profile))
        assert len(report["threads"]) == 2, report
        fails("ctl", "set", program.pid, "--capacity", "8MiB", says="16.0 MiB, which cannot become smaller")
        succeeds("ctl", "set", program.pid, "--duration", "0.2")
        await_that(lambda: state(program.pid) == "idle", "the duration has no end")
        fails("ctl", "set", program.pid, "--interval", "1", says="is not recorded")


def set_paused(_):
    with python(BUSY) as program:
        succeeds("ctl", "start", program.pid)
        succeeds("ctl", "pause", program.pid)
        succeeds("ctl", "set", program.pid, "--interval", "5")
        assert state(program.pid) == "paused" and interval_ms(program.pid) == 5
        succeeds("ctl", "resume", program.pid)
        await_samples(program.pid, 5)


# --- sessions ---

class Session:
    """`geckoprof record` of a shell with two busy programs."""

    def __init__(self, folder, *options, code=BUSY, **other):
        self.folder = folder
        busy = f"{PYTHON} -c {shlex.quote(code)}"
        command = f"{busy} & {busy} & echo ready; wait"
        self.recorder = subprocess.Popen([GECKOPROF, "record", "-o", f"{folder}/session.json.gz", *options, "--", "sh", "-c", command],
                                         env={**environment(), "LD_PRELOAD": "", "TMPDIR": folder, "XDG_RUNTIME_DIR": ""},
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                         start_new_session=True, **other)
        self.path = ""

    def __enter__(self):
        seen = ""
        while seen.count("ready") < 3:  # the lines of three processes may mix
            line = self.recorder.stdout.readline()
            assert line, "the recorder has ended"
            seen += line
        self.path = read(f"/proc/{self.pids_below(self.recorder.pid)[0]}/environ").split("GECKOPROF_SESSION_DIR=")[1].split("\0")[0]
        await_that(lambda: len(self.states()) >= 3, "not all are recorded")
        return self

    def __exit__(self, *_):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.recorder.pid, signal.SIGKILL)
        self.recorder.communicate()
        if self.path:
            subprocess.run(["rm", "-rf", self.path], check=True)

    def pids_below(self, pid):
        return [int(child) for child in read(f"/proc/{pid}/task/{pid}/children").split()]

    def pythons(self):
        return self.pids_below(self.pids_below(self.recorder.pid)[0])

    def states(self):
        rows = [line.split() for line in succeeds("ctl", "status", self.path).splitlines()[2:]]
        return {int(row[0]): row[1] for row in rows}

    def end(self):
        """Ends the programs. Returns the words of the recorder."""
        for pid in self.pythons():
            os.kill(pid, signal.SIGTERM)
        self.recorder.wait(60)
        return self.recorder.stderr.read()


def session(folder):
    with Session(folder) as run_:
        first, second = run_.pythons()
        status = succeeds("ctl", "status", run_.path)
        assert re.match(rf"{run_.path}: 3 processes, [\d.]+ MiB, [\d.]+ MiB of the limit of 128.0 MiB \(--capacity\)", status), status
        assert run_.path in succeeds("ctl", "list")
        succeeds("ctl", "pause", run_.path)
        assert set(run_.states().values()) == {"paused"}
        succeeds("ctl", "resume", first)
        done = ctl("resume", run_.path)  # the others are resumed all the same
        assert done.returncode == 1 and re.fullmatch(rf".*process {first} .*is not paused\n", done.stderr), done
        assert set(run_.states().values()) == {"recording"}
        succeeds("ctl", "set", run_.path + "/", "--interval", "2")
        assert interval_ms(first) == 2 and interval_ms(second) == 2
        fails("ctl", "set", run_.path, "--capacity", "256MiB", says="its recorder holds the limit")
        fails("ctl", "set", first, "--capacity", "256MiB", says="whose recorder holds the limit")
        await_samples(first, 20)
        await_samples(second, 20)
        seen = samples_in(succeeds("ctl", "capture", run_.path, "-o", f"{folder}/1.json.gz"))
        assert seen >= 40 and len(threads_of(f"{folder}/1.json.gz")) >= 3
        await_samples(first, 200)
        assert samples_in(succeeds("ctl", "stop", run_.path, "-o", f"{folder}/2.json.gz")) > seen
        assert run_.states() == {} and state(first) == "idle"
        fails("ctl", "stop", run_.path, says="no process records into it")
        assert samples_in(run_.end()) > seen  # the recorder writes its profile all the same
        fails("ctl", "status", run_.path, says="No such file or directory")


def session_with_stopped_process(folder):
    """An error of one process, and the others obey."""
    with Session(folder) as run_:
        first, second = run_.pythons()
        os.kill(first, signal.SIGSTOP)
        await_that(lambda: field(first, "State").startswith("T"), "it goes on")
        done = ctl("pause", run_.path)
        assert done.returncode == 1 and done.stderr.count("\n") == 1 and f"process {first}" in done.stderr, done
        assert run_.states()[first] == "recording" and run_.states()[second] == "paused"
        succeeds("ctl", "capture", run_.path, "-o", f"{folder}/1.json.gz")
        os.kill(first, signal.SIGCONT)


def session_churn(folder):
    """Captures while processes come and end, and the recorder moves their segments away. Each process is there once."""
    churn = "import subprocess, time\nprint('ready', flush=True)\nwhile True: subprocess.run(['/bin/true']); time.sleep(0.01)"
    with Session(folder, code=churn) as run_:
        for number in range(6):
            profile = f"{folder}/{number}.json.gz"
            output = succeeds("ctl", "capture", run_.path, "-o", profile)
            assert "cannot" not in output and "damaged" not in output, output
            report = json.loads(succeeds("report", "--json", profile))
            pids = [thread["pid"] for thread in report["threads"] if thread["isMainThread"]]
            assert len(pids) > 3 and len(pids) == len(set(pids)), pids


def session_of_short_processes(folder):
    """A process that ends between the look and the command is no error."""
    short = """import os, time
print('ready', flush=True)
while True:
    if os.fork() == 0:
        time.sleep(0.02)
        os._exit(0)
    time.sleep(0.004)
    try:
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except ChildProcessError: pass
"""
    with Session(folder, code=short) as run_:
        for number in range(20):
            succeeds("ctl", "set", run_.path, "--interval", str(2 + number % 2))


def session_refused(folder):
    with Session(folder) as run_:
        os.symlink(run_.path, f"{folder}/link")
        os.mkdir(f"{folder}/empty", 0o700)
        for command, *options in COMMANDS:
            if command == "start":
                fails("ctl", command, run_.path, says="is no number of a process", status=2)
                continue
            fails("ctl", command, f"{folder}/link", *options, says="is a symbolic link")
            fails("ctl", command, f"{folder}/none", *options, says="No such file")
            fails("ctl", command, f"{folder}/empty", *options, says="is no session directory")
            fails("ctl", command, "/dev/null", *options, says="is no session directory")
            fails("ctl", command, folder, *options, says="is open to other users|is no session directory")
        segment = next(name for name in os.listdir(run_.path) if name.endswith(".segment"))
        fails("ctl", "status", f"{run_.path}/{segment}", says="is no session directory")
        with open(f"{run_.path}/8388608-0.segment", "wb") as file:
            file.write(b"damaged" * 1000)
        output = succeeds("ctl", "capture", run_.path, "-o", f"{folder}/1.json.gz")
        assert f"{run_.path}/8388608-0.segment is not a segment" in output and samples_in(output) >= 0, output
        if os.geteuid() == 0:
            fails("ctl", "pause", run_.path, says="Permission denied|belongs to another user", user=NOBODY)


def session_of_another_user(folder):
    """Root steers the session that it made for the process of another user."""
    need_root()
    with python(BUSY, user=NOBODY) as program:
        recorder = attach_to(program.pid, "-o", f"{folder}/attached.json.gz")
        path = os.path.dirname(re.search(r"\S+\.segment", succeeds("ctl", "status", program.pid)).group(0))
        succeeds("ctl", "pause", path)
        assert state(program.pid) == "paused"
        done = ctl("resume", path, user=NOBODY)
        assert done.returncode == 0, done
        assert state(program.pid) == "recording"
        await_samples(program.pid, 5)
        assert samples_in(succeeds("ctl", "capture", path, "-o", f"{folder}/1.json.gz")) >= 4
        recorder.send_signal(signal.SIGINT)
        recorder.communicate(timeout=60)


# --- GECKOPROF_SIGNALS ---

def await_profile(path):
    await_that(lambda: os.path.exists(path), "no profile")
    return threads_of(path)


def signals(folder):
    profile = f"{folder}/out.json.gz"
    with python(BUSY_THREAD + BUSY, env=environment(GECKOPROF_SIGNALS="1", GECKOPROF_STARTUP_INTERVAL="2", GECKOPROF_SHUTDOWN=profile)) as program:
        for _ in range(2):
            assert state(program.pid) == "idle" and field(program.pid, "Threads") == "2"
            program.process.send_signal(signal.SIGUSR1)
            await_that(lambda: state(program.pid) == "recording", "SIGUSR1 does not start")
            assert interval_ms(program.pid) == 2
            program.process.send_signal(signal.SIGUSR1)  # changes nothing
            await_samples(program.pid, 20)
            program.process.send_signal(signal.SIGUSR2)
            assert len(await_profile(profile)) == 2
            await_that(lambda: field(program.pid, "Threads") == "2", "a thread is left")
            assert not any(name.startswith(f"{program.pid}-") for name in os.listdir("/dev/shm/geckoprof-" + str(os.geteuid())))
            os.unlink(profile)
        program.process.send_signal(signal.SIGUSR2)  # nothing is recorded
        time.sleep(0.1)
        assert program.process.poll() is None and not os.path.exists(profile)
        # A process may also be started by the one, and stopped by the other.
        succeeds("ctl", "start", program.pid, "-o", f"{folder}/by_ctl.json.gz")
        program.process.send_signal(signal.SIGUSR2)
        await_profile(f"{folder}/by_ctl.json.gz")


def signals_default_file(folder):
    code = "import os\nprint('ready', flush=True)\nwhile os.getppid() != 1: sum(range(1000))\n"
    with python(code, env=environment(GECKOPROF_SIGNALS="1"), cwd=folder) as program:
        program.process.send_signal(signal.SIGUSR1)
        await_that(lambda: state(program.pid) == "recording", "SIGUSR1 does not start")
        await_samples(program.pid, 5)
        program.process.send_signal(signal.SIGUSR2)
        await_profile(f"{folder}/profile_{program.pid}.json.gz")


def signals_then_exit(folder):
    """The process ends while the profile is written. Its parent finds the whole file, and the status of the program."""
    profile = f"{folder}/out.json.gz"
    with python("print('ready', flush=True)\ninput()\nraise SystemExit(7)", env=environment(GECKOPROF_SIGNALS="1", GECKOPROF_SHUTDOWN=profile)) as program:
        program.process.send_signal(signal.SIGUSR1)
        await_that(lambda: state(program.pid) == "recording", "SIGUSR1 does not start")
        program.process.send_signal(signal.SIGUSR2)
        print(file=program.process.stdin, flush=True)
        assert program.process.wait(60) == 7
        assert len(threads_of(profile)) == 1


def signals_of_program(folder):
    """A handler of the program's own wins, calls do not fail, and without the variable the signals do what they did."""
    code = """import os, signal, sys, time
assert signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL
print('ready', flush=True)
sys.stdin.readline()
signal.signal(signal.SIGUSR1, lambda number, frame: print('mine', flush=True))
print('set', flush=True)
sys.stdin.readline()
"""
    with python(code, env=environment(GECKOPROF_SIGNALS="1"), cwd=folder) as program:
        program.process.send_signal(signal.SIGUSR1)  # while it reads
        await_that(lambda: state(program.pid) == "recording", "SIGUSR1 does not start")
        print(file=program.process.stdin, flush=True)
        assert program.process.stdout.readline() == "set\n"
        program.process.send_signal(signal.SIGUSR2)
        await_profile(f"{folder}/profile_{program.pid}.json.gz")
        program.process.send_signal(signal.SIGUSR1)
        assert program.process.stdout.readline() == "mine\n"
        assert state(program.pid) == "idle"
    for number in (signal.SIGUSR1, signal.SIGUSR2):
        with python(BUSY, env=environment(GECKOPROF_STARTUP="0")) as program:
            assert int(field(program.pid, "SigCgt"), 16) >> (number - 1) & 1 == 0
            program.process.send_signal(number)
            assert program.process.wait(30) == -number


def signals_while_forking(folder):
    """The program forks and ends children while the profile is written."""
    code = """import os, sys
print('ready', flush=True)
for number in range(100000):
    pid = os.fork()
    if pid == 0: os._exit(7)
    done, status = os.wait()
    assert (done, os.waitstatus_to_exitcode(status)) == (pid, 7)
"""
    with python(code, env=environment(GECKOPROF_SIGNALS="1"), cwd=folder) as program:
        profile = f"{folder}/profile_{program.pid}.json.gz"
        for _ in range(3):
            program.process.send_signal(signal.SIGUSR1)
            await_that(lambda: state(program.pid) == "recording", "SIGUSR1 does not start")
            program.process.send_signal(signal.SIGUSR2)
            await_profile(profile)
            os.unlink(profile)
            await_that(lambda: field(program.pid, "Threads") == "1", "a thread is left")
        assert program.process.poll() is None


# --- the full library ---

def owned(folder):
    """A recording that the full library controls: all but start and set."""
    with Program(OWNER_PROGRAM, env=environment(LD_PRELOAD="")) as program:
        fails("ctl", "start", program.pid, says="controls its recording itself")
        fails("ctl", "set", program.pid, "--interval", "2", says="controls its recording itself")
        for command, heard in (("pause", "pausing"), ("resume", "resumed")):
            succeeds("ctl", command, program.pid)
            assert program.process.stdout.readline() == f"{heard}\n"
        assert state(program.pid) == "recording"
        succeeds("ctl", "stop", program.pid, "-o", f"{folder}/out.json.gz")
        assert program.process.stdout.readline() == "stopping\n"
        program.process.stdin.close()
        assert program.process.stdout.readline() == "active 0\n"
        assert program.process.wait(30) == 0
        program.process.stdin = open(os.devnull, "w", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(globals()))
