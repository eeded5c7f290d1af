#!/usr/bin/env python3
"""Fits data/error_components.csv to first contacts: what was predicted for runs before anybody had seen them.

    tools/fit/error_components.py PROGRAM [--write]

Predictions after the fact know too little of what sources differ in: choices were made with their runs in sight. First
contacts, on the other hand, were predicted by models that have been mended since. The truth lies between. For each figure

1. `site`, `model`, `amount`, `software`, `card` with `generation`, `configuration` and one factor of all circumstances
   together make the errors of two runs of a source likely, which share some of these parts and not others: the most
   likely pairwise (Varin, Reid and Firth 2011), bivariate Student's t of 4 degrees of freedom, a source counting as six
   pairs, with priors of tools/fit/error_priors.csv (sd 0.5 in ln). Of two kinds of runs at once: first contacts, as they
   were predicted then (data/measured/first_contact.csv, which is never refitted), and all runs as they are predicted
   today by constants that were fitted from the priors without their publisher.
2. `configuration` is scaled so that 80 % of pairs of runs of one source, model and GPU fall inside the range of their
   ratio, then `card` and `generation` together so that 80 % of pairs on two GPUs do.
3. All other parts are scaled by one factor, so that the ranges hold 80 % of the runs of both kinds, a source at first
   contact counting twice. As `amount` is in the ratio of some pairs, 2 and 3 are done twice.

Sources weigh alike throughout (Dunn, Wasserman and Ramdas 2022, arXiv:1809.07441). Fewer than three sources tell nothing.

Memory of training takes the priors and runs left out alone. What first contacts missed by was mostly settings that
tables do not tell (recomputation, how the loss is computed, what lies on the host) and a plan does; part of it is
concluded today from a run having fitted, and whether a plan is offered at all rests on this width.

Nor is time to first token fitted to first contacts: they were predicted by one formula of the queue for benchmarks that
begin at once and servers that are asked one by one, which is gone.
"""

import collections
import csv
import json
import math
import random
import shutil
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
NOT_AT_FIRST = {"memory", "ttft"}
FITTED = ["site", "model", "amount", "software", "card", "configuration"]
HARDWARE = ("card", "generation")
UNMEASURED = "unmeasured"
NEXT_TO_NOTHING = 1e-4
MOST = 8  # times what it was
MOST_PAIRS = 150  # of a source that are looked at
PAIRS_A_SOURCE = 6  # that it counts as
CONTACT = 2  # times a source left out, that one at first contact counts for: it was predicted once and by nobody who knew
SURE = 0.5  # standard deviation of priors, in ln
T = 4  # degrees of freedom of errors


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
    """figure -> source -> [(error at first contact, what `validate` says of the run today)]"""
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
        if FIGURES[now["figure"]] not in NOT_AT_FIRST:
            errors[FIGURES[now["figure"]]][row["source"]].append((error(row, row["predicted"]), now))
    return errors


def left_out(rows):
    """figure -> source -> [(error without its publisher, what `validate` says of the run)]"""
    errors = by_figure()
    for (source, _, _), row in rows.items():
        errors[FIGURES[row["figure"]]][source].append((error(row, row["predicted"]), row))
    return errors


def quantile(weighted, share):
    weighted = sorted(weighted)
    total, so_far = sum(w for _, w in weighted), 0
    for value, weight in weighted:
        so_far += weight
        if so_far >= share * total:
            return value
    return weighted[-1][0]


def octave(row, run):
    """Of tokens of a micro-batch on one GPU, of sequences at work at once; 0 where nobody says"""
    def number(column):
        return float(run[column]) if run.get(column) else 0
    if row["kind"] == "training":
        at_once = number("micro_batch") * number("seq_len") / (number("cp") or 1)
    else:
        at_once = number("batch") or number("in_flight")
    return int(math.log2(at_once) + 0.5) if at_once > 1 else 0


