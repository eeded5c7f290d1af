#!/usr/bin/env python3
"""train_torch.py really trains here: a tiny network on the CPU, with torch of Debian (python3-torch) or a newer one.

    tests/cli/train_torch_test.py build/release/gpuplan [unittest options]

Two processes over gloo against one; the whole launch with a stop, a resume and a gate. transformers and datasets are those
of stand_ins/. GPUPLAN_TORCH_PYTHON names the Python to take. Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from program import PROGRAM, ROOT, environment, main, run

TEMPLATES = ROOT / "src" / "launch" / "templates"
STAND_INS = ROOT / "tests" / "cli" / "stand_ins"
STEPS = 24  # 192 rows, 8 each
PATIENCE = 240  # seconds; only ends a test where something hangs

JOB = """
job: tiny
market: {{use: only, own: [{{name: box, gpu: H100 SXM, gpus: 2}}]}}
phases:
  - name: train
    train:
      model: {{layers: 2, hidden: 32, heads: 2, ffn: 64, vocab: 512, gated_mlp: true, norm: rms}}
      data: {{samples: 192, tokens_per_sample: {{mean: 30, max: 64}}}}
      sequence: 64
      batch: {{sequences: 8}}
      framework: torch
      parallel: {{dp: 2, sharding: {sharding}}}
      precision: fp32
      compile: false
      recompute: none
      start: scratch
    args: {{learning_rate: 0.01, warmup_steps: 2}}
    checkpoint: {{every: 10 steps, keep: 2}}
    metrics: {{loss: 'loss: +([0-9.]+)'}}
    succeed_when: [loss < {most}]
  - name: after
    needs: [train]
    cpu: {{time: 1 min}}
    command: echo "the gate let me through"
"""


def torch_python():
    """The first Python that has torch and numpy."""
    for python in (os.environ.get("GPUPLAN_TORCH_PYTHON"), sys.executable, "/usr/bin/python3"):
        if python and subprocess.run([python, "-c", "import numpy, torch.distributed as d; assert d.is_gloo_available()"],
                                     capture_output=True, check=False).returncode == 0:
            return python
    return None


PYTHON = torch_python()
if PYTHON is None:
    print("skipped: no Python with torch and numpy here (apt-get install python3-torch)", file=sys.stderr)


def rows():
    """Answers of very different lengths after prompts of others: means of them would differ from the mean over all."""
    return [{"prompt": "say " + "ab"[i % 2] * (i % 17), "completion": "xyz"[i % 3] * (1 + (i * i) % 37)} for i in range(192)]


def curve(log):
    """Losses and norms by step."""
    found = {}
    for step, loss, norm in re.findall(r"^step: +(\d+)  loss: +([0-9.]+)  grad_norm: +([0-9.]+)", log, re.MULTILINE):
        found.setdefault(int(step), []).append((float(loss), float(norm)))
    return {step: values[-1] for step, values in found.items()}


def validation(log):
    return {int(step): float(loss) for step, loss in re.findall(r"^validate step: +(\d+)  loss: +([0-9.]+)$", log, re.MULTILINE)}


NETWORK = """
import os, sys, types, torch, torch.distributed as dist
import training_network as network

dist.init_process_group("gloo")
rank = dist.get_rank()
# Two ranks with two heads each of four: what the norm of all heads learns is the sum of their parts.
torch.manual_seed(1)
heads, weight = torch.randn(4, 8), torch.ones(8)
whole = torch.nn.Parameter(weight.clone())
(heads * whole).tanh().sum().backward()
norm = torch.nn.Module()
norm.weight = torch.nn.Parameter(weight.clone())
(heads[2 * rank:2 * rank + 2] * norm.weight).tanh().sum().backward()
network.NORMS_OF_HEADS.append(norm)
network.add_up_heads(dist.group.WORLD)
assert torch.allclose(norm.weight.grad, whole.grad), "q_norm"

