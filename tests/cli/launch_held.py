"""The files of a launch against the tables of data/interfaces: each file by what reads it."""

import copy
import functools
import itertools
import json
import re
import shlex
import tomllib
from pathlib import Path

import interfaces
from launch_folder import scripts_of
import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def yaml_of(text):
    return yaml.load(text, LOADER)


@functools.cache
def read_table(name):
    return interfaces.Table(name)


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
        self.scripts = scripts_of(folder)
        self.script = "\n".join(path.read_text(encoding="utf-8") for path in self.scripts)
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
        if path in self.scripts:
            self.phase(path, text)
            if "\n#SBATCH " in text:
                self.slurm(text, path)
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
        elif path.parent.name == "skypilot" and path.suffix == ".yaml":
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
