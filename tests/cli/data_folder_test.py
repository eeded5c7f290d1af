#!/usr/bin/env python3
"""A --data folder that lacks something: either refused in one line, or the answer stays, or what is other is said.

    tests/cli/data_folder_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import random
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from program import ROOT, main, run

# Lists of things that there are: no program can know whether one is missing.
LISTS = ("gpus.csv", "nodes.csv", "models.csv", "offers.csv", "interruptions.csv", "known_problems.csv", "framework_limits.csv")
CLOSED = ("efficiency.csv", "training_software.csv", "training_constants.csv", "engines.csv", "generation_constants.csv",
          "practice_constants.csv", "error_components.csv", "answer_constants.csv", "assumptions.csv", "links.csv", "frameworks.csv")
QUESTION = ("plan", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--json")


class DataFolder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        self.whole = self.answer()[1]

    def write(self, table, lines):
        (self.folder / table).write_text("\n".join(lines) + "\n")

    def answer(self):
        words = ("--data", str(self.folder)) if any(self.folder.iterdir()) else ()
        done = run(*QUESTION, *words)
        if done.returncode not in (0, 4):
            return done, None
        answer = json.loads(done.stdout)
        answer.pop("elapsed_ms")
        return done, answer

    def lines(self, table):
        return (ROOT / "data" / table).read_text().splitlines()

    def test_the_same_facts_give_the_same_answer_and_no_word(self):
        for table in LISTS + CLOSED:
            shutil.copy(ROOT / "data" / table, self.folder / table)
        done, answer = self.answer()
        self.assertEqual((done.stderr, answer), ("", self.whole))

    def test_a_row_less_is_refused_said_or_without_effect(self):
        draw = random.Random(7)
        for table in LISTS + CLOSED:
            lines = self.lines(table)
            for row in sorted(draw.sample(range(1, len(lines)), min(3, len(lines) - 1))):
                with self.subTest(table=table, row=lines[row]):
                    self.write(table, lines[:row] + lines[row + 1:])
                    done, answer = self.answer()
                    if answer is None:
                        self.assertEqual(done.returncode, 5, done.stderr)
                        self.assertRegex(done.stderr, r"\A[^\n]+[.]csv[^\n]+\n\Z")
                    elif answer != self.whole:
                        circumstance = table == "error_components.csv" and not re.match(
                            r"\w+,(software|card|generation|site|configuration),", lines[row])
                        self.assertTrue(table in LISTS or circumstance, "no figure need know every circumstance")
                    if answer is not None:
                        self.assertEqual(done.stderr.count("\n"), 1)
                        self.assertIn(f"{table} has 1 of the {len(lines)} lines", done.stderr)
            (self.folder / table).unlink()

    def test_a_constant_less_is_refused(self):
        lines = self.lines("training_constants.csv")
        self.write("training_constants.csv",
                   [line for line in lines if not line.startswith(("step_time,", "kept,"))])
        done, _ = self.answer()
        self.assertEqual(done.returncode, 5)
        last = done.stderr.splitlines()[-1]
        self.assertIn("training_constants.csv: no row for 'step_time', 'kept', a constant of the training model; ", last)

    def test_a_column_less_is_refused(self):
        for table in CLOSED:
            lines = self.lines(table)
            self.write(table, [line.split(",", 1)[1] for line in lines])
            done, answer = self.answer()
            self.assertIsNone(answer, table)
            self.assertEqual(done.returncode, 5, done.stderr)
            (self.folder / table).unlink()

    def test_an_empty_file_is_refused(self):
        for table in LISTS + CLOSED:
            (self.folder / table).write_text("")
            done, answer = self.answer()
            self.assertIsNone(answer, table)
            self.assertIn(table, done.stderr)
            (self.folder / table).unlink()


if __name__ == "__main__":
    main(__doc__)
