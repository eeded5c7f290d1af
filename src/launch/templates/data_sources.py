"""Finds the rows that a phase reads: files of one kind, or a data set of the Hugging Face hub.

DATA is a file or a folder of JSON lines, JSON, Parquet or text, or a name of the hub, "owner/name" or
"owner/name:split"; DATA_SPLIT and DATA_CONFIG name the split and the configuration of such a data set. Rows to evaluate
on are those of EVAL_DATA, named in the same way, or a share of DATA that is kept out of training."""
import json
import os
import re
import zlib
from pathlib import Path

from data_rows import checked
from phase_parts import SETTINGS, give_up, say

KINDS = {"json": (".jsonl", ".json", ".ndjson"), "parquet": (".parquet",), "text": (".txt", ".md")}
SQUEEZED = (".gz", ".zst", ".xz")
ENDINGS = ", ".join(ending for endings in KINDS.values() for ending in endings)
EVERY = 50  # of so many rows one is kept for evaluations
MOST = 500  # rows of an evaluation


def kind_of(path):
    """"json", "parquet" or "text" by the ending; None for other files."""
    name = path.name.lower()
    for ending in SQUEEZED:
        name = name.removesuffix(ending)
    return next((kind for kind, endings in KINDS.items() if name.endswith(endings)), None)


def files_of(path, variable):
    """The kind of a file, or of all files in a folder, and their names."""
    files = [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file() and kind_of(p))
    kinds = sorted({str(kind_of(p)) for p in files})
    if not files:
        give_up(f"{variable}: no file with an ending of {ENDINGS} in {path}")
    if kinds == ["None"]:
        give_up(f"{variable}: {path} is of no kind that is known: expected an ending of {ENDINGS}, or with .gz behind it")
    if len(kinds) > 1:
        give_up(f"{variable}: {path} holds files of several kinds ({', '.join(kinds)}): expected one; name the files of "
                "one kind in a folder of their own")
    return kinds[0], [str(p) for p in files]


def on_hub(name, otherwise):
    """Name and split of a data set of the hub; None for what can be no name of one."""
    if not re.fullmatch(r"[\w.-]+(/[\w.-]+)?(:[^/\s]+)?", name) or kind_of(Path(name)):
        return None
    hub, _, split = name.partition(":")
    return hub, split or otherwise


def load(streaming, variable="DATA"):
    """The rows that a variable names; ends the program where they say nothing that can be learnt."""
    try:
        rows = rows_of(streaming, variable)
        row = next(iter(rows), None)
    except Exception as problem:  # whatever the hub, the network or a file has to say
        lines = str(problem.__cause__ or problem).strip().splitlines() or [type(problem).__name__]
        give_up(f"{variable}: {os.environ[variable]} cannot be read: {lines[0][:300]} (of the hub: DATA_CONFIG names a "
                "configuration, HF_TOKEN opens what is not public)")
    if row is None:
        give_up(f"{variable}: no rows")
    checked(row, variable)
    return rows


def rows_of(streaming, variable):
    from datasets import load_dataset
    name = os.environ.get(variable, "").strip()
    path = Path(name)
    if name and path.exists():
        kind, files = files_of(path, variable)
        # A text is what stands between empty lines.
        more = {"sample_by": "paragraph"} if kind == "text" else {}
        return load_dataset(kind, data_files=files, split="train", streaming=streaming, **more)
    hub = on_hub(name, os.environ.get("DATA_SPLIT", "train") if variable == "DATA" else "test")
    if not hub:
        give_up(f"{variable}: {name!r} is neither a file or folder here nor a name of the Hugging Face hub: expected a path "
                f"with an ending of {ENDINGS}, or owner/name or owner/name:split")
    more = {"name": os.environ["DATA_CONFIG"]} if os.environ.get("DATA_CONFIG") else {}
    return load_dataset(hub[0], split=hub[1], streaming=streaming, **more)


def evaluates():
    return SETTINGS.get("eval_steps", 0) > 0


def load_both(streaming):
    """Rows to train on, and those to evaluate on (None: none are wanted)."""
    rows = load(streaming)
    if not evaluates():
        return rows, None
    if os.environ.get("EVAL_DATA"):
        return rows, first(load(streaming, "EVAL_DATA"), streaming)
    if streaming:
        kept = list(first(rows.filter(kept_out), streaming))
        if not kept:
            give_up("DATA: too few rows to keep some of them for evaluations: name others in EVAL_DATA")
        say(f"evaluation: one row of {EVERY} is kept out of training (EVAL_DATA names others)")
        return rows.filter(lambda row: not kept_out(row)), kept
    if len(rows) < 2:
        give_up("DATA: one row cannot be both trained and evaluated on: name others in EVAL_DATA")
    count = max(1, min(len(rows) // EVERY, MOST))
    parts = rows.train_test_split(test_size=count, seed=int(SETTINGS["seed"]))
    say(f"evaluation: {count} of {len(rows)} rows are kept out of training (EVAL_DATA names others)")
    return parts["train"], parts["test"]


def kept_out(row):
    """By what a row says: in whatever order and share of the data it comes, it is kept out or never."""
    return zlib.crc32(json.dumps(row, sort_keys=True, default=str).encode()) % EVERY == 0


def first(rows, streaming):
    return rows.take(MOST) if streaming else rows.select(range(min(MOST, len(rows))))
