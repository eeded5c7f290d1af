#!/usr/bin/env python3
"""The tables of choices: plan --show.

    tests/cli/views_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import tempfile
import unittest

from program import EXAMPLES, main, run

NAMES = ["chart", "decisions", "worth", "saved", "dominated", "speed", "scaling", "prices", "fallback"]


class Views(unittest.TestCase):
    def test_json_holds_the_tables_whole(self):
        for job in EXAMPLES:
            found = json.loads(run("plan", job, "--show", ",".join(NAMES), "--json").stdout)
            tables = found["tables"]
            for name in NAMES:
                self.assertIn(name, tables, job)
                self.assertTrue(tables[name]["title"], job)
                self.assertTrue(tables[name]["rows"] or tables[name]["notes"], f"{job} {name}")
            every = json.loads(run("plan", job, "--all", "--json").stdout)["plans"]
            points = tables["chart"]["rows"]
            self.assertEqual([p["id"] for p in points], [p["id"] for p in every], job)
            for point, plan in zip(points, every):
                self.assertAlmostEqual(point["cost_usd"], plan["cost_usd"]["p50"], 6)
                self.assertAlmostEqual(point["hours_p90"], plan["hours"]["p90"], 6)
            self.assertEqual(len(tables["prices"]["rows"]), found["market"]["offers"], job)

    def test_without_show_there_are_no_tables(self):
        self.assertNotIn("tables", json.loads(run("plan", EXAMPLES[0], "--json").stdout))

    def test_the_rows_are_consistent(self):
        """What one table says follows from the others, in every example."""
        for job in EXAMPLES:
            found = json.loads(run("plan", job, "--show", ",".join(NAMES), "--json").stdout)
            plans = {plan["id"]: plan for plan in found["plans"]}
            value = found["limits"]["value_of_time_usd_per_hour"]
            total = {i: p["cost_usd"]["p50"] + value * p["hours"]["p50"] for i, p in plans.items()}
            tables = found["tables"]
            best = found["recommendations"]["best_value"]
            at_own = [row for row in tables["worth"]["rows"] if abs(row["value_of_an_hour_usd"] - value) < 1e-9]
            self.assertEqual(len(at_own), 1, job)
            # Ties are settled as those of the recommendation are.
            worth = min((total[i] for i in {found["recommendations"]["pick"], best} if i in total), key=lambda usd: abs(at_own[0]["cost_and_hours_usd"] - usd))
            self.assertLessEqual(abs(at_own[0]["cost_and_hours_usd"] - worth), 1e-6 * worth + 1e-9, job)
            for row in tables["saved"]["rows"][1:]:
                cheaper = [p for p in plans.values() if p["on_frontier"] and p["cost_usd"]["p50"] < row["cost_usd"]]
                pays = all(total[row["id"]] <= total[p["id"]] + 1e-9 for p in cheaper)
                # What is the best at no value of an hour is not worth it either.
                self.assertIn(row["worth_it"], ("yes", "no") if pays else ("no",), job)
            decisions = {row["priority"]: row for row in tables["decisions"]["rows"]}
            self.assertEqual(decisions["cheapest"]["id"], found["recommendations"]["cheapest"], job)
            self.assertEqual(decisions["fastest"]["id"], found["recommendations"]["fastest"], job)
            self.assertEqual(tables["fallback"]["rows"][0]["id"], found["recommendations"]["pick"], job)
            ids = [row["id"] for row in tables["fallback"]["rows"]]
            self.assertEqual(len(ids), len(set(ids)), job)

    def test_a_price_at_the_limit_makes_two_plans_equal(self):
        """The price up to which the pick stays the best, put into the job: then the next one costs as much."""
        job = "examples/collection.yaml"
        rows = json.loads(run("plan", job, "--show", "fallback", "--json").stdout)["tables"]["fallback"]["rows"]
        first, second = rows[0], rows[1]
        limit = first["below_usd_per_hour"]
        at_limit = first["cost_usd"] * limit / first["usd_per_hour"] + 7 * first["hours"]
        self.assertAlmostEqual(at_limit, second["cost_usd"] + 7 * second["hours"], delta=0.01)  # bills are in cents

    def test_time_in_a_queue_is_said_wherever_it_counts(self):
        """Machines that are free and behind a queue beside slower ones that cost something."""
        with tempfile.TemporaryDirectory() as folder:
            job = folder + "/job.yaml"
            with open(job, "w") as file:
                file.write("market: {use: only, pools: [{name: queued, gpu: A100 SXM 80GB, gpus: 8, wait: 2-8 h}, "
                           "{name: open, gpu: L40S, gpus: 8, price: $0.40/h, wait: 10 min}]}\n"
                           "phases: [{name: ft, train: {model: Mistral-7B-v0.3, data: {tokens: 300M}, sequence: 4096}}]\n")
            for view in ("worth", "saved", "decisions"):
                self.assertIn("QUEUE", run("plan", job, "--show", view).stdout, view)
            tables = json.loads(run("plan", job, "--show", "worth,saved,decisions", "--json").stdout)["tables"]
            for row in tables["worth"]["rows"]:
                total = row["cost_usd"] + row["value_of_an_hour_usd"] * (row["hours"] + row["wait_hours"])
                self.assertAlmostEqual(row["cost_and_hours_usd"], total, 4)
            waits = {row["id"]: row["hours"] + row["wait_hours"] for row in tables["decisions"]["rows"]}
            named = {row["priority"]: row["id"] for row in tables["decisions"]["rows"]}
            self.assertEqual(waits[named["fastest"]], min(waits.values()))

    def test_all_shows_every_row(self):
        job = "examples/llama-8b-lora.yaml"
        short = run("plan", job, "--show", "dominated").stdout
        shown, of = map(int, re.search(r"Shown (\d+) of (\d+) plans \(--all\)\.", short).groups())
        whole = run("plan", job, "--show", "dominated", "--all").stdout
        self.assertEqual(shown, 20)
        self.assertNotIn("Shown", whole)
        self.assertGreater(whole.count("\n"), of)

    def test_nothing_fits(self):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as prices:
            prices.write("gpu,gpus,price_per_hour\nRTX 3090,1,0.25\n")
            prices.flush()
            words = ("plan", "examples/llama-8b-full.yaml", "--prices", prices.name, "--show", "saved")
            done = run(*words)
            self.assertEqual(done.returncode, 3, done.stdout)
            self.assertIn("Nothing fits", done.stdout)
            found = json.loads(run(*words, "--json").stdout)
        self.assertEqual(found["tables"]["saved"]["rows"], [])

    def test_a_wrong_name_is_answered_with_the_right_ones(self):
        done = run("plan", EXAMPLES[0], "--show", "fallbak")
        self.assertEqual(done.returncode, 2)
        self.assertIn("fallback", done.stderr)


if __name__ == "__main__":
    main(__doc__)
