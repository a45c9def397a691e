#!/usr/bin/env python3
"""machine_cases.py CASE GECKOPROF LIBRARY: `geckoprof record` with the features power, cpufreq and system.

The files of the kernel are those of a fake machine, which a thread of this program drives. Exit status 77: the case cannot run here."""

import base64
import glob
import gzip
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time

GECKOPROF, LIBRARY = map(os.path.abspath, sys.argv[2:4])
FEATURES = "power,cpufreq,system"
PATIENCE_S = 60
PYTHON = "/usr/bin/python3"
PROGRAM = [PYTHON, "-c", "import time\nfor _ in range(30): sum(range(200000)); time.sleep(0.03)"]
PWH_PER_UJ = 2500 / 9
PACKAGE_UJ, DRAM_UJ = 600_000, 60_000  # of a step of 20 ms: 30 W, 3 W
RANGE_UJ = 20_000_000  # a zone wraps every 0.7 s
RECEIVED, SENT, PRESSURE_US = 10_000, 1_000, 5_000  # likewise


class Machine:
    """Files of two packages, two clocks for three cores, PSI and a network interface. Files are written in place, as the recorder has them open."""

    def __init__(self, folder):
        self.root = f"{folder}/machine"
        for zone, name in (("intel-rapl:0", "package-0"), ("intel-rapl:0:0", "dram"), ("intel-rapl:1", "package-1"), ("intel-rapl:1:0", "dram")):
            self.write(f"sys/class/powercap/{zone}/name", name)
            self.write(f"sys/class/powercap/{zone}/max_energy_range_uj", RANGE_UJ)
        for policy, cpus in ((0, "0 1"), (2, "2")):
            self.write(f"sys/devices/system/cpu/cpufreq/policy{policy}/affected_cpus", cpus)
        self.write("sys/class/net/eth0/device/uevent", "")
        self.steps = 0
        self.update()
        self.is_over = threading.Event()
        self.thread = threading.Thread(target=self.run)

    def write(self, name, text):
        path = f"{self.root}/{name}"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fd = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
        os.pwrite(fd, f"{text}\n".encode(), 0)
        os.close(fd)

    def update(self):
        steps = self.steps
        for zone, energy in (("0", steps * PACKAGE_UJ), ("0:0", steps * DRAM_UJ), ("1", 7), ("1:0", 7)):  # the second package counts nothing
            self.write(f"sys/class/powercap/intel-rapl:{zone}/energy_uj", f"{energy % RANGE_UJ:020}")
        for policy, khz in ((0, 1_000_000 if steps % 20 < 10 else 3_500_000), (2, 800_000)):
            self.write(f"sys/devices/system/cpu/cpufreq/policy{policy}/scaling_cur_freq", f"{khz:010}")
        for what in ("cpu", "memory", "io"):
            total = steps * PRESSURE_US if what == "io" else 0
            self.write(f"proc/pressure/{what}", f"some avg10=0.00 avg60=0.00 avg300=0.00 total={total:020}\n"
                       f"full avg10=0.00 avg60=0.00 avg300=0.00 total={total // 5:020}")
        self.write("proc/net/dev", f"Inter-|   Receive\n face |bytes\n  eth0: {5000 + steps * RECEIVED:020} 1 0 0 0 0 0 0 {70 + steps * SENT:020} 1 0")

    def run(self):
        while not self.is_over.wait(0.02):
            self.steps += 1
            self.update()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.thread.join()


def environment(root=None, **more):
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GECKOPROF")}
    return {**clean, **({} if root is None else {"GECKOPROF_MACHINE_ROOT": root}), **more}


