#!/usr/bin/env python3
"""Time that is not work: JSON, explanations, pools that limit how long a job may run, disks that checkpoints fill.

    tests/cli/time_terms_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import tempfile
import unittest

from program import main, run

LORA = "examples/llama-8b-lora.yaml"
NODE = "examples/sft-node.yaml"

POOL = """
market: {use: only, pools: [{name: lab, gpu: A100 SXM 80GB, gpus: 8, max_time: 4 h}]}
where: {counts: [8]}
phases:
  - name: pretrain
    train: {model: gpt2, data: {tokens: 65.536M}, sequence: 1024, batch: {sequences: 64}}
    setup: {time: 6 min, exact: true}
    given: [{gpu: A100 SXM 80GB, gpus: 8, seconds_per_step: 36 s, exact: true}]
"""

LOOK = """
market: {use: only, pools: [{name: lab, gpu: A100 SXM 80GB, gpus: 8, max_time: 4 h}]}
phases: [{name: look, fixed: {gpus: 8, time: 5 h, exact: true}}]
"""


def plans(*words):
    done = run("plan", *words, "--json")
    assert done.returncode in (0, 4), done.stderr
    return json.loads(done.stdout)["plans"]


def squeezed(done):
    return re.sub(r"\s+", " ", done.stdout)


class Job:
    """A job file for as long as a test runs."""

    def __init__(self, text):
        self.text = text

    def __enter__(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml", delete=False) as file:
            file.write(self.text)
        self.path = file.name
        return self.path

    def __exit__(self, *_):
        os.remove(self.path)


class Terms(unittest.TestCase):
    def test_json_lists_them_with_ranges_and_origins(self):
        for plan in plans(LORA):
            phase = plan["phases"][0]
            names = [term["name"] for term in phase["time_terms"]]
            self.assertEqual(names, ["fetch", "load", "warm_up", "checkpoints"])
            for term in phase["time_terms"]:
                seconds = term["seconds"]
                self.assertLess(seconds["p10"], seconds["p50"])
                self.assertLess(seconds["p50"], seconds["p90"])
                self.assertEqual(term["says"], "assumed")
            self.assertEqual(phase["jobs_in_a_row"], 1)
            self.assertAlmostEqual(phase["bytes"]["weights_gb"], 16.06, 1)

    def test_explanations_show_formula_and_source(self):
        text = squeezed(run("plan", LORA, "--explain", COLUMNS="200"))
        self.assertIn("OVERHEAD", text)
        self.assertIn("weights 16.1 GB", text)
        self.assertIn("/ 300 MB/s (100–900 MB/s)", text)
        self.assertIn("Vast.ai offer", text)

    def test_rates_of_the_job_take_their_place(self):
        rates = ["--set", "storage.download_rate=1 GB/s", "--set", "storage.disk_rate=2 GB/s",
                 "--set", "storage.data=0 GB", "--set", "storage.exact=true"]
        fetch, load = plans(LORA, *rates)[0]["phases"][0]["time_terms"][:2]
        self.assertEqual(fetch["says"], "model")
        self.assertAlmostEqual(fetch["seconds"]["p50"], 16.06, 1)
        self.assertGreater(load["seconds"]["p50"], 8)

    def test_a_stated_set_up_takes_the_place_of_the_start(self):
        terms = plans(LORA, "--set", "phases.train.setup.time=0 s")[0]["phases"][0]["time_terms"]
        self.assertEqual([term["name"] for term in terms], ["checkpoints"])


class Checkpoints(unittest.TestCase):
    def test_all_of_them_fill_the_disk(self):
        phase = plans(NODE)[0]["phases"][1]
        sizes = phase["bytes"]
        # 16 steps of 45 s are 12 min: three checkpoints of 12 to 14 bytes for each of 7.6B parameters.
        self.assertEqual(sizes["checkpoints"], 3)
        self.assertEqual(sizes["kept_checkpoints"], 3)
        self.assertGreater(sizes["checkpoint_gb"], 7.6 * 12 - 1)
        self.assertLess(sizes["checkpoint_gb"], 7.62 * 14 + 1)
        self.assertGreater(sizes["disk_gb"], 3 * sizes["checkpoint_gb"] + 2 * 15)
        self.assertIn("sft needs 305 GB (3 checkpoints of", squeezed(run("plan", NODE, "--details")))

    def test_the_stated_overhead_has_their_time_in_it(self):
        self.assertEqual([term["name"] for term in plans(NODE)[0]["phases"][1]["time_terms"]], ["overheads"])


class Pools(unittest.TestCase):
    def test_jobs_in_a_row(self):
        with Job(POOL) as path:
            phase = plans(path)[0]["phases"][0]
            self.assertEqual(phase["jobs_in_a_row"], 3)
            restarts = [term for term in phase["time_terms"] if term["name"] == "restarts"]
            self.assertGreaterEqual(restarts[0]["seconds"]["p50"], 2 * 360)
            self.assertIn("pretrain runs as 3 jobs of at most 4 h in a row", squeezed(run("plan", path, "--details")))

    def test_what_can_not_be_cut_does_not_fit(self):
        with Job(LOOK) as path:
            done = run("plan", path)
            self.assertEqual(done.returncode, 3)
            said = re.sub(r"\s+", " ", done.stdout + done.stderr)
            self.assertIn("ook needs up to 5.0 h (P90); jobs there stop after 4.0 h", said)
            self.assertIn("time limits of pools", squeezed(run("plan", path, "--details")))
        with Job(LOOK.replace("4 h", "5 h")) as path:
            self.assertEqual(run("plan", path).returncode, 0)


class BadInput(unittest.TestCase):
    def test_rates_are_rates(self):
        for setting in ("storage.disk_rate=0 GB/s", "storage.disk_rate=3 GB", "storage.speed=1 GB/s",
                        "phases.train.train.start=maybe"):
            self.assertIn(run("plan", LORA, "--set", setting).returncode, (2, 5), setting)


if __name__ == "__main__":
    main(__doc__)
