#!/usr/bin/env python3
"""Words that people bring from other programs, and clusters of several machines.

    tests/cli/habits_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import io
import json
import tempfile
import unittest
from pathlib import Path

from program import main, run

WORK = ["--model", "Qwen3-8B", "--tokens", "10M", "--gpu", "H100 SXM"]
CLUSTER = """job: cluster
market:
  use: only
  pools:
    - {name: work, gpu: H100 SXM, gpus: 8, nodes: 16, network: 8x 400 Gbit/s InfiniBand, partition: gpu, cpus: 224,
       ram: 2 TB, max_time: 24 h, max_nodes: 8}
    - {name: a100, gpu: A100 SXM 80GB, gpus: 8}
phases:
  - name: pre
    train: {model: {layers: 24, hidden: 2048, vocab: 32000}, data: {tokens: 5B}, epochs: 1, sequence: 2048, batch: 512}
"""


def plain(result):
    """What does not depend on how the question was asked."""
    return [(plan["label"], plan["cost_usd"], plan["hours"]) for plan in result["plans"]]


def answer(*words, code=0, **more):
    done = run("plan", *words, "--json", **more)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return json.loads(done.stdout)


class Spellings(unittest.TestCase):
    def same(self, ours, theirs):
        self.assertEqual(plain(answer(*WORK, *ours)), plain(answer(*WORK, *theirs)), theirs)

    def test_of_training(self):
        self.same(["--method", "lora"], ["--lora"])
        self.same(["--method", "qlora", "--sequence", "1024"], ["--qlora", "--max-seq-length=1024"])
        self.same(["--method", "lora", "--sequence", "512", "--batch", "32", "--counts", "1,2"],
                  ["--lora", "--seq-len", "512", "--batch-size", "32", "--num-gpus", "1,2"])

    def test_of_generation(self):
        work = ["--model", "Qwen3-8B", "--generate", "--samples", "1k", "--prompt", "200", "--new", "100", "--gpu", "H100 SXM"]
        ours = answer(*work, "--situation", "concurrency", "--concurrency", "8", "--first-token", "2 s", "--per-token", "50 ms")
        theirs = answer(*work, "--load", "concurrency", "--concurrency", "8", "--ttft", "2 s", "--tpot", "50 ms")
        self.assertEqual(plain(ours), plain(theirs))

    def test_prompts_that_are_only_read(self):
        work = ["--model", "bge-m3", "--samples", "100k", "--prompt", "512", "--gpu", "L40S"]
        asked = answer(*work, "--forward-only")
        self.assertEqual(plain(asked), plain(answer(*work, "--generate", "--new", "0")))
        self.assertTrue(asked["plans"])
        self.assertIn("use one of them", run("plan", *work, "--forward-only", "--new", "5").stderr)

    def test_an_alias_is_given_once_and_takes_no_value_of_its_own(self):
        self.assertIn("--method is repeated", run("plan", *WORK, "--lora", "--method", "full").stderr)
        self.assertIn("--lora takes no value", run("plan", *WORK, "--lora=8").stderr)

    def test_counts_with_suffixes(self):
        self.assertEqual(plain(answer(*WORK, "--lora", "--batch", "1k")), plain(answer(*WORK, "--lora", "--batch", "1000")))
        done = run("plan", *WORK, "--counts", "10T")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stderr.count("\n"), 1)


class Unknown(unittest.TestCase):
    def refused(self, words, *texts, code=2):
        done = run(*words)
        self.assertEqual(done.returncode, code, words)
        self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_flags(self):
        self.refused(["plan", *WORK, "--colour"], "did you mean --no-color?")
        self.refused(["plan", *WORK, "--pagr"], "Did you mean '--no-pager'?")
        self.refused(["plan", *WORK, "--seq-lenn", "8"], "Did you mean '--seq-len'?")
        self.refused(["plan", *WORK, "--dataset", "alpaca"], "--samples", "--tokens")
        self.refused(["plan", *WORK, "--qps", "5"], "--concurrency", "--tokens-per-second")

    def test_values(self):
        for method, advice in (("grpo", "objective: grpo"), ("rloo", "two phases"), ("dpo", "--objective dpo"), ("dora", "method lora"), ("SFT", "full, lora")):
            self.refused(["plan", *WORK, "--method", method], "--method", advice)
        self.refused(["plan", *WORK, "--optimizer", "lion_8bit"], "adam8bit")
        self.refused(["plan", *WORK, "--budget", "18 EUR"], "US dollars", "currency", "--rate")
        self.refused(["launch", *WORK, "--to", "vastai"], "did you mean vast?")
        self.refused(["launch", *WORK, "--to", "skypilt"], "Did you mean 'skypilot'?")


class Optimizers(unittest.TestCase):
    def test_all_are_planned_and_carried_into_scripts(self):
        for name, written in (("adafactor", "adafactor"), ("lion", "lion_32bit"), ("paged_adamw_8bit", "paged_adamw_8bit"),
                              ("paged_adamw_32bit", "paged_adamw_32bit"), ("adamw_8bit", "adamw_bnb_8bit")):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done = run("launch", *WORK, "--lora", "--gpu", "1x H100 SXM", "--framework", "hf-trainer", "--optimizer", name,
                           "--to", "bash", "-o", folder + "/run")
                self.assertIn(done.returncode, (0, 4), done.stderr)
                settings = json.loads(next(Path(folder).glob("run/**/settings.json")).read_text())
                trl = next(Path(folder).glob("run/**/sft.yaml")).read_text(encoding="utf-8")
                self.assertIn(f'\noptim: "{written}"\n', trl)
                self.assertEqual(settings["model"]["name"], "Qwen/Qwen3-8B")
                self.assertNotIn("export MODEL=", done.stdout)

    def test_what_a_framework_lacks_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("launch", *WORK, "--lora", "--gpu", "1x H100 SXM", "--framework", "hf-trainer", "--optimizer", "muon", "--to",
                       "bash", "-o", folder + "/run")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--optimizer: hf-trainer has no muon; framework: ", done.stderr)
            self.assertFalse((Path(folder) / "run").exists())


class Market(unittest.TestCase):
    def test_why_there_is_nothing(self):
        work = ["plan", "--params", "350M", "--tokens", "1B"]
        done = run(*work, "--gpu", "V100S")  # no provider has offered one since
        self.assertEqual(done.returncode, 3)
        self.assertRegex(done.stdout, r"No current offer of V100S PCIe 32GB: \d+ old ones, the newest of \d{4}-\d\d\.")
        self.assertRegex(done.stdout, r"--as-of \d{4}-\d\d")
        self.assertIn("--nodes 8", run(*work, "--counts", "64").stdout)
        self.assertIn("us-east-1", run(*work, "--region", "nowhere-at-all").stdout)

    def test_a_name_of_several_gpus_allows_each(self):
        plans = answer("--model", "gpt2", "--tokens", "1B", "--gpu", "A100", "--all")["plans"]
        gpus = {plan["gpu"] for plan in plans}
        self.assertGreater(len(gpus), 1, gpus)
        self.assertTrue(all(name.startswith("A100 ") for name in gpus), gpus)

    def test_numbers_of_gpus_are_of_one_machine(self):
        words = ("plan", "--model", "Qwen3-8B", "--tokens", "10M", "--nodes", "8", "--gpu")
        self.assertIn("--gpu '8x H100 SXM' --nodes 8", " ".join(run(*words, "64x H100 SXM").stdout.split()))
        self.assertEqual(run(*words, "8x H100 SXM").returncode, 0)

    def test_one_machine_of_a_host_is_no_cluster(self):
        lone = "gpu,gpus,price_per_hour,provider,availability\n"
        lone += "H100 SXM,8,9,host,a single machine when listed\nH100 SXM,8,20,cloud,\n"
        with tempfile.TemporaryDirectory() as folder:
            prices = Path(folder, "prices.csv")
            prices.write_text(lone)
            words = ("--model", "Qwen3-8B", "--tokens", "10M", "--nodes", "1,2", "--prices", str(prices), "--all")
            plans = answer(*words)["plans"]
        found = {(plan["phases"][0]["offer"]["provider"], plan["nodes"]) for plan in plans}
        self.assertEqual(found, {("host", 1), ("cloud", 1), ("cloud", 2)})

    def test_a_host_that_is_too_small_is_named(self):
        done = run("fit", "Qwen2.5-7B", "--gpu", "RTX 3090", "--method", "full", "--counts", "1")
        said = r"on a machine with \d+ GiB of CPU memory \(RAM\); [\d.]+ GiB are counted"
        self.assertRegex(" ".join(done.stdout.split()), said)

    def test_rows_in_other_formats_are_named(self):
        words = ("--model", "Llama-3.1-8B", "--tokens", "20M", "--method", "full", "--gpu", "H100 SXM", "--counts")
        said = r"trains? (with fp32 AdamW, not )?in pure bf16 with 8-bit AdamW"
        for counts in ("1,8", "8"):
            rows = [plan for plan in answer(*words, counts)["plans"] if plan["on_frontier"]]
            optimizers = {phase["strategy"]["optimizer"] for plan in rows for phase in plan["phases"]}
            text = " ".join(run("plan", *words, counts).stdout.split())
            (self.assertRegex if len(optimizers) > 1 else self.assertNotRegex)(text, said)

    def test_a_count_that_is_left_out_is_said(self):
        done = run("plan", "--params", "350M", "--tokens", "1B", "--counts", "8,64", "--details")
        if done.returncode == 2:  # no such flag
            done = run("plan", "--params", "350M", "--tokens", "1B", "--counts", "8,64")
        self.assertEqual(done.returncode, 0)
        self.assertIn("has 64", " ".join(done.stdout.split()))

    def test_areas_are_their_regions(self):
        work = ["--params", "350M", "--tokens", "100M", "--setup", "0 min"]

        def asked(*words):
            result = answer(*work, *words)
            regions = {phase["offer"]["region"] for plan in result["plans"] for phase in plan["phases"]}
            return result["market"]["offers"], regions

        europe, union, states = asked("--region", "europe"), asked("--region", "eu"), asked("--region", "us")
        self.assertTrue(0 < union[0] < europe[0])
        for offers, regions in (europe, union):
            self.assertTrue(regions)
            self.assertFalse(regions & {"US", "RU", "us-east-1", "CN"})
        self.assertFalse(union[1] & {"CH", "GB", "NO", "MK"})
        self.assertEqual(asked("--region", "eu,us")[0], union[0] + states[0])

    def test_a_job_is_named_after_its_model(self):
        self.assertEqual(answer("--model", "ViT-L/16", "--samples", "10k", "--gpu", "RTX 4090")["job"], "vit-l-16-train")


class Models(unittest.TestCase):
    def test_without_a_name_all_are_listed(self):
        rows = list(csv.DictReader(io.StringIO(run("model", "--csv").stdout)))
        listed = json.loads(run("model", "--json").stdout)["models"]
        self.assertEqual([row["name"] for row in rows], [model["name"] for model in listed])
        self.assertGreater(len(rows), 200)
        for name in ("Qwen3-8B", "Llama-3.1-8B"):
            row = next(row for row in rows if row["name"] == name)
            alone = next(csv.DictReader(io.StringIO(run("model", name, "--csv").stdout)))
            for key in ("parameters", "parameters_active", "kv_cache_bytes_per_token"):
                self.assertEqual(float(row[key] or alone[key]), float(alone[key]), (name, key))
        self.assertIn("CONTEXT", run("model").stdout)


class Clusters(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.job = Path(self.folder.name) / "cluster.yaml"
        self.job.write_text(CLUSTER)

    def test_several_machines_are_planned_and_launched(self):
        result = answer(str(self.job))
        self.assertLessEqual(max(plan["nodes"] for plan in result["plans"]), 8)
        self.assertEqual(max(plan["gpus"] for plan in result["plans"]), 64)
        out = Path(self.folder.name) / "run"
        done = run("launch", str(self.job), "--nodes", "4", "--to", "slurm", "-o", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        batch = next(out.glob("*.sh")).read_text()
        for line in ("--nodes=4", "--gpus-per-node=h100:8", "--cpus-per-task=224", "--partition=gpu"):
            self.assertIn("#SBATCH " + line + "\n", batch)

    def test_more_machines_than_there_are_is_one_clear_line(self):
        done = run("plan", str(self.job), "--provider", "a100", "--nodes", "2")
        self.assertEqual(done.returncode, 3)
        self.assertIn("Pool a100 has 1 machine, and 2 are asked for", done.stdout)

    def test_a_provider_is_the_pool_of_that_name(self):
        for name, gpu in (("work", "H100 SXM"), ("a100", "A100 SXM 80GB")):
            leases = [lease for plan in answer(str(self.job), "--provider", name)["plans"] for lease in plan["leases"]]
            self.assertEqual({lease["gpu"] for lease in leases}, {gpu})

    def test_bad_values_are_one_line_with_their_place(self):
        for before, after, text in (
                ("network: 8x 400 Gbit/s InfiniBand, ", "", "market.pools[0].nodes: network is missing"),
                ("8x 400 Gbit/s InfiniBand", "InfiniBand", "market.pools[0].network: 'InfiniBand' says no rate"),
                ("8x 400 Gbit/s InfiniBand", "very fast", "market.pools[0].network: expected what joins the machines"),
                ("nodes: 16", "nodes: 0", "market.pools[0].nodes: expected"),
                ("ram: 2 TB", "ram: 2", "market.pools[0].ram: expected"),
                ("cpus: 224", "cpus: many", "market.pools[0].cpus: expected"),
                ("max_nodes: 8", "max_nodes: 0", "market.pools[0].max_nodes: expected")):
            self.job.write_text(CLUSTER.replace(before, after))
            done = run("plan", str(self.job))
            self.assertEqual(done.returncode, 5, after)
            self.assertEqual(done.stderr.strip().count("\n"), 0, done.stderr)
            self.assertRegex(done.stderr, r"cluster\.yaml:[56]: ")
            self.assertIn(text, done.stderr)


if __name__ == "__main__":
    main(__doc__)
