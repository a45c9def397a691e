#!/usr/bin/env python3
"""Whether a raw Gecko profile shows what a program did: its functions, named by the program's symbols, who called whom, labels,
markers and threads.

    package_profile.py PROFILE PROGRAM [--thread NAME] [--label TEXT] [--marker NAME] [--calls CALLER CALLEE]...
"""

import argparse
import bisect
import json
import subprocess
import sys


class Program:
    """Addresses in the process to names of functions: the program's own, which `nm` knows."""

    def __init__(self, path, libs):
        found = [lib for lib in libs if lib["path"] == path]
        self.range = (found[0]["start"], found[0]["end"]) if found else (0, 0)
        with open(path, "rb") as file:
            position_independent = file.read(18)[16] == 3  # ET_DYN
        self.bias = self.range[0] if position_independent else 0
        listing = subprocess.run(["nm", "-C", path], check=True, stdout=subprocess.PIPE).stdout.decode().splitlines()
        symbols = sorted((int(line[:16], 16), line[19:]) for line in listing if line[17:18] in "tTwW" and line[:1] != " ")
        self.starts = [start for start, _ in symbols]
        self.names = [name for _, name in symbols]

    def name(self, address):
        if not self.range[0] <= address < self.range[1]:
            return None
        index = bisect.bisect_right(self.starts, address - self.bias) - 1
        # "(anonymous namespace)::CountPrimes(int, int)", "CountPrimes.constprop.0"
        return self.names[index].replace("(anonymous namespace)::", "").split("(")[0].split(".")[0] if index >= 0 else None


def stacks(thread, program):
    """Each sample's frames, innermost first: names of functions, texts of labels."""
    strings, frames, table = thread["stringTable"], thread["frameTable"]["data"], thread["stackTable"]["data"]
    stack_column = thread["samples"]["schema"]["stack"]
    prefix_column, frame_column = (thread["stackTable"]["schema"][name] for name in ("prefix", "frame"))
    for sample in thread["samples"]["data"]:
        index, out = sample[stack_column], []
        while index is not None:
            text = strings[frames[table[index][frame_column]][0]]
            # The caller's address is the one behind the call, which may be the next function's first.
            out.append(program.name(int(text, 16) - (1 if out else 0)) if text.startswith("0x") else text)
            index = table[index][prefix_column]
        yield out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("profile")
    parser.add_argument("program")
    for option in ("--thread", "--label", "--marker"):
        parser.add_argument(option, action="append", default=[])
    parser.add_argument("--calls", nargs=2, action="append", default=[])
    wanted = parser.parse_args()
    with open(wanted.profile, encoding="utf-8") as file:
        profile = json.load(file)
    program = Program(wanted.program, profile["libs"])

    every_stack = [stack for thread in profile["threads"] for stack in stacks(thread, program)]
    texts = {text for stack in every_stack for text in stack}
    calls = {(caller, callee) for stack in every_stack
             for index, callee in enumerate(stack) for caller in stack[index + 1:]}
    markers = {thread["stringTable"][marker[0]] for thread in profile["threads"] for marker in thread["markers"]["data"]}
    threads = {thread["name"] for thread in profile["threads"]}

    faults = [f"no thread '{name}', but {threads}" for name in wanted.thread if name not in threads]
    faults += [f"no label '{text}'" for text in wanted.label if text not in texts]
    faults += [f"no marker '{name}', but {markers}" for name in wanted.marker if name not in markers]
    faults += [f"nobody saw {caller} call {callee}" for caller, callee in wanted.calls if (caller, callee) not in calls]
    if len(every_stack) < 20:
        faults.append(f"{len(every_stack)} samples only")
    for fault in faults:
        print(fault)
    if faults:
        names = [text for text in texts if text]
        sys.exit("functions and labels seen: " + ", ".join(sorted(names)))


main()
