#!/usr/bin/env python3
"""What gpuplan launch writes is what the plan counts: every number of a phase is read back from the settings and
commands that were written, by framework and by launcher, and compared with plan.json, which lies beside them.

    tests/cli/launch_equals_plan_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import math
import os
import random
import re
import shutil
import tempfile
import tomllib
import unittest
from pathlib import Path

import yaml
from launch_folder import files_of, scripts_of
from program import EXAMPLES, main, run

LAUNCHERS = ("bash", "slurm", "skypilot", "dstack", "kubernetes", "vast", "runpod")
HOURS = {"s": 1 / 3600, "min": 1 / 60, "h": 1, "d": 24, "days": 24}
JOBS = int(os.environ.get("GPUPLAN_RANDOM_JOBS", "90"))

LLAMA, QWEN, GPT2, OLMO = "meta-llama/Llama-3.1-8B", "Qwen/Qwen2.5-1.5B", "gpt2", "allenai/OLMo-2-0425-1B"
DRAWN = "{layers: 12, hidden: 768, vocab: 50304}"
MODELS = {
    "torch": (GPT2, QWEN, DRAWN), "hf-trainer": (LLAMA, QWEN, GPT2), "accelerate": (QWEN, LLAMA),
    "deepspeed": (QWEN, GPT2, LLAMA), "unsloth": (QWEN, LLAMA), "megatron": (LLAMA, GPT2), "torchtitan": (LLAMA,),
    "nanochat": ("{layers: 20, hidden: 1280, vocab: 65536}",), "nanogpt": (GPT2, DRAWN.replace("}", ", gated_mlp: false}")),
    "axolotl": (LLAMA, QWEN), "llama-factory": (LLAMA, QWEN),
}


class Written:
    """One launch: the plan that was launched and the files."""

    def __init__(self, launcher, *words, stdin=None):
        self.place = Path(tempfile.mkdtemp())
        self.path = self.place / "out"
        self.done = run("launch", *words, "--to", launcher, "-o", str(self.path), stdin=stdin)
        self.launcher = launcher
        if self.done.returncode == 0:
            kept = json.loads((self.path / "plan.json").read_text())
            self.plan = next(plan for plan in kept["plans"] if plan["id"] == kept["launched"])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.place)

    def text(self, pattern):
        return "\n".join(path.read_text() for path in sorted(self.path.glob(pattern)))

    def phases(self):
        """(plan's phase, folder of its files, its script)."""
        for script in scripts_of(self.path):
            text = script.read_text()
            name = re.search(r"^phase=(.*)$", text, re.M).group(1).strip("'")
            phase = next(phase for phase in self.plan["phases"] if phase["name"] == name)
            yield phase, files_of(script), text


def flag(text, name, default=None):
    found = re.search(rf"--{name}[ =]('[^']*'|\S+)", text)
    return found.group(1).strip("'") if found else default


def number(text, name, default=None):
    value = flag(text, name)
    return default if value is None else float(value)


def shared(settings):
    """settings.json of the programs that gpuplan brings."""
    host = [name for name in ("optimizer", "params", "activations") if settings["offload"][name]]
    return {
        "micro": settings["micro_batch"], "accumulate": settings["grad_accum"], "batch": settings["batch"],
        "steps": settings["steps"], "sequence": settings["sequence"], "dp": settings["dp"], "tp": settings["tp"],
        "pp": settings["pp"], "cp": settings["cp"], "ep": settings["ep"], "precision": settings["precision"],
        "recompute": settings["recompute"], "offload": "+".join(host) or "none", "compile": settings["compile"],
        "optimizer": settings["optimizer"]["matrices"], "method": settings["method"],
        "rank": settings["lora"]["rank"] if settings["method"] in ("lora", "qlora") else None,
        "scratch": settings["from_scratch"], "keep": settings["keep_checkpoints"] or None,
        "every": settings["checkpoint_steps"], "gpus": settings["gpus"], "nodes": settings["nodes"],
        "mean": settings["mean_tokens"],
    }


def read_torch(folder, _):
    settings = json.loads((folder / "settings.json").read_text())
    return {**shared(settings), "sharding": (settings["sharding"], settings["fsdp"])}


TRL_FILES = ("sft.yaml", "grpo.yaml")


def read_trl(folder):
    lines = yaml.safe_load(next(folder / name for name in TRL_FILES if (folder / name).exists()).read_text())
    backend = yaml.safe_load((folder / "accelerate.yaml").read_text())
    shards = backend.get("fsdp_config", {})
    again = lines["gradient_checkpointing"] or shards.get("fsdp_activation_checkpointing", False)
    targets = lines.get("lora_target_modules", ["all-linear"])
    return {
        **hugging_face(lines), **({"precision": "tf32"} if lines.get("tf32") else {}),
        "micro": lines["per_device_train_batch_size"], "sequence": lines.get("max_length", lines.get("vllm_max_model_length")),
        "recompute": "full" if again else "none", "compile": lines["torch_compile"],
        "method": "full" if not lines["use_peft"] else "qlora" if lines.get("load_in_4bit") else "lora",
        "rank": lines.get("lora_r"), "targets": [] if targets == ["all-linear"] else sorted(targets), "scratch": False,
        **({"sharding": "hsdp" if shards["fsdp_version"] == 1 else "zero3" if shards["fsdp_reshard_after_forward"] else "zero2"} if shards else {}),
    }


def read_trainer(folder, _):
    settings = json.loads((folder / "settings.json").read_text())
    values = shared(settings)
    if any((folder / name).exists() for name in TRL_FILES):
        values |= read_trl(folder)
    else:
        values["sharding"] = settings["sharding"]
    if (folder / "accelerate.yaml").exists():
        accelerate = yaml.safe_load((folder / "accelerate.yaml").read_text())
        values["machines"] = accelerate["num_machines"]
        values["processes"] = accelerate["num_processes"]
    if (folder / "ds_config.json").exists():
        config = json.loads((folder / "ds_config.json").read_text())
        values["batch of deepspeed"] = config["train_batch_size"]
        values["micro of deepspeed"] = config["train_micro_batch_size_per_gpu"]
        values["accumulate of deepspeed"] = config["gradient_accumulation_steps"]
        values["stage"] = config["zero_optimization"]["stage"]
    return values


def read_megatron(_, script):
    batch, micro = number(script, "global-batch-size"), number(script, "micro-batch-size")
    precision = ("fp16" if "--fp16" in script else "fp8" if "--fp8-format hybrid" in script else
                 "bf16" if "--bf16" in script else "fp32")
    return {
        "micro": micro, "batch": batch, "steps": number(script, "train-iters"),
        "sequence": number(script, "seq-length"), "tp": number(script, "tensor-model-parallel-size"),
        "pp": number(script, "pipeline-model-parallel-size"), "cp": number(script, "context-parallel-size"),
        "ep": number(script, "expert-model-parallel-size", 1), "precision": precision,
        "recompute": flag(script, "recompute-granularity", "none"), "scratch": "--finetune" not in script,
        "offload": "optimizer" if "--optimizer-cpu-offload" in script else "none",
        "sharding": "zero1" if "--use-distributed-optimizer" in script else "none",
        "every": number(script, "save-interval"), "optimizer": {"adam": "adamw"}.get(flag(script, "optimizer"), flag(script, "optimizer")),
    }


def read_torchtitan(folder, _):
    toml = tomllib.loads((folder / "train.toml").read_text())
    cut, train = toml["parallelism"], toml["training"]
    dp = cut["data_parallel_replicate_degree"] * cut["data_parallel_shard_degree"]
    pp = cut["pipeline_parallel_degree"]
    micro = cut.get("pipeline_parallel_microbatch_size", train["local_batch_size"]) if pp > 1 else train["local_batch_size"]
    return {
        "micro": micro, "batch": train["global_batch_size"], "steps": train["steps"], "sequence": train["seq_len"],
        "accumulate": train["global_batch_size"] / (micro * dp), "dp": dp, "tp": cut["tensor_parallel_degree"],
        "one pass of the pipeline": train["local_batch_size"] if pp > 1 else None,
        "pp": pp, "cp": cut["context_parallel_degree"], "ep": cut["expert_parallel_degree"],
        "recompute": toml["activation_checkpoint"]["mode"], "compile": toml["compile"]["enable"],
        "scratch": not toml["checkpoint"].get("initial_load_in_hf", False), "every": toml["checkpoint"]["interval"],
        "keep": toml["checkpoint"]["keep_latest_k"] or None,
        "precision": "fp8" if toml["model"].get("converters") else "bf16",
    }


def read_nanochat(_, script):
    sequence, micro = number(script, "max-seq-len"), number(script, "device-batch-size")
    return {
        "micro": micro, "batch": number(script, "total-batch-size") / sequence, "steps": number(script, "num-iterations"),
        "sequence": sequence, "every": number(script, "save-every"), "scratch": True,
    }


def read_nanogpt(folder, _):
    settings = json.loads((folder / "settings.json").read_text())
    return {
        "micro": settings["batch_size"], "all passes": settings["gradient_accumulation_steps"],
        "steps": settings["max_iters"], "sequence": settings["block_size"], "compile": settings["compile"],
        "every": settings["eval_interval"], "scratch": settings["init_from"] == "scratch",
        "precision": {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}[settings["dtype"]],
    }


def hugging_face(lines):
    return {
        "accumulate": lines["gradient_accumulation_steps"], "steps": lines["max_steps"], "every": lines["save_steps"],
        "keep": lines.get("save_total_limit"),
        "precision": "bf16" if lines["bf16"] else "fp16" if lines["fp16"] else "fp32",
    }


def read_axolotl(folder, _):
    lines = yaml.safe_load((folder / "axolotl.yaml").read_text())
    method = lines.get("adapter", "full")
    return {
        **hugging_face(lines), "micro": lines["micro_batch_size"], "sequence": lines["sequence_len"], "method": method,
        "rank": lines.get("lora_r"), "scratch": lines["reinit_weights"], "compile": lines["torch_compile"],
        "recompute": "full" if lines["gradient_checkpointing"] else "none", "packed": lines["sample_packing"],
        "tp": lines.get("tensor_parallel_size", 1), "cp": lines.get("context_parallel_size", 1),
        "targets": sorted(lines.get("lora_target_modules", [])),
    }


def read_llama_factory(folder, _):
    lines = yaml.safe_load((folder / "llama_factory.yaml").read_text())
    method = "full" if lines["finetuning_type"] == "full" else "qlora" if lines.get("quantization_bit") == 4 else "lora"
    targets = lines.get("lora_target", "all")
    return {
        **hugging_face(lines), "micro": lines["per_device_train_batch_size"], "sequence": lines["cutoff_len"],
        "method": method, "rank": lines.get("lora_rank"), "scratch": lines["train_from_scratch"],
        "recompute": "none" if lines["disable_gradient_checkpointing"] else "full", "packed": lines["packing"],
        "targets": [] if targets == "all" else sorted(targets.split(",")),
    }


READERS = {
    "torch": read_torch, "hf-trainer": read_trainer, "accelerate": read_trainer, "deepspeed": read_trainer,
    "unsloth": read_trainer, "megatron": read_megatron, "torchtitan": read_torchtitan, "nanochat": read_nanochat,
    "nanogpt": read_nanogpt, "axolotl": read_axolotl, "llama-factory": read_llama_factory,
}


def counted(phase, job):
    """The same names as the plan has them."""
    s, offer = phase["strategy"], phase["offer"]
    nodes = max(math.ceil(phase["gpus_used"] / offer["gpus"]), 1)
    framework = s["framework"]
    values = {
        "micro": s["micro_batch"], "accumulate": s["grad_accum"], "batch": s["global_batch"],
        "steps": max(math.ceil(phase["steps"] - 1e-6), 1), "sequence": phase["sequence"],
        "dp": s["dp"], "tp": s["tp"], "pp": s["pp"], "cp": s["cp"], "ep": s["ep"], "precision": s["precision"],
        "recompute": s["recompute"], "offload": s["offload"], "compile": s["compile"], "optimizer": s["optimizer"],
        "method": s["method"], "rank": s["lora_rank"], "scratch": phase["starts_from"] == "scratch",
        "keep": phase["keep_checkpoints"], "sharding": s["sharding"], "gpus": phase["gpus_used"] // nodes,
        "nodes": nodes, "machines": nodes, "processes": phase["gpus_used"], "all passes": s["grad_accum"] * s["dp"],
        "batch of deepspeed": s["global_batch"], "micro of deepspeed": s["micro_batch"],
        "accumulate of deepspeed": s["grad_accum"], "one pass of the pipeline": None,
    }
    host = s["offload"].split("+")
    stage = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3}.get(s["sharding"], 3)
    values["stage"] = 3 if "params" in host else max(stage, 1) if "optimizer" in host else stage
    if framework == "torch":  # FSDP2 stands in for DDP beside tensor parallelism, and for states on the host: said
        fsdp = s["sharding"] in ("zero2", "zero3", "hsdp")
        instead = not fsdp and ("optimizer" in host or "params" in host or (s["tp"] > 1 and s["dp"] > 1))
        values["sharding"] = ("zero2", True) if instead else (s["sharding"], fsdp)
    if framework == "megatron" and "optimizer" in host:
        values["sharding"] = "zero1"  # its states on the host are those of the distributed optimizer
    if framework == "torchtitan":
        values["one pass of the pipeline"] = s["micro_batch"] * s["grad_accum"] if s["pp"] > 1 else None
        if values["keep"] == 1:
            values["keep"] = 2  # it refuses one; the script says so
    if job is not None:  # random jobs: the file says these, plan.json does not
        values["packed"] = job["packed"]
        values["targets"] = job["targets"] if s["method"] in ("lora", "qlora") else []
        values["mean"] = job["mean"]
    return values


