#!/usr/bin/env python3
"""Logs in the forms that programs write, with numbers drawn anew: what was written is what is read.

    tests/cli/log_forms_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import itertools
import json
import random
import statistics
import tempfile
import unittest
from pathlib import Path

from program import ROOT, main, run

CLOCK = itertools.count(1)
KEPT = ROOT / "tests" / "logs"


class Run:
    """Numbers of a run, drawn from a seed."""

    def __init__(self, seed):
        draw = random.Random(seed)
        self.planned = draw.randrange(30, 900)
        self.steps = list(range(1, draw.randrange(14, 20)))
        self.loss = [round(draw.uniform(0.2, 12), 4) for _ in self.steps]
        self.norm = [round(draw.uniform(0.1, 9), 3) for _ in self.steps]
        self.ms = [round(draw.uniform(20, 4000), 2) for _ in self.steps]
        self.rate = [draw.randrange(1000, 900000) for _ in self.steps]
        self.gib = round(draw.uniform(2, 180), 2)
        self.batch = draw.choice([8, 96, 512])

    def rows(self):
        return zip(self.steps, self.loss, self.norm, self.ms, self.rate)


def clock():
    """A time of day later than the one before."""
    at = next(CLOCK)
    return f"2025-01-02 {at // 3600:02}:{at // 60 % 60:02}:{at % 60:02},678"


def late(values):
    """Steps 11 and on: without the warm-up."""
    return statistics.median(values[10:])


def llmc(r):
    return "".join(f"step {s:4}/{r.planned} | loss {l:.6f} (+nanz)| norm {n:.4f} (-0.12z)| lr 1.00e-05 | {m:.2f} ms | "
                   f"40.0% bf16 MFU | {t} tok/s\n" for s, l, n, m, t in r.rows())


def llmc_cpu(r):
    return "".join(f"step {s}: train loss {l:.6f} (took {m:.6f} ms)\n" for s, l, n, m, t in r.rows())


def llmq(r):
    return "".join(f"[T] step {s:5} [ 1.0%] | time: {m:8.2f} ms | norm {n:10.6f} | loss {l:10.6f} | tps {t:5} | sol 40.0%\n"
                   for s, l, n, m, t in r.rows())


def build_nanogpt(r):
    return "".join(f"step {s:5} | loss: {l:.6f} | lr 1.0e-04 | norm: {n:.4f} | dt: {m:.2f}ms | tok/sec: {t}.00\n"
                   for s, l, n, m, t in r.rows())


def own_words(r):
    return "".join(f"{clock()} INFO trainer.py:12 Epoch 0 | Iter {s}/{r.planned} | Train Loss: {l} | Grad Norm {n} | "
                   f"Step time {m / 1e3:.5f}s | {t} tokens/s | peak mem {r.gib}GB\n" for s, l, n, m, t in r.rows())


def equals(r):
    return "".join(f"[train] global_step={s}/{r.planned} loss={l} grad_norm={n} lr=[0.0001] step_time={m}ms "
                   f"tokens_per_sec={t} max_memory_allocated={r.gib}GiB\n" for s, l, n, m, t in r.rows())


def megatron_deepspeed(r):
    return "".join(f" iteration {s:8}/{r.planned:8} | consumed samples: {s * r.batch:12} | elapsed time per iteration (ms): {m} | "
                   f"learning rate: 1.000E-05 | global batch size: {r.batch:5} | lm-loss: {l:.6E} | loss scale: -1.0 | "
                   f"grad norm: {n} | number of nan iterations:   0 |\n" for s, l, n, m, t in r.rows())


def torchtune(r):
    return "".join(f"Step {s} | loss:{l} lr:2e-05 time_per_step_s:{m / 1e3:.5f} grad_norm:{n}\n" for s, l, n, m, t in r.rows())


def postfix(r):
    return "".join(f" {s}%|█         | {s}/{r.planned} [00:10<01:00,  1.50it/s, loss={l}, lr=1e-5]\r"
                   for s, l, n, m, t in r.rows()) + "\n"


def fairseq2(r):
    """fairseq2's LogMetricRecorder (src/fairseq2/metrics/recorders/log.py) behind Rich's clock."""
    return "".join(f"[01/02/{clock()[2:4]} {clock()[11:19]}] INFO fairseq2 - Train Metrics (step {s}) - NLL Loss: {l:g} | Gradient Norm: {n:g} | Data Time: <1s | "
                   f"Lapse Time: 60s | Total Time: {60 * s}s | Elements per Second: {t:,} | Number of Elements: 90,112 | "
                   f"Peak Active Device Memory: {r.gib:.2f} GiB | Peak Active Device Memory (%): 77% | Peak Reserved Device Memory: 190.50 GiB\n"
                   for s, l, n, m, t in r.rows())


def prime(r):
    """prime-rl's trainers: the time of a step without a name (src/prime_rl/trainer/sft/train.py)."""
    return "".join(f"SUCCESS Step {s} | {m / 1e3:.5f}s | Loss {l:.4f} | Grad. Norm {n:.4f} | LR 2.00e-05 | Throughput {t} tokens/s | "
                   f"MFU 41.2% | Peak Mem. {r.gib:.2f}/190.2 GiB (77.3%)\n" for s, l, n, m, t in r.rows())


