"""Names of the innermost functions, and of their callers, in a processed profile.

    profile_names.py FILE named PROCESS NAME          most samples of the process end in the function
    profile_names.py FILE never NAME                  no stack has the function
    profile_names.py FILE pairs                       code_K_N is called by call_K alone, in all samples
    profile_names.py FILE one NAME                    the function is among the innermost ones, and no address is
"""

import gzip
import json
import sys


def stacks(path):
    """(process, names from the innermost outwards) of each sample that ran."""
    data = open(path, "rb").read()
    profile = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    shared = profile["shared"]
    names, funcs = shared["stringArray"], shared["funcTable"]["name"]
    frames, table = shared["frameTable"]["func"], shared["stackTable"]
    prefixes = table["prefix"]
    for thread in profile["threads"]:
        samples = thread["samples"]
        weights = samples["weight"] or [1] * samples["length"]
        states = samples.get("state") or [0] * samples["length"]
        for stack, weight, state in zip(samples["stack"], weights, states):
            if stack is None or not weight or state != 0:
                continue
            found = []
            while stack is not None:
                found.append(names[funcs[frames[table["frame"][stack]]]])
                stack = prefixes[stack]
            yield thread["processName"], found


def main():
    path, wanted, *rest = sys.argv[1:]
    found = list(stacks(path))
    if wanted == "named":
        of_process = [names for process, names in found if process == rest[0]]
        right = sum(names[0] == rest[1] for names in of_process)
        print(f"{right} of {len(of_process)} samples of {rest[0]} end in {rest[1]}")
        return 0 if len(of_process) > 20 and right > 0.9 * len(of_process) else 1
    if wanted == "never":
        wrong = sum(rest[0] in names for _, names in found)
        print(f"{wrong} of {len(found)} samples have {rest[0]}")
        return 0 if found and wrong == 0 else 1
    if wanted == "pairs":
        made = [names for _, names in found if len(names) > 1 and names[1].startswith("call_")
                and not names[0].startswith("call_")]
        right = sum(names[0].startswith("code_" + names[1][len("call_"):] + "_") for names in made)
        print(f"{right} of {len(made)} samples in made code have the right name")
        return 0 if len(made) > 100 and right == len(made) else 1
    innermost = {names[0] for _, names in found}
    print(sorted(innermost)[:20])
    return 0 if rest[0] in innermost and not any(name.startswith("0x") for name in innermost) else 1


sys.exit(main())
