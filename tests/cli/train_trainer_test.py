#!/usr/bin/env python3
"""train_trainer.py really runs here, on the CPU, with a stand-in for transformers' Trainer: data, steps, evaluations, a stop and
a resume, and what it leaves.

    tests/cli/train_trainer_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, environment, main, run
from train_torch_test import PATIENCE, PYTHON, STAND_INS, curve, rows, validation

JOB = """
job: tiny
market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 1}]}
phases:
  - name: train
    train:
      model: {layers: 2, hidden: 32, heads: 2, ffn: 64, vocab: 512, gated_mlp: true, norm: rms}
      data: {samples: 188, tokens_per_sample: {mean: 30, max: 64}}
      sequence: 64
      batch: {sequences: 8}
      micro: 4
      framework: hf-trainer
      precision: fp32
      recompute: none
      start: scratch
    args: {learning_rate: 0.01, warmup_steps: 2}
    checkpoint: {every: 10 steps, keep: 2}
    evaluate: {every: 6 steps, time: 1 s}
    succeed_when: [loss < 4, validation_loss < 4]
"""


@unittest.skipIf(PYTHON is None, "no Python with torch here: apt-get install python3-torch")
class Trains(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        self.data = self.place / "rows.jsonl"
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
        stubs = self.place / "bin"
        stubs.mkdir()
        for name, text in (("python3", f'[ "$1 $2" != "-m pip" ] || exit 0\nexec {PYTHON} "$@"'), ("gpuplan", f'exec {PROGRAM} "$@"')):
            (stubs / name).write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
            (stubs / name).chmod(0o755)
        self.environment = environment(
            PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.place), GPUPLAN_DEVICE="cpu", PYTHONPATH=str(STAND_INS), PYTHONDONTWRITEBYTECODE="1",
            OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="0", DATA=str(self.data), TOKENIZER="bytes")

    def launch(self, name="out", job=JOB):
        out = self.place / name
        done = run("launch", "-", "--to", "bash", "-o", str(out), stdin=job.encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def start(self, out, **more):
        script = next(path for path in out.glob("*.sh"))
        return subprocess.Popen(["bash", str(script)], cwd=self.place, env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def finish(self, out, code, **more):
        process = self.start(out, **more)
        output, _ = process.communicate(timeout=PATIENCE)
        log = self.log(out)
        self.assertEqual(process.returncode, code, output + log)
        return log, output

    def log(self, out):
        path = out / "runs" / "01-train" / "log.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def test_it_learns_evaluates_and_leaves_a_model(self):
        out = self.launch()
        log, _ = self.finish(out, 0)
        found = curve(log)
        self.assertEqual(sorted(found), list(range(1, 25)))
        self.assertLess(found[24][0], found[1][0] - 1)
        self.assertEqual(sorted(validation(log)), [6, 12, 18, 24])
        self.assertIn("3 of 192 rows are kept out of training", log)
        self.assertIn("completions are learnt", log)
        final = out / "runs" / "01-train" / "final"
        self.assertTrue((final / "weights.pt").exists() and (final / "tokenizer.json").exists())
        check = (out / "runs" / "01-train" / "check.txt").read_text(encoding="utf-8")
        self.assertRegex(check, "✔  validation_loss < 4")

    def test_stopped_it_goes_on(self):
        out = self.launch()
        process = self.start(out, TINY_SECONDS="0.1")
        end = time.monotonic() + PATIENCE
        while 13 not in curve(self.log(out)):
            self.assertIsNone(process.poll(), self.log(out))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 75, self.log(out))
        at = int(re.search(r"stopped after step (\d+)", self.log(out))[1])
        # What was being written when a machine went away is not what the run goes on from.
        unfinished = out / "runs" / "01-train" / "checkpoints" / f"checkpoint-{at + 1}"
        unfinished.mkdir()
        (unfinished / "state.pt").write_bytes(b"PK")
        (unfinished / "trainer_state.json").write_text('{"global_step": ', encoding="utf-8")
        log, _ = self.finish(out, 0)
        self.assertIn(f"checkpoint-{at + 1} was cut off", log)
        self.assertIn(f"resumed from checkpoint-{at}", log)
        self.assertEqual((unfinished.with_name("cut-off") / "state.pt").read_bytes(), b"PK")
        through, _ = self.finish(self.launch("through"), 0)
        for step, (loss, _) in curve(through).items():
            self.assertAlmostEqual(loss, curve(log)[step][0], delta=2e-4)

    def test_samples_that_are_packed_stay_apart(self):
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows()[:60]), encoding="utf-8")
        job = JOB.replace("max: 64}}", "max: 64}, packing: true}").replace("samples: 188", "samples: 400")
        log, _ = self.finish(self.launch(job=job), 0)
        self.assertLess(curve(log)[max(curve(log))][0], curve(log)[1][0] - 1)
        self.assertTrue(validation(log), "few rows to evaluate on, which fill no sequence")

    def test_data_are_looked_at_before_the_model_is_made(self):
        self.data.write_text('{"question": "a"}\n', encoding="utf-8")
        log, _ = self.finish(self.launch(), 1)
        self.assertIn('DATA: a row has "question"; expected "text"', log)
        self.assertNotIn("steps of", log)

    def test_reports_are_said_before(self):
        _, output = self.finish(self.launch(), 78, REPORT_TO="wandb")
        self.assertIn("export WANDB_API_KEY", output)


if __name__ == "__main__":
    main(__doc__, at_once=2)
