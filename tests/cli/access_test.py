#!/usr/bin/env python3
"""What is told before a phase starts (access.sh: models, data, keys), and what comes after it (finish_model.py).

    tests/cli/access_test.py build/release/gpuplan [unittest options]

curl, peft, transformers and huggingface_hub are stand-ins. Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from launch_folder import scripts_of
from launch_work_test import LLAMA, SAMPLES, TEMPLATES, Folder, training_job
from program import main

# Answers by the last part of the address; notes whether a token came, which is no word of its command line.
CURL = """#!/bin/bash
for url in "$@"; do :; done
token=$(sed -n 's/^header = "Authorization: Bearer \\(.*\\)"$/\\1/p')
echo "$url $token" >>"$PLACE/asked"
[[ "$*" != *"$token"* || -z "$token" ]] || echo "the token is on the command line" >>"$PLACE/asked"
[ -e "$PLACE/answer" ] || exit 6
cat "$PLACE/answer"
"""


class Before(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        (self.place / "bin").mkdir()
        (self.place / "bin" / "curl").write_text(CURL)
        (self.place / "bin" / "curl").chmod(0o755)

    def look(self, *models, answer="200", **variables):
        """Exit code, what is said, and what was asked."""
        for name in ("asked", "answer"):
            (self.place / name).unlink(missing_ok=True)
        if answer:
            (self.place / "answer").write_text(answer)
        done = subprocess.run(["bash", str(TEMPLATES / "access.sh"), *models], capture_output=True, text=True, timeout=60, check=False,
                              cwd=self.place, env={"PATH": f"{self.place}/bin:/usr/bin:/bin", "HOME": str(self.place), "PLACE": str(self.place),
                                                   "HF_ENDPOINT": "https://hub.example", **variables})
        asked = (self.place / "asked").read_text() if (self.place / "asked").exists() else ""
        self.assertNotIn("on the command line", asked)
        return done.returncode, done.stdout + done.stderr, asked

    def missing(self, text, *models, **more):
        code, said, asked = self.look(*models, **more)
        self.assertEqual(code, 78, said)
        self.assertIn(text, said)
        self.assertEqual(said.count("\n"), 1, said)
        return asked

    def test_a_gated_model(self):
        asked = self.missing("open https://huggingface.co/meta-llama/Llama-3.1-8B, accept its licence, and export HF_TOKEN", LLAMA, answer="401")
        self.assertEqual(asked, f"https://hub.example/{LLAMA}/resolve/main/config.json \n")
        asked = self.missing("HF_TOKEN does not open the model", LLAMA, answer="403", HF_TOKEN="hf_secret")
        self.assertTrue(asked.endswith(" hf_secret\n"))
        self.missing("set MODEL to the right name", LLAMA, answer="404", HF_TOKEN="hf_secret")
        self.missing("set MODEL_02_B to the right name", LLAMA, answer="404", MODEL_VARIABLES="MODEL_02_B")

    def test_a_token_that_was_left_by_a_login(self):
        (self.place / ".cache/huggingface").mkdir(parents=True)
        (self.place / ".cache/huggingface/token").write_text("hf_kept")
        self.assertTrue(self.look(LLAMA)[2].endswith(" hf_kept\n"))

    def test_what_opens_says_nothing(self):
        for answer in ("200", "302", "307", "500"):
            code, said, asked = self.look(LLAMA, answer=answer)
            self.assertEqual((code, said), (0, ""))
            self.assertTrue(asked)

    def test_what_is_here_is_not_asked_for(self):
        (self.place / "owner" / "model").mkdir(parents=True)
        (self.place / ".cache/huggingface/hub/models--a--b/snapshots/1").mkdir(parents=True)
        (self.place / ".cache/huggingface/hub/models--a--b/snapshots/1/config.json").touch()
        for models in (["owner/model"], ["a/b"], ["/none/of/the/hub"], [""], ["gpt2"], []):
            self.assertEqual(self.look(*models, answer="401"), (0, "", ""))
        self.assertEqual(self.look(LLAMA, answer="401", HF_HUB_OFFLINE="1"), (0, "", ""))

    def test_a_hub_that_cannot_be_reached_stops_nothing(self):
        code, said, _ = self.look(LLAMA, answer="")
        self.assertEqual(code, 0)
        self.assertIn("cannot be reached from here", said)

    def test_data(self):
        (self.place / "rows").mkdir()
        for data in ("rows", "s3://bucket/rows.jsonl"):
            self.assertEqual(self.look(DATA=data, answer="404"), (0, "", ""), data)
        for data in ("/none/rows.jsonl", "rows.jsonl", "data/rows.jsonl.gz", "data/train/rows.jsonl", "a/b/c"):
            self.assertEqual(self.missing(f"DATA: {data} is not here", DATA=data), "", "nobody is asked")
        asked = self.missing("DATA: owner/name:test is no file or folder here, and no data set of the hub", DATA="owner/name:test", answer="404")
        self.assertEqual(asked, "https://hub.example/api/datasets/owner/name \n")
        self.missing("EVAL_DATA: owner/name is no file", EVAL_DATA="owner/name", answer="401")

    def test_reports(self):
        self.missing("export WANDB_API_KEY=... (https://wandb.ai/authorize)", REPORT_TO="tensorboard,wandb")
        self.missing("REPORT_TO: mlflow is not known; expected none, wandb or tensorboard", REPORT_TO="mlflow")
        for more in ({"WANDB_API_KEY": "x"}, {"WANDB_MODE": "offline"}):
            self.assertEqual(self.look(REPORT_TO="wandb", **more)[:2], (0, ""))
        (self.place / ".netrc").write_text("machine api.wandb.ai login user password x\n")
        self.assertEqual(self.look(REPORT_TO="wandb")[:2], (0, ""))
        self.assertEqual(self.look(REPORT_TO="none")[:2], (0, ""))

    def test_where_to_push(self):
        self.missing("PUSH_TO needs a token that may write", PUSH_TO="me/model")
        self.missing("PUSH_TO: model; expected owner/name", PUSH_TO="model", HF_TOKEN="hf_secret")
        self.missing("HF_TOKEN is not valid", PUSH_TO="me/model", HF_TOKEN="hf_secret", answer="401")
        self.assertEqual(self.look(PUSH_TO="me/model", HF_TOKEN="hf_secret")[:2], (0, ""))

    def test_a_template(self):
        self.missing("CHAT_TEMPLATE: none.jinja is no file", CHAT_TEMPLATE="none.jinja")

    def test_all_that_is_missing_is_told_at_once(self):
        code, said, _ = self.look(LLAMA, answer="401", REPORT_TO="wandb", PUSH_TO="me/model", CHAT_TEMPLATE="none")
        self.assertEqual((code, said.count("\n")), (78, 4), said)


class Phases(unittest.TestCase):
    """The scripts ask first, before anything is installed."""

    def test_every_program_that_fetches_a_model_asks_first(self):
        for framework, model, more in (("hf-trainer", LLAMA, "method: lora"), ("torch", LLAMA, "parallel: {sharding: zero3}"), ("axolotl", LLAMA, ""),
                                       ("llama-factory", LLAMA, ""), ("deepspeed", LLAMA, "")):
            with self.subTest(framework=framework), Folder("-", stdin=training_job(framework, model, SAMPLES, 8, 1, more).encode()) as folder:
                script = scripts_of(folder.path, "01")[0].read_text(encoding="utf-8")
                self.assertIn('bash "$GPUPLAN_FILES/access.sh" "${MODEL:-meta-llama/Llama-3.1-8B}"', script)

    def test_nothing_is_installed_without_access(self):
        with Folder("-", stdin=training_job("hf-trainer", LLAMA, SAMPLES, 8, 1, "method: lora").encode()) as folder:
            place = folder.place / "bin"
            place.mkdir()
            (place / "curl").write_text("#!/bin/sh\nprintf 401\n")
            (place / "python3").write_text(f"#!/bin/sh\ncase \"$*\" in *pip*) touch {folder.place}/installed ;; esac\nexit 1\n")
            for program in place.iterdir():
                program.chmod(0o755)
            done = subprocess.run(["bash", str(scripts_of(folder.path, "01")[0])], capture_output=True, text=True, timeout=60, check=False,
                                  env={"PATH": f"{place}:/usr/bin:/bin", "HOME": str(folder.place), "DATA": str(folder.place), "CUDA_VISIBLE_DEVICES": "0,1,2,3,4,5,6,7"})
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn("accept its licence", done.stderr)
            self.assertFalse((folder.place / "installed").exists())

    def test_each_phase_asks_for_its_own_data(self):
        job = """
