#!/usr/bin/env python3
"""What the real programs refuse or silently take otherwise, framework by framework: each was read in their sources.

    tests/cli/launch_frameworks_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import time
import tomllib
import unittest
import zipfile
from pathlib import Path

import yaml

from launch_folder import scripts_of
from launch_work_test import GPT2, LLAMA, SAMPLES, TEMPLATES, TOKENS, Folder, check_files, training_job
from program import main, run

PACKED = SAMPLES[:-1] + ", packing: true}"
CHECKPOINT = "{every: 100 steps, keep: 3}"  # of training_job()
QWEN3, DEEPSEEK = "Qwen/Qwen3-8B", "deepseek-ai/DeepSeek-V2-Lite"
TWO_PHASES = """
market: {{use: only, offers: [{{gpu: H100 SXM, gpus: 8, price: $1/h}}]}}
phases:
  - name: first
    train: &train {{model: {model}, data: {data}, sequence: 1024, batch: {{sequences: 64}}, framework: {framework}}}
  - {{name: second, needs: [first], train: *train}}
"""


class Launched(unittest.TestCase):
    def folder(self, job, *words):
        folder = Folder("-", *words, stdin=job.encode())
        self.addCleanup(folder.__exit__)
        self.assertIn(folder.done.returncode, (0, 4), folder.done.stderr)
        check_files(self, folder)
        return folder

    def script(self, folder, number="01"):
        return scripts_of(folder.path, number)[0].read_text(encoding="utf-8")

    def refused(self, why, *case, **more):
        """No plan has it: said of the job, with its line, and nothing is written."""
        folder = Folder("-", stdin=training_job(*case, **more).encode())
        self.addCleanup(folder.__exit__)
        self.assertEqual(folder.done.returncode, 5, folder.done.stderr)
        self.assertRegex(folder.done.stderr, r"^standard input:\d+: phases\.")
        self.assertIn(why, folder.done.stderr)
        self.assertFalse(folder.path.exists())

    def work(self, script, environment, stubs=""):
        """Runs the commands of a phase with functions in place of programs; returns what it printed."""
        body = script[script.index("\nwork() {"):script.index("\n}\n", script.index("\nwork() {")) + 3]
        done = subprocess.run(["bash", "-c", f"set -uo pipefail\n{stubs}\n{body}\n(set -e; work)"], capture_output=True,
                              text=True, timeout=60, check=False, env={"PATH": os.environ["PATH"], **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout


    def comes(self, holds, seconds=60):
        end = time.monotonic() + seconds
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)

    @contextlib.contextmanager
    def beside(self, command, checkpoints, **environment):
        """What runs beside the work and has to end with it: left behind it would hold the phase's lock."""
        work = subprocess.Popen(["bash", "-c", f"{command} $$ & echo $!\nexec sleep 1000"], stdout=subprocess.PIPE, text=True, env={
            "PATH": os.environ["PATH"], "GPUPLAN_CHECKPOINTS": str(checkpoints), "GPUPLAN_POLL": "0.1", **environment}, cwd=checkpoints)
        stat = Path("/proc", work.stdout.readline().strip(), "stat")
        try:
            yield
        finally:
            work.kill()
            work.wait()
            work.stdout.close()
        self.comes(lambda: not stat.exists() or ") Z" in stat.read_text())


