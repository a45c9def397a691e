#!/usr/bin/env python3
"""marker_profile.py CASE GECKOPROF PROGRAMS: what marker_program marks, as the recorder and the process itself write it.

Each case runs the program once under `geckoprof record --format gecko`; the process writes its own profile at its end. The two must
agree marker by marker and field by field, and both must say what the program did. Exit status 1, and a line for each fault.
"""

import json
import math
import os
import subprocess
import sys
import tempfile

NAME, START, END, PHASE, CATEGORY, DATA = range(6)
FRAME_LOCATION, FRAME_CATEGORY = 0, 6
SAMPLE_STACK, SAMPLE_TIME, SAMPLE_CPU = 0, 1, 4
TABLE_FORMATS = ("unique-string", "flow-id", "terminating-flow-id")
NEAR_MS = 0.001
# Types of markers that the recorder adds, since it knows more of processes than they do themselves.
RECORDERS_TYPES = ("geckoprofDynamicLinker", "geckoprofProcess")
faults = []


def check(holds, text):
    if not holds:
        faults.append(text)


def losses_of(profile):
    """Counts by word, wherever the profile has them."""
    found = {}
    todo = [profile]
    while todo:
        value = todo.pop()
        if isinstance(value, list):
            todo.extend(value)
        elif isinstance(value, dict):
            todo.extend(value.values())
            for loss in value.get("losses", []) if isinstance(value.get("losses"), list) else []:
                found[loss["what"]] = found.get(loss["what"], 0) + loss["count"]
    return found


class Profile:
    """Markers and samples of a raw profile by thread, with all table rows resolved."""

    def __init__(self, profile):
        self.raw = profile
        self.losses = losses_of(profile)
        self.schemas = {}
        self.threads, self.samples = {}, {}
        self.duplicates = []
        todo = [profile]
        while todo:
            process = todo.pop()
            todo.extend(process.get("processes", []))
            for schema in process["meta"]["markerSchema"]:
                if schema["name"] in self.schemas and process is profile:
                    self.duplicates.append(schema["name"])
                if schema["name"] not in RECORDERS_TYPES:
                    self.schemas[schema["name"]] = schema
            zero_ms = process["meta"]["startTimeAsClockMonotonicNanosecondsSinceBoot"] / 1e6
            categories = [category["name"] for category in process["meta"]["categories"]]
            for thread in process["threads"]:
                key = (thread["pid"], thread["tid"])
                rows = [row for row in thread["markers"]["data"] if not (len(row) > DATA and row[DATA] and row[DATA].get("type") in RECORDERS_TYPES)]
                self.threads.setdefault(key, []).extend(self.marker(row, thread, categories, zero_ms) for row in rows)
                self.samples.setdefault(key, []).extend(self.sample(row, thread, zero_ms) for row in thread["samples"]["data"])
        # The reader makes those of gaps, in which a busy machine left no samples of a thread.
        self.markers = [marker for thread in self.threads.values() for marker in thread if marker["name"] != "gap"]

    @staticmethod
    def rows(thread, stack):
        """Rows of a stack's frames, outermost first."""
        stacks, frames, found = thread["stackTable"]["data"], thread["frameTable"]["data"], []
        while stack is not None:
            found.insert(0, frames[stacks[stack][1]])
            stack = stacks[stack][0]
        return found

    @staticmethod
    def frames(thread, stack):
        """Names and addresses of a stack, outermost first."""
        return [thread["stringTable"][row[FRAME_LOCATION]] for row in Profile.rows(thread, stack)]

    def sample(self, row, thread, zero_ms):
        """Time, stack and CPU time since the one before."""
        return row[SAMPLE_TIME] + zero_ms, self.frames(thread, row[SAMPLE_STACK]), row[SAMPLE_CPU] if len(row) > SAMPLE_CPU else None

    def marker(self, row, thread, categories, zero_ms):
        strings = thread["stringTable"]
        data = dict(row[DATA]) if len(row) > DATA else None
        frame_categories = []
        if data and "stack" in data:
            stack = data["stack"]["samples"]["data"][0][SAMPLE_STACK]
            data["stack"] = self.frames(thread, stack)
            frame_categories = [categories[row[FRAME_CATEGORY]] if len(row) > FRAME_CATEGORY else None for row in self.rows(thread, stack)]
        schema = self.schemas.get(data["type"]) if data else None
        for field in schema["data"] if schema else []:
            key = field.get("key")
            if field.get("format") in TABLE_FORMATS and isinstance(data.get(key), int):
                data[key] = strings[data[key]]
        has_start, has_end = row[PHASE] != 3, row[PHASE] in (1, 3)
        return {"name": strings[row[NAME]], "start": row[START] + zero_ms if has_start else None, "end": row[END] + zero_ms if has_end else None,
                "phase": row[PHASE], "category": categories[row[CATEGORY]], "data": data, "zero": zero_ms,
                "frame categories": frame_categories}

    def named(self, name):
        return [marker for marker in self.markers if marker["name"] == name]

    def one(self, name):
        markers = self.named(name)
        check(len(markers) == 1, f"{len(markers)} markers {name!r}, not one")
        return markers[0] if markers else {"data": {}, "phase": None, "start": 0, "end": 0, "category": None}

    def data(self, name, key):
        return (self.one(name)["data"] or {}).get(key)


