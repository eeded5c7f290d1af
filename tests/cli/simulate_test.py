#!/usr/bin/env python3
"""gpuplan simulate: traces, starts, policies, what it refuses, and that it agrees with itself and with plan.

    tests/cli/simulate_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from functools import cache
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run

TRACES = [f"examples/traces/zone-{zone}.json" for zone in "abc"]
WORK = ["--work", "48h", "--deadline", "60h", "--restart", "12min", "--spot-price", "0.9731", "--on-demand-price",
        "3.06"]
REPLAY = [*WORK, *[word for trace in TRACES for word in ("--trace", trace)], "--starts", "examples/traces/starts.csv"]

JOB = """
market:
  use: only
  offers:
    - {gpu: A100 SXM 80GB, price: $2/h, spot_price: $0.8/h, interruptions: 10%/h, provider: here}
    - {gpu: H100 SXM, price: $4/h, provider: there}
phases:
  - {name: train, train: {model: Qwen2.5-1.5B, data: {tokens: 60M}, sequence: 1024, method: full}}
goal: cheapest
"""


@cache
def ask(*words):
    done = run("simulate", *words, "--json")
    return done.returncode, json.loads(done.stdout)


def ask_job(*words, more=""):
    done = run("simulate", "-", *words, "--json", stdin=(JOB + more).encode())
    return done.returncode, json.loads(done.stdout)


def policies(answer):
    return {row["policy"]: row for row in answer["policies"]}


class Replays(unittest.TestCase):
    def test_every_start_is_a_replay(self):
        code, answer = ask(*REPLAY)
        self.assertEqual(code, 0)
        self.assertEqual(answer["schema"], "gpuplan/simulate@1")
        self.assertEqual(answer["histories"], 60)
        self.assertEqual([trace["replays_from_list"] for trace in answer["interruptions"]["traces"]], [20, 20, 20])

    def test_rules_of_the_paper(self):
        rows = policies(ask(*REPLAY)[1])
        self.assertAlmostEqual(rows["on_demand"]["on_demand_hours"], 48.2)
        for name in ("greedy", "time_sliced", "uniform_progress"):
            self.assertEqual(rows[name]["chance_in_time"], 1, name)
            self.assertAlmostEqual(rows[name]["work_hours_on_demand"] + rows[name]["work_hours_on_spot"], 48, places=6)
            self.assertLess(rows[name]["cost_usd"]["mean"], rows["on_demand"]["cost_usd"]["mean"], name)
            self.assertGreaterEqual(rows[name]["cost_usd"]["mean"], ask(*REPLAY)[1]["lower_bound"]["cost_usd"], name)
        self.assertLess(rows["spot_only"]["chance_in_time"], 1)

    def test_both_readings_on_request(self):
        self.assertNotIn("uniform_progress_idle", policies(ask(*REPLAY)[1]))
        self.assertIn("uniform_progress_idle", policies(ask(*REPLAY, "--policy", "all")[1]))
        self.assertEqual(list(policies(ask(*REPLAY, "--policy", "greedy,on_demand")[1])), ["on_demand", "greedy"])

    def test_random_starts(self):
        code, answer = ask(*WORK, "--trace", TRACES[0], "--trials", "300")
        self.assertEqual((code, answer["histories"]), (0, 300))
        self.assertEqual(policies(answer)["greedy"]["chance_in_time"], 1)

    def test_machines_all_or_nothing(self):
        four = ["--trace", "examples/traces/four-machines.json", "--trials", "200"]
        one = ask(*WORK, *four)[1]["interruptions"]["traces"][0]
        all_four = ask(*WORK, *four, "--machines", "4")[1]["interruptions"]["traces"][0]
        self.assertLess(all_four["share_available"], one["share_available"])
        done = run("simulate", *WORK, *four, "--machines", "5")
        self.assertEqual(done.returncode, 5)
        self.assertIn("has 4 machines at most, and the job needs 5 at once", done.stderr)


class Histories(unittest.TestCase):
    RATE = [*WORK, "--interruptions", "20%/h", "--wait", "30min", "--checkpoint", "2min"]

    def test_threads_and_seeds(self):
        def text(*words):
            answer = json.loads(run("simulate", *self.RATE, "--json", *words).stdout)
            del answer["elapsed_ms"]
            return answer

        self.assertEqual(text("--jobs", "1"), text("--jobs", "2"))
        self.assertNotEqual(text("--seed", "1")["policies"], text("--seed", "2")["policies"])

    def test_no_deadline_no_mixing(self):
        without = [word for word in self.RATE if word not in ("--deadline", "60h")]
        code, answer = ask(*without)
        self.assertEqual((code, list(policies(answer))), (0, ["on_demand", "spot_only"]))
        done = run("simulate", *without, "--policy", "greedy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("add --deadline", done.stderr)

    def test_only_spot_without_a_price_on_demand(self):
        without = [word for word in self.RATE if word not in ("--on-demand-price", "3.06")]
        self.assertEqual(list(policies(ask(*without)[1])), ["spot_only"])

    def test_misses_the_deadline(self):
        code, answer = ask(*[word if word != "60h" else "40h" for word in self.RATE])
        self.assertEqual(code, 4)
        self.assertEqual(policies(answer)["on_demand"]["chance_in_time"], 0)

    def test_notice_saves_work(self):
        lost = policies(ask(*self.RATE)[1])["spot_only"]["lost_hours"]
        saved = policies(ask(*self.RATE, "--notice", "2min")[1])["spot_only"]["lost_hours"]
        self.assertGreater(lost, 0.5)
        self.assertEqual(saved, 0)

    def test_forms(self):
        csv = run("simulate", *self.RATE, "--csv").stdout.splitlines()
        self.assertTrue(csv[0].startswith("policy,hours,"))
        self.assertEqual(len(csv), 6)
        self.assertIn("| on_demand  ", run("simulate", *self.RATE, "--markdown").stdout)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.json")
            self.assertEqual(run("simulate", *self.RATE, "-o", path).returncode, 0)
            self.assertEqual(json.loads(Path(path).read_text())["schema"], "gpuplan/simulate@1")


class Interruption(unittest.TestCase):
    def test_control_c(self):
        with subprocess.Popen([PROGRAM, "simulate", *WORK, "--interruptions", "90%/h", "--trials", "1000000"],
                              cwd=ROOT, env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as started:
            time.sleep(0.3)
            started.send_signal(signal.SIGINT)
            out, _ = started.communicate(timeout=30)
        self.assertEqual((started.returncode, out), (130, b""))


class Jobs(unittest.TestCase):
    def test_takes_the_pick(self):
        code, answer = ask_job("--deadline", "30h")
        self.assertEqual(code, 0)
        self.assertIn("A100", answer["plan"]["name"])
        self.assertEqual(answer["interruptions"]["rate_per_hour"]["p50"], answer["interruptions"]["rate_per_hour"]["p90"])
        self.assertAlmostEqual(answer["spot_usd_per_hour"]["p50"], 0.8)
        self.assertAlmostEqual(answer["on_demand_usd_per_hour"]["p50"], 2)
        self.assertEqual(answer["pieces"][0]["name"], "train")
        self.assertGreater(answer["pieces"][0]["checkpoint_seconds"], 0)

    def test_agrees_with_plan(self):
        job = (JOB + "where: {spot: only}\n").encode()
        plans = json.loads(run("plan", "-", "--json", stdin=job).stdout)["plans"]
        mean = next(plan for plan in plans if "A100" in plan["label"])["hours"]["mean"]
        answer = json.loads(run("simulate", "-", "--trials", "20000", "--json", stdin=job).stdout)
        self.assertAlmostEqual(policies(answer)["spot_only"]["hours"]["mean"] / mean, 1, delta=0.03)

    def test_plan_by_id(self):
        plans = json.loads(run("plan", "-", "--json", stdin=JOB.encode()).stdout)["plans"]
        by_gpu = {plan["gpu"]: plan["id"] for plan in plans}
        self.assertEqual(ask_job("--plan", by_gpu["A100 SXM 80GB"])[0], 0)
        code, answer = ask_job("--plan", by_gpu["H100 SXM"])
        self.assertEqual(code, 3)
        self.assertIn("has no spot price", answer["nothing_fits"])
        done = run("simulate", "-", "--plan", "nosuch", stdin=JOB.encode())
        self.assertEqual(done.returncode, 2)

    def test_best_with_a_spot_price(self):
        code, answer = ask_job("--set", "goal=fastest")
        self.assertEqual(code, 0)
        self.assertIn("A100", answer["plan"]["name"])
        self.assertTrue(any("has no spot price" in line for line in answer["assumptions"]))

    def test_nobody_has_spot(self):
        code, answer = ask_job("--gpu", "H100 SXM")
        self.assertEqual((code, answer["policies"]), (3, []))
        self.assertIn("spot_price", answer["nothing_fits"])
        done = run("simulate", "-", "--gpu", "H100 SXM", stdin=JOB.encode())
        self.assertEqual(done.returncode, 3)

    def test_rate_is_assumed_and_told(self):
        job = JOB.replace(", interruptions: 10%/h", "")
        done = run("simulate", "-", "--json", stdin=job.encode())
        self.assertTrue(any("5%/h" in line for line in json.loads(done.stdout)["assumptions"]))

    def test_trace_of_the_job_lies_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "zone.json").write_text(Path(ROOT, TRACES[0]).read_text())
            path = Path(folder, "job.yaml")
            path.write_text(JOB + "spot: {interruptions: {trace: zone.json}, policy: greedy}\nlimits: {deadline: 40 h}\n")
            done = run("simulate", str(path), "--trials", "100", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual(answer["interruptions"]["model"], "trace")
            self.assertEqual(answer["wanted"], "greedy")
            told = run("plan", str(path), "--spot", "allow").stdout
            self.assertIn("only gpuplan simulate", told)
            # The trace alone says how often.
            path.write_text(JOB.replace(", interruptions: 10%/h", "") +
                            "spot: {interruptions: {trace: zone.json}}\nwhere: {spot: only}\n")
            done = run("simulate", str(path), "--trials", "100", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["interruptions"]["model"], "trace")

    def test_takes_a_preemptible_pool(self):
        job = JOB.replace(JOB[JOB.index("  offers:"):JOB.index("phases:")],
                          "  pools:\n    - {name: scav, gpu: A100 SXM 80GB, gpus: 8, nodes: 1, price: $1/h, "
                          "preemptible: true, interruptions: 0.1/h, wait: 6 min}\n")
        done = run("simulate", "-", "--json", stdin=job.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(list(policies(answer)), ["spot_only"])
        plans = json.loads(run("plan", "-", "--json", stdin=job.encode()).stdout)["plans"]
        hours = next(plan["hours"] for plan in plans if plan["id"] == answer["plan"]["id"])
        self.assertAlmostEqual(policies(answer)["spot_only"]["hours"]["mean"] / hours["mean"], 1, delta=0.03)
        self.assertIn("Preemptible pool", run("plan", "-", stdin=job.encode()).stdout)

    def test_own_terms_pay(self):
        def told(more=""):
            text = JOB.replace("price: $2/h, spot", "price: $2/h, gpus: 1, spot") + more
            done = run("simulate", "-", "--json", stdin=text.encode())
            self.assertEqual(done.returncode, 0, done.stderr)
            return {one["policy"]: one for one in json.loads(done.stdout)["policies"]}
        listed = told()
        covered = told("commitments: [{provider: here, price: $1/h}]\n")
        self.assertAlmostEqual(covered["on_demand"]["cost_usd"]["mean"], listed["on_demand"]["cost_usd"]["mean"] / 2, 6)
        self.assertEqual(covered["spot_only"], listed["spot_only"])
        ended = told("commitments: [{provider: here, price: $1/h, until: 2020-01-01}]\n")
        self.assertEqual(ended, listed)
        amount = listed["on_demand"]["cost_usd"]["p50"] / 2
        paid = told(f"credits: [{{provider: here, amount: ${amount}}}]\n")
        for policy, before in listed.items():
            after = paid[policy]
            self.assertAlmostEqual(after["cost_usd"]["mean"] + after["credits_usd"], before["cost_usd"]["mean"], 6)
            self.assertAlmostEqual(after["cost_usd"]["p90"], max(0, before["cost_usd"]["p90"] - amount), 6)
            self.assertNotIn("credits_usd", before)
        self.assertEqual(told("credits: [{provider: there, amount: $9}]\n"), listed)

    def test_interval(self):
        pieces = ask_job("--interval", "7min")[1]["pieces"]
        self.assertAlmostEqual(pieces[0]["checkpoint_interval_seconds"], 420)


class Refusals(unittest.TestCase):
    def refused(self, code, words, *line):
        done = run("simulate", *line)
        self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_flags(self):
        self.refused(2, "--spot-price", "--work", "48h", "--interruptions", "5%/h")
        self.refused(2, "--work also needs --interruptions", "--work", "48h", "--spot-price", "1")
        self.refused(2, "--work replaces a job", "examples/sft-node.yaml", *WORK)
        self.refused(2, "--work and --model cannot be combined", "--model", "Qwen2.5-7B", *WORK)
        self.refused(2, "works only with --work", "examples/sft-node.yaml", "--spot-price", "1")
        self.refused(2, "--work: expected", "--work", "2 apples", "--spot-price", "1")
        self.refused(2, "--restart: expected", "--work", "48h", "--spot-price", "1", "--restart=-5min",
                     "--interruptions", "5%/h")
        self.refused(2, "--interruptions: expected", *WORK, "--interruptions", "200%/h")
        self.refused(2, "--interruptions: expected at most 60/h", *WORK, "--interruptions", "61/h")
        self.refused(2, "--starts", *WORK, "--interruptions", "5%/h", "--starts", "examples/traces/starts.csv")

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            def written(text):
                path = Path(folder, "trace.json")
                path.write_text(text)
                return str(path)

            for text, words in (("", "is empty"), ('{"metadata": {"gap_seconds": 600}, "data": [1, 0', "may be cut off"),
                                ('{"metadata": {"gap_seconds": 600},\n"data": [1, -1]}', "trace.json:2: data[1]"),
                                ('{"metadata": {"gap_seconds": -1}, "data": [1]}', "metadata.gap_seconds")):
                self.refused(5, words, *WORK, "--trace", written(text))
            starts = Path(folder, "starts.csv")
            starts.write_text("trace,start_tick\nzone-a,99999\n")
            self.refused(5, "starts.csv:2: start_tick 99999 is behind the end", *WORK, "--trace", TRACES[0], "--starts",
                         str(starts))
            starts.write_text("trace,start_tick\nzone-b,9\n")
            self.refused(5, "no start for the trace zone-a", *WORK, "--trace", TRACES[0], "--starts", str(starts))
            starts.write_text("trace,start_tick,gap_seconds\nzone-a,9,300\n")
            self.refused(5, "starts.csv:2: gap_seconds 300", *WORK, "--trace", TRACES[0], "--starts", str(starts))
        self.refused(5, "no such file", *WORK, "--trace", "/nonexistent/trace.json")


if __name__ == "__main__":
    main(__doc__)
