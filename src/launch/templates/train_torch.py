"""Trains a transformer with PyTorch alone: DDP, ZeRO-1 or FSDP2, tensor parallelism, as settings.json says.

Started by torchrun. Saves a sharded checkpoint every `checkpoint_steps` and when it is asked to stop, goes on from the
newest one, and leaves the trained model in $GPUPLAN_RUN_DIR/final."""
import contextlib
import itertools
import json
import math
import os
import queue
import shutil
import threading
from pathlib import Path

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed.checkpoint as dcp
import torch.utils.checkpoint
from datasets.distributed import split_dataset_by_node
from torch.distributed.checkpoint.state_dict import (StateDictOptions, get_model_state_dict, get_state_dict,
                                                     set_model_state_dict, set_state_dict)
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoConfig, AutoModelForCausalLM, AutoTokenizer

import training_data
from phase_parts import RUN_DIR, SETTINGS, give_up, model_source
from run_parts import CHECKPOINTS, LOCAL_RANK, RANK, WORLD, StepLog, StopRequest, mark_stopped, say

SOURCE = model_source(SETTINGS["model"])
DEVICE = torch.device("cuda", LOCAL_RANK)
TYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
COMPUTE = TYPES[SETTINGS["precision"]]
MASTER = TYPES[SETTINGS["master_weights"]]
SHARDING = SETTINGS["sharding"]
FSDP = SETTINGS["fsdp"]  # weights or gradients are shared out, or lie in host memory


