#!/usr/bin/env python3
"""label_profile.py CASE GECKOPROF PROGRAMS: what label_program opens, as the recorder and the process itself write it.

`order` is recorded with symbols, so that labels stand among the compiler's own frames, inlined ones too. The other cases are recorded
in the raw format, while the process writes its own profile at its end: what one says the other must say. Exit status 1, and a line for
each fault.
"""

import json
import os
import subprocess
import sys
import tempfile

LOCATION, CATEGORY, SUBCATEGORY = 0, 6, 7
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def processes_of(profile):
    yield profile
    for process in profile.get("processes", []):
        yield from processes_of(process)


class Raw:
    """A raw profile: the stacks of its samples as lists of (text, category, subcategory), outermost first; losses; markers."""

    def __init__(self, profile):
        # Numbers of categories are looked up in the first process's list, as the viewer does.
        self.categories = {c["name"]: c for c in profile["meta"]["categories"]}
        names = profile["meta"]["categories"]
        self.stacks, self.markers, self.losses, self.process_names = [], {}, {}, set()
        for process in processes_of(profile):
            check(process["meta"]["categories"] == names, "processes with different lists of categories")
            for thread in process["threads"]:
                self.read_thread(thread, names)
        todo = [profile]
        while todo:
            value = todo.pop()
            if isinstance(value, list):
                todo.extend(value)
            elif isinstance(value, dict):
                todo.extend(value.values())
                for loss in value.get("losses", []) if isinstance(value.get("losses"), list) else []:
                    self.losses[loss["what"]] = self.losses.get(loss["what"], 0) + loss["count"]

    def read_thread(self, thread, names):
        self.process_names.add(thread["processName"])
        strings, frames = thread["stringTable"], []
        for row in thread["frameTable"]["data"]:
            category = names[row[CATEGORY]] if len(row) > CATEGORY else None
            subcategory = category["subcategories"][row[SUBCATEGORY]] if category else None
            frames.append((strings[row[LOCATION]], category["name"] if category else None, subcategory))
        stacks = []
        for prefix, frame in thread["stackTable"]["data"]:
            stacks.append((stacks[prefix] if prefix is not None else []) + [frames[frame]])
        self.stacks += [stacks[row[0]] for row in thread["samples"]["data"] if row and row[0] is not None]
        for marker in thread["markers"]["data"]:
            self.markers[strings[marker[0]]] = names[marker[4]]["name"]

    def labels(self):
        return [[frame for frame in stack if frame[0].startswith("label ")] for stack in self.stacks]

    def samples_with(self, text):
        return [labels for labels in self.labels() if any(frame[0] == text for frame in labels)]

    def categories_of(self, text):
        return {frame[1:] for labels in self.labels() for frame in labels if frame[0] == text}