def differences(phase, folder, script, job=None):
    framework = phase["strategy"]["framework"]
    written, planned = READERS[framework](folder, script), counted(phase, job)
    if not phase["offer"]["spot"]:  # one after so many steps each, and one at the end
        written["checkpoints"] = max(math.ceil(planned["steps"] / written["every"] - 1e-9), 1)
        planned["checkpoints"] = max(math.ceil(phase["bytes"]["checkpoints"] - 1e-9), 1)
    return [f"{framework}: {name} is {value} in what was written and {planned[name]} in the plan"
            for name, value in written.items() if name in planned and value != planned[name]
            and not (isinstance(value, float) and math.isclose(value, planned[name], rel_tol=1e-9))]


def generation_differences(phase, folder):
    """settings.json of generation: replicas, their GPUs, sequences in flight, formats and the engine's own limits."""
    settings, s = json.loads((folder / "settings.json").read_text()), phase["strategy"]
    pairs = [("replicas", settings["replicas"], s["replicas"]), ("weights", settings["weights"], s["weights"]),
             ("GPUs of a replica", settings["gpus_of_replica"], s["tp"] * s["pp"]),
             ("in flight", settings.get("in_flight_together", settings["in_flight"] * settings["replicas"]),
              max(s["batch"] or 1, 1)),
             ("a replica's share", settings["in_flight"], math.ceil(max(s["batch"] or 1, 1) / s["replicas"])),
             ("one model a GPU", settings["one_model_per_gpu"], s["placement"] == "one_model_per_gpu")]
    engine = settings.get("engine_arguments")
    if engine is not None:
        longest = max(data["max_prompt_tokens"] + data["max_new_tokens"] for data in settings["data"])
        pairs += [("tp", engine["tensor_parallel_size"], s["tp"]), ("pp", engine["pipeline_parallel_size"], s["pp"]),
                  ("sequences", engine["max_num_seqs"], settings["in_flight"]), ("tokens", engine["max_model_len"], longest),
                  ("cache", engine["kv_cache_dtype"], "fp8" if s["kv_cache"] == "fp8" else "auto"),
                  ("memory", engine["gpu_memory_utilization"], memory_share("vllm"))]
    return [f"{name} is {value} in what was written and {planned} in the plan"
            for name, value, planned in pairs if value != planned]


