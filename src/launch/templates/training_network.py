"""The network of train.py, its optimizers and how it is copied to every GPU. What shares it out is training_shards.py."""
import contextlib
import math

import torch
import torch.distributed as dist
import torch.utils.checkpoint
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel
from transformers import AutoConfig, AutoModelForCausalLM

from decoder_layers import experts_in_lists, layers_of
from phase_parts import SETTINGS, model_source
from run_parts import DEVICE, GPU, LOCAL_RANK, RANK, WORLD

SOURCE = model_source(SETTINGS["model"])
TYPES = {"fp32": torch.float32, "tf32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
COMPUTE = TYPES[SETTINGS["precision"]]
MASTER = TYPES[SETTINGS["master_weights"]]
SHARDING = SETTINGS["sharding"]
FSDP = SETTINGS["fsdp"]  # weights or gradients are shared out, or lie in host memory


def model_config():
    if SETTINGS["model"]["config"] is None:
        return AutoConfig.from_pretrained(SOURCE)
    config = dict(SETTINGS["model"]["config"])
    return AutoConfig.for_model(config.pop("model_type"), **config)


def new_model(config, weights):
    """With its weights where `weights`, else a shell on no device."""
    kind = {"attn_implementation": SETTINGS["attention"]["implementation"], "dtype": MASTER}
    if not weights:
        # Torch before 2.0 makes models in memory only.
        with torch.device("meta") if hasattr(torch.device, "__enter__") else contextlib.nullcontext():
            return AutoModelForCausalLM.from_config(config, **kind)
    torch.manual_seed(SETTINGS["seed"])
    if SETTINGS["from_scratch"]:
        return AutoModelForCausalLM.from_config(config, **kind)
    return AutoModelForCausalLM.from_pretrained(SOURCE, config=config, low_cpu_mem_usage=True, **kind)


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


def restore_rotary(model):
    """Frequencies that transformers keeps a second time, outside of buffers."""
    for module in model.modules():
        if hasattr(module, "original_inv_freq"):
            module.original_inv_freq = module.inv_freq


def copy(config):
    """The whole model on every GPU."""
    model = new_model(config, RANK == 0)
    if RANK == 0:
        model.to(DEVICE)
    else:
        model.to_empty(device=DEVICE)
        model.tie_weights()
    prepare_layers(model)
    if WORLD > 1:
        model = DistributedDataParallel(model, device_ids=[LOCAL_RANK] if GPU else None, gradient_as_bucket_view=True,
                                        find_unused_parameters=experts_in_lists(model))
        restore_rotary(model)
    return model


def grid_of(tensor):
    """The ranks that a tensor is shared out over, as DTensor has them; None for one that is whole."""
    return getattr(tensor, "device_mesh", None)


# With tensor parallelism each rank has the heads that its columns make, and of the gradients of what all heads share
# only their part.
NORMS_OF_HEADS = []


def add_up_heads(group):
    """Gradients of norms that all heads share, over tensor-parallel ranks. After the last pass of a step."""
    for module in NORMS_OF_HEADS:
        for parameter in module.parameters():
            if parameter.grad is not None:
                grad = parameter.grad
                dist.all_reduce(grad.to_local() if hasattr(grad, "to_local") else grad, group=group)


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
        groups.setdefault(kind, {}).setdefault((parameter.ndim >= 2, grid_of(parameter)), []).append(parameter)
    made = []
    for kind, parted in groups.items():
        parts = [{"params": p, "weight_decay": decay if decays else 0.0} for (decays, _), p in parted.items()]
        if kind == "adamw":
            make, how = torch.optim.AdamW, {"betas": (0.9, 0.95)}
            if GPU and not SETTINGS["offload"]["optimizer"]:
                how["fused"] = True
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
            grids.setdefault(grid_of(parameter.grad), []).append(parameter)
    most = SETTINGS["grad_clip"] or math.inf
    # One grid is clipped in one go; of several the norm is asked for first.
    norms = [torch.nn.utils.clip_grad_norm_(parameters, most if len(grids) == 1 else math.inf)
             for parameters in grids.values()]
    norms = [(norm.full_tensor() if hasattr(norm, "full_tensor") else norm).to(DEVICE) for norm in norms]
    if len(norms) == 1:
        return norms[0]
    total = torch.stack([norm ** 2 for norm in norms]).sum().sqrt()
    factor = most / (total.item() + 1e-6)
    if not factor >= 1:  # also where it is no number: then nothing may look as if it were one
        for parameters in grids.values():
            for parameter in parameters:
                parameter.grad.mul_(factor)
    return total


def whole_weights(model):
    """The weights as they are without ranks, on the CPU; all ranks call it, and the first one has them."""
    inner = getattr(model, "module", model)
    if not FSDP and SETTINGS["tp"] == 1:
        return {name: tensor.cpu() for name, tensor in inner.state_dict().items()} if RANK == 0 else {}
    from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
    return get_model_state_dict(inner, options=StateDictOptions(full_state_dict=True, cpu_offload=True))