def lingua(r):
    return "".join(f"INFO    25-01-02 10:00:{s:02} - step: {s}  acc: 0  loss: {l:>7}  grad: {n:.2e}  flops: 4.12e+14  wps: 1.00e+04  "
                   f"iter: {m / 1e3:>9}  data: 0.001  lr: 3.00e-04  mem: 77%  pow: 612.5 W\n" for s, l, n, m, t in r.rows())


def xtuner(r):
    return "".join(f"[XTuner][RANK 0][INFO] Epoch 1 Step {s}/{r.planned} data_time: 0.0123 lr: 1.0e-05 time: {m / 1e3:.5f} text_tokens: 32768 "
                   f"reduced_llm_loss: {l:.8f}, local_loss: 1.25  grad_norm: {n:.8f} max_memory: {r.gib:.2f} GB tgs: {t}.0 eta: 0:12:01\n"
                   for s, l, n, m, t in r.rows())


def own_time(r):
    return "".join(f"Epoch [1/1], Step [{s}/{r.planned}], Loss: {l:.4f}, Time: {m / 1e3:.5f}s, GPU Mem: {r.gib:.2f} GB\n"
                   for s, l, n, m, t in r.rows())


def swift(key):
    def write(r):
        return "".join(f"{{'loss': {l}, 'grad_norm': {n}, 'epoch': {s / 100}, '{key}': '{s}/{r.planned}', 'elapsed_time': '{s}m 2s', "
                       f"'memory(GiB)': 40.5, 'train_speed(s/it)': 1.5}}\n" for s, l, n, m, t in r.rows())
    return write


def llama2c(r):
    return "".join(f"{s} | loss {l:.4f} | lr 1.000000e-05 | {m:.2f}ms | mfu 12.11%\n" for s, l, n, m, t in r.rows())


def metric_logger(r):
    """What many took over from torchvision's references: MAE, DeiT, DINOv2."""
    return "".join(f"Training  [{s:6}/{r.planned}]  eta: 1 day, 4:11:02  lr: 0.0001 (0.0001)  total_loss: {l:.4f} (9.0000)  "
                   f"grad_norm: {n} ({n})  time: {m / 1e3:.5f}  data: 0.0012  max mem: {r.gib * 1024:.0f}\n" for s, l, n, m, t in r.rows())


def brackets(r):
    return "".join(f"[2025-01-02 10:00:00 swin_tiny](main.py 242): INFO Train: [0/1][{s}/{r.planned}]\teta 0:10:12 lr 0.000001\t "
                   f"time {m / 1e3:.5f} (0.5201)\tloss {l:.4f} (9.0000)\tgrad_norm {n} ({n})\tmem {r.gib * 1024:.0f}MB\n"
                   for s, l, n, m, t in r.rows())


def short_names(r):
    return "".join(f"[00:10] it={s:>6} | train/loss={l} | grad_norm={n} | ms/it={m} | tokens/s={t} | gpu_mem={r.gib:.2f}G | host mem=12.00G\n"
                   for s, l, n, m, t in r.rows())


def tensors(r):
    return "".join(f"step={s}, loss=tensor({l}, device='cuda:0'), grad_norm=np.float64({n}), dt={m}ms\n" for s, l, n, m, t in r.rows())