class Torchtitan(Launched):
    def toml(self, folder):
        return tomllib.loads(next(folder.path.glob("phases/01-*/train.toml")).read_text())

    def start(self, script, run, assets, dataset="c4"):
        return self.work(script, {
            "GPUPLAN_RUN_DIR": str(run), "GPUPLAN_CHECKPOINTS": str(run / "checkpoints"), "GPUPLAN_NODE_RANK": "0",
            "GPUPLAN_NODES": "1", "GPUPLAN_GPUS": "8", "GPUPLAN_FILES": "/files", "ASSETS": str(assets), "DATASET": dataset},
            # It takes other weights only where its folder is not there.
            'torchrun() { [ -e "$GPUPLAN_CHECKPOINTS/torchtitan" ] && echo resumed || echo "fresh $*"\n'
            '  mkdir -p "$GPUPLAN_CHECKPOINTS"/torchtitan/step-{90,100}/sharded\n'
            '  touch "$GPUPLAN_CHECKPOINTS/torchtitan/step-100/model.safetensors.index.json"; }')

    def test_weights_are_taken_and_left(self):
        folder = self.folder(training_job("torchtitan", LLAMA, PACKED, 8, 1, "parallel: {sharding: zero3}"))
        checkpoint = self.toml(folder)["checkpoint"]
        self.assertEqual(checkpoint["folder"], "checkpoints/torchtitan", "checkpoints itself is made by lib.sh")
        self.assertTrue(checkpoint["initial_load_in_hf"])
        self.assertTrue(checkpoint["last_save_in_hf"] and checkpoint["last_save_model_only"])
        script = self.script(folder)
        with tempfile.TemporaryDirectory() as place:
            run, assets = Path(place) / "01-train", Path(place) / "assets"
            (run / "checkpoints").mkdir(parents=True)
            assets.mkdir()
            for name in ("config.json", "tokenizer.json", "model.safetensors.index.json"):
                (assets / name).write_text(name)
            self.assertIn(f"fresh {'--standalone'}", self.start(script, run, assets))
            final = run / "final"
            self.assertEqual(final.resolve().name, "step-100")
            self.assertEqual((final / "config.json").read_text(), "config.json")
            self.assertEqual((final / "model.safetensors.index.json").read_text(), "", "not that of the old weights")
            self.assertFalse((final / "sharded").exists())
            self.assertEqual(self.start(script, run, assets), "resumed\n")

    def test_a_dataset_may_lie_in_a_folder(self):
        """DATASET alone goes along to rented machines: what it says of a folder goes with it."""
        script = self.script(self.folder(training_job("torchtitan", LLAMA, TOKENS, 8, 1, "")))
        for named, flags in (("c4", "--training.dataset c4 "), ("c4:/data/c4", "--training.dataset c4 --training.dataset_path /data/c4")):
            with tempfile.TemporaryDirectory() as place:
                (Path(place) / "checkpoints").mkdir()
                said = self.start(script, Path(place), Path(place), named)
                self.assertIn(flags, said + " ")
                self.assertEqual("dataset_path" in said, ":" in named)

    def test_fp32_is_not_left_to_its_default_of_bf16(self):
        for precision, asked in (("fp32", "float32"), ("bf16", None)):
            folder = self.folder(training_job("torchtitan", LLAMA, TOKENS, 8, 1, "{precision: %s, parallel: {sharding: zero3}}" % precision, gpu="B200"))
            self.assertEqual(self.toml(folder)["training"].get("mixed_precision_param"), asked)

    def test_a_first_checkpoint_that_broke_off_does_not_cost_the_weights(self):
        folder = self.folder(training_job("torchtitan", LLAMA, PACKED, 8, 1, "parallel: {sharding: zero3}"))
        with tempfile.TemporaryDirectory() as place:
            broken = Path(place) / "checkpoints" / "torchtitan" / "step-10"
            broken.mkdir(parents=True)
            (broken / "__0_0.distcp").touch()
            self.assertIn("fresh", self.start(self.script(folder), Path(place), Path(place)))
            subprocess.run(["rm", "-r", str(broken.parent)], check=True)
            broken.mkdir(parents=True)
            (broken / ".metadata").touch()
            self.assertIn("resumed", self.start(self.script(folder), Path(place), Path(place)))

    def test_the_next_phase_takes_what_this_one_left(self):
        folder = self.folder(TWO_PHASES.format(model=LLAMA, data=PACKED, framework="torchtitan"))
        script = self.script(folder, "02")
        with tempfile.TemporaryDirectory() as place:
            run, assets = Path(place) / "02-second", Path(place) / "assets"
            run.mkdir()
            assets.mkdir()
            self.assertIn(f"--checkpoint.initial_load_path {assets}", self.start(script, run, assets))
            subprocess.run(["rm", "-r", str(run / "checkpoints"), str(run / "final")], check=True)
            (Path(place) / "01-first" / "final").mkdir(parents=True)
            self.assertRegex(self.start(script, run, assets), "initial_load_path [^ ]*/01-first/final")

    def test_the_rank_that_has_the_loss_is_shown(self):
        # Of pp stages the last has the highest ranks: its first is world / pp x (pp - 1).
        for more, gpus, nodes, local, machine in (
                ("parallel: {sharding: zero3}", 8, 1, 0, 0), ("parallel: {pp: 2, sharding: zero3}", 8, 1, 4, 0),
                ("parallel: {pp: 4, sharding: zero3}", 8, 1, 6, 0), ("parallel: {pp: 8, sharding: none}", 8, 1, 7, 0),
                ("parallel: {pp: 2, sharding: zero3}", 8, 2, 0, 1), ("parallel: {pp: 4, sharding: zero3}", 8, 2, 4, 1)):
            with self.subTest(more=more, nodes=nodes):
                folder = self.folder(training_job("torchtitan", LLAMA, TOKENS, gpus, nodes, more))
                script = self.script(folder)
                self.assertIn(f" --local-ranks-filter {local} ", script)
                self.assertIn(f"\nlog_machine={machine}\n", script)
                self.assertEqual(f"# The losses are printed on machine {machine}: log-{machine}.txt" in script, machine > 0)
                toml = self.toml(folder)
                if "pp:" in more:
                    micro = toml["parallelism"]["pipeline_parallel_microbatch_size"]
                    dp = toml["parallelism"]["data_parallel_shard_degree"] * toml["parallelism"]["data_parallel_replicate_degree"]
                    self.assertEqual(toml["training"]["local_batch_size"] * dp, 64, "one pipeline a step")
                    self.assertEqual(toml["training"]["local_batch_size"] % micro, 0)

    def test_what_it_cannot_do_is_said(self):
        self.refused("no DDP beside tensor or pipeline", "torchtitan", LLAMA, TOKENS, 8, 1, "parallel: {tp: 2, dp: 4, sharding: none}",
                     gpu="B200")
        self.refused("moves to CPU memory only what FSDP shards", "torchtitan", LLAMA, TOKENS, 1, 1, "offload: optimizer+params", gpu="B200")

    def test_the_last_save_of_a_large_model_is_waited_for(self):
        """Ranks wait 100 s in a collective by its defaults, and one or a few of them join hundreds of gigabytes."""
        for precision, left in (("bf16", "bfloat16"), ("fp32", None)):
            folder = self.folder(training_job("torchtitan", LLAMA, TOKENS, 8, 1, "{precision: %s, parallel: {sharding: zero3}}" % precision, gpu="B200"))
            toml = self.toml(folder)
            self.assertGreaterEqual(min(toml["comm"]["train_timeout_seconds"], toml["comm"]["init_timeout_seconds"]), 1800)
            self.assertEqual(toml["checkpoint"].get("export_dtype"), left)
            network = json.loads(next(folder.path.glob("phases/01-*/network.json")).read_text())
            self.assertEqual(network["dtype"], left or "float32", "as config.json in final says")

    def test_heads_that_ranks_share_are_put_in_order(self):
        """torchtitan's own _permute views a matrix whose rows are cut inside of heads. Matrices here are lists of rows."""
        text = (TEMPLATES / "titan_network.py").read_text(encoding="utf-8")
        program = "import math, sys, types\n" + text[text.index("def on_whole"):text.index("def like_llama")] + textwrap.dedent("""\
            class Rows(list):
                shape = property(lambda self: (len(self), 1))
                contiguous = clone = lambda self: self
                stride = lambda self: (1, 1)
                def __getitem__(self, at):
                    return Rows(list.__getitem__(self, at[0])) if isinstance(at, tuple) else list.__getitem__(self, at)
            class Shard:
                is_replicate = lambda self: False
            class Copies:
                is_replicate = lambda self: True
            class Mesh:
                def __init__(self, sizes): self.sizes = sizes
                def size(self, dim): return self.sizes[dim]
            class DTensor:
                def __init__(self, whole, mesh, placements): self.whole, self.device_mesh, self.placements = whole, mesh, placements
                def full_tensor(self): return self.whole
                @staticmethod
                def from_local(part, mesh, placements, run_check, shape, stride): return part, tuple(shape), run_check
            def local(shape, mesh, placements):
                each = shape[0] // mesh.sizes[-1]
                return (each, 1), (RANK * each, 0)
            for name, members in (("torch.distributed.tensor", {"DTensor": DTensor}), ("torch.distributed.tensor._utils",
                                  {"compute_local_shape_and_global_offset": local}), ("torch", {}), ("torch.distributed", {})):
                sys.modules[name] = types.ModuleType(name)
                vars(sys.modules[name]).update(members)
            def permute(self, rows, heads, *sizes):
                if isinstance(rows, DTensor):
                    return "as it is"
                each = len(rows) // heads  # the even rows of a head, then the odd ones
                return Rows(rows[head * each + at] for head in range(heads) for first in (0, 1) for at in range(first, each, 2))
            ordered, rows = on_whole(permute), Rows(range(16))
            print(ordered(None, rows, 2))
            for sizes, placements in (([2], [Shard()]), ([4, 2], [Copies(), Shard()])):
                print(ordered(None, DTensor(rows, Mesh(sizes), placements), 2))
            parts = []
            for RANK in range(4):
                part, shape, checked = ordered(None, DTensor(rows, Mesh([2, 4]), [Copies(), Shard()]), 2, 16, 1)
                assert shape == (16, 1) and not checked
                parts += part
            print(parts == permute(None, rows, 2))
            """)
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.stdout.splitlines(), ["[0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]", "as it is", "as it is", "True"],
                         done.stderr)

    def test_fp8_is_compiled(self):
        toml = self.toml(self.folder(training_job("torchtitan", LLAMA, TOKENS, 8, 1, "{precision: fp8, compile: false}")))
        self.assertIn("quantize.linear.float8", toml["model"]["converters"])
        self.assertTrue(toml["compile"]["enable"])

    def network(self, folder, config=None):
        """What titan_network.py tells torchtitan, with classes in place of torchtitan's that keep what they are given."""
        files = next(folder.path.glob("phases/01-*"))
        with tempfile.TemporaryDirectory() as place:
            package = Path(place) / "torchtitan"
            for name in ("protocols", "models/llama3/model", "models/qwen3", "models/deepseek_v3", "models/moe"):
                (package / name).mkdir(parents=True, exist_ok=True)
            kept = "class {0}(dict):\n    def __init__(self, **words): super().__init__(words)\n"
            spec = ("from dataclasses import dataclass, field\n@dataclass\nclass TrainSpec:\n    base: str = ''\n"
                    "    model_args: dict = field(default_factory=dict)\n")
            (package / "protocols/train_spec.py").write_text(
                spec + "def register_train_spec(name, spec):\n    import json\n    print(json.dumps([name, spec.base, spec.model_args]))\n")
            for model, args in (("llama3", "TransformerModelArgs"), ("qwen3", "Qwen3ModelArgs"), ("deepseek_v3", "DeepSeekV3ModelArgs")):
                (package / f"models/{model}/__init__.py").write_text(
                    "from torchtitan.protocols.train_spec import TrainSpec\n" + kept.format(args) +
                    f"class Adapter:\n    def _permute(self): pass\n    def _reverse_permute(self): pass\n"
                    f"def get_train_spec():\n    spec = TrainSpec('{model}')\n    spec.state_dict_adapter = Adapter\n    return spec\n")
            (package / "models/llama3/model/args.py").write_text(kept.format("RoPEScalingArgs"))
            (package / "models/moe/__init__.py").write_text(kept.format("MoEArgs"))
            assets = Path(place) / "assets"
            assets.mkdir()
            if config is not None:
                (assets / "config.json").write_text(json.dumps(config))
            done = subprocess.run(["python3", "-c", "import titan_network"], capture_output=True, text=True, timeout=60, check=False,
                                  env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{files}:{place}", "ASSETS": str(assets), "GPUPLAN_RUN_DIR": str(place),
                                       "PYTHONDONTWRITEBYTECODE": "1"})
            written = Path(place) / "config.json"
            self.config = json.loads(written.read_text()) if written.exists() else None
        self.assertEqual(done.stderr if done.returncode == 0 else "", "")
        return json.loads(done.stdout) if done.returncode == 0 else (done.returncode, done.stderr)

    def test_it_is_told_of_any_network_like_its_own(self):
        drawn = "{layers: 20, hidden: 1536, heads: 12, kv_heads: 4, ffn: 4000, vocab: 50000, tied: %s}"
        folder = self.folder(training_job("torchtitan", drawn % "false", TOKENS, 8, 1, "parallel: {pp: 2, sharding: zero3}"))
        toml = self.toml(folder)
        self.assertEqual((toml["model"]["name"], toml["model"]["flavor"]), ("gpuplan", "plan"))
        self.assertEqual(toml["experimental"]["custom_import"], "titan_network")
        name, base, args = self.network(folder)
        args = args["plan"]
        self.assertEqual((name, base), ("gpuplan", "llama3"))
        self.assertEqual([args[key] for key in ("dim", "n_layers", "n_heads", "n_kv_heads", "vocab_size")], [1536, 20, 12, 4, 50000])
        # models/llama3/model/model.py: the width of the MLP from the factor.
        self.assertEqual(int(args["ffn_dim_multiplier"] * int(2 * 4 * 1536 / 3)), 4000)
        self.assertEqual((args["multiple_of"], args["rope_scaling_args"]["scaling_factor"]), (1, 1.0))
        # Another network's config.json, beside the tokenizer that it was taken for, says nothing.
        other = self.network(folder, {"hidden_size": 4096, "num_hidden_layers": 32, "rope_theta": 7})
        self.assertEqual(other[2]["plan"]["rope_theta"], 500000)
        self.assertEqual([self.config[key] for key in ("model_type", "intermediate_size", "head_dim", "tie_word_embeddings")],
                         ["llama", 4000, 128, False], "for transformers, in final")
        name, base, args = self.network(self.folder(training_job("torchtitan", drawn % "true", TOKENS, 8, 1, "")))
        self.assertEqual((base, args["plan"]["hidden_dim"], args["plan"]["enable_weight_tying"]), ("qwen3", 4000, True))
        self.assertEqual((self.config["model_type"], self.config["tie_word_embeddings"]), ("llama", True))

    def test_published_weights_go_on_with_their_rotary_positions(self):
        folder = self.folder(training_job("torchtitan", LLAMA, PACKED, 8, 1, "parallel: {sharding: zero3}"))
        config = {"hidden_size": 4096, "num_hidden_layers": 32, "rope_theta": 500000.0, "rms_norm_eps": 1e-6, "rope_scaling": {
            "rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}}
        args = self.network(folder, config)[2]["plan"]
        self.assertEqual((args["norm_eps"], args["rope_scaling_args"]["scaling_factor"]), (1e-6, 8.0))
        for wrong, why in ((None, "config.json is missing"), ({**config, "hidden_size": 2048}, "another network"),
                           ({**config, "rope_scaling": {"type": "yarn", "factor": 4}}, "no rotary positions of type yarn")):
            code, said = self.network(folder, wrong)
            self.assertEqual(code, 78)
            self.assertIn(why, said)
        args = self.network(self.folder(training_job("torchtitan", QWEN3, PACKED, 8, 1, "parallel: {sharding: zero3}")),
                            {"hidden_size": 4096, "num_hidden_layers": 36, "rope_theta": 1000000})[2]["plan"]
        self.assertEqual((args["head_dim"], args["hidden_dim"], args["qk_norm"], args["rope_theta"]), (128, 12288, True, 1e6))

    def test_versions_go_together(self):
        script = self.script(self.folder(training_job("torchtitan", LLAMA, TOKENS, 8, 1, "")))
        self.assertIn("'torch>=2.10' 'torchtitan>=0.2,<0.3'", script)


class OtherMachinesLog(Launched):
    """lib.sh: the gate reads the log that has the losses."""

    def gate(self, files):
        with tempfile.TemporaryDirectory() as place:
            for name in files:
                (Path(place) / name).write_text("x\n")
            lines = (f"source {TEMPLATES / 'lib.sh'}\nslug=t; log={place}/log.txt; log_machine=1; checked=1; criteria=1; gated=0\n"
                     "phase=t; here=/plan; GPUPLAN=gpuplan\ngpuplan() { echo \"checked $*\"; }\npass_gate\n")
            done = subprocess.run(["bash", "-c", lines], capture_output=True, text=True, timeout=60, check=False,
                                  env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place})
            return done.returncode, done.stderr

    def test_it_is_read_or_asked_for(self):
        code, said = self.gate(["log.txt", "log-1.txt"])
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"checked check [^ ]*/log-1\.txt ")
        code, said = self.gate(["log.txt"])
        self.assertEqual(code, 6)
        self.assertIn("log-1.txt of machine 1", said)
        self.assertNotIn("checked check", said)