market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $1/h}]}
phases:
  - name: base
    train: {model: {layers: 12, hidden: 768, vocab: 50304}, data: {tokens: 2B}, sequence: 1024, batch: {sequences: 64}, framework: torch}
  - name: talk
    train: {model: Qwen/Qwen2.5-1.5B, data: {samples: 20k, tokens_per_sample: 300}, sequence: 1024, batch: {sequences: 64}, framework: hf-trainer}
"""
        with Folder("-", stdin=job.encode()) as folder:
            self.assertEqual(folder.done.returncode, 0, folder.done.stderr)
            for number, variable in (("01", "DATA_01_BASE"), ("02", "DATA_02_TALK")):
                script = scripts_of(folder.path, number)[0].read_text(encoding="utf-8")
                look = script[script.index("look_first() {"):]
                self.assertTrue(look.startswith(f'look_first() {{\n  export DATA="${variable}"\n  MODEL_VARIABLES='), look[:200])

    def test_what_setup_brings_is_looked_for_after_it(self):
        job = training_job("hf-trainer", LLAMA, SAMPLES, 8, 1, "method: lora") + "    setup: {run: \"mkdir -p meta-llama/Llama-3.1-8B\", time: 1 min}\n"
        with Folder("-", stdin=job.encode()) as folder:
            self.assertRegex(scripts_of(folder.path, "01")[0].read_text(encoding="utf-8"), r"(?m)^set_up_first=1$")


MODULES = {
    "peft.py": """
