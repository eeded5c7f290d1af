#!/usr/bin/env python3
"""gpuplan launch: what is written for every example, and what validators make of it; tests/cli/launch_test.cpp has the
choice of the plan and what is refused.

    tests/cli/launch_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import shutil
from pathlib import Path

from launch_folder import Folder
from program import EXAMPLES, main, run


class Writing(Folder):
    def shellcheck_that_remembers(self):
        """A folder with one: the same library lies beside the scripts of every example."""
        stubs = self.folder / "stubs"
        stubs.mkdir()
        if shutil.which("shellcheck"):
            stub = stubs / "shellcheck"
            stub.write_text('#!/bin/sh\nfor file; do :; done\nseen="$0-$3-$(sha256sum <"$file" | cut -c1-64)"\n'
                            '[ -e "$seen" ] || { /usr/bin/shellcheck "$@" && : >"$seen"; }\n')
            stub.chmod(0o755)
        return stubs

    def test_every_example_and_its_shell(self):
        path = f"{self.shellcheck_that_remembers()}:/usr/bin:/bin"
        for example in EXAMPLES:
            with self.subTest(example=example):
                self.out = self.folder / Path(example).stem
                done = run("launch", example, "--to", "bash", "-o", str(self.out), "--check", "--json", PATH=path)
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


class Choice(Folder):
    def test_all_twelve_scripts_of_the_nanochat_guide(self):
        done = run("launch", "examples/trm-nanochat.yaml", "--to", "bash", "-o", str(self.out), "--plan", "all")
        self.assertEqual(done.returncode, 0, done.stderr)
        scripts = sorted(path.relative_to(self.out) for path in self.out.glob("*/phases/0*.sh"))
        self.assertEqual(len(scripts), 12)
        batches = {}
        index = (self.out / "README.md").read_text()
        for folder in sorted(path for path in self.out.iterdir() if path.is_dir()):
            self.assertRegex(index, rf"\n\| \w+ \| .+ \| .+ h.* \| .+ \| .+ \| `{re.escape(folder.name)}/` \|\n")
            self.assertIn(f"\n    cd {folder.name}\n    GPUPLAN_CODE=~/PROGRAM bash run.sh", index)
            for phase in ("01-validate", "02-produce"):
                command = (folder / "phases" / phase / "command.sh").read_text()
                gpus = int(re.search(r"--nproc_per_node=(\d+)", command).group(1))
                micro = int(re.search(r"--device_batch_size=(\d+)", command).group(1))
                self.assertEqual(524288 % (gpus * micro * 2048), 0, command)
                batches[folder.name, phase] = gpus * micro
        self.assertEqual(len(batches), 12)


def warnings_of(text):
    """What stands after "! " in the output of plan, its lines joined."""
    found = re.findall(r"^  ! (.*(?:\n    \S.*)*)", text, re.M)
    return [re.sub(r"\s+", " ", one) for one in found]


class Warnings(Folder):
    JOBS = (
        # Beyond the context that the weights were published for; a GPU that the software left behind.
        "phases: [{name: a, train: {model: TinyLlama-1.1B, framework: torch, sequence: 4096, batch: 64, data: {tokens: 100M}}}]\nwhere: {gpus: [1x RTX 4090]}\n",
        "market: {use: only, offers: [{gpu: V100 16GB, gpus: 1, price: $1/h}]}\n"
        "phases: [{name: a, train: {model: gpt2, framework: torch, sequence: 512, batch: 64, data: {tokens: 100M}}}]\n",
        "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $2/h}]}\nwhere: {disk: 20 GB}\n"
        "phases: [{name: a, train: {model: Qwen/Qwen2.5-7B, method: lora, framework: hf-trainer, sequence: 512, batch: 64, data: {samples: 1000}}}, "
        "{name: b, needs: [a], train: {model: gpt2, framework: torch, sequence: 1024, batch: 64, data: {tokens: 10M}}}]\n")

    def test_a_cluster_of_ones_own_is_not_at_the_price_of_a_provider(self):
        rented = self.JOBS[-1]
        pool = rented.replace("offers: [{gpu: H100 SXM, gpus: 1, price: $2/h}]",
                              "pools: [{name: ours, gpu: 8x H100 SXM, price: $2/h}]")
        self.assertNotEqual(pool, rented)
        for launcher in ("kubernetes", "slurm", "bash"):
            for job in (rented, pool):
                shutil.rmtree(self.out, ignore_errors=True)
                done = run("launch", "-", "--to", launcher, "-o", str(self.out), "--json", "--allow-tight", stdin=job.encode())
                self.assertEqual(done.returncode, 0, done.stderr)
                told = any(note.startswith("The cost is assumed") for note in json.loads(done.stdout)["folders"][0]["notes"])
                self.assertEqual(told, launcher != "bash" and job is rented, (launcher, job))

    def test_what_plan_warns_of_stands_in_what_is_written(self):
        met = 0
        for job in self.JOBS:
            with self.subTest(job=job):
                shutil.rmtree(self.out, ignore_errors=True)
                warned = warnings_of(run("plan", "-", stdin=job.encode()).stdout)
                done = run("launch", "-", "--to", "bash", "-o", str(self.out), "--json", "--allow-tight", stdin=job.encode())
                self.assertEqual(done.returncode, 0, done.stderr)
                notes = json.loads(done.stdout)["folders"][0]["notes"]
                readme = (self.out / "README.md").read_text(encoding="utf-8").replace("\\", "")
                scripts = "".join(path.read_text(encoding="utf-8") for path in self.out.glob("*.sh"))
                for line in warned:
                    self.assertIn(line, notes)
                    self.assertIn(line, readme)
                    if job.count("{name:") == 1:
                        self.assertIn(f"\n# {line}\n", scripts)
                met += len(warned)
        self.assertGreaterEqual(met, 2)

    def test_runpod_says_why_it_has_no_spot(self):
        job = "phases: [{name: a, train: {model: gpt2, framework: torch, sequence: 512, batch: 64, data: {tokens: 100M}}}]\nmarket: {use: only, offers: [{gpu: %s, gpus: 1, price: $2/h, spot_price: $1/h, provider: %s}]}\n"
        for gpu in ("H100 SXM", "A100 SXM 40GB"):
            done = run("launch", "-", "--to", "runpod", "--spot", "only", "-o", str(self.out), stdin=(job % (gpu, "gcp")).encode())
            self.assertEqual(done.returncode, 5)
            self.assertIn("a spot price of gcp, for want of one of RunPod, where runpodctl rents only on demand", done.stderr)
        done = run("launch", "-", "--to", "runpod", "--spot", "only", "-o", str(self.out), stdin=(job % ("H100 SXM", "runpod")).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the plan uses spot, but runpodctl rents only on demand", re.sub(r"\s+", " ", done.stdout))


if __name__ == "__main__":
    main(__doc__)
