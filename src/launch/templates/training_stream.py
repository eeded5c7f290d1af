"""Micro-batches for train.py: from rows that are made into tokens on the way, or from files of tokens."""
import itertools
import os
import queue
import threading
from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer

import training_data
from phase_parts import SETTINGS, give_up
from run_parts import DEVICE, GPU, RANK
from training_network import SOURCE


class Stream:
    """Micro-batches of this data-parallel rank, without end, made ahead by a thread. The state that comes with each
    says where in the data it ends."""

    def __init__(self, rank, ranks):
        from datasets.distributed import split_dataset_by_node
        self.tokenizer = AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or SOURCE)
        rows = training_data.load(streaming=True).shuffle(seed=SETTINGS["seed"], buffer_size=10_000)
        self.rows = split_dataset_by_node(rows, rank=rank, world_size=ranks)
        self.pieces = training_data.Pieces(self.tokenizer)
        self.waiting, self.epoch = [], 0
        pad = self.tokenizer.pad_token_id
        self.pad = pad if pad is not None else (self.tokenizer.eos_token_id or 0)
        self.state = None

    def vocabulary(self):
        return len(self.tokenizer)

    def restore(self, state):
        self.state = state
        self.epoch, self.waiting = state["epoch"], list(state["waiting"])
        self.pieces.tokens, self.pieces.labels = map(list, state["left"])
        self.rows.set_epoch(self.epoch)
        self.rows.load_state_dict(state["rows"])

    def batches(self):
        ahead = queue.Queue(maxsize=8)
        threading.Thread(target=self._fill, args=(ahead,), daemon=True).start()
        while True:
            made = ahead.get()
            if isinstance(made, BaseException):
                raise made
            values, self.state = made
            yield {name: torch.tensor(value).to(DEVICE, non_blocking=True) for name, value in values.items()}

    def _fill(self, ahead):
        try:
            while True:
                self._epoch(ahead)
                self.epoch += 1
                self.rows.set_epoch(self.epoch)
        except BaseException as problem:  # the training loop raises it
            ahead.put(problem)

    def _epoch(self, ahead):
        size = SETTINGS["micro_batch"]
        found = False
        rows = iter(self.rows)
        while some := list(itertools.islice(rows, 64)):
            found = True
            self.waiting += self.pieces.add(some)
            if len(self.waiting) < size:
                continue
            where = self.rows.state_dict()
            left = (list(self.pieces.tokens), list(self.pieces.labels))
            while len(self.waiting) >= size:
                chosen = self.waiting[:size]
                del self.waiting[:size]
                state = {"rows": where, "epoch": self.epoch, "waiting": list(self.waiting), "left": left}
                ahead.put((training_data.batch(chosen, self.pad), state))
        if not found:
            give_up("DATA: fewer rows than data-parallel ranks")


class Windows:
    """The same from tokens in files: DATA is a file NAME.bin or a folder of them, 16-bit numbers (32-bit ones for more
    than 65,536 tokens) as nanoGPT's prepare.py writes them. Every epoch has its own order."""

    def __init__(self, rank, ranks, vocabulary):
        path = Path(os.environ["DATA"])
        files = sorted(path.glob("*.bin")) if path.is_dir() else [path]
        kind = np.uint16 if vocabulary <= 2**16 else np.uint32
        self.files = [np.memmap(file, dtype=kind, mode="r") for file in files]
        length = SETTINGS["sequence"]
        # Windows of one sequence each, numbered through all files: where those of each file end.
        self.ends = np.cumsum([len(file) // length for file in self.files])
        self.rank, self.ranks = rank, ranks
        self.state = 0  # micro-batches of this rank so far
        self.most = vocabulary
        if self.ends[-1] < ranks * SETTINGS["micro_batch"]:
            give_up(f"DATA: {path} holds fewer tokens than one batch")

    def restore(self, state):
        self.state = state

    def window(self, number):
        file = int(np.searchsorted(self.ends, number, side="right"))
        at = (number - (self.ends[file - 1] if file else 0)) * SETTINGS["sequence"]
        return self.files[file][at:at + SETTINGS["sequence"]].astype(np.int64)

    def batches(self):
        size = SETTINGS["micro_batch"]
        each = int(self.ends[-1]) // (self.ranks * size)  # micro-batches of an epoch and rank
        epoch, order = -1, None
        while True:
            if self.state // each != epoch:
                epoch = self.state // each
                order = np.random.default_rng([SETTINGS["seed"], epoch]).permutation(int(self.ends[-1]))
            first = ((self.state % each) * self.ranks + self.rank) * size
            self.state += 1
            tokens = torch.from_numpy(np.stack([self.window(i) for i in order[first:first + size]]))
            if int(tokens.max()) >= self.most:
                give_up(f"DATA: a token of {int(tokens.max())}, but the model knows {self.most}")
            tokens = (tokens.pin_memory() if GPU else tokens).to(DEVICE, non_blocking=True)
            yield {"input_ids": tokens, "labels": tokens, "attention_mask": torch.ones_like(tokens)}


def open_data(config):
    rank, ranks = RANK // SETTINGS["tp"], SETTINGS["dp"]
    path = Path(os.environ.get("DATA", ""))
    if path.suffix == ".bin" or (path.is_dir() and any(path.glob("*.bin"))):
        return Windows(rank, ranks, config.vocab_size)
    stream = Stream(rank, ranks)
    if stream.vocabulary() > config.vocab_size:
        give_up(f"TOKENIZER: {stream.vocabulary()} tokens, but the model knows {config.vocab_size}")
    return stream