import json, os
class Merged:
    def save_pretrained(self, folder):
        os.makedirs(folder)
        open(folder + "/model.safetensors", "w").write("whole")
class AutoPeftModelForCausalLM:
    @staticmethod
    def from_pretrained(folder, low_cpu_mem_usage, **how):
        assert how == {"torch_dtype" if os.environ.get("OLDER") else "dtype": "auto"} and os.path.exists(folder + "/adapter_config.json")
        if os.environ.get("BROKEN"):
            raise SystemExit("no room")
        return type("Model", (), {"merge_and_unload": lambda self: Merged()})()
class PeftConfig:
    base_model_name_or_path = "base"
    @staticmethod
    def from_pretrained(folder):
        return PeftConfig()
class PeftModel:
    @staticmethod
    def from_pretrained(base, folder):
        assert base == "a model that sees" and os.path.exists(folder + "/adapter_config.json")
        return type("Model", (), {"merge_and_unload": lambda self: Merged()})()
""",
    "transformers.py": """
import os
__version__ = os.environ.get("OLDER", "4.57.1")
class Text: pass
class Sight: pass
MODEL_FOR_CAUSAL_LM_MAPPING = {Text: None}
class AutoConfig:
    @staticmethod
    def from_pretrained(name):
        assert name == "base"
        return Sight() if os.environ.get("SEES") else Text()
class AutoModelForImageTextToText:
    @staticmethod
    def from_pretrained(name, low_cpu_mem_usage, **how):
        assert how == {"torch_dtype" if os.environ.get("OLDER") else "dtype": "auto"}
        return "a model that sees"
class AutoTokenizer:
    @staticmethod
    def from_pretrained(folder):
        return type("Tokenizer", (), {"save_pretrained": lambda self, to: open(to + "/tokenizer.json", "w").write("{}")})()
""",
    "huggingface_hub.py": """
import json, os
class HfApi:
    def create_repo(self, name, private, exist_ok):
        assert private and exist_ok
    def upload_folder(self, **words):
        open(os.environ["GPUPLAN_RUN_DIR"] + "/pushed", "w").write(json.dumps({**words, "held": sorted(os.listdir(words["folder_path"]))}))
