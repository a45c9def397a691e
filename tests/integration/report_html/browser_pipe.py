"""Headless Chromium, driven through its debugging pipe: python3 alone, no driver and no port.

    with Browser(folder) as browser:
        page = browser.open("file:///...")
        page.click(10, 10)
        page.wait("document.title === 'done'")

Real key and mouse events go in; errors, messages of the console and every request for a network are collected.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import time

WAIT_SECONDS = 90  # for a condition on a busy machine


class Missing(Exception):
    """The browser is not on this machine."""


def find():
    for name in ("chromium", "chromium-browser", "google-chrome"):
        if shutil.which(name):
            return shutil.which(name)
    raise Missing("Chromium is not installed (Debian's chromium)")


KEYS = {  # key: (code, number)
    "Enter": ("Enter", 13), "Escape": ("Escape", 27), "Tab": ("Tab", 9), "Backspace": ("Backspace", 8), " ": ("Space", 32),
    "ArrowLeft": ("ArrowLeft", 37), "ArrowUp": ("ArrowUp", 38), "ArrowRight": ("ArrowRight", 39), "ArrowDown": ("ArrowDown", 40),
    "Home": ("Home", 36), "End": ("End", 35),
}
MODIFIERS = {"Alt": 1, "Control": 2, "Shift": 8}


class Browser:
    def __init__(self, folder):
        to_browser, self._out = os.pipe()
        self._in, from_browser = os.pipe()
        self._buffer, self._next, self._answers = b"", 0, {}
        self.pages = {}

        def place_pipes():  # the browser reads 3 and writes 4
            a, b = os.dup(to_browser), os.dup(from_browser)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self._process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars=false", "--disable-dev-shm-usage",
             "--remote-debugging-pipe", f"--user-data-dir={folder}/browser", "--disable-background-networking",
             "--no-first-run", "--disable-component-update", "about:blank"],
            close_fds=False, preexec_fn=place_pipes, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.send("Browser.close")
            self._process.wait(20)
        except (OSError, subprocess.TimeoutExpired, AssertionError):
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def send(self, method, parameters=None, session=None):
        self._next += 1
        number = self._next
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + WAIT_SECONDS
        while number not in self._answers:
            assert time.monotonic() < deadline, f"no answer to {method}"
            self._read(1)
        answer = self._answers.pop(number)
        assert "error" not in answer, f"{method}: {answer['error']}"
        return answer["result"]

    def _read(self, seconds):
        if not select.select([self._in], [], [], seconds)[0]:
            return
        some = os.read(self._in, 1 << 20)
        assert some, "the browser ended"
        *messages, self._buffer = (self._buffer + some).split(b"\0")
        for message in map(json.loads, messages):
            if "id" in message:
                self._answers[message["id"]] = message
            elif message.get("sessionId") in self.pages:
                self.pages[message["sessionId"]].on_event(message["method"], message["params"])

    def open(self, address, width=1400, height=900, dark=False):
        target = self.send("Target.createTarget", {"url": "about:blank"})["targetId"]
        session = self.send("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        page = self.pages[session] = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.send(f"{domain}.enable")
        page.send("Emulation.setDeviceMetricsOverride", {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
        page.prefer(dark)
        page.send("Page.navigate", {"url": address})
        return page


class Page:
    def __init__(self, browser, session):
        self._browser, self._session = browser, session
        self.errors, self.requests = [], []

    def send(self, method, parameters=None):
        return self._browser.send(method, parameters, self._session)

    def on_event(self, method, parameters):
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(parameters["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled":
            self.errors.append("console: " + json.dumps(parameters["args"])[:600])
        elif method == "Log.entryAdded":
            # Chromium's advice to whoever reads pixels, as the tests do, while they wait for a graph.
            if "willReadFrequently" not in parameters["entry"]["text"]:
                self.errors.append("log: " + json.dumps(parameters["entry"])[:600])
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"][:200])

    def prefer(self, dark):
        scheme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def evaluate(self, expression):
        answer = self.send("Runtime.evaluate", {"expression": expression, "returnByValue": True, "awaitPromise": True})
        assert "exceptionDetails" not in answer, f"{expression}: {json.dumps(answer['exceptionDetails'])[:600]}"
        return answer["result"].get("value")

    def wait(self, condition, what=None):
        """Until the expression is true; what it is then."""
        deadline = time.monotonic() + WAIT_SECONDS
        while True:
            # What is asked may not be there yet, and the page neither.
            value = self.evaluate(f"(() => {{ try {{ return ({condition}) }} catch {{ return null }} }})()")
            if value:
                return value
            assert time.monotonic() < deadline, f"never: {what or condition}; errors: {self.errors}"
            time.sleep(0.03)

    def key(self, key, *modifiers):
        code, number = KEYS.get(key, (f"Key{key.upper()}", ord(key.upper()) if len(key) == 1 else 0))
        bits = sum(MODIFIERS[name] for name in modifiers)
        event = {"key": key, "code": code, "windowsVirtualKeyCode": number, "modifiers": bits}
        text = {"Enter": "\r", " ": " "}.get(key, key if len(key) == 1 and not bits & 2 else None)
        self.send("Input.dispatchKeyEvent", {"type": "keyDown", **event, **({"text": text} if text else {})})
        self.send("Input.dispatchKeyEvent", {"type": "keyUp", **event})

    def type(self, text):
        for letter in text:
            self.key(letter)

    def mouse(self, kind, x, y, **more):
        self.send("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    def click(self, x, y, *modifiers):
        bits = sum(MODIFIERS[name] for name in modifiers)
        for kind in ("mousePressed", "mouseReleased"):
            self.mouse(kind, x, y, button="left", clickCount=1, modifiers=bits)

    def move(self, x, y):
        self.mouse("mouseMoved", x, y)

    def drag(self, x, y, to_x, to_y):
        self.mouse("mousePressed", x, y, button="left", buttons=1, clickCount=1)
        for step in (0.5, 1):
            self.mouse("mouseMoved", x + (to_x - x) * step, y + (to_y - y) * step, button="left", buttons=1)
        self.mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)

    def box(self, selector):
        """[left, top, width, height] of an element."""
        return self.evaluate(f"(({selector!r}), (r => [r.left, r.top, r.width, r.height])"
                             f"(document.querySelector({selector!r}).getBoundingClientRect()))")

    def click_on(self, selector, *modifiers):
        left, top, width, height = self.box(selector)
        self.click(left + width / 2, top + height / 2, *modifiers)

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", {"format": "png"})["data"]))
