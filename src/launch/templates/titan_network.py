"""Tells torchtitan of the plan's network, as model "gpuplan", flavor "plan" (experimental.custom_import of train.toml).
network.json has its shape. What a shape does not say of published weights, the rotary base, its scaling and the epsilon of the
norms, comes from config.json of $ASSETS: continued with others they give wrong numbers without a word."""
import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path

from torchtitan.protocols.train_spec import register_train_spec

SHAPE = json.loads((Path(__file__).parent / "network.json").read_text(encoding="utf-8"))
LLAMA3 = ("low_freq_factor", "high_freq_factor", "original_max_position_embeddings")


def give_up(text):
    print(text, file=sys.stderr, flush=True)
    sys.exit(78)


def config_of_assets():
    # Beside a tokenizer lies the config.json of the model that it was made for.
    if SHAPE["from_scratch"]:
        return {}
    file = Path(os.environ.get("ASSETS", "")) / "config.json"
    if not file.is_file():
        give_up(f"{file} is missing: published weights go on with the rotary positions that it states")
    config = json.loads(file.read_text(encoding="utf-8"))
    config = {**config, **config.get("text_config", {})}
    if (config.get("hidden_size"), config.get("num_hidden_layers")) != (SHAPE["hidden"], SHAPE["layers"]):
        give_up(f"{file} is of another network than the plan's ({SHAPE['layers']} layers, width {SHAPE['hidden']})")
    return config


CONFIG = config_of_assets()
# transformers 5 puts the base beside the scaling.
SCALING = {**(CONFIG.get("rope_scaling") or {}), **(CONFIG.get("rope_parameters") or {})}
KIND = SCALING.get("rope_type", SCALING.get("type", "default"))
COMMON = {
    "dim": SHAPE["hidden"], "n_layers": SHAPE["layers"], "n_heads": SHAPE["heads"], "vocab_size": SHAPE["vocab"],
    "norm_eps": CONFIG.get("rms_norm_eps", 1e-5),
    "rope_theta": float(SCALING.get("rope_theta", CONFIG.get("rope_theta", 500000))),
}


def on_whole(permute):
    """torchtitan puts rows of heads into another order by views. Where more ranks share a matrix than it has heads, or another
    number of them, no view takes the parts apart: each rank gets the whole for a moment, and keeps its part of what comes out."""
    def permuted(self, weight, heads, *sizes):
        from torch.distributed.tensor import DTensor
        from torch.distributed.tensor._utils import compute_local_shape_and_global_offset
        if not isinstance(weight, DTensor):
            return permute(self, weight, heads, *sizes)
        mesh, placements = weight.device_mesh, weight.placements
        if heads % math.prod(mesh.size(dim) for dim, placement in enumerate(placements) if not placement.is_replicate()) == 0:
            return permute(self, weight, heads, *sizes)
        whole = permute(self, weight.full_tensor(), heads, *sizes).contiguous()
        shape, begin = compute_local_shape_and_global_offset(whole.shape, mesh, placements)
        part = whole[tuple(slice(at, at + size) for at, size in zip(begin, shape))].clone()
        return DTensor.from_local(part, mesh, placements, run_check=False, shape=whole.shape, stride=whole.stride())
    return permuted


def like_llama():
    from torchtitan.models.llama3 import TransformerModelArgs, get_train_spec
    from torchtitan.models.llama3.model.args import RoPEScalingArgs
    if KIND == "llama3":
        scaling = RoPEScalingArgs(scaling_factor=SCALING["factor"], **{name: SCALING[name] for name in LLAMA3})
    elif KIND == "default":
        scaling = RoPEScalingArgs(scaling_factor=1.0)
    else:
        give_up(f"torchtitan has no rotary positions of type {KIND} for networks like Llama's: set command: in the job file")
    adapter = get_train_spec().state_dict_adapter
    adapter._permute, adapter._reverse_permute = on_whole(adapter._permute), on_whole(adapter._reverse_permute)
    # The width of the MLP is asked for as a factor on two thirds of four times the model's, cut down to a whole number.
    factor = (SHAPE["ffn"] + 0.5) / int(2 * 4 * SHAPE["hidden"] / 3)
    return get_train_spec(), TransformerModelArgs(
        **COMMON, n_kv_heads=SHAPE["kv_heads"], multiple_of=1, ffn_dim_multiplier=factor, rope_scaling_args=scaling)


