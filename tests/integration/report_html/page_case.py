"""What the cases of pages have in common: how one is made, opened and run."""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile

import browser_pipe

GECKOPROF = sys.argv[2]


def run(*arguments, **options):
    return subprocess.run([GECKOPROF, *arguments], check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def made(done):
    """A run that was to make a page; skips the case where the build has none."""
    if done.returncode == 2 and "this geckoprof was built" in done.stderr:
        print(f"skipped: {done.stderr.strip()}")
        sys.exit(77)
    assert done.returncode == 0 and done.stderr == "", done
    return done


@contextlib.contextmanager
def opened(page_file, **options):
    """The page, shown; in the end it must have made no error and asked for nothing but itself."""
    address = f"file://{page_file}"
    with tempfile.TemporaryDirectory() as folder, browser_pipe.Browser(folder) as browser:
        page = browser.open(address, **options)
        page.wait("document.documentElement.dataset.ready || document.documentElement.dataset.failed")
        yield page
        page.evaluate("new Promise(done => requestAnimationFrame(() => setTimeout(done)))")
        assert page.errors == [], page.errors
        others = [url for url in page.requests if url != address and not url.startswith("data:")]
        assert others == [], others


def run_case(cases):
    """The command line: CASE GECKOPROF WORK_FOLDER; `cases`: functions by name."""
    case = sys.argv[1]
    os.makedirs(sys.argv[3], exist_ok=True)
    folder = os.path.join(sys.argv[3], case)
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        cases[f"case_{case}"](folder)
    except browser_pipe.Missing as missing:
        print(f"skipped: {missing}")
        sys.exit(77)
    shutil.rmtree(folder)
