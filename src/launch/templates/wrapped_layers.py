"""Names the classes that FSDP gathers one by one, for FSDP_TRANSFORMER_CLS_TO_WRAP: those that the model's networks name as
whole (_no_split_modules), as far as it has them, else that of its layers.

accelerate and peft would take all that are named and end where one is missing: of Gemma 3, networks of text alone name
the parts of a vision tower."""
import os
import sys

import torch
import transformers

from decoder_layers import layers_of
from phase_parts import SETTINGS, model_source


def network(by_architecture):
    """Without weights. TRL loads the class that the configuration names, the Trainer's program one of text."""
    own = SETTINGS["model"]["config"]
    if own is not None:
        config = transformers.AutoConfig.for_model(**own)
    else:
        # As TRL and the Trainer find it: the variable that place_settings.py fills in, else the phase's own.
        config = transformers.AutoConfig.from_pretrained(os.environ.get("GPUPLAN_BASE_MODEL") or
                                                         model_source(SETTINGS["model"]))
    named = (getattr(config, "architectures", None) or [""])[0] if by_architecture else ""
    kind = getattr(transformers, named, None) if named else None
    with torch.device("meta"):
        return kind(config) if kind is not None else transformers.AutoModelForCausalLM.from_config(config)


def wrapped(model):
    there = {type(module).__name__ for module in model.modules()}
    whole = {name for module in model.modules() for name in getattr(module, "_no_split_modules", None) or ()}
    return sorted(whole & there) or sorted({type(layer).__name__ for layer in layers_of(model)})


if __name__ == "__main__":
    print(",".join(wrapped(network("--by-architecture" in sys.argv[1:]))))
