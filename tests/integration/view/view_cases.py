#!/usr/bin/env python3
"""view_cases.py CASE GECKOPROF WORK_FOLDER: one case of `geckoprof view`, with this script as the viewer."""

import gzip
import html
import http.client
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
import urllib.parse

GECKOPROF = sys.argv[2]
VIEWER = "https://profiler.firefox.com"
SOURCE = """int Spin(int n) { volatile int x = 0; for (int i = 0; i < n; ++i) x += i; return x; }
int main(void) { return Spin(1000) & 1; }
"""


class Server:
    """A running `geckoprof view`. With `with`: ended by SIGTERM, which must leave status 0."""

    def __init__(self, *arguments, environment=None, end=signal.SIGTERM):
        self.end = end
        self.process = subprocess.Popen([GECKOPROF, "view", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, text=True, env=environment)
        self.page = self.process.stdout.readline().strip()
        if not self.page:
            return
        self.symbols = urllib.parse.parse_qs(urllib.parse.urlparse(self.page).query)["symbolServer"][0]
        self.profile = urllib.parse.unquote(re.search("/from-url/([^/]*)/", self.page).group(1))
        self.port = urllib.parse.urlparse(self.symbols).port
        self.token = urllib.parse.urlparse(self.symbols).path

    def ask(self, method, path, body=None, **headers):
        """Status, headers, body."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {key.replace("_", "-"): value for key, value in headers.items()}
        connection.request(method, path, body=body, headers=headers)
        response = connection.getresponse()
        answer = response.status, {key.lower(): value for key, value in response.getheaders()}, response.read()
        connection.close()
        return answer

    def call(self, name, request):
        status, headers, body = self.ask("POST", self.token + name, json.dumps(request), Origin=VIEWER)
        assert status == 200 and headers["access-control-allow-origin"] == VIEWER, (status, headers, body)
        return json.loads(body)

    def stop(self):
        self.process.send_signal(self.end)
        begin = time.monotonic()
        _, errors = self.process.communicate(timeout=30)
        assert self.process.returncode == 0, (self.process.returncode, errors)
        assert time.monotonic() - begin < 10
        return errors

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.stop()
        else:
            self.process.kill()


def hidden(path):
    """The address of the profile's file, as the viewer asks for it."""
    return urllib.parse.urlparse(path).path


def program(folder):
    """A program with debug information, its profile's library, the addresses of its functions."""
    path, source = os.path.join(folder, "spin"), os.path.join(folder, "spin.c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(SOURCE)
    subprocess.run(["gcc", "-g", "-O1", "-fno-inline", "-Wl,--build-id", "-o", path, source], check=True)
    notes = subprocess.run(["readelf", "-n", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    build_id = re.search("Build ID: ([0-9a-f]+)", notes).group(1)
    parts = [build_id[:8], build_id[8:12], build_id[12:16]]
    guid = "".join(bytes.fromhex(part)[::-1].hex() for part in parts) + build_id[16:32]
    symbols = subprocess.run(["nm", "-S", path], check=True, stdout=subprocess.PIPE, text=True).stdout
    found = re.search("([0-9a-f]+) ([0-9a-f]+) T Spin", symbols)
    library = {"name": "spin", "debugName": "spin", "path": path, "debugPath": path, "breakpadId": guid.upper() + "0",
               "codeId": build_id, "arch": "x86_64", "start": 0, "end": 1 << 20, "offset": 0}
    return library, int(found.group(1), 16), int(found.group(2), 16)


def write_profile(folder, libraries=(), name="profile.json.gz"):
    path = os.path.join(folder, name)
    text = json.dumps({"meta": {"version": 34}, "libs": list(libraries), "threads": [], "processes": []})
    with gzip.open(path, "wt") if name.endswith(".gz") else open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def case_profile(folder):
    for name, kind in (("profile.json.gz", "application/gzip"), ("plain.json", "application/json")):
        path = write_profile(folder, name=name)
        with Server("--no-open", path) as server:
            assert server.page.startswith(VIEWER + "/from-url/http%3A%2F%2F127.0.0.1%3A"), server.page
            assert server.profile == server.symbols + "/" + name
            status, headers, body = server.ask("GET", hidden(server.profile), Origin=VIEWER)
            assert (status, headers["content-type"]) == (200, kind), (status, headers)
            assert headers["access-control-allow-origin"] == VIEWER and "content-encoding" not in headers
            with open(path, "rb") as file:
                assert body == file.read()
            # It stays what was opened.
            os.rename(path, path + ".old")
            write_profile(folder, name=name, libraries=[{"name": "other"}])
            assert server.ask("GET", hidden(server.profile))[2] == body
    # But not what has been cut off it.
    server = Server("--no-open", "-q", path)
    os.truncate(path, 5)
    status, headers, body = server.ask("GET", hidden(server.profile), Origin=VIEWER)
    assert status == 500 and headers["access-control-allow-origin"] == VIEWER and b"has been cut" in body, (status, body)
    assert "has been cut" in server.stop()


def case_symbols(folder):
    library, start, _ = program(folder)
    with Server("--no-open", write_profile(folder, [library])) as server:
        key = [library["debugName"], library["breakpadId"]]
        jobs = [{"memoryMap": [key], "stacks": [[[0, start + 4], [0, 1 << 40]]]}, {"memoryMap": [["x", "1"]], "stacks": [[]]}]
        results = server.call("/symbolicate/v5", {"jobs": jobs})["results"]
        assert results[0]["found_modules"] == {"/".join(key): True}, results
        assert results[1]["found_modules"] == {"x/1": False}, results
        known, unknown = results[0]["stacks"][0]
        assert known["function"] == "Spin" and known["function_offset"] == "0x4" and known["line"] == 1, known
        assert known["file"] == os.path.join(folder, "spin.c"), known
        assert set(unknown) == {"frame", "module", "module_offset"}, unknown
        library["codeId"] = library["codeId"][::-1]
    # Another file under the same path: no symbols, and a line that says so.
    server = Server("--no-open", write_profile(folder, [library]))
    results = server.call("/symbolicate/v5", {"jobs": jobs})["results"]
    assert results[0]["found_modules"] == {"/".join(key): False}, results
    assert library["path"] in server.stop()


def case_symbol_folder(folder):
    """A program that is not here any more, or is another one by now, comes from the folder that is named."""
    library, start, size = program(folder)
    kept = os.path.join(folder, "kept")
    os.mkdir(kept)
    os.rename(library["path"], os.path.join(kept, "spin"))
    profile = write_profile(folder, [library])
    key = [library["debugName"], library["breakpadId"]]
    asked = {"memoryMap": [key], "stacks": [[[0, start]]]}
    code = {"debugName": "spin", "debugId": library["breakpadId"], "startAddress": hex(start), "size": hex(size)}
    for other in (None, "/bin/true"):
        if other:
            shutil.copy(other, library["path"])
        with Server("--no-open", profile) as server:
            result = server.call("/symbolicate/v5", asked)["results"][0]
            assert result["found_modules"] == {"/".join(key): False} and "function" not in result["stacks"][0][0], result
            assert "error" in server.call("/asm/v1", code)
        with Server("--no-open", "--symbol-dir", kept, profile) as server:
            result = server.call("/symbolicate/v5", asked)["results"][0]
            assert result["found_modules"] == {"/".join(key): True} and result["stacks"][0][0]["function"] == "Spin", result
            assert server.call("/asm/v1", code)["instructions"][-1][1] == "ret"


def case_source(folder):
    library, start, _ = program(folder)
    with open(os.path.join(folder, "secret.c"), "w", encoding="utf-8") as file:
        file.write("secret")
    with Server("--no-open", write_profile(folder, [library])) as server:
        request = {"debugName": "spin", "debugId": library["breakpadId"], "moduleOffset": hex(start)}
        named = os.path.join(folder, "spin.c")
        assert server.call("/source/v1", {**request, "file": named}) == {"source": SOURCE}
        for file in (os.path.join(folder, "secret.c"), "/etc/passwd", named + "/../secret.c", folder + "/./spin.c",
                     "spin.c", "../../../../etc/passwd", "/proc/self/environ", ""):
            status, _, body = server.ask("POST", server.token + "/source/v1", json.dumps({**request, "file": file}))
            assert status in (200, 400) and set(json.loads(body)) == {"error"}, (file, body)
        os.remove(named)
        assert "error" in server.call("/source/v1", {**request, "file": named})


def case_assembly(folder):
    library, start, size = program(folder)
    with Server("--no-open", write_profile(folder, [library])) as server:
        request = {"debugName": "spin", "debugId": library["breakpadId"], "name": "spin", "codeId": library["codeId"],
                   "startAddress": hex(start), "size": hex(size), "continueUntilFunctionEnd": False}
        answer = server.call("/asm/v1", request)
        assert int(answer["startAddress"], 16) == start and answer["instructions"][0][0] == 0, answer
        assert answer["instructions"][-1][1] == "ret", answer
        whole = server.call("/asm/v1", {**request, "size": "0x1", "continueUntilFunctionEnd": True})
        assert whole["instructions"] == answer["instructions"], whole
        # A call tells where it goes.
        caller = {**request, "startAddress": hex(start + size), "size": "0x40"}
        assert any(row[1].endswith("; Spin") for row in server.call("/asm/v1", caller)["instructions"])
        assert "error" in server.call("/asm/v1", {**request, "debugId": "0"})


def case_strangers(folder):
    with Server("--no-open", write_profile(folder)) as server:
        path = hidden(server.profile)
        assert re.fullmatch("/[0-9a-f]{48}", server.token)
        for wrong in ("/", "/profile.json.gz", "/" + "0" * 48 + "/profile.json.gz", path[:-1], server.token,
                      server.token + "/../" + path, path.upper()):
            assert server.ask("GET", wrong)[0] == 404, wrong
        for origin in ("https://evil.example", "null", "http://127.0.0.1:%d" % server.port):
            status, headers, body = server.ask("GET", path, Origin=origin)
            assert status == 403 and "access-control-allow-origin" not in headers and b"meta" not in body
        for host in ("evil.example:%d" % server.port, "127.0.0.1", "127.0.0.1:1"):
            assert server.ask("GET", path, Host=host)[0] == 403, host
        status, headers, _ = server.ask("OPTIONS", server.token + "/symbolicate/v5", Origin=VIEWER,
                                        Access_Control_Request_Method="POST", Access_Control_Request_Headers="user-agent",
                                        Access_Control_Request_Private_Network="true")
        assert status == 204 and headers["access-control-allow-headers"] == "user-agent", headers
        assert headers["access-control-allow-private-network"] == "true"
        for method in ("PUT", "DELETE", "PATCH"):
            assert server.ask(method, path)[0] == 405
        with socket.socket() as outside:  # loopback alone
            outside.settimeout(2)
            name = subprocess.run(["hostname", "-I"], check=False, stdout=subprocess.PIPE, text=True).stdout.split()
            assert not name or outside.connect_ex((name[0], server.port)) != 0


def case_front_end(folder):
    dist = os.path.join(folder, "dist")
    os.makedirs(dist)
    for name, text in (("index.html", "the page"), ("a.js", "code"), ("../secret", "secret")):
        with open(os.path.join(dist, name), "w", encoding="utf-8") as file:
            file.write(text)
    os.symlink("../secret", os.path.join(dist, "link.js"))
    with Server("--no-open", "--front-end", dist, write_profile(folder)) as server:
        own = "http://127.0.0.1:%d" % server.port
        assert server.page.startswith(own + "/from-url/"), server.page
        assert server.ask("GET", server.page[len(own):])[2] == b"the page"
        assert server.ask("GET", "/a.js")[2] == b"code"
        for path in ("/../secret", "/%2e%2e/secret", "/..%2fsecret", "/link.js", "/b.js", "/a.js%00"):
            assert server.ask("GET", path)[0] == 404, path
        status, headers, _ = server.ask("GET", hidden(server.profile), Origin=own)
        assert status == 200 and headers["access-control-allow-origin"] == own
        assert server.ask("GET", hidden(server.profile), Origin=VIEWER)[0] == 403


def case_ports(folder):
    path = write_profile(folder)
    with Server("--no-open", path) as first, Server("--no-open", path) as second:
        assert first.port != second.port
        done = subprocess.run([GECKOPROF, "view", "--no-open", "--port", str(first.port), path], check=False, timeout=30,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and done.stdout == "", done
        assert done.stderr == f"geckoprof view: port {first.port} is in use\n", done.stderr
    # An address that nobody can be told is of no use.
    with open("/dev/full", "wb") as full:
        done = subprocess.run([GECKOPROF, "view", "--no-open", path], check=False, timeout=30, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1, done
    assert done.stderr == "geckoprof view: cannot write the address: No space left on device\n", done.stderr
    # Free again at once.
    with Server("--no-open", "--port", str(first.port), path) as third:
        assert third.port == first.port


def case_bodies(folder):
    with Server("--no-open", write_profile(folder)) as server:
        call = server.token + "/symbolicate/v5"
        for body in ("", "{", "[]", "3", "[" * 100000, '{"jobs":3}', '{"jobs":[{}]}', "\x00", '{"a":"\\ud800"}',
                     '{"jobs":[{"memoryMap":[["a","b"]],"stacks":[[[7,1]]]}]}'):
            status, _, answer = server.ask("POST", call, body)
            assert status == 400 and "error" in json.loads(answer), (body[:50], status, answer)
        for options in ({}, {"encode_chunked": True}):
            connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
            try:
                pieces = (b"x" * 65536 for _ in range(200))
                headers = {"Transfer-Encoding": "chunked"} if options else {"Content-Length": str(200 * 65536)}
                connection.request("POST", call, body=pieces, headers=headers, **options)
                assert connection.getresponse().status >= 400
            except (BrokenPipeError, ConnectionResetError, http.client.RemoteDisconnected):
                pass
        # Clients that say nothing do not keep others out, nor the server from its end.
        idle = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(8)]
        assert server.ask("GET", hidden(server.profile))[0] == 200
        for connection in idle:
            connection.close()


def case_ranges(folder):
    """Who asks for a part gets the whole, and nothing of the server's memory."""
    with Server("--no-open", write_profile(folder)) as server:
        asked = [("GET", hidden(server.profile), None, {}), ("GET", "/x", None, {}),
                 ("GET", hidden(server.profile), None, {"Origin": "https://evil.example"}),
                 ("POST", server.token + "/symbolicate/v5", '{"jobs":[{"memoryMap":[],"stacks":[[]]}]}', {}),
                 ("POST", "/x", "{}", {}), ("PUT", "/x", "{}", {})]
        for method, path, body, headers in asked:
            whole = server.ask(method, path, body, **headers)
            for part in ("0-9", "1000-3000", "20-90000000", "99999-", "-7", "0-3,5-9", "0-0,4000-9000", "0-"):
                assert server.ask(method, path, body, Range="bytes=" + part, **headers) == whole, (method, path, part)
        for part in ("5-2", "0-0,99999999999999999999-", "x", "0-" + ",-" * 4000):
            status, _, answer = server.ask("GET", "/x", Range="bytes=" + part)
            assert status == 404 and len(answer) < 100 or status == 416 and not answer, (part[:30], status, answer)
        for method in ("GET", "HEAD"):
            whole = server.ask(method, hidden(server.profile), Origin=VIEWER)
            assert whole[0] == 200 and "accept-ranges" not in whole[1], whole
            for header in ("garbage", "bytes=5-2"):
                assert server.ask(method, hidden(server.profile), Range=header, Origin=VIEWER) == whole, (method, header)


def command_lines():
    """What other users can read of all processes."""
    texts = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                texts.append(file.read().decode(errors="replace"))
        except OSError:
            pass
    return "\n".join(texts)


def case_browser(folder):
    path, asked = write_profile(folder), os.path.join(folder, "asked")
    browser = os.path.join(folder, "browser")
    for body, complains in ((f'cp "$1" {asked}.new; echo "$1" >>{asked}.new; mv {asked}.new {asked}', False), ("exit 3", True)):
        with open(browser, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + body + "\n")
        os.chmod(browser, 0o755)
        server = Server(path, environment={**os.environ, "BROWSER": browser})
        for _ in range(100):
            time.sleep(0.1)
            if complains or os.path.exists(asked):
                break
        if not complains:
            with open(asked, encoding="utf-8") as file:
                page, opened = file.read().split("\n")[1:3]
            assert html.unescape(page.split("url=")[1].split('">')[0]) == server.page, page
            assert stat.S_IMODE(os.stat(opened).st_mode) == 0o600
            token = server.profile.split("/")[3]
            assert len(token) == 48 and token not in command_lines()
        assert server.ask("GET", hidden(server.profile))[0] == 200
        time.sleep(1)
        assert ("could not be started" in server.stop()) == complains
        assert complains or not os.path.exists(os.path.dirname(opened))
    without = {key: value for key, value in os.environ.items() if key not in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY")}
    server = Server(path, environment=without)
    assert server.ask("GET", hidden(server.profile))[0] == 200
    assert "no display" in server.stop()


def case_signals(folder):
    path = write_profile(folder)
    before = sorted(os.listdir(folder))
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        server = Server("--no-open", "-q", path, end=number)
        idle = socket.create_connection(("127.0.0.1", server.port))
        assert server.stop() == ""
        idle.close()
    assert sorted(os.listdir(folder)) == before
    # At once, before it serves: by the signal itself, or cleanly.
    for step in range(6):
        process = subprocess.Popen([GECKOPROF, "view", "--no-open", "-q", path], stdout=subprocess.DEVNULL)
        time.sleep(0.01 * step)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) in (0, -signal.SIGINT)


def case_bad_input(folder):
    for name, content in (("empty", b""), ("text", b"nonsense"), ("cut", gzip.compress(b'{"meta":{}}')[:10]),
                          ("other", b'{"a":1}'), ("deep", b"[" * 1000000)):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content)
        done = subprocess.run([GECKOPROF, "view", "--no-open", path], check=False, timeout=30, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        assert done.returncode == 1 and done.stdout == "" and done.stderr.count("\n") == 1, (name, done)
    done = subprocess.run([GECKOPROF, "view", "--no-open", "-"], check=False, timeout=30, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    assert done.returncode == 1 and done.stdout == "" and "needs a file" in done.stderr, done
    # Hostile libraries: nothing but an answer.
    libraries = [{"debugName": "a", "breakpadId": "1", "path": path} for path in ("/dev/zero", "/etc/passwd", "../x")][:1]
    libraries += [{"debugName": "b\x1b[31m", "breakpadId": "2", "path": "/x\x1b]0;y\x07"}]
    server = Server("--no-open", write_profile(folder, libraries))
    maps = [[library["debugName"], library["breakpadId"]] for library in libraries]
    answer = server.call("/symbolicate/v5", {"memoryMap": maps, "stacks": [[[0, 1], [1, 1]]]})
    assert not any(answer["results"][0]["found_modules"].values()), answer
    assert "\x1b" not in server.stop()


def case_broken(folder):
    """Served, since the viewer may show what it can, but not without a word."""
    path = os.path.join(folder, "broken.json")
    table = {"schema": {"prefix": 0, "frame": 1}, "data": [[7, 0]]}
    frames = {"schema": {"location": 0}, "data": [[0]]}
    thread = {"name": "GeckoMain", "tid": 1, "pid": 1, "registerTime": 0, "unregisterTime": None, "stringTable": ["f"],
              "stackTable": table, "frameTable": frames, "samples": {"schema": {"stack": 0, "time": 1}, "data": [[0, 1]]},
              "markers": {"schema": {"name": 0, "startTime": 1, "endTime": 2, "phase": 3, "category": 4, "data": 5}, "data": []}}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"meta": {"version": 34, "startTime": 0, "interval": 1, "categories": []}, "libs": [], "threads": [thread],
                   "processes": []}, file)
    server = Server("--no-open", path)
    assert server.ask("GET", hidden(server.profile))[0] == 200
    errors = server.stop()
    assert "warning" in errors and "stackTable.data[0]" in errors and "the viewer may fail" in errors, errors
    server = Server("--no-open", "-q", path)
    assert server.stop() == "", "-q is no quiet"


def libraries_of(program_path):
    """What the loader would load for it."""
    return subprocess.run([program_path], check=True, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "LD_TRACE_LOADED_OBJECTS": "1"}).stdout


def case_own_program(folder):
    """Only view pays for the libraries of a server and of a disassembler, and asks for its own program if that is gone."""
    heavy = re.compile("httplib|libssl|libcrypto|libbrotli|libcapstone|libdebuginfod|libcurl")
    assert not heavy.search(libraries_of(GECKOPROF)), libraries_of(GECKOPROF)
    own = os.path.join(os.path.dirname(GECKOPROF), "../libexec/geckoprof/geckoprof-view")
    assert heavy.search(libraries_of(own)), libraries_of(own)
    path = write_profile(folder)
    alone = os.path.join(folder, "geckoprof")
    shutil.copy(GECKOPROF, alone)
    done = subprocess.run([alone, "view", "--no-open", path], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stdout == "", done
    assert done.stderr.count("\n") == 1 and "geckoprof-view cannot be started" in done.stderr, done
    # Through a link, from anywhere; help and wrong use as of any command.
    link = os.path.join(folder, "link")
    os.symlink(GECKOPROF, link)
    done = subprocess.run([link, "view", "--help"], check=True, cwd="/", stdout=subprocess.PIPE, text=True)
    assert "geckoprof view" in done.stdout, done
    done = subprocess.run([link, "view", "--bogus"], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.startswith("geckoprof view:"), done


def main():
    if not shutil.which("gcc"):
        print("skipped: no gcc")
        sys.exit(77)
    os.makedirs(sys.argv[3], exist_ok=True)
    with tempfile.TemporaryDirectory(dir=sys.argv[3]) as folder:
        globals()["case_" + sys.argv[1]](folder)


main()
