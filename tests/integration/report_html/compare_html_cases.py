#!/usr/bin/env python3
"""compare_html_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof compare --html` in a real browser.

Status 77: skipped, the browser is missing, or the build has no page."""

import json
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from page_profile import ProfileBuilder  # noqa: E402
from page_case import made, opened, run, run_case  # noqa: E402
from report_page import boxes, click_box, has, show, text, weights  # noqa: E402


def profile_of(folder, name, samples):
    """samples: {("main", "work"): 30, ...}, by call path."""
    tables = {"functions": [], "stacks": []}

    def stack_of(path):
        if not path:
            return None
        key = [stack_of(path[:-1]), path[-1]]
        if key not in tables["stacks"]:
            tables["stacks"].append(key)
        return tables["stacks"].index(key)

    ends = [stack_of(path) for path, count in samples.items() for _ in range(count)]
    strings = ["(root)", *dict.fromkeys(function for _, function in tables["stacks"])]
    thread = {
        "name": "GeckoMain", "pid": 1, "tid": 1, "processType": "default", "registerTime": 0, "unregisterTime": None,
        "samples": {"schema": {"stack": 0, "time": 1}, "data": [[end, i] for i, end in enumerate(ends)]},
        "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4}, "data": []},
        "stackTable": {"schema": {"prefix": 0, "frame": 1},
                       "data": [[prefix, strings.index(function)] for prefix, function in tables["stacks"]]},
        "frameTable": {"schema": {"location": 0, "category": 1}, "data": [[i, 0] for i in range(len(strings))]},
        "stringTable": strings,
    }
    profile = {"meta": {"version": 34, "startTime": 0, "interval": 1, "categories": [{"name": "Other", "color": "grey", "subcategories": []}]},
               "libs": [], "threads": [thread], "processes": []}
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(profile, file)
    return path


def usual(folder):
    """work became 3 times what it was, old went, new came, and rest is the same part."""
    before = profile_of(folder, "before.json", {("main", "work"): 20, ("main", "old"): 30, ("main", "rest"): 50})
    after = profile_of(folder, "after.json", {("main", "work"): 120, ("main", "new", "inner"): 30, ("main", "rest"): 150})
    return before, after


def page_of(folder, *arguments):
    out = os.path.join(folder, "page.html")
    done = made(run("compare", "--html", out, *arguments))
    assert "Functions, by the change of their own share" in done.stdout, done
    return out


def colors_of(page, names):
    """Red, green and blue of the boxes, right of their texts, once they are painted; the canvas is read once."""
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    left, top, _, _ = page.box("#flame-canvas")
    found = {box["name"]: box for box in boxes(page)}
    places = [[found[name]["x"] - left + found[name]["width"] * 0.9, found[name]["y"] - top + 4] for name in names]
    return page.evaluate(f"""(canvas => {{
        const {{ data, width }} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
        return {json.dumps(places)}.map(place => place.map(at => Math.round(at * devicePixelRatio)))
            .map(([x, y]) => [...data.slice(4 * (y * width + x), 4 * (y * width + x) + 3)]);
    }})(document.getElementById('flame-canvas'))""")


def case_flame(folder):
    with opened(page_of(folder, *usual(folder))) as page:
        found = {name: round(weight, 4) for name, weight in weights(boxes(page)).items()}
        assert found == {"main": 1, "work": 0.3, "old": 0.15, "rest": 0.5, "new": 0.05, "inner": 0.05}, found
        work, old, rest = colors_of(page, ["work", "old", "rest"])
        assert work[0] > work[2] + 60 and old[2] > old[0] + 60, (work, old)  # red and blue
        assert max(rest) - min(rest) < 12, rest
        click_box(page, "work")
        page.wait("document.getElementById('flame-details').textContent.includes('20.0 % → 40.0 % (+20.0 points, 2.00 ×)')")
        page.click_on("#flame-reset")
        click_box(page, "old")
        page.wait("document.getElementById('flame-details').textContent.includes('30.0 % → 0.00 % (−30.0 points, gone)')")
        page.click_on("#flame-reset")
        page.evaluate("(w => { w.value = 'after'; w.dispatchEvent(new Event('change')) })(document.getElementById('width'))")
        after = boxes(page, "!b.some(x => x.name === 'old')")
        assert abs(weights(after)["work"] - 0.4) < 1e-9
        for hidden in ("#time-line", "#tab-markers", "#tab-counters", "#tab-processes", "#measure-label"):
            assert page.evaluate(f"document.querySelector({hidden!r}).offsetParent === null"), hidden
        assert text(page, "#page-title") == "before.json → after.json"


