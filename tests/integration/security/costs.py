"""costs.py CASE GECKOPROF PROGRAM: the time and memory of the command for an input that claims or holds far too much.

    sparse_map      a perf map of 1 GiB that is a hole
    long_map        a perf map of 240 MB of lines
    packed_section  a program with a compressed section that unpacks to 512 MiB
    many_children   100,000 notes of child processes
    claimed_rows    a recording that says it has 4 billion chunks
    sparse_rows     a session of 5,000 processes, each with 32,768 chunks in a hole
    sparse_chunks   a session whose chunks are said to be full and lie in a hole, 40 GiB together
    late_life       forty processes that say they lived for a year after their last sample, as a raw profile
    long_lines      a program with 15 MiB of line information for one file
    deep_stacks     a profile whose 200,000 samples have stacks of 200,000 frames

Prints the most CPU time and memory of a command. Exit status 0: each ended with 0 or 1, within both bounds."""
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

MOST_CPU_S = 6.0  # on a slow and busy machine; tools/bench hostile_inputs has the bar
MOST_BYTES = 256 << 20
MOST_FILE_BYTES = 1 << 30  # a raw profile has a row for each tick
MOST_CHUNKS = 1 << 15  # as common/include/geckoprof/segment/segment_format.h has it
FIRST_CHUNK = 4096 + (MOST_CHUNKS << 6)
STATE_AT, HEARTBEAT_AT, LATEST_CYCLES_NS_AT = 112, 152, 808  # in SegmentHeader
YEAR_NS = 365 * 24 * 3600 * 10**9
LOOP = "i=0; while [ $i -lt 50000 ]; do i=$((i + 1)); done"


class Costs:
    def __init__(self, geckoprof, work):
        self.geckoprof, self.work = geckoprof, work
        self.seconds = self.bytes = 0

    def run(self, *args, statuses=(0, 1), counts=True):
        with tempfile.TemporaryFile() as text:
            pid = os.posix_spawn(self.geckoprof, ["geckoprof", *map(str, args)], os.environ,
                                 file_actions=[(os.POSIX_SPAWN_DUP2, text.fileno(), 1), (os.POSIX_SPAWN_DUP2, text.fileno(), 2)])
            _, status, usage = os.wait4(pid, 0)
            text.seek(0)
            said = text.read(2000)
        status = os.waitstatus_to_exitcode(status)
        if status not in statuses:
            sys.exit(f"{args[0]} ended with {status}: {said!r}")
        if counts:
            self.seconds = max(self.seconds, usage.ru_utime + usage.ru_stime)
            self.bytes = max(self.bytes, usage.ru_maxrss << 10)

    def keep_session(self, script):
        """Records a script without counting it, since its time is that of the recorder's child, and keeps its session."""
        self.run("record", "-q", "-o", self.work / "p.json", "--", "bash", "-c", f'{script}; cp -a "$GECKOPROF_SESSION_DIR" {self.work}/session',
                 statuses=(0,), counts=False)
        return self.work / "session"


def use_map(costs, program, make):
    session = costs.keep_session(f"{program} unnamed 0.1")
    pids = {segment.name.split("-")[0] for segment in session.glob("*.segment")}
    maps = [pathlib.Path(f"/tmp/perf-{pid}.map") for pid in pids]
    try:
        for path in maps:
            make(path)
        costs.run("recover", session, "-q", "-o", costs.work / "p.json", statuses=(0,))
    finally:
        for path in maps:
            path.unlink(missing_ok=True)


def sparse_map(costs, program):
    def make(path):
        path.touch()
        os.truncate(path, 1 << 30)

    use_map(costs, program, make)


def long_map(costs, program):
    lines = costs.work / "lines"
    with lines.open("w") as file:
        for i in range(8_000_000):
            file.write(f"{0x10000000 + 64 * i:x} 40 function_{i % 1000}\n")
    use_map(costs, program, lambda path: shutil.copy(lines, path))


