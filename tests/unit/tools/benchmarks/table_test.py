#!/usr/bin/env python3
"""The table of docs/performance.md is made of what benchmarks print."""

import os
import re
import sys
import tempfile
import unittest
from unittest import mock

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4))
sys.path.insert(0, os.path.join(ROOT, "tools", "benchmarks"))
import table  # noqa: E402

OPENING, CLOSING = "<!-- figures: tools/bench --table writes these rows -->\n\n", "\n\n<!-- end of the figures -->"
HEAD = "| by | quantity | measured | bar | | over our machines |\n| --- | --- | --- | --- | --- | --- |\n"
ROWS = """\
| startup | size | 368 KiB | ≤ 384 KiB | met | 361 to 370 KiB |
| startup | idle | 1.04 | ≤ 1.1 | met | |
| top | memory | 31 MB | ≤ 100 MB | met | 31 to 41 MB |"""


class TableTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder, self.page = folder.name, os.path.join(folder.name, "page.md")
        self.write("page.md", f"# Costs\n\n{OPENING}{HEAD}{ROWS}{CLOSING}\n\n| by | kept |\n")

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as file:
            file.write(text)

    def read(self):
        with open(self.page, encoding="utf-8") as file:
            return file.read()

    def rows_after(self, *names, **outputs):
        """The rows of the page after a run of the script on files of these contents."""
        for name, text in outputs.items():
            self.write(f"{name}.txt", text)
        with mock.patch.multiple(table, RESULTS=self.folder, PAGE=self.page), mock.patch.object(sys, "argv", ["table.py", *names]):
            table.main()
        return table.TABLE.search(self.read()).group().splitlines()[table.HEAD_LINES:]

    def test_a_line_replaces_its_row_and_keeps_the_last_column(self):
        rows = self.rows_after(startup="==> startup\nBAR size | 390 KiB | <= 384 KiB | missed\nbare 800 us\n")
        self.assertEqual(rows, ["| startup | size | 390 KiB | ≤ 384 KiB | missed | 361 to 370 KiB |", *ROWS.splitlines()[1:]])

    def test_nothing_outside_the_table_changes(self):
        before, after = self.read(), (self.rows_after(top="BAR memory | 40 MB | <= 100 MB | met\n"), self.read())[1]
        self.assertEqual(after, before.replace("| 31 MB |", "| 40 MB |"))

    def test_only_the_first_figure_is_taken(self):
        for value, first in (("1.17, gperftools 24.8", "1.17"), ("0.27 % (rounds 0.29, 0.27)", "0.27 %"), ("0 in 3 rounds of 5,000 threads", "0"),
                             ("99.96 % of 7668", "99.96 %"), ("42 of 128 MiB in 30 minutes", "42 of 128 MiB"), ("0 calls; naive sampler 9", "0 calls")):
            self.assertIn(f"| top | memory | {first} | ≥ 1 | met | 31 to 41 MB |", self.rows_after(top=f"BAR memory | {value} | >= 1 | met\n"))

    def test_a_new_quantity_follows_the_others_of_its_benchmark(self):
        rows = self.rows_after(startup="BAR started | 1.5 | <= 1.4 | missed\nBAR ended | 1 | <= 2 | met\n", view="BAR load | 2 s | <= 3 s | met\n")
        self.assertEqual(rows[2], "| startup | started | 1.5 | ≤ 1.4 | missed | |")
        self.assertEqual(rows[3], "| startup | ended | 1 | ≤ 2 | met | |")
        self.assertEqual(rows[5], "| view | load | 2 s | ≤ 3 s | met | |")

    def test_a_row_holds_what_its_pattern_fits(self):
        self.write("page.md", f"{OPENING}{HEAD}| stacks | complete, git | | | | |\n| stacks | complete, * | | | | hand |{CLOSING}\n")
        lines = "".join(f"BAR complete, {name} | {share} % of {number} | >= 99.5 % | {result}\n"
                        for name, share, number, result in (("node", "100.00", 30, "met"), ("git", "99.80", 20, "met"), ("clang", "99.40", 10, "missed")))
        self.assertEqual(self.rows_after(stacks=lines), ["| stacks | complete, git | 99.80 % | ≥ 99.5 % | met | |",
                                                         "| stacks | complete, * | 99.40 to 100.00 % | ≥ 99.5 % | missed by 1 of 2 | hand |"])

    def test_a_quantity_that_is_measured_twice_has_both_values(self):
        rows = self.rows_after(top="BAR memory | 130 MB | <= 100 MB | missed\nBAR memory | 50 MB | <= 100 MB | met\n")
        self.assertEqual(rows[2], "| top | memory | 50 to 130 MB | ≤ 100 MB | missed by 1 of 2 | 31 to 41 MB |")

    def test_named_files_alone_are_read(self):
        rows = self.rows_after("top", top="BAR memory | 40 MB | <= 100 MB | met\n", startup="BAR idle | 2 | <= 1.1 | missed\n")
        self.assertEqual(rows[:2], ROWS.splitlines()[:2])

    def test_what_was_not_measured_stays(self):
        rows = self.rows_after(startup="skipped: perf is not installed\nBAR idle | no figure | <= 1.1 | not measured: no two processors\n")
        self.assertEqual(rows, ROWS.splitlines())

    def test_a_file_or_a_table_that_is_missing_is_named(self):
        with self.assertRaisesRegex(SystemExit, "view.txt is not there"):
            self.rows_after("view")
        with mock.patch.object(table, "RESULTS", os.path.join(self.folder, "none")), self.assertRaisesRegex(SystemExit, "none is not there: run tools/bench$"):
            table.main()
        self.write("page.md", "# Costs\n")
        with self.assertRaisesRegex(SystemExit, "no table"):
            self.rows_after(top="")

    def test_the_page_has_each_quantity_once(self):
        with open(table.PAGE, encoding="utf-8") as file:
            rows = [table.cells(line) for line in table.TABLE.search(file.read()).group().splitlines()[table.HEAD_LINES:]]
        self.assertEqual(len({tuple(row[:2]) for row in rows}), len(rows))
        self.assertEqual([row for row in rows if len(row) != 6 or not re.fullmatch("met|missed.*", row[4])], [])


if __name__ == "__main__":
    unittest.main()
