#!/usr/bin/env python3
"""What launch writes for adapters, experts and shards of transformers' programs, and for GPUs that their newest wheels leave
out: each was read in their sources.

    tests/cli/launch_adapters_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from launch_folder import scripts_of
from launch_work_test import GPT2, LLAMA, SAMPLES, TEMPLATES, TOKENS, Folder, check_files, training_job
from program import main, run

MIXTRAL, QWEN_MOE = "mistralai/Mixtral-8x7B-v0.1", "Qwen/Qwen3-30B-A3B"


class Written(unittest.TestCase):
    def written(self, *case, **more):
        folder = Folder("-", stdin=training_job(*case, **more).encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        check_files(self, folder)
        return folder

    def read(self, folder, name):
        return next(folder.path.glob(f"phases/01-*/{name}")).read_text(encoding="utf-8")

    def script(self, folder):
        return scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")

    def fsdp(self, folder):
        return yaml.safe_load(self.read(folder, "accelerate.yaml"))["fsdp_config"]


class Fsdp(Written):
    def test_layers_are_named_for_both_versions(self):
        """accelerate and peft read the variable; without it they end at classes that a network lacks."""
        for framework, more, version in (("accelerate", "parallel: {sharding: zero3}", 2),
                                         ("accelerate", "{method: lora, parallel: {sharding: zero3}}", 2),
                                         ("hf-trainer", "{method: lora, parallel: {sharding: zero2}}", 2),
                                         ("hf-trainer", "{method: lora, parallel: {sharding: hsdp}}", 1)):
            folder = self.written(framework, LLAMA, SAMPLES, 8, 2, more)
            fsdp = self.fsdp(folder)
            self.assertEqual((fsdp["fsdp_version"], fsdp["fsdp_auto_wrap_policy"]), (version, "TRANSFORMER_BASED_WRAP"))
            script = self.script(folder)
            named = script.index('export FSDP_TRANSFORMER_CLS_TO_WRAP="$layers"')
            self.assertLess(script.index("layers=$(python3 "), named)
            self.assertLess(named, script.index("--num_processes"))
            self.assertTrue(self.read(folder, "wrapped_layers.py"))
            self.assertTrue(self.read(folder, "decoder_layers.py"))
        for more in ("method: lora", "parallel: {sharding: zero1}"):
            self.assertNotIn("FSDP_TRANSFORMER_CLS_TO_WRAP", self.script(self.written("accelerate", LLAMA, SAMPLES, 8, 1, more)))

    def test_axolotl_is_told_of_layers_copies_and_kept_weights(self):
        """Its own defaults would take classes that a network lacks, shards of one GPU, and zero3 for zero2."""
        for cut, nodes, keys in (("{dp: 16, sharding: hsdp}", 2, {"dp_shard_size": 8, "dp_replicate_size": 2}),
                                 ("{dp: 16, sharding: zero3}", 2, {}), ("{dp: 8, sharding: zero2}", 1, {})):
            folder = self.written("axolotl", LLAMA, SAMPLES, 8, nodes, "{method: lora, parallel: %s}" % cut)
            settings = yaml.safe_load(self.read(folder, "axolotl.yaml"))
            self.assertEqual({key: settings[key] for key in ("dp_shard_size", "dp_replicate_size") if key in settings}, keys)
            self.assertEqual(settings["fsdp_config"]["reshard_after_forward"], "zero2" not in cut)
            script = self.script(folder)
            starts = script.index("axolotl train ")
            self.assertLess(script.index('export FSDP_TRANSFORMER_CLS_TO_WRAP="$layers"'), starts)
            self.assertEqual(0 < script.find("export FSDP_RESHARD_AFTER_FORWARD=false") < starts, "zero2" in cut)
        folder = self.written("axolotl", LLAMA, SAMPLES, 8, 1, "{method: lora, parallel: {sharding: none}}")
        self.assertNotIn("FSDP_", self.script(folder))
        folder = self.written("axolotl", LLAMA, SAMPLES, 8, 1, "{master_weights: bf16, parallel: {tp: 8, sharding: zero3}}")
        settings = yaml.safe_load(self.read(folder, "axolotl.yaml"))
        self.assertEqual(settings["tensor_parallel_size"], 8)
        self.assertNotIn("fsdp_config", settings, "there is nobody to share weights with")
        self.assertNotIn("deepspeed", settings)

    def test_version_1_keeps_what_learns_apart_beside_adapters(self):
        for more, whole in (("{method: lora, parallel: {sharding: hsdp}}", False), ("parallel: {sharding: hsdp}", True)):
            fsdp = self.fsdp(self.written("accelerate", LLAMA, SAMPLES, 8, 2, more))
            self.assertEqual((fsdp["fsdp_version"], fsdp["fsdp_use_orig_params"]), (1, whole))

    def test_dropout_is_recomputed_with_the_same_mask(self):
        for args, by_fsdp in (("", True), (", args: {lora_dropout: 0.05}", False)):
            job = training_job("accelerate", LLAMA, SAMPLES, 8, 1,
                               "{method: lora, parallel: {sharding: zero3}, recompute: full}")
            folder = Folder("-", stdin=(job + (f"    args: {args[8:]}\n" if args else "")).encode())
            self.addCleanup(folder.__exit__)
            self.assertEqual(folder.done.returncode, 0, folder.done.stderr)
            self.assertEqual(self.fsdp(folder)["fsdp_activation_checkpointing"], by_fsdp)
            self.assertEqual(json.loads(self.read(folder, "settings.json"))["trainer_recomputes"], not by_fsdp)

    def test_axolotl_loads_the_weights_once(self):
        settings = yaml.safe_load(self.read(self.written("axolotl", LLAMA, SAMPLES, 8, 1, "{method: lora, parallel: {sharding: zero3}}"),
                                            "axolotl.yaml"))
        self.assertTrue(settings["fsdp_config"]["cpu_ram_efficient_loading"])

    FAKE = """
