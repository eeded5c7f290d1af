#!/usr/bin/env python3
"""Measures the program and writes docs/speed.md. Takes about three minutes; best on a machine that does nothing else.

    cmake --build --preset release --target gpuplan gpuplan_bench
    bench/write_speed.py [--runs N] [--folder build/release]
"""

import argparse
import csv
import datetime
import json
import math
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import page_answers
import whole_process

ROOT = whole_process.ROOT


# By the commands it names, anew when the build changes much: they take an hour.
BUILDING = """## Building and testing

Measured by hand on 2026-11-23 on the same machine, in a fresh clone, with the packages there and no compiler cache.

| what | command | figure | target |
| --- | --- | ---: | ---: |
| first plan | `CCACHE_DISABLE=1 ./gpuplan plan examples/collection.yaml` | 192 s, 354 s of processor | 120 s |
| one file of `output/` changed | `ninja -C build/release gpuplan` | 3.2 to 6.9 s | 8 s |
| all tests | `./test` (`./test --list` has the stages) | 38 min | 20 min |
| everyday tests, built before | `./test quick` | 37 s | 3 min |
| program, stripped | `strip -o p build/release/gpuplan` | 6.04 MB | 6 MB |
"""


def machine():
    """The processor in words, and how many of them there are."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    words = re.sub(r"\((?:R|TM)\)", "", name[1]).strip() if name else os.uname().machine
    return re.sub(r"\s+", " ", words), os.cpu_count()


def system():
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    name = re.search(r'^PRETTY_NAME="?([^"\n]*)', text, re.MULTILINE)
    return name[1] if name else "Linux"


def compiler(folder):
    cache = (folder / "CMakeCache.txt").read_text(encoding="utf-8")
    path = re.search(r"^CMAKE_CXX_COMPILER:[A-Z]*=(.*)$", cache, re.MULTILINE)[1]
    version = subprocess.run([path, "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    kind = re.search(r"^CMAKE_BUILD_TYPE:[A-Z]*=(.*)$", cache, re.MULTILINE)[1]
    return f"{Path(path).name} {version}, {kind}"


def benchmarks(folder):
    """The least time of each benchmark over five repetitions, in seconds, and its items a second at that time."""
    command = [folder / "gpuplan_bench", "--benchmark_format=json", "--benchmark_repetitions=5",
               "--benchmark_min_time=0.1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    unit = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1}
    best = {}
    for row in json.loads(done.stdout)["benchmarks"]:
        if row["run_type"] != "iteration" or row.get("error_occurred"):
            continue
        seconds = row["cpu_time"] * unit[row["time_unit"]]
        if row["run_name"] not in best or seconds < best[row["run_name"]]["seconds"]:
            best[row["run_name"]] = {"seconds": seconds, "rate": row.get("items_per_second"),
                                     "bytes": row.get("bytes_per_second")}
    return best


def large_log(program, size=1_000_000_000):
    """Seconds and bytes of memory that `gpuplan check` takes for a nanochat log of `size` bytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.log"
        with path.open("w", encoding="utf-8") as file:
            step = 0
            while file.tell() < size:
                lines = [f"step {i:07d}/9000000 ({i / 9e4:.2f}%) | loss: {2 + 9 / math.sqrt(1 + i):.6f} | lrm: 1.00 | dt: "
                         f"{990 + i % 7 * 0.37:.2f}ms | tok/sec: 528,{i % 1000:03d} | bf16_mfu: 40.62 | epoch: 1 pq: 0 rg: "
                         f"14 | total time: {i / 60:.2f}m | eta: 0.0m\n" for i in range(step, step + 20_000)]
                file.write("".join(lines))
                step += len(lines)
        command = [os.path.abspath(program), "check", str(path), "--job", "examples/trm-nanochat.yaml", "--phase", "validate"]
        timed = [whole_process.time_once(command) for _ in range(3)]
        if any(run[2] not in (0, 6) for run in timed):
            sys.exit(f"write_speed: exit code {timed[0][2]} of {' '.join(command)}")
        return min(run[1] for run in timed) / 1e3, path.stat().st_size, whole_process.largest_resident_set(command)


