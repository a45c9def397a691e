"""A processed profile of any size: threads that walk through a made-up program, the same each time."""

import random

FUNCTIONS, LIBRARIES, DEPTH = 3000, 12, 30
INTERVAL_MS = 1


def _tables(stacks, rng):
    """Shared tables: a tree of call paths in which a few functions are hot."""
    prefixes, frames, depths = [None], [0], [1]
    for _ in range(stacks - 1):
        prefix = min(int(rng.expovariate(4 / len(prefixes))), len(prefixes) - 1)
        prefix = len(prefixes) - 1 - prefix  # mostly below what was added last
        while depths[prefix] >= DEPTH * 2:
            prefix = prefixes[prefix]
        prefixes.append(prefix)
        depths.append(depths[prefix] + 1)
        frames.append(min(int(rng.paretovariate(0.6)), 2 * FUNCTIONS - 1))
    return prefixes, frames


def write(path, threads, samples, markers=2000, stacks=60000, seed=7):
    rng = random.Random(seed)
    prefixes, frames = _tables(stacks, rng)
    strings = [f"ns{i % 97}::Function{i}(std::vector<int> const&, char const*)" for i in range(FUNCTIONS)]
    strings += [f"libmade{i}.so" for i in range(LIBRARIES)] + [f"/src/file{i}.cc" for i in range(100)] + ["work"]
    none = ["null"] * (2 * FUNCTIONS)

    def column(values):
        return "[" + ",".join("null" if v is None else str(v) for v in values) + "]"

    def nulls(count):
        return "[" + ",".join(none[:count]) + "]"

    with open(path, "w", encoding="utf-8") as file:
        put = file.write
        put('{"meta":{"version":34,"preprocessedProfileVersion":63,"startTime":1.75e12,"interval":%d,"processType":0,'
            '"stackwalk":1,"debug":0,"product":"made","sampleUnits":{"time":"ms","eventDelay":"ms","threadCPUDelta":"ns"},'
            '"categories":[{"name":"Other","color":"grey","subcategories":["Other"]}],"symbolicated":true,'
            '"markerSchema":[{"name":"Work","display":["marker-chart"],"fields":'
            '[{"key":"items","label":"Items","format":"integer"},{"key":"what","label":"What","format":"string"}]}]},'
            % INTERVAL_MS)
        put('"libs":[' + ",".join(
            f'{{"arch":"","name":"libmade{i}.so","path":"/usr/lib/libmade{i}.so","debugName":"libmade{i}.so","debugPath":'
            f'"/usr/lib/libmade{i}.so","breakpadId":"{i + 1:032X}0","codeId":"{i + 1:040x}"}}' for i in range(LIBRARIES)) + "],")
        put('"pages":[],"shared":{"stackTable":{"frame":' + column(frames) + ',"prefix":' + column(prefixes) +
            f',"length":{len(frames)}}},')
        count = 2 * FUNCTIONS
        put('"frameTable":{"address":' + column(4096 + 16 * i for i in range(count)) +
            ',"inlineDepth":' + column([0] * count) + ',"category":' + column([0] * count) + ',"subcategory":' +
            column([0] * count) + ',"func":' + column(i % FUNCTIONS for i in range(count)) + ',"nativeSymbol":' +
            nulls(count) + ',"innerWindowID":' + nulls(count) + ',"line":' + column(i % 400 + 1 for i in range(count)) +
            ',"column":' + nulls(count) + f',"length":{count}}},')
        put('"funcTable":{"name":' + column(range(FUNCTIONS)) + ',"isJS":[' + ",".join(["false"] * FUNCTIONS) +
            '],"relevantForJS":[' + ",".join(["false"] * FUNCTIONS) + '],"resource":' +
            column(i % LIBRARIES for i in range(FUNCTIONS)) + ',"source":' + column(i % 100 for i in range(FUNCTIONS)) +
            ',"lineNumber":' + nulls(FUNCTIONS) + ',"columnNumber":' + nulls(FUNCTIONS) + f',"length":{FUNCTIONS}}},')
        put('"resourceTable":{"lib":' + column(range(LIBRARIES)) + ',"name":' +
            column(FUNCTIONS + i for i in range(LIBRARIES)) + ',"host":' + nulls(LIBRARIES) + ',"type":' +
            column([1] * LIBRARIES) + f',"length":{LIBRARIES}}},')
        put('"nativeSymbols":{"libIndex":[],"address":[],"name":[],"functionSize":[],"length":0},"sources":{"id":' +
            nulls(100) + ',"filename":' + column(FUNCTIONS + LIBRARIES + i for i in range(100)) + ',"startLine":' +
            column([1] * 100) + ',"startColumn":' + column([1] * 100) + ',"sourceMapURL":' + nulls(100) +
            ',"length":100},"stringArray":["' + '","'.join(strings) + '"]},"threads":[')
        for thread in range(threads):
            put("," if thread else "")
            times = (f"{i * INTERVAL_MS + rng.random() / 50:.6f}" for i in range(samples))
            # Each thread has a part of the program of its own, and hot paths in it.
            own = stacks // threads
            picked = [thread * own + min(int(rng.expovariate(6 / own)), own - 1) for _ in range(min(samples, 200000))]
            put('{"processType":"default","processStartupTime":0,"processShutdownTime":null,"registerTime":0,'
                '"unregisterTime":null,"pausedRanges":[],"name":"worker %d","isMainThread":%s,"processName":"made",'
                '"pid":"4711","tid":%d,"samples":{"stack":' % (thread, "false" if thread else "true", 4711 + thread))
            put(column(picked[i % len(picked)] for i in range(samples)) + ',"time":' + column(times) +
                ',"weight":null,"weightType":"samples","threadCPUDelta":' +
                column(0 if i % 10 == 9 else 990000 + i % 9999 for i in range(samples)) + f',"length":{samples}}},')
            starts = [i * 3 for i in range(markers)]
            put('"markers":{"name":' + column([len(strings) - 1] * markers) + ',"startTime":' + column(starts) +
                ',"endTime":' + column(s + 2 + (i % 3) for i, s in enumerate(starts)) + ',"phase":' + column([1] * markers) +
                ',"category":' + column([0] * markers) + ',"data":[' +
                ",".join(f'{{"type":"Work","items":{i},"what":"part {i % 50}"}}' for i in range(markers)) +
                f'],"length":{markers}}}}}')
        put("]}")
