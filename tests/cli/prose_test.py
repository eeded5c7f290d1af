#!/usr/bin/env python3
"""What a job file says in words: the same plans with it and without, kept with a plan, and nothing of it moves a terminal.

    tests/cli/prose_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import tempfile
import unittest
from pathlib import Path

import yaml
from program import EXAMPLES, main, run

TOLD = [name for name in EXAMPLES if re.search(r"/(neurlang|trm-nanochat|collection|sft-node|latentwire)\.yaml$", name)]
KEYS = {"title", "purpose", "notes", "tasks", "expect", "quality", "options"}
UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


class Texts(yaml.SafeLoader):
    """Every scalar as its text, as the program takes them, with merges."""


Texts.yaml_implicit_resolvers = {"<": yaml.SafeLoader.yaml_implicit_resolvers["<"]}


def without_words(job):
    """The job without a word; variants keep their settings."""
    plain = {key: value for key, value in job.items() if key not in KEYS}
    plain["phases"] = [{key: value for key, value in phase.items() if key not in KEYS} for phase in job["phases"]]
    if "market" in job:
        plain["market"] = {key: [{name: cell for name, cell in offer.items() if name != "notes"} for offer in value]
                           if isinstance(value, list) else value for key, value in job["market"].items()}
    if "variants" in job:
        plain["variants"] = {name: {key: value for key, value in settings.items() if key not in KEYS}
                             for name, settings in job["variants"].items()}
    return plain


def document(*words, stdin=None):
    done = run("plan", *words, "--json", "--all", stdin=stdin)
    if done.returncode:
        raise AssertionError(done.stderr)
    told = json.loads(done.stdout)
    told["elapsed_ms"] = 0
    return told


class Words(unittest.TestCase):
    def test_change_no_plan(self):
        """The document of a job with words and of the same without is one, byte for byte, but for the words."""
        self.assertEqual(len(TOLD), 5)
        for name in TOLD:
            with self.subTest(name):
                job = yaml.load(Path(name).read_text(), Texts)
                plain = without_words(job)
                self.assertNotEqual(job, plain)
                told, bare = (document("-", stdin=json.dumps(one).encode()) for one in (job, plain))
                self.assertTrue(told.pop("prose"))
                self.assertIsNone(bare.pop("prose"))
                told.pop("job_file")
                bare.pop("job_file")
                self.assertEqual(json.dumps(told), json.dumps(bare))

    def test_are_kept_with_a_plan(self):
        """YAML, the same in JSON, and a kept plan have the same words."""
        for name in TOLD:
            with self.subTest(name):
                told = document(name)
                as_json = json.dumps(yaml.load(Path(name).read_text(), Texts)).encode()
                self.assertEqual(document("-", stdin=as_json)["prose"], told["prose"])
                again = document("-", stdin=json.dumps(told).encode())
                self.assertEqual(again["prose"], told["prose"])
                self.assertEqual([plan["id"] for plan in again["plans"]], [plan["id"] for plan in told["plans"]])

    def test_title_heads_the_plan_on_its_line(self):
        for name in TOLD:
            with self.subTest(name):
                title = yaml.safe_load(Path(name).read_text())["title"]
                lines = run("plan", name).stdout.splitlines()
                self.assertTrue(lines[0].startswith(title + ": "), lines[0])
                bare = run("plan", name, "--set", "title=").stdout.replace(" --set title=", "").splitlines()
                self.assertEqual(lines[lines.index(""):], bare[bare.index(""):])

    def test_notes_view_tells_all(self):
        for name in TOLD:
            with self.subTest(name):
                shown = " ".join(run("plan", name, "--show", "notes").stdout.split())
                prose = document(name)["prose"]
                for text in [prose["purpose"], prose["notes"], *(phase["purpose"] for phase in prose["phases"]),
                             *(phase["quality"]["do"] for phase in prose["phases"]),
                             *(one["notes"] for key in ("offers", "options", "variants") for one in prose[key])]:
                    self.assertIn(" ".join(text.split()), shown)

    def test_odd_words_are_shown_as_text(self):
        """HTML, Markdown, shell, templates: as they are on a terminal, inert in what launch writes."""
        odd = "<script>alert(1)</script> | $(touch PWNED) `touch PWNED` {{ 7*7 }} ${x} \\ '\"' <!-- %n *x* [a](javascript:b)"
        job = {"title": odd[:100], "notes": odd, "tasks": [{"do": odd, "command": odd}],
               "phases": [{"name": "a", "train": {"model": "gpt2", "data": {"tokens": "10M"}, "sequence": 512}, "notes": odd,
                           "expect": odd, "quality": {"good": odd, "bad": odd, "do": odd}, "title": odd}]}
        text = json.dumps(job)
        self.assertEqual(document("-", stdin=text.encode())["prose"]["notes"], odd)
        for more in ([], ["--show", "notes"], ["--markdown", "--show", "notes"], ["--details"]):
            done = run("plan", "-", *more, stdin=text.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIsNone(UNSEEN.search(done.stdout))
        with tempfile.TemporaryDirectory() as folder:
            done = run("launch", "-", "--to", "bash", "-o", folder + "/out", stdin=text.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(list(Path(folder).rglob("PWNED")))

    def test_bad_words_are_one_line(self):
        """Control characters, text that turns around, 300 kB, wrong kinds: what, where, and nothing on stdout."""
        base = "phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n"
        for value, wanted in [('"a\\u202eb"', "U+202E"), ('"a\\u200bb"', "U+200B"), ('"\\u001b[2J"', "control characters"),
                              ("x" * 300_000, "at most 20,000 characters, got 300,000"), ("[a]", "expected Markdown"),
                              ('"a\\rb"', "U+000D")]:
            with self.subTest(wanted):
                done = run("plan", "-", stdin=(base + "notes: " + value + "\n").encode())
                self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr[:300])
                self.assertIn(wanted, done.stderr)
                self.assertIn(":2", done.stderr)
                self.assertIsNone(UNSEEN.search(done.stderr))
                self.assertLess(len(done.stderr), 400)

    def test_block_text_keeps_its_lines(self):
        text = ("notes: |\n  # Head\n\n  - one\n    - two\n\n  ```sh\n  run --x\n  ```\n"
                "phases: [{name: a, train: {model: gpt2, data: {tokens: 10M}, sequence: 512}}]\n")
        self.assertEqual(document("-", stdin=text.encode())["prose"]["notes"],
                         "# Head\n\n- one\n  - two\n\n```sh\nrun --x\n```")


if __name__ == "__main__":
    main(__doc__)
