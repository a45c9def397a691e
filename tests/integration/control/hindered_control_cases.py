#!/usr/bin/env python3
"""hindered_control_cases.py CASE GECKOPROF LIBRARY STATIC_PROGRAM OWNER_PROGRAM: one case of `geckoprof ctl` where a process or its
surroundings are in the way. 77: skipped."""

import ctypes
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time

from controlled_program import (
    BUSY, BUSY_THREAD, COMMANDS, GECKOPROF, NOBODY, PYTHON, Program, STATIC_PROGRAM, Skipped, await_samples, await_that, ctl,
    environment, fails, field, main, need_root, python, read, run, samples_in, state, succeeds,
)


def all_fail(pid, says):
    for command, *options in COMMANDS:
        fails("ctl", command, pid, *options, says=says)
    fails("record", "--pid", pid, "-o", "/dev/null", says=says)


def no_process(_):
    process = subprocess.Popen(["true"])
    process.wait()
    all_fail(process.pid, "there is no process")
    all_fail(2**31 - 1, "there is no process")


def no_base(_):
    with python(BUSY, env=dict(os.environ)) as program:
        all_fail(program.pid, "has no libbaseprofiler.so: start it by `geckoprof record`, or .*LD_PRELOAD")


def static_program(folder):
    fifo = f"{folder}/fifo"
    os.mkfifo(fifo)
    with subprocess.Popen([STATIC_PROGRAM], env=environment(), stdout=subprocess.PIPE) as process:
        os.kill(process.pid, signal.SIGSTOP)
        if os.path.exists(f"/proc/{process.pid}/maps") and process.poll() is None:
            fails("ctl", "start", process.pid, says=r"has no libbaseprofiler.so \(static program\)|has ended|is stopped")
        process.kill()


def thread(_):
    with python(BUSY_THREAD + BUSY) as program:
        other = [tid for tid in os.listdir(f"/proc/{program.pid}/task") if int(tid) != program.pid][0]
        fails("ctl", "start", other, says=f"is a thread of process {program.pid}")


def zombie(_):
    with subprocess.Popen(["true"], env=environment()) as process:
        await_that(lambda: field(process.pid, "State").startswith("Z"), "no zombie")
        all_fail(process.pid, "has ended")


def kernel_thread(_):
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if int(read(f"/proc/{pid}/stat").rsplit(") ", 1)[1].split()[6]) & 0x200000:
            return all_fail(pid, "is a thread of the kernel")
    raise Skipped("no thread of the kernel is in sight")


def stopped(folder):
    with python(BUSY) as program:
        succeeds("ctl", "start", program.pid)
        await_samples(program.pid, 5)
        program.process.send_signal(signal.SIGSTOP)
        await_that(lambda: field(program.pid, "State").startswith("T"), "it goes on")
        for command in ("start", "stop", "pause", "resume"):
            fails("ctl", command, program.pid, says="is stopped, so it cannot answer")
        fails("ctl", "set", program.pid, "--interval", "2", says="is stopped, so it cannot answer")
        assert state(program.pid) == "recording"
        assert samples_in(succeeds("ctl", "capture", program.pid, "-o", f"{folder}/stopped.json")) > 0
        program.process.send_signal(signal.SIGCONT)
        await_that(lambda: not field(program.pid, "State").startswith("T"), "it stays stopped")
        succeeds("ctl", "stop", program.pid)


def traced(_):
    attach, detach = 16, 17
    libc = ctypes.CDLL(None, use_errno=True)
    with python(BUSY) as program:
        if libc.ptrace(attach, program.pid, None, None) != 0:
            raise Skipped("ptrace is not allowed")
        os.waitpid(program.pid, 0)
        fails("ctl", "start", program.pid, says="is held by a debugger")
        assert state(program.pid) == "idle"
        libc.ptrace(detach, program.pid, None, None)
        succeeds("ctl", "start", program.pid)


def not_dumpable(_):
    need_root()
    code = f"import ctypes\nctypes.CDLL(None).prctl(4, 0)\n{BUSY}"
    with python(code, user=NOBODY) as program:
        fails("ctl", "start", program.pid, says="does not let this user look into it|root may steer", user=NOBODY)
        succeeds("ctl", "start", program.pid)  # root may


