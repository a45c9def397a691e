#!/usr/bin/env python3
"""tools/lint/layers finds a cycle between the folders of tools, in a small tree of its own, and nothing else."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

LINT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 4, "tools", "lint"))


class LayersTest(unittest.TestCase):
    def faults(self, files):
        """Returns what the lint says of a tree with these files. files: {path below tools: paths that it includes}"""
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "tools/lint"))
            for name in ("layers", "source_tree.py"):
                shutil.copy(os.path.join(LINT, name), os.path.join(root, "tools/lint", name))
            for path, included in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, "tools", path)), exist_ok=True)
                with open(os.path.join(root, "tools", path), "w", encoding="utf-8") as file:
                    file.writelines(f'#include "tools/{name}"\n' for name in included)
            run = subprocess.run([sys.executable, os.path.join(root, "tools/lint/layers")], check=False, stdout=subprocess.PIPE, text=True)
        self.assertEqual(run.returncode, 1 if run.stdout else 0)
        return run.stdout.replace("layers: ", "").splitlines()

    def test_includes_in_one_direction(self):
        self.assertEqual(self.faults({"cli/main.cc": ["view/view.h", "text/text.h"], "view/view.h": ["text/text.h", "view/page.h"],
                                      "view/page.h": [], "text/text.h": []}), [])

    def test_a_cycle_of_two_folders(self):
        end = "which is a part of the cycle tools/cli -> tools/view -> tools/cli"
        self.assertEqual(self.faults({"cli/main.cc": ["view/view.h"], "view/view.h": ["cli/table.h"], "cli/table.h": []}),
                         [f"tools/cli/main.cc: includes tools/view/view.h, {end}", f"tools/view/view.h: includes tools/cli/table.h, {end}"])

    def test_a_cycle_that_another_folder_leads_to(self):
        faults = self.faults({"a/a.h": ["b/b.h"], "b/b.h": ["c/c.h"], "c/c.h": ["d/d.h"], "d/d.h": ["b/b.h"]})
        self.assertEqual(len(faults), 3)
        for fault in faults:
            self.assertIn("the cycle tools/b -> tools/c -> tools/d -> tools/b", fault)


if __name__ == "__main__":
    unittest.main()
