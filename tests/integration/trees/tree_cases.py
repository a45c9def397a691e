#!/usr/bin/env python3
"""tree_cases.py CASE GECKOPROF: a tree of processes under `geckoprof record`. Exit status 77: the machine cannot show it.

The tree prints the same and ends in the same way as without us, and the profile has all of its processes."""

import os
import pwd
import re
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import recorded_tree  # noqa: E402
from recorded_tree import PYTHON, SPIN, Skipped, need, need_root, record, record_like_bare, wait_for  # noqa: E402

NOBODY = 65534


# --- programs that start others ---

def shells(folder):
    """Sub-shells, pipelines, substitutions, jobs, exec, and children that a signal ends."""
    script = f"""({SPIN}; exit 3); echo $?
seq 100000 | sort -rn | head -n 1
echo "$(echo inner; bash -c '{SPIN}; exit 4'; echo $?)"
for i in 1 2 3; do bash -c "{SPIN.replace('$', chr(92) + '$')}; exit $i" & done; wait; echo $?
bash -c '{SPIN}; sleep 0.6; kill -TERM $$'; echo $?
exec sh -c '{SPIN}; exit 5'"""
    tree = record_like_bare(folder, ["bash", "-c", script])
    tree.check(unknown_ends=True)  # of those that a signal ends at once
    assert tree.run.returncode == 5 and len(tree.program.commands) == 2, tree.program
    for text in ("seq 100000", "sort -rn", "head -n 1"):
        found = [process for process in tree if process.commands[-1] == text]
        assert len(found) == 1, (text, list(tree))
    ends = {process.end for process in tree}
    assert {f"exit status {status}" for status in (0, 1, 2, 3, 4, 5)} <= ends, ends
    assert "Terminated" in ends or not recorded_tree.kernel_tells_ends(), ends
    busy = [process for process in tree if process.commands[-1].startswith("bash -c i=0")]
    assert len(busy) == 5 and all(process.samples > 0 for process in busy), busy


def make(folder):
    """`make -j2` of eight files: make, shells, compilers and what these run."""
    need("make", "gcc")
    for number in range(8):
        with open(f"{folder}/part{number}.c", "w", encoding="ascii") as file:
            file.writelines(f"int f{number}_{i}(int a) {{ int s = 0; for (int j = 0; j < a; ++j) s += j * {i}; return s; }}\n"
                            for i in range(200))
    with open(f"{folder}/Makefile", "w", encoding="ascii") as file:
        objects = " ".join(f"part{number}.o" for number in range(8))
        file.write(f"library.a: {objects}\n\t$(AR) rc $@ $^\n%.o: %.c\n\t$(CC) -O2 -c $< -o $@\n")
    environment = {**os.environ, "CCACHE_DISABLE": "1"}
    command = ["make", "-s", "-B", "-j2", "-C", folder]
    tree = record_like_bare(folder, command, env=environment)
    tree.check()
    assert tree.run.returncode == 0, tree.run
    for number in range(8):
        compilers = [process for process in tree.with_command(f"part{number}.c") if any("cc1" in name for name in process.names)]
        assert len(compilers) == 1 and compilers[0].end == "exit status 0" and compilers[0].samples > 0, compilers
    assert tree.with_command("rc library.a"), list(tree)


def multiprocessing(folder, method):
    code = f"""import multiprocessing, os
def work(number):
    sum(i * i for i in range(600000))
    return number * number
if __name__ == '__main__':
    multiprocessing.set_start_method({method!r})
    with multiprocessing.Pool(3) as pool:
        print(sum(pool.map(work, range(12), chunksize=1)))
    child = multiprocessing.Process(target=os._exit, args=(7,))
    child.start()
    child.join()
    print(child.exitcode)
"""
    program = os.path.join(folder, "pool.py")
    with open(program, "w", encoding="ascii") as file:
        file.write(code)
    tree = record_like_bare(folder, [PYTHON, program])
    # Pool ends its workers by SIGTERM. The servers end when they notice that the program has ended.
    tree.check(unknown_ends=not recorded_tree.kernel_tells_ends(), may_go_on=True)
    assert any(process.end == "exit status 7" for process in tree), list(tree)
    servers = [process for process in tree.children_of(tree.program) if any("multiprocessing.forkserver" in command for command in process.commands)]
    assert len(servers) == (1 if method == "forkserver" else 0), list(tree)
    workers = tree.children_of(servers[0] if servers else tree.program)
    assert sum(process.samples > 20 for process in workers) >= 2, list(tree)