def record_of(kind):
    """A record in lines of its own, maps inside of maps, and a Python dict behind a line of JSON."""
    def write(r):
        first = '{"config": {"model": "x", "seed": 1}}\n' if kind == "after JSON" else ""
        for s, l, n, m, t in r.rows():
            if kind == "pprint":
                first += f"{{'grad_norm': {n},\n 'loss': {l},\n 'step': {s},\n 'step_time': {m / 1e3:.5f}}}\n"
            elif kind == "indented":
                first += f'{{\n  "step": {s},\n  "loss": {l},\n  "optimizer": {{\n    "grad_norm": {n}\n  }},\n  "step_time": {m / 1e3:.5f}\n}}\n'
            elif kind == "nested":
                first += f'{{"step": {s}, "metrics": {{"loss": {l}, "grad_norm": {n}}}, "perf": {{"step_time": {m / 1e3:.5f}}}}}\n'
            else:
                first += f"{{'loss': {l}, 'grad_norm': {n}, 'step': {s}, 'step_time': {m / 1e3:.5f}}}\n"
        return first
    return write


def markdown(r):
    return "| step | loss | grad norm | dt |\n|---:|---:|---:|---:|\n" + "".join(
        f"| {s} | {l} | {n} | {m / 1e3:.5f} |\n" for s, l, n, m, t in r.rows())


def columns(separator):
    def write(r):
        lines = [["step", "loss", "grad_norm", "dt"]] + [[str(s), str(l), str(n), f"{m / 1e3:.5f}"]
                                                          for s, l, n, m, t in r.rows()]
        return "".join(separator.join(line) + "\n" for line in lines)
    return write


# Form, its format's name, and what it tells beside steps and losses.
FORMS = [(llmc, "llm.c", {"norm", "time", "rate", "planned"}), (llmc_cpu, "llm.c", {"time"}),
         (llmq, "LLMQ", {"norm", "time", "rate"}), (build_nanogpt, "nanochat", {"norm", "time", "rate"}),
         (own_words, "key-value lines", {"norm", "time", "rate", "planned", "memory"}),
         (equals, "key-value lines", {"norm", "time", "rate", "planned", "memory"}),
         (megatron_deepspeed, "Megatron-LM", {"norm", "time", "planned"}), (torchtune, "torchtune", {"norm", "time"}),
         (postfix, "Hugging Face Trainer", {"planned"}), (columns("\t"), "metrics table", {"norm", "time"}),
         (columns(","), "metrics table", {"norm", "time"}), (fairseq2, "key-value lines", {"norm", "rate", "memory"}),
         (prime, "key-value lines", {"norm", "named time", "rate", "reserved"}), (lingua, "torchtitan", {"time"}),
         (xtuner, "key-value lines", {"norm", "named time", "planned", "memory"}),
         (own_time, "key-value lines", {"named time", "planned", "memory"}),
         (llama2c, "key-value lines", {"time"}), (metric_logger, "key-value lines", {"norm", "named time", "planned", "memory"}),
         (brackets, "key-value lines", {"norm", "named time", "planned", "memory"}),
         (short_names, "key-value lines", {"norm", "time", "rate", "memory"}), (tensors, "key-value lines", {"norm", "time"}),
         (record_of("pprint"), "Hugging Face Trainer", {"norm", "time"}), (record_of("indented"), "Hugging Face Trainer", {"norm", "time"}),
         (record_of("nested"), "Hugging Face Trainer", {"norm", "time"}), (record_of("after JSON"), "Hugging Face Trainer", {"norm", "time"}),
         (markdown, "metrics table", {"norm", "time"}),
         (swift("global_step/max_steps"), "Hugging Face Trainer", {"norm", "planned"}), (swift("iteration"), "Hugging Face Trainer", {"planned"})]


CODE = """import torch
# step 5 loss 3.0 was the best
step = 0
total_steps = 600  # of 0.5B tokens
for step in range(total_steps):
    loss = 0.5 * model(x)
    if step % 10 == 0: print(f"step {step}/{total_steps} | loss {loss:.4f} | {ms:.2f} ms")
assert not math.isnan(loss), f"loss: {loss}"
"""


