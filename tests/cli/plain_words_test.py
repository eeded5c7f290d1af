#!/usr/bin/env python3
"""Words that CONTRIBUTING.md ("Voice") rules out: in helps, in the strings of the source, in answers as they are printed.

    tests/cli/plain_words_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import re
import unittest
from functools import cache
from pathlib import Path

from program import main, run

ROOT = Path(__file__).resolve().parents[2]

# What must not be said, and what is said instead.
FORBIDDEN = {
    r"\bcan not\b": "cannot",
    r"\bdearer|dearest\b": "more expensive",
    r"\bin place of\b": "instead of",
    r"\b(unless given|may be given again)\b": "(default: ...), (repeatable)",
    r"\bexclude one another\b": "cannot be combined",
    r"\bkeep one of (them|the two)\b": "use one of them",
    r"\b(nobody|somebody|whoever|somebody's)\b": "name the thing, not a person",
    r"\b(taken away|takes? away|let go|lets? the machines go)\b": "interrupted, released while idle",
    r"\bto be had\b": "available",
    r"\bhistories\b": "simulated runs",
    r"\b(the|The) pick\b|\bPick:": "recommended",
    r"\bas it stands\b": "baseline",
    r"\b(hold|holds) it\b|\bHELD BY\b": "fits, fits on",
    r"\bby the model\b|\bthe model says\b|\bmodel's (speeds|figures)\b": "predicted",
    r"\btight\b": "OOM risk",
    r"\bhost('s)? memory\b": "CPU memory",
    r"\bin flight\b": "concurrent requests",
    r"\bfirst token after\b|\bguessed ahead\b": "TTFT, draft tokens",
    r"\bsequences at once\b|\bside by side\b": "micro-batch, in parallel",
    r"\b(GiB|GB|tokens|batch|machines|phase|seconds?|hours?|dollars) (a|an) (GPU|hour|token|step|second|machine|phase)\b": "per",
    r"\b(set-up|set-ups)\b": "setup",
    r"\b(colour|licence|grey|neighbour|normalised|quantised|optimis(e|ed|ing|ation))\b": "American spelling",
    r"\btoo close to call\b|\bthe care it takes\b": "close call, setup effort",
    r"\bpasses over the data\b|\bparameters that learn\b": "epochs, trainable parameters",
}

# How numbers are written: no "49 %", "1.5 … 1.7", "1.6 ± 0.1".
NOTATION = {r"[0-9] %": "49%", r"[0-9] … ": "1.5–1.7", r"[0-9] ± ": "1.5–1.7"}

# Strings that may say so all the same: what stands in the string, and why.
ALLOWED = {
    "--allow-tight": "a flag",
    "allow_tight": "a key",
    "micro-batches in flight": "what a pipeline holds",
    'histories"': "a key of JSON",
    'dearer"': "a word that audit reads in people's plans",
    "side by side\"": "a value of JSON (placement), kept for programs that read it",
}

# Rooms whose words are those of `plan` and its tables.
OF_PLAN = ("src/input/question/sketch.cpp", "src/output/answer/", "src/output/words/", "src/output/views/", "src/output/text/", "src/cli/commands/plan.cpp")

# Tables of all commands write numbers as that room does.
SETTLED = (ROOT / "src/base/range_text.h").exists()

COMMANDS = ("plan", "whatif", "simulate", "launch", "report", "check", "audit", "fit", "profiles", "gpus", "offers", "model", "validate",
            "init", "config", "schema", "completion", "man")

ANSWERS = (
    ("fit", "Llama-3.1-8B"),
    ("fit", "Llama-3.1-8B", "--gpu", "RTX 4090"),
    ("fit", "examples/neurlang.yaml", "--batches", "32,256,4096"),
    ("fit", "examples/latentwire.yaml", "--placements"),
    ("profiles", "examples/neurlang.yaml"),
    ("profiles", "examples/collection.yaml"),
    ("gpus",),
    ("offers",),
    ("model", "Llama-3.1-8B"),
    ("model", "DeepSeek-V3"),
    ("validate",),
    ("validate", "--first-contact"),
    ("validate", "--pairs"),
    ("validate", "--calibrate", "1"),
    ("validate", "--by", "gpu"),
    ("config", "path"),
    ("check", "tests/golden/inputs/check-missed.log", "--job", "examples/trm-nanochat.yaml", "--phase", "validate"),
    ("init", "--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"),
    ("plan", "--model", "Nosuch-9B", "--tokens", "10M"),
    ("plan", "--model", "Qwen3-8B"),
    ("plan", "--gpu", "H1000", "--model", "Qwen3-8B", "--tokens", "10M"),
    ("pln",),
)


@cache
def printed(*words):
    done = run(*words, COLUMNS="120")
    return done.stdout + done.stderr


def faults(text, rules=FORBIDDEN | NOTATION):
    """(what is said, what to say) for each forbidden word in a text."""
    for allowed in ALLOWED:
        text = text.replace(allowed, "")
    return [(found.group(), better) for pattern, better in rules.items() for found in re.finditer(pattern, text)]


def strings_of(path):
    """The string literals of a file with their lines; comments are for readers of the code."""
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        code = line.strip()
        if code.startswith(("//", "#include")):
            continue
        for literal in re.findall(r'"((?:[^"\\]|\\.)*)"', code.split("  //")[0]):
            yield number, literal + '"'


# Words of other people, which plans are searched for.
READ = {"in place of", "set-up", "seconds a step"}


class Helps(unittest.TestCase):
    def test_every_help(self):
        for words in [("--help",)] + [(command, "--help") for command in COMMANDS if SETTLED or command != "plan"]:
            with self.subTest(words=words):
                self.assertEqual(faults(printed(*words)), [])

    def test_every_key_of_the_job_file(self):
        self.assertEqual(faults(printed("schema", "--markdown")), [])


class Sources(unittest.TestCase):
    def test_strings(self):
        for path in sorted((ROOT / "src").rglob("*.cpp")):
            name = str(path.relative_to(ROOT))
            if name.startswith(OF_PLAN):
                continue
            for number, text in strings_of(path):
                if name.startswith(("src/evidence/audit/", "src/input/claims/")) and text.removesuffix('"') in READ:
                    continue
                with self.subTest(place=f"{name}:{number}", text=text):
                    self.assertEqual(faults(text), [])

    def test_known_problems(self):
        self.assertEqual(faults((ROOT / "data/known_problems.csv").read_text(encoding="utf-8")), [])


class Answers(unittest.TestCase):
    def test_as_printed(self):
        for words in ANSWERS:
            with self.subTest(words=words):
                self.assertEqual(faults(printed(*words), FORBIDDEN | NOTATION if SETTLED else FORBIDDEN), [])

    def test_forbidden_words_are_found(self):
        for said in ("it can not run", "16 GiB a GPU", "49 % used", "1.5 … 1.7", "The pick is X", "the host's memory"):
            self.assertEqual(len(faults(said)), 1, said)


if __name__ == "__main__":
    main(__doc__, at_once=8)
