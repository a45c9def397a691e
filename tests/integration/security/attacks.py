"""attacks.py CASE GECKOPROF LIBRARY: another user makes and removes something at a name, as fast as she can, while root writes a profile there.

    convert_link, convert_fifo      -o of a command
    shutdown_link, shutdown_fifo    GECKOPROF_SHUTDOWN of a preloaded program

The name is in a sticky folder. Her link leads to a file of root's; her FIFO has a reader.
Exit status 0: the file is as it was, she has read nothing, and some profiles were written. 77: there is no other user to be had."""
import contextlib
import os
import pathlib
import subprocess
import sys
import tempfile

OTHER_USER = 65534
ROUNDS = 60  # or more, until a profile is written
MOST_ROUNDS = 600
SECRET = "the text that was there before"


def attack_for_ever(kind, name, precious, stolen):
    """In a process of the other user."""
    os.setgroups([])
    os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
    os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
    while True:
        with contextlib.suppress(OSError):
            if kind == "link":
                os.symlink(precious, name)
            else:
                os.mkfifo(name)
                reader = os.open(name, os.O_RDONLY | os.O_NONBLOCK)
        with contextlib.suppress(OSError):  # a file of root's stays
            os.unlink(name)
        if kind == "fifo":
            with contextlib.suppress(OSError, NameError):
                if os.read(reader, 1):
                    stolen.touch()
            with contextlib.suppress(OSError, NameError):
                os.close(reader)


def main():
    case, geckoprof, library = sys.argv[1:]
    if os.geteuid() != 0:
        print("only root can become another user")
        sys.exit(77)
    how, kind = case.split("_")
    with tempfile.TemporaryDirectory() as work:
        folder = pathlib.Path(work)
        folder.chmod(0o755)
        shared, session, precious, profile = folder / "shared", folder / "session", folder / "precious", folder / "in.json"
        shared.mkdir()
        shared.chmod(0o1777)
        session.mkdir(mode=0o700)
        precious.write_text(SECRET)
        precious.chmod(0o600)
        name, stolen = shared / "out.json", shared / "stolen"
        subprocess.run([geckoprof, "record", "-q", "-o", profile, "--", "sh", "-c", "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done"], check=True)
        attacker = os.fork()
        if attacker == 0:
            attack_for_ever(kind, name, precious, stolen)
        rounds = written = 0
        try:
            while rounds < ROUNDS or (written == 0 and rounds < MOST_ROUNDS):
                rounds += 1
                if how == "convert":
                    subprocess.run([geckoprof, "convert", "--to", "folded", "-o", name, profile], capture_output=True, check=False)
                else:
                    subprocess.run(["true"], env={"LD_PRELOAD": library, "GECKOPROF_STARTUP": "1", "GECKOPROF_SHUTDOWN": str(name), "GECKOPROF_COMMAND": geckoprof,
                                                  "GECKOPROF_SESSION_DIR": str(session), "PATH": os.environ["PATH"]}, capture_output=True, check=False)
                if precious.read_text() != SECRET:
                    sys.exit(f"a file of root's was written: {precious.read_text()[:200]!r}")
                if stolen.exists():
                    sys.exit("the other user has read the profile")
                with contextlib.suppress(OSError):
                    written += name.lstat().st_uid == 0
                with contextlib.suppress(OSError):
                    name.unlink()
        finally:
            os.kill(attacker, 9)
            os.waitpid(attacker, 0)
    print(f"{written} of {rounds} profiles were written")
    sys.exit(written == 0)


main()