class Axolotl(Launched):
    def settings(self, *case, **more):
        folder = self.folder(training_job("axolotl", *case, **more))
        return yaml.safe_load(folder.files("axolotl.yaml")[0].read_text(encoding="utf-8")), self.script(folder)

    def test_base_models_get_a_template(self):
        settings, script = self.settings(LLAMA, SAMPLES, 8, 1, "method: lora")
        self.assertNotIn("chat_template", settings, "axolotl_template.py adds what the tokenizer has")
        self.assertIn('axolotl_template.py" >>"$GPUPLAN_RUN_DIR/axolotl.yaml"', script)
        self.assertEqual(settings["datasets"][0]["type"], "chat_template")

    def test_data_of_the_hub_are_named_as_it_asks(self):
        """Path, split and configuration, each by itself: in one name it would take another split, or find none."""
        folder = self.folder(training_job("axolotl", LLAMA, SAMPLES, 8, 1, "method: lora"))
        files = folder.files("axolotl.yaml")[0].parent
        with tempfile.TemporaryDirectory() as place:
            here = Path(place, "a:b.jsonl")
            here.touch()
            for data, more, expected in (("owner/name:test", {}, ("owner/name", "test", None)),
                                         ("owner/name", {"DATA_SPLIT": "train[:9%]", "DATA_CONFIG": "en"}, ("owner/name", "train[:9%]", "en")),
                                         ("owner/name", {}, ("owner/name", "train", None)), (str(here), {}, (str(here), "train", None))):
                subprocess.run([sys.executable, "-B", files / "place_settings.py", files / "axolotl.yaml", f"{place}/placed"], check=True,
                               env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place, "GPUPLAN_FILES": str(files), "DATA": data,
                                    "GPUPLAN_BASE_MODEL": "m", **more})
                data_set = yaml.safe_load(Path(place, "placed").read_text())["datasets"][0]
                self.assertEqual((data_set["path"], data_set["split"], data_set["name"]), expected)

    def test_muon_is_never_beside_deepspeed(self):
        muon = "optimizer: {matrices: muon, rest: adamw}"
        self.refused("no Muon", "axolotl", "Qwen/Qwen2.5-1.5B", SAMPLES, 1, 1, "{%s, parallel: {sharding: none}}" % muon)
        for cut in ("none", "zero3"):
            settings, _ = self.settings("Qwen/Qwen2.5-1.5B", SAMPLES, 8, 1, "{%s, master_weights: bf16, parallel: {sharding: %s}}" % (muon, cut))
            self.assertEqual((settings["optimizer"], settings.get("fsdp_version")), ("muon", 2 if cut == "zero3" else None))
            self.assertNotIn("deepspeed", settings)

    def test_tokens_are_texts_in_full_sequences(self):
        for start in ("scratch", "weights"):
            settings, _ = self.settings(LLAMA, TOKENS, 8, 1, f"start: {start}")
            self.assertEqual(settings["reinit_weights"], start == "scratch")
            self.assertEqual(settings["datasets"][0]["type"], "completion")
            self.assertTrue(settings["sample_packing"])
            self.assertNotIn("chat_template", settings)

    def test_attention_is_by_its_new_name_and_installed(self):
        packed = SAMPLES.replace("}}", "}, packing: true}")
        for data, more, attention, extra in ((SAMPLES, "method: lora", "sdpa", ""), (packed, "method: lora", "flash_attention_2", ",flash-attn"),
                                             (SAMPLES, "{parallel: {cp: 2, dp: 4, sharding: zero3}, master_weights: bf16, batch: {sequences: 64}}",
                                              "flash_attention_2", ",ring-flash-attn")):
            with self.subTest(more=more, data=data):
                settings, script = self.settings(LLAMA, data, 8, 1, more.replace(", batch: {sequences: 64}", ""))
                self.assertEqual(settings["attn_implementation"], attention)
                self.assertNotIn("flash_attention", settings)
                self.assertIn(f"'axolotl[deepspeed{extra}]>=0.17,<0.19'", script)
                self.assertEqual("--no-build-isolation" in script, extra != "", "flash-attn is built with the torch that is there")

    def test_optimizers_that_know_shards(self):
        for more, name in (("parallel: {sharding: zero3}", "adamw_torch_8bit"), ("parallel: {sharding: zero1}", "adamw_bnb_8bit")):
            settings, _ = self.settings(LLAMA, SAMPLES, 8, 1, "{%s, optimizer: adam8bit, master_weights: bf16}" % more, gpu="B200")
            self.assertEqual((settings.get("fsdp_version"), settings["optimizer"]), (2 if "zero3" in more else None, name))

    def test_precision_is_the_plans(self):
        for precision, asked in (("bf16", (True, False, None)), ("fp16", (False, True, None)), ("fp8", (True, False, True))):
            settings, _ = self.settings(LLAMA, SAMPLES, 8, 1, "precision: " + precision)
            self.assertEqual((settings["bf16"], settings["fp16"], settings.get("fp8")), asked)
            self.assertTrue(settings["torch_compile"] or precision != "fp8")

    def test_targets_of_adapters(self):
        settings, _ = self.settings(LLAMA, SAMPLES, 8, 1, "{method: lora, lora: {rank: 8, targets: [q_proj, v_proj]}}")
        self.assertEqual(settings["lora_target_modules"], ["q_proj", "v_proj"])
        self.assertNotIn("lora_target_linear", settings)


