"""What the programs of launch ask of datasets, in memory: Debian has no package of it. Files are read for what they are, but
Parquet's, which here are JSON lines under that name. HUB names a folder that stands for the hub: OWNER/NAME/SPLIT.jsonl."""

import json
import os
import random
from pathlib import Path


class IterableRows:
    """A stream, which says where it is. As in datasets, what was saved holds for its own epoch only. It has no shuffle: that of
    datasets does not save the rows of its buffer, so that who goes on after load_state_dict() never sees those."""

    def __init__(self, rows, part=(0, 1)):
        self.rows, self.part = rows, part
        self.epoch, self.at, self.begin = 0, None, None

    def filter(self, keep):
        return IterableRows([row for row in self.rows if keep(row)], self.part)

    def take(self, count):
        return IterableRows(self.rows[:count], self.part)

    def set_epoch(self, epoch):
        self.epoch = epoch

    def state_dict(self):
        return {"epoch": self.epoch, "at": self.at}

    def load_state_dict(self, state):
        self.begin = state

    def __iter__(self):
        mine = self.rows[self.part[0]::self.part[1]]
        self.at = self.begin["at"] if self.begin and self.begin["epoch"] == self.epoch else 0
        while self.at < len(mine):
            self.at += 1
            yield mine[self.at - 1]


class Rows:
    """A whole data set."""

    def __init__(self, rows):
        self.rows = rows
        self._fingerprint = str(len(rows))

    def __len__(self):
        return len(self.rows)

    def __iter__(self):
        return iter(self.rows)

    @property
    def column_names(self):
        return sorted({name for row in self.rows for name in row})

    def __getitem__(self, name):
        return [row[name] for row in self.rows]

    def remove_columns(self, names):
        return Rows([{name: value for name, value in row.items() if name not in names} for row in self.rows])

    def select(self, numbers):
        return Rows([self.rows[number] for number in numbers])

    def train_test_split(self, test_size, seed):
        order = list(range(len(self.rows)))
        random.Random(seed).shuffle(order)
        return {"train": self.select(order[test_size:]), "test": self.select(order[:test_size])}

    def map(self, function, batched, remove_columns, desc, new_fingerprint, num_proc):
        assert batched and remove_columns == self.column_names and desc and num_proc is None, "few rows"
        made = []
        for at in range(0, len(self.rows), 1000):
            some = self.rows[at:at + 1000]
            found = function({name: [row.get(name) for row in some] for name in self.column_names})
            made += [dict(zip(found, values)) for values in zip(*found.values())]
        return Rows(made)

    def to_parquet(self, path):
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in self.rows), encoding="utf-8")


def read(kind, name, sample_by):
    text = Path(name).read_text(encoding="utf-8")
    if kind == "text":
        assert sample_by == "paragraph"
        return [{"text": part} for part in text.split("\n\n") if part.strip()]
    try:
        whole = json.loads(text)
        return whole if isinstance(whole, list) else [whole]
    except ValueError:
        return [json.loads(line) for line in text.splitlines()]


def load_dataset(kind, split, streaming, data_files=None, sample_by=None, name=None):
    if data_files:
        assert kind in ("json", "text", "parquet") and split == "train" and name is None
        rows = [row for file in data_files for row in read(kind, file, sample_by)]
    else:
        path = Path(os.environ["HUB"], kind, f"{split}.jsonl")
        if not path.exists():
            raise ValueError(f"Dataset {kind!r} doesn't exist on the Hub\nand more lines")
        rows = read("json", path, None)
    return IterableRows(rows) if streaming else Rows(rows)
