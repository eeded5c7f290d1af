#!/usr/bin/env python3
"""What an answer recommends can be launched: the command after "Next:" writes its folder as it stands there, whatever
the model, framework, method and GPU; what launch would refuse, the answer says itself.

    tests/cli/launch_next_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import random
import shlex
import tempfile
import unittest
from pathlib import Path

from program import EXAMPLES, main, run

JOBS = int(os.environ.get("GPUPLAN_RANDOM_JOBS", "30"))
MODELS = ("Llama-3.1-8B", "Qwen2.5-7B", "Qwen3-30B-A3B", "Gemma-3-12B", "Qwen2.5-VL-7B", "Llama-3.1-70B", "Qwen2.5-0.5B", "Phi-4")
FRAMEWORKS = (None, "hf-trainer", "axolotl", "llama-factory", "unsloth", "deepspeed", "accelerate", "torchtune")
GPUS = (None, "8x H100 SXM", "8x A100 SXM 80GB", "RTX 4090", "L40S", "MI300X", "V100 SXM 32GB", "8x B200")


def next_command(answer):
    """The words of the command after "Next:", and what the answer says against it."""
    lines = answer.splitlines()
    at = next((i for i, line in enumerate(lines) if line.startswith("  Next: ")), None)
    if at is None:
        return None, []
    taken = [lines[at].removeprefix("  Next: ")]
    said = []
    for line in lines[at + 1:]:
        (said if said or line.strip().startswith("!") else taken).append(line.strip())
    return shlex.split(" ".join(taken)), said


class Next(unittest.TestCase):
    def writes(self, *words):
        planned = run("plan", *words)
        if planned.returncode not in (0, 4):
            return None
        command, said = next_command(planned.stdout)
        if command is None:
            return None
        refused = any("launch refuses" in line for line in said)
        with tempfile.TemporaryDirectory() as folder:
            done = run(*command[1:], "-o", str(Path(folder) / "out"))
        what = f"{words}\n{command}\n{done.stderr}"
        self.assertEqual(command[:2], ["gpuplan", "launch"], what)
        if refused:
            self.assertNotEqual(done.returncode, 0, f"said to be refused, and written: {what}")
        else:
            self.assertEqual(done.returncode, 0, what)
        return True

    def test_every_example(self):
        for path in EXAMPLES:
            with self.subTest(path=path):
                self.assertTrue(self.writes(str(path)))

    def test_jobs_drawn_by_lot(self):
        draw = random.Random(18)
        written = 0
        for _ in range(JOBS):
            sequence = draw.choice((1024, 2048, 8192))
            words = ["--model", draw.choice(MODELS), "--method", draw.choice(("full", "lora", "qlora")), "--samples", "2k",
                     "--tokens-per-sample", str(sequence // 2), "--batch", draw.choice(("16", "64", "100")), "--sequence", str(sequence)]
            if framework := draw.choice(FRAMEWORKS):
                words += ["--framework", framework]
            if gpu := draw.choice(GPUS):
                words += ["--gpu", gpu]
            if draw.random() < 0.2:
                words += ["--objective", "dpo"]
            if draw.random() < 0.2:
                words += ["--spot", "only"]
            if draw.random() < 0.2:
                words += ["--nodes", "2"]
            written += self.writes(*words) is not None
        self.assertGreater(written, JOBS // 3)

    def test_a_plan_that_fits_by_the_median_alone(self):
        train = {"model": "Llama-3.1-8B", "epochs": 1, "sequence": 2048, "batch": {"sequences": 16}, "method": "lora",
                 "precision": "bf16", "offload": "none", "framework": "hf-trainer",
                 "data": {"samples": 2000, "tokens_per_sample": {"mean": 1024, "max": 2048}}}
        with tempfile.TemporaryDirectory() as folder:
            job = Path(folder) / "job.json"
            job.write_text(json.dumps({"job": "tight", "phases": [{"name": "train", "train": train}]}))
            planned = run("plan", str(job), "--gpu", "1x RTX 4090").stdout
            self.assertIn("OOM risk", planned)
            self.assertRegex(planned, r"Next: [^!]*--allow-tight")
            self.assertTrue(self.writes(str(job), "--gpu", "1x RTX 4090"))


if __name__ == "__main__":
    main(__doc__)
