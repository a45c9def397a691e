#!/usr/bin/env python3
"""flight_cases.py CASE GECKOPROF LIBRARY PROGRAM: one case of `geckoprof record --flight`. PROGRAM is flight_program.c. 77: skipped."""

import glob
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

GECKOPROF, LIBRARY, PROGRAM = sys.argv[2:5]
PATIENCE_S = 60
TIME = r"(\d+ ms|\d+\.\d s)"


def await_that(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


class Program:
    """flight_program, which obeys lines."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        self.pid = int(self.process.stdout.readline().split()[1])  # of the program

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in (self.pid, self.process.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.process.communicate()

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def obey(self, *lines):
        for line in lines:
            self.tell(line)
            assert self.process.stdout.readline() == "done\n", line

    def end(self, line=None):
        """Lets it end, and returns what the recorder printed."""
        if line is not None:
            self.tell(line)
        return self.process.communicate(timeout=PATIENCE_S)[1]


class Flight(Program):
    """A flight recorder that has started flight_program, which writes to FOLDER/f-N.json.gz."""

    def __init__(self, folder, *options, **more):
        self.folder = folder
        os.mkdir(f"{folder}/sessions", 0o700)
        environment = {**os.environ, "XDG_RUNTIME_DIR": f"{folder}/sessions"}
        super().__init__([GECKOPROF, "record", "-o", f"{folder}/f.json.gz", "--flight", *options, "--", PROGRAM], env=environment, **more)

    def capture(self):
        self.process.send_signal(signal.SIGUSR1)

    def profiles(self):
        return sorted(glob.glob(f"{self.folder}/f*"), key=lambda path: int(re.search(r"-(\d+)\.json", path).group(1)))

    def await_profiles(self, count):
        await_that(lambda: len(self.profiles()) >= count, f"no profile {count}")
        return self.profiles()


def load(path):
    subprocess.run([GECKOPROF, "check", path], check=True, stdout=subprocess.DEVNULL)
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def capture_text(profile):
    return [entry["value"] for section in profile["meta"]["extra"] for entry in section["entries"] if entry["label"] == "Capture"]


def markers_of(profile):
    """(name, start, end) in ms. An end is None for an instant."""
    strings = profile["shared"]["stringArray"]
    return [(strings[name], start, end) for thread in profile["threads"]
            for name, start, end in zip(*(thread["markers"][key] for key in ("name", "startTime", "endTime")))]


def names_of(profile):
    return [name for name, _, _ in markers_of(profile)]


def times_of(profile):
    for thread in profile["threads"]:
        yield from sample_times(thread["samples"])


def sample_times(samples):
    if "time" in samples:
        return samples["time"]
    times, now = [], 0
    for delta in samples["timeDeltas"]:
        now += delta
        times.append(now)
    return times


def expect_one(flight, error, cause):
    """The only capture, with its cause on standard error and in the profile."""
    profiles = flight.profiles()
    assert len(profiles) == 1, (profiles, error)
    profile = load(profiles[0])
    assert re.search(rf"^geckoprof: profile written to \S*f-1\.json\.gz \(.*\): the last .* s: {cause}$", error, re.MULTILINE), error
    assert re.fullmatch(f"the last .* s: {cause}", capture_text(profile)[0]), capture_text(profile)
    return profile


# --- captures ---

def captures(folder):
    """Two in a row, and a third one later; no file is replaced, and the recording goes on."""
    with open(f"{folder}/f-2.json.gz", "w", encoding="utf-8") as file:
        file.write("mine")
    with Flight(folder, "20s") as flight:
        flight.obey("busy 200")
        flight.capture()
        await_that(lambda: len(flight.profiles()) == 2, "no profile")
        flight.capture()
        await_that(lambda: len(flight.profiles()) == 3, "no second profile")
        flight.obey("busy 200")
        flight.capture()
        first, mine, second, third = flight.await_profiles(4)
        with open(mine, encoding="utf-8") as file:
            assert file.read() == "mine"
        counts = [len(list(times_of(load(path)))) for path in (first, second, third)]
        assert 0 < counts[0] <= counts[1] < counts[2], counts
        error = flight.end("exit 0")
        assert flight.process.returncode == 0 and error.count("the last 20 s: SIGUSR1") == 3, error
    assert os.listdir(f"{folder}/sessions") == []


def trimming(folder):
    """All that is in the last two seconds, and nothing else but intervals that reach into them."""
    with Flight(folder, "2s") as flight:
        flight.obey("paint 1", "child 20", "begin", "busy 500", "sleep 2200", "paint 300", "busy 300")
        flight.capture()
        flight.await_profiles(1)
        profile = load(flight.profiles()[0])
        flight.end("exit 0")
    times = list(times_of(profile))
    newest = max(times)
    # What happens until the session is read is in the profile, too.
    begin = min(times)
    assert 1800 <= newest - begin <= 4000, (begin, newest)
    for name, start, end in markers_of(profile):
        assert name == "Load" or max(start or 0, end or 0) >= begin - 100, (name, start, end, begin)
    names = names_of(profile)
    assert names.count("Paint") == 1 and names.count("Load") == 1 and "Child" not in names and "process start" not in names, names
    assert {thread["pid"] for thread in profile["threads"]} == {profile["threads"][0]["pid"]}  # without the child


def marker(folder):
    with Flight(folder, "10s", "--capture-when", "marker>800ms") as flight:
        flight.obey("paint 50", "sleep 300")
        assert flight.profiles() == []
        flight.obey("paint 900")
        flight.await_profiles(1)
        profile = expect_one(flight, flight.end("exit 0"), rf'the marker "Paint" of process {flight.pid} lasted {TIME}')
    assert names_of(profile).count("Paint") == 2


def marker_name(folder):
    with Flight(folder, "10s", "--capture-when", "marker:Load>200ms") as flight:
        flight.obey("paint 400", "begin", "sleep 300", "end")
        flight.await_profiles(1)
        expect_one(flight, flight.end("exit 0"), rf'the marker "Load" of process {flight.pid} lasted {TIME}')


def marker_pair(folder):
    with Flight(folder, "10s", "--capture-when", "marker>800ms") as flight:
        flight.obey("begin", "end", "begin", "sleep 900")
        assert flight.profiles() == []
        flight.obey("end")
        flight.await_profiles(1)
        expect_one(flight, flight.end("exit 0"), rf'the marker "Load" of process {flight.pid} lasted {TIME}')


def marker_of_ended_child(folder):
    """A process that ends right after its marker is looked at before it goes to the archive."""
    with Flight(folder, "10s", "--capture-when", "marker:Child>50ms") as flight:
        flight.obey("child 100")
        flight.await_profiles(1)
        profile = expect_one(flight, flight.end("exit 0"), rf'the marker "Child" of process \d+ lasted {TIME}')
    assert "Child" in names_of(profile)


def marker_pause(folder):
    """Within the pause there is no other capture of the same trigger. A marker right before the end counts."""
    with Flight(folder, "2s", "--capture-when", "marker:Paint>50ms", "--capture-when", "marker:Load>50ms") as flight:
        flight.obey("paint 80")
        flight.await_profiles(1)
        flight.obey("paint 80", "paint 80", "begin", "sleep 100", "end")
        error = flight.end("exit 0")
        assert len(flight.profiles()) == 2 and error.count('"Paint"') == 1 and error.count('"Load"') == 1, error


def cpu(folder):
    with Flight(folder, "10s", "--capture-when", "process-cpu>6%") as flight:
        flight.obey("sleep 2500")
        assert flight.profiles() == []
        flight.obey("busy 4000")
        flight.await_profiles(1)
        expect_one(flight, flight.end("exit 0"), r"process \d+ used \d+% CPU")


def process_memory(folder):
    with Flight(folder, "10s", "--capture-when", "memory>200MiB") as flight:
        flight.obey("memory 20", "sleep 1500")
        assert flight.profiles() == []
        flight.obey("memory 200", "sleep 1500")
        flight.await_profiles(1)
        expect_one(flight, flight.end("exit 0"), r"the processes had 2\d\d MiB of resident memory")


# --- the end ---

def crash(folder):
    with Flight(folder, "1s") as flight:
        flight.obey("paint 1", "sleep 1500", "busy 200")
        error = flight.end("crash")
        assert flight.process.returncode == 139, flight.process.returncode
        profile = expect_one(flight, error, r"the program ended: Segmentation fault.*")
    names = names_of(profile)
    assert "crash" in names and "exit" in names and "Paint" not in names, names


def exit_1(folder):
    with Flight(folder, "5s") as flight:
        flight.obey("busy 100")
        error = flight.end("exit 1")
        assert flight.process.returncode == 1
        profile = expect_one(flight, error, "the program ended: exit status 1")
    assert list(times_of(profile))


def exit_0(folder):
    with Flight(folder, "5s") as flight:
        flight.obey("busy 100")
        error = flight.end("exit 0")
        assert flight.process.returncode == 0 and flight.profiles() == []
        assert error.count("\n") == 1 and "nothing was captured at the end" in error, error
    assert os.listdir(f"{folder}/sessions") == []


def exit_wanted(folder):
    with Flight(folder, "5s", "--capture-when", "exit") as flight:
        flight.obey("busy 100")
        expect_one(flight, flight.end("exit 0"), "the program ended: exit status 0")


def quiet(folder):
    with Flight(folder, "5s", "-q") as flight:
        flight.obey("busy 100")
        flight.capture()
        flight.await_profiles(1)
        assert flight.end("exit 0") == ""


def usr1_ignored(folder):
    """As in nohup: the signal stays ignored, and goes to the program as without --flight."""
    with Flight(folder, "5s", preexec_fn=lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN)) as flight:
        flight.capture()
        flight.obey("busy 300")
        assert flight.profiles() == []
        flight.end("exit 0")
        assert flight.process.returncode == 0


def wrong_options(folder):
    for words, says in ((("--flight", "30"), "--flight: 30 is not a time"), (("--flight", "0s"), "--flight: 0s"),
                        (("--flight", "25h"), "--flight: 25h"), (("--capture-when", "exit"), "goes with --flight"),
                        (("--flight", "5s", "--duration", "3"), "without --duration"),
                        (("--flight", "5s", "-o", "/dev/null"), "no name for several files"),
                        (("--flight", "5s", "--capture-when", "marker"), "--capture-when: marker is none of"),
                        (("--flight", "5s", "--capture-when", "marker>5"), "does not end with a time"),
                        (("--flight", "5s", "--capture-when", "cpu>5"), "does not end with a share"),
                        (("--flight", "5s", "--capture-when", "memory>x"), "does not end with a size"),
                        (("--flight", "5s", "--capture-when", "threads>5"), "is about none of")):
        for program in (("--", "touch", f"{folder}/ran"), ("--pid", "1")):
            done = subprocess.run([GECKOPROF, "record", *words, *program], check=False, capture_output=True, text=True)
            assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1 and says in done.stderr, done
    assert not os.path.exists(f"{folder}/ran")


# --- a process that runs already ---

class Attached(Flight):
    def __init__(self, folder, program, *options):
        self.folder, self.pid = folder, 0
        os.mkdir(f"{folder}/sessions", 0o700)
        self.process = subprocess.Popen([GECKOPROF, "record", "-o", f"{folder}/f.json.gz", "--pid", str(program.pid), "--flight", *options],
                                        stderr=subprocess.PIPE, text=True, env={**os.environ, "XDG_RUNTIME_DIR": f"{folder}/sessions"})
        self.pid = self.process.pid
        assert self.process.stderr.readline().startswith("geckoprof: recording process")


def preloaded():
    return Program([PROGRAM], env={**os.environ, "LD_PRELOAD": LIBRARY})


def attached(folder):
    with preloaded() as program, Attached(folder, program, "3s", "--capture-when", "marker>100ms") as flight:
        program.obey("busy 300")
        flight.capture()
        flight.await_profiles(1)
        program.obey("paint 200")
        flight.await_profiles(2)
        flight.process.send_signal(signal.SIGINT)
        error = flight.end()
        assert flight.process.returncode == 0 and "nothing was captured at the end" in error and len(flight.profiles()) == 2, error
        assert list(times_of(load(flight.profiles()[0]))) and '"Paint"' in error, error
        assert program.process.poll() is None


def attached_crash(folder):
    with preloaded() as program, Attached(folder, program, "3s") as flight:
        program.obey("busy 300")
        program.end("crash")
        error = flight.end()
        assert flight.process.returncode == 0, error
        profile = expect_one(flight, error, "the process ended: Segmentation fault.*")
        assert "crash" in names_of(profile)


def attached_stopped(folder):
    """A stopped program is captured, and goes on later."""
    with preloaded() as program, Attached(folder, program, "20s") as flight:
        program.obey("busy 300")
        program.process.send_signal(signal.SIGSTOP)
        time.sleep(0.2)
        flight.capture()
        flight.await_profiles(1)
        assert list(times_of(load(flight.profiles()[0])))
        program.process.send_signal(signal.SIGCONT)
        program.obey("busy 10")
        program.end("exit 0")
        flight.end()
        assert len(flight.profiles()) == 1


# --- bounds ---

def descriptors_of(pid):
    return len(os.listdir(f"/proc/{pid}/fd"))


def memory_kib(pid):
    """Without pages of files, which other processes may share."""
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("RssAnon:"))


def bounded(folder):
    """Many captures and many children, and the recorder has what it had. Ended processes leave the session."""
    with Flight(folder, "1s", "--interval", "0.1", "--capacity", "2MiB", "--capture-when", "marker:Never>1s") as flight:
        session = glob.glob(f"{folder}/sessions/geckoprof-??????")[0]

        def round_of_work():
            flight.obey("children 40", "busy 100")
            count = len(flight.profiles())
            flight.capture()
            flight.await_profiles(count + 1)
            flight.obey("sleep 2500")
            await_that(lambda: not glob.glob(f"{folder}/sessions/*.old"), "a snapshot stays")
            return descriptors_of(flight.process.pid), memory_kib(flight.process.pid), len(os.listdir(session))

        figures = [round_of_work() for _ in range(8)]
        print(figures)
        descriptors, memory, files = zip(*figures)
        assert max(descriptors[2:]) <= max(descriptors[:2]) + 2, figures  # of an archive that is just there
        assert memory[-1] <= max(memory[:3]) + 300, figures
        assert max(files) <= 12, figures
        size = subprocess.run(["du", "-sk", session], check=True, stdout=subprocess.PIPE, text=True).stdout
        assert int(size.split()[0]) <= 2 * 1024 * 1.1, size
        flight.end("exit 0")


def main():
    case = globals()[sys.argv[1]]
    with tempfile.TemporaryDirectory() as folder:
        case(folder)
    return 0


sys.exit(main())
