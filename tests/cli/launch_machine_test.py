#!/usr/bin/env python3
"""What a phase's script looks for on the machine that it starts on: the GPUs of its plan, and room on the disk.

    tests/cli/launch_machine_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

from launch_folder import scripts_of
from launch_work_test import GPT2, LLAMA, SAMPLES, TEMPLATES, TOKENS, Folder, training_job
from program import main


class OnMachine(unittest.TestCase):
    """Functions of lib.sh, on a machine whose programs are ours."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        (self.place / "bin").mkdir()
        (self.place / "run").mkdir()

    def program(self, name, text):
        path = self.place / "bin" / name
        path.write_text("#!/bin/bash\n" + text + "\n")
        path.chmod(0o755)

    def bash(self, lines, **environment):
        done = subprocess.run(["bash", "-c", f"set -uo pipefail\nsource {TEMPLATES / 'lib.sh'}\nslug=t\n{lines}"], capture_output=True,
                              text=True, timeout=60, check=False, env={"PATH": f"{self.place / 'bin'}:/usr/bin:/bin", "HOME": str(self.place),
                                                                       "GPUPLAN_RUN_DIR": str(self.place / "run"), **environment})
        return done.returncode, done.stdout.strip(), done.stderr


class Gpus(OnMachine):
    """A plan for fewer GPUs than the machine has takes the first ones, and no program sees others."""

    LOOK = ("gpus=2; gpu_mib=100; gpu_name=X\ncheck_gpus\n"
            "env | grep VISIBLE | sort | paste -sd ' '")

    def seen(self, **environment):
        code, said, problem = self.bash(self.LOOK, **environment)
        self.assertEqual(code, 0, problem)
        return said

    def test_the_first_ones_of_nvidia(self):
        self.program("nvidia-smi", 'case $* in *--list-gpus*) for at in 0 1 2 3; do echo "GPU $at: H100"; done ;; *) echo "H100, 81559" ;; esac')
        self.assertEqual(self.seen(), "CUDA_VISIBLE_DEVICES=0,1")
        self.assertEqual(self.seen(CUDA_VISIBLE_DEVICES="3,1,2"), "CUDA_VISIBLE_DEVICES=3,1")
        self.assertEqual(self.seen(CUDA_VISIBLE_DEVICES="GPU-a,GPU-b"), "CUDA_VISIBLE_DEVICES=GPU-a,GPU-b")
        code, _, problem = self.bash(self.LOOK, CUDA_VISIBLE_DEVICES="2")
        self.assertEqual(code, 78)
        self.assertIn("shows 1 GPUs and the plan uses 2", problem)

    def test_the_first_ones_of_amd(self):
        """HIP's own variable counts before CUDA's: it is the one to shorten."""
        rows = "".join(f"card{at},206141652992,300000\\n" for at in range(4))
        self.program("rocm-smi", f"printf 'device,VRAM Total Memory (B),VRAM Total Used Memory (B)\\n{rows}'")
        self.program("nvidia-smi", "exit 9")
        (self.place / "bin" / "nvidia-smi").unlink()
        self.assertEqual(self.seen(), "CUDA_VISIBLE_DEVICES=0,1")
        self.assertEqual(self.seen(HIP_VISIBLE_DEVICES="4,5,6"), "HIP_VISIBLE_DEVICES=4,5")
        self.assertEqual(self.seen(ROCR_VISIBLE_DEVICES="1,2,3"), "ROCR_VISIBLE_DEVICES=1,2")


