#!/usr/bin/env python3
"""terminal_cases.py CASE GECKOPROF WORK_FOLDER CPP_PROGRAM: one case of `geckoprof report`, `compare` or `top`, or of all commands' help."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

CASE, GECKOPROF, WORK_FOLDER, CPP_PROGRAM = sys.argv[1:5]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "golden")
MANUAL = os.path.join(GOLDEN, "..", "..", "docs", "man")
VIEWS = ("function", "file", "library", "category", "thread", "process", "marker", "marker-type", "startup", "allocation", "io")
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
WORK = "import hashlib\nfor i in range({}):\n    hashlib.sha256(b'x' * 20000).hexdigest()\n"


def run(*arguments, **options):
    return subprocess.run([GECKOPROF, *arguments], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=100, **options)


def good(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, (arguments, done.stderr)
    return done.stdout


def record(path, *command):
    good("record", "-q", "-o", path, "--", *command)
    return path


def record_python(path, rounds=6000):
    return record(path, sys.executable, "-c", WORK.format(rounds))


def rows(path, view, *options):
    return json.loads(good("report", "--json", "--by", view, "--top", "1000000", *options, path))


def in_terminal(arguments, keys=(), columns=60, lines=24, environment=None, awaited=(b"", 0)):
    """What the terminal got, and the status; each of `keys`, or signals, is sent, or function called, a while after output came, and not
    before what is awaited, a text and how often, has come."""
    pid, terminal = pty.fork()
    if pid == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        os.environ.pop("COLUMNS", None)
        os.environ.update({"TERM": "xterm", **(environment or {})})
        os.execv(GECKOPROF, [GECKOPROF, *arguments])
    text, keys, sent = b"", list(keys), time.monotonic()
    while True:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        if ready:
            try:
                got = os.read(terminal, 65536)
            except OSError:
                break
            if not got:
                break
            text += got
        if keys and text and time.monotonic() - sent > 2.5 and text.count(awaited[0]) >= awaited[1]:
            key = keys.pop(0)
            if callable(key):
                key()
            elif isinstance(key, int):
                os.kill(pid, key)
            else:
                os.write(terminal, key)
            sent = time.monotonic()
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    return text.decode("utf-8"), os.waitstatus_to_exitcode(status)


def case_views(folder):
    path = record_python(os.path.join(folder, "a.json.gz"))
    for view in VIEWS:
        table = rows(path, view)
        assert table["by"] == view and table["rowCount"] == len(table["rows"]), view
        assert "\x1b" not in good("report", "--by", view, path)
    counted = rows(path, "function")["countedSamples"]
    assert counted > 50, counted
    for view in ("function", "file", "library", "category"):
        total = sum(row["self"] for row in rows(path, view)["rows"])
        assert abs(total - counted) < 1e-6, (view, total, counted)
    phases = rows(path, "startup")["rows"]
    names = [row["phase"] for row in phases]
    assert names[0] == "exec" and "main" in names, names
    assert any("libcrypto" in (row["name"] or "") for row in rows(path, "library")["rows"])
    # The counters of the process are all that there is.
    assert {row["name"] for row in rows(path, "allocation")["rows"]} <= {"Resident memory"}
    assert "Bytes read" in {row["name"] for row in rows(path, "io")["rows"]}


def case_filters(folder):
    path = record_python(os.path.join(folder, "a.json.gz"))
    whole = rows(path, "function")
    middle = whole["durationMs"] / 2
    early = rows(path, "function", "--to", f"{middle}")["countedSamples"]
    late = rows(path, "function", "--from", f"{middle / 1000:.9f}s")["countedSamples"]
    assert 0 < early < whole["countedSamples"], early
    assert abs(early + late - whole["countedSamples"]) <= 1, (early, late, whole["countedSamples"])
    name = whole["rows"][0]["name"]
    chosen = rows(path, "function", "--function", name)
    assert chosen["countedSamples"] >= whole["rows"][0]["total"]
    assert max(row["totalShare"] for row in chosen["rows"]) == 1
    assert rows(path, "function", "--function", name, "--to", "0")["rows"] == []
    pid = rows(path, "process")["rows"][0]["pid"]
    assert rows(path, "thread", "--process", pid)["rows"]
    assert run("report", "--process", "1", path).returncode == 1


def case_cpp_program(folder):
    path = record(os.path.join(folder, "a.json.gz"), CPP_PROGRAM)
    phases = {row["phase"] for row in rows(path, "startup")["rows"]}
    assert {"exec", "main"} <= phases, phases
    files = [row["name"] for row in rows(path, "file")["rows"]]
    assert any(name.endswith(".cc") for name in files), files


def check_width(text, columns):
    for line in ESCAPES.sub("", text).replace("\r", "").split("\n"):
        assert len(line) <= columns, line


def case_terminal(folder):
    path = record_python(os.path.join(folder, "a.json.gz"))
    for arguments in (["report", path], ["report", "--by", "function", path], ["compare", path, path]):
        text, status = in_terminal(arguments, columns=60)
        assert status == 0
        check_width(text, 60)
        text, _ = in_terminal(arguments, columns=60, environment={"COLUMNS": "100", "NO_COLOR": "1"})
        assert "\x1b" not in text
        check_width(text, 100)
        assert any(len(line) > 62 for line in text.split("\n")), text  # as wide as COLUMNS says
        assert "\x1b" not in in_terminal(arguments, environment={"TERM": "dumb"})[0]
    assert "\x1b[1m" in in_terminal(["report", "--by", "function", path])[0]


def hostile(folder):
    """Our golden profile with names that steer terminals."""
    with open(os.path.join(GOLDEN, "demo_processed_69.json"), encoding="utf-8") as file:
        text = file.read()
    profile = json.loads(text)
    strings = profile["shared"]["stringArray"]
    profile["shared"]["stringArray"] = [f"{name}\x1b]0;owned\x07\x1b[2J\r\n;\u202e" for name in strings]
    for thread in profile["threads"]:
        thread["name"] = thread["processName"] = "t\x1b[31m\x9b2J\x7f"
    path = os.path.join(folder, "hostile.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    return path


def case_hostile_names(folder):
    path = hostile(folder)
    calls = [["report", "--by", view, path] for view in VIEWS] + [["report", path], ["compare", path, path],
             ["compare", os.path.join(GOLDEN, "demo_processed_69.json"), path], ["compare", "--diff-stacks", "-", path, path]]
    for call in calls:
        for options in ([], ["--full-names"], *([] if "--diff-stacks" in call else [["--json"]])):
            text = good(*call, *options)
            assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text), call
        text, _ = in_terminal(call)
        assert set(ESCAPES.findall(text)) <= {"\x1b[1m", "\x1b[0m", "\x1b[31m", "\x1b[32m"}, call
        assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", ESCAPES.sub("", text)), call
    writers = [["scrub", "-q", "-o", "-", path], ["symbolicate", "-q", "--no-symbol-cache", "-o", "-", path],
               *(["convert", "--to", to, "-o", "-", path] for to in ("processed", "chrome", "speedscope", "folded"))]
    for call in writers:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", good(*call)), call
        assert not re.search("[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", in_terminal(call)[0]), call


def case_compare_runs(folder):
    before, after = [], []
    for i in range(4):
        before.append(record_python(os.path.join(folder, f"b{i}.json.gz"), 1500))
        after.append(record_python(os.path.join(folder, f"a{i}.json.gz"), 24000))
    result = json.loads(good("compare", "--json", "--before", *before, "--after", *after, "--top", "1000"))
    assert abs(result["leastP"] - 2 / 70) < 1e-9
    assert result["cpuMsAfter"] > 1.5 * result["cpuMsBefore"] and result["cpuMsP"] < 0.05, result["cpuMsP"]
    assert any(row["selfP"] <= 1 for row in result["functions"]["rows"])
    budgets = ["--fail-on", "cpu>+50%", "--before", *before, "--after", *after]
    assert run("compare", *budgets).returncode == 1
    assert run("compare", "--fail-on", "cpu>+5%", "--before", *after, "--after", *before).returncode == 0
    single = json.loads(good("compare", "--json", before[0], after[0]))
    assert single["leastP"] is None and single["functions"]["rows"][0]["selfP"] is None


def case_budgets(folder):
    path = record_python(os.path.join(folder, "a.json.gz"), 2000)
    name = rows(path, "function")["rows"][0]["name"]
    for budget, status in (("cpu>+0%", 0), ("cpu>1us", 1), (f"self:{name}>+0.1pp", 0), (f"self:{name}>1%", 1),
                           (f"self:{name[:5]}*>1%", 1), (f"self:{name}<1%", 0), ("self:nobody>+5%", 0), ("self:x", 2),
                           ("cpu>+5pp", 2), ("speed:x>+5%", 2)):
        done = run("compare", "--fail-on", budget, path, path)
        assert done.returncode == status, (budget, done.stderr)
        assert status != 2 or done.stderr.count("\n") == 1, done.stderr
    done = run("compare", "--fail-on", "self:nobody>+5%", "--fail-on", "cpu>1us", "--json", path, path)
    assert done.returncode == 1 and "nobody" in done.stderr
    assert [budget["isExceeded"] for budget in json.loads(done.stdout)["budgets"]] == [False, True]


def case_diff_stacks(folder):
    path = record_python(os.path.join(folder, "a.json.gz"), 2000)
    other = record_python(os.path.join(folder, "b.json.gz"), 3000)
    output = os.path.join(folder, "diff.txt")
    good("compare", "--diff-stacks", output, path, other)
    with open(output, encoding="utf-8") as file:
        lines = [line.rstrip("\n").rsplit(" ", 2) for line in file]
    for column, source in ((1, path), (2, other)):
        counted = rows(source, "function")["countedSamples"]
        assert abs(sum(int(line[column]) for line in lines) - counted) <= 1, (column, counted)
    assert run("compare", "--diff-stacks", "/nonexistent/x", path, other).returncode == 1


def case_bad_input(folder):
    def write(name, text):
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    with open(os.path.join(GOLDEN, "demo_processed_69.json"), encoding="utf-8") as file:
        text = file.read()
    fine = write("fine.json", text)
    profile = json.loads(text)
    stacks = profile["shared"]["stackTable"]
    stacks["prefix"] = [len(stacks["frame"]) - 1, *range(len(stacks["frame"]) - 1)]
    del stacks["prefixOffset"]
    bad = [write("cut.json", text[:len(text) // 2]), write("none.json", "hello"), write("empty.json", ""),
           write("cyclic.json", json.dumps(profile)), os.path.join(folder, "missing.json"), folder]
    for path in bad:
        for arguments in (["report", "--by", "function", path], ["compare", fine, path], ["compare", path, fine]):
            done = run(*arguments)
            assert done.returncode == 1 and done.stderr.count("\n") == 1 and done.stdout == "", (arguments, done.stderr)
    profile = json.loads(text)
    for thread in profile["threads"]:
        samples = thread["samples"]
        for key, value in list(samples.items()):
            if isinstance(value, list):
                samples[key] = []
        samples["length"] = 0
        thread["markers"] = {key: [] if isinstance(value, list) else 0 for key, value in thread["markers"].items()}
    empty = write("no_samples.json", json.dumps(profile))
    for view in VIEWS:
        good("report", "--by", view, empty)
    good("compare", empty, fine)
    good("compare", fine, empty)


def case_help(_):
    """Each command explains itself with examples, has a page with all of its options, and says in one line what is wrong use."""
    commands = re.findall("^  ([a-z]+) ", good("--help").split("\nExamples:")[0], re.MULTILINE)
    assert {"record", "report", "compare", "convert", "symbolicate", "top"} <= set(commands), commands
    for command in commands:
        text = good(command, "--help")
        assert f"geckoprof {command} " in text.partition("\nExamples:\n")[2], text
        with open(os.path.join(MANUAL, f"geckoprof-{command}.1.md"), encoding="utf-8") as file:
            page = file.read()
        assert f"geckoprof {command} " in page.partition("\n## EXAMPLES\n")[2], command
        for option in re.findall(r"(?<=[\s,])--?[a-z][a-z-]*(?=[\s,])", text.split("\nExamples:")[0].split("\nOptions:")[1]):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", page), (command, option)
        done = run(command, "--no-such-option")
        assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, (command, done)
        assert done.stderr.startswith(f"geckoprof {command}: "), done.stderr
    done = run("no-such-command")
    assert done.returncode == 2 and done.stdout == "" and done.stderr.count("\n") == 1, done


class Recorded:
    """A python program of two busy threads that is being recorded."""

    def __init__(self, folder, seconds):
        script = ("import threading, time\nend = time.time() + %d\ndef work():\n    while time.time() < end: sum(range(20000))\n"
                  "t = [threading.Thread(target=work) for _ in range(2)]\n[x.start() for x in t]\nprint('ready', flush=True)\n"
                  "[x.join() for x in t]\n" % seconds)
        self.sessions = os.path.join(folder, "sessions")
        os.mkdir(self.sessions, 0o700)
        self.environment = dict(os.environ, XDG_RUNTIME_DIR=self.sessions)
        self.process = subprocess.Popen([GECKOPROF, "record", "-q", "-o", os.path.join(folder, "p.json.gz"), "--", sys.executable,
                                         "-c", script], stdout=subprocess.PIPE, env=self.environment)
        self.process.stdout.readline()
        time.sleep(1.5)
        self.session = os.path.join(self.sessions, os.listdir(self.sessions)[0])
        segments = [name for name in os.listdir(self.session) if name.endswith(".segment")]
        self.pid = segments[0].split("-")[0]
        self.segment = os.path.join(self.session, segments[0])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            os.kill(int(self.pid), signal.SIGKILL)  # the recorder waits for its program
        self.process.wait()


def case_top_once(folder):
    with Recorded(folder, 8) as recorded:
        for target in (recorded.pid, str(recorded.process.pid), recorded.session, recorded.segment):
            text = good("top", "--once", target, env=recorded.environment)
            assert "3 threads in 1 process" in text and "Lost: " in text, text
            assert "\x1b" not in text and "  python3" in text, text
            assert float(re.search(r"CPU ([0-9.]+) %", text).group(1)) > 5, text
        assert run("top", "--once", "1", env=recorded.environment).returncode == 1
        assert run("top", "--once", "/nonexistent").returncode == 1


def case_top_terminal(folder):
    with Recorded(folder, 60) as recorded:
        for keys, status in (((b"q",), 0), ((b"\x03",), 0), ((signal.SIGTERM,), 0)):
            text, got = in_terminal(["top", recorded.pid], keys, columns=70, environment={"XDG_RUNTIME_DIR": recorded.sessions},
                                    awaited=(b"geckoprof top", 2))
            assert got == status
            assert text.count("geckoprof top") >= 2, text  # pages
            assert text.startswith("\x1b[?1049h\x1b[?25l") and text.endswith("\x1b[?25h\x1b[?1049l"), repr(text[-80:])
            for page in text.split("\x1b[H")[1:]:
                check_width(page, 70)
                assert page.count("\n") < 24


def case_top_ended(folder):
    with Recorded(folder, 60) as recorded:
        end = lambda: os.kill(int(recorded.pid), signal.SIGKILL)
        text, status = in_terminal(["top", recorded.pid], [end], environment={"XDG_RUNTIME_DIR": recorded.sessions},
                                   awaited=(b"geckoprof top", 1))
        assert status == 0 and "has ended" in text, text[-300:]


def main():
    os.makedirs(WORK_FOLDER, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=WORK_FOLDER) as folder:
        globals()["case_" + CASE](folder)


main()
