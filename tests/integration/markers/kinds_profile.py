#!/usr/bin/env python3
"""kinds_profile.py CASE GECKOPROF PROGRAMS: every kind of marker that kinds_program makes, as it reads back.

kinds: what the recorder and the process itself write is equal field by field, stacks included, and is what the program gave; both are
files that `geckoprof check` has nothing to say of. ipc: both sides of a message of a parent and its forked child. allocations: what the
viewer makes its allocation views of. Exit status 1, and a line for each fault.
"""

import os
import subprocess
import sys
import tempfile

from marker_profile import Profile, check, compare, faults, near, run

NAMES = ("Text TextStack StackMarker tracing Log FileIO Preference Timer AddRemoveTimer UserTiming MainThreadLongTask Collection CollectionSlice NetIO "
         "CPUSpeed Awake StartupPhase WakeUpCount UnregisteredThreadLifetime UnregisteredThreadCPU MediaSample VideoFallingBehind VideoSinkRender "
         "MediaEngine MediaEngineText CONTENT_FULL_PAINT_TIME FlowMarker FlowStackMarker FlowTextMarker Runnable "
         "TerminatingFlowStackMarker TerminatingFlowTextMarker TerminatingFlowMarker").split()
NETWORK_PHASES = ("startTime", "domainLookupStart", "domainLookupEnd", "connectStart", "tcpConnectEnd", "secureConnectionStart",
                  "connectEnd", "requestStart", "responseStart", "responseEnd", "endTime")


def without(data, *keys):
    return {key: value for key, value in data.items() if key not in keys}


def check_formats(profile):
    marker = profile.one("formats")
    data, pid = marker["data"], profile.data("built-in FileIO", "threadId")
    expected = {
        "type": "Formats", "url": "https://example.org/a?b=c", "path": "/a/path", "sanitized": "w\u00e4rme", "string": "a string",
        "unique": "the same", "duration": 1.5, "seconds": 2000, "milliseconds": 1.25, "microseconds": 7, "nanoseconds": 9,
        "bytes": 4096, "percentage": 0.5, "integer": -5, "decimal": 0.1, "hexadecimal": 255, "pid": pid, "tid": pid,
        "list": ["one", "", "three"], "flow": "abcdef", "ending": "abcdef",
        "table": [["parse", 1.5, 4096, 0.25, True, 7], ["l\ufffdink", -0.001, 2**64 - 1, 1, False, None]],
        "kind": 3, "yes": True, "hidden": "hidden", "colour": "magenta"}
    check(without(data, "time") == expected, f"formats: {data}")
    check(near(data["time"] + marker["zero"], marker["start"]) or abs(data["time"] + marker["zero"] - marker["start"]) < 100, f"{marker}")
    schema = profile.schemas["Formats"]
    formats = {field["key"]: field["format"] for field in schema["data"] if "key" in field}
    columns = [{"label": "Stage", "type": "string"}, {"label": "Took", "type": "duration"}, {"label": "Size", "type": "bytes"},
               {"label": "Share", "type": "percentage"}, {"label": "Done", "type": "string"}, {"type": "integer"}]
    words = {"path": "file-path", "sanitized": "sanitized-string", "unique": "unique-string", "flow": "flow-id",
             "ending": "terminating-flow-id", "table": {"type": "table", "columns": columns}, "kind": "integer", "yes": "string",
             "hidden": "string", "colour": "string"}
    check(formats == {key: words.get(key, key) for key in formats}, f"formats: {formats}")
    check(len(formats) == 26 and schema["colorField"] == "colour", f"{schema}")
    check(schema["graphs"] == [{"key": "bytes", "type": "bar", "color": "green"}, {"key": "percentage", "type": "line"}], f"{schema}")


def check_optionals(profile):
    given = {"type": "Optionals", "u64": 1, "i8": -2, "real": 0.5, "flag": False, "chars": "chars", "wide": "wide", "took": 3, "flow": "f",
             "list": ["x"], "table": [["a", "1"]]}
    check(without(profile.one("given")["data"], "time") == given and "time" in profile.one("given")["data"], f"{profile.one('given')}")
    check(profile.one("missing")["data"] == {"type": "Optionals"}, f"{profile.one('missing')}")
    check([marker["data"] for marker in profile.named("nothing")] == [{"type": "Optionals"}, {"type": "Optionals", "u64": 7}], f"{profile.named('nothing')}")
    check(profile.one("template")["data"] == {"type": "OfTemplate", "path": "a path", "size": 2**64 - 1}, f"{profile.one('template')}")
    empty = profile.one("empty table")["data"]
    check(empty["list"] == [] and empty["table"] == [] and empty["wide"] == "" and empty["flow"] == "0", f"{empty}")


