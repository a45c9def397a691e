#!/usr/bin/env python3
"""report_html_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof report --html` in a real browser.

Status 77: skipped, the browser is missing, or the build has no page."""

import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(ROOT, "tools", "benchmarks")]
import browser_pipe  # noqa: E402
import made_profile  # noqa: E402
import page_profile  # noqa: E402
from page_case import GECKOPROF, made, opened, run, run_case  # noqa: E402
from report_page import boxes, click_box, drag_over, focused, has, luminance, show, tab_to, text, weights  # noqa: E402

def write_page(profile, *options):
    out = os.path.join(os.path.dirname(profile), "page.html")
    assert made(run("report", "--html", out, *options, profile)).stdout == ""
    return out


def usual(folder):
    return write_page(page_profile.usual(os.path.join(folder, "usual.json")))


def case_renders(folder):
    with opened(usual(folder)) as page:
        found = boxes(page)
        assert weights(found) == {"main": 120, "work": 90, "inner": 60, "late": 20, "rest": 10}, found
        assert text(page, "#page-title") == "made"
        rows = page.evaluate("[...document.querySelectorAll('.track-name')].map(row => row.textContent)")
        assert rows == ["main", "helper"], rows
        # Something is drawn: the graph of the busy thread has more than one colour.
        page.wait("""(canvas => new Set(new Uint32Array(canvas.getContext('2d')
            .getImageData(0, 0, canvas.width, canvas.height).data.buffer)).size > 2)(document.querySelector('.track canvas'))""")
        left, top, width, _ = page.box("#axis")
        page.move(left + width / 4, top + 60)
        card = page.wait("(card => card && !card.hidden && card.textContent)(document.getElementById('hover-card'))")
        assert "main" in card and "90" in card, card  # 0.9 ms CPU a ms
        show(page, "summary")
        assert "usual.json" in text(page, "#facts") and "120" in text(page, "#facts")


def case_flame(folder):
    with opened(usual(folder)) as page:
        click_box(page, "work")
        zoomed = boxes(page, "b.find(x => x.name === 'work').width > 1000 && !b.some(x => x.name === 'rest')")
        assert {"main", "work", "inner"} == {box["name"] for box in zoomed}
        assert "Zoomed to: work" in text(page, "#flame-zoomed")
        assert re.search(r"total: 90 samples \(75\.0 %\)self: 30 samples \(25\.0 %\)", text(page, "#flame-details"))
        page.click_on("#flame-reset")
        boxes(page, has("rest"))
        assert page.evaluate("document.getElementById('flame-reset').disabled")
        box = next(box for box in boxes(page) if box["name"] == "inner")
        page.move(box["x"] + 20, box["y"] + 8)
        page.wait("document.getElementById('hover-card')?.textContent.includes('60 samples (50.0 %)')")
        page.evaluate("document.getElementById('measure').value = 'cpu';"
                      "document.getElementById('measure').dispatchEvent(new Event('change'))")
        # The first sample's CPU time is from before the recording.
        boxes(page, "Math.abs(b.find(x => x.name === 'late').weight - 9.5) < 1e-6")


def case_search(folder):
    with opened(usual(folder)) as page:
        page.click_on("#search")
        page.type("inn")
        page.wait("document.getElementById('search-result').textContent === '1 box, 50.0 %'")
        assert [box["name"] for box in boxes(page) if box["isMatch"]] == ["inner"]
        page.key("Enter")
        page.wait("document.getElementById('flame-details').textContent.startsWith('inner')")
        page.evaluate("document.getElementById('search').select()")
        page.type("nothing")
        page.wait("document.getElementById('search-result').textContent === 'no match'")


def case_invert(folder):
    with opened(usual(folder)) as page:
        page.click_on("#inverted")
        found = boxes(page, "b[0].name === 'inner'")
        first = {box["name"]: box["weight"] for box in found if box["depth"] == 0}
        assert first == {"inner": 60, "work": 30, "late": 20, "rest": 10}, first
        assert {box["name"] for box in found if box["depth"] == 2} == {"main"}
        page.click_on("#inverted")
        boxes(page, "b[0].name === 'main'")


