#!/usr/bin/env python3
"""Networks that are no plain language model of text, by their config.json: what launch writes for them is what the real
programs load, or the phase says what to do instead.

    tests/cli/launch_networks_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import shutil
import tempfile
import unittest
from pathlib import Path

import yaml

from launch_folder import scripts_of
from launch_work_test import SAMPLES, Folder, check_files, training_job
from program import main, run

LLAMA = {"model_type": "llama", "hidden_size": 2048, "intermediate_size": 8192, "num_hidden_layers": 16,
         "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
         "tie_word_embeddings": True, "torch_dtype": "bfloat16"}
CONFIGS = {
    "scores": {**LLAMA, "architectures": ["LlamaForSequenceClassification"], "id2label": {"0": "LABEL_0"}},
    "embeds": {**LLAMA, "architectures": ["LlamaModel"]},
    "mamba": {"model_type": "mamba", "architectures": ["MambaForCausalLM"], "hidden_size": 2560, "num_hidden_layers": 64,
              "state_size": 16, "vocab_size": 50280, "expand": 2, "conv_kernel": 4, "intermediate_size": 5120,
              "time_step_rank": 160},
    "sees": {**LLAMA, "model_type": "qwen2_vl", "architectures": ["Qwen2VLForConditionalGeneration"],
             "vision_config": {"depth": 32, "embed_dim": 1280, "mlp_ratio": 4, "num_heads": 16, "in_chans": 3,
                               "hidden_size": 2048, "patch_size": 14}},
}
GENERATE = """
market: {{use: only, offers: [{{gpu: H100 SXM, gpus: 1, price: $1/h}}]}}
phases:
  - name: answer
    generate:
      model: {model}
      data: {{samples: 1000, prompt_tokens: 200, new_tokens: 100}}
      engine: hf
      weights: {weights}
"""
PACKED = SAMPLES[:-1] + ", packing: true}"


class Networks(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.place)
        for name, config in CONFIGS.items():
            (self.place / f"{name}.json").write_text(json.dumps(config), encoding="utf-8")

    def job(self, framework, name, gpus, more="method: lora", data=SAMPLES):
        return training_job(framework, self.place / f"{name}.json", data, gpus, 1, more)

    def launched(self, job):
        folder = Folder("-", stdin=job.encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        check_files(self, folder)
        return folder

    def asked(self, job):
        """Why the phase waits for a command of the job."""
        script = scripts_of(self.launched(job).path, "01")[0].read_text(encoding="utf-8")
        self.assertIn("GPUPLAN_COMMAND", script)
        return script

    def settings(self, job):
        folder = self.launched(job)
        return (yaml.safe_load(folder.files("sft.yaml")[0].read_text(encoding="utf-8")),
                json.loads(folder.files("settings.json")[0].read_text(encoding="utf-8")))

    def test_what_says_no_tokens_is_loaded_by_no_script(self):
        for framework in ("torch", "hf-trainer", "axolotl", "llama-factory"):
            more = "method: lora" if framework != "torch" else ""
            self.assertIn("trl reward trains a reward model", self.asked(self.job(framework, "scores", 1, more)))
            self.assertIn("sentence-transformers trains it", self.asked(self.job(framework, "embeds", 1, more)))

    def test_states_have_no_fused_attention_and_few_places_for_adapters(self):
        settings, own = self.settings(self.job("hf-trainer", "mamba", 1))
        self.assertEqual((settings["attn_implementation"], settings["lora_target_modules"]), ("eager", ["in_proj"]))
        self.assertEqual(own["attention"]["implementation"], "eager")
        folder = self.launched(GENERATE.format(model=self.place / "mamba.json", weights="bf16"))
        model = json.loads(folder.files("settings.json")[0].read_text(encoding="utf-8"))["models"][0]
        self.assertEqual(model["attention"], "eager")

    def test_states_go_on_through_packed_samples(self):
        done = run("launch", "-", "--to", "bash", "-o", str(self.place / "out"),
                   stdin=self.job("hf-trainer", "mamba", 1, "", PACKED).encode())
        self.assertEqual((done.returncode, done.stderr.count("\n")), (5, 1), done.stderr)
        self.assertIn("64 state-space layers goes on from one packed sample into the next; set packing: false", done.stderr)

    def test_towers_are_left_alone(self):
        for gpus in (1, 8):
            settings, _ = self.settings(self.job("hf-trainer", "sees", gpus))
            self.assertEqual(settings["lora_target_modules"], [r".*language_model.*\.([a-z]+_proj)"])
        settings, _ = self.settings(self.job("hf-trainer", "sees", 1, "{method: lora, lora: {targets: [attention]}}"))
        self.assertEqual(settings["lora_target_modules"], [r".*language_model.*\.(q_proj|k_proj|v_proj|o_proj)"])
        self.assertIn("framework: axolotl or llama-factory", self.asked(self.job("hf-trainer", "sees", 8, "")))
        self.assertIn("loads models of text only", self.asked(self.job("torch", "sees", 8, "")))
        flash = "{method: lora, attention: flash2}"
        self.assertIn("set data: {packing: false}", self.asked(self.job("hf-trainer", "sees", 1, flash, PACKED)))
        self.assertNotIn("GPUPLAN_COMMAND", scripts_of(self.launched(self.job("llama-factory", "sees", 8)).path, "01")[0]
                         .read_text(encoding="utf-8"))
        for more, key, value in (("method: lora", "lora_target_modules", r".*language_model.*\.([a-z]+_proj)"),
                                 ("", "freeze_mm_modules", True)):
            settings = self.launched(self.job("axolotl", "sees", 8, more)).files("axolotl.yaml")[0]
            self.assertEqual(yaml.safe_load(settings.read_text(encoding="utf-8"))[key], value)

    def test_four_bit_weights_are_made_while_loading(self):
        """The program reads its settings by the names that they have."""
        folder = self.launched(GENERATE.format(model="Qwen/Qwen2.5-1.5B", weights="nf4"))
        self.assertFalse(json.loads(folder.files("settings.json")[0].read_text(encoding="utf-8"))["quantized"])


if __name__ == "__main__":
    main(__doc__)
