#!/usr/bin/env python3
"""Questions in flags, wishes beside a job file, gpuplan init, and gpuplan.toml.

    tests/cli/question_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from program import EXAMPLES, PROGRAM, environment, main, run

LORA = ["--model", "Qwen2.5-7B", "--tokens", "10M", "--method", "lora"]
GENERATE = ["--model", "llama-3.3-70b", "--generate", "--samples", "10k", "--prompt", "500", "--new", "300"]
SMALL = ["--params", "25M", "--samples", "2.5M"]
# Few offers make fast tests.
ONLY = ["--gpu", "RTX 4090", "--gpu", "H100 SXM"]


def answer(*words, code=0, **more):
    """The JSON of a plan."""
    done = run("plan", *words, "--json", **more)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    result = json.loads(done.stdout)
    del result["elapsed_ms"]
    return result


def pick(result):
    return next(plan for plan in result["plans"] if plan["id"] == result["recommendations"]["pick"])


class Questions(unittest.TestCase):
    def test_the_three_of_the_contract(self):
        for words, kind in ((LORA, "training"), (GENERATE, "generation"), (SMALL, "training")):
            done = run("plan", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""), words)
            self.assertIn("✔", done.stdout)
            self.assertIn("Assumed: ", done.stdout)
        self.assertEqual(answer(*LORA, *ONLY)["job"], "qwen2.5-7b-lora")
        self.assertIn("a decoder of 7 layers", " ".join(answer(*SMALL, *ONLY)["assumptions"]))

    def test_more_work_takes_longer(self):
        ready = ["--setup", "0 min"]
        once = pick(answer(*LORA, *ready, "--gpu", "1x H100 SXM", "--provider", "lambda"))
        twice = pick(answer(*LORA, *ready, "--epochs", "2", "--gpu", "1x H100 SXM", "--provider", "lambda"))
        self.assertAlmostEqual(twice["hours"]["p50"] / once["hours"]["p50"], 2, delta=0.02)
        tokens = pick(answer("--model", "Qwen2.5-7B", "--tokens", "20M", "--method", "lora", *ready,
                             "--gpu", "1x H100 SXM", "--provider", "lambda"))
        self.assertAlmostEqual(tokens["hours"]["p50"] / twice["hours"]["p50"], 1, delta=0.02)

    def test_setting_up_takes_time_unless_told(self):
        assumed = answer(*LORA, *ONLY)
        self.assertIn("6–19 min setup (--setup)", " ".join(assumed["assumptions"]))
        none = answer(*LORA, *ONLY, "--setup", "0 min")
        self.assertNotIn("--setup", " ".join(none["assumptions"]))
        hour = answer(*LORA, *ONLY, "--setup", "1 h")
        by_label = {plan["label"]: plan["hours"]["p50"] for plan in none["plans"]}
        both = [plan for plan in hour["plans"] if plan["label"] in by_label]
        self.assertTrue(both)
        for plan in both:
            self.assertGreater(plan["hours"]["p50"], by_label[plan["label"]] + 0.8)

    def test_settings_change_questions_too(self):
        by_flag = answer(*LORA, *ONLY, "--epochs", "3")
        by_setting = answer(*LORA, *ONLY, "--set", "phases.train.train.epochs=3")
        self.assertEqual(by_flag["plans"], by_setting["plans"])
        done = run("plan", *LORA, *ONLY, "--epochs", "2", "--set", "epochs=x1000000000000")
        self.assertTrue(done.stderr.startswith("gpuplan: --set phases.train.train.epochs: expected"), done.stderr)

    def test_wishes_go_with_a_job_file(self):
        wishes = ["--gpu", "4x RTX 4090", "--deadline", "3 h", "--budget", "$20", "--goal", "fastest",
                  "--value-of-time", "$9/h"]
        result = answer("examples/collection.yaml", *wishes)
        self.assertEqual({plan["label"] for plan in result["plans"]}, {"4x RTX 4090"})
        self.assertEqual(result["limits"]["deadline_hours"], 3)
        self.assertEqual(result["limits"]["budget_usd"], 20)
        self.assertEqual(result["limits"]["goal"], "fastest")
        self.assertAlmostEqual(result["limits"]["value_of_time_usd_per_hour"], 9)
        answer("examples/collection.yaml", "--deadline", "1 min", code=4)
        answer("examples/collection.yaml", "--gpu", "L4", code=3)

    def test_usage_errors_name_the_flag_in_one_line(self):
        for words, start in (([*LORA[:2], "--tokens", "10Q"], "--tokens: "),
                             (LORA[:2], "missing data size: add --tokens"),
                             (["--tokens", "1M"], "no model. Add --model"),
                             ([], "no job. Give a file"),
                             (["examples/collection.yaml", *LORA], "--model, --tokens and --method cannot be used with a job file"),
                             (["examples/collection.yaml", "--deadline", "soon"], "--deadline: "),
                             ([*LORA, "--gpu", "H400"], "--gpu: "),
                             ([*LORA, "--spot", "maybe"], "--spot: "),
                             ([*GENERATE, "--epochs", "2"], "--epochs is for training")):
            done = run("plan", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\Agpuplan: [^\n]+\n\Z")
            self.assertTrue(done.stderr.startswith("gpuplan: " + start), done.stderr)

    def test_a_flag_beside_a_job_is_told_as_a_setting_of_it(self):
        job = b"phases: [{name: tune, train: {model: gpt2, data: {tokens: 10M}, sequence: 512, method: lora}}]\n"
        for words, settings in ((["--micro", "2"], ["phases.tune.train.micro=2"]),
                                (["--epochs", "2", "--rank", "8"], ["phases.tune.train.epochs=2", "phases.tune.train.lora.rank=8"]),
                                (["--setup", "10 min"], ["'phases.tune.setup.time=10 min'"])):
            done = run("plan", "-", *words, stdin=job)
            self.assertEqual(done.returncode, 2)
            self.assertIn("cannot be used with a job file; use" + "".join(" --set " + one for one in settings) + "\n", done.stderr)
            said = [word for one in settings for word in ("--set", one.strip("'"))]
            self.assertEqual(run("plan", "-", *said, stdin=job).returncode, 0, "and that can be read")
        # A model that the job names has no layers to set.
        done = run("plan", "-", "--layers", "12", stdin=job)
        self.assertIn("--layers cannot be used with a job file; what the work is stands in the job", done.stderr)
        done = run("plan", "-", "--engine", "vllm", stdin=job)
        self.assertIn("--engine cannot be used with a job file; what the work is stands in the job", done.stderr)

    def test_an_amount_apart_from_its_unit(self):
        for words, told in ((["--model", "gpt2", "--tokens", "10", "M"], "--tokens 10, write 10M or \"10 M\""),
                            ([*LORA, "--deadline", "12", "h"], "--deadline 12, write 12h or \"12 h\"")):
            done = run("plan", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn(told, done.stderr)
        self.assertEqual(run("plan", "M").returncode, 5)

    def test_a_way_to_train_is_told_wherever_it_is_written(self):
        for flag in ("--method", "--objective"):
            self.assertIn("two phases of a job file", run("plan", *LORA[:4], flag, "rloo").stderr)
        self.assertIn("grpo also needs rollouts, in a job file", run("plan", *LORA, "--objective", "grpo").stderr)

    def test_prices_of_a_day_to_come_are_refused(self):
        for day, code in (("2031-01", 2), ("2026-11-23", 2), ("2026-12", 2), ("2026-11-22", 0), ("2026-11", 0)):
            done = run("plan", *LORA, "--as-of", day)
            self.assertEqual(done.returncode, code, (day, done.stderr))
            if code:
                self.assertRegex(done.stderr, rf"\Agpuplan: --as-of: {day} lies in the future, .*today is 2026-11-22[^\n]*\n\Z")

    def test_images_are_as_long_as_their_network_makes_them(self):
        for kind, shape in (("vit", "image: 224, patch: 14"), ("dit", "image: 32, patch: 2, channels: 4")):
            job = (f"phases: [{{name: a, train: {{model: {{kind: {kind}, layers: 24, hidden: 1024, heads: 16, {shape}}}, "
                   "data: {samples: 1M}, epochs: 1, batch: 1024%s}}]\n")
            tokens = {"vit": 257, "dit": 256}[kind]
            asked = [json.loads(run("plan", "-", "--json", stdin=(job % more).encode()).stdout)
                     for more in ("", f", sequence: {tokens}")]
            self.assertEqual(asked[0]["plans"][0]["hours"], asked[1]["plans"][0]["hours"], kind)

    def test_hints_repeat_the_question(self):
        done = run("plan", "examples/collection.yaml", "--goal", "cheapest", "--deadline", "9 h")
        self.assertIn("Next: gpuplan launch examples/collection.yaml --deadline '9 h' --goal cheapest --to ",
                      " ".join(done.stdout.split()))
        done = run("plan", "examples/collection.yaml", "--no-config", "--as-of", "2026-10", "--seed", "7", "--data", "data")
        self.assertIn("Next: gpuplan launch examples/collection.yaml --no-config --as-of 2026-10 --seed 7 --data data --to ",
                      " ".join(done.stdout.split()))

    def test_hints_can_be_typed(self):
        """Paths with what shells take for themselves come back as they were."""
        with tempfile.TemporaryDirectory() as folder:
            for name in ("it's.yaml", "a b.yaml", "#a.yaml", "~a.yaml", "a\\b.yaml", "a!b.yaml", "$HOME.yaml", "plain-1.yaml"):
                done = run("init", *SMALL, "-o", f"{folder}/{name}")
                self.assertEqual(done.returncode, 0, done.stderr)
                command = done.stderr.split("next: gpuplan plan ")[1]
                typed = subprocess.run(["bash", "-c", "printf %s " + command], capture_output=True, text=True, check=True)
                self.assertEqual(typed.stdout, f"{folder}/{name}")
            self.assertNotIn("'", command)

    def test_models_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            config = Path(folder) / "tiny" / "config.json"
            config.parent.mkdir()
            config.write_text(json.dumps({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 512,
                                          "num_attention_heads": 8, "intermediate_size": 1408, "vocab_size": 32000}))
            self.assertEqual(answer("--model", str(config), "--tokens", "1M", *ONLY)["job"], "tiny-train")


class Spot(unittest.TestCase):
    def test_a_question_is_answered_with_an_assumed_rate(self):
        result = answer(*LORA, "--spot", "only")
        self.assertTrue(result["plans"] and all(plan["spot"] for plan in result["plans"]))
        self.assertIn("spot interruption rate 5%/h", " ".join(result["assumptions"]))
        both = answer(*LORA, "--spot", "allow")
        self.assertEqual({plan["spot"] for plan in both["plans"]}, {True, False})

    def test_a_rate_said_is_taken(self):
        seldom = pick(answer(*LORA, *ONLY, "--spot", "only", "--interruptions", "1%/h"))
        often = pick(answer(*LORA, *ONLY, "--spot", "only", "--interruptions", "50%/h"))
        self.assertLess(seldom["interruptions"], often["interruptions"])
        result = answer(*LORA, *ONLY, "--spot", "only", "--interruptions", "1%/h")
        self.assertNotIn("interruption rate", " ".join(result["assumptions"]))

    def test_job_files_stay_on_demand_unless_somebody_asks(self):
        job = "examples/gpt-124m.yaml"
        self.assertFalse(any(plan["spot"] for plan in answer(job)["plans"]))
        for words in (["--spot", "only"], ["--set", "where.spot=only"]):
            asked = answer(job, *words)
            self.assertTrue(asked["plans"] and all(plan["spot"] for plan in asked["plans"]))
            self.assertIn("5%/h", " ".join(asked["assumptions"]))
        # AWS has bands; of others nobody says how often.
        banded = answer(job, "--set", "where.spot=only", "--set", "where.providers=[aws]")
        self.assertTrue(banded["plans"])
        self.assertIn("AWS says which share", " ".join(banded["assumptions"]))


class Init(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "job.yaml")

    def test_plan_answers_the_file_as_the_question(self):
        for words in ([*LORA, *ONLY], [*GENERATE, *ONLY], [*SMALL, *ONLY],
                      [*LORA, *ONLY, "--spot", "only", "--budget", "$50", "--epochs", "2"],
                      ["--model", "gpt2", "--samples", "5k", "--tokens-per-sample", "300", "--batch", "32", *ONLY],
                      ["--layers", "4", "--hidden", "256", "--steps", "100", "--batch", "64k tokens", *ONLY]):
            done = run("init", *words, "-o", self.file, "--force")
            self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
            self.assertIn("next: gpuplan plan", done.stderr)
            question, file = answer(*words), answer(self.file)
            for member in ("job", "plans", "recommendations", "considered", "limits", "market"):
                self.assertEqual(question[member], file[member], (words, member))

    def test_paths_of_models_are_found_from_the_file(self):
        config = Path(self.folder.name) / "config.json"
        config.write_text(json.dumps({"model_type": "llama", "num_hidden_layers": 4, "hidden_size": 512,
                                      "num_attention_heads": 8, "intermediate_size": 1408, "vocab_size": 32000}))
        os.mkdir(os.path.join(self.folder.name, "jobs"))
        done = subprocess.run([PROGRAM, "init", "--model", "config.json", "--tokens", "1M", "-o", "jobs/job.yaml"],
                              cwd=self.folder.name, env=environment(), capture_output=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer(os.path.join(self.folder.name, "jobs", "job.yaml"), *ONLY)


class Fit(unittest.TestCase):
    def sections(self, *words, code=0):
        done = run("fit", *words, "--json")
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)["sections"]

    def names(self, *words, code=0):
        return [section["name"] for section in self.sections(*words, code=code)]

    def test_flags_narrow_the_question(self):
        gpu = ["--gpu", "H100 SXM"]
        self.assertEqual(self.names("Qwen2.5-7B", *gpu), ["full", "lora", "qlora", "generate"])
        self.assertEqual(self.names("Qwen2.5-7B", "--method", "qlora", "--sequence", "4096", *gpu), ["qlora"])
        self.assertEqual(self.names("Qwen2.5-7B", "--rank", "64", *gpu), ["lora", "qlora"])
        self.assertEqual(self.names("Qwen2.5-7B", "--generate", "--weights", "int4", *gpu), ["generate"])
        self.assertEqual(self.names("--model", "Qwen2.5-7B", "--method", "lora", *gpu), ["lora"])
        self.assertEqual(self.names("--params", "1.5B", "--sequence", "1k", *gpu), ["full", "lora", "qlora"])

    def test_longer_sequences_need_more(self):
        def needs(length):
            done = run("fit", "Qwen2.5-7B", "--method", "lora", "--sequence", length, "--gpu", "1x H200 SXM", "--explain")
            return done.stdout
        self.assertNotEqual(needs("1024"), needs("4096"))
        self.assertIn("sequence 4,096", needs("4096"))

    def test_several_gpus(self):
        text = run("fit", "Qwen2.5-7B", "--method", "qlora", "--gpu", "L4", "--gpu", "A10").stdout
        self.assertIn("1x L4", text)
        self.assertIn("1x A10", text)

    def test_a_number_in_the_name_of_the_gpu_counts_everywhere(self):
        by_name = run("fit", "Qwen2.5-7B", "--batches", "8", "--gpu", "8x H100 SXM").stdout
        self.assertIn("8 GPUs", by_name)
        self.assertEqual(by_name, run("fit", "Qwen2.5-7B", "--batches", "8", "--gpu", "H100 SXM", "--counts", "8").stdout)
        two = ["--gpu", "8x H100 SXM", "--gpu", "L4"]
        for words in (two, [*two, "--batches", "8"], ["--gpu", "L4", "--gpu", "A10", "--placements"]):
            done = run("fit", "Qwen2.5-7B", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")
        self.assertEqual(run("fit", "Qwen2.5-7B", *two, "--counts", "4").returncode, 0)

    def test_explanations_are_of_the_usual_table(self):
        for words in (["--batches", "8"], ["--placements"], ["--csv"], ["-o", "/nonexistent/fit.csv"]):
            done = run("fit", "Qwen2.5-7B", "--gpu", "H100 SXM", "--explain", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertIn("--explain ", done.stderr)

    def test_standard_input_has_a_name(self):
        job = b"phases: {name: a, fixed: {gpus: 1, time: 1 h}}\n"
        for command in ("fit", "profiles"):
            done = run(command, "-", stdin=job)
            self.assertEqual((done.returncode, done.stdout), (5, ""))
            self.assertEqual(done.stderr, "standard input: the job has no phase that trains or generates\n")

    def test_usage(self):
        for words in ([], ["Qwen2.5-7B", "--model", "gpt2"], ["examples/gpt-124m.yaml", "--method", "lora"],
                      ["Qwen2.5-7B", "--sequence", "long"]):
            done = run("fit", *words)
            self.assertEqual((done.returncode, done.stdout), (2, ""), words)
            self.assertRegex(done.stderr, r"\A[^\n]+\n\Z")


NEAR = """value_of_time = "$40/h"
[where]
quota = {aws = 8}
[[own]]
name = "desk"
gpu = "2x RTX 4090"
usd_per_kwh = "$0.30"
"""
FAR = """value_of_time = 10
goal = "cheapest"
where = {quota = {aws = 2, runpod = 4}}
[[own]]
name = "desk"
gpu = "L4"
[[pools]]
name = "cluster"
gpu = "A100 SXM 80GB"
gpus = 8
"""


class Config(unittest.TestCase):
    """Each test has a folder team/project with a gpuplan.toml in team, and an XDG folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(os.path.realpath(folder.name))
        (self.root / "team" / "project").mkdir(parents=True)
        (self.root / "xdg" / "gpuplan").mkdir(parents=True)
        self.near = self.root / "team" / "gpuplan.toml"
        self.far = self.root / "xdg" / "gpuplan" / "gpuplan.toml"

    def run_there(self, *words, **more):
        variables = environment(XDG_CONFIG_HOME=str(self.root / "xdg"), **more)
        if "GPUPLAN_CONFIG" not in more:
            del variables["GPUPLAN_CONFIG"]
        done = subprocess.run([PROGRAM, *words], cwd=self.root / "team" / "project", env=variables,
                              capture_output=True, stdin=subprocess.DEVNULL, timeout=60)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def json_there(self, *words, **more):
        code, out, err = self.run_there(*words, "--json", **more)
        self.assertEqual(code, 0, err)
        return json.loads(out)

    def values(self, **more):
        shown = self.json_there("config", "show", **more)
        self.assertEqual(shown["schema"], "gpuplan/config@1")
        return {row["key"]: (row["value"], row["file"], row["line"]) for row in shown["values"]}

    def worth(self, *words, **more):
        result = self.json_there("plan", *LORA, "--gpu", "H100 SXM", *words, **more)
        return round(result["limits"]["value_of_time_usd_per_hour"], 6)

    def test_whatif_asks_what_plan_asks(self):
        """A setting comes after the flags and before gpuplan.toml, whoever asks."""
        self.near.write_text("value_of_time = '$40/h'\n[where]\nproviders = ['lambda']\n[[own]]\nname = 'desk'\n"
                             "gpu = '2x RTX 4090'\n")
        job = self.root / "job.yaml"
        job.write_text("phases: {name: a, train: {model: Qwen2.5-7B, data: {tokens: 10M}, sequence: 1k, method: lora}}\n")
        for question in ([str(job)], LORA):
            for flags, setting in (([], "where.providers="), ([], "value_of_time="),
                                   (["--provider", "runpod"], "where.providers=[aws]"),
                                   (["--value-of-time", "$20/h"], "value_of_time=x2")):
                words = [*question, *flags, "--set", setting]
                code, out, err = self.run_there("plan", *words, "--json")
                plan = json.loads(out)
                row = self.json_there("whatif", *words)["scenarios"][0]
                pick = row["pick"] or {}
                self.assertEqual(plan["recommendations"]["pick"], pick.get("id"), (words, err))
                self.assertNotEqual(code, 2, err)

    def test_a_job_wins(self):
        self.near.write_text(NEAR)
        job = self.root / "job.yaml"
        job.write_text("value_of_time: $7/h\nphases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}\n")
        result = self.json_there("plan", str(job))
        self.assertAlmostEqual(result["limits"]["value_of_time_usd_per_hour"], 7)
        self.assertEqual(len(result["from_config"]), 1)
        self.assertNotIn("value_of_time", result["from_config"][0])
        self.assertIn("your machine desk", result["from_config"][0])

    def test_closed_markets_stay_closed(self):
        self.near.write_text(NEAR)
        alone = run("plan", "examples/collection.yaml", "--json")
        here = self.run_there("plan", str(Path(__file__).resolve().parents[2] / "examples/collection.yaml"), "--json")
        self.assertEqual(json.loads(alone.stdout)["plans"], json.loads(here[1])["plans"])

    def test_boxes_are_planned_with(self):
        self.near.write_text(NEAR)
        self.far.write_text(FAR)
        code, out, _ = self.run_there("plan", *LORA, "--details")
        self.assertEqual(code, 0)
        self.assertIn("offers from gpuplan.toml and the built-in price list", " ".join(out.split()))
        self.assertIn(f"From {self.near}: value_of_time $40/h, where.quota.aws 8, your machine desk.", " ".join(out.split()))
        labels = {plan["label"] for plan in self.json_there("plan", *LORA, "--all")["plans"]}
        self.assertTrue(any("desk" in label for label in labels) and any("cluster" in label for label in labels), labels)
        offers = {row["instance"]: row for row in self.json_there("offers")["offers"]}
        self.assertEqual((offers["desk"]["provider"], offers["desk"]["gpus"]), ("own box", 2))
        self.assertEqual((offers["cluster"]["provider"], offers["cluster"]["gpus"]), ("pool", 8))
        # A price list of the command line takes the place of all offers.
        (self.root / "p.csv").write_text("gpu,gpus,price_per_hour\nH100 SXM,1,2.50\n")
        result = self.json_there("plan", *LORA, "--prices", str(self.root / "p.csv"))
        self.assertEqual({plan["gpu"] for plan in result["plans"]}, {"H100 SXM"})
        self.assertNotIn("own box", " ".join(result["from_config"]))

    def test_examples_are_the_same_with_an_empty_file(self):
        self.near.write_text("# nothing\n")
        root = Path(__file__).resolve().parents[2]
        for example in EXAMPLES[:3]:
            here = json.loads(self.run_there("plan", str(root / example), "--json")[1])
            there = json.loads(run("plan", example, "--json").stdout)
            self.assertEqual(here["plans"], there["plans"])


if __name__ == "__main__":
    main(__doc__)
