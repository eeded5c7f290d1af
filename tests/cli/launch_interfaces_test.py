#!/usr/bin/env python3
"""Every flag, key, choice and type in the scripts of a matrix of jobs, held against the tables of data/interfaces.

    tests/cli/launch_interfaces_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import ast
import copy
import functools
import itertools
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import yaml

import interfaces
from launch_work_test import GPT2, LLAMA, SAMPLES, TEMPLATES, TOKENS, TRAININGS, training_job
from program import ROOT, main, run

QWEN, MIXTRAL, DEEPSEEK = "Qwen/Qwen2.5-1.5B", "mistralai/Mixtral-8x7B-v0.1", "deepseek-ai/DeepSeek-V2-Lite"
NANO = "{layers: 20, hidden: 1280, vocab: 65536, gated_mlp: false}"
PACKED = SAMPLES[:-1] + ", packing: true}"
CLOUDS = {"bash": "", "slurm": "", "kubernetes": "", "skypilot": ", provider: aws, region: us-east-1",
          "dstack": ", provider: aws, region: us-east-1", "vast": ", provider: vast", "runpod": ", provider: runpod"}
GENERATION = """
market: {{use: only, offers: [{{gpu: H100 SXM, gpus: 8, price: $1/h{cloud}}}]}}
phases:
  - name: answers
    generate: {{model: {model}, data: {{samples: 10k, prompt_tokens: 500, new_tokens: 200}}, engine: {engine}{more}}}