def near(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and math.isclose(a, b, rel_tol=0, abs_tol=NEAR_MS))


# Of types whose schema the viewer has, field by field.
VIEWER_TIMES = {"IPC": {"startTime", "endTime"},
                "Network": {"startTime", "endTime", "domainLookupStart", "domainLookupEnd", "connectStart", "tcpConnectEnd",
                            "secureConnectionStart", "connectEnd", "requestStart", "responseStart", "responseEnd"}}


def time_keys(profile, data):
    if data["type"] in VIEWER_TIMES:
        return VIEWER_TIMES[data["type"]]
    schema = profile.schemas.get(data["type"], {"data": []})
    return {field["key"] for field in schema["data"] if field.get("format") == "time"}


def compare_samples(recorded, own):
    """Of each thread of the process itself: it writes its profile when its sampler has stopped, so none is too many."""
    for key, theirs in own.samples.items():
        ours = recorded.samples.get(key, [])
        check(len(ours) == len(theirs), f"thread {key}: {len(ours)} samples recorded, {len(theirs)} of the process itself")
        wrong = [(a, b) for a, b in zip(ours, theirs) if not near(a[0], b[0]) or a[1:] != b[1:]]
        check(not wrong, f"thread {key}: {len(wrong)} of {len(ours)} samples differ: {wrong[:1]}")


def compare(recorded, own):
    """Every sample and every marker of both, in the order of each thread."""
    compare_samples(recorded, own)
    check(set(key for key, rows in recorded.threads.items() if rows) == set(key for key, rows in own.threads.items() if rows),
          "the two have markers of different threads")
    for key in recorded.threads.keys() & own.threads.keys():
        ours, theirs = recorded.threads[key], own.threads[key]
        check(len(ours) == len(theirs), f"thread {key}: {len(ours)} markers recorded, {len(theirs)} of the process itself")
        for a, b in zip(ours, theirs):
            for part in ("name", "phase", "category", "frame categories"):
                check(a[part] == b[part], f"{a['name']}: {part} {a[part]!r}, {b[part]!r}")
            for part in ("start", "end"):
                check(near(a[part], b[part]), f"{a['name']}: {part} {a[part]!r}, {b[part]!r}")
            if a["data"] is None or b["data"] is None:
                check(a["data"] == b["data"], f"{a['name']}: data {a['data']!r}, {b['data']!r}")
                continue
            check(list(a["data"]) == list(b["data"]), f"{a['name']}: keys {list(a['data'])}, {list(b['data'])}")
            times = time_keys(recorded, a["data"])
            for field in a["data"].keys() & b["data"].keys():
                x, y = a["data"][field], b["data"][field]
                if field in times and x is not None and y is not None:
                    check(near(x + a["zero"], y + b["zero"]), f"{a['name']}: {field} {x!r}, {y!r}")
                else:
                    check(x == y, f"{a['name']}: {field} {x!r}, {y!r}")
    check(recorded.schemas == own.schemas, "the two have different schemas")
    check({w: n for w, n in recorded.losses.items() if "marker" in w or w in MARKER_LOSSES} ==
          {w: n for w, n in own.losses.items() if "marker" in w or w in MARKER_LOSSES}, f"losses {recorded.losses}, {own.losses}")


MARKER_LOSSES = ("text-cut", "too-large", "metadata-full", "backward-interval", "no-chunk")