def use_sections(costs, program, contents):
    """Records and symbolicates a copy of the program. contents(name) has the bytes of a section of debug information, compressed, or None."""
    data = bytearray(pathlib.Path(program).read_bytes())
    sections, = struct.unpack_from("<Q", data, 40)
    entry_bytes, count, names = struct.unpack_from("<HHH", data, 58)
    names_at, = struct.unpack_from("<Q", data, sections + names * entry_bytes + 24)
    changed, added = 0, b""
    for i in range(count):
        at = sections + i * entry_bytes
        name, kind, flags, _, _, size = struct.unpack_from("<IIQQQQ", data, at)
        name = data[names_at + name : data.index(0, names_at + name)].decode()
        packed = contents(name) if kind == 1 and flags & 2 == 0 and size > 64 else None  # PROGBITS that is not loaded
        if packed is not None:
            struct.pack_into("<Q", data, at + 8, flags | 0x800)  # SHF_COMPRESSED
            struct.pack_into("<QQ", data, at + 24, len(data) + len(added), len(packed))
            added += packed
            changed += 1
    if changed == 0:
        sys.exit("the program has no debug information")
    copy = costs.work / "packed"
    copy.write_bytes(data + added)
    copy.chmod(0o755)
    costs.run("record", "-q", "-o", costs.work / "p.json", "--", copy, "unnamed", "0.1", statuses=(0,))
    costs.run("symbolicate", "-q", "--no-symbol-cache", "-o", costs.work / "s.json", costs.work / "p.json")


def packed(contents):
    return struct.pack("<IIQQ", 1, 0, len(contents), 1) + zlib.compress(contents)  # Elf64_Chdr, by zlib


def packed_section(costs, program):
    bomb = packed(bytes(1 << 29))
    use_sections(costs, program, lambda _: bomb)


def long_lines(costs, program):
    symbols = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.split()
    main = int(symbols[symbols.index("main") - 2], 16)
    rows = b"\0\x09\x02" + struct.pack("<Q", main & ~0xFFF) + bytes([13 + 5 + 14, 13 + 6]) * (15 << 19) + b"\0\1\1"
    rules = struct.pack("<BBbBB12B", 1, 1, -5, 14, 13, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1) + b"\0a.c\0\0\0\0\0"
    table = struct.pack("<HI", 3, len(rules)) + rules + rows
    lines = packed(struct.pack("<I", len(table)) + table)
    use_sections(costs, program, lambda name: lines if name == ".debug_line" else None)


def many_children(costs, _):
    session = costs.keep_session(LOOP)
    for i in range(1_000_000, 1_100_000):
        (session / f"child-{i}-0").symlink_to(f"{i}")
    costs.run("recover", session, "-q", "-o", costs.work / "p.json", statuses=(0,))


def claimed_rows(costs, _):
    for segment in costs.keep_session(LOOP).glob("*.segment"):
        with segment.open("r+b") as file:
            header = file.read(112)
            for at in range(8, 112, 4):  # each number of the layout in its turn
                changed = bytearray(header)
                struct.pack_into("<I", changed, at, 0xFFFFFFFF)
                file.seek(0)
                file.write(changed)
                file.flush()
                os.ftruncate(file.fileno(), 1 << 38)
                costs.run("recover", segment, "-q", "-o", costs.work / "r.json")
            file.seek(0)
            file.write(header)


def small_segment(costs):
    """The bytes of a segment's header and directory, as they are at its end, and the path of its session."""
    session = costs.keep_session(LOOP)
    path = min(session.glob("*.segment"))
    with path.open("rb") as file:
        header = bytearray(file.read(4096))
    for segment in session.glob("*.segment"):
        segment.unlink()
    struct.pack_into("<I", header, 28, MOST_CHUNKS)  # SegmentHeader::chunk_count, and the offset of the first chunk
    struct.pack_into("<Q", header, 32, FIRST_CHUNK)
    return header, session


def sparse_rows(costs, _):
    header, session = small_segment(costs)
    for pid in range(1_000_000, 1_005_000):
        path = session / f"{pid}-0.segment"
        path.write_bytes(header)
        os.truncate(path, FIRST_CHUNK + (MOST_CHUNKS << 16))
    costs.run("recover", session, "-q", "-o", costs.work / "p.json", statuses=(0,))


