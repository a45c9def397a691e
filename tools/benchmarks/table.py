"""table.py [NAME...]: writes the figures of build/bench/NAME.txt, of all files without NAME, into the table of docs/performance.md.

A row belongs to a benchmark and to the quantities that its second column names. There "*" stands for any text, and the first row that fits
a quantity has it. The lines `BAR quantity | value | bar | met` or `missed` of these quantities replace the measured value, the bar and
the result. The value is the first figure of a line, and the lowest to the highest of several lines.

The last column is kept by hand, and stays. Rows without such lines stay as they are. A quantity without a row gets one, after the others of
its benchmark.
"""

import fnmatch
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RESULTS = os.path.join(ROOT, "build", "bench")
PAGE = os.path.join(ROOT, "docs", "performance.md")
LINE = re.compile(r"BAR (.+) \| (.+) \| (.+) \| (met|missed)")
TABLE = re.compile(r"(?<=<!-- figures: tools/bench --table writes these rows -->\n\n).*?(?=\n\n<!-- end of the figures -->)", re.DOTALL)
HEAD_LINES = 2


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def number(text):
    return re.match(r"-?[\d.]*", text).group()


def merged(figures):
    """[measured, bar, result] of the lines of one row."""
    _, values, limits, results = zip(*figures)
    values = sorted((re.split(r" \(| in |(?<=%) of |[,;] ", value)[0] for value in values), key=lambda value: float(number(value) or 0))
    measured = values[0] if values[0] == values[-1] else f"{number(values[0])} to {values[-1]}"
    missed = results.count("missed")
    result = "met" if not missed else "missed" if missed == len(results) else f"missed by {missed} of {len(results)}"
    return [measured, "; ".join(dict.fromkeys(limits)).replace("<=", "≤").replace(">=", "≥"), result]


def updated(table, benchmark, output):
    """The table's lines with the figures that a benchmark printed."""
    rows = [cells(line) for line in table[HEAD_LINES:]]
    own = [row for row in rows if row[0] == benchmark]
    found = {}
    for figure in (match.groups() for match in map(LINE.fullmatch, output.splitlines()) if match):
        row = next((row for row in own if fnmatch.fnmatchcase(figure[0], row[1])), None)
        if row is None:
            row = [benchmark, figure[0], "", "", "", ""]
            rows.insert(rows.index(own[-1]) + 1 if own else len(rows), row)
            own.append(row)
        found.setdefault(row[1], []).append(figure)
    for row in own:
        if row[1] in found:
            row[2:5] = merged(found[row[1]])
    return table[:HEAD_LINES] + [re.sub(" +", " ", f"| {' | '.join(row)} |") for row in rows]


def main():
    if not os.path.isdir(RESULTS):
        sys.exit(f"{RESULTS} is not there: run tools/bench")
    names = sys.argv[1:] or sorted(name[:-4] for name in os.listdir(RESULTS) if name.endswith(".txt"))
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    section = TABLE.search(page)
    if not section:
        sys.exit(f"{PAGE}: no table between the comments for it")
    table = section.group().splitlines()
    for name in names:
        path = os.path.join(RESULTS, f"{name}.txt")
        if not os.path.exists(path):
            sys.exit(f"{path} is not there: run tools/bench {name}")
        with open(path, encoding="utf-8") as file:
            table = updated(table, name, file.read())
    with open(PAGE, "w", encoding="utf-8") as file:
        file.write(page[:section.start()] + "\n".join(table) + page[section.end():])


if __name__ == "__main__":
    main()
