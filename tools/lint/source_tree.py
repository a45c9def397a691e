"""The repository as the lints see it: files and faults."""

import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CODE_SUFFIXES = (".h", ".cc", ".c")


def files(suffixes=None, under=""):
    """Paths relative to the root, sorted: everything git tracks or would add; the whole tree where there is no git."""
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"], check=True,
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        listed = []
        for folder, folders, names in os.walk(ROOT):
            if folder == ROOT:
                folders[:] = [f for f in folders if f not in (".git", "build")]
            listed += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names]
    chosen = {path for path in listed if path and path.startswith(under) and os.path.isfile(os.path.join(ROOT, path))}
    if suffixes:
        chosen = {path for path in chosen if path.endswith(tuple(suffixes))}
    return sorted(chosen)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def build_folder():
    return os.path.join(ROOT, os.environ.get("GECKOPROF_BUILD_DIR", "build/release"))


class Report:
    """Collects the faults of one lint, prints them, and ends with the exit status."""

    def __init__(self, lint):
        self.lint = lint
        self.faults = []

    def fault(self, text):
        self.faults.append(text)

    def finish(self):
        for text in self.faults:
            print(f"{self.lint}: {text}")
        sys.exit(1 if self.faults else 0)
