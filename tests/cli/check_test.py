#!/usr/bin/env python3
"""gpuplan check: the gate of examples/trm-nanochat.yaml, which phase and plan a log is of, growing logs, bad input.

    tests/cli/check_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import gzip
import json
import math
import os
import re
import resource
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run

JOB = "examples/trm-nanochat.yaml"


def head(gpu="NVIDIA B200"):
    return f"GPU: {gpu} | Peak FLOPS (BF16): 2.25e+15\nTotal batch size 524,288 => gradient accumulation steps: 1\n"


def lines(refinement, steps=1000, first=0, until=None, milliseconds=600.0, every=5):
    """Steps as nanochat logs them, and the losses of the four steps of supervision; refinement grows to the end."""
    text = []
    for step in range(first, until or steps, every):
        loss = 3 + 8 * math.exp(-step / 200)
        gain = refinement * min(1, step / (0.9 * steps))
        losses = [(loss + 0.5) * (1 - gain * part / 3) for part in range(4)]
        text.append(f"step {step:05d}/{steps:05d} ({100 * step / steps:.2f}%) | loss: {loss:.6f} | grad norm: "
                    f"{0.9 + 0.2 * math.sin(step):.4f} | lrm: 1.00 | dt: {milliseconds:.2f}ms | tok/sec: "
                    f"{int(524288e3 / milliseconds):,} | mfu: 38.10 | total time: {step * milliseconds / 6e4:.2f}m\n"
                    + " ".join(f"step_{i}: {one:.4f}" for i, one in enumerate(losses)) + "\n")
    return "".join(text)


def tail(memory=97000):
    return f"Peak memory usage: {memory:.2f}MiB\nTotal training time: 10.00m\n"


def whole(refinement, **more):
    return head() + lines(refinement, **more) + tail()


def check(*words, **more):
    return run("check", *words, **more)


class Gate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, text):
        path = self.folder / name
        if isinstance(text, bytes):
            path.write_bytes(text)
        else:
            path.write_text(text)
        return str(path)

    def ask(self, *words, code=0, **more):
        done = check(*words, "--json", **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def fails(self, code, text, *words, **more):
        done = check(*words, **more)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertIn(text, done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        self.assertEqual(done.stdout, "")


class SkippedSteps(Gate):
    """Megatron prints no loss for iterations that its optimizer skipped; `skipped` are their numbers."""

    STEPS = 500

    def job(self, more=""):
        return self.write("job.yaml", "market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n"
                          "  - name: train\n    train: {model: meta-llama/Llama-3.1-8B, data: {tokens: 65536000}, sequence: 4096,"
                          " batch: {sequences: 32}, framework: megatron, precision: fp16}\n"
                          "    succeed_when: [last(loss) < 3, loss decreases smoothly]\n" + more)

    def log(self, skipped, nan=1, until=STEPS, every=1, fields=lambda step: ""):
        text = []
        for step in range(every, until + 1, every):
            left_out = sum(one in skipped for one in range(step - every + 1, step + 1))
            loss = "" if left_out == every else f"| lm loss: {2 + 9 * math.exp(-step / 60):.6E} "
            text.append(f" [2026-05-01 12:{step // 60:02}:{step % 60:02}] iteration {step:8}/{self.STEPS:8} | consumed samples: {32 * step:12}"
                        f" | elapsed time per iteration (ms): 1000.0 | learning rate: 1.0E-05 | global batch size:    32 {loss}"
                        f"| loss scale: 4096.0 | {fields(step)}number of skipped iterations: {left_out:3} "
                        f"| number of nan iterations: {left_out * nan:3} |\n")
        return self.write("run.log", "".join(text))

    def verdict(self, log, code):
        answer = self.ask(log, "--job", self.job(), code=code)
        return answer["verdict"], [one["about"] for one in answer["advice"]], json.dumps(answer)

    def test_a_few_at_the_start_and_now_and_then_are_the_search_for_a_scale(self):
        for skipped in (set(), set(range(1, 17)), {1, 2, 250, 251}, {self.STEPS}, set(range(1, 34)) | {100, 300, self.STEPS}):
            verdict, advice, _ = self.verdict(self.log(skipped), 0)
            self.assertEqual((verdict, "skipped_steps" in advice), ("passed", False), sorted(skipped))

    def test_most_at_the_end_are_no_training(self):
        whole = set(range(1, self.STEPS + 1))
        ends = (set(range(400, self.STEPS + 1)), set(range(5, self.STEPS + 1)), whole, set(range(480, self.STEPS)),
                {step for step in whole if step > 400 and step % 4})
        for skipped in ends:
            for nan in (0, 1):
                for every in (1, 5):
                    kept = skipped if every == 1 else {step for step in whole if step >= min(skipped)}
                    verdict, _, text = self.verdict(self.log(kept, nan, every=every), 6)
                    self.assertEqual(verdict, "not passed", (min(skipped), nan, every))
                    self.assertIn("skipped most of the last steps", text)
        # The value that the condition asks for is none.
        answer = self.ask(self.log(ends[0]), "--job", self.job(), code=6)
        self.assertEqual(answer["conditions"][0]["result"], "not passed")

    def test_many_in_the_middle_are_told(self):
        verdict, advice, text = self.verdict(self.log(set(range(100, 160))), 0)
        self.assertEqual((verdict, "skipped_steps" in advice), ("passed", True))
        self.assertIn("60 of 500 steps were skipped", text)

    def test_a_run_at_its_start_is_still_running(self):
        verdict, _, _ = self.verdict(self.log(set(range(1, 20)), until=19), 6)
        self.assertEqual(verdict, "still running")

    def test_iterations_done_without_a_loss_have_none(self):
        # A mean that is not above 0 is not printed, nan is none: nothing was skipped.
        log = Path(self.log(set()))
        good = log.read_text()
        self.assertEqual(self.verdict(str(log), 0)[0], "passed")
        lines = good.splitlines(keepends=True)
        for first in (400, self.STEPS - 1):
            log.write_text("".join(lines[:first]) + "".join(re.sub(r"\| lm loss: \S+ ", "", line) for line in lines[first:]))
            self.assertEqual(self.verdict(str(log), 6)[0], "not passed")
        # A line that breaks off before its loss says nothing of it.
        log.write_text("".join(lines[:-1]) + lines[-1][:lines[-1].index("| lm loss") + 2])
        self.assertNotIn("not a number", check(str(log), "--job", self.job(), "--json").stdout)

    def test_a_run_without_any_loss_is_not_passed(self):
        bars = "".join(f"\r{step // 5}%|#| {step}/{self.STEPS} [00:{step % 60:02}<00:10,  1.00it/s]" for step in range(1, self.STEPS + 1))
        log = self.write("bars.log", bars + "\n{'train_runtime': 500.0, 'train_samples_per_second': 32.0, "
                         "'train_steps_per_second': 1.0, 'epoch': 1.0}\n")
        text = self.verdict(log, 6)[2]
        self.assertIn("the log has steps, but no loss", text)
        # By itself it is a log like others.
        self.assertEqual(check(log).returncode, 0)


class MeanLoss(Gate):
    """A run too short to print a loss before its summary."""

    SUMMARY = ("{'train_runtime': 250.0, 'train_samples_per_second': 64.0, 'train_steps_per_second': 2.0, 'train_loss': %s, "
               "'epoch': 1.0}\n***** train metrics *****\n  epoch                    =        1.0\n"
               "  train_loss               =     %s\n  train_runtime            = 0:04:10.00\n")

    def job(self, most):
        return self.write("job.yaml", "market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n"
                          "  - name: train\n    train: {model: meta-llama/Llama-3.1-8B, data: {samples: 16000}, sequence: 4096,"
                          f" batch: {{sequences: 32}}, framework: hf-trainer}}\n    succeed_when: [last(loss) < {most}]\n")

    def test_the_mean_of_the_run_stands_for_it(self):
        for text in (self.SUMMARY % (1.23, 1.2345), (self.SUMMARY % (1.23, 1.2345)).split("\n", 1)[0] + "\n"):
            log = self.write("run.log", text)
            for words in ((), ("--map", "loss=train_loss")):
                for most, code in ((3, 0), (1, 6)):
                    done = check(log, "--job", self.job(most), *words)
                    self.assertEqual(done.returncode, code, done.stdout)
                    self.assertIn("all 500 in 4.2 min", done.stdout)
                    self.assertRegex(done.stdout, r"loss +1\.23")
            self.assertIn(", the mean of the whole run: the log has no other", check(log, "--job", self.job(3)).stdout)

    def test_a_loss_of_a_step_is_better(self):
        log = self.write("run.log", "{'loss': 2.5, 'grad_norm': 1.0, 'learning_rate': 2e-05, 'epoch': 0.5}\n" + self.SUMMARY % (1.23, 1.23))
        self.assertNotIn("mean of the whole run", check(log, "--job", self.job(3)).stdout)


class Serving(Gate):
    """A server that was measured, against the plan and the target of its phase."""

    JOB = ("market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n  - name: serve\n    generate:\n"
           "      model: meta-llama/Llama-3.1-8B\n      data: {samples: 1000, prompt_tokens: 2000, new_tokens: 200}\n"
           "      situation: concurrency\n      concurrency: 32\n      engine: vllm\n"
           "      target: {time_per_output_token: 30 ms, time_to_first_token: 2 s}\n")
    LOG = ("============ Serving Benchmark Result ============\nSuccessful requests:                     1000\n"
           "Output token throughput (tok/s):         %s\n---------------Time to First Token----------------\n"
           "Mean TTFT (ms):                          320.50\nP99 TTFT (ms):                           1900.10\n"
           "-----Time per Output Token (excl. 1st token)------\nMean TPOT (ms):                          %s\n"
           "P99 TPOT (ms):                           220.10\n==================================================\n")

    def of(self, rate, per_token):
        return check(self.write("bench.log", self.LOG % (rate, per_token)), "--job", self.write("job.yaml", self.JOB))

    def test_a_missed_target_is_a_criterion_that_is_not_met(self):
        done = self.of(180.48, 160.31)
        self.assertEqual(done.returncode, 6, done.stdout)
        text = re.sub(r"\s+", " ", done.stdout)
        self.assertIn("FAILED: 1 of 2 success criteria not met", text)
        self.assertIn("✘ TPOT <= 30 ms (target) TPOT is 160 ms on average", text)
        self.assertIn("✔ TTFT <= 2 s (target)", text)
        for row in (r"TTFT, mean 32\d ms [\d.]+ m?s \(", r"TPOT, mean 160 ms [\d.]+ ms \("):
            self.assertRegex(text, row)
        self.assertIn("the target is missed by 430%", text)

    def test_a_slow_server_gets_advice_on_servers(self):
        text = re.sub(r"\s+", " ", self.of(180.48, 160.31).stdout)
        self.assertIn("requests at once", text)
        self.assertIn("--gpu-memory-utilization", text)
        for training in ("NCCL", "steps", "no compile", "dataloader"):
            self.assertNotIn(training, text)

    def test_a_target_that_is_met_passes(self):
        done = self.of(5000, 12.5)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("all 2 success criteria are met", done.stdout)

    def test_programs_get_both(self):
        names = {one["name"]: one for one in self.ask(self.write("bench.log", self.LOG % (5000, 12.5)), "--job",
                                                      self.write("job.yaml", self.JOB))["figures"]}
        self.assertAlmostEqual(names["seconds_per_output_token"]["measured"], 0.0125)
        self.assertAlmostEqual(names["seconds_to_first_token"]["measured"], 0.3205)
        self.assertIsNotNone(names["seconds_per_output_token"]["predicted"])


class Passing(Gate):
    def test_twenty_percent_of_refinement_passes_and_eight_do_not(self):
        passed = self.ask(self.write("run.log", whole(0.20)), "--job", JOB, "--phase", "validate")
        self.assertEqual(passed["verdict"], "passed")
        self.assertEqual([one["result"] for one in passed["conditions"]], ["passed"] * 4)
        missed = self.ask(self.write("run.log", whole(0.08)), "--job", JOB, "--phase", "validate", code=6)
        self.assertEqual(missed["verdict"], "not passed")
        self.assertEqual([one["result"] for one in missed["conditions"]],
                         ["passed", "not passed", "passed", "passed"])
        self.assertAlmostEqual(missed["conditions"][1]["missed_by"], 0.07 / 0.15, places=2)
        self.assertIn("short_of_goal", [one["about"] for one in missed["advice"]])

    def test_a_cross_entropy_below_zero_passes_no_gate(self):
        # torchtitan's stages before the last print -1 for each batch, summed over the ranks.
        def log(losses):
            return "".join(f"[rank0]:step: {step:2}  loss: {loss:8.5f}  grad_norm:  1.0000  memory: 40.00GiB(50.00%)  tps: 7,000"
                           "  tflops: 400.00  mfu: 40.00%\n" for step, loss in enumerate(losses, 1))

        def job(more=""):
            return self.write("job.yaml", "market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n"
                              "  - name: train\n    train: {model: meta-llama/Llama-3.1-8B, data: {tokens: 13107200}, sequence: 4096,"
                              " batch: {sequences: 32}, framework: torchtitan}\n    succeed_when: [loss < 3]\n" + more)

        falls = [9 - 0.065 * step for step in range(100)]
        self.assertEqual(self.ask(self.write("good.log", log(falls)), "--job", job())["verdict"], "passed")
        mixed = [-4 if step % 10 == 1 else loss for step, loss in enumerate(falls)]
        for losses in ([-4.0] * 100, mixed):
            found = self.ask(self.write("bad.log", log(losses)), "--job", job(), code=6)
            self.assertEqual(found["verdict"], "not passed")
            self.assertIn("below zero (-4), which a cross-entropy cannot be", json.dumps(found))
            self.assertIn("log of the last stage", json.dumps(found))
        # Another loss, read by the job itself, may be so.
        own = job("    metrics: {loss: 'loss: +(-?[0-9.]+)'}\n")
        self.assertEqual(self.ask(self.write("own.log", log([-4.0] * 100)), "--job", own)["verdict"], "passed")

    def test_rewards_are_no_broken_training(self):
        def log(more):
            return "".join(f" 10%|#  | {step}/100 [00:20<33:00, 20.00s/it]\n{{'loss': {-0.01 if step % 2 else 0.01}, 'grad_norm': 0.2, "
                           f"'learning_rate': 1e-06{more}, 'epoch': 0.01}}\n" for step in range(1, 101))

        job = self.write("job.yaml", "market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h}]}\nphases:\n"
                         "  - name: train\n    train: {model: meta-llama/Llama-3.1-8B, steps: 100, sequence: 2048, batch: {sequences: 32}}\n"
                         "    command: trl grpo --max_steps {steps} --per_device_train_batch_size {micro}\n")
        found = self.ask(self.write("grpo.log", log(", 'reward': 0.4, 'kl': 0.001")), "--job", job)
        self.assertEqual(found["verdict"], "passed")
        said = json.dumps(found["advice"])
        for wrong in ("below zero", "tenth of the learning rate", "fp32 instead of bf16"):
            self.assertNotIn(wrong, said)
        self.assertIn("within a step take time that is not planned", said)
        plain = self.ask(self.write("sft.log", log("")), "--job", job, code=6)
        self.assertIn("below zero", json.dumps(plain))

    def test_figures_lie_inside_their_intervals(self):
        figures = {one["name"]: one for one in self.ask(self.write("run.log", whole(0.2)), "--job", JOB)["figures"]}
        self.assertEqual(figures["tokens_per_second"]["lies"], "inside")
        self.assertEqual(figures["seconds_per_step"]["lies"], "inside")
        self.assertEqual(figures["allocated_gib"]["lies"], "inside")
        self.assertAlmostEqual(figures["seconds_per_step"]["measured"], 0.6, places=3)

    def test_a_kept_plan_needs_no_job(self):
        plan = str(self.folder / "plan.json")
        self.assertEqual(run("plan", JOB, "--gpu", "B200", "-o", plan).returncode, 0)
        log = self.write("run.log", whole(0.2))
        kept = self.ask(log, "--plan", plan, "--phase", "validate")
        job = self.ask(log, "--job", JOB, "--phase", "validate")
        self.assertEqual(kept["figures"], job["figures"])
        self.assertEqual(kept["plan"], job["plan"])
        self.assertEqual(self.ask(log, "--job", plan, "--phase", "validate")["plan"], job["plan"])
        self.fails(5, "belongs to job 'trm-nanochat', not to job", log, "--job", "examples/collection.yaml",
                   "--plan", plan)

    def test_standard_input_gzip_ansi_and_several_files(self):
        text = whole(0.2)
        expected = self.ask(self.write("run.log", text), "--job", JOB)["figures"]
        self.assertEqual(self.ask("-", "--job", JOB, stdin=text.encode())["figures"], expected)
        packed = self.write("run.log.gz", gzip.compress(text.encode()))
        self.assertEqual(self.ask(packed, "--job", JOB)["figures"], expected)
        coloured = self.write("colour.log", text.replace("step ", "\x1b[32mstep\x1b[0m ").replace("\n", "\r\n"))
        self.assertEqual(self.ask(coloured, "--job", JOB)["figures"], expected)
        cards = "timestamp, index, name, utilization.gpu [%], memory.used [MiB], memory.total [MiB]\n" + "".join(
            f"2026/07/24 00:00:{second:02d}.000, {card}, NVIDIA B200, {0 if card == 3 else 97} %, 104000 MiB, 183359 MiB\n"
            for second in range(60) for card in range(8))
        both = self.ask(self.write("run.log", text), self.write("gpus.csv", cards), "--job", JOB)
        self.assertEqual(both["log"]["formats"], ["nvidia-smi CSV", "nanochat"])
        self.assertIn("device_gib", [one["name"] for one in both["figures"]])
        self.assertIn("GPU 3 of 8 idle", str(both["advice"]))

    def test_every_form(self):
        log = self.write("run.log", whole(0.2))
        self.assertIn("PASSED: all 4 success criteria are met.", check(log, "--job", JOB).stdout)
        self.assertIn("| throughput", check(log, "--job", JOB, "--markdown").stdout)
        self.assertIn("condition,refinement in 15%..25%,,,,,passed,", check(log, "--job", JOB, "--csv").stdout)


class PhaseAndPlan(Gate):
    def test_the_numbers_tell_the_phase(self):
        self.assertEqual(self.ask(self.write("a.log", whole(0.2)), "--job", JOB)["phase"], "validate")
        longer = self.ask(self.write("b.log", whole(0.6, steps=5000)), "--job", JOB)
        self.assertEqual(longer["phase"], "produce")
        self.assertEqual(longer["verdict"], "passed")
        self.fails(2, "no phase matches this log; add --phase validate or produce", self.write("c.log", whole(0.2, steps=77)), "--job", JOB)

    def test_the_log_of_another_phase_does_not_pass(self):
        other = self.ask(self.write("run.log", whole(0.6)), "--job", JOB, "--phase", "produce", code=6)
        self.assertEqual(other["contradictions"], ["the log plans 1,000 steps, the phase has 5,000"])
        self.assertEqual(other["verdict"], "not passed")

    def test_the_plan_on_the_gpus_of_the_log(self):
        log = self.write("run.log", whole(0.2))
        chosen = self.ask(log, "--job", JOB)
        self.assertEqual(chosen["plan"]["gpu"], "B200")
        self.assertIn("Compared with the plan for the GPUs in the log", chosen["notes"][0])
        pick = json.loads(run("plan", JOB, "--json").stdout)["recommendations"]["pick"]
        asked = self.ask(log, "--job", JOB, "--plan", pick, "--phase", "validate", code=6)
        self.assertEqual(asked["contradictions"], ["the log is from B200, the plan is for H100 SXM"])

    def test_own_terms_are_in_the_cost_of_a_run(self):
        job = """job: own-terms