class Traits:
    """What of its error a run shares with others: labels, and the variance of its circumstances, all from the program"""

    def __init__(self, program, data, lines):
        self.runs = {(run["source"], run["id"]): run for table in ("train_runs", "infer_runs")
                     for run in rows_of(ROOT / f"data/measured/{table}.csv")}
        self.generation = {gpu["name"]: (gpu["architecture"], gpu["memory_type"]) for gpu in rows_of(ROOT / "data/gpus.csv")}

        def sigmas(lines):
            write_table(data / "error_components.csv", lines)
            return {key: row["sigma"] for key, row in predictions(program, data).items()}

        def with_deviations(of):
            return [[figure, part, of(part, value), of(part, value) if more else None, source]
                    for figure, part, value, more, source in lines]
        # A run's deviations are all multiplied by how much of its memory is open: that, and its circumstances, show
        # where all other parts are next to nothing.
        self.scale = sigmas(with_deviations(lambda part, _: 1 if part == "configuration" else NEXT_TO_NOTHING))
        circumstances = sigmas(with_deviations(lambda part, value: NEXT_TO_NOTHING if part in FITTED or part in HARDWARE else value))
        self.circumstances = {key: (value / self.scale[key]) ** 2 for key, value in circumstances.items()}

    def of(self, row):
        key = row["source"], row["id"], row["metric"]
        return (row["framework"], row["gpu"], self.generation.get(row["gpu"]), row["model"],
                octave(row, self.runs[key[:2]]), row["regime"], self.circumstances[key], self.scale[key])


def pairs_of(sources, traits):
    """[(weight, two errors, two open shares, parts shared (1, a half, 0) in the order of FITTED, circumstances: two
    variances and what is shared)]"""
    draw = random.Random(1)
    found = []
    for runs in sources.values():
        known = [(e, traits.of(row)) for e, row in runs]
        pairs = [(a, b) for i, a in enumerate(known) for b in known[:i]]
        if len(pairs) > MOST_PAIRS:
            pairs = draw.sample(pairs, MOST_PAIRS)
        for (e, a), (f, b) in pairs:
            apart = abs(a[4] - b[4])
            amount = 1 if apart == 0 else 0.5 if apart == 1 else 0
            same = [1, a[3] == b[3], amount, a[0] == b[0], ((a[1] == b[1]) + (a[2] == b[2])) / 2, 0]
            shared = min(a[6], b[6]) * (1 if a[5] == b[5] else 0.5)
            found.append((PAIRS_A_SOURCE / len(pairs), e, f, a[7], b[7], same, a[6], b[6], shared))
    return found


def unlikely(pairs, deviations):
    """-ln of the pairwise likelihood; `deviations` in the order of FITTED, then the factor of circumstances. Card stands
    for generation too."""
    variance = [d * d for d in deviations[:-1]]
    variance[FITTED.index("card")] *= 2
    whole, times = sum(variance), deviations[-1] ** 2
    total = 0
    for weight, e, f, scale, other, same, first, second, shared in pairs:
        a, b = scale * scale * (whole + times * first), other * other * (whole + times * second)
        c = scale * other * (sum(v * s for v, s in zip(variance, same)) + times * shared)
        determinant = max(a * b - c * c, 1e-12)
        distance = (b * e * e - 2 * c * e * f + a * f * f) / determinant
        total += weight * (0.5 * math.log(determinant) + (T + 2) / 2 * math.log(1 + distance / T))
    return total


def most_likely(pairs, priors):
    """Deviations in the order of FITTED and the factor of circumstances."""
    def loss(steps):
        return unlikely(pairs, [p * math.exp(s) for p, s in zip(priors, steps)]) + sum(s * s for s in steps) / (2 * SURE ** 2)
    steps = [0.0] * len(priors)
    best = loss(steps)
    for step in (0.5, 0.5, 0.25, 0.25, 0.12, 0.06):
        for i in range(len(steps)):
            for way in (step, -step):
                while True:
                    there = steps[:i] + [steps[i] + way] + steps[i + 1:]
                    value = loss(there)
                    if value >= best or abs(there[i]) > 3:
                        break
                    steps, best = there, value
    return [p * math.exp(s) for p, s in zip(priors, steps)]


