#!/usr/bin/env python3
"""convert_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof convert`. Status 77: skipped, a reader is missing."""

import collections
import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools", "benchmarks")]
import made_profile  # noqa: E402
import other_readers  # noqa: E402
import own_samples  # noqa: E402

GECKOPROF, TOP = sys.argv[2], 20
FORMATS = ("pprof", "perfetto", "chrome", "speedscope", "folded", "otlp", "processed")


def run(*arguments, **options):
    return subprocess.run([GECKOPROF, *arguments], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def convert(source, to, output, *options):
    done = run("convert", "--to", to, "-o", output, *options, source)
    assert done.returncode == 0, done.stderr
    return output


def report(path):
    """{function: self samples} as `geckoprof report` has it."""
    done = run("report", "--json", "--top", "1000000", path)
    assert done.returncode == 0, done.stderr
    counts = collections.Counter()
    for row in json.loads(done.stdout)["functionsBySelf"]:
        counts[row["name"]] += row["self"]
    return counts


def compare(name, expected, found, tolerance=0.0, unit=0.51):
    """The same top 20, in the same order but for ties, with the same numbers within rounding."""
    top = expected.most_common(TOP)
    print(f"{name}:")
    for function, count in top:
        print(f"  {count:10.0f} {found[function]:10.1f}  {function}")
    for function, count in top:
        assert abs(found[function] - count) <= unit + tolerance * count, f"{name}: {function}: {found[function]}, not {count}"
    least = top[-1][1]
    for function, count in found.items():
        if function not in dict(top):
            assert count <= least + unit + tolerance * least, f"{name}: {function} has {count} and is not among the top"


def made(folder, threads=4, samples=3000):
    path = os.path.join(folder, "made.json")
    made_profile.write(path, threads, samples, markers=200, stacks=2000)
    return path


def check(path):
    done = run("check", path)
    assert done.returncode == 0, done.stdout + done.stderr


def case_top20(folder):
    """Counted in every format by code that shares nothing with the writers."""
    source = made(folder)
    expected = report(source)
    for to, read in own_samples.READERS.items():
        compare(to, expected, read(convert(source, to, os.path.join(folder, to))))
    compare("processed", expected, report(convert(source, "processed", os.path.join(folder, "processed"))))


def case_top20_gecko(folder):
    source = os.path.join(ROOT, "tests", "golden", "firefox_gecko_34.json")
    expected = report(source)
    for to, read in own_samples.READERS.items():
        compare(to, expected, read(convert(source, to, os.path.join(folder, to))))
    compare("processed", expected, report(convert(source, "processed", os.path.join(folder, "processed"))))
    check(os.path.join(folder, "processed"))


def case_reader_pprof(folder):
    source = made(folder)
    compare("go tool pprof", report(source), other_readers.pprof(convert(source, "pprof", os.path.join(folder, "p.pb.gz"))))


def case_reader_flamegraph(folder):
    source = made(folder)
    found = other_readers.flamegraph(convert(source, "folded", os.path.join(folder, "p.folded")))
    compare("flamegraph.pl", report(source), found)


def case_reader_speedscope(folder):
    # One thread, since the page shows one at a time; 1 ms a sample; the table has three digits.
    source = made(folder, threads=1)
    found = other_readers.speedscope(convert(source, "speedscope", os.path.join(folder, "p.speedscope.json")))
    compare("speedscope", report(source), found, tolerance=0.005)


def case_reader_speedscope_chrome(folder):
    # In this format a sample lasts until the next one; the made-up times shake by 2 %.
    source = made(folder, threads=1)
    found = other_readers.speedscope(convert(source, "chrome", os.path.join(folder, "p.json")))
    compare("speedscope, Chrome trace", report(source), found, tolerance=0.02, unit=1)


def case_there_and_back(folder):
    """pprof and folded stacks come back with the same functions, and as profiles without a fault."""
    source = made(folder)
    expected = report(source)
    for to in ("pprof", "folded"):
        back = convert(convert(source, to, os.path.join(folder, to)), "processed", os.path.join(folder, to + ".json.gz"))
        check(back)
        compare(f"{to} and back", expected, report(back))


def case_from_perf(folder):
    source = os.path.join(HERE, "perf_script.txt")
    output = convert(source, "processed", os.path.join(folder, "perf.json"))
    check(output)
    assert report(output) == {"hash": 2, "run": 1, "do_work": 1}, report(output)
    with open(output, encoding="utf-8") as file:
        profile = json.load(file)
    assert [t["name"] for t in profile["threads"]] == ["demo", "work er"], profile["threads"]
    assert profile["threads"][1]["markers"]["length"] == 1
    # Every sample's CPU time counts, of a thread's first, too; and no sample is added.
    told = json.loads(run("report", "--json", output).stdout)
    assert sum(thread["cpuNs"] for thread in told["threads"]) == 4000000 and told["idleSamples"] == 0, told
    assert told["samples"] == 4 and told["rowsWithoutWeight"] == 0, told
    with open(source, "rb") as text:
        piped = run("convert", "--to", "folded", "-o", "-", "-", stdin=text)
    assert piped.returncode == 0 and b"demo;main;run;hash 2\n" in piped.stdout, piped


def case_perf_events(folder):
    """Kinds of CPU are one event; a fault that comes first is not what was sampled; the choice is told, and may be another."""
    source = os.path.join(folder, "events.txt")
    with open(source, "w", encoding="utf-8") as file:
        for time_s, event, function in ((4.0, "page-faults:u", "exec"), (5.0, "cpu_core/cycles/P", "f"),
                                        (5.001, "cpu_atom/cycles/P", "f"), (3.5, "cycles:u", "g")):
            file.write(f"a 1/1 [000] {time_s:.6f}: 100 {event}: \n\t  1000 {function}+0x0 (/x)\n\n")
        file.write(":-1    -1/-1    [000]  4.5:     250000 cycles:u: \n\t  1000 g+0x0 (/x)\n\n")
    output = os.path.join(folder, "events.json")
    done = run("convert", "--to", "processed", "-o", output, source)
    assert done.returncode == 0, done
    assert b"the samples are those of cycles (4); 1 sample of another event became a marker: page-faults:u (1)" in done.stderr
    assert done.stderr.count(b"\n") == 1, done.stderr
    check(output)
    assert report(output) == {"f": 2, "g": 2}, report(output)
    with open(output, encoding="utf-8") as file:
        profile = json.load(file)
    assert [(t["name"], t["pid"], t["tid"]) for t in profile["threads"]] == [("a", "1", 1), (":-1", "-1", -1)]
    assert "cycles" in json.dumps(profile["meta"]["extra"]), profile["meta"]["extra"]
    convert(source, "processed", output, "--event", "page-faults")
    assert report(output) == {"exec": 1}, report(output)
    done = run("convert", "--to", "folded", "-o", "-", "--event", "branches", source)
    assert done.returncode == 1 and done.stdout == b"", done
    assert b'there is no event "branches", but cycles (4), page-faults:u (1)' in done.stderr, done.stderr
    done = run("convert", "--to", "folded", "-o", "-", "--event", "cycles", made(folder, samples=10))
    assert done.returncode == 2 and done.stdout == b"" and done.stderr.count(b"\n") == 1, done


def case_pipes(folder):
    source = made(folder, samples=500)
    for to in FORMATS:
        file = convert(source, to, os.path.join(folder, to))
        with open(source, "rb") as text:
            piped = run("convert", "--to", to, "-o", "-", "-", stdin=text)
        with open(file, "rb") as written:
            assert piped.returncode == 0 and not piped.stderr, piped.stderr
            assert piped.stdout == written.read(), to
    small = run("convert", "--to", "folded", "-o", os.path.join(folder, "small"), source,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)))
    assert small.returncode == 1 and b"File too large" in small.stderr, small
    assert not os.path.exists(os.path.join(folder, "small"))
    full = run("convert", "--to", "folded", "-o", "/dev/full", source)
    assert full.returncode == 1 and b"No space left" in full.stderr, full.stderr


