#!/usr/bin/env python3
"""gpuplan launch: folders, choice of the plan, and scripts that really run: gates, signals, resuming, manual steps.

    tests/cli/launch_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from program import EXAMPLES, PROGRAM, environment, main, run

TWO = """
job: two
market:
  use: only
  own: [{name: box, gpu: H100 SXM, gpus: 2}]
phases:
  - name: first
    setup: {run: "echo prepared >> prepared.txt", time: 1 min}
    train: &train {model: {layers: 12, hidden: 768, vocab: 65536}, data: {tokens: 100M}, sequence: 1024, batch: {sequences: 64}}
    command: trainer {micro} {gpus}
    metrics: {a: 'a: ([0-9.]+)'}
    succeed_when: [a > 1]
  - name: second
    needs: [first]
    before: {note: "edit somebody's file", time: 1 min}
    train: *train
    command: trainer {micro} {gpus}
"""

# Stands for a training program: writes a checkpoint when it is told to stop, and goes on from it.
TRAINER = """#!/bin/bash
trap 'echo saved >"$GPUPLAN_CHECKPOINTS/last"; echo stopping; exit 0' TERM
echo "started with $* from $(cat "$GPUPLAN_CHECKPOINTS/last" 2>/dev/null || echo nothing)"
for i in $(seq "${STEPS:-2}"); do sleep 0.2; echo "iter $i: loss 3.0, time 200.00ms, mfu 1.00%"; done
[ -z "${FAILS:-}" ] || { echo "torch.OutOfMemoryError: CUDA out of memory."; exit 9; }
echo ended
"""
CHECKER = """#!/bin/bash
[ "$1" != --version ] || exit 0  # asked before the start whether it runs
echo "checked: $*"
exit "${CHECK:-0}"
"""


PATIENCE = 180  # seconds: events are waited for; this only ends a test on a machine where they never come


class Folder(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = Path(self.temporary.name)
        self.job = self.folder / "two.yaml"
        self.job.write_text(TWO)
        self.out = self.folder / "out"

    def tearDown(self):
        self.temporary.cleanup()

    def launch(self, *words, job=None):
        return run("launch", str(job or self.job), "--to", "bash", "-o", str(self.out), *words)


class Writing(Folder):
    def test_every_example_and_its_shell(self):
        for example in EXAMPLES:
            with self.subTest(example=example):
                self.out = self.folder / Path(example).stem
                done = run("launch", example, "--to", "bash", "-o", str(self.out), "--check", "--json")
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                answer = json.loads(done.stdout)
                self.assertEqual(answer["schema"], "gpuplan/launch@1")
                written = {file["path"] for file in answer["folders"][0]["files"]}
                there = {str(path.relative_to(self.out)) for path in self.out.rglob("*") if path.is_file()}
                self.assertEqual(written, there)
                self.assertIn("README.md", there)
                for script in self.out.rglob("*.sh"):
                    if script.name != "lib.sh":
                        self.assertTrue(os.access(script, os.X_OK), script)

    def test_nothing_is_overwritten_without_force(self):
        self.assertEqual(self.launch().returncode, 0)
        (self.out / "run.sh").write_text("mine")
        (self.out / "notes.txt").write_text("mine too")
        done = self.launch()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(len(done.stderr.splitlines()), 1)
        self.assertIn("--force", done.stderr)
        self.assertEqual((self.out / "run.sh").read_text(), "mine")
        self.assertEqual(self.launch("--force").returncode, 0)
        self.assertIn("phases/01-first.sh", (self.out / "run.sh").read_text())
        self.assertEqual((self.out / "notes.txt").read_text(), "mine too")
        self.assertEqual([path.name for path in self.folder.iterdir() if ".tmp" in path.name], [])

    def test_never_through_a_link(self):
        elsewhere = self.folder / "elsewhere"
        elsewhere.mkdir()
        self.out.mkdir()
        (self.out / "phases").symlink_to(elsewhere)
        done = self.launch("--force")
        self.assertEqual(done.returncode, 5)
        self.assertIn("is in the way", done.stderr)
        self.assertEqual(list(elsewhere.iterdir()), [])

    def test_a_file_in_place_of_the_folder(self):
        self.out.write_text("a file")
        done = self.launch("--force")
        self.assertEqual(done.returncode, 2)
        self.assertEqual(self.out.read_text(), "a file")

    def test_which_launcher(self):
        done = run("launch", str(self.job))
        self.assertEqual(done.returncode, 2)
        self.assertIn("bash", done.stderr)
        done = run("launch", str(self.job), "--to", "pbs")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'pbs'", done.stderr)

    def test_nothing_fits(self):
        self.job.write_text(TWO.replace("hidden: 768", "hidden: 65536"))
        done = self.launch()
        self.assertEqual(done.returncode, 3)
        self.assertFalse(self.out.exists())

    def test_limits_missed(self):
        self.job.write_text(TWO + "\nlimits: {deadline: 5 min}\n")
        done = self.launch()
        self.assertEqual(done.returncode, 4)
        self.assertFalse(self.out.exists())
        named = re.search(r"--plan (\w+)", done.stderr).group(1)
        self.assertEqual(self.launch("--plan", named).returncode, 0)

    def test_tight_plans_are_asked_for(self):
        plans = json.loads(run("plan", "examples/llama-8b-full.yaml", "--all", "--json").stdout)["plans"]
        tight = [plan["id"] for plan in plans if plan["fit"] == "tight"]
        self.assertTrue(tight)
        done = run("launch", "examples/llama-8b-full.yaml", "--to", "bash", "-o", str(self.out), "--plan", tight[0])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--allow-tight", done.stderr)
        done = run("launch", "examples/llama-8b-full.yaml", "--to", "bash", "-o", str(self.out), "--plan", tight[0],
                   "--allow-tight")
        self.assertEqual(done.returncode, 0, done.stderr)


class Choice(Folder):
    def test_a_kept_plan_is_a_job(self):
        kept = self.folder / "plan.json"
        self.assertEqual(run("plan", "examples/trm-nanochat.yaml", "-o", str(kept)).returncode, 0)
        pick = json.loads(kept.read_text())["recommendations"]["pick"]
        for words in ([str(kept)], ["examples/trm-nanochat.yaml", "--plan", str(kept)]):
            self.out = self.folder / f"out{len(words)}"
            done = run("launch", *words, "--to", "bash", "-o", str(self.out))
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads((self.out / "plan.json").read_text())
            self.assertEqual(plan["launched"], pick)
            self.assertEqual([one["id"] for one in plan["plans"]], [pick])
        done = run("launch", "-", "--to", "bash", "-o", str(self.folder / "piped"), stdin=kept.read_bytes())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads((self.folder / "piped" / "plan.json").read_text())["launched"], pick)
        again = run("launch", str(self.out / "plan.json"), "--to", "bash", "-o", str(self.folder / "again"))
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_a_plan_of_another_job(self):
        kept = self.folder / "plan.json"
        run("plan", "examples/trm-nanochat.yaml", "-o", str(kept))
        done = self.launch("--plan", str(kept))
        self.assertEqual(done.returncode, 5)
        self.assertIn("trm-nanochat", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1)

    def test_a_plan_of_another_market(self):
        kept = self.folder / "plan.json"
        run("plan", "examples/trm-nanochat.yaml", "-o", str(kept))
        prices = self.folder / "prices.csv"
        prices.write_text("gpu,gpus,price_per_hour\nL40S,8,8\n")
        done = run("launch", str(kept), "--prices", str(prices), "--to", "bash", "-o", str(self.out))
        self.assertNotEqual(done.returncode, 0)
        self.assertFalse(self.out.exists())

    def test_prices_that_moved_are_said(self):
        kept = self.folder / "plan.json"
        run("plan", "examples/trm-nanochat.yaml", "-o", str(kept))
        text = json.loads(kept.read_text())
        text["job_file"]["text"] = text["job_file"]["text"].replace("$50/h", "$60/h")
        kept.write_text(json.dumps(text))
        done = run("launch", str(kept), "--to", "bash", "-o", str(self.out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("by the market of today it is", done.stdout)

    def test_what_is_no_plan(self):
        for text in ("", "{", "[]", '{"schema": "gpuplan/fit@1"}', '{"schema": "gpuplan/plan@1"}', "\x00\x01"):
            kept = self.folder / "plan.json"
            kept.write_text(text)
            done = self.launch("--plan", str(kept))
            self.assertEqual(done.returncode, 5, text)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        done = self.launch("--plan", "nosuch")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'nosuch'", done.stderr)

    def test_all_twelve_scripts_of_the_nanochat_guide(self):
        done = run("launch", "examples/trm-nanochat.yaml", "--to", "bash", "-o", str(self.out), "--plan", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        scripts = sorted(path.relative_to(self.out) for path in self.out.glob("*/phases/0*.sh"))
        self.assertEqual(len(scripts), 12)
        batches = {}
        index = (self.out / "PLANS.txt").read_text()
        for folder in sorted(path for path in self.out.iterdir() if path.is_dir()):
            self.assertRegex(index, rf"\n{re.escape(folder.name)}/\n  plan       \w+, .+\n  time       .+ h.*\n  cost       .+\n")
            for phase in ("01-validate", "02-produce"):
                command = (folder / "phases" / phase / "command.sh").read_text()
                gpus = int(re.search(r"--nproc_per_node=(\d+)", command).group(1))
                micro = int(re.search(r"--device_batch_size=(\d+)", command).group(1))
                self.assertEqual(524288 % (gpus * micro * 2048), 0, command)
                batches[folder.name, phase] = gpus * micro
        self.assertEqual(len(batches), 12)


class Running(Folder):
    def setUp(self):
        super().setUp()
        stubs = self.folder / "stubs"
        stubs.mkdir()
        for name, text in (("trainer", TRAINER), ("gpuplan", CHECKER)):
            (stubs / name).write_text(text)
            (stubs / name).chmod(0o755)
        self.home = self.folder / "home"
        self.home.mkdir()
        self.code = self.folder / "code"
        self.code.mkdir()
        self.environment = environment(PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.home), GPUPLAN_POLL="1")
        self.assertEqual(self.launch().returncode, 0)

    def start(self, script="run.sh", **more):
        return subprocess.Popen(["bash", str(self.out / script)], cwd=self.code, env={**self.environment, **more},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def finish(self, process):
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def until(self, process, holds, phase="01-first"):
        """Waits until the log of a phase is as wanted, however long a busy machine takes."""
        end = time.monotonic() + PATIENCE
        while not (self.runs(phase, "log.txt").exists() and holds(self.log(phase))):
            self.assertIsNone(process.poll(), "it ended before")
            self.assertLess(time.monotonic(), end, "it never came")
            time.sleep(0.05)

    def runs(self, *parts):
        return self.out.joinpath("runs", *parts)

    def log(self, phase="01-first"):
        return self.runs(phase, "log.txt").read_text()

    def test_gate_manual_step_and_end(self):
        code, output = self.finish(self.start())
        self.assertEqual(code, 78, output)  # the manual step of the second phase
        self.assertTrue(self.runs("01-first", "done").exists())
        self.assertIn("edit somebody's file", output)
        self.assertIn("checked: check ", output)
        self.assertIn("--phase first", output)
        self.assertEqual((self.code / "prepared.txt").read_text(), "prepared\n")
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start())
        self.assertEqual(code, 0, output)
        self.assertIn("done already", output)
        summary = self.runs("02-second", "summary.txt").read_text()
        self.assertIn("starts:     1", summary)
        self.assertRegex(self.log(), r"started with \d+ 2 from nothing")

    def test_a_closed_gate_stops_and_is_asked_again_without_the_work(self):
        code, output = self.finish(self.start(CHECK="6"))
        self.assertEqual(code, 6, output)
        self.assertFalse(self.runs("01-first", "done").exists())
        code, output = self.finish(self.start("phases/02-second.sh"))
        self.assertEqual(code, 6, output)
        self.assertIn("did not pass its gate", output)
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        self.assertEqual(self.log().count("started with"), 1)

    def test_without_gpuplan_a_gated_phase_does_not_start(self):
        broken = self.out / "no-gpuplan"
        broken.write_text("#!/bin/sh\nexit 1\n")
        broken.chmod(0o755)
        for program in ("/nonexistent/gpuplan", str(broken)):
            code, output = self.finish(self.start(GPUPLAN=program))
            self.assertEqual(code, 78, output)
            self.assertIn("GPUPLAN_GATE=hand", output)
            self.assertFalse(self.runs("01-first", "log.txt").exists(), "nothing was run, nothing is to be paid for")
        (self.out / "plan.json").rename(self.out / "away.json")
        code, output = self.finish(self.start())
        self.assertEqual(code, 78, output)
        self.assertIn("plan.json is not here", output)
        self.assertFalse(self.runs("01-first", "log.txt").exists())

    def test_a_gate_may_be_left_to_somebody(self):
        code, output = self.finish(self.start(GPUPLAN="/nonexistent/gpuplan", GPUPLAN_GATE="hand"))
        self.assertEqual(code, 6, output)
        self.assertIn("its gate is yours", output)
        self.assertEqual(self.log().count("started with"), 1)
        self.assertIn("done'", output)
        self.runs("01-first", "done").touch()
        self.runs("02-second").mkdir(exist_ok=True)
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start(GPUPLAN="/nonexistent/gpuplan"))
        self.assertEqual(code, 0, output)

    def test_a_phase_before_can_be_left_out(self):
        code, output = self.finish(self.start("phases/02-second.sh"))
        self.assertEqual(code, 78, output)
        command = output[output.index("to go on without it: ") + len("to go on without it: "):].splitlines()[0]
        subprocess.run(["bash", "-c", command], check=True)
        self.runs("02-second").mkdir(exist_ok=True)
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start("phases/02-second.sh"))
        self.assertEqual(code, 0, output)

    def test_stopped_it_saves_and_goes_on(self):
        for starts, sent in enumerate((signal.SIGTERM, signal.SIGUSR1, signal.SIGINT, signal.SIGHUP), 1):
            process = self.start(STEPS="100000")
            self.until(process, lambda log: log.count("started with") == starts and log.rstrip().endswith("1.00%"))
            process.send_signal(sent)
            code, output = self.finish(process)
            self.assertEqual(code, 75, output)
            self.assertIn("stopping", self.log())
            self.assertIn("stopped, to be started again", self.runs("01-first", "summary.txt").read_text())
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        self.assertTrue(re.search(r"started with .* from saved", self.log()))
        self.assertIn("starts:     5", self.runs("01-first", "summary.txt").read_text())
        self.assertEqual((self.code / "prepared.txt").read_text(), "prepared\n")  # once on a machine

    def test_stopped_at_any_time_it_stops(self):
        for hundredths in range(0, 30, 2):
            process = self.start(STEPS="100000")
            time.sleep(hundredths / 100)
            process.send_signal(signal.SIGTERM)
            code, output = self.finish(process)
            self.assertIn(code, (75, -signal.SIGTERM), output)  # killed: before it could listen
            self.assertFalse(self.runs("01-first", "done").exists())

    def test_work_that_does_not_stop_is_killed(self):
        (self.folder / "stubs" / "trainer").write_text("#!/bin/bash\ntrap '' TERM\necho here\nwhile :; do sleep 0.1; done\n")
        process = self.start(GPUPLAN_GRACE="1")
        self.until(process, lambda log: "here" in log)
        process.send_signal(signal.SIGTERM)
        code, output = self.finish(process)
        self.assertEqual(code, 75, output)

    def test_the_time_limit_is_a_guard(self):
        script = self.out / "phases" / "01-first.sh"
        script.write_text(re.sub(r"^limit=\d+$", "limit=2", script.read_text(), flags=re.M))
        lib = self.out / "phases" / "lib.sh"
        lib.write_text(lib.read_text().replace("limit > before + 60 ? limit - before : 60", "limit"))
        code, output = self.finish(self.start(STEPS="100"))
        self.assertEqual(code, 1, output)
        self.assertIn("GPUPLAN_LIMIT=0", output)
        self.assertIn("stopping", self.log())
        code, output = self.finish(self.start("phases/01-first.sh", GPUPLAN_LIMIT="0", STEPS="15"))
        self.assertEqual(code, 0, output)

    def test_failing_work(self):
        code, output = self.finish(self.start(FAILS="1"))
        self.assertEqual(code, 9, output)
        self.assertIn("checked:", output)  # what the log says of it
        self.assertIn("failed with exit code 9", self.runs("01-first", "summary.txt").read_text())
        self.assertFalse(self.runs("01-first", "done").exists())

    def test_one_start_at_a_time(self):
        first = self.start("phases/01-first.sh", STEPS="30")
        self.until(first, lambda log: "iter 1" in log)
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 78, output)
        self.assertIn("runs already", output)
        code, output = self.finish(first)
        self.assertEqual(code, 0, output)
        self.assertEqual(self.log().count("started with"), 1)

    def test_smaller_gpus_than_the_plan_has(self):
        smi = self.folder / "stubs" / "nvidia-smi"
        smi.write_text("#!/bin/sh\ncase $* in\n*list-gpus*) printf 'GPU 0: Tesla T4\\nGPU 1: Tesla T4\\n' ;;\n"
                       "*memory.total*noheader*) echo 'Tesla T4, 1024' ;;\n*) exec sleep 1000 ;;\nesac\n")
        smi.chmod(0o755)
        code, output = self.finish(self.start())
        self.assertEqual(code, 78, output)
        self.assertIn("Tesla T4 has 1024 MiB", output)
        smi.write_text(smi.read_text().replace("1024", "81559"))
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        self.assertIn("GPUs: 2 x Tesla T4; the plan is for H100 SXM", output)
        smi.write_text(smi.read_text().replace("GPU 1", "MIG 1"))
        self.runs("02-second").mkdir()
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start("phases/02-second.sh"))
        self.assertEqual(code, 78, output)
        self.assertIn("shows 1 GPUs", output)

    def test_criteria_of_the_last_phase_count_too(self):
        self.job.write_text(TWO.replace("needs: [first]", "needs: [first]\n    succeed_when: [loss < 1]"))
        self.assertEqual(self.launch("--force").returncode, 0)
        self.runs("02-second").mkdir(parents=True)
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        code, output = self.finish(self.start("phases/02-second.sh", CHECK="6"))
        self.assertEqual(code, 6, output)
        self.assertFalse(self.runs("02-second", "done").exists())
        self.assertIn("not passed", self.runs("02-second", "summary.txt").read_text())

    def test_other_machines(self):
        code, output = self.finish(self.start("phases/01-first.sh", GPUPLAN_NODES="2", GPUPLAN_NODE_RANK="1"))
        self.assertEqual(code, 0, output)  # nothing to do for it
        self.assertFalse(self.runs("01-first", "log.txt").exists())

    def test_set_up_that_fails(self):
        (self.out / "phases" / "01-first" / "setup.sh").write_text("false\n")
        code, output = self.finish(self.start())
        self.assertEqual(code, 78, output)
        self.assertIn("prepare-0.txt", output)


if __name__ == "__main__":
    main(__doc__)