def record(folder, *options, root=None, program=PROGRAM, features=FEATURES, status=0, **more):
    command = [GECKOPROF, "record", "-o", f"{folder}/out.json.gz", *options]
    command += ["--features", features] if features else []
    run = subprocess.run([*command, "--", *program], env=environment(root, **more), capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert run.returncode == status, run
    return run.stderr


def load(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return json.load(file)


def await_that(condition, what):
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def command(*arguments):
    run = subprocess.run([GECKOPROF, *arguments], env=environment(), capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert run.returncode == 0, run
    return run.stdout


def lines_of(profile):
    """The lines of the processed format that say what is missing, by feature."""
    entries = [entry for section in profile["meta"]["extra"] for entry in section["entries"] if entry["label"] == "Not as asked"]
    found = [re.fullmatch(r"(power|cpufreq|system): (.*)", entry["value"]) for entry in entries]
    assert all(found), entries
    lines = {match.group(1): match.group(2) for match in found}
    assert len(lines) == len(found), entries
    return lines


def notes_of(output):
    found = re.findall(r"^geckoprof: note: (power|cpufreq|system): (.*)$", output, re.MULTILINE)
    assert len(dict(found)) == len(found), output
    return dict(found)


def counters_of(profile):
    return {counter["name"]: counter for counter in profile.get("counters", []) if counter["category"] in ("power", "Pressure", "Bandwidth")}


def counted(counter, key="count"):
    """All but the first row, which the viewer does not count."""
    return sum(counter["samples"][key][1:])


def speeds_of(profile):
    """[(core, begin, end, GHz)]"""
    strings, found = profile["shared"]["stringArray"], []
    for thread in profile["threads"]:
        markers = thread["markers"]
        found += [(strings[markers["name"][i]], markers["startTime"][i], markers["endTime"][i], data["speed"])
                  for i, data in enumerate(markers["data"]) if data and data["type"] == "CPUSpeed"]
    return found


def check_power(counters, duration_s):
    assert {name for name in counters if counters[name]["category"] == "power"} == {"package-0", "package-0 dram"}, counters.keys()
    package, dram = (counted(counters[name]) for name in ("package-0", "package-0 dram"))
    steps = package / PWH_PER_UJ / PACKAGE_UJ
    # A reading may come between the two files of a step, and each row is rounded to a pWh.
    assert abs(steps - round(steps)) < 0.001 and abs(dram / PWH_PER_UJ / DRAM_UJ - steps) < 1.01, (package, dram)
    assert 0.3 * duration_s < steps * 0.02 < 20, (steps, duration_s)  # a busy machine is slower


def check_machine(profile, duration_s=0.9):
    counters = counters_of(profile)
    check_power(counters, duration_s)
    display = counters["package-0"]["display"]
    assert display["unit"] == "pWh" and display["graphType"] == "line-rate" and display["label"] == "package-0", display
    assert {row["format"].get("scale") for row in display["tooltipRows"]} == {"power", "energy"}, display
    load_names = {name for name in counters if counters[name]["category"] != "power"}
    assert load_names == {"I/O pressure", "I/O pressure on all", "Network received", "Network sent"}, load_names
    assert abs(counted(counters["Network received"]) - 10 * counted(counters["Network sent"])) < 1e-6
    assert counted(counters["Network sent"]) % SENT == 0
    pressure_ms = counted(counters["I/O pressure"])
    assert abs(pressure_ms - 5 * counted(counters["I/O pressure on all"])) < 1e-6 and pressure_ms > 0
    for counter in counters.values():
        times = counter["samples"]["time"]
        assert times == sorted(set(times)) and len(times) > 5, counter["name"]
    speeds = speeds_of(profile)
    assert {speed[0] for speed in speeds} == {"CPU 0", "CPU 1", "CPU 2"}, speeds
    assert {speed[3] for speed in speeds if speed[0] == "CPU 0"} == {1, 3.5}, speeds
    assert [speed[1:] for speed in speeds if speed[0] == "CPU 0"] == [speed[1:] for speed in speeds if speed[0] == "CPU 1"]
    (constant,) = [speed for speed in speeds if speed[0] == "CPU 2"]
    assert constant[3] == 0.8 and constant[2] - constant[1] > duration_s * 700, constant
    (schema,) = [schema for schema in profile["meta"]["markerSchema"] if schema["name"] == "CPUSpeed"]
    assert schema["graphs"] == [{"key": "speed", "type": "bar", "color": "ink"}], schema
    assert lines_of(profile) == {}


# --- the cases ---

def own_machine(folder):
    """Each feature of this machine has its tracks or one line, and the program's own samples are there."""
    output = record(folder)
    profile = load(f"{folder}/out.json.gz")
    counters, lines = counters_of(profile), lines_of(profile)
    assert notes_of(output) == lines, output
    assert ("power" in lines) != any(counter["category"] == "power" for counter in counters.values()), (lines, counters.keys())
    assert ("cpufreq" in lines) != bool(speeds_of(profile)), lines
    assert "system" in lines or os.path.exists("/proc/pressure/cpu"), lines
    for counter in counters.values():
        assert any(counter["samples"]["count"][1:]), counter["name"]
    (process,) = [section for section in profile["meta"]["extra"] if section["label"].startswith("python3 (")]
    features = [entry["value"] for entry in process["entries"] if entry["label"] == "Features"]
    assert features == ["stackwalk, cpu, power, cpufreq, system"], features  # the default ones are on
    command("check", f"{folder}/out.json.gz")


def tracks(folder):
    """Two packages, cores and load are in the processed format, in `report` and on the page."""
    with Machine(folder) as machine:
        output = record(folder, root=machine.root)
    assert notes_of(output) == {}, output
    check_machine(load(f"{folder}/out.json.gz"))
    command("check", f"{folder}/out.json.gz")
    text = command("report", "--top", "100", f"{folder}/out.json.gz")
    (joules, watts) = re.search(r"([\d.]+) J +([\d.]+) W +[\d.]+ W +- +package-0 +\(power\)", text).groups()
    assert 10 < float(watts) < 40 and float(joules) > 5, text
    assert re.search(r"KiB .* Network received", text), text
    assert re.search(r" CPU 2$", text, re.MULTILINE), text
    assert re.search(r"Frequency of the cores +0\.80 to 3\.50 GHz, [12]\.\d\d in the mean$", text, re.MULTILINE), text
    command("report", "--html", f"{folder}/out.html", f"{folder}/out.json.gz")
    with open(f"{folder}/out.html", encoding="utf-8") as file:
        (packed,) = re.findall(r'<script type="application/octet-stream"[^>]*>([^<]*)</script>', file.read())
    counters = {counter["name"]: counter for counter in json.loads(gzip.decompress(base64.b64decode(packed)))["counters"]}
    assert counters["package-0"]["unit"] == "J" and abs(counters["package-0"]["total"] - float(joules)) < 0.01, counters["package-0"]
    assert {"package-0 dram", "I/O pressure", "Network sent"} <= counters.keys(), counters.keys()


def gecko_format(folder):
    """The viewer knows counters of Gecko's format by their category."""
    with Machine(folder) as machine:
        record(folder, "--format", "gecko", root=machine.root)
    profile = load(f"{folder}/out.json.gz")
    counters = {counter["name"]: {**counter, "samples": {"count": [row[1] for row in counter["samples"]["data"]]}}
                for counter in profile["counters"]}
    check_power({name: counter for name, counter in counters.items() if counter["category"] == "power"}, 0.9)
    assert counters["Network sent"]["category"] == "Bandwidth" and counted(counters["Network sent"]) % SENT == 0
    (main,) = [thread for thread in profile["threads"] if thread["name"] == "GeckoMain"]
    names = {main["stringTable"][row[0]] for row in main["markers"]["data"] if len(row) > 5 and row[5] and row[5]["type"] == "CPUSpeed"}
    assert names == {"CPU 0", "CPU 1", "CPU 2"}, names
    command("check", f"{folder}/out.json.gz")
    assert re.search(r" J +[\d.]+ W +[\d.]+ W +- +package-0", command("report", "--top", "100", f"{folder}/out.json.gz"))


def nothing(folder):
    """A machine that has nothing gives one line for each feature, with the remedy, and no track."""
    os.mkdir(f"{folder}/machine")
    output = record(folder, root=f"{folder}/machine")
    profile = load(f"{folder}/out.json.gz")
    lines = lines_of(profile)
    assert notes_of(output) == lines and lines.keys() == {"power", "cpufreq", "system"}, output
    assert "intel_rapl_msr" in lines["power"] and "CONFIG_CPU_FREQ" in lines["cpufreq"] and "psi=1" in lines["system"], lines
    assert not counters_of(profile) and not speeds_of(profile)
    assert notes_of(record(folder, "-q", root=f"{folder}/machine")) == {}


def zones_at_rest(folder):
    """A virtual machine whose zones never count has a line and no track of zeros."""
    machine = Machine(folder)
    output = record(folder, root=machine.root, features="power")
    assert notes_of(output).keys() == {"power"} and "(4) did not count" in output, output
    assert not counters_of(load(f"{folder}/out.json.gz"))


def denied(folder):
    """A user who may not read the energy is told how to permit it."""
    if os.geteuid() != 0:
        sys.exit(77)
    machine = Machine(folder)
    for path in glob.glob(f"{machine.root}/sys/class/powercap/*/energy_uj"):
        os.chmod(path, 0o400)
    os.chmod(folder, 0o777)
    run = subprocess.run([GECKOPROF, "record", "-o", f"{folder}/out.json.gz", "--features", "power", "--", "true"], user=65534, group=65534,
                         env=environment(machine.root), capture_output=True, text=True, timeout=PATIENCE_S, check=False, cwd=folder)
    if "Permission denied" in run.stderr and run.returncode != 0:
        sys.exit(77)  # that user does not reach the build
    note = notes_of(run.stderr)["power"]
    assert 'SUBSYSTEM=="powercap"' in note and "chmod a+r" in note, run
    assert len(run.stderr.splitlines()) == 2, run


def killed_recorder(folder):
    """What was read is in the session when the recorder is killed. `recover` shows it."""
    parent = f"{folder}/sessions"
    parent = f"{folder}/sessions"
    os.mkdir(parent, 0o700)  # another mode is refused
    program = [PYTHON, "-c", f"import time\nfor _ in range(120): sum(range(200000)); time.sleep(0.03)\nopen('{folder}/ended', 'w')"]
    with Machine(folder) as machine:
        recorder = subprocess.Popen([GECKOPROF, "record", "-o", f"{folder}/lost.json.gz", "--features", FEATURES, "--", *program],
                                    env=environment(machine.root, XDG_RUNTIME_DIR=parent))
        await_that(lambda: any(os.path.getsize(path) > 3_000 for path in glob.glob(f"{parent}/geckoprof-*/counters")), "nothing is read")
        recorder.kill()
        recorder.wait()
        await_that(lambda: os.path.exists(f"{folder}/ended"), "the program does not go on")
        time.sleep(0.2)
    (session,) = glob.glob(f"{parent}/geckoprof-*")
    command("recover", session, "-q", "-o", f"{folder}/found.json.gz")
    profile = load(f"{folder}/found.json.gz")
    check_power(counters_of(profile), 0)
    assert {speed[0] for speed in speeds_of(profile)} == {"CPU 0", "CPU 1", "CPU 2"}
    assert not os.path.exists(f"{folder}/lost.json.gz")


def flight(folder):
    """A capture has the last second of the machine, too."""
    program = [PYTHON, "-c", "import time\nend = time.monotonic() + 3\nwhile time.monotonic() < end: sum(range(200000)); time.sleep(0.03)"]
    with Machine(folder) as machine:
        record(folder, "--flight", "1s", "--capture-when", "exit", root=machine.root, program=program)
    profile = load(f"{folder}/out-1.json.gz")
    counters = counters_of(profile)
    check_power(counters, 1.0)
    for counter in counters.values():
        times = counter["samples"]["time"]
        assert 500 < times[-1] - times[0] < 1200, (counter["name"], times)
    speeds = speeds_of(profile)
    assert {speed[0] for speed in speeds} == {"CPU 0", "CPU 1", "CPU 2"}
    assert max(speed[2] for speed in speeds) - min(speed[1] for speed in speeds) < 1200, speeds
    assert max(counter["samples"]["count"][0] for counter in counters.values()) == 0


def attached(folder):
    """A process that runs already, by the option, and with the recorder's end."""
    program = subprocess.Popen([PYTHON, "-c", "import time\nwhile True: sum(range(200000)); time.sleep(0.03)"],
                               env=environment(LD_PRELOAD=LIBRARY))
    try:
        time.sleep(0.3)
        with Machine(folder) as machine:
            run = subprocess.run([GECKOPROF, "record", "--pid", str(program.pid), "--features", FEATURES, "--duration", "1",
                                  "-o", f"{folder}/out.json.gz"], env=environment(machine.root), capture_output=True, text=True,
                                 timeout=PATIENCE_S, check=False)
        assert run.returncode == 0 and notes_of(run.stderr) == {}, run
        check_machine(load(f"{folder}/out.json.gz"))
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()


def inherited_features(folder):
    """The variable of the environment says the same as the option. Without a recorder the profile says that one is needed."""
    machine = Machine(folder)
    record(folder, root=machine.root, features=None, GECKOPROF_STARTUP_FEATURES="cpu,cpufreq")
    profile = load(f"{folder}/out.json.gz")
    assert speeds_of(profile) and not counters_of(profile) and lines_of(profile) == {}
    alone = environment(LD_PRELOAD=LIBRARY, GECKOPROF_STARTUP="1", GECKOPROF_STARTUP_FEATURES="power,stackwalk",
                        GECKOPROF_SHUTDOWN=f"{folder}/alone.json.gz", GECKOPROF_COMMAND=GECKOPROF)
    subprocess.run(PROGRAM, env=alone, timeout=PATIENCE_S, check=True)
    values = [entry["value"] for section in load(f"{folder}/alone.json.gz")["meta"]["extra"] for entry in section["entries"]]
    assert sum("need `geckoprof record`" in str(value) for value in values) == 1, values


def wrong_use(folder):
    """`ctl` cannot turn on what the recorder alone has."""
    output = record(folder, features="powr", status=2)
    assert "possible: " in output and " power," in output and "system" in output, output
    run = subprocess.run([GECKOPROF, "ctl", "start", str(os.getpid()), "--features", "power"], capture_output=True, text=True, check=False)
    assert run.returncode == 2 and "power is not the name of a feature" in run.stderr, run


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()[sys.argv[1]](folder)


main()