def run(geckoprof, command, folder, capacity):
    """The program's output, and both profiles."""
    recorded, own = os.path.join(folder, "recorded.json"), os.path.join(folder, "own.json")
    # What is recorded writes no profile of its own, unless it is asked to by what it is started by.
    command = ["env", "GECKOPROF_SHUTDOWN=" + own, *command]
    result = subprocess.run([geckoprof, "record", "-q", "--capacity", capacity, "--format", "gecko", "-o", recorded, "--", *command],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=100, check=False)
    check(result.returncode == 0, f"status {result.returncode}: {result.stderr}")
    check("unreadable" not in result.stderr and "damaged" not in result.stderr, result.stderr)
    with open(recorded, encoding="utf-8") as file:
        recorded_profile = Profile(json.load(file))
    own_profile = None
    if os.path.exists(own):
        with open(own, encoding="utf-8") as file:
            own_profile = Profile(json.load(file))
    for profile in filter(None, (recorded_profile, own_profile)):
        check("unreadable-marker" not in profile.losses and "damaged-chunk" not in profile.losses, f"losses {profile.losses}")
        check(not profile.duplicates, f"schemas written twice: {profile.duplicates}")
    return result.stdout, recorded_profile, own_profile


def check_forms(profile):
    for name, phase, category, data_type in (
            ("own category", 0, "Timer", None), ("own category of a text", 2, "Network", "Text"),
            ("untyped", 0, "Other", None), ("untyped with options", 2, "Timer", None), ("untyped with braces", 0, "Timer", None),
            ("two options", 3, "Other", None), ("sum dynamic", 0, "Other", None), ("in a loop 1", 0, "Other", None),
            ("in a loop 2", 0, "Other", None), ("text", 0, "Storage", "Text"), ("no fields", 0, "Other", "StackMarker"),
            ("tracing", 0, "Other", "tracing"), ("enum", 0, "Other", "MediaSample"), ("auto untyped", 1, "Graphics", None),
            ("auto untyped, no options", 1, "Graphics", None), ("auto untyped, options", 1, "Graphics", None),
            ("auto flow", 1, "Other", "FlowMarker"), ("auto flow's end", 1, "Other", "TerminatingFlowMarker"),
            ("auto text", 1, "Other", "Text"), ("auto typed", 1, "Other", "NetIO"), ("auto at", 1, "Other", "NetIO"),
            ("dynamic auto", 1, "Other", "StackMarker"), ("base untyped", 0, "Other", None), ("base text", 0, "Other", "Text"),
            ("base typed", 0, "Other", "CPUSpeed"), ("base auto untyped", 1, "Other", None), ("base auto text", 1, "Other", "Text"),
            ("base auto typed", 1, "Other", "NetIO"), ("function", 0, "Network", None), ("function typed", 0, "Logs", "Log"),
            ("AddMarker", 0, "Other", "Text")):
        marker = profile.one(name)
        found = (marker["phase"], marker["category"], (marker["data"] or {}).get("type"))
        check(found == (phase, category, data_type), f"{name}: {found}")
        if phase == 1:
            check(marker["end"] >= marker["start"] and marker["end"] - marker["start"] < 5000, f"{name}: {marker}")
    check([(m["phase"], m["category"]) for m in profile.named("dynamic")] == [(0, "Other"), (1, "Storage"), (2, "Network")],
          f"dynamic: {profile.named('dynamic')}")
    check(profile.data("auto text", "name") == "dynamic", "the text of an automatic marker")
    check(profile.data("auto flow", "flow") == "abcdef", f"the flow of a scope: {profile.one('auto flow')}")
    check(profile.data("auto flow's end", "terminatingFlow") == "abcdef", "the end of a flow")
    check(profile.data("enum", "sampleStartTimeUs") == 3, "an enum as a number")
    everything = profile.named("everything")
    check(len(everything) == 2, f"{len(everything)} markers of every kind")
    expected = {"type": "Everything", "u64": 2**64 - 1, "u32": 4096, "u8": 255, "i64": -2**63, "i32": -5, "i8": -128, "real": 0.1,
                "flag": True, "chars": "/a/path", "text": "first", "unique": "the same", "took": 1.5, "flow": "abcdef",
                "list": ["one", "", "thr\ufffdee"], "maybe": 7, "hidden": "shown"}
    for marker, changed in zip(everything, ({}, {"flag": False, "text": "x" * 300, "maybe": None, "hidden": None})):
        wanted = {key: value for key, value in {**expected, **changed}.items() if value is not None}
        data = dict(marker["data"])
        at = data.pop("at", None)
        check(at is not None and abs(at + marker["zero"] - marker["start"]) < 5, f"a time {at}, marked at {marker['start'] - marker['zero']}")
        check(data == wanted, f"everything: {data}, not {wanted}")
    schema = profile.schemas["Everything"]
    check(schema["display"] == ["marker-chart", "marker-table", "timeline-overview"], f"{schema}")
    check(schema.get("isStackBased") is True and schema["chartLabel"] == schema["tooltipLabel"] == schema["tableLabel"] == "{marker.name} {marker.data.text}", f"{schema}")
    check(schema["graphs"] == [{"key": "real", "type": "line-filled", "color": "teal"}], f"{schema}")
    fields = {field["key"]: field for field in schema["data"] if "key" in field}
    check(list(fields)[0] == "u64" and len(fields) == 17 and fields["hidden"].get("hidden") is True, f"{schema}")
    check("Unused" not in profile.schemas, "a type that nobody used has a schema")