def case_default_name(folder):
    source = made(folder, samples=100)
    for name in ("made.pb.gz", "made-2.pb.gz"):
        done = run("convert", "--to", "pprof", source, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert len([name for name in os.listdir(folder) if name.endswith(".pb.gz")]) == 2, os.listdir(folder)


def case_bad_input(folder):
    """Each is refused with one line, and nothing is left behind."""
    def file(name, data):
        path = os.path.join(folder, name)
        with open(path, "wb") as out:
            out.write(data)
        return path

    source = made(folder, samples=300)
    with open(source, "rb") as whole:
        text = whole.read()
    bomb = b"".join(gzip.compress(bytes(1 << 24)) for _ in range(80))
    deep = b"[" * 200000
    bad = [file("truncated.json", text[: len(text) // 2]), file("half.gz", gzip.compress(text)[:5000]), file("bomb.gz", bomb),
           file("deep.json", b'{"meta":' + deep), file("text.txt", b"hello\n"), file("empty", b""), file("nul", bytes(1000)),
           file("perf.data", b"PERFILE2" + bytes(100)), file("elf", b"\x7fELF" + bytes(100)), folder, "/nonexistent",
           file("newer.json", text.replace(b'"preprocessedProfileVersion":63', b'"preprocessedProfileVersion":999')),
           file("cyclic.json", text.replace(b'"prefix":[null,', b'"prefix":[1,')),
           file("far.json", text.replace(b'"func":[0,', b'"func":[999999,')),
           file("negative.json", text.replace(b'"func":[0,', b'"func":[-5,')),
           file("huge.json", text.replace(b'"func":[0,', b'"func":[1e300,'))]
    before = sorted(os.listdir(folder))
    for path in bad:
        for to in ("pprof", "processed"):
            done = run("convert", "--to", to, "-o", os.path.join(folder, "out"), path,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)))
            assert done.returncode == 1, (path, done)
            assert done.stderr.count(b"\n") == 1 and done.stderr.startswith(b"geckoprof convert: "), (path, done.stderr)
    assert sorted(os.listdir(folder)) == before, os.listdir(folder)
    os.symlink(source, os.path.join(folder, "link"))
    for to in ("pprof", "processed"):
        done = run("convert", "--to", to, "-o", os.path.join(folder, "link"), source)
        assert done.returncode == 2 and b"would be overwritten" in done.stderr, done
    with open(source, "rb") as whole:
        assert whole.read() == text


def case_hostile_names(folder):
    """Names that would break a line, a terminal or a reader; times and weights of all sorts; a thread without anything."""
    with open(os.path.join(ROOT, "tests", "golden", "demo_processed_69.json"), encoding="utf-8") as file:
        profile = json.load(file)
    strings = profile["shared"]["stringArray"]
    strings[strings.index("Inner(double)")] = "a;b\nc\x1b[2J\x00\u202e\x7f\x9b</script> 7"
    thread = json.loads(json.dumps(profile["threads"][1]))
    thread.update(name="\x1b]0;x\x07", tid="not a number")
    for table in ("samples", "markers"):
        for key, value in thread[table].items():
            if isinstance(value, list):
                thread[table][key] = []
        thread[table]["length"] = 0
    profile["threads"].append(thread)
    samples = profile["threads"][0]["samples"]
    times = "time" if "time" in samples else "timeDeltas"
    samples[times][0], samples[times][1] = -1e300, 9007199254740993.5
    source = os.path.join(folder, "hostile.json")
    with open(source, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    for to in FORMATS:
        with open(convert(source, to, os.path.join(folder, to)), "rb") as file:
            data = file.read()
        data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
        for control in ("\x1b[2J", "\u202e", "\x7f\x9b"):
            assert control.encode() not in data, (to, control)
    with open(os.path.join(folder, "folded"), encoding="utf-8") as file:
        assert any("a:b c?[2J?" in line for line in file)
    for to, read in own_samples.READERS.items():
        assert sum(read(os.path.join(folder, to)).values()) > 0, to


def case_interrupt(folder):
    """A signal at any moment leaves what was there, and nothing half-written."""
    source = made(folder, threads=8, samples=40000)
    output = os.path.join(folder, "kept")
    before = None
    for step in range(12):
        with open(output, "wb") as file:
            file.write(b"precious")
        before = before or sorted(os.listdir(folder))
        child = subprocess.Popen([GECKOPROF, "convert", "--to", "speedscope", "-o", output, source])
        time.sleep(0.02 * step)
        child.send_signal(signal.SIGINT)
        status = child.wait()
        with open(output, "rb") as file:
            content = file.read()
        # The signal may come between the renaming and the end of the process.
        assert status != 0 or content != b"precious", status
        if content != b"precious":
            json.loads(content)
        assert sorted(os.listdir(folder)) == before, os.listdir(folder)


def main():
    os.makedirs(sys.argv[3], exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
        try:
            globals()["case_" + sys.argv[1]](folder)
        except other_readers.Missing as missing:
            print(f"skipped: {missing}")
            sys.exit(77)


main()