def run(geckoprof, command, folder, options=()):
    recorded, own = os.path.join(folder, "recorded.json"), os.path.join(folder, "own.json")
    command = ["env", "GECKOPROF_SHUTDOWN=" + own, *command]
    result = subprocess.run([geckoprof, "record", "-q", *options, "-o", recorded, "--", *command], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    check(result.returncode == 0, f"status {result.returncode}: {result.stderr}")
    check("unreadable" not in result.stderr and "damaged" not in result.stderr, result.stderr)
    profiles = []
    for path in (recorded, own):
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                profiles.append(json.load(file))
    return result.stdout, profiles


def check_order(profile):
    shared = profile["shared"]
    texts, functions, frames, stacks = (shared[key] for key in ("stringArray", "funcTable", "frameTable", "stackTable"))
    names = [texts[functions["name"][function]] for function in frames["func"]]

    def names_of(stack):
        found = []
        while stack is not None:
            found.append(names[stacks["frame"][stack]])
            stack = stacks["prefix"][stack]
        return found[::-1]

    # Inlined is a part of Middle's native frame, behind which the labels of both stand in the order of their opening. Where an
    # inlined function is shown, it is right behind the one that holds it.
    wanted = []
    for level in (4, 3, 2, 1):
        wanted += ["Recurse", f"label recurse {level}", "label fast"]
    wanted += ["Middle", "label middle", "label inlined text of the moment", "CallFromLibrary",
               "label library of the library", "Leaf", "label leaf"]

    def short(name):
        return name if name.startswith("label ") else name.replace("(anonymous namespace)::", "").split("(")[0]

    right, seen, waiting, wrong = 0, 0, 0, None
    for thread in profile["threads"]:
        for stack in thread["samples"]["stack"]:
            found = [short(name) for name in names_of(stack)]
            if "label leaf" not in found:
                continue
            seen += 1
            inner = found[found.index("label leaf") + 1:]
            waiting += "WorkFor" not in inner
            if "Inlined" in found:
                check(found[found.index("Inlined") - 1] == "Middle", f"an inlined function: {found}")
            ours = [name for name in found if name in wanted]
            right += ours == wanted
            wrong = wrong if ours == wanted else ours
    check(seen > 60 and waiting > 20, f"{seen} samples in the leaf, {waiting} of them waiting")
    # All but those taken in the first and last instructions of a function, where its label is not open.
    check(right >= seen * 0.97, f"{right} of {seen} in order; not so: {wrong}")


def check_categories(profile, output):
    check(output == "3\n", f"a colour that there is not: {output!r}")
    for name, color in (("Physics", "magenta"), ("Graphics", "green"), ("Other", "grey")):
        check(profile.categories.get(name, {}).get("color") == color, f"{name}: {profile.categories.get(name)}")
    check("Ink" not in profile.categories, "what was refused is there")
    check(profile.losses.get("refused-category", 0) >= 1, f"losses {profile.losses}")
    for label, place in (("label physics", ("Physics", "Other")), ("label collisions", ("Physics", "Collisions")),
                         ("label shadows", ("Graphics", "Shadows")), ("label refused", ("Other", "Other")),
                         ("label layers", ("Graphics", "Layer building")), ("label sparks", ("Physics", "Sparks"))):
        check(profile.categories_of(label) == {place}, f"{label}: {profile.categories_of(label)}")
        check(profile.markers.get("marker of " + label) == place[0], f"marker of {label}: {profile.markers.get('marker of ' + label)}")
    check(len(profile.samples_with("label unknown")) > 5, "a label of a category that there is not")
    check(profile.markers.get("marker of label unknown") == "Other", f"{profile.markers.get('marker of label unknown')}")


def check_child(profile):
    for label, place in (("label fluids", ("Physics", "Fluids")), ("label child", ("Child", "Other")),
                         ("label collisions in the child", ("Physics", "Collisions"))):
        check(profile.categories_of(label) == {place}, f"{label}: {profile.categories_of(label)}")


def check_plugin(profile):
    check(len(profile.samples_with("label library of the plugin")) > 5, "the plugin's label, while it was there")
    check(len(profile.samples_with("label after the plugin")) > 20, "samples after the plugin")
    left = [labels for labels in profile.samples_with("label after the plugin") if len(labels) > 1]
    check(not left, f"labels of the plugin's that outlived it: {left[:1]}")


def check_bad_places(profile):
    for label, least in (("label nested", 10), ("label handler", 5), ("label interrupted", 20), ("label after the jump", 20), ("label late", 10),
                         ("label left second", 20), ("label before the stale one", 30),
                         ("label after the alternate stack", 35),
                         ("label opened while paused", 10)):
        check(len(profile.samples_with(label)) >= least, f"{len(profile.samples_with(label))} samples with {label!r}")
    check(profile.losses.get("label-overflow", 0) > 0, f"losses {profile.losses}")
    for labels in profile.labels():
        names = [label[0] for label in labels]
        check(names.count("label interrupted") <= 1 and names.count("label handler") <= 1, f"labels that were not closed: {names}")
        check("label nested" not in names or set(names) == {"label nested"}, f"labels that were not closed: {names}")
        check("label jumped over" not in names or "label after the jump" not in names, f"what was jumped over is open: {names}")
        check(names.count("label left first") <= 1 and names.count("label left second") <= 1, f"what was left in a scope outlives it: {names}")
        check("label stale" not in names, f"below the stack pointer: {names}")
        check("label of the alternate stack" not in names, f"left on the alternate stack: {names}")
        check("label late" not in names or names == ["label late"], f"around the end of a thread: {names}")


def main():
    case, geckoprof, programs = sys.argv[1:4]
    command = [os.path.join(programs, "label_program"), case, os.path.join(programs, "liblabel_plugin.so")]
    with tempfile.TemporaryDirectory() as folder:
        output, profiles = run(geckoprof, command, folder, () if case == "order" else ("--format", "gecko"))
    check(len(profiles) == 2, "the process wrote no profile of its own")
    if case == "order":
        check_order(profiles[0])
    for number, profile in enumerate(map(Raw, profiles if case != "order" else [])):
        if case == "categories":
            check_categories(profile, output)
            if number == 0:
                check_child(profile)
        elif case == "categories-again":
            check(profile.categories_of("label second") == {("Physics", "Other")}, f"after a new start: {profile.categories_of('label second')}")
            check("named between" in profile.process_names, f"the name that was given before the start: {profile.process_names}")
        elif case == "plugin":
            check_plugin(profile)
        elif case == "bad-places":
            check_bad_places(profile)
    for fault in faults[:20]:
        print(fault)
    sys.exit(1 if faults else 0)


main()