market:
  use: only
  offers: [{gpu: A100 SXM 80GB, price: $2/h, provider: here}]
phases: [{name: train, train: {model: Qwen2.5-1.5B, data: {tokens: 60M}, sequence: 1024, method: full}}]
"""
        def cost(more=""):
            file = self.write("job.yaml", job + more)
            plan = json.loads(run("plan", file, "--json").stdout)
            steps = plan["plans"][0]["phases"][0]["steps"]
            done = run("check", self.write("run.log", lines(0, steps=int(steps), until=200, milliseconds=9500)), "--job", file, "--json")
            told = json.loads(done.stdout)
            kept = self.write("plan.json", "")
            run("plan", file, "-o", kept)
            again = json.loads(run("check", str(Path(kept).parent / "run.log"), "--plan", kept, "--json").stdout)
            self.assertAlmostEqual(told["projection"]["cost_usd"]["p50"], again["projection"]["cost_usd"]["p50"], 2)
            return told["projection"]["cost_usd"]["p50"]
        listed = cost()
        self.assertAlmostEqual(cost("commitments: [{provider: here, price: $1/h}]\n"), listed / 2, 1)
        self.assertAlmostEqual(cost("credits: [{provider: here, amount: $1}]\n"), listed - 1, 1)
        self.assertEqual(cost("credits: [{provider: here, amount: $1000}]\n"), 0)

    def test_a_run_that_goes_on(self):
        part = self.ask(self.write("run.log", head() + lines(0.2, until=500)), "--job", JOB, code=6)
        self.assertEqual(part["verdict"], "still running")
        self.assertEqual(part["steps"], 495)
        self.assertGreater(part["projection"]["hours_left"]["p50"], 0.05)
        self.assertLess(part["projection"]["hours_left"]["p50"], 0.1)

    def test_out_of_memory_asks_the_model(self):
        log = self.write("run.log", head() + lines(0.2, until=20) + "torch.OutOfMemoryError: CUDA out of memory. Tried "
                         "to allocate 2.00 GiB. GPU 0 has a total capacity of 178.36 GiB\n")
        ended = self.ask(log, "--job", JOB, "--phase", "validate", code=6)
        words = ended["advice"][0]["words"]
        self.assertEqual(ended["advice"][0]["about"], "out_of_memory")
        self.assertRegex(words, r"Micro-batch 16 instead of 32 takes \d+(\.\d+)? GiB \(\d+% less\) and .*x the "
                         r"time: --set phases\.validate\.train\.micro=16\.")
        plan = json.loads(run("plan", JOB, "--set", "phases.validate.train.micro=16", "--set", "where.gpus=B200",
                              "--json").stdout)["plans"][0]["phases"][0]
        self.assertIn(f"takes {plan['memory_gib']['total']['p50']:.1f} GiB", words)

    def test_what_needs_less_memory_is_of_the_same_program(self):
        job = self.write("job.yaml", "job: mine\nphases:\n  - name: train\n    train:\n      model: {layers: 12, hidden: 768,"
                         " heads: 12, vocab: 50304}\n      data: {tokens: 500M}\n      sequence: 1024\n      batch: "
                         "{sequences: 512}\n      micro: 1\nwhere: {gpus: [H100 SXM], counts: [8]}\n")
        plan = self.write("plan.json", run("plan", job, "--json").stdout)
        steps = "".join(f"step {i:05d}/00954 (1.00%) | loss: 5.0 | dt: 300.00ms | tok/sec: 1,747,626 |\n"
                        for i in range(40))
        log = self.write("run.log", steps + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n")
        name = json.loads(Path(plan).read_text(encoding="utf-8"))["plans"][0]["phases"][0]["strategy"]["framework"]
        same = [f"framework={name}", *(f"parallel.{one}" for one in ("dp=8", "tp=1", "pp=1", "cp=1", "sharding=none"))]
        settings = [word for one in ["recompute=full", *same] for word in ("--set", f"phases.train.train.{one}")]
        pinned = json.loads(run("plan", job, *settings, "--json").stdout)["plans"][0]["phases"][0]
        # Other programs do it in less time than the plan's own does without.
        for words in (["--job", job], ["--plan", plan]):
            advice = self.ask(log, *words, code=6)["advice"][0]["words"]
            ratio = re.search(r"Recomputing all activations takes ([0-9.]+) GiB .*?, ([0-9.]+)x the time", advice)
            self.assertGreater(float(ratio[2]), 1, advice)
            self.assertAlmostEqual(float(ratio[1]), pinned["memory_gib"]["total"]["p50"], delta=0.03 * float(ratio[1]), msg=advice)


class Growing(Gate):
    def start(self, *words, **more):
        process = subprocess.Popen([PROGRAM, "check", *words, "--follow", "--json"], cwd=ROOT, env=environment(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.addCleanup(lambda: process.poll() is None and process.kill())
        return process

    def end(self, process, code):
        out, err = process.communicate(timeout=30)
        self.assertEqual(process.returncode, code, err.decode())
        return (json.loads(out) if out else None), err.decode().splitlines()

    def test_a_pipe_ends_with_its_writer(self):
        process = self.start("-", "--job", JOB, stdin=subprocess.PIPE)
        process.stdin.write((head() + lines(0.2, until=500)).encode())
        process.stdin.flush()
        time.sleep(0.7)
        self.assertIsNone(process.poll())
        process.stdin.write((lines(0.2, first=500) + tail()).encode())
        result, _ = self.end(process, 0)
        self.assertEqual(result["steps"], 995)

    def test_an_interrupt_tells_what_is_known(self):
        path = self.write("run.log", head() + lines(0.2, until=500))
        process = self.start(path, "--job", JOB)
        time.sleep(0.8)
        self.assertLess(float(Path(f"/proc/{process.pid}/stat").read_text().split()[13]), 30, "it waits without work")
        process.send_signal(signal.SIGINT)
        result, _ = self.end(process, 130)
        self.assertEqual(result["verdict"], "still running")

    def test_a_log_that_is_replaced(self):
        path = self.folder / "run.log"
        path.write_text(head() + lines(0.2, until=300))
        process = self.start(str(path), "--job", JOB)
        time.sleep(0.8)
        fresh = self.folder / "new.log"
        fresh.write_text(whole(0.2))
        os.replace(fresh, path)
        result, said = self.end(process, 0)
        self.assertEqual(result["verdict"], "passed")
        self.assertTrue(any("truncated or replaced" in line for line in said), said)

    def test_what_a_log_held_before_it_was_replaced(self):
        path = self.folder / "run.log"
        path.write_text(head() + lines(0.2, until=300))
        process = self.start(str(path), "--job", JOB)
        time.sleep(0.8)
        lost = re.sub(r"loss: [0-9.]+", "loss: nan", lines(0.2, first=300, until=400))
        fresh = self.folder / "new.log"
        fresh.write_text(lines(0.2, first=400) + tail())
        with path.open("a") as log:
            log.write(lost)
        os.replace(path, self.folder / "run.log.1")
        os.replace(fresh, path)
        result, said = self.end(process, 6)  # for its losses
        self.assertTrue(any("truncated or replaced" in line for line in said), said)
        self.assertEqual(result["events"]["not_finite"], 20)


class BadInput(Gate):
    def test_damaged_logs(self):
        text = whole(0.2)
        packed = gzip.compress(text.encode())
        self.fails(5, "", self.write("bad.log.gz", packed[:2] + b"\xff" * 50), "--job", JOB)
        cut = self.ask(self.write("cut.log.gz", packed[:len(packed) // 2]), "--job", JOB, code=6)
        self.assertTrue(cut["log"]["cut_off"])
        self.assertEqual(cut["verdict"], "still running")
        nan = re.sub(r"(step 00700/01000 .*? loss: )[0-9.]+", r"\1nan", text)
        broken = self.ask(self.write("nan.log", nan), "--job", JOB, code=6)
        self.assertIn("not_finite", [one["about"] for one in broken["advice"]])

    def test_metrics_and_conditions_are_checked_before_a_run(self):
        job = (ROOT / JOB).read_text()
        wrong = self.write("job.yaml", job.replace("refinement in 15%..25%", "refinment in 15%..25%"))
        done = run("plan", wrong)
        self.assertEqual(done.returncode, 5)
        line = 1 + job[:job.index("refinement in 15%..25%")].count("\n")
        self.assertIn(f"job.yaml:{line}: phases.validate.succeed_when[1]: 'refinment in 15%..25%': 'refinment' is not a metric of this phase or of logs. Did you mean 'refinement'?", done.stderr)
        wrong = self.write("job.yaml", job.replace("'step_0: ([0-9.]+)'", "'step_0: ([0-9.]+'", 1))
        done = run("plan", wrong)
        self.assertEqual(done.returncode, 5)
        line = 1 + job[:job.index("'step_0: ([0-9.]+)'")].count("\n")
        self.assertRegex(done.stderr, rf"job\.yaml:{line}: phases\.validate\.metrics\.step_0: .*not a regular expression")

    def test_a_run_of_fewer_epochs_than_planned_is_not_passed(self):
        def ended(epoch, seconds, rate):
            rows = [f"{{'loss': {2 - 0.1 * at}, 'learning_rate': 1e-4, 'epoch': {at * float(epoch) / 4}}}" for at in range(1, 5)]
            summary = f"{{'train_runtime': {seconds}, {rate}'train_loss': 1.7, 'epoch': {epoch}}}"
            return check(str(self.write("trainer.log", "\n".join([*rows, summary, ""]))), "--job", "examples/llama-8b-lora.yaml")

        rate = "'train_samples_per_second': 6.4, 'train_steps_per_second': 0.1, "
        done = ended("1.0", "3600.0", rate)
        self.assertEqual(done.returncode, 6)
        self.assertIn("FAILED: training ended after at most 363 of 2,344 steps.", done.stdout)
        done = ended("1.0", "3600.0", "")
        self.assertEqual(done.returncode, 6)
        self.assertIn("FAILED: training ended at epoch 1 of 3.", done.stdout)
        for whole in (ended("3.0", "23440.0", rate), ended("3.0", "23440.0", "")):
            self.assertEqual(whole.returncode, 0, whole.stdout)

    def test_a_long_log_takes_little_memory(self):
        path = self.folder / "long.log"
        block = lines(0.2, steps=1000)
        with path.open("w") as log:
            log.write(head())
            for _ in range(64_000_000 // len(block)):
                log.write(block)
        done = check(str(path), "--job", JOB, "--phase", "validate", "--json")
        self.assertEqual(done.returncode, 0, "the last start of many is whole")
        process = subprocess.Popen([PROGRAM, "check", str(path), "--job", JOB, "--phase", "validate"], cwd=ROOT,
                                   env=environment(), stdout=subprocess.DEVNULL)
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
        self.assertLess(usage.ru_maxrss, 60_000, "KiB")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    main(__doc__)
