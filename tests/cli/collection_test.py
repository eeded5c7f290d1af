#!/usr/bin/env python3
"""Activations that are kept: tables, JSON, bad input.

    tests/cli/collection_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import unittest

from program import EXAMPLES, main, run

COLLECTION = "examples/collection.yaml"
READ_ONLY = "examples/collect-forward-only.yaml"


def plans(*words):
    done = run("plan", *words, "--json")
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)


def text(*words, columns=100):
    return re.sub(r"\s+", " ", run(*words, COLUMNS=str(columns)).stdout)


class Kept(unittest.TestCase):
    def test_json_says_what_every_plan_keeps(self):
        for plan in plans(COLLECTION)["plans"]:
            kept = plan["phases"][0]["activations_kept"]
            self.assertEqual(kept["tokens_per_sample"], 712)
            self.assertEqual(kept["bytes_per_token"], 16 * 4096 * 2)
            self.assertAlmostEqual(kept["gb"], 16 * 4096 * 2 * 712 * 6000 / 1e9, 6)
            self.assertGreater(kept["checkpoints_gb_a_machine"], 4 * 14)
            self.assertAlmostEqual(kept["disk_gb"], kept["gb"] + kept["checkpoints_gb_a_machine"], 6)
            self.assertEqual(kept["disk_usd"], 0)
            self.assertGreater(kept["seconds_to_disk"], kept["gb"] / 1.6)

    def test_other_phases_keep_nothing(self):
        for plan in plans("examples/generate-70b.yaml")["plans"]:
            self.assertIsNone(plan["phases"][0]["activations_kept"])
            self.assertEqual(plan["disk_usd"], 0)

    def test_fit_says_it_too(self):
        found = json.loads(run("fit", COLLECTION, "--json").stdout)
        rows = [row for section in found["sections"] for row in section["rows"] if row["fit"] == "fits"]
        self.assertTrue(rows)
        for row in rows:
            self.assertGreater(row["activations_kept"]["gb"], 550)
            self.assertIsNone(row["activations_kept"]["disk_usd"])
        self.assertIn("560 GB total", text("fit", COLLECTION))

    def test_a_disk_that_is_too_small_is_said(self):
        self.assertIn("where.disk is 200 GB. Set where.disk: 620 GB", text("plan", COLLECTION))
        self.assertNotIn("Set where.disk", text("plan", COLLECTION, "--set", "where.disk=620 GB"))

    def test_memory_that_holds_too_little_is_the_reason_told(self):
        # 100k x 512 tokens x 32 layers x 4096 x 2 bytes; what a GPU lacks is no matter, and the way out is said.
        job = ("phases: [{name: c, collect: {model: Llama-3.1-8B, forward_only: true, data: {samples: 100k, prompt_tokens: "
               "512}, store: {to: memory, layers: 32, width: 4096, dtype: bf16, tokens: all}}}]\n")
        for rest in ("", "limits: {deadline: 9h}\n", "where: {gpus: [T4, H100 SXM]}\n"):
            done = re.sub(r"\s+", " ", run("plan", "-", stdin=(job + rest).encode()).stdout)
            self.assertIn("Nothing fits in CPU memory. The stored activations take 12.2 TiB", done)
            self.assertIn("store: {to: disk}", done)
            self.assertNotIn("GiB per GPU short", done)
        self.assertNotIn("Nothing fits", run("plan", "-", stdin=job.replace("to: memory", "to: disk").encode()).stdout)

    def test_explain_has_the_bytes(self):
        done = text("plan", COLLECTION, "--explain", columns=160)
        self.assertIn("activations to the disk", done)
        self.assertIn("disk of a machine 618 GB", done)
        terms = {term["name"]: term for phase in plans(COLLECTION, "--explain")["explain"][0]["phases"]
                 for term in phase["terms"]}
        self.assertEqual(terms["activations, total"]["kind"], "disk")
        self.assertAlmostEqual(terms["activations, total"]["value"], 16 * 4096 * 2 * 712 * 6000)
        self.assertTrue(terms["activations to CPU memory"]["part_of_total"])
        self.assertTrue(terms["activations kept"]["part_of_total"])

    def test_space_is_in_the_cost(self):
        free = plans(READ_ONLY, "--set", "collect.store.disk_price=$0/GB-month")
        paid = plans(READ_ONLY)
        by_id = {plan["id"]: plan for plan in free["plans"]}
        shared = [plan for plan in paid["plans"] if plan["id"] in by_id]
        self.assertGreater(len(shared), 10)
        for plan in shared:
            kept = plan["phases"][0]["activations_kept"]
            dollars = 0.08 * kept["disk_gb"] * plan["hours"]["p50"] / 730
            self.assertAlmostEqual(plan["disk_usd"], dollars, delta=0.02 * dollars + 0.002)
            # Means add up; a median of a sum is not the sum of medians. Two of them, each put into cents before and after
            # its prices are doubted.
            mean = 0.08 * kept["disk_gb"] * plan["hours"]["mean"] / 730
            self.assertAlmostEqual(plan["cost_usd"]["mean"] - by_id[plan["id"]]["cost_usd"]["mean"], mean,
                                   delta=0.02 * mean + 0.021)

    def test_a_slow_disk_takes_longer(self):
        usual = plans(READ_ONLY)["plans"][0]
        slow = plans(READ_ONLY, "--set", "collect.store.disk_rate=100 MB/s", "--gpu", usual["gpu"])
        hours = [plan["hours"]["p50"] for plan in slow["plans"]]
        self.assertGreater(min(hours), 1680 / 0.1 / 3600 * 0.9)  # 1.68 TB

    def test_memory_of_the_host_must_hold_it(self):
        found = plans(READ_ONLY, "--set", "collect.store.to=memory", "--set", "collect.data[0].samples=20k")
        self.assertGreater(found["rejected"]["host_memory"], 0)
        for plan in found["plans"]:
            self.assertGreater(plan["phases"][0]["activations_kept"]["host_gib_a_machine"], 150)
        done = run("plan", READ_ONLY, "--set", "collect.store.to=memory", "--set", "collect.data[0].samples=20M")
        self.assertEqual(done.returncode, 3)
        self.assertRegex(re.sub(r"\s+", " ", done.stdout + done.stderr), "CPU memory")

    def test_tokens_that_are_kept(self):
        def gigabytes(tokens):
            found = plans(COLLECTION, "--set", "collect.store.tokens=" + tokens)
            return found["plans"][0]["phases"][0]["activations_kept"]["gb"]
        token = 16 * 4096 * 2 * 6000 / 1e9
        self.assertAlmostEqual(gigabytes("new"), 512 * token, 6)
        self.assertAlmostEqual(gigabytes("prompt"), 200 * token, 6)
        self.assertAlmostEqual(gigabytes("last"), token, 6)


class BadInput(unittest.TestCase):
    def refused(self, setting, words, job=READ_ONLY):
        done = run("plan", job, "--set", setting)
        self.assertIn(done.returncode, (2, 5), done.stdout)  # a word of the command, or the job that it makes
        self.assertRegex(done.stderr, words)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_one_line_that_says_what_to_write(self):
        self.refused("collect.store.tokens=new", "tokens: new cannot be combined with forward_only.*use all or last")
        self.refused("collect.store.tokens=promt", "promt.*Did you mean 'prompt")
        self.refused("collect.store.to=dsik", "dsik.*Did you mean 'disk")
        self.refused("collect.store.dtype=q4_k_m", "q4_k_m is a weight format.*fp16")
        self.refused("collect.store.disk_rate=0", "disk_rate")
        self.refused("collect.store.disk_rate=2 GB", "disk_rate.*data rate")
        self.refused("collect.store.disk_price=$3/h", "disk_price.*price of storage")


class Evidence(unittest.TestCase):
    def test_both_frontiers_stand_side_by_side(self):
        rows = plans(COLLECTION, "--show", "evidence")["tables"]["evidence"]["rows"]
        given = {plan["label"]: plan for plan in plans(COLLECTION, "--all")["plans"]}
        model = {plan["label"]: plan for plan in plans(COLLECTION, "--all", "--ignore", "given")["plans"]}
        self.assertEqual({row["plan"] for row in rows}, set(given))
        for row in rows:
            name = row["plan"]
            self.assertAlmostEqual(row["given_hours"], given[name]["hours"]["p50"], 6)
            self.assertAlmostEqual(row["model_hours"], model[name]["hours"]["p50"], 6)
            self.assertAlmostEqual(row["model_cost_usd"], model[name]["cost_usd"]["p50"], 6)
            self.assertEqual(not row["given_frontier"].endswith("–"), given[name]["on_frontier"])
            self.assertEqual(not row["model_frontier"].endswith("–"), model[name]["on_frontier"])
        self.assertEqual(sum("pick" in row["given_frontier"] for row in rows), 1)
        self.assertEqual(sum("pick" in row["model_frontier"] for row in rows), 1)

    def test_without_figures_of_its_own_there_is_nothing_to_compare(self):
        for words in (["examples/gpt-124m.yaml"], [COLLECTION, "--ignore", "given"]):
            done = text("plan", *words, "--show", "evidence")
            self.assertIn("The job states no figures of its own", done)

    def test_tables_fit_every_screen(self):
        for job in EXAMPLES:
            for columns in (80, 140):
                done = run("plan", job, "--show", "storage,evidence", COLUMNS=str(columns))
                self.assertIn(done.returncode, (0, 4), job)
                for line in done.stdout.splitlines():
                    self.assertLessEqual(len(line), columns, f"{job}: {line}")
                self.assertNotRegex(done.stdout, r"\bnan\b|\binf\b", job)


if __name__ == "__main__":
    main(__doc__)