# Matrices of one grid of ranks, a tied or biased rest of none: groups of one grid each, and the norm of all.
class Part(torch.nn.Parameter):
    device_mesh = "grid"

model = torch.nn.Module()
model.config = types.SimpleNamespace(num_hidden_layers=1)
model.layers = torch.nn.ModuleList([torch.nn.Linear(4, 4)])
model.layers[0].weight = Part(torch.ones(4, 4))
model.rest = torch.nn.Parameter(torch.ones(4, 4))
(optimizer,) = network.make_optimizers(model)
for group in optimizer.param_groups:
    assert len({network.grid_of(p) for p in group["params"]}) == 1
assert sum(len(group["params"]) for group in optimizer.param_groups) == 3
for p in model.parameters():
    p.grad = torch.full_like(p, 3.0)
model.layers[0].weight.grad.device_mesh = "grid"
total = network.clip(model, 0.5)
values = torch.cat([p.grad.flatten() for p in model.parameters()])
assert abs(total.item() - 1.5 * 36 ** 0.5) < 1e-4, total
assert abs(values.norm().item() - 1) < 1e-4 and (values - values[0]).abs().max() < 1e-6
"""


LAYERS = """
import types, torch
import decoder_layers

Module, List = torch.nn.Module, torch.nn.ModuleList

def with_parts(module, **parts):
    for name, part in parts.items():
        setattr(module, name, part)
    return module

def layers(count, experts=0):
    return List(with_parts(Module(), mlp=with_parts(Module(), experts=List(Module() for _ in range(experts)))) if experts else Module()
                for _ in range(count))

def network(count, **parts):
    text = types.SimpleNamespace(num_hidden_layers=count)
    return with_parts(Module(), config=types.SimpleNamespace(get_text_config=lambda: text), **parts)

# More experts than layers; a tower that sees with more layers, or as many, than the decoder has.
moe = network(4, model=with_parts(Module(), layers=layers(4, 64)))
assert decoder_layers.layers_of(moe) is moe.model.layers and decoder_layers.experts_in_lists(moe)
for seen in (4, 27):
    see = network(4, model=with_parts(Module(), visual=with_parts(Module(), blocks=layers(seen)),
                                      language_model=with_parts(Module(), layers=layers(4))))
    assert decoder_layers.layers_of(see) is see.model.language_model.layers and not decoder_layers.experts_in_lists(see)
# An encoder as deep as the decoder, which says itself where the latter is.
both = network(4, encoder=with_parts(Module(), block=layers(4)), decoder=with_parts(Module(), block=layers(4)))
both.get_decoder = lambda: both.decoder
assert decoder_layers.layers_of(both) is both.decoder.block
print("found")
decoder_layers.layers_of(network(5, model=with_parts(Module(), layers=layers(4))))
"""

STREAM = """
import json, os
import training_stream
from phase_parts import SETTINGS

SETTINGS.update(micro_batch=4, sequence=8, packing=False, separate=False)
training_stream.BLOCK = 32  # several blocks and an end of the epoch inside of one
ROWS = 300

def taken(stream, count):
    batches = stream.batches()
    return [bytes(t for t in row if t != 256).decode() for _ in range(count) for row in next(batches)["input_ids"].tolist()]

orders = []
for rank in (0, 1):
    whole = taken(training_stream.Stream(rank, 2), 75)  # two epochs of 150 rows
    first, second = whole[:150], whole[150:]
    assert len(set(first)) == 150 and sorted(first) == sorted(second), "each row once an epoch"
    assert first != second and first != sorted(first, key=int), "shuffled, each epoch its own way"
    orders += first
    for stops in ((1, 2, 5, 9), (8, 16, 17), (36, 37, 38), (40,)):
        state, seen, at = None, [], 0
        for stop in (*stops, 75):
            stream = training_stream.Stream(rank, 2)
            stream.restore(json.loads(json.dumps(state)))
            seen += taken(stream, stop - at)
            state, at = stream.state, stop
        assert seen == whole, (rank, stops)
