#!/usr/bin/env python3
"""session_cases.py CASE GECKOPROF: what happens to a recording of several processes when its session, its recorder or its processes are
mistreated. Exit status 77: the machine cannot show it.

The program must print the same and end in the same way as without us. Either there is a sound profile, or a line that tells why not."""

import glob
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import recorded_tree  # noqa: E402
from recorded_tree import Skipped, need_root, record, record_like_bare, wait_for  # noqa: E402

PYTHON = recorded_tree.PYTHON
SPIN = recorded_tree.SPIN
OTHER_USER = 65534


class Mounts:
    """A namespace of mounts of our own, for this process and what it starts."""

    def __init__(self):
        need_root()
        os.environ.pop("XDG_RUNTIME_DIR", None)
        os.environ.pop("TMPDIR", None)
        if recorded_tree.LIBC.unshare(0x20000) != 0 or recorded_tree.run(["mount", "--make-rprivate", "/"]).returncode != 0:
            raise Skipped("mounts are not permitted here")

    @staticmethod
    def small(place, size):
        done = recorded_tree.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=1777", "none", place])
        if done.returncode != 0:
            raise Skipped(f"no small file system: {done.stderr.decode()}")


def own_sessions(folder):
    """Gives the session a parent of its own, and returns that."""
    parent = tempfile.mkdtemp(prefix="sessions-", dir=folder)
    os.environ["XDG_RUNTIME_DIR"] = parent
    return parent


TREE = f"bash -c '{SPIN}; exit 2'; echo $?; ({SPIN}); bash -c '{SPIN}' & wait; exit 3"


# --- the session's folder ---

def removed(folder):
    """The program goes on when its session is removed. What started before may be in a profile."""
    own_sessions(folder)
    path = f"{folder}/profile.json.gz"
    done = recorded_tree.run([recorded_tree.GECKOPROF, "record", "-o", path, "--", "bash", "-c",
                              f"bash -c '{SPIN}'; rm -r \"$GECKOPROF_SESSION_DIR\"; {TREE}"])
    assert done.returncode == 3 and done.stdout == b"2\n", done
    assert not os.path.exists(path) and re.search(rb"^geckoprof record: .*nothing was recorded", done.stderr, re.M), done


def full(folder):
    """File systems of 1 MiB hold the newest data, which a line tells."""
    mounts = Mounts()
    own_sessions("/var/tmp")
    with tempfile.TemporaryDirectory(dir="/var/tmp") as output:
        for place in (os.environ["XDG_RUNTIME_DIR"], "/dev/shm", "/tmp"):
            mounts.small(place, "1m")
        os.chmod(os.environ["XDG_RUNTIME_DIR"], 0o700)
        tree = record_like_bare(output, ["bash", "-c", TREE])
        assert "are free for recorded data" in tree.notes(), tree.notes()
        tree.check_report()
        assert sum(process.samples for process in tree) > 0, list(tree)


def filled_meanwhile(folder):
    """The program fills the file system with data of its own."""
    mounts = Mounts()
    parent = own_sessions(folder)
    mounts.small(parent, "4m")
    os.chmod(parent, 0o700)
    tree = record_like_bare(folder, ["bash", "-c", f"head -c 100M /dev/zero >{parent}/filled 2>/dev/null; rm {parent}/filled; "
                                     f"head -c 100M /dev/zero >{parent}/filled 2>/dev/null; {TREE}"])
    tree.check_report()


def read_only(folder):
    """No process can make a file there, and the recorder cannot make the session."""
    mounts = Mounts()
    parent = own_sessions(folder)
    mounts.small(parent, "1m")
    os.chmod(parent, 0o700)
    assert recorded_tree.run(["mount", "-o", "remount,ro", parent]).returncode == 0
    record_like_bare(folder, ["bash", "-c", TREE]).check()  # in /dev/shm


def read_only_meanwhile(folder):
    mounts = Mounts()
    parent = own_sessions(folder)
    mounts.small(parent, "256m")
    os.chmod(parent, 0o700)
    tree = record_like_bare(folder, ["bash", "-c", f"bash -c '{SPIN}'; mount -o remount,ro {parent} 2>/dev/null; {TREE}"])
    tree.check_report()


def on_a_disk(folder):
    """The session is on another file system than /dev/shm."""
    mounts = Mounts()
    mounts.small("/dev/shm", "64k")
    os.environ["TMPDIR"] = folder
    tree = record_like_bare(folder, ["bash", "-c", f"[ ! -d \"$GECKOPROF_SESSION_DIR\" ] || ls -d {folder}/geckoprof-* >{folder}/seen; {TREE}"])
    assert os.path.exists(f"{folder}/seen"), "the session is elsewhere"
    tree.check()


