#!/usr/bin/env python3
"""What is recommended, and what the short answer says of better ways: no plan may be beaten by one that a flag gives.

    tests/cli/picks_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import unittest

from program import main, run

VALUE = 5  # dollars an hour: the default


def asked(*words, code=0):
    done = run("plan", *words, "--json")
    assert done.returncode == code, (words, done.stdout, done.stderr)
    return json.loads(done.stdout)


def picked(found):
    return next(plan for plan in found["plans"] if plan["id"] == found["recommendations"]["pick"])


def total(plan):
    return plan["cost_usd"]["p50"] + VALUE * plan["hours"]["p50"]


def figures(plan):
    return round(plan["hours"]["p90"], 6), round(plan["cost_usd"]["p90"], 6)


GENERATE = ["--generate", "--prompt", "800", "--new", "400"]


class Software(unittest.TestCase):
    def test_no_engine_is_several_times_better_than_that_of_an_open_choice(self):
        for model, gpu in (("Qwen2.5-14B", "V100 SXM2 32GB"), ("Llama-3.1-8B", "V100")):
            job = ["--model", model, *GENERATE, "--samples", "50k", "--gpu", gpu]
            best = total(picked(asked(*job)))
            for engine in ("lmdeploy", "deepspeed", "llama.cpp", "hf"):
                other = total(picked(asked(*job, "--engine", engine)))
                self.assertLessEqual(best, 1.5 * other, (gpu, engine))

    def test_no_framework_is_several_times_better_than_that_of_an_open_choice(self):
        for job in (
            ["--model", "Qwen2.5-32B", "--tokens", "50M", "--method", "lora", "--gpu", "RTX 4090", "--counts", "8"],
            ["--model", "Qwen2.5-32B", "--tokens", "50M", "--method", "lora", "--gpu", "RTX 4090"],
            ["--model", "DeepSeek-V3", "--tokens", "100M", "--method", "full", "--nodes", "4"],
        ):
            best = total(picked(asked(*job)))
            for framework in ("megatron-bridge", "deepspeed", "nemo"):
                found = run("plan", *job, "--framework", framework, "--json")
                if found.returncode != 0:
                    continue
                self.assertLessEqual(best, 2.6 * total(picked(json.loads(found.stdout))), (job, framework))

    def test_a_limit_that_another_engine_keeps_is_kept_or_it_is_named(self):
        job = ["--model", "Llama-3.1-8B", *GENERATE, "--samples", "50k", "--gpu", "P100"]
        hours = picked(asked(*job))["hours"]["p90"]
        late = asked(*job, "--deadline", f"{hours * 0.6:.3f} h", code=4)
        changes = [remedy["change"] for remedy in late["limit_remedies"]]
        self.assertTrue(any(".engine: " in change for change in changes), changes)


class Offload(unittest.TestCase):
    def test_it_is_compared_where_traffic_over_pcie_takes_longer(self):
        job = ["--model", "Llama-3.3-70B", "--tokens", "50M", "--method", "lora", "--gpu", "L40S", "--counts", "8"]
        best = picked(asked(*job))
        there = picked(asked(*job, "--set", "phases.train.offload=params+activations"))
        self.assertLessEqual(best["hours"]["p50"], there["hours"]["p50"] * 1.3)

    def test_memory_that_nobody_states_is_warned_of(self):
        for model, tokens in (("Qwen3-235B-A22B", "20M"), ("Qwen2.5-72B", "20M")):
            job = ["--model", model, "--tokens", tokens, "--method", "lora", "--gpu", "H200", "--counts", "1,2"]
            done = run("plan", *job)
            for line in done.stdout.splitlines():
                if "how much the machine has is unknown" in line:
                    self.assertIn("! CPU offload", done.stdout)


class Goals(unittest.TestCase):
    def test_of_as_many_gpus_hours_count(self):
        few = picked(asked("--params", "1B", "--tokens", "20B", "--goal", "fewest_gpus"))
        self.assertEqual(few["gpus"], 1)
        one = picked(asked("--params", "1B", "--tokens", "20B", "--gpu", "H100 SXM", "--counts", "1"))
        self.assertLessEqual(total(few), total(one) * 1.001)


class Remedies(unittest.TestCase):
    def test_rows_are_what_their_command_gives(self):
        job = ["--model", "Llama-3.1-8B", "--generate", "--samples", "10M", "--prompt", "1000", "--new", "500",
               "--gpu", "H100 SXM"]  # fmt: skip
        late = asked(*job, "--counts", "1", "--deadline", "24 h", code=4)
        rows = [row for row in late["limit_remedies"] if row["change"].startswith("where.nodes")]
        self.assertEqual(len(rows), 1)
        nodes = re.search(r"where\.nodes: \[(\d+)\]", rows[0]["change"])[1]
        done = run("plan", *job, "--nodes", nodes, "--deadline", "24 h", "--json")
        self.assertEqual(figures(picked(json.loads(done.stdout))), figures(rows[0]))
        self.assertEqual(done.returncode == 0, rows[0]["keeps"])
        self.assertTrue(rows[0]["keeps"], "two nodes of eight do")

    def test_what_does_not_fit_on_one_machine_names_how_many_do(self):
        job = ["--model", "DeepSeek-V3", "--tokens", "100M", "--method", "full"]
        done = run("plan", *job)
        self.assertEqual(done.returncode, 3)
        row = re.search(r"--nodes (\d+).*\$", done.stdout)
        self.assertIsNotNone(row, done.stdout)
        self.assertEqual(run("plan", *job, "--nodes", row[1]).returncode, 0)


class Formats(unittest.TestCase):
    JOB = ["--model", "Qwen2.5-14B", *GENERATE, "--samples", "50k", "--gpu", "RTX 5090", "--counts", "1"]

    def test_smaller_weights_are_told_with_their_figures(self):
        text = " ".join(run("plan", *self.JOB).stdout.split())
        said = re.search(r"! Weights in (\w+) take ([\d.]+ \w+) and (\$[\d.]+) on the same machines", text)
        self.assertIsNotNone(said, text)
        there = run("plan", *self.JOB, "--weights", said[1]).stdout
        self.assertIn(said[3], there)
        self.assertIn(said[2], there)

    def test_whoever_states_a_format_hears_nothing_of_others(self):
        for format in ("bf16", "fp8", "int4"):
            self.assertNotIn("Weights in", run("plan", *self.JOB, "--weights", format).stdout)

    def test_what_saves_little_is_not_told(self):
        few = ["--model", "Llama-3.2-1B", *GENERATE, "--samples", "1k", "--gpu", "H100 SXM", "--counts", "1"]
        self.assertNotIn("Weights in", run("plan", *few).stdout)


class Batches(unittest.TestCase):
    def test_texts_that_are_only_read_come_in_batches_that_pay(self):
        job = ["--model", "bge-m3", "--forward-only", "--samples", "10M", "--prompt", "256"]
        best = picked(asked(*job))
        larger = picked(asked(*job, "--batch", "512"))
        self.assertLessEqual(best["hours"]["p50"], larger["hours"]["p50"] * 1.1)


class Substitutes(unittest.TestCase):
    def test_launch_offers_nothing_far_dearer_or_slower(self):
        for nodes in ("4", "4,8,16"):
            job = ["--model", "DeepSeek-V3", "--tokens", "100M", "--method", "full", "--nodes", nodes]
            best = picked(asked(*job))
            text = " ".join(run("plan", *job).stdout.split())
            for hours, cost in re.findall(r"launch writes a program for .*? \(([\d.]+) h, \$([\d,.]+)\)", text):
                self.assertLessEqual(float(hours), 1.51 * best["hours"]["p50"])
                self.assertLessEqual(float(cost.replace(",", "")), 1.51 * best["cost_usd"]["p50"])


if __name__ == "__main__":
    main(__doc__)
