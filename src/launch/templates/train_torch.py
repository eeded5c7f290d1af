"""Trains a transformer with PyTorch alone: DDP, ZeRO-1 or FSDP2, tensor parallelism, as settings.json says.

Started by torchrun. Saves a sharded checkpoint every `checkpoint_steps` and when it is asked to stop, goes on from the
newest one, and leaves the trained model in $GPUPLAN_RUN_DIR/final."""
import contextlib
import json
import os
import sys

import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoTokenizer

import training_data
from phase_parts import RUN_DIR, SETTINGS, give_up
from reports import Reports
from run_parts import DEVICE, GPU, RANK, WORLD, StepLog, StopRequest, device_name, mark_stopped, say
from training_checkpoints import Checkpoints
from training_evaluation import Evaluation
from training_network import (COMPUTE, FSDP, MASTER, SOURCE, add_up_heads, clip, copy, learning_rate, make_optimizers,
                              model_config, whole_weights)
from training_stream import open_data


def surroundings():
    """What every pass runs in: autocast where FSDP2 casts nothing, activations in host memory, a named attention."""
    stack = contextlib.ExitStack()
    if not FSDP and COMPUTE != MASTER:
        stack.enter_context(torch.autocast(DEVICE.type, dtype=COMPUTE))
    if SETTINGS["offload"]["activations"]:
        stack.enter_context(torch.autograd.graph.save_on_cpu(pin_memory=GPU))
    if SETTINGS["attention"]["kernel"] == "cudnn":
        stack.enter_context(torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.CUDNN_ATTENTION))
    return stack


def learnt(inputs):
    """How many labels the loss of a micro-batch is the mean of: each position is held against the next label. A mean of
    none would be no number: then one is learnt, which the count of 0 gives no weight."""
    labels, tokens = inputs["labels"], inputs["input_ids"]
    count = (labels[:, 1:] != training_data.IGNORED).sum()
    labels[0, 1] = torch.where(count > 0, labels[0, 1], tokens[0, 1])
    return count


def train_step(model, optimizers, scaler, batches, step, stop, heads):
    """One optimizer step; returns its loss, the norm of its gradients and its tokens of one GPU. None when it was asked
    to stop on the way: nothing was learned then.

    The loss is the mean over all labels of the step. Means of micro-batches and ranks would give labels of short
    answers more weight than those of long ones."""
    passes, look = SETTINGS["grad_accum"], SETTINGS["stop_passes"]
    most = passes * SETTINGS["micro_batch"] * SETTINGS["sequence"]  # keeps sums as small as means; taken out below
    sums = torch.zeros(3, device=DEVICE, dtype=torch.float64)  # losses of labels, labels, tokens
    for index in range(passes):
        inputs = next(batches)
        count = learnt(inputs)
        sums[1] += count
        mask = inputs.get("attention_mask")
        sums[2] += inputs["input_ids"].numel() if mask is None else mask.sum()
        if SETTINGS["packing"]:
            inputs.pop("attention_mask", None)  # no gaps: attention is causal only, or by positions
        last = index + 1 == passes
        quiet = isinstance(model, DistributedDataParallel) and not last
        with model.no_sync() if quiet else contextlib.nullcontext():
            with surroundings():
                part = model(**inputs).loss * (count / most)
            scaler.scale(part).backward()
        sums[0] += part.detach() * most
        if not last and (index + 1) % look == 0 and stop.everywhere():
            for optimizer in optimizers:
                optimizer.zero_grad(set_to_none=True)
            return None
    if WORLD > 1:
        dist.all_reduce(sums)
    # Tensor-parallel ranks read the same data.
    losses, labels, tokens = (value / SETTINGS["tp"] for value in sums.tolist())
    if heads is not None:
        add_up_heads(heads)
    for optimizer in optimizers:
        scaler.unscale_(optimizer)
        for group in optimizer.param_groups:
            group["lr"] = learning_rate(step)
    # Data-parallel ranks have averaged their gradients.
    norm = clip(model, SETTINGS["dp"] * most / max(labels, 1))
    for optimizer in optimizers:
        scaler.step(optimizer)
        optimizer.zero_grad(set_to_none=True)
    scaler.update()
    return losses / max(labels, 1), norm, tokens / WORLD