import contextlib, sys, types
sys.modules["torch"] = types.SimpleNamespace(device=lambda name: contextlib.nullcontext())
sys.modules["transformers"] = types.SimpleNamespace()
sys.modules["decoder_layers"] = types.SimpleNamespace(layers_of=lambda model: model.layers)
sys.modules["phase_parts"] = types.SimpleNamespace(SETTINGS={}, model_source=None)
import wrapped_layers
class GemmaLayer: _no_split_modules = None
class Tower: pass
class Model:
    def __init__(self, named, *parts):
        self._no_split_modules, self.layers = named, [part for part in parts if isinstance(part, GemmaLayer)]
        self.parts = parts
    def modules(self): return (self, *self.parts)
print(wrapped_layers.wrapped(Model(["GemmaLayer", "Tower", "Head"], GemmaLayer(), GemmaLayer())))
print(wrapped_layers.wrapped(Model(["GemmaLayer", "Tower", "Head"], GemmaLayer(), Tower())))
print(wrapped_layers.wrapped(Model(None, GemmaLayer(), Tower())))
"""

    def test_only_classes_that_the_network_has_are_named(self):
        done = subprocess.run([sys.executable, "-B", "-c", self.FAKE], cwd=TEMPLATES, capture_output=True, text=True, check=False)
        self.assertEqual((done.stdout.splitlines(), done.stderr), (["['GemmaLayer']", "['GemmaLayer', 'Tower']", "['GemmaLayer']"], ""))


class DeepSpeed(Written):
    """What it compiles when training starts: most images have no nvcc, and the hours until then are paid."""

    def ask(self, folder, *missing):
        """The first lines that look for compilers, on a machine without some."""
        script = self.script(folder)
        lines = [line for line in re.findall(r"^  (command -v .*DeepSpeed.*)$", script, re.M)]
        with tempfile.TemporaryDirectory() as place:
            for name in {"nvcc", "g++"} - set(missing):
                Path(place, name).write_text("#!/bin/sh\n")
                Path(place, name).chmod(0o755)
            done = subprocess.run(["/bin/bash", "-c", "\n".join(lines) + "\nexit 0"], capture_output=True, text=True, check=False,
                                  env={"PATH": place, "CUDA_HOME": "/nonexistent"})
        return len(lines), done.returncode, done.stderr

    def test_adamw_on_gpus_is_torchs(self):
        for framework in ("deepspeed", "hf-trainer"):
            more = "parallel: {sharding: %s}" % ("zero2" if framework == "deepspeed" else "zero1")
            folder = self.written(framework, GPT2, SAMPLES, 8, 1, more)
            self.assertNotIn("optimizer", json.loads(self.read(folder, "ds_config.json")))
            self.assertTrue(json.loads(self.read(folder, "ds_config.json"))["zero_allow_untested_optimizer"])
            self.assertEqual(self.ask(folder)[0], 0)

    def test_compilers_are_asked_for_where_it_needs_them(self):
        host = "parallel: {sharding: zero3}, offload: optimizer"
        for framework, more in (("deepspeed", "{%s}" % host), ("deepspeed", "optimizer: lamb"), ("llama-factory", "{%s}" % host),
                                ("axolotl", "{%s}" % host)):
            with self.subTest(framework=framework, more=more):
                folder = self.written(framework, GPT2, SAMPLES, 8, 1, more)
                self.assertEqual(self.ask(folder), (2, 0, ""))
                for missing in ("nvcc", "g++"):
                    _, code, said = self.ask(folder, missing)
                    self.assertEqual(code, 78)
                    self.assertIn(f"{missing} is not here, and DeepSpeed compiles its", said)
        folder = self.written("deepspeed", GPT2, SAMPLES, 8, 1, "{%s}" % host)
        self.assertEqual(json.loads(self.read(folder, "ds_config.json"))["optimizer"]["type"], "AdamW")


class Kept(unittest.TestCase):
    """finish_model.py: a model that learnt to converse remembers what ends its answers."""

    FAKE = """
