"""Gets a machine ready for `trl sft`: tokens of DATA, and which of them are learnt, in $GPUPLAN_TRL/rows, and the settings
for this run in $GPUPLAN_TRL/sft.yaml. For `trl dpo` the rows are pairs of answers, which it makes tokens of itself.

TRL would make tokens of all rows itself. Then a conversation would need a template that says where answers begin, other
columns than its own would fail after the model is loaded, and train.py would learn other tokens than it."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from transformers import AutoTokenizer

import data_sources
import training_data
from phase_parts import HERE, SETTINGS, give_up

PLACE = Path(os.environ["GPUPLAN_TRL"])
ROWS = PLACE / "rows"
PAIRS = SETTINGS["objective"] == "dpo"


def trl_columns(pieces, _separate):
    """As TRL reads rows whose tokens are there."""
    # A prompt that fills its sequence leaves nothing to learn.
    pieces = [piece for piece in pieces if any(label != training_data.IGNORED for label in piece[1])]
    return {"input_ids": [piece[0] for piece in pieces],
            "completion_mask": [[int(label != training_data.IGNORED) for label in piece[1]] for piece in pieces]}


def pairs_of(rows, tokenizer):
    """The columns of pairs alone. Conversations need the template of a model that was taught to talk."""
    if isinstance(next(iter(rows))["chosen"], list) and not tokenizer.chat_template:
        give_up("DATA: its answers are conversations, and the model has no chat template: start from an instruct model, or "
                "write prompt, chosen and rejected as texts")
    return rows.remove_columns([name for name in rows.column_names if name not in ("prompt", "chosen", "rejected")])


def settings(tokenizer):
    """The settings as they are written, their folders filled in, and what only this run knows below."""
    name = "dpo.yaml" if PAIRS else "sft.yaml"
    subprocess.run([sys.executable, str(HERE / "place_settings.py"), str(HERE / name), str(PLACE / name)],
                   env={**os.environ, "GPUPLAN_ROWS": str(ROWS)}, check=True)
    if tokenizer.chat_template and not PAIRS:
        # Saved with the model, so that it is asked as it was taught.
        template = PLACE / "chat_template.jinja"
        template.write_text(tokenizer.chat_template, encoding="utf-8")
        with (PLACE / "sft.yaml").open("a", encoding="utf-8") as file:
            file.write(f"chat_template_path: {json.dumps(str(template))}\n")


def main():
    PLACE.mkdir(parents=True, exist_ok=True)
    tokenizer = AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or os.environ["GPUPLAN_BASE_MODEL"])
    rows, held_out = data_sources.load_both(streaming=False)
    shutil.rmtree(ROWS, ignore_errors=True)
    ROWS.mkdir()
    if PAIRS:
        for name, some in (("train", rows), ("test", held_out)):
            if some is not None:
                pairs_of(some, tokenizer).to_parquet(str(ROWS / f"{name}.parquet"))
        settings(tokenizer)
        return
    training_data.prepared(rows, tokenizer)
    # Samples that stay apart are packed by TRL.
    packing = SETTINGS["packing"] and not SETTINGS["separate"]
    training_data.tokens_of(rows, tokenizer, trl_columns, packing).to_parquet(str(ROWS / "train.parquet"))
    if held_out is not None:  # rows by themselves: few may fill no sequence
        training_data.tokens_of(held_out, tokenizer, trl_columns, packing=False).to_parquet(str(ROWS / "test.parquet"))
    settings(tokenizer)


if __name__ == "__main__":
    main()
