"""A Gecko profile of any size in the shape of one that Firefox wrote: its samples, markers, stacks and counters again and again,
each round later than the one before and with call paths of its own. The same each time."""

import gzip
import json
import os

# What a round moves: the columns of a table that are times (with the phases in which they say something), and rows of stacks.
TIMES = {"samples": {"time": None}, "markers": {"startTime": (0, 1, 2), "endTime": (1, 3)}}
STACKS = {"samples": "stack", "stackTable": "prefix"}
REPEATED = ("samples", "markers", "stackTable")
# Of these tables' text the markers are that much in what Firefox records with its default settings; a file that was cut down to a
# few gets its own several times a round.
MARKER_SHARE = 0.84


def _text(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def _templates(name, table):
    """Of each row its text with %d and %f where a round puts numbers, and these numbers: (text, stack or None, times)."""
    schema = table["schema"]
    stack_at, phase_at = schema.get(STACKS.get(name)), schema.get("phase")
    times = {schema[column]: phases for column, phases in TIMES.get(name, {}).items() if column in schema}
    rows = []
    for row in table["data"]:
        parts, stack, moved = [], None, []
        for at, cell in enumerate(row):
            if at == stack_at and cell is not None:
                parts.append("%d")
                stack = cell
            elif at in times and cell is not None and (times[at] is None or row[phase_at] in times[at]):
                parts.append("%.6f")
                moved.append((at, cell))
            else:
                parts.append(_text(cell).replace("%", "%%"))
        # The stack stands before the times in both tables, as it does in Firefox's schemas.
        assert stack is None or all(stack_at < at for at, _ in moved)
        rows.append(("[" + ",".join(parts) + "]", stack, [cell for _, cell in moved]))
    return rows


def _put_table(put, name, table, rounds, stacks, length_ms):
    put('{"schema":' + _text(table["schema"]) + ',"data":[')
    rows = _templates(name, table)
    times = rounds[1] if name == "markers" else 1
    for number in range(rounds[0] * times):
        later, below = number / times * length_ms, number * stacks
        lines = []
        for text, stack, moved in rows:
            values = [time + later for time in moved]
            if stack is not None:
                values.insert(0, stack + below)
            lines.append(text % tuple(values))
        if lines:
            put(("," if number else "") + ",\n".join(lines))
    put("]}")


def _put_members(put, value, special):
    """An object; `special` writes the members that it knows."""
    put("{")
    for at, (key, member) in enumerate(value.items()):
        put(("," if at else "") + _text(key) + ":")
        if not special(key, member):
            put(_text(member))
    put("}")


def _put_process(put, process, rounds, length_ms):
    def put_list(values, put_one):
        put("[")
        for at, value in enumerate(values):
            put("," if at else "")
            put_one(value)
        put("]")
        return True

    def put_thread(thread):
        stacks = len(thread["stackTable"]["data"])

        def table(key, member):
            if key not in REPEATED:
                return False
            _put_table(put, key, member, rounds, stacks, length_ms)
            return True

        _put_members(put, thread, table)

    def member(key, value):
        if key == "threads":
            return put_list(value, put_thread)
        if key == "processes":
            return put_list(value, lambda below: _put_process(put, below, rounds, length_ms))
        return False

    _put_members(put, process, member)


def _last_ms(process):
    times = [row[thread["samples"]["schema"]["time"]] for thread in process["threads"] for row in thread["samples"]["data"]]
    return max(times + [_last_ms(below) for below in process.get("processes", [])], default=0)


def _table_bytes(process, names):
    below = sum(_table_bytes(child, names) for child in process.get("processes", []))
    return below + sum(len(_text(thread[name]["data"])) for thread in process["threads"] for name in names)


def write(path, source, size_bytes):
    """Repeats the profile in the file `source`, plain or gzip, until the text has about `size_bytes`."""
    with (gzip.open if source.endswith(".gz") else open)(source, "rt", encoding="utf-8") as file:
        profile = json.load(file)
    others = _table_bytes(profile, ("samples", "stackTable")) * MARKER_SHARE / (1 - MARKER_SHARE)
    marker_rounds = max(1, round(others / _table_bytes(profile, ("markers",))))

    def written(rounds):
        with open(path, "w", encoding="utf-8") as file:
            _put_process(file.write, profile, (rounds, marker_rounds), _last_ms(profile) + 1)
        return os.path.getsize(path)

    # The numbers of later rounds are longer: go by the size of some in the middle.
    once = written(1)
    some = max(2, int(min(size_bytes, 1e8) / once) // 2)
    each = (written(some) - once) / (some - 1)
    written(1 + max(0, round((size_bytes - once) / each)))