"""


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_of(text):
    return yaml.load(text, LOADER)


def parallel(text):
    return f"parallel: {{{text}}}" if text else ""


def trainings():
    """(launcher, job): framework x method x machines x cut x precision x data."""
    jobs = [("bash", training_job(*case)) for case in TRAININGS]

    def add(framework, models, data, machines, more):
        for model, rows, (gpus, nodes), extra in itertools.product(models, data, machines, more):
            extra = [one for one in extra if one]
            written = "{" + ", ".join(extra) + "}" if len(extra) > 1 else "".join(extra)
            jobs.append(("bash", training_job(framework, model, rows, gpus, nodes, written)))

    def every(*lists):
        return list(itertools.product(*lists))

    shards = [parallel("sharding: " + name) for name in ("none", "zero1", "zero2", "zero3")]
    methods = ["method: full", "method: lora", "method: qlora"]
    optimizers = ["", "optimizer: adam8bit", "optimizer: adafactor", "optimizer: lion", "optimizer: sgd", "optimizer: paged_adamw_8bit"]
    for framework in ("hf-trainer", "axolotl", "llama-factory"):
        add(framework, [QWEN], [SAMPLES], [(8, 1), (8, 2)], every(methods))
        add(framework, [QWEN], [TOKENS], [(8, 1)], every(methods))
        add(framework, [QWEN], [PACKED], [(8, 1)], every(methods))
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(shards, ["precision: fp16", "offload: optimizer"]))
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(optimizers[1:], [shards[3]]))
    for framework in ("axolotl", "torchtitan", "megatron"):
        add(framework, [LLAMA], [PACKED if framework == "axolotl" else TOKENS], [(8, 2)],
            every([parallel(cut) for cut in ("tp: 2, sharding: zero3", "cp: 2, sharding: zero3", "sharding: hsdp", "tp: 2, pp: 2, sharding: zero1",
                                             "pp: 4, sharding: zero2", "tp: 8", "tp: 2, cp: 2, sharding: zero1")],
                  ["precision: bf16", "recompute: full"] if framework == "axolotl" else ["precision: bf16", "precision: fp8"]))
    add("megatron", [LLAMA], [TOKENS], [(8, 2)], every(["recompute: selective", "recompute: full", "precision: fp16", "offload: optimizer",
                                                      "optimizer: {matrices: muon, rest: adamw}", "optimizer: sgd"]))
    add("megatron", [MIXTRAL, DEEPSEEK], [TOKENS], [(8, 4)], every([parallel("ep: 8, sharding: zero1")]))
    add("megatron", ["mistralai/Mistral-7B-v0.1", "Qwen/Qwen3-8B", GPT2], [TOKENS], [(8, 1)], every([parallel("tp: 2, sharding: zero1")]))
    add("torchtitan", [LLAMA, "Qwen/Qwen3-8B"], [TOKENS, SAMPLES], [(8, 1)], every(["recompute: full", "recompute: selective", "compile: true"], [shards[3]]))
    for framework in ("accelerate", "deepspeed"):
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(shards[:1] + shards[2:], ["", "offload: optimizer"]))
    add("torch", [QWEN], [TOKENS], [(1, 1), (8, 1), (8, 2)], every(["precision: bf16", "precision: fp32"]))
    add("unsloth", [QWEN], [SAMPLES], [(1, 1)], every(methods, ["", "optimizer: adam8bit"]))
    add("nanochat", [NANO], [TOKENS], [(8, 1)], every(["precision: bf16", "precision: fp8"]))
    add("nanogpt", [GPT2], [TOKENS], [(1, 1), (8, 1), (8, 2)], every(["precision: bf16", "precision: fp16"]))
    add("trl", [QWEN], [SAMPLES, PACKED], [(8, 1)], every(methods))
    return jobs


def launches():
    jobs = trainings()
    for to, cloud in CLOUDS.items():
        for nodes in (1, 2):
            if nodes > 1 and to in ("vast", "runpod"):
                continue
            for framework, model, data, more in (("hf-trainer", QWEN, SAMPLES, "method: lora"), ("megatron", LLAMA, TOKENS, ""),
                                                 ("axolotl", QWEN, SAMPLES, "")):
                jobs.append((to, training_job(framework, model, data, 8, nodes, more).replace("price: $1/h", "price: $1/h" + cloud)))
            # Work that resumes on spot machines.
            jobs.append((to, training_job("torch", GPT2, TOKENS, 8, nodes, "").replace(
                "price: $1/h", "price: $2/h, spot_price: $1/h, interruptions: 5%/h" + cloud).replace("where: {nodes", "where: {spot: only, nodes")))
    for engine, model, more in itertools.product(("vllm", "hf"), (LLAMA,),
                                                 ("", ", weights: fp8", ", weights: nf4", ", kv_cache: fp8", ", parallel: {tp: 2}",
                                                  ", speculative: {tokens: 4, acceptance: 0.6}", ", weights: fp16")):
        jobs.append(("bash", GENERATION.format(engine=engine, model=model, more=more, cloud="")))
    return jobs


def words_after(script, program):
    """Words of every command of a script that starts with `program`; lines may be continued."""
    found = []
    for line in script.replace("\\\n", " ").splitlines():
        at = re.search(rf"(?:^|[\s;|&(\"]){re.escape(program)}(?=\s|$)", line)
        if not at or line.lstrip().startswith("#"):
            continue
        rest = line[at.end():]
        if line[:at.start() + 1].count('"') % 2:
            rest = rest.partition('"')[0]  # a command that is shown
        try:
            words = shlex.split(rest)
        except ValueError:  # the rest of a quoted text of the script's own
            words = rest.split()
        ends = [i for i, word in enumerate(words) if word in ("|", "||", "&&", ";", "&", ">", "<", "then", ";;") or word.startswith(("2>", ">"))]
        found.append(words[:min(ends, default=len(words))])
    return found


def pinned(script, package, otherwise):
    found = re.search(rf"{re.escape(package)}(?:\[[\w,-]+\])?>=([\d.]+)", script) if package else None
    return found[1] if found else otherwise


class Held:
    """The files of a launch against the tables; `wrong` fills with what they do not have."""

    def __init__(self, folder, tables=None):
        self.folder, self.tables, self.wrong, self.seen = folder, tables or {}, [], set()
        scripts = sorted(folder.glob("phases/*.sh"))
        self.script = "\n".join(path.read_text(encoding="utf-8") for path in scripts if path.name != "lib.sh")
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.file(path, path.read_text(encoding="utf-8"))

    def table(self, name):
        known = interfaces.index()[name]
        least = pinned(self.script, known["package"], known["from"])
        if name == "megatron":
            found = re.search(r"core (\d[\d.]*\d) or later", self.script)
            least = found[1] if found else known["from"]
        base = self.tables.get(name) or read_table(name)
        table = copy.copy(base)
        table.least = least
        self.seen.add(name)
        return table

    def take(self, lines, path):
        self.wrong += [f"{path.relative_to(self.folder)}: {line}" for line in lines]

    def file(self, path, text):
        name = path.name
        if path.parent == self.folder / "phases" and path.suffix == ".sh" and name != "lib.sh":
            self.phase(path, text)
        elif name == "train.toml":
            self.take(self.table("torchtitan").wrong_all("JobConfig", tomllib.loads(text)), path)
        elif name == "axolotl.yaml":
            self.take(self.table("axolotl").wrong_all("", yaml_of(text)), path)
        elif name == "llama_factory.yaml":
            self.first_of(("llama-factory", ""), ("transformers", "TrainingArguments"), values=yaml_of(text), path=path)
        elif name == "accelerate.yaml":
            self.accelerate(yaml_of(text), path)
        elif name == "ds_config.json":
            self.deepspeed(json.loads(text), path)
        elif name == "settings.json":
            self.settings(json.loads(text), path)
        elif path.parent.name == "skypilot":
            self.skypilot(text, path)
        elif name.endswith(".dstack.yml"):
            document = yaml_of(text)
            self.take(self.table("dstack").wrong_all(document["type"], document), path)
        elif path.parent.name == "kubernetes" and path.suffix == ".yaml":
            self.kubernetes(text, path)
        elif path.parent.name == "slurm":
            self.slurm(text, path)
        elif path.parent.name in ("vast", "runpod"):
            self.rented(text, path)

    def first_of(self, *tables, values, path):
        """Each key is one of the first table that has it."""
        made = [(self.table(name), section) for name, section in tables]
        for key, value in values.items():
            table, section = next(((t, s) for t, s in made if t.row(s, key)[0]), made[0])
            self.take(table.wrong(section, key, value), path)

    def accelerate(self, values, path):
        table = self.table("accelerate")
        for key, value in values.items():
            if key == "mixed_precision" and value not in ("no", "fp16", "bf16", "fp8"):
                self.take([f"accelerate: mixed_precision is {value}"], path)
            if key != "fsdp_config":
                self.take(table.wrong("config", key, value), path)
                continue
            # What stands in fsdp_config are flags of accelerate launch without the dashes.
            for name, inner in value.items():
                row, why = table.row("launch", "--" + name)
                text = str(inner).lower() if isinstance(inner, bool) else str(inner)
                self.take([why] if why else [] if row["type"] == "flag" else table.wrong_word({**row, "choices": ""}, text), path)
        self.take([f"accelerate: {key} is missing" for key in ("compute_environment", "distributed_type", "num_processes") if key not in values], path)

    def deepspeed(self, values, path):
        # "auto" is for the Trainer to fill in, in whatever key.
        def plain(value):
            if isinstance(value, dict):
                return {key: plain(inner) for key, inner in value.items()}
            return None if value == "auto" else value
        table = self.table("deepspeed")
        table.least = pinned(self.script, "deepspeed", table.least)
        self.take(table.wrong_all("", plain(values)), path)

    def settings(self, values, path):
        if "engine_arguments" in values:
            self.take(self.table("vllm").wrong_all("LLM", {**values["engine_arguments"], **values["arguments"]}), path)
        elif "n_layer" in values:
            self.take(self.table("nanogpt").wrong_all("", values), path)
        elif "optim" in values:
            table = self.table("transformers")
            self.take(table.wrong_all("TrainingArguments", {"optim": values["optim"], **values["arguments"]}), path)
            self.take(table.wrong("from_pretrained", "attn_implementation", values["attention"]["implementation"]), path)

    def phase(self, path, text):
        for words in words_after(text, "torchrun"):
            # torchrun's own end where the program begins; --local-ranks-filter is the only one that has its value apart.
            program = next((at for at, word in enumerate(words) if word == "-m" or not word.startswith("-")
                            and words[at - 1] != "--local-ranks-filter"), len(words))
            self.take(self.table("torch").wrong_flags("torchrun", words[:program]), path)
            rest = words[program:]
            if any(word.endswith("pretrain_gpt.py") for word in rest):
                self.take(self.table("megatron").wrong_flags("", rest), path)
            elif rest[:2] == ["-m", "scripts.base_train"]:
                self.take(self.table("nanochat").wrong_flags("base_train", rest[2:]), path)
            elif rest[:2] == ["-m", "torchtitan.train"]:
                self.torchtitan_flags(rest[2:], path)
        for program, table, section in (
                ("accelerate launch", "accelerate", "launch"), ("axolotl train", "axolotl", "train"),
                ("python -m scripts.tok_train", "nanochat", "tok_train"), ("python -m nanochat.dataset", "nanochat", "dataset")):
            for words in words_after(text, program):
                own = words[:words.index("--")] if "--" in words and program == "axolotl train" else words
                self.take(self.table(table).wrong_flags(section, own), path)
                if program == "axolotl train":
                    self.take(self.table("torch").wrong_flags("torchrun", words[len(own):]), path)
        for method, config in re.findall(r"trl (sft|dpo|grpo) --config (\S+)", text):
            self.trl(method, Path(config.strip("\"'")).name, path)

    def trl(self, method, name, path):
        for file in self.folder.rglob(name):
            self.first_of(("trl", method), ("trl", "model"), ("trl", "script"), ("transformers", "TrainingArguments"),
                          values=yaml_of(file.read_text(encoding="utf-8")), path=path)

    def torchtitan_flags(self, words, path):
        table = self.table("torchtitan")
        for word in words:
            found = re.match(r"--(\w+)\.(\w+)", word)
            if not found:
                self.take([f"torchtitan: {word}"] if word.startswith("--") else [], path)
                continue
            row, why = table.row("JobConfig", found[1])
            self.take([why] if why else table.wrong(row["type"], found[2], None), path)

    def skypilot(self, text, path):
        table = self.table("skypilot")
        for document in yaml.load_all(text, LOADER):
            mounts = document.pop("file_mounts", {})
            self.take(table.wrong_all("task", document), path)
            for mount in mounts.values():
                self.take(table.wrong_all("file_mounts", mount) if isinstance(mount, dict) else [], path)

    def kubernetes(self, text, path):
        base, sets = self.table("kubernetes"), self.table("jobset")
        # A Job inside of a JobSet is Kubernetes' own.
        both = copy.copy(sets)
        both.rows, both.sections = {**base.rows, **sets.rows}, base.sections | sets.sections
        for document in yaml.load_all(text, LOADER):
            table = both if document["kind"] == "JobSet" else base
            if document["kind"] not in table.sections:
                self.take([f"no {document['kind']} in {table.name}"], path)
                continue
            self.take(table.wrong_all(document["kind"], document), path)
            labels = document["metadata"].get("labels") or {}
            self.take(self.table("kueue").wrong_all("labels", {k: v for k, v in labels.items() if k.startswith("kueue.")}), path)

    def slurm(self, text, path):
        table = self.table("slurm")
        for line in re.findall(r"^#SBATCH (.*)$", text, re.M):
            self.take(table.wrong_flags("sbatch", shlex.split(line)), path)
        for program in ("srun", "sbatch"):
            for words in words_after(text, program):
                own = list(itertools.takewhile(lambda word: word not in ("bash", "slurm/machine.sh"), words))
                self.take(table.wrong_flags(program, [word.rstrip(")") for word in own if word.startswith("--")]), path)
        for program in ("squeue", "scancel"):
            for words in words_after(text, program):
                self.take(table.wrong_flags(program, [word for word in words if word.startswith("--")]), path)

    def rented(self, text, path):
        text = re.sub(r"^  '(vastai .*)'$", lambda shown: "  " + shown[1].replace("'\\''", "'"), text, flags=re.M)  # shown commands
        for command in ("search offers", "create instance", "show instance", "start instance", "destroy instance"):
            for words in words_after(text, "vastai " + command):
                table = self.table("vast")
                flags = [word for word in words if word.startswith("--")]
                self.take([why for flag in flags for why in [table.row(command, flag.rstrip(")"))[1] if flag != "--raw" else None] if why], path)
                for query in words[:1] if command == "search offers" else []:
                    fields = re.findall(r"(\w+)\s*(?:[<>!=]=?|in\b)", query)
                    self.take([why for field in fields for why in [table.row("query", field)[1]] if why], path)
        for words in words_after(text, "runpodctl pod create"):
            table = self.table("runpod")
            self.take([why for word in words if word.startswith("--") for why in [table.row("pod create", word.partition("=")[0])[1]] if why], path)


def used():
    """Seconds of processors that this program and those that it ran have used."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


