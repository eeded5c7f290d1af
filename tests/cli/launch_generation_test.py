#!/usr/bin/env python3
"""The programs that launch writes for phases that generate, with stand-ins for vLLM, torch and transformers: a second start
keeps what was answered, adapters come with the tokenizer that they were trained with, answers end.

    tests/cli/launch_generation_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from launch_folder import scripts_of
from launch_work_test import TEMPLATES, Folder
from program import main

# Signs that Python takes for ends of lines, and JSON does not have to write in another way.
ODD = "one\u2028two\u2029three\x85four"

FAKE = """
import contextlib, json, os, sys, types
class Tokenizer:
    eos_token, eos_token_id, pad_token_id = "<end>", 0, 0
    def __init__(self, source, **more):
        self.source = source
        self.chat_template = "chatml" if "01-sft" in source else None
    all_special_tokens = ["<end>"]
    def get_added_vocab(self): return {"<|im_end|>": 7}
    def convert_tokens_to_ids(self, token): return {"<end>": 0, "<|im_end|>": 7}[token]
    def apply_chat_template(self, messages, tokenize, add_generation_prompt=False):
        return "".join(m["content"] + "<|im_end|>" for m in messages)
    def __call__(self, text, add_special_tokens=True): return {"input_ids": list(text)}
    def batch_decode(self, new, skip_special_tokens): return [ANSWER] * len(new)
ANSWER = os.environ["ANSWER"]
def tell(**what):
    with open("told.jsonl", "a") as file: file.write(json.dumps(what) + "\\n")
"""

VLLM = FAKE + """
class LLM:
    def __init__(self, model, tokenizer, **more):
        tell(model=model, tokenizer=tokenizer)
        self.tokenizer = Tokenizer(tokenizer)
    def get_tokenizer(self): return self.tokenizer
    def generate(self, prompts, sampling, lora_request, use_tqdm):
        tell(asked=len(prompts), lora=lora_request, **sampling)
        made = types.SimpleNamespace(outputs=[types.SimpleNamespace(text=ANSWER, token_ids=[1, 2])])
        return [made] * len(prompts)
vllm = types.ModuleType("vllm")
vllm.LLM, vllm.SamplingParams = LLM, lambda **how: how
lora = types.ModuleType("vllm.lora.request")
lora.LoRARequest = lambda name, number, path: path
sys.modules.update({"vllm": vllm, "vllm.lora": types.ModuleType("vllm.lora"), "vllm.lora.request": lora})
import generate_vllm
sys.argv[1:] = ["--replica", "0"]
generate_vllm.main()
"""

HF = FAKE + """
class Found(list):
    def nonzero(self): return [at for at, one in enumerate(self) if one]
class Sequences(list):
    def __getitem__(self, key): return self if isinstance(key, tuple) else list.__getitem__(self, key)
    device, shape = "cuda", (0, 2)
torch = types.SimpleNamespace(
    float32=1, bfloat16=2, float16=3, tensor=lambda values, device: values, isin=lambda line, ends: Found(one in ends for one in line),
    inference_mode=contextlib.nullcontext, cuda=types.SimpleNamespace(max_memory_allocated=lambda: 0, empty_cache=lambda: None))
class Inputs(dict):
    def to(self, device): return self
class Ids(list):
    shape = (0, 1)
Tokenizer.pad = lambda self, columns, return_tensors: Inputs(input_ids=Ids(columns["input_ids"]), attention_mask=None)
class Network:
    generation_config = types.SimpleNamespace(eos_token_id=0)
    def eval(self): return self
    def generate(self, input_ids, attention_mask, eos_token_id, **more):
        tell(asked=len(input_ids), ends=eos_token_id)
        return Sequences([1, 7, 0] for _ in input_ids)
loads = types.SimpleNamespace(from_pretrained=lambda base, **how: (tell(model=base), Network())[1])
config = types.SimpleNamespace(from_pretrained=lambda base: base)
def tokenizer(source, padding_side):
    tell(tokenizer=source)
    return Tokenizer(source)
