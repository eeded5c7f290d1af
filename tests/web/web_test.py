#!/usr/bin/env python3
"""The WebAssembly module answers with the same bytes as the library.

    tests/web/web_test.py build/release/gpuplan_ask_lines build/wasm/gpuplan.wasm build/wasm/gpuplan_page.wasm

The planner that travels in pages answers what pages ask in the same way and refuses the rest.

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.yaml"))
TRAIN = {"model": "Qwen2.5-7B", "method": "lora", "data": {"tokens": "10M"}, "epochs": 1, "sequence": 2048}
JOB = {"phases": [{"name": "train", "train": TRAIN}]}
RUNS = "gpu,gpus,model,seq_len,micro_batch,step_seconds\nH100 SXM,8,Llama-3.1-8B,2048,1,1.9\n"
PRICES = "provider,gpu,gpus,price_per_hour\nshop,H100 SXM,1,2.50\nshop,L40S,1,0.80\n"

# One line each, in words that only the module has.
REFUSED = {
    "job: &a x\n": "anchor",
    "phases: |\n  x\n": "several lines",
    "a: {<<: {b: c}}\n": "merge",
    "phases:\n  - trian: {}\n    x": "expected a key",
}


# What pages ask, and what the planner in them says to the rest.
OF_PAGES = [{"ask": "plan", "job": JOB, "all": False, "prices": {"shop.csv": PRICES}}, {"ask": "report", "job": JOB},
            {"ask": "report", "job": JOB, "sensitivity": False}]
NOT_OF_PAGES = {
    "tables of its own": {"ask": "plan", "job": JOB, "data": {"offers.csv": PRICES}},
    "no such tables": {"ask": "plan", "job": JOB, "show": ["dominated"]},
    "answers plan and report": {"ask": "fit", "flags": {"model": "Qwen2.5-7B"}},
}


class Texts(yaml.SafeLoader):
    """What the program reads a scalar as depends on its key; only quotes and nothing else make a text of 1e6 or 08."""


def plain(loader, node):
    value = yaml.SafeLoader.construct_scalar(loader, node)
    return None if value in ("", "~", "null") else value


for tag in ("bool", "int", "float", "null", "timestamp"):
    Texts.add_constructor(f"tag:yaml.org,2002:{tag}", plain)


def questions(views):
    """{name: question}: those that get an answer, and those that get an error."""
    asked = {}
    for path in EXAMPLES:
        text = path.read_text(encoding="utf-8")
        job = yaml.load(text, Loader=Texts)
        asked[f"{path.name} as an object"] = {"ask": "plan", "job": job, "name": path.name}
        if not any(mark in text for mark in ("<<:", ": |", ": >", ": &")):
            asked[f"{path.name} as text"] = {"ask": "plan", "job": text, "name": path.name, "all": True}
    first = yaml.load(EXAMPLES[0].read_text(encoding="utf-8"), Loader=Texts)
    several = {
        "terms and tables": {"ask": "plan", "job": JOB, "explain": True, "show": views, "threads": 4},
        "tables of several phases": {"ask": "plan", "job": first, "show": views},
        "flags": {"ask": "plan", "flags": {"model": "Qwen2.5-7B", "tokens": "10M", "gpu": ["H100 SXM", "L40S"]}},
        "flags of generation": {"ask": "plan", "flags": {"model": "Llama-3.1-8B", "samples": 1000, "prompt": 500,
                                                         "new": "200", "deadline": "3 h"}},
        "prices": {"ask": "plan", "job": JOB, "prices": {"mine.csv": PRICES}},
        "prices in euros": {"ask": "plan", "job": JOB, "prices": {"mine.csv": PRICES}, "rates": ["EUR=1.08"]},
        "as of": {"ask": "plan", "job": JOB, "as_of": "2025-06"},
        "settings": {"ask": "plan", "job": JOB, "set": ["epochs=x2", "where.gpus=[H100 SXM, 'L4']", "limits.deadline=30h", "spot.restart=5 min"]},
        "a limit missed": {"ask": "plan", "job": JOB, "set": ["limits.budget=$0.01"]},
        "nothing fits": {"ask": "plan", "job": JOB, "set": ["where.gpus=T4", "method=full"]},
        "another seed": {"ask": "plan", "job": JOB, "seed": 7},
        "what if": {"ask": "whatif", "job": JOB, "set": ["epochs=2"], "vary": ["sequence=1024,2048"]},
        "what if, collection": {"ask": "whatif", "job": first, "set": ["where.spot=allow"]},
        "sensitivity": {"ask": "sensitivity", "job": JOB, "by": 0.1},
        "fit of a job": {"ask": "fit", "job": JOB, "explain": True},
        "fit of a model": {"ask": "fit", "flags": {"model": "Llama-3.1-8B"}, "all": True},
        "GPUs": {"ask": "gpus"},
        "some GPUs": {"ask": "gpus", "filter": ["memory>=40"]},
        "offers": {"ask": "offers", "all": True},
        "offers of one GPU": {"ask": "offers", "filter": ["H100"]},
        "profiles": {"ask": "profiles", "job": JOB, "all": True},
        "simulate": {"ask": "simulate", "job": JOB, "trials": 200},
        "launch": {"ask": "launch", "job": JOB, "to": "slurm"},
        "report": {"ask": "report", "job": JOB, "arguments": "job.yaml"},
        "report without what moves it": {"ask": "report", "job": JOB, "arguments": "job.yaml", "sensitivity": False},
        "report where nothing fits": {"ask": "report", "job": JOB, "set": ["where.gpus=T4", "method=full"]},
        "validate": {"ask": "validate", "runs": RUNS, "group": ["gpu"], "worst": 2},
        "model": {"ask": "model", "model": "Llama-3.1-8B"},
        "schema": {"ask": "schema"},
        "version": {"ask": "version"},
        "own table": {"ask": "gpus", "data": {"gpus.csv": (ROOT / "data/gpus.csv").read_text(encoding="utf-8")}},
    }
    wrong = {
        "wrong table": {"ask": "gpus", "data": {"gpus.csv": "nonsense"}},
        "wrong price": {"ask": "plan", "job": JOB, "prices": {"mine.csv": PRICES.replace("0.80", "cheap")}},
        "wrong key in an object": {"ask": "plan", "job": {"phases": [{"trian": {}}]}},
        "wrong key in a text": {"ask": "plan", "job": "phases:\n  - trian: {}\n", "name": "j.yaml"},
        "wrong value": {"ask": "plan", "job": {**JOB, "limits": {"deadline": "12 hous"}}},
        "wrong setting": {"ask": "plan", "job": JOB, "set": ["epochs=many"]},
        "nothing asked": {"ask": "plan"},
        "an unknown question": {"ask": "paln"},
        "a file": {"ask": "model", "model": "./config.json"},
        "an unknown model": {"ask": "model", "model": "Qwen2.5-8B"},
        "many brackets": {"ask": "plan", "job": "[" * 100 + "]" * 100},
        "control characters": {"ask": "plan", "job": "job: \x07"},
    }
    answered = {name: json.dumps(question) for name, question in {**asked, **several}.items()}
    refused = {name: json.dumps(question) for name, question in wrong.items()}
    refused["no JSON"] = "{"
    refused["nothing"] = ""
    refused["deep JSON"] = "[" * 100_000
    refused["a surrogate pair"] = '{"ask": "plan", "job": {"job": "\\ud83d\\ude00 \\u00e4 \\u2028"}}'
    return answered, refused


def answers(command, lines):
    done = subprocess.run(command, input="".join(line + "\n" for line in lines), capture_output=True, encoding="utf-8",
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{command}: exit code {done.returncode}\n{done.stderr[-3000:]}")
    return done.stdout.split("\0")[:-1]


def main():
    native = [sys.argv[1]]
    module = ["node", str(ROOT / "tools/ask_wasm.mjs"), sys.argv[2]]
    unknown = json.dumps({"ask": "plan", "job": JOB, "show": ["attic"]})
    [all_views] = answers(native, [unknown])
    views = re.split(r", | or ", json.loads(all_views)["error"]["message"].split("expected ")[1])
    answered, refused = questions(views)
    asked = {**answered, **refused}
    failed = []
    expected, got = answers(native, asked.values()), answers(module, asked.values())
    for name, left, right in zip(asked, expected, got, strict=True):
        if left != right:
            at = next((i for i, (a, b) in enumerate(zip(left, right)) if a != b), min(len(left), len(right)))
            failed.append(f"{name}: differs at byte {at}\n  library {left[max(at - 60, 0):at + 100]!r}\n"
                          f"  module  {right[max(at - 60, 0):at + 100]!r}")
    for name, answer in zip(asked, expected, strict=True):
        if (json.loads(answer)["outcome"] == "wrong") != (name in refused):
            failed.append(f"{name}: expected {'an error' if name in refused else 'an answer'}, got {answer[:300]}")
    texts = [json.dumps({"ask": "plan", "job": text}) for text in REFUSED]
    for (text, words), answer in zip(REFUSED.items(), answers(module, texts), strict=True):
        said = json.loads(answer).get("error", {}).get("message", "")
        if words not in said or "\n" in said:
            failed.append(f"{text!r}: expected one line with '{words}', got {answer[:300]}")
    page = ["node", str(ROOT / "tools/ask_wasm.mjs"), sys.argv[3]]
    texts = [json.dumps(question) for question in OF_PAGES]
    for text, left, right in zip(texts, answers(native, texts), answers(page, texts), strict=True):
        if left != right or json.loads(left)["outcome"] != "found":
            failed.append(f"the planner of pages answers otherwise: {text[:100]}: {right[:300]}")
    texts = [json.dumps(question) for question in NOT_OF_PAGES.values()]
    for words, answer in zip(NOT_OF_PAGES, answers(page, texts), strict=True):
        if words not in json.loads(answer).get("error", {}).get("message", ""):
            failed.append(f"the planner of pages: expected '{words}', got {answer[:300]}")
    print("\n".join(failed))
    count = len(asked) + len(REFUSED) + len(OF_PAGES) + len(NOT_OF_PAGES)
    print(f"counted {count - len(failed)} {len(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
