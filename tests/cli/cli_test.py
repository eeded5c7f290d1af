#!/usr/bin/env python3
"""What the program does at its edges: pipes, the width of real terminals, options, and the JSON that others read.

    tests/cli/cli_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import fcntl
import json
import math
import os
import pty
import re
import struct
import subprocess
import tempfile
import termios
import unittest
from functools import cache
from pathlib import Path

from program import EXAMPLES, PROGRAM, ROOT, environment, main, run

INPUTS = "tests/golden/inputs"


@cache
def plan_json(job, *words):
    done = run("plan", job, "--json", *words)
    return done.returncode, json.loads(done.stdout)


def without_time(text):
    return re.sub(r'"elapsed_ms": ?[0-9.eE+-]+', '"elapsed_ms": 0', text)


class Delivery(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def test_full_stdout_is_a_failure(self):
        with open("/dev/full", "wb") as full:
            done = run("plan", "examples/collection.yaml", stdout=full)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stderr, r"\Agpuplan: cannot write to standard output: [^\n]+\n\Z")

    def test_reader_that_leaves_is_none(self):
        program = subprocess.Popen([PROGRAM, "offers", "--all", "--json"], cwd=ROOT, env=environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        program.stdout.read(10)
        program.stdout.close()
        self.assertEqual(program.stderr.read(), b"")
        program.stderr.close()
        self.assertIn(program.wait(timeout=60), (0, -13))


class Terminals(unittest.TestCase):
    def on_terminal(self, *words, columns, **more):
        """What the program writes to a terminal of this width."""
        try:
            primary, secondary = pty.openpty()
        except OSError as error:
            self.skipTest(f"this machine has no terminals ({error})")  # a chroot without /dev/pts
        fcntl.ioctl(secondary, termios.TIOCSWINSZ, struct.pack("HHHH", 120, columns, 0, 0))
        program = subprocess.Popen([PROGRAM, *words], cwd=ROOT, env=environment(TERM="xterm", **more), stdout=secondary,
                                   stdin=subprocess.DEVNULL)
        os.close(secondary)
        text = b""
        while True:
            try:
                piece = os.read(primary, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            text += piece
        os.close(primary)
        self.assertEqual(program.wait(timeout=60), 0)
        return text.decode().replace("\r\n", "\n")

    def test_width_of_the_terminal_rules(self):
        narrow = self.on_terminal("plan", "examples/collection.yaml", columns=80, NO_COLOR="1")
        self.assertEqual(narrow, run("plan", "examples/collection.yaml", COLUMNS="80").stdout)
        self.assertEqual(run("plan", "examples/collection.yaml").stdout,
                         run("plan", "examples/collection.yaml", COLUMNS="120").stdout)


def block(plan):
    """Dollars of the longest step that one of its offers is billed in."""
    offers = [phase["offer"] for phase in plan["phases"] if phase["offer"]]
    return max((offer["billing"]["increment_seconds"] / 3600 * offer["usd_per_hour"]["p90"] * offer["nodes"]
                for offer in offers), default=0)


class Options(unittest.TestCase):
    def test_threads_change_nothing(self):
        for job in EXAMPLES:
            expected = without_time(run("plan", job, "--json", "--all", "--jobs", "1").stdout)
            for jobs in ("2", "7"):
                self.assertEqual(without_time(run("plan", job, "--json", "--all", "--jobs", jobs).stdout), expected, job)

    def test_seed_moves_quantiles_only(self):
        moved = 0
        for job in EXAMPLES:
            _, one = plan_json(job, "--all")
            _, other = plan_json(job, "--all", "--seed", "2")
            plans = {plan["id"]: plan for plan in other["plans"]}
            # Which mixtures of spot machines are worth a line depends on medians of sums of lucks; the rest does not.
            def settled(answer):
                return {plan["id"] for plan in answer["plans"] if plan["gpu"] is not None}
            self.assertEqual(settled(one), settled(other), job)
            self.assertEqual(one["recommendations"]["pick"], other["recommendations"]["pick"], job)
            for plan in one["plans"]:
                if plan["id"] not in plans:
                    continue
                for amount in ("hours", "cost_usd"):
                    for quantile, value in plan[amount].items():
                        again = plans[plan["id"]][amount][quantile]
                        moved += value != again
                        # Dollars jump by whole blocks of billing.
                        room = 0.06 * value if amount == "hours" else max(0.12 * value, 1.01 * block(plan))
                        self.assertAlmostEqual(value, again, delta=room, msg=f"{job} {plan['label']} {quantile}")
        self.assertGreater(moved, 0, "the seed does nothing")

    def test_standard_input_is_a_file_like_others(self):
        text = (ROOT / "examples/collection.yaml").read_bytes()
        answer = without_time(run("plan", "-", "--json", stdin=text).stdout)
        shown, named = '"name": "standard input"', '"name": "examples/collection.yaml"'
        self.assertIn(shown, answer)
        answer = answer.replace(shown, named)
        self.assertEqual(answer,
                         without_time(run("plan", "examples/collection.yaml", "--json").stdout))

    def test_all_shows_everything(self):
        _, some = plan_json("examples/gpt-124m.yaml")
        _, every = plan_json("examples/gpt-124m.yaml", "--all")
        self.assertGreater(len(every["plans"]), len(some["plans"]))
        ids = {p["id"] for p in some["plans"]}
        self.assertEqual([p["id"] for p in every["plans"] if p["id"] in ids], [p["id"] for p in some["plans"]])
        self.assertIn("BEATEN BY", run("plan", "examples/collection.yaml", "--all", COLUMNS="140").stdout)

    def test_price_lists(self):
        job = "examples/llama-8b-qlora.yaml"
        free = ["--set", "where.counts="]
        _, one = plan_json(job, "--prices", f"{INPUTS}/prices.csv", *free)
        self.assertEqual(one["market"]["offers"], 3)
        _, two = plan_json(job, "--prices", f"{INPUTS}/prices.csv", "--prices", f"{INPUTS}/prices-eur.csv", "--rate",
                           "EUR=1.08", *free)
        self.assertEqual(two["market"]["offers"], 5)
        prices = {p["phases"][0]["offer"]["gpu"]: p["phases"][0]["offer"]["usd_per_hour"] for p in two["plans"]}
        self.assertAlmostEqual(prices["L40S"]["p50"], 3.20 * 1.08)
        h100 = prices["H100 SXM"]
        self.assertAlmostEqual(h100["p10"], 20)
        self.assertAlmostEqual(h100["p90"], 24)
        self.assertTrue(h100["p10"] < h100["p50"] < h100["p90"])

    def test_identity_does_not_depend_on_the_price(self):
        with tempfile.TemporaryDirectory() as folder:
            ids = []
            for price in ("2", "3"):
                file = Path(folder) / "p.csv"
                file.write_text(f"gpu,gpus,price_per_hour,provider\nH100 SXM,1,{price},a\nH100 SXM,2,{price},a\n")
                done = run("plan", "examples/llama-8b-lora.yaml", "--json", "--all", "--prices", str(file))
                ids.append({p["label"]: p["id"] for p in json.loads(done.stdout)["plans"]})
            self.assertEqual(ids[0], ids[1])
            self.assertEqual(len(set(ids[0].values())), 2)

    def test_settings(self):
        _, result = plan_json("examples/gpt-124m.yaml", "--set", "goal=cheapest", "--set", "limits.deadline=30 h")
        self.assertEqual(result["limits"]["goal"], "cheapest")
        self.assertEqual(result["limits"]["deadline_hours"], 30)
        dollars = {plan["id"]: plan["cost_usd"]["p50"] for plan in result["plans"]}
        picked, cheapest = (dollars[result["recommendations"][key]] for key in ("pick", "within_deadline"))
        self.assertLess(picked, 1.05 * cheapest)  # of about equal ones, that with fewer GPUs

    def test_ignored_figures_leave_the_model(self):
        _, given = plan_json("examples/collection.yaml")
        _, model = plan_json("examples/collection.yaml", "--ignore", "given")
        self.assertEqual({p["evidence"] for p in given["plans"]}, {"given"})
        self.assertEqual({p["evidence"] for p in model["plans"]}, {"model"})

    def test_explanations(self):
        _, result = plan_json("examples/collection.yaml", "--explain")
        self.assertEqual([e["plan"] for e in result["explain"]], [result["recommendations"]["pick"]])
        _, result = plan_json("examples/collection.yaml", "--explain", "--all")
        self.assertEqual({e["plan"] for e in result["explain"]}, {p["id"] for p in result["plans"] if p["on_frontier"]})
        self.assertNotIn("explain", plan_json("examples/collection.yaml")[1])

    def test_parts_of_a_range_add_up_to_it(self):
        for job, ignore in (("examples/gpt-124m.yaml", []), ("examples/collection.yaml", ["--ignore", "given"]),
                            ("examples/generate-70b.yaml", []), ("examples/pretrain-7b-2-nodes.yaml", [])):
            _, result = plan_json(job, "--explain", *ignore)
            plan = next(p for p in result["plans"] if p["id"] == result["recommendations"]["pick"])
            for phase in result["explain"][0]["phases"]:
                self.assertEqual([each["figure"] for each in phase["ranges"]], ["time", "memory"])
                for each in phase["ranges"]:
                    self.assertAlmostEqual(sum(part["off"] ** 2 for part in each["parts"]), each["off"] ** 2, 6)
                    self.assertEqual(each["parts"], sorted(each["parts"], key=lambda part: -part["off"]))
                    self.assertLess(each["off_after_own_run"], each["off_after_own_run_on_another_gpu"])
                    self.assertLess(each["off_after_own_run_on_another_gpu"], each["off"])
                total = plan["phases"][0]["memory_gib"]["total"]
                if "generate" not in job and "collection" not in job:  # servers take what they get, and no more
                    self.assertAlmostEqual(math.log(total["p90"] / total["p50"]), phase["ranges"][1]["off"], 3)

    def test_variants_stand_beside_the_job(self):
        _, result = plan_json("examples/sft-node.yaml")
        self.assertEqual([v["name"] for v in result["variants"]], ["conservative", "balanced", "aggressive"])
        ids = {p["id"]: p for p in result["plans"]}
        conservative, balanced = result["variants"][:2]
        self.assertFalse(ids[conservative["pick"]["id"]]["spot"])
        self.assertTrue(ids[balanced["pick"]["id"]]["spot"])
        self.assertGreater(conservative["pick"]["cost_usd"]["p50"], balanced["pick"]["cost_usd"]["p50"])
        self.assertEqual(plan_json("examples/collection.yaml")[1]["variants"], [])


NUMBER = (int, float)
OR_NULL = (type(None),)
QUANTILES = {"p10": NUMBER, "p50": NUMBER, "p90": NUMBER}
OUTCOME = {**QUANTILES, "mean": NUMBER}
MEMORY = {"usable": NUMBER, "total": QUANTILES, "weights": NUMBER, "gradients": NUMBER, "optimizer": NUMBER,
          "activations": NUMBER, "kv_cache": NUMBER, "overhead": NUMBER}
DOCUMENT = {"schema": str, "job": str, "market": {"as_of": (str, *OR_NULL), "offers": int, "sources": [str]},
            "considered": int, "rejected": {"memory": int}, "elapsed_ms": NUMBER, "plans": list,
            "recommendations": {name: (str, *OR_NULL) for name in
                                ("cheapest", "fastest", "best_value", "fewest_gpus", "within_deadline",
                                 "within_budget", "pick")}}
PLAN = {"id": str, "label": str, "provider": (str, *OR_NULL), "gpu": (str, *OR_NULL), "gpus": (int, *OR_NULL),
        "nodes": (int, *OR_NULL), "spot": (bool, *OR_NULL), "hours": OUTCOME, "cost_usd": OUTCOME, "gpu_hours": NUMBER,
        "billed_gpu_hours": NUMBER, "evidence": str, "fit": str, "on_frontier": bool, "dominated_by": [str],
        "usd_per_hour_saved": (*NUMBER, *OR_NULL), "chance_in_time": (*NUMBER, *OR_NULL), "memory_gib": MEMORY,
        "phases": list}
PHASE = {"name": str, "needs": [str], "offer": (dict, *OR_NULL), "gpus_used": int, "gpus_billed": int,
         "start_hour": NUMBER, "hours": OUTCOME, "cost_usd": OUTCOME, "steps": (*NUMBER, *OR_NULL),
         "seconds_per_step": (dict, *OR_NULL), "tokens_per_second": (dict, *OR_NULL), "memory_gib": (dict, *OR_NULL),
         "evidence": str, "strategy": (dict, *OR_NULL)}
STRATEGY = {"framework", "dp", "tp", "pp", "cp", "ep", "micro_batch", "grad_accum", "global_batch", "sharding",
            "recompute", "precision", "optimizer", "offload", "method", "lora_rank", "attention", "compile", "replicas",
            "weights", "kv_cache", "batch"}


class JsonContract(unittest.TestCase):
    """Fields, types and what they mean, for every example."""

    def check(self, value, shape, path):
        if isinstance(shape, dict):
            self.assertIsInstance(value, dict, path)
            for key, inner in shape.items():
                self.assertIn(key, value, path)
                self.check(value[key], inner, f"{path}.{key}")
        elif isinstance(shape, list):
            self.assertIsInstance(value, list, path)
            for item in value:
                self.check(item, shape[0], path)
        else:
            self.assertIsInstance(value, shape, path)
            if isinstance(value, bool):
                self.assertTrue(shape is bool or bool in shape, path)

    def check_spread(self, value, path):
        self.assertLessEqual(value["p10"], value["p50"], path)
        self.assertLessEqual(value["p50"], value["p90"], path)

    def check_memory(self, memory, evidence, path):
        self.check(memory, MEMORY, path)
        self.check_spread(memory["total"], path)
        self.assertLessEqual(memory["total"]["p50"], memory["usable"], path)
        if evidence == "model":
            parts = sum(memory[part] for part in MEMORY if part not in ("usable", "total"))
            self.assertAlmostEqual(parts / memory["total"]["p50"], 1, delta=1e-6, msg=path)

    def check_phase(self, phase, path):
        self.check(phase, PHASE, path)
        for amount in ("hours", "cost_usd", "seconds_per_step", "tokens_per_second"):
            if phase[amount]:
                self.check(phase[amount], QUANTILES, path)
                self.check_spread(phase[amount], path)
        if phase["memory_gib"]:
            self.check_memory(phase["memory_gib"], phase["evidence"], path)
        if phase["strategy"]:
            self.assertLessEqual(STRATEGY, set(phase["strategy"]), path)
        if phase["offer"] is None:
            self.assertEqual((phase["gpus_used"], phase["cost_usd"]["p50"]), (0, 0), path)

    def check_plan(self, plan, path):
        self.check(plan, PLAN, path)
        self.assertRegex(plan["id"], r"\A[a-z0-9]{6}\Z")
        self.assertIn(plan["evidence"], ("given", "measured", "calibrated", "model"))
        self.assertIn(plan["fit"], ("fits", "tight"))
        self.check_spread(plan["hours"], path)
        self.check_spread(plan["cost_usd"], path)
        spare = plan["memory_gib"]["usable"] - plan["memory_gib"]["total"]["p90"]
        self.assertTrue(spare >= 0 if plan["fit"] == "fits" else spare <= 0, path)
        self.assertLessEqual(plan["gpu_hours"], plan["billed_gpu_hours"] * 1.001, path)
        for phase in plan["phases"]:
            self.check_phase(phase, f"{path}.{phase['name']}")
        costs = plan["idle_usd"] + sum(phase["cost_usd"]["p50"] for phase in plan["phases"])
        self.assertAlmostEqual(costs, plan["cost_usd"]["p50"], delta=0.02 * costs + 0.02, msg=path)

    def test_every_example(self):
        for job in EXAMPLES:
            for more in ([], ["--all"]):
                code, result = plan_json(job, *more)
                self.assertEqual(code, 0, job)
                self.check(result, DOCUMENT, job)
                self.assertEqual(result["schema"], "gpuplan/plan@1")
                self.assertGreaterEqual(result["considered"], sum(result["rejected"].values()), job)
                for plan in result["plans"]:
                    self.check_plan(plan, f"{job} {plan['label']}")

    def test_frontier(self):
        for job in EXAMPLES:
            _, result = plan_json(job, "--all")
            plans = result["plans"]
            frontier = [plan for plan in plans if plan["on_frontier"]]
            self.assertEqual(plans[:len(frontier)], frontier, "the frontier comes first")
            for before, after in zip(frontier, frontier[1:]):
                self.assertLess(before["cost_usd"]["p50"], after["cost_usd"]["p50"], job)
                self.assertGreater(before["hours"]["p50"], after["hours"]["p50"], job)
                saved = before["hours"]["p50"] - after["hours"]["p50"]
                self.assertAlmostEqual(after["usd_per_hour_saved"] * saved,
                                       after["cost_usd"]["p50"] - before["cost_usd"]["p50"], places=6)
            by_id = {plan["id"]: plan for plan in frontier}
            for plan in plans[len(frontier):]:
                for other in plan["dominated_by"]:
                    self.assertIn(other, by_id, f"{job}: dominated by what is not on the frontier")
                    self.assertLessEqual(by_id[other]["cost_usd"]["p50"], plan["cost_usd"]["p50"], job)
                    self.assertLessEqual(by_id[other]["hours"]["p50"], plan["hours"]["p50"], job)

    def test_list_is_the_frontier_and_the_fifty_nearest(self):
        cut = 0
        for job in EXAMPLES:
            _, every = plan_json(job, "--all")
            _, result = plan_json(job)
            rest = [plan for plan in result["plans"] if not plan["on_frontier"]]
            named = {identity for name, identity in result["recommendations"].items()
                     if name not in ("limits_missed", "regret", "break_even")}
            behind = every["plans"][len(result["plans"]) - len(rest) + 50:]
            self.assertEqual([p["id"] for p in rest[50:]], [p["id"] for p in behind if p["id"] in named], job)
            self.assertEqual(result["plans"], every["plans"][:len(result["plans"]) - len(rest[50:])] + rest[50:], job)
            cut += len(result["plans"]) < len(every["plans"])
        self.assertGreater(cut, 3, "no example has so many plans that the list must be cut")

    def test_what_is_recommended_is_in_the_list(self):
        for job in EXAMPLES:
            _, result = plan_json(job)
            ids = [plan["id"] for plan in result["plans"]]
            self.assertEqual(len(ids), len(set(ids)), f"{job}: two plans have one id")
            for name, identity in result["recommendations"].items():
                if name not in ("limits_missed", "regret", "break_even") and identity is not None:
                    self.assertIn(identity, ids, f"{job}: {name}")

    def test_written_when_nothing_fits(self):
        code, result = plan_json("examples/llama-8b-full.yaml", "--set", "where.gpus=[RTX 3060]")
        self.assertEqual(code, 3)
        self.check(result, DOCUMENT, "nothing fits")
        self.assertEqual(result["plans"], [])
        self.assertEqual({v for k, v in result["recommendations"].items() if k != "limits_missed"}, {None})
        nothing = result["nothing_fits"]
        self.assertGreater(nothing["needed_gib"], nothing["usable_gib"])
        self.assertTrue(any(remedy["needed_gib"] < nothing["needed_gib"] for remedy in nothing["remedies"]))

    def test_written_when_limits_are_missed(self):
        code, result = plan_json("examples/trm-nanochat.yaml", "--set", "limits.budget=$10")
        self.assertEqual(code, 4)
        self.check(result, DOCUMENT, "limits missed")
        self.assertIsNone(result["recommendations"]["within_budget"])
        self.assertIn(result["recommendations"]["pick"], {plan["id"] for plan in result["plans"]})

    def test_phases_on_different_offers_leave_the_plan_without_one(self):
        _, result = plan_json("examples/trm-nanochat.yaml", "--set", "schedule=each_phase", "--set", "phases.produce.on=")
        mixed = [plan for plan in result["plans"] if len({phase["offer"]["gpu"] for phase in plan["phases"]}) > 1]
        self.assertTrue(mixed)
        for plan in mixed:
            self.assertEqual({plan[name] for name in ("provider", "gpu", "gpus", "nodes")}, {None})

    def test_other_commands_name_their_schema(self):
        for words, schema in ((["fit", "gpt2"], "fit"), (["gpus"], "gpus"), (["offers"], "offers"),
                              (["model", "gpt2"], "model")):
            self.assertEqual(json.loads(run(*words, "--json").stdout)["schema"], f"gpuplan/{schema}@1")


if __name__ == "__main__":
    main(__doc__)
