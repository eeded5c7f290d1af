#!/usr/bin/env python3
"""Logs of programs that gpuplan knows by the kinds of their lines alone: how names, units, counts and tables are written.

    tests/cli/log_kinds_test.py build/release/gpuplan [unittest options]

Prints "counted PASSED FAILED" last, for ./test.
"""

import json
import tempfile
import unittest
from pathlib import Path

from program import main, run

TWENTY = range(1, 21)


def each(form, numbers=TWENTY):
    """The line for every number i; `down` falls by a 32nd from 3."""
    return "".join(form.format(i=i, ten=10 * i, hundred=100 * i, minute=f"{i:02}", down=3 - i / 32, far=8 - i / 8) for i in numbers)


def ray(i):
    rows = (("time_this_iter_s", 60 + i % 2), ("time_total_s", 60 * i), ("training_iteration", i), ("loss", 3 - i / 32))
    return (f"Training finished iteration {i} at 2024-05-06 12:{i:02}:04. Total running time: {i}min 3s\n╭──────╮\n│ Training result │\n"
            + "".join(f"│ {name:24} {float(value) if name != 'training_iteration' else value:<10} │\n" for name, value in rows) + "╰──────╯\n")


def ray_tune(i):
    return (f"Result for train_fn_a1b2c_00000:\n  done: false\n  iterations_since_restore: {i}\n  loss: {3 - i / 32}\n  pid: 77\n"
            f"  time_this_iter_s: 30.25\n  training_iteration: {i}\n  trial_id: a1b2c_00000\n  \n")


def baselines(i):
    rows = (("rollout/", ""), ("   ep_len_mean", "27.3"), ("time/", ""), ("   iterations", i), ("   total_timesteps", i * 2048),
            ("train/", ""), ("   learning_rate", "0.0003"), ("   loss", f"{8 - i / 8:.4}"), ("   value_loss", "51.2"))
    return "-" * 40 + "\n" + "".join(f"| {name:20} | {value:12} |\n" for name, value in rows) + "-" * 40 + "\n"


def coqui(i):
    return (f"\n\x1b[1m   --> TIME: 2023-03-02 11:{i:02}:00 -- STEP: {i % 100}/100 -- GLOBAL_STEP: {200 + i}\x1b[0m\n"
            f"     | > loss_mel_ce: 4.10001  (4.20000)\n     | > loss: {3 - i / 32}  (3.10000)\n     | > current_lr: 5e-06 \n"
            "     | > step_time: 0.6125  (0.5912)\n     | > loader_time: 0.0021  (0.0031)\n\n")


def mlperf(key, value, i=0, kind="POINT_IN_TIME", **more):
    return ":::MLLOG " + json.dumps({"namespace": "", "time_ms": 1715000000000 + 2500 * i, "event_type": kind, "key": key, "value": value,
                                     "metadata": {"file": "train.py", "lineno": 12, **more}}) + "\n"


YOLO = "      Epoch    GPU_mem   box_loss   obj_loss   cls_loss  Instances       Size\n"