"""}


class After(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.place = Path(self.temporary.name)
        (self.place / "modules").mkdir()
        for name, text in MODULES.items():
            (self.place / "modules" / name).write_text(text)
        self.run_dir = self.place / "run"
        (self.run_dir / "checkpoints" / "checkpoint-10").mkdir(parents=True)
        (self.run_dir / "checkpoints" / "adapter_config.json").write_text("{}")
        (self.run_dir / "final").symlink_to("checkpoints")

    def finish(self, code=0, **variables):
        done = subprocess.run([sys.executable, str(TEMPLATES / "finish_model.py")], capture_output=True, text=True, timeout=60, check=False,
                              env={"PATH": os.environ["PATH"], "PYTHONPATH": str(self.place / "modules"), "PYTHONDONTWRITEBYTECODE": "1",
                                   "GPUPLAN_RUN_DIR": str(self.run_dir), **variables})
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout

    def test_adapters_are_merged_and_stay(self):
        self.finish(MERGE="1")
        self.assertEqual(sorted(p.name for p in (self.run_dir / "merged").iterdir()), ["model.safetensors", "tokenizer.json"])
        self.assertTrue((self.run_dir / "final" / "adapter_config.json").exists())
        self.assertFalse((self.run_dir / "pushed").exists())

    def test_adapters_of_a_model_that_sees_are_merged_into_one(self):
        self.finish(MERGE="1", SEES="1")
        self.assertEqual(sorted(os.listdir(self.run_dir / "merged")), ["model.safetensors", "tokenizer.json"])

    def test_an_older_transformers_has_another_name_for_the_type(self):
        """LLaMA-Factory on Python 3.10 brings 4.52, which passes over a dtype and merges in 32 bit, or fails."""
        for version in ("4.52.4", "4.55.0.dev0"):
            self.finish(MERGE="1", OLDER=version)
            shutil.rmtree(self.run_dir / "merged")
        self.finish(MERGE="1", SEES="1", OLDER="4.52.4")

    def read(self, **files):
        """What finish_model.py makes of config and tokenizer of a model, and what it says."""
        final = self.run_dir / "checkpoints"
        for name, found in files.items():
            (final / f"{name}.json").write_text(json.dumps(found))
        said = self.finish()
        self.assertEqual(self.finish(), "", "it does so once")
        self.assertEqual([path.name for path in final.iterdir() if "draft" in path.name], [])
        return [json.loads((final / f"{name}.json").read_text()) for name in files], said

    def test_what_transformers_5_wrote_transformers_4_reads(self):
        """It would take another rotary base without a word, and find no class of the tokenizer."""
        scaling = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
        newer = {"model_type": "llama", "rope_parameters": {"rope_theta": 500000.0, **scaling}}
        (config, tokenizer), said = self.read(config=newer, tokenizer_config={
            "tokenizer_class": "TokenizersBackend", "extra_special_tokens": ["<|eot_id|>", {"content": "<|eom_id|>"}], "backend": "tokenizers"})
        self.assertEqual(config, {**newer, "rope_theta": 500000.0, "rope_scaling": scaling})
        self.assertEqual(tokenizer, {"tokenizer_class": "PreTrainedTokenizerFast", "backend": "tokenizers",
                                     "additional_special_tokens": ["<|eot_id|>", {"content": "<|eom_id|>"}]})
        self.assertEqual(said.count("put so that transformers 4 and 5 read it"), 2)

    def test_rotary_positions_of_every_kind(self):
        plain = {"rope_type": "default", "rope_theta": 1000000.0}
        factors = {"short_factor": [1.0], "long_factor": [2.0]}
        for rope, older in ((plain, {"rope_theta": 1000000.0}),
                            ({**plain, "partial_rotary_factor": 0.5}, {"rope_theta": 1000000.0, "partial_rotary_factor": 0.5}),
                            ({**plain, "mrope_section": [16, 24, 24]}, {"rope_theta": 1000000.0, "rope_scaling": {
                                "rope_type": "default", "mrope_section": [16, 24, 24]}}),
                            ({"rope_type": "longrope", "rope_theta": 10000.0, "original_max_position_embeddings": 4096, **factors},
                             {"rope_theta": 10000.0, "original_max_position_embeddings": 4096, "rope_scaling": {"type": "longrope", **factors}})):
            config = {"model_type": "m", "rope_parameters": rope}
            self.assertEqual(self.read(config=config)[0], [{**config, **older}])
        layers = {"full_attention": {"rope_type": "linear", "factor": 8.0, "rope_theta": 1000000.0},
                  "sliding_attention": {"rope_type": "default", "rope_theta": 10000.0}}
        text = {"model_type": "gemma3_text", "rope_theta": 1000000.0, "rope_scaling": {"rope_type": "linear", "factor": 8.0}, "rope_local_base_freq": 10000.0}
        self.assertEqual(self.read(config={"model_type": "gemma3", "text_config": {"model_type": "gemma3_text", "rope_parameters": layers}})[0],
                         [{"model_type": "gemma3", "text_config": text}])
        unknown = {"model_type": "newer", "rope_parameters": {"a": plain, "b": plain}}
        self.assertEqual(self.read(config=unknown), ([unknown], ""))

    def test_what_transformers_4_wrote_stays(self):
        older = {"config": {"model_type": "llama", "rope_theta": 500000.0, "rope_scaling": None},
                 "tokenizer_config": {"tokenizer_class": "LlamaTokenizerFast", "extra_special_tokens": {"image_token": "<image>"}}}
        self.assertEqual(self.read(**older), (list(older.values()), ""))

    def test_what_is_merged_is_pushed(self):
        self.finish(MERGE="1", PUSH_TO="me/model")
        pushed = json.loads((self.run_dir / "pushed").read_text())
        self.assertEqual((pushed["repo_id"], pushed["held"]), ("me/model", ["model.safetensors", "tokenizer.json"]))

    def test_adapters_alone_are_pushed_without_their_checkpoints(self):
        self.finish(PUSH_TO="me/model", MERGE="0")
        pushed = json.loads((self.run_dir / "pushed").read_text())
        self.assertIn("adapter_config.json", pushed["held"])
        self.assertIn("checkpoint-*", pushed["ignore_patterns"])
        self.assertFalse((self.run_dir / "merged").exists())

    def test_a_merge_that_broke_off_is_none(self):
        self.finish(code=1, MERGE="1", BROKEN="1")
        self.assertFalse((self.run_dir / "merged").exists())
        self.finish(MERGE="1")
        self.assertTrue((self.run_dir / "merged").exists())

    def test_whole_models_have_nothing_to_merge(self):
        (self.run_dir / "checkpoints" / "adapter_config.json").unlink()
        self.assertIn("nothing to merge", self.finish(MERGE="1"))


REPORTS = """
import json, os, sys, types
folder = os.environ["GPUPLAN_RUN_DIR"]
board = []
class Writer:
    def __init__(self, where):
        board.append(where)
    def add_scalar(self, name, value, step):
        board.append([name, value, step])
    def close(self):
        board.append("closed")