def multiprocessing_fork(folder):
    multiprocessing(folder, "fork")


def multiprocessing_spawn(folder):
    multiprocessing(folder, "spawn")


def multiprocessing_forkserver(folder):
    multiprocessing(folder, "forkserver")


def many_children(folder):
    """Thousands of children a minute, by fork and exec."""
    count = 1000
    tree = record_like_bare(folder, ["sh", "-c", f"i=0; while [ $i -lt {count} ]; do /bin/true $i; i=$((i+1)); done; exit 6"])
    tree.check()
    children = tree.children_of(tree.program)
    assert len(children) == count, len(children)
    commands = {process.commands[-1] for process in children}
    assert commands == {f"/bin/true {i}" for i in range(count)}, len(commands)
    assert {process.end for process in children} == {"exit status 0"}, {process.end for process in children}


def daemon(folder):
    """A process that outlives the recorder is shown as it is then, and goes on."""
    code = f"""import os, sys, time
if os.fork(): os._exit(0)
os.setsid()
pid = os.fork()
if pid:
    print(pid, flush=True)
    os._exit(0)
end = time.monotonic() + 0.3
while time.monotonic() < end: sum(range(1000))
open({folder + '/worked'!r}, 'w')
devnull = os.open(os.devnull, os.O_RDWR)
for number in (0, 1, 2): os.dup2(devnull, number)
while True: time.sleep(0.01)
"""
    tree = record(folder, ["sh", "-c", f"{PYTHON} -c \"$1\"; while [ ! -e worked ]; do sleep 0.02; done; exit 2", "sh", code], cwd=folder)
    pid = int(tree.run.stdout)
    try:
        assert os.path.exists(f"/proc/{pid}") and tree.run.returncode == 2, tree.run
        found = [process for process in tree if process.pid == pid]
        assert len(found) == 1 and found[0].end is None and found[0].end_ms is None and found[0].samples > 50, found
        assert "goes on, and is not recorded any more" in tree.notes(), tree.notes()
        assert not [fault for fault in tree.faults() if "no parent" in fault], tree.faults()
    finally:
        os.kill(pid, signal.SIGKILL)


# --- servers and other large programs ---

def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def answers(port):
    with socket.socket() as connection:
        return connection.connect_ex(("127.0.0.1", port)) == 0


def request(port):
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        answer = b""
        while data := connection.recv(65536):
            answer += data
    return answer


def record_server(folder, command, use, stop=signal.SIGTERM, user=None):
    """Records a server until `use` has returned and the signal has ended it."""
    path = os.path.join(folder, "profile.json.gz")
    as_user = [] if user is None else ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", "--reset-env"]
    begin_s = time.monotonic()
    recorder = subprocess.Popen([*as_user, recorded_tree.GECKOPROF, "record", "-o", path, "--", *command], stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)  # Apache kills its group
    try:
        use()
        with open(f"/proc/{recorder.pid}/task/{recorder.pid}/children", encoding="ascii") as file:
            children = [int(word) for word in file.read().split()]
        servers = [pid for pid in children if os.readlink(f"/proc/{pid}/exe") != os.readlink(f"/proc/{recorder.pid}/exe")]
        assert len(servers) == 1, children
        os.kill(servers[0], stop)
        output, error = recorder.communicate(timeout=recorded_tree.LONGEST_S)
    except BaseException:
        recorder.kill()
        print(recorder.communicate()[1].decode(errors="replace"), file=sys.stderr)
        raise
    run = subprocess.CompletedProcess(command, recorder.returncode, output, error)
    return recorded_tree.read(path, run, begin_s, time.monotonic())