sys.modules["torch"] = torch
sys.modules["transformers"] = types.SimpleNamespace(
    MODEL_FOR_CAUSAL_LM_MAPPING=[str], AutoConfig=config, AutoModelForCausalLM=loads, AutoModelForImageTextToText=None,
    AutoTokenizer=types.SimpleNamespace(from_pretrained=tokenizer))
sys.modules["peft"] = types.SimpleNamespace(PeftModel=types.SimpleNamespace(
    from_pretrained=lambda network, adapter: types.SimpleNamespace(merge_and_unload=lambda: network)))
sys.modules["decoder_layers"] = types.SimpleNamespace(layers_of=None)
import generate_hf
sys.argv[1:] = ["--replica", "0"]
generate_hf.main()
"""

SETTINGS = {"models": [{"name": "base", "slug": "base", "variable": "MODEL", "trained_by": ["01-sft/final"], "attention": "sdpa"}],
            "data": [{"name": "", "slug": "prompts", "max_prompt_tokens": 50, "max_new_tokens": 9}], "replicas": 1, "gpus_of_replica": 1,
            "one_model_per_gpu": False, "in_flight": 2, "temperature": 0, "lora_rank": 8, "store": None, "forward_only": False,
            "compile": False, "weights": "bf16", "quantized": False, "engine_arguments": {}, "arguments": {}}


class Generation(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        self.run_dir = self.place / "runs" / "02-answer"
        self.answers = self.run_dir / "results" / "base" / "prompts.part-0.jsonl"
        self.answers.parent.mkdir(parents=True)
        for template in TEMPLATES.glob("*.py"):
            (self.place / template.name).write_text(template.read_text(encoding="utf-8"), encoding="utf-8")
        (self.place / "settings.json").write_text(json.dumps(SETTINGS))
        self.data = self.place / "rows.jsonl"
        self.ask([{"prompt": str(at)} for at in range(6)])

    def ask(self, rows):
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")

    def adapter(self, *names):
        final = self.place / "runs" / "01-sft" / "final"
        final.mkdir(parents=True)
        (final / "adapter_config.json").write_text('{"base_model_name_or_path": "base"}')
        for name in names:
            (final / name).write_text("{}")
        return str(self.run_dir.parent / "01-sft" / "final")

    def start(self, program, code=0):
        done = subprocess.run([sys.executable, "-c", program], cwd=self.place, capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": str(self.run_dir), "DATA": str(self.data), "ANSWER": ODD,
                                   "PYTHONDONTWRITEBYTECODE": "1", "PYTHONIOENCODING": "utf-8"})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        told = self.place / "told.jsonl"
        return [json.loads(line) for line in told.read_text().splitlines()] if told.exists() else [], done.stderr

    def rows(self):
        return [json.loads(line) for line in self.answers.read_text(encoding="utf-8").split("\n") if line]

    def test_a_second_start_keeps_what_was_answered(self):
        """Answers hold whatever a model says, and the last line may have been cut off anywhere."""
        for program in (VLLM, HF):
            with self.subTest(program=program[-60:]):
                (self.place / "told.jsonl").unlink(missing_ok=True)
                kept = [json.dumps({"prompt": str(at), "id": at, "completion": ODD, "new_tokens": 2, "first": True}, ensure_ascii=False) for at in range(4)]
                whole = "\n".join([*kept, '{"prompt": "4", "id": 4, "completion": "caf\u00e9']).encode()
                self.answers.write_bytes(whole[:-1])  # in the middle of a letter, too
                told, _ = self.start(program)
                self.assertEqual(sum(one.get("asked", 0) for one in told), 2, "the others are paid for")
                rows = self.rows()
                self.assertEqual([row["id"] for row in rows], list(range(6)))
                self.assertEqual([row.get("first", False) for row in rows], [True] * 4 + [False] * 2)
                self.assertEqual({row["completion"] for row in rows}, {ODD})
                self.assertEqual(sorted(path.name for path in self.answers.parent.iterdir()), [self.answers.name])
                told, _ = self.start(program)
                self.assertEqual(sum(one.get("asked", 0) for one in told), 2, "nothing is left")

    def test_a_bad_line_costs_none_of_those_after_it(self):
        lines = [json.dumps({"id": at, "completion": "x"}) for at in range(6)]
        lines[2] = lines[2][:7]
        self.answers.write_text("\n".join(lines) + "\n")
        told, _ = self.start(VLLM)
        self.assertEqual(sum(one.get("asked", 0) for one in told), 1)
        self.assertEqual([row["id"] for row in self.rows()], [0, 1, 3, 4, 5, 2])

    def test_adapters_are_asked_as_they_were_taught(self):
        folder = self.adapter("tokenizer_config.json")
        for program, ends in ((VLLM, "stop_token_ids"), (HF, "ends")):
            (self.place / "told.jsonl").unlink(missing_ok=True)
            self.answers.unlink(missing_ok=True)
            told, _ = self.start(program)
            self.assertIn(folder, [one.get("tokenizer") for one in told])
            self.assertIn("base", [one.get("model") for one in told])
            asked = next(one for one in told if "asked" in one)
            self.assertIn(7, asked[ends], "what ends an answer in the template's words")

    def test_adapters_without_a_tokenizer_take_the_models(self):
        self.adapter()
        for program in (VLLM, HF):
            (self.place / "told.jsonl").unlink(missing_ok=True)
            told, _ = self.start(program)
            self.assertIn("base", [one.get("tokenizer") for one in told])

    def test_rows_are_read_before_the_weights(self):
        for program in (VLLM, HF):
            for rows, said in (('{"question": "1"}\n', 'rows.jsonl:1: a row holds neither "prompt" nor "text" nor "messages"'),
                               ('{"prompt": "1"}\n{"prompt": \n', "rows.jsonl:2: no JSON"), ("\n", "no rows")):
                self.data.write_text(rows)
                told, problem = self.start(program, code=78)
                self.assertNotIn("model", {name for one in told for name in one})
                self.assertIn(said, problem)


class Written(unittest.TestCase):
    JOB = """