def check_older(profile):
    expected = {"type": "Older", "int": 4, "double": 0.5, "bool": True, "string": "a string", "unique": "the same", "null": None,
                "flow": "123", "list": ["one", "two"], "table": [["row", 0], ["row", 1]],
                "object": {"nested": [{"x": 0.5}, False, None, 1.5]}}
    check(profile.one("older")["data"] == expected, f"{profile.one('older')}")
    schema = profile.schemas["Older"]
    columns = [{"label": "Name", "type": "string"}, {"label": "Number", "type": "integer"}]
    check({"key": "table", "label": "Table", "format": {"type": "table", "columns": columns}} in schema["data"], f"{schema}")
    check({"label": "Note", "value": "a note"} in schema["data"] and schema["graphs"] == [{"key": "int", "type": "line", "color": "red"}],
          f"{schema}")


def check_cuts(profile):
    check(profile.data("cut text", "name") == "t" * 4096, "a text is cut")
    cut_list, cut_table = profile.data("cut list", "list"), profile.data("cut table", "table")
    check(10 < len(cut_list) < 100 and set(cut_list) == {"l" * 90}, f"a list of {len(cut_list)}")
    check(10 < len(cut_table) < 100 and all(row == ["r" * 90, 1] for row in cut_table), f"a table of {len(cut_table)} rows")
    check(len(profile.named("cut " + "n" * 396)) == 1, "a name is cut")
    check(profile.losses.get("text-cut") == 5, f"losses {profile.losses}")


def check_flows(profile):
    of_object, of_process = profile.data("flow of an object", "flow"), profile.data("flow of the process", "terminatingFlow")
    check(of_object == of_process and int(of_object, 16) > 0, f"flows {of_object}, {of_process}")


def check_stack(name, marker, kind):
    """kind: as in the program: none, here, labels, stored, taken, here."""
    label = "open label of the moment"
    stack = (marker["data"] or {}).get("stack")
    if kind != 0:
        categories = list(zip(stack or [], marker["frame categories"]))
        check((("stored label", "Media") if kind in (3, 4) else (label, "Storage")) in categories, f"{name}: {categories}")
    stack = stack and [frame for frame in stack if frame != "(root)"]
    if kind in (1, 5):  # native frames too, unless there are more at once than the sampler has room for
        check(stack is not None and label in stack and len(stack) > 1, f"{name}: {stack}")
    elif kind == 2:
        check(stack == [label], f"{name}: {stack}")
    elif kind in (3, 4):
        check(stack is not None and len(stack) == 2 and stack[1] == "stored label", f"{name}: {stack}")
    else:
        check(stack is None, f"{name}: {stack}")


def check_flow(name, data, kind):
    """kind: 0 none, 1 in a flow, 2 at its end."""
    type_name = (data or {}).get("type")
    if type_name == "Text":
        keys = (None, "markerFlow", "markerTerminatingFlow")
    else:
        keys = (None, "flow", "terminatingFlow")
        check(type_name in (((None, "NoPayloadUserData"), ("FlowMarker",), ("TerminatingFlowMarker",))[kind]), f"{name}: {data}")
    found = {key: value for key, value in (data or {}).items() if "low" in key}
    check(found == ({keys[kind]: "f10"} if kind else {}), f"{name}: {data}")


def check_options(profile):
    (main, _), = [key for key, rows in profile.threads.items() if any(marker["name"] == "formats" for marker in rows)]
    for timing, phase in enumerate((0, 0, 1, 1, 2, 3)):
        for thread in range(4):
            for stack in range(6):
                name = f"options {timing}{thread}{stack}"
                markers = profile.named(name)
                check(len(markers) == 4, f"{len(markers)} markers {name}")
                for marker in markers:
                    data = marker["data"]
                    check(marker["phase"] == phase and marker["category"] == "Test", f"{name}: {marker}")
                    check_flow(name, data, (timing + thread + stack) % 3)
                    check(data is None or data["type"] != "Text" or data["name"] == name, f"{name}: {data}")
                    check_stack(name, marker, stack)
                    if timing in (0, 2):
                        check(marker["end"] is None or 4.9 < marker["end"] - marker["start"] < 10000, f"{name}: {marker}")
                of_main = sum(marker in profile.threads[(main, main % 10000000)] for marker in markers)
                check(of_main == (4 if thread == 2 else 2), f"{name}: {of_main} of the main thread")
    formats = {field["key"]: field["format"] for field in profile.schemas["Text"]["data"] if "key" in field}
    check(formats.get("markerFlow") == "flow-id" and formats.get("markerTerminatingFlow") == "terminating-flow-id", f"{formats}")
    captured = [stack for marker in profile.markers if marker["name"][:8] == "options " and marker["name"][-1] in "15"
                for stack in [marker["data"]["stack"]] if any(frame.startswith("0x") for frame in stack)]
    check(captured != [], "no stack has native frames")