def postgres(folder):
    """The postmaster, its helpers, a back end for each connection, and parallel workers."""
    programs = recorded_tree.newest("/usr/lib/postgresql/*/bin/pgbench", "PostgreSQL with pgbench")
    user = None
    if os.geteuid() == 0:
        user = "postgres" if "postgres" in [entry.pw_name for entry in pwd.getpwall()] else "nobody"
        shutil.chown(folder, user)
    programs = os.path.dirname(programs)

    def as_user(command):
        words = command if user is None else ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", *command]
        done = recorded_tree.run(words)
        assert done.returncode == 0, done
        return done.stdout.decode()

    as_user([f"{programs}/initdb", "-D", f"{folder}/data", "--auth=trust", "--no-sync"])
    address = ["-h", folder, "-p", "54329"]
    name = user or pwd.getpwuid(os.geteuid()).pw_name

    def use():
        wait_for(lambda: recorded_tree.run([f"{programs}/pg_isready", *address]).returncode == 0, "PostgreSQL does not answer")
        as_user([f"{programs}/pgbench", *address, "-U", name, "-i", "-q", "-s", "2", "postgres"])
        as_user([f"{programs}/pgbench", *address, "-U", name, "-S", "-n", "-c", "4", "-T", "2", "postgres"])
        counted = as_user([f"{programs}/psql", *address, "-U", name, "-Atc",
                           "set min_parallel_table_scan_size = 0; set parallel_setup_cost = 0; set parallel_tuple_cost = 0; "
                           "select count(*) from pgbench_accounts where bid % 7 <> 9", "postgres"])
        assert counted.split()[-1] == "200000", counted

    tree = record_server(folder, [f"{programs}/postgres", "-D", f"{folder}/data", "-k", folder, "-p", "54329",
                                  "-c", "listen_addresses=", "-c", "fsync=off"], use, signal.SIGINT, user)
    assert tree.run.returncode == 0, tree.run
    tree.check()
    assert all(process.parent == tree.program.key for process in tree if process is not tree.program), list(tree)
    busy = [process for process in tree if process is not tree.program and process.samples > 20]
    assert len(busy) >= 4, list(tree)


def nginx(folder):
    """The master changes its user in its workers, and replaces them on SIGHUP."""
    need("nginx")
    port = free_port()
    os.chmod(folder, 0o755)
    with open(f"{folder}/index.html", "w", encoding="ascii") as file:
        file.write("geckoprof " * 1000)
    paths = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w", encoding="ascii") as file:
        file.write(f"worker_processes 2; pid {folder}/pid; error_log {folder}/error.log; daemon off; events {{}}\n"
                   f"http {{ gzip on; gzip_types *; gzip_http_version 1.0; access_log off; {paths}\n"
                   f"server {{ listen 127.0.0.1:{port}; root {folder}; }} }}\n")

    def use():
        wait_for(lambda: answers(port), "nginx does not answer")
        for _ in range(600):
            assert b"geckoprof" in request(port)
        with open(f"{folder}/pid", encoding="ascii") as file:
            os.kill(int(file.read()), signal.SIGHUP)
        time.sleep(0.5)
        assert b"geckoprof" in request(port)

    tree = record_server(folder, ["nginx", "-e", f"{folder}/error.log", "-c", f"{folder}/nginx.conf"], use, signal.SIGQUIT)
    assert tree.run.returncode == 0, tree.run
    tree.check()
    workers = tree.children_of(tree.program)
    assert len(workers) == 4 and {worker.end for worker in workers} == {"exit status 0"}, list(tree)
    assert sum(worker.samples for worker in workers) > 10, workers


def apache(folder):
    """Apache's prefork processes change their user."""
    need("apache2")
    modules = "/usr/lib/apache2/modules"
    port = free_port()
    os.chmod(folder, 0o755)
    os.mkdir(f"{folder}/documents")
    with open(f"{folder}/documents/index.html", "w", encoding="ascii") as file:
        file.write("geckoprof " * 10000)
    user = "User www-data\nGroup www-data\n" if os.geteuid() == 0 else ""
    with open(f"{folder}/httpd.conf", "w", encoding="ascii") as file:
        file.writelines(f"LoadModule {name}_module {modules}/mod_{name}.so\n" for name in ("mpm_prefork", "authz_core", "dir", "deflate", "filter"))
        file.write(f"ServerRoot {folder}\nServerName localhost\nListen 127.0.0.1:{port}\nPidFile {folder}/pid\nErrorLog {folder}/error.log\n"
                   f"DefaultRuntimeDir {folder}\nMutex sem\nStartServers 3\nMinSpareServers 3\n{user}DocumentRoot {folder}/documents\n"
                   f"SetOutputFilter DEFLATE\n<Directory {folder}/documents>\nRequire all granted\n</Directory>\n")

    def use():
        wait_for(lambda: answers(port), "Apache does not answer")
        for _ in range(300):
            assert b"200 OK" in request(port)

    tree = record_server(folder, ["apache2", "-f", f"{folder}/httpd.conf", "-DFOREGROUND"], use)
    tree.check(unknown_ends=not recorded_tree.kernel_tells_ends())
    workers = tree.children_of(tree.program)
    assert len(workers) >= 3, list(tree)
    assert sum(worker.samples for worker in workers) > 3, workers