def no_shared_memory(folder):
    """There is no /dev/shm."""
    mounts = Mounts()
    os.mkdir(f"{folder}/empty")
    assert recorded_tree.run(["mount", "--bind", f"{folder}/empty", "/dev"]).returncode == 0
    for name in ("null", "zero", "urandom"):
        os.mknod(f"/dev/{name}", 0o666 | 0o020000, os.makedev(1, {"null": 3, "zero": 5, "urandom": 9}[name]))
        os.chmod(f"/dev/{name}", 0o666)
    del mounts
    record_like_bare(folder, ["bash", "-c", TREE]).check()


def link_of_another_user(folder):
    """XDG_RUNTIME_DIR and TMPDIR lead, by a link, to a folder of another user, who would read the session."""
    need_root()
    os.chmod(folder, 0o1777)
    theirs, link = f"{folder}/theirs", f"{folder}/link"
    os.mkdir(theirs, 0o777)
    os.chown(theirs, OTHER_USER, OTHER_USER)
    os.symlink(theirs, link)
    os.lchown(link, OTHER_USER, OTHER_USER)
    for variable in ("XDG_RUNTIME_DIR", "TMPDIR"):
        tree = record(folder, ["sh", "-c", 'case $GECKOPROF_SESSION_DIR in /dev/shm/*|/tmp/geckoprof-*) exit 4;; esac; exit 5'],
                      env={**os.environ, variable: link})
        assert tree.run.returncode == 4 and not os.listdir(theirs), (tree.run, os.listdir(theirs))


def parent_of_others(folder):
    """Others may write to XDG_RUNTIME_DIR and to TMPDIR, which are not sticky."""
    shared = f"{folder}/shared"
    os.mkdir(shared)
    os.chmod(shared, 0o777)
    for variable in ("XDG_RUNTIME_DIR", "TMPDIR"):
        tree = record(folder, ["sh", "-c", f'case $GECKOPROF_SESSION_DIR in {shared}/*) exit 5;; esac; exit 4'], env={**os.environ, variable: shared})
        assert tree.run.returncode == 4 and not os.listdir(shared), tree.run


# --- segments that others change ---

SCRIBBLER = """import glob, os, random, sys, time
session, how = os.environ.pop("GECKOPROF_SESSION_DIR"), sys.argv[1]
generator = random.Random(how)
end = time.monotonic() + 1.5
while time.monotonic() < end:
    for path in glob.glob(session + "/*"):
        if path.endswith(f"/{os.getpid()}-0.segment") or path.endswith(f"/{os.getppid()}-0.segment"):
            continue
        try:
            with open(path, "r+b") as file:
                size = os.stat(path).st_size
                if how == "cut":
                    if path.rpartition("/")[2].startswith("ended"): file.truncate(generator.randrange(size + 1))
                elif how == "header":
                    file.seek(generator.randrange(8, 1600) & ~7)
                    file.write(generator.choice((bytes(8), b"\\xff" * 8, generator.randbytes(8))))
                elif how == "rows":
                    file.seek(4096 + 64 * generator.randrange(8) + generator.randrange(0, 40, 4))
                    file.write(generator.choice((bytes(4), b"\\xff" * 4, generator.randbytes(4))))
                else:
                    file.seek(generator.randrange(min(size, 4 << 20)))
                    file.write(generator.randbytes(64))
        except OSError:
            pass
    time.sleep(0.0005)
"""


def changed_while_read(folder, how):
    """A process of the tree writes into the others' files while the recorder reads them, and ends before the rest."""
    done_in = f"{folder}/done"
    # Short processes, so that there is an archive. Long ones write on.
    work = (f"{PYTHON} -c \"$1\" {how} & scribbler=$!; for i in $(seq 60); do (exit 3); /bin/true $i; bash -c '{SPIN[:-4].replace('60000', '4000')}done'; done; "
            f"wait $scribbler; touch {done_in}; exit 6")
    path = f"{folder}/profile.json.gz"
    begin_s = time.monotonic()
    done = recorded_tree.run([recorded_tree.GECKOPROF, "record", "-o", path, "--", "bash", "-c", work, "bash", SCRIBBLER])
    assert done.returncode == 6 and os.path.exists(done_in), done
    assert time.monotonic() - begin_s < 60, "it takes too long"
    assert not re.search(rb"crashed|not enough memory", done.stderr), done.stderr
    recorded_tree.read(path, done).check_report()


def scribbled_headers(folder):
    changed_while_read(folder, "header")


def scribbled_rows(folder):
    changed_while_read(folder, "rows")


def scribbled_entries(folder):
    changed_while_read(folder, "entries")


def cut_archive(folder):
    changed_while_read(folder, "cut")


# --- the recorder ---