assert sorted(map(int, orders)) == list(range(ROWS)), "ranks share the rows out"
print("each row once", flush=True)
os._exit(0)  # threads go on filling
"""


@unittest.skipIf(PYTHON is None, "no Python with torch here: apt-get install python3-torch")
class Trains(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.place = Path(self.temporary.name)
        self.data = self.place / "rows.jsonl"
        self.data.write_text("".join(json.dumps(row) + "\n" for row in rows()), encoding="utf-8")
        stubs = self.place / "bin"
        stubs.mkdir()
        # Packages are here already, as far as there are any.
        self.stub(stubs / "python3", f'[ "$1 $2" != "-m pip" ] || exit 0\nexec {PYTHON} "$@"')
        self.stub(stubs / "torchrun", f'exec {PYTHON} {STAND_INS}/torchrun.py "$@"')
        self.stub(stubs / "gpuplan", f'exec {PROGRAM} "$@"')
        self.environment = environment(
            PATH=f"{stubs}:/usr/bin:/bin", HOME=str(self.place), GPUPLAN_POLL="1", GPUPLAN_DEVICE="cpu",
            PYTHONPATH=str(STAND_INS), PYTHONDONTWRITEBYTECODE="1", OMP_NUM_THREADS="1", CUDA_VISIBLE_DEVICES="0,1",
            DATA=str(self.data), TOKENIZER="bytes")

    def tearDown(self):
        self.temporary.cleanup()

    def stub(self, path, text):
        path.write_text("#!/bin/sh\n" + text + "\n", encoding="utf-8")
        path.chmod(0o755)

    def launch(self, name, sharding="none", most="9"):
        """A launch folder of that name."""
        out = self.place / name
        done = run("launch", "-", "--to", "bash", "-o", str(out), stdin=JOB.format(sharding=sharding, most=most).encode())
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def start(self, out, **more):
        return subprocess.Popen(["bash", str(out / "run.sh")], cwd=self.place, env={**self.environment, **more},
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def finish(self, process):
        output, _ = process.communicate(timeout=PATIENCE)
        return process.returncode, output

    def log(self, out):
        path = out / "runs" / "01-train" / "log.txt"
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def alone(self, out, name, processes, **changed):
        """The program of a launch by itself, with other settings; its log. Rows come in the order of the data: shuffled, those
        of a step depend on the number of ranks."""
        files, run_dir = self.place / name / "files", self.place / name / "run"
        shutil.copytree(out / "phases" / "01-train", files)
        run_dir.mkdir()
        stream = (files / "training_stream.py").read_text(encoding="utf-8")
        self.assertIn("BLOCK = 10_000", stream)
        (files / "training_stream.py").write_text(stream.replace("BLOCK = 10_000", "BLOCK = 1"), encoding="utf-8")
        settings = json.loads((files / "settings.json").read_text(encoding="utf-8"))
        settings.update(changed)
        (files / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        done = subprocess.run(
            [str(self.place / "bin" / "torchrun"), "--standalone", f"--nproc-per-node={processes}", str(files / "train.py")],
            env={**self.environment, "GPUPLAN_RUN_DIR": str(run_dir), "GPUPLAN_CHECKPOINTS": str(run_dir / "checkpoints")},
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def same(self, one, other, steps):
        self.assertEqual(sorted(one), list(range(1, steps + 1)))
        self.assertEqual(sorted(other), sorted(one))
        for step, (loss, norm) in one.items():
            self.assertAlmostEqual(loss, other[step][0], delta=2e-4, msg=f"loss of step {step}")
            self.assertAlmostEqual(norm, other[step][1], delta=2e-3, msg=f"norm of step {step}")

    def test_two_processes_learn_what_one_does(self):
        # Labels are masked and rows of unequal lengths: the whole batch at once is what is right.
        out = self.launch("out")
        steps = {"steps": 12, "checkpoint_steps": 100}
        whole = curve(self.alone(out, "whole", 1, dp=1, gpus=1, micro_batch=8, grad_accum=1, **steps))
        parts = curve(self.alone(out, "parts", 2, dp=2, gpus=2, micro_batch=2, grad_accum=2, **steps))
        self.same(whole, parts, 12)
        self.assertLess(whole[12][0], whole[1][0] - 1, "it learns")
        zero = curve(self.alone(out, "zero", 2, dp=2, gpus=2, micro_batch=4, grad_accum=1, sharding="zero1", **steps))
        self.same(whole, zero, 12)

    def test_packed_samples_learn_what_single_ones_do(self):
        out = self.launch("out")
        # 16 tokens each, the end among them: four to a sequence.
        self.data.write_text("".join(json.dumps({"text": "abcdefgh"[i % 8] * (i % 7 + 1) + "xyz"[i % 3] * (14 - i % 7)}) + "\n" for i in range(192)),
                             encoding="utf-8")
        steps = {"steps": 6, "checkpoint_steps": 100, "dp": 1, "gpus": 1, "grad_accum": 1}
        single = curve(self.alone(out, "single", 1, micro_batch=8, **steps))
        packed = {"micro_batch": 2, "packing": True, "separate": True, **steps}
        self.same(single, curve(self.alone(out, "packed", 1, **packed)), 6)
        # FlashAttention takes them in one row.
        self.same(single, curve(self.alone(out, "flash", 1, **packed, attention={"kernel": "flash2", "implementation": "flash_attention_2"})), 6)
        joined = curve(self.alone(out, "joined", 1, **{**packed, "separate": False}))
        self.assertGreater(abs(joined[6][0] - single[6][0]), 0.01, "what is before a sample tells of it")

    def test_it_evaluates_on_what_it_does_not_learn(self):
        out = self.launch("out")
        more = self.place / "more.jsonl"
        more.write_text("".join(json.dumps(row) + "\n" for row in rows()[:13]), encoding="utf-8")
        self.environment["EVAL_DATA"] = str(more)
        steps = {"steps": 10, "checkpoint_steps": 100, "eval_steps": 4}
        one = validation(self.alone(out, "one", 1, dp=1, gpus=1, micro_batch=8, grad_accum=1, **steps))
        # 7 micro-batches of two ranks: one has none of its own last.
        two = validation(self.alone(out, "two", 2, dp=2, gpus=2, micro_batch=2, grad_accum=2, **steps))
        self.assertEqual(sorted(one), [4, 8, 10])
        self.assertLess(one[10], one[4])
        for step, loss in one.items():
            self.assertAlmostEqual(loss, two[step], delta=2e-4)
        del self.environment["EVAL_DATA"]
        log = self.alone(out, "held", 1, dp=1, gpus=1, micro_batch=8, grad_accum=1, **steps)
        self.assertIn("one row of 50 is kept out of training", log)
        self.assertEqual(sorted(validation(log)), [4, 8, 10])

    def test_files_of_tokens_are_evaluated_on_apart(self):
        out = self.launch("out")
        tokens = self.place / "tokens"
        tokens.mkdir()
        write = "import numpy as n, sys; n.arange(int(sys.argv[2]), dtype=n.uint16).__mod__(40).tofile(sys.argv[1])"
        for name, count in (("train.bin", 8000), ("val.bin", 640)):
            subprocess.run([PYTHON, "-c", write, str(tokens / name), str(count)], check=True, timeout=60)
        self.environment["DATA"] = str(tokens)
        steps = {"steps": 8, "checkpoint_steps": 100, "eval_steps": 4, "packing": True, "dp": 1, "gpus": 1, "micro_batch": 4, "grad_accum": 1}
        found = validation(self.alone(out, "both", 1, **steps))
        self.assertEqual(sorted(found), [4, 8])
        self.assertLess(found[8], found[4])
        self.environment["DATA"] = str(tokens / "train.bin")
        self.assertEqual(sorted(validation(self.alone(out, "one", 1, **steps))), [4, 8])

    def broken(self, through, sharding):
        """Stopped by a signal and started again, it learns the same as without."""
        broken = self.launch("broken-" + sharding, sharding)
        process = self.start(broken, TINY_SECONDS="0.1")
        end = time.monotonic() + PATIENCE
        while 13 not in curve(self.log(broken)):
            self.assertIsNone(process.poll(), self.log(broken))
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        code, output = self.finish(process)
        self.assertEqual(code, 75, output + self.log(broken))
        self.assertRegex(self.log(broken), r"stopped after step \d+")
        self.assertFalse((broken / "runs" / "01-train" / "done").exists())
        code, output = self.finish(self.start(broken))
        self.assertEqual(code, 0, output + self.log(broken))
        self.assertRegex(self.log(broken), r"resumed from step-000000\d\d")
        self.same(curve(self.log(through)), curve(self.log(broken)), STEPS)
        kept = list((broken / "runs" / "01-train" / "checkpoints").glob("step-*"))
        self.assertEqual(len(kept), 2, kept)

    def test_stopped_and_resumed_it_learns_the_same(self):
        through = self.launch("through")
        code, output = self.finish(self.start(through))
        self.assertEqual(code, 0, output + self.log(through))
        self.assertIn("the gate let me through", (through / "runs" / "02-after" / "log.txt").read_text(encoding="utf-8"))
        self.assertIn("loss", (through / "runs" / "01-train" / "check.txt").read_text(encoding="utf-8"))
        self.assertTrue((through / "runs" / "01-train" / "final" / "weights.pt").exists())
        self.broken(through, "none")
        self.broken(through, "zero1")

    def test_a_loss_too_high_closes_the_gate(self):
        out = self.launch("out", most="0.0001")
        code, output = self.finish(self.start(out))
        self.assertEqual(code, 6, output + self.log(out))
        self.assertFalse((out / "runs" / "02-after").exists())

    def test_without_a_gpu_it_says_so(self):
        out = self.launch("out")
        self.environment["GPUPLAN_DEVICE"] = ""
        self.environment["CUDA_VISIBLE_DEVICES"] = ""
        code, _ = self.finish(self.start(out))
        self.assertNotEqual(code, 0)
        self.assertIn("export GPUPLAN_DEVICE=cpu", self.log(out))

    def test_who_goes_on_sees_each_row_once(self):
        out = self.launch("out")
        self.data.write_text("".join(json.dumps({"text": str(i)}) + "\n" for i in range(300)), encoding="utf-8")
        files = out / "phases" / "01-train"
        (files / "parts.py").write_text(STREAM, encoding="utf-8")
        done = subprocess.run([PYTHON, str(files / "parts.py")],
                              env={**self.environment, "GPUPLAN_RUN_DIR": str(self.place), "GPUPLAN_CHECKPOINTS": str(self.place)},
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("each row once", done.stdout)

    def test_the_layers_are_those_of_the_decoder(self):
        files = self.launch("out") / "phases" / "01-train"
        (files / "parts.py").write_text(LAYERS, encoding="utf-8")
        done = subprocess.run([PYTHON, str(files / "parts.py")], env={**self.environment, "GPUPLAN_RUN_DIR": str(self.place)},
                              capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual((done.returncode, done.stdout), (78, "found\n"), done.stderr)
        self.assertIn("its 5 layers cannot be told from its other parts", done.stderr)

    # Tensor parallelism, as far as it needs no GPU.
    def test_norms_of_heads_and_grids_of_ranks(self):
        out = self.launch("out")
        files = out / "phases" / "01-train"
        (files / "parts.py").write_text(NETWORK, encoding="utf-8")
        done = subprocess.run(
            [str(self.place / "bin" / "torchrun"), "--standalone", "--nproc-per-node=2", str(files / "parts.py")],
            env={**self.environment, "GPUPLAN_RUN_DIR": str(self.place), "GPUPLAN_CHECKPOINTS": str(self.place)},
            capture_output=True, text=True, timeout=PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    main(__doc__, at_once=2)