def make_mesh():
    """Ranks in a grid, tensor parallelism innermost: (machines,) data parallel, tensor parallel."""
    dp, tp = SETTINGS["dp"], SETTINGS["tp"]
    if dp * tp != WORLD:
        give_up(f"the plan has {dp * tp} GPUs, but {WORLD} processes were started")
    if SHARDING == "hsdp":
        inside = max(SETTINGS["gpus"] // tp, 1)
        return init_device_mesh("cuda", (dp // inside, inside, tp), mesh_dim_names=("copies", "shards", "tp"))
    return init_device_mesh("cuda", (dp, tp), mesh_dim_names=("dp", "tp"))


def model_config():
    if SETTINGS["model"]["config"] is None:
        return AutoConfig.from_pretrained(SOURCE)
    config = dict(SETTINGS["model"]["config"])
    return AutoConfig.for_model(config.pop("model_type"), **config)


def new_model(config, weights):
    """With its weights where `weights`, else a shell on no device."""
    kind = {"attn_implementation": SETTINGS["attention"]["implementation"], "dtype": MASTER}
    if not weights:
        with torch.device("meta"):
            return AutoModelForCausalLM.from_config(config, **kind)
    torch.manual_seed(SETTINGS["seed"])
    if SETTINGS["from_scratch"]:
        return AutoModelForCausalLM.from_config(config, **kind)
    return AutoModelForCausalLM.from_pretrained(SOURCE, config=config, low_cpu_mem_usage=True, **kind)


def layers_of(model):
    """The longest list of modules: the transformer's layers."""
    lists = [m for m in model.modules() if isinstance(m, torch.nn.ModuleList)]
    return max(lists, key=len)


# Each rank has the heads that its columns make, and of the gradients of what all heads share only their part.
NORMS_OF_HEADS = []


def add_up_heads(group):
    """Gradients of norms that all heads share, over tensor-parallel ranks. After the last pass of a step."""
    for module in NORMS_OF_HEADS:
        for parameter in module.parameters():
            if parameter.grad is not None:
                grad = parameter.grad.to_local() if isinstance(parameter.grad, DTensor) else parameter.grad
                dist.all_reduce(grad, group=group)


def split_tensors(model, mesh):
    """Tensor parallelism: attention and MLP by columns, then by rows; embedding and output matrix by vocabulary."""
    columns, rows = {"q_proj", "k_proj", "v_proj", "gate_proj", "up_proj"}, {"o_proj", "down_proj"}
    plan = {}
    for name, module in layers_of(model).named_modules():
        last = name.rpartition(".")[2]
        if isinstance(module, torch.nn.Linear) and last in columns:
            plan[name] = ColwiseParallel()
        elif isinstance(module, torch.nn.Linear) and last in rows:
            plan[name] = RowwiseParallel()
    if not plan:
        give_up("tensor parallelism: this model's layers have other names than q_proj, o_proj, up_proj, ...; "
                "write a `command` for the phase")
    parallelize_module(layers_of(model), mesh, plan)
    for name, module in layers_of(model).named_modules():
        if name.rpartition(".")[2] in ("q_norm", "k_norm"):
            if module.weight.numel() != layers_of(model)[0].self_attn.head_dim:
                give_up("tensor parallelism: this model's q_norm is over all heads, which lie on several GPUs; "
                        "write a `command` for the phase")
            NORMS_OF_HEADS.append(module)
    if not model.config.tie_word_embeddings:
        for name, module in model.named_modules():
            if module is model.get_input_embeddings():
                parallelize_module(model, mesh, {name: RowwiseParallel(input_layouts=Replicate())})
            elif module is model.get_output_embeddings():
                parallelize_module(model, mesh, {name: ColwiseParallel(output_layouts=Replicate())})


def selective_contexts():
    """Selective recomputation: attention and every second matrix product are kept, the rest is computed again."""
    policy = torch.utils.checkpoint.CheckpointPolicy
    aten = torch.ops.aten
    products = {aten.mm.default, aten.addmm.default}
    attention = {
        aten._scaled_dot_product_flash_attention.default, aten._scaled_dot_product_efficient_attention.default,
        aten._scaled_dot_product_cudnn_attention.default,
    }
    count = {True: 0, False: 0}  # products met when computing again, and the first time

    def keep(context, op, *_args, **_kwargs):
        if op in products:
            count[context.is_recompute] += 1
            return policy.MUST_SAVE if count[context.is_recompute] % 2 else policy.PREFER_RECOMPUTE
        return policy.MUST_SAVE if op in attention else policy.PREFER_RECOMPUTE

    return torch.utils.checkpoint.create_selective_checkpoint_contexts(keep)


def prepare_layers(model):
    if SETTINGS["recompute"] != "none":
        how = {"use_reentrant": False}
        if SETTINGS["recompute"] == "selective":
            how["context_fn"] = selective_contexts
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=how)
    model.config.use_cache = False
    if SETTINGS["compile"]:
        for layer in layers_of(model):
            layer.compile()


def fill(model, config, device):
    """Memory for a model without any, then the weights: one process reads them and hands them on."""
    model.to_empty(device=device)
    full = new_model(config, True) if RANK == 0 else None
    options = StateDictOptions(full_state_dict=True, broadcast_from_rank0=True, cpu_offload=device == "cpu")
    set_model_state_dict(model, full.state_dict() if full is not None else {}, options=options)
    # Tables that no checkpoint holds; they lie on the GPU whatever is offloaded.
    read = dict(full.named_buffers()) if full is not None else {}
    for prefix, module in model.named_modules():
        for name, buffer in module.named_buffers(recurse=False):
            whole = f"{prefix}.{name}" if prefix else name
            value = read[whole].to(DEVICE) if full is not None else torch.empty_like(buffer, device=DEVICE)
            dist.broadcast(value, 0)
            setattr(module, name, value)
    restore_rotary(model)


def restore_rotary(model):
    """Frequencies that transformers keeps a second time, outside of buffers."""
    for module in model.modules():
        if hasattr(module, "original_inv_freq"):
            module.original_inv_freq = module.inv_freq


def shard(config, mesh):
    """FSDP2: each layer is gathered when it is used; `zero2` keeps it until its backward pass."""
    offload = SETTINGS["offload"]["optimizer"] or SETTINGS["offload"]["params"]
    whole = config.tie_word_embeddings  # two names for one tensor: every process reads it
    model = new_model(config, whole)
    if SETTINGS["tp"] > 1:
        split_tensors(model, mesh["tp"])
    prepare_layers(model)
    dims = mesh["copies", "shards"] if SHARDING == "hsdp" else mesh["dp"]
    how = {
        "mesh": dims,
        "mp_policy": MixedPrecisionPolicy(param_dtype=COMPUTE, reduce_dtype=torch.float32),
        "offload_policy": CPUOffloadPolicy() if offload else OffloadPolicy(),
        "reshard_after_forward": SHARDING in ("zero3", "hsdp"),
    }
    for layer in layers_of(model):
        fully_shard(layer, **how)
    fully_shard(model, **how)
    if not whole:
        fill(model, config, "cpu" if offload else "cuda")
    return model


def copy(config, mesh):
    """The whole model on every GPU (or on every group of tensor-parallel ones)."""
    if SETTINGS["tp"] > 1:
        model = new_model(config, config.tie_word_embeddings)
        split_tensors(model, mesh["tp"])
        prepare_layers(model)
        if config.tie_word_embeddings:
            model.to(DEVICE)
        else:
            fill(model, config, "cuda")
        return model
    model = new_model(config, RANK == 0)
    if RANK == 0:
        model.to(DEVICE)
    else:
        model.to_empty(device=DEVICE)
        model.tie_weights()
    prepare_layers(model)
    if WORLD > 1:
        model = DistributedDataParallel(model, device_ids=[LOCAL_RANK], gradient_as_bucket_view=True)
        restore_rotary(model)
    return model


def make_optimizers(model):
    """One, or two where matrices of layers learn by Muon and all else by AdamW."""
    rate, decay = SETTINGS["learning_rate"], SETTINGS["weight_decay"]
    inner = getattr(model, "module", model)
    inside = {id(p) for p in layers_of(inner).parameters()}
    groups = {}
    for parameter in (p for p in model.parameters() if p.requires_grad):
        matrix = parameter.ndim == 2 and id(parameter) in inside
        kind = SETTINGS["optimizer"]["matrices" if matrix else "rest"]
        # Fused kernels take no tensors of different grids of ranks at once.
        grid = parameter.device_mesh if isinstance(parameter, DTensor) else None
        groups.setdefault(kind, {}).setdefault((parameter.ndim >= 2, grid), []).append(parameter)
    made = []
    for kind, parted in groups.items():
        parts = [{"params": p, "weight_decay": decay if decays else 0.0} for (decays, _), p in parted.items()]
        if kind == "adamw":
            make, how = torch.optim.AdamW, {"betas": (0.9, 0.95), "fused": not SETTINGS["offload"]["optimizer"]}
        elif kind == "muon":
            make, how = torch.optim.Muon, {"momentum": 0.95, "adjust_lr_fn": "match_rms_adamw"}
        else:
            make, how = torch.optim.SGD, {"momentum": 0.9}
        if SHARDING == "zero1" and WORLD > 1:
            zero = ZeroRedundancyOptimizer(parts[0]["params"], optimizer_class=make, lr=rate,
                                           weight_decay=parts[0]["weight_decay"], **how)
            for part in parts[1:]:
                zero.add_param_group(part)
            made.append(zero)
        else:
            made.append(make(parts, lr=rate, **how))
    return made


def learning_rate(step):
    """Linear warm-up, then a cosine down to a tenth."""
    warm, total, peak = SETTINGS["warmup_steps"], SETTINGS["steps"], SETTINGS["learning_rate"]
    if step < warm:
        return peak * (step + 1) / warm
    done = min((step - warm) / max(total - warm, 1), 1.0)
    return peak * (0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * done)))