def memory_share(engine):
    """What the model of generation lets an engine take: data/engines.csv."""
    lines = (Path(__file__).resolve().parents[2] / "data" / "engines.csv").read_text().splitlines()
    column = lines[0].split(",").index("memory_share")
    return next(float(line.split(",")[column]) for line in lines if line.startswith(engine + ","))


def limit_of(phases):
    """A tenth over P90 and ten minutes at least, in whole minutes."""
    seconds = sum(phase["hours"]["p90"] for phase in phases) * 3600
    return math.ceil((seconds + max(seconds * 0.1, 600)) / 60 - 1e-9) * 60


class Launchers(unittest.TestCase):
    def check_script(self, phase, script, offer_gpus):
        said = dict(re.findall(r"^(nodes|gpus|limit|gpu_mib)=(\S+)$", script, re.M))
        nodes = max(math.ceil(phase["gpus_used"] / offer_gpus), 1) if offer_gpus else 1
        self.assertEqual(int(said["nodes"]), nodes)
        self.assertEqual(int(said["gpus"]) * nodes, phase["gpus_used"])
        if phase["cost_usd"]["p50"] > 0:
            self.assertEqual(int(said["limit"]), limit_of([phase]))
        self.check_figures(phase, script)
        if offer_gpus and phase["memory_gib"]:
            self.assertAlmostEqual(int(said["gpu_mib"]), phase["memory_gib"]["total"]["p50"] * 1024, delta=1)

    def check_figures(self, phase, script):
        """Hours, dollars and memory that somebody reads, in the head and in what the summary says, are the plan's as far
        as they are written out."""
        hours = phase["hours"]
        for pattern in (r"^# time +(.*)$", r"^predicted_hours='(.*)'$"):
            said = re.search(pattern, script, re.M).group(1)
            three = re.match(r"(\S+ \S+) \((\S+ \S+) … (\S+ \S+)\)", said)
            for text, part in zip(three.groups(), ("p50", "p10", "p90")):
                self.equal(HOURS[text.split()[1]], text.split()[0], hours[part], said)
        for pattern in (r"^# cost +(.*)$", r"^predicted_dollars='(.*)'$"):
            said = re.search(pattern, script, re.M).group(1)
            if phase["cost_usd"]["p50"] == 0:
                self.assertNotRegex(said, r"[1-9]")
                continue
            for text, part in zip(re.match(r"\$(\S+)(?: \(\$?([\d.,]+)–\$?([\d.,]+)\))?", said).groups(), ("p50", "p10", "p90")):
                if text:
                    self.equal(1, text, phase["cost_usd"][part], said)
        memory = re.search(r"^# memory +(\S+) GiB per GPU \((\S+)–(\S+)\)", script, re.M)
        if memory:
            for text, part in zip(memory.groups(), ("p50", "p10", "p90")):
                self.equal(1, text, phase["memory_gib"]["total"][part], memory.group(0))

    def equal(self, unit, text, value, where):
        """Within half of the last digit that is written, and a little for numbers that are kept with few."""
        number = float(text.replace(",", ""))
        last = 10.0 ** -len(text.partition(".")[2]) if "." in text else 1.0
        self.assertLessEqual(abs(number * unit - value), 0.51 * last * unit + 0.001 * abs(value), f"{where}: {value}")

    def asked(self, written):
        """(GPUs of a machine, machines) of each thing that is asked for."""
        if written.launcher == "slurm":
            for text in map(Path.read_text, sorted([*written.path.glob("slurm/*.sbatch"), *written.path.glob("*.sh")])):
                gpus = re.search(r"^#SBATCH --gpus-per-node=(?:\S+:)?(\d+)$", text, re.M)
                if gpus:
                    yield int(gpus.group(1)), int(re.search(r"^#SBATCH --nodes=(\d+)$", text, re.M).group(1))
        elif written.launcher == "skypilot":
            for path in sorted(written.path.glob("skypilot/*.yaml")):
                for task in filter(None, yaml.safe_load_all(path.read_text())):
                    for ask in task.get("resources", {}).get("any_of", [task.get("resources", {})]):
                        accelerators = ask.get("accelerators") or task.get("resources", {}).get("accelerators")
                        if accelerators:
                            yield int(str(accelerators).rsplit(":", 1)[1]), task.get("num_nodes", 1)
        elif written.launcher == "dstack":
            for path in sorted(written.path.glob("*.dstack.yml")):
                task = yaml.safe_load(path.read_text())
                gpu = task.get("resources", {}).get("gpu")
                if gpu and task["type"] == "task":
                    yield int(str(gpu).rsplit(":", 1)[1]) if isinstance(gpu, str) else int(gpu["count"]), task.get("nodes", 1)
        elif written.launcher == "kubernetes":
            for path in sorted(written.path.glob("kubernetes/[0-9m]*.yaml")):
                for item in filter(None, yaml.safe_load_all(path.read_text())):
                    text = json.dumps(item)
                    gpus = re.search(r'"[a-z]+\.com/gpu": "?(\d+)', text)
                    if gpus:
                        spec = item["spec"]["replicatedJobs"][0]["template"]["spec"] if item["kind"] == "JobSet" else item["spec"]
                        yield int(gpus.group(1)), spec.get("parallelism", 1)
        elif written.launcher == "vast":
            for text in map(Path.read_text, sorted(written.path.glob("vast/rent*.sh"))):
                found = re.search(r"num_gpus=(\d+)", text)
                if found:
                    yield int(found.group(1)), 1
        elif written.launcher == "runpod":
            for text in map(Path.read_text, sorted(written.path.glob("runpod/rent*.sh"))):
                found = re.search(r"^gpus=(\d+)$", text, re.M)
                if found:
                    yield int(found.group(1)), 1

    def test_every_example_with_every_launcher(self):
        compared = refused = 0
        for example in EXAMPLES:
            for launcher in LAUNCHERS:
                with self.subTest(example=example, launcher=launcher), Written(launcher, example) as written:
                    if written.done.returncode != 0:
                        self.assertIn(written.done.returncode, (3, 4, 5), written.done.stderr)
                        self.assertEqual(written.done.stderr.count("\n"), 1, written.done.stderr)
                        refused += 1
                        continue
                    held = []
                    for phase, folder, script in written.phases():
                        offer = phase["offer"] if phase["offer"] and phase["gpus_used"] else None
                        self.check_script(phase, script, offer["gpus"] if offer else 0)
                        if offer:
                            nodes = max(math.ceil(phase["gpus_used"] / offer["gpus"]), 1)
                            held.append((phase["gpus_used"] // nodes, offer["gpus"], nodes))
                        if not phase["strategy"] or "GPUPLAN_COMMAND" in script or "END_OF_COMMAND" in script or (folder / "command.sh").exists():
                            continue
                        if phase["strategy"]["micro_batch"] is not None:
                            self.assertEqual(differences(phase, folder, script), [])
                        else:
                            self.assertEqual(generation_differences(phase, folder), [])
                        compared += 1
                    asked = list(self.asked(written))
                    if launcher != "bash" and held and asked:
                        for gpus, nodes in asked:
                            # Of a pool only what is used, of a machine that is rented all.
                            self.assertTrue(any(n == nodes and gpus in (used, whole) for used, whole, n in held), (gpus, nodes, held))
        self.assertGreater(compared, 3 * len(LAUNCHERS))
        self.assertLess(refused, len(EXAMPLES) * len(LAUNCHERS) / 2)


class RandomJobs(unittest.TestCase):
    """Jobs of one training phase, of every framework, as random as its keys allow."""

    def job(self, draw, framework):
        pick = draw.choice
        model, gpus, nodes = pick(MODELS[framework]), pick((1, 2, 4, 8)), pick((1, 1, 1, 2))
        if framework == "unsloth":
            gpus = nodes = 1
        tokens = pick((True, False)) if framework not in ("nanochat", "megatron", "nanogpt") else True
        longest = pick((300, 1000, 1024, 4000))
        mean = draw.randint(longest // 4, longest)
        packing = not tokens and (framework == "torchtitan" or pick((True, False)))  # it always joins them
        sequence = pick((512, 1024, 2048, 4096))
        data = "{tokens: %dM}" % pick((40, 130, 500)) if tokens else "{samples: %d, tokens_per_sample: {mean: %d, max: %d}%s}" % (
            draw.randint(3000, 30000), mean, longest, ", packing: true" if packing else "")
        lines = [f"model: {model}", f"data: {data}", f"sequence: {sequence}", "batch: {sequences: %d}" % pick((64, 128, 256)),
                 f"framework: {framework}"]
        method = pick(("full", "lora", "qlora")) if framework in ("hf-trainer", "axolotl", "llama-factory") else \
            pick(("lora", "qlora")) if framework == "unsloth" else "full"
        targets = []
        if method != "full":
            lines.append(f"method: {method}")
            names = pick(([], ["q_proj", "v_proj"], ["attention"]))
            lines.append("lora: {rank: %d%s}" % (pick((8, 32)), ", targets: [%s]" % ", ".join(names) if names else ""))
            targets = sorted(["q_proj", "k_proj", "v_proj", "o_proj"] if names == ["attention"] else names)
        if not tokens and pick((True, False)):
            lines.append("epochs: %d" % pick((2, 3)))
        if method == "full" and framework not in ("nanochat", "nanogpt") and not model.startswith("{"):
            start = pick((None, "weights", "scratch"))
            lines += [f"start: {start}"] if start else []
        if framework == "megatron" and gpus * nodes >= 4 and model == LLAMA:
            lines.append("parallel: {tp: 2, pp: 2}")
        if framework == "torchtitan" and gpus * nodes >= 4:
            lines += pick(([], ["parallel: {pp: 2, sharding: zero3}"], ["parallel: {tp: 2, sharding: zero3}"]))
        if framework in ("torch", "hf-trainer", "accelerate", "deepspeed"):
            lines += pick(([], ["recompute: full"], ["offload: optimizer"]))
        checkpoint = pick((None, "{every: 50 steps}", "{every: 100 steps, keep: 1}", "{every: 40 steps, keep: all}",
                           "{every: 30 steps, keep: 5}"))
        text = ("market: {use: only, offers: [{gpu: H100 SXM, gpus: %d, price: $2/h}]}\nwhere: {nodes: %d}\n"
                "phases:\n  - name: train\n    train:\n%s\n" % (gpus, nodes, "\n".join("      " + line for line in lines)))
        if checkpoint:
            text += f"    checkpoint: {checkpoint}\n"
        full = sequence if tokens or packing else min(sequence, longest)
        return text, {"packed": tokens or packing, "targets": targets,
                      "mean": full if tokens or packing else min(mean, full)}

    def test_all_frameworks(self):
        draw = random.Random(20261122)
        compared = {framework: 0 for framework in READERS}
        for index in range(JOBS):
            framework = list(READERS)[index % len(READERS)]
            text, said = self.job(draw, framework)
            with self.subTest(job=text), Written("bash", "-", stdin=text.encode()) as written:
                if written.done.returncode in (3, 4, 5):
                    self.assertNotIn("launch", written.done.stderr.splitlines()[0][:8])
                    continue
                self.assertEqual(written.done.returncode, 0, written.done.stderr)
                for phase, folder, script in written.phases():
                    if "GPUPLAN_COMMAND" in script:
                        continue
                    self.assertEqual(differences(phase, folder, script, said), [])
                    compared[framework] += 1
        for framework, times in compared.items():
            self.assertGreater(times, 0, f"{framework} was never compared")


class OneRule(unittest.TestCase):
    """Cases in which plan and launch once counted differently."""

    def settings(self, train, more="", framework="hf-trainer"):
        text = ("market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $2/h}]}\nphases:\n  - name: train\n"
                "    train: {model: Qwen/Qwen2.5-1.5B, framework: %s, batch: {sequences: 64}, %s}\n%s" % (framework, train, more))
        with Written("bash", "-", stdin=text.encode()) as written:
            self.assertEqual(written.done.returncode, 0, written.done.stderr)
            ((phase, folder, _),) = written.phases()
            return phase, json.loads((folder / "settings.json").read_text())

    def test_sequences_are_no_longer_than_samples(self):
        phase, settings = self.settings("data: {samples: 9000, tokens_per_sample: {mean: 512, max: 1024}}, sequence: 4096")
        self.assertEqual((phase["sequence"], settings["sequence"]), (1024, 1024))
        # One number is the mean of rows that may be longer: none loses its end.
        phase, settings = self.settings("data: {samples: 9000, tokens_per_sample: 512}, sequence: 4096")
        self.assertEqual((phase["sequence"], settings["sequence"]), (512, 4096))
        _, settings = self.settings("data: {samples: 9000, tokens_per_sample: {mean: 512, max: 1024}}, sequence: 4096")
        _, same = self.settings("data: {samples: 9000, tokens_per_sample: {mean: 512, max: 1024}}, sequence: 1024")
        self.assertEqual(settings["flops_per_token"], same["flops_per_token"])
        _, packed = self.settings("data: {samples: 9000, tokens_per_sample: {mean: 512, max: 1024}, packing: true}, sequence: 4096")
        self.assertEqual(packed["sequence"], 4096)
        self.assertGreater(packed["flops_per_token"], settings["flops_per_token"])

    def test_where_training_starts_moves_what_is_fetched(self):
        for start in ("weights", "scratch"):
            phase, settings = self.settings(f"data: {{samples: 9000, tokens_per_sample: 512}}, start: {start}")
            self.assertEqual(settings["from_scratch"], start == "scratch")
            self.assertEqual(phase["starts_from"], start)
            self.assertEqual(phase["bytes"]["weights_gb"] > 0, start == "weights")

    def test_checkpoints_that_are_kept(self):
        for keep, planned in (("", 2), (", keep: 1", 1), (", keep: 4", 4), (", keep: all", None)):
            phase, settings = self.settings("data: {samples: 90000, tokens_per_sample: 512}",
                                            f"    checkpoint: {{every: 50 steps{keep}}}\n")
            self.assertEqual(phase["keep_checkpoints"], planned)
            self.assertEqual(settings["keep_checkpoints"], planned or 0)
            self.assertEqual(phase["bytes"]["kept_checkpoints"], planned or phase["bytes"]["checkpoints"])


if __name__ == "__main__":
    main(__doc__)
