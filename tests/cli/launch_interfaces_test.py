#!/usr/bin/env python3
"""Every flag, key, choice and type in the scripts of a matrix of jobs, held against the tables of data/interfaces.

    tests/cli/launch_interfaces_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import ast
import copy
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import interfaces
from launch_folder import scripts_of
from launch_held import Held, read_table
from launch_matrix import NANO, QWEN, launches
from launch_work_test import GPT2, LLAMA, SAMPLES, TEMPLATES, TOKENS, training_job
from program import ROOT, main, run


def used():
    """Seconds of processors that this program and those that it ran have used."""
    return sum(use.ru_utime + use.ru_stime for use in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


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
                into = item.targets[0] if isinstance(item, ast.Assign) else item.target if isinstance(item, ast.AugAssign) else None
                if into is not None and ast.unparse(into) == variable and isinstance(item.value, ast.Dict):
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
        # Time decides nothing here: it is told, and read by who changes what it takes.
        print(f"{len(cls.written)} jobs: {cls.launched:.1f} s to write them, {used() - began - cls.launched:.1f} s to check them")

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
        # sglang: held against commands of jobs alone
        self.assertEqual(set(interfaces.index()) - seen - {"peft", "unsloth", "sglang"}, set())

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
                          ("vast", ("query", "gpu_name")), ("trl", ("sft", "max_length")), ("trl", ("model", "dtype"))):
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
                   ("sft.yaml", "max_length", "max_len"), ("sft.yaml", "packing: ", "packing: x"),
                   ("llama_factory.yaml", "cutoff_len", "cutoff_length"), ("accelerate.yaml", "distributed_type: ", "distributed_type: X"),
                   ("ds_config.json", '"stage"', '"stages"'), ("01-*.sh", "--micro-batch-size", "--micro-batch"),
                   ("*.sh", "#SBATCH --signal", "#SBATCH --signals"), ("*.dstack.yml", "nodes:", "node:"))
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
        self.assertIn("eval_strategy", assigned("train_trainer.py", "arguments", "chosen"))
        self.holds("transformers", "BitsAndBytesConfig", keywords("train_trainer.py", "BitsAndBytesConfig"))

    def test_of_peft_and_unsloth(self):
        self.holds("peft", "LoraConfig", keywords("train_trainer.py", "LoraConfig"))
        self.holds("unsloth", "from_pretrained", keywords("train_trainer.py", "FastLanguageModel.from_pretrained"))
        self.holds("unsloth", "get_peft_model", keywords("train_trainer.py", "FastLanguageModel.get_peft_model"))

    def test_of_trl(self):
        # What prepare_trl.py adds to sft.yaml.
        written = re.findall(r'file\.write\(f"(\w+): ', (TEMPLATES / "prepare_trl.py").read_text(encoding="utf-8"))
        self.assertEqual(written, ["chat_template_path"])
        self.holds("trl", "sft", dict.fromkeys(written))

    def test_of_megatron(self):
        flags = re.findall(r'"(--[a-z-]+)"', (TEMPLATES / "megatron_shape.py").read_text(encoding="utf-8"))
        self.assertIn("--rotary-base", flags)
        self.assertEqual([why for flag in flags for why in [interfaces.Table("megatron").row("", flag)[1]] if why], [])

    def test_of_vllm(self):
        self.holds("vllm", "LLM", {**keywords("generate_vllm.py", "LLM"), **keywords("generate_vllm.py", "how.update")})
        self.holds("vllm", "SamplingParams", keywords("generate_vllm.py", "SamplingParams"))


class Versions(unittest.TestCase):
    def launched(self, framework, model, data, more=""):
        place = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, place)
        done = run("launch", "-", "--to", "bash", "-o", str(place / "out"), stdin=training_job(framework, model, data, 8, 1, more).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return scripts_of(place / "out", "01")[0].read_text(encoding="utf-8"), place / "out"

    def test_what_is_installed_is_what_the_tables_cover(self):
        for framework, model, data, more, names in (
                ("hf-trainer", QWEN, SAMPLES, "method: lora", ("transformers", "accelerate", "peft", "trl")), ("deepspeed", QWEN, SAMPLES, "", ("deepspeed",)),
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