for name in ("torch", "torch.utils", "torch.utils.tensorboard", "wandb"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["torch.utils.tensorboard"].SummaryWriter = Writer
class Run:
    id = "run7"
    def log(self, values, step):
        board.append([values, step])
    def finish(self):
        board.append("finished")
def init(**words):
    words.pop("config")
    board.append(words)
    return Run()
sys.modules["wandb"].init = init
from reports import Reports
reports = Reports()
reports.tell(3, train__loss=1.5)
reports.end()
print(json.dumps(board))
"""


class Reports(unittest.TestCase):
    """Where train.py for torch leads its numbers."""

    def led(self, **variables):
        with tempfile.TemporaryDirectory() as place:
            for name in ("reports.py", "phase_parts.py"):
                shutil.copy(TEMPLATES / name, place)
            (Path(place) / "settings.json").write_text('{"job": "job", "run_name": "run"}')
            found = []
            for _ in range(2):
                done = subprocess.run([sys.executable, "-c", REPORTS], capture_output=True, text=True, timeout=60, check=False, cwd=place,
                                      env={"PATH": os.environ["PATH"], "GPUPLAN_RUN_DIR": place, **variables})
                self.assertEqual(done.returncode, 0, done.stderr)
                found.append(json.loads(done.stdout.replace(place, "PLACE")))
            return found

    def test_nowhere_unless_asked(self):
        self.assertEqual(self.led(), [[], []])
        self.assertEqual(self.led(REPORT_TO="none"), [[], []])
        self.assertEqual(self.led(REPORT_TO="wandb,tensorboard", RANK="1"), [[], []], "one process reports")

    def test_tensorboard(self):
        self.assertEqual(self.led(REPORT_TO="tensorboard")[0], ["PLACE/tensorboard", ["train/loss", 1.5, 3], "closed"])

    def test_a_run_that_goes_on_stays_one(self):
        first, second = self.led(REPORT_TO="wandb", WANDB_PROJECT="mine")
        begun = {"project": "mine", "name": "run", "dir": "PLACE", "id": None, "resume": "allow"}
        self.assertEqual(first, [begun, [{"train/loss": 1.5}, 3], "finished"])
        self.assertEqual(second[0], {**begun, "id": "run7"})


if __name__ == "__main__":
    main(__doc__)
