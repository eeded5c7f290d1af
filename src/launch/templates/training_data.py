"""Reads training data: rows with "text", with "prompt" and "completion", or with "messages".

DATA names a JSON-lines file, a folder of them, or a data set of the Hugging Face hub (DATA_SPLIT: train)."""
import os
from pathlib import Path

from phase_parts import SETTINGS, give_up

IGNORED = -100  # label of a token that is not learnt


def load(streaming):
    from datasets import load_dataset
    name = os.environ.get("DATA", "")
    split = os.environ.get("DATA_SPLIT", "train")
    path = Path(name)
    if path.is_dir():
        files = sorted(str(p) for p in path.rglob("*") if p.name.endswith((".jsonl", ".json", ".jsonl.gz")))
    else:
        files = [name] if path.is_file() else []
    if files:
        return load_dataset("json", data_files=files, split="train", streaming=streaming)
    if path.exists() or not name:
        give_up(f"DATA: no JSON-lines file and no data set: {name!r}")
    return load_dataset(name, split=split, streaming=streaming)


def earlier_answers(messages, text, tokenizer):
    """From which token to which the answers before the last message reach. Templates that change earlier turns later
    (they drop thoughts) show none of them as it was given: those are not learnt."""
    for at, message in enumerate(messages[:-1]):
        if message["role"] != "assistant" or at == 0:
            continue
        before = tokenizer.apply_chat_template(messages[:at], tokenize=False, add_generation_prompt=True)
        after = tokenizer.apply_chat_template(messages[:at + 1], tokenize=False)
        if text.startswith(after) and after.startswith(before):
            yield tuple(len(tokenizer(part, add_special_tokens=False)["input_ids"]) for part in (before, after))


def encode(row, tokenizer):
    """Tokens and labels of one row. Of a prompt with a completion only that is learnt, of a conversation its answers."""
    if row.get("messages"):
        messages = row["messages"]
        if not tokenizer.chat_template:
            give_up("DATA has messages, and the tokenizer of the model no chat template, as base models have none: set "
                    "TOKENIZER to one with the same tokens that has (of the instruct model), or write prompt + completion")
        text = tokenizer.apply_chat_template(messages, tokenize=False)
        prompt = tokenizer.apply_chat_template(messages[:-1], tokenize=False, add_generation_prompt=True)
        special = False
    elif row.get("completion") is not None:
        prompt = row["prompt"]
        text = prompt + row["completion"]
        special = True
    elif row.get("text") is not None:
        prompt, text, special = "", row["text"], True
    else:
        raise ValueError(f'a row holds neither "text", "prompt" and "completion" nor "messages": {sorted(row)}')
    tokens = tokenizer(text, add_special_tokens=special)["input_ids"]
    if special and tokenizer.eos_token_id is not None and (not tokens or tokens[-1] != tokenizer.eos_token_id):
        tokens = tokens + [tokenizer.eos_token_id]
    known = len(tokenizer(prompt, add_special_tokens=special)["input_ids"]) if prompt else 0
    known = min(known, len(tokens) - 1)
    labels = [IGNORED] * known + tokens[known:]
    for begin, end in earlier_answers(row["messages"], text, tokenizer) if row.get("messages") else ():
        labels[begin:end] = tokens[begin:end]
    return tokens, labels


class Pieces:
    """Rows in, sequences out: packed to full length without a gap, or one by one, cut to the length."""

    def __init__(self, tokenizer):
        self.tokenizer = tokenizer
        self.length = SETTINGS["sequence"]
        self.tokens, self.labels = [], []

    def add(self, rows):
        """All that the rows give; what is left of them waits for the next ones."""
        for tokens, labels in self._encode(rows):
            if not SETTINGS["packing"]:
                yield tokens[:self.length], labels[:self.length]
                continue
            self.tokens += tokens
            self.labels += labels
            while len(self.tokens) >= self.length:
                yield self.tokens[:self.length], self.labels[:self.length]
                del self.tokens[:self.length], self.labels[:self.length]

    def _encode(self, rows):
        plain = all(row.get("text") is not None and not row.get("messages") and row.get("completion") is None
                    for row in rows)
        if not plain:
            return [encode(row, self.tokenizer) for row in rows]
        # All at once: the tokenizer uses every core.
        end = self.tokenizer.eos_token_id
        found = self.tokenizer([row["text"] for row in rows])["input_ids"]
        closed = [t if end is None or (t and t[-1] == end) else t + [end] for t in found]
        return [(t, list(t)) for t in closed]


def batch(pieces, pad):
    """A list of (tokens, labels) as lists of one length, with a mask; pads on the right."""
    width = max(len(tokens) for tokens, _ in pieces)
    if not SETTINGS["packing"]:
        width = min((width + 7) // 8 * 8, SETTINGS["sequence"])
    result = {"input_ids": [], "labels": [], "attention_mask": []}
    for tokens, labels in pieces:
        gap = width - len(tokens)
        result["input_ids"].append(tokens + [pad] * gap)
        result["labels"].append(labels + [IGNORED] * gap)
        result["attention_mask"].append([1] * len(tokens) + [0] * gap)
    return result