class Disk(OnMachine):
    """Before anything is fetched."""

    PARTS = ("run|||2000|checkpoints", "hub|MODEL|owner/name|3000|weights", "hub|DATA||500|data", "hub|||100|tokens of the data")

    def room(self, mib, *parts, **environment):
        self.program("df", f"echo Avail; echo {mib * 1024}")
        words = " ".join(f"'{part}'" for part in parts or self.PARTS)
        return self.bash(f"disk=({words})\ncheck_disk && echo room", **environment)

    def test_what_the_plan_writes_has_to_fit(self):
        self.assertEqual(self.room(5601)[:2], (0, "room"))
        code, _, said = self.room(5590)
        self.assertEqual(code, 78)
        self.assertIn(f"the disk of {self.place / 'run'} has 5 GB for what the plan writes there", said)
        self.assertIn("checkpoints 2 GB, weights 3 GB, data 0 GB, tokens of the data 0 GB", said)
        self.assertEqual(self.room(1, GPUPLAN_DISK="0")[:2], (0, "room"))

    def test_what_is_there_needs_no_room(self):
        self.assertEqual(self.room(2601, MODEL=str(self.place))[0], 0)
        self.assertEqual(self.room(2101, MODEL=str(self.place), DATA=str(self.place))[0], 0)
        self.assertEqual(self.room(2090, MODEL=str(self.place), DATA=str(self.place))[0], 78)
        self.assertEqual(self.room(5590, MODEL="another/name", DATA="owner/rows")[0], 78)
        (self.place / ".cache/huggingface/hub/models--owner--name").mkdir(parents=True)
        self.assertEqual(self.room(2601)[0], 0)
        self.assertEqual(self.room(2590)[0], 78)

    def test_machines_that_share_the_runs_fill_one_disk(self):
        parts = ("run|||2000|checkpoints|4", "run|||500|results", "hub|DATA||100|data")
        self.assertEqual(self.room(8601, *parts)[:2], (0, "room"))
        code, _, said = self.room(8590, *parts)
        self.assertEqual(code, 78)
        self.assertIn("checkpoints 8 GB, results 0 GB", said)
        # Machines of dstack have disks of their own.
        self.assertEqual(self.room(2601, *parts, GPUPLAN_WAIT="0")[:2], (0, "room"))
        self.assertEqual(self.room(2590, *parts, GPUPLAN_WAIT="0")[0], 78)

    def test_started_again_it_needs_what_is_left(self):
        (self.place / "run" / "starts").write_text("1 0\n")
        self.assertEqual(self.room(1990)[0], 78)
        with (self.place / "run" / "checkpoint").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, 30 << 20)
        self.assertEqual(self.room(1971)[0], 0)

    def test_disks_that_tell_no_room_are_let_alone(self):
        for text in ("exit 1", "echo Avail; echo 0", "echo Avail; echo -"):
            self.program("df", text)
            self.assertEqual(self.bash("disk=('run|||9000|checkpoints')\ncheck_disk && echo room")[:2], (0, "room"))
        self.assertEqual(self.bash("disk=()\ncheck_disk && echo room")[:2], (0, "room"))


class Torch(OnMachine):
    """Wheels that the driver runs: those of PyPI are for CUDA 13, and under a driver for 12 torch would see no GPU."""

    def chosen(self, driver, capability, words=""):
        self.program("nvidia-smi", f"case $* in *compute_cap*) printf '{capability}\\n{capability}\\n' ;; "
                                   f"*) echo '| NVIDIA-SMI 550.1   Driver Version: 550.1   {driver} |' ;; esac")
        code, said, problem = self.bash(f"set -e\n. {TEMPLATES / 'torch_index.sh'} {words}\necho \"index ${{PIP_EXTRA_INDEX_URL:-}} ${{PIP_CONSTRAINT:-}}\"")
        self.assertEqual(code, 0, problem)
        return said.splitlines()[-1].removeprefix("index").strip()

    def test_by_driver_and_gpu(self):
        self.assertEqual(self.chosen("CUDA Version: 12.4", "9.0"), "https://download.pytorch.org/whl/cu126")
        self.assertEqual(self.chosen("CUDA Version: 13.0", "9.0"), "")
        self.assertEqual(self.chosen("CUDA UMD Version: 13.2", "12.0"), "")
        constraint = self.place / "run" / "torch.txt"
        self.assertEqual(self.chosen("CUDA Version: 12.8", "10.0"), f"https://download.pytorch.org/whl/cu128 {constraint}")
        self.assertEqual(constraint.read_text(), "torch<2.11\n")
        (self.place / "bin" / "nvidia-smi").unlink()
        self.assertEqual(self.bash(f"set -e\n. {TEMPLATES / 'torch_index.sh'}\necho on")[:2], (0, "on"))

    def test_vllm_is_one_that_the_driver_runs(self):
        """Its wheels hold binaries for one CUDA: with another torch beside them they would not load."""
        constraint = self.place / "run" / "torch.txt"
        self.program("python3", "exit 1")  # no vLLM here
        for capability in ("9.0", "10.0"):
            self.assertEqual(self.chosen("CUDA Version: 12.8", capability, "vllm"), str(constraint))
            self.assertEqual(constraint.read_text(), "torch<2.11\n")
        self.assertEqual(self.chosen("CUDA Version: 13.0", "9.0", "vllm"), "")
        self.program("python3", "exit 0")
        self.assertEqual(self.chosen("CUDA Version: 12.8", "9.0", "vllm"), "", "what is here stays")

    def test_scripts_look_for_it_where_pip_brings_torch(self):
        for framework, model, data, looks in (("hf-trainer", LLAMA, SAMPLES, True), ("torchtitan", LLAMA, TOKENS, True), ("axolotl", LLAMA, SAMPLES, True),
                                              ("megatron", GPT2, TOKENS, False)):
            folder = Folder("-", stdin=training_job(framework, model, data, 8, 1, "").encode())
            self.addCleanup(folder.__exit__)
            script = scripts_of(folder.path)[0].read_text(encoding="utf-8")
            self.assertEqual('. "$GPUPLAN_FILES/torch_index.sh"' in script, looks, framework)


