"""damage_segments.py GECKOPROF FOLDER: overwrites bytes of a session's segments at random (always the same ones), and has each
result recovered and checked. Exit status 0: `check` liked every profile that was made."""
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile

ROUNDS = 24
MOST_BYTES = 32 << 20  # a raw profile has a row for each idle tick: of a damaged time there may be any number
geckoprof, folder = sys.argv[1], pathlib.Path(sys.argv[2])


def damaged(data, chance):
    """A few bytes of one or two of the pages that hold anything: header, directory, metadata, samples."""
    used = len(data.rstrip(b"\0"))
    pages = [at for at in range(0, used, 4096) if data[at : at + 4096].strip(b"\0")]
    data = bytearray(data[: used + (64 << 10)])
    for _ in range(chance.choice((1, 2))):
        page = chance.choice(pages)
        length = len(data[page : page + 4096].rstrip(b"\0"))
        for _ in range(chance.choice((1, 5, 30))):
            data[page + chance.randrange(length)] = chance.randrange(256)
    data[:8] = b"GPROFSEG"
    return data


def limit_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (MOST_BYTES, MOST_BYTES))


def main():
    chance = random.Random(4711)
    made = 0
    for turn in range(ROUNDS):
        with tempfile.TemporaryDirectory() as work:
            session = pathlib.Path(work, "session")
            shutil.copytree(folder, session, ignore=shutil.ignore_patterns("lock*"))
            for segment in session.glob("*.segment"):
                segment.write_bytes(damaged(segment.read_bytes(), chance))
            for kind in ("processed", "gecko")[: 2 if turn % 4 == 0 else 1]:
                profile = pathlib.Path(work, kind + ".json")
                run = subprocess.run([geckoprof, "recover", session, "-q", "--format", kind, "-o", profile],
                                     preexec_fn=limit_files, capture_output=True, text=True, timeout=60, check=False)
                if kind == "gecko" and run.returncode == -signal.SIGXFSZ:
                    continue
                if run.returncode != 0 or not profile.exists():
                    if run.returncode != 1 or not run.stderr:
                        sys.exit(f"round {turn}: recover ended with {run.returncode}: {run.stderr}")
                    continue
                made += 1
                check = subprocess.run([geckoprof, "check", profile], capture_output=True, text=True, check=False)
                if check.returncode != 0:
                    sys.exit(f"round {turn}, {kind}: {check.stdout[:2000]}{check.stderr}")
    if made < ROUNDS:
        sys.exit(f"only {made} profiles were made")


main()
