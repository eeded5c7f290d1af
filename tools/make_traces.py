#!/usr/bin/env python3
"""Writes the made-up availability traces of examples/traces. No machine was ever observed for them.

    tools/make_traces.py [FOLDER]     examples/traces unless given

Runs of machines and gaps between them are exponential, with the means below, on a clock of ten minutes; each trace has
a seed of its own, so that the files come out the same everywhere.
"""

import json
import math
import sys
from pathlib import Path

GAP = 600  # seconds
DAYS = 14

# name: seed, machines, mean hours that they stay, mean hours that they are away
TRACES = {
    "zone-a": (1, 1, 6.0, 1.0),
    "zone-b": (2, 1, 1.5, 1.5),
    "zone-c": (3, 1, 0.8, 3.0),
    "four-machines": (4, 4, 3.0, 1.0),
}
STARTS = 20  # of each trace with one machine
DEADLINE_TICKS = 360  # 60 hours: replays from these starts end before the trace does


class Numbers:
    """A linear congruential generator (Knuth's MMIX constants): the same numbers with every version of Python."""

    def __init__(self, seed):
        self.state = seed

    def uniform(self):
        for _ in range(2):
            self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53

    def ticks(self, hours):
        return max(1, round(-math.log(1 - self.uniform()) * hours * 3600 / GAP))


def trace(seed, machines, stays, away):
    numbers = Numbers(seed)
    data = []
    there = True
    while len(data) < DAYS * 86400 // GAP:
        # When machines go, any number of them may be left.
        count = machines if there else int(numbers.uniform() * machines)
        data += [count] * numbers.ticks(stays if there else away)
        there = not there
    return data[: DAYS * 86400 // GAP]


def main():
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "examples" / "traces")
    starts = ["trace,start_tick,gap_seconds"]
    for name, (seed, machines, stays, away) in TRACES.items():
        data = trace(seed, machines, stays, away)
        text = json.dumps({"metadata": {"gap_seconds": GAP, "made_up_by": "tools/make_traces.py"}, "data": data})
        (folder / f"{name}.json").write_text(text + "\n")
        if machines == 1:
            numbers = Numbers(100 + seed)
            for _ in range(STARTS):
                starts.append(f"{name},{int(numbers.uniform() * (len(data) - DEADLINE_TICKS))},{GAP}")
    (folder / "starts.csv").write_text("\n".join(starts) + "\n")


if __name__ == "__main__":
    main()
