"""Settings of a model that transformers 5 wrote, in words that transformers 4 reads as well.

Version 5 writes the rotary base and its scaling as rope_parameters, which version 4 passes over: it takes the base that the
network has by default, and all numbers are wrong without a word. It also names a class of tokenizers that version 4 does not
have, and lists further special tokens where version 4 expects them by name. Version 5 reads the older words: they are those
of most models of the hub."""
import json

# Networks with two kinds of layers, for which version 5 has two sets of rope_parameters; the second base has a name only in
# the first two.
LAYERED = {"gemma3_text": "rope_local_base_freq", "gemma3n_text": "rope_local_base_freq", "olmo3": None}
OWN_KEYS = ("rope_theta", "partial_rotary_factor")


def written(file, found):
    """Whole or not at all."""
    draft = file.with_name(file.name + ".draft")
    draft.write_text(json.dumps(found, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    draft.replace(file)


def older_rope(config, rope):
    """One set of rope_parameters in the older words."""
    scaling = {name: value for name, value in rope.items() if name not in OWN_KEYS}
    kind = scaling.get("rope_type", scaling.get("type", "default"))
    if kind == "longrope":  # networks with it want these three keys and no others
        if scaling.get("original_max_position_embeddings") is not None:
            config.setdefault("original_max_position_embeddings", scaling["original_max_position_embeddings"])
        scaling = {"type": kind, **{name: scaling[name] for name in ("short_factor", "long_factor") if name in scaling}}
    config.update({name: rope[name] for name in OWN_KEYS if rope.get(name) is not None})
    if set(scaling) - {"rope_type", "type"}:
        config["rope_scaling"] = scaling


def older_config(config):
    """A config.json and the configurations inside of it, changed in place."""
    for inner in config.values():
        if isinstance(inner, dict) and "model_type" in inner:
            older_config(inner)
    rope = config.get("rope_parameters")
    if not isinstance(rope, dict):
        return
    if not any(isinstance(value, dict) for value in rope.values()):
        older_rope(config, rope)
    elif set(rope) == {"full_attention", "sliding_attention"} and config.get("model_type") in LAYERED:
        older_rope(config, rope["full_attention"])
        if (name := LAYERED[config["model_type"]]) and rope["sliding_attention"].get("rope_theta") is not None:
            config[name] = rope["sliding_attention"]["rope_theta"]
        del config["rope_parameters"]  # with both, vLLM takes one for the other


def older_tokenizer(config):
    """A tokenizer_config.json, changed in place."""
    if config.get("tokenizer_class") == "TokenizersBackend":
        config["tokenizer_class"] = "PreTrainedTokenizerFast"
    if isinstance(config.get("extra_special_tokens"), list):
        known = config.get("additional_special_tokens") or []
        config["additional_special_tokens"] = known + [token for token in config.pop("extra_special_tokens") if token not in known]


def readable(folder):
    for name, older in (("config.json", older_config), ("tokenizer_config.json", older_tokenizer)):
        file = folder / name
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8")
        found = json.loads(text)
        older(found)
        if found != json.loads(text):
            written(file, found)
            print(f"{folder.name}/{name}: put so that transformers 4 and 5 read it", flush=True)
