"""transformers.trainer_utils."""

from pathlib import Path


def get_last_checkpoint(folder):
    found = sorted(Path(folder).glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    return str(found[-1]) if found else None
