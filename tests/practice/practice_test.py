#!/usr/bin/env python3
"""What practitioners run, and what they published about it, held against what the program answers.

    tests/practice/practice_test.py build/release/gpuplan [ID...]

Every .yaml of this folder but sources.yaml is a list of questions:

    id          one word
    ask         the words after "gpuplan", of plan or fit; --json is added
    job         a job file, where the question needs one; it stands behind the command
    practice    what holds of the answer, by name: of the recommended plan, or of the first row that fit prints
    published   figures as published, with how far off an answer may be: "24 within 1.35x", or "7.0M by 0.5..1.1"
    every       what holds of every plan in the answer
    exit        the exit code expected, 0 unless given
    says        a regular expression for the text answer, blanks made one
    source      names of sources.yaml, one or several
    note        why, where the source alone does not say
    missed      what the program is known to answer otherwise, and why: the question then fails when it is met

An expectation is a list of what is allowed, a range A..B (either end may be missing), a number, a word, or "not [...]".
Numbers take k, M, B and T. VALUES below lists the names. Bounds come from practice and never from the program: published
figures of a setup that the program knows may be off by 1.35, those of another year's software or of whole projects with
their evaluations and restarts by as much as the question says.

Of every table of plans besides: they train with the same batch, and a recommended plan that leaves paid GPUs idle says so.

Prints a line for each failure, and "counted PASSED FAILED" last, for ./test. With --self-test, whether wrong answers fail.
"""

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
KEYS = {"id", "ask", "job", "practice", "published", "every", "exit", "says", "source", "note", "missed"}
SUFFIX = {"k": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


class Wrong(Exception):
    """A question that is not one."""


def number(text):
    found = re.fullmatch(r"([0-9.]+)([kMBT]?)", str(text).strip())
    if not found:
        raise Wrong(f"no number: {text!r}")
    return float(found[1]) * SUFFIX.get(found[2], 1)


def span(text):
    """(low, high) of "A..B", either of which may be missing; None where it is no range."""
    found = re.fullmatch(r"\s*([0-9.]*?[kMBT]?)\.\.([0-9.]*[kMBT]?)\s*", text)
    if not found:
        return None
    return (number(found[1]) if found[1] else float("-inf"), number(found[2]) if found[2] else float("inf"))


def around(text):
    """(low, high) of "V within Fx" or "V by A..B"."""
    within = re.fullmatch(r"(\S+) within ([0-9.]+)x", text)
    if within:
        return number(within[1]) / float(within[2]), number(within[1]) * float(within[2])
    by = re.fullmatch(r"(\S+) by (\S+)", text)
    if by and span(by[2]):
        return tuple(number(by[1]) * end for end in span(by[2]))
    raise Wrong(f"neither 'V within Fx' nor 'V by A..B': {text!r}")


def allowed(expected, value):
    if isinstance(expected, dict) and set(expected) == {"not"}:
        return value is not None and not allowed(expected["not"], value)
    if isinstance(expected, list):
        return any(allowed(one, value) for one in expected)
    if isinstance(expected, bool) or expected is None or isinstance(value, bool):
        return value is expected
    if isinstance(expected, (int, float)):
        return isinstance(value, (int, float)) and abs(value - expected) < 1e-9
    ends = span(expected)
    if ends is None:
        return str(value) == expected
    return isinstance(value, (int, float)) and ends[0] <= value <= ends[1]


# ---- what can be asked of a plan ------------------------------------------------------------------------------------

def last(plan):
    return plan["phases"][-1]


def way(key):
    return lambda plan: last(plan)["strategy"][key]


def batch_tokens(plan):
    batch = way("global_batch")(plan)
    return batch and batch * last(plan)["sequence"]


def rate(plan):
    return last(plan)["tokens_per_second"]["p50"]


def serving(key):
    def value(plan):
        told = last(plan)["serving"]
        told = told[key] if told else None
        return told["p50"] if isinstance(told, dict) else told
    return value


VALUES = {
    **{key: way(key) for key in ("framework", "dp", "tp", "pp", "cp", "ep", "sharding", "offload", "recompute", "precision",
                                 "optimizer", "method", "weights", "replicas")},
    "batch": way("global_batch"),                                  # sequences of one optimizer step
    "batch_tokens": batch_tokens,                                  # the same in tokens
    "gpu": lambda plan: last(plan)["offer"]["gpu"],
    "gpus": lambda plan: last(plan)["gpus_used"],
    "nodes": lambda plan: last(plan)["offer"]["nodes"],
    "idle_gpus": lambda plan: last(plan)["gpus_billed"] - last(plan)["gpus_used"],
    "hours": lambda plan: last(plan)["model_work_hours"],           # the work of the phase alone
    "gpu_hours": lambda plan: last(plan)["model_work_hours"] * last(plan)["gpus_used"],
    "cost_usd": lambda plan: plan["cost_usd"]["p50"],
    "seconds_per_step": lambda plan: last(plan)["seconds_per_step"]["p50"],
    "tokens_per_second": rate,
    "tokens_per_second_per_gpu": lambda plan: rate(plan) / last(plan)["gpus_used"],
    "memory_gib": lambda plan: last(plan)["memory_gib"]["total"]["p50"],
    "host_gib": lambda plan: last(plan)["memory_gib"]["host"],
    "target_chance": serving("target_chance"),
    "frameworks": lambda plan: [phase["strategy"]["framework"] for phase in plan["phases"]],
}

# What can be asked of a row of fit. Its way is told in words; "to_host" names what of it lies in host memory.
ROW = {
    "fit": lambda row: row["fit"],
    "gpus": lambda row: row["gpus"],
    "needed_gib": lambda row: row["needed_gib"],                    # the median
    "framework": lambda row: row["how"].split(", ")[-1],
    "to_host": lambda row: bool(re.search(r"offload \(?[a-z+, ]*\b(optimizer|params|weights)", row["how"])),
}


def same_batch(plans):
    """Largest batch of one step over the smallest: plans of one table train the same model."""
    sizes = [size for size in map(batch_tokens, plans) if size]
    return max(sizes) / min(sizes) if sizes else 1


UNSTATED = 4 / 3  # ten GPUs take 20 sequences where others take 16 and nobody said how many
ROUNDED = 0.035  # by so much a batch may differ from the one asked for, so that GPUs divide it


# ---- asking ---------------------------------------------------------------------------------------------------------

def ask(program, question, more):
    words = shlex.split(question["ask"])
    with tempfile.TemporaryDirectory() as folder:
        if "job" in question:
            path = Path(folder) / "job.yaml"
            path.write_text(question["job"], encoding="utf-8")
            words.insert(1, str(path))
        done = subprocess.run([program, *words, *more], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
                              cwd=HERE.parent.parent,
                              env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": folder, "GPUPLAN_CONFIG": "", "GPUPLAN_RUNS": "", "GPUPLAN_STORE": ""})
    return done.returncode, done.stdout, done.stderr


def told(value):
    if isinstance(value, float):
        return f"{value:.4g}"
    return json.dumps(value) if isinstance(value, (bool, list)) or value is None else str(value)


def unmet(names, expected, subject):
    """What of `expected` does not hold of a plan or row, in words."""
    for name, wanted in (expected or {}).items():
        if name not in names:
            raise Wrong(f"no value named {name!r}")
        value = names[name](subject)
        good = all(one in wanted for one in value) if isinstance(value, list) else allowed(wanted, value)
        if not good:
            yield f"{name} {told(value)}, not {told(wanted)}"


def unmet_figures(names, figures, subject):
    for name, text in (figures or {}).items():
        low, high = around(text)
        value = names[name](subject)
        if not low <= value <= high:
            yield f"{name} {told(value)}, published {text} ({told(low)}..{told(high)})"


def failures(program, question):
    unknown = set(question) - KEYS
    if unknown:
        raise Wrong(f"unknown keys {sorted(unknown)}")
    if "says" in question:
        code, out, err = ask(program, question, [])
        if not re.search(question["says"], re.sub(r"\s+", " ", out + err)):
            yield f"the text does not say /{question['says']}/"
    code, out, err = ask(program, question, ["--json"])
    if not allowed(question.get("exit", 0), code):
        said = " ".join((err or "".join(ask(program, question, [])[1:])).split())
        said = said[max(0, said.lower().find("nothing fits")):] if code == 3 else said
        yield f"exit code {code}, not {question.get('exit', 0)}: {said[:200]}"
        return
    if not (question.keys() & {"practice", "published", "every"}):
        return
    answer = json.loads(out)
    if "sections" in answer:
        rows = [row for section in answer["sections"] for row in section["rows"]]
        if not rows:
            yield "no row: it fits nowhere"
            return
        yield from unmet(ROW, question.get("practice"), rows[0])
        yield from unmet_figures(ROW, question.get("published"), rows[0])
        return
    picked = answer["recommendations"]["pick"]
    pick = next((plan for plan in answer["plans"] if plan["id"] == picked), None)
    if pick is None:
        yield "no plan is recommended"
        return
    where = f"{pick['label']}: {last(pick)['strategy_words']}"
    for what in (*unmet(VALUES, question.get("practice"), pick), *unmet_figures(VALUES, question.get("published"), pick)):
        yield f"{what} [{where}]"
    stated = "--batch" in question["ask"] or "batch:" in question.get("job", "")
    if same_batch(answer["plans"]) > (1 + 2 * ROUNDED if stated else UNSTATED):
        yield f"batches of one table differ by {same_batch(answer['plans']):.3g}x"
    used, billed = VALUES["gpus"](pick), last(pick)["gpus_billed"]
    if used < billed and not re.search(rf"\b{used:,} of (its |the )?{billed:,} GPUs", ask(program, question, [])[1]):
        yield f"nothing says that {used} of {billed} GPUs are used"
    for name, wanted in (question.get("every") or {}).items():
        bad = {plan["label"]: what for plan in answer["plans"] for what in unmet(VALUES, {name: wanted}, plan)}
        if bad:
            label, what = next(iter(bad.items()))
            yield f"{len(bad)} of {len(answer['plans'])} plans, such as {label}: {what}"


def load(folder):
    sources = yaml.safe_load((folder / "sources.yaml").read_text(encoding="utf-8"))
    for name, source in sources.items():
        if set(source) != {"title", "url", "date"}:
            raise Wrong(f"sources.yaml: {name} needs title, url and date")
    questions = []
    for path in sorted(folder.glob("*.yaml")):
        if path.name != "sources.yaml":
            questions += yaml.safe_load(path.read_text(encoding="utf-8"))["questions"]
    names = [question["id"] for question in questions]
    if len(set(names)) != len(names):
        raise Wrong(f"twice: {sorted({name for name in names if names.count(name) > 1})}")
    used = set()
    for question in questions:
        given = question.get("source") or []
        given = given if isinstance(given, list) else [given]
        if not given or not set(given) <= set(sources):
            raise Wrong(f"{question['id']}: no source, or one that sources.yaml lacks: {given}")
        used |= set(given)
    if used != set(sources):
        raise Wrong(f"sources.yaml: of no use: {sorted(set(sources) - used)}")
    return questions, sources


def self_test():
    """Expectations that hold and others that do not, by name of what is wrong."""
    phase = {"strategy": {"framework": "torch", "pp": 1, "global_batch": 512}, "sequence": 1024, "gpus_billed": 8,
             "gpus_used": 6, "model_work_hours": 2.0}
    plan = {"phases": [phase]}
    good = [{"framework": ["torch", "nanogpt"], "pp": 1, "batch_tokens": "0.5M..1M", "gpus": "..6"}, {"framework": {"not": ["x"]}}]
    bad = [{"framework": ["megatron"]}, {"pp": "2.."}, {"batch_tokens": "..0.5M"}, {"idle_gpus": 0}, {"framework": {"not": ["torch"]}}]
    assert not [what for one in good for what in unmet(VALUES, one, plan)]
    assert all(list(unmet(VALUES, one, plan)) for one in bad)
    assert not list(unmet_figures(VALUES, {"hours": "1.5 within 1.35x", "gpu_hours": "20 by 0.5..1.1"}, plan))
    assert len(list(unmet_figures(VALUES, {"hours": "3 within 1.35x", "gpu_hours": "10 by 0.5..1.1"}, plan))) == 2
    assert same_batch([plan, {"phases": [{**phase, "sequence": 2048}]}]) == 2
    for how in ("offload optimizer+params, bf16", "CPU offload (optimizer, weights), bf16", "offload params"):
        assert list(unmet(ROW, {"to_host": False}, {"how": f"micro-batch 1, {how}, hf-trainer"})), how
    assert not list(unmet(ROW, {"to_host": False}, {"how": "micro-batch 1, CPU offload (activations), bf16, unsloth"}))
    for text in ("1.5 about 2x", "x within 2x"):
        try:
            around(text)
        except Wrong:
            continue
        raise AssertionError(f"taken for figures: {text}")


def command(question):
    return f"gpuplan {question['ask']}" + (" (with a job file)" if "job" in question else "")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--self-test":
        return self_test()
    program = os.path.abspath(sys.argv[1])
    questions, sources = load(HERE)
    wanted = sys.argv[2:]
    unknown = set(wanted) - {question["id"] for question in questions}
    if unknown:
        sys.exit(f"no question named {sorted(unknown)}")
    questions = [question for question in questions if not wanted or question["id"] in wanted]

    def outcome(question):
        try:
            return list(failures(program, question))
        except Exception as error:  # noqa: BLE001  a question that can not be asked is a failure and no end
            return [f"{type(error).__name__}: {error}"]

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        outcomes = list(pool.map(outcome, questions))
    bad = missed = 0
    for question, wrong in zip(questions, outcomes):
        if "missed" in question:
            missed += 1
            wrong = [] if wrong else ["met: take its `missed` away"]
        if wrong:
            bad += 1
            given = question["source"] if isinstance(question["source"], list) else [question["source"]]
            print(f"{question['id']}: {'; '.join(wrong)}\n    {command(question)}\n    "
                  f"by {'; '.join(sources[name]['title'] for name in given)}")
    print(f"known to be missed: {missed}")
    print(f"counted {len(questions) - bad - missed} {bad}")
    sys.exit(bool(bad))


if __name__ == "__main__":
    main()
