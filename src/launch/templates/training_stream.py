"""Micro-batches for train.py: from rows that are made into tokens on the way, or from files of tokens."""
import itertools
import os
import queue
import threading
from pathlib import Path

import numpy as np
import torch
from transformers import AutoTokenizer

import data_sources
import training_data
from phase_parts import SETTINGS, give_up, say
from run_parts import DEVICE, GPU, RANK
from training_network import SOURCE


BLOCK = 10_000  # rows of a rank that are shuffled together


class Stream:
    """Micro-batches of this data-parallel rank, without end, made ahead by a thread. The state that comes with each
    says where in the data it ends.

    Rows are shuffled here, block by block: datasets does not save the rows of its own shuffle buffer, and a run that
    goes on would never see those. A block that was begun is read again, and what was taken of it is left out."""

    def __init__(self, rank, ranks):
        from datasets.distributed import split_dataset_by_node
        self.tokenizer = AutoTokenizer.from_pretrained(os.environ.get("TOKENIZER") or SOURCE)
        rows, held_out = data_sources.load_both(streaming=True)
        training_data.prepared(rows, self.tokenizer)
        self.rows = split_dataset_by_node(rows, rank=rank, world_size=ranks)
        self.pieces = training_data.Pieces(self.tokenizer)
        self.waiting = []
        # Where the next row is: an epoch, a block of it, the rows before that block as datasets counts them (None: the
        # epoch begins), and rows of the block that were taken.
        self.place = {"epoch": 0, "block": 0, "rows": None, "taken": 0}
        pad = self.tokenizer.pad_token_id
        self.pad = pad if pad is not None else (self.tokenizer.eos_token_id or 0)
        self.state = None
        # Rows by themselves: what is left of a sequence would be dropped.
        whole = list(training_data.Pieces(self.tokenizer, packing=False).add(list(held_out or [])))
        size = SETTINGS["micro_batch"]
        self.held_out = [training_data.batch(whole[at:at + size], self.pad) for at in range(0, len(whole), size)]

    def vocabulary(self):
        return len(self.tokenizer)

    def restore(self, state):
        if state is None:  # no micro-batch was taken yet
            return
        self.state = state
        self.place, self.waiting = dict(state["place"]), list(state["waiting"])
        self.pieces.tokens, self.pieces.labels, self.pieces.positions = map(list, state["left"])

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
        except BaseException as problem:  # the training loop raises it
            ahead.put(problem)

    def _epoch(self, ahead):
        """What is left of an epoch, if anything; the place is then the beginning of the next."""
        found = begun = self.place["rows"] is not None or self.place["taken"] > 0
        self.rows.set_epoch(self.place["epoch"])
        if self.place["rows"] is not None:
            self.rows.load_state_dict(self.place["rows"])
        rows = iter(self.rows)
        while block := list(itertools.islice(rows, BLOCK)):
            found = True
            after = self.rows.state_dict()
            order = np.random.default_rng([SETTINGS["seed"], self.place["epoch"], self.place["block"]])
            block = [block[at] for at in order.permutation(len(block))]
            while self.place["taken"] < len(block):
                some = block[self.place["taken"]:self.place["taken"] + 64]
                self.place["taken"] += len(some)
                self._put(some, ahead)
            self.place = {**self.place, "block": self.place["block"] + 1, "rows": after, "taken": 0}
        if not found:
            give_up("DATA: fewer rows than data-parallel ranks")
        if not begun and not self.pieces.rows:
            give_up(training_data.NOTHING)
        for line in training_data.missed_words(self.pieces.missed, "data (DATA), of the first process"):
            say(line)
        if not self.pieces.packing:
            say(f"data (DATA), of the first process: {training_data.cut_words(self.pieces.longer, self.pieces.rows)}")
        self.place = {"epoch": self.place["epoch"] + 1, "block": 0, "rows": None, "taken": 0}

    def _put(self, some, ahead):
        """The micro-batches that rows make together with those that wait."""
        size = SETTINGS["micro_batch"]
        self.waiting += self.pieces.add(some)
        left = (list(self.pieces.tokens), list(self.pieces.labels), list(self.pieces.positions))
        while len(self.waiting) >= size:
            chosen = self.waiting[:size]
            del self.waiting[:size]
            state = {"place": dict(self.place), "waiting": list(self.waiting), "left": left}
            ahead.put((training_data.batch(chosen, self.pad), state))


class Windows:
    """The same from tokens in files: DATA is a file NAME.bin or a folder of them, 16-bit numbers (32-bit ones for more
    than 65,536 tokens) as nanoGPT's prepare.py writes them. Every epoch has its own order."""

    tokenizer = None

    def __init__(self, rank, ranks, vocabulary):
        self.kind = np.uint16 if vocabulary <= 2**16 else np.uint32
        path = Path(os.environ["DATA"])
        files = sorted(path.glob("*.bin")) if path.is_dir() else [path]
        # What is there to be evaluated on is not trained on, asked for or not.
        apart = [file for file in files if file.name == "val.bin"] if len(files) > 1 else []
        self.files, self.ends = self.mapped([file for file in files if file not in apart])
        self.rank, self.ranks = rank, ranks
        self.state = 0  # micro-batches of this rank so far
        self.most = vocabulary
        self.numbers = np.arange(int(self.ends[-1]))
        self.held_out = self._held_out(apart) if data_sources.evaluates() else []
        if len(self.numbers) < ranks * SETTINGS["micro_batch"]:
            give_up(f"DATA: {path} holds fewer tokens than one batch")

    def mapped(self, files):
        """The tokens of files, and where the windows of each end: of one sequence each, numbered through all files."""
        tokens = [np.memmap(file, dtype=self.kind, mode="r") for file in files]
        return tokens, np.cumsum([len(file) // SETTINGS["sequence"] for file in tokens])

    def _held_out(self, apart):
        """Micro-batches for evaluations: of EVAL_DATA, of val.bin, or of windows that are kept out of training."""
        if os.environ.get("EVAL_DATA"):
            apart = [Path(os.environ["EVAL_DATA"])]
            if apart[0].suffix != ".bin" or not apart[0].exists():
                give_up(f"EVAL_DATA: {apart[0]}; DATA are tokens: expected a file NAME.bin")
        if apart:
            files, ends = self.mapped(apart)
            windows = [self.window(i, files, ends) for i in range(min(int(ends[-1]), data_sources.MOST))]
        else:
            kept = self.numbers % data_sources.EVERY == data_sources.EVERY - 1
            windows = [self.window(i) for i in self.numbers[kept][:data_sources.MOST]]
            self.numbers = self.numbers[~kept]
        size = SETTINGS["micro_batch"]
        parts = [np.stack(windows[at:at + size]).tolist() for at in range(0, len(windows), size)]
        return [{"input_ids": part, "labels": part} for part in parts]

    def restore(self, state):
        self.state = state

    def window(self, number, files=None, ends=None):
        files, ends = files or self.files, self.ends if ends is None else ends
        file = int(np.searchsorted(ends, number, side="right"))
        at = (number - (ends[file - 1] if file else 0)) * SETTINGS["sequence"]
        return files[file][at:at + SETTINGS["sequence"]].astype(np.int64)

    def batches(self):
        size = SETTINGS["micro_batch"]
        each = len(self.numbers) // (self.ranks * size)  # micro-batches of an epoch and rank
        epoch, order = -1, None
        while True:
            if self.state // each != epoch:
                epoch = self.state // each
                order = np.random.default_rng([SETTINGS["seed"], epoch]).permutation(self.numbers)
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
