"""Reads protobuf's wire format, independently of the tools: {field number: [int or bytes, ...]} of a message."""

import collections


def _varint(data, at):
    number, shift = 0, 0
    while True:
        byte = data[at]
        at += 1
        number |= (byte & 127) << shift
        if byte < 128:
            return number, at
        shift += 7


def fields(data):
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == 0:
            value, at = _varint(data, at)
        else:
            if kind == 2:
                size, at = _varint(data, at)
            else:
                size = {1: 8, 5: 4}[kind]
            if at + size > len(data):
                raise ValueError("a field goes beyond its message")
            value, at = data[at : at + size], at + size
        found[tag >> 3].append(value)
    return found


def numbers(values):
    """A repeated number, packed or not."""
    result = []
    for value in values:
        if isinstance(value, int):
            result.append(value)
            continue
        at = 0
        while at < len(value):
            number, at = _varint(value, at)
            result.append(number)
    return result
