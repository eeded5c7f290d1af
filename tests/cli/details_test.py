#!/usr/bin/env python3
"""Short answers and whole ones: what --details adds, and that it changes nothing else.

    tests/cli/details_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import re
import unittest
from functools import cache

from program import main, run

CHECK = ("check", "tests/golden/inputs/check-missed.log", "--job", "examples/trm-nanochat.yaml", "--phase", "validate")
QUESTIONS = (
    ("fit", "Llama-3.1-8B", "--gpu", "RTX 4090"),
    ("fit", "Llama-3.1-8B", "--gpu", "RTX 4090", "--gpu", "H100 SXM"),
    ("profiles", "examples/neurlang.yaml"),
    ("whatif", "examples/collection.yaml", "--set", "market.offers[*].price=-20%"),
    ("whatif", "examples/sft-node.yaml", "--sensitivity"),
    ("simulate", "examples/sft-node.yaml", "--trials", "100"),
    CHECK,
)
LONGEST = 32  # lines of a short answer at 100 columns


@cache
def answer(*words):
    done = run(*words, COLUMNS="100")
    return done.returncode, done.stdout


class Details(unittest.TestCase):
    def test_a_short_answer_is_part_of_the_whole_one(self):
        for words in QUESTIONS:
            with self.subTest(words=words):
                brief, whole = answer(*words)[1], answer(*words, "--details")[1]
                self.assertLess(brief.count("\n"), whole.count("\n"), brief)
                # The answer is the same: the first line, and every figure of it.
                self.assertEqual(brief.split("\n")[0], whole.split("\n")[0])

    def test_short_answers_are_short(self):
        for words in QUESTIONS:
            with self.subTest(words=words):
                text = answer(*words)[1]
                self.assertLessEqual(text.count("\n"), LONGEST, text)

    def test_exit_codes_and_other_forms_do_not_depend_on_it(self):
        for words in QUESTIONS:
            with self.subTest(words=words):
                self.assertEqual(answer(*words)[0], answer(*words, "-v")[0])
                self.assertEqual(answer(*words, "-v"), answer(*words, "--details"))
                for form in ("--json", "--csv"):
                    self.assertEqual(*(re.sub(r'"elapsed_ms": [0-9.]+', "", answer(*words, form, *more)[1])
                                       for more in ((), ("-v",))))

if __name__ == "__main__":
    main(__doc__, at_once=4)
