#!/usr/bin/env python3
"""What a question about generation gets: speeds and latencies, targets, the longest context, and bad input.

    tests/cli/generation_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import io
import json
import tempfile
import unittest
from pathlib import Path

from program import main, run

WORK = ["--model", "Llama-3.1-8B", "--generate", "--samples", "10k", "--prompt", "500", "--new", "300"]
JOB = """job: t
market: {use: only, offers: [{gpu: GPU, gpus: 8, price: 20}]}
phases:
  - name: serve
    generate: {model: MODEL, data: {samples: 100000, prompt_tokens: 500, new_tokens: 300}, KEYS}
"""


def plan_job(keys, *options, model="Llama-3.1-8B", gpu="H100 SXM", command="plan"):
    with tempfile.TemporaryDirectory() as folder:
        job = Path(folder) / "job.yaml"
        job.write_text(JOB.replace("MODEL", model).replace("GPU", gpu, 1).replace("KEYS", keys))
        return run(command, str(job), *options)


def picked(found):
    return next(plan for plan in found["plans"] if plan["id"] == found["recommendations"]["pick"])


class Answers(unittest.TestCase):
    def test_every_situation_says_what_requests_meet(self):
        for keys in ("situation: single", "situation: static, batch: 16", "concurrency: 32", "situation: saturated"):
            done = plan_job(keys, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            phase = picked(json.loads(done.stdout))["phases"][0]
            serving = phase["serving"]
            for key in ("output_tokens_per_second", "total_tokens_per_second", "time_to_first_token_seconds",
                        "time_per_output_token_seconds"):
                self.assertLess(0, serving[key]["p10"], keys)
                self.assertLess(serving[key]["p10"], serving[key]["p50"], keys)
                self.assertLess(serving[key]["p50"], serving[key]["p90"], keys)
            self.assertAlmostEqual(serving["output_tokens_per_second"]["p50"], phase["tokens_per_second"]["p50"])
            self.assertIsNone(serving["target_chance"])
            text = plan_job(keys, "--details").stdout
            self.assertRegex(text, r"Speed: [\d,]+ tokens/s", keys)
            self.assertIn("TTFT", text)

    def test_requests_in_flight(self):
        single = picked(json.loads(plan_job("situation: single, parallel: {dp: 1}", "--json").stdout))
        self.assertEqual(single["phases"][0]["serving"]["sequences_in_flight"], 1)
        served = picked(json.loads(plan_job("concurrency: 32, parallel: {dp: 1}", "--json").stdout))
        self.assertEqual(served["phases"][0]["serving"]["sequences_in_flight"], 32)

    def test_the_view_has_a_row_for_each_machine(self):
        rows = list(csv.DictReader(io.StringIO(run("plan", *WORK, "--show", "serving", "--csv").stdout)))
        self.assertGreater(len(rows), 5)
        for row in rows:
            self.assertLess(float(row["output_tokens_per_second_p10"]), float(row["output_tokens_per_second_p90"]))
            self.assertLess(float(row["time_to_first_token_seconds"]), 600)
            self.assertGreater(float(row["usd_per_1m_new_tokens"]), 0)

    def test_profiles_have_latencies(self):
        found = json.loads(plan_job("situation: saturated", "--json", command="profiles").stdout)
        text = json.dumps(found)
        self.assertIn("time_to_first_token_seconds_p50", text)
        self.assertIn("TTFT", plan_job("situation: saturated", command="profiles").stdout)


class Targets(unittest.TestCase):
    def test_the_pick_reaches_it(self):
        done = run("plan", *WORK, "--tokens-per-second", "5000", "--per-token", "30 ms", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads(done.stdout)
        plan = picked(found)
        self.assertTrue(plan["reaches_target"])
        serving = plan["phases"][0]["serving"]
        self.assertGreaterEqual(serving["output_tokens_per_second"]["p50"], 5000)
        self.assertLessEqual(serving["time_per_output_token_seconds"]["p50"], 0.03)
        self.assertGreater(serving["target_chance"], 0.3)

    def test_how_many_gpus_of_each_kind(self):
        done = run("plan", *WORK, "--tokens-per-second", "5000", "--details")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(" ".join(done.stdout.split()), r"Target 5,000 tokens/s: \d+ of \d+ plans reach it\. Smallest "
                                                        r"that do: 1x ")

    def test_a_miss_names_the_nearest_and_exits_with_4(self):
        done = plan_job("target: {time_per_output_token: 0.1 ms}", "--details")
        self.assertEqual(done.returncode, 4)
        self.assertEqual(done.stderr, "")
        words = " ".join(done.stdout.split())
        self.assertIn("No plan reaches the target with 90% chance. Closest: 8x H100 SXM.", words)
        self.assertRegex(words, r"Target TPOT 100 us: 0 of 1 plan reach it\. Closest: 8x H100 SXM \(TPOT [\d.]+ ms\)")
        found = json.loads(plan_job("target: {time_per_output_token: 0.1 ms}", "--json").stdout)
        self.assertTrue(found["recommendations"]["limits_missed"])
        self.assertFalse(picked(found)["reaches_target"])

    def test_what_would_reach_it(self):
        full = json.loads(plan_job("situation: saturated", "--json").stdout)
        speed = picked(full)["phases"][0]["serving"]["output_tokens_per_second"]["p50"]
        done = plan_job(f"situation: saturated, target: {{tokens_per_second: {1.2 * speed:.0f}}}")
        self.assertEqual(done.returncode, 4)
        self.assertIn("Change one of these:", done.stdout)
        self.assertIn("reaches the target", done.stdout)

    def test_flags_become_a_job(self):
        text = run("init", *WORK, "--tokens-per-second", "5000", "--first-token", "500 ms", "--kv-cache", "fp8",
                   "--weights", "exl2", "--weight-bits", "4.65", "--situation", "saturated").stdout
        for part in ("tokens_per_second: 5000", "time_to_first_token: 500 ms", "kv_cache: fp8", "weight_bits: 4.65"):
            self.assertIn(part, text)


class Fit(unittest.TestCase):
    def test_batch_and_context(self):
        done = run("fit", "Llama-3.1-8B", "--generate", "--batch", "4", "--gpu", "RTX 4090", "--counts", "1", "--json")
        row = json.loads(done.stdout)["sections"][0]["rows"][0]
        self.assertGreater(row["largest_batch"], 4)
        self.assertEqual(row["longest_context"]["sequences"], 1)
        self.assertEqual(row["longest_context_at_batch"]["sequences"], 4)
        self.assertGreater(row["longest_context"]["tokens"], row["longest_context_at_batch"]["tokens"])
        for part in ("weights", "kv_cache", "activations", "framework"):
            self.assertGreater(row["memory_gib"][part], 0, part)

    def test_formats_that_would_make_it_fit(self):
        done = run("fit", "Llama-3.3-70B", "--generate", "--gpu", "RTX 5090", "--counts", "1")
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("weights: int4", done.stdout)
        self.assertIn("weights: q2_k", done.stdout)

    def test_a_batch_that_cannot_fit(self):
        done = plan_job("situation: static, batch: 20000, engine: vllm, parallel: {tp: 1}", gpu="RTX 4090")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(" ".join(done.stdout.split()), r"batch: auto, \d+ at once")


class BadInput(unittest.TestCase):
    def wrong(self, keys, words, **options):
        done = plan_job(keys, **options)
        self.assertEqual(done.returncode, 5, done.stdout)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
        self.assertIn(words, done.stderr)

    def test_one_line_that_names_what_works(self):
        self.wrong("parallel: {tp: 8}", "28 heads of Qwen2.5-7B are not divisible by 8; 4 does", model="Qwen2.5-7B")
        self.wrong("parallel: {ep: 3}", "8 experts of Mixtral-8x7B are not divisible by 3; 2 or 4 do", model="Mixtral-8x7B")
        self.wrong("engine: vllm, weights: q4_k_m", "llama.cpp does")
        self.wrong("weights: q4km_", "Did you mean")
        self.wrong("kv_cache: q6_k", "q6_k is a weight format; expected fp32, fp16")

    def test_a_context_beyond_the_models(self):
        done = run("plan", "--model", "Llama-2-7B", "--generate", "--samples", "10", "--prompt", "4000", "--new", "300")
        self.assertEqual(done.returncode, 2)
        self.assertIn("Llama-2-7B reads at most 4,096 tokens", done.stderr)
        self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)

    def test_formats_and_gpus_that_do_not_go_together(self):
        done = plan_job("weights: fp8, engine: vllm", gpu="T4")
        self.assertEqual(done.returncode, 3)
        self.assertIn("T4 has no fp8 matmuls", " ".join(done.stdout.split()))

    def test_more_replicas_than_gpus(self):
        done = plan_job("parallel: {dp: 16}")
        self.assertEqual(done.returncode, 3)
        self.assertIn("the number of GPUs", done.stdout)


if __name__ == "__main__":
    main(__doc__)