def case_invert(folder):
    with opened(page_of(folder, *usual(folder))) as page:
        page.click_on("#inverted")
        found = boxes(page, "b.some(x => x.name === 'inner' && x.depth === 0)")
        roots = {box["name"]: round(box["weight"], 4) for box in found if box["depth"] == 0}
        assert roots == {"work": 0.3, "old": 0.15, "rest": 0.5, "inner": 0.05}, roots
        click_box(page, "work")
        page.wait("document.getElementById('flame-details').textContent.includes('20.0 % → 40.0 %')")


def case_functions(folder):
    with opened(page_of(folder, *usual(folder))) as page:
        show(page, "functions")
        rows = page.evaluate("[...document.querySelectorAll('#function-table tbody tr')].map(row => [...row.cells].map(c => c.textContent))")
        by_name = {row[6]: row[:6] for row in rows}
        assert [row[6] for row in rows][:2] == ["old", "work"], rows
        assert by_name["old"] == ["−30.0", "30.0 %", "0.00 %", "−30.0", "30.0 %", "0.00 %"], by_name["old"]
        assert by_name["work"] == ["+20.0", "20.0 %", "40.0 %", "+20.0", "20.0 %", "40.0 %"], by_name["work"]
        assert by_name["new"] == ["±0.00", "0.00 %", "0.00 %", "+10.0", "0.00 %", "10.0 %"], by_name["new"]
        page.click_on("button[data-key=selfAfter]")
        page.wait("document.querySelector('#function-table tbody td:nth-child(7)').textContent === 'rest'")
        page.click_on("#tab-functions")
        page.key("ArrowRight")
        page.wait("document.documentElement.dataset.ready === 'summary'")
        assert "before.json" in text(page, "#facts") and "after.json" in text(page, "#facts")


def case_runs(folder):
    """Runs of different lengths: the mean of their shares, as in the text and in --json."""
    first = profile_of(folder, "a.json", {("main", "x"): 10, ("main", "y"): 90})
    second = profile_of(folder, "b.json", {("main", "x"): 300, ("main", "y"): 0})
    third = profile_of(folder, "c.json", {("main", "x"): 50, ("main", "y"): 50})
    with opened(page_of(folder, "--before", first, second, "--after", third)) as page:
        click_box(page, "x")
        page.wait("document.getElementById('flame-details').textContent.includes('55.0 % → 50.0 %')")
        assert "a.json" in text(page, "#facts") and "the mean of 2" in text(page, "#facts")


def case_bytes(folder):
    """Allocations, of which none are samples; the two do not compare."""
    sides = []
    for name, size in (("before", 1000), ("after", 3000)):
        profile = ProfileBuilder()
        profile.allocations("main", [(1, ["main", "make"], size), (2, ["main"], 1000)])
        sides.append(profile.write(os.path.join(folder, f"{name}.json")))
    with opened(page_of(folder, *sides)) as page:
        assert "allocated bytes" in text(page, "#page-facts")
        click_box(page, "make")
        page.wait("document.getElementById('flame-details').textContent.includes('50.0 % → 75.0 %')")
    samples = profile_of(folder, "samples.json", {("main", "make"): 10})
    done = run("compare", "--html", os.path.join(folder, "page.html"), sides[0], samples)
    assert done.returncode == 1 and "cannot be compared" in done.stderr and done.stdout == "", done


def case_hostile(folder):
    name = "</script><img src=x onerror=alert(1)>;\x1b[31m"
    before = profile_of(folder, "before.json", {("main", name): 20, ("main", "b"): 80})
    after = profile_of(folder, "after.json", {("main", name): 90, ("main", "b"): 10})
    with opened(page_of(folder, before, after)) as page:
        assert page.evaluate("document.querySelectorAll('img').length") == 0
        assert any("onerror" in box["name"] for box in boxes(page))


def case_misuse(folder):
    before, after = usual(folder)
    made(run("compare", "--html", os.path.join(folder, "page.html"), before, after))
    os.remove(os.path.join(folder, "page.html"))
    for arguments, status in ((["--html", "-", "--diff-stacks", "-", before, after], 2), (["--html", "missing/x.html", before, after], 1),
                              (["--html", "x.html", before, "missing.json"], 1), (["--html", "-", "--json", before, after], 2),
                              (["--html", "after.json", before, after], 2), (["--diff-stacks", "./before.json", before, after], 2),
                              (["--html", "x", "--diff-stacks", "../" + os.path.basename(folder) + "/x", before, after], 2),
                              (["--html", "/dev/stdout", "--diff-stacks", "-", before, after], 2)):
        done = run("compare", *arguments, cwd=folder)
        assert done.returncode == status and done.stderr.count("\n") == 1 and done.stdout == "", done
    assert sorted(os.listdir(folder)) == ["after.json", "before.json"], os.listdir(folder)
    for standard_output in ("-", "/dev/stdout"):
        to_pipe = run("compare", "--html", standard_output, before, after)
        assert to_pipe.returncode == 0 and to_pipe.stdout.startswith("<!DOCTYPE html>") and to_pipe.stdout.endswith("</html>\n")


run_case(globals())
