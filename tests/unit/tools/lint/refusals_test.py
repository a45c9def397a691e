#!/usr/bin/env python3
"""The scripts of tools refuse wrong arguments, and trees that they cannot work in, in one line and before they install or build."""

import os
import shutil
import subprocess
import tempfile
import unittest

TOOLS = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4, "tools"))
INSTALLS = 9  # the status of a script that comes as far as its packages


class RefusalsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.root = self.make_tree("tree")

    def make_tree(self, name):
        root = os.path.join(self.folder, name)
        for part in ("lint", "benchmarks"):
            shutil.copytree(os.path.join(TOOLS, part), os.path.join(root, "tools", part))
        for script in ("bench", "build", "clang_tool", "quickstart", "test"):
            shutil.copy(os.path.join(TOOLS, script), os.path.join(root, "tools", script))
        self.write(os.path.join(root, "tools/packages.sh"), f"install_packages() {{ exit {INSTALLS}; }}\n")
        return root

    def write(self, path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def run_script(self, script, *arguments, folder=None, **environment):
        git = {"HOME": self.folder, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CEILING_DIRECTORIES": self.folder}
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "GECKOPROF_"))}
        return subprocess.run([os.path.join(self.root, "tools", script), *arguments], check=False, cwd=folder or self.root,
                              env={**kept, **git, **environment}, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def assert_refused(self, said, *command, status=2, **environment):
        run = self.run_script(*command, **environment)
        self.assertEqual((run.returncode, run.stdout, run.stderr.count("\n")), (status, "", 1), f"{command}: {run}")
        self.assertIn(said, run.stderr)

    def test_unknown_arguments(self):
        for lint in ("style", "layers", "prose", "commits", "lists", "format", "headers_compile", "tidy", "signal_symbols"):
            self.assert_refused(f"{lint}: there is no option", f"lint/{lint}", "--al")
            self.assert_refused(f"{lint}: there is no option", f"lint/{lint}", "nosuch.cc")
        self.assert_refused("'nosuch.cc'", "lint/format", "--fix", "nosuch.cc")
        self.assert_refused("'nosuch.cc'", "lint/tidy", "--most", "3", "nosuch.cc")
        for word in ("", "product", "--fast"):
            self.assert_refused(f"no option '{word}'", "quickstart", word)
        for word in ("", "measure.py", "--fast"):
            self.assert_refused(f"no benchmark '{word}'", "bench", word)
        self.assert_refused("no preset ''", "build", "")
        self.assert_refused("needs one NAME", "clang_tool")

    def test_wrong_numbers(self):
        for arguments in ((), ("0",), ("many",), ("-1",)):
            self.assert_refused("--most needs a number", "lint/tidy", "--most", *arguments)
        for jobs in ("abc", "0", "-2", "1.5"):
            self.assert_refused(f"not '{jobs}'", "build", "product", GECKOPROF_JOBS=jobs)
        self.assert_refused("build/bench is not there", "bench", "--table", status=1)

    def test_right_arguments(self):
        self.write(os.path.join(self.root, "a.cc"), "")
        for command in (("quickstart",), ("bench",), ("bench", "startup", "programs"), ("build",), ("lint/tidy", "--most", "20"),
                        ("lint/tidy", "--all"), ("lint/tidy", "a.cc")):
            self.assertEqual(self.run_script(*command, GECKOPROF_JOBS="2").returncode, INSTALLS, command)
        self.assertEqual(self.run_script("lint/prose", "--all").returncode, 0)

    def test_help_from_any_folder(self):
        for script in ("quickstart", "bench", "build", "test"):
            for folder in (self.root, self.folder):
                run = self.run_script(script, "--help", folder=folder)
                self.assertEqual((run.returncode, run.stderr), (0, ""))
                self.assertTrue(run.stdout.startswith(f"tools/{script}"), run.stdout)

    def test_lints_of_changes_need_git(self):
        def say(reason, **environment):
            for lint in ("commits", "prose"):
                run = self.run_script(f"lint/{lint}", **environment)
                self.assertEqual((run.returncode, run.stdout.count("\n"), run.stderr), (77, 1, ""))
                self.assertTrue(run.stdout.startswith(f"{lint}: skipped") and reason in run.stdout, run.stdout)

        say("not a git repository")
        git = ["git", "-C", self.root, "-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run([*git, "init", "-q"], check=True)
        say("dubious ownership", GIT_TEST_ASSUME_DIFFERENT_OWNER="1")
        for _ in range(2):  # no commit at all, then one that has none before it
            for lint in ("commits", "prose"):
                self.assertEqual(self.run_script(f"lint/{lint}").returncode, 0)
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "Bad."], check=True)
        self.assertEqual(self.run_script("lint/commits").returncode, 1)

    def test_no_folder_that_a_library_can_be_preloaded_from(self):
        self.root = self.make_tree("a tree")
        self.assert_refused("set TMPDIR", "quickstart", status=1, TMPDIR=os.path.join(self.folder, "a b"))
        self.assertEqual(self.run_script("quickstart", TMPDIR=self.folder).returncode, INSTALLS)

    def test_next_steps_name_paths_of_the_callers_folder(self):
        programs = os.path.join(self.folder, "programs")
        for path in (f"{programs}/cmake", f"{programs}/g++", f"{self.root}/build/product/bin/geckoprof"):
            self.write(path, "#!/bin/sh\n")
        self.write(os.path.join(self.root, "tools/packages.sh"), "install_packages() { :; }\n")
        for folder, prefix in ((self.root, ""), (self.folder, self.root + "/")):
            run = self.run_script("quickstart", folder=folder, PATH=f"{programs}:{os.environ['PATH']}")
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            for step in ("the command is {}build/product/bin/geckoprof, the libraries are in {}build/product/lib\n",
                         "    {}build/product/bin/geckoprof view {}build/quickstart/startup.json.gz ",
                         "    {}build/product/bin/geckoprof record -- ", "    cmake --install {}build/product --prefix "):
                self.assertIn(step.replace("{}", prefix), run.stdout)


if __name__ == "__main__":
    unittest.main()
