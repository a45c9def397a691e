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


def git(*arguments):
    """What git says, or "" if it fails or there is none."""
    try:
        return subprocess.run(["git", "-C", ROOT, *arguments], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL).stdout.decode(errors="replace")
    except (OSError, subprocess.CalledProcessError):
        return ""


def base_commit():
    """The commit that this work began from: $GECKOPROF_LINT_BASE, else where the branch left its upstream, else the one before. "" if unknown."""
    head = git("rev-parse", "HEAD").strip()
    given = os.environ.get("GECKOPROF_LINT_BASE", "")
    left = git("merge-base", "HEAD", given or "@{upstream}").strip()
    return left if left and left != head else git("rev-parse", "--verify", "-q", "HEAD^").strip()


def changed_since(commit):
    """{path: its path in a commit} of the files that differ from it, or that it does not have. A file that moved has another path there."""
    then = {path: path for path in git("ls-files", "-z", "-o", "--exclude-standard").split("\0")}
    status = git("diff", "--name-status", "--find-renames", "-z", commit).split("\0")
    while len(status) > 1:
        moved = status.pop(0).startswith("R")
        before = status.pop(0)
        then[status.pop(0) if moved else before] = before
    return {path: then[path] for path in sorted(then) if path and os.path.isfile(os.path.join(ROOT, path))}


def read_at(commit, path):
    return git("show", f"{commit}:{path}")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def build_folder():
    return os.path.join(ROOT, os.environ.get("GECKOPROF_BUILD_DIR", "build/release"))


class Report:
    """Reads the command line of one lint, collects its faults, prints them, and ends with the exit status."""

    def __init__(self, lint):
        self.lint = lint
        self.faults = []

    def arguments(self, *options, files=False):
        """The command line. The status is 2 if it has more than these options and, where the lint takes files, files that exist."""
        for argument in sys.argv[1:]:
            if argument not in options and not (files and os.path.isfile(argument)):
                print(f"{self.lint}: there is no option{' or file' if files else ''} '{argument}'", file=sys.stderr)
                sys.exit(2)
        return sys.argv[1:]

    def needs_git(self):
        """Says why git cannot read this tree, and ends with status 77, where that is so."""
        try:
            subprocess.run(["git", "-C", ROOT, "rev-parse", "--git-dir"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            return
        except OSError:
            reason = "there is no git"
        except subprocess.CalledProcessError as error:
            reason = error.stderr.decode(errors="replace").partition("\n")[0]
        print(f"{self.lint}: skipped, for git does not read this tree: {reason}")
        sys.exit(77)

    def fault(self, text):
        self.faults.append(text)

    def finish(self):
        for text in self.faults:
            print(f"{self.lint}: {text}")
        sys.exit(1 if self.faults else 0)