class LlamaFactory(Launched):
    def both(self, *case, **more):
        folder = self.folder(training_job("llama-factory", *case, **more))
        return yaml.safe_load(folder.files("llama_factory.yaml")[0].read_text(encoding="utf-8")), self.script(folder)

    def test_what_it_does_not_bring_is_installed(self):
        settings, script = self.both(LLAMA, SAMPLES, 8, 1, "method: qlora")
        self.assertEqual(settings["quantization_method"], "bnb")
        self.assertIn("'bitsandbytes>=0.43'", script)
        _, script = self.both(LLAMA, SAMPLES, 8, 1, "method: lora")
        self.assertNotIn("bitsandbytes", script)
        _, script = self.both(GPT2, SAMPLES, 1, 1, "optimizer: adam8bit")
        self.assertIn("'bitsandbytes>=0.43'", script)
        _, script = self.both(LLAMA, SAMPLES, 8, 1, "parallel: {sharding: zero3}")
        self.assertIn("'deepspeed>=0.16,<=0.18.4'", script)

    def test_a_template_for_those_whose_tokenizer_has_none(self):
        settings, _ = self.both(LLAMA, SAMPLES, 8, 1, "method: lora")
        self.assertEqual(settings["template"], "llama3")
        settings, script = self.both("Qwen/Qwen2.5-1.5B", SAMPLES, 8, 1, "method: lora")
        self.assertNotIn("template", settings)
        self.assertIn('python3 "$GPUPLAN_FILES/parsed_template.py"', script)

    def test_templates_that_it_takes_apart_wrongly_are_named(self):
        for model, name in (("google/gemma-2-9b-it", "gemma"), ("google/gemma-3-1b-it", "gemma"), ("google/gemma-3-12b-it", "gemma3"),
                            ("meta-llama/Llama-3.1-8B-Instruct", "llama3"), ("meta-llama/Llama-3.2-1B-Instruct", "llama3"),
                            ("openai/gpt-oss-20b", "gpt_oss"), ("microsoft/Phi-3-mini-4k-instruct", "phi"),
                            ("mistralai/Mistral-7B-Instruct-v0.3", "mistral"),
                            ("Qwen/Qwen2.5-7B-Instruct", None), ("Qwen/Qwen3-8B", None)):
            with self.subTest(model=model):
                settings, script = self.both(model, SAMPLES, 8, 1, "method: lora")
                self.assertEqual(settings.get("template"), name)
                self.assertEqual("parsed_template.py" in script, name is None)

    def test_a_template_is_named_after_an_earlier_phase_too(self):
        for model, name in (("meta-llama/Llama-3.2-1B-Instruct", "llama3"), ("meta-llama/Llama-3.2-1B", None)):
            folder = self.folder("job: two\n" + TWO_PHASES.format(model=model, data="{samples: 20k, tokens_per_sample: 300}", framework="llama-factory"))
            settings = yaml.safe_load(next(folder.path.glob("phases/02-*/llama_factory.yaml")).read_text(encoding="utf-8"))
            self.assertEqual(settings.get("template"), name, "what the earlier phase left of a base model has one, and that is read")

    PARSED = """
import os, sys, types
import jinja2
class Tokenizer:
    chat_template = os.environ.get("TEMPLATE")
    def encode(self, text): return [1]
    def decode(self, tokens): return os.environ["BOS"]
    def apply_chat_template(self, messages, tokenize, add_generation_prompt=False):
        def refuse(why): raise ValueError(why)
        return jinja2.Environment(trim_blocks=True, lstrip_blocks=True).from_string(self.chat_template).render(
            messages=messages, add_generation_prompt=add_generation_prompt, bos_token=os.environ["BOS"], eos_token="</s>", raise_exception=refuse)
sys.modules["transformers"] = types.SimpleNamespace(AutoTokenizer=types.SimpleNamespace(from_pretrained=lambda name: Tokenizer()))
sys.argv = ["parsed_template.py"]
import parsed_template
parsed_template.main()
"""

    def parsed(self, template, bos=""):
        with tempfile.TemporaryDirectory() as place:
            for name in ("phase_parts.py", "parsed_template.py"):
                Path(place, name).write_text((TEMPLATES / name).read_text(encoding="utf-8"), encoding="utf-8")
            Path(place, "settings.json").write_text("{}")
            done = subprocess.run([sys.executable, "-B", "-c", self.PARSED], cwd=place, capture_output=True, text=True, check=False, timeout=60, env={
                "PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place, "GPUPLAN_BASE_MODEL": "m", "BOS": bos, **({"TEMPLATE": template} if template else {})})
        self.assertEqual((done.returncode, done.stdout), (78 if done.stderr else 0, ""))
        return done.stderr

    def test_other_templates_are_tried_before_the_start(self):
        """parsed_template.py: what it would make of the parts of a template is what the template makes of the whole."""
        chatml = ("{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
                  "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}")
        own_words = "{% if messages[0]['role'] != 'system' %}<|im_start|>system\nBe good.<|im_end|>\n{% endif %}"
        thoughts = chatml.replace("{{ m['content'] }}", "{% if m['role'] == 'assistant' and loop.last %}<think>\n\n</think>\n\n{% endif %}{{ m['content'] }}")
        for good in (chatml, own_words + chatml, thoughts):
            self.assertEqual(self.parsed(good), "")
        self.assertEqual(self.parsed("{{ bos_token }}" + chatml, "<s>"), "")
        always = "<|im_start|>system\nToday is Monday.<|im_end|>\n"  # as Llama 3.1
        refuses = "{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"  # as Gemma 2
        closes = "{% if not add_generation_prompt %}{{ eos_token }}{% endif %}"  # as Phi 3
        for wrong in (always + chatml, refuses + chatml, chatml + closes):
            said = self.parsed(wrong)
            self.assertIn("LLaMA-Factory would write conversations otherwise than the chat template of m", said)
            self.assertIn("args: {template: llama3}", said)
            self.assertEqual(said.count("\n"), 1)
        self.assertIn("the tokenizer of m has no chat template: name one", self.parsed(None))

    def test_what_they_leave_is_read_by_programs_with_transformers_4(self):
        for framework in ("axolotl", "llama-factory"):
            script = self.script(self.folder(training_job(framework, LLAMA, TOKENS, 8, 1, "start: weights")))
            self.assertIn('\nfinish() {\n  python3 "$GPUPLAN_FILES/finish_model.py"\n}\n', script)

    def test_answers_beside_conversations_are_put_into_them(self):
        for framework, last in (("axolotl", 'place_settings.py" "$GPUPLAN_FILES/axolotl.yaml"'), ("llama-factory", "ln -sfn")):
            script = self.script(self.folder(training_job(framework, LLAMA, SAMPLES, 8, 1, "method: lora")))
            taken = script.index('[ ! -e "$GPUPLAN_RUN_DIR/answered.jsonl" ] || export DATA="$GPUPLAN_RUN_DIR/answered.jsonl"')
            self.assertLess(script.index('first_row.py" messages'), taken)
            self.assertLess(taken, script.index(last), "before DATA is put where the program reads it")

    def test_tokens_are_packed_and_targets_named(self):
        settings, _ = self.both(LLAMA, TOKENS, 8, 1, "{method: lora, lora: {rank: 8, targets: [q_proj, v_proj]}}")
        self.assertEqual((settings["stage"], settings["packing"], settings["lora_target"]), ("pt", True, "q_proj,v_proj"))

    def test_shards_with_copies_are_refused(self):
        self.refused("llama-factory has no sharding with copies", "llama-factory", LLAMA, SAMPLES, 8, 2, "parallel: {sharding: hsdp}")

    def test_slurm_is_told_no_checkpoint_that_is_not_written(self):
        """Neither it nor axolotl saves when it is told to stop; they go on from the newest checkpoint there is."""
        for framework, saves in (("llama-factory", False), ("axolotl", False), ("accelerate", True)):
            with tempfile.TemporaryDirectory() as place:
                done = run("launch", "-", "--to", "slurm", "-o", f"{place}/out", stdin=training_job(framework, LLAMA, SAMPLES, 8, 1, "method: lora").encode())
                self.assertEqual(done.returncode, 0, done.stderr)
                script = scripts_of(f"{place}/out", "01")[0].read_text(encoding="utf-8")
            self.assertIn("#SBATCH --requeue\n", script)
            self.assertEqual("# A checkpoint takes" in script, saves, framework)
            self.assertEqual("writes no checkpoint when it is stopped" in script, not saves, framework)

    def test_other_files_than_json_are_refused_before_the_start(self):
        _, script = self.both(LLAMA, SAMPLES, 8, 1, "method: lora")
        line = re.search(r"^  (\[\[ -f \"\$DATA\" .*)$", script, re.M).group(1)
        with tempfile.TemporaryDirectory() as place:
            for name, code in (("a.jsonl", 0), ("b.json", 0), ("c.parquet", 78)):
                Path(place, name).touch()
                done = subprocess.run(["bash", "-c", line], check=False, capture_output=True, env={"PATH": os.environ["PATH"], "DATA": f"{place}/{name}"})
                self.assertEqual(done.returncode, code, name)

    def test_folders_may_have_blanks(self):
        # Its launcher splits its words at blanks.
        _, script = self.both(LLAMA, SAMPLES, 8, 1, "method: lora")
        with tempfile.TemporaryDirectory() as place:
            run = Path(place) / "a folder"
            run.mkdir()
            (run / "data.jsonl").touch()
            said = self.work(script, {"GPUPLAN_RUN_DIR": str(run), "GPUPLAN_FILES": str(run), "GPUPLAN_GPUS": "8", "GPUPLAN_NODES": "1",
                                      "GPUPLAN_NODE_RANK": "0", "GPUPLAN_MASTER_ADDR": "h", "GPUPLAN_MASTER_PORT": "1",
                                      "DATA": str(run / "data.jsonl")},
                             'python3() { :; }\nllamafactory-cli() { echo "in $PWD: $*"; }')
            self.assertEqual(said, f"in {run.resolve()}: train llama_factory.yaml\n")
            self.assertEqual(os.readlink(run / "final"), "checkpoints")


class WhatAnEarlierPhaseLeft(Launched):
    def test_is_taken_up_by_settings(self):
        for framework in ("axolotl", "llama-factory"):
            folder = self.folder(TWO_PHASES.format(model=LLAMA, data=SAMPLES, framework=framework))
            script = self.script(folder, "02")
            with tempfile.TemporaryDirectory() as place, self.subTest(framework=framework):
                run = Path(place) / "02-second"
                run.mkdir()
                (run / "data.jsonl").touch()
                environment = {name: str(run) for name in (
                    "GPUPLAN_RUN_DIR", "GPUPLAN_FILES", "GPUPLAN_GPUS", "GPUPLAN_NODES", "GPUPLAN_NODE_RANK",
                    "GPUPLAN_MASTER_ADDR", "GPUPLAN_MASTER_PORT")} | {"DATA": str(run / "data.jsonl")}
                stubs = 'axolotl() { echo "$GPUPLAN_BASE_MODEL"; }\nllamafactory-cli() { axolotl; }\npython3() { :; }'
                self.assertEqual(self.work(script, environment, stubs), LLAMA + "\n")
                (Path(place) / "01-first" / "final").mkdir(parents=True)
                self.assertTrue(self.work(script, environment, stubs).endswith("/01-first/final\n"))
                self.assertEqual(self.work(script, {**environment, "MODEL_02_SECOND": "mine"}, stubs), "mine\n")
                self.assertTrue(self.work(script, {**environment, "MODEL": "mine"}, stubs).endswith("/01-first/final\n"))


class LlamaFactorysAdapters(Launched):
    def test_adapters_pass_by_routed_experts(self):
        """lora_target: all takes every linear layer (model_utils/misc.py), which routed experts are in transformers 4."""
        for model, experts in (("Qwen/Qwen3-30B-A3B", True), (LLAMA, False)):
            text = (self.folder(training_job("llama-factory", model, SAMPLES, 8, 1, "method: lora")).path / "phases/01-train/llama_factory.yaml").read_text()
            targets = yaml.safe_load(text)["lora_target"].split(",")
            if not experts:
                self.assertEqual(targets, ["all"])
                continue
            taken = lambda path: any(path.endswith("." + target) for target in targets)
            for path, wanted in (("model.layers.0.self_attn.q_proj", True), ("model.layers.0.self_attn.o_proj", True),
                                 ("model.layers.0.mlp.experts.5.gate_proj", False), ("model.layers.0.mlp.experts.5.down_proj", False),
                                 ("model.layers.0.mlp.shared_experts.up_proj", True), ("model.layers.0.mlp.shared_expert.up_proj", True),
                                 ("model.layers.0.mlp.gate_proj", True), ("model.layers.0.mlp.gate", False)):
                self.assertEqual(taken(path), wanted, path)


class Megatron(Launched):
    def text(self, *case, **more):
        return self.script(self.folder(training_job("megatron", *case, **more)))

    def test_positions_and_norms_come_from_the_model(self):
        script = self.text(LLAMA, TOKENS, 8, 1, "parallel: {tp: 2}")
        self.assertIn('megatron_shape.py" "${MODEL:-$model}"', script)
        self.assertIn('"${positions[@]}"', script)
        self.assertNotIn("megatron_shape", self.text("{layers: 12, hidden: 768, vocab: 50304}", TOKENS, 8, 1, ""))

    def flags(self, config):
        with tempfile.TemporaryDirectory() as place:
            (Path(place) / "config.json").write_text(json.dumps(config))
            done = subprocess.run(["python3", str(TEMPLATES / "megatron_shape.py"), place], capture_output=True, text=True,
                                  timeout=60, check=False)
            return done.returncode, done.stdout.split() if done.returncode == 0 else done.stderr

    def test_flags_of_configurations(self):
        llama3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                  "original_max_position_embeddings": 8192}
        scaled = ["--rotary-base", "500000", "--use-rope-scaling", "--rope-scaling-factor", "8.0", "--norm-epsilon", "1e-05"]
        self.assertEqual(self.flags({"rope_theta": 500000.0, "rope_scaling": llama3, "rms_norm_eps": 1e-5}), (0, scaled))
        self.assertEqual(self.flags({"rope_parameters": {**llama3, "rope_theta": 500000.0}, "rms_norm_eps": 1e-5}), (0, scaled),
                         "as transformers 5 writes it")
        self.assertEqual(self.flags({"rope_theta": 1000000, "rope_scaling": None, "rms_norm_eps": 1e-6}),
                         (0, ["--rotary-base", "1000000", "--norm-epsilon", "1e-06"]))
        self.assertEqual(self.flags({"n_layer": 12, "layer_norm_epsilon": 1e-5}), (0, ["--norm-epsilon", "1e-05"]))
        self.assertIn("--rotary-percent 0.25", " ".join(self.flags({"rope_theta": 1e4, "partial_rotary_factor": 0.25})[1]))
        for odd in ({"rope_theta": 1e4, "rope_scaling": {"type": "linear", "factor": 2}},
                    {"rope_theta": 1e4, "rope_scaling": {**llama3, "low_freq_factor": 2}}, {"rope_theta": 10000.5}):
            code, said = self.flags(odd)
            self.assertEqual((code, said.count("\n")), (78, 1), said)
            self.assertIn("set command:", said)

    def test_the_last_rank_prints_the_losses(self):
        """print_rank_last: of several machines the last has them, and its gate would find no losses in the first one's log."""
        for nodes in (1, 2, 4):
            script = self.text(LLAMA, TOKENS, 8, nodes, "parallel: {tp: 8}")
            self.assertIn(f"\nlog_machine={nodes - 1}\n", script)
            self.assertEqual(f"runs/01-train/log-{nodes - 1}.txt --plan" in script, nodes > 1)

    def test_older_checkpoints_are_removed(self):
        """Disks are sized for those that the job keeps and one on its way."""
        job = training_job("megatron", GPT2, TOKENS, 8, 1, "")
        folder = self.folder(job.replace(CHECKPOINT, "{every: 50 steps, keep: 2}"))
        script = self.script(folder)
        self.assertIn('\n  bash "$GPUPLAN_FILES/keep.sh" 2 "$me" &\n', script)
        for keep in ("all", 1000000):
            self.assertNotIn("keep.sh", self.script(self.folder(job.replace(CHECKPOINT, f"{{every: 50 steps, keep: {keep}}}"))))
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            for step in (50, 100, 150, 200, 1000000, 1000050):
                (place / f"iter_{step:07}").mkdir()
            (place / "other").mkdir()
            (place / "latest_checkpointed_iteration.txt").write_text("release")  # of weights that came from elsewhere
            with self.beside(f"bash '{folder.files('keep.sh')[0]}' 2", place):
                for newest, left in ((100, 6), (200, 4), (1000000, 3)):
                    (place / "latest_checkpointed_iteration.txt").write_text(f"{newest}\n")
                    self.comes(lambda: len(list(place.glob("iter_*"))) == left)
            self.assertEqual(sorted(path.name for path in place.iterdir() if path.is_dir()),
                             ["iter_0000200", "iter_1000000", "iter_1000050", "other"])

    def test_gradients_are_summed_without_apex(self):
        """ColumnParallelLinear ends at its first line where APEX's kernel is asked for and not there."""
        script = self.text(LLAMA, TOKENS, 8, 1, "parallel: {tp: 2}")
        begin = script.index("  load=()")
        lines = script[begin:script.index("  export CUDA_DEVICE_MAX_CONNECTIONS", begin)]
        for module, flags in ((None, ["--no-gradient-accumulation-fusion"]), ("fused_weight_gradient_mlp_cuda.py", [])):
            with tempfile.TemporaryDirectory() as place:
                if module:
                    (Path(place) / module).touch()
                done = subprocess.run(["bash", "-euc", lines + '\nprintf "%s\\n" "${load[@]}"'], capture_output=True, text=True, timeout=60,
                                      check=False, env={"PATH": "/usr/bin:/bin", "PYTHONPATH": place, "GPUPLAN_CHECKPOINTS": place, "PRETRAINED": "p"})
                self.assertEqual(done.stdout.split(), ["--load", "p", "--finetune"] + flags, done.stderr)
        self.assertIn("--min-lr 1e-06 ", script.replace("0.000001 ", "1e-06 "))

    def test_offload_is_part_of_the_distributed_optimizer(self):
        script = self.text(GPT2, TOKENS, 1, 1, "{offload: optimizer, parallel: {sharding: none}}")
        self.assertIn("--optimizer-cpu-offload", script)
        self.assertIn("--use-distributed-optimizer", script)

    def test_context_ranks_share_states_out(self):
        """arguments.py asserts --overlap-grad-reduce beside --overlap-param-gather, and copies are dp x cp."""
        for cuts, flags in (("{dp: 1, cp: 8, sharding: zero1}", 3), ("{dp: 8, sharding: zero1}", 3),
                            ("{dp: 1, cp: 8, sharding: none}", 1), ("{tp: 8}", 0)):
            script = self.text(LLAMA, TOKENS, 8, 1, f"parallel: {cuts}", gpu="B200")
            met = [flag for flag in ("--use-distributed-optimizer", "--overlap-param-gather", "--overlap-grad-reduce")
                   if flag in script]
            self.assertEqual(len(met), flags, (cuts, met))
            self.assertTrue("--overlap-param-gather" not in met or "--overlap-grad-reduce" in met)

    def test_sequences_divide_by_what_cuts_them(self):
        job = training_job("megatron", LLAMA, TOKENS, 8, 1, "parallel: {cp: 8}").replace("1024", "1000")
        folder = Folder("-", stdin=job.encode())
        self.addCleanup(folder.__exit__)
        self.assertEqual((folder.done.returncode, folder.done.stderr.count("\n")), (5, 1), folder.done.stderr)
        self.assertIn("2 x cp x tp with context parallelism", folder.done.stderr)
        self.assertIn("a sequence that divides so", folder.done.stderr)

    def test_what_it_needs_is_asked_for(self):
        self.assertIn("import transformers", self.text(GPT2, TOKENS, 8, 1, ""))
        script = self.text(GPT2, TOKENS, 8, 1, "optimizer: {matrices: muon, rest: adamw}")
        self.assertIn("emerging_optimizers", script)
        self.assertIn("core 0.18 or later", script)

    def test_latent_vectors_are_normalized(self):
        self.assertIn("--qk-layernorm", self.text(DEEPSEEK, TOKENS, 8, 1, "parallel: {ep: 8}", gpu="B200"))

    def test_layers_without_a_window(self):
        for model, every in (("{layers: 32, hidden: 4096, heads: 32, vocab: 100352, window: 4096, window_layers: 24}", "4"), ("mistralai/Mistral-7B-v0.1", None)):
            script = self.text(model, TOKENS, 8, 1, "parallel: {tp: 2}", gpu="B200")
            self.assertIn("--window-size '(4095,0)'", script)
            self.assertEqual(re.findall(r"--window-attn-skip-freq (\d+)", script), [every] if every else [])
            self.assertIn("core 0.15 or later", script)


class Nanochat(Launched):
    OWN = "{layers: 20, hidden: 1280, vocab: 65536, gated_mlp: false}"

    def test_only_its_own_network_is_trained(self):
        more = "optimizer: {matrices: muon, rest: adamw}"
        self.assertNotIn("GPUPLAN_COMMAND", self.script(self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, more))))
        self.refused("as many key and value heads as heads", "nanochat", self.OWN.replace("}", ", kv_heads: 2}"), TOKENS, 8, 1, more)
        self.refused("an MLP of two matrices of four times the width", "nanochat", self.OWN.replace("gated_mlp: false", "gated_mlp: true, ffn: 5120"), TOKENS,
                     8, 1, more)
        self.refused("an MLP of two matrices of four times the width", "nanochat", self.OWN.replace("}", ", ffn: 4096}"), TOKENS, 8, 1, more)

    def test_flags_are_its_own(self):
        job = training_job("nanochat", self.OWN, TOKENS, 8, 1, "") + "    args: {learning_rate: 0.01}\n"
        script = self.script(self.folder(job))
        self.assertIn(" --matrix-lr=0.01", script)
        self.assertNotIn("learning_rate", script[script.index("work() {"):])
        self.assertIn(" --window-pattern=L ", script)
        self.assertIn("export NANOCHAT_DTYPE=bfloat16\n", script)
        script = self.script(self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, "precision: fp32")))
        self.assertIn("export NANOCHAT_DTYPE=float32\n", script)

    def test_a_tokenizer_of_another_size_is_told(self):
        script = self.script(self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, "")))
        lines = re.search(r"\n  size=.*\n.*\n", script).group(0)
        vocab = re.search(r'"\$size" = (\d+)', lines).group(1)
        for size, code in ((vocab, 0), ("32768", 78), ("", 78)):
            done = subprocess.run(["bash", "-c", f"python() {{ echo {size}; }}\n{lines}"], capture_output=True, text=True, check=False,
                                  env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"})
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertEqual("set NANOCHAT_BASE_DIR to a folder of its own" in done.stderr, code != 0)

    def test_a_checkpoint_that_broke_off_is_not_taken(self):
        """A file that lacks its end is no checkpoint either, and a kill leaves one under the last name."""
        folder = self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, ""))
        script = self.script(folder)
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            (place / ".venv" / "bin").mkdir(parents=True)
            (place / ".venv" / "bin" / "activate").touch()
            for step, parts in ((100, 8), (900, 8), (1000, 7), (1100, 0), (1200, 8), (1300, 8), (1400, 8), (1500, 16)):
                names = [f"model_{step:06d}.pt"] + [f"optim_{step:06d}_rank{rank}.pt" for rank in range(parts)]
                for name in names:
                    with zipfile.ZipFile(place / name, "w") as archive:  # as torch.save writes it
                        archive.writestr("archive/data.pkl", b"x" * 1000)
                if parts:
                    (place / f"meta_{step:06d}.json").write_text('{"step": 1}')
            for name in ("model_001200.pt", "optim_001300_rank7.pt", "meta_001400.json"):
                (place / name).write_bytes((place / name).read_bytes()[:-5])
            environment = {"NANOCHAT": str(place), "NANOCHAT_BASE_DIR": str(place / "base"), "GPUPLAN_CHECKPOINTS": str(place),
                           "GPUPLAN_GPUS": "8", "GPUPLAN_NODES": "1", "GPUPLAN_RUN_DIR": str(place), "HOME": str(place), "GPUPLAN_POLL": "0.1",
                           "GPUPLAN_FILES": str(folder.files("newest.py")[0].parent)}
            # exec takes programs, not functions.
            (place / "torchrun").write_text('#!/bin/sh\necho "$*"\n')
            (place / "torchrun").chmod(0o755)
            (place / "python").symlink_to(sys.executable)
            environment["PATH"] = f"{place}:{os.environ['PATH']}"
            self.assertIn("--resume-from-step=900", self.work(script, environment))
            for file in place.glob("meta_*"):
                file.unlink()
            self.assertNotIn("--resume-from-step", self.work(script, environment))


    def test_older_checkpoints_are_removed(self):
        """Of those that are whole as many are kept as the job says; what is being written is let alone."""
        job = training_job("nanochat", self.OWN, TOKENS, 8, 1, "").replace(CHECKPOINT, "{every: 50 steps, keep: 2}")
        folder = self.folder(job)
        self.assertIn('\n  python "$GPUPLAN_FILES/newest.py" 2 "$me" &\n', self.script(folder))
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            for step, parts in ((50, 2), (100, 2), (150, 1), (200, 2), (250, 1)):  # 150: cut off; 250: on its way
                for name in [f"model_{step:06d}.pt"] + [f"optim_{step:06d}_rank{rank}.pt" for rank in range(parts)]:
                    with zipfile.ZipFile(place / name, "w") as archive:
                        archive.writestr("archive/data.pkl", b"x")
                (place / f"meta_{step:06d}.json").write_text("{}")
            with self.beside(f"'{sys.executable}' '{folder.files('newest.py')[0]}' 2", place, GPUPLAN_GPUS="2", GPUPLAN_NODES="1"):
                self.comes(lambda: not list(place.glob("*_000050*")))
            self.assertEqual(sorted(path.name.split("_")[1].split(".")[0] for path in place.iterdir()),
                             ["000100"] * 4 + ["000150"] * 3 + ["000200"] * 4 + ["000250"] * 3)

    def test_what_the_plan_does_not_count_is_said(self):
        folder = self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, ""))
        # Ten tables of 65,536 x 1,280 (nanochat/gpt.py: every second layer of 20).
        self.assertIn("tables of value embeddings, 839M weights beside the plan's 561M", self.script(folder))
        self.assertIn("value embeddings", (folder.path / "plan.json").read_text(encoding="utf-8"))

    def test_shards_for_what_is_cropped(self):
        """Of the tokens that it reads some 35 % are cropped away: without more shards an epoch would be one and a half."""
        script = self.script(self.folder(training_job("nanochat", self.OWN, TOKENS, 8, 1, "")))
        shards = int(re.search(r"nanochat\.dataset -n (\d+)", script).group(1))
        steps, batch = (int(re.search(rf"--{flag}=(\d+)", script).group(1)) for flag in ("num-iterations", "total-batch-size"))
        self.assertGreaterEqual((shards - 1) * 250e6 * 0.65, steps * batch * 4.8)


