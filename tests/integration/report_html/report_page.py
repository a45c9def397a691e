"""What a user does with the page of `geckoprof report --html`, and what they see: for browser_pipe's pages."""

import re
import time


def show(page, tab):
    page.click_on(f"#tab-{tab}")
    page.wait(f"document.documentElement.dataset.ready === '{tab}'")


def boxes(page, condition="true", of="boxes"):
    """What the canvas shows, once `condition` on the list `b` holds."""
    return page.wait(f"(b => ({condition}) && b.length ? b : null)(geckoprofReport.{of}())", condition)


def has(name):
    return f"b.some(x => x.name === '{name}')"


def click_box(page, name):
    """Once it stays where it is: on a busy machine the page is still being laid out when it is ready."""
    box, before = None, {}
    while box != before:
        time.sleep(0.1 if box else 0)
        before = box
        box = next(box for box in boxes(page, has(name)) if box["name"] == name)
    page.click(box["x"] + box["width"] / 2, box["y"] + 8)


def text(page, selector):
    return page.evaluate(f"document.querySelector({selector!r}).textContent")


def weights(found):
    return {box["name"]: box["weight"] for box in found}


def drag_over(page, start, end):
    """start, end: parts of the time line."""
    left, top, width, _ = page.box("#axis")
    page.drag(left + width * start, top + 60, left + width * end, top + 60)
    page.wait("document.documentElement.dataset.ready")


def focused(page):
    return page.evaluate("(e => e.id || e.className || e.tagName)(document.activeElement)")


def tab_to(page, goal):
    for _ in range(60):
        if focused(page) == goal:
            return
        page.key("Tab")
    raise AssertionError(f"Tab does not reach {goal}")


def luminance(page):
    color = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", color)[:3]) / 3
