"""Guides as data, for tests that read them: which jobs, the document of one, and its tables."""

import functools
import json

from program import EXAMPLES, ROOT, run

REFUSED = ("neurlang-steps.yaml", "sft-40gb.yaml")  # work that differs by GPU, a GPU that is none
JOBS = EXAMPLES + sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests/seeds").glob("*.yaml") if path.name not in REFUSED)
FLAGS = (
    ("--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"),
    ("--model", "llama-3.3-70b", "--generate", "--samples", "10k", "--prompt", "500", "--new", "300"),
    ("--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--spot", "only"),
    ("--model", "Qwen2.5-7B", "--tokens", "1B", "--deadline", "1 h"),
)
ANSWERS = (0, 3, 4)  # exit codes of answers


@functools.cache
def report(*words, **more):
    done = run("report", *words, **more)
    assert done.returncode in ANSWERS, (words, done.returncode, done.stderr)
    return done.stdout


@functools.cache
def document(*words, **more):
    return json.loads(report(*words, "--json", **more))


def blocks_of(blocks, kind):
    for block in blocks:
        if block["kind"] == kind:
            yield block
        if block["kind"] == "fold":
            yield from blocks_of(block["blocks"], kind)


def tables(found):
    for section in found["sections"]:
        for table in blocks_of(section["blocks"], "table"):
            yield section["key"], table


def table(found, key):
    return next((one for _, one in tables(found) if one["key"] == key), None)


def column(one, key):
    return [name["key"] for name in one["columns"]].index(key)
