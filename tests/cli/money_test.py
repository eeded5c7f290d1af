#!/usr/bin/env python3
"""Money and time of whole jobs: variants, gates, ledger, ways to rent, limits that contradict.

    tests/cli/money_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import tempfile
import unittest

from program import EXAMPLES, ROOT, main, run

NODE = "examples/sft-node.yaml"
GATE = "examples/trm-nanochat.yaml"
VIEWS = ["ledger", "options", "gates"]


def plan(*words, expect=0):
    done = run("plan", *words, "--json")
    assert done.returncode == expect, (words, done.returncode, done.stderr)
    return json.loads(done.stdout)


def pick_of(answer):
    return next(p for p in answer["plans"] if p["id"] == answer["recommendations"]["pick"])


class Variants(unittest.TestCase):
    def test_each_is_what_a_run_with_its_settings_gives(self):
        answer = plan(NODE)
        self.assertEqual([v["name"] for v in answer["variants"]], ["conservative", "balanced", "aggressive"])
        for variant in answer["variants"]:
            words = [word for address, value in variant["settings"].items() for word in ("--set", f"{address}={value}")]
            alone = plan(NODE, *words)
            pick = pick_of(alone)
            for key in ("id", "hours", "cost_usd", "gpu_hours", "billed_gpu_hours", "evidence", "fit", "kept", "spot",
                        "idle_usd", "chance_in_time", "chance_in_budget"):
                self.assertEqual(variant["pick"][key], pick[key], f"{variant['name']} {key}")
            self.assertEqual(variant["limits_missed"], alone["recommendations"]["limits_missed"])

    def test_they_differ_as_their_names_say(self):
        cost = {v["name"]: v["pick"]["cost_usd"]["p50"] for v in plan(NODE)["variants"]}
        self.assertLess(cost["balanced"], 0.6 * cost["conservative"])
        self.assertLess(cost["aggressive"], 0.6 * cost["balanced"])

    def test_letting_the_node_go_while_somebody_works_is_said(self):
        kept = " ".join(plan(NODE)["assumptions"])
        let_go = " ".join(plan(NODE, "--set", "schedule=stop_when_idle")["assumptions"])
        self.assertNotIn("manual work in extensions", kept)
        self.assertIn("manual work in extensions", let_go)


class Gates(unittest.TestCase):
    def test_expectations_lie_between_stopping_and_going_on(self):
        for one in plan(GATE)["plans"]:
            end = one["gates"]["ends"][0]
            self.assertEqual((end["phase"], end["not_run"]), ("validate", ["produce"]))
            self.assertAlmostEqual(end["chance"], 0.2)
            self.assertAlmostEqual(one["gates"]["chance"], 0.8)
            self.assertAlmostEqual(one["expected_cost_usd"],
                                   0.2 * end["cost_usd"]["mean"] + 0.8 * one["cost_usd"]["mean"], delta=0.02)
            self.assertAlmostEqual(one["expected_hours"], 0.2 * end["hours"]["mean"] + 0.8 * one["hours"]["mean"], delta=0.01)

    def test_without_a_gate_the_mean_is_expected(self):
        for one in plan(NODE)["plans"]:
            self.assertIsNone(one["gates"])
            self.assertEqual(one["expected_cost_usd"], one["cost_usd"]["mean"])

    def test_the_answer_says_what_is_spent(self):
        text = " ".join(run("plan", GATE, "--details").stdout.split())
        self.assertRegex(text, r"Gates: validate passes 80% of the time\. If it fails, you stop after")
        self.assertRegex(text, r"On average the gate saves \$[0-9.]+: a mean cost of \$[0-9.]+ instead of \$[0-9.]+ \(the median is")
        self.assertIn("validate passes 80% of the time", run("plan", GATE, "--details", "--explain").stdout.replace("\n  ", " "))
        self.assertNotIn("Gates:", run("plan", NODE, "--details").stdout)


class Views(unittest.TestCase):
    def test_fit_the_screen_for_every_example(self):
        for job in EXAMPLES:
            for columns in (80, 140):
                done = run("plan", job, "--show", ",".join(VIEWS), COLUMNS=str(columns))
                self.assertIn(done.returncode, (0, 4), job)
                for line in done.stdout.splitlines():
                    self.assertLessEqual(len(line), columns, f"{job}: {line}")
                self.assertNotRegex(done.stdout, r"\bnan\b|\binf\b", job)

    def test_the_ledger_adds_up(self):
        for words in ([NODE], [NODE, "--set", "schedule=keep"], [NODE, "--set", "schedule=stop_when_idle"],
                      [NODE, "--set", "schedule=each_phase"], [GATE]):
            answer = plan(*words, "--show", "ledger")
            pick = pick_of(answer)
            rows = answer["tables"]["ledger"]["rows"]
            self.assertAlmostEqual(sum(row["cost_usd"] for row in rows), pick["cost_usd"]["p50"], delta=0.01)
            held = [row for row in rows if row["to_hour"] is not None]
            for one, other in zip(held, held[1:]):
                self.assertAlmostEqual(one["to_hour"], other["from_hour"])
            self.assertAlmostEqual(held[-1]["so_far_usd"], sum(row["cost_usd"] for row in held), places=4)
            used = sum(row["hours"] * row["gpus_used"] for row in held)
            self.assertAlmostEqual(used, pick["gpu_hours"], delta=0.03 * pick["gpu_hours"])

    def test_ways_to_rent_are_ordered_as_one_would_think(self):
        rows = {row["settings"]: row for row in plan(NODE, "--show", "options")["tables"]["options"]["rows"]}
        keep = rows["where.spot: never, schedule: keep"]
        stop = rows["where.spot: never, schedule: stop_when_idle"]
        spot = rows["where.spot: only, schedule: keep"]
        self.assertEqual(len([settings for settings in rows if settings]), 4)
        self.assertLess(stop["cost_usd"], keep["cost_usd"])
        self.assertLess(spot["cost_usd"], keep["cost_usd"])
        self.assertAlmostEqual(stop["saved_usd"], keep["cost_usd"] - stop["cost_usd"], places=6)
        self.assertGreater(stop["utilisation"], keep["utilisation"])


class Limits(unittest.TestCase):
    def test_the_cheapest_in_time_and_the_fastest_within_a_budget(self):
        answer = plan(GATE, "--set", "limits.deadline=3 h", "--set", "limits.budget=$110", "--all")
        plans = {p["id"]: p for p in answer["plans"]}
        in_time = [p for p in plans.values() if p["chance_in_time"] >= 0.9]
        in_budget = [p for p in plans.values() if p["chance_in_budget"] >= 0.9]
        self.assertLess(len(in_time), len(plans))
        self.assertLess(len(in_budget), len(plans))
        cheapest = plans[answer["recommendations"]["within_deadline"]]
        fastest = plans[answer["recommendations"]["within_budget"]]
        self.assertEqual(cheapest["cost_usd"]["p50"], min(p["cost_usd"]["p50"] for p in in_time))
        self.assertEqual(fastest["hours"]["p50"], min(p["hours"]["p50"] for p in in_budget))
        for one in plans.values():
            self.assertEqual(one["meets_budget"], one["chance_in_budget"] >= 0.9)
            self.assertEqual(one["meets_deadline"], one["chance_in_time"] >= 0.9)

    def test_misses_are_told_with_the_nearest(self):
        answer = plan(GATE, "--set", "limits.budget=$10", expect=4)
        self.assertTrue(all(p["chance_in_budget"] == 0 for p in answer["plans"]))
        self.assertIsNone(answer["recommendations"]["within_budget"])
        self.assertTrue(answer["limit_remedies"])
        self.assertIn("IN BUDGET", run("plan", GATE, "--set", "limits.budget=$10").stdout)

    def test_no_budget_no_chance(self):
        self.assertTrue(all(p["chance_in_budget"] is None for p in plan(GATE)["plans"]))


class Contradictions(unittest.TestCase):
    def complains(self, job, lines, instead=""):
        """Of a job file with further lines at its end; `instead` of one that it has."""
        text = (ROOT / job).read_text(encoding="utf-8")
        if instead:
            self.assertIn(instead, text)
        done = run("plan", "-", stdin=(text.replace(instead, lines) if instead else text + "\n" + lines).encode())
        self.assertEqual((done.returncode, done.stdout), (5, ""), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        return done.stderr

    def test_are_bad_input(self):
        self.assertIn("cannot be met", self.complains(NODE, "limits: {deadline: 5 h}\n"))
        self.assertIn("contingency", self.complains(NODE, "limits: {budget: $20}\n"))
        self.assertIn("where.spot is never", self.complains(
            NODE, "spot: {policy: greedy}\nwhere: {spot: never}\n", instead="spot: {notice: 2 min, max_price: $15/h}\n"))
        self.assertIn("each_phase", self.complains(GATE, "schedule: each_phase\n"))
        self.assertIn("limits.confidence", self.complains(NODE, "limits: {confidence: 30%}\n"))
        self.assertIn("there is no machine to stay on", self.complains(
            NODE, "{gpus: 2, time: 1 h}\n    on: data", instead="{gpus: 2, time: 1 h}"))

    def test_are_wrong_use_in_flags(self):
        done = run("plan", NODE, "--set", "limits.deadline=5 h")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--set limits.deadline: 5 h cannot be met", done.stderr)

    def test_a_phase_that_fits_nowhere_is_named(self):
        done = run("plan", NODE, "--set", "phases.metrics.fixed.gpus=16")
        self.assertEqual(done.returncode, 3)
        text = " ".join(done.stdout.split())
        self.assertIn("Phase metrics needs 16 GPUs, the largest machine has 8", text)
        self.assertIn("where.nodes: [2]", text)
        answer = plan(NODE, "--set", "phases.metrics.fixed.gpus=16", expect=3)
        self.assertEqual(answer["nothing_fits"]["phases"], ["metrics"])

    def test_degrees_that_take_more_gpus_than_there_are_count_as_gpus(self):
        for flags in (["parallel.tp=16"], ["parallel.tp=4", "parallel.dp=4"], ["parallel.pp=2", "parallel.dp=8"]):
            given = [word for flag in flags for word in ("--set", "phases.train.train." + flag)]
            done = run("plan", "examples/llama-8b-full.yaml", "--set", "where.counts=[8]", *given)
            self.assertEqual(done.returncode, 3, flags)
            self.assertIn("The job needs 16 GPUs, the largest machine has 8", " ".join(done.stdout.split()))

    def test_a_gpu_that_nobody_rents_is_named(self):
        done = run("plan", "--params", "1B", "--tokens", "1B", "--gpu", "MI250X")
        self.assertIn("Nobody in the price list rents MI250X", " ".join(done.stdout.split()))
        done = run("plan", "--params", "1B", "--tokens", "1B", "--gpu", "3x H100")
        self.assertIn("rented in machines of 1, 2, 4 and 8, not of 3", " ".join(done.stdout.split()))

    def test_hours_that_interruptions_take_are_said_beside_hours_used(self):
        for view in ("gpu-hours", "ledger"):
            spot = run("plan", "examples/gpt2-1.5b.yaml", "--show", view, "--set", "where.spot=only").stdout
            self.assertIn("go into interruptions, work done again and checkpoints", " ".join(spot.split()), view)
            never = run("plan", "examples/gpt2-1.5b.yaml", "--show", view, "--set", "where.spot=never").stdout
            self.assertNotIn("go into interruptions", " ".join(never.split()), view)

    def test_no_idle_time_is_made_of_rounding(self):
        for job in ("sft-node", "trm-nanochat", "collect-two-passes"):
            rows = json.loads(run("plan", f"examples/{job}.yaml", "--show", "ledger", "--json").stdout)["tables"]["ledger"]["rows"]
            for row in rows:
                if row["runs"] == "(idle)":
                    self.assertTrue(row["cost_usd"] or row["hours"] > 0.05, (job, row))

    def test_credits_at_one_provider_leave_bills_of_others_alone(self):
        job = ("market: {use: only, offers: [{provider: one, gpu: 4x H100 SXM, price: $12-20/h}, "
               "{provider: two, gpu: 2x RTX A4000, price: $0.3-0.4/h}]}\n"
               "phases:\n"
               "  - {name: a, train: {model: Llama-3.1-8B, method: lora, data: {tokens: 200M}, sequence: 4096}}\n"
               "  - {name: b, needs: [a], fixed: {gpus: 2, time: 3 h}}\n")
        with tempfile.TemporaryDirectory() as folder:
            path = folder + "/job.yaml"
            found = []
            for terms in ("", "credits: [{provider: one, amount: $20}]\n"):
                with open(path, "w") as file:
                    file.write(job + terms)
                for each in plan(path)["plans"]:
                    bills = {lease["provider"]: lease for lease in each["leases"]}
                    if set(bills) == {"one", "two"}:
                        found.append(each)
                        break
            without, with_credits = found
        self.assertLess(with_credits["cost_usd"]["p50"], without["cost_usd"]["p50"] - 10)
        # Medians of parts are scaled to the median of the whole.
        for end in ("p10", "p50", "p90"):
            here, there = (found["phases"][1]["cost_usd"][end] for found in (with_credits, without))
            self.assertLess(abs(here / there - 1), 0.35, end)
        self.assertGreater(with_credits["cost_usd"]["p10"], 0.7 * without["phases"][1]["cost_usd"]["p10"])

    def test_spot_only_without_a_spot_price(self):
        done = run("plan", GATE, "--set", "where.spot=only")
        self.assertEqual(done.returncode, 3)
        self.assertIn("No spot prices in these offers", done.stdout)
        done = run("plan", NODE, "--set", "where.spot=only", "--set", "spot.max_price=$5/h")
        self.assertEqual(done.returncode, 3)
        self.assertIn("more than spot.max_price: $5.00/h", " ".join(done.stdout.split()))


if __name__ == "__main__":
    main(__doc__)
