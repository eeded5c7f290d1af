#!/usr/bin/env python3
"""What `gpuplan plan` says unless asked for more, of every example and of many questions in flags: short enough for a
terminal, in plain words, and the same figures as in JSON. answer_test.py PROGRAM."""

import json
import os
import re
import shlex
import tempfile
import unicodedata
import unittest

from program import EXAMPLES, main, run

LORA = "--model Qwen3-8B --tokens 10M --method lora"
QUESTIONS = [f"plan {example}" for example in EXAMPLES] + ["plan " + flags for flags in (
    LORA,
    LORA + " --spot only",
    LORA + " --spot allow",
    LORA + " --gpu 'RTX 4090'",
    LORA + " --gpu '1x RTX 4090'",
    LORA + " --goal cheapest",
    LORA + " --goal fastest",
    LORA + " --goal fewest_gpus",
    LORA + " --value-of-time '$100/h'",
    LORA + " --value-of-time '$0/h'",
    LORA + " --setup '0 min'",
    LORA + " --deadline '12 h' --budget '$20'",
    LORA + " --budget '$0.01'",
    LORA + " --deadline '1 min'",
    LORA + " --provider aws --spot allow",
    LORA + " --provider lambda",
    "--model Qwen3-8B --tokens 10M --method qlora --gpu 'RTX 3090' --counts 1",
    "--model Qwen3-8B --tokens 10M --method full --gpu 'RTX 4090' --counts 1",
    "--model Qwen3-8B --tokens 1B --method lora --gpu 'RTX 4090' --deadline '2 h'",
    "--model Llama-3.1-8B --samples 50k --method full",
    "--model Llama-3.1-8B --samples 50k --tokens-per-sample 400 --method qlora --epochs 3",
    "--model llama-3.3-70b --tokens 20M --method qlora",
    "--model llama-3.3-70b --tokens 20M --method full",
    "--model llama-3.3-70b --generate --samples 10k --prompt 500 --new 300",
    "--model llama-3.3-70b --generate --samples 10k --prompt 500 --new 300 --spot only",
    "--model Llama-3.1-8B --generate --samples 1M --prompt 800 --new 100 --engine vllm",
    "--model Llama-3.1-8B --generate --samples 10k --prompt 800 --new 100 --concurrency 8",
    "--model Llama-3.1-8B --generate --samples 10k --prompt 800 --new 100 --per-token '40 ms'",
    "--model Llama-3.1-8B --generate --samples 10k --prompt 800 --new 100 --tokens-per-second 5000 --per-token '40 ms'",
    "--model Llama-3.1-8B --generate --samples 10k --prompt 800 --new 100 --first-token '1 us'",
    "--params 350M --tokens 10B",
    "--params 124M --tokens 10B --batch 512",
    "--params 1.5B --tokens 33B --gpu '8x H100 SXM'",
    "--params 7B --tokens 1T --gpu 'A100 SXM 80GB'",
    "--params 13B --tokens 300B --nodes 8 --gpu 'H100 SXM'",
    "--layers 12 --hidden 768 --tokens 1B",
    "--model Mixtral-8x7B --tokens 5M --method lora",
    "--model GPT-2 --tokens 2M --method full --gpu 'RTX 3090'",
    "--model Qwen2.5-0.5B --tokens 500M --method full --as-of 2026-01")]

# The glossary's old words: none of them is plain English for what it means.
FORBIDDEN = ["dearer", "care it takes", "the care", "in all", "a GPU ", "a GPU,", "a GPU.", " ± ", " … ", "no calibration",
             "tight", "set-up", "can not", "own box", "host memory", "host's memory", "recomput", "dominated",
             "too close to call", "keeps it", "taken away", "let go", "whole copy", "somebody", "nobody", "first token",
             "an hour of waiting", "ways to run", "a sample", "not verified", "as it stands", "Pick:", "Looked at"]