def check_built_ins(profile):
    for name in NAMES:
        marker = profile.one("built-in " + name)
        check(marker["data"].get("type") == name and name in profile.schemas, f"{name}: {marker}")
        keys = {field["key"] for field in profile.schemas[name]["data"] if "key" in field}
        check(marker["data"].keys() - {"type"} <= keys, f"{name}: {marker['data']}, {keys}")
    check(profile.data("built-in Awake", "CPU Time") == 1.5 and profile.data("built-in Runnable", "runnable") == "77", "values")


def check_formatted(profile):
    check(profile.data("formatted", "name") == "3 of seven files, 42.9 %", f"{profile.one('formatted')}")
    check(profile.data("formatted long", "name") == "z" * 1024, "a long text is not cut at 1,024 bytes")
    check(profile.data("formatted scope", "name") == "0xff", f"{profile.one('formatted scope')}")
    simple = profile.one("simple")["data"]
    check(simple == {"type": "simple", "width": 3, "title": "a title", "took": 1.5, "std::max(1, 2)": 2}, f"{simple}")
    check(profile.schemas["simple with label"]["tableLabel"] == "{marker.data.width} px", "the label of a simple payload")


def check_phases(profile):
    for name in ("first phase", "second phase"):
        halves = profile.named(name)
        check(len(halves) == 2 and all(half["data"]["type"] == "StartupPhase" for half in halves), f"{name}: {halves}")
    check(profile.one("phase of a scope")["data"]["type"] == "StartupPhase", "a scope")
    awake = [marker["data"] for marker in profile.named("Awake")]
    check([sorted(data) for data in awake] == [["type"], ["CPU Id", "OS priority", "type"], ["CPU Time", "type"], ["CPU Id", "OS priority", "type"]],
          f"{awake}")


def check_network(profile):
    requests = [marker for marker in profile.markers if (marker["data"] or {}).get("type") == "Network"]
    check(len(requests) == 4 and "Network" not in profile.schemas, f"{len(requests)} halves of requests")
    halves = {}
    for marker in requests:
        data = marker["data"]
        halves.setdefault(data["id"], {})[data["status"]] = marker
        check(near(data["startTime"] + marker["zero"], marker["start"]) and near(data["endTime"] + marker["zero"], marker["end"]), f"{marker}")
        check(marker["phase"] == 1 and marker["category"] == "Network" and marker["name"].startswith("Load "), f"{marker}")
    first, second = [halves[number] for number in sorted(halves)]
    stop = first["STATUS_STOP"]["data"]
    check(near(first["STATUS_START"]["data"]["endTime"], stop["startTime"]), f"{first}")
    times = [stop[key] for key in NETWORK_PHASES]
    check(times == sorted(times) and len(set(times)) == len(times), f"phases {times}")
    rest = {"count": 12345, "responseStatus": 200, "contentType": "text/html", "httpVersion": "h2", "cache": "Missed", "pri": 0,
            "URI": "https://example.org/a.html", "type": "Network", "status": "STATUS_STOP"}
    check(without(stop, "id", *NETWORK_PHASES) == rest, f"{stop}")
    redirect = second["STATUS_REDIRECT"]["data"]
    check(redirect["RedirectURI"] == "https://example.org/b.html" and redirect["redirectType"] == "Permanent", f"{redirect}")
    check(redirect["URI"] == "https://example.org/w\u00e4rme/" + "x" * 400 and redirect["pri"] == 10, f"{redirect}")
    # The other half of the first was made on another thread, and is about the one that opened it.
    rows = [rows for rows in profile.threads.values() if first["STATUS_STOP"] in rows]
    check(len(rows) == 1 and first["STATUS_START"] in rows[0], "halves of a request on two threads")