def another_user(_):
    need_root()
    with python(BUSY, user=NOBODY) as theirs, python(BUSY) as roots:
        for command, *options in COMMANDS:
            fails("ctl", command, roots.pid, *options, says="belongs to root: only that user and root may steer it", user=NOBODY)
        succeeds("ctl", "start", theirs.pid)  # by root
        await_samples(theirs.pid, 5)
        done = ctl("stop", theirs.pid, user=NOBODY)
        assert done.returncode == 0, done
        assert theirs.process.poll() is None


def planted_request(_):
    """A file of another user is not obeyed, whoever sends the signal."""
    need_root()
    with python(BUSY) as program:
        number = 4711
        path = f"/dev/shm/geckoprof-control-{number}"
        request = (b"gpcontrl" + struct.pack("<IIQIIII", 8192, 1, number, 1, 0, 0, 0)).ljust(8192, b"\0")
        value = 0x6b63 << 48 | number
        info = (struct.pack("<iii4x", signal.SIGURG, 0, -1) + struct.pack("<iIQ", os.getpid(), 0, value)).ljust(128, b"\0")
        pidfd = os.pidfd_open(program.pid)
        for owner, mode in ((NOBODY, 0o600), (0, 0o644), (0, 0o600)):
            with open(path, "wb") as file:
                file.write(request)
                os.fchown(file.fileno(), owner, -1)
                os.fchmod(file.fileno(), mode)
            try:
                pidfd_send_signal = 424
                assert ctypes.CDLL(None).syscall(pidfd_send_signal, pidfd, signal.SIGURG, info, 0) == 0
                obeyed = (owner, mode) == (0, 0o600)
                if obeyed:
                    await_that(lambda: state(program.pid) == "recording", "the request is not obeyed")
                else:
                    time.sleep(0.3)
                    assert state(program.pid) == "idle", (owner, mode)
            finally:
                os.unlink(path)
        os.close(pidfd)


def other_namespaces(_):
    need_root()
    inner = f"mount -t tmpfs -o mode=1777 tmpfs /dev/shm && mount -t tmpfs -o mode=1777 tmpfs /tmp && exec {PYTHON} -c \"$0\""
    with Program("unshare", "--pid", "--mount", "--fork", "--mount-proc", "--kill-child", "sh", "-c", inner, BUSY) as program:
        children = read(f"/proc/{program.pid}/task/{program.pid}/children").split()
        pid = int(children[0])
        assert field(pid, "NSpid").split()[-1] == "1"
        succeeds("ctl", "start", pid)
        await_samples(pid, 5)
        with tempfile.TemporaryDirectory() as folder:
            assert samples_in(succeeds("ctl", "stop", pid, "-o", f"{folder}/inner.json.gz")) >= 4
        fails("record", "--pid", pid, "-o", "/dev/null", says="has file systems of its own")
        assert state(pid) == "idle"


