#!/usr/bin/env python3
"""gpuplan launch: scripts that really run: gates, signals, resuming, manual steps.

    tests/cli/launch_runs_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import re
import shutil
import signal
import subprocess
import time

from launch_folder import TWO, Folder
from program import NO_GPUS, PROGRAM, environment, main, run

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
        self.environment = environment(PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.home), GPUPLAN_POLL="1", **NO_GPUS)
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


class Scripts(Running):
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

    # What the metadata of clouds answer (address, header, words before and after a machine is taken back); all else fails.
    CLOUDS = {"google": ("computeMetadata/v1/instance/preempted", "Metadata-Flavor: Google", "FALSE", "TRUE"),
              "azure": ("metadata/scheduledevents?api-version=2020-07-01", "Metadata: true", '{"Events": []}',
                        '{"Events": [{"EventType": "Preempt"}]}'),
              "aws": ("latest/meta-data/spot/instance-action", "X-aws-ec2-metadata-token: key", "",
                      '{"action": "terminate", "time": "2026-11-22T08:22:00Z"}')}

    def test_a_spot_machine_that_is_taken_back_saves(self):
        self.spot = self.out / "phases/01-first.sh"
        self.spot.write_text(self.spot.read_text().replace("\nspot=0\n", "\nspot=1\n"))
        curl = self.folder / "stubs/curl"
        for starts, (cloud, (path, header, before, after)) in enumerate(self.CLOUDS.items(), 1):
            taken = self.folder / f"{cloud}-takes-it"
            lines = ["#!/bin/bash", 'case "$*" in']
            if cloud == "aws":
                lines.append("*X-aws-ec2-metadata-token-ttl-seconds*'--request PUT'*/latest/api/token) echo key; exit ;;")
            lines += [f"*'{header} --request'*|*'{header} http://169.254.169.254/{path}')",
                      f"  if [ -e '{taken}' ]; then echo '{after}'; exit; fi",
                      f"  [ -n '{before}' ] || exit 22", f"  echo '{before}'; exit ;;", "esac", "exit 22", ""]
            curl.write_text("\n".join(lines))
            curl.chmod(0o755)
            process = self.start("phases/01-first.sh", STEPS="100000", GPUPLAN_NOTICE_POLL="0.2")
            self.until(process, lambda log: log.count("started with") == starts and log.rstrip().endswith("1.00%"))
            taken.touch()
            code, output = self.finish(process)
            self.assertEqual(code, 75, output)
            self.assertIn("the cloud takes this machine back", output, cloud)
            self.assertEqual(self.log().count("stopping"), starts)
        code, output = self.finish(self.start("phases/01-first.sh"))  # the newest machine is not
        self.assertEqual(code, 75, output)
        curl.write_text("#!/bin/sh\nexit 7\n")  # no cloud
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        self.assertRegex(self.log(), "started with .* from saved")

    def stopped_after(self, hundredths):
        for wait in hundredths:
            process = self.start(STEPS="100000")
            time.sleep(wait / 100)
            process.send_signal(signal.SIGTERM)
            code, output = self.finish(process)
            self.assertIn(code, (75, -signal.SIGTERM), output)  # killed: before it could listen
            self.assertFalse(self.runs("01-first", "done").exists())

    # Stopped at any time it stops; in three tests, which wait side by side.
    def test_stopped_at_any_time(self):
        self.stopped_after(range(0, 30, 6))

    def test_stopped_at_any_other_time(self):
        self.stopped_after(range(2, 30, 6))

    def test_stopped_at_any_time_between(self):
        self.stopped_after(range(4, 30, 6))

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
        lib.write_text(lib.read_text().replace("limit > kept + 60 ? limit - kept : 60", "limit"))
        code, output = self.finish(self.start(STEPS="100"))
        self.assertEqual(code, 124, output)
        self.assertIn("GPUPLAN_LIMIT=0", output)
        self.assertIn("What it did is lost", output)
        self.assertIn("stopping", self.log())
        code, output = self.finish(self.start("phases/01-first.sh", GPUPLAN_LIMIT="0", STEPS="15"))
        self.assertEqual(code, 0, output)

    def test_the_time_limit_is_of_work_that_is_kept(self):
        """What begins anew has all of its time again: else a second start would be killed before it can end."""
        script = self.out / "phases" / "01-first.sh"
        lib = self.out / "phases" / "lib.sh"
        lib.write_text(lib.read_text() + "timer() { say \"timer of $1 s\"; timer_id=; }\n")
        for resumes, seconds in ((0, 5000), (1, 2000)):
            shutil.rmtree(self.runs("01-first"), ignore_errors=True)
            self.runs("01-first").mkdir(parents=True)
            self.runs("01-first", "starts").write_text("1 3000\n")
            text = re.sub(r"^limit=\d+$", "limit=5000", script.read_text(), flags=re.M)
            script.write_text(re.sub(r"^resumes=\d$", f"resumes={resumes}", text, flags=re.M))
            code, output = self.finish(self.start("phases/01-first.sh"))
            self.assertEqual(code, 0, output)
            self.assertIn(f"timer of {seconds} s", output)
            self.assertRegex(self.runs("01-first", "starts").read_text(), r"^2 30\d\d$", "all hours are billed")

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

    def stub(self, name, text):
        path = self.folder / "stubs" / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o755)
        return path

    def test_gpus_of_amd_are_counted(self):
        """By what each kind of machine has: rocm-smi, else amd-smi, else torch."""
        rows = "device,VRAM Total Memory (B),VRAM Total Used Memory (B)\\n" + "".join(
            f"card{at},206141652992,300000\\n" for at in range(2))
        smi = self.stub("rocm-smi", f"printf '{rows}'\n")
        for few in ({"HIP_VISIBLE_DEVICES": "1"}, {"ROCR_VISIBLE_DEVICES": "1"}, {"CUDA_VISIBLE_DEVICES": "0"}):
            code, output = self.finish(self.start("phases/01-first.sh", **few))
            self.assertEqual(code, 78, output)
            self.assertIn("shows 1 GPUs and the plan uses 2", output)
        smi.write_text(smi.read_text().replace("206141652992", "1073741824"))
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 78, output)
        self.assertIn("AMD GPU has 1024 MiB", output)
        smi.unlink()
        other = self.stub("amd-smi", "printf 'gpu,gpu_bdf,gpu_uuid\\n0,0000:05:00.0,a\\n'\n")
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 78, output)
        self.assertIn("shows 1 GPUs and the plan uses 2", output)
        other.unlink()
        self.stub("rocm-smi", f"printf '{rows}'\n")
        code, output = self.finish(self.start("phases/01-first.sh"))
        self.assertEqual(code, 0, output)
        self.assertIn("GPUs: 2 x AMD GPU; the plan is for H100 SXM", output)
        smi.unlink()
        self.runs("02-second").mkdir(exist_ok=True)
        self.runs("02-second", "prepared").touch()
        code, output = self.finish(self.start("phases/02-second.sh"))
        self.assertEqual(code, 0, output)
        self.assertIn("no nvidia-smi, rocm-smi, amd-smi or torch here", output)

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


class OneScript(Running):
    """One phase on one machine: one script that holds all, with the job's own texts inside."""

    ONE = """
job: one
market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 2}]}
phases:
  - name: train_it
    setup: {run: "echo prepared 'with quotes' >> prepared.txt\\ncat <<END_OF_COMMAND\\nx\\nEND_OF_COMMAND", time: 1 min}
    train: {model: {layers: 12, hidden: 768, vocab: 65536}, data: {tokens: 100M}, sequence: 1024, batch: {sequences: 64}}
    command: "trainer {micro} '$HOME `id`'\\nEND_OF_COMMAND=${END_OF_COMMAND:-x}"
"""

    def setUp(self):
        super().setUp()
        self.job.write_text(self.ONE)
        shutil.rmtree(self.out)
        self.assertEqual(self.launch("--name", "train_2xH100_fast").returncode, 0)

    def test_reads_from_top_to_bottom(self):
        self.assertEqual([path.name for path in sorted(self.out.glob("*.sh"))], ["train_2xH100_fast.sh"])
        self.assertFalse(list(self.out.glob("phases/**/*.sh")), "everything stands in it")
        script = (self.out / "train_2xH100_fast.sh").read_text()
        places = [script.index(word) for word in ("# Expected", "# ---- setup", "\nprepare() {", "# ---- run", "\nwork() {",
                                                  "# ---- check", "# ---- next", "# ---- no need to read on")]
        self.assertEqual(places, sorted(places))
        self.assertLess(script[:places[-1]].count("\n"), 80)
        plan = json.loads((self.out / "plan.json").read_text())["plans"][0]["phases"][0]
        self.assertIn(f"{plan['memory_gib']['total']['p50']:.1f} GiB used on each GPU", script)
        self.assertIn(f"{plan['steps']:,} steps, each ", script)
        readme = (self.out / "README.md").read_text()
        self.assertIn("- `train_2xH100_fast.sh`: ", readme)

    def test_runs_stops_and_goes_on(self):
        process = self.start("train_2xH100_fast.sh", STEPS="40")
        self.until(process, lambda log: "iter 2" in log, "01-train-it")
        process.send_signal(signal.SIGTERM)
        code, output = self.finish(process)
        self.assertEqual(code, 75, output)
        code, output = self.finish(self.start("train_2xH100_fast.sh"))
        self.assertEqual(code, 0, output)
        self.assertIn("next: results are in runs/01-train-it/", output)
        self.assertIn("$HOME `id` from saved", self.log("01-train-it"))
        self.assertEqual((self.code / "prepared.txt").read_text(), "prepared with quotes\n")

    def test_names(self):
        for name in ("a/b", "..", "-x", "a b", "a.b", "$(id)", "x" * 61, "\u00e9"):
            done = run("launch", str(self.job), "--to", "bash", f"--name={name}", "-o", str(self.folder / "other"))
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), name)
            self.assertIn("--name: ", done.stderr)
            self.assertFalse((self.folder / "other").exists())
        pool = self.folder / "pool.yaml"
        pool.write_text(self.job.read_text(encoding="utf-8").replace("own:", "pools:"), encoding="utf-8")
        done = subprocess.run([PROGRAM, "launch", str(pool), "--to", "slurm", "--name", "fast_1"], cwd=self.folder,
                              env=environment(), capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("#SBATCH --job-name=fast_1\n", (self.folder / "fast_1/fast_1.sh").read_text())


if __name__ == "__main__":
    main(__doc__, at_once=6)  # they wait for one another's signals and for time limits
