#!/usr/bin/env python3
"""Sentences and sums against the rows they stand under: each claim is worked out again from the figures.

    tests/cli/sentences_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import tempfile
import unittest
from functools import cache
from pathlib import Path

from program import EXAMPLES, main, run

NODE = "examples/sft-node.yaml"
GATE = "examples/trm-nanochat.yaml"
RENTED = ("keep", "stop_when_idle", "each_phase", "best")

# Jobs and changes of them: buffers, schedules, billing in blocks, spot and on demand.
JOBS = [(job,) for job in EXAMPLES] + [(NODE, "--set", f"schedule={way}", "--set", f"buffer={buffer}")
                                       for way in RENTED for buffer in ("0%", "30%")] + [
    (NODE, "--set", "where.spot=never"),
    (NODE, "--set", "market.offers[0].billing={minimum: 1 h, increment: 1 h}"),
    (GATE, "--set", "buffer=45%"),
    (GATE, "--set", "market.offers[*].billing={minimum: 1 h, increment: 1 h}"),
    ("examples/collection.yaml", "--set", "buffer=10%"),
]


@cache
def text_of(*words):
    done = run(*words, COLUMNS="160")
    return " ".join(done.stdout.split())


@cache
def answer_of(*words):
    return json.loads(run(*words, "--json").stdout)


def pick_of(answer):
    wanted = answer["recommendations"]["pick"]
    return next((plan for plan in answer["plans"] if plan["id"] == wanted), None)


class OneCost(unittest.TestCase):
    """A phase has one cost, in every view; phases and idle are the bill, to the cent."""

    def test_phases_and_idle_add_up(self):
        for words in JOBS:
            for plan in answer_of("plan", *words)["plans"]:
                parts = sum(phase["cost_usd"]["p50"] for phase in plan["phases"]) + plan["idle_usd"]
                self.assertAlmostEqual(parts, plan["cost_usd"]["p50"], delta=1e-6, msg=(words, plan["label"]))
                leases = sum(lease["cost_usd"] for lease in plan["leases"])
                self.assertAlmostEqual(leases, plan["cost_usd"]["p50"], delta=1e-6, msg=(words, plan["label"]))
                for phase in plan["phases"]:
                    cost = phase["cost_usd"]
                    self.assertTrue(cost["p10"] <= cost["p50"] + 1e-9 and cost["p50"] <= cost["p90"] + 1e-9, (words, cost))

    def test_each_view_tells_the_same_cost(self):
        views = "phases,gpu-hours,schedule,ledger,gates"
        for words in JOBS:
            answer = answer_of("plan", *words, "--show", views)
            pick = pick_of(answer)
            if pick is None:
                continue
            tables = {name: table["rows"] for name, table in answer["tables"].items()}
            for phase in pick["phases"]:
                cost = phase["cost_usd"]["p50"]
                name = phase["name"]
                # Plans of one label are told apart by words behind it.
                same = lambda row: row["phase"] == name and (row.get("plan") or pick["label"]).startswith(pick["label"])
                for view in ("gpu-hours", "schedule"):
                    rows = [row for row in tables[view] if row["phase"] == name]
                    if view == "gpu-hours":
                        rows = rows[:1] if len(answer["plans"]) == 1 else [r for r in rows if abs(r["cost_usd"] - cost) < 1e-9]
                    self.assertTrue(rows, (words, view, name))
                    self.assertAlmostEqual(rows[0]["cost_usd"], cost, delta=1e-9, msg=(words, view, name))
                self.assertTrue(any(abs(row["cost_usd"] - cost) < 1e-9 for row in tables["phases"] if same(row)),
                                (words, "phases", name))
            # Alone on all machines that are held, a stretch costs what its phase does.
            for phase in pick["phases"]:
                rows = [row for row in tables["ledger"] if phase["name"] in row["runs"].split(", ")]
                if rows and all(row["runs"] == phase["name"] for row in rows):
                    self.assertAlmostEqual(sum(row["cost_usd"] for row in rows), phase["cost_usd"]["p50"], delta=1e-6,
                                           msg=(words, "ledger", phase["name"]))
            self.assertAlmostEqual(sum(row["cost_usd"] for row in tables["ledger"]), pick["cost_usd"]["p50"], delta=1e-6,
                                   msg=words)
            self.assertAlmostEqual(sum(row["cost_usd"] for row in tables["schedule"]), pick["cost_usd"]["p50"],
                                   delta=1e-6, msg=words)

    def test_stopping_at_a_gate_spends_what_ran(self):
        for words in ((GATE,), (GATE, "--set", "buffer=45%")):
            for plan in answer_of("plan", *words)["plans"]:
                end = plan["gates"]["ends"][0]
                self.assertAlmostEqual(end["cost_usd"]["p50"], plan["phases"][0]["cost_usd"]["p50"], delta=1e-6,
                                       msg=plan["label"])

    def test_hours_times_the_price_is_the_cost(self):
        """Buffer in both or in neither."""
        for words in (("--set", "where.spot=never"), ("--set", "where.spot=never", "--set", "buffer=0%"), ()):
            pick = pick_of(answer_of("plan", NODE, *words))
            for phase in pick["phases"]:
                if phase["cost_usd"]["p50"] > 0 and phase["name"] in ("verify-run", "metrics"):
                    rate = phase["machines_usd_per_hour"]
                    self.assertAlmostEqual(phase["cost_usd"]["p50"] / (phase["hours"]["p50"] * rate), 1, delta=0.02,
                                           msg=(words, phase["name"]))

    def test_phases_follow_each_other_with_the_buffer(self):
        pick = pick_of(answer_of("plan", NODE))
        at = {phase["name"]: phase for phase in pick["phases"]}
        end = at["metrics"]["start_hour"] + at["metrics"]["hours"]["p50"]
        self.assertAlmostEqual(end, at["documentation"]["start_hour"], delta=0.02)
        self.assertAlmostEqual(at["metrics"]["buffer_hours"], at["metrics"]["hours"]["p50"] * 0.3 / 1.3, delta=1e-6)


class Interruptions(unittest.TestCase):
    def test_hours_of_the_buffer_are_exposed(self):
        for buffer in ("0%", "30%", "80%"):
            pick = pick_of(answer_of("plan", NODE, "--set", f"buffer={buffer}", "--set", "where.spot=only",
                                     "--set", "schedule=keep"))
            exposed = sum(phase["hours"]["p50"] for phase in pick["phases"] if phase["offer"] and phase["gpus_used"])
            self.assertAlmostEqual(pick["chance_of_interruption"], 1 - 0.95 ** exposed, delta=0.02, msg=buffer)


class WhatIf(unittest.TestCase):
    """What whatif says of the picks, against the picks."""

    CASES = [
        (NODE, "--vary", "schedule=keep,stop_when_idle"),
        (NODE, "--vary", "schedule=keep,best"),
        (NODE, "--set", "buffer=50%"),
        (NODE, "--set", "where.spot=never"),
        (NODE, "--set", "phases.sft.train.model=Qwen/Qwen2.5-Coder-1.5B-Instruct"),
        (GATE, "--vary", "phases.produce.train.steps=5000,10000"),
        (GATE, "--set", "phases.validate.train.micro=40"),
        (GATE, "--vary", "value_of_time=$1/h,$100/h"),
        ("examples/neurlang.yaml", "--set", "phases.train.train.data.samples=100000"),
        ("examples/neurlang.yaml", "--vary", "phases.train.train.micro=256,512"),
        ("examples/collection.yaml", "--vary", "limits.budget=$5,$15,$50"),
        ("examples/collection.yaml", "--set", "where.counts=[1]"),
        ("examples/latentwire.yaml", "--vary", "goal=fastest,fewest_gpus"),
        ("examples/latentwire.yaml", "--set", "phases.train.train.epochs=16"),
    ]

    def test_sentences_follow_from_the_rows(self):
        for words in self.CASES:
            text = text_of("whatif", *words)
            answer = answer_of("whatif", *words)
            base = answer["base"]["pick"]
            picks = [row["pick"] for row in answer["scenarios"]]
            if " in every case." in text:
                self.assertTrue(all(pick and pick["id"] == base["id"] and pick["name"] == base["name"] for pick in picks),
                                (words, text))
            if "Every case takes the same machines" in text:
                self.assertTrue(all(pick and (pick["gpus"], pick["spot"]) == (base["gpus"], base["spot"]) for pick in picks),
                                (words, text))
                self.assertFalse(all(pick["id"] == base["id"] and row["same_pick"]
                                     for pick, row in zip(picks, answer["scenarios"])), (words, text))
            stays = [row for row in answer["scenarios"] if row["staying"]["plan"] is not None]
            if "where another plan is picked:" in text:
                self.assertTrue(any(row["pick"] and any(row["staying"]["plan"][key] != row["pick"][key] for key in ("id", "hours", "cost_usd"))
                                    for row in stays),
                                (words, text))
            for row in answer["scenarios"]:
                # Times are whole seconds: one of them may be the rounding of nothing.
                same = row["pick"] and row["pick"]["cost_usd"]["p50"] == base["cost_usd"]["p50"] and (
                    abs(row["pick"]["hours"]["p50"] - base["hours"]["p50"]) * 3600 < 1.5)
                short = row["name"].split(".")[-1]  # as the table names it
                self.assertEqual(f"{short} changes neither hours nor cost." in text, bool(same), (words, text))

    def test_other_ways_to_rent_are_no_stay(self):
        text = text_of("whatif", NODE, "--vary", "schedule=keep,stop_when_idle")
        self.assertNotIn("recommendation does not change", text)
        self.assertIn("schedule=keep, held from the first phase to the last; "
                      "schedule=stop_when_idle, released while idle", text)

    def test_a_change_without_effect_says_why(self):
        text = text_of("whatif", "examples/neurlang.yaml", "--set", "phases.train.train.data.samples=100000")
        self.assertIn("Phase train trains for 10,000 steps of 256 sequences, whatever the data.", text)

    def test_nothing_fits_for_the_reason_that_plan_gives(self):
        for words in ((GATE, "--set", "phases.validate.train.parallel={dp: 7}"), (NODE, "--set", "phases.metrics.fixed.gpus=16"),
                      (GATE, "--set", "phases.produce.train.parallel={dp: 7}")):
            alone = answer_of("plan", *words)
            if alone["plans"]:
                continue
            row = answer_of("whatif", *words)["scenarios"][0]
            said = " ".join(alone["nothing_fits"]["reasons"]) if isinstance(alone["nothing_fits"].get("reasons"), list) else None
            plain = text_of("plan", *words)
            self.assertIn(row["nothing_fits"].split(". ")[1] if ". " in row["nothing_fits"] else row["nothing_fits"], plain,
                          (words, said))
            self.assertIn(row["nothing_fits"], text_of("whatif", *words))
        self.assertIn("Phase validate cannot run on any of these machines: the job fixes settings that do not work here",
                      text_of("whatif", GATE, "--set", "phases.validate.train.parallel={dp: 7}"))


class Decisions(unittest.TestCase):
    """plan --show decisions, against the plans."""

    def rows(self, *words):
        answer = answer_of("plan", *words, "--show", "decisions", "--all")
        return answer, {row["priority"]: row for row in answer["tables"]["decisions"]["rows"]}

    def test_words_follow_from_the_plans(self):
        for words in [(job,) for job in EXAMPLES] + [
                (NODE, "--set", "goal=cheapest"), (GATE, "--set", "limits.deadline=2 h"),
                (GATE, "--set", "limits.budget=$10"), (GATE, "--set", "goal=fewest_gpus"),
                ("examples/latentwire.yaml", "--set", "goal=fastest"),
                ("examples/collection.yaml", "--set", "goal=fewest_gpus", "--set", "limits.deadline=4 h")]:
            answer, rows = self.rows(*words)
            fit = [plan for plan in answer["plans"] if plan["fit"] == "fits"] or answer["plans"]
            by_id = {plan["id"]: plan for plan in answer["plans"]}
            pick = pick_of(answer)
            ids = set()
            for row in rows.values():
                plan = by_id.get(row.get("id"))
                if plan is None:
                    continue
                ids.add(plan["id"])
                when = row["when"]
                self.assertNotIn("in any case", when)
                if "no plan is cheaper" in when:
                    self.assertEqual(plan["cost_usd"]["p50"], min(p["cost_usd"]["p50"] for p in fit), (words, row))
                if "none is faster" in when:
                    self.assertEqual(plan["hours"]["p50"], min(p["hours"]["p50"] for p in fit), (words, row))
                if "within your limits" in when or "within the limits" in when:
                    self.assertTrue(plan["meets_deadline"] and plan["meets_budget"], (words, row))
                if row["priority"] == "no interruptions":
                    self.assertFalse(plan["spot"], (words, row))
            if ids and pick is not None:
                self.assertIn(pick["id"], ids, (words, "the pick is one of them"))

    def test_they_are_the_recommendations(self):
        for job in EXAMPLES:
            answer, rows = self.rows(job)
            rules = answer["recommendations"]
            for priority, rule in (("cheapest", "cheapest"), ("best value", "best_value"), ("fastest", "fastest"),
                                   ("fewest GPUs", "fewest_gpus"), ("within deadline", "within_deadline"),
                                   ("within budget", "within_budget")):
                if priority in rows and rules[rule] is not None and "id" in rows[priority]:
                    self.assertEqual(rows[priority]["id"], rules[rule], (job, priority))

    def test_a_pick_of_fewer_gpus_is_not_denied(self):
        _, rows = self.rows("examples/latentwire.yaml")
        self.assertIn("it takes 4 GPUs, the recommended plan 1", rows["cheapest"]["when"])


class Options(unittest.TestCase):
    def test_ways_are_told_apart(self):
        text = text_of("plan", NODE, "--show", "options")
        rows = answer_of("plan", NODE, "--show", "options")["tables"]["options"]["rows"]
        pick = pick_of(answer_of("plan", NODE))
        ways = {row["way"]: row for row in rows}
        self.assertIn("released while idle and during manual work, spot", ways)
        self.assertEqual(ways["recommended, spot"]["cost_usd"], pick["cost_usd"]["p50"])
        held = next(phase for phase in pick["phases"] if phase["name"] == "extensions")["cost_usd"]["p50"]
        self.assertIn(f"held during manual work in extensions: ${held:.2f} of the ${pick['cost_usd']['p50']:.2f}", text)
        self.assertIn(f"schedule: stop_when_idle: ${ways['released while idle and during manual work, spot']['cost_usd']:.2f}", text)
        self.assertIn("held during manual work in extensions", text_of("plan", NODE, "--details"))


class Assumed(unittest.TestCase):
    """Guesses are told where they matter, and only there."""

    def line(self, *words):
        lines = [line for line in answer_of("plan", *words)["assumptions"] if "a guess from the model in the job" in line]
        return " ".join(lines)

    def test_a_vocabulary_that_weighs_most(self):
        line = self.line("examples/neurlang.yaml")
        self.assertRegex(line, r"phases\.train: model\.vocab is \d+,\d{3}, a guess .*; with 256 the phase would need")
        needed, instead = map(float, re.search(r"would need ([0-9.]+) instead of ([0-9.]+) GiB", line).groups())
        self.assertLess(needed, 0.9 * instead)
        pick = pick_of(answer_of("plan", "examples/neurlang.yaml"))
        self.assertAlmostEqual(instead, pick["memory_gib"]["total"]["p50"], delta=0.02 * instead)
        # The other figure is what a plan with it says, run in the same way.
        strategy = next(phase for phase in pick["phases"] if phase["name"] == "train")["strategy"]
        other = answer_of("plan", "examples/neurlang.yaml", "--set", "phases.train.train.model.vocab=256", "--set",
                          f"phases.train.train.micro={strategy['micro_batch']}", "--set",
                          f"phases.train.train.batch={strategy['micro_batch']}", "--all")
        same = next(plan for plan in other["plans"] if plan["label"] == pick["label"])
        self.assertAlmostEqual(same["memory_gib"]["total"]["p50"], needed, delta=0.05 * needed)

    def test_the_length_above_which_samples_are_cut(self):
        """One number for all samples is a mean to who writes it, and the longest to the plan."""
        words = ("--model", "Qwen2.5-7B", "--lora", "--samples", "20k", "--tokens-per-sample", "600")
        told = "no sample of more than 600 tokens: longer ones are cut (--sequence)"
        self.assertIn(told, " ".join(text_of("plan", *words).split()))
        self.assertNotIn("longer ones are cut", text_of("plan", *words, "--sequence", "2048"))
        self.assertNotIn("longer ones are cut", text_of("plan", "examples/llama-8b-lora.yaml"))

    def test_what_is_stated_is_no_guess(self):
        line = self.line("examples/neurlang.yaml", "--set", "phases.train.train.model.vocab=37000")
        self.assertNotIn("model.vocab", line)
        self.assertEqual(self.line("examples/llama-8b-lora.yaml"), "")


class Profiles(unittest.TestCase):
    KNOWN = {"rtx4090", "l40s", "a100-40", "a100-80", "h100", "h200"}

    def test_commands_name_what_the_program_knows(self):
        text = run("profiles", "examples/neurlang.yaml", "--json").stdout
        names = re.findall(r"--gpu-profile ([\w-]+)", text)
        self.assertTrue(names)
        self.assertLessEqual(set(names), self.KNOWN)
        with tempfile.TemporaryDirectory() as folder:
            done = run("launch", "examples/neurlang.yaml", "--to", "bash", "-o", folder + "/out")
            self.assertEqual(done.returncode, 0, done.stderr)
            written = "".join(path.read_text() for path in Path(folder).rglob("*command*.sh"))
        self.assertIn(re.search(r"--gpu-profile ([\w-]+)", written).group(1), self.KNOWN)

    def test_a_profile_may_be_named_as_gpuplan_does(self):
        done = run("profiles", "examples/neurlang.yaml", "--set", "phases.train.profiles={h200-sxm: mine}", "--json")
        self.assertIn("--gpu-profile mine", done.stdout)
        done = run("profiles", "examples/neurlang.yaml", "--set", "phases.train.profiles={RTX 4090: mine}", "--json")
        self.assertIn("--gpu-profile h200-sxm", done.stdout)


class Spending(unittest.TestCase):
    def rates(self, *words):
        with tempfile.TemporaryDirectory() as folder:
            done = run("launch", *words, "--to", "bash", "-o", folder + "/out")
            self.assertEqual(done.returncode, 0, done.stderr)
            return [float(rate) for path in sorted(Path(folder).rglob("*.sh"))
                    for rate in re.findall(r"^dollars_per_hour=([0-9.]+)$", path.read_text(), flags=re.M)]

    def test_scripts_count_at_the_price_of_their_machines(self):
        self.assertEqual(set(self.rates(GATE)), {15.8})
        self.assertLessEqual(set(self.rates(NODE)), {0.0, 12.25})
        self.assertIn(12.25, self.rates(NODE))
        self.assertLessEqual(set(self.rates(NODE, "--set", "where.spot=never", "--set", "schedule=each_phase")), {0.0, 32.77})


class Files(unittest.TestCase):
    def test_endings_that_nobody_writes_are_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("r.html", "r.pdf", "r.yaml", "r.xlsx"):
                done = run("plan", "examples/latentwire.yaml", "-o", f"{folder}/{name}")
                self.assertEqual((done.returncode, done.stdout), (2, ""), name)
                self.assertEqual(len(done.stderr.splitlines()), 1)
                self.assertIn(".json, .csv, .md or .txt", done.stderr)
                self.assertFalse(Path(folder, name).exists())
            for name in ("r.json", "r.csv", "r.md", "r.txt", "r", "r.2026"):
                self.assertEqual(run("plan", "examples/latentwire.yaml", "-o", f"{folder}/{name}").returncode, 0, name)
            self.assertEqual(run("plan", "examples/latentwire.yaml", "--json", "-o", f"{folder}/r.html").returncode, 0)


class Views(unittest.TestCase):
    def test_what_is_left_out_is_said_and_where_it_is(self):
        done = run("plan", "examples/latentwire.yaml", "--show", "pool", COLUMNS="80")
        text = " ".join(done.stdout.split())
        self.assertRegex(text, r"Left out for want of room: [^.]*(MEMORY|COMPLEXITY)[^.]*\(a wider window, --markdown or --csv has them\)")

    def test_problems_of_all_plans(self):
        words = ("plan", "examples/neurlang.yaml", "--set", "phases.train.train.compile=true", "--show", "problems")
        self.assertIn("CUDA graphs", text_of(*words, "--all"))
        shown = answer_of(*words)["tables"]["problems"]["rows"]
        self.assertGreaterEqual(len(shown), 1)


if __name__ == "__main__":
    main(__doc__)
