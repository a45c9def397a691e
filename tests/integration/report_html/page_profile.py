"""Profiles for the page's tests, in the processed format, with what each of them must show."""

import json

HOSTILE = [
    "<img src=x onerror=document.title='owned'>",
    "</script><script>document.title='owned'</script>",
    "\u2028\u2029'\"`${1+1}\\",
    "\x1b[31mred\x1b]0;owned\x07",
    "\u202egnirts desrever",
    "javascript:document.title='owned'",
    "L" * 20000,
    "&lt;b&gt; {{SCRIPT}} {{DATA}} $& $1",
]


class ProfileBuilder:
    """Stacks are lists of function names, from the root on."""

    def __init__(self, **meta):
        self.strings, self.rows, self.stacks, self.funcs = [], {}, {}, {}
        self.tables = {"stack": ([], []), "frame": [], "func": []}
        self.threads, self.counters = [], []
        self.meta = {"version": 30, "preprocessedProfileVersion": 55, "startTime": 1.7e12, "interval": 1, "product": "made",
                     "processType": 0, "stackwalk": 1, "symbolicated": True,
                     "categories": [{"name": "Other", "color": "grey", "subcategories": ["Other"]},
                                    {"name": "User", "color": "yellow", "subcategories": ["Other"]},
                                    {"name": "Idle", "color": "transparent", "subcategories": ["Other"]}],
                     "markerSchema": [], **meta}

    def string(self, text):
        if text not in self.rows:
            self.rows[text] = len(self.strings)
            self.strings.append(text)
        return self.rows[text]

    def stack(self, names):
        prefix = None
        for name in names:
            if name not in self.funcs:
                self.funcs[name] = len(self.tables["func"])
                self.tables["func"].append(self.string(name))
            key = (prefix, self.funcs[name])
            if key not in self.stacks:
                self.stacks[key] = len(self.stacks)
                self.tables["stack"][0].append(prefix)
                self.tables["stack"][1].append(self.funcs[name])
            prefix = self.stacks[key]
        return prefix

    def thread(self, name, samples=(), markers=(), cpu=True, **more):
        """samples: [(ms, names or None, CPU ns)]; markers: [(name, start, end or None, data or None)]."""
        table = {"length": len(samples), "time": [row[0] for row in samples], "weightType": "samples", "weight": None,
                 "stack": [None if row[1] is None else self.stack(row[1]) for row in samples]}
        if cpu:
            table["threadCPUDelta"] = [row[2] for row in samples]
        self.threads.append({
            "name": name, "pid": "100", "tid": 100 + len(self.threads), "processName": "app", "isMainThread": not self.threads,
            "processStartupTime": 0, "processShutdownTime": None, "registerTime": 0, "unregisterTime": None, "processType": "default",
            "pausedRanges": [], "samples": table, **more,
            "markers": {"length": len(markers), "name": [self.string(row[0]) for row in markers],
                        "startTime": [row[1] for row in markers], "endTime": [row[2] for row in markers],
                        "phase": [0 if row[2] is None else 1 for row in markers], "category": [1 for _ in markers],
                        "data": [row[3] for row in markers]}})

    def allocations(self, name, rows):
        """rows: [(ms, names, bytes)]."""
        self.thread(name, [(ms, names, 0) for ms, names, _ in rows], cpu=False)
        self.threads[-1]["samples"].update(weightType="bytes", weight=[size for _, _, size in rows])

    def counter(self, name, rows, **more):
        self.counters.append({"name": name, "category": "Memory", "description": f"about {name}", "pid": "100", "mainThreadIndex": 0,
                              "color": "orange", "samples": {"length": len(rows), "time": [row[0] for row in rows],
                                                             "count": [row[1] for row in rows]}, **more})

    def write(self, path):
        count = len(self.tables["func"])
        none = [None] * count
        tables = {
            "stringArray": self.strings,
            "stackTable": {"length": len(self.stacks), "prefix": self.tables["stack"][0], "frame": self.tables["stack"][1]},
            "frameTable": {"length": count, "address": [-1] * count, "inlineDepth": [0] * count, "category": [1] * count,
                           "subcategory": [0] * count, "func": list(range(count)), "nativeSymbol": none, "innerWindowID": none,
                           "line": none, "column": none},
            "funcTable": {"length": count, "name": self.tables["func"], "isJS": [False] * count, "relevantForJS": [False] * count,
                          "resource": [-1] * count, "fileName": none, "lineNumber": none, "columnNumber": none},
            "resourceTable": {"length": 0, "lib": [], "name": [], "host": [], "type": []},
            "nativeSymbols": {"length": 0, "libIndex": [], "address": [], "name": [], "functionSize": []}}
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"meta": self.meta, "libs": [], "pages": [], "counters": self.counters, "profilerOverhead": [],
                       "threads": [{**thread, **tables} for thread in self.threads]}, file)
        return path