import sys, types
class Tokenizer:
    eos_token, eos_token_id, all_special_tokens = "<end>", 0, ["<end>"]
    def __init__(self, folder): self.chat_template = "chatml"
    def get_added_vocab(self): return {"<|im_end|>": 7}
    def convert_tokens_to_ids(self, token): return {"<end>": 0, "<|im_end|>": 7}[token]
    def apply_chat_template(self, messages, tokenize): return "".join(m["content"] + "<|im_end|>" for m in messages)
sys.modules["transformers"] = types.SimpleNamespace(AutoTokenizer=types.SimpleNamespace(from_pretrained=Tokenizer))
import finish_model
sys.argv[1:] = ["answers"]
finish_model.main()
"""

    def kept(self, **files):
        with tempfile.TemporaryDirectory() as place:
            for name in ("phase_parts.py", "chat_template.py", "finish_model.py", "both_read.py"):
                Path(place, name).write_text((TEMPLATES / name).read_text(encoding="utf-8"), encoding="utf-8")
            Path(place, "settings.json").write_text("{}")
            final = Path(place, "final")
            final.mkdir()
            for name, what in files.items():
                (final / f"{name}.json").write_text(json.dumps(what))
            for _ in range(2):
                done = subprocess.run([sys.executable, "-B", "-c", self.FAKE], cwd=place, capture_output=True, text=True, check=False,
                                      env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place})
                self.assertEqual(done.returncode, 0, done.stderr)
            file = final / "generation_config.json"
            self.assertEqual(sorted(path.name for path in final.iterdir() if "draft" in path.name), [])
            return json.loads(file.read_text()) if file.exists() else None

    def test_the_end_of_an_answer_is_added_once(self):
        some = {"config": {"eos_token_id": 0, "bos_token_id": 1}, "tokenizer_config": {}}
        self.assertEqual(self.kept(**some, generation_config={"eos_token_id": 3, "top_p": 0.9}), {"eos_token_id": [3, 7], "top_p": 0.9})
        self.assertEqual(self.kept(**some, generation_config={"eos_token_id": [0, 7]}), {"eos_token_id": [0, 7]})
        self.assertEqual(self.kept(**some), {"bos_token_id": 1, "eos_token_id": [0, 7]})
        self.assertIsNone(self.kept(tokenizer_config={}, adapter_config={}), "what reads adapters asks their tokenizer")


class Experts(Written):
    def test_adapters_sit_where_the_plan_counts_them(self):
        """Attention, and what all tokens pass of the MLPs: not beside 128 experts."""
        for framework in ("accelerate", "hf-trainer"):
            folder = self.written(framework, QWEN_MOE, SAMPLES, 8, 1, "method: lora")
            pattern = json.loads(self.read(folder, "settings.json"))["lora"]["pattern"]
            if framework == "hf-trainer":
                self.assertEqual(yaml.safe_load(self.read(folder, "sft.yaml"))["lora_target_modules"], [pattern])
            layer = "model.layers.3."
            for name, taken in (("self_attn.q_proj", True), ("self_attn.o_proj", True), ("self_attn.kv_a_proj_with_mqa", True),
                                ("mlp.down_proj", True), ("mlp.shared_experts.up_proj", True), ("mlp.experts.7.up_proj", False),
                                ("mlp.gate", False), ("mlp.shared_expert_gate", False)):
                self.assertEqual(bool(re.fullmatch(pattern, layer + name)), taken, name)
        self.assertEqual(json.loads(self.read(self.written("accelerate", LLAMA, SAMPLES, 8, 1, "method: lora"), "settings.json"))
                         ["lora"]["pattern"], "")

    def test_experts_that_no_token_goes_to(self):
        """Whole weights under FSDP take version 1, under DDP a search for them, under ZeRO-3 a block of all experts."""
        sharded = self.written("accelerate", QWEN_MOE, SAMPLES, 8, 4, "parallel: {sharding: zero3}")
        self.assertEqual(self.fsdp(sharded)["fsdp_version"], 1)
        self.assertTrue(json.loads(self.read(sharded, "settings.json"))["unused_weights"])
        self.assertEqual(self.fsdp(self.written("accelerate", QWEN_MOE, SAMPLES, 8, 1, "{method: lora, parallel: {sharding: zero3}}"))
                         ["fsdp_version"], 2, "attention alone: all ranks use it")
        folder = self.written("deepspeed", QWEN_MOE, SAMPLES, 8, 4, "parallel: {dp: 32, tp: 1, pp: 1, cp: 1, ep: 1, sharding: zero3}")
        self.assertIn("mlp", json.loads(self.read(folder, "ds_config.json"))["zero_optimization"]["leaf_module"]["name_suffixes"])
        self.assertIn("deepspeed>=0.18.2", self.script(folder))
        self.assertNotIn("leaf_module", self.read(self.written("deepspeed", LLAMA, SAMPLES, 8, 1, "parallel: {dp: 8, sharding: zero3}"),
                                                  "ds_config.json"))

    def test_torch_is_refused_for_them_at_plan_time(self):
        done = run("plan", "-", stdin=training_job("torch", QWEN_MOE, TOKENS, 8, 4, "parallel: {sharding: zero3}").encode())
        self.assertEqual(done.returncode, 5, done.stdout)
        self.assertIn("torch is planned with the networks of transformers 4, which has a module for each expert", done.stderr)
        self.assertIn("framework: megatron or torchtitan", done.stderr)


class Weights(Written):
    def test_llama_factory_trains_in_the_format_of_the_plan(self):
        for more, pure in (("{optimizer: adam8bit, master_weights: bf16}", True), ("{optimizer: adam8bit, master_weights: fp32}", None)):
            folder = self.written("llama-factory", "Qwen/Qwen2.5-1.5B", SAMPLES, 1, 1, more)
            self.assertEqual(yaml.safe_load(self.read(folder, "llama_factory.yaml")).get("pure_bf16"), pure)


class EndsOfAnswers(unittest.TestCase):
    """axolotl_template.py, with a tokenizer of a few words."""

    FAKE = """