def check_bad_input(profile):
    check(profile.data("no text", "name") == "", f"{profile.data('no text', 'name')!r}")
    check(profile.data("invalid UTF-8", "name") == "a\ufffd\ufffd", f"{profile.data('invalid UTF-8', 'name')!r}")
    check(profile.named("name \ufffd"), "a name that is not UTF-8")
    for name in ("nan", "infinity", "minus infinity"):
        data = profile.one(name)["data"]
        check("n" in data and data["n"] is None, f"{name}: {data}")
    backward = profile.one("end before start")
    for name in ("negative time", "negative interval"):
        marker = profile.one(name)
        check(abs(marker["start"]) < 1e-3 and marker["end"] in (None, marker["start"]), f"{name} is at the clock's zero: {marker}")
    check(backward["end"] == backward["start"] and backward["start"] > 0, f"{backward}")
    check(profile.losses.get("backward-interval") == 1, f"losses {profile.losses}")
    check(profile.data("negative duration", "d") == -2, "a negative duration")
    check(profile.data("wide", "w") == "w\u00e9\u20ac\U0001f600", f"{profile.data('wide', 'w')!r}")
    check(profile.data("halves", "w") == "\ufffda\ufffd\ufffd", f"{profile.data('halves', 'w')!r}")
    wide = profile.data("wide and long", "w")
    check(wide == "\u20ac" * len(wide) and 500 < len(wide) < 700, f"a long UTF-16 text of {len(wide)}")
    check(profile.data("long", "name") == "l" * 4096, "a long text")
    check(profile.data("long and wide", "name") == "l" * 4095, "a long text is cut between characters")
    check(profile.data("as long as may be", "name") == "l" * 4096, "the longest text")
    check(len(profile.named("n" * 400)) == 1, "a long name")
    check(profile.losses.get("text-cut") == 4, f"losses {profile.losses}")
    many = profile.one("many texts")["data"]
    check(many == {"type": "ManyTexts", **{f"t{i:02}": "the text" for i in range(40)}}, f"{many}")
    check(len(profile.schemas["ManyTexts"]["data"]) == 40, "fields are missing in the schema of forty texts")
    check(profile.losses.get("too-large") == 2 and not profile.named("too large") and not profile.named("too many bytes"),
          f"losses {profile.losses}")


def check_many_kinds(profile, output):
    refused = int(output.split()[1])
    kinds = [marker for marker in profile.markers if marker["name"].startswith("kind ")]
    check(len(kinds) == 40000 - refused and len(kinds) > 1000, f"{len(kinds)} kinds, {refused} refused")
    full = profile.losses.get("metadata-full", 0)  # with the program's other sites, and what the sampler had to say
    check(refused <= full <= refused + 20, f"{refused} refused, losses {profile.losses}")
    check(refused > 0, "the metadata has no end")
    check(all(m["data"] == {"type": m["name"], "n": int(m["name"][5:])} for m in kinds), "a kind's data are another's")
    check(len(profile.named("before")) in (1, 2), "an old site, after the metadata was full")


def check_handler(profile, output):
    handled = int(output.split()[1])
    inner, outer = profile.named("in the handler"), profile.named("interrupted")
    nested = profile.losses.get("nested-marker", 0)
    check(handled > 100 and len(inner) + nested == handled, f"{handled} handled, {len(inner)} marked, {nested} refused")
    check(len(outer) > 1000 and all(m["data"]["name"] in ("first", "sixteen bytes ok") for m in outer), "interrupted markers")
    check(all(m["data"]["name"] == "of a signal" for m in inner), "markers of the handler")


