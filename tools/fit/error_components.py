#!/usr/bin/env python3
"""Fits data/error_components.csv to first contacts: what was predicted for runs before anybody had seen them.

    tools/fit/error_components.py PROGRAM [--write]

Predictions after the fact know too little of what sources differ in: choices were made with their runs in sight. First
contacts, on the other hand, were predicted by models that have been mended since. The truth lies between. For each figure

1. `site` and `configuration` are the spreads between and within sources of ln(measured / predicted) at first contact
   (data/measured/first_contact.csv, which is never refitted). Between: restricted maximum likelihood on a grid, the means
   of sources with Student's t of 4 degrees of freedom, with the prior of tools/fit/error_priors.csv (sd 0.5 in ln).
   Within: the median absolute distance from the source's median, x 1.4826. Figures of fewer than three sources keep the
   priors.
2. Circumstances, software and hardware keep the priors; a run has several of them at once, and first contacts are too
   few to tell them apart.
3. All are scaled by one factor, so that the ranges of PROGRAM hold 80 % of the runs of two kinds of sources together,
   sources weighing alike (Dunn, Wasserman and Ramdas 2022, arXiv:1809.07441): those of first contacts, as they were
   predicted then, and all, as they are predicted today with constants fitted from the priors without their publisher.

Memory of training takes the priors and runs left out alone. What first contacts missed by was mostly settings that
tables do not tell (recomputation, how the loss is computed, what lies on the host) and a plan does; part of it is
concluded today from a run having fitted, and whether a plan is offered at all rests on this width.
"""

import collections
import csv
import json
import math
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RATES = {"tokens_per_second_per_gpu", "output_tokens_per_second", "total_tokens_per_second", "prefill_tokens_per_second"}
FIGURES = {"time": "time", "memory": "memory", "single": "rate", "static": "rate", "saturated": "rate",
           "concurrency": "rate", "prefill": "prefill", "tpot": "tpot", "ttft": "ttft",
           "generation_memory": "generation_memory"}
Z90 = 1.2815515655446004
AS_OF = "2026-11"
FEWEST_SOURCES = 3
PLANS_SAY_MORE = {"memory"}
T = 4  # degrees of freedom between sources


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def predictions(program, data, *options):
    """(source, id, metric) -> the row of `validate` where a figure is judged, with its standard deviation of ln"""
    out = subprocess.run([program, "validate", "--all", "--json", "--data", data, *options], check=True,
                         capture_output=True, text=True)
    found = {}
    for row in json.loads(out.stdout)["rows"]:
        if row["status"] == "predicted" and row["judged"] and not row["distrust"]:
            row["sigma"] = math.log(row["p90"] / row["p10"]) / (2 * Z90)
            found[row["source"], row["id"], row["metric"]] = row
    return found


def error(row, predicted):
    """ln(measured / predicted) of the time or the memory"""
    sign = -1 if row["metric"] in RATES else 1
    return sign * math.log(float(row["measured"]) / float(predicted))


def by_figure():
    return collections.defaultdict(lambda: collections.defaultdict(list))


def first_contacts(today):
    """figure -> source -> [(error at first contact, today's standard deviation)]"""
    counted = {(row["source"], row["id"]): row["rate_counts"] for row in rows_of(ROOT / "data/measured/infer_runs.csv")}
    errors = by_figure()
    for row in rows_of(ROOT / "data/measured/first_contact.csv"):
        key = row["source"], row["id"], row["metric"]
        if row["status"] != "predicted" or key not in today:
            continue
        # Their tables had no word yet for rates of decoding alone: prompts were counted in, a fault of bookkeeping.
        if row["metric"] == "output_tokens_per_second" and counted.get(key[:2]) == "decode":
            continue
        now = today[key]
        if FIGURES[now["figure"]] in PLANS_SAY_MORE:
            continue
        errors[FIGURES[now["figure"]]][row["source"]].append((error(row, row["predicted"]), now["sigma"]))
    return errors


def left_out(rows):
    """figure -> source -> [(error without its publisher, standard deviation)]"""
    errors = by_figure()
    for (source, _, _), row in rows.items():
        errors[FIGURES[row["figure"]]][source].append((error(row, row["predicted"]), row["sigma"]))
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


def stretch(*kinds):
    """What standard deviations lack, so that 80 % fall inside, sources weighing alike."""
    return quantile([(abs(e) / sigma, 1 / len(v)) for sources in kinds for v in sources.values() for e, sigma in v],
                    0.8) / Z90


def write_table(path, lines):
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["figure", "component", "deviation", "unmeasured", "source", "as_of"])
        for figure, component, value, unmeasured, source in lines:
            out.writerow([figure, component, f"{value:.3g}", f"{unmeasured:.3g}" if unmeasured else "", source, AS_OF])


def main():
    program = sys.argv[1]
    priors = rows_of(ROOT / "tools/fit/error_priors.csv")
    with tempfile.TemporaryDirectory() as folder:
        data = shutil.copytree(ROOT / "data", Path(folder) / "data")
        contacts = first_contacts(predictions(program, data))
        lines = []
        for row in priors:
            figure, component = row["figure"], row["component"]
            sources = contacts.get(figure, {})
            prior = value = float(row["prior"])
            origin = "own judgement of its size"
            inside = within(sources) if len(sources) >= FEWEST_SOURCES else None
            if inside and component in ("site", "configuration"):
                value = inside if component == "configuration" else between(sources, inside, prior)
                origin = "own fit to first contacts"
                print(f"{figure:18} {component:14} {len(sources):3} sources  {value:.3f}")
            unmeasured = float(row["unmeasured"]) if row["unmeasured"] else None
            lines.append([figure, component, value, unmeasured, origin])
        # All deviations of a figure scale its ranges: their factor is found at once.
        write_table(data / "error_components.csv", lines)
        contacts = first_contacts(predictions(program, data))
        others = left_out(predictions(program, data, "--left-out"))
    for figure in dict.fromkeys(line[0] for line in lines):
        sources = contacts.get(figure, {})
        times = stretch(sources, others[figure])
        alone = f" ({stretch(sources):.3f} alone)" if sources else ""
        print(f"{figure:18} x {times:.3f}: {len(sources)} sources at first contact{alone}, "
              f"{len(others[figure])} left out ({stretch(others[figure]):.3f} alone)")
        for line in lines:
            if line[0] == figure:
                line[2] *= times
                line[3] = line[3] * times if line[3] else None
                both = f"first contacts ({len(sources)} sources) and of " if sources else ""
                line[4] += f"; all of a figure scaled to hold 80 % of {both}runs left out ({len(others[figure])} sources)"
    if "--write" in sys.argv:
        write_table(ROOT / "data/error_components.csv", lines)


if __name__ == "__main__":
    main()