def clip(model, scale):
    """Multiplies gradients by `scale`, then scales them to a norm of at most `grad_clip`; returns the norm between.
    Tensors of different grids of ranks are added up grid by grid."""
    grids = {}
    for parameter in model.parameters():
        if parameter.grad is not None:
            parameter.grad.mul_(scale)
            grid = parameter.grad.device_mesh if isinstance(parameter.grad, DTensor) else None
            grids.setdefault(grid, []).append(parameter)
    squares = torch.zeros((), device=DEVICE)
    for parameters in grids.values():
        norm = torch.nn.utils.get_total_norm([p.grad for p in parameters])
        norm = norm.full_tensor() if isinstance(norm, DTensor) else norm
        squares += norm.to(DEVICE) ** 2
    total = squares.sqrt()
    if SETTINGS["grad_clip"]:
        for parameters in grids.values():
            torch.nn.utils.clip_grads_with_norm_(parameters, SETTINGS["grad_clip"],
                                                 total.to(parameters[0].grad.device))
    return total


class Stream:
    """Micro-batches of this data-parallel rank, without end, made ahead by a thread. The state that comes with each
    says where in the data it ends."""

    def __init__(self, rank, ranks):
        self.tokenizer = AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or SOURCE)
        rows = training_data.load(streaming=True).shuffle(seed=SETTINGS["seed"], buffer_size=10_000)
        self.rows = split_dataset_by_node(rows, rank=rank, world_size=ranks)
        self.pieces = training_data.Pieces(self.tokenizer)
        self.waiting, self.epoch = [], 0
        pad = self.tokenizer.pad_token_id
        self.pad = pad if pad is not None else (self.tokenizer.eos_token_id or 0)
        self.state = None

    def vocabulary(self):
        return len(self.tokenizer)

    def restore(self, state):
        self.state = state
        self.epoch, self.waiting = state["epoch"], list(state["waiting"])
        self.pieces.tokens, self.pieces.labels = map(list, state["left"])
        self.rows.set_epoch(self.epoch)
        self.rows.load_state_dict(state["rows"])

    def batches(self):
        ahead = queue.Queue(maxsize=8)
        threading.Thread(target=self._fill, args=(ahead,), daemon=True).start()
        while True:
            made = ahead.get()
            if isinstance(made, BaseException):
                raise made
            values, self.state = made
            yield {name: torch.tensor(value).to(DEVICE, non_blocking=True) for name, value in values.items()}

    def _fill(self, ahead):
        try:
            while True:
                self._epoch(ahead)
                self.epoch += 1
                self.rows.set_epoch(self.epoch)
        except BaseException as problem:  # the training loop raises it
            ahead.put(problem)

    def _epoch(self, ahead):
        size = SETTINGS["micro_batch"]
        found = False
        rows = iter(self.rows)
        while some := list(itertools.islice(rows, 64)):
            found = True
            self.waiting += self.pieces.add(some)
            if len(self.waiting) < size:
                continue
            where = self.rows.state_dict()
            left = (list(self.pieces.tokens), list(self.pieces.labels))
            while len(self.waiting) >= size:
                chosen = self.waiting[:size]
                del self.waiting[:size]
                state = {"rows": where, "epoch": self.epoch, "waiting": list(self.waiting), "left": left}
                ahead.put((training_data.batch(chosen, self.pad), state))
        if not found:
            give_up("DATA: fewer rows than data-parallel ranks")


