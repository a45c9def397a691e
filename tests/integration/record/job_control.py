"""job_control.py GECKOPROF CASE: what the recorder's parent sees of a program that stops. Status 0: as promised."""
import contextlib
import os
import pty
import select
import signal
import sys
import time

GECKOPROF, CASE = sys.argv[1], sys.argv[2]
LONGEST_S = 60


SESSIONS = []  # what a failure ends: of processes that are stopped nobody else would
GROUPS = []


def fail(text):
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and (os.getsid(int(entry)) in SESSIONS or os.getpgid(int(entry)) in GROUPS):
                os.kill(int(entry), signal.SIGKILL)
        except OSError:
            pass  # ended meanwhile
    sys.exit(f"job_control: {CASE}: {text}")


def status_of(pid, what):
    """The next change of a child's state, waited for."""
    for _ in range(LONGEST_S * 20):
        changed, status = os.waitpid(pid, os.WNOHANG | os.WUNTRACED)
        if changed:
            return status
        time.sleep(0.05)
    fail(f"nothing happened: {what}")


def recorder(script):
    # A group of its own that is not orphaned, as a shell's job.
    words = [GECKOPROF, "record", "-q", "-o", "p.json.gz", "--", "sh", "-c", script]
    pid = os.posix_spawn(GECKOPROF, words, os.environ, setpgroup=0)
    GROUPS.append(pid)
    return pid


def expect(status, stop_signal, what):
    if stop_signal is None:
        if not os.WIFEXITED(status) or os.WEXITSTATUS(status) != 3:
            fail(f"{what}: not the program's end: {status:#x}")
    elif not os.WIFSTOPPED(status) or os.WSTOPSIG(status) != stop_signal:
        fail(f"{what}: not stopped by {stop_signal}: {status:#x}")


def stops_and_goes_on():
    for stop in (signal.SIGSTOP, signal.SIGTSTP):
        pid = recorder(f"kill -{stop.name[3:]} $$; kill -{stop.name[3:]} $$; exit 3")
        for turn in ("first stop", "second stop"):
            expect(status_of(pid, turn), stop, turn)
            os.kill(pid, signal.SIGCONT)
        expect(status_of(pid, "end"), None, stop.name)


def continued_by_somebody_else():
    pid = recorder("echo $$ >program; kill -STOP $$; exit 3")
    expect(status_of(pid, "stop"), signal.SIGSTOP, "stop")
    with open("program", encoding="ascii") as file:
        os.kill(int(file.read()), signal.SIGCONT)
    expect(status_of(pid, "end"), None, "end")


def asked_to_stop():
    """SIGTSTP to the recorder alone is the program's to obey or not."""
    pid = recorder("trap 'exit 3' TSTP; touch ready; while :; do sleep 0.05; done")
    while not os.path.exists("ready"):
        time.sleep(0.05)
    os.kill(pid, signal.SIGTSTP)
    expect(status_of(pid, "end"), None, "end")


class Terminal:
    """A shell on a terminal of its own."""

    def __init__(self):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ["PS1"] = "outer> "
            os.execvp("bash", ["bash", "--norc", "--noprofile", "-i"])
        SESSIONS.append(self.pid)
        self.text = ""

    def type(self, line):
        os.write(self.fd, line.encode())

    def wait_for(self, word):
        deadline = time.monotonic() + LONGEST_S
        while word not in self.text:
            if time.monotonic() > deadline:
                fail(f"no {word!r} on the terminal:\n{self.text}")
            if select.select([self.fd], [], [], 0.1)[0]:
                self.text += os.read(self.fd, 4096).decode(errors="replace")
        self.text = self.text.split(word, 1)[1]


def shell_that_suspends():
    terminal = Terminal()
    terminal.wait_for("outer> ")
    terminal.type(f"PS1='inner> ' {GECKOPROF} record -q -o p.json.gz -- bash --norc --noprofile -i\n")
    terminal.wait_for("inner> ")
    for _ in range(2):
        terminal.type("suspend -f\n")
        terminal.wait_for("outer> ")
        terminal.type("fg\n")
        terminal.type("echo back=$((6 * 7))\n")
        terminal.wait_for("back=42")
        terminal.wait_for("inner> ")
    terminal.type("exit 3\n")
    terminal.wait_for("outer> ")
    terminal.type("echo status=$?\n")
    terminal.wait_for("status=3")
    terminal.type("exit\n")


