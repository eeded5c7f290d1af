#!/usr/bin/env python3
"""Compares whole outputs of the program with tests/golden/*.txt.

    tools/golden.py build/release/gpuplan [NAME...]           compare (files whose name holds one of NAME)
    tools/golden.py --update build/release/gpuplan [NAME...]  write the files anew, to be read in the diff

A file holds one or more runs, made in the root of the repository:

    # columns: 80                        (width of the terminal from here on; 100 before any such line)
    # colour: yes                        (colours from here on; "no" ends them)
    $ gpuplan plan examples/a.yaml       (words as in a shell; "< FILE" gives stdin, "| head -n N" keeps N lines)
    what it prints on stdout
    [stderr]                             (only when there is any)
    what it prints on stderr
    [exit 0]

Elapsed times are masked, escape sequences of colour are written as <1>, <32>, <0>. Prints "counted PASSED FAILED" last,
for ./test.
"""

import difflib
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MASKS = [
    (re.compile(r'("elapsed_ms": ?)[0-9.eE+-]+'), r"\g<1>0"),
    (re.compile("\x1b\\[([0-9;]*)m"), r"<\1>"),
]


def fresh_environment(columns):
    """Nothing of the caller's, so that everybody gets the same."""
    return {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "COLUMNS": str(columns), "HOME": "/nonexistent",
            "GPUPLAN_CONFIG": "", "GPUPLAN_RUNS": "", "GPUPLAN_STORE": "", "GPUPLAN_TODAY": "2026-11-22"}


def run(program, line, columns, colour):
    """The text of one run: its command line, outputs and exit code."""
    words = shlex.split(line)
    lines = None
    if words[-4:-1] == ["|", "head", "-n"]:
        lines = int(words[-1])
        del words[-4:]
    stdin = subprocess.DEVNULL
    if "<" in words:
        at = words.index("<")
        stdin = open(ROOT / words[at + 1], "rb")
        del words[at:at + 2]
    if words[0] != "gpuplan":
        sys.exit(f"golden: a command must start with gpuplan: {line}")
    environment = fresh_environment(columns)
    environment["FORCE_COLOR" if colour else "NO_COLOR"] = "1"
    try:
        done = subprocess.run([program, *words[1:]], cwd=ROOT, env=environment, stdin=stdin, capture_output=True,
                              timeout=60)
    except subprocess.TimeoutExpired:
        return f"$ {line}\n[no end within 60 s]\n"
    finally:
        if stdin is not subprocess.DEVNULL:
            stdin.close()
    out = ended(done.stdout.decode("utf-8", "backslashreplace"))
    if lines is not None:
        out = "".join(out.splitlines(keepends=True)[:lines])
    text = f"$ {line}\n" + out
    if done.stderr:
        text += "[stderr]\n" + ended(done.stderr.decode("utf-8", "backslashreplace"))
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text + f"[exit {done.returncode}]\n"


def ended(text):
    return text if not text or text.endswith("\n") else text + "\n[no newline at the end]\n"


def run_all(program, expected):
    """What the file should hold: its settings and commands, with what the program prints now; and how many runs."""
    parts = []
    columns, colour, runs = 100, False, 0
    settings = ""
    for line in expected.splitlines():
        if match := re.fullmatch(r"# columns: (\d+)", line):
            columns = int(match[1])
        elif match := re.fullmatch(r"# colour: (yes|no)", line):
            colour = match[1] == "yes"
        elif line.startswith("$ "):
            parts.append(settings + run(program, line[2:], columns, colour))
            settings, runs = "", runs + 1
            continue
        else:
            continue
        settings += line + "\n"
    return "\n".join(parts), runs


def main():
    arguments = sys.argv[1:]
    update = "--update" in arguments
    arguments = [argument for argument in arguments if argument != "--update"]
    if not arguments:
        sys.exit(__doc__)
    program, names = os.path.abspath(arguments[0]), arguments[1:]
    files = [path for path in sorted((ROOT / "tests/golden").glob("*.txt"))
             if not names or any(name in path.name for name in names)]
    passed = failed = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        texts = [path.read_text(encoding="utf-8") for path in files]
        results = list(pool.map(lambda text: run_all(program, text), texts))
    for path, expected, (actual, runs) in zip(files, texts, results):
        if update:
            if actual != expected:
                path.write_text(actual, encoding="utf-8")
                print(f"written: {path.relative_to(ROOT)}")
        elif actual == expected and runs > 0:
            passed += runs
        else:
            failed += 1
            name = str(path.relative_to(ROOT))
            print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), name, "now", lineterm="")))
            if runs == 0:
                print(f"{name}: no command in it")
    if not files:
        sys.exit("golden: no file to compare")
    if not update:
        print(f"counted {passed} {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
