#!/usr/bin/env python3
"""Times whole runs of the program, from start to exit, and prints a Markdown table.

    bench/whole_process.py [--runs N] [--instructions] [--check] [build/release/gpuplan]

--instructions: a column with the instructions of one run on one thread (needs valgrind); they do not depend on what
                else the machine does.
--check:        exit code 1 when a limit is exceeded (30 ms and 30 MB, 3 ms for --version: medians).
"""

import argparse
import ctypes
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUIET = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]
# What a run may take: milliseconds (median) and megabytes.
LIMITS = {"--version": (3, 30)}
LIMIT = (30, 30)
THREADED = {"plan", "profiles", "whatif"}  # take --jobs
QUESTION = "--model Qwen2.5-7B --tokens 10M --method lora"
OTHERS = [f"plan {QUESTION}", f"plan {QUESTION} --spot only", "plan examples/llama-8b-lora.yaml --show all",
          "whatif examples/llama-8b-lora.yaml --set samples=x2", "whatif examples/gpt-124m.yaml --sensitivity",
          "whatif examples/sft-node.yaml --sensitivity", "profiles examples/gpt-124m.yaml",
          "profiles examples/collection.yaml", "fit Llama-3.1-8B", "fit examples/neurlang.yaml --batches 32,256,1024",
          "fit examples/latentwire.yaml --placements", "gpus", "offers", "model Llama-3.1-8B", f"init {QUESTION}",
          "config show", "schema", "completion bash", "man plan"]


def commands():
    """What is measured: the shortest run there is, a plan for each example, and every other command."""
    plans = [["plan", f"examples/{path.name}"] for path in sorted((ROOT / "examples").glob("*.yaml"))]
    return [["--version"], *plans, *(line.split() for line in OTHERS)]


def time_once(command):
    """Wall and processor milliseconds and exit code of one run."""
    start = time.perf_counter()
    pid = os.posix_spawn(command[0], command, os.environ, file_actions=QUIET)
    _, status, usage = os.wait4(pid, 0)
    wall = time.perf_counter() - start
    return wall * 1e3, (usage.ru_utime + usage.ru_stime) * 1e3, os.waitstatus_to_exitcode(status)


def largest_resident_set(command):
    """In bytes. A child starts with the resident set of its parent on its account, which for Python is larger than the
    program; so a small shell starts it and leaves, and we, as its new parent, read the account."""
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us
    shell = os.posix_spawn("/bin/sh", ["sh", "-c", '"$@" & exit 0', "sh", *command], os.environ, file_actions=QUIET)
    os.waitpid(shell, 0)
    _, _, usage = os.wait4(-1, 0)
    return usage.ru_maxrss * 1024


def instructions(command):
    """Instructions of one run, all threads together; one thread where the command takes --jobs."""
    single = ["--jobs", "1"] if command[1] in THREADED else []
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command, *single],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        sys.exit(f"valgrind did not run {command}:\n{done.stderr}")
    return int(found[1])


def measure(program, arguments, runs=50):
    """One run after another, the first three not counted."""
    command = [os.path.abspath(program), *arguments]
    timed = [time_once(command) for _ in range(runs + 3)][3:]
    return {
        "name": " ".join(["gpuplan", *arguments]),
        "command": command,
        "least_ms": min(run[0] for run in timed),
        "median_ms": statistics.median(run[0] for run in timed),
        "processor_ms": min(run[1] for run in timed),
        "megabytes": largest_resident_set(command) / 1e6,
        "exits": sorted({run[2] for run in timed}),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/gpuplan"))
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    os.chdir(ROOT)
    extra = options.instructions
    print("| command | min ms | median ms | processor ms | MB | exit |" + (" M instructions |" if extra else ""))
    print("| --- | ---: | ---: | ---: | ---: | ---: |" + (" ---: |" if extra else ""))
    code = 0
    for arguments in commands():
        run = measure(options.program, arguments, options.runs)
        exits = "/".join(map(str, run["exits"]))
        line = (f"| `{run['name']}` | {run['least_ms']:.2f} | {run['median_ms']:.2f} | {run['processor_ms']:.2f} | "
                f"{run['megabytes']:.1f} | {exits} |")
        if extra:
            line += f" {instructions(run['command']) / 1e6:.1f} |"
        most_ms, most_mb = LIMITS.get(arguments[0], LIMIT)
        if options.check and (run["median_ms"] > most_ms or run["megabytes"] > most_mb):
            line, code = line + " too slow or too large", 1
        print(line)
    return code


if __name__ == "__main__":
    sys.exit(main())