def columns(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


def ask(question, *more):
    done = run(*shlex.split(question), *more, COLUMNS="100", NO_COLOR="1")
    return done.returncode, done.stdout, done.stderr


SECONDS = {"h": 3600, "min": 60, "s": 1, "ms": 1e-3}


def near(test, shown, exact, what):
    """Equal but for the rounding of three digits, or of the cents that are shown."""
    digits = len(re.sub(r"[^0-9]", "", shown).lstrip("0"))
    value = float(shown.replace(",", ""))
    unit = 10 ** -(len(shown.partition(".")[2]))
    test.assertLessEqual(abs(value - exact), max(0.51 * unit, 10 ** -max(digits, 1) * exact * 5.1), what)


class Answer(unittest.TestCase):
    def test_asks_enough(self):
        self.assertGreaterEqual(len(QUESTIONS) - len(EXAMPLES), 30)
        self.assertGreater(len(EXAMPLES), 10)


def of(question):
    def test(self):
        code, text, said = ask(question)
        self.assertIn(code, (0, 3, 4), said)
        self.assertEqual(said, "")
        lines = text.splitlines()
        whole = json.loads(ask(question, "--json", "--all")[1])
        phases = max((len(plan["phases"]) for plan in whole["plans"]), default=1)
        self.assertLessEqual(len(lines), 24 if phases == 1 else 40, text)
        for line in lines:
            self.assertLessEqual(columns(line), 100, line)
            for word in FORBIDDEN:
                self.assertNotIn(word, line + " ", line)
            self.assertIsNone(re.search(r"\d %", line), line)
        if not whole["plans"]:
            self.assertEqual(code, 3)
            self.assertIn("\n".join(lines[1:4]).strip(), text)
            return
        plans = {plan["id"]: plan for plan in whole["plans"]}
        pick = plans[whole["recommendations"]["pick"]]
        missed = whole["recommendations"]["limits_missed"]
        self.assertEqual(code, 4 if missed else 0)
        first = text.index("No plan " if missed else "Recommended: ")
        head = text[first:text.index("HOURS", first)]
        self.assertIn(pick["label"].split(",")[0], " ".join(head.split()))
        self.assertEqual("✔" in text, not missed)

        time = re.search(r"Time +([\d.,]+) (h|min|s|ms)\b(?: \(80% range ([\d.,]+)–([\d.,]+)\))?", head)
        self.assertIsNotNone(time, head)
        hours = pick["hours"]
        for shown, exact in ((time[1], "p50"), (time[3], "p10"), (time[4], "p90")):
            if shown is not None:
                near(self, shown, hours[exact] * 3600 / SECONDS[time[2]], f"{exact}: {head}")
        cost = re.search(r"Cost +\$([\d.,]*\d)(?: \(80% range \$([\d.,]*\d)–\$([\d.,]*\d)\))?", head)
        if pick["cost_usd"]["p90"] <= 0:
            self.assertIn("no charge", head)
        else:
            self.assertIsNotNone(cost, head)
            for shown, exact in ((cost[1], "p50"), (cost[2], "p10"), (cost[3], "p90")):
                if shown is not None:
                    near(self, shown, pick["cost_usd"][exact], f"{exact}: {head}")

        # What nobody stated is said, and limits only where there are any.
        flags = not question.startswith("plan examples/")
        if flags and code == 0:
            self.assertIn("Assumed:", text)
        if flags and not re.search("--(deadline|budget|per-token|first-token|tokens-per-second)", question):
            self.assertNotIn("within limits", text)

        # Words of rows are true of all plans, not only of those beside them.
        for line in lines:
            for word, key in (("cheapest", "cost_usd"), ("fastest", "hours")):
                if re.search(rf"\b{word}$|\b{word},", line):
                    shown = float(re.search(r"\$([\d,.]+)", line)[1].replace(",", "")) if key == "cost_usd" else None
                    least = min(plan[key]["p50"] for plan in plans.values())
                    if shown is not None:
                        self.assertLessEqual(shown, least + 0.006 + 1e-3 * least, line)
        # Nothing is lost: what the short answer leaves out stands in the long one.
        if len(lines) > 5:
            self.assertIn("--details", text)
    return test


for number, question in enumerate(QUESTIONS):
    setattr(Answer, f"test_{number:02d}_{re.sub('[^a-z0-9]+', '_', question.lower())[:60]}", of(question))


class Hints(unittest.TestCase):
    def test_a_named_framework_that_costs_much_time_is_told(self):
        question = "plan --model Qwen3-8B --tokens 10M --method lora --gpu '8x RTX 3090'"
        hours = {}
        for framework in ("trl", "unsloth"):
            whole = json.loads(ask(question + " --framework " + framework, "--json")[1])
            hours[framework] = next(plan for plan in whole["plans"] if plan["id"] == whole["recommendations"]["pick"])["hours"]["p50"]
        self.assertGreater(hours["trl"], 2 * hours["unsloth"], "else this asks nothing")
        text = " ".join(ask(question + " --framework trl")[1].split())
        self.assertRegex(text, r"faster, with another framework: .*\(--framework unsloth\)")
        self.assertNotIn("another framework", ask(question + " --framework unsloth")[1])

    def test_a_deadline_that_no_plan_keeps(self):
        code, text, said = ask("plan " + LORA + " --deadline '1 min'")
        self.assertEqual((code, said), (4, ""))
        self.assertRegex(" ".join(text.split()), r"No plan keeps to the 1 min deadline\. Closest: ")


class Details(unittest.TestCase):
    def test_short_is_shorter(self):
        for question in (f"plan {LORA}", "plan examples/collection.yaml"):
            short, details = ask(question)[1], ask(question, "--details")[1]
            self.assertLess(len(short.split()), 0.6 * len(details.split()), question)
            self.assertEqual(ask(question, "-v")[1], details)


class Work(unittest.TestCase):
    def test_padding_is_told_where_it_is_much(self):
        job = ("phases: [{name: t, train: {model: Qwen2.5-7B, method: lora, sequence: 4096, epochs: 1, micro: 8, "
               "data: {samples: 20k, tokens_per_sample: {mean: %d, max: 4096}%s}}}]\nwhere: {gpus: [1x H100 SXM]}\n")
        words = "are padding up to the longest sample of a micro-batch"
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            def text(mean, more=""):
                file.seek(0)
                file.truncate()
                file.write(job % (mean, more))
                file.flush()
                return " ".join(run("plan", file.name, COLUMNS="100", NO_COLOR="1").stdout.split())
            self.assertIn(words, text(500))
            self.assertIn("--set phases.t.data.packing=true", text(500))
            self.assertNotIn(words, text(3900))
            self.assertNotIn(words, text(500, ", packing: true"))

    def test_a_framework_that_nobody_measured_is_an_assumption(self):
        words = "for want of measured runs"
        asked = [*shlex.split(LORA), "--gpu", "1x H100 SXM", "--framework"]
        self.assertIn("unsloth as fast as programs of the kind, " + words, " ".join(run("plan", *asked, "unsloth", "--details").stdout.split()))
        self.assertNotIn(words, " ".join(run("plan", *asked, "hf-trainer", "--details").stdout.split()))

    def test_manual_work_that_holds_machines_is_told(self):
        words = "of the cost is machines that are held during manual work in extensions"
        self.assertIn(words, " ".join(run("plan", "examples/sft-node.yaml").stdout.split()))
        self.assertNotIn(words, " ".join(run("plan", "examples/sft-node.yaml", "--set", "schedule=stop_when_idle").stdout.split()))


class Age(unittest.TestCase):
    def ask(self, **more):
        return run("plan", *shlex.split(LORA), "--gpu", "8x H100 SXM", COLUMNS="100", NO_COLOR="1", **more)

    def test_is_counted_from_today(self):
        newest = json.loads(run("plan", *shlex.split(LORA), "--json").stdout)["market"]["as_of"]
        year, month = map(int, newest.split("-")[:2])
        soon, late = f"{year}-{month:02d}-28", f"{year + 1}-{month:02d}-28"
        self.assertNotIn("months old", self.ask(GPUPLAN_TODAY=soon).stdout)
        text = self.ask(GPUPLAN_TODAY=late).stdout
        self.assertRegex(text, r"(prices|the pick's price) from 20\d\d-\d\d, 1\d months old")
        self.assertIn("! Prices are from", text)
        self.assertIn("look them up before you rent", text)

    def test_a_date_is_a_date(self):
        for wrong in ("yesterday", "2026-13-01", "2026-11", "2026"):
            done = self.ask(GPUPLAN_TODAY=wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("GPUPLAN_TODAY", done.stderr)

    def on(self, day, *more):
        answer = json.loads(run("plan", *shlex.split(LORA), "--json", *more, GPUPLAN_TODAY=day).stdout)
        answer.pop("elapsed_ms")
        return answer

    def test_ages_count_to_the_date_that_is_asked_about(self):
        with tempfile.TemporaryDirectory() as folder:
            prices = os.path.join(folder, "mine.csv")
            with open(prices, "w") as file:
                file.write("provider,gpu,gpus,price_per_hour,date\nacme,H100 SXM,1,3,2026-08-01\n")
            for more in ((), ("--prices", prices)):
                age = self.on("2027-11-01", "--as-of", "2026-11-10", *more)["market"]["age_days"]
                self.assertEqual(age, self.on("2026-11-10", *more)["market"]["age_days"], more)
            self.assertEqual(age, 101)
            text = run("plan", *shlex.split(LORA), "--as-of", "2026-08-15", "--prices", prices, GPUPLAN_TODAY="2027-11-01").stdout
            self.assertNotIn("months old", text)
            self.assertNotIn("look them up", text)

    def test_with_a_date_the_clock_changes_words_only(self):
        answers = [self.on(day, "--as-of", "2026-10-31") for day in ("2026-11-01", "2030-01-01")]
        for answer in answers:
            answer["market"].pop("age_days")
        warned = [[line for line in answer.pop("warnings") if not line.startswith("Prices are from")] for answer in answers]
        self.assertEqual(*warned)
        self.assertEqual(*answers)

    def test_the_clock_makes_costs_less_sure_and_changes_nothing_else(self):
        soon, late = (self.on(day, "--all", "--gpu", "8x H100 SXM") for day in ("2026-11-01", "2027-11-01"))
        later = {plan["id"]: plan for plan in late["plans"]}
        both = [plan for plan in soon["plans"] if plan["id"] in later]
        self.assertGreater(len(both), 5)
        for plan in both:
            same = later[plan["id"]]
            self.assertEqual((same["hours"], same["phases"][0]["memory_gib"]), (plan["hours"], plan["phases"][0]["memory_gib"]))
            was, now = plan["cost_usd"], same["cost_usd"]
            self.assertAlmostEqual(now["p50"] / was["p50"], 1, delta=0.15)  # one in steps of 10 minutes
            self.assertGreater(now["p90"] / now["p10"], was["p90"] / was["p10"])


if __name__ == "__main__":
    main(__doc__, at_once=2)
