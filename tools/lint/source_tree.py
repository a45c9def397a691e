"""The repository as the lints see it: files, exceptions, faults."""

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
    """Collects faults of one lint. A fault named in exceptions/LINT.txt is forgiven; an exception that forgives nothing is
    itself a fault, so that the list can only shrink."""

    def __init__(self, lint):
        self.lint = lint
        self.faults = []
        self.exceptions = {}
        self.list_path = f"tools/lint/exceptions/{lint}.txt"
        if os.path.exists(os.path.join(ROOT, self.list_path)):
            for line in read(self.list_path).splitlines():
                key = line.split("#")[0].strip()
                if key:
                    self.exceptions[key] = False

    def fault(self, key, text):
        """key: what exceptions/LINT.txt would name, usually the path (with ":function" where the lint says so)."""
        if key in self.exceptions:
            self.exceptions[key] = True
        else:
            self.faults.append(f"{text}")

    def finish(self):
        for key, used in self.exceptions.items():
            if not used:
                self.faults.append(f"{self.list_path}: '{key}' is no longer needed; remove it")
        for text in self.faults:
            print(f"{self.lint}: {text}")
        sys.exit(1 if self.faults else 0)
