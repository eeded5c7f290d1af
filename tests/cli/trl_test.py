#!/usr/bin/env python3
"""Where `trl sft` fine-tunes and where train.py does, what trl is given, and a whole launch with a stand-in for it.

    tests/cli/trl_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

from launch_folder import files_of, scripts_of
from launch_matrix import PACKED, QWEN, grpo_job
from launch_work_test import LLAMA, SAMPLES, TEMPLATES, TOKENS, Folder, training_job
from program import PROGRAM, ROOT, environment, main
from train_torch_test import PYTHON, STAND_INS

LORA = "method: lora"


class Chosen(unittest.TestCase):
    def launched(self, job):
        folder = Folder("-", stdin=job.encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        return folder

    def script(self, folder):
        return scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")

    def program(self, job):
        """"trl" or "own", and what the script says of it."""
        script = self.script(self.launched(job))
        self.assertEqual("trl sft --config" in script, "train.py" not in script[script.index("work() {"):script.index("\n}\n", script.index("work() {"))])
        return "trl" if "trl sft --config" in script else "own", script

    def test_trl_is_the_rule(self):
        for gpus, nodes, more in ((1, 1, LORA), (8, 1, "method: qlora"), (8, 1, "{method: full, parallel: {sharding: zero3}}"),
                                  (8, 2, "parallel: {sharding: hsdp}"), (8, 1, "parallel: {sharding: zero1}")):
            program, script = self.program(training_job("hf-trainer", QWEN, SAMPLES, gpus, nodes, more))
            self.assertEqual(program, "trl", more)
            self.assertIn("args: {program: own}", script)
            self.assertIn("'trl>=1.0,<1.10'", script)
            self.assertIn("'datasets>=4.7'", script)
            self.assertRegex(script, "(?m)^resumes=0$")

    def test_what_must_resume_does(self):
        for change, why in (("price: $1/h, spot_price: $0.5/h, interruptions: 5%/h", "Spot machines can be interrupted"), ):
            job = training_job("hf-trainer", QWEN, SAMPLES, 8, 1, LORA).replace("price: $1/h", change).replace("where: {nodes", "where: {spot: only, nodes")
            program, script = self.program(job)
            self.assertEqual(program, "own")
            self.assertIn(why, script)
            self.assertIn("args: {program: trl}", script)
            self.assertEqual(self.program(job + "    args: {program: trl}\n")[0], "trl", "who knows better may")
        for more, why in (("max_time: 4 h", "Jobs of the pool end after 4 h"), ("preemptible: true", "Jobs of the pool can be preempted")):
            pool = "pools: [{name: cluster, gpu: H100 SXM, gpus: 8, nodes: 1, %s}]" % more
            job = training_job("hf-trainer", QWEN, SAMPLES, 8, 1, LORA).replace("offers: [{gpu: H100 SXM, gpus: 8, price: $1/h}]", pool)
            program, script = self.program(job)
            self.assertEqual(program, "own", script[:2000])
            self.assertIn(why, script)

    def test_what_trl_cannot_is_left_to_train_py(self):
        for case, why in ((("hf-trainer", QWEN, TOKENS, 8, 1, "start: scratch"), "TRL starts from published weights"),
                          (("hf-trainer", QWEN, PACKED, 8, 1, LORA), "only with flash_attention_2 or 3"),
                          (("hf-trainer", QWEN, SAMPLES, 8, 1, "{method: qlora, precision: fp16}"), "bf16 in any case")):
            program, script = self.program(training_job(*case))
            self.assertEqual(program, "own")
            self.assertIn(why, script)
            folder = Folder("-", stdin=(training_job(*case) + "    args: {program: trl}\n").encode())
            self.addCleanup(folder.__exit__)
            self.assertEqual((folder.done.returncode, folder.done.stderr.count("\n")), (5, 1), folder.done.stderr)
            self.assertIn(why, folder.done.stderr)
        for framework in ("accelerate", "deepspeed", "unsloth"):
            self.assertEqual(self.program(training_job(framework, QWEN, SAMPLES, 1 if framework == "unsloth" else 8, 1, ""))[0], "own")

    def test_a_program_may_be_asked_for(self):
        job = training_job("hf-trainer", QWEN, SAMPLES, 8, 1, LORA)
        self.assertEqual(self.program(job + "    args: {program: own}\n")[0], "own")
        folder = Folder("-", stdin=(job + "    args: {program: axolotl}\n").encode())
        self.addCleanup(folder.__exit__)
        self.assertEqual(folder.done.returncode, 5)
        self.assertIn("args has program: axolotl; expected own (train.py) or trl (trl sft)", folder.done.stderr)

    def test_slurm_puts_back_what_may_go_on(self):
        job = JOB % 2
        pool = "{use: only, pools: [{name: pool, gpu: H100 SXM, gpus: 4, partition: gpu}]}"
        job = job.replace("{use: only, own: [{name: box, gpu: H100 SXM, gpus: 1}]}", pool).replace("    evaluate:", "    args: {program: %s}\n    evaluate:")
        for program, line, word in (("trl", "--no-requeue", "requeues=0"), ("own", "--requeue", "requeues=1")):
            with tempfile.TemporaryDirectory() as folder:
                done = subprocess.run([PROGRAM, "launch", "-", "--to", "slurm", "-o", folder + "/out"], input=job % program, capture_output=True,
                                      text=True, cwd=ROOT, env=environment(), timeout=60, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                script = next(path.read_text(encoding="utf-8") for path in sorted(Path(folder).rglob("*.sbatch")) if "01" in path.name)
                self.assertIn(f"#SBATCH {line}\n", script)
                self.assertIn(word + "\n", script)
                self.assertEqual("is requeued" in script, program == "own")

    def settings(self, *case, more=""):
        return yaml.safe_load(self.launched(training_job(*case) + more).files("sft.yaml")[0].read_text(encoding="utf-8"))

    def test_types_are_the_plans(self):
        self.assertEqual(self.settings("hf-trainer", QWEN, SAMPLES, 8, 1, LORA)["dtype"], "bfloat16", "weights that do not learn")
        full = self.settings("hf-trainer", QWEN, SAMPLES, 8, 1, "parallel: {sharding: none}")
        self.assertEqual((full["dtype"], full["bf16"], full["use_peft"]), ("float32", True, False))
        self.assertEqual(self.settings("hf-trainer", QWEN, SAMPLES, 8, 1, "precision: fp32")["bf16"], False)
        four = self.settings("hf-trainer", LLAMA, SAMPLES, 8, 1, "{method: qlora, lora: {rank: 8, targets: [attention]}}")
        self.assertEqual((four["load_in_4bit"], four["bnb_4bit_quant_storage"], four["lora_r"], four["lora_target_modules"]),
                         (True, "bfloat16", 8, ["q_proj", "k_proj", "v_proj", "o_proj"]))
        self.assertIsInstance(four["learning_rate"], float)

    def test_samples_are_packed_by_flash_attention_only(self):
        packed = self.settings("hf-trainer", QWEN, PACKED, 8, 1, "{method: lora, attention: flash2}")
        self.assertEqual((packed["packing"], packed["packing_strategy"], packed["attn_implementation"]), (True, "bfd", "flash_attention_2"))
        # Text that is counted in tokens is cut to sequences before.
        self.assertEqual(self.settings("hf-trainer", QWEN, TOKENS, 8, 1, LORA)["packing"], False)

    def test_arguments_take_the_place_of_what_is_planned(self):
        found = self.settings("hf-trainer", QWEN, SAMPLES, 8, 1, LORA, more="    args: {lr: 1e-5, neftune_noise_alpha: 5, use_dora: true, seed: 7, logging_steps: 3}\n")
        self.assertEqual((found["learning_rate"], found["neftune_noise_alpha"], found["use_dora"], found["seed"], found["logging_steps"]),
                         (1e-5, 5, True, 7, 3))
        text = self.launched(training_job("hf-trainer", QWEN, SAMPLES, 8, 1, LORA) + "    args: {logging_steps: 3}\n").files("sft.yaml")[0].read_text()
        self.assertEqual(text.count("logging_steps"), 1)

    def test_shards(self):
        folder = self.launched(training_job("hf-trainer", LLAMA, SAMPLES, 8, 2, "{parallel: {sharding: zero3}, recompute: full}"))
        found = yaml.safe_load(folder.files("accelerate.yaml")[0].read_text(encoding="utf-8"))
        self.assertEqual(found["fsdp_config"]["fsdp_state_dict_type"], "FULL_STATE_DICT", "trl saves nothing else")
        self.assertEqual(found["fsdp_config"]["fsdp_activation_checkpointing"], True)
        self.assertEqual(yaml.safe_load(folder.files("sft.yaml")[0].read_text(encoding="utf-8"))["gradient_checkpointing"], False)
        folder = self.launched(training_job("hf-trainer", QWEN, SAMPLES, 8, 1, "parallel: {sharding: zero1}"))
        found = yaml.safe_load(folder.files("accelerate.yaml")[0].read_text(encoding="utf-8"))
        self.assertEqual((found["distributed_type"], found["deepspeed_config"]["zero3_init_flag"]), ("DEEPSPEED", False))
        self.assertNotIn("mixed_precision", found, "beside a file of DeepSpeed accelerate refuses it")
        self.assertIn('--deepspeed_config_file "$GPUPLAN_FILES/ds_config.json"', self.script(folder))
        one = self.launched(training_job("hf-trainer", QWEN, SAMPLES, 1, 1, LORA))
        self.assertEqual(yaml.safe_load(one.files("accelerate.yaml")[0].read_text(encoding="utf-8"))["distributed_type"], "NO")

    def dpo(self, case="method: lora", more=""):
        folder = self.launched(training_job("hf-trainer", QWEN, SAMPLES, 8, 1, "{objective: dpo, %s}" % case) + more)
        return yaml.safe_load(folder.files("dpo.yaml")[0].read_text(encoding="utf-8")), self.script(folder), folder

    def test_pairs_of_answers_go_to_trl_dpo(self):
        found, script, folder = self.dpo()
        self.assertIn('trl dpo --config "$GPUPLAN_TRL/dpo.yaml"', script)
        self.assertEqual((found["precompute_ref_log_probs"], found["learning_rate"], found["use_peft"]), (False, 5e-6, True))
        self.assertFalse({"packing", "completion_only_loss", "assistant_only_loss", "label_names"} & set(found), found)
        self.assertIn("chosen + rejected", script)
        self.assertEqual(self.dpo("method: full")[0]["learning_rate"], 5e-7)
        self.assertEqual(self.dpo(more="    args: {beta: 0.3}\n")[0]["beta"], 0.3)

    def test_pairs_have_no_other_program(self):
        for more, why in (("    args: {program: own}\n", "train.py has no objective: dpo"),):
            folder = Folder("-", stdin=(training_job("hf-trainer", QWEN, SAMPLES, 8, 1, "{objective: dpo, method: lora}") + more).encode())
            self.addCleanup(folder.__exit__)
            self.assertEqual((folder.done.returncode, folder.done.stderr.count("\n")), (5, 1), folder.done.stderr)
            self.assertIn(why, folder.done.stderr)
        folder = Folder("-", stdin=training_job("axolotl", QWEN, SAMPLES, 8, 1, "{objective: dpo, method: lora}").encode())
        self.addCleanup(folder.__exit__)
        self.assertEqual(folder.done.returncode, 5)
        self.assertIn("write framework: hf-trainer", folder.done.stderr)

    def test_rows_of_pairs(self):
        _, _, folder = self.dpo()
        place = folder.files("dpo.yaml")[0].parent
        code = ("import sys; sys.path[:0] = [%r]\nimport data_rows\nprint(data_rows.checked(eval(sys.argv[1])))" % str(place))
        def checked(row):
            return subprocess.run([sys.executable, "-c", code, repr(row)], env={**os.environ, "GPUPLAN_RUN_DIR": "/tmp"}, capture_output=True, text=True, check=False)
        talk = [{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}]
        for row in ({"prompt": "a", "chosen": "b", "rejected": "c"}, {"chosen": talk, "rejected": talk}, {"prompt": talk[:1], "chosen": talk[1:], "rejected": talk[1:]}):
            self.assertEqual(checked(row).stdout, "pair\n", checked(row).stderr)
        for row in ({"text": "a"}, {"chosen": "b", "rejected": "c"}, {"prompt": "a", "chosen": "b"}, {"chosen": [], "rejected": []}):
            done = checked(row)
            self.assertEqual(done.returncode, 78, row)
            self.assertIn('expected "chosen" and "rejected"', done.stderr)


    def grpo(self, gpus=8, more="method: lora", rollouts="generations: 8", args=""):
        folder = self.launched(grpo_job(gpus, 1, more, rollouts) + args)
        return yaml.safe_load(folder.files("grpo.yaml")[0].read_text(encoding="utf-8")), self.script(folder), folder

    def test_answers_of_its_own_go_to_trl_grpo(self):
        found, script, folder = self.grpo()
        self.assertIn('trl grpo --config "$GPUPLAN_TRL/grpo.yaml"', script)
        self.assertIn("'trl[vllm,math_verify]>=1.0,<1.10'", script)
        self.assertNotIn("expandable_segments", script)
        self.assertEqual({name: found[name] for name in ("num_generations", "max_completion_length", "vllm_max_model_length", "beta", "reward_funcs",
                                                         "use_vllm", "vllm_mode", "vllm_gpu_memory_utilization", "vllm_tensor_parallel_size")},
                         {"num_generations": 8, "max_completion_length": 700, "vllm_max_model_length": 1000, "beta": 0, "reward_funcs": ["accuracy_reward"],
                          "use_vllm": True, "vllm_mode": "colocate", "vllm_gpu_memory_utilization": 0.3, "vllm_tensor_parallel_size": 1})
        self.assertEqual(found["per_device_train_batch_size"] * found["gradient_accumulation_steps"] * 8, 64, "whole groups, all at once")
        self.assertEqual((found["learning_rate"], self.grpo(more="method: full")[0]["learning_rate"]), (1e-5, 1e-6))
        self.assertFalse({"packing", "max_length", "precompute_ref_log_probs", "activation_offloading", "label_names"} & set(found), found)
        self.assertIn("columns: prompt", script)
        more = self.grpo(rollouts="beta: 0.04, sleep: true, memory_share: 50%, reward: [think_format_reward, rewards.exact]")[0]
        self.assertEqual((more["beta"], more["vllm_enable_sleep_mode"], more["vllm_gpu_memory_utilization"], more["reward_funcs"]),
                         (0.04, True, 0.5, ["think_format_reward", "rewards.exact"]))
        # A model that is compared with is taken layer by layer by version 1 alone.
        for beta, version in (("0", 2), ("0.04", 1)):
            folder = self.grpo(more="method: full, parallel: {sharding: zero3}", rollouts="beta: " + beta)[2]
            self.assertEqual(yaml.safe_load(folder.files("accelerate.yaml")[0].read_text())["fsdp_config"]["fsdp_version"], version)

    def test_what_the_plan_has_of_answers_stays(self):
        for args, why in (("{beta: 0.1}", "set train.rollouts in the job"), ("{num_generations: 4}", "set train.rollouts in the job"),
                          ("{program: own}", "train.py has no objective: grpo")):
            folder = Folder("-", stdin=(grpo_job(8, 1, "method: lora") + f"    args: {args}\n").encode())
            self.addCleanup(folder.__exit__)
            self.assertEqual((folder.done.returncode, folder.done.stderr.count("\n")), (5, 1), folder.done.stderr)
            self.assertIn(why, folder.done.stderr)
        self.assertEqual(self.grpo(args="    args: {temperature: 0.7}\n")[0]["temperature"], 0.7)

    def test_rows_of_prompts(self):
        place = self.grpo(rollouts="reward: [accuracy_reward, my_rewards.exact]")[2].files("grpo.yaml")[0].parent
        code = ("import sys; sys.path[:0] = [%r]\nimport data_rows\nrow = eval(sys.argv[1])\nprint(data_rows.checked(row))\n"
                "sys.modules['transformers'] = type(sys)('transformers'); sys.modules['transformers'].AutoTokenizer = None\n"
                "import prepare_trl\nprepare_trl.check_rewards(row)\nprint('good')" % str(place))
        with tempfile.TemporaryDirectory() as folder:
            def checked(row):
                return subprocess.run([sys.executable, "-c", code, repr(row)], cwd=folder, capture_output=True, text=True, check=False,
                                      env={**os.environ, "GPUPLAN_RUN_DIR": "/tmp", "GPUPLAN_TRL": folder, "PYTHONDONTWRITEBYTECODE": "1"})
            talk = [{"role": "user", "content": "a"}]
            row = {"prompt": talk, "solution": "b"}
            self.assertIn("my_rewards.exact cannot be imported", checked(row).stderr)
            Path(folder, "my_rewards.py").write_text("def exact(completions, **more):\n    return [0.0 for _ in completions]\n")
            self.assertEqual(checked(row).stdout, "prompt\ngood\n", checked(row).stderr)
            for wrong, why in (({"prompt": talk}, 'no "solution"'), ({"prompt": "a", "solution": "b"}, "as a list of messages"),
                               ({"text": "a"}, 'expected "prompt"'), ({"prompt": []}, 'expected "prompt"')):
                done = checked(wrong)
                self.assertEqual(done.returncode, 78, done.stderr)
                self.assertIn(why, done.stderr)


TRL = """#!/usr/bin/env python3
# Looks at what trl sft would read, and prints what it prints.
import json, os, sys, yaml
words = sys.argv[1:]
assert words[:2] == ["sft", "--config"], words
settings = yaml.safe_load(open(words[2], encoding="utf-8"))
rows = [json.loads(line) for line in open(settings["dataset_name"] + "/train.parquet", encoding="utf-8")]
tests = [json.loads(line) for line in open(settings["dataset_name"] + "/test.parquet", encoding="utf-8")]
print(json.dumps({"settings": settings, "rows": rows, "tests": len(tests), "words": words[3:], "gpu": os.environ["CUDA_VISIBLE_DEVICES"]}),
      file=open(os.environ["SEEN"], "w", encoding="utf-8"))
