#!/usr/bin/env python3
"""completion_cases.py SHELL GECKOPROF: completes command lines of geckoprof in the real bash, zsh or fish; 77: it is not here.

bash and zsh run in a terminal: the line is typed, then Tab and Enter, and `geckoprof` is a function that prints its arguments. fish
has a command that lists the completions of a line."""

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

SHELL, GECKOPROF = sys.argv[1:3]
TIMEOUT_S = 60

# What is typed, and the arguments after Tab; every one has a single completion.
CASES = [
    ("conv", "convert"),
    ("--vers", "--version"),
    ("convert --to sp", "convert --to speedscope"),
    ("convert --to=sp", "convert --to=speedscope"),
    ("convert --from fol", "convert --from folded"),
    ("convert --idl", "convert --idle"),
    ("report --by marker-", "report --by marker-type"),
    ("record --format ge", "record --format gecko"),
    ("record --capture-when ex", "record --capture-when exit"),
    ("record --features cpu,nos", "record --features cpu,nostacksampling"),
    ("record --features=cpu,nos", "record --features=cpu,nostacksampling"),
    ("report pro", "report profile.json.gz"),
    ("report --by io pro", "report --by io profile.json.gz"),
    ("check profile.json.gz sec", "check profile.json.gz second.json"),
    ("compare --before=pro", "compare --before=profile.json.gz"),
    ("view --front-end fold", "view --front-end folder/"),
    ("symbolicate --jit-map per", "symbolicate --jit-map perf-1.map"),
    ("convert notes", "convert notes.txt"),
    ("record -- zzprog", "record -- zzprogram"),
    ("record -q -o x.json -- zzprogram notes", "record -q -o x.json -- zzprogram notes.txt"),
    ("ctl se", "ctl set"),
    ("completion zs", "completion zsh"),
    ("comple", "completion"),
]
# What has no completion: a file of another kind, a number.
NONE = ["report --top 1", "check fresh"]
if SHELL != "zsh":  # which offers all files where there is none of the right kind
    NONE.append("report notes")


def make_files(folder):
    for name in ("profile.json.gz", "profile.txt", "second.json", "second.log", "notes.txt", "perf-1.map", "perf-1.txt"):
        with open(os.path.join(folder, name), "w", encoding="utf-8"):
            pass
    os.mkdir(os.path.join(folder, "folder"))
    programs = os.path.join(folder, "bin")
    os.mkdir(programs)
    with open(os.path.join(programs, "zzprogram"), "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod(os.path.join(programs, "zzprogram"), 0o755)
    return programs


class Terminal:
    """A shell in a terminal of its own."""

    def __init__(self, command, folder, environment):
        self.pid, self.descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(command[0], command, environment)
        self.seen = ""

    def wait_for(self, pattern):
        end = time.monotonic() + TIMEOUT_S
        while (found := re.search(pattern, self.seen)) is None:
            if not select.select([self.descriptor], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"{pattern} does not come: {self.seen[-2000:]!r}")
            self.seen += os.read(self.descriptor, 65536).decode(errors="replace")
        self.seen = self.seen[found.end():]
        return found

    def type(self, text):
        os.write(self.descriptor, text.encode())

    def close(self):
        os.close(self.descriptor)
        os.waitpid(self.pid, 0)


def shell_in(folder, script, programs):
    environment = {"PATH": programs + ":" + os.environ["PATH"], "HOME": folder, "TERM": "dumb", "LC_ALL": "C.UTF-8", "ZDOTDIR": folder}
    if SHELL == "bash":
        setup = f"source {script}\n"
        command = ["bash", "--noprofile", "--rcfile", os.path.join(folder, ".setup"), "-i"]
    else:
        functions = os.path.join(folder, "functions")
        os.mkdir(functions)
        os.rename(script, os.path.join(functions, "_geckoprof"))
        setup = f"fpath=({functions} $fpath)\nautoload -Uz compinit\ncompinit -u -D\nunsetopt beep\n"
        command = ["zsh", "-d", "-i"]
    # What is printed stands in pieces here, so that what is typed never looks like it.
    setup += "geckoprof() { printf '%s%s:%s|\\n' AR GS \"$*\"; }\nPS1='PRO''MPT> '\n"
    for name in (".setup", ".zshrc"):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(setup)
    terminal = Terminal(command, folder, environment)
    terminal.wait_for("PROMPT> ")
    return terminal


def typed_cases(folder, script, programs):
    terminal = shell_in(folder, script, programs)

    def completed(line):
        terminal.type(f"geckoprof {line}\t\r")
        text = terminal.wait_for(r"ARGS:([^|]*)\|").group(1)
        terminal.wait_for("PROMPT> ")
        return text.strip()

    for line, wanted in CASES:
        found = completed(line)
        assert found.rstrip("/") == wanted.rstrip("/"), (line, found, wanted)  # zsh takes the slash off before it runs
    for line in NONE:
        assert completed(line) == line, line
    terminal.close()


def fish_completions(line, folder, script, programs):
    environment = {**os.environ, "HOME": folder, "PATH": programs + ":" + os.environ["PATH"], "XDG_CONFIG_HOME": folder}
    out = subprocess.run(["fish", "--no-config", "-c", f"source {script}; complete -C 'geckoprof {line}'"], check=True, cwd=folder,
                         env=environment, stdout=subprocess.PIPE, text=True, timeout=TIMEOUT_S).stdout
    return [row.split("\t")[0] for row in out.splitlines()]


def fish_cases(folder, script, programs):
    for line, wanted in CASES:
        last = wanted.split(" ")[-1]
        found = fish_completions(line, folder, script, programs)
        assert last in found or last.split("=")[-1] in found, (line, found, wanted)
    for line in NONE:
        found = fish_completions(line, folder, script, programs)
        assert found == [], (line, found)
    assert "profile.txt" not in fish_completions("report pro", folder, script, programs)


def options_in_help(command):
    text = subprocess.run([GECKOPROF, command, "--help"], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {name for line in text.splitlines() if re.match(r"  -", line) for name in re.findall(r"(?<![\w-])--[a-z-]+", line[:40])}


def check_options(script, folder, programs):
    """Every option that help has is completed: nothing is out of date."""
    usage = subprocess.run([GECKOPROF], check=True, stdout=subprocess.PIPE, text=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", usage.partition("\nExamples:")[0], re.MULTILINE)
    assert len(commands) >= 6 and "completion" in commands, commands
    for command in commands:
        wanted = options_in_help(command)
        assert "--help" in wanted, command
        if SHELL == "bash":
            lookup = f"source {script}; COMP_WORDS=(geckoprof {command} --); COMP_CWORD=2; _geckoprof; echo ${{COMPREPLY[@]}}"
            found = set(subprocess.run(["bash", "-c", lookup], check=True, stdout=subprocess.PIPE, text=True).stdout.split())
        else:
            found = set(fish_completions(command + " --", folder, script, programs))
        assert wanted <= found, (command, wanted - found)


def main():
    if shutil.which(SHELL) is None:
        print(f"{SHELL} is not installed")
        sys.exit(77)
    wrong = subprocess.run([GECKOPROF, "completion", "tcsh"], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert wrong.returncode == 2 and wrong.stderr.count("\n") == 1 and not wrong.stdout, wrong
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            subprocess.run([GECKOPROF, "completion", SHELL], check=True, stdout=file)
        programs = make_files(folder)
        if SHELL != "zsh":
            check_options(script, folder, programs)
        if SHELL == "fish":
            fish_cases(folder, script, programs)
        else:
            typed_cases(folder, script, programs)


main()