def sparse_chunks(costs, _):
    header, session = small_segment(costs)
    for pid in range(1_000_000, 1_000_020):
        path = session / f"{pid}-0.segment"
        rows = b"".join(struct.pack("<QIIQqq24x", 1 << 32 | i % 3 << 16 | 2, 1 << 16, 0, i << 16, 1, 1) for i in range(MOST_CHUNKS))
        path.write_bytes(header + rows)
        os.truncate(path, FIRST_CHUNK + (MOST_CHUNKS << 16))
    costs.run("recover", session, "-q", "-o", costs.work / "p.json")


def late_life(costs, _):
    session = costs.keep_session(LOOP)
    path = min(session.glob("*.segment"))
    with path.open("rb") as file:
        data = bytearray(file.read(4 << 20))
    for at in (HEARTBEAT_AT, LATEST_CYCLES_NS_AT):
        time_ns, = struct.unpack_from("<q", data, at)
        struct.pack_into("<q", data, at, time_ns + YEAR_NS)
    struct.pack_into("<I", data, STATE_AT, 1)  # SegmentState::kRecording
    for pid in range(1_000_000, 1_000_040):
        segment = session / f"{pid}-0.segment"
        segment.write_bytes(data)
        os.truncate(segment, 1 << 38)
    profile = costs.work / "r.json"
    costs.run("recover", session, "-q", "--format", "gecko", "-o", profile, statuses=(0,))
    if profile.stat().st_size > MOST_FILE_BYTES:
        sys.exit(f"a profile of {profile.stat().st_size >> 20} MiB")


def deep_stacks(costs, _):
    depth = 200_000
    columns = {"length": depth}
    profile = {
        "meta": {"version": 34, "preprocessedProfileVersion": 63, "interval": 1, "startTime": 0, "processType": 0, "product": "p", "stackwalk": 1,
                 "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}], "markerSchema": []},
        "libs": [],
        "shared": {
            "stringArray": ["f"],
            "funcTable": columns | {"length": 1, "name": [0], "isJS": [False], "relevantForJS": [False], "resource": [-1], "source": [None],
                                    "lineNumber": [None], "columnNumber": [None]},
            "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []},
            "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []},
            "sources": {"length": 0, "id": [], "filename": [], "startLine": [], "startColumn": [], "sourceMapURL": []},
            "frameTable": {"length": 1, "address": [-1], "inlineDepth": [0], "category": [0], "subcategory": [0], "func": [0], "nativeSymbol": [None],
                           "innerWindowID": [None], "line": [None], "column": [None]},
            "stackTable": columns | {"frame": [0] * depth, "prefix": [None, *range(depth - 1)]},
        },
        "threads": [{
            "name": "main", "isMainThread": True, "pid": "1", "tid": 1, "processType": "default", "processStartupTime": 0, "processShutdownTime": None,
            "registerTime": 0, "unregisterTime": None, "pausedRanges": [],
            "samples": columns | {"stack": [depth - 1] * depth, "time": list(range(depth)), "weight": None, "weightType": "samples"},
            "markers": {"length": 0, "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "data": []},
        }],
    }
    path = costs.work / "deep.json"
    path.write_text(json.dumps(profile))
    del profile
    for form in ("pprof", "otlp", "folded", "speedscope", "perfetto", "chrome"):
        costs.run("convert", "--to", form, "-o", costs.work / "out", path, statuses=(0,))
    costs.run("report", path, statuses=(0,))


def main():
    case, geckoprof, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        costs = Costs(geckoprof, pathlib.Path(work))
        globals()[case](costs, program)
    print(f"{case}: {costs.seconds:.2f} s of CPU time, {costs.bytes >> 20} MiB")
    if costs.seconds > MOST_CPU_S or costs.bytes > MOST_BYTES:
        sys.exit(f"more than {MOST_CPU_S} s or {MOST_BYTES >> 20} MiB")


main()
