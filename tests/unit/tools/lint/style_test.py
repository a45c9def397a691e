#!/usr/bin/env python3
"""Each rule of tools/lint/style finds its fault, in a small tree of its own, and nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LINT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4, "tools", "lint"))
GUARDED = "#ifndef GECKOPROF_BASE_CLOCK_H_\n#define GECKOPROF_BASE_CLOCK_H_\n#endif\n"
# In two parts, for the lint reads this file as well.
NUMBER, PATH, HOST = "#" + "123", "/" + "work/tree", "https:" + "//registry.example.org/"


def function(lines, indent=""):
    return "\n".join([f"{indent}int Count(int first,", f"{indent}          int second) {{", *[f"{indent}  Add();"] * (lines - 3), f"{indent}}}\n"])


class StyleTest(unittest.TestCase):
    def faults(self, path, text):
        """What the lint says of a tree with that file."""
        with tempfile.TemporaryDirectory() as root:
            for name in ("style", "source_tree.py"):
                os.makedirs(os.path.join(root, "tools/lint"), exist_ok=True)
                shutil.copy(os.path.join(LINT, name), os.path.join(root, "tools/lint", name))
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
            run = subprocess.run([sys.executable, os.path.join(root, "tools/lint/style")], check=False, stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0)
        return run.stdout.replace("style: ", "").splitlines()

    def assert_fault(self, path, text, fault):
        self.assertEqual(self.faults(path, text), [f"{path}{fault}"])

    def test_file_names(self):
        for name in ("common/Clock.cc", "common/json_utils.cc", "common/helpers.cc", "tests/common.cc"):
            self.assert_fault(name, "", ": a file name is in snake_case and says what is inside")
        self.assertEqual(self.faults("common/common_lists.cc", ""), [])

    def test_include_guards(self):
        self.assertEqual(self.faults("common/clock.h", GUARDED), [])
        for text in ("", "#pragma once\n", GUARDED.replace("CLOCK", "TIME"), GUARDED.replace("#define GECKOPROF", "#define OTHER")):
            self.assert_fault("common/clock.h", text, ": no include guard GECKOPROF_..._CLOCK_H_")

    def test_lengths_of_files(self):
        self.assertEqual(self.faults("common/clock.cc", "\n" * 800) + self.faults("tests/clock_test.cc", "\n" * 1200), [])
        self.assert_fault("common/clock.cc", "\n" * 801, ": 801 lines, more than 800")
        self.assert_fault("tests/clock_test.cc", "\n" * 1201, ": 1201 lines, more than 1200")

    def test_lengths_of_functions(self):
        self.assertEqual(self.faults("common/clock.cc", function(79) + function(79)), [])
        self.assert_fault("common/clock.cc", function(20) + "\n" + function(80), ":22: a function of 80 lines, not under 80")
        self.assert_fault("common/clock.cc", "class Clock {\n" + function(80, "  ") + "};\n", ":2: a function of 80 lines, not under 80")
        self.assert_fault("common/clock.cc", "Clock::Clock(int a)\n    : a_(a) {\n" + "  Add();\n" * 80 + "}\n", ":1: a function of 83 lines, not under 80")

    def test_what_is_long_and_no_function(self):
        for opening in ("namespace {", "struct Clock {", "constexpr Row kRows[] = {", "enum class Kind {"):
            self.assertEqual(self.faults("common/clock.cc", opening + "\n" + "  Row(1),\n" * 100 + "}\n"), [])
        self.assertEqual(self.faults("tests/clock_test.cc", function(100)), [])

    def test_words_of_one_machine(self):
        for path in ("common/clock.cc", "docs/page.md", "tests/clock_test.cc"):
            self.assert_fault(path, f"// see {NUMBER}\n", f":1: '{NUMBER}': a number of some tracker")
            self.assert_fault(path, "\n// Iss" + "ue 12\n", ":2: 'Iss" + "ue 12': a number of some tracker")
            self.assert_fault(path, f"// {PATH}\n", f":1: '{PATH[:7]}': a path of one machine")
            self.assert_fault(path, "// .." + "/shared\n", ":1: '.." + "/shared': a path of one machine")
            self.assert_fault(path, f"// {HOST}\n", f":1: '{HOST[:17]}': the host of a package registry")

    def test_a_fault_beside_a_forgiven_word_is_found(self):
        home = "/" + "home/u"
        self.assertEqual(self.faults("tests/page.md", home) + self.faults("common/aarch64/call.cc", f"mov {NUMBER}") + self.faults("common/call.S", NUMBER), [])
        self.assert_fault("tests/page.md", f"{home} {PATH}", f":1: '{PATH[:7]}': a path of one machine")
        self.assert_fault("docs/page.md", home, f":1: '{home}': a path of one machine")

    def test_files_that_no_person_writes(self):
        for path in ("LICENSE", "tests/fuzz/corpus/a/file", "tests/fixtures/maps", "docs/profile.json"):
            self.assertEqual(self.faults(path, PATH), [])


if __name__ == "__main__":
    unittest.main()
