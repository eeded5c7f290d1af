#!/usr/bin/env python3
"""Times whole runs of the program, from start to exit, and prints a Markdown table for docs/speed.md.

    bench/whole_process.py [--runs N] [--check] [build/release/gpuplan]

--check: exit code 1 when a limit is exceeded (50 ms and 30 MB for a plan, 3 ms for --version: medians).
"""

import argparse
import ctypes
import os
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


QUIET = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0), (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0)]


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
    shell = os.posix_spawn("/bin/sh", ["sh", "-c", '"$@" & exit 0', "sh", *command], os.environ, file_actions=QUIET)
    os.waitpid(shell, 0)
    _, _, usage = os.wait4(-1, 0)
    return usage.ru_maxrss * 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", default=str(ROOT / "build/release/gpuplan"))
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    os.chdir(ROOT)
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: orphans come to us
    commands = [["--version"]] + [["plan", f"examples/{path.name}"] for path in sorted(Path("examples").glob("*.yaml"))]
    print("| command | min ms | median ms | processor ms | MB | exit |\n| --- | ---: | ---: | ---: | ---: | ---: |")
    code = 0
    for arguments in commands:
        command = [os.path.abspath(options.program), *arguments]
        runs = [time_once(command) for _ in range(options.runs + 3)][3:]
        times = [run[0] for run in runs]
        median = statistics.median(times)
        processor = statistics.median(run[1] for run in runs)
        megabytes = largest_resident_set(command) / 1e6
        exits = "/".join(str(value) for value in sorted({run[2] for run in runs}))
        note = ""
        if options.check and (median > (3 if arguments == ["--version"] else 50) or megabytes > 30):
            note, code = " too slow or too large", 1
        print(f"| `gpuplan {' '.join(arguments)}` | {min(times):.2f} | {median:.2f} | {processor:.2f} | {megabytes:.1f} | "
              f"{exits} |{note}")
    return code


if __name__ == "__main__":
    sys.exit(main())
