#!/usr/bin/env python3
"""Measures how far prices of one kind of machine lie apart at one provider, for data/price_spreads.csv.

    tools/fit/price_spread.py [PROVIDER=FILE ...]

Prices are those of data/offers.csv from 2026 on: over hosts where each row of a provider is one machine of one host, over
regions where a provider lists them one by one. A FILE is a SkyPilot catalogue of a provider, which has spot prices by
zone; without it that row is not measured. Of one kind are: the same GPU, number of them and date over hosts, the same instance and
date over regions, the same instance and region over zones. The deviation is that of ln(price) within kinds: sum of squares about
each kind's mean over (prices - kinds).

Nothing is written: what is printed goes into the table with its counts. A spread of a few pairs, or of lists
that ask one price everywhere, is none.
"""

import collections
import csv
import math
import statistics
import sys
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "data"
FIRST = "2026-01"
BY_REGION = {"aws", "azure", "gcp"}
PRICES = {"on_demand": "price[USD/h]", "spot": "spot_price[USD/h]"}
NO_MARKET = 0.1  # spot at a tenth of the price on demand: nothing was sold


def within(kinds):
    """Deviation within kinds, number of kinds with more than one price, and degrees of freedom."""
    squares = free = count = 0
    for prices in kinds.values():
        if len(prices) < 2:
            continue
        logs = [math.log(price) for price in prices]
        mean = statistics.mean(logs)
        squares += sum((one - mean) ** 2 for one in logs)
        free += len(logs) - 1
        count += 1
    return (math.sqrt(squares / free) if free else 0, count, free)


def of_offers():
    """Kinds by provider, terms and what they lie over."""
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    with open(DATA / "offers.csv", newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["as_of"] < FIRST:
                continue
            for terms, column in PRICES.items():
                if not row[column]:
                    continue
                if "single machine" in row["availability"]:
                    kind = (row["gpu"], row["gpus"], row["as_of"])
                    found[row["provider"], terms, "hosts"][kind].append(float(row[column]))
                elif row["provider"] in BY_REGION and row["region"]:
                    kind = (row["instance"], row["as_of"])
                    found[row["provider"], terms, "regions"][kind].append(float(row[column]))
    return found


def of_catalogue(provider, path):
    """Spot prices by zone, and by region the lowest of its zones."""
    zones = collections.defaultdict(list)
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if not row["AcceleratorName"] or not row["SpotPrice"]:
                continue
            spot = float(row["SpotPrice"])
            listed = float(row["Price"] or 0)
            if spot <= 0 or (listed and (spot >= listed or abs(spot / listed - NO_MARKET) < 1e-3)):
                continue
            kind = (row["InstanceType"], row["AcceleratorName"], row["AcceleratorCount"])
            zones[kind, row["Region"]].append(spot)
    regions = collections.defaultdict(list)
    for (kind, _), prices in zones.items():
        regions[kind].append(min(prices))
    return {(provider, "spot", "zones"): zones, (provider, "spot", "regions"): regions}


def main():
    found = dict(of_offers())
    for argument in sys.argv[1:]:
        provider, _, path = argument.partition("=")
        for key, kinds in of_catalogue(provider, path).items():
            found[(*key[:2], key[2] + f" ({Path(path).name})")] = kinds
    for (provider, terms, over), kinds in sorted(found.items()):
        deviation, count, free = within(kinds)
        if free:
            print(f"{provider},{terms},{over},{deviation:.3f}  {count} kinds, {count + free} prices")


if __name__ == "__main__":
    main()
