"""Samples by the function that they end in, counted in converted files without the tools' own readers."""

import collections
import gzip
import json

from proto_fields import fields, numbers


def of_folded(path):
    counts = collections.Counter()
    with open(path, encoding="utf-8") as file:
        for line in file:
            stack, count = line.rstrip("\n").rsplit(" ", 1)
            counts[stack.rsplit(";", 1)[1]] += int(count)
    return counts


def of_speedscope(path):
    counts = collections.Counter()
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    names = [frame["name"] for frame in document["shared"]["frames"]]
    for profile in document["profiles"]:
        assert len(profile["samples"]) == len(profile["weights"])
        for stack, weight in zip(profile["samples"], profile["weights"]):
            if stack:
                counts[names[stack[-1]]] += weight
    return counts


def of_chrome(path):
    """Of the V8 profiles in a trace: samples by node."""
    counts, nodes = collections.Counter(), {}
    with open(path, encoding="utf-8") as file:
        events = json.load(file)["traceEvents"]
    for event in events:
        if event["name"] != "ProfileChunk":
            continue
        profile = event["args"]["data"]["cpuProfile"]
        for node in profile["nodes"]:
            assert node.get("parent") is None or (event["id"], node["parent"]) in nodes, "a node before its parent"
            nodes[event["id"], node["id"]] = node["callFrame"]["functionName"]
        for sample in profile["samples"]:
            counts[nodes[event["id"], sample]] += 1
    counts.pop("(idle)", None)
    return counts


def of_pprof(path):
    counts = collections.Counter()
    with gzip.open(path) as file:
        profile = fields(file.read())
    strings = [text.decode() for text in profile[6]]
    functions = {f[1][0]: strings[f[2][0]] for f in map(fields, profile[5])}
    leaf = {}
    for location in map(fields, profile[4]):
        leaf[location[1][0]] = functions[fields(location[4][0])[1][0]]
    for sample in map(fields, profile[2]):
        counts[leaf[numbers(sample[1])[0]]] += numbers(sample[2])[0]
    return counts


def of_otlp(path):
    counts = collections.Counter()
    with open(path, "rb") as file:
        data = fields(file.read())
    dictionary = fields(data[2][0])
    strings = [text.decode() for text in dictionary[5]]
    functions = [strings[f[1][0]] if f[1] else "" for f in map(fields, dictionary[3])]
    locations = [functions[fields(f[3][0])[1][0]] if f[3] else "" for f in map(fields, dictionary[2])]
    leaves = [locations[numbers(f[1])[0]] if f[1] else "" for f in map(fields, dictionary[7])]
    for resource in data[1]:
        for scope in fields(resource)[2]:
            for profile in map(fields, fields(scope)[2]):
                if strings[fields(profile[1][0])[1][0]] != "samples":
                    continue
                for sample in map(fields, profile[2]):
                    values = numbers(sample[4])
                    counts[leaves[sample[1][0]]] += sum(values) if values else sum(len(t) // 8 for t in sample[5])
    return counts


def of_perfetto(path):
    counts, names, frames, stacks = collections.Counter(), {}, {}, {}
    with open(path, "rb") as file:
        packets = fields(file.read())[1]
    for packet in map(fields, packets):
        for interned in map(fields, packet[12]):
            names.update((entry[1][0], entry[2][0].decode()) for entry in map(fields, interned[5]))
            frames.update((entry[1][0], entry[2][0]) for entry in map(fields, interned[6]))
            stacks.update((entry[1][0], entry[2][-1]) for entry in map(fields, interned[7]))
        for sample in map(fields, packet[66]):
            counts[names[frames[stacks[sample[4][0]]]]] += 1
    return counts


READERS = {"folded": of_folded, "speedscope": of_speedscope, "chrome": of_chrome, "pprof": of_pprof, "otlp": of_otlp,
           "perfetto": of_perfetto}