job: t
market: {{use: only, offers: [{{gpu: {gpu}, gpus: 1, price: $1/h}}]}}
phases:
  - name: answer
    generate: {{model: Qwen/Qwen2.5-7B, engine: {engine}, data: {{samples: 10k, prompt_tokens: 500, new_tokens: 200}}{more}}}
"""

    def written(self, gpu="H100 SXM", engine="vllm", more=""):
        folder = Folder("-", stdin=self.JOB.format(gpu=gpu, engine=engine, more=more).encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        return scripts_of(folder.path)[0].read_text(encoding="utf-8"), json.loads(folder.files("settings.json")[0].read_text()), folder

    def test_memory_is_what_nvidia_smi_will_show(self):
        script, settings, _ = self.written()
        share = settings["engine_arguments"]["gpu_memory_utilization"]
        shown = float(script.split("nvidia-smi ")[1].split(" GiB")[0])
        usable = float(script.split(" usable")[0].rsplit(" ", 1)[1])
        self.assertAlmostEqual(shown, share * usable, delta=0.6)
        self.assertIn("vLLM reserves", script)
        script, _, _ = self.written(engine="hf")
        self.assertNotIn("vLLM reserves", script)

    def test_weights_that_must_be_named_are_not_said_to_be_others(self):
        script, _, _ = self.written(more=", weights: int4", gpu="L4")
        self.assertIn("MODEL: Hugging Face name, or folder, of Qwen/Qwen2.5-7B quantized to int4", script)
        self.assertNotIn("unless MODEL names another", script)

    def test_what_the_programs_import_is_there(self):
        for engine in ("vllm", "hf"):
            _, _, folder = self.written(engine=engine)
            self.assertEqual(len(folder.files("chat_template.py")), 1)


if __name__ == "__main__":
    main(__doc__)
