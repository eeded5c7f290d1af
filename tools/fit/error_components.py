#!/usr/bin/env python3
"""Fits data/error_components.csv to first contacts: what was predicted for runs before anybody had seen them.

    tools/fit/error_components.py PROGRAM [--write]

Predictions after the fact know too little of what sources differ in: choices were made with their runs in sight. First
contacts, on the other hand, were predicted by models that have been mended since. The truth lies between. For each figure

1. Runs of one source on the same GPU in the same software, predicted today without their publisher, lie apart by what is
   left to one run, and farther apart where the network is another (`model`) or where tokens or sequences at work at once
   differ by two octaves and more (`amount`): what these pairs have more of variance than those that share both, by
   medians.
2. What two runs of one source and model do not share tells of what is left to one run and of GPUs. `configuration` is
   scaled so that 80 % of pairs on the same GPU fall inside the range of their ratio, then `card` and `generation`
   together so that 80 % of pairs on two GPUs do, with runs as they are predicted today by constants that were fitted from
   the priors without their publisher.
3. `site` is the spread between sources of ln(measured / predicted) at first contact (data/measured/first_contact.csv,
   which is never refitted): restricted maximum likelihood on a grid, the means of sources with Student's t of 4 degrees
   of freedom, with the prior of tools/fit/error_priors.csv (sd 0.5 in ln).
4. Circumstances and software keep the priors; a run has several of them at once, and first contacts are too few to tell
   them apart.
5. Parts of 3 and 4 are scaled by one factor, so that the ranges hold 80 % of the runs of two kinds of sources together:
   those of first contacts, as they were predicted then, and all, as they are predicted today without their publisher.

Sources weigh alike throughout (Dunn, Wasserman and Ramdas 2022, arXiv:1809.07441). Fewer than three sources tell nothing.

Memory of training takes the priors and runs left out alone. What first contacts missed by was mostly settings that
tables do not tell (recomputation, how the loss is computed, what lies on the host) and a plan does; part of it is
concluded today from a run having fitted, and whether a plan is offered at all rests on this width.

Time to first token is not scaled to first contacts either: they were predicted by one formula of the queue for benchmarks that
begin at once and servers that are asked one by one, which is gone. Their spread between sources still makes its `site`.
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
MENDED = {"ttft"}
HARDWARE = ("card", "generation")
APART = {"model": 0, "amount": 2}  # octaves from which on nothing of it is shared
UNMEASURED = "unmeasured"
MOST = 8  # times a prior
LEAST = 0.005  # of a standard deviation
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


def amount(row, run):
    """log2 of tokens of a micro-batch on one GPU, of sequences at work at once; None where nobody says"""
    def number(column):
        return float(run[column]) if run.get(column) else 0
    if row["kind"] == "training":
        at_once = number("micro_batch") * number("seq_len") / (number("cp") or 1)
    else:
        at_once = number("batch") or number("in_flight") or (1 if run["mode"] == "single" else 0)
    return math.log2(at_once) if at_once > 0 else None


def apart(rows):
    """figure -> component of APART, or None where both are shared -> source -> how far pairs of runs lie apart"""
    runs = {(run["source"], run["id"]): run
            for table in ("train_runs", "infer_runs") for run in rows_of(ROOT / f"data/measured/{table}.csv")}
    alike = collections.defaultdict(list)
    for (source, name, _), row in rows.items():
        alike[FIGURES[row["figure"]], source, row["gpu"], row["framework"]].append(
            (error(row, row["predicted"]), row["model"], amount(row, runs[source, name])))
    found = collections.defaultdict(by_figure)
    for (figure, source, _, _), group in alike.items():
        for i, (first, model, at_once) in enumerate(group):
            for second, other, there in group[:i]:
                if at_once is None or there is None:
                    continue
                octaves = abs(at_once - there)
                if octaves < 0.5:
                    found[figure][None if model == other else "model"][source].append(abs(first - second))
                elif octaves >= APART["amount"] and model == other:
                    found[figure]["amount"][source].append(abs(first - second))
    return found


def variance_apart(sources):
    """Of one run, from distances of pairs; None of too few sources"""
    weighted = [(d, 1 / len(of)) for of in sources.values() for d in of]
    return (1.4826 * quantile(weighted, 0.5)) ** 2 / 2 if len(sources) >= FEWEST_SOURCES else None


def stretch(*kinds):
    """What standard deviations lack, so that 80 % fall inside, sources weighing alike."""
    return quantile([(abs(e) / sigma, 1 / len(v)) for sources in kinds for v in sources.values() for e, sigma in v],
                    0.8) / Z90


def pairs(program, data):
    """figure -> whether on two GPUs -> source -> [(error of the ratio, its standard deviation)]"""
    out = subprocess.run([program, "validate", "--left-out", "--pairs", "--json", "--data", data], check=True,
                         capture_output=True, text=True)
    found = collections.defaultdict(by_figure)
    for row in json.loads(out.stdout)["pairs"]["rows"]:
        found[row["figure"]][row["differs"] == "gpu"][row["source"]].append((row["log_error"], row["log_deviation"]))
    return found


def scaled(lines, factors):
    """The table with deviations multiplied: factors[figure, component]. What hardware has without a run of its own is
    multiplied as circumstances are."""
    result = []
    for figure, component, value, unmeasured, source in lines:
        times = factors.get((figure, component), 1)
        alone = factors.get((figure, UNMEASURED), 1) if component in HARDWARE else times
        result.append([figure, component, value * times, unmeasured * alone if unmeasured else None, source])
    return result


def fit(lines, data, components, missing):
    """Scales `components` of each figure until what its ranges lack, which `missing` tells by figure, is 1. A figure of
    which it tells nothing stays."""
    low, high = {}, {}
    figures = dict.fromkeys(line[0] for line in lines)
    now = dict.fromkeys(figures, 1.0)
    for _ in range(12):
        write_table(data / "error_components.csv",
                    scaled(lines, {(f, c): now[f] for f in figures for c in components}))
        lacks = missing()
        for figure in figures:
            lack = lacks.get(figure)
            if lack is None:
                continue
            (low if lack > 1 else high)[figure] = now[figure]
            if figure in low and figure in high:
                now[figure] = math.sqrt(low[figure] * high[figure])
            else:
                now[figure] = min(MOST, max(1 / MOST, now[figure] * (2 if lack > 1 else 0.5)))
    return scaled(lines, {(f, c): now[f] for f in figures for c in components})


def write_table(path, lines):
    """Rows of parts that have no prior are judged by hand and stay as they are."""
    present = rows_of(ROOT / "data/error_components.csv")
    fitted = {(line[0], line[1]) for line in lines}
    with open(path, "w", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["figure", "component", "deviation", "unmeasured", "source", "as_of"])
        for of in dict.fromkeys(line[0] for line in lines):
            for figure, component, value, unmeasured, source in lines:
                if figure == of:
                    out.writerow([figure, component, f"{value:.3g}", f"{unmeasured:.3g}" if unmeasured else "", source, AS_OF])
            for row in present:
                if row["figure"] == of and (of, row["component"]) not in fitted:
                    out.writerow(row.values())


def main():
    program = sys.argv[1]
    lines = []
    for row in rows_of(ROOT / "tools/fit/error_priors.csv"):
        unmeasured = float(row["unmeasured"]) if row["unmeasured"] else None
        lines.append([row["figure"], row["component"], float(row["prior"]), unmeasured, "own judgement of its size"])
    with tempfile.TemporaryDirectory() as folder:
        data = shutil.copytree(ROOT / "data", Path(folder) / "data")

        def of_pairs(two_gpus):
            return {figure: stretch(kinds[two_gpus]) if len(kinds[two_gpus]) >= FEWEST_SOURCES else None
                    for figure, kinds in pairs(program, data).items()}

        def of_runs():
            contacts = first_contacts(predictions(program, data))
            others = left_out(predictions(program, data, "--left-out"))
            return {figure: stretch({} if figure in MENDED else contacts.get(figure, {}), others[figure])
                    for figure in others}

        distances = apart(predictions(program, data, "--left-out"))
        for line in lines:
            figure, component = line[:2]
            if component not in APART:
                continue
            here, there = (variance_apart(distances[figure][what]) for what in (component, None))
            if here is not None and there is not None:
                line[2] = max(math.sqrt(max(0, here - there)), LEAST)
                line[4] = f"own fit to pairs of runs of {len(distances[figure][component])} sources"
        lines = fit(lines, data, ["configuration"], lambda: of_pairs(False))
        lines = fit(lines, data, HARDWARE, lambda: of_pairs(True))
        counts = {figure: {gpus: len(of) for gpus, of in kinds.items()} for figure, kinds in pairs(program, data).items()}
        contacts = first_contacts(predictions(program, data))
        for line in lines:
            figure, component = line[:2]
            sources = contacts.get(figure, {})
            if component == "site" and len(sources) >= FEWEST_SOURCES:
                line[2] = between(sources, within(sources), line[2])
                line[4] = f"own fit to first contacts of {len(sources)} sources"
                print(f"{figure:18} site at first contact of {len(sources):2} sources  {line[2]:.3f}")
            elif component == "configuration" or component in HARDWARE:
                count = counts.get(figure, {}).get(component in HARDWARE, 0)
                if count >= FEWEST_SOURCES:
                    line[4] = f"own fit to pairs of runs of {count} sources"
        told = {"configuration", *HARDWARE, *APART}
        rest = dict.fromkeys(line[1] for line in lines if line[1] not in told)
        lines = fit(lines, data, [*rest, UNMEASURED], of_runs)
        others = left_out(predictions(program, data, "--left-out"))
    for line in lines:
        if line[1] in rest:
            sources = contacts.get(line[0], {})
            both = f"first contacts ({len(sources)} sources) and of " if sources and line[0] not in MENDED else ""
            line[4] += f"; scaled with the figure's others to hold 80 % of {both}runs left out ({len(others[line[0]])} sources)"
        if line[1] in told or line[1] == "site":
            print(f"{line[0]:18} {line[1]:14} {line[2]:.3f}")
    if "--write" in sys.argv:
        write_table(ROOT / "data/error_components.csv", lines)


if __name__ == "__main__":
    main()
