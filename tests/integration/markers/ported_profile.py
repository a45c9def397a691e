#!/usr/bin/env python3
"""ported_profile.py GECKOPROF PROGRAMS SOURCE GUIDE: what ported_program marks, and that the guide shows its code.

SOURCE is ported_program.cc: what stands in it between lines "// --- N" must stand in GUIDE as the Nth block of C++, letter by letter.
Exit status 1, and a line for each fault.
"""

import os
import re
import sys
import tempfile

from marker_profile import check, compare, faults, run


def check_guide(source, guide):
    with open(source, encoding="utf-8") as file:
        parts = [part.strip("\n") for part in re.split(r"^// ---.*\n", file.read(), flags=re.MULTILINE)[1:-1]]
    with open(guide, encoding="utf-8") as file:
        blocks = re.findall(r"^```cpp\n(.*?)\n```$", file.read(), flags=re.MULTILINE | re.DOTALL)
    check(len(parts) == 5 and len(blocks) == 5, f"{len(parts)} ports, {len(blocks)} blocks in the guide")
    for number, (part, block) in enumerate(zip(parts, blocks), start=1):
        check(part == block, f"the guide's block {number} is not what is compiled")


def check_markers(profile):
    check(profile.one("Parsed")["data"] == {"type": "DocumentParsed", "title": "A page", "tokens": 42}, f"{profile.one('Parsed')}")
    post, ran = profile.one("Post")["data"], profile.one("Run")["data"]
    check(post["type"] == "TaskFlow" and post["task"] == "decode" and post.get("stack"), f"{post}")
    check(post["flow"] == ran["terminatingFlow"] and int(post["flow"], 16) > 0, f"{post}, {ran}")
    first, second = profile.named("Load")
    for marker, status in ((first, 200), (second, 200)):
        data = marker["data"]
        check((marker["phase"], marker["category"], data["status"], data["bytes"], data["wait"]) == (1, "Network", status, 4096, 1.5), f"{marker}")
        check(abs(data["requestStart"] + marker["zero"] - marker["start"]) < 0.001, f"{marker}")
    check("redirect" not in first["data"] and second["data"]["redirect"] == "https://example.org/c.png", f"{first}, {second}")
    check(profile.one("Priority")["data"] == {"type": "PriorityChange", "before": "idle", "after": "urgent", "forced": True},
          f"{profile.one('Priority')}")
    shown = [marker["data"] for marker in profile.named("Show")]
    check(shown == [{"type": "Viewer", "name": "first", "named": True, "count": 7, "counted": True, "wide": "wide \u00fc\U0001F600", "parts": ["\ufffd", "part"]}, {"type": "Text", "name": "second"},
                    {"type": "Text", "name": "third"}], f"{shown}")
    purged = [marker["data"] for marker in profile.named("Purge")]
    check(purged == [{"type": "PurgeArena", "pages": 3}, {"type": "PurgeArena", "pages": 4}, None, {"type": "Text", "name": "all"}],
          f"{purged}")
    measure = profile.one("Measure")
    # The process began as what it was before it executed this program, if anything.
    check(measure["phase"] == 1 and -60_000 < measure["start"] - measure["zero"] < 0.001 and measure["end"] > measure["start"] and
          measure["data"] == {"type": "UserTiming", "name": "whole", "entryType": "measure", "startMark": "begin"}, f"{measure}")
    reflow = profile.one("Reflow")
    check(reflow["phase"] == 1 and reflow["data"] == {"type": "LayoutPass", "roots": ["body", "aside"], "phases": [[0, 0.5], [1, 1.25]]},
          f"{reflow}")


def check_schemas(profile):
    parsed = profile.schemas["DocumentParsed"]
    check(parsed["chartLabel"] == parsed["tableLabel"] == "{marker.data.title}", f"{parsed}")
    fields = {field["key"]: field["format"] for name in ("DocumentParsed", "TaskFlow", "ResourceLoad", "PriorityChange", "LayoutPass")
              for field in profile.schemas[name]["data"] if "key" in field}
    columns = [{"label": "Phase", "type": "integer"}, {"label": "Took", "type": "milliseconds"}]
    check(fields == {"title": "string", "tokens": "integer", "task": "string", "flow": "flow-id", "url": "url", "status": "integer",
                     "bytes": "bytes", "requestStart": "time", "wait": "duration", "redirect": "url", "before": "unique-string",
                     "after": "unique-string", "forced": "string", "roots": "list", "phases": {"type": "table", "columns": columns}},
          f"{fields}")
    check(profile.schemas["LayoutPass"].get("isStackBased") is True, "LayoutPass")
    check({"label": "Note", "value": "Of the process"} in profile.schemas["PriorityChange"]["data"], "PriorityChange")


def main():
    geckoprof, programs, source, guide = sys.argv[1:5]
    check_guide(source, guide)
    with tempfile.TemporaryDirectory() as folder:
        _, recorded, own = run(geckoprof, [os.path.join(programs, "ported_program")], folder, "8MiB")
    check(own is not None, "the process wrote no profile of its own")
    if own is not None:
        compare(recorded, own)
    for profile in filter(None, (recorded, own)):
        check_markers(profile)
        check_schemas(profile)
    for fault in faults[:30]:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