class Nanogpt(Launched):
    def test_started_again_it_draws_other_batches(self):
        """train.py seeds by 1337 and the rank at each start, and draws batches at random: it would learn the first ones again."""
        folder = self.folder(training_job("nanogpt", "openai-community/gpt2", TOKENS, 8, 1, "start: weights"))
        with tempfile.TemporaryDirectory() as place:
            program = ("import sys\nclass torch:\n    save = manual_seed = print\nexec(open(sys.argv[1]).read())\n"
                       "for rank in (0, 1): torch.manual_seed(1337 + rank)")
            seeds = []
            for saved in (None, 1_700_000_000, 1_700_000_001, 1_700_000_001):
                if saved:
                    Path(place, "ckpt.pt").touch()
                    os.utime(Path(place, "ckpt.pt"), (saved, saved))
                done = subprocess.run([sys.executable, "-c", program, str(folder.files("config.py")[0])], capture_output=True, text=True,
                                      timeout=60, check=True, env={"GPUPLAN_CHECKPOINTS": place, "DATASET": "x",
                                                                   "GPUPLAN_FILES": str(folder.files("config.py")[0].parent)})
                seeds.append(done.stdout.split())
            self.assertEqual(seeds[0], ["1337", "1338"])
            self.assertEqual(seeds[2], seeds[3], "all ranks and machines agree")
            self.assertEqual(len({seed for start in seeds[:3] for seed in start}), 6)
            self.assertLess(int(seeds[3][1]), 2**63)

    def test_steps_that_do_not_divide_are_told(self):
        for every in (1, 700):
            script = self.script(self.folder(training_job("nanogpt", GPT2, TOKENS, 8, 1, "").replace(CHECKPOINT, f"{{every: {every} steps}}")))
            self.assertEqual("saves at equal distances only" in script, every > 1)

    def test_weights_by_its_names(self):
        folder = self.folder(training_job("nanogpt", "openai-community/gpt2", TOKENS, 8, 1, "start: weights"))
        self.assertEqual(json.loads(folder.files("settings.json")[0].read_text())["init_from"], "gpt2")

    def test_a_checkpoint_is_there_while_the_next_is_written(self):
        """It writes over its only one: cut off by a kill it would have none to go on from."""
        folder = self.folder(training_job("nanogpt", "openai-community/gpt2", TOKENS, 8, 1, "start: weights"))
        with tempfile.TemporaryDirectory() as place:
            program = textwrap.dedent("""\
                import os, sys
                class torch:
                    manual_seed = print
                    def save(what, path):
                        with open(path, "w") as file:
                            file.write(what[:len(what) // 2])
                            file.flush()
                            if os.environ.get("KILLED"): os.kill(os.getpid(), 9)
                            file.write(what[len(what) // 2:])
                exec(open(sys.argv[1]).read())
                print(init_from)
                torch.save(os.environ["TEXT"], os.path.join(out_dir, "ckpt.pt"))
                """)
            for text, more, code, begun in (("first", {}, 0, "gpt2"), ("second", {"KILLED": "1"}, -9, "resume"),
                                            ("third", {}, 0, "resume")):
                done = subprocess.run([sys.executable, "-c", program, str(folder.files("config.py")[0])], capture_output=True,
                                      text=True, timeout=60, check=False,
                                      env={"GPUPLAN_CHECKPOINTS": place, "DATASET": "x", "TEXT": text, "PYTHONUNBUFFERED": "1",
                                           "GPUPLAN_FILES": str(folder.files("config.py")[0].parent), **more})
                self.assertEqual((done.returncode, done.stdout.strip()), (code, begun), done.stderr)
                self.assertEqual(Path(place, "ckpt.pt").read_text(), "third" if text == "third" else "first")