def flood(_):
    with python(BUSY) as program:
        for _ in range(3):
            many = [subprocess.Popen([GECKOPROF, "ctl", command, str(program.pid)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                    for command in ("start", "stop", "pause", "resume") * 6]
            for one in many:
                error = one.communicate(timeout=30)[1]
                assert one.returncode in (0, 1) and error.count("\n") == one.returncode, error
        assert program.process.poll() is None
        ctl("stop", program.pid)
        succeeds("ctl", "start", program.pid)
        succeeds("ctl", "stop", program.pid)


def many_senders(_):
    """A thousand commands of four senders at a time. The program goes on, with its threads and descriptors."""
    with python(BUSY_THREAD + BUSY) as program:
        descriptors = os.listdir(f"/proc/{program.pid}/fd")
        loop = "i=0; while [ $i -lt 50 ]; do for command in start pause resume 'set --interval 2' stop; do " \
               f"{GECKOPROF} ctl $command {program.pid} 2>>errors; s=$?; [ $s -gt 1 ] && exit 9; done; i=$((i + 1)); done"
        with tempfile.TemporaryDirectory() as folder:
            senders = [subprocess.Popen(["sh", "-c", loop], cwd=folder) for _ in range(4)]
            for sender in senders:
                assert sender.wait(110) == 0, sender
            errors = read(f"{folder}/errors")
        assert "Segmentation" not in errors
        assert program.process.poll() is None, program.process.returncode
        ctl("stop", program.pid)
        await_that(lambda: field(program.pid, "Threads") == "2", "threads are left")
        assert os.listdir(f"/proc/{program.pid}/fd") == descriptors
        succeeds("ctl", "start", program.pid)
        await_samples(program.pid, 5)


def no_shared_memory(_):
    """Requests go through /tmp, and without that the command says why."""
    need_root()
    inner = f"mount -t tmpfs -o mode=755 tmpfs /dev/shm && mount -t tmpfs -o mode=$1 tmpfs /tmp && exec {PYTHON} -c \"$0\""
    for mode, reaches in (("1777", True), ("755", False)):
        with Program("unshare", "--mount", "--kill-child", "--fork", "sh", "-c", inner, BUSY, mode) as program:
            pid = int(read(f"/proc/{program.pid}/task/{program.pid}/children").split()[0])
            if reaches:
                succeeds("ctl", "start", pid)
                await_samples(pid, 5)
                succeeds("ctl", "stop", pid)
            else:
                fails("ctl", "start", pid, says="cannot be given a request .*/dev/shm: Operation not permitted, /tmp: Operation not")


def handles_sigurg(_):
    code = """import os, signal
seen = []
signal.signal(signal.SIGURG, lambda number, frame: seen.append(number))
print('ready', flush=True)
input()
for _ in range(10): os.kill(os.getpid(), signal.SIGURG)
handler = signal.getsignal(signal.SIGURG)
signal.signal(signal.SIGURG, signal.SIG_DFL)
os.kill(os.getpid(), signal.SIGURG)
print(len(seen), callable(handler), flush=True)
input()
"""
    with python(code) as program:
        succeeds("ctl", "start", program.pid)
        succeeds("ctl", "pause", program.pid)
        succeeds("ctl", "resume", program.pid)
        program.process.stdin.write("\n")
        program.process.stdin.flush()
        assert program.process.stdout.readline() == "10 True\n"
        succeeds("ctl", "stop", program.pid)


def ignores_sigurg(_):
    with python(f"import signal\nsignal.signal(signal.SIGURG, signal.SIG_IGN)\n{BUSY}") as program:
        fails("ctl", "start", program.pid, says="ignores SIGURG")


def blocks_sigurg(_):
    with python(f"import signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])\n{BUSY}") as program:
        fails("ctl", "start", program.pid, says="blocks SIGURG")
        assert field(program.pid, "ShdPnd") == "0" * 16  # nothing is left for later


def seccomp_filter(_):
    code = f"""import ctypes, struct
libc = ctypes.CDLL(None)
allow = struct.pack('<HBBI', 6, 0, 0, 0x7fff0000)
text = ctypes.create_string_buffer(allow)
program = struct.pack('<HxxxxxxQ', 1, ctypes.addressof(text))
libc.prctl(38, 1, 0, 0, 0)
assert libc.prctl(22, 2, program, 0, 0) == 0
{BUSY}"""
    with python(code) as program:
        fails("ctl", "start", program.pid, says="did not answer within 2 s: it is under a seccomp filter")
        assert program.process.poll() is None


def wrong_use(_):
    for words in ((), ("begin", "1"), ("start",), ("list", "1"), ("start", "1", "2"), ("start", "x"), ("capture", "1"),
                  ("stop", "1", "--interval", "1"), ("status", "1", "-o", "x"), ("set", "1"), ("set", "1", "--clock", "request"),
                  ("set", "1", "--no-arguments"), ("set", "1", "--interval", "0"), ("set", "1", "--interval", "1", "-o", "x"), ("start", "1", "--interval", "0"),
                  ("capture", "1", "-o", "x", "--format", "y"), ("capture", "1", "-o", "x", "--last", "y"), ("stop", "1", "--last", "1s")):
        done = ctl(*words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done
    for words in (("--pid", "x"), ("--pid", "0"), ("--pid", "1", "true")):
        done = run("record", *words)
        assert done.returncode == 2 and done.stderr.count("\n") == 1, done


if __name__ == "__main__":
    sys.exit(main(globals()))
