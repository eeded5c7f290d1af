#!/usr/bin/env python3
"""Runs that were ended from outside never pass, however complete their logs look: every row of data/run_ends.csv, and
Slurm's own last lines, behind complete logs of several programs.

    tests/cli/run_ends_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import tempfile
import unittest
from pathlib import Path

from program import ROOT, main, run

JOB = """
job: ends
market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 1}]}
phases:
  - name: train
    train: {model: {layers: 12, hidden: 768, heads: 12, vocab: 50304}, data: {samples: 6400, tokens_per_sample: 1024},
            sequence: 1024, batch: {sequences: 64}, steps: 100}
    succeed_when: [loss < 9]
"""
STEPS = 100


def loss(step):
    return 8 * 0.98 ** step + 2


LOGS = {
    "nanoGPT": "tokens per iteration will be: 65,536\n" + "".join(
        f"iter {step}: loss {loss(step):.4f}, time 300.00ms, mfu 30.00%\n" for step in range(0, STEPS + 1)),
    "torchtitan": "".join(
        f"[titan] 2026-02-24 19:{step // 60:02d}:{step % 60:02d},508 - root - INFO - step: {step:2d}  loss: {loss(step):8.5f}  "
        "grad_norm:  2.6250  memory: 26.91GiB(37.51%)  tps: 210,050  tflops: 314.71  mfu: 33.99%\n"
        for step in range(1, STEPS + 1)) + "[titan] 2026-02-24 19:50:40,000 - root - INFO - Training completed\n",
    "Megatron-LM": "".join(
        f" [2026-02-24 19:{step // 60:02d}:{step % 60:02d}] iteration {step:8d}/{STEPS:8d} | consumed samples: {64 * step:12d} | "
        f"elapsed time per iteration (ms): 300.0 | learning rate: 1.0E-04 | global batch size:    64 | lm loss: "
        f"{loss(step):.6E} | loss scale: 1.0 | grad norm: 1.000 |\n" for step in range(1, STEPS + 1)) +
        "[after training is done] datetime: 2026-02-24 20:20:20 \n",
    "Hugging Face Trainer": "***** Running training *****\n  Total optimization steps = 100\n" + "".join(
        f"{{'loss': {loss(step):.4f}, 'grad_norm': 1.0, 'learning_rate': 1e-05, 'epoch': {step / 100:.2f}}}\n"
        for step in range(1, STEPS + 1)) +
        "{'train_runtime': 30.0, 'train_samples_per_second': 213.0, 'train_steps_per_second': 3.3, 'train_loss': 3.3, "
        "'epoch': 1.0}\n",
}

AT = "2026-01-02T03:04:05"
# What Slurm writes last (src/slurmd/slurmstepd/req.c, src/srun, src/salloc).
SLURM = [f"slurmstepd: error: *** {entity} ON n1 CANCELLED AT {AT}{why} ***"
         for entity in ("STEP 17.0", "JOB 17", "STEP 17.batch", "STEP 17.interactive", "STEP 17_3.0")
         for why in ("", " DUE TO TIME LIMIT", " DUE TO PREEMPTION", " DUE TO JOB REQUEUE", " DUE TO TASK FAILURE",
                     " DUE TO NODE FAILURE, SEE SLURMCTLD LOG FOR DETAILS", " DUE to SIGNAL Terminated")] + [
    "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.", "srun: Force Terminated StepId=17.0",
    "srun: forcing job termination", "srun: First task exited 60s ago", "srun: error: Node failure on n1",
    "srun: error: n1: task 0: Killed", "srun: error: n1: tasks 0-7: Terminated", "srun: error: n1: task 3: Out Of Memory",
    "srun: error: n1: task 0: Exited with exit code 1", "salloc: Job allocation 17 has been revoked.",
    f"slurmstepd: error: *** JOB 17 STEPD TERMINATED ON n1 AT {AT} DUE TO JOB NOT ENDING WITH SIGNALS ***",
    "slurmstepd: error: Detected 1 oom_kill event in StepId=17.0. Some of the step tasks have been OOM Killed.",
    "slurmstepd: error: Detected 3 oom_kill events in StepId=17.batch. Some of the step tasks have been OOM Killed."]
# How a line comes to look in a log.
PREFIXES = ["", "0: ", "[rank0]: ", "[2026-01-02 03:04:05] ", "2026-01-02 03:04:05,123 - root - ERROR - ", "\x1b[31m"]


class Ends(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.job = self.folder / "job.yaml"
        self.job.write_text(JOB)

    def check(self, *texts):
        paths = []
        for number, text in enumerate(texts):
            paths.append(self.folder / f"run{number}.log")
            paths[-1].write_text(text)
        return run("check", *map(str, paths), "--job", str(self.job))

    def test_the_logs_pass_without_such_an_end(self):
        for name, log in LOGS.items():
            with self.subTest(log=name):
                done = self.check(log)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                done = self.check(log, "srun: job 17 queued and waiting for resources\nslurmstepd: info: epilog\n")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_slurms_last_lines(self):
        for name, log in LOGS.items():
            for line in SLURM:
                with self.subTest(log=name, line=line):
                    done = self.check(log + line + "\n")
                    self.assertEqual(done.returncode, 6, done.stdout + done.stderr)
                    self.assertRegex(done.stdout, "(?s)it (ended|was stopped).* line")

    def test_cut_off_or_in_a_file_of_its_own(self):
        for line in SLURM:
            with self.subTest(line=line):
                self.assertEqual(self.check(LOGS["nanoGPT"] + line).returncode, 6)
                self.assertEqual(self.check(LOGS["nanoGPT"], line + "\n").returncode, 6)

    def test_prefixes(self):
        for prefix in PREFIXES:
            for line in SLURM[:4]:
                with self.subTest(line=prefix + line):
                    self.assertEqual(self.check(LOGS["torchtitan"] + prefix + line + "\n").returncode, 6)

    def test_every_row(self):
        with open(ROOT / "data" / "run_ends.csv", newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertGreater(len(rows), 80)
        for row in rows:
            with self.subTest(row=row["id"]):
                done = self.check(LOGS["Megatron-LM"] + row["example"] + "\n")
                self.assertEqual(done.returncode, 6, done.stdout + done.stderr)
                self.assertIn(row["example"].split()[-1][:20], done.stdout + row["example"] * (row["kind"] == "out of memory"))

    def test_a_run_that_went_on(self):
        """The same line in the middle of a log is got over."""
        for name in ("torchtitan", "nanoGPT", "Megatron-LM"):
            log = LOGS[name].splitlines(keepends=True)
            for line in SLURM[:8]:
                with self.subTest(log=name, line=line):
                    done = self.check("".join(log[:40]) + line + "\n" + "".join(log[40:]))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_what_only_looks_like_it(self):
        for line in ("The job was not cancelled.", "loss spikes were terminated early by clipping", "Killed two birds",
                     "./run.sh: line 9:  4712 Terminated              nvidia-smi dmon -s u",
                     "./run.sh: line 9:  4712 Terminated              sleep infinity", "srun: job 17 has been allocated resources",
                     "CANCELLED orders: 3", "node failure rate: 0"):
            with self.subTest(line=line):
                done = self.check(LOGS["Megatron-LM"] + line + "\n")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main(__doc__)
