"""costs.py CASE GECKOPROF PROGRAM: the time and memory of the command for an input that claims or holds far too much.

    sparse_map      a perf map of 1 GiB that is a hole
    long_map        a perf map of 240 MB of lines
    packed_section  a program with a compressed section that unpacks to 512 MiB
    many_children   300,000 notes of child processes
    claimed_rows    a recording that says it has 4 billion chunks
    sparse_rows     a session of 5,000 processes, each with 32,768 chunks in a hole
    sparse_chunks   a session whose chunks are said to be full and lie in a hole, 40 GiB together
    late_life       forty processes that say they lived for a year after their last sample, as a raw profile
    long_lines      a program with 15 MiB of line information for one file
    deep_stacks     a profile whose 200,000 samples have stacks of 200,000 frames
    inlined_calls   pprof whose samples name a location with very many inlined functions
    packed_text     gzip of some hundred KiB that unpacks to hundreds of MB, or to very many rows
    long_names      a profile in which 10,000 functions have one name of 1 MB
    mangled_names   a program whose symbols stand for long texts, or take long to demangle

Prints the most CPU time and memory of a command. Exit status 0: each ended with 0 or 1, within both bounds."""
import gzip
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
FORMATS = ("pprof", "otlp", "folded", "speedscope", "perfetto", "chrome")
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
    # The memory of this process would count as that of the commands.
    size, piece, packer = 1 << 29, bytes(1 << 20), zlib.compressobj()
    bomb = struct.pack("<IIQQ", 1, 0, size, 1) + b"".join(packer.compress(piece) for _ in range(size // len(piece))) + packer.flush()
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
    for i in range(1_000_000, 1_300_000):
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


def processed_profile(strings, functions, libs, prefixes, samples):
    """Function i has the name strings[functions[i]] and the library i % libs. Stack i has the frame i % functions. Samples are rows of the stacks."""
    def table(length, **columns):
        return {"length": length} | {name: value if isinstance(value, list) else [value] * length for name, value in columns.items()}

    count = len(functions)
    return {
        "meta": {"version": 34, "preprocessedProfileVersion": 63, "interval": 1, "startTime": 0, "processType": 0, "product": "p", "stackwalk": 1,
                 "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]}], "markerSchema": []},
        "libs": [{"name": f"l{i}", "path": f"/l{i}", "arch": "", "breakpadId": "", "debugName": "", "debugPath": "", "codeId": None} for i in range(libs)],
        "shared": {
            "stringArray": strings,
            "funcTable": table(count, name=functions, isJS=False, relevantForJS=False, resource=[i % libs for i in range(count)] if libs else -1, source=None,
                               lineNumber=None, columnNumber=None),
            "resourceTable": table(libs, lib=list(range(libs)), name=0, host=None, type=1),
            "nativeSymbols": table(0, libIndex=0, address=0, name=0, functionSize=0),
            "sources": table(0, id=0, filename=0, startLine=0, startColumn=0, sourceMapURL=0),
            "frameTable": table(count, address=-1, inlineDepth=0, category=0, subcategory=0, func=list(range(count)), nativeSymbol=None, innerWindowID=None,
                                line=None, column=None),
            "stackTable": table(len(prefixes), frame=[i % count for i in range(len(prefixes))], prefix=prefixes),
        },
        "threads": [{
            "name": "main", "isMainThread": True, "pid": "1", "tid": 1, "processType": "default", "processStartupTime": 0, "processShutdownTime": None,
            "registerTime": 0, "unregisterTime": None, "pausedRanges": [],
            "samples": table(len(samples), stack=samples, time=list(range(len(samples)))) | {"weight": None, "weightType": "samples"},
            "markers": table(0, name=0, startTime=0, endTime=0, phase=0, category=0, data=0),
        }],
    }


def use_profile(costs, path, statuses=(0,)):
    for form in FORMATS:
        costs.run("convert", "--to", form, "-o", costs.work / "out", path, statuses=statuses)
    costs.run("report", path, statuses=statuses)


def deep_stacks(costs, _):
    depth = 200_000
    path = costs.work / "deep.json"
    path.write_text(json.dumps(processed_profile(["f"], [0], 0, [None, *range(depth - 1)], [depth - 1] * depth)))
    use_profile(costs, path)


def long_names(costs, _):
    count = 10_000
    path = costs.work / "names.json"
    profile = processed_profile(["f" * 1_000_000], [0] * count, count, [None] * count, list(range(count)))
    path.write_text(json.dumps(profile))
    use_profile(costs, path)
    costs.run("compare", path, path, statuses=(0,))
    del profile["threads"][0]["name"]
    profile["threads"][0]["name"] = "t" * 1_000_000
    path.write_text(json.dumps(profile))
    use_profile(costs, path)


def wire_number(number):
    groups = [number >> shift & 0x7F for shift in range(0, max(number.bit_length(), 1), 7)]
    return bytes([group | 0x80 for group in groups[:-1]] + groups[-1:])


def wire_field(number, content):
    return wire_number(number << 3) + wire_number(content) if isinstance(content, int) else wire_number(number << 3 | 2) + wire_number(len(content)) + content


def inlined_calls(costs, _):
    for lines, samples, locations in ((8000, 4000, 1), (300_000, 1, 1), (3000, 1, 10_000), (1, 1, 30_000_000), (1, 40, 900_000), (1, 5_000_000, 1)):
        place = wire_field(1, 1) + wire_field(4, wire_field(1, 1)) * lines
        sample = wire_field(2, wire_field(1, b"\1" * locations) + wire_field(2, b"\1"))
        bytes_of_profile = (wire_field(1, wire_field(1, 1) + wire_field(2, 2)) + wire_field(4, place) + wire_field(5, wire_field(1, 1) + wire_field(2, 3)) +
                            sample * samples + b"".join(wire_field(6, text) for text in (b"", b"samples", b"count", b"f")))
        path = costs.work / "inlined.pb.gz"
        path.write_bytes(gzip.compress(bytes_of_profile))
        for form in ("pprof", "folded", "processed"):
            costs.run("convert", "--to", form, "-o", costs.work / "out", path)


def packed_text(costs, _):
    samples = ",".join(f'"{name}":[{cell * 5_000_000}0]' for name, cell in (("stack", "null,"), ("time", "0,")))
    tables = ('"shared":{"stringArray":[],"funcTable":{"length":0,"name":[]},"frameTable":{"length":0,"func":[]},'
              '"stackTable":{"length":0,"frame":[],"prefix":[]}}')
    profile = f'{{"meta":{{"version":34,"preprocessedProfileVersion":63}},{tables},"threads":[{{"name":"t","samples":{{{samples}}}}}]}}'
    texts = ((b"", b"a;b 1\n", 60_000_000, b""), (b"a", b";a", 18_000_000, b" 1\n"), (b"", b"a 1\n", 9_000_000, b""),
             (b"", b"a 1 1.0: x:\n", 3_000_000, b""), (b'{"meta":{"x":"', b"a", 400_000_000, b'"}}'), (b"", b"[", 30_000_000, b""),
             (profile.encode(), b"", 0, b""))
    for begin, part, count, end in texts:
        path = costs.work / "packed.gz"
        with gzip.open(path, "wb", 6) as file:
            file.write(begin)
            for _ in range(100):
                file.write(part * (count // 100))
            file.write(end)
        costs.run("convert", "--to", "folded", "-o", costs.work / "out", path)
        costs.run("report", path)


def write_program(path, names):
    """An ELF file with these functions, 16 bytes of code each."""
    code, symbols, strings = b"\xc3" * 16 * len(names), bytes(24), b"\0"
    for i, name in enumerate(names):
        symbols += struct.pack("<IBBHQQ", len(strings), 2, 0, 1, 0x1000 + 16 * i, 16)
        strings += name.encode() + b"\0"
    parts, at = [(b".text", 1, 6, code, 0, 0), (b".symtab", 2, 0, symbols, 3, 24), (b".strtab", 3, 0, strings, 0, 0)], 0x1000
    titles = b"\0" + b"\0".join(part[0] for part in parts) + b"\0.shstrtab\0"
    parts.append((b".shstrtab", 3, 0, titles, 0, 0))
    body, table = b"", bytes(64)
    for title, kind, flags, content, link, entry in parts:
        table += struct.pack("<IIQQQQIIQQ", titles.index(title), kind, flags, 0x1000 if flags else 0, at + len(body), len(content), link, 1, 1, entry)
        body += content
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 3, 62, 1, 0x1000, 64, at + len(body), 0, 64, 56, 1, 64, 5, 4)
    load = struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, at + len(code), at + len(code), 0x1000)
    path.write_bytes((head + load).ljust(at, b"\0") + body + table)


def long_name(number):
    """A name of 150 bytes that stands for 100 KB. Each part is a pair of the part before."""
    parts = "".join(f"S0_I{a}{a}E" for a in ("S1_", "S2_", "S3_", "S4_", "S5_", "S6_", "S7_", "S8_", "S9_", "SA_", "SB_", "SC_"))
    return f"_Z8f{number:07}1A1PIS_S_E{parts}"


def slow_name(number):
    """A name of Rust's newer scheme, each part a pair of the part before. The first one is an `impl`, whose path is read at each reference."""
    digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name, part = "IC0MINvC00" + "FG9_Eu" * 650 + "Eu", 3
    for _ in range(14):
        at = part - 1
        reference = "B" + "".join(digits[at // 62**i % 62] for i in (2, 1, 0) if at >= 62**i or i == 0) + "_"
        part = len(name)
        name += "T" + reference * 2 + "E"
    return f"_R{name}E.{number}"


def mangled_names(costs, _):
    for names in ([long_name(i) for i in range(10_000)], [slow_name(i) for i in range(240)]):
        program = costs.work / "mangled.so"
        write_program(program, names)
        table = {"schema": {"stack": 0, "time": 1}, "data": [[i, i] for i in range(len(names))]}
        profile = {
            "meta": {"version": 34, "interval": 1, "startTime": 0, "processType": 0, "product": "p", "stackwalk": 1, "categories": [], "markerSchema": []},
            "libs": [{"start": 0x1000, "end": 0x1000000, "offset": 0x1000, "name": "mangled.so", "path": str(program), "debugName": "mangled.so",
                      "debugPath": str(program), "breakpadId": "", "codeId": None, "arch": "x86_64"}],
            "threads": [{"name": "GeckoMain", "processType": "default", "pid": 1, "tid": 1, "registerTime": 0, "unregisterTime": None, "samples": table,
                         "markers": {"schema": {"name": 0}, "data": []},
                         "frameTable": {"schema": {"location": 0}, "data": [[i] for i in range(len(names))]},
                         "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, i] for i in range(len(names))]},
                         "stringTable": [hex(0x1000 + 16 * i) for i in range(len(names))]}],
            "processes": [], "pausedRanges": [],
        }
        path = costs.work / "mangled.json"
        path.write_text(json.dumps(profile))
        costs.run("symbolicate", "--no-symbol-cache", "-o", costs.work / "s.json", path, statuses=(0,))


def main():
    case, geckoprof, program = sys.argv[1:]
    with tempfile.TemporaryDirectory() as work:
        costs = Costs(geckoprof, pathlib.Path(work))
        globals()[case](costs, program)
    print(f"{case}: {costs.seconds:.2f} s of CPU time, {costs.bytes >> 20} MiB")
    if costs.seconds > MOST_CPU_S or costs.bytes > MOST_BYTES:
        sys.exit(f"more than {MOST_CPU_S} s or {MOST_BYTES >> 20} MiB")


main()
