#!/usr/bin/env python3
"""gpuplan whatif: its JSON, its exit codes, and that its answers agree with those of gpuplan plan.

    tests/cli/whatif_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import unittest
from functools import cache

from program import EXAMPLES, main, run


@cache
def ask(command, *words):
    done = run(command, *words, "--json")
    return done.returncode, json.loads(done.stdout)


def whatif(*words):
    code, answer = ask("whatif", *words)
    assert answer["schema"] == "gpuplan/whatif@1"
    return answer


GENERATE_THEN_TRAIN = """
phases:
  - name: rollouts
    generate: {model: Qwen3-8B, engine: vllm, data: [{samples: 6k, prompt_tokens: 200, new_tokens: 800}]}
  - {name: update, needs: [rollouts], train: {model: Qwen3-8B, data: {samples: 6k, tokens_per_sample: 1000}}}
"""

SMALL = """
market:
  use: only
  offers:
    - {gpu: RTX 3060, price: $0.1/h}
    - {gpu: H100 SXM, price: $3/h}
phases: [{name: train, train: {model: Qwen2.5-1.5B, data: {samples: 1000}, sequence: 256, method: lora, offload: none}}]
goal: cheapest
"""


def whatif_small(*words, more=""):
    done = run("whatif", "-", *words, "--json", stdin=(SMALL + more).encode())
    return done.returncode, json.loads(done.stdout)


class Scenarios(unittest.TestCase):
    def test_rows(self):
        names = lambda *words: [row["name"] for row in whatif("examples/latentwire.yaml", *words)["scenarios"]]
        self.assertEqual(names("--set", "samples=x2"), ["samples=x2"])
        self.assertEqual(names("--set", "samples=x2", "--set", "epochs=4"),
                         ["samples=x2", "epochs=4", "samples=x2, epochs=4"])
        self.assertEqual(names("--vary", "epochs=4,8", "--vary", "samples=1k,2k"),
                         ["epochs=4, samples=1k", "epochs=4, samples=2k", "epochs=8, samples=1k", "epochs=8, samples=2k"])
        self.assertEqual(names("--set", "batch=8", "--vary", "epochs=4,8"),
                         ["batch=8", "batch=8, epochs=4", "batch=8, epochs=8"])
        self.assertEqual(names("--vary", "where.counts=[1, 2],4"), ["where.counts=[1, 2]", "where.counts=4"])

    def test_agrees_with_plan(self):
        for example, settings in (("collection", ["samples=x2", "market.offers[*].price=+50%"]),
                                  ("neurlang", ["steps=x0.5", "where.spot=never"]),
                                  ("sft-node", ["buffer=0%", "epochs=3"]),
                                  ("llama-8b-lora", ["samples=x4", "value_of_time=$1/h"])):
            job = f"examples/{example}.yaml"
            sets = [word for setting in settings for word in ("--set", setting)]
            rows = whatif(job, *sets)["scenarios"]
            for row, words in zip(rows, [sets[:2], sets[2:], sets]):
                plan = ask("plan", job, *words)[1]
                by_id = {each["id"]: each for each in plan["plans"]}
                self.assertIn(row["pick"]["id"], by_id, (job, words))
                for member in ("hours", "cost_usd", "gpu_hours", "fit", "evidence"):
                    self.assertEqual(row["pick"][member], by_id[row["pick"]["id"]][member], (job, words))

    def test_changes_are_told(self):
        row = whatif("examples/trm-nanochat.yaml", "--set", "phases[*].train.steps=x2")["scenarios"][0]
        self.assertEqual([(each["address"], each["before"], each["after"]) for each in row["changes"]],
                         [("phases[0].train.steps", "1000", "2000"), ("phases[1].train.steps", "5000", "10000")])

    def test_twice_the_price_is_twice_the_cost(self):
        # Where cost alone decides: a dearer hour makes the time count for less.
        row = whatif("examples/trm-nanochat.yaml", "--goal", "cheapest", "--set", "offers[*].price=x2")["scenarios"][0]
        self.assertAlmostEqual(row["against_base"]["cost_factor"], 2, places=3)
        self.assertEqual(row["against_base"]["hours_factor"], 1)
        self.assertTrue(row["same_pick"])

    def test_the_questions_of_the_cluster(self):
        answer = whatif("examples/latentwire.yaml", "--set", "samples=x2", "--set", "epochs=x2", "--set", "batch=x2")
        self.assertEqual(answer["base"]["pick"]["gpus"], 1)
        samples, epochs, batch, everything = answer["scenarios"]
        for row in (samples, epochs):  # 11.1 h on one GPU are too close to 12 h
            self.assertEqual(row["pick"]["gpus"], 2)
            self.assertAlmostEqual(row["staying"]["plan"]["hours"]["p50"], 11.11, delta=0.1)  # and minutes to start
            self.assertFalse(row["staying"]["plan"]["meets_deadline"])
            self.assertIsNone(row["staying"]["given_does_not_know"])
        # Memory first: 4 -> 8 sequences fit on one GPU. The stated speed knows nothing of it.
        self.assertTrue(batch["same_pick"])
        self.assertGreater(batch["pick"]["memory_gib"]["total"]["p50"], answer["base"]["pick"]["memory_gib"]["total"]["p50"])
        self.assertLess(batch["staying"]["given_does_not_know"]["time_factor_by_model"], 0.9)
        self.assertEqual(everything["pick"]["gpus"], 4)

    def test_nothing_fits_is_a_row(self):
        done = run("whatif", "examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 3060]", "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        row = json.loads(done.stdout)["scenarios"][0]
        self.assertIsNone(row["pick"])
        self.assertIn("needed", row["nothing_fits"])
        self.assertIsNone(row["staying"]["plan"])
        self.assertEqual(row["staying"]["reason"], "nothing can run the job any more")  # whatever became of its offer

    def test_what_no_longer_fits(self):
        code, answer = whatif_small("--set", "model=Llama-3.1-8B")
        self.assertEqual((code, answer["base"]["pick"]["label"]), (0, "1x RTX 3060"))
        row = answer["scenarios"][0]
        self.assertEqual(row["pick"]["label"], "1x H100 SXM")
        self.assertIsNone(row["staying"]["plan"])
        self.assertRegex(row["staying"]["reason"], r"no longer fits \([0-9.]+ of 11.6 GiB per GPU\)")

    def test_sensitivity_of_plans_that_join_offers(self):
        # The pick, or another plan of the frontier, is on several offers: prices are moved in a search of all of them.
        for job in (GENERATE_THEN_TRAIN, GENERATE_THEN_TRAIN + "schedule: each_phase\n"):
            done = run("whatif", "-", "--sensitivity", "--json", stdin=job.encode())
            self.assertIn(done.returncode, (0, 4), done.stderr)
            self.assertTrue(json.loads(done.stdout)["sensitivity"]["inputs"])

    def test_sensitivity_varies_the_plan_that_it_begins_with(self):
        # A price moves no hours: with it the rows are the base.
        for job in ("sft-node", "collection", "trm-nanochat"):
            answer = whatif(f"examples/{job}.yaml", "--sensitivity")
            hours = answer["base"]["hours"]["p50"]
            for row in answer["sensitivity"]["inputs"]:
                if not row["name"].endswith("price") and "price" not in row["name"].split(" ")[0]: continue
                for end in ("low", "high"):
                    self.assertAlmostEqual(row[end]["hours"], hours, places=3, msg=(job, row))

    def test_threads_do_not_change_the_answer(self):
        words = ["examples/llama-8b-lora.yaml", "--set", "samples=x2", "--vary", "batch=16,32,64", "--json"]
        once = run("whatif", *words, "--jobs", "1").stdout
        self.assertEqual(run("whatif", *words, "--jobs", "7").stdout, once)
        words = ["examples/sft-node.yaml", "--sensitivity", "--json"]
        self.assertEqual(run("whatif", *words, "--jobs", "7").stdout, run("whatif", *words, "--jobs", "1").stdout)

    def test_standard_input(self):
        with open(EXAMPLES[0], "rb") as job:
            done = run("whatif", "-", "--set", "value_of_time=$1/h", "--json", stdin=job.read())
        self.assertEqual(done.returncode, 0, done.stderr)


class QuestionsInFlags(unittest.TestCase):
    def test_a_question_without_a_file(self):
        words = ["--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora", "--setup", "0 min"]
        row = whatif(*words, "--set", "tokens=x2")["scenarios"][0]
        self.assertEqual([each["after"] for each in row["changes"]], ["20000000"])
        self.assertGreater(row["staying"]["against_base"]["hours_factor"], 1.5)
        self.assertTrue(whatif(*words, "--sensitivity")["sensitivity"]["inputs"])

    def test_no_question(self):
        self.assertEqual(run("whatif", "--set", "tokens=x2").returncode, 2)


class ExitCodes(unittest.TestCase):
    def test_those_of_the_job_as_it_stands(self):
        self.assertEqual(whatif_small("--set", "deadline=1 s")[0], 0)
        code, answer = whatif_small("--set", "deadline=100 h", more="limits: {deadline: 1 s}\n")
        self.assertEqual(code, 4)
        self.assertTrue(answer["base"]["limits_missed"])
        self.assertFalse(answer["scenarios"][0]["limits_missed"])
        for words in (["--set", "model=gpt2"], ["--sensitivity"]):
            self.assertEqual(whatif_small(*words, more="where: {gpus: RTX 4090}\n")[0], 3)

    def test_usage(self):
        job = "examples/latentwire.yaml"
        for words, part in (([], "nothing to vary"), (["--set", "samples"], "expected ADDRESS=VALUE"),
                            (["--vary", "samples"], "expected ADDRESS=VALUE,VALUE"),
                            (["--vary", "samples=1k,,2k"], "missing value"),
                            (["--vary", "epochs=1,-3"], "--vary phases.train.train.epochs: expected more than 0"),
                            (["--set", "tokens=5"], "matches several keys"),
                            (["--set", "epoch=5"], "Did you mean 'epochs'?"),
                            (["--set", "steps=x2"], "x2 needs a value in the job"),
                            (["--by", "5%"], "--by needs --sensitivity"),
                            (["--sensitivity", "--by", "200%"], "expected a share between 0% and 100%"),
                            (["--sensitivity", "--vary", "epochs=1,2"], "--sensitivity and --vary cannot be combined"),
                            (["--vary", "epochs=" + ",".join(map(str, range(1, 30))),
                              "--vary", "samples=" + ",".join(map(str, range(1, 30)))], "841 combinations"),
                            ([word for i in range(1, 300) for word in ("--set", f"epochs={i}")], "--set: 300 rows, more than 200"),
                            (["--set", "where.gpus=[H100 SXM]", "--vary", "where.gpus=[H100 SXM]x"], "--vary where.gpus=[H100 SXM]x: ")):
            done = run("whatif", job, *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
            self.assertIn(part, done.stderr)

    def test_bad_input(self):
        self.assertEqual(run("whatif", "nosuch.yaml", "--set", "samples=1").returncode, 5)


class Sensitivity(unittest.TestCase):
    def test_every_example(self):
        for job in EXAMPLES:
            answer = whatif(job, "--sensitivity")
            part = answer["sensitivity"]
            self.assertGreater(len(part["inputs"]), 1, job)
            swings = []
            for row in part["inputs"]:
                ends = [end["cost_usd"] for end in (row["low"], row["high"]) if end["cost_usd"] is not None]
                now = answer["base"]["cost_usd"]["p50"]
                swings.append(max(ends + [now]) - min(ends + [now]))
                self.assertIn(row["source"], ("job", "market", "model"))
                self.assertEqual(row["address"] is not None, row["source"] == "job")
            self.assertEqual(swings, sorted(swings, reverse=True), job)

    def test_ends_agree_with_plan(self):
        job = "examples/collection.yaml"
        answer = whatif(job, "--sensitivity", "--by", "50%")
        rows = {row["address"]: row for row in answer["sensitivity"]["inputs"]}
        samples = rows["phases.collect.collect.data[0].samples"]
        self.assertEqual((samples["low"]["value"], samples["high"]["value"]), ("750", "2,250"))
        for end, value in (("low", "750"), ("high", "2250")):
            plans = {plan["id"]: plan for plan in ask("plan", job, "--set", f"samples={value}")[1]["plans"]}
            same = plans[answer["base"]["id"]]
            self.assertEqual(samples[end]["hours"], same["hours"]["p50"])
            self.assertEqual(samples[end]["cost_usd"], same["cost_usd"]["p50"])
        # A range is moved to its own ends, whatever --by says.
        speed = rows["phases.collect.given[5].tokens_per_second"]
        self.assertEqual((speed["low"]["value"], speed["high"]["value"]), ("140 tokens/s", "160 tokens/s"))
        self.assertGreater(speed["low"]["hours"], speed["high"]["hours"])

    def test_price_moves_cost_in_step(self):
        answer = whatif("examples/llama-8b-lora.yaml", "--sensitivity", "--by", "10%")
        price = next(row for row in answer["sensitivity"]["inputs"] if row["source"] == "market")
        now = answer["base"]["cost_usd"]["p50"]
        self.assertAlmostEqual(price["low"]["cost_usd"] / now, 0.9, places=2)
        self.assertAlmostEqual(price["high"]["cost_usd"] / now, 1.1, places=2)
        self.assertEqual(price["low"]["hours"], price["high"]["hours"])

    def test_the_models_error_is_its_interval(self):
        # With nothing assumed beside the work the hours are as uncertain as the model.
        answer = whatif("examples/llama-8b-lora.yaml", "--sensitivity", "--set", "phases.train.overhead.time=0")
        model = next(row for row in answer["sensitivity"]["inputs"] if row["source"] == "model")
        hours = answer["base"]["hours"]
        self.assertAlmostEqual(model["low"]["hours"] / hours["p10"], 1, places=2)
        self.assertAlmostEqual(model["high"]["hours"] / hours["p90"], 1, places=2)

    def test_settings_are_part_of_the_job(self):
        words = ["examples/neurlang.yaml", "--sensitivity"]
        once = whatif(*words)["base"]["hours"]["p50"]
        self.assertGreater(whatif(*words, "--set", "steps=x4")["base"]["hours"]["p50"], once)

    def test_assumed_interruptions_are_an_input(self):
        words = ["examples/llama-8b-lora.yaml", "--sensitivity", "--spot", "only"]
        told = lambda *more: {row["name"]: row for row in whatif(*words, *more)["sensitivity"]["inputs"]}
        row = told()["interruptions of the machine"]
        self.assertEqual((row["source"], row["low"]["value"], row["high"]["value"]), ("market", "4.02%/h", "5.97%/h"))
        self.assertGreater(row["high"]["hours"], row["low"]["hours"])
        stated = told("--set", "spot.interruptions=5%/h")
        self.assertNotIn("interruptions of the machine", stated)
        self.assertEqual(stated["interruptions"]["low"]["hours"], row["low"]["hours"])

    def test_twins_are_told_apart(self):
        """A plan of two offers that differ in price and billing alone, one of them dearer: still its own offers."""
        job = """