# What a log is: its text, and what is read from it; what is not named must not be told.
LOGS = {
    "names behind their numbers": (  # tinygrad
        each("{i:5} 812.50 ms run, 31.20 ms python,   4.10 ms fetch data, 777.20 ms CUDA * 6, {down:.5f} loss, 0.000123 LR, 62.50 GB used,  91234.12 GFLOPS\n"),
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.8125, "allocated_gib": 62.5}}),
    "a table of each report": (
        "".join(map(ray, TWENTY)) + "\nTraining completed after 20 iterations at 2024-05-06 12:21:04. Total running time: 20min 13s\n",
        {"steps": 20, "loss": (2.96875, 2.375), "end": "done", "measured": {"seconds_per_step": 60.5}}),
    "a list of each report": ("".join(map(ray_tune, TWENTY)), {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 30.25}}),
    "a table of each rollout": ("Using cuda device\n" + "".join(map(baselines, TWENTY)), {"steps": 20, "loss": (7.875, 5.5), "measured": {}}),
    "values below the step of the run": (
        " > EPOCH: 2/9\n > TRAINING (2023-03-02 11:00:00) \n" + "".join(map(coqui, TWENTY)) + "\n > EVALUATION \n\n  --> EVAL PERFORMANCE\n"
        "     | > avg_loader_time: 0.02123 (-0.01)\n     | > avg_loss: 4.25 (-0.13)\n",
        {"steps": 220, "loss": (2.96875, 2.375), "held_out": 4.25, "measured": {"seconds_per_step": 0.6125}}),
    "the batch behind the epoch": (  # WeNet
        each("2024-01-25 18:{minute}:15,243 DEBUG TRAIN | steps/sec 1.6| Batch 0/{hundred} loss {down} loss_ctc 300.5 lr 1.1e-04 grad_norm 4.25 rank 0\n")
        + each("2024-01-25 18:40:{minute},243 DEBUG CV | Batch 0/{hundred} loss 2.25 history_loss 2.5 rank 0\n", (1, 2)),
        {"steps": 2000, "loss": (2.9375, 2.375), "held_out": 2.25, "measured": {"seconds_per_step": 0.625}}),
    "bars of data": (  # llama.cpp's fine-tuning
        each("\rtrain: [=>   ] data=0000{hundred:03}/0002000 loss={down}±0.01234 acc=41.12±0.21% t=00:00:{minute} ETA=00:00:30") + "\n"
        + "\rval: [=>] data=0000010/0000050 loss=2.25000±0.01234 acc=48.12±0.21% t=00:00:01 ETA=00:00:05\n",
        {"loss": (2.96875, 2.375), "held_out": 2.25, "measured": {}}),
    "tokens of batches": (
        "|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |\n|-------|--------|------|\n"
        "|   128 |    128 |    8 |   2048 |    0.512 |  2000.00 |    4.096 |   250.00 |    4.608 |   444.44 |\n",
        {"end": "done", "measured": {"tokens_per_second": 250}}),
    "rates of answers": ("[10:00:01] CtxLimit:61/2048, Amt:32/32, Init:0.00s, Process:0.12s (241.67T/s), Generate:0.52s (61.75T/s), Total:0.64s\n",
                         {"end": "done", "measured": {"tokens_per_second": 61.75}}),
    "rates by what came before": (" ** Position     1 + 127 tokens:  162.1250 t/s\n", {"end": "done", "measured": {"tokens_per_second": 162.125}}),
    "tokens of answers": ("number of completion tokens: 240582\ntoken throughput (completion token): 4537.5 token/s\ntoken throughput (prompt + completion token): 9221.3 token/s\n",
                          {"end": "done", "measured": {"tokens_per_second": 4537.5}}),
    "a benchmark of one batch": ("Profiling iterations: 100%|███| 30/30 [00:37<00:00,  1.25s/it]\nAvg latency: 1.2487654 seconds\n10% percentile latency: 1.2412 seconds\n", {"measured": {}}),
    "dots behind a step": (
        "***** Running training *****\n  Total optimization steps = 2000\n" + each("Step... ({hundred} | Loss: {down}, Learning Rate: 3.000e-04)\n")
        + "Step... (2000 | Eval Loss: 2.5 | Eval Perplexity: 12.2)\n",
        {"steps": 2000, "planned": 2000, "loss": (2.96875, 2.375), "held_out": 2.5, "end": "done", "measured": {}}),
    "costs of batches": (  # PaddlePaddle; the first line is no head of a table
        each("[2023/05/01 10:{minute}:00] ppocr INFO: epoch: [1/500], global_step: {ten}, lr: 0.000100, loss: {down}, avg_reader_cost: 0.12001 s, avg_batch_cost: 0.49250 s, avg_samples: 128.0, ips: 259.9 samples/s, eta: 10:00:00\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.4925}}),
    "a verb for a colon": (each("epoch: 1 step: {hundred}, loss is {down}\n") + "Train epoch time: 25000.000 ms, per step time: 12.500 ms\n",
                           {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.0125}}),
    "losses of the batch and so far": (  # icefall
        each("2023-05-01 10:{minute}:00,123 INFO [train.py:1012] (0/4) Epoch 1, batch {hundred}, loss[loss={down}, simple_loss=1.148, over 12345.00 frames. ], tot_loss[loss=9.5, over 1234567.00 frames. ], batch size: 123, lr: 2.25e-02, \n")
        + "2023-05-01 10:26:00,123 INFO [train.py:1047] (0/4) Epoch 1, validation: loss=2.625, simple_loss=1.1, over 944034.00 frames. \n"
        "2023-05-01 10:26:01,123 INFO [train.py:1048] (0/4) Maximum memory allocated so far is 21504MB\n",
        {"steps": 2000, "loss": (2.96875, 2.375), "held_out": 2.625, "measured": {"seconds_per_step": 0.6, "allocated_gib": 21}}),
    "epochs from nought to the last": (  # YOLOv5
        "".join(YOLO + "".join(f"\r        {e}/2      3.92G     0.0625    {0.125 - e / 64}     0.0625         230        640: {i * 10}%|{'█' * i}| {i}/10 [00:0{i // 2}<00:04,  2.00it/s]"
                               for i in range(1, 11)) + "\n" for e in range(3)) + "\n3 epochs completed in 0.004 hours.\n",
        {"steps": 30, "planned": 30, "loss": (0.25, 0.21875), "end": "done",
         "measured": {"seconds_per_step": 0.5, "reserved_gib": 3.650784}}),
    "names over a line of dashes": (  # spaCy
        "ℹ Initial learn rate: 0.0\nE    #       LOSS TRANS...  LOSS NER  ENTS_F  SCORE \n---  ------  -------------  --------  ------  ------\n"
        + each("  0  {hundred:6}  {down:13.5f}    412.11   61.20    0.61\n") + "✔ Saved pipeline to output directory\n",
        {"steps": 2000, "loss": (2.96875, 2.375), "measured": {}}),
    "names over a line of dashes, of others": (  # tabulate
        "  step    train_loss    val_loss    tokens/s\n------  ------------  ----------  ----------\n" + each("{ten:6}  {down:12.5f}  {far:10.4f}  182000\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "held_out": 5.5, "measured": {"tokens_per_second": 182000}}),
    "rates before the words of a line": (  # GPT-NeoX
        each(" samples/sec: 128.000 | iteration {hundred:8}/  320000 | elapsed time per iteration (ms): 8000.0 | learning rate: 6.0E-04 | approx flops per GPU: 128.5TFLOPS | lm_loss: {down:.6E} |\n"),
        {"steps": 2000, "planned": 320000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 8, "sequences_per_second": 128, "model_tflops_per_gpu": 128.5}}),
    "a name that is a unit": (
        each("step {ten} loss {down} tok/s 51000 peak mem 33.5 GB\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"tokens_per_second": 51000, "allocated_gib": 33.5}}),
    "milliseconds of a step": (
        each("step={ten} loss={down} iter_ms=880 max_mem_alloc=40.5GB\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.88, "allocated_gib": 40.5}}),
    "memory without a unit": (  # PaddleNLP
        each("[2026-09-03 02:10:14,220] [    INFO] - loss: {down}, learning_rate: 3e-05, global_step: {ten}, max_memory_allocated: 58.75, max_memory_reserved: 61.5, interval_steps_per_second: 0.5\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 2, "allocated_gib": 58.75, "reserved_gib": 61.5}}),
    "a summary behind the bar": (  # ColossalAI
        "".join(f"\rStep: {5 * i}%|██| {i}/20 [00:{3 * i:02}<00:59,  3.00s/it, loss={3 - i / 32}]" for i in TWENTY)
        + "\nThroughput: 16.75 samples/sec, TFLOPS per GPU: 160.10\nMax CUDA memory usage: 40960.00 MB\n",
        {"steps": 20, "planned": 20, "loss": (2.96875, 2.375), "end": "done", "measured": {"seconds_per_step": 3, "sequences_per_second": 16.75, "allocated_gib": 40}}),
    "a map inside of each record": (
        each('{{"timestamp": "2026-11-20T10:00:{minute}.1Z", "level": "INFO", "fields": {{"message": "train step", "step": {ten}, "loss": {down}, "tokens_per_second": 91000}}}}\n'),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"tokens_per_second": 91000}}),
    "code above the lines of steps, indented": (
        "for step in range(100):\n    # step 10 loss 99.0\n    train()\n" + each("step {ten} loss {down} took 1.5 s\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1.5}}),
    "a line for every request": (  # TGI
        "2026-10-02T09:12:40.001Z  INFO text_generation_router_v3: Setting max batch total tokens to 451808\n"
        + each('2026-10-02T09:13:{minute}.330Z  INFO generate{{total_time="2.4s" queue_time="71.5µs" inference_time="2.3s" time_per_token="{i}.5ms" seed="None"}}: Success\n'),
        {"measured": {"seconds_per_output_token": 0.011}}),
    "parts of names": (  # trlx
        each("\r[losses/total_loss: {down} | losses/policy_loss: -0.01 | losses/value_loss: 0.05]:   1%|▎   | {i}/1000 [00:{minute}<32:20,  2.00s/it]") + "\n",
        {"steps": 20, "planned": 1000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 2}}),
    "seconds of a hundred steps": (  # TensorFlow's estimators
        each("INFO:tensorflow:global_step/sec: 8.00\nINFO:tensorflow:loss = {down}, step = {hundred} (12.50{minute} sec)\n"),
        {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.125}}),
    "a cell beside its name": (  # Trax
        each("\nStep {hundred:6}: Ran 100 train steps in 45.00 secs\nStep {hundred:6}: train CrossEntropyLoss |  {down:.8f}\nStep {hundred:6}: eval  CrossEntropyLoss |  {far:.8f}\nStep {hundred:6}: eval          Accuracy |  0.18750000\n"),
        {"steps": 2000, "loss": (2.96875, 2.375), "held_out": 5.5, "measured": {"seconds_per_step": 0.45}}),
    "updates and costs": (  # Marian; the time is that between two lines, as the clock says
        each("[2023-05-01 10:{minute}:00] Ep. 1 : Up. {hundred} : Sen. 6,400 : Cost {down} * 1,234,567 @ 12,345 after 1,234,567 : Time 60.25s : 15250.12 words/s : gNorm 1.2500 : L.r. 1.0e-04\n"),
        {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.6025}}),
    "letters": (each("[2023-05-01:10:00:00:INFO:sockeye.training:__call__] E=0 B={hundred}\ts/sec=1234.56\ttok/sec=23456.5\tu/sec=4.00\tppl=12.5\tlr=0.0002\tloss={down}\n"),
                {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"tokens_per_second": 23456.5, "seconds_per_step": 0.25}}),
    "tabs are no table": (  # torchvision's and PyTorch's examples
        each("Epoch: [0][{ten:4}/5005]\tTime  0.4125 ( 0.912)\tData  0.001 ( 0.412)\tLoss {down} (7.0123e+00)\tAcc@1   0.39 (  0.12)\n")
        + "Test: [ 0/196]\tTime  2.912 ( 2.912)\tLoss 5.2500e+00 (5.2500e+00)\tAcc@1   1.17 (  1.17)\n",
        {"steps": 200, "loss": (2.96875, 2.375), "held_out": 5.25, "measured": {"seconds_per_step": 0.4125}}),
    "the end of one epoch of nobody knows how many": (  # Flair: its times are since the epoch began
        each("2023-05-01 10:{minute}:00,123 epoch 1 - iter {hundred}/2000 - loss {down} - time (sec): {ten}.25 - samples/sec: 1234.50 - lr: 0.000005\n")
        + "2023-05-01 10:30:00,124 EPOCH 1 done: loss 2.375 - lr: 0.000005\n2023-05-01 10:30:30,124 DEV : loss 2.125 - f1-score (micro avg)  0.9\n",
        {"steps": 2000, "loss": (2.96875, 2.375), "held_out": 2.125, "measured": {"seconds_per_step": 0.6, "sequences_per_second": 1234.5}}),
    "a step and what has passed": (each("[{ten} | {hundred}.50] loss={down:.4f} avg=3.1\n"), {"steps": 200, "loss": (2.9688, 2.375), "measured": {}}),
    "passes and steps": (  # TinyLlama: eight passes a step
        "".join(f"iter {8 * i} step {i} loss {3 - i / 32}, iter time: 412.50ms (optimizer.step) remaining time: 120.10 hours.  or 5.00 days. \n" for i in TWENTY),
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 3.3}}),
    "fields without colons": (  # SwissArmyTransformer
        each("[2023-07-01 10:{minute}:00,123] [INFO] [RANK 0]  iteration {ten:7}/   10000 | elapsed time per iteration (ms): 812.5 | learning rate 5.000E-05 | total loss {down:.6E} | loss {down:.6E} |speed 73.85 samples/(min*GPU)\n"),
        {"steps": 200, "planned": 10000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.8125}}),
    "samples of a standard": (  # MLPerf
        mlperf("submission_benchmark", "llama2_70b_lora") + mlperf("global_batch_size", 8) + mlperf("run_start", None, kind="INTERVAL_START")
        + "".join(mlperf("train_loss", 3 - i / 32, i, samples_count=i * 8, lr=4e-4) for i in TWENTY) + mlperf("eval_accuracy", 0.9235, 21, samples_count=160)
        + mlperf("run_stop", None, 21, kind="INTERVAL_END", status="success", samples_count=160),
        {"steps": 20, "loss": (2.96875, 2.375), "end": "done", "measured": {"seconds_per_step": 2.5}}),
    "a speed by its unit": (each("INFO:root:Epoch[0] Batch [{hundred}]\tSpeed: 1234.50 samples/sec\taccuracy=0.31\tcross-entropy={down}\n"),
                            {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"sequences_per_second": 1234.5}}),
    "the time of a thousand": (each("[HCTR][10:{minute}:00.123][INFO][RK0][main]: Iter: {hundred} Time(100 iters): 1.25s Loss: {down} lr:0.001\n"),
                               {"steps": 2000, "loss": (2.96875, 2.375), "measured": {}}),
    "the mean behind the loss": (each("| Epoch:   0 | Iter: {ten:5}/3000 | loss: {down} | average_loss: 9.5 | lr: 1.0000e-04 | scale: 32768.0000 |\n"),
                                 {"steps": 200, "planned": 3000, "loss": (2.96875, 2.375), "measured": {}}),
    "epochs alone": ("".join(f"Train Epoch: \t{e}, Loss: \t{3 - e / 4}\nValidation Loss: {3.25 - e / 4}\n" for e in (1, 2, 3)),
                     {"loss": (2.75, 2.25), "held_out": 2.5, "measured": {}}),
    "a step between a loss and its value": (each("Train loss {i} {down} Grad Norm 1.250000 0.81s/it\n") + "Validation loss 20:  2.125000  \n",
                                            {"steps": 20, "loss": (2.96875, 2.375), "held_out": 2.125, "measured": {"seconds_per_step": 0.81}}),
    "held-out losses of an epoch": (each("I0501 10:00:{minute}.123456 140123 train.py:151] epoch: {i}, train_loss: {down}, train_accuracy: 93.54, test_loss: {far}, test_accuracy: 98.09\n"),
                                    {"loss": (2.96875, 2.375), "held_out": 5.5, "measured": {}}),
    "means of actors in drawn tables": (  # AReaL
        each("20250601-10:{minute}:00.123 StatsLogger INFO: Epoch 1/1 Step {i}/229 Train step {i}/229 done.\n20250601-10:{minute}:00.124 StatsLogger INFO: Stats (1/1):\n"
             "╭──────────────┬─────╮\n│ grpo_actor/loss/avg         │ {down:.5e} │\n│ grpo_actor/task_reward/avg  │ 3.1250e-01 │\n│ timeperf/train_step         │ 4.1250e+01 │\n╰──────────────┴─────╯\n"),
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {}}),
    "losses below a bar without": (
        each("\rtraining:   0%|    | {i}/100000 [00:{minute}<27:46:00,  1.00s/it]\ntraining loss: {down}\n") + "validation loss: 2.625\n",
        {"steps": 20, "planned": 100000, "loss": (2.96875, 2.375), "held_out": 2.625, "measured": {"seconds_per_step": 1}}),
    "one bar of all steps behind an epoch": (  # SimpleTuner
        each("\rEpoch 1/10 Steps:   1%|   | {i}/1000 [00:{minute}<32:00,  2.00s/it, lr=0.0001, step_loss={down}]") + "\n",
        {"steps": 20, "planned": 1000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 2}}),
    "bars of steps beside one of epochs": (  # OneTrainer
        "".join(f"\repoch:   {e}0%|    | {e}/10 [00:{e}0<03:00, 20.00s/it]\n" + "".join(f"\rstep:  {i * 5}%|█   | {i}/20 [00:{i:02}<00:10,  1.00it/s, loss={3 - e / 2 - i / 64}, smooth loss=9.5]" for i in TWENTY)
                + "\n" for e in range(3)), {"steps": 60, "planned": 200, "loss": (2.984375, 1.703125), "measured": {"seconds_per_step": 1}}),
    "episodes": (  # OpenRLHF's learning by rewards
        each("\rEpisode [1/2]:  2%|   | {i}/50 [00:{minute}<32:00, 40.00s/it]\n(PolicyModelActor pid=77) {{'policy_loss': {down}, 'actor_lr': 5e-07, 'kl': 0.001, 'reward': 0.25}}\n"),
        {"steps": 20, "planned": 100, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 40}}),
    "a step behind the name of a file": (  # Cosmos
        each("[05-01 10:{minute}:00|INFO|callbacks/iter_speed.py:60:on_training_step_end] {hundred} : iter_speed 2.50 seconds per iteration | Loss: {down}\n"),
        {"steps": 2000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 2.5}}),
    "a table of a benchmark": (  # AIPerf
        "│   Time to First Token (ms) │   212.50 │ 100.1 │\n│   Inter Token Latency (ms) │    12.25 │ 10.0 │\n│   Output Token Throughput (tokens/sec) │ 5,120.50 │ N/A │\n",
        {"end": "done", "measured": {"tokens_per_second": 5120.5, "seconds_to_first_token": 0.2125, "seconds_per_output_token": 0.01225}}),
    "a unit between a name and its value": (  # InternEvo
        each("2023-07-07 12:{minute}:00,802\tINFO train.py:323 in record -- tflops=189.5,step={i},loss={down},tgs (tokens/gpu/second)=4270.5,lr=4e-07,grad_norm=6.25,micro_num=4,fwd_bwd_time=3.5\n"),
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 60, "tokens_per_second_per_gpu": 4270.5}}),
    "millions of a rate": (  # nanotron
        each("iteration: {i} / 15000 | consumed_tokens: 2.1M | time_per_iteration_ms: 1.25K | tokens_per_sec: 1.75M | lm_loss: {down} | lr: 1.5e-07 | grad_norm: 1.25\n"),
        {"steps": 20, "planned": 15000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1.25, "tokens_per_second": 1750000}}),
    "several losses behind a bar": (  # Lightning; the bar and the sentence share a line
        "".join(f"\rEpoch {e}: 100%|██| {i}/20 [00:{i:02}<00:10,  1.00it/s, v_num=2, train_loss_step={3 - e / 2 - i / 64}, train_loss_epoch=9.5]" for e in (0, 1) for i in TWENTY)
        + "`Trainer.fit` stopped: `max_epochs=2` reached.\n",
        {"steps": 40, "planned": 40, "loss": (2.984375, 2.1953125), "end": "done", "measured": {"seconds_per_step": 1}}),
    "a loss and its parts behind a bar": (  # fairseq
        each("\repoch 001:   2%|▏| {i}/500 [00:{minute}<08:00,  1.00it/s, loss={down}, nll_loss=9.5, ppl=12.2, num_updates={i}, lr=1e-05]") + "\n",
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1}}),
    "a bar of epochs before those of steps": (  # OpenRLHF
        "".join(f"\rTrain epoch:  {e}0%|   | {e}/2 [00:{e}0<00:20, 10.00s/it]\n" + "".join(f"\rTrain step of epoch {e}: 50%|██| {i}/20 [00:{i:02}<00:10,  1.00it/s, gpt_loss={3 - e / 2 - i / 64}, lr=9e-6]" for i in TWENTY) + "\n" for e in (0, 1)),
        {"steps": 40, "planned": 40, "loss": (2.984375, 2.1953125), "end": "done", "measured": {"seconds_per_step": 1}}),
    "evaluations that tell how long training took": (  # modded-nanogpt's third track
        "step:0/2500 val_loss:10.5 train_time:0.000s step_avg:nanms\n" + "".join(f"step:{125 * i}/2500 val_loss:{8 - i / 8} train_time:{50 * i}.000s step_avg:400.00ms\n" for i in range(1, 20)),
        {"steps": 2375, "planned": 2500, "held_out": 5.625, "measured": {"seconds_per_step": 0.4}}),
    "lines behind a comment mark": (  # LLMQ's recipes
        "./train --model=x\n\n" + each("# [T] step {i:5} [ 10.0%] | time:  1250 ms | norm   6.250000 | loss {down:10.6f} | tps  256k | sol 51.0%\n"),
        {"steps": 20, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 1.25, "tokens_per_second": 256000}}),
    "steps of the run beside those of the epoch": (  # NeMo
        "".join(f"Training epoch {i // 10}, iteration {i % 10}/19 | lr: 1.5e-07 | global_batch_size: 128 | global_step: {i} | reduced_train_loss: {3 - i / 32} | train_step_timing in s: 7.5\n" for i in range(20))
        + "`Trainer.fit` stopped: `max_steps=20` reached.\n",
        {"steps": 20, "planned": 20, "loss": (3, 2.40625), "end": "done", "measured": {"seconds_per_step": 7.5}}),
    "columns as wide as the number of epochs": (  # MMEngine
        each("08/18 11:{minute}:34 - mmengine - INFO - Epoch(train)   [1][{ten:3}/250]  lr: 3.3333e-04  eta: 0:10:31  time: 0.3125  data_time: 0.0344  memory: 512  loss: {down}\n"),
        {"steps": 200, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.3125, "allocated_gib": 0.5}}),
    "a table of tests": (  # llama-bench -o csv
        "build_commit,model_type,n_prompt,n_gen,test_time,avg_ns,avg_ts,stddev_ts\n" + "".join(f'"8cf4","qwen3 8B Q4_K - Medium","{read}","{written}","2025-09-14T03:12:07Z","1","{rate}","1.2"\n' for read, written, rate in ((512, 0, 7812.5), (0, 128, 141.5))),
        {"end": "done", "measured": {"tokens_per_second": 141.5}}),
    "a rate in a sentence": ("[generate.py:135] Time for inference: 10.88 sec total, 18.75 tokens/sec\n", {"end": "done", "measured": {"tokens_per_second": 18.75}}),
    "a rate of what was written": ("total_input_tokens=47, total_output_tokens=809\noutput_tok_per_sec=292.5tok/sec\n", {"end": "done", "measured": {"tokens_per_second": 292.5}}),
    "losses of whom nobody says they are": (
        each("Ep 1, Step {i:06}, Train: {down}, Val: {far}, Step tok/sec: 7250, Avg tok/sec: 7000\n") + "Allocated memory: 2.5000 GB\nReserved memory: 26.2500 GB\n",
        {"steps": 20, "loss": (2.96875, 2.375), "held_out": 5.5, "measured": {"tokens_per_second": 7250, "allocated_gib": 2.5, "reserved_gib": 26.25}}),
    "steps of an epoch in brackets": (
        each("Epoch {i}/20 (157 steps) - Train loss: {down}, Val loss: {far}\n"),
        {"loss": (2.96875, 2.375), "held_out": 5.5, "measured": {}}),
    "losses alone": ("Training loss: 3.84375\nValidation loss: 3.765625\n", {"loss": (3.84375, 3.84375), "held_out": 3.765625, "measured": {}}),
    "what has passed since the run began": (
        each("step {hundred:5}/5000 | loss {down} | {ten}s\n"), {"steps": 2000, "planned": 5000, "loss": (2.96875, 2.375), "measured": {"seconds_per_step": 0.1}}),
    "a bar of something else behind the run": (
        each("Ep 1 (Step {i:06}): Train loss {down}, Val loss {far}\n") + "Training completed in 15.66 minutes.\n\r100%|██████| 110/110 [01:08<00:00,  1.60it/s]\n",
        {"steps": 20, "loss": (2.96875, 2.375), "held_out": 5.5, "end": "done", "measured": {}}),
    "times of passes beside a clock": (  # DeepSpeed-Chat with two passes a step
        each("Model Parameters: 0.331 B, Latency: 0.55s, TFLOPs: 0.52, Samples/sec: 3.67, Time/seq 0.27s, Batch Size: 2, Sequence Length: 512\n"
             "[2025-01-02 15:{minute}:06,000] [INFO] [logging.py:128:log_dist] [Rank 0] step={ten}, skipped=0, lr=[1e-08], mom=[(0.9, 0.95)]\n"
             "[2025-01-02 15:{minute}:06,000] [INFO] [timer.py:264:stop] epoch=0/micro_step={i}0/global_step={ten}, RunningAvgSamplesPerSec=46.4, CurrSamplesPerSec=46.75, MemAllocated=5.53GB, MaxMemAllocated=8.50GB\n"),
        {"steps": 200, "measured": None}),
    "a mark of a rank and of a carriage return": (  # SageMaker
        "[1,mpirank:0,algo-1]<stderr>:  Total optimization steps = 79\n" + each("[1,mpirank:0,algo-1]<stderr>:#015 25%|██| {i}/79 [00:{minute}<00:59,  1.00it/s]\n"),
        {"steps": 20, "planned": 79, "measured": {"seconds_per_step": 1}}),
    "a summary and nothing else": (
        "***** train metrics *****\n  epoch                    =        3.0\n  train_loss               =      1.125\n  train_runtime            = 0:15:12.60\n"
        "  train_samples_per_second =     16.416\n  train_steps_per_second   =      0.513\n***** eval metrics *****\n  eval_loss               =      1.25\n",
        {"steps": 468, "loss": (1.125, 1.125), "held_out": 1.25, "end": "done", "measured": {"seconds_per_step": 1.95}}),
    "a held-out loss that every line repeats": (  # LitGPT
        each("Epoch 1 | iter {i} step {i} | loss train: {down}, val: n/a | iter time: 512.50 ms (step)\n", range(1, 11))
        + each("Epoch 1 | iter {i} step {i} | loss train: {down}, val: 1.375 | iter time: 512.50 ms (step)\n", range(11, 21)),
        {"steps": 20, "loss": (2.96875, 2.375), "held_out": 1.375, "measured": {"seconds_per_step": 0.5125}}),
    "a summary that ends the log": (
        "wandb: Run summary:\nwandb:  train/epoch 2.0\nwandb:  train/global_step 16\nwandb:   train/loss 14.875\nwandb:   train/train_loss 23.5\n",
        {"steps": 16, "loss": (14.875, 14.875), "measured": {}}),
    "what other processes wrote behind the first": (
        "".join("***** Running training *****\n" for _ in range(3)) + "  Num examples = 80\n  Num Epochs = 1\n  Total train batch size (w. parallel, distributed & accumulation) = 4\n  Total optimization steps = 20\n"
        + "".join("".join(f"\r{5 * i:3}%|██  | {i}/20 [{i:02}:00<20:00, 60.00s/it]" for i in TWENTY) + "\nTraining completed. Do not forget to share your model =)\n" for _ in range(3)),
        {"steps": 20, "planned": 20, "end": "done", "measured": {"seconds_per_step": 60}}),
}