class Logs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, text, name="run.log"):
        path = self.folder / name
        path.write_text(text)
        return str(path)

    def ask(self, path, *words):
        done = run("check", str(path), "--json", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        answer = json.loads(done.stdout)
        self.assertEqual(answer["schema"], "gpuplan/log@1")
        answer["measured"] = {one["name"]: one["measured"] for one in answer["figures"]}
        return answer

    def near(self, got, want, what, places=1e-4):
        self.assertIsNotNone(got, what)
        self.assertLessEqual(abs(got - want), places * abs(want) + 1e-9, f"{what}: {got}, written was {want}")


class Forms(Logs):
    def holds(self, answer, r, format_name, tells, what):
        self.assertEqual(answer["formats"], [format_name], what)
        self.assertEqual(answer["steps"], r.steps[-1], what)
        self.assertEqual(answer["loss"]["values"], len(r.steps), what)
        self.near(answer["loss"]["first"], r.loss[0], what)
        self.near(answer["loss"]["end"], r.loss[-1], what)
        self.assertEqual(answer["planned_steps"], r.planned if "planned" in tells else None, what)
        if "time" in tells:
            self.near(answer["measured"]["seconds_per_step"], late(r.ms) / 1e3, what)
        if "named time" in tells:  # known to be a step's when it has become less a few times
            got = answer["measured"]["seconds_per_step"]
            self.assertTrue(any(abs(got - (a + b) / 2e3) < 1e-6 for a in r.ms for b in r.ms), f"{what}: {got}")
        if "rate" in tells:
            self.near(answer["measured"]["tokens_per_second"], late(r.rate), what)
        if "memory" in tells:
            self.near(answer["measured"]["allocated_gib"], r.gib, what, 1e-3)
        if "reserved" in tells:
            self.near(answer["measured"]["reserved_gib"], r.gib, what)

    def test_what_was_written_is_read(self):
        for number, (form, format_name, tells) in enumerate(FORMS):
            for seed in range(3):
                r = Run(100 * number + seed)
                what = f"{format_name} {form.__name__} seed {seed}"
                self.holds(self.ask(self.write(form(r))), r, format_name, tells, what)

    def test_prefixes_of_ranks_change_nothing(self):
        for form, format_name, tells in FORMS:
            if form == postfix or format_name == "metrics table" or form.__qualname__.startswith("record_of"):
                continue
            r = Run(7)
            other = Run(7)
            other.loss = [value + 1 for value in other.loss]
            pairs = zip(form(r).splitlines(), form(other).splitlines())
            text = "".join(f"[rank1]:{b}\n[rank0]:{a}\n" for a, b in pairs)
            self.holds(self.ask(self.write(text)), r, format_name, tells, f"{format_name} of two ranks")

    def test_a_second_run_in_the_same_file_takes_the_place_of_the_first(self):
        for form, format_name, tells in FORMS:
            if format_name in ("metrics table", "Hugging Face Trainer"):
                continue
            first, second = Run(1), Run(2)
            second.planned = first.planned
            answer = self.ask(self.write(form(first) + form(second)))
            self.assertEqual(answer["restarts"], 1, format_name)
            self.holds(answer, second, format_name, tells - {"memory", "reserved"}, f"{format_name}, run again")

    def test_a_program_at_the_top_is_no_run(self):
        code = CODE + (ROOT / "tools/check_floors.py").read_text()
        done = run("check", self.write(code), "--json")
        self.assertEqual(done.returncode, 5, done.stdout)
        r = Run(5)
        self.holds(self.ask(self.write(code + llmc(r))), r, "llm.c", {"time", "rate", "planned"}, "code, then a run")

    def test_words_about_steps_are_no_steps(self):
        for line in ("warmup steps: 200, peak loss 0.5", "eval every 50 steps, loss 0.1", "max steps 900 | loss 1.5x",
                     "micro step 3 loss 2.5", "total steps 100, lr 0.1", "step 5", "2025-01-02 step", "loss 2.5",
                     "step = 5\nloss = 2", "step 3 loss 20%", "for step 1 to 5: loss"):
            done = run("check", self.write(line + "\n"), "--json")
            self.assertEqual(done.returncode, 5, f"{line}: {done.stdout}")

    def test_times_of_the_whole_run_tell_those_of_steps(self):
        for form in ("step {s} | loss {l} | time {t}s\n", "Step {s}, Loss: {l}, {t}s\n"):
            text = "".join(form.format(s=s, l=3 - s / 50 + 0.01, t=s * 1.5) for s in range(1, 40))
            self.assertEqual(self.ask(self.write(text))["measured"], {"seconds_per_step": 1.5}, form)
            wild = "".join(form.format(s=s, l=3 - s / 50 + 0.01, t=(s * 1.5, 1.5 * (60 - s))[s % 2]) for s in range(1, 40))
            self.assertNotEqual(self.ask(self.write(wild))["measured"], {"seconds_per_step": 1.5}, form)

    def test_blocks_of_names(self):
        """EasyR1 writes a step as YAML; its critic's norm is not the actor's."""
        text = "".join(f"(Runner pid=42) Step {s}\n" + "".join(f"(Runner pid=42) {line}\n" for line in (
            "actor:", f"  grad_norm: {s / 8}", "  lr: 1.0e-06", f"  pg_loss: {0.5 - s / 16}", "perf:", "  max_memory_allocated_gb: 60.5",
            f"  throughput: {1000 + s}", f"  time_per_step: {40 + s}", "timing_s:", "  step: 3.0")) for s in range(1, 21))
        answer = self.ask(self.write(text))
        self.assertEqual((answer["formats"], answer["steps"]), (["verl"], 20))
        self.assertEqual(answer["loss"], {"first": 0.4375, "end": -0.75, "values": 20})
        self.assertEqual(answer["measured"]["seconds_per_step"], 55.5)
        self.assertEqual(answer["measured"]["tokens_per_second_per_gpu"], 1015.5)
        self.assertEqual(answer["measured"]["allocated_gib"], 60.5)

    def test_every_record_may_say_how_long_the_run_is(self):
        """Trainer's, where it counts tokens (include_num_input_tokens_seen); its summary has no loss."""
        text = "".join(f" {s}%|x   | {s}/40 [00:10<01:00, 4.25s/it]\n{{'loss': {4 - s / 16}, 'num_input_tokens_seen': {s * 100}, "
                       f"'train_runtime': {s * 4.25}, 'train_tokens_per_second': 7700.5, 'epoch': {s / 40}}}\n" for s in range(1, 41))
        answer = self.ask(self.write(text))
        self.assertEqual((answer["steps"], answer["loss"]["values"]), (40, 40))
        end = ("{'train_runtime': 170.0, 'train_steps_per_second': 0.235, 'train_loss': 2.7, 'epoch': 1.0}\n***** eval metrics *****\n"
               "  eval_loss               =     1.5625\n")
        answer = self.ask(self.write(text + end))
        self.assertEqual((answer["end"], answer["steps"], answer["loss"]["end"]), ("done", 40, 1.53125))
        self.assertEqual(answer["validation_loss"]["end"], 1.5625)

    def test_what_a_model_writes_is_no_progress(self):
        """Answers of learning by rewards stand between the records; the first stands before any."""
        text = "".join(f"How many steps 12/30 did loss = 0.5 take?\n{{'loss': {s / 64}, 'reward': {s / 16}, 'epoch': {s / 100}}}\n"
                       f" {s}%|x   | {s}/250 [00:10<01:00, 21.50s/it]\n" for s in range(1, 20))
        answer = self.ask(self.write(text))
        self.assertEqual((answer["steps"], answer["planned_steps"], answer["loss"]["values"]), (19, 250, 19))

    def test_evaluations_behind_a_training_without_losses(self):
        bars = [f"{int(100 * s / 80)}%|x  | {s}/80 [00:{s // 2:02}<00:10, 2.00it/s]\n" for s in (1, 40, 80)]
        held_out = "100%|x  | 10/10 [00:01<00:00, 10.00it/s]\n"
        text = "".join("".join(bars) + held_out + f"epoch={e}: train_epoch_loss=tensor({3 - e / 4}, device='cuda:0') "
                       f"eval_epoch_loss=tensor({3.25 - e / 4}, device='cuda:0')\n" for e in range(3))
        answer = self.ask(self.write(text))
        self.assertEqual((answer["steps"], answer["loss"]["end"], answer["validation_loss"]["end"]), (240, 2.5, 2.75))
        self.assertEqual(answer["measured"]["seconds_per_step"], 0.5)

    def test_the_summary_of_wandb_stands_in_for_a_silent_program(self):
        end = "wandb: Run history:\nwandb:    loss █▇▁\nwandb: Run summary:\nwandb:    loss 2.125\nwandb:    step 5000\nwandb: \n"
        answer = self.ask(self.write(end))
        self.assertEqual((answer["steps"], answer["loss"]["end"]), (5000, 2.125))
        r = Run(8)
        self.holds(self.ask(self.write(own_words(r) + end)), r, "key-value lines", {"norm", "time", "rate", "planned", "memory"}, "wandb behind")

    def test_samples_of_dmon(self):
        head = "# gpu    pwr     sm    mem     fb\n# Idx      W      %      %     MB\n"
        answer = self.ask(self.write((head + "    0    350     97     60  20480\n    1      -     97      -  40960\n") * 9))
        self.assertEqual((answer["measured"]["device_gib"], answer["measured"]["gpu_busy"]), (40, 0.97))

    def test_bars_of_passes(self):
        """OpenRLHF's; DeepSpeed tells how many passes a step has."""
        text = "  gradient_accumulation_steps .. 4\n" + "".join(
            f"Train step of epoch 0: {s}%|x   | {4 * s}/400 [00:10<01:00, 1.50s/it, gpt_loss={4 - s / 16}]\r" for s in range(1, 20))
        answer = self.ask(self.write(text + "\n"))
        self.assertEqual((answer["steps"], answer["measured"]["seconds_per_step"], answer["loss"]["end"]), (19, 6, 2.8125))

    def test_rates_of_answers(self):
        for line, rate in (("Average tokens/sec: 162.25", 162.25), ("Generation: 100 tokens, 41.25 tokens-per-sec", 41.25),
                           ("[BENCHMARK] token_throughput(token/sec) 2090.5", 2090.5)):
            self.assertEqual(self.ask(self.write(line + "\n"))["measured"], {"tokens_per_second": rate}, line)

    def test_the_first_of_several_losses_counts(self):
        text = "".join(f"Epoch: 0 | Step: {s} | Actor Loss: {s / 64} | Critic Loss: 0.25 | Unsupervised Loss: 0.0\n" for s in range(1, 20))
        self.assertEqual(self.ask(self.write(text))["loss"]["end"], 19 / 64)

    def test_held_out_losses_of_an_epoch_behind_its_steps(self):
        text = "".join(f"| epoch {e:3} | {i:5}/   90 batches | ms/batch 12.50 | loss {3 - e / 2:5.2f}\n" for e in (1, 2) for i in (30, 60, 90)).replace("| epoch   2 |    30", "| end of epoch   1 | time: 38.12s | valid loss  2.75 |\n| epoch   2 |    30")
        answer = self.ask(self.write(text))
        self.assertEqual((answer["steps"], answer["validation_loss"]["end"], answer["measured"]["seconds_per_step"]), (180, 2.75, 0.0125))

    def test_results_of_benchmarks(self):
        record = {"backend": "vllm", "num_prompts": 1000, "output_throughput": 3240.5, "mean_ttft_ms": 812.5, "mean_tpot_ms": 27.25}
        answer = self.ask(self.write(json.dumps(record), "r.json"))
        self.assertEqual(answer["measured"], {"tokens_per_second": 3240.5, "seconds_to_first_token": 0.8125, "seconds_per_output_token": 0.02725})

    def test_losses_in_the_words_before_a_bar(self):
        text = "".join(f"Training Epoch: 1/2, step {s}/40 completed (loss: {4 - s / 16}): {s}%|x    | {s + 1}/40 [00:{s:02}<01:00, 1.50s/it]\r"
                       for s in range(16))
        answer = self.ask(self.write(text + "\n"))
        self.assertEqual((answer["planned_steps"], answer["steps"]), (80, 16))
        self.assertEqual(answer["loss"], {"first": 4, "end": 3.0625, "values": 16})
        for name in ("gpt_loss", "avr_loss"):  # OpenRLHF, sd-scripts
            text = "".join(f"steps: {s}%|x    | {s}/100 [00:{s:02}<01:00, 1.50s/it, {name}={4 - s / 16}]\r" for s in range(1, 20))
            self.assertEqual(self.ask(self.write(text + "\n"))["loss"], {"first": 3.9375, "end": 2.8125, "values": 19}, name)

    def test_memory_by_its_words(self):
        for name, read in (("Peak Device Memory", "allocated_gib"), ("cuda mem", "allocated_gib"), ("reserved memory", "reserved_gib"),
                           ("CPU memory peak", None), ("GPU memory free", None), ("host mem max", None)):
            answer = self.ask(self.write("".join(f"step {s} | loss 2.5 | {name}: 12.50 GB\n" for s in range(1, 5))))
            self.assertEqual({key: value for key, value in answer["measured"].items() if "gib" in key}, {read: 12.5} if read else {}, name)

    def test_times_of_minutes_and_seconds(self):
        text = "".join(f"Step {s} | 1m {9 + s % 3}s | Loss 2.5\n" for s in range(1, 30))
        self.assertEqual(self.ask(self.write(text))["measured"]["seconds_per_step"], 70)

    def test_held_out_losses_are_not_those_of_training(self):
        for line in ("Validation at step 12: loss 3.25", "step 12 | val loss 3.25 | time 900 ms", "eval step 12: loss=3.25",
                     "[V] step    12 [ 1.0%] | time: 150 ms | eval 3.250000 | train 3.500000 | tps 148k"):
            answer = self.ask(self.write(line + "\n"))
            self.assertEqual(answer["validation_loss"]["end"], 3.25, line)
            self.assertIsNone(answer["loss"], line)
            self.assertEqual(answer["measured"], {}, line)

    def test_losses_that_are_none(self):
        r = Run(3)
        r.loss[-1] = float("nan")
        for form in (own_words, equals, torchtune):
            answer = self.ask(self.write(form(r)))
            self.assertEqual(answer["end"], "failed", form.__name__)
            self.assertEqual(answer["not_finite"], 1, form.__name__)


class Kept(Logs):
    """The logs in tests/logs, every figure worked out by hand."""

    def holds(self, name, formats, figures, **more):
        answer = self.ask(KEPT / name)
        self.assertEqual(answer["formats"], formats, name)
        self.assertEqual({key: round(value, 6) for key, value in answer["measured"].items()}, figures, name)
        for key, value in more.items():
            got = answer[key]
            self.assertEqual([got["first"], got["end"], got["values"]] if isinstance(value, list) else got, value, f"{name} {key}")

    def test_deepspeed(self):
        # 96 samples at 48/s; the peak is the largest that was said.
        self.holds("deepspeed.log", ["DeepSpeed"], {"seconds_per_step": 2, "allocated_gib": 28.5, "sequences_per_second": 48},
                   steps=15, loss=[7.4375, 6.5625, 3], sequences_per_step=96)

    def test_megatron_deepspeed(self):
        answer = self.ask(KEPT / "megatron-deepspeed.log")
        self.assertEqual(answer["steps"], 3)
        self.assertEqual(answer["loss"], {"first": 11, "end": 10.25, "values": 3})
        self.assertEqual(answer["measured"], {"tokens_per_second": 256 * 2048 / 8.1, "seconds_per_step": 8.1})
        self.near(answer["elapsed_hours"] * 3600, 9.1005 + 8.1 + 8.1, "elapsed is that of the steps, not of the clock")

    def test_modded_nanogpt(self):
        self.holds("modded-nanogpt.log", ["modded-nanogpt"], {"seconds_per_step": 0.06, "allocated_gib": 21, "reserved_gib": 24},
                   end="done", steps=6, planned_steps=6, validation_loss=[10.8125, 9.125, 2], loss=None, gpu="NVIDIA H200")

    def test_llmc(self):
        self.holds("llmc.log", ["llm.c"], {"tokens_per_second": 645277, "seconds_per_step": 0.8125},
                   steps=3, planned_steps=300, loss=[10.98125, 10.85, 3], validation_loss=[10.975, 10.8125, 2])
        self.holds("llmc-cpu.log", ["llm.c"], {"seconds_per_step": 1.5005}, steps=2, loss=[5.40625, 4.125, 3])

    def test_llmq(self):
        self.holds("llmq.log", ["LLMQ"], {"tokens_per_second": 131000, "seconds_per_step": 2}, steps=3,
                   loss=[3.5625, 3.3125, 3], validation_loss=[3.1875, 3.1875, 1])

    def test_trainer_without_a_bar(self):
        self.holds("trainer-axolotl.log", ["Hugging Face Trainer"],
                   {"allocated_gib": 18.5, "reserved_gib": 22.75, "tokens_per_second_per_gpu": 1900.5}, epoch=0.5, steps=None)
        self.holds("trainer-liger.log", ["Hugging Face Trainer"],
                   {"tokens_per_second": 15000.5, "allocated_gib": 16, "reserved_gib": 20}, epoch=0.5)
        # 250 steps are 2 epochs: epoch 0.16 is step 20.
        self.holds("trainer-unsloth.log", ["Hugging Face Trainer"], {}, steps=20, planned_steps=250, loss=[1.875, 1.625, 2])

    def test_tables_and_own_words(self):
        self.holds("table.tsv", ["metrics table"], {}, steps=60, loss=[9.125, 8.0625, 3])
        self.holds("fields.log", ["key-value lines"], {"seconds_per_step": 0.41, "allocated_gib": 22.5}, steps=150,
                   planned_steps=1000, loss=[3.4375, 3.0625, 3], validation_loss=[3.3125, 3.3125, 1])


class Unknown(Logs):
    ODD = "".join(f"INFO tick {i}: objective = {5 - i / 8} pace: {400 + i}ms\n" for i in range(1, 21))

    def test_the_error_says_what_to_do(self):
        done = run("check", self.write(self.ODD))
        self.assertEqual(done.returncode, 5)
        self.assertIn("--format", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    def test_its_numbers_are_listed(self):
        answer = self.ask(self.write(self.ODD), "--format")
        names = {one["name"]: one for one in answer["columns"]}
        self.assertEqual(names["objective"], {"name": "objective", "values": 20, "first": 4.875, "last": 2.5, "first_line": 1})
        self.assertEqual(names["pace"]["last"], 420)
        self.assertEqual(answer["formats"], [])
        text = run("check", self.write(self.ODD), "--format").stdout
        self.assertIn("objective", text)

    def test_mapped_names_are_read(self):
        answer = self.ask(self.write(self.ODD), "--map", "loss=objective,step=tick,step_time=pace")
        self.assertEqual(answer["loss"], {"first": 4.875, "end": 2.5, "values": 20})
        self.assertEqual(answer["steps"], 20)
        self.near(answer["measured"]["seconds_per_step"], late([400 + i for i in range(1, 21)]) / 1e3, "pace")

    def test_mapped_columns_of_a_table(self):
        table = "tick,objective\n" + "".join(f"{i},{9 - i / 4}\n" for i in range(1, 11))
        answer = self.ask(self.write(table, "t.csv"), "--map", "loss=objective,step=tick")
        self.assertEqual((answer["steps"], answer["loss"]["first"], answer["loss"]["values"]), (10, 8.75, 10))
        names = [one["name"] for one in self.ask(self.write(table, "t.csv"), "--format")["columns"]]
        self.assertEqual(sorted(names), ["objective", "tick"])

    def test_downloads_of_tensorboard(self):
        # The name of the file says what its values are; of a name that says nothing, or something else, they are shown.
        table = "Wall time,Step,Value\n" + "".join(f"{1.75e9 + 2 * i},{i},{9 - i / 4}\n" for i in range(1, 21))
        for name in ("run-a-tag-train_loss.csv", "loss.csv", "run-.-tag-train_loss.csv"):
            answer = self.ask(self.write(table, name))
            self.assertEqual((answer["steps"], answer["loss"]["first"], answer["loss"]["end"]), (20, 8.75, 4), name)
            self.near(answer["measured"]["seconds_per_step"], 2, name)
        held_out = self.ask(self.write(table, "run-a-tag-eval_loss.csv"))
        self.assertEqual((held_out["loss"], held_out["validation_loss"]["values"]), (None, 20))
        for name in ("t.csv", "run-a-tag-lm loss vs samples.csv", "run-loss-tag-entropy.csv"):
            self.assertIsNone(self.ask(self.write(table, name))["loss"], name)
            self.assertIn("Value", [one["name"] for one in self.ask(self.write(table, name), "--format")["columns"]])
            self.assertEqual(self.ask(self.write(table, name), "--map", "loss=Value")["loss"]["values"], 20, name)

    def test_bad_maps(self):
        path = self.write(self.ODD)
        for wrong in ("loss", "loss=", "speed=tick", "loss=a,step=a", ","):
            done = run("check", path, "--map", wrong)
            self.assertEqual(done.returncode, 2, wrong)
            self.assertIn("--map", done.stderr, wrong)
            self.assertEqual(done.stderr.count("\n"), 1, wrong)
        done = run("check", path, "--format", "--job", "examples/gpt-124m.yaml")
        self.assertEqual(done.returncode, 2)

    def test_a_mapped_log_is_held_against_a_job(self):
        done = run("check", self.write(self.ODD), "--map", "loss=objective,step=tick", "--job", "examples/gpt-124m.yaml", "--json")
        self.assertEqual(json.loads(done.stdout)["loss"]["values"], 20, done.stderr)


class Alone(Logs):
    def test_which_lines_were_read(self):
        answer = self.ask(self.write("hello\n" + llmc(Run(4)) + "bye\n"), "--format")
        lines = answer["format_lines"]
        self.assertEqual(lines, [{"format": "llm.c", "records": len(Run(4).steps), "first_line": 2,
                                  "last_line": 1 + len(Run(4).steps)}])

    def test_what_is_left_at_this_pace(self):
        r = Run(6)
        answer = self.ask(self.write(own_words(r)))
        self.assertEqual(answer["end"], "unfinished")
        mean = statistics.mean(r.ms[10:]) / 1e3
        self.near(answer["hours_left"] * 3600, (r.planned - r.steps[-1]) * mean, "left", 2e-3)

    def test_every_form_of_the_answer(self):
        path = self.write(own_words(Run(6)))
        self.assertIn("UNFINISHED: step", run("check", path).stdout)
        self.assertIn("| step time", run("check", path, "--markdown").stdout)
        self.assertIn("figure,seconds_per_step,", run("check", path, "--csv").stdout)


if __name__ == "__main__":
    main(__doc__)