import json, os, sys, types
class Tokenizer:
    bos_token, eos_token = "<s>", os.environ["EOS"]
    chat_template = os.environ.get("TEMPLATE") or None
    words = os.environ["WORDS"].split()
    @property
    def all_special_tokens(self): return [self.eos_token]
    def get_added_vocab(self): return dict.fromkeys(self.words, 1)
    def get_vocab(self): return dict.fromkeys(self.words, 1)
    def apply_chat_template(self, messages, tokenize):
        import jinja2
        return jinja2.Template(self.chat_template, trim_blocks=True, lstrip_blocks=True).render(
            messages=messages, bos_token=self.bos_token, eos_token=self.eos_token, add_generation_prompt=False)
sys.modules["transformers"] = types.SimpleNamespace(AutoTokenizer=types.SimpleNamespace(from_pretrained=lambda name: Tokenizer()))
sys.modules["phase_parts"] = types.SimpleNamespace(give_up=None, say=print)
os.environ["GPUPLAN_BASE_MODEL"] = "m"
import axolotl_template
axolotl_template.main()
"""

    def lines(self, **environment):
        done = subprocess.run([sys.executable, "-B", "-c", self.FAKE], cwd=TEMPLATES, capture_output=True, text=True, check=False,
                              env={"PATH": os.environ["PATH"], **environment})
        self.assertEqual(done.returncode, 0, done.stderr)
        return yaml.safe_load(done.stdout)

    def test_the_token_that_ends_an_answer_is_learnt(self):
        chatml = "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        found = self.lines(EOS="<|endoftext|>", WORDS="<|im_start|> <|im_end|>", TEMPLATE=chatml)
        self.assertEqual(found, {"chat_template": "tokenizer_default", "eot_tokens": ["<|im_end|>"]})
        found = self.lines(EOS="<eos>", WORDS="<start_of_turn> <end_of_turn>",
                           TEMPLATE=chatml.replace("<|im_end|>", "<end_of_turn>").replace("<|im_start|>", "<start_of_turn>"))
        self.assertEqual(found["eot_tokens"], ["<end_of_turn>"])

    def test_base_models_get_a_template_that_their_tokenizer_knows(self):
        found = self.lines(EOS="<|end_of_text|>", WORDS="<|eot_id|>")
        self.assertEqual((found["chat_template"], found["eot_tokens"]), ("jinja", ["<|end_of_text|>"]))
        self.assertIn("### ", found["chat_template_jinja"])
        self.assertNotIn("im_end", found["chat_template_jinja"])
        found = self.lines(EOS="<|endoftext|>", WORDS="<|im_start|> <|im_end|>")
        self.assertEqual((found["chat_template"], found["eot_tokens"]), ("jinja", ["<|im_end|>"]))


class OldGpus(Written):
    def test_wheels_that_have_kernels_for_them(self):
        for framework, more in (("unsloth", "method: lora"), ("llama-factory", "method: lora"), ("hf-trainer", "method: lora")):
            script = self.script(self.written(framework, "Qwen/Qwen2.5-1.5B", SAMPLES, 1, 1, more, gpu="V100 SXM2 32GB"))
            self.assertIn("'torch>=2.6,<2.11'", script, framework)
            self.assertNotIn("cu126", script)
        script = self.script(self.written("hf-trainer", "Qwen/Qwen2.5-0.5B", SAMPLES, 1, 1, "method: lora", gpu="P100"))
        self.assertIn("https://download.pytorch.org/whl/cu126 'torch>=2.6,<2.11'", script)
        script = self.script(self.written("llama-factory", LLAMA, SAMPLES, 1, 1, "method: lora"))
        self.assertNotIn("<2.11", script)

    def test_others_are_refused_with_what_to_take(self):
        for framework, gpu, why, instead in (("axolotl", "V100 SXM2 32GB", "needs PyTorch 2.11 since 0.18", "framework: hf-trainer"),
                                             ("unsloth", "P100", "needs compute capability 7.0", "framework: hf-trainer"),
                                             ("megatron", "MI300X", "needs Transformer Engine", "framework: torchtitan or torch"),
                                             ("nanochat", "MI300X", "for CUDA alone", "framework: torch")):
            model = "{layers: 20, hidden: 1280, vocab: 65536}" if framework == "nanochat" else "Qwen/Qwen2.5-1.5B"
            done = run("plan", "-", stdin=training_job(framework, model, TOKENS, 1, 1, "epochs: 1", gpu=gpu).encode())
            self.assertNotEqual(done.returncode, 0, framework)
            said = " ".join((done.stdout + done.stderr).split())
            self.assertIn(f"{framework} does not run on ", said)
            self.assertIn(why, said)
            self.assertIn(instead, said)


class Prompts(unittest.TestCase):
    """check_lengths() of replicas.py, with a tokenizer of letters."""

    CODE = """