def record_in_record(folder):
    """The inner recorder has its own processes, and is itself in the outer profile."""
    inner = f"{folder}/inner.json.gz"
    tree = record(folder, ["bash", "-c", f"{SPIN}; {recorded_tree.GECKOPROF} record -q -o {inner} -- bash -c '{SPIN}; bash -c \"exit 4\"; exit 5'; echo $?; {SPIN}; exit 6"])
    assert tree.run.returncode == 6 and tree.run.stdout == b"5\n", tree.run
    tree.check(unknown_ends=True)
    assert tree.with_command("record -q -o"), list(tree)
    inside = recorded_tree.read(inner)
    inside.check()
    assert inside.with_command("exit 4") and inside.program.samples > 0, list(inside)
    # The inner program was the inner recorder's child before its exec, and may have had a sample then.
    assert not {process.key for process in inside} & {process.key for process in tree if process.samples > 3}, (list(tree), list(inside))


def stopped_recorder(folder):
    """The program goes on, and its profile is whole once the recorder goes on."""
    path, ready = f"{folder}/profile.json.gz", f"{folder}/ready"
    begin_s = time.monotonic()
    recorder = subprocess.Popen([recorded_tree.GECKOPROF, "record", "-o", path, "--", "bash", "-c",
                                 f"{SPIN}; touch {ready}; for i in 1 2 3 4 5 6 7 8; do bash -c '{SPIN}; exit '$i; done; touch {folder}/ended; exit 3"],
                                stderr=subprocess.PIPE, stdout=subprocess.PIPE)
    wait_for(lambda: os.path.exists(ready), "the program does not start")
    recorder.send_signal(signal.SIGSTOP)
    wait_for(lambda: os.path.exists(f"{folder}/ended"), "the program waits for the recorder")
    time.sleep(0.3)
    recorder.send_signal(signal.SIGCONT)
    output, error = recorder.communicate(timeout=recorded_tree.LONGEST_S)
    assert recorder.returncode == 3, (recorder.returncode, error)
    tree = recorded_tree.read(path, subprocess.CompletedProcess([], 3, output, error), begin_s, time.monotonic())
    tree.check()
    assert {f"exit status {i}" for i in range(1, 9)} <= {process.end for process in tree}, list(tree)
    assert sum(process.samples > 0 for process in tree) >= 9, list(tree)


def killed_recorder(folder):
    """The processes record on without it. `recover` makes the profile of the archive and of the files."""
    parent = own_sessions(folder)
    count, ready = 400, f"{folder}/ready"
    recorder = subprocess.Popen([recorded_tree.GECKOPROF, "record", "-o", f"{folder}/lost.json.gz", "--", "bash", "-c",
                                 f"for i in $(seq {count}); do dash -c '{SPIN.replace('60000', '3000')}; exit $(($1 % 5))' dash $i; "
                                 f"[ $i != {count // 2} ] || touch {ready}; done; {SPIN}; touch {folder}/ended"])
    begin_s = time.monotonic()
    try:
        wait_for(lambda: os.path.exists(ready), "the program does not start")
    finally:
        recorder.kill()
        recorder.wait()
    (session,) = glob.glob(f"{parent}/geckoprof-*")
    assert os.path.getsize(f"{session}/ended") > 10_000, "there is no archive"
    wait_for(lambda: os.path.exists(f"{folder}/ended"), "the program does not go on")
    time.sleep(0.2)
    assert not os.path.exists(f"{folder}/lost.json.gz")
    listed = recorded_tree.geckoprof("recover", "--list")
    assert re.search(f"left behind .*{session} +bash", listed), listed
    recorded_tree.geckoprof("recover", session, "-q", "-o", f"{folder}/found.json.gz")
    tree = recorded_tree.read(f"{folder}/found.json.gz", subprocess.CompletedProcess([], 0, b"", b""), begin_s - 1, time.monotonic())
    tree.check(unknown_ends=True)
    children = [process for process in tree if any(command.startswith("dash -c") for command in process.commands)]
    ends = {process.commands[-1].split()[-1]: process.end for process in children}
    assert ends == {str(i): f"exit status {i % 5}" for i in range(1, count + 1)}, (len(ends), len(list(tree)))
    sampled = sum(process.samples > 0 for process in children)
    assert sampled > 10 and tree.program.samples > 0, (sampled, tree.program)


# --- the processes ---

def stopped_process(folder):
    """A child is stopped for a while, and is stopped when the program ends."""
    tree = record(folder, ["bash", "-c", f"""bash -c 'kill -STOP $$; {SPIN}; exit 3' & sleep 0.3; kill -CONT $!; wait $!; echo $?
bash -c '{SPIN}; kill -STOP $$' >/dev/null 2>&1 & echo $! >{folder}/stopped; sleep 0.5; exit 2"""])
    with open(f"{folder}/stopped", encoding="ascii") as file:
        pid = int(file.read())
    os.kill(pid, signal.SIGKILL)
    assert tree.run.returncode == 2 and tree.run.stdout == b"3\n", tree.run
    assert [process for process in tree if process.end == "exit status 3" and process.samples > 0], list(tree)
    stopped = [process for process in tree if process.pid == pid]
    assert len(stopped) == 1 and stopped[0].end is None and stopped[0].samples > 0, list(tree)