def save_final(model, tokenizer):
    """The trained model as transformers reads it."""
    inner = getattr(model, "module", model)
    weights = whole_weights(model)
    if RANK == 0:
        final = RUN_DIR / "final"
        inner.save_pretrained(final, state_dict=weights)
        # fully_shard() renames classes.
        config = json.loads((final / "config.json").read_text(encoding="utf-8"))
        config["architectures"] = [name.removeprefix("FSDP") for name in config.get("architectures") or []]
        (final / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        source = os.environ.get("TOKENIZER") or (SOURCE if SETTINGS["model"]["config"] is None else None)
        if tokenizer is None and source:
            tokenizer = AutoTokenizer.from_pretrained(source)
        if tokenizer is not None:
            tokenizer.save_pretrained(final)
    dist.barrier()


def main():
    if GPU:
        torch.cuda.set_device(DEVICE)
    elif COMPUTE == torch.float16:
        give_up("the plan has fp16, which torch trains on GPUs only")
    if SETTINGS["dp"] * SETTINGS["tp"] != WORLD:
        give_up(f"the plan has {SETTINGS['dp'] * SETTINGS['tp']} GPUs, but {WORLD} processes were started")
    dist.init_process_group("cpu:gloo,cuda:nccl" if GPU else "gloo")
    torch.set_float32_matmul_precision("highest" if SETTINGS["precision"] == "fp32" else "high")
    stop = StopRequest()
    config = model_config()
    stream = open_data(config)  # before the model: what is wrong with the data is told in seconds
    heads = None  # the ranks that have the heads of an attention between them
    if FSDP or SETTINGS["tp"] > 1:
        import training_shards
        model, mesh = training_shards.shared_out(config)
        heads = mesh["tp"].get_group() if SETTINGS["tp"] > 1 else None
    else:
        model = copy(config)
    model.train()
    optimizers = make_optimizers(model)
    checkpoints = Checkpoints(model, optimizers, stream)
    step = checkpoints.load()
    # torch.amp has it since 2.3 only.
    scaler = getattr(torch.amp, "GradScaler", torch.cuda.amp.GradScaler)(enabled=COMPUTE == torch.float16)
    log, reports = StepLog(), Reports()
    evaluation = Evaluation(stream.held_out, RANK // SETTINGS["tp"], SETTINGS["dp"])
    batches = stream.batches()
    say(f"{device_name()} x {WORLD}, {SETTINGS['steps']} steps of {SETTINGS['batch']} "
        f"sequences of {SETTINGS['sequence']} tokens: {SETTINGS['micro_batch']} x {SETTINGS['grad_accum']} passes x "
        f"{SETTINGS['dp']} ranks")
    total, every = SETTINGS["steps"], SETTINGS["checkpoint_steps"]
    while step < total:
        before = stream.state
        done = train_step(model, optimizers, scaler, batches, step, stop, heads)
        if done is None:
            # The part of a step is dropped: its data come again.
            stream.state = before
            if step > 0:
                checkpoints.save(step)
            mark_stopped(step)
            break
        loss, norm, tokens = done
        step += 1
        log.tokens += tokens
        if step % SETTINGS["log_steps"] == 0 or step == total:
            log.line(step, loss, norm.item())
            reports.tell(step, train__loss=loss, train__grad_norm=norm.item(), train__learning_rate=learning_rate(step - 1))
        if evaluation.due(step):
            reports.tell(step, eval__loss=evaluation.tell(step, model, surroundings))
            log.restart()
        asked = stop.everywhere()
        if asked or step % every == 0 or step == total:
            checkpoints.save(step)
            log.restart()
        if asked and step < total:
            mark_stopped(step)
            break
    else:
        save_final(model, stream.tokenizer)
    log.end()
    reports.end()
    if GPU:
        dist.destroy_process_group()
    # All is written. Threads of gloo and DDP's destructor may wait for each other's lock for ever.
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