market: {use: only, offers: [{gpu: L4, price: $1/h, billing: {minimum: 10 h}}, {gpu: L4, price: $2/h}]}
schedule: each_phase
goal: cheapest
phases:
  - {name: long, fixed: {gpus: 1, time: 20 h, exact: true}}
  - {name: pause, needs: [long], cpu: {time: 1 h, exact: true}}
  - {name: short, needs: [pause], fixed: {gpus: 1, time: 1 h, exact: true}}
"""
        answer = json.loads(run("whatif", "-", "--sensitivity", "--json", stdin=job.encode()).stdout)
        rows = {row["address"]: row for row in answer["sensitivity"]["inputs"]}
        ends = lambda row: (round(row["low"]["cost_usd"], 6), round(row["high"]["cost_usd"], 6))
        self.assertEqual(ends(rows["market.offers[0].price"]), (18, 26))
        self.assertEqual(ends(rows["market.offers[1].price"]), (21.6, 22.4))

    def test_what_changes_unasked_is_told(self):
        """A change moves what nobody stated, too: the program, and the batch that people take for so much data."""
        job = """
phases: [{name: train, train: {model: Llama-3.2-1B, method: full, optimizer: sgd, epochs: 1,
                               data: {samples: 20k, tokens_per_sample: {mean: 600, max: 2048}}}}]
where: {gpus: [8x RTX 4090]}
"""
        told = " ".join(run("whatif", "-", "--set", "samples=200k", stdin=job.encode()).stdout.split())
        batches = []
        for samples in ("20k", "200k"):
            plan = json.loads(run("plan", "-", "--set", f"samples={samples}", "--json", stdin=job.encode()).stdout)
            batches.append(plan["plans"][0]["phases"][0]["strategy"]["global_batch"])
        self.assertNotEqual(*batches)
        self.assertIn(f"with {batches[1]:g} sequences a step instead of {batches[0]:g}", told)

    def test_two_values_of_a_key_are_no_third_question(self):
        job = b"{phases: [{name: a, fixed: {gpus: 1, time: 1 h}}], market: {use: only, offers: [{gpu: L4, price: 1}]}}"
        answer = json.loads(run("whatif", "-", "--set", "buffer=10%", "--set", "buffer=20%", "--json", stdin=job).stdout)
        self.assertEqual(len(answer["scenarios"]), 2)

    def test_no_input_is_told_twice(self):
        part = whatif("examples/sft-node.yaml", "--sensitivity")["sensitivity"]
        names = [row["name"] for row in part["inputs"]] + part["without_effect"] + part["not_moved"]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    main(__doc__)