def traced_process(folder):
    """A debugger starts one process of the tree and stops in it, and a tracer is attached to another one."""
    recorded_tree.need("gdb")
    with open(f"{folder}/work.sh", "w", encoding="ascii") as file:
        file.write(f"{SPIN}; exit 3\n")
    tree = record(folder, ["bash", "-c", f"""gdb -q -batch -ex 'set startup-with-shell off' -ex 'handle SIGURG nostop noprint pass' \
-ex run --args dash {folder}/work.sh >{folder}/gdb.out 2>&1
bash -c '{SPIN}; sleep 0.5; {SPIN}; exit 4' & sleep 0.1
gdb -q -batch -p $! -ex detach >{folder}/attached.out 2>&1; wait $!; exit $?"""])
    with open(f"{folder}/gdb.out", encoding="utf-8", errors="replace") as file:
        output = file.read()
    assert "exited with code 03" in output, output
    assert tree.run.returncode == 4, tree.run
    debugged = [process for process in tree if any(command.startswith("/usr/bin/dash ") for command in process.commands)]
    assert len(debugged) == 1 and debugged[0].end == "exit status 3" and debugged[0].samples > 0, list(tree)
    assert [process for process in tree if process.end == "exit status 4" and process.samples > 20], list(tree)


def pid_namespace(folder):
    """The namespace has a /proc of its own, and then it has none."""
    if recorded_tree.run(["unshare", "-p", "-f", "--mount-proc", "true"]).returncode != 0:
        raise Skipped("no pid namespace to be had")
    tree = record_like_bare(folder, ["unshare", "-p", "-f", "--mount-proc", "bash", "-c",
                                     f"bash -c '{SPIN}; exit 3'; bash -c '{SPIN}; sleep 1.5; kill -9 $$'; echo $?; {SPIN}; exit 4"])
    assert tree.run.returncode == 4, tree.run
    inside = [process for process in tree if process.pid == 1]
    assert len(inside) == 1 and inside[0].end == "exit status 4" and inside[0].samples > 0, list(tree)
    children = [process for process in tree if process.end == "exit status 3"]
    assert len(children) == 1 and children[0].parent == inside[0].key and children[0].samples > 0, list(tree)
    killed = [process for process in tree if process.end == ("Killed" if recorded_tree.kernel_tells_ends() else "ended")]
    assert len(killed) == 1 and killed[0].samples > 0, list(tree)
    # A look for processes of another namespace costs much, so the next one comes later, and a process of 50 ms may be missed.
    counted = [process for process in (*inside, *killed) if "CPU" in tree.counters.get(process.key, ())]
    assert len(counted) == 2, (counted, tree.counters)
    tree.check(foreign_parents=(None,))  # the first process of a namespace does not know its parent


def time_namespace(folder):
    """CLOCK_MONOTONIC is another one there. The processes stand where their own clock puts them."""
    command = ["unshare", "-T", "--monotonic", "100000", "--boottime", "100000"]
    if recorded_tree.run([*command, "true"]).returncode != 0:
        raise Skipped("no time namespace to be had")
    tree = record_like_bare(folder, [*command, "bash", "-c", f"{SPIN}; bash -c '{SPIN}; exit 3'; exit 4"])
    assert [process for process in tree if process.end == "exit status 3" and process.samples > 0], list(tree)
    tree.check_report()


def sleepers(folder):
    """Hundreds of live processes, which all end at once."""
    count = 300
    tree = record_like_bare(folder, ["bash", "-c", f"for i in $(seq {count}); do sleep 2.$i & done; wait; exit 3"], "--capacity", "64MiB")
    tree.check()
    found = [process for process in tree if process.commands[-1].startswith("sleep 2.") and process.end == "exit status 0"]
    assert len(found) == count, len(found)


def live_above_the_limit(folder):
    """Live processes need more memory than the limit. What the ended ones have recorded is little, and stays."""
    count = 100
    program = os.path.join(os.path.dirname(recorded_tree.GECKOPROF), "..", "tests", "trees", "busy_children")
    tree = record(folder, [program, str(count), "3"], "--capacity", "4MiB", "--interval", "5")
    tree.check()
    children = tree.children_of(tree.program)
    assert len(children) == count, len(children)
    assert "dropped" not in tree.notes(), tree.notes()
    unsampled = [process for process in children if process.samples == 0]
    assert not unsampled, unsampled


if __name__ == "__main__":
    sys.exit(recorded_tree.main(globals(), sys.argv))