def state_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        name, rest = file.read().rsplit(") ", 1)
    return name.split("(", 1)[1], *rest.split()[:2]


def children_of(pid):
    """{name: pid}"""
    found = {}
    for entry in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if entry.isdigit() and state_of(entry)[2] == str(pid):
                found[state_of(entry)[0]] = int(entry)
    return found


def wait_until_all_threads(pid, what, holds):
    """Until `holds` is true of each thread's state: a signal is pending until its process runs, and a stop is one of all
    threads."""
    for _ in range(LONGEST_S * 100):
        states = [state_of(f"{pid}/task/{thread}")[1] for thread in os.listdir(f"/proc/{pid}/task")]
        if all(holds(state) for state in states):
            return
        time.sleep(0.01)
    fail(f"never {what}: {states}")


def stopped_again_meanwhile():
    """A program that is continued, and stopped again before the recorder comes to run, stays stopped."""
    pid = recorder("kill -TSTP $$; while [ ! -e go ]; do sleep 0.01; done; exit 3")
    expect(status_of(pid, "first stop"), signal.SIGTSTP, "first stop")
    children = children_of(pid)
    os.kill(children.pop("geckoprof"), signal.SIGSTOP)  # which would continue the recorder
    program = children.pop("sh")
    os.kill(program, signal.SIGCONT)
    wait_until_all_threads(program, "continued", lambda state: state != "T")
    os.kill(program, signal.SIGTSTP)
    wait_until_all_threads(program, "stopped again", lambda state: state == "T")
    os.kill(pid, signal.SIGCONT)
    expect(status_of(pid, "second stop"), signal.SIGTSTP, "second stop")
    if state_of(program)[1] != "T":
        fail("the program was continued")
    with open("go", "w", encoding="utf-8"):
        pass
    os.kill(pid, signal.SIGCONT)
    expect(status_of(pid, "end"), None, "end")


def signals_to_both():
    """What the group gets the program gets once; what the recorder alone gets is passed on."""
    script = "n=0; trap 'n=$((n+1))' TERM USR1; : > up; while [ ! -e go ]; do sleep 0.01; done; echo $n > count; exit 3"
    pid = recorder(script)
    while not os.path.exists("up"):
        pass  # the first signal comes as early as anybody can know that the program is there
    for number in (signal.SIGTERM, signal.SIGUSR1):
        for send in (os.killpg, os.kill):
            send(pid, number)
            time.sleep(0.3)
    with open("go", "w", encoding="utf-8"):
        pass
    expect(status_of(pid, "end"), None, "end")
    with open("count", encoding="utf-8") as file:
        got = int(file.read())
    if got != 4:
        fail(f"{got} signals instead of 4")


def ctrl_z():
    terminal = Terminal()
    terminal.wait_for("outer> ")
    script = "echo be''gun; while read word; do echo got=$word; [ $word != last ] || exit 3; done"
    terminal.type(f"{GECKOPROF} record -q -o p.json.gz -- sh -c '{script}'\n")
    terminal.wait_for("begun\r\n")
    for _ in range(2):
        terminal.type("\x1a")
        terminal.wait_for("outer> ")
        terminal.type("fg\n")
        terminal.wait_for("record")  # what it continues
        terminal.type("word\n")
        terminal.wait_for("got=word")  # goes on: another Ctrl-Z before would be undone by the shell's SIGCONT
    terminal.type("last\n")
    terminal.wait_for("got=last")
    terminal.wait_for("outer> ")
    terminal.type("echo status=$?\n")
    terminal.wait_for("status=3")
    terminal.type("exit\n")


{"stops_and_goes_on": stops_and_goes_on, "continued_by_somebody_else": continued_by_somebody_else,
 "asked_to_stop": asked_to_stop, "shell_that_suspends": shell_that_suspends, "ctrl_z": ctrl_z,
 "signals_to_both": signals_to_both, "stopped_again_meanwhile": stopped_again_meanwhile}[CASE]()