def check_by_c(profile):
    full, short = [marker["data"] for marker in profile.named("by C")]
    expected = {"type": "ByC", "i": -1, "u": 2**64 - 1, "d": 0.5, "b": True, "s": "s", "n": 2.5, "f": "c"}
    check(without(short, "m") == expected, f"{short}")
    check(without(full, "m") == {**expected, "l": ["one", "two"], "t": [["a", 1.5, 7], ["b", None, 2**64 - 1]]}, f"{full}")
    columns = [{"label": "Key", "type": "string"}, {"label": "Took", "type": "duration"}, {"type": "integer"}]
    check({"key": "t", "label": "T", "format": {"type": "table", "columns": columns}} in profile.schemas["ByC"]["data"], "a table of C's")


def check_file(geckoprof, path):
    said = subprocess.run([geckoprof, "check", "--warnings", path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    # Firefox's type has a string format for a number: so has ours. The recorder's marker of the time from exec begins before the process does.
    usual = (".speed: is number", "tells apart", "before the process's begin")
    left = [line for line in said.stdout.splitlines() if "warning" in line and not any(part in line for part in usual)]
    check(said.returncode == 0 and [line for line in left if ": warning: " in line] == [], said.stdout)


def kinds(geckoprof, command, folder):
    _, recorded, own = run(geckoprof, command, folder, "32MiB")
    check(own is not None, "the process wrote no profile of its own")
    if own is not None:
        compare(recorded, own)
        check(any(cpu for rows in own.samples.values() for _, _, cpu in rows), "no sample has CPU time")
    for profile in filter(None, (recorded, own)):
        for part in (check_formats, check_optionals, check_older, check_cuts, check_flows, check_options, check_built_ins, check_formatted, check_phases, check_network,
                     check_by_c):
            part(profile)
    for name in ("recorded.json", "own.json"):
        check_file(geckoprof, os.path.join(folder, name))
    processed = os.path.join(folder, "processed.json")
    subprocess.run([geckoprof, "record", "-q", "-o", processed, "--", *command], check=True, stdout=subprocess.DEVNULL)
    check_file(geckoprof, processed)


def ipc(geckoprof, command, folder):
    _, recorded, _ = run(geckoprof, command, folder, "8MiB")
    sides = {pid: [m["data"] for m in rows if m["name"] == "IPC"] for (pid, _), rows in recorded.threads.items()}
    sides = {pid: messages for pid, messages in sides.items() if messages}
    check(len(sides) == 2, f"IPC markers of {len(sides)} processes: the child's first marker is lost")
    parent = [pid for pid, messages in sides.items() if messages[0]["side"] == "parent"]
    child = [pid for pid, messages in sides.items() if messages[0]["side"] == "child"]
    if len(parent) != 1 or len(child) != 1:
        return check(False, f"{sides}")
    sent, begun, received = *sides[parent[0]], *sides[child[0]]
    common = {"type": "IPC", "messageType": "Job::Run", "messageSeqno": 7, "sync": False}
    times = ("startTime", "endTime")
    check(without(sent, *times) == {**common, "otherPid": str(child[0]), "side": "parent", "direction": "sending", "phase": "endpoint"}, f"{sent}")
    check(begun["phase"] == "transferStart", f"{begun}")
    check(without(received, *times) ==
          {**common, "otherPid": str(parent[0]), "side": "child", "direction": "receiving", "phase": "endpoint"}, f"{received}")
    for name, count in (("flow of a process", 2), ("flow of all", 1)):
        flows = [marker["data"]["flow"] for marker in recorded.named(name)]
        check(len(flows) == 2 and len(set(flows)) == count, f"{name}: {flows} of parent and child")
    check({marker["data"]["flow"] for marker in recorded.named("flow of all")} == {"5"}, f"{recorded.named('flow of all')}")
    return None


def allocations(geckoprof, command, folder):
    _, recorded, own = run(geckoprof, command, folder, "8MiB")
    compare(recorded, own)
    sizes = [(marker["data"]["size"], bool(marker["data"].get("stack"))) for marker in recorded.named("Native allocation")]
    check(sizes == [(64, True), (64, True), (-64, True)], f"{sizes}")


def main():
    case, geckoprof, programs = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        {"kinds": kinds, "ipc": ipc, "allocations": allocations}[case](geckoprof, [os.path.join(programs, "kinds_program"), case], folder)
    for fault in faults[:30]:
        print(fault[:2000])
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
