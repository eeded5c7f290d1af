#!/usr/bin/env python3
"""gpuplan launch --smoke: a trial of a plan. The scripts that it writes really run here: a tiny network on the CPU, two
processes over gloo, stopped after its first checkpoint, resumed, and held against the plan by gpuplan check.

    tests/cli/smoke_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from launch_folder import scripts_of
from program import NO_GPUS, EXAMPLES, PROGRAM, environment, main, run
from train_torch_test import JOB, PYTHON, STAND_INS

PATIENCE = 240  # seconds; only ends a test where something hangs
LAUNCHERS = ("bash", "slurm", "skypilot", "dstack", "kubernetes", "vast", "runpod")
COMMAND = """
job: own
market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 2}]}
phases:
  - name: train
    train: {model: {params: 25M, layers: 6, hidden: 384}, data: {samples: 2560}, sequence: 256, batch: {sequences: 64}}
    command: %s
"""
TRAINER = """#!/bin/bash
trap 'echo "$i" >"$out/last"; exit 0' TERM
out=$2
read -r from <"$out/last" 2>/dev/null || from=0
echo "steps $1 smoke $GPUPLAN_SMOKE"
[ "$from" = 0 ] || echo "resumed from step $from"
for i in $(seq "$((from + 1))" "$1"); do sleep 0.7; echo "iter $i: loss 3.0, time 100.00ms, mfu 1.00%"; done
"""


def launch(*words, job=None):
    return run("launch", *words, "--smoke", stdin=job.encode() if job else None)


class Trial(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        self.out = self.place / "out"
        self.stubs = self.place / "bin"
        self.stubs.mkdir()
        self.stub("gpuplan", f'exec {PROGRAM} "$@"')
        self.environment = environment(PATH=f"{self.stubs}:/usr/bin:/bin", HOME=str(self.place), GPUPLAN_POLL="1", GPUPLAN_SMOKE_SECONDS="90",
                                       CUDA_VISIBLE_DEVICES="0,1")

    def stub(self, name, text):
        path = self.stubs / name
        path.write_text(text if text.startswith("#!") else "#!/bin/sh\n" + text + "\n", encoding="utf-8")
        path.chmod(0o755)

    def write(self, *words, job=None):
        done = launch(*words, "-o", str(self.out), job=job)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def smoke(self, **more):
        """Exit code, output, and (result, stage) of each line."""
        done = subprocess.run(["bash", str(self.out / "smoke.sh")], cwd=self.place, env={**self.environment, **more},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        said = done.stdout + done.stderr
        logs = "".join(f"--- {path}\n{path.read_text(errors='replace')}" for path in self.out.glob("runs/**/*.txt"))
        return done.returncode, said + logs, re.findall(r"^(PASS|FAIL|SKIP) +(\S+)", done.stdout, re.M)


ALL = [("PASS", stage) for stage in ("setup", "training", "stop", "resume", "check", "gate")]


@unittest.skipIf(PYTHON is None, "no Python with torch here: apt-get install python3-torch")
class Torch(Trial):
    def setUp(self):
        super().setUp()
        self.stub("python3", f'[ "$1 $2" != "-m pip" ] || exit 0\nexec {PYTHON} "$@"')
        self.stub("torchrun", f'exec {PYTHON} {STAND_INS}/torchrun.py "$@"')
        self.environment.update(GPUPLAN_DEVICE="cpu", PYTHONPATH=str(STAND_INS), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1",
                                TOKENIZER="bytes", TINY_SECONDS="0.05")

    def test_every_stage(self):
        # The plan's own phases are one that trains and one that waits for its gate.
        said = self.write("-", "--to", "bash", job=JOB.format(sharding="zero1", most="9"))
        self.assertIn("Not tried: after", said)
        settings = json.loads(next(self.out.glob("phases/*/settings.json")).read_text())
        self.assertEqual((settings["sharding"], settings["gpus"], settings["checkpoint_steps"]), ("zero1", 2, 1))
        code, output, stages = self.smoke()
        self.assertEqual((code, stages), (0, ALL), output)
        log = (self.out / "runs/01-train/log.txt").read_text()
        self.assertRegex(log, r"stopped after step \d+")
        self.assertRegex(log, r"resumed from step-\d+")
        # Again: nothing is left to try.
        code, output, stages = self.smoke()
        self.assertEqual((code, stages), (0, [("SKIP", "all")]), output)

    def test_what_breaks_is_told_at_its_stage(self):
        self.write("-", "--to", "bash", job=JOB.format(sharding="none", most="9"))
        train = next(self.out.glob("phases/*/train.py"))
        whole = train.read_text()

        def broken(old, new):
            self.assertIn(old, whole)
            train.write_text(whole.replace(old, new))
            subprocess.run(["rm", "-rf", str(self.out / "runs")], check=True)
            return self.smoke()

        code, output, stages = self.smoke(TOKENIZER="")
        self.assertEqual((code, stages), (1, [("FAIL", "setup")]), output)
        self.assertIn("exit code 78", output)
        code, output, stages = broken("    model = copy(config)", '    raise RuntimeError("no such kernel")')
        self.assertEqual((code, stages), (1, [*ALL[:1], ("FAIL", "training")]), output)
        self.assertIn("no such kernel", output)
        code, output, stages = broken("step = checkpoints.load()", "step = 0")
        self.assertEqual((code, stages), (1, [*ALL[:3], ("FAIL", "resume"), *ALL[4:]]), output)
        code, output, stages = broken("return losses / max(labels, 1), norm", "return float('nan'), norm")
        self.assertEqual((code, stages), (1, [*ALL[:4], ("FAIL", "gate")]), output)
        self.assertIn("check.txt", output)


class Commands(Trial):
    def setUp(self):
        super().setUp()
        self.environment.update(NO_GPUS)

    def test_a_command_that_names_steps_runs_with_few(self):
        self.stub("trainer", TRAINER)
        self.write("-", "--to", "bash", job=COMMAND % "trainer {steps} {checkpoints}")
        code, output, stages = self.smoke(GPUPLAN_SMOKE_STOP="1")
        self.assertEqual((code, stages), (0, ALL), output)
        self.assertIn("steps 6 smoke 1\n", output)
        self.assertIn("resumed from step", output)

    def test_without_gpuplan_on_the_machine(self):
        self.stub("trainer", TRAINER)
        self.write("-", "--to", "bash", job=COMMAND % "trainer {steps} {checkpoints}")
        (self.stubs / "gpuplan").unlink()
        code, output, stages = self.smoke(GPUPLAN_SMOKE_STOP="1")
        self.assertEqual((code, stages), (0, [*ALL[:4], ("SKIP", "check")]), output)

    def test_as_a_machine_of_a_cloud_runs_it(self):
        self.stub("trainer", TRAINER)
        job = COMMAND.replace("own: [{name: box, gpu: H100 SXM, gpus: 2}]",
                              "offers: [{gpu: H100 SXM, gpus: 1, price: $4/h, provider: vast}]")
        self.write("-", "--to", "vast", job=job % "trainer {steps} {checkpoints}")
        self.environment.update(GPUPLAN_SMOKE_STOP="1", CUDA_VISIBLE_DEVICES="0")
        done = subprocess.run(["bash", "vast/on_machine.sh", "01-train", "600", "30"], cwd=self.out, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(re.findall(r"^(PASS|FAIL|SKIP) +(\S+)", done.stdout, re.M), ALL, done.stdout + done.stderr)

    def test_one_that_begins_anew(self):
        self.stub("trainer", TRAINER)
        self.write("-", "--to", "bash", job=COMMAND % "trainer {steps} .")
        code, output, stages = self.smoke(GPUPLAN_SMOKE_STOP="1")
        self.assertEqual((code, stages), (0, [*ALL[:3], ("SKIP", "resume"), *ALL[4:]]), output)

    def test_one_that_does_not_listen(self):
        self.stub("trainer", "trap '' TERM; for i in $(seq 60); do sleep 1; done")
        self.write("-", "--to", "bash", job=COMMAND % "trainer {steps} {checkpoints}")
        code, output, stages = self.smoke(GPUPLAN_SMOKE_STOP="1", GPUPLAN_GRACE="2", GPUPLAN_SMOKE_SECONDS="6")
        self.assertEqual((code, stages), (1, [*ALL[:2], ("FAIL", "stop"), ("FAIL", "resume")]), output)
        self.assertIn("was killed", output)

    def test_one_without_steps_is_refused(self):
        done = launch("-", "--to", "bash", "-o", str(self.out), job=COMMAND % "trainer")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1), done.stderr)
        self.assertIn("phases.train: its command does not name {steps}", done.stderr)


class Written(Trial):
    def test_every_launcher_and_example(self):
        tried = 0
        for example in EXAMPLES:
            for to in LAUNCHERS:
                with self.subTest(example=example, to=to), tempfile.TemporaryDirectory() as place:
                    out = Path(place) / "out"
                    done = launch(example, "--to", to, "-o", str(out))
                    if done.returncode != 0:
                        self.assertIn(done.returncode, (3, 4, 5), done.stderr)
                        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
                        continue
                    tried += 1
                    self.hold(example, to, out)
        self.assertGreater(tried, 40)

    def hold(self, example, to, out):
        small = json.loads((out / "plan.json").read_text())
        whole = self.place / f"{to}-{Path(example).stem}"
        self.assertEqual(run("launch", example, "--to", to, "-o", str(whole)).returncode, 0)
        plan = self.launched(json.loads((whole / "plan.json").read_text()))
        trial = self.launched(small)
        for phase in trial["phases"]:
            same = next(one for one in plan["phases"] if one["name"] == phase["name"])
            for key in ("framework", "engine", "gpus_used", "method", "offer"):
                self.assertEqual(phase.get(key), same.get(key), key)
            for key in ("dp", "tp", "pp", "cp", "sharding", "precision", "recompute", "offload", "weights"):
                self.assertEqual((phase["strategy"] or {}).get(key), (same["strategy"] or {}).get(key), key)
            self.assertLess(phase["hours"]["p50"], max(same["hours"]["p50"], 0.1))
        # The same forms: one script stays one, and each phase that is tried has its own.
        single = len(plan["phases"]) == 1
        if single:
            self.assertEqual([path.name for path in scripts_of(whole)], [path.name for path in scripts_of(out)])
        trials = [path for path in out.rglob("*.sh") if re.search(r"^trial '", path.read_text(), re.M)]
        self.assertEqual(len(trials), 1, trials)
        self.assertEqual(len(re.findall(r"^trial '", trials[0].read_text(), re.M)), len(trial["phases"]))
        done = subprocess.run(["shellcheck", "-x", str(trials[0])], capture_output=True, text=True, check=False, timeout=60)
        self.assertEqual(done.stdout, "")
        for rows in out.glob("phases/*/rows.jsonl"):
            lines = [json.loads(line) for line in rows.read_text().splitlines()]
            self.assertGreater(len(lines), 100)
        self.assertTrue(yaml.safe_load(small["job_file"]["text"])["job"].endswith("-smoke"))

    def test_on_fewer_gpus(self):
        for counts, gpus in ((["--counts", "2"], 2), ([], 8)):
            with self.subTest(counts=counts):
                self.out = self.place / str(gpus)
                self.write("examples/llama-8b-full.yaml", "--to", "bash", "--gpu", "H100 SXM", "--set", "train.framework=hf-trainer", *counts)
                settings = json.loads(next(self.out.glob("phases/*/settings.json")).read_text())
                self.assertEqual((settings["gpus"], settings["sharding"]), (gpus, "zero3"))
                self.assertTrue((self.out / "phases/01-train/accelerate.yaml").exists(), "the framework of the plan")

    def launched(self, kept):
        return next(plan for plan in kept["plans"] if plan["id"] == kept["launched"])

    def test_several_plans_are_refused(self):
        done = launch(EXAMPLES[0], "--to", "bash", "--plan", "all", "-o", str(self.out))
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), done.stderr)


if __name__ == "__main__":
    main(__doc__)
