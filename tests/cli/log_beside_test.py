#!/usr/bin/env python3
"""Logs whose values stand apart: below a step that stands alone, in held-out lines beside a known program, in benchmarks.

    tests/cli/log_beside_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json

from log_kinds_test import TWENTY, Reads, each
from program import main

STAMP = "2026-01-20 05:{minute}:00,123 - INFO - trainer - "


def block(i):
    """A print() for each value (fms-fsdp); memory in bytes."""
    return (f"step: {100 * i}\nloss: {3 - i / 32}\nLR: 0.00028\ntokens seen: {i * 2097152}\nreserved memory: 75161927680\n"
            f"allocated memory: 60129542144\ncurrent step time: 3.8125\noverall step time: 3.5\ncurrent token per gpu per sec: 4296\n")


def adorned(i):
    """The head of a block that is drawn (rsl_rl)."""
    return (f"{'#' * 30}\n\x1b[1m      Learning iteration {i}/1500      \x1b[0m\n\n        Total steps: {98304 * i}\n   Steps per second: 61440\n"
            f"    Mean value loss: {3 - i / 32}\n        Mean reward: 2.50\n{'-' * 30}\n     Iteration time: 1.60s\n                ETA: 00:38:12\n")


def ruled(i):
    """The step stands below its losses (guided-diffusion)."""
    rows = (("grad_norm", "0.5"), ("loss", 3 - i / 32), ("mse", "0.25"), ("samples", 1280 * i), ("step", 10 * i), ("vb", "0.001"))
    return "-" * 24 + "\n" + "".join(f"| {name:9} | {value:<8} |\n" for name, value in rows) + "-" * 24 + "\n"


def apart(text):
    return "".join(json.dumps({"ts": "2026-01-20T05:00:00Z", "level": "info", "msg": line}) + "\n" for line in text.splitlines())


def passes(i):
    """Bars that nothing but their losses tells of: the shorter ones are of held-out data (AllenNLP)."""
    bars = "".join(f"\raccuracy: 0.71, loss: {3 - i / 2 - b / 64} ||: {b * 5}%|##  | {b}/20 [00:{b:02}<00:09,  1.00it/s]" for b in TWENTY)
    return (f"2026-01-20 05:0{i}:00,123 - INFO - trainer - Epoch {i}/2\n" + bars
            + f"\n\raccuracy: 0.71, loss: {3.5 - i / 2} ||: 100%|##  | 8/8 [00:01<00:00,  8.00it/s]\n")


LOGS = {
    "values below a step alone": (
        "".join(map(block, TWENTY)),
        {"steps": 2000, "loss": (2.96875, 2.375),
         "measured": {"seconds_per_step": 3.8125, "tokens_per_second_per_gpu": 4296, "reserved_gib": 70, "allocated_gib": 56}}),
    "values below a step alone, adorned": (
        "".join(map(adorned, TWENTY)), {"steps": 20, "planned": 1500, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1.6}}),
    "one block is no run": ("step: 5\nloss: 2.5\n", {"loss": (2.5, 2.5), "measured": {}}),
    "a step below its losses": ("".join(map(ruled, TWENTY)), {"steps": 200, "loss": (2.96875, 2.375), "measured": {}}),
    "held-out losses of an epoch behind a bar": (  # SpeechBrain
        "".join(f"Going into epoch {e}\n" + "".join(f"\r {5 * i}%|██  | {i}/20 [00:{i:02}<00:10,  1.00it/s, train_loss={4 - e - i / 64}]" for i in TWENTY)
                + f"\nepoch: {e}, lr: 1.2e-04, steps: {20 * e}, optimizer: Adam - train loss: 9.50 - valid loss: {4.25 - e}, valid ACC: 0.41\n" for e in (1, 2)),
        {"steps": 40, "loss": (2.984375, 1.6953125), "held_out": 2.25, "measured": {"seconds_per_step": 1}}),
    "held-out losses of a known program": (  # OpenCLIP: not those of a part of the data, nor the best so far
        "".join(f"Train Epoch: 0 [{512 * i:6}/512000 (2%)] Data (t): 0.012 Batch (t): 0.500, 1024.0/s, 128.0/s/gpu LR: 0.0005 Loss: {3 - i / 32} (9.5)\n" for i in TWENTY)
        + "Eval Epoch: 1 [64 / 50000]\tClip Loss: 9.5\t\nEval Epoch: 1 image_to_text_R@1: 0.0712\tclip_val_loss: 2.125\tepoch: 1.0000\nBest val loss: 2.0625\n",
        {"steps": 20, "loss": (2.96875, 2.375), "held_out": 2.125, "measured": {"seconds_per_step": 0.5, "sequences_per_second": 1024}}),
    "results that the head of a line tells of": (  # GPT-NeoX
        each(" iteration {ten:8}/    5000 | elapsed time per iteration (ms): 5000.0 | learning rate: 2.4E-05 | lm loss: {down:.6E} | loss scale: 1.0 |\n")
        + " validation results at iteration 200 | lm_loss value: 2.250000E+00 | lm_loss_ppl value: 9.487736E+00 | \n",
        {"steps": 200, "planned": 5000, "loss": (2.96875, 2.375), "held_out": 2.25, "measured": {"seconds_per_step": 5}}),
    "the word val alone": (
        each("step {i} | epoch 0 | loss {down:.5f} | tps 21845.50(10922.75/gpu) | mem 41.25 GiB\n") + '[val] name "default" | step 20 | epoch 0 | loss 2.25000 | lr 1.00e-05\n',
        {"steps": 20, "loss": (2.96875, 2.375), "held_out": 2.25, "measured": {"tokens_per_second": 21845.5, "allocated_gib": 41.25}}),
    "bars of training and of held-out data, alike": (
        "".join(map(passes, range(3))), {"steps": 60, "planned": 60, "loss": (2.984375, 1.703125), "held_out": 2.5, "end": "done", "measured": {"seconds_per_step": 1}}),
    "epochs that a logger's line begins": (
        "".join(f"2026-01-20 05:00:00,123 - INFO - trainer - Starting epoch {e}\n" + "".join(f"step {i} loss {3 - e / 2 - i / 64} time 250.0 ms\n" for i in TWENTY) for e in (1, 2)),
        {"steps": 40, "loss": (2.484375, 1.6953125), "measured": {"seconds_per_step": 0.25}}),
    "counts in brackets before names": (  # big_vision; a rank there is no step
        each("utils.py:1277] [{hundred}] l2_grads = 0.71\nutils.py:1277] [{hundred}] training_loss = {down}\n"),
        {"steps": 2000, "loss": (2.96875, 2.375), "measured": {}}),
    "lines of text in records": (
        apart(each("[step {ten:6}/5000] train_loss={down} lr=2.9e-04 throughput=12.5 samples/s/GPU step_time=1.25s peak_mem=61.5GB\n")),
        {"steps": 200, "planned": 5000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1.25, "allocated_gib": 61.5}}),
    "costs of batches without a unit": (  # PaddleDetection
        each("Epoch: [0] [{ten:4}/1250] learning_rate: 0.0001 loss: {down} eta: 1 day, 1:12:01 batch_cost: 0.5125 data_cost: 0.0021 ips: 15.6158 images/s\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.5125}}),
    "batches of one pass over the data": (
        each("Batch {ten}/5000 | Loss {down} | Speed 4.0 it/s | Elapsed 00:31 | Remaining 25:12\n"),
        {"steps": 200, "planned": 5000, "loss": (2.9375, 2.375), "measured": {"seconds_per_step": 0.25}}),
    "a count that begins the line": (
        each("{ten}/5000 (2.0%) loss {down} | lr 1e-4 | 4.0 steps/s\n"),
        {"steps": 200, "planned": 5000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.25}}),
    "units in words": (
        each("Training step {ten} of 5000 - loss {down} - 0.25 seconds per step - 12,500 tokens per second per GPU - ETA: 26 minutes\n"),
        {"steps": 200, "planned": 5000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.25, "tokens_per_second_per_gpu": 12500}}),
    "a step that ends a sentence": (
        each("INFO:root:Finished step {ten}. Loss: {down}, Step time: 250.0 ms, Tokens/sec/device: 12,345.5, HBM: 14.25/16.0 GiB\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.25, "tokens_per_second_per_gpu": 12345.5, "allocated_gib": 14.25}}),
    "updates": (
        each("Updates: {ten} | Loss: {down} | Updates/s: 4.0 | Words/s: 12000 | Mem: 61.5GB/80.0GB\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.25, "allocated_gib": 61.5}}),
    "rates by slashes and short names": (
        each("epoch: 0 step: {ten} loss: {down} step/s: 4.0 tput=102400tok/s\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.25, "tokens_per_second": 102400}}),
    "losses of tests": (
        each("10:00 | step {ten} / 5000 | train: {down} | test: {far} | 250 ms\n"),
        {"steps": 200, "planned": 5000, "loss": (2.96875, 2.375), "held_out": 5.5, "measured": {"seconds_per_step": 0.25}}),
    "two programs that tell the same": (  # Megatron-DeepSpeed
        "".join(f" iteration {i:8}/  100000 | elapsed time per iteration (s): 9.25 | lm loss: {3 - i / 32:.6E} | samples per second: 27.5 |\n"
                + (f"steps: {i} loss: {3 - i / 32:.4f} iter time (s): 9.250 samples/sec: 27.500\n" if i % 5 == 0 else "") for i in TWENTY),
        {"steps": 20, "planned": 100000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 9.25, "sequences_per_second": 27.5}}),
    "a table of a benchmark behind its bar": (  # LMDeploy
        "\r100%|██████| 3000/3000 [02:41<00:00, 18.60it/s]\n\n===== Profile Throughput =====\nTotal requests                  3000\n"
        "Input throughput (tok/s)    4482.500\nOutput throughput (tok/s)   4346.500\nRequest throughput (req/s)    18.597\n"
        "Time to First Token (TTFT)    0.8125    0.4\nTime per Output Token (TPOT)   0.04125   0.04\n",
        {"end": "done", "measured": {"tokens_per_second": 4346.5, "seconds_to_first_token": 0.8125, "seconds_per_output_token": 0.04125}}),
    "a rate of answers without a unit": (  # LLMPerf
        "\r100%|██████| 150/150 [01:22<00:00,  1.81it/s]\nNumber Of Errored Requests: 0\nOverall Output Throughput: 508.75\n",
        {"end": "done", "measured": {"tokens_per_second": 508.75}}),
}


class Beside(Reads):
    def test_what_is_read(self):
        self.holds(LOGS)

    def test_ranks_in_brackets_are_no_steps(self):
        answer = self.ask("".join(f"[{rank}] loss = {3 - i / 32}\n" for i in TWENTY for rank in (0, 2, 1, 3)) + "step 5 loss 2.5 time 1.5 s\n")
        self.assertEqual(answer["steps"], 5)

    def test_a_run_that_resumes_behind_an_error_was_started_again(self):
        line = " iteration {:8}/    5000 | elapsed time per iteration (ms): 5000.0 | learning rate: 2.4E-05 | lm loss: {:.6E} | loss scale: 1.0 |\n"
        text = "".join(line.format(10 * i, 3 - i / 32) for i in range(1, 11))
        text += 'Traceback (most recent call last):\n  File "pretrain.py", line 3, in <module>\nRuntimeError: lost a node\n'
        for resumes, restarts in ((" loading distributed checkpoint from /ckpt at iteration 100\n", 1), ("", 0)):
            answer = self.ask(text + resumes + "".join(line.format(10 * i, 3 - i / 32) for i in range(11, 21)))
            self.assertEqual((answer["steps"], answer["restarts"], answer["loss"]["values"], answer["end"]), (200, restarts, 20, "unfinished"), resumes)

    def test_an_evaluation_before_the_first_step_of_a_resumed_run_counts(self):
        line = "step {} loss {} time 1.2 s\n"
        text = "step 0 val loss 9.5\n" + "".join(line.format(10 * i, 5 - i / 8) for i in range(1, 8))
        text += "Resuming from checkpoint step 50\nstep 50 val loss 4.5\n" + "".join(line.format(10 * i, 5 - i / 8) for i in range(5, 12))
        answer = self.ask(text)
        self.assertEqual((answer["restarts"], answer["validation_loss"]["end"], answer["validation_loss"]["values"]), (1, 4.5, 2))


if __name__ == "__main__":
    main(__doc__)
