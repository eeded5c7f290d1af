#!/usr/bin/env python3
"""Phases that train what earlier ones have trained: the scripts run, with stand-ins for peft and transformers.

    tests/cli/launch_chain_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from launch_work_test import Folder
from program import main

JOB = """
market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}
phases:
  - {name: a, train: {model: meta-llama/Llama-3.2-1B, framework: hf-trainer, method: qlora, data: {samples: 1000}, sequence: 512, batch: 64}}
  - {name: b, needs: [a], train: {model: meta-llama/Llama-3.2-1B, framework: axolotl, method: lora, data: {samples: 1000}, sequence: 512, batch: 64}}
  - {name: c, needs: [b], train: {model: meta-llama/Llama-3.2-1B, framework: torch, data: {samples: 1000}, sequence: 512, batch: 64}}
  - {name: d, needs: [b], generate: {model: meta-llama/Llama-3.2-1B, data: {samples: 100, prompt_tokens: 100, new_tokens: 100}, engine: vllm}}
"""
SLUGS = {"a": "01-a", "b": "02-b", "c": "03-c", "d": "04-d"}
STUBS = {
    "peft.py": """
import pathlib
from types import SimpleNamespace
class PeftConfig:
    def from_pretrained(folder):
        return SimpleNamespace(base_model_name_or_path="base")
class PeftModel: pass
class AutoPeftModelForCausalLM:
    def from_pretrained(folder, **how):
        assert pathlib.Path(folder, "adapter_config.json").exists()
        return AutoPeftModelForCausalLM()
    def merge_and_unload(self):
        return self
    def save_pretrained(self, folder):
        pathlib.Path(folder).mkdir()
        pathlib.Path(folder, "model.safetensors").touch()
        pathlib.Path(folder, "config.json").write_text('{"rope_parameters": {"rope_type": "default", "rope_theta": 500000.0}}')
""",
    "transformers.py": """
import pathlib
__version__ = "5.6.0"
class AutoConfig:
    def from_pretrained(name):
        return AutoConfig()
class AutoModelForImageTextToText: pass
MODEL_FOR_CAUSAL_LM_MAPPING = {AutoConfig: None}
class AutoTokenizer:
    def from_pretrained(folder):
        return AutoTokenizer()
    def save_pretrained(self, folder):
        pathlib.Path(folder, "tokenizer.json").touch()
""",
    "huggingface_hub.py": """
class HfApi:
    def create_repo(self, *words, **more): pass
    def upload_folder(self, repo_id, folder_path, ignore_patterns): print("pushed", folder_path)
"""}


class Chain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = Folder("-", stdin=JOB.encode())
        assert cls.folder.done.returncode == 0, cls.folder.done.stderr

    @classmethod
    def tearDownClass(cls):
        cls.folder.__exit__()

    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)
        self.runs = self.place / "runs"
        for slug in SLUGS.values():
            (self.runs / slug).mkdir(parents=True)
        for name, text in STUBS.items():
            (self.place / name).write_text(text, encoding="utf-8")

    def left(self, phase, *files):
        final = self.runs / SLUGS[phase] / "final"
        final.mkdir(exist_ok=True)
        for name in files:
            (final / name).touch()

    def shell(self, phase, lines, **more):
        files = self.folder.path / "phases" / SLUGS[phase]
        return subprocess.run(["bash", "-c", "set -euo pipefail\n" + lines], capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.place), "PYTHONDONTWRITEBYTECODE": "1",
                                   "GPUPLAN_RUN_DIR": str(self.runs / SLUGS[phase]), "GPUPLAN_FILES": str(files), **more})

    def function(self, phase, name):
        script = (self.folder.path / "phases" / f"{SLUGS[phase]}.sh").read_text(encoding="utf-8")
        return re.search(rf"\n{name}\(\) {{\n(.*?)\n}}\n", script, re.S).group(1)

    def finish(self, phase, **more):
        done = self.shell(phase, self.function(phase, "finish"), **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def source(self, phase, **more):
        """What the phase's program loads."""
        if phase == "b":
            lines = [line for line in self.function("b", "work").splitlines() if re.match(r"\s*(model=|\[ ! -e .*model=|export GPUPLAN_BASE)", line)]
            done = self.shell(phase, "\n".join(lines) + '\necho "$GPUPLAN_BASE_MODEL"', **more)
        else:
            pick = 'SETTINGS["models"][0]' if phase == "d" else 'SETTINGS["model"]'
            done = self.shell(phase, f"cd \"$GPUPLAN_FILES\"; python3 -c 'from phase_parts import *; print(model_source({pick}))'", **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = Path(done.stdout.strip())
        return str(found.resolve().relative_to(self.runs)) if found.is_absolute() else str(found)

    def test_each_phase_starts_from_whole_weights(self):
        for phase in "bc":
            self.assertEqual(self.source(phase), "meta-llama/Llama-3.2-1B", "nothing has run")
        self.left("a", "adapter_config.json")
        self.assertIn("merged: ", self.finish("a"))
        self.assertEqual(self.source("b"), "01-a/merged")
        self.assertEqual(self.source("c"), "01-a/merged", "the nearest that is there")
        self.left("b", "adapter_config.json")
        self.finish("b")
        self.assertEqual(self.source("c"), "02-b/merged")
        self.assertEqual(self.source("d"), "02-b/final", "engines take adapters")
        self.assertTrue((self.runs / "02-b" / "merged" / "tokenizer.json").exists())
        config = json.loads((self.runs / "02-b" / "merged" / "config.json").read_text(encoding="utf-8"))
        self.assertEqual(config["rope_theta"], 500000.0, "axolotl merges with transformers 5, and c reads with 4")
        for phase in "bcd":
            own = f"MODEL_{SLUGS[phase].upper().replace('-', '_')}"
            self.assertEqual(self.source(phase, **{own: "mine"}), "mine")
            self.assertNotEqual(self.source(phase, MODEL="mine"), "mine", "MODEL is where the job begins")

    def test_adapters_that_nobody_merged_are_told_before_the_start(self):
        checks = self.function("c", "look_first")
        checks = checks[checks.index("for left in"):]

        def told(**more):
            done = self.shell("c", checks, **more)
            return done.returncode, done.stderr
        self.assertEqual(told(), (0, ""), "no phase has run: that is said elsewhere")
        self.left("a", "adapter_config.json")
        code, text = told()
        self.assertEqual(code, 78)
        self.assertIn("01-a left adapters in final that are not merged", text)
        self.assertEqual(told(MODEL_03_C="mine"), (0, ""))
        self.finish("a")
        self.assertEqual(told(), (0, ""))
        self.left("b", "adapter_config.json")
        self.assertEqual(told()[0], 78)
        (self.runs / "02-b" / "merged").mkdir()
        (self.runs / "01-a" / "merged").rename(self.place / "gone")
        self.assertEqual(told(), (0, ""), "what it does not start from may be gone")

    def test_what_is_pushed_is_what_was_asked_for(self):
        self.left("a", "adapter_config.json")
        self.assertIn("pushed " + str(self.runs / "01-a" / "final"), self.finish("a", PUSH_TO="me/mine"))
        self.assertIn("pushed " + str(self.runs / "01-a" / "merged"), self.finish("a", PUSH_TO="me/mine", MERGE="1"))
        self.left("c", "model.safetensors")
        self.assertEqual(self.finish("c"), "", "nothing to merge, and nobody asked")


if __name__ == "__main__":
    main(__doc__)
