"""Gets a machine ready for `trl sft`: tokens of DATA, and which of them are learnt, in $GPUPLAN_TRL/rows, and the settings
for this run in $GPUPLAN_TRL/sft.yaml. For `trl dpo` the rows are pairs of answers, for `trl grpo` prompts with what its
reward functions read, of which they make tokens themselves.

TRL would make tokens of all rows itself. Then a conversation would need a template that says where answers begin, other
columns than its own would fail after the model is loaded, and train.py would learn other tokens than it."""
import importlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from transformers import AutoTokenizer

import data_sources
import training_data
from phase_parts import HERE, SETTINGS, give_up, say

PLACE = Path(os.environ["GPUPLAN_TRL"])
ROWS = PLACE / "rows"
OBJECTIVE = SETTINGS["objective"]
REWARDS, LONGEST_PROMPT = SETTINGS.get("rewards", []), SETTINGS.get("prompt_tokens", 0)  # of GRPO alone
NAME = f"{OBJECTIVE}.yaml" if OBJECTIVE in ("dpo", "grpo") else "sft.yaml"
# Of TRL's reward functions those that read answers as messages, and of these those that compare with a solution
# (trl/rewards).
OF_MESSAGES = ("accuracy_reward", "reasoning_accuracy_reward", "think_format_reward")
OF_SOLUTIONS = OF_MESSAGES[:2]


def trl_columns(pieces, _separate):
    """As TRL reads rows whose tokens are there."""
    return {"input_ids": [piece[0] for piece in pieces],
            "completion_mask": [[int(label != training_data.IGNORED) for label in piece[1]] for piece in pieces]}


def pairs_of(rows, tokenizer):
    """The columns of pairs alone. Conversations need the template of a model that was taught to talk."""
    if isinstance(next(iter(rows))["chosen"], list) and not tokenizer.chat_template:
        give_up("DATA: its answers are conversations, and the model has no chat template: start from an instruct model, or "
                "write prompt, chosen and rejected as texts")
    return rows.remove_columns([name for name in rows.column_names if name not in ("prompt", "chosen", "rejected")])


def check_rewards(row):
    """Ends the program where a reward function is not there, or would not find in the rows what it reads."""
    for name in REWARDS:
        if name in OF_MESSAGES and not isinstance(row["prompt"], list):
            give_up(f'DATA: {name} reads answers as messages: expected "prompt" as a list of messages (role and content)')
        if name in OF_SOLUTIONS and row.get("solution") is None:
            give_up(f'DATA: a row has no "solution", which {name} compares answers with')
        module, _, function = name.rpartition(".")
        if not module:
            continue
        sys.path.insert(0, os.getcwd())
        try:
            found = getattr(importlib.import_module(module), function)
        except Exception as problem:  # whatever the module has to say
            give_up(f"rollouts.reward: {name} cannot be imported from {os.getcwd()}: {problem}")
        if not callable(found):
            give_up(f"rollouts.reward: {name} is no function")


def prompts_of(rows, tokenizer):
    """Rows whose prompt is no longer than the plan's, which vLLM has room for; with all columns, which rewards read."""
    if isinstance(next(iter(rows))["prompt"], list) and not tokenizer.chat_template:
        give_up("DATA: its prompts are conversations, and the model has no chat template: start from an instruct model, or "
                "write prompts as texts")

    def tokens(prompt):
        text, special = prompt, True
        if isinstance(prompt, list):
            text, special = tokenizer.apply_chat_template(prompt, tokenize=False, add_generation_prompt=True), False
        return len(tokenizer(text, add_special_tokens=special)["input_ids"])

    kept = [at for at, row in enumerate(rows) if tokens(row["prompt"]) <= LONGEST_PROMPT]
    if not kept:
        give_up(f"DATA: all prompts are longer than {LONGEST_PROMPT} tokens; rollouts.prompt_tokens of the job says how long they are")
    if len(kept) < len(rows):
        say(f"data (DATA): {len(rows) - len(kept)} of {len(rows)} prompts are longer than {LONGEST_PROMPT} tokens and left out")
    return rows.select(kept)


def settings(tokenizer):
    """The settings as they are written, their folders filled in, and what only this run knows below."""
    subprocess.run([sys.executable, str(HERE / "place_settings.py"), str(HERE / NAME), str(PLACE / NAME)],
                   env={**os.environ, "GPUPLAN_ROWS": str(ROWS)}, check=True)
    if tokenizer.chat_template and NAME == "sft.yaml":
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
    if NAME != "sft.yaml":
        if OBJECTIVE == "grpo":
            check_rewards(next(iter(rows)))
        for name, some in (("train", rows), ("test", held_out)):
            if some is not None:
                made = prompts_of(some, tokenizer) if OBJECTIVE == "grpo" else pairs_of(some, tokenizer)
                made.to_parquet(str(ROWS / f"{name}.parquet"))
        settings(tokenizer)
        return
    training_data.prepared(rows, tokenizer)
    # Samples that stay apart are packed by TRL.
    packing = SETTINGS["packing"] and not SETTINGS["separate"]
    made = training_data.tokens_of(rows, tokenizer, trl_columns, packing)
    if not SETTINGS["separate"]:
        training_data.tell_epochs(made)
    made.to_parquet(str(ROWS / "train.parquet"))
    if held_out is not None:  # rows by themselves: few may fill no sequence
        training_data.tokens_of(held_out, tokenizer, trl_columns, packing=False, what="evaluation").to_parquet(str(ROWS / "test.parquet"))
    settings(tokenizer)


if __name__ == "__main__":
    main()
