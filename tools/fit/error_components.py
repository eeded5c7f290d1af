#!/usr/bin/env python3
"""Fits data/error_components.csv to first contacts: what was predicted for runs before anybody had seen them.

    tools/fit/error_components.py PROGRAM [--write]

Predictions after the fact know too little of what sources differ in: choices were made with their runs in sight. So
data/measured/first_contact.csv decides, which is never refitted. For each figure

1. `site` and `configuration` are the spreads between and within sources of ln(measured / predicted). Between: restricted
   maximum likelihood on a grid, the means of sources with Student's t of 4 degrees of freedom, with the prior of
   tools/fit/error_priors.csv (sd 0.5 in ln). Within: the median absolute distance from the source's median, x 1.4826.
2. Circumstances, software and hardware keep the priors; a run has several of them at once, and first contacts are too
   few to tell them apart.
3. All are scaled by one factor, so that 80 % of first contacts fall inside the ranges that PROGRAM gives these runs,
   sources weighing alike (Dunn, Wasserman and Ramdas 2022, arXiv:1809.07441). Figures of fewer than three sources take
   the middle factor of the others.
"""

import collections
import csv
import json
import math
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RATES = {"tokens_per_second_per_gpu", "output_tokens_per_second", "total_tokens_per_second", "prefill_tokens_per_second"}
FIGURES = {"time": "time", "memory": "memory", "single": "rate", "static": "rate", "saturated": "rate",
           "concurrency": "rate", "prefill": "prefill", "tpot": "tpot", "ttft": "ttft",
           "generation_memory": "generation_memory"}
Z90 = 1.2815515655446004
FEWEST_SOURCES = 3
# Memory of training: most of what first contacts missed by is settings that a table does not state (recomputation, how
# the loss is computed, what lies on the host) and a plan does. Until these are concluded its widths stay those of runs
# whose source was left out of the fit. Memory of generation: two sources, both of small models in eager engines.
HELD = {"memory", "generation_memory"}
LEFT_OUT = "own fit to published runs whose source was left out"
T = 4  # degrees of freedom between sources


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def predictions(program):
    """(source, id, metric) -> figure and standard deviation of ln that the program gives it today."""
    found = {}
    for table in ("train_runs", "infer_runs"):
        out = subprocess.run([program, "validate", str(ROOT / f"data/measured/{table}.csv"), "--json", "--data", str(ROOT / "data")],
                             check=False,
                             capture_output=True, text=True)
        for row in json.loads(out.stdout)["rows"]:
            if row["status"] == "predicted" and row["judged"] and not row["distrust"]:
                sigma = math.log(row["p90"] / row["p10"]) / (2 * Z90)
                found[row["source"], row["id"], row["metric"]] = FIGURES[row["figure"]], sigma
    return found


def first_contacts(program):
    """figure -> source -> [(ln(measured / predicted) of the time or memory, today's standard deviation)]"""
    today = predictions(program)
    counted = {(row["source"], row["id"]): row["rate_counts"] for row in rows_of(ROOT / "data/measured/infer_runs.csv")}
    errors = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in rows_of(ROOT / "data/measured/first_contact.csv"):
        key = row["source"], row["id"], row["metric"]
        if row["status"] != "predicted" or key not in today:
            continue
        # Their tables had no word yet for rates of decoding alone: prompts were counted in, a fault of bookkeeping.
        if row["metric"] == "output_tokens_per_second" and counted.get(key[:2]) == "decode":
            continue
        error = math.log(float(row["measured"]) / float(row["predicted"]))
        figure, sigma = today[key]
        errors[figure][row["source"]].append((-error if row["metric"] in RATES else error, sigma))
    return errors


def within(sources):
    """Robust standard deviation inside sources, each counting as much as 12 runs at most."""
    weighted = []
    for values in sources.values():
        if len(values) < 3:
            continue
        middle = statistics.median(e for e, _ in values)
        weighted += [(abs(e - middle), min(1, 12 / len(values))) for e, _ in values]
    return 1.4826 * quantile(weighted, 0.5) if weighted else None


def quantile(weighted, share):
    weighted = sorted(weighted)
    total, so_far = sum(w for _, w in weighted), 0
    for value, weight in weighted:
        so_far += weight
        if so_far >= share * total:
            return value
    return weighted[-1][0]