def usual(path):
    """100 samples of 1 ms: 60 of main > work > inner, 30 of main > work, 10 of main > rest; in a second thread 20 of main > late,
    from 60 ms on. Two counters, markers of two types."""
    schema = [{"name": "Load", "tooltipLabel": "Loading {marker.data.url}", "tableLabel": "", "chartLabel": "{marker.data.url}",
               "display": ["marker-chart"], "data": [{"key": "url", "label": "Address", "format": "url"},
                                                     {"key": "size", "label": "Size", "format": "bytes"}]}]
    profile = ProfileBuilder(markerSchema=schema)
    stacks = [["main", "work", "inner"]] * 60 + [["main", "work"]] * 30 + [["main", "rest"]] * 10
    markers = [("request", 10 * i, 10 * i + 5, {"type": "Load", "url": f"http://example.org/{i}", "size": 2048}) for i in range(10)]
    markers += [("tick", 5 * i, None, None) for i in range(20)]
    profile.thread("main", [(i, stack, 900000) for i, stack in enumerate(stacks)], markers)
    profile.thread("helper", [(60 + i, ["main", "late"], 500000) for i in range(20)])
    profile.counter("memory", [(i, 1024 if i else 4096) for i in range(0, 100, 10)])
    profile.counter("requests", [(i, 1) for i in range(0, 100, 5)])
    return profile.write(path)


def waits(path):
    """A worker that waits for a lock from 10 ms to 30 ms and from 60 ms to 70 ms, which the second thread holds in "hold", and sleeps
    from 40 ms to 60 ms; a row each 10 ms, and 1 ms of work at the end of each wait."""
    profile = ProfileBuilder()
    lock, sleep, run = ["main", "lock"], ["main", "sleep"], ["main"]
    rows = [(0, run, 0, 0, 0), (10, lock, 0, 2, 1), (20, lock, 0, 2, 1), (30, run, 1e6, 0, 0), (40, sleep, 0, 2, 3),
            (60, lock, 0, 2, 1), (70, run, 2e6, 0, 0), (80, run, 9e6, 0, 0)]
    profile.thread("worker", [row[:3] for row in rows])
    is_lock = [row[4] == 1 for row in rows]
    profile.threads[-1]["samples"].update(
        state=[row[3] for row in rows], waitCause=[row[4] for row in rows], threadReadyDelta=[0] * 7 + [500000],
        lock=[0x7f0000001000 * held for held in is_lock], lockHolder=[101 * held for held in is_lock])
    profile.thread("holder", [(i, ["main", "hold"], 900000) for i in range(0, 80, 5)])
    return profile.write(path)


def events(path):
    """Two allocations of which one is given back, waits for a lock, and calls of two files and of a descriptor without a name."""
    profile = ProfileBuilder()
    markers = [("IOTotals", 0, 40, {"type": "IOTotals", "class": kind, "path": file, "calls": calls, "read": size, "written": 0, "time": ms})
               for kind, file, calls, size, ms in (("file", "/a <b>", 40, 4096, 2.5), ("file", "/b", 1, 0, 0.5), ("other", "(others)", 2, 0, 0.001))]
    markers += [("LockWait", 5, 15, {"type": "LockWait", "kind": "mutex", "lock": "0x1000", "holder": 101}),
                ("LockWaitSums", 0, 40, {"type": "LockWaitSums", "kind": "mutex", "lock": "0x1000", "waits": 8, "total": 0.5, "longest": 0.1})]
    keep, drop = (profile.stack(["main", name]) for name in ("keep", "drop"))
    profile.thread("main", [(i, ["main"], 900000) for i in range(40)], markers, nativeAllocations={
        "length": 3, "time": [1, 2, 3], "weight": [1 << 20, 1 << 22, -(1 << 22)], "weightType": "bytes", "stack": [keep, drop, None],
        "memoryAddress": [16, 32, 32], "threadId": [100] * 3})
    profile.thread("holder", [(i, ["main", "hold"], 900000) for i in range(40)])
    return profile.write(path)
