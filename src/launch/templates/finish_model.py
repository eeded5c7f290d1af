"""What is done with a trained model: MERGE=1, or the word merge where a later phase needs that, merges its adapters into
the weights below them; PUSH_TO=owner/name sends the result to the Hugging Face hub, as a private repository where there is
none yet: what MERGE=1 asked for, else `final`. The word answers: what ends them is kept with a model that learnt to give
them.

The weights of the folder `final` of the run stay as they are; what is merged lies in `merged` beside it. Settings that
transformers 5 wrote are put so that transformers 4, which other programs run with, reads them as well (both_read.py)."""
import json
import os
import shutil
import sys
from pathlib import Path

from both_read import readable, written

RUN_DIR = Path(os.environ["GPUPLAN_RUN_DIR"])
FINAL, MERGED = RUN_DIR / "final", RUN_DIR / "merged"


def asked_type():
    """What from_pretrained() calls the type of the weights: transformers has another name for it since 4.56."""
    from transformers import __version__
    return "dtype" if tuple(int(part) for part in __version__.split(".")[:2]) >= (4, 56) else "torch_dtype"


def merge():
    """The folder to go on with."""
    if not (FINAL / "adapter_config.json").exists():
        print("MERGE: the model has no adapters, there is nothing to merge", flush=True)
        return FINAL
    if MERGED.exists():
        return MERGED
    from peft import AutoPeftModelForCausalLM, PeftConfig, PeftModel
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig, AutoModelForImageTextToText, AutoTokenizer
    # In host memory, in the type that the weights have: 4-bit ones could not take what is added to them.
    how = {asked_type(): "auto", "low_cpu_mem_usage": True}
    base = PeftConfig.from_pretrained(str(FINAL)).base_model_name_or_path
    if type(AutoConfig.from_pretrained(base)) in MODEL_FOR_CAUSAL_LM_MAPPING:
        model = AutoPeftModelForCausalLM.from_pretrained(str(FINAL), **how)
    else:  # it also sees
        model = PeftModel.from_pretrained(AutoModelForImageTextToText.from_pretrained(base, **how), str(FINAL))
    part = RUN_DIR / "merged.part"
    shutil.rmtree(part, ignore_errors=True)
    model.merge_and_unload().save_pretrained(str(part))
    AutoTokenizer.from_pretrained(str(FINAL)).save_pretrained(str(part))
    part.rename(MERGED)
    print(f"merged: {MERGED}", flush=True)
    return MERGED


def remember_end(folder):
    """Adds the token that ends an answer to those at which programs stop (generation_config.json): they do not look at chat
    templates, and a base model's own settings name the end of texts alone."""
    if not (folder / "config.json").exists() or not (folder / "tokenizer_config.json").exists():
        return  # adapters have neither: what reads them asks their tokenizer
    from transformers import AutoTokenizer

    from chat_template import end_of_answer
    tokenizer = AutoTokenizer.from_pretrained(str(folder))
    end = end_of_answer(tokenizer) if tokenizer.chat_template else None
    file = folder / "generation_config.json"
    # Without that file they go by the model's own settings.
    found = json.loads((file if file.exists() else folder / "config.json").read_text(encoding="utf-8"))
    known = found.get("eos_token_id")
    known = known if isinstance(known, list) else [tokenizer.eos_token_id if known is None else known]
    if end is None or tokenizer.convert_tokens_to_ids(end) in known:
        return
    if not file.exists():
        found = {name: found[name] for name in ("bos_token_id", "pad_token_id") if found.get(name) is not None}
    written(file, {**found, "eos_token_id": [*known, tokenizer.convert_tokens_to_ids(end)]})
    print(f"{folder.name}: answers end with {end}", flush=True)


def push(folder, name):
    from huggingface_hub import HfApi
    api = HfApi()
    api.create_repo(name, private=True, exist_ok=True)
    api.upload_folder(repo_id=name, folder_path=str(folder.resolve()), ignore_patterns=["checkpoint-*", "*/checkpoint-*"])
    print(f"pushed: https://huggingface.co/{name}", flush=True)


def main():
    if not FINAL.exists():
        sys.exit(f"{FINAL} is not there: the training has left no model")
    asked = os.environ.get("MERGE", "0") not in ("", "0")
    folder = merge() if asked or "merge" in sys.argv[1:] else FINAL
    for one in {FINAL, folder}:
        readable(one)
    if "answers" in sys.argv[1:]:
        remember_end(folder)
    if os.environ.get("PUSH_TO"):
        push(folder if asked else FINAL, os.environ["PUSH_TO"])


if __name__ == "__main__":
    main()