class Reads(unittest.TestCase):
    def ask(self, text, name="run.log"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / name
            path.write_text(text)
            done = run("check", str(path), "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def holds(self, logs):
        for what, (text, wanted) in logs.items():
            with self.subTest(what):
                answer = self.ask(text)
                self.assertEqual(answer["steps"], wanted.get("steps"))
                self.assertEqual(answer["planned_steps"], wanted.get("planned"))
                loss = answer["loss"]
                # The last of up to twenty values, or the mean of the last two.
                self.assertEqual(loss and loss["first"], wanted["loss"][0] if "loss" in wanted else None)
                if loss:
                    self.assertAlmostEqual(loss["end"], wanted["loss"][1], 4)
                self.assertEqual(answer["validation_loss"] and answer["validation_loss"]["end"], wanted.get("held_out"))
                told = {one["name"]: round(one["measured"], 6) for one in answer["figures"]}
                if wanted["measured"] is not None:
                    self.assertEqual(told, wanted["measured"])
                self.assertEqual(answer["end"], wanted.get("end", "unfinished" if "planned" in wanted else "unknown"))


class Kinds(Reads):
    def test_what_is_read(self):
        self.holds(LOGS)

    def test_roles_of_torchx(self):
        text = each("i.finetune/0 [default0]:Training epoch 0, iteration {i}/99 | lr: 1.5e-07 | global_batch_size: 128 | reduced_train_loss: {down} | train_step_timing in s: 3.5\n")
        answer = self.ask(text)
        self.assertEqual((answer["formats"], answer["steps"], answer["planned_steps"], answer["loss"]["end"]), (["NeMo"], 21, 100, 2.375))

    def test_clocks_know_better_than_passes(self):
        told = {one["name"]: one["measured"] for one in self.ask(LOGS["times of passes beside a clock"][0])["figures"]}
        self.assertEqual(told["seconds_per_step"], 6)

    def test_copies_are_no_restarts(self):
        self.assertEqual(self.ask(LOGS["what other processes wrote behind the first"][0])["restarts"], 0)

    def test_a_run_that_resumes_is_told(self):
        """Its steps come again behind words that say so, though few of them."""
        line = "step {} loss {} time 1.2 s\n"
        text = "".join(line.format(10 * i, 5 - i / 8) for i in range(8))
        text += "Resuming from checkpoint step 50\n" + "".join(line.format(10 * i, 5 - i / 8) for i in range(5, 12))
        answer = self.ask(text)
        self.assertEqual((answer["steps"], answer["restarts"], answer["loss"]["values"]), (110, 1, 12))

    def test_caches_are_told(self):
        answer = self.ask(LOGS["a line for every request"][0])
        self.assertEqual((answer["kv_cache_gib"], answer["kv_cache_tokens"]), (None, 451808))

    def test_a_loss_that_ends_above_its_start_does_not_fall_smoothly(self):
        losses = [2.0, 6.0, 5.9, 5.8, 5.2, 5.1, 4.0, 3.9, 3.5, 3.4, 3.2, 3.0]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.log"
            path.write_text("".join(f"iter {i}: loss {loss}, time 100.0ms\n" for i, loss in enumerate(losses)))
            done = run("check", str(path))
        self.assertIn("2 to 3 (12 values); ends above its start", done.stdout)

    def test_what_failed_before_its_first_line(self):
        """A run without a line of progress says why it ended; a text without one is no log."""
        trace = ('Loading checkpoint shards: 100%|##| 4/4\nTraceback (most recent call last):\n  File "train.py", line 3, in <module>\n    main()\n'
                 "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB.\n")
        answer = self.ask(trace)
        self.assertEqual((answer["end"], answer["formats"], answer["steps"]), ("failed", [], None))
        self.assertIn("out of memory", answer["words"])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "note.txt"
            path.write_text("Nothing of a run is told here, but for 3.5 apples.\n")
            self.assertEqual(run("check", str(path)).returncode, 5)

    def test_records_of_llama_bench(self):
        records = [{"model_type": "llama 7B Q4_0", "n_prompt": read, "n_gen": written, "avg_ns": 970000000, "avg_ts": rate, "samples_ts": [rate]}
                   for read, written, rate in ((512, 0, 5220.5), (0, 128, 131.25))]
        answer = self.ask("".join(json.dumps(record) + "\n" for record in records), "bench.jsonl")
        self.assertEqual(answer["figures"], [{"name": "tokens_per_second", "measured": 131.25, "p10": 131.25, "p90": 131.25}])


if __name__ == "__main__":
    main(__doc__)
