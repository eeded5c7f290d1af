#!/usr/bin/env python3
"""The jobs that `gpuplan launch --to slurm` writes, on a real Slurm: slurm_test.py PROGRAM.

Every job of every example is accepted by a cluster with the plan's machines, and by none with less. Two jobs with fake GPUs
and a stub in place of training really run: the order of phases, the checkpoint before the time limit, the way back through
the queue, the gate, steps by hand, a cancelled job, two machines."""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(ROOT / "tests/cli"))
import cluster as slurm  # noqa: E402
import program  # noqa: E402


def launch(job, folder, *words):
    done = program.run("launch", str(job), "--to", "slurm", "-o", str(folder), *words)
    if done.returncode not in (0, 4):
        raise RuntimeError(f"gpuplan launch {job}: exit code {done.returncode}\n{done.stdout}{done.stderr}")


def rows_of(name):
    with open(ROOT / "data" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def minutes_of(text):
    """ "12 h" of a job file."""
    number, unit = re.fullmatch(r"([\d.]+)\s*(min|h|d)", str(text)).groups()
    return int(float(number) * {"min": 1, "h": 60, "d": 1440}[unit])


class Facts:
    """What the plan's machines are, from the plan and the data, not from the jobs."""

    def __init__(self):
        self.nodes = rows_of("nodes.csv")
        self.memory = {row["name"]: row for row in rows_of("gpus.csv")}
        names = ROOT / "data/launcher_names.csv"
        self.slurm = {row["gpu"]: row["slurm"] for row in rows_of(names.name)} if names.exists() else {}

    def machines(self, lease, name, partition, pool):
        gpus = pool["gpus"] if pool else lease["gpus"] // lease["nodes"]
        known = [row for row in self.nodes if row["gpu"] == lease["gpu"] and int(row["gpus"]) == gpus and row["vcpus"] and
                 row["provider"] == lease["provider"] and lease["instance"] in (None, row["instance"])]
        # Where nobody says: the fewest processors that machines with this GPU are rented with, and three times the
        # memory of the GPUs, as they are commonly sold.
        each = [int(row["vcpus"]) // int(row["gpus"]) for row in self.nodes if row["gpu"] == lease["gpu"] and row["vcpus"]]
        cpus = int(known[0]["vcpus"]) if known else gpus * min(each, default=8)
        gpu_memory = float(next(value for key, value in self.memory[lease["gpu"]].items() if key.startswith("memory[")))
        memory = float(known[0]["ram[GiB]"]) if known and known[0]["ram[GiB]"] else 3 * gpu_memory * gpus
        return slurm.Machines(name=name, count=lease["nodes"], gpu=self.slurm.get(lease["gpu"], ""), gpus=gpus, cpus=cpus,
                              memory_mib=int(memory * 1024), partition=partition,
                              max_minutes=minutes_of(pool["max_time"]) if pool and "max_time" in pool else 0)


class Written:
    """The folder of one plan, and the machines of each of its jobs."""

    def __init__(self, folder, number, facts):
        self.folder = folder
        self.plan = json.loads((folder / "plan.json").read_text())
        pools = (yaml.safe_load(self.plan["job_file"]["text"]).get("market") or {}).get("pools", [])
        self.machines = []
        self.partitions = {}  # of a phase
        for i, lease in enumerate(self.plan["plans"][0]["leases"]):
            pool = next((one for one in pools if one["gpu"] == lease["gpu"]), None)
            # A partition of its own for every lease, so that no other machines can serve. A pool's is in the jobs, so its
            # plans share it.
            partition = pool["partition"] if pool else f"lease-{number}-{i}"
            self.machines.append(facts.machines(lease, f"n{number}-{i}-", partition, pool))
            for phase in lease["phases"]:
                self.partitions[phase] = [] if pool else [f"--partition={partition}"]
        # One phase is one script, beside README.md.
        self.whole = sorted(folder.glob("*.sh"))
        self.jobs = self.whole or sorted(folder.glob("slurm/*.sbatch"))

    def options(self, job):
        """Partition of the phase that the job runs."""
        if self.whole:
            return next(iter(self.partitions.values()))
        slug = job.stem.split("-", 1)[1]
        return next(options for phase, options in self.partitions.items() if re.sub(r"[^a-z0-9]+", "-", phase.lower()) == slug)


class Accepted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="gpuplan-slurm-test-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        facts = Facts()
        cls.written = {}
        for example in [*program.EXAMPLES, "tests/slurm/pool.yaml"]:
            name = Path(example).stem
            pool = "pools:" in (ROOT / example).read_text()
            launch(example, cls.work / name, *(["--plan", "all"] if pool else []))
            for plan in sorted((cls.work / name).glob("**/plan.json")):
                cls.written[f"{name} {plan.parent.name}"] = Written(plan.parent, len(cls.written), facts)
        machines, partitions = [], set()
        for one in cls.written.values():
            for kind in one.machines:
                if kind.partition not in partitions or kind.partition.startswith("lease-"):
                    machines.append(kind)
                partitions.add(kind.partition)
        cls.cluster = slurm.Cluster(machines)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)

    def ask(self, written, job, *options):
        return self.cluster.run("sbatch", "--test-only", *written.options(job), *options, str(job), check=False,
                                cwd=written.folder)

    def test_every_job_of_every_example(self):
        asked = 0
        for name, written in self.written.items():
            self.assertTrue(written.jobs, name)
            for job in written.jobs:
                with self.subTest(plan=name, job=job.name):
                    done = self.ask(written, job)
                    self.assertEqual(done.returncode, 0, done.stderr + job.read_text())
                    asked += 1
        forms = [len(written.whole) for written in self.written.values()]
        self.assertGreater(forms.count(1), 3, "jobs of one phase are one script")
        self.assertGreater(forms.count(0), 3, "several are a script for each")
        self.assertGreaterEqual(asked, len(program.EXAMPLES))

    def test_every_script_is_sound(self):
        for name, written in self.written.items():
            scripts = [str(path) for path in written.whole or written.folder.glob("slurm/*")]
            self.assertEqual(len(scripts) == 1, bool(written.whole), name)
            for words in (["shellcheck", "-x", *scripts], *(["bash", "-n", script] for script in scripts)):
                done = subprocess.run(words, cwd=written.folder, capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stdout + done.stderr), (0, ""), name)

    def test_more_than_there_is(self):
        name, written = next((name, one) for name, one in self.written.items() if name.startswith("latentwire 4x"))
        job = written.jobs[0]
        for options, why in ((["--gpus-per-node=5"], "configuration is not available"),
                             (["--nodes=2"], "More processors requested"),
                             (["--cpus-per-task=49"], "More processors requested"),
                             (["--mem=961G"], "configuration is not available"),
                             (["--time=12:01:00"], "time limit is invalid"),
                             (["--partition=elsewhere"], "invalid partition")):
            with self.subTest(plan=name, options=options):
                done = self.ask(written, job, *options)
                self.assertNotEqual(done.returncode, 0, done.stderr)
                self.assertIn(why, done.stderr)

    def test_a_wrong_line(self):
        written = next(iter(self.written.values()))
        job = self.work / "wrong.sbatch"
        job.write_text(written.jobs[0].read_text().replace("#SBATCH --requeue", "#SBATCH --requeue-it"))
        done = self.cluster.run("sbatch", "--test-only", str(job), check=False)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("requeue-it", done.stderr)

    def test_the_script_that_asks(self):
        written = next(one for name, one in self.written.items() if name.startswith("sft-node"))
        partition = next(iter(written.partitions.values()))
        done = self.cluster.run("bash", "slurm/submit.sh", "--test-only", *partition, check=False, cwd=written.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("to start at", done.stderr)
        self.assertEqual(self.cluster.run("squeue", "-h"), "")


class Submitted:
    """A folder whose jobs are handed in."""

    def __init__(self, cluster, job, folder, *settings, **stub):
        self.cluster = cluster
        self.folder = folder
        launch(HERE / job, folder, *settings)
        (folder / "code").mkdir()
        self.environment = cluster.environment(
            **{"GPUPLAN_CODE": "code", "PATH": f"{HERE / 'bin'}:{os.environ['PATH']}", "HOME": str(folder),
               "GPUPLAN": program.PROGRAM, **stub})

    def submit(self, *options):
        self.hand_in("bash", "slurm/submit.sh", *options)
        self.jobs = dict(re.findall(r"^(\S+)  job (\d+)", self.said, re.M))
        return self

    def whole(self, *options, where=None):
        """Hands in the script that holds all; `where`: from another folder."""
        script = next(self.folder.glob("*.sh"))
        self.hand_in("sbatch", *options, str(script) if where else script.name,
                     where=where)
        self.jobs = {"01-train": re.search(r"Submitted batch job (\d+)", self.said)[1]}
        return self

    def hand_in(self, *words, where=None):
        done = subprocess.run(words, cwd=where or self.folder, env=self.environment, text=True, capture_output=True, timeout=60,
                              check=False)
        self.said = done.stdout + done.stderr
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit code {done.returncode}\n{self.said}")

    def facts(self, slug):
        """Of a job, as Slurm has them; none once it has forgotten the job."""
        done = self.cluster.run("scontrol", "show", "job", "--oneliner", self.jobs[slug], check=False)
        return dict(word.split("=", 1) for word in done.stdout.split() if "=" in word)

    def state(self, slug):
        return self.facts(slug).get("JobState", "")

    def change(self, slug, **values):
        self.cluster.run("scontrol", "update", f"JobId={self.jobs[slug]}", *(f"{k}={v}" for k, v in values.items()))

    def text(self, name):
        path = self.folder / name
        return path.read_text(errors="replace") if path.exists() else ""

    def output(self, slug):
        return "".join(path.read_text() for path in sorted(self.folder.glob(f"*-{self.jobs[slug]}.out")))

    def everything(self):
        return self.said + "".join(f"--- {path}\n{path.read_text(errors='replace')}" for path in
                                   [*self.folder.glob("*.out"), *self.folder.glob("runs/*/*.txt")])


class Runs(unittest.TestCase):
    """The cases share three machines; they are handed in together, and each test waits for its own."""

    @classmethod
    def setUpClass(cls):
        cls.work = Path(tempfile.mkdtemp(prefix="gpuplan-slurm-runs-"))
        cls.addClassCleanup(shutil.rmtree, cls.work, ignore_errors=True)
        cls.cluster = slurm.Cluster(real=3)
        cls.cluster.__enter__()
        cls.addClassCleanup(cls.cluster.__exit__, None, None, None)

        def case(name, *settings, job="two-phases.yaml", **stub):
            return Submitted(cls.cluster, job, cls.work / name, *settings, **stub)

        # So short that Slurm sends its signal within the minute.
        cls.limit = case("limit", STUB_STEP_SECONDS="2").submit("--time=2")
        cls.limit.change("03-evaluate", TimeLimit=30)
        cls.gate = case("gate", STUB_STEP_SECONDS="0.05", STUB_LOSS="4.0").submit()
        cls.cancelled = case("cancelled", STUB_STEP_SECONDS="5").submit()
        cls.hand = case("by hand", "--set", "phases.train.before={note: '$(touch injected) look', time: 1 min}",
                        STUB_STEP_SECONDS="0.05").submit()
        cls.machines = case("machines", job="two-machines.yaml", STUB_STEP_SECONDS="2")
        cls.alone = case("alone", job="one-phase.yaml", STUB_STEP_SECONDS="2").whole("--time=2")
        # From another folder, which code and runs are named from.
        cls.alone_gate = case("alone gate", job="one-phase.yaml", STUB_STEP_SECONDS="0.05", STUB_LOSS="4.0",
                              GPUPLAN_CODE="alone gate/code", GPUPLAN_RUNS="elsewhere").whole(where=cls.work)

    def wait(self, case, what, ready, seconds=60):
        deadline = time.monotonic() + seconds
        while not ready():
            if time.monotonic() > deadline:
                self.fail(f"{what}: not after {seconds} s\n{case.everything()}\n{self.cluster.run('scontrol', 'show', 'job')}\n"
                          f"{(self.cluster.folder / 'slurmctld.log').read_text()[-6000:]}")
            time.sleep(0.2)

    def back_in_the_queue(self, case, slug):
        """After the job has been put back: Slurm lets it start two minutes later, which nobody here waits for. At once is
        too early: "Job credential revoked" ends the job where it starts in the second in which it was stopped."""
        self.wait(case, "back in the queue", lambda: case.state(slug) == "PENDING")
        time.sleep(3)
        case.change(slug, TimeLimit=30, StartTime="now")

    def test_gate_closed(self):
        case = self.gate
        self.wait(case, "the gate", lambda: (case.folder / "runs/02-train/gate-closed").exists())
        self.wait(case, "end of the job", lambda: case.state("02-train") == "FAILED")
        self.assertEqual(case.facts("02-train")["ExitCode"], "6:0")
        self.wait(case, "end of what needs it", lambda: case.state("03-evaluate") == "CANCELLED")
        self.assertFalse((case.folder / "runs/03-evaluate").exists())

    def test_cancelled_stays_cancelled(self):
        case = self.cancelled
        self.wait(case, "steps", lambda: "step 00000" in case.text("runs/02-train/log.txt"))
        self.cluster.run("scancel", case.jobs["02-train"])
        self.wait(case, "its end", lambda: case.state("02-train") == "CANCELLED")
        time.sleep(3)
        self.assertEqual(case.state("02-train"), "CANCELLED", case.everything())
        self.assertEqual(case.facts("02-train")["Restarts"], "0")
        self.assertEqual(case.state("03-evaluate"), "CANCELLED")

    def test_step_by_hand(self):
        case = self.hand
        self.assertIn("then: scontrol release " + case.jobs["02-train"], case.said)
        self.assertIn("$(touch injected) look", case.said)
        self.assertEqual(case.facts("02-train")["Reason"], "JobHeldUser")
        # Released too early it says what is missing, and is held again; what needs it still waits.
        self.cluster.run("scontrol", "release", case.jobs["02-train"])
        self.wait(case, "held again", lambda: "held, with the jobs that need it" in case.output("02-train"))
        self.wait(case, "in the queue again", lambda: case.state("02-train") == "PENDING")
        self.assertEqual(case.state("03-evaluate"), "PENDING")
        (case.folder / "runs/02-train/prepared").touch()
        time.sleep(3)
        self.cluster.run("scontrol", "release", case.jobs["02-train"])
        case.change("02-train", StartTime="now")
        self.wait(case, "the end", lambda: (case.folder / "runs/03-evaluate/done").exists(), 90)
        self.assertEqual(list(case.folder.glob("**/injected")), [])

    def test_time_limit(self):
        case = self.limit
        train, evaluate = case.folder / "runs/02-train", case.folder / "runs/03-evaluate"
        self.assertIn("runs here, now", case.said)
        self.assertTrue((case.folder / "runs/01-words/done").exists())
        self.assertEqual(case.text("code/words.txt"), "these are the words\n")
        # Slurm's own signal comes before the limit; the work writes its checkpoint and the job goes back.
        self.wait(case, "the signal", lambda: "told to stop (USR1)" in case.output("02-train"), 110)
        self.back_in_the_queue(case, "02-train")
        self.assertEqual(case.state("03-evaluate"), "PENDING")
        self.assertFalse(evaluate.exists())
        self.wait(case, "the end", lambda: (evaluate / "done").exists(), 90)
        log = case.text("runs/02-train/log.txt")
        written = re.search(r"^checkpoint of step (\d+)$", log, re.M)
        self.assertIsNotNone(written, case.everything())
        self.assertIn(f"resumed from the checkpoint of step {written[1]}\n", log)
        self.assertEqual(log.count("step 00000/"), 1, "it began anew")
        self.assertIn(f"machines: 1 folder: {case.folder / 'code'}", log)
        self.assertIn("start 2", case.output("02-train"))
        self.assertLessEqual((train / "done").stat().st_mtime, (evaluate / "log.txt").stat().st_mtime)
        self.wait(case, "states", lambda: case.state("03-evaluate") == "COMPLETED")
        self.assertEqual(case.state("02-train"), "COMPLETED")
        # Handed in again, nothing is left to do.
        case.submit()
        self.assertEqual(case.jobs, {})
        self.assertEqual(case.said.count("done already"), 3)

    def test_one_script_until_its_time_limit_and_on(self):
        case = self.alone
        self.wait(case, "the signal", lambda: "told to stop (USR1)" in case.output("01-train"), 110)
        self.back_in_the_queue(case, "01-train")
        self.wait(case, "the end", lambda: (case.folder / "runs/01-train/done").exists(), 90)
        log = case.text("runs/01-train/log.txt")
        written = re.search(r"^checkpoint of step (\d+)$", log, re.M)
        self.assertIsNotNone(written, case.everything())
        self.assertIn(f"resumed from the checkpoint of step {written[1]}\n", log)
        self.assertEqual(log.count("step 00000/"), 1, "it began anew")
        self.assertIn(f"machines: 1 folder: {case.folder / 'code'}", log)
        self.assertIn("start 2", case.output("01-train"))
        self.wait(case, "its state", lambda: case.state("01-train") == "COMPLETED")
        self.assertIn("loss < 3", case.text("runs/01-train/check.txt"))
        case.whole()
        self.wait(case, "its state", lambda: case.state("01-train") == "COMPLETED")
        self.assertIn("done already", case.output("01-train"))

    def test_one_script_from_elsewhere_and_its_gate(self):
        case = self.alone_gate
        self.assertEqual(case.facts("01-train")["JobName"], "one-phase")
        self.wait(case, "its state", lambda: case.state("01-train") == "FAILED")
        self.assertEqual(case.facts("01-train")["ExitCode"], "6:0")
        self.assertTrue((self.work / "elsewhere/01-train/gate-closed").exists())
        self.assertFalse((case.folder / "runs").exists())

    def test_a_trial(self):
        # One that is one script, and one of two jobs; both are handed in, stopped, resumed and judged from outside.
        command = "phases.train.command=torchrun --nproc_per_node={gpus} train.py --steps={steps} --out={checkpoints}"
        trials = []
        for job, settings in (("one-phase.yaml", ["--set", command]), ("two-trainings.yaml", [])):
            case = Submitted(self.cluster, job, self.work / ("trial " + job), "--smoke", *settings, STUB_STEPS="6",
                             STUB_STEP_SECONDS="2", GPUPLAN_SMOKE_STOP="3", GPUPLAN_SMOKE_SECONDS="180")
            case.trial = subprocess.Popen(["bash", "smoke.sh"], cwd=case.folder, env=case.environment, stdout=subprocess.PIPE,
                                          stderr=subprocess.STDOUT, text=True)
            case.said, case.jobs = "", {}
            trials.append(case)
        one, two = trials
        for case, slug, name in ((one, "01-train", "one-phase-smoke"), (two, "01-first", "two-trainings-smoke-01-first"),
                                 (two, "02-second", "two-trainings-smoke-02-second")):
            self.wait(case, "its job", lambda name=name: self.cluster.run("squeue", "-h", f"--name={name}") != "")
            case.jobs[slug] = self.cluster.run("squeue", "-h", f"--name={name}", "-o", "%i").strip()
            self.wait(case, "the stop", lambda case=case, slug=slug: "told to stop (USR1)" in case.output(slug), 110)
            self.back_in_the_queue(case, slug)
        for case, phases in ((one, 1), (two, 2)):
            said, _ = case.trial.communicate(timeout=180)
            stages = [("PASS", stage) for stage in ("setup", "training", "stop", "resume", "check", "gate")]
            self.assertEqual(re.findall(r"^(PASS|FAIL|SKIP) +(\S+)", said, re.M), stages * phases, said + case.everything())
            self.assertEqual(case.trial.returncode, 0)

    def test_one_script_outside_of_slurm(self):
        case = self.alone
        done = subprocess.run(["bash", str(next(case.folder.glob("*.sh")))], env=case.environment, text=True, capture_output=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("this is a job for Slurm: sbatch train_2xH100_SXM.sh", done.stderr)

    def test_two_machines(self):
        case = self.machines.whole("--partition=gpu")
        logs = "runs/01-train/log.txt", "runs/01-train/log-1.txt"
        for log in logs:
            self.wait(case, log, lambda log=log: "step 00001" in case.text(log), 200)
            self.assertIn("GPUs: 0,1,2,3 machines: 2", case.text(log))
            self.assertIn("--nnodes=2 --nproc_per_node=4", case.text(log))
        self.cluster.run("scancel", "--batch", "--signal=USR1", case.jobs["01-train"])
        self.back_in_the_queue(case, "01-train")
        self.wait(case, "the end", lambda: (case.folder / "runs/01-train/done").exists(), 90)
        for log in logs:
            self.assertIn("resumed from the checkpoint", case.text(log))
        self.wait(case, "its state", lambda: case.state("01-train") == "COMPLETED")


if __name__ == "__main__":
    if missing := slurm.missing_programs():
        sys.exit(missing)
    if reason := slurm.reason_against():
        print(f"skipped {reason}")
        sys.exit(0)
    program.main(__doc__)
