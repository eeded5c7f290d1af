#!/usr/bin/env python3
"""Compares whole outputs of the program with tests/golden/*.txt.

    tools/golden.py build/release/gpuplan [NAME...]           compare (files whose name holds one of NAME)
    tools/golden.py --update build/release/gpuplan [NAME...]  write the files anew, to be read in the diff

A file holds one or more runs, made in the root of the repository:

    # columns: 100                       (optional, first line: width of the terminal; 100 when absent)
    $ gpuplan plan examples/a.yaml       (words as in a shell; "< FILE" gives stdin)
    what it prints on stdout
    [stderr]                             (only when there is any)
    what it prints on stderr
    [exit 0]

Elapsed times are masked. Prints "counted PASSED FAILED" last, for ./test.
"""

import difflib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MASKS = [
    (re.compile(r'("elapsed_ms": ?)[0-9.eE+-]+'), r"\g<1>0"),
    (re.compile(r"\b[0-9.]+ (ms|µs)\b(?= \(elapsed\))"), r"# \1"),
]


def run(program, line, columns):
    """The text of one run: its command line, outputs and exit code."""
    words = shlex.split(line)
    stdin = subprocess.DEVNULL
    if "<" in words:
        at = words.index("<")
        stdin = open(ROOT / words[at + 1], "rb")
        del words[at:at + 2]
    if words[0] != "gpuplan":
        sys.exit(f"golden: a command must start with gpuplan: {line}")
    # Nothing of the caller's environment, so that everybody gets the same.
    environment = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "NO_COLOR": "1", "COLUMNS": str(columns),
                   "HOME": "/nonexistent"}
    try:
        done = subprocess.run([program, *words[1:]], cwd=ROOT, env=environment, stdin=stdin, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return f"$ {line}\n[no end within 60 s]\n"
    finally:
        if stdin is not subprocess.DEVNULL:
            stdin.close()
    text = f"$ {line}\n" + ended(done.stdout.decode("utf-8", "backslashreplace"))
    if done.stderr:
        text += "[stderr]\n" + ended(done.stderr.decode("utf-8", "backslashreplace"))
    for pattern, replacement in MASKS:
        text = pattern.sub(replacement, text)
    return text + f"[exit {done.returncode}]\n"


def ended(text):
    return text if not text or text.endswith("\n") else text + "\n[no newline at the end]\n"


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
    for path in files:
        expected = path.read_text(encoding="utf-8")
        header = re.match(r"# columns: (\d+)\n", expected)
        columns = int(header[1]) if header else 100
        commands = re.findall(r"^\$ (.*)$", expected, re.MULTILINE)
        actual = (header[0] if header else "") + "\n".join(run(program, command, columns) for command in commands)
        if update:
            if actual != expected:
                path.write_text(actual, encoding="utf-8")
                print(f"written: {path.relative_to(ROOT)}")
        elif actual == expected and commands:
            passed += 1
        else:
            failed += 1
            name = str(path.relative_to(ROOT))
            print("\n".join(difflib.unified_diff(expected.splitlines(), actual.splitlines(), name, "now", lineterm="")))
            if not commands:
                print(f"{name}: no command in it")
    if not files:
        sys.exit("golden: no file to compare")
    if not update:
        print(f"counted {passed} {failed}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