if os.environ.get("FAILS"):
    sys.exit(3)
total, batch = settings["max_steps"], 8
print("***** Running training *****\\n  Num examples = %d\\n  Num Epochs = 1\\n  Instantaneous batch size per device = %d\\n"
      "  Total train batch size (w. parallel, distributed & accumulation) = %d\\n  Gradient Accumulation steps = %d\\n"
      "  Total optimization steps = %d" % (len(rows), settings["per_device_train_batch_size"], batch, settings["gradient_accumulation_steps"], total))
loss = 6.0
for step in range(1, total + 1):
    loss = 1 + 5 * 0.9 ** step
    bar = "\\r %2d%%|#         | %d/%d [00:%02d<00:10,  1.00s/it]" % (100 * step // total, step, total, step)
    print(bar, end="", file=sys.stderr, flush=True)
    print({"loss": round(loss, 4), "grad_norm": 0.9, "learning_rate": 1e-4, "entropy": 1.5, "num_tokens": 100.0 * step, "mean_token_accuracy": 0.7,
           "epoch": round(step / total, 2)}, flush=True)
    if step % settings["eval_steps"] == 0:
        print({"eval_loss": round(loss + 0.1, 4), "eval_runtime": 1.5, "eval_samples_per_second": 6.0, "eval_steps_per_second": 2.0,
               "eval_entropy": 1.5, "eval_num_tokens": 100.0 * step, "eval_mean_token_accuracy": 0.7, "epoch": round(step / total, 2)}, flush=True)
print({"train_runtime": "24.1", "train_samples_per_second": "8.0", "train_steps_per_second": "1.0", "train_loss": "2.5", "epoch": "1.0"}, flush=True)
open(settings["output_dir"] + "/adapter_config.json", "w").write("{}")
print("Training completed.\\nModel saved.", flush=True)
"""

JOB = """
job: Tiny Talk
market: {use: only, own: [{name: box, gpu: H100 SXM, gpus: 1}]}
phases:
  - name: train
    train:
      model: Qwen/Qwen2.5-1.5B
      data: {samples: 188, tokens_per_sample: {mean: 30, max: 64}}
      sequence: 64
      batch: {sequences: 8}
      framework: hf-trainer
      method: lora
    evaluate: {every: 10 steps, time: 2 s}
    succeed_when: [loss < %s, validation_loss < 3, loss decreases]
  - name: after
    needs: [train]
    cpu: {time: 1 min}
    command: echo "the gate let me through"
"""


@unittest.skipIf(PYTHON is None, "no Python with torch here: apt-get install python3-torch")
class Runs(unittest.TestCase):
    """A launch from its script to the gate, with stand-ins for trl, datasets and transformers."""

    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        stubs = self.place / "bin"
        stubs.mkdir()
        for name, text in (("python3", f'#!/bin/sh\necho "$*" >>{self.place}/python\n[ "$1 $2" != "-m pip" ] || exit 0\nexec {PYTHON} "$@"\n'),
                           ("trl", TRL.replace("#!/usr/bin/env python3", f"#!{PYTHON}")), ("gpuplan", f'#!/bin/sh\nexec {PROGRAM} "$@"\n')):
            (stubs / name).write_text(text, encoding="utf-8")
            (stubs / name).chmod(0o755)
        data = self.place / "rows.jsonl"
        data.write_text("".join(json.dumps({"instruction": f"say {i}", "input": "", "output": "yes" * (1 + i % 5)}) + "\n" for i in range(192)))
        self.environment = environment(
            PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.place), GPUPLAN_POLL="1", PYTHONPATH=str(STAND_INS), PYTHONDONTWRITEBYTECODE="1",
            CUDA_VISIBLE_DEVICES="3,4", DATA=str(data), MODEL="base", HF_HUB_OFFLINE="1", SEEN=str(self.place / "seen"))

    def launch(self, most="2"):
        out = self.place / "out"
        done = subprocess.run([PROGRAM, "launch", "-", "--to", "bash", "-o", str(out)], input=JOB % most, capture_output=True, text=True,
                              cwd=ROOT, env=environment(), timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def run_it(self, out, **more):
        done = subprocess.run(["bash", str(out / "run.sh")], cwd=self.place, env={**self.environment, **more}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=240, check=False)
        log = out / "runs" / "01-train" / "log.txt"
        return done.returncode, done.stdout, log.read_text(encoding="utf-8") if log.exists() else ""

    def seen(self):
        return json.loads((self.place / "seen").read_text(encoding="utf-8"))

    def test_from_data_to_the_gate(self):
        out = self.launch()
        code, output, log = self.run_it(out, REPORT_TO="tensorboard,wandb", WANDB_MODE="offline")
        self.assertEqual(code, 0, output + log)
        run_dir = out / "runs" / "01-train"
        seen = self.seen()
        self.assertEqual((len(seen["rows"]), seen["tests"]), (189, 3))
        for row in seen["rows"]:
            text = bytes(row["input_ids"]).decode()
            learnt = bytes(t for t, is_learnt in zip(row["input_ids"], row["completion_mask"]) if is_learnt).decode()
            self.assertRegex(text, r"^<user>say \d+\n<assistant>(yes)+\n$")
            self.assertRegex(learnt, r"^(yes)+\n$")
        settings = seen["settings"]
        self.assertEqual((settings["model_name_or_path"], settings["output_dir"]), ("base", str(run_dir / "checkpoints")))
        self.assertEqual((settings["report_to"], settings["run_name"]), (["tensorboard", "wandb"], "tiny-talk-01-train"))
        self.assertEqual((settings["eval_strategy"], settings["eval_steps"]), ("steps", 10))
        self.assertIn("### ", Path(settings["chat_template_path"]).read_text(encoding="utf-8"))
        self.assertTrue(settings["chat_template_path"].endswith(".jinja"), "trl takes other files for tokenizers")
        self.assertEqual(seen["gpu"], "3", "one process sees one GPU")
        self.assertEqual(seen["words"][0], "--accelerate_config")
        self.assertIn("-m pip install --quiet tensorboard wandb", (self.place / "python").read_text())
        self.assertIn("outputs are learnt", log)
        self.assertIn("no chat template, as base models have none", log)
        self.assertEqual((run_dir / "final").resolve(), (run_dir / "checkpoints").resolve())
        self.assertIn("the gate let me through", (out / "runs" / "02-after" / "log.txt").read_text(encoding="utf-8"))
        check = (run_dir / "check.txt").read_text(encoding="utf-8")
        self.assertRegex(check, r"✔  loss < 2 ")
        self.assertRegex(check, r"✔  validation_loss < 3 ")

    def test_a_loss_too_high_closes_the_gate(self):
        out = self.launch(most="0.5")
        code, output, log = self.run_it(out)
        self.assertEqual(code, 6, output + log)
        self.assertIn("loss < 0.5", (out / "runs" / "01-train" / "check.txt").read_text(encoding="utf-8"))
        self.assertFalse((out / "runs" / "02-after").exists())

    def test_data_that_do_not_fit_start_no_training(self):
        data = self.place / "wrong.jsonl"
        data.write_text('{"question": "a", "answer": "b"}\n')
        code, output, log = self.run_it(self.launch(), DATA=str(data))
        self.assertEqual(code, 1, output)
        self.assertIn('a row has "answer", "question"; expected "text"', log)
        self.assertFalse((self.place / "seen").exists())

    def test_what_fails_after_the_training_is_done_again_alone(self):
        out = self.launch()
        code, output, log = self.run_it(out, MERGE="1")  # no peft here
        self.assertEqual(code, 1, output + log)
        self.assertIn("the work is done, and what follows it failed", output)
        (self.place / "seen").unlink()
        code, output, log = self.run_it(out)
        self.assertEqual(code, 0, output + log)
        self.assertFalse((self.place / "seen").exists(), "it is not trained again")


if __name__ == "__main__":
    main(__doc__)