def check_jumps(profile, output):
    made, timed_out = int(output.split()[1]), len(profile.named("timed out"))
    check(made <= timed_out <= made + 100, f"{made} made, {timed_out} there")
    check(len(profile.named("after a fault")) == 2, "after a fault in a marker")
    check(len(profile.named("after all jumps")) == 1, "after all jumps")
    check([marker["data"]["number"] for marker in profile.named("of a type")] == [1, 3], f"{profile.named('of a type')}")
    check(2 < profile.losses.get("abandoned-marker", 0) <= 102, f"losses {profile.losses}")
    check("nested-marker" not in profile.losses, f"losses {profile.losses}")


def check_threads(profile):
    (pid, _), = [key for key, rows in profile.threads.items() if any(m["name"] == "after the fork" for m in rows)]
    tid_of = {m["name"]: tid for (owner, tid), rows in profile.threads.items() for m in rows if owner == pid}
    for name in ("about main", "after the fork"):
        check(tid_of.get(name) == pid % 10000000, f"{name}: thread {tid_of.get(name)}, not the main one of {pid}")
    check(len(profile.named("about main")) == 2, "about the main thread")
    check(tid_of.get("about nobody") == 999999999, "about a thread that there is not")
    check(tid_of.get("on a thread") not in (None, pid), "on a thread")
    check(len(profile.named("thread_local destructor")) == 1, "in a thread_local destructor")
    check(len(profile.named("key destructor")) == 1, "in a key's destructor")


def check_plugin(profile, output):
    check(output == "", output)
    for name, value in (("literal of the plugin", None), ("text of the plugin", "t"), ("type of the plugin", "value of the plugin")):
        markers = profile.named(name)
        check(len(markers) == 3, f"{len(markers)} markers {name!r}")
        check(all((m["data"] or {}).get("p" if "type" in name else "name") == value for m in markers), f"{name}: {markers}")
    check(profile.schemas["OfPlugin"]["data"][0]["key"] == "p", "the plugin's type")
    ids = [marker["data"]["id"] for marker in profile.named("Load 1: https://example.org/plugin")]
    check(len(ids) == 6 and len(set(ids)) == 3, f"requests of a plugin that was loaded three times: {ids}")
    profile.one("after the plugin")


def check_inline(profile, output):
    check(output == "", output)
    for name, category in (("first inline scope", "Graphics"), ("second inline scope", "Network"), ("inline text scope", "Storage"),
                           ("inline instant", "Timer"), ("with an inline marker", "Other"), ("in an argument", "Timer"),
                           ("text in an argument", "Layout"), ("inline mark of C", "Network"), ("inline mark of C with options", "JavaScript"),
                           ("ahead", "Other")):
        found = [marker["category"] for marker in profile.named(name)]
        check(found == [category] * 2, f"{name}: {found}")
    for kind in ("scope", "instant", "text", "mark of C"):
        for release in ("one", "two"):
            profile.one(f"{kind} of {release}")


def main():
    case, geckoprof, programs = sys.argv[1:4]
    program = "malloc_program" if case == "hook" else "marker_program"
    plugins = ("release_plugin_one", "release_plugin_two") if case == "inline" else ("marker_plugin",)
    command = [os.path.join(programs, program), case, *(os.path.join(programs, f"lib{plugin}.so") for plugin in plugins)]
    with tempfile.TemporaryDirectory() as folder:
        output, recorded, own = run(geckoprof, command, folder, "2MiB" if case == "many-kinds" else "32MiB")
    if case == "after-stop":
        recorded.one("while active")
        check(not recorded.named("after stop") and output == "", f"markers after the stop {output}")
    else:
        check(own is not None, "the process wrote no profile of its own")
    if case == "threads":  # the child is a process of its own
        check(len(recorded.named("in the child")) == 1, "a marker in a forked child")
        recorded.threads = {key: rows for key, rows in recorded.threads.items() if not any(m["name"] == "in the child" for m in rows)}
        recorded.losses = own.losses if own else {}
    if own is not None and case != "after-stop":
        compare(recorded, own)
    for profile in filter(None, (recorded, own)):
        if case == "forms":
            check_forms(profile)
        elif case == "bad-input":
            check_bad_input(profile)
        elif case == "many-kinds":
            check_many_kinds(profile, output)
        elif case == "handler":
            check_handler(profile, output)
        elif case == "jumps":
            check_jumps(profile, output)
        elif case == "threads":
            check_threads(profile)
        elif case == "plugin":
            check_plugin(profile, output)
        elif case == "inline":
            check_inline(profile, output)
        elif case == "hook":
            check(len(profile.named("in malloc")) > 1000 and len(profile.named("outside")) == 1, f"{len(profile.named('in malloc'))} in malloc")
    for fault in faults[:30]:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
