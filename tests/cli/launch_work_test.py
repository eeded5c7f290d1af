#!/usr/bin/env python3
"""What gpuplan launch writes for the phases themselves: programs that compile, settings that parse, scripts that run.

    tests/cli/launch_work_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import ast
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
import tomllib
import unittest
from pathlib import Path

import yaml
from launch_folder import scripts_of
from program import EXAMPLES, ROOT, main, run

TEMPLATES = ROOT / "src" / "launch" / "templates"

JOB = """
market: {{use: only, offers: [{{gpu: {gpu}, gpus: {gpus}, price: $1/h}}]}}
where: {{nodes: {nodes}}}
phases:
  - name: train
    train:
      model: {model}
      data: {data}
      sequence: 1024
      batch: {{sequences: 64}}
      framework: {framework}
      {more}
    checkpoint: {{every: 100 steps, keep: 3}}
"""

LLAMA, GPT2 = "meta-llama/Llama-3.1-8B", "gpt2"
SAMPLES = "{samples: 20k, tokens_per_sample: {mean: 300, max: 1000}}"
TOKENS = "{tokens: 2B}"

# Every framework that gpuplan writes programs for, in the ways of cutting that it knows: name, model, data, GPUs of a
# machine, machines, and what else the phase says.
TRAININGS = [
    ("torch", GPT2, TOKENS, 1, 1, ""),
    ("torch", GPT2, TOKENS, 8, 1, "parallel: {sharding: none}"),
    ("torch", GPT2, TOKENS, 8, 1, "parallel: {sharding: zero1}"),
    ("torch", "Qwen/Qwen2.5-1.5B", TOKENS, 8, 1, "parallel: {sharding: zero2}"),
    ("torch", LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero3}"),
    ("torch", LLAMA, SAMPLES, 8, 2, "parallel: {sharding: hsdp}"),
    ("torch", LLAMA, SAMPLES, 8, 1, "parallel: {tp: 8}"),
    ("torch", LLAMA, SAMPLES, 8, 1, "parallel: {tp: 2, dp: 4}"),
    ("torch", LLAMA, SAMPLES, 8, 1, "{parallel: {sharding: zero3}, recompute: full, offload: optimizer+params, compile: true}"),
    ("torch", LLAMA, SAMPLES, 8, 1, "{parallel: {sharding: zero3}, recompute: selective, offload: activations}"),
    ("torch", "{layers: 12, hidden: 768, vocab: 50304}", TOKENS, 8, 1, "optimizer: {matrices: muon, rest: adamw}"),
    ("torch", GPT2, TOKENS, 1, 1, "precision: fp16"),
    ("hf-trainer", LLAMA, SAMPLES, 1, 1, "method: lora"),
    ("hf-trainer", LLAMA, SAMPLES, 8, 1, "{method: qlora, lora: {rank: 8, targets: [attention]}}"),
    ("hf-trainer", LLAMA, SAMPLES, 8, 2, "parallel: {sharding: zero3}"),
    ("hf-trainer", LLAMA, SAMPLES, 8, 2, "parallel: {sharding: hsdp}"),
    ("hf-trainer", "Qwen/Qwen2.5-1.5B", SAMPLES, 8, 1, "parallel: {sharding: zero1}"),
    ("hf-trainer", GPT2, SAMPLES, 8, 1, "parallel: {sharding: zero2}"),
    ("hf-trainer", GPT2, SAMPLES, 1, 1, "optimizer: adam8bit"),
    ("accelerate", LLAMA, SAMPLES, 8, 1, "{parallel: {sharding: zero3}, recompute: full, offload: optimizer+params}"),
    ("deepspeed", LLAMA, SAMPLES, 8, 2, "{parallel: {dp: 16, sharding: zero3}, offload: optimizer}"),
    ("deepspeed", GPT2, SAMPLES, 8, 1, "parallel: {sharding: zero2}"),
    ("megatron", LLAMA, TOKENS, 8, 2, "parallel: {tp: 2, pp: 4, sharding: zero1}"),
    ("megatron", GPT2, TOKENS, 8, 1, "precision: bf16"),
    ("megatron", "mistralai/Mixtral-8x7B-v0.1", TOKENS, 8, 8, "parallel: {ep: 8, sharding: zero1}"),
    ("torchtitan", LLAMA, TOKENS, 8, 1, "parallel: {sharding: zero3}"),
    ("torchtitan", LLAMA, TOKENS, 8, 1, "precision: fp8"),
    ("torchtitan", LLAMA, TOKENS, 8, 2, "parallel: {tp: 8, sharding: zero3}"),
    ("nanochat", "{layers: 20, hidden: 1280, vocab: 65536}", TOKENS, 8, 1, "optimizer: {matrices: muon, rest: adamw}"),
    ("nanogpt", GPT2, TOKENS, 8, 1, "compile: true"),
    ("unsloth", LLAMA, SAMPLES, 1, 1, "method: qlora"),
    ("axolotl", LLAMA, SAMPLES, 8, 1, "method: lora"),
    ("axolotl", LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero3}"),
    ("axolotl", LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero1}"),
    ("llama-factory", LLAMA, SAMPLES, 8, 1, "method: lora"),
    ("llama-factory", LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero3}"),
]


def training_job(framework, model, data, gpus, nodes, more, gpu="H100 SXM"):
    # Several settings stand in braces of their own: one line each.
    if more.startswith("{"):
        depth, keys, begin = 0, [], 1
        for at, c in enumerate(more):
            depth += {"{": 1, "}": -1, "[": 1, "]": -1}.get(c, 0)
            if (c == "," and depth == 1) or depth == 0:
                keys.append(more[begin:at].strip())
                begin = at + 1
        more = "\n      ".join(keys)
    return JOB.format(framework=framework, model=model, data=data, gpus=gpus, nodes=nodes, more=more, gpu=gpu)


class Folder:
    """What one launch wrote."""

    def __init__(self, *words, stdin=None):
        self.place = Path(tempfile.mkdtemp())
        self.path = self.place / "out"
        self.done = run("launch", *words, "--to", "bash", "-o", str(self.path), stdin=stdin)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.place)

    def files(self, pattern):
        return sorted(self.path.rglob(pattern))


SEEN = set()


def check_files(test, folder):
    """Everything that a program reads can be read; returns the number of files."""
    found = [path for path in folder.path.rglob("*") if path.is_file()]
    for path in found:
        text = path.read_text(encoding="utf-8")
        with test.subTest(file=str(path.relative_to(folder.path))):
            if path.suffix == ".py":
                ast.parse(text, path.name)
                settings = path.parent / "settings.json"
                if settings.exists():
                    known = json.loads(settings.read_text(encoding="utf-8"))
                    test.assertEqual(set(re.findall(r'\bSETTINGS\["(\w+)"\]', text)) - known.keys(), set(), path)
            elif path.suffix == ".json":
                json.loads(text)
            elif path.suffix == ".yaml":
                yaml.safe_load(text)
            elif path.suffix == ".toml":
                tomllib.loads(text)
    scripts = [str(path) for path in found if path.suffix == ".sh"]
    for script in scripts:
        done = subprocess.run(["bash", "-n", script], capture_output=True, text=True, timeout=60, check=False)
        test.assertEqual((done.returncode, done.stderr), (0, ""), script)
    shellcheck = shutil.which("shellcheck")
    # Files that come along as they are need one look.
    texts = {script: Path(script).read_text(encoding="utf-8") for script in scripts}
    scripts = [script for script in scripts if texts[script] not in SEEN]
    SEEN.update(text for script, text in texts.items() if script.endswith(("/lib.sh", "/supervise.sh")))
    if shellcheck and scripts:
        # What users wrote (command.sh, setup.sh) is theirs; names of jobs and phases may look like commands or sums.
        ours = [script for script in scripts if not script.endswith(("/command.sh", "/setup.sh"))]
        done = subprocess.run([shellcheck, "--exclude=SC1091,SC2100,SC2209", *ours], capture_output=True, text=True,
                              timeout=120, check=False)
        test.assertEqual(done.returncode, 0, done.stdout)
    return len(found)


class Examples(unittest.TestCase):
    def test_every_program_compiles(self):
        for example in EXAMPLES:
            with self.subTest(example=example), Folder(example) as folder:
                self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
                self.assertGreater(check_files(self, folder), 2)

    def test_templates_are_written_as_they_are(self):
        with Folder("examples/gpt-124m.yaml") as folder:
            for name, template in (("train.py", "train_torch.py"), ("run_parts.py", "run_parts.py"),
                                   ("phase_parts.py", "phase_parts.py")):
                self.assertEqual(folder.files(name)[0].read_bytes(), (TEMPLATES / template).read_bytes())


class Frameworks(unittest.TestCase):
    def test_every_way_of_training(self):
        for case in TRAININGS:
            framework, model, data, gpus, nodes, more = case
            with self.subTest(case=case), Folder("-", stdin=training_job(*case).encode()) as folder:
                self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
                check_files(self, folder)
                script = scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")
                self.assertNotIn("GPUPLAN_COMMAND", script, "a placeholder")
                settings = folder.files("settings.json")
                if settings and framework in ("torch", "hf-trainer", "accelerate", "deepspeed", "unsloth"):
                    numbers = json.loads(settings[0].read_text(encoding="utf-8"))
                    self.assertEqual(numbers["dp"] * numbers["tp"], gpus * nodes)
                    self.assertEqual(numbers["dp"] * numbers["micro_batch"] * numbers["grad_accum"], 64)
                    self.assertEqual(numbers["checkpoint_steps"], 100)

    def test_accelerate_counts_all_processes(self):
        job = training_job("hf-trainer", LLAMA, SAMPLES, 8, 2, "parallel: {sharding: zero3}")
        with Folder("-", stdin=job.encode()) as folder:
            settings = yaml.safe_load(folder.files("accelerate.yaml")[0].read_text(encoding="utf-8"))
            self.assertEqual((settings["num_processes"], settings["num_machines"]), (16, 2))
            self.assertEqual(settings["distributed_type"], "FSDP")
            self.assertEqual(settings["mixed_precision"], "bf16")
            self.assertNotIn("downcast_bf16", settings)

    def test_deepspeed_batches_multiply(self):
        job = training_job("deepspeed", LLAMA, SAMPLES, 8, 2, "{parallel: {dp: 16, sharding: zero3}, offload: optimizer}")
        with Folder("-", stdin=job.encode()) as folder:
            settings = json.loads(folder.files("ds_config.json")[0].read_text(encoding="utf-8"))
            self.assertEqual(settings["train_batch_size"],
                             settings["train_micro_batch_size_per_gpu"] * settings["gradient_accumulation_steps"] * 16)
            self.assertEqual(settings["zero_optimization"]["offload_optimizer"]["device"], "cpu")

    def test_settings_are_placed_when_the_phase_starts(self):
        with Folder("-", stdin=training_job("axolotl", LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero1}").encode()) as folder:
            files = folder.path / "phases" / "01-train"
            place = str(folder.place / 'a "quoted" \\ folder')
            environment = {"PATH": os.environ["PATH"], "GPUPLAN_FILES": str(files), "GPUPLAN_RUN_DIR": place, "DATA": "x.jsonl",
                           "GPUPLAN_BASE_MODEL": "@GPUPLAN_DATA@"}
            target = folder.place / "placed.yaml"
            subprocess.run(["python3", str(files / "place_settings.py"), str(files / "axolotl.yaml"), str(target)],
                           env=environment, check=True, timeout=60)
            placed = yaml.safe_load(target.read_text(encoding="utf-8"))
            self.assertEqual(placed["output_dir"], place + "/checkpoints")
            self.assertEqual(placed["base_model"], "@GPUPLAN_DATA@", "what was put in is no mark")
            self.assertEqual(placed["datasets"][0]["path"], "x.jsonl")
            self.assertEqual(placed["deepspeed"], str(files / "ds_config.json"))

    def test_others_ask_for_a_command(self):
        for framework in ("litgpt", "composer", "torchtune"):
            with Folder("-", stdin=training_job(framework, LLAMA, SAMPLES, 8, 1, "").encode()) as folder:
                self.assertEqual(folder.done.returncode, 0, folder.done.stderr)
                done = subprocess.run(["bash", str(scripts_of(folder.path, "01")[0])], capture_output=True, text=True,
                                      timeout=60, cwd=folder.place, check=False)
                self.assertEqual(done.returncode, 78)
                self.assertIn("the command of this phase, as the job file has none (`command:`)", done.stderr)


class Commands(unittest.TestCase):
    def complaint(self, command, gpus=8):
        job = training_job("torch", GPT2, TOKENS, gpus, 1, "") + f"    command: {json.dumps(command)}\n"
        with Folder("-", stdin=job.encode()) as folder:
            self.assertFalse(folder.path.exists(), "nothing is written")
            self.assertEqual(folder.done.returncode, 5)
            self.assertEqual(folder.done.stderr.count("\n"), 1, folder.done.stderr)
            return folder.done.stderr

    def test_bad_ones_are_one_line(self):
        self.assertIn("Did you mean 'micro'?", self.complaint("python train.py {mirco}"))
        self.assertIn("write {gpus}", self.complaint("torchrun --nproc_per_node=4 train.py"))

    def test_plain_python_becomes_processes(self):
        job = training_job("torch", GPT2, TOKENS, 8, 1, "") + "    command: python train.py --batch {micro}\n"
        with Folder("-", stdin=job.encode()) as folder:
            text = scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")
            self.assertIn('torchrun --standalone --nproc-per-node="$GPUPLAN_GPUS" train.py --batch ', text)


HOSTILE = [
    "$(touch MARK)", "`touch MARK`", "'; touch MARK; '", '"; touch MARK; "', "a\nb: c", "x\ntouch MARK\n",
    "${IFS}touch${IFS}MARK", "yes", "null", "1e9", "- a", "{a: b}", "[1", "!!python/object:os.system", "&a *a", "# c",
    "''' + os.system('touch MARK') + '''", '"""\nimport os', "\\", "\\'", "\u202egnp", "--help", "../../x",
    "@GPUPLAN_DATA@x", "EOF\ntouch MARK\nEOF", "PYTHON\ntouch MARK\n", "a b", "{micro}", "{{x}}", "%s%n", "';--", "<!--",
    "|touch MARK", "&& touch MARK", "~", "*", "é", "\t"]


