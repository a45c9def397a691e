#!/usr/bin/env python3
"""build_page.py OUT: makes OUT/page.html, the page of report --html without data, and OUT/html_page.cc, which is HtmlPage::Built with
the same text.

The modules of the folder page become one script. Each is a function that returns what the module exports, so that names at the top of a
module stay its own. A module comes after those that it imports.
"""

import base64
import hashlib
import os
import re
import sys

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page")
MAIN = "main.js"

IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([\w.]+)";$', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|let|function|class) (\w+))", re.M)
COMMENT = re.compile(r"^[ \t]*//.*\n", re.M)


def read(name):
    with open(os.path.join(PAGE, name), encoding="utf-8") as file:
        return file.read()


def variable(module):
    return module.replace(".", "_")


def add_module(name, done, importers=()):
    """Appends the module to `done`, a dictionary of texts by name, after the modules that it imports."""
    if name in importers:
        sys.exit(f"build_page.py: {' imports '.join([*importers, name])}")
    if name in done:
        return
    text = COMMENT.sub("", read(name))
    for _, imported in IMPORT.findall(text):
        add_module(imported, done, (*importers, name))
    exported = EXPORT.findall(text)
    text = IMPORT.sub(lambda found: f"const {found[1].replace(' as ', ': ')} = {variable(found[2])};", text)
    text = EXPORT.sub("", text)
    left = re.search(r"^(import|export)\b.*", text, re.M)
    if left:
        sys.exit(f"build_page.py: {name}: a form that is not known: {left[0]}")
    done[name] = f"const {variable(name)} = (() => {{\n{text.strip()}\nreturn {{ {', '.join(exported)} }};\n}})();\n"


def script():
    modules = {}
    add_module(MAIN, modules)
    unused = {name for name in os.listdir(PAGE) if name.endswith(".js")} - set(modules)
    if unused:
        sys.exit(f"build_page.py: nothing imports {', '.join(sorted(unused))}")
    text = '"use strict";\n(() => {\n' + "".join(modules.values()) + "})();"
    # A closing tag in a string of the code would end the element.
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def source_hash(text):
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def page():
    code, style = script(), read("page_style.css")
    if "</style" in style:
        sys.exit("build_page.py: page_style.css ends its element")
    policy = ["default-src 'none'", f"script-src {source_hash(code)}", f"style-src {source_hash(style)}", "img-src data:", "base-uri 'none'",
              "form-action 'none'"]
    marks = {"POLICY": "; ".join(policy), "STYLE": style, "SCRIPT": code}
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: marks.get(mark[1], mark[0]), read("page.html"))


def literal(text):
    """The text as string literals of C++."""
    def escaped(byte):
        is_plain = 0x20 <= byte < 0x7F and byte not in b'"\\?'
        return chr(byte) if is_plain else f"\\{byte:03o}"

    data = text.encode()
    return "\n".join(f'    "{"".join(map(escaped, data[i:i + 100]))}"' for i in range(0, len(data), 100))


def source(before, after):
    return f"""// Made by build_page.py.
#include "tools/report/html/html_report.h"

namespace geckoprof {{
namespace {{

constexpr char kBefore[] =
{literal(before)};

constexpr char kAfter[] =
{literal(after)};

}}  // namespace

HtmlPage HtmlPage::Built() {{ return {{{{kBefore, sizeof kBefore - 1}}, {{kAfter, sizeof kAfter - 1}}, {{}}}}; }}

}}  // namespace geckoprof
"""


def main():
    (out,) = sys.argv[1:]
    text = page()
    parts = text.split("{{DATA}}")
    if len(parts) != 2:
        sys.exit("build_page.py: page.html has no place, or several, for the data")
    for name, content in (("page.html", text), ("html_page.cc", source(*parts))):
        with open(os.path.join(out, name), "w", encoding="utf-8") as file:
            file.write(content)


if __name__ == "__main__":
    main()
