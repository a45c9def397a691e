#!/usr/bin/env python3
"""gathering_cases.py CASE GECKOPROF LIBRARY PROGRAM: one case of a program that gathers the profiles of its children. 77: skipped."""

import glob
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

GECKOPROF, LIBRARY, PROGRAM = sys.argv[2:5]
PYTHON = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
BUSY = "while'1':pass"  # one word
NOBODY = 65534


class Skipped(Exception):
    pass


def await_that(condition, what, seconds=30):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.01)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def segments_of(pid):
    """The segments that a process has mapped."""
    try:
        return set(re.findall(r"(/\S+\.segment)", read(f"/proc/{pid}/maps")))
    except OSError:
        return set()


def await_recording(pid):
    await_that(lambda: segments_of(pid), f"{pid} does not record")


def folder_of(pid):
    """The folder in which a child records."""
    name, = segments_of(pid)
    return os.path.dirname(name)


class Parent:
    """gathering_program. Its children are killed at the end."""

    def __init__(self, preload=True, command=(PROGRAM,), **variables):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("GECKOPROF_")}
        environment = {**kept, **({"LD_PRELOAD": LIBRARY} if preload else {}), **variables}
        self.children = []
        self.process = subprocess.Popen(list(command), env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.children:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()

    def tell(self, *words):
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().rstrip("\n")
        assert answer, f"no answer to {words}"
        return answer

    def does(self, *words):
        answer = self.tell(*words)
        assert answer == "done", (words, answer)

    def makes(self, *words):
        pid = int(self.tell(*words))
        assert pid > 0, words
        self.children.append(pid)
        return pid

    def save(self, name="profile.json", command="save"):
        self.does(command, name)
        return Gathered(name)


class Gathered:
    def __init__(self, path):
        checked = subprocess.run([GECKOPROF, "check", path], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked
        with open(path, encoding="utf-8") as file:
            self.json = json.load(file)
        self.processes = self.json["processes"]

    def child(self, pid):
        found = [process for process in self.processes if process["threads"][0]["pid"] == pid]
        assert len(found) == 1, f"{len(found)} profiles of {pid} among {self.pids()}"
        return found[0]

    def pids(self):
        return [process["threads"][0]["pid"] for process in self.processes]

    def events(self, log="profileGatheringLog"):
        entry, = self.json[log].values()
        return (entry if log == "profileGatheringLog" else entry.get("children", {"events": []}))["events"]

    def texts(self, log="profileGatheringLog"):
        return [event[1] for event in self.events(log)]


def samples(process):
    return sum(1 for thread in process["threads"] for row in thread["samples"]["data"] if row[0] is not None)


def end_of(process):
    entry, = process["profilingLog"].values()
    return entry["recording"]["endReason"]


def texts(process):
    return {text for thread in process["threads"] for text in thread["stringTable"]}


def await_samples(parent, pid, least=20):
    def has_samples():
        process = [one for one in parent.save("waited.json").processes if one["threads"][0]["pid"] == pid]
        return process and samples(process[0]) >= least
    await_that(has_samples, f"no samples of {pid}")


# --- children that live ---

def forked(_):
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        gathered = parent.save()
        process = gathered.child(child)
        assert any("forked" in text for text in texts(process)), "no label of the child"
        assert end_of(process) == "alive"
        assert process["meta"]["interval"] == 1
        assert process["meta"]["startTime"] >= gathered.json["meta"]["startTime"]
        report = subprocess.run([GECKOPROF, "report", "--by", "process", "profile.json"], capture_output=True, text=True, check=True)
        assert str(child) in report.stdout, report.stdout
        names = gathered.texts()
        assert names[-1] == "Finished gathering, total size:" and "Generated parent process profile, size:" in names, names
        got = [event for event in gathered.events() if event[1] == "Got profile from pid, with size:"]
        assert got and got[0][2] == child and got[0][3] > 1000, got
        assert parent.tell("alone") == "alone"


def executed(_):
    """A program without settings is told to start, with the parent's parameters."""
    with Parent() as parent:
        parent.does("start", 2)
        child = parent.makes("exec", PYTHON, "-c", BUSY)
        await_samples(parent, child)
        process = parent.save().child(child)
        assert process["meta"]["interval"] == 2
        assert "python" in process["threads"][0]["processName"], process["threads"][0]["processName"]


def environment(_):
    """A program with the variables for a child records from its first instruction."""
    with Parent() as parent:
        parent.does("start", 2)
        child = parent.makes("environment", PYTHON, "-c", BUSY)
        await_recording(child)
        process = parent.save().child(child)
        assert process["meta"]["interval"] == 2
        parent.does("stop")
        await_that(lambda: not [name for name in segments_of(child) if os.path.exists(name)], "it goes on")
        idle = parent.makes("environment", PYTHON, "-c", BUSY)
        time.sleep(0.3)
        assert not segments_of(idle)


def grandchild(_):
    with Parent() as parent:
        parent.does("start", 1)
        pid = parent.makes("fork_twice")
        await_samples(parent, pid)
        gathered = parent.save()
        assert any("grandchild" in text for text in texts(gathered.child(pid)))
        assert len(gathered.processes) == 2
        parent.children += gathered.pids()


def before_start(_):
    """Children that are there already start with the parent."""
    with Parent() as parent:
        executed_child, forked_child = parent.makes("exec", PYTHON, "-c", BUSY), parent.makes("fork")
        time.sleep(0.3)
        assert not segments_of(executed_child) and not segments_of(forked_child)
        parent.does("start", 1)
        await_samples(parent, executed_child)
        await_samples(parent, forked_child)


def stopped(_):
    """A child that makes no progress costs no time, and its data is there."""
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        os.kill(child, signal.SIGSTOP)
        begin = time.monotonic()
        gathered = parent.save()
        assert time.monotonic() - begin < 2
        assert samples(gathered.child(child)) >= 20
        assert ["No answer from pid, its data is read as it is:", child] in [event[1:] for event in gathered.events()]


# --- children that have ended ---

def ended(_):
    with Parent() as parent:
        parent.does("start", 1)
        exits, killed = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        lives = parent.makes("fork")
        for pid in (exits, killed, lives):
            await_samples(parent, pid)
        os.kill(exits, signal.SIGUSR1)
        time.sleep(0.3)
        os.kill(killed, signal.SIGKILL)
        await_that(lambda: "Z" in read(f"/proc/{killed}/stat").rsplit(") ", 1)[1][:1], "it lives")
        gathered = parent.save()
        assert gathered.pids() == [exits, killed, lives], gathered.pids()
        assert [end_of(process) for process in gathered.processes] == ["exited", "ended", "alive"]
        assert next(iter(gathered.child(exits)["profilingLog"].values()))["recording"]["exitStatus"] == 7
        assert all(samples(process) >= 20 for process in gathered.processes)
        ends = [event[2] for event in gathered.events("profilingLog") if event[1] == "Child process has ended"]
        assert sorted(ends) == sorted([exits, killed]), ends


def expired(_):
    """Nothing of the parent is as old as the child's end: the oldest data has made room for newer."""
    with Parent(GECKOPROF_STARTUP="1", GECKOPROF_STARTUP_ENTRIES="1MiB") as parent:
        parent.does("start_small", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        os.kill(child, signal.SIGUSR1)
        deadline = time.monotonic() + 60
        while child in parent.save().pids():
            assert time.monotonic() < deadline, "it does not expire"
            assert parent.tell("fill") == "filled"
            assert parent.tell("work", 100) == "worked"
        gathered = parent.save()
        assert "Profile of ended child expired" in gathered.texts("profilingLog"), gathered.texts("profilingLog")


def limit(_):
    """Ended children take no more than the parent's buffer: the first go."""
    with Parent() as parent:
        parent.does("start_small", 1)
        pids = []
        for _ in range(30):
            pids.append(parent.makes("fork"))
            await_recording(pids[-1])
            os.kill(pids[-1], signal.SIGUSR1)
            await_that(lambda: "Z" in read(f"/proc/{pids[-1]}/stat").rsplit(") ", 1)[1][:1], "it lives")
        gathered = parent.save()
        kept = gathered.pids()
        assert kept and pids[0] not in kept and kept == [pid for pid in pids if pid in kept], (kept, pids)
        assert "Profile of ended child dropped at the limit" in gathered.texts("profilingLog")


# --- control ---

def paused_kinds(process):
    return [row["reason"] for row in process["pausedRanges"]]


def paused(_):
    with Parent() as parent:
        parent.does("start", 1)
        child, program = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        await_samples(parent, child)
        await_samples(parent, program)
        parent.does("pause")
        gathered = parent.save()
        assert paused_kinds(gathered.child(child)) == paused_kinds(gathered.child(program)) == ["profiler-paused"]
        late = parent.makes("exec", PYTHON, "-c", BUSY)
        await_that(lambda: late in parent.save().pids() and paused_kinds(parent.save().child(late)), "it is not paused")
        parent.does("resume")
        parent.does("pause_sampling")
        gathered = parent.save()
        for pid in (child, program):
            ranges = gathered.child(pid)["pausedRanges"]
            assert [row["endTime"] is None for row in ranges] == [False, True], ranges
            assert ranges[1]["reason"] == "sampling-paused"
        assert paused_kinds(gathered.child(late))[0] == "profiler-paused", paused_kinds(gathered.child(late))
        parent.does("resume_sampling")
        before = samples(parent.save().child(child))
        await_samples(parent, child, before + 20)
        await_samples(parent, late)


def paused_by_ctl(_):
    """Children follow a pause that another process makes."""
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        for command, expected in (("pause", ["profiler-paused"]), ("resume", ["profiler-paused"])):
            subprocess.run([GECKOPROF, "ctl", command, str(parent.process.pid)], check=True, stdout=subprocess.DEVNULL)
            await_that(lambda wanted=expected: paused_kinds(parent.save().child(child)) == wanted, f"the child does not {command}")
        ranges = parent.save().child(child)["pausedRanges"]
        await_that(lambda: parent.save().child(child)["pausedRanges"][0]["endTime"] is not None, f"it is paused: {ranges}")


def restarted(_):
    with Parent() as parent:
        parent.does("start", 1)
        child, program = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        await_samples(parent, child)
        await_samples(parent, program)
        parent.does("start", 3)
        await_samples(parent, child)
        await_samples(parent, program)
        gathered = parent.save()
        assert {process["meta"]["interval"] for process in gathered.processes} == {3}
        assert len(gathered.processes) == 2, gathered.pids()


def stopped_all(_):
    """Children stop with the parent, and nothing of them is left."""
    with Parent() as parent:
        parent.does("start", 1)
        child, program = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        await_samples(parent, child)
        await_samples(parent, program)
        folder = folder_of(child)
        assert folder_of(program) == folder and os.stat(folder).st_mode & 0o777 == 0o700
        parent.does("stop")
        assert not glob.glob(folder + "*"), glob.glob(folder + "*")
        for pid in (child, program):
            await_that(lambda: len(os.listdir(f"/proc/{pid}/task")) == 1, f"{pid} has a sampler")
        assert parent.tell("save", "none.json") == "nothing is recorded"


def follows_not(_):
    with Parent() as parent:
        parent.does("follow", 0)
        parent.does("start", 1)
        child, program = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        time.sleep(0.6)
        assert not segments_of(program) and len(os.listdir(f"/proc/{child}/task")) == 1
        gathered = parent.save()
        assert not gathered.processes and "profileGatheringLog" not in gathered.json
        parent.does("follow", 1)
        await_samples(parent, program)
        await_samples(parent, child)
        parent.does("follow", 0)
        assert not parent.save().processes
        await_that(lambda: len(os.listdir(f"/proc/{child}/task")) == 1, "it goes on")


def no_base(_):
    """A child without base is not touched."""
    with Parent(preload=False) as parent:
        parent.does("start", 1)
        program = parent.makes("exec", PYTHON, "-c", BUSY)
        time.sleep(0.6)
        assert not segments_of(program) and "libbaseprofiler" not in read(f"/proc/{program}/maps")
        assert not parent.save().processes
        assert re.search(r"^SigPnd:\s*0+$", read(f"/proc/{program}/status"), re.MULTILINE)


def another_user(_):
    if os.geteuid() != 0:
        raise Skipped("needs root")
    with Parent() as parent:
        parent.does("start", 1)
        drop = f"import os;os.setuid({NOBODY});os.execv('{PYTHON}',['{PYTHON}','-c','while/**/1:pass'])".replace("/**/", " ")
        with open("drop.py", "w", encoding="utf-8") as script:
            script.write(drop)
        program = parent.makes("exec", PYTHON, "drop.py")
        await_that(lambda: os.stat(f"/proc/{program}").st_uid == NOBODY, "it is root's")
        time.sleep(0.6)
        assert not [name for name in segments_of(program) if os.path.exists(name)]
        assert all(process["meta"]["interval"] == 1 for process in parent.save().processes)


def own_control(_):
    """A forked child whose program starts a recording controls it by itself."""
    with Parent() as parent:
        parent.does("start", 1)
        assert parent.tell("fork_starts", os.path.abspath("own.json")) == "0"
        own = Gathered("own.json")
        assert samples(own.json) >= 20 and own.json["meta"]["interval"] == 2
        assert any("on its own" in text for text in texts(own.json))
        parent.save()


# --- the way of the gathering ---

def progress(_):
    with Parent() as parent:
        parent.does("start", 1)
        children = [parent.makes("fork") for _ in range(3)]
        await_that(lambda: set(children) <= set(parent.save().pids()), "not all are there")
        answer = parent.tell("progress", "profile.json")
        match = re.fullmatch(r"done, calls (\d+), last 1.00, in order 1", answer)
        assert match and int(match.group(1)) >= 1 + 3 + 4, answer
        assert sorted(Gathered("profile.json").pids()) == sorted(children)


def cancel(_):
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        for at in (0, 0.1, 0.5):
            answer = parent.tell("cancel", at, "cancelled.json")
            assert answer.startswith("it was cancelled, "), answer
            assert not os.path.exists("cancelled.json") and not glob.glob(".geckoprof-*")
        assert child in parent.save().pids()


def hostile(_):
    """What a child does to its file, and to the folder, does the parent no harm."""
    with Parent() as parent:
        parent.does("start", 1)
        children = [parent.makes("fork") for _ in range(6)]
        for pid in children:
            await_samples(parent, pid)
        folder = folder_of(children[0])
        names = [f"{folder}/{pid}-0.segment" for pid in children]
        assert all(map(os.path.exists, names)), os.listdir(folder)
        for pid in children:
            os.kill(pid, signal.SIGSTOP)
        os.truncate(names[0], 0)
        os.truncate(names[1], 5000)
        size = os.path.getsize(names[2])
        with open(names[2], "r+b") as file:
            file.seek(4096)
            file.write(os.urandom(min(size, 1 << 20) - 4096))
        with open(names[3], "r+b") as file:
            file.write(os.urandom(4096))
        with open(names[4], "r+b") as file:  # the parent's id
            file.seek(48)
            file.write(parent.process.pid.to_bytes(4, "little"))
        os.mkfifo(f"{folder}/999999-0.segment")
        os.symlink("/etc/passwd", f"{folder}/999998-0.segment")
        os.mkdir(f"{folder}/999997-0.segment")
        open(f"{folder}/{'x' * 200}", "w", encoding="utf-8").close()
        gathered = parent.save()
        assert children[4] in gathered.pids() and children[5] in gathered.pids(), gathered.pids()
        assert parent.process.pid not in gathered.pids() and not {999999, 999998, 999997} & set(gathered.pids())
        assert samples(gathered.child(children[5])) >= 20
        assert parent.tell("work", 600) == "worked"  # the looks go on
        parent.save()


def last(_):
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        gone = parent.makes("fork")
        await_samples(parent, gone)
        os.kill(gone, signal.SIGUSR1)
        assert parent.tell("work", 2000) == "worked"
        parent.does("last", 0.5, "last.json")
        whole, recent = parent.save(), Gathered("last.json")
        assert gone in whole.pids() and gone not in recent.pids()
        for process in (recent.json, recent.child(child)):
            begin = process["meta"]["profilingStartTime"]
            times = [row[1] for thread in process["threads"] for row in thread["samples"]["data"] if row[0] is not None]
            assert times and min(times) >= begin - 1, (begin, min(times))
            assert 100 < max(times) - min(times) < 1500, (min(times), max(times))
        assert samples(whole.child(child)) > 2 * samples(recent.child(child))
        assert parent.tell("last", 0, "none.json") == "a number of seconds is needed"
        assert parent.tell("work", 10) == "worked"


def recorded(_):
    """Under a recorder, the children are in both profiles."""
    with Parent(preload=False, command=(GECKOPROF, "record", "-q", "-o", "recorded.json.gz", "--", PROGRAM)) as parent:
        parent.does("start", 1)
        child, program = parent.makes("fork"), parent.makes("exec", PYTHON, "-c", BUSY)
        await_samples(parent, child)
        await_samples(parent, program)
        assert len(parent.save().processes) == 2
    report = subprocess.run([GECKOPROF, "report", "--by", "process", "recorded.json.gz"], capture_output=True, text=True, check=True)
    assert str(child) in report.stdout and str(program) in report.stdout, report.stdout


def left_behind(_):
    """A killed parent leaves the data of all for `geckoprof recover`."""
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        folder = folder_of(child)
        listed = subprocess.run([GECKOPROF, "recover", "--list"], capture_output=True, text=True, check=True)
        assert folder in listed.stdout, listed.stdout
        os.kill(parent.process.pid, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        parent.process.wait()
        await_that(lambda: not os.path.exists(f"/proc/{child}") or
                   read(f"/proc/{child}/stat").rsplit(") ", 1)[1][0] == "Z", "it lives")
        recovered = subprocess.run([GECKOPROF, "recover", folder, "-o", "recovered.json.gz"], capture_output=True, text=True, check=False)
        assert recovered.returncode == 0, recovered
    report = subprocess.run([GECKOPROF, "report", "--by", "process", "recovered.json.gz"], capture_output=True, text=True, check=True)
    assert str(child) in report.stdout and str(parent.process.pid) in report.stdout, report.stdout
    subprocess.run([GECKOPROF, "recover", "--remove-stale"], capture_output=True, text=True, check=True)
    assert not os.path.exists(folder)


def unchanged(_):
    """The looks at the children take no descriptor from the program, and its threads are those that it made."""
    with Parent() as parent:
        parent.does("start", 1)
        child = parent.makes("fork")
        await_samples(parent, child)
        pid = parent.process.pid
        usual = sorted(os.listdir(f"/proc/{pid}/fd"))
        deadline = time.monotonic() + 2
        while time.monotonic() < deadline:
            assert sorted(os.listdir(f"/proc/{pid}/fd")) == usual
        names = [thread["name"] for thread in parent.save().json["threads"]]
        assert names == ["GeckoMain"], names


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            globals()[sys.argv[1]](folder)
        except Skipped as why:
            print(why)
            return 77
        finally:
            os.chdir("/")
    return 0


sys.exit(main())