def stretch(*kinds):
    """What standard deviations lack, so that 80 % fall inside; of each kind of runs its weight and its sources, which
    weigh alike."""
    return quantile([(abs(e) / row["sigma"], weight / len(v)) for weight, sources in kinds for v in sources.values()
                     for e, row in v], 0.8) / Z90


def pairs(program, data):
    """figure -> whether on two GPUs -> source -> [(error of the ratio, its standard deviation)]"""
    out = subprocess.run([program, "validate", "--left-out", "--pairs", "--json", "--data", data], check=True,
                         capture_output=True, text=True)
    found = collections.defaultdict(by_figure)
    for row in json.loads(out.stdout)["pairs"]["rows"]:
        found[row["figure"]][row["differs"] == "gpu"][row["source"]].append((row["log_error"], {"sigma": row["log_deviation"]}))
    return found


def scaled(lines, factors):
    """The table with deviations multiplied: factors[figure, component]. What hardware has without a run of its own is
    multiplied as circumstances are."""
    result = []
    for figure, component, value, unmeasured, source in lines:
        times = factors.get((figure, component), 1)
        alone = factors.get((figure, UNMEASURED), 1) if component in HARDWARE else times
        wide = max(unmeasured * alone, value * times) if unmeasured else None  # a run makes nothing wider
        result.append([figure, component, value * times, wide, source])
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
            return {figure: stretch((1, kinds[two_gpus])) if len(kinds[two_gpus]) >= FEWEST_SOURCES else None
                    for figure, kinds in pairs(program, data).items()}

        def of_runs():
            contacts = first_contacts(predictions(program, data))
            others = left_out(predictions(program, data, "--left-out"))
            return {figure: stretch((CONTACT, contacts.get(figure, {})), (1, others[figure])) for figure in others}

        traits = Traits(program, data, lines)
        contacts = first_contacts(predictions(program, data))
        others = left_out(predictions(program, data, "--left-out"))
        for figure in others:
            prior = {line[1]: line[2] for line in lines if line[0] == figure}
            found = most_likely(pairs_of(others[figure], traits) + pairs_of(contacts.get(figure, {}), traits),
                                [prior[part] for part in FITTED] + [1])
            said = f"own fit to pairs of runs of {len(others[figure])} sources"
            if contacts.get(figure):
                said += f" left out and {len(contacts[figure])} at first contact"
            for line in lines:
                if line[0] != figure:
                    continue
                part = "card" if line[1] == "generation" else line[1]
                times = found[FITTED.index(part)] / prior[part] if part in FITTED else found[-1]
                line[2] *= times
                if line[3] and part not in HARDWARE:
                    line[3] *= times
                if part in FITTED:
                    line[4] = said
            print(f"{figure:18}", *(f"{part} {value:.3f} " for part, value in zip([*FITTED, "circumstances x"], found)))
        rest = dict.fromkeys(line[1] for line in lines if line[1] != "configuration" and line[1] not in HARDWARE)
        for _ in range(2):
            lines = fit(lines, data, ["configuration"], lambda: of_pairs(False))
            lines = fit(lines, data, HARDWARE, lambda: of_pairs(True))
            lines = fit(lines, data, [*rest, UNMEASURED], of_runs)
    for line in lines:
        both = f"first contacts ({len(contacts[line[0]])} sources) and of " if contacts.get(line[0]) else ""
        if line[1] in rest:
            line[4] += f"; scaled with the figure's others to hold 80 % of {both}runs left out ({len(others[line[0]])} sources)"
        else:
            line[4] += "; scaled to hold 80 % of pairs"
        if line[1] in FITTED or line[1] in HARDWARE:
            print(f"{line[0]:18} {line[1]:14} {line[2]:.3f}")
    if "--write" in sys.argv:
        write_table(ROOT / "data/error_components.csv", lines)


if __name__ == "__main__":
    main()