import json, sys
import replicas
def letters(text, add_special_tokens): return {"input_ids": list(text)}
letters.apply_chat_template = lambda messages, **more: messages[0]["content"]
replicas.check_lengths(json.loads(sys.argv[1]), letters, {"name": "prompts", "max_prompt_tokens": 5})
print("goes on")
"""

    def checked(self, rows, forward_only=False, **environment):
        with tempfile.TemporaryDirectory() as place:
            for name in ("phase_parts.py", "chat_template.py", "replicas.py"):
                Path(place, name).write_text((TEMPLATES / name).read_text())
            Path(place, "settings.json").write_text(json.dumps({"forward_only": forward_only}))
            rows = [dict(row, id=at) for at, row in enumerate(rows)]
            return subprocess.run([sys.executable, "-c", self.CODE, json.dumps(rows)], cwd=place, capture_output=True, text=True, check=False,
                                  env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place, **environment})

    def test_questions_longer_than_planned_are_refused_before_any_is_answered(self):
        talk = {"messages": [{"role": "user", "content": "123456789"}]}
        for rows, what, length, cut in (([{"prompt": "12345"}, {"prompt": "1234567"}], "prompt 1", 7, True), ([talk], "conversation 0", 9, False)):
            done = self.checked(rows)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn(f"1 of {len(rows)} rows are longer than the 5 tokens that the plan counts for a prompt", done.stderr)
            self.assertIn(f"the {what}, of {length} tokens", done.stderr)
            self.assertIn(f"prompt_tokens: {{mean: ..., max: {length}}}", done.stderr)
            self.assertEqual("CUT_PROMPTS=1" in done.stderr, cut)
        self.assertIn("goes on", self.checked([{"prompt": "12345"}]).stdout)
        self.assertIn("goes on", self.checked([{"prompt": "123456"}], CUT_PROMPTS="1").stdout)
        self.assertEqual(self.checked([talk], CUT_PROMPTS="1").returncode, 78, "a conversation that is cut asks for nothing")

    def test_texts_that_are_only_read_may_be_cut(self):
        self.assertIn("goes on", self.checked([{"text": "123456"}]).stdout)
        self.assertIn("goes on", self.checked([{"prompt": "123", "completion": "456"}], forward_only=True).stdout)


class Final(Written):
    def test_what_was_trained_is_left_where_nothing_can_be_linked(self):
        """A bucket that is mounted has no links: what ends the work must not fail there, after all hours."""
        for framework, inside in (("axolotl", "checkpoints"), ("torchtitan", "checkpoints/torchtitan/step-9")):
            more = "method: lora" if framework == "axolotl" else "parallel: {sharding: zero3}"
            data = SAMPLES if framework == "axolotl" else TOKENS
            script = self.script(self.written(framework, LLAMA, data, 8, 1, more))
            lines = script[:script.index("\n}\n", script.index("\nwork() {"))].splitlines()
            at = next(i for i, line in enumerate(lines) if line.strip().startswith("ln -sfn") and "final" in line)
            end = next(i for i in range(at, len(lines)) if lines[i].strip() == "}")
            with tempfile.TemporaryDirectory() as place:
                saved = Path(place, inside)
                saved.mkdir(parents=True)
                (saved / "model.safetensors").write_text("weights")
                code = "set -e\nlast=\"$GPUPLAN_RUN_DIR/" + inside + "\"\nln() { return 1; }\n" + "\n".join(lines[at:end + 1])
                done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=False,
                                      env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place})
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                self.assertEqual(Path(place, "final", "model.safetensors").read_text(), "weights")


if __name__ == "__main__":
    main(__doc__)
