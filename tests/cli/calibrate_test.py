#!/usr/bin/env python3
"""gpuplan calibrate in real processes: two at once, killed at any point, a disk without room, who may read the file.

    tests/cli/calibrate_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import csv
import json
import os
import random
import resource
import signal
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, environment, main

JOB = """job: tune
where: {gpus: [1x RTX 4090]}
phases:
- name: train
  train: {model: Qwen2.5-0.5B, method: full, steps: 400, batch: 16, sequence: 2048, framework: torch}
"""


def log(milliseconds):
    """Steps as nanoGPT logs them, which does one more."""
    return "".join(f"iter {step}: loss {3 - 0.001 * step:.4f}, time {milliseconds if step else 60000:.2f}ms, mfu 38.00%\n"
                   for step in range(401))


class Calibrating(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.here = Path(self.folder.name)
        (self.here / "job.yaml").write_text(JOB)
        self.home = self.here / "share"
        self.own = self.home / "gpuplan" / "own_runs.csv"
        self.variables = environment(XDG_DATA_HOME=str(self.home))
        del self.variables["GPUPLAN_RUNS"]

    def start(self, *words, **more):
        return subprocess.Popen([PROGRAM, *words], cwd=self.here, env=self.variables, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, **more)

    def ask(self, *words, code=0, **more):
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, code, err)
        return out, err

    def keep(self, milliseconds, **more):
        name = f"run-{milliseconds}.log"
        (self.here / name).write_text(log(milliseconds))
        return self.ask("calibrate", name, "--job", "job.yaml", **more)

    def rows(self):
        with self.own.open(newline="") as text:
            rows = list(csv.DictReader(text))
        for row in rows:
            self.assertNotIn(None, row)
            self.assertNotIn(None, row.values())
        return rows

    def test_the_file_lies_in_the_data_folder_for_its_owner_alone(self):
        out, _ = self.keep(2300)
        self.assertIn("Learned from", out)
        self.assertEqual(stat.S_IMODE(self.own.stat().st_mode), 0o600)
        self.assertEqual(stat.S_IMODE(self.own.parent.stat().st_mode), 0o700)
        self.assertEqual([row["step_seconds"] for row in self.rows()], ["2.3"])
        self.assertIn("calibrated on 1 run", self.ask("plan", "job.yaml")[0])
        self.assertNotIn("calibrated", self.ask("plan", "job.yaml", "--no-runs")[0])

    def test_a_guess_of_the_machine_teaches_nothing(self):
        """The log names no GPU: on a market of many, whose time would it be?"""
        (self.here / "any.yaml").write_text(JOB.replace("where: {gpus: [1x RTX 4090]}\n", ""))
        (self.here / "run.log").write_text(log(2300))
        out, err = self.ask("calibrate", "run.log", "--job", "any.yaml", code=5)
        self.assertEqual(out, "")
        self.assertRegex(err, r"\Arun\.log: not kept: the log does not say which GPUs it ran on; [^\n]*--plan ID[^\n]*\n\Z")
        self.assertFalse(self.own.exists())
        # The machine or the plan named, it is kept.
        self.ask("calibrate", "run.log", "--job", "any.yaml", "--set", 'where.gpus="1x RTX 4090"')
        self.assertEqual([row["gpu"] for row in self.rows()], ["RTX 4090"])
        plans = json.loads(self.ask("plan", "any.yaml", "--gpu", "1x H100 SXM", "--json")[0])["plans"]
        (self.here / "other.log").write_text(log(900))
        self.ask("calibrate", "other.log", "--job", "any.yaml", "--plan", plans[0]["id"])
        self.assertEqual([row["gpu"] for row in self.rows()], ["RTX 4090", "H100 SXM"])

    def test_all_of_several_at_once_land(self):
        many = 8
        for i in range(many):
            (self.here / f"{i}.log").write_text(log(2000 + 10 * i))
        running = [self.start("calibrate", f"{i}.log", "--job", "job.yaml") for i in range(many)]
        for process in running:
            _, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0, err)
        self.assertEqual(sorted(row["log"] for row in self.rows()), [f"{i}.log" for i in range(many)])
        listed = json.loads(self.ask("calibrate", "--list", "--json")[0])
        self.assertEqual((listed["schema"], listed["in_use"]), ("gpuplan/calibrate@1", many))

    def test_killed_at_any_point_the_file_is_whole(self):
        self.keep(2300)
        before = time.monotonic()
        self.keep(2310)
        whole = time.monotonic() - before
        draw = random.Random(7)
        kept = 2
        for i in range(40):
            name = f"{i}.log"
            (self.here / name).write_text(log(2400 + 5 * i))
            process = self.start("calibrate", name, "--job", "job.yaml")
            time.sleep(draw.uniform(0, 1.2 * whole))
            process.send_signal(draw.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
            process.communicate(timeout=60)
            now = len(self.rows())
            self.assertIn(now, (kept, kept + 1))
            kept = now
        self.keep(9000)
        self.assertEqual(len(self.rows()), kept + 1)
        self.assertEqual(sorted(os.listdir(self.own.parent)), ["own_runs.csv"])

    def test_without_room_the_old_rows_stay(self):
        self.keep(2300)
        old = self.own.read_bytes()
        (self.here / "more.log").write_text(log(2500))
        _, err = self.ask("calibrate", "more.log", "--job", "job.yaml", code=5,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(old), len(old))))
        self.assertIn("cannot be written", err)
        self.assertEqual(self.own.read_bytes(), old)

    def test_a_folder_that_nobody_may_write(self):
        if os.geteuid() == 0:
            self.skipTest("root may write everywhere")
        self.home.mkdir()
        self.home.chmod(0o500)
        (self.here / "run.log").write_text(log(2300))
        _, err = self.ask("calibrate", "run.log", "--job", "job.yaml", code=5)
        self.assertIn("cannot be written", err)


if __name__ == "__main__":
    main(__doc__)
