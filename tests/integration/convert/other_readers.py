"""The real readers of the formats, where they are installed. Each gives {function: self samples} of what it shows."""

import collections
import functools
import http.server
import os
import re
import shutil
import subprocess
import tempfile
import threading


class Missing(Exception):
    """The reader is not on this machine."""


def _find(variable, candidates, what):
    for path in [os.environ.get(variable), *candidates]:
        if path and os.path.exists(path):
            return path
    raise Missing(f"{what} is not installed (or name it in {variable})")


def pprof(path):
    """go tool pprof -top, of Debian's golang-go."""
    if not shutil.which("go"):
        raise Missing("go, with its pprof, is not installed (Debian's golang-go)")
    with tempfile.TemporaryDirectory() as home:  # where it would keep settings
        text = subprocess.run(["go", "tool", "pprof", "-symbolize=none", "-sample_index=samples", "-nodecount=1000000",
                               "-nodefraction=0", "-edgefraction=0", "-top", path], check=True, stdout=subprocess.PIPE,
                              env={**os.environ, "HOME": home, "PPROF_TMPDIR": home}, text=True).stdout
    counts = collections.Counter()
    for flat, name in re.findall(r"^\s*(\d+)\s+\S+%\s+\S+%\s+\d+\s+\S+%\s+(.*?)(?: \((?:partial-)?inline\))?$", text, re.MULTILINE):
        counts[name] += int(flat)
    return counts


def flamegraph(path):
    """flamegraph.pl: boxes of the picture, less what stands on them."""
    script = _find("GECKOPROF_FLAMEGRAPH", [shutil.which("flamegraph.pl")], "flamegraph.pl")
    svg = subprocess.run(["perl", script, "--minwidth", "0", "--width", "100000000", path], check=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    boxes = re.findall(r'<title>(.*?) \(([\d,]+) samples?, [^<]*</title><rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"', svg)
    boxes = [(float(y), float(x), float(width), int(count.replace(",", "")), name) for name, count, x, y, width in boxes]
    rows = collections.defaultdict(list)
    for box in boxes:
        rows[box[0]].append(box)
    levels = sorted(rows, reverse=True)  # the root is at the bottom
    counts = collections.Counter()
    for below, above in zip(levels, levels[1:] + [None]):
        children = sorted(rows[above], key=lambda box: box[1]) if above is not None else []
        at = 0
        for _, x, width, count, name in sorted(rows[below], key=lambda box: box[1]):
            on_it = 0
            while at < len(children) and children[at][1] < x + width - 0.05:
                on_it += children[at][3]
                at += 1
            unescaped = name.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")
            counts[unescaped] += count - on_it
    return +counts


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def _table_of_page(page):
    """The rows of speedscope's sandwich view: what each function takes itself, in ms."""
    words = [word.strip() for word in re.sub(r"<[^>]+>", "\n", page).splitlines() if word.strip()]
    words = words[words.index("Symbol Name") + 1 :] if "Symbol Name" in words else []
    scale = {"ns": 1e-6, "µs": 1e-3, "ms": 1, "s": 1e3}
    counts = collections.Counter()
    for at, word in enumerate(words[:-2]):
        # Total, self, name.
        own = re.fullmatch(r"([\d.,]+)(ns|µs|ms|s) \(.*%\)", words[at + 1])
        if own and re.fullmatch(r"[\d.,:]+\w* \(.*%\)", word):
            name = words[at + 2].replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
            counts[name] += float(own[1].replace(",", "")) * scale[own[2]]
    return counts


def speedscope(path):
    """speedscope's page (npm's speedscope) in headless Chromium: the table of its sandwich view, in ms, of the profile shown."""
    modules = [os.path.join(folder, "speedscope", "dist", "release") for folder in
               ("/usr/lib/node_modules", "/usr/local/lib/node_modules", os.path.join(os.getcwd(), "node_modules"))]
    release = _find("GECKOPROF_SPEEDSCOPE", modules, "npm's speedscope")
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        raise Missing("Chromium is not installed (Debian's chromium)")
    with tempfile.TemporaryDirectory() as folder:
        site = os.path.join(folder, "site")
        shutil.copytree(release, site)
        shutil.copy(path, os.path.join(site, "profile"))
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Quiet, directory=site)) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            origin = f"http://127.0.0.1:{server.server_port}"
            # The page is taken at a moment of its own time: now and then before the table's rows are there.
            counts = {}
            for _ in range(3):
                page = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/browser",
                                       "--window-size=1600,3000", "--virtual-time-budget=20000", "--dump-dom",
                                       f"{origin}/index.html#profileURL={origin}/profile&view=sandwich"], check=True, timeout=100,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
                counts = _table_of_page(page)
                if counts:
                    break
            server.shutdown()
    if not counts:
        raise AssertionError("speedscope shows no table: " + page[:500])
    return counts