class Windows:
    """The same from tokens in files: DATA is a file NAME.bin or a folder of them, 16-bit numbers (32-bit ones for more
    than 65,536 tokens) as nanoGPT's prepare.py writes them. Every epoch has its own order."""

    def __init__(self, rank, ranks, vocabulary):
        path = Path(os.environ["DATA"])
        files = sorted(path.glob("*.bin")) if path.is_dir() else [path]
        kind = np.uint16 if vocabulary <= 2**16 else np.uint32
        self.files = [np.memmap(file, dtype=kind, mode="r") for file in files]
        length = SETTINGS["sequence"]
        # Windows of one sequence each, numbered through all files: where those of each file end.
        self.ends = np.cumsum([len(file) // length for file in self.files])
        self.rank, self.ranks = rank, ranks
        self.state = 0  # micro-batches of this rank so far
        self.most = vocabulary
        if self.ends[-1] < ranks * SETTINGS["micro_batch"]:
            give_up(f"DATA: {path} holds fewer tokens than one batch")

    def restore(self, state):
        self.state = state

    def window(self, number):
        file = int(np.searchsorted(self.ends, number, side="right"))
        at = (number - (self.ends[file - 1] if file else 0)) * SETTINGS["sequence"]
        return self.files[file][at:at + SETTINGS["sequence"]].astype(np.int64)

    def batches(self):
        size = SETTINGS["micro_batch"]
        each = int(self.ends[-1]) // (self.ranks * size)  # micro-batches of an epoch and rank
        epoch, order = -1, None
        while True:
            if self.state // each != epoch:
                epoch = self.state // each
                order = np.random.default_rng([SETTINGS["seed"], epoch]).permutation(int(self.ends[-1]))
            first = ((self.state % each) * self.ranks + self.rank) * size
            self.state += 1
            tokens = torch.from_numpy(np.stack([self.window(i) for i in order[first:first + size]]))
            if int(tokens.max()) >= self.most:
                give_up(f"DATA: a token of {int(tokens.max())}, but the model knows {self.most}")
            tokens = tokens.pin_memory().to(DEVICE, non_blocking=True)
            yield {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones_like(tokens)}


def open_data(config):
    rank, ranks = RANK // SETTINGS["tp"], SETTINGS["dp"]
    path = Path(os.environ.get("DATA", ""))
    if path.suffix == ".bin" or (path.is_dir() and any(path.glob("*.bin"))):
        return Windows(rank, ranks, config.vocab_size)
    stream = Stream(rank, ranks)
    if stream.vocabulary() > config.vocab_size:
        give_up(f"TOKENIZER: {stream.vocabulary()} tokens, but the model knows {config.vocab_size}")
    return stream


class Checkpoints:
    """Folders step-000200, whole once they hold the file `complete` and all files that it names: mounted buckets take
    the files of each machine by themselves, and those of the others may come later."""

    def __init__(self, model, optimizers, stream):
        self.model, self.optimizers, self.stream = model, optimizers, stream
        self.own = SHARDING == "zero1" and WORLD > 1  # each rank keeps its part of the states in a file of its own

    @staticmethod
    def whole():
        return sorted(p for p in CHECKPOINTS.glob("step-*") if (p / "complete").exists())

    @staticmethod
    def there(folder):
        """Whether all files of a checkpoint are there, as long as they were written."""
        files = json.loads((folder / "complete").read_text(encoding="utf-8") or "{}")
        return all((folder / name).exists() and (folder / name).stat().st_size == size for name, size in files.items())

    @staticmethod
    def written(folder):
        """The files of this rank, and of rank 0 what is about all, with their sizes."""
        mine = [folder / f"rank-{RANK}.pt", *(folder / "state").glob(f"__{RANK}_*")]
        if RANK == 0:
            mine.append(folder / "state" / ".metadata")
        return {str(path.relative_to(folder)): path.stat().st_size for path in mine}

    def newest(self):
        """The last one that every machine sees whole."""
        seen = [None] * WORLD
        dist.all_gather_object(seen, [folder.name for folder in self.whole() if self.there(folder)])
        common = set(seen[0]).intersection(*seen)
        return CHECKPOINTS / max(common) if common else None

    def _state(self):
        if self.own:
            return {"model": get_model_state_dict(self.model)}
        model, optimizer = get_state_dict(self.model, self.optimizers)
        return {"model": model, "optimizer": optimizer}

    def save(self, step):
        folder = CHECKPOINTS / f"step-{step:08}"
        if (folder / "complete").exists() and self.there(folder):
            return
        folder.mkdir(parents=True, exist_ok=True)
        dcp.save(self._state(), checkpoint_id=folder / "state")
        torch.save({"stream": self.stream.state,
                    "optimizer": [o.optim.state_dict() for o in self.optimizers] if self.own else None},
                   folder / f"rank-{RANK}.pt")
        files = [None] * WORLD
        dist.all_gather_object(files, self.written(folder))
        if RANK == 0:
            files = {name: size for part in files for name, size in part.items()}
            (folder / "complete").write_text(json.dumps(files), encoding="utf-8")
            keep = SETTINGS["keep_checkpoints"]
            for old in self.whole()[:-keep] if keep > 0 else []:
                shutil.rmtree(old, ignore_errors=True)
        say(f"checkpoint: {folder.name}")

    def load(self):
        """The step to go on after; 0 without a checkpoint."""
        folder = self.newest()
        if folder is None:
            return 0
        state = self._state()
        dcp.load(state, checkpoint_id=folder / "state")
        mine = torch.load(folder / f"rank-{RANK}.pt", map_location="cpu", weights_only=False)
        if self.own:
            set_model_state_dict(self.model, state["model"])
            for optimizer, part in zip(self.optimizers, mine["optimizer"]):
                optimizer.optim.load_state_dict(part)
        else:
            set_state_dict(self.model, self.optimizers, model_state_dict=state["model"],
                           optim_state_dict=state["optimizer"])
        self.stream.restore(mine["stream"])
        say(f"resumed from {folder.name}")
        return int(folder.name.removeprefix("step-"))


def surroundings():
    """What every pass runs in: autocast where FSDP2 casts nothing, activations in host memory, a named attention."""
    stack = contextlib.ExitStack()
    if not FSDP and COMPUTE != MASTER:
        stack.enter_context(torch.autocast("cuda", dtype=COMPUTE))
    if SETTINGS["offload"]["activations"]:
        stack.enter_context(torch.autograd.graph.save_on_cpu(pin_memory=True))
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
        sums[2] += inputs["attention_mask"].sum()
        if SETTINGS["packing"]:
            del inputs["attention_mask"]  # no gaps: attention is causal only
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


def save_final(model):
    """The trained model as transformers reads it."""
    inner = getattr(model, "module", model)
    weights = get_model_state_dict(inner, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
    if RANK == 0:
        final = RUN_DIR / "final"
        inner.save_pretrained(final, state_dict=weights)
        # fully_shard() renames classes.
        config = json.loads((final / "config.json").read_text(encoding="utf-8"))
        config["architectures"] = [name.removeprefix("FSDP") for name in config.get("architectures") or []]
        (final / "config.json").write_text(json.dumps(config, indent=2), encoding="utf-8")
        tokenizer = os.environ.get("TOKENIZER") or (SOURCE if SETTINGS["model"]["config"] is None else None)
        if tokenizer:
            AutoTokenizer.from_pretrained(tokenizer).save_pretrained(final)
    dist.barrier()


def main():
    torch.cuda.set_device(DEVICE)
    dist.init_process_group("cpu:gloo,cuda:nccl")
    torch.set_float32_matmul_precision("highest" if SETTINGS["precision"] == "fp32" else "high")
    stop = StopRequest()
    mesh = make_mesh()
    config = model_config()
    model = (shard if FSDP else copy)(config, mesh)
    model.train()
    optimizers = make_optimizers(model)
    stream = open_data(config)
    checkpoints = Checkpoints(model, optimizers, stream)
    step = checkpoints.load()
    scaler = torch.amp.GradScaler("cuda", enabled=COMPUTE == torch.float16)
    log = StepLog()
    batches = stream.batches()
    heads = mesh["tp"].get_group() if SETTINGS["tp"] > 1 else None
    say(f"GPU: {torch.cuda.get_device_name(DEVICE)} x {WORLD}, {SETTINGS['steps']} steps of {SETTINGS['batch']} "
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
        asked = stop.everywhere()
        if asked or step % every == 0 or step == total:
            checkpoints.save(step)
            log.restart()
        if asked and step < total:
            mark_stopped(step)
            break
    else:
        save_final(model)
    log.end()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