class Hostile(unittest.TestCase):
    """Names and arguments of the job stay what they are in every file of every framework."""

    def test_names_stay_names(self):
        for framework in ("torch", "hf-trainer", "deepspeed", "megatron", "torchtitan", "axolotl", "llama-factory"):
            for text in HOSTILE:
                model = f"{{like: {LLAMA}, name: {json.dumps(text)}}}"
                job = training_job(framework, model, SAMPLES, 8, 1, "parallel: {dp: 8, sharding: zero3}")
                if framework == "megatron":
                    job = job.replace("zero3", "zero1")
                if framework in ("megatron", "torchtitan"):  # which join samples in any case
                    job = job.replace("max: 1000}}", "max: 1000}, packing: true}")
                with self.subTest(framework=framework, text=text), Folder("-", stdin=job.encode()) as folder:
                    self.assertEqual(folder.done.returncode, 0, folder.done.stderr)
                    self.check_values(folder, text)

    def check_values(self, folder, text):
        for path in folder.path.rglob("*"):
            if path.name in ("plan.json", "lib.sh", "supervise.sh") or not path.is_file():
                continue
            written = path.read_text(encoding="utf-8")
            if path.name == "settings.json":
                self.assertEqual(json.loads(written).get("model", {"name": text})["name"], text)
            elif path.name == "axolotl.yaml":
                self.assertEqual(yaml.safe_load(written)["base_model"], "@GPUPLAN_BASE_MODEL@")
            elif path.name == "llama_factory.yaml":
                self.assertEqual(yaml.safe_load(written)["model_name_or_path"], "@GPUPLAN_BASE_MODEL@")
            elif path.suffix == ".toml":
                tomllib.loads(written)
            elif path.suffix == ".sh":
                done = subprocess.run(["bash", "-n", str(path)], capture_output=True, text=True, timeout=60, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, ""), written)
                if "export GPUPLAN_BASE_MODEL=" in written:
                    self.assertEqual(self.model_of(written), text.encode())

    def model_of(self, script):
        """GPUPLAN_BASE_MODEL as bash sets it."""
        export = 'export GPUPLAN_BASE_MODEL="${MODEL:-$model}"'
        lines = script[script.index("  model="):script.index(export)] + export + '\nprintf %s "$GPUPLAN_BASE_MODEL"\n'
        done = subprocess.run(["bash", "-c", lines], capture_output=True, timeout=60, check=False, cwd="/",
                              env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": "/nowhere"})
        self.assertEqual(done.stderr, b"")
        return done.stdout

    def test_arguments_stay_one_word(self):
        for framework, name in (("megatron", "wandb-project"), ("nanochat", "run"), ("torchtitan", "training.dataset_path")):
            case = next(case for case in TRAININGS if case[0] == framework)
            for text in HOSTILE:
                with Folder("-", stdin=(training_job(*case) + f"    args: {{{json.dumps(text)}: x}}\n").encode()) as folder:
                    self.assertEqual((folder.done.returncode, folder.path.exists()), (5, False), "a name that it has not")
                job = training_job(*case) + f"    args: {{{name}: {json.dumps(text)}}}\n"
                with self.subTest(framework=framework, text=text), Folder("-", stdin=job.encode()) as folder:
                    self.assertEqual(folder.done.returncode, 0, folder.done.stderr)
                    self.assertIn(f"--{name}={text}".encode(), self.words(folder))

    def end_of(self, body, start):
        """Where the command ends that has its arguments after `start`: the first line end at which bash has it whole."""
        end = start
        while True:
            end = body.index("\n", end + 1)
            done = subprocess.run(["bash", "-n"], input="printf" + body[start:end], capture_output=True, text=True,
                                  timeout=60, check=False)
            if done.returncode == 0 and not done.stderr and not body[:end].endswith("\\"):
                return end

    def words(self, folder):
        """The words that the phase's command has when bash reads them; nothing else is run."""
        script = scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")
        body = script[script.index("work() {"):script.index("\n# ---- check ---")]
        # What would start processes only tells its words; what comes before is not run.
        start = re.search(r'^  (\[ -e [^|]* \|\| )?(exec )?(bash "\$GPUPLAN_FILES/supervise.sh" --workers \d+ )?torchrun', body, re.MULTILINE)
        line = "printf '%s\\0'" + body[start.end():self.end_of(body, start.end())]
        with tempfile.TemporaryDirectory() as place:
            done = subprocess.run(["bash", "-c", "load=() positions=() newest=\n" + line], capture_output=True, timeout=60, cwd=place,
                                  env={"PATH": os.environ["PATH"]}, check=False)
            self.assertEqual(done.stderr, b"")
            self.assertEqual(os.listdir(place), [], "nothing was touched")
        return done.stdout.split(b"\0")


class Supervision(unittest.TestCase):
    """supervise.sh: a program is asked to stop by a file, and what it answers becomes an exit code."""

    def start(self, folder, program, seconds="60", options=()):
        environment = {"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": folder}
        return subprocess.Popen(["bash", str(TEMPLATES / "supervise.sh"), *options, seconds, "bash", "-c", program],
                                env=environment, start_new_session=True)

    def wait_for(self, path):
        for _ in range(200):
            if os.path.exists(path):
                return
            time.sleep(0.05)
        self.fail(f"{path} did not come")

    def test_exit_code_is_the_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(self.start(folder, "exit 7").wait(60), 7)
            self.assertEqual(self.start(folder, "true").wait(60), 0)

    def test_a_stop_is_a_file_and_not_a_signal(self):
        program = ('trap "touch $GPUPLAN_RUN_DIR/signalled" TERM; touch "$GPUPLAN_RUN_DIR/ready"; '
                   'until [ -e "$GPUPLAN_RUN_DIR/stop" ]; do sleep 0.1; done; touch "$GPUPLAN_RUN_DIR/stopped"')
        with tempfile.TemporaryDirectory() as folder:
            process = self.start(folder, program)
            self.wait_for(folder + "/ready")
            # As the phase's script does: the whole group.
            os.killpg(process.pid, signal.SIGTERM)
            self.assertEqual(process.wait(60), 75)
            self.assertFalse(os.path.exists(folder + "/signalled"))

    def test_workers_get_a_signal_and_who_started_them_none(self):
        # As torchrun: it starts a process in a session of its own, waits, and ends as that does.
        worker = ('trap "touch $GPUPLAN_RUN_DIR/saved; exit 0" TERM; touch "$GPUPLAN_RUN_DIR/ready"; '
                  'while :; do sleep 0.1; done')
        program = f"trap 'touch $GPUPLAN_RUN_DIR/signalled' TERM; setsid bash -c '{worker}' & wait $!"
        with tempfile.TemporaryDirectory() as folder:
            process = self.start(folder, program, options=["--workers"])
            self.wait_for(folder + "/ready")
            os.killpg(process.pid, signal.SIGTERM)
            self.assertEqual(process.wait(60), 75, "it ended well, but before its time")
            self.assertTrue(os.path.exists(folder + "/saved"))
            self.assertFalse(os.path.exists(folder + "/signalled"))
            self.assertEqual(self.start(folder, "true", options=["--workers"]).wait(60), 0)

    def test_who_does_not_stop_is_killed(self):
        with tempfile.TemporaryDirectory() as folder:
            process = self.start(folder, 'touch "$GPUPLAN_RUN_DIR/ready"; while :; do sleep 1; done', "2")
            self.wait_for(folder + "/ready")
            process.terminate()
            self.assertEqual(process.wait(60), 137)


class Replicas(unittest.TestCase):
    """replicas.py: who does what, with a program in place of an engine."""

    def results(self, replicas, wide, models, together, rows=10, nodes=1, **more):
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            files, run_dir = place / "files", place / "run"
            files.mkdir()
            run_dir.mkdir()
            for name in ("phase_parts.py", "chat_template.py", "replicas.py"):
                shutil.copy(TEMPLATES / name, files)
            data = [{"name": "prompts", "slug": "prompts"}]
            chosen = [{"name": f"m{i}", "slug": f"m{i}", "variable": "X", "trained_by": []} for i in range(models)]
            (files / "settings.json").write_text(json.dumps({
                "replicas": replicas, "gpus_of_replica": wide, "gpus": replicas * wide // nodes, "models": chosen,
                "data": data, "one_model_per_gpu": together, **more}))
            (files / "program.py").write_text(
                "import json, os\nimport replicas\n"
                "def main():\n"
                "    replica = replicas.replica_of_arguments()\n"
                "    if replica is None:\n"
                "        return replicas.run(__file__)\n"
                "    for model, data, part, parts in replicas.shares(replica):\n"
                "        folder = replicas.RESULTS / model['slug']\n"
                "        folder.mkdir(parents=True, exist_ok=True)\n"
                "        with (folder / f\"{data['slug']}.part-{part}.jsonl\").open('w') as out:\n"
                "            for row in replicas.rows_of(model, data)[part::parts]:\n"
                "                row['gpus'] = os.environ['CUDA_VISIBLE_DEVICES']\n"
                "                row['at_once'] = [replica, replicas.in_flight()] if 'in_flight' in replicas.SETTINGS else None\n"
                "                out.write(json.dumps(row) + '\\n')\n"
                "main()\n")
            (place / "data.jsonl").write_text("".join(json.dumps({"prompt": f"p{i}"}) + "\n" for i in range(rows)))
            for node in range(nodes):
                done = subprocess.run(["python3", str(files / "program.py")], capture_output=True, text=True, timeout=60,
                                      env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": str(run_dir),
                                           "DATA": str(place / "data.jsonl"), "GPUPLAN_NODE_RANK": str(node)}, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
            found = {}
            for model in chosen:
                merged = run_dir / "results" / model["slug"] / "prompts.jsonl"
                found[model["slug"]] = [json.loads(line) for line in merged.read_text().splitlines()]
            return found

    def test_rows_are_shared_out_without_a_gap(self):
        for replicas, wide, models, together, nodes in ((1, 1, 1, False, 1), (4, 2, 1, False, 1), (4, 1, 4, True, 1),
                                                        (2, 2, 4, True, 1), (8, 1, 4, True, 2), (3, 1, 2, True, 1),
                                                        (4, 1, 2, False, 2)):
            with self.subTest(replicas=replicas, wide=wide, models=models, together=together, nodes=nodes):
                found = self.results(replicas, wide, models, together, nodes=nodes)
                self.assertEqual(len(found), models)
                for rows in found.values():
                    self.assertEqual(sorted(row["id"] for row in rows), list(range(10)))
                    for row in rows:
                        self.assertEqual(len(row["gpus"].split(",")), wide)

    def test_replicas_have_no_more_at_work_together_than_the_job_says(self):
        for replicas, at_once, together in ((4, 2, 7), (4, 2, 5), (4, 1, 4), (3, 3, 7), (2, 8, None), (4, 2, 6)):
            with self.subTest(replicas=replicas, at_once=at_once, together=together):
                more = {"in_flight_together": together} if together else {}
                rows = self.results(replicas, 1, 1, False, rows=3 * replicas, in_flight=at_once, **more)["m0"]
                shares = {replica: share for replica, share in (row["at_once"] for row in rows)}
                self.assertEqual(len(shares), replicas)
                self.assertEqual(sum(shares.values()), together or replicas * at_once)
                self.assertEqual(max(shares.values()), at_once)
                self.assertLessEqual(max(shares.values()) - min(shares.values()), 1)


TRAIN = """
import importlib.abc, importlib.machinery, json, sys
from unittest import mock

class Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in ("torch", "transformers", "datasets", "numpy"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec):
        made = mock.MagicMock(name=spec.name)
        made.__path__ = []
        return made
    def exec_module(self, module):
        pass
sys.meta_path.insert(0, Stubs())
sys.path.insert(0, sys.argv[1])
import train
"""

STEP = TRAIN + """
class Grid:
    def __init__(self, rows):
        self.rows = rows
    def __getitem__(self, at):
        row, column = at
        return Grid([each[column] for each in self.rows[row]]) if isinstance(row, slice) else self.rows[row][column]
    def __setitem__(self, at, value):
        self.rows[at[0]][at[1]] = value
    def __ne__(self, value):
        return Grid([[int(each != value) for each in row] for row in self.rows])
    def sum(self):
        return sum(map(sum, self.rows))

class Loss:
    def __init__(self, model, value, slope):
        self.model, self.value, self.slope = model, value, slope
    def __mul__(self, by):
        return Loss(self.model, self.value * by, self.slope * by)
    def backward(self):
        self.model.grad += self.slope
    def detach(self):
        return self.value

class Model:
    # Of a weight 2 the loss of a label is 2 x label: its gradient the label.
    grad = 0.0
    def __call__(self, input_ids, labels, attention_mask=None):
        held = [each for row in labels.rows for each in row[1:] if each != -100]
        mean = sum(held) / len(held)  # of none: no number
        return mock.Mock(loss=Loss(self, 2 * mean, mean))

class Sums(list):
    def tolist(self):
        return list(self)

class Never:
    pass
train.DistributedDataParallel = Never
train.torch.zeros = lambda n, **_: Sums([0.0] * n)
train.torch.where = lambda holds, yes, no: yes if holds else no
ranks = json.loads(sys.argv[2])
train.WORLD = len(ranks)

def step(batches, reduce):
    model, scale, scaler = Model(), [], mock.MagicMock()
    scaler.scale = lambda part: part
    train.clip = lambda _, by: scale.append(by)
    train.dist.all_reduce = reduce
    made = iter([{"input_ids": Grid([[7] * len(row) for row in labels]), "labels": Grid([list(row) for row in labels]),
                  "attention_mask": Grid([[1] * len(row) for row in labels])} for labels in batches])
    loss, _, tokens = train.train_step(model, [], scaler, made, 0, mock.Mock(everywhere=lambda: False), None)
    return model.grad, scale[0], loss, tokens

parts = []
for batches in ranks:
    step(batches, lambda sums, **_: parts.append(list(sums)))
def total(sums, **_):
    sums[:] = [sum(column) for column in zip(*parts)]
if len(ranks) == 1:
    total = None
done = [step(batches, total) for batches in ranks]
# Data-parallel ranks average their gradients.
print(json.dumps([sum(each[0] for each in done) / len(done) * done[0][1], done[0][2], done[0][3]]))
"""


CHECKPOINTS = TRAIN + """
import pathlib
import training_checkpoints as parts
folder = pathlib.Path(sys.argv[1]) / "checkpoints"
others = json.loads(sys.argv[2])
parts.CHECKPOINTS, parts.WORLD = folder, 2
def gather(into, mine):
    into[:] = [mine, json.loads(json.dumps(others)) if isinstance(mine, list) else {"rank-1.pt": 5}]
parts.dist.all_gather_object = gather
saved = parts.Checkpoints(None, [], mock.Mock())
saved._state = lambda: None
def save(step):
    name = folder / f"step-{step:08}"
    parts.dcp.save = lambda _, checkpoint_id: (checkpoint_id.mkdir(), [(checkpoint_id / one).write_text("abc") for one in
                                                                      ("__0_0.distcp", ".metadata", "__1_0.distcp")])
    parts.torch.save = lambda _, path: path.write_text("state")
    saved.save(step)
    (name / "rank-1.pt").write_text("state")
parts.SETTINGS["keep_checkpoints"] = 0
for step in (10, 20):
    save(step)
def newest():
    found = saved.newest()
    return found and found.name
found = [newest()]
(folder / "step-00000020" / "rank-1.pt").unlink()  # of the other machine, not yet there
found.append(newest())
(folder / "step-00000010" / "state" / "__0_0.distcp").write_text("a")  # broke off
found.append(newest())
print(json.dumps(found))
"""


PRUNES = TRAIN + """
import pathlib, shutil
import training_checkpoints as parts
left = []
for rank, local in json.loads(sys.argv[2]):
    folder = pathlib.Path(sys.argv[1]) / f"checkpoints-{rank}"
    for step in (10, 20, 30):
        (folder / f"step-{step:08}" / "state").mkdir(parents=True)
        if rank == 0:
            (folder / f"step-{step:08}" / "complete").write_text("{}")
    def gather(into, mine):
        into[:] = [mine if rank == 0 else ["step-00000010"], []]
    parts.CHECKPOINTS, parts.RANK, parts.LOCAL_RANK, parts.WORLD, parts.dist.all_gather_object = folder, rank, local, 2, gather
    parts.Checkpoints(None, [], mock.Mock()).prune(2)
    left.append(len(list(folder.glob("step-*"))))
print(json.dumps(left))
"""


class TrainStep(unittest.TestCase):
    """train_torch.py: every label of a step weighs the same, in whatever micro-batch and on whatever rank it lies."""

    def step(self, ranks):
        return self.run_in(STEP, ranks, {"grad_accum": len(ranks[0]), "micro_batch": len(ranks[0][0]), "dp": len(ranks)})

    def run_in(self, program, argument, more):
        with tempfile.TemporaryDirectory() as place:
            shutil.copy(TEMPLATES / "train_torch.py", Path(place) / "train.py")
            for template in TEMPLATES.glob("*.py"):
                if not template.name.startswith(("train_", "generate_")):
                    shutil.copy(template, place)
            settings = {"sequence": 5, "packing": False, "stop_passes": 1, "tp": 1, "grad_clip": 1, "learning_rate": 1, "warmup_steps": 1,
                        "steps": 9, "model": {"name": "m", "variable": "MODEL", "config": None}, "precision": "bf16",
                        "master_weights": "fp32", "sharding": "none", "fsdp": False, "offload": {"activations": False},
                        "attention": {"kernel": "flash"}, **more}
            (Path(place) / "settings.json").write_text(json.dumps(settings))
            done = subprocess.run(["python3", "-c", program, place, json.dumps(argument)], capture_output=True, text=True,
                                  timeout=60, check=False, env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place,
                                                                "GPUPLAN_CHECKPOINTS": place})
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout.splitlines()[-1])

    def test_labels_weigh_the_same_wherever_they_lie(self):
        no = -100
        short, long, none = [[9, 3, no, no, no]], [[9, 1, 1, 1, 5]], [[9, no, no, no, no]]
        for ranks in ([[short]], [[short, long]], [[long, short, none]], [[short], [long]], [[short, none], [long, long]],
                      [[none], [long]]):
            with self.subTest(ranks=ranks):
                held = [each for rank in ranks for batch in rank for row in batch for each in row[1:] if each != no]
                gradient, loss, tokens = self.step(ranks)
                self.assertAlmostEqual(gradient, sum(held) / len(held))
                self.assertAlmostEqual(loss, 2 * sum(held) / len(held))
                self.assertAlmostEqual(tokens, 5 * len(ranks[0]), msg="tokens of one GPU")

    def test_a_checkpoint_of_which_a_part_is_missing_is_not_taken(self):
        both = ["step-00000010", "step-00000020"]
        self.assertEqual(self.run_in(CHECKPOINTS, both, {"dp": 2}), ["step-00000020", "step-00000010", None])
        self.assertEqual(self.run_in(CHECKPOINTS, both[:1], {"dp": 2}), ["step-00000010", "step-00000010", None],
                         "the other machine does not see the newest yet")

    def test_each_machine_removes_what_is_old(self):
        """Where they have disks of their own, only the first one knows what is whole; one rank of each removes it."""
        self.assertEqual(self.run_in(PRUNES, [[0, 0], [8, 0], [9, 1]], {"dp": 2, "keep_checkpoints": 2}), [2, 2, 3])


if __name__ == "__main__":
    main(__doc__)
