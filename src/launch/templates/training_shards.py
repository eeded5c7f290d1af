"""Shares out the network of train.py: FSDP2 and tensor parallelism over a grid of ranks. Only where the plan has them:
both need torch 2.6."""
import torch
import torch.distributed as dist
from torch.distributed.checkpoint.state_dict import StateDictOptions, set_model_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import CPUOffloadPolicy, MixedPrecisionPolicy, OffloadPolicy, fully_shard
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

from decoder_layers import experts_in_lists, layers_of
from phase_parts import SETTINGS, give_up
from run_parts import DEVICE, RANK
from training_network import COMPUTE, NORMS_OF_HEADS, SHARDING, new_model, prepare_layers, restore_rotary


def make_mesh():
    """Ranks in a grid, tensor parallelism innermost: (machines,) data parallel, tensor parallel."""
    dp, tp = SETTINGS["dp"], SETTINGS["tp"]
    if SHARDING == "hsdp":
        inside = max(SETTINGS["gpus"] // tp, 1)
        return init_device_mesh(DEVICE.type, (dp // inside, inside, tp), mesh_dim_names=("copies", "shards", "tp"))
    return init_device_mesh(DEVICE.type, (dp, tp), mesh_dim_names=("dp", "tp"))


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


def shard(config, mesh):
    """FSDP2: each layer is gathered when it is used; `zero2` keeps it until its backward pass."""
    offload = SETTINGS["offload"]["optimizer"] or SETTINGS["offload"]["params"]
    whole = config.tie_word_embeddings  # two names for one tensor: every process reads it
    model = new_model(config, whole)
    if experts_in_lists(model):
        # A rank without tokens for an expert has no gradients of it, and adds up others than the rest.
        give_up("transformers has a module for each expert of this model, whose gradients FSDP2 cannot add up where ranks use "
                "other experts; write a `command` for the phase")
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
        fill(model, config, "cpu" if offload else DEVICE.type)
    return model


def copy_of_parts(config, mesh):
    """The model's parts on each group of tensor-parallel ranks, without FSDP2."""
    model = new_model(config, config.tie_word_embeddings)
    split_tensors(model, mesh["tp"])
    prepare_layers(model)
    if config.tie_word_embeddings:
        model.to(DEVICE)
    else:
        fill(model, config, DEVICE.type)
    return model


def shared_out(config):
    """The model and its grid of ranks."""
    mesh = make_mesh()
    return (shard if SETTINGS["fsdp"] else copy_of_parts)(config, mesh), mesh