@functools.cache
def read_table(name):
    return interfaces.Table(name)


def keywords(template, call):
    """What a program of ours gives a class or function: names, and values where they are plain."""
    found = {}
    for node in ast.walk(ast.parse((TEMPLATES / template).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(call):
            for word in node.keywords:
                if word.arg:
                    found[word.arg] = word.value.value if isinstance(word.value, ast.Constant) else None
    return found


def assigned(template, function, variable):
    """Keys that a function of ours puts into a dict, and values where they are plain."""
    found = {}
    for node in ast.walk(ast.parse((TEMPLATES / template).read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            for item in ast.walk(node):
                if isinstance(item, ast.Assign) and ast.unparse(item.targets[0]) == variable and isinstance(item.value, ast.Dict):
                    found.update((key.value, value.value if isinstance(value, ast.Constant) else None)
                                 for key, value in zip(item.value.keys, item.value.values))
    return found


class Matrix(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Path(tempfile.mkdtemp())
        began = used()

        def write(numbered):
            number, (to, job) = numbered
            folder = cls.place / str(number)
            return folder, to, job, run("launch", "-", "--to", to, "-o", str(folder), stdin=job.encode())
        with ThreadPoolExecutor(2) as pool:
            cls.written = list(pool.map(write, enumerate(launches())))
        cls.launched = used() - began
        cls.good = [one for one in cls.written if one[0].exists()]
        cls.held = [(Held(folder), to, job) for folder, to, job, _ in cls.good]
        cls.seconds = used() - began

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.place)

    def test_everything_written_exists_in_the_program_that_reads_it(self):
        counted = {}
        for held, to, job in self.held:
            for line in held.wrong:
                counted.setdefault(line, []).append(to + job)
        said = "\n".join(f"{len(jobs)} x {line}\n    first of {jobs[0]}" for line, jobs in counted.items())
        self.assertFalse(counted, said)

    def test_the_matrix_is_wide(self):
        # Jobs for which a program of a framework or a launcher is written, placeholders left out.
        known = [job for held, _, job in self.held if "GPUPLAN_COMMAND" not in held.script and held.seen]
        self.assertGreaterEqual(len(known), 200, f"{len(known)} of {len(self.written)}")
        seen = set().union(*(held.seen for held, _, _ in self.held))
        # Programs of ours call the others (Programs, below).
        self.assertEqual(set(interfaces.index()) - seen - {"peft", "unsloth", "trl"}, set())

    def test_all_was_quick(self):
        # Of one processor, so that what else runs here does not count.
        self.assertLess(self.seconds, 10, f"{len(self.written)} jobs, {self.launched:.1f} s to write them")

    def test_jobs_are_understood(self):
        for _, to, job, done in self.written:
            self.assertIn(done.returncode, (0, 4, 5), to + job + done.stderr)
            self.assertNotIn("unknown key", done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 12, done.stderr)

    def test_a_row_less_is_noticed(self):
        """Takes away, from each table, rows that scripts use: what holds them must say so."""
        folders = {}
        for (folder, _, _, _), (held, _, _) in zip(self.good, self.held):
            for name in held.seen:
                folders.setdefault(name, folder)
        for name, key in (("megatron", ("", "--micro-batch-size")), ("torchtitan", ("Training", "seq_len")), ("axolotl", ("", "micro_batch_size")),
                          ("llama-factory", ("", "cutoff_len")), ("accelerate", ("config", "num_processes")), ("nanochat", ("base_train", "--depth")),
                          ("deepspeed", ("DeepSpeedZeroConfig", "stage")), ("deepspeed", ("zero_optimization", "stage")),
                          ("nanogpt", ("", "block_size")), ("vllm", ("LLM", "max_num_seqs")), ("transformers", ("TrainingArguments", "optim")),
                          ("skypilot", ("resources", "use_spot")), ("dstack", ("fleet", "nodes")), ("slurm", ("sbatch", "--signal")),
                          ("torch", ("torchrun", "--nproc-per-node")), ("runpod", ("pod create", "--gpu-id")),
                          ("vast", ("query", "gpu_name"))):
            table = copy.copy(read_table(name))
            if key not in table.rows:
                continue
            table.rows = {row: value for row, value in table.rows.items() if row != key}
            with self.subTest(table=name, row=key):
                self.assertTrue(any(key[1] in line for line in Held(folders[name], {name: table}).wrong))

    def test_a_changed_type_choice_or_version_is_noticed(self):
        def with_row(name, key, **change):
            table = copy.copy(read_table(name))
            table.rows = {**table.rows, key: {**table.rows[key], **change}}
            folder = next(one[0] for one, (held, _, _) in zip(self.good, self.held) if name in held.seen)
            return Held(folder, {name: table}).wrong
        self.assertTrue(with_row("torchtitan", ("Training", "seq_len"), type="str"))
        self.assertTrue(with_row("torchtitan", ("Training", "seq_len"), until="0.2.0"))
        self.assertTrue(with_row("torchtitan", ("Training", "seq_len"), since="0.2.1"))
        self.assertTrue(with_row("megatron", ("", "--optimizer"), choices="lamb"))
        self.assertTrue(with_row("megatron", ("", "--micro-batch-size"), type="flag", since="9.0"))
        self.assertTrue(with_row("axolotl", ("", "sequence_len"), type="bool"))

    def test_a_wrong_word_in_a_script_is_noticed(self):
        changes = (("train.toml", "seq_len", "seq_length"), ("train.toml", 'mode = "', 'mode = 7 # "'), ("axolotl.yaml", "micro_batch_size: ", "micro_batch_size: x"),
                   ("llama_factory.yaml", "cutoff_len", "cutoff_length"), ("accelerate.yaml", "distributed_type: ", "distributed_type: X"),
                   ("ds_config.json", '"stage"', '"stages"'), ("01-*.sh", "--micro-batch-size", "--micro-batch"),
                   ("*.sbatch", "#SBATCH --signal", "#SBATCH --signals"), ("*.dstack.yml", "nodes:", "node:"))
        for pattern, old, new in changes:
            with self.subTest(file=pattern, new=new), tempfile.TemporaryDirectory() as place:
                source = next(folder for folder, _, _, _ in self.good
                              if any(old in file.read_text(encoding="utf-8") for file in folder.rglob(pattern)))
                folder = Path(place) / "out"
                shutil.copytree(source, folder)
                for file in folder.rglob(pattern):
                    file.write_text(file.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
                self.assertTrue(Held(folder).wrong)


class Programs(unittest.TestCase):
    """Calls of our own programs into libraries."""

    def holds(self, table, section, values):
        self.assertTrue(values)
        self.assertEqual(interfaces.Table(table).wrong_all(section, values), [])

    def test_of_transformers(self):
        self.holds("transformers", "TrainingArguments", assigned("train_trainer.py", "arguments", "chosen"))
        self.holds("transformers", "BitsAndBytesConfig", keywords("train_trainer.py", "BitsAndBytesConfig"))

    def test_of_peft_and_unsloth(self):
        self.holds("peft", "LoraConfig", keywords("train_trainer.py", "LoraConfig"))
        self.holds("unsloth", "from_pretrained", keywords("train_trainer.py", "FastLanguageModel.from_pretrained"))
        self.holds("unsloth", "get_peft_model", keywords("train_trainer.py", "FastLanguageModel.get_peft_model"))

    def test_of_vllm(self):
        self.holds("vllm", "LLM", {**keywords("generate_vllm.py", "LLM"), **keywords("generate_vllm.py", "how.update")})
        self.holds("vllm", "SamplingParams", keywords("generate_vllm.py", "SamplingParams"))


class Versions(unittest.TestCase):
    def launched(self, framework, model, data, more=""):
        place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, place)
        done = run("launch", "-", "--to", "bash", "-o", str(place / "out"), stdin=training_job(framework, model, data, 8, 1, more).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return next((place / "out").glob("phases/01-*.sh")).read_text(encoding="utf-8"), place / "out"

    def test_what_is_installed_is_what_the_tables_cover(self):
        for framework, model, data, more, names in (
                ("hf-trainer", QWEN, SAMPLES, "method: lora", ("transformers", "accelerate", "peft")), ("deepspeed", QWEN, SAMPLES, "", ("deepspeed",)),
                ("axolotl", QWEN, SAMPLES, "", ("axolotl",)), ("llama-factory", QWEN, SAMPLES, "", ("llama-factory",)),
                ("torchtitan", LLAMA, TOKENS, "parallel: {sharding: zero3}", ("torchtitan",))):
            script, _ = self.launched(framework, model, data, more)
            for name in names:
                known = interfaces.index()[name]
                self.assertRegex(script, rf"'{known['package']}(\[[\w,-]+\])?>={re.escape(known['from'])},<{re.escape(known['before'])}'")

    def test_a_clone_is_checked_before_the_work(self):
        for framework, model, more, variable, newest in (("megatron", LLAMA, "", "MEGATRON", interfaces.index()["megatron"]["before"]),
                                                         ("nanochat", NANO, "", "NANOCHAT", None), ("nanogpt", GPT2, "", "NANOGPT", None)):
            script, folder = self.launched(framework, model, TOKENS, more)
            line = next(line.strip() for line in script.splitlines() if "version.sh" in line)
            self.assertLess(script.index(line), script.index("pip install"), "before anything is fetched")
            files = next(folder.glob("phases/01-*/version.sh")).parent

            def said(at, line=line, files=files, variable=variable):
                done = subprocess.run(["bash", "-c", line], env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", variable: str(at), "GPUPLAN_FILES": str(files)},
                                      capture_output=True, text=True, timeout=60, check=False)
                return done.returncode, done.stdout + done.stderr
            with tempfile.TemporaryDirectory() as place, self.subTest(framework=framework):
                place = Path(place)
                if newest:
                    info = place / "megatron" / "core" / "package_info.py"
                    info.parent.mkdir(parents=True)
                    for version, code, text in (("0.11", 78, "expected 0.12 or later"), ("0.12", 0, ""), ("0.19", 0, ""), (newest, 0, "is newer than")):
                        major, minor = version.split(".")
                        info.write_text(f"MAJOR = {major}\nMINOR = {minor}\nPATCH = 0\n", encoding="utf-8")
                        got = said(place)
                        self.assertEqual(got[0], code, got)
                        self.assertIn(text, got[1])
                        self.assertEqual(got[1] == "", text == "", got)
                    continue
                for date, text in ((interfaces.index()[framework]["date"], ""), ("2030-01-01", "is newer than")):
                    for words in (("init", "-q"), ("-c", "user.name=x", "-c", "user.email=x@example.org", "commit", "-q", "--allow-empty", "-m", "x")):
                        subprocess.run(["git", "-C", str(place), *words], check=True, capture_output=True, timeout=60,
                                       env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_COMMITTER_DATE": date + "T12:00:00+0000"})
                    got = said(place)
                    self.assertEqual((got[0], got[1] == ""), (0, text == ""), got)
                    self.assertIn(text, got[1])
            code, text = said("/nonexistent")
            self.assertEqual(code, 0)
            self.assertIn("its version cannot be found", text)


class Tables(unittest.TestCase):
    def test_each_has_a_line_in_the_index_and_is_well_formed(self):
        names = {path.stem for path in interfaces.TABLES.glob("*.csv")} - {"index"}
        self.assertEqual(names, set(interfaces.index()))
        for name in sorted(names):
            table = read_table(name)
            for row in table.rows.values():
                for kind in row["type"].split("|"):
                    self.assertIn(kind, {*interfaces.SIMPLE, *table.sections, "any", "flag", "auto"} | {"JobSpec", "JobTemplateSpec"}
                                  if name == "jobset" else {*interfaces.SIMPLE, *table.sections, "any", "flag", "auto"}, row)

    def test_the_tool_reads_sources(self):
        done = subprocess.run([sys.executable, str(ROOT / "tools/interfaces/interfaces.py"), "--self-test"], capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main(__doc__)
