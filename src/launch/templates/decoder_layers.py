"""The list of a decoder's layers in a network of transformers."""
import torch

from phase_parts import give_up

NO_TEXT = ("vision", "visual", "audio", "image")  # towers beside the decoder


def outermost_lists(module, name=""):
    """Lists of modules that lie in no other list, which the experts of a layer do."""
    for child_name, child in module.named_children():
        if any(word in child_name for word in NO_TEXT):
            continue
        if isinstance(child, torch.nn.ModuleList):
            yield child
        else:
            yield from outermost_lists(child, child_name)


def layers_of(model):
    """As many layers as the config of the text has, in the decoder where the model names it. The longest list would be
    the experts of a layer, or a tower that sees."""
    config = model.config.get_text_config() if hasattr(model.config, "get_text_config") else model.config
    count = config.num_hidden_layers
    decoder = model.get_decoder() if hasattr(model, "get_decoder") else None
    for place in (decoder, model):
        found = [one for one in outermost_lists(place) if len(one) == count] if place is not None else []
        if len(found) == 1:
            return found[0]
    give_up(f"{type(model).__name__}: its {count} layers cannot be told from its other parts; write a `command` for the "
            "phase")


def experts_in_lists(model):
    """Whether the experts of a layer are modules of their own: those that no token of a pass goes to take no part in it."""
    return any(isinstance(module, torch.nn.ModuleList) and "experts" in name.split(".")
               for name, module in layers_of(model).named_modules())
