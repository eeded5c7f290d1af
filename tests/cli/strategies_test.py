#!/usr/bin/env python3
"""Why a phase is cut as it is: the line Why, plan --show strategies, and "alternatives" in JSON.

    tests/cli/strategies_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import tempfile
import unittest
from pathlib import Path

from program import EXAMPLES, main, run

JOB = """job: t
market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: 20}]}
phases:
  - name: train
    train: {model: Llama-3.1-8B, data: {tokens: 20M}, sequence: 4096, batch: 64, CHANGE}
"""


def picked(found):
    return next(plan for plan in found["plans"] if plan["id"] == found["recommendations"]["pick"])


class Strategies(unittest.TestCase):
    def plan(self, change, *options, columns=100):
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "job.yaml"
            job.write_text(JOB.replace("CHANGE", change) if change else JOB.replace(", CHANGE", ""))
            return run("plan", str(job), *options, COLUMNS=str(columns))

    def test_json_explains_the_pick_and_only_that(self):
        for job in EXAMPLES:
            found = json.loads(run("plan", job, "--json").stdout)
            pick = found["recommendations"]["pick"]
            for plan in found["plans"]:
                for phase in plan["phases"]:
                    self.assertIn("why", phase)
                    if plan["id"] != pick:
                        self.assertEqual((phase["why"], phase["alternatives"]), (None, []), job)
                    self.assertEqual(phase["why"] is None, phase["alternatives"] == [], job)
                    for other in phase["alternatives"]:
                        if other["rejected_because"] == "slower":
                            self.assertGreater(other["time_ratio"], 1)
                        if other["rejected_because"] == "memory":
                            self.assertGreater(other["memory_gib"]["p50"], phase["memory_gib"]["usable"])
                            self.assertIsNone(other["time_ratio"])

    def test_a_full_fine_tuning_says_why_it_shares_out(self):
        done = self.plan("", "--details")
        self.assertIn("Why:", done.stdout)
        self.assertNotEqual(picked(json.loads(self.plan("", "--json").stdout))["phases"][0]["strategy"]["sharding"], "none")
        explained = self.plan("", "--explain").stdout
        self.assertIn("TRIED", explained)
        self.assertIn("chosen", explained)

    def test_explain_names_the_factors_that_kept_a_faster_way(self):
        done = run("plan", "examples/llama-8b-full.yaml", "--gpu", "8x H200 SXM", "--explain")
        self.assertRegex(" ".join(done.stdout.split()),
                         r"[A-Z]\w+ would have to be [12][.0-9]*x as fast: zero[123] 1.0[45] x .*framework [12][.0-9]*.* against "
                         r"zero[123] 1.0[45].* The factors are rows of data/practice_constants.csv")

    def test_what_a_job_fixes_is_done_and_not_asked_about(self):
        for change, key, value, aspect in (
            ("parallel: {sharding: hsdp}", "sharding", "hsdp", "sharding"),
            ("parallel: {tp: 2}", "tp", 2, "tensor"),
            ("parallel: {cp: 2}", "cp", 2, "context"),
            ("offload: optimizer+params", "offload", "optimizer+params", "offload"),
            ("offload: activations", "offload", "activations", "offload"),
            ("recompute: full", "recompute", "full", "recompute"),
        ):
            phase = picked(json.loads(self.plan(change, "--json").stdout))["phases"][0]
            self.assertEqual(phase["strategy"][key], value, change)
            self.assertNotIn(aspect, [other["aspect"] for other in phase["alternatives"]], change)

    def test_markdown_and_csv(self):
        self.assertRegex(self.plan("", "--show", "strategies", "--markdown").stdout, r"\| chosen +\| +1 \|")
        lines = self.plan("", "--show", "strategies", "--csv").stdout.splitlines()
        self.assertEqual(lines[0], "way,time_ratio,memory_gib,memory_gib_p90,why_not,how")
        self.assertTrue(lines[1].startswith("chosen,1,"))


if __name__ == "__main__":
    main(__doc__)