def launches(program, runs):
    """For each launcher the least milliseconds from start to exit of every example's scripts; examples that it can not
    start are left out."""
    words = subprocess.run([program, "launch", "--help"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  (\w+) ", words.split("Launchers for --to:")[1], re.MULTILINE)
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            for job in sorted((ROOT / "examples").glob("*.yaml")):
                command = [os.path.abspath(program), "launch", f"examples/{job.name}", "--to", name, "-o",
                           f"{folder}/{name}-{job.stem}", "--force"]
                timed = [whole_process.time_once(command) for _ in range(runs + 2)][2:]
                if timed[0][2] == 0:
                    found.setdefault(name, {})[job.stem] = (min(run[0] for run in timed), min(run[1] for run in timed))
    return found


def price_list(path, rows):
    """`rows` offers of many GPUs, counts, places and prices, drawn by the same dice every time."""
    dice = random.Random(rows)
    with open(ROOT / "data/gpus.csv", encoding="utf-8") as file:
        gpus = [row[0] for row in csv.reader(file)][1:]
    with path.open("w", encoding="utf-8") as file:
        file.write("gpu,gpus,price_per_hour,provider,region\n")
        for _ in range(rows):
            count = dice.choice([1, 1, 2, 4, 8])
            file.write(f"{dice.choice(gpus)},{count},{count * dice.uniform(0.2, 8):.3f},p{dice.randrange(40)},"
                       f"r{dice.randrange(200)}\n")


def long_job(path, phases, chain, own=False):
    """Training and fixed work in turn; in a row, or all at once. `own`: no two phases take as long."""
    with path.open("w", encoding="utf-8") as file:
        file.write("phases:\n")
        for i in range(phases):
            size = i + 1 if own else 1
            work = (f"fixed: {{gpus: 1, time: {size} min}}" if i % 2 else
                    f"train: {{model: gpt2, data: {{tokens: {size}M}}, sequence: 1024}}")
            needs = f", needs: [p{i - 1}]" if chain and i > 0 else ""
            file.write(f"  - {{name: p{i}, {work}{needs}}}\n")
        file.write("market: {use: only, offers: [{gpu: H100 SXM, price: 2}, {gpu: T4, gpus: 4, price: 1}, "
                   "{gpu: L4, price: 0.6}]}\n")


def large(program):
    """Rows of the table of questions much larger than usual: what is asked, processor seconds, megabytes."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        asked = []
        for offers in (16_000, 100_000):
            prices = Path(folder) / f"{offers}.csv"
            price_list(prices, offers)
            for job in ("llama-8b-lora", "generate-70b"):
                for form in ("", " --json"):
                    asked.append((f"{offers:,} offers, {job}{form}",
                                  ["plan", f"examples/{job}.yaml", "--prices", str(prices), *form.split()]))
            asked.append((f"{offers:,} offers, `offers`", ["offers", "--prices", str(prices)]))
        for words, chain, own in (("in a row", True, False), ("in a row, no two alike", True, True),
                                  ("at once", False, False)):
            job = Path(folder) / f"{words}.yaml"
            long_job(job, 1_000, chain, own)
            for form in ("", " --json"):
                asked.append((f"1,000 phases {words}{form}", ["plan", str(job), *form.split()]))
        for words, arguments in asked:
            command = [os.path.abspath(program), *arguments]
            timed = [whole_process.time_once(command) for _ in range(3)]
            if any(run[2] not in (0, 3, 4) for run in timed):
                sys.exit(f"write_speed: exit code {timed[0][2]} of {' '.join(command)}")
            rows.append([words, f"{min(run[1] for run in timed) / 1e3:.2f}",
                         f"{whole_process.largest_resident_set(command) / 1e6:.0f}"])
    return rows


def table(head, rows):
    """A Markdown table; columns after the first are numbers."""
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def micro(seconds):
    return f"{seconds * 1e6:,.0f}" if seconds >= 1e-4 else f"{seconds * 1e6:.2g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=str(ROOT / "build/release"))
    parser.add_argument("--runs", type=int, default=200)
    options = parser.parse_args()
    folder = Path(options.folder).resolve()
    os.chdir(ROOT)
    if not shutil.which("valgrind"):
        sys.exit("write_speed: needs valgrind for the instruction counts (apt install valgrind)")
    load = os.getloadavg()[0]
    program = folder / "gpuplan"
    runs = [whole_process.measure(program, arguments, options.runs) for arguments in whole_process.commands()]
    best = benchmarks(folder)

    processor, cores = machine()
    whole = table(
        ["command", "least ms", "least processor ms", "peak MB", "M instructions"],
        [[f"`{run['name']}`", f"{run['least_ms']:.1f}", f"{run['processor_ms']:.1f}", f"{run['megabytes']:.1f}",
          f"{whole_process.instructions(run['command']) / 1e6:.1f}"] for run in runs])
    names = sorted(name.split("/")[1] for name in best if name.startswith("bm_search/"))
    inside = table(
        ["example", "read the job, µs", "search, µs", "candidates a second, M"],
        [[name, micro(best[f"bm_read/{name}"]["seconds"]), micro(best[f"bm_search/{name}"]["seconds"]),
          f"{best[f'bm_search/{name}']['rate'] / 1e6:.2f}"] for name in names])
    estimates = table(
        ["estimate of one candidate", "ns", "M a second and core"],
        [[words, f"{best[key]['seconds'] * 1e9:.0f}", f"{1e-6 / best[key]['seconds']:.2f}"] for words, key in [
            ("training, from a layer cost in the table", "bm_estimate"),
            ("training, with its layer cost", "bm_layer_and_estimate"),
            ("generation, saturated, dense 70B", "bm_generation_dense"),
            ("generation, one sequence, dense 70B", "bm_generation_single"),
            ("generation, saturated, mixture of experts", "bm_generation_experts"),
            ("generation, four models of one shape", "bm_generation_four_models")]])
    parts = table(
        ["part", "µs"],
        [[words, micro(best[key]["seconds"])] for words, key in [
            ("taking the facts that are built in, at every start", "built_in_facts"),
            ("reading all data files, in the build and for `--data`", "whole_catalogue"),
            ("marking the frontier of all plans of `llama-8b-lora`", "bm_frontier"),
            ("a total of three uncertain parts and its quantiles (257 joint samples)", "bm_samples"),
            ("placing seven phases in time, once", "bm_timeline"),
            ("`exp` of `base/math.h`", "bm_exp"),
            ("`log`", "bm_log"),
            ("`pow`", "bm_pow")]])
    schedules = table(
        ["12 phases, 150 offers", "ms"],
        [[words, f"{best[key]['seconds'] * 1e3:.1f}"] for words, key in [
            ("in a row, billed by the second", "bm_chain"),
            ("in a row, 3 minutes to start", "bm_chain_with_start"),
            ("in a row, by the hour, 3 minutes to start", "bm_chain_by_the_hour"),
            ("with two forks, by the second", "bm_diamonds"),
            ("with two forks, 3 minutes to start", "bm_diamonds_with_start")]])
    policies = ["on demand", "spot only", "greedy", "time sliced", "uniform progress"]
    rows = [("48 h at 5 %/h on spot alone, interruption to interruption", "bm_histories_exponential"),
            ("the same, machines that live a day at most", "bm_histories_bathtub")]
    rows += [(f"48 h of a made-up trace of 28 days, {name}", f"replays/{i}") for i, name in enumerate(policies)]
    rows += [(f"48 h at 5 %/h with checkpoints, {name}", f"histories/{i}") for i, name in enumerate(policies)]
    histories = table(["history", "M a second and core"], [[words, f"{best[key]['rate'] / 1e6:.2f}"] for words, key in rows])
    written = launches(program, max(options.runs // 3, 5))
    scripts = table(
        ["launcher", "examples", "middle, ms", "longest, ms", "which", "processor ms of that", "files of sft-node alone, ms"],
        [[name, str(len(times)), f"{statistics.median(time[0] for time in times.values()):.1f}",
          f"{max(times.values())[0]:.1f}", max(times, key=times.get), f"{max(times.values())[1]:.1f}",
          f"{best[f'bm_launch/{name}']['seconds'] * 1e3:.2f}" if f"bm_launch/{name}" in best else "refused"]
         for name, times in written.items()])
    logs = table(
        ["format", "MB a second", "with four metrics of a job"],
        [[name.replace("_", " "), f"{best[f'bm_log/{name}']['bytes'] / 1e6:.0f}",
          f"{best[f'bm_log_metrics/{name}']['bytes'] / 1e6:.0f}"]
         for name in sorted(key.split("/")[1] for key in best if key.startswith("bm_log/"))])
    knobs = page_answers.rows(program, price_list)
    seconds, size, resident = large_log(program)
    many = table(["asked", "processor s", "peak MB"], large(program))
    measured = textwrap.fill(
        f"Measured {datetime.date.today().isoformat()} on {processor}, {cores} cores, {system()}, {compiler(folder)}; load "
        f"average of the machine before the measurement: {load:.1f}. Times are the least of {options.runs} runs (whole "
        "program) or of five repetitions (inside), because other work on the machine only adds to them.", 120)
    text = f"""# Speed

Written by `bench/write_speed.py`; do not edit by hand.

{measured}

## Whole runs

From start to exit, with reading the facts and the job and writing the table. Targets: a plan of an example under 10 ms and 20 MB, no
command above 30 ms and 30 MB; `--version` under 3 ms. Processor time is that of all threads together; where other work holds
the processors it is nearer the truth than the clock. Instructions are counted by callgrind on one thread and depend on
nothing else.

{whole}

{BUILDING}
## The search, inside the program

One thread. Candidates are all ways that were looked at, rejected ones too; many are rejected by memory before their
time is worked out, and the time of the search has the bills and the frontier in it.

{inside}

## Estimates

Targets: a million a second and core when the layer has to be worked out, five million when it is in the table.

{estimates}

## Schedules

The frontier of all schedules of a job, every phase on machines of its own or kept from another. Target: 200 ms.

{schedules}

## Spot

Targets: a million histories of a 48 h job a second and core, 20,000 replays of a trace.

{histories}

## Large markets and long jobs

Whole runs of `gpuplan plan` (and `gpuplan offers`) on price lists of made-up offers, and of jobs with as many phases as are
allowed. Targets: 16,000 offers in 0.5 s, 100,000 in 4 s and 300 MB, 1,000 phases in 2 s and 150 MB,
as JSON too.

{many}

## Knobs of a page

How long the planner in a page of `gpuplan report` takes for a turned knob, in node: the least of {page_answers.TURNS} answers. The
plan comes first, what moves it most in a second answer, which holds the plan again. Targets: the plan in 50 ms over the offers that
are built in, in 250 ms over 5,000 offers.

{page_answers.table(knobs)}

## Launch scripts

`gpuplan launch`, from start to exit: the search, and all files of a folder on the disk. Target: 20 ms. The last column is
what the search is not: the texts of all files, of the example with most phases.

{scripts}

## Logs

What `gpuplan check` reads, on one core. Targets: 200 MB a second, with four regular expressions of a job too, and 60 MB of
memory for a log of 1 GB. A nanochat log of {size / 1e9:.1f} GB took {seconds:.1f} s of processor time (the whole run, with the four
metrics of its phase) and {resident / 1e6:.1f} MB of memory.

{logs}

## Parts

{parts}
"""
    (ROOT / "docs/speed.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