def chromium(folder):
    """Zygotes, sandboxes and processes of many threads."""
    need("chromium")
    with open(f"{folder}/page.html", "w", encoding="ascii") as file:
        file.write("<p id=p>no</p><script>let s = 0; for (let i = 0; i < 3e7; ++i) s += i % 7; document.getElementById('p').textContent = 'sum ' + s</script>")
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    command = ["chromium", "--headless", *sandbox, "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={folder}/data", "--dump-dom",
               f"file://{folder}/page.html"]
    tree = record(folder, command)
    assert tree.run.returncode == 0 and b"sum " in tree.run.stdout, tree.run
    # The parents of its daemons end at once, and then their parent is the first process.
    tree.check(unknown_ends=not recorded_tree.kernel_tells_ends(), foreign_parents=("1",))
    kinds = {kind for process in tree for command in process.commands for kind in re.findall(r"--type=([\w-]+)", command)}
    assert {"zygote", "renderer", "gpu-process", "utility"} <= kinds, kinds
    renderers = [process for process in tree.with_command("--type=renderer") if process.samples > 20]
    assert renderers, list(tree)


def java(folder):
    """A JVM starts its children by a helper program (jspawnhelper) or by vfork."""
    need("java")
    with open(f"{folder}/Parent.java", "w", encoding="ascii") as file:
        file.write("""public class Parent {
  public static void main(String[] words) throws Exception {
    for (int i = 1; i < 4; ++i) {
      Process child = new ProcessBuilder("sh", "-c", "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; exit " + i).inheritIO().start();
      System.out.println(child.waitFor());
    }
    long sum = 0;
    for (int i = 0; i < 300000000; ++i) sum += i % 7 * sum;
    System.out.println(sum);
  }
}
""")
    tree = record_like_bare(folder, ["java", f"{folder}/Parent.java"])
    assert tree.run.returncode == 0 and tree.run.stdout.startswith(b"1\n2\n3\n"), tree.run
    tree.check(unknown_ends=not recorded_tree.kernel_tells_ends())
    assert tree.program.samples > 100, tree.program
    for status in (1, 2, 3):
        children = [process for process in tree.with_command(f"exit {status}") if process.end == f"exit status {status}"]
        assert len(children) == 1 and children[0].samples > 0, list(tree)


# --- processes that leave their surroundings ---