def case_brush(folder):
    with opened(usual(folder)) as page:
        drag_over(page, 0.605, 0.8999)  # of 99 ms: 59.9 to 89.1
        found = weights(boxes(page, "!b.some(x => x.name === 'inner')"))
        assert found == {"main": 50, "work": 30, "late": 20}, found
        assert "29." in text(page, "#range-text"), text(page, "#range-text")
        show(page, "markers")
        page.wait("document.getElementById('marker-count').textContent.startsWith('9 of 30')")
        show(page, "counters")
        page.wait("[...document.querySelectorAll('.counter')].every(c => c.textContent.includes('over 29.') || c.textContent.includes('adds'))")
        page.click_on("#zoom-in")
        page.wait("document.getElementById('zoom-in').disabled && !document.getElementById('zoom-out').disabled")
        show(page, "flame")
        assert weights(boxes(page))["main"] == 50
        page.click_on("#zoom-out")
        boxes(page, has("inner"))
        drag_over(page, 0.2, 0.4)
        boxes(page, "b[0].weight < 30")
        page.click_on("#clear-range")
        boxes(page, "b[0].weight === 120")


def case_threads(folder):
    with opened(usual(folder)) as page:
        page.click_on("#tracks .track:nth-of-type(3) .track-label")
        assert weights(boxes(page, "b[0].weight === 20")) == {"main": 20, "late": 20}
        assert "1 of 2" in text(page, "#chosen-threads")
        page.click_on("#tracks .track:nth-of-type(2) .track-label", "Control")
        boxes(page, "b[0].weight === 120")
        page.click_on("#thread-filter")
        page.type("help")
        page.wait("document.querySelectorAll('.track:not([hidden])').length === 1")


