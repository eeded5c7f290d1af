"""Prints the newest step whose checkpoint is whole, from which nanochat goes on; nothing where there is none.

Its checkpoint_manager.py writes model_000100.pt first, then meta_000100.json, then each rank its part of the optimizer, all
of them under their last names: what was cut off by a kill looks like the others, but for the end of a file. What torch.save
writes is a ZIP archive, whose directory comes last.
"""
import json
import os
import zipfile
from pathlib import Path


def whole(folder, step, ranks):
    try:
        json.loads((folder / f"meta_{step}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    parts = list(folder.glob(f"optim_{step}_rank*.pt"))
    return len(parts) == ranks and all(map(zipfile.is_zipfile, [folder / f"model_{step}.pt", *parts]))


if __name__ == "__main__":
    saved = Path(os.environ["GPUPLAN_CHECKPOINTS"])
    world = int(os.environ["GPUPLAN_GPUS"]) * int(os.environ["GPUPLAN_NODES"])
    steps = sorted((path.stem.removeprefix("meta_") for path in saved.glob("meta_*.json")), reverse=True)
    newest = next((step for step in steps if whole(saved, step, world)), None)
    if newest is not None:
        print(int(newest))