def python_work(change):
    """Works, leaves its surroundings, works on, and starts a child."""
    return f"""import ctypes, os, time
libc = ctypes.CDLL(None, use_errno=True)
def work(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: sum(range(1000))
def changed(result):
    if result != 0: raise OSError(ctypes.get_errno(), 'refused')
work(0.1)
{change}
work(0.4)
child = os.fork()
if child == 0:
    work(0.2)
    os._exit(4)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def goes_on(folder, change, child_is_recorded=True):
    tree = record_like_bare(folder, [PYTHON, "-c", python_work(change)])
    assert tree.run.returncode == 0, tree.run
    assert tree.program.end == "exit status 0" and tree.program.samples > 250, list(tree)
    if child_is_recorded:
        children = tree.children_of(tree.program)
        assert len(children) == 1 and children[0].end == "exit status 4" and children[0].samples > 50, list(tree)
        tree.check()
    return tree


def shows_child(tree):
    """A child that cannot reach the session any more is shown with the reason."""
    children = tree.children_of(tree.program)
    assert len(children) == 1 and children[0].cpu_ms > 100 and children[0].samples == 0, (tree.notes(), list(tree))
    assert re.search(rf"process {children[0].pid} .*There are no samples", tree.notes()), tree.notes()
    tree.check(unknown_ends=not recorded_tree.kernel_tells_ends())


def changes_user(folder):
    need_root()
    change = f"os.setgroups([]); os.setresgid({NOBODY}, {NOBODY}, {NOBODY}); os.setresuid({NOBODY}, {NOBODY}, {NOBODY})"
    shows_child(goes_on(folder, change, child_is_recorded=False))


def changes_root(folder):
    need_root()
    os.mkdir(f"{folder}/root")
    shows_child(goes_on(folder, f"os.chroot({folder + '/root'!r}); os.chdir('/')", child_is_recorded=False))


def changes_namespaces(folder):
    """Mounts, network, host name and IPC."""
    need_root()
    goes_on(folder, "changed(libc.unshare(0x20000 | 0x40000000 | 0x4000000 | 0x8000000))")


def changes_user_namespace(folder):
    if recorded_tree.run(["unshare", "-U", "true"]).returncode != 0:
        raise Skipped("no user namespace to be had")
    goes_on(folder, "changed(libc.unshare(0x10000000))")


def children_in_pid_namespace(folder):
    """The process itself stays where it is. Its child is the first one of another namespace."""
    need_root()
    tree = goes_on(folder, "changed(libc.unshare(0x20000000))", child_is_recorded=False)
    assert [process for process in tree if process.pid == 1], list(tree)  # without samples, for want of its /proc


# --- programs that cannot be recorded ---

WORK = "import os, time\nend = time.process_time() + 0.5\nwhile time.process_time() < end: sum(range(1000))\ntime.sleep(0.3)\nraise SystemExit(7)"


def unrecorded(folder, command, reason):
    """A program that becomes another user's by exec is shown with its command, times, CPU time and end, and the reason."""
    tree = record_like_bare(folder, ["bash", "-c", f'"$@"; echo $?; {SPIN}; exit 3', "bash", *command])
    assert tree.run.returncode == 3 and tree.run.stdout == b"7\n", tree.run
    found = [process for process in tree.with_command("process_time") if process is not tree.program and process.cpu_ms > 350]
    assert len(found) == 1, list(tree)
    process = found[0]
    assert process.cpu_ms < 1000 and process.end_ms - process.start_ms > 600, (process, process.cpu_ms, process.start_ms, process.end_ms)
    assert process.end == ("exit status 7" if recorded_tree.kernel_tells_ends() else "ended"), process
    assert process.samples < 100, process
    assert re.search(rf"process {process.pid} \(.*\).*: There are no samples: .*{reason}", tree.notes()), tree.notes()
    assert re.search(reason, recorded_tree.geckoprof("report", tree.path)), recorded_tree.geckoprof("report", tree.path)
    tree.check(unknown_ends=True)
    return tree


def setpriv(folder):
    need_root()
    tree = unrecorded(folder, ["setpriv", f"--reuid={NOBODY}", "--clear-groups", PYTHON, "-c", WORK], "runs as user 65534")
    (process,) = tree.children_of(tree.program)
    assert process.exec_count >= 1, process  # setpriv is recorded


def su(folder):
    need_root()
    need("su")
    with open("/etc/passwd", encoding="utf-8") as file:
        if not any(line.startswith("nobody:") for line in file):
            raise Skipped("there is no user nobody")
    os.chmod(folder, 0o755)
    with open(f"{folder}/work.py", "w", encoding="ascii") as file:
        file.write(f"# process_time\n{WORK}\n")
    unrecorded(folder, ["su", "nobody", "-s", "/bin/sh", "-c", f"exec {PYTHON} {folder}/work.py process_time"], "runs as user 65534")


def sudo(folder):
    need_root()
    need("sudo")
    if recorded_tree.run(["sudo", "-n", "-u", "nobody", "true"]).returncode != 0:
        raise Skipped("sudo is not permitted")
    unrecorded(folder, ["sudo", "-n", "-u", "nobody", PYTHON, "-c", WORK], "runs as user 65534")


def without_variables(folder):
    unrecorded(folder, ["env", "-i", PYTHON, "-c", WORK], "was started without LD_PRELOAD")


if __name__ == "__main__":
    sys.exit(recorded_tree.main(globals(), sys.argv))
