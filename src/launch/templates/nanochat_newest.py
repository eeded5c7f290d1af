"""Prints the newest step whose checkpoint is whole, from which nanochat goes on; nothing where there is none. With N and PID,
beside nanochat: removes all but the N newest that are whole, as it keeps every one, as long as that process is there.

Its checkpoint_manager.py writes model_000100.pt first, then meta_000100.json, then each rank its part of the optimizer, all
of them under their last names: what was cut off by a kill looks like the others, but for the end of a file. What torch.save
writes is a ZIP archive, whose directory comes last.
"""
import json
import os
import sys
import time
import zipfile
from pathlib import Path


def whole(folder, step, ranks):
    try:
        json.loads((folder / f"meta_{step}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    parts = list(folder.glob(f"optim_{step}_rank*.pt"))
    return len(parts) == ranks and all(map(zipfile.is_zipfile, [folder / f"model_{step}.pt", *parts]))


def whole_steps(folder, ranks):
    """From the newest on."""
    steps = sorted((path.stem.removeprefix("meta_") for path in folder.glob("meta_*.json")), reverse=True)
    return (step for step in steps if whole(folder, step, ranks))


def prune(folder, ranks, keep):
    kept = [step for step, _ in zip(whole_steps(folder, ranks), range(keep))]
    for path in folder.glob("*_*") if len(kept) == keep else ():
        if path.stem.split("_")[1] < kept[-1]:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    saved = Path(os.environ["GPUPLAN_CHECKPOINTS"])
    world = int(os.environ["GPUPLAN_GPUS"]) * int(os.environ["GPUPLAN_NODES"])
    if len(sys.argv) > 1:
        while Path("/proc", sys.argv[2]).exists():
            prune(saved, world, int(sys.argv[1]))
            time.sleep(float(os.environ.get("GPUPLAN_POLL", "30")))
        sys.exit()
    newest = next(whole_steps(saved, world), None)
    if newest is not None:
        print(int(newest))