def case_functions(folder):
    with opened(usual(folder)) as page:
        show(page, "functions")
        rows = page.evaluate("[...document.querySelectorAll('#function-table tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        assert rows[0][:5] == ["50.0 %", "60", "50.0 %", "60", "inner"], rows
        assert rows[-1][:5] == ["0.0 %", "0", "100 %", "120", "main"], rows
        page.click_on("#function-table th:nth-child(2) button")
        assert page.wait("document.querySelector('#function-table tbody .name').textContent === 'main'")
        assert page.evaluate("document.querySelector('#function-table th:nth-child(2)').getAttribute('aria-sort')") == "descending"
        page.click_on("#function-table tbody tr:nth-child(1) .name")
        page.wait("document.documentElement.dataset.ready === 'flame' && document.getElementById('search').value === 'main'")


def case_waits(folder):
    with opened(write_page(page_profile.waits(os.path.join(folder, "waits.json")))) as page:
        show(page, "waits")
        rows = "[...document.querySelectorAll('#wait-table tbody tr')].map(r => [...r.cells].map(c => c.innerText))"
        found = page.evaluate(rows)
        assert [row[1:7] for row in found] == [
            ["27.0 ms", "2", "19.0 ms", "lock", "0x7f0000001000", "holder (101)"], ["20.0 ms", "1", "20.0 ms", "sleep", "", ""],
            ["10.0 ms", "–", "–", "lock", "", ""], ["10.0 ms", "–", "–", "sleep", "", ""], ["500 µs", "–", "–", "other", "", ""]], found
        assert found[0][7] == "lock < main" and found[2][7] == "waits too short for a stack", found
        page.click_on("#wait-table summary")
        opened_text = page.wait("(d => d.open && d.innerText)(document.querySelector('#wait-table details'))")
        assert "holder (101) held the lock at" in opened_text and "hold" in opened_text, opened_text
        drag_over(page, 0.25, 0.5)  # 20 ms to 40 ms
        narrowed = page.evaluate(rows)
        assert {row[4] for row in narrowed} == {"lock", "sleep"} and len(narrowed) == 2, narrowed
        show(page, "processes")
        cells = page.evaluate("[...document.querySelectorAll('.row-thread')].map(r => [...r.cells].map(c => c.textContent).slice(2, 5))")
        assert cells[0] == ["12.0 ms", "500 µs", "67.5 ms"], cells
    with opened(usual(folder)) as page:
        assert page.evaluate("document.getElementById('tab-waits').hidden")


def case_tables(folder):
    """The tables of events have the cells that `--by` prints."""
    source = page_profile.events(os.path.join(folder, "events.json"))
    with opened(write_page(source)) as page:
        for view in ("lock", "allocation", "io"):
            show(page, view)
            assert text(page, f"#panel-{view} h2") in run("report", "--by", view, source).stdout
            rows = page.evaluate(f"[...document.querySelectorAll('#panel-{view} tbody tr')].map(row => [...row.cells]"
                                 ".filter(cell => !cell.querySelector('details')).map(cell => cell.textContent))")
            printed = run("report", "--by", view, source).stdout.splitlines()
            lines = [[cell for cell in re.split("  +", line.strip()) if cell != "-"] for line in printed[3:3 + 2 * len(rows)]]
            assert rows and all([cell for cell in row if cell != "–"] in lines for row in rows), (view, rows, lines)
        show(page, "allocation")
        page.click_on("#panel-allocation summary")
        assert page.wait("(d => d.open && d.innerText)(document.querySelector('#panel-allocation details'))").split() == [
            "drop", "<", "main", "drop", "main"]
    with opened(usual(folder)) as page:
        assert page.evaluate("['lock', 'allocation', 'io'].every(view => document.getElementById(`tab-${view}`).hidden)")


def case_markers(folder):
    with opened(usual(folder)) as page:
        show(page, "markers")
        found = boxes(page, of="markers")
        assert [marker["name"] for marker in found].count("request") == 10
        assert [marker["name"] for marker in found].count("tick") == 20
        third = [marker for marker in found if marker["name"] == "request"][2]
        page.move(third["x"] + third["width"] / 2, third["y"] + 6)
        card = page.wait("(card => card && !card.hidden && card.textContent)(document.getElementById('hover-card'))")
        for part in ("Loading http://example.org/2", "5.00 ms", "Address", "2.0 KiB", "0.020"):
            assert part in card, card
        page.click(third["x"] + third["width"] / 2, third["y"] + 6)
        page.wait("document.getElementById('marker-details').textContent.includes('example.org/2')")
        page.click_on("#marker-filter")
        page.type("org/7")
        assert len(boxes(page, "b.length === 1", of="markers")) == 1
        page.evaluate("document.getElementById('marker-by-type').value = 'type';"
                      "document.getElementById('marker-by-type').dispatchEvent(new Event('change'))")
        page.wait("document.getElementById('marker-count').textContent.startsWith('1 of 30')")


def case_counters(folder):
    with opened(usual(folder)) as page:
        show(page, "counters")
        page.wait("document.querySelectorAll('.counter canvas').length === 2")
        first = text(page, ".counter")
        assert "memory" in first and "4.0 KiB to 13.0 KiB" in first or "4,096 to 13,312" in first, first
        left, top, width, height = page.box(".counter canvas")
        left, width = left + 70, width - 70  # the axis of values
        page.move(left + width / 2, top + height / 2)
        page.wait("/ at /.test(document.querySelector('.counter-value').textContent)")
        page.drag(left + width * 0.1, top + height / 2, left + width * 0.3, top + height / 2)
        page.wait("!document.getElementById('clear-range').disabled")
        assert "(19." in text(page, "#range-text") or "(20." in text(page, "#range-text"), text(page, "#range-text")


def case_processes(folder):
    profile = page_profile.ProfileBuilder()
    for pid, parent in (("100", None), ("101", "100"), ("101.1", "100"), ("102", "101")):
        profile.thread(f"t{pid}", [(i, ["main"], 900000) for i in range(5)], pid=pid, parentPid=parent, processName=f"p{pid}")
    with opened(write_page(profile.write(os.path.join(folder, "tree.json")))) as page:
        show(page, "processes")
        rows = page.evaluate("[...document.querySelectorAll('#process-place tbody tr')].map(r => [parseInt(r.cells[0].style.paddingLeft),"
                             " r.className, r.cells[0].textContent, r.cells[3].textContent])")
        names = [(indent // 18, kind, name) for indent, kind, name, _ in rows if kind != "row-thread"]
        assert names == [(0, "row-process", "p1001 thread"), (1, "row-process", "p101 → p101.12 threads"), (2, "row-program", "p101"),
                         (2, "row-program", "p101.1"), (2, "row-process", "p1021 thread")], names
        page.click_on("#process-place tbody tr:nth-child(3) button.twisty")
        page.wait("[...document.querySelectorAll('.row-program')].every(row => row.hidden)")
        page.click_on("#process-place tbody tr:nth-child(3) button.small")
        page.wait("document.getElementById('chosen-threads').textContent === '2 of 4 threads'")


def case_quiet(folder):
    """Processes are in the order of what they took, and those without samples are folded."""
    profile = page_profile.ProfileBuilder()
    for pid, parent, cpu in (("100", None, 0), ("101", "100", 500000), ("102", "100", 900000), *((str(pid), "100", None) for pid in range(200, 210))):
        samples = [] if cpu is None else [(i, ["main"], cpu) for i in range(5)]
        profile.thread(f"t{pid}", samples, pid=pid, parentPid=parent, processName=f"p{pid}", isMainThread=True)
    with opened(write_page(profile.write(os.path.join(folder, "quiet.json")))) as page:
        shown = "[...document.querySelectorAll('#tracks .process-header')].filter(e => !e.hidden).map(e => [e.textContent, parseInt(e.style.paddingLeft)])"
        assert page.evaluate(shown) == [["p100 (100)", 12], ["p102 (102)", 24], ["p101 (101)", 24], ["10 processes without samples", None]], page.evaluate(shown)
        page.click_on("#quiet-processes")
        assert len(page.evaluate(shown)) == 14
        page.click_on("#quiet-processes")
        page.evaluate("document.getElementById('thread-filter').value = 't205'; document.getElementById('thread-filter').dispatchEvent(new Event('input'))")
        assert ["p205 (205)", 24] in page.evaluate(shown)
        show(page, "processes")
        rows = "[...document.querySelectorAll('#process-place tbody tr:not(.row-thread)')].map(row => row.cells[0].textContent)"
        before = page.evaluate(rows)
        assert [row[:4] for row in before] == ["p100", "p102", "p101", "10 p"], before
        page.click_on(".row-fold button")
        assert len(page.evaluate(rows)) == 14
        page.click_on(".row-fold button")
        assert page.evaluate(rows) == before


def case_keyboard(folder):
    """Everything without a mouse, and every control can be reached."""
    with opened(usual(folder)) as page:
        seen = []
        page.key("Tab")
        while focused(page) not in ("BODY", *seen[:1]) and len(seen) < 60:
            seen.append(focused(page))
            # Whoever sees must see where the focus is: an outline, or a box on the canvas.
            outline = page.evaluate("(e => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth)(document.activeElement)")
            assert outline.startswith(("solid", "auto")) and "0px" not in outline, (focused(page), outline)
            page.key("Tab")
        for control in ("theme", "help-open", "thread-filter", "tracks", "range-start", "range-end", "tab-flame", "search", "measure",
                        "idle", "inverted", "color", "flame-place"):
            assert control in seen, (control, seen)
        page.evaluate("document.getElementById('theme').focus()")
        tab_to(page, "tracks")
        page.key("ArrowDown")
        page.key("Enter")
        boxes(page, "b[0].weight === 20")
        page.key("a", "Control")
        boxes(page, "b[0].weight === 120")
        tab_to(page, "range-start")
        for _ in range(5):
            page.key("ArrowRight", "Shift")
        page.wait("Number(document.getElementById('range-start').getAttribute('aria-valuenow')) > 49")
        boxes(page, "b[0].weight === 70")
        page.key("Escape")
        boxes(page, "b[0].weight === 120")
        tab_to(page, "flame-place")
        page.wait("document.getElementById('flame-details').textContent.startsWith('main')")
        page.key("ArrowDown")
        page.wait("document.getElementById('flame-details').textContent.startsWith('work')")
        page.key("ArrowRight")
        page.wait("document.getElementById('flame-details').textContent.startsWith('late')")
        page.key("Enter")
        boxes(page, "!b.some(x => x.name === 'work')")
        page.key("Escape")
        boxes(page, has("work"))
        page.key("i")
        boxes(page, "b[0].name === 'inner'")
        page.key("/")
        assert focused(page) == "search"
        page.evaluate("document.getElementById('tab-flame').focus()")
        page.key("ArrowRight")
        page.key("ArrowRight")
        page.wait("document.documentElement.dataset.ready === 'markers'")
        tab_to(page, "marker-place")
        page.key("ArrowDown")
        page.key("ArrowRight")
        page.key("ArrowRight")
        page.wait("document.getElementById('marker-details').textContent.includes('example.org/2')")
        page.key("Enter")
        page.wait("document.getElementById('range-text').textContent.includes('(5.00 ms)')")
        page.key("?")
        page.wait("document.getElementById('help').open")
        page.key("Escape")
        page.wait("!document.getElementById('help').open")


def case_themes(folder):
    out = usual(folder)
    with opened(out) as page:
        assert luminance(page) > 200
        page.prefer(dark=True)
        page.wait("document.documentElement.dataset.theme === 'dark'")
        assert luminance(page) < 60
    with opened(out, dark=True) as page:
        assert luminance(page) < 60
        # Text is readable: drawn boxes are darker than their letters.
        page.evaluate("document.getElementById('theme').focus()")
        page.key("ArrowDown")  # from "as the system" to "light"
        page.wait("document.documentElement.dataset.theme === 'light'")
        assert luminance(page) > 200


def case_hostile(folder):
    bad = page_profile.HOSTILE
    schema = [{"name": name[:50], "tooltipLabel": name, "chartLabel": name, "display": [],
               "data": [{"key": "k", "label": name, "format": name}]} for name in bad]
    profile = page_profile.ProfileBuilder(product=bad[1], arguments=bad[0], oscpu=bad[2], markerSchema=schema,
                                          extra=[{"label": bad[0], "entries": [{"label": f"Lost: {bad[1]}", "format": "string", "value": bad[2]}]}])
    profile.meta["categories"][1].update(name=bad[0], color=bad[1])
    for name in bad:
        profile.thread(name, [(i, [name, name + "2"], 900000) for i in range(10)],
                       [(name, 1, 5, {"type": name[:50], "k": name, name: name}), (name, 3, None, None)], processName=name)
        profile.counter(name, [(0, 1), (5, 2)], description=name, color=name, unit=name)
    source = profile.write(os.path.join(folder, "hostile.json"))
    out = write_page(source)
    with open(out, encoding="utf-8") as file:
        whole = file.read()
    assert whole.count("<script") == 2 and "onerror" not in whole and "\u2028" not in whole
    with opened(out) as page:
        for tab in ("flame", "functions", "markers", "counters", "processes", "summary"):
            show(page, tab)
            if tab == "markers":
                for marker in boxes(page, of="markers")[:12]:
                    page.click(marker["x"] + marker["width"] / 2, marker["y"] + 6)
            page.move(700, 700)
            assert page.evaluate("document.querySelectorAll('img, iframe, object').length") == 0
        assert "owned" not in page.evaluate("document.title").replace("document.title='owned'", "")
        assert "\x1b" not in page.evaluate("document.body.textContent")
        assert "\u202e" not in page.evaluate("document.body.textContent")
        assert page.evaluate("Math.max(...[...document.querySelectorAll('*')].map(e => e.children.length ? 0 : e.textContent.length))") < 200000
        # The layout holds: nothing makes the page wider than the window.
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def case_large(folder):
    """Millions of samples and markers: the page stays small, says what it left out, and opens."""
    source = os.path.join(folder, "large.json")
    made_profile.write(source, 8, 400_000, markers=30_000, stacks=60_000)
    out = write_page(source)
    assert os.path.getsize(out) < 40 << 20, os.path.getsize(out)
    with opened(out) as page:
        boxes(page)
        notes = text(page, "#notes")
        assert "put together" in notes and "markers are left out" in notes, notes
        expected = json.loads(run("report", "--json", source).stdout)
        total = page.evaluate("geckoprofReport.profile.threads.reduce((sum, t) => sum + (t.active.weight ? "
                              "t.active.weight.reduce((a, b) => a + b, 0) : t.active.time.length), 0)")
        assert abs(total - expected["samples"]) < 1e-6 * total, (total, expected["samples"])
        drag_over(page, 0.3, 0.5)
        boxes(page, "b.length > 3")
        page.click_on("#clear-range")
        show(page, "markers")
        boxes(page, of="markers")


def case_only_markers(folder):
    profile = page_profile.ProfileBuilder()
    profile.thread("main", [], [("m", 1, 2, None)])
    with opened(write_page(profile.write(os.path.join(folder, "markers.json")))) as page:
        assert page.evaluate("document.documentElement.dataset.ready") == "markers"
        assert len(boxes(page, of="markers")) == 1
        show(page, "flame")
        page.wait("!document.getElementById('flame-empty').hidden")
        show(page, "functions")
        page.wait("!document.getElementById('function-empty').hidden")


def case_only_samples(folder):
    profile = page_profile.ProfileBuilder()
    profile.thread("main", [(5, ["main"], 900000)])
    with opened(write_page(profile.write(os.path.join(folder, "one.json")))) as page:
        assert weights(boxes(page)) == {"main": 1}
        show(page, "markers")
        page.wait("!document.getElementById('marker-empty').hidden")
        show(page, "counters")
        page.wait("!document.getElementById('counter-empty').hidden")


def case_no_cpu(folder):
    profile = page_profile.ProfileBuilder()
    profile.thread("main", [(i, ["main"], 0) for i in range(50)], cpu=False)
    with opened(write_page(profile.write(os.path.join(folder, "nocpu.json")))) as page:
        assert weights(boxes(page)) == {"main": 50}
        assert "no CPU times" in text(page, "#notes")
        assert page.evaluate("document.getElementById('measure').options.length") == 1


def case_filters(folder):
    source = page_profile.usual(os.path.join(folder, "usual.json"))
    with opened(write_page(source, "--thread", "main", "--from", "60", "--to", "95")) as page:
        assert weights(boxes(page)) == {"main": 35, "work": 30, "rest": 5}
        assert "only --thread main, --from 60, --to 95" in text(page, "#page-filters")
    with opened(write_page(source, "--marker", "tick", "--function", "inner")) as page:
        show(page, "markers")
        assert {marker["name"] for marker in boxes(page, of="markers")} == {"tick"}
    with opened(write_page(source, "--function", "nothing is called so")) as page:
        assert "of what is selected no sample has a stack" in text(page, "#notes")
    done = run("report", "--html", os.path.join(folder, "none.html"), "--thread", "nobody", source)
    assert done.returncode == 1 and "no thread is selected" in done.stderr, done
    assert not os.path.exists(os.path.join(folder, "none.html"))


def case_allocations(folder):
    """A profile of allocations alone: bytes, and no samples."""
    profile = page_profile.ProfileBuilder()
    profile.allocations("main", [(i, ["main", "make"], 4096) for i in range(10)] + [(20, ["main"], 1024)])
    path = profile.write(os.path.join(folder, "heap.json"))
    with opened(write_page(path)) as page:
        assert weights(boxes(page)) == {"main": 41984, "make": 40960}
        facts = text(page, "#facts")
        assert "41,984 bytes in 11 allocations" in facts and "Samples" not in facts, facts
    done = run("report", "--html", path, path)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "would be overwritten" in done.stderr, done


def case_offline(folder):
    """The page forbids itself every connection: what code in it tries does not leave the browser."""
    out = usual(folder)
    with open(out, encoding="utf-8") as file:
        policy = re.search(r'Content-Security-Policy" content="([^"]*)"', file.read())[1]
    assert policy.startswith("default-src 'none';") and "unsafe" not in policy and "http" not in policy, policy
    with tempfile.TemporaryDirectory() as other, browser_pipe.Browser(other) as browser:
        page = browser.open(f"file://{out}")
        page.wait("document.documentElement.dataset.ready")
        said = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', e => e.message)")
        assert "Failed to fetch" in said or "violates" in said, said
        assert any("Content Security Policy" in error for error in page.errors), page.errors


def case_old_browser(folder):
    """Without what the page needs it says so."""
    out = usual(folder)
    with tempfile.TemporaryDirectory() as other, browser_pipe.Browser(other) as browser:
        page = browser.open("about:blank")
        page.send("Page.addScriptToEvaluateOnNewDocument", {"source": "delete globalThis.DecompressionStream"})
        page.send("Page.navigate", {"url": f"file://{out}"})
        page.wait("document.documentElement.dataset.failed")
        assert "too old" in text(page, "#loading")


def case_absent(folder):
    """Wrong use, and a place that cannot be written to: one line, and nothing is left behind."""
    source = page_profile.usual(os.path.join(folder, "usual.json"))
    for arguments, status in ((["--html", "x.html", "--json", source], 2), (["--html", "x.html", "--by", "thread", source], 2),
                              (["--html", "missing/x.html", source], 1), (["--html", "x.html", "missing.json"], 1), (["--html", "x.html"], 2)):
        done = run("report", *arguments, cwd=folder)
        assert done.stderr.count("\n") == 1 and done.stdout == "", done
        assert done.returncode == status or (done.returncode == 2 and "was built" in done.stderr), done
    assert os.listdir(folder) == ["usual.json"], os.listdir(folder)
    write_page(source)
    to_pipe = run("report", "--html", "-", source)
    assert to_pipe.returncode == 0 and to_pipe.stdout.startswith("<!DOCTYPE html>") and to_pipe.stdout.endswith("</html>\n")


def case_interrupt(folder):
    """SIGINT at any moment: the old page or the new one, whole."""
    source = os.path.join(folder, "profile.json.gz")
    made_profile.write(os.path.join(folder, "plain.json"), 4, 20_000, markers=2000, stacks=5000)
    with open(os.path.join(folder, "plain.json"), "rb") as plain, gzip.open(source, "wb", compresslevel=1) as packed:
        shutil.copyfileobj(plain, packed)
    out = write_page(source)
    with open(out, "rb") as file:
        whole = file.read()
    for delay_ms in range(0, 400, 40):
        with open(out, "wb") as file:
            file.write(b"old")
        process = subprocess.Popen([GECKOPROF, "report", "--html", out, source], stderr=subprocess.DEVNULL)
        time.sleep(delay_ms / 1000)
        process.send_signal(signal.SIGINT)
        process.wait(120)
        with open(out, "rb") as file:
            assert file.read() in (b"old", whole), delay_ms
    assert sorted(os.listdir(folder)) == ["page.html", "plain.json", "profile.json.gz"], os.listdir(folder)


run_case(globals())