def between(sources, inside, prior):
    """Posterior median of the standard deviation between sources."""
    means = [(statistics.fmean(e for e, _ in v), inside ** 2 * (1 + (len(v) - 1) * 0.3) / len(v)) for v in sources.values()]
    grid = [0.03 * (1.5 / 0.03) ** (i / 47) for i in range(48)]
    posterior = []
    for deviation in grid:
        weights = [1.0] * len(means)
        for _ in range(4):
            d = [deviation ** 2 / u + noise for u, (_, noise) in zip(weights, means)]
            mean = sum(y / v for (y, _), v in zip(means, d)) / sum(1 / v for v in d)
            weights = [(T + 1) / (T + (y - mean) ** 2 / v) for (y, _), v in zip(means, d)]
        scale = [deviation ** 2 + noise for _, noise in means]
        likelihood = sum(-0.5 * math.log(v) - (T + 1) / 2 * math.log(1 + (y - mean) ** 2 / (T * v))
                         for (y, _), v in zip(means, scale)) - 0.5 * math.log(sum(1 / v for v in scale))
        posterior.append(likelihood - math.log(deviation / prior) ** 2 / (2 * 0.5 ** 2))
    most = max(posterior)
    return quantile([(g, math.exp(p - most)) for g, p in zip(grid, posterior)], 0.5)


def stretch(sources):
    """What today's standard deviations lack, so that 80 % fall inside, sources weighing alike."""
    return quantile([(abs(e) / sigma, 1 / len(v)) for v in sources.values() for e, sigma in v], 0.8) / Z90


def main():
    errors = first_contacts(sys.argv[1])
    priors = rows_of(ROOT / "tools/fit/error_priors.csv")
    path = ROOT / "data/error_components.csv"
    before = {(row["figure"], row["component"]): float(row["deviation"]) for row in rows_of(path)}
    prior = {(row["figure"], row["component"]): float(row["prior"]) for row in priors}
    factor = {}
    for figure, sources in errors.items():
        if len(sources) >= FEWEST_SOURCES and figure not in HELD:
            factor[figure] = stretch(sources)
    usual = statistics.median(factor.values())
    lines = []
    for row in priors:
        figure, component = row["figure"], row["component"]
        sources = errors.get(figure, {})
        known = len(sources) >= FEWEST_SOURCES and figure not in HELD
        value, origin = prior[figure, component], "own judgement of its size"
        inside = within(sources) if known else None
        if inside and component == "configuration":
            value, origin = inside, "own fit to first contacts"
        elif inside and component == "site":
            value, origin = between(sources, inside, value), "own fit to first contacts"
        # The factor is of the widths that the program has: so many times those, whatever they were made of.
        if component in ("site", "configuration"):
            print(f"{figure:18} {component:14} {len(sources):3} sources  {value:.3f}")
        lines.append([figure, component, value, row["unmeasured"], prior[figure, component], origin,
                      f"{len(sources)} sources" if known else "no figure of its own: the middle of the others"])
    for figure in dict.fromkeys(line[0] for line in lines):
        scale = 1.0 if figure in HELD else factor.get(figure, usual)
        times = scale * before[figure, "site"] / site_of(lines, figure)
        same = all(abs(before.get((l[0], l[1]), 0) / l[2] * site_of(lines, figure) / before[figure, "site"] - 1) < 0.02
                   for l in lines if l[0] == figure)
        if not same:
            times = 1.0
        print(f"{figure:18} stretch {scale:.3f}" + ("" if same else "  (components have changed: build and run again)"))
        for line in lines:
            if line[0] == figure:
                line.append(times)
    if "--write" not in sys.argv:
        return
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["figure", "component", "deviation", "unmeasured", "source", "as_of"])
        for figure, component, value, unmeasured, was, origin, count, times in lines:
            wide = f"{float(unmeasured) * value / was * times:.3g}" if unmeasured else ""
            out.writerow([figure, component, f"{value * times:.3g}", wide,
                          LEFT_OUT if figure in HELD else
                          f"{origin}; all of a figure scaled to hold 80 % of first contacts ({count})", "2026-11"])


def site_of(lines, figure):
    return next(line[2] for line in lines if line[0] == figure and line[1] == "site")


if __name__ == "__main__":
    main()