def scale_positions():
    """Llama 3.1's scaling for a network that torchtitan has without: those of Llama with tied embeddings."""
    import torch
    from torchtitan.models.qwen3.model import model as network
    factor, low, high, length = SCALING["factor"], *(SCALING[name] for name in LLAMA3)

    def precompute_rope_cache(dim, max_seq_len, base=1_000_000.0):
        turns = 1.0 / (base ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
        waves = 2 * math.pi / turns
        # Long waves are stretched, short ones stay, and between them it goes over.
        share = ((length / waves - low) / (high - low)).clamp(0, 1)
        turns = turns * (share + (1 - share) / factor)
        angles = torch.outer(torch.arange(max_seq_len, dtype=turns.dtype, device=turns.device), turns).float()
        angles = torch.cat([angles, angles], dim=-1)
        return torch.cat([angles.cos(), angles.sin()], dim=-1)

    network.precompute_rope_cache = precompute_rope_cache


def like_qwen():
    from torchtitan.models.moe import MoEArgs
    from torchtitan.models.qwen3 import Qwen3ModelArgs, get_train_spec
    if KIND == "llama3":
        scale_positions()
    elif KIND != "default":
        give_up(f"torchtitan has no rotary positions of type {KIND} for networks like Qwen 3's: set command: in the job file")
    experts = {}
    if SHAPE["experts"] > 0:
        experts = {"moe_enabled": True, "moe_inter_dim": SHAPE["expert_ffn"], "moe_args": MoEArgs(
            num_experts=SHAPE["experts"], num_shared_experts=0, top_k=SHAPE["experts_per_token"], score_func="softmax",
            route_norm=CONFIG.get("norm_topk_prob", True), score_before_experts=False)}
    spec = get_train_spec()
    if experts and SHAPE["from_scratch"]:
        # Its own specification leaves the loads of experts to weights that are balanced already.
        from torchtitan.components.optimizer import build_optimizers_with_moe_load_balancing
        spec = replace(spec, build_optimizers_fn=build_optimizers_with_moe_load_balancing)
    return spec, Qwen3ModelArgs(
        **COMMON, n_kv_heads=SHAPE["kv_heads"], head_dim=SHAPE["head_dim"], hidden_dim=SHAPE["ffn"],
        qk_norm=SHAPE["qk_norm"], enable_weight_tying=SHAPE["tied"], **experts)


def like_deepseek():
    from torchtitan.models.deepseek_v3 import DeepSeekV3ModelArgs, get_train_spec
    from torchtitan.models.moe import MoEArgs
    experts = MoEArgs(num_experts=SHAPE["experts"], num_shared_experts=SHAPE["shared_ffn"] // SHAPE["expert_ffn"],
                      top_k=SHAPE["experts_per_token"], score_func="sigmoid", route_norm=True, score_before_experts=False)
    # Positions beyond original_seq_len would be stretched (yarn); the plan's are all within it. Weights of others do not
    # come here.
    return get_train_spec(), DeepSeekV3ModelArgs(
        **COMMON, inter_dim=SHAPE["ffn"], moe_inter_dim=SHAPE["expert_ffn"], n_dense_layers=SHAPE["dense_layers"],
        moe_args=experts, q_lora_rank=SHAPE["q_lora_rank"], kv_lora_rank=SHAPE["kv_lora_rank"],
        qk_nope_head_dim=SHAPE["qk_nope_dim"], qk_rope_head_dim=SHAPE["qk_rope_dim"], v_head_dim=SHAPE["v_dim"],
        original_seq_len=SHAPE["sequence"], rope_factor=1.0)


def write_config():
    """What transformers reads of a network that nobody published, for the folder `final`; nothing where it has none."""
    common = {"hidden_size": SHAPE["hidden"], "intermediate_size": SHAPE["ffn"], "num_hidden_layers": SHAPE["layers"],
              "num_attention_heads": SHAPE["heads"], "num_key_value_heads": SHAPE["kv_heads"], "vocab_size": SHAPE["vocab"],
              "max_position_embeddings": SHAPE["sequence"], "tie_word_embeddings": SHAPE["tied"],
              "rms_norm_eps": COMMON["norm_eps"], "rope_theta": COMMON["rope_theta"], "torch_dtype": SHAPE["dtype"]}
    if SHAPE["form"] == "deepseek_v3":
        kind, name = "deepseek_v3", "DeepseekV3ForCausalLM"
        common.update({
            "num_key_value_heads": SHAPE["heads"], "n_routed_experts": SHAPE["experts"],
            "n_shared_experts": SHAPE["shared_ffn"] // SHAPE["expert_ffn"], "num_experts_per_tok": SHAPE["experts_per_token"],
            "moe_intermediate_size": SHAPE["expert_ffn"], "first_k_dense_replace": SHAPE["dense_layers"],
            "q_lora_rank": SHAPE["q_lora_rank"] or None, "kv_lora_rank": SHAPE["kv_lora_rank"],
            "qk_nope_head_dim": SHAPE["qk_nope_dim"], "qk_rope_head_dim": SHAPE["qk_rope_dim"], "v_head_dim": SHAPE["v_dim"],
            "norm_topk_prob": True, "routed_scaling_factor": 1.0, "n_group": 1, "topk_group": 1})
    elif SHAPE["experts"] > 0:
        if not SHAPE["qk_norm"]:
            return
        kind, name = "qwen3_moe", "Qwen3MoeForCausalLM"
        common.update({"head_dim": SHAPE["head_dim"], "num_experts": SHAPE["experts"], "norm_topk_prob": True,
                       "num_experts_per_tok": SHAPE["experts_per_token"], "moe_intermediate_size": SHAPE["expert_ffn"]})
    else:
        kind, name = ("qwen3", "Qwen3ForCausalLM") if SHAPE["qk_norm"] else ("llama", "LlamaForCausalLM")
        common["head_dim"] = SHAPE["head_dim"]
    file = Path(os.environ["GPUPLAN_RUN_DIR"]) / "config.json"
    file.write_text(json.dumps({"model_type": kind, "architectures": [name], **common}, indent=1), encoding="utf-8")


SPEC, ARGS = {"llama3": like_llama, "qwen3": like_qwen, "deepseek_v3": like_deepseek}[SHAPE["form"]]()
register_train_spec("gpuplan", replace(SPEC, model_args={"plan": ARGS}))
if SHAPE["from_scratch"] and os.environ.get("RANK", "0") == "0":
    write_config()