class Prepared(OnMachine):
    """A machine is prepared once, for one Python, for as long as what was installed is there."""

    PREPARE = "job_slug=j\nprepare() {\n  python3 -m pip install --quiet 'wheel-of-a-test>=2,<3' --index-url https://pip.example/x\n}\nprepare_machine"

    def prepared(self, prefix="/usr", installed=True):
        known = "sys.exit(0)" if installed else "sys.exit(9)"
        self.program("python3", f'case "$*" in "-m pip"*) echo installed >>{self.place}/done ;; *sys.prefix*) echo {prefix} ;; '
                                f'*) exec /usr/bin/python3 -c "import sys; {known}" ;; esac')
        code, _, problem = self.bash("GPUPLAN_NODE_RANK=0\n" + self.PREPARE)
        self.assertEqual(code, 0, problem)
        return (self.place / "done").read_text().count("installed")

    def test_once_for_each_python_and_again_where_packages_are_gone(self):
        self.assertEqual([self.prepared(), self.prepared(), self.prepared("/venv"), self.prepared("/venv"),
                          self.prepared("/venv", installed=False), self.prepared()], [1, 1, 2, 2, 3, 3])

    def test_packages_are_asked_by_their_names(self):
        site = self.place / "site"
        for name in ("wheel_of_a_test", "Other.One"):
            (site / f"{name}-2.1.dist-info").mkdir(parents=True)
            (site / f"{name}-2.1.dist-info" / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 2.1\n")
        ask = "prepare() {\n%s\n}\npackages_there && echo there || echo gone"
        for lines, there in (("python3 -m pip install --quiet 'wheel-of-a-test[x]>=2,<3' 'other-one'", "there"),
                             ("python3 -m pip install --quiet 'wheel-of-a-test>=2' 'nothing-of-a-test>=1'", "gone"),
                             ("python3 -c 'import x' 2>/dev/null || python3 -m pip install --quiet --index-url https://a.b/c 'nothing-of-a-test'", "gone"),
                             ("python3 -m pip install --quiet --no-build-isolation 'other-one'; echo 'it is here' >&2", "there"),
                             ("bash \"$GPUPLAN_FILES/setup.sh\"\npython3 -m pip install --quiet -e \"$GPUPLAN_CODE/x\"", "there")):
            self.assertEqual(self.bash(ask % lines, PYTHONPATH=str(site))[:2], (0, there), lines)

    def test_programs_of_a_user_are_found(self):
        """pip installs for the user where it may not write beside Python; trl and accelerate then lie off the PATH."""
        base = self.place / "base"
        (base / "bin").mkdir(parents=True)
        found = self.bash("see_programs\nsee_programs\necho $PATH", PYTHONUSERBASE=str(base))[1].split(":")
        self.assertEqual((found[0], found.count(f"{base}/bin")), (f"{base}/bin", 1))
        self.assertNotIn(f"{base}/bin", self.bash("see_programs\necho $PATH", PYTHONUSERBASE=str(base), PYTHONNOUSERSITE="1")[1])


class Planned(unittest.TestCase):
    """What the scripts look for is what the plan has, and what programs make of the data."""

    def parts(self, *case, **more):
        folder = Folder("-", stdin=training_job(*case, **more).encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        script = scripts_of(folder.path)[0].read_text(encoding="utf-8")
        found = re.search(r"^disk=\((.*)\)$", script, re.M).group(1)
        entries = [entry.strip("'").split("|") for entry in found.split()] if "of the data" not in found else [
            entry.split("|") for entry in re.findall(r"'([^']*)'|(\S+)", found) for entry in entry if entry]
        plan = json.loads((folder.path / "plan.json").read_text(encoding="utf-8"))["plans"][0]["phases"][0]
        return {entry[4]: (entry[0], entry[1], entry[2], int(entry[3])) for entry in entries}, plan, script

    def test_figures_of_the_plan(self):
        parts, plan, script = self.parts("hf-trainer", LLAMA, SAMPLES, 8, 1, "method: lora")
        self.assertEqual(parts["weights"][:3], ("hub", "MODEL", LLAMA))
        self.assertAlmostEqual(parts["weights"][3] * 2**20 / 1e9, plan["bytes"]["weights_gb"], delta=0.1)
        self.assertEqual(parts["data"][1], "DATA")
        # 20k samples of 300 tokens: 48 bytes each, and the rows once more.
        self.assertAlmostEqual(parts["tokens of the data"][3] * 2**20 / 1e6, 20000 * 300 * 48 / 1e6 + plan["bytes"]["data_gb"] * 1e3, delta=2)
        self.assertRegex(script, r"# disk       [\d.]+ [GT]B: .*weights [\d.]+ GB")

    def test_as_many_checkpoints_as_lie_there_at_once(self):
        parts, _, script = self.parts("torch", GPT2, TOKENS, 8, 1, "")
        each = float(re.search(r"# checkpoint every [\d,]+ steps, ([\d.]+) GiB each", script).group(1))
        self.assertAlmostEqual(parts["checkpoints"][3] / 1024, 4 * each, delta=0.1)  # keep: 3, and the next one
        self.assertNotIn("tokens of the data", parts, "it reads rows as they come")
        self.assertNotIn("weights", parts, "it begins with none")

    def test_machines_that_write_parts(self):
        whole, _, _ = self.parts("torch", LLAMA, TOKENS, 8, 1, "parallel: zero3", gpu="B200")
        _, _, script = self.parts("torch", LLAMA, TOKENS, 8, 2, "parallel: zero3", gpu="B200")
        mib, machines = map(int, re.search(r"run\|\|\|(\d+)\|checkpoints\|(\d+)", script).groups())
        self.assertEqual(machines, 2)
        self.assertAlmostEqual(mib * machines / whole["checkpoints"][3], 1, delta=0.01)

    def test_a_model_that_is_joined_lies_there_twice(self):
        """torchtitan's parts stay until they are joined; train.py of the torch framework leaves fp32 weights."""
        results = {name: self.parts(name, LLAMA, TOKENS, 8, 1, "parallel: zero3", gpu="B200")[0]["results"][3]
                   for name in ("torch", "torchtitan", "hf-trainer")}
        self.assertAlmostEqual(results["torchtitan"] / results["hf-trainer"], 2, delta=0.01)
        self.assertAlmostEqual(results["torch"] / results["hf-trainer"], 2, delta=0.01)

    def test_an_address_that_nothing_serves_takes_no_checkpoints_away(self):
        job = training_job("torch", GPT2, TOKENS, 8, 1, "")
        found = []
        for to in ("", ", to: 's3://my-bucket/ck'"):
            folder = Folder("-", stdin=job.replace("steps, keep: 3", f"steps, keep: 3{to}").encode())
            self.addCleanup(folder.__exit__)
            script = scripts_of(folder.path)[0].read_text(encoding="utf-8")
            found.append(re.search(r"^disk=.*$", script, re.M).group(0))
            note = "Nothing copies checkpoints to s3://my-bucket/ck" in (folder.path / "README.md").read_text(encoding="utf-8")
            self.assertEqual(note, bool(to))
        self.assertIn("checkpoints", found[0])
        self.assertEqual(found[0], found[1])

    def test_what_lies_there_before(self):
        for framework in ("megatron", "nanogpt"):
            parts, _, _ = self.parts(framework, GPT2, TOKENS, 8, 1, "")
            self.assertEqual(sorted(parts), ["checkpoints", "results"])
        parts, _, _ = self.parts("nanochat", "{layers: 20, hidden: 1280, vocab: 65536, gated_mlp: false}", TOKENS, 8, 1, "")
        self.assertEqual(parts["data"][0], "nanochat")
        self.assertGreater(parts["data"][3], 3000)  # 40 shards of 100 MB

    def test_processes_wait_for_the_one_that_makes_tokens(self):
        """Half an hour is torch's own patience, and tokens of much data take longer."""
        folder = Folder("-", stdin=training_job("llama-factory", LLAMA, SAMPLES, 8, 1, "method: lora").encode())
        self.addCleanup(folder.__exit__)
        settings = yaml.safe_load(folder.files("llama_factory.yaml")[0].read_text(encoding="utf-8"))
        self.assertGreater(settings["ddp_timeout"], 86400)
        self.assertRegex((TEMPLATES / "train_trainer.py").read_text(encoding="utf-8"), r'"ddp_timeout": \d{6,},')


if __name__ == "__main__":
    main(__doc__)