class Vllm(unittest.TestCase):
    def test_ranks_of_adapters_are_those_that_it_has(self):
        text = (TEMPLATES / "generate_vllm.py").read_text(encoding="utf-8")
        names = {}
        exec(text[text.index("def lora_rank"):text.index("def answer")], names)
        self.assertEqual([names["lora_rank"](rank) for rank in (4, 8, 12, 16, 24, 100, 300, 512)],
                         [8, 8, 16, 16, 32, 128, 320, 512])


class RunPod(Launched):
    def test_pods_run_the_image_and_can_be_reached(self):
        for instance, public in (("1x_H100_SECURE", False), ("1x_H100_COMMUNITY", True)):
            job = ("market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h, provider: runpod, instance: %s}]}\nphases:\n"
                   "  - name: train\n    train: {model: gpt2, data: {tokens: 100M}, sequence: 1024, batch: {sequences: 64}, "
                   "framework: torch}\n" % instance)
            with tempfile.TemporaryDirectory() as place:
                done = run("launch", "-", "--to", "runpod", "-o", place + "/out", stdin=job.encode())
                self.assertEqual(done.returncode, 0, done.stderr)
                script = place + "/out/runpod/rent.sh"
                shown = subprocess.run(["bash", script], capture_output=True, text=True, timeout=60, check=False)
                command = next(line for line in shown.stdout.splitlines() if line.startswith("runpodctl pod create"))
                image = re.search(r"--image \S*-cu(\d\d)(\d)", command)
                self.assertIn(f"--min-cuda-version {image[1]}.{image[2]} ", command)
                self.assertEqual("--public-ip" in command, public)
                subprocess.run(["shellcheck", "--severity=style", "-x", "--source-path=SCRIPTDIR", script], check=True, timeout=60)


if __name__ == "__main__":
    main(__doc__)
