#!/usr/bin/env python3
"""The scripts of tools take the versions of LLVM's programs that are there: in a PATH of its own, beside the shell's tools."""

import os
import subprocess
import tempfile
import unittest

TOOLS = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4, "tools"))


class VersionsTest(unittest.TestCase):
    def run_with(self, programs, *command):
        """Runs the script where these programs are the only ones of LLVM."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("sh", "ls", "grep", "sort", "tail", "dirname"):
                os.symlink(f"/bin/{name}", os.path.join(folder, name))
            for name in programs:
                os.symlink("/bin/true", os.path.join(folder, name))
            return subprocess.run([os.path.join(TOOLS, command[0]), *command[1:]], check=False, env={"PATH": folder},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def assert_chosen(self, programs, chosen):
        run = self.run_with(programs, "clang_tool", "clang++")
        self.assertEqual((run.returncode, run.stdout), (0, chosen + "\n"))

    def test_choice(self):
        self.assert_chosen(("clang++", "clang++-14", "clang++-19"), "clang++-14")
        self.assert_chosen(("clang++", "clang++-19"), "clang++")
        self.assert_chosen(("clang++-9", "clang++-16", "clang++-19", "clang-20", "clang++-tidy"), "clang++-19")

    def test_no_program(self):
        run = self.run_with(("clang", "clang-tidy-14"), "clang_tool", "clang++")
        self.assertEqual((run.returncode, run.stdout, run.stderr), (1, "", "clang_tool: clang++ is missing\n"))

    def test_format_is_skipped_without_its_version(self):
        run = self.run_with(("clang-format", "clang-format-19"), "lint/format")
        self.assertEqual((run.returncode, run.stdout), (77, "format: skipped, for clang-format-14 is not here\n"))


unittest.main()
