#!/usr/bin/env python3
"""The numbers of five hand-made planning documents, recomputed by the program from the documents' own inputs.

    tests/seeds/seeds_test.py build/release/gpuplan [unittest options]

decided.csv holds a row for each claim that is wrong or contradicts another and that the program decides:

    document, claim   the file in the public repository, and what it says, in few words
    command           words after "gpuplan"; --json is added unless `says` is given; `against` is a second command
    exit              the exit code expected
    value             an expression over {paths} into the JSON, such as {plans[gpu=B200].hours.p50} * 60; paths that
                      begin with "against:" look into the second command's
    expected          a number, a range A..B, or a word; numbers may be off by `tolerance` (absolute, or 1% of expected)
    document_says     what must not come out: a number (met within half a percent), a range A..B (met when both ends
                      are; a value inside the range is no proof), or a word; empty where there is nothing to meet
    says              a regular expression for what the command prints, in place of a value

docs/seeds.md quotes commands; every one of them is run too.

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import json
import re
import shlex
import sys
import unittest
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cli"))
from program import ROOT, main, run  # noqa: E402

DECIDED = ROOT / "tests/seeds/decided.csv"
GUIDE = ROOT / "docs/seeds.md"


@cache
def outcome(command, json_wanted):
    words = shlex.split(command)
    if json_wanted and "--json" not in words:
        words.append("--json")
    done = run(*words)
    return done.returncode, done.stdout, done.stderr


def look_up(document, path):
    """The value at a path: names, [position], [#] for the length, [name=value,...]; "path|name" takes the id at the path
    and looks up the name in the plan of that id."""
    if "|" in path:
        path, rest = path.split("|")
        return look_up(document, f"plans[id={look_up(document, path)}].{rest}")
    value = document
    for name, inside in re.findall(r"([A-Za-z_0-9]+)|\[([^\]]*)\]", path):
        if name:
            value = value[name]
        elif re.fullmatch(r"-?\d+", inside):
            value = value[int(inside)]
        elif inside == "#":
            value = len(value)
        else:
            wanted = [part.split("=", 1) for part in inside.split(",")]
            rows = [row for row in value if all(str(row[key]) == text for key, text in wanted)]
            if len(rows) != 1:
                raise LookupError(f"{len(rows)} rows match [{inside}]")
            value = rows[0]
    return value


def worth(expression, document, other):
    """A number, a word, true, false or null."""
    def value(path):
        if path.startswith("against:"):
            return look_up(other, path.removeprefix("against:"))
        return look_up(document, path)

    if re.fullmatch(r"\{[^{}]*\}", expression):
        return value(expression[1:-1])
    arithmetic = re.sub(r"\{([^{}]*)\}", lambda match: repr(float(value(match[1]))), expression)
    if not re.fullmatch(r"[-+*/() 0-9.e]+", arithmetic):
        raise ValueError(f"not arithmetic: {arithmetic}")
    return eval(arithmetic)  # noqa: S307  checked in the line above


def span(text):
    """(low, high) of "A..B" or of a single number; None when it is neither."""
    parts = text.split("..")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        return None
    return (numbers[0], numbers[-1]) if len(numbers) <= 2 else None


def word_of(value):
    return json.dumps(value) if value is None or isinstance(value, bool) else str(value)


class Decided(unittest.TestCase):
    """One test a row; made below."""

    def check(self, row):
        says = row["says"]
        code, out, err = outcome(row["command"], not says)
        self.assertEqual(code, int(row["exit"]), err)
        if says:
            self.assertRegex(re.sub(r"\s+", " ", out + err), says)
            return
        document = json.loads(out)
        other = json.loads(outcome(row["against"], True)[1]) if row["against"] else None
        value = worth(row["value"], document, other)
        wanted = span(row["expected"])
        if wanted is None or isinstance(value, bool) or value is None or isinstance(value, str):
            self.assertEqual(word_of(value), row["expected"])
            self.assertNotEqual(word_of(value), row["document_says"])
            return
        tolerance = row["tolerance"] or "0.5%"
        off = max(map(abs, wanted)) * float(tolerance[:-1]) / 100 if tolerance.endswith("%") else float(tolerance)
        self.assertGreaterEqual(value, wanted[0] - off)
        self.assertLessEqual(value, wanted[1] + off)
        theirs = span(row["document_says"])
        if theirs is not None and theirs[0] == theirs[1]:
            self.assertGreater(abs(value - theirs[0]), 0.005 * abs(theirs[0]), "the document's value came out")
        elif theirs is not None:
            self.assertFalse(theirs[0] <= value <= theirs[1], "a value that the document gives came out")


class Guide(unittest.TestCase):
    """docs/seeds.md: no empty cell, and every command that it quotes runs."""

    def test_every_command_runs(self):
        text = GUIDE.read_text(encoding="utf-8")
        commands = sorted(set(re.findall(r"`gpuplan ([^`]+)`", text)))
        self.assertGreater(len(commands), 30)
        for command in commands:
            with self.subTest(command=command):
                code, _, err = outcome(command.replace("\\|", "|"), False)
                self.assertIn(code, (0, 3, 4), err)

    def test_no_cell_is_empty(self):
        rows = [line for line in GUIDE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
        self.assertGreater(len(rows), 100)
        for line in rows:
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))]
            self.assertTrue(all(cells), line)


def add_rows():
    with open(DECIDED, encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file), start=2):
            name = re.sub(r"\W+", "_", f"{row['document']} {row['claim']}")[:80]
            setattr(Decided, f"test_line_{number:03}_{name}", lambda self, row=row: self.check(row))


if __name__ == "__main__":
    add_rows()
    main(__doc__)
