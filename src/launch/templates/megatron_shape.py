"""What a model's config.json says of its rotary positions, norms and routing of experts, as flags of Megatron-LM's pretrain_gpt.py, one word
a line: megatron_shape.py MODEL, a folder or a name of the Hugging Face hub. Megatron's defaults (base 10000, no scaling,
epsilon 1e-5) are those of few models, and weights that are continued with others give wrong numbers without a word."""
import json
import sys
from pathlib import Path

# Of Llama 3.1 and later, which Megatron has written down (core/models/common/embeddings/rotary_pos_embedding.py).
LLAMA3 = {"low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192}


def give_up(text):
    print(text, file=sys.stderr, flush=True)
    sys.exit(78)


def config_of(model):
    file = Path(model) / "config.json"
    if not file.is_file():
        from transformers.utils import cached_file
        try:
            file = Path(cached_file(model, "config.json"))
        except (OSError, ValueError) as error:
            give_up(f"config.json of {model} cannot be read ({str(error).splitlines()[0]}): set MODEL to a folder that has it, "
                    "or HF_TOKEN for a gated model")
    config = json.loads(file.read_text(encoding="utf-8"))
    return {**config, **config.get("text_config", {})}


def rotary(config):
    # transformers 5 puts the base beside the scaling.
    scaling = {**(config.get("rope_scaling") or {}), **(config.get("rope_parameters") or {})}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    base = scaling.get("rope_theta", config.get("rope_theta"))
    words = []
    if base is not None:
        if base != int(base):
            give_up(f"--rotary-base of Megatron is a whole number, and this model's is {base}: set command: in the job file")
        words += ["--rotary-base", str(int(base))]
    share = scaling.get("partial_rotary_factor", config.get("partial_rotary_factor"))
    if share is not None and share != 1:
        words += ["--rotary-percent", str(share)]
    if kind == "llama3":
        other = {name: scaling.get(name) for name, value in LLAMA3.items() if scaling.get(name) != value}
        if other:
            give_up(f"Megatron scales rotary positions with {LLAMA3}, and this model has {other}: set command: in the job file")
        words += ["--use-rope-scaling", "--rope-scaling-factor", str(scaling["factor"])]
    elif kind == "yarn" and "kv_lora_rank" in config:
        # Megatron's latent attention takes yarn; its other constants are those of DeepSeek.
        words += ["--rotary-scaling-factor", str(scaling["factor"])]
        for name in ("mscale", "mscale_all_dim"):
            if name in scaling:
                words += ["--" + name.replace("_", "-"), str(scaling[name])]
    elif kind != "default":
        give_up(f"pretrain_gpt.py has no flags for rotary positions of type {kind}: set command: in the job file")
    elif "kv_lora_rank" in config:
        words += ["--rotary-scaling-factor", "1.0"]
    return words


def norms(config):
    for name in ("rms_norm_eps", "layer_norm_eps", "layer_norm_epsilon", "norm_epsilon", "norm_eps"):
        if config.get(name) is not None:
            return ["--norm-epsilon", str(config[name])]
    return []


def routing(config):
    """Of experts: its own default is a softmax over those that were chosen."""
    words = []
    if config.get("scoring_func") == "sigmoid":
        words += ["--moe-router-score-function", "sigmoid"]
        if config.get("topk_method") == "noaux_tc":
            words += ["--moe-router-enable-expert-bias"]
    elif config.get("norm_topk_prob") is False:
        words += ["--moe-router-pre-softmax"]
    if config.get("routed_scaling_factor") not in (None, 1):
        words += ["--moe-router-topk-scaling-factor", str(config["routed_scaling_factor"])]
    if (config.get("n_group") or 1) > 1:
        words += ["--moe-router-num-groups", str(config["n_group"]), "--moe-router-group-topk", str(config["topk_group"])]
    return words


if __name__ == "__main__":
    CONFIG = config_of(sys.argv[1])
    print("\n".join(rotary(CONFIG) + norms(CONFIG) + routing(CONFIG)))
