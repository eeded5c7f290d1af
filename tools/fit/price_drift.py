#!/usr/bin/env python3
"""Fits price_drift and price_drift_spot of data/answer_constants.csv: how far prices move in a month.

    tools/fit/price_drift.py [--write]

Pairs are two dates of one provider, GPU and number of GPUs (and, where providers list them, region) of
data/offers.csv, each date with its median price. Prices are taken for a random walk of the logarithm that is as likely
to rise as to fall, whose variance grows with the time between the dates: variance of a month = sum of squares of
ln(later / earlier) / sum of months. Providers weigh alike: one that lists a hundred machines moved once. Spot prices are
a walk of their own. Single machines of hosts stay out: on two dates they are other hosts, which price_spread.py
measures. Dates before 2026 stay out, since lists that lie years apart tell nothing of months.
"""

import collections
import csv
import math
import statistics
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
FIRST = "2026-01"
LIST_BY_REGION = {"aws", "azure", "gcp"}
BY_HOST = {"vast", "lium"}
CONSTANTS = {"price_drift": "price[USD/h]", "price_drift_spot": "spot_price[USD/h]"}


def months(date):
    return int(date[:4]) * 12 + int(date[5:7])


def squares_by_provider(kind):
    """For prices of a kind and each provider the squares of ln(later / earlier) and the months between, summed over its pairs."""
    listed = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(DATA / "offers.csv", newline="") as file:
        for row in csv.DictReader(file):
            if row["as_of"] < FIRST or row["provider"] in BY_HOST or not row[kind]:
                continue
            region = row["region"] if row["provider"] in LIST_BY_REGION else ""
            listed[row["provider"], row["gpu"], row["gpus"], region][row["as_of"]].append(float(row[kind]))
    found = collections.defaultdict(lambda: [0.0, 0, 0])
    for key, dates in listed.items():
        order = sorted(dates)
        for earlier, later in zip(order, order[1:]):
            sums = found[key[0]]
            sums[0] += math.log(statistics.median(dates[later]) / statistics.median(dates[earlier])) ** 2
            sums[1] += months(later) - months(earlier)
            sums[2] += 1
    return found


def main():
    values = {}
    for constant, kind in CONSTANTS.items():
        found = squares_by_provider(kind)
        for provider, (squares, time, pairs) in sorted(found.items()):
            print(f"  {provider:14} {pairs:4} pairs  {math.sqrt(squares / time):.3f} a month")
        drift = math.sqrt(statistics.mean(squares / time for squares, time, _ in found.values()))
        values[constant] = f"{drift:.2f}"
        pairs = sum(row[2] for row in found.values())
        print(f"{constant} {values[constant]} ({pairs} pairs of {len(found)} providers)")
    if "--write" not in sys.argv[1:]:
        return
    path = DATA / "answer_constants.csv"
    kept = []
    for line in path.read_text().splitlines(keepends=True):
        cells = line.split(",")
        if cells[0] in values:
            cells[1] = values[cells[0]]
            line = ",".join(cells)
        kept.append(line)
    path.write_text("".join(kept))


if __name__ == "__main__":
    main()
