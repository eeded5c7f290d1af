"""Checkpoints of train.py: each rank writes its part of weights and states, and where it is in the data."""
import json
import shutil

import torch
import torch.distributed as dist

try:
    import torch.distributed.checkpoint as dcp
    from torch.distributed.checkpoint.state_dict import (get_model_state_dict, get_state_dict, set_model_state_dict,
                                                         set_state_dict)
except ImportError:  # torch before 2.2, which has copies only: the first rank writes them
    dcp = None

from phase_parts import SETTINGS
from run_parts import CHECKPOINTS, LOCAL_RANK, RANK, WORLD, say
from training_network import SHARDING



class Checkpoints:
    """Folders step-000200, whole once they hold the file `complete` and all files that it names: mounted buckets take
    the files of each machine by themselves, and those of the others may come later."""

    def __init__(self, model, optimizers, stream):
        self.model, self.optimizers, self.stream = model, optimizers, stream
        self.own = SHARDING == "zero1" and WORLD > 1  # each rank keeps its part of the states in a file of its own

    @staticmethod
    def whole():
        return sorted(p for p in CHECKPOINTS.glob("step-*") if (p / "complete").exists())

    @staticmethod
    def there(folder):
        """Whether all files of a checkpoint are there, as long as they were written."""
        files = json.loads((folder / "complete").read_text(encoding="utf-8") or "{}")
        return all((folder / name).exists() and (folder / name).stat().st_size == size for name, size in files.items())

    @staticmethod
    def written(folder):
        """The files of this rank, and of rank 0 what is about all, with their sizes."""
        mine = [folder / f"rank-{RANK}.pt", *(folder / "state").glob(f"__{RANK}_*")]
        if RANK == 0:
            mine += (folder / "state").glob(".metadata" if dcp else "whole.pt")
        return {str(path.relative_to(folder)): path.stat().st_size for path in mine}

    def newest(self):
        """The last one that every machine sees whole."""
        seen = [None] * WORLD
        dist.all_gather_object(seen, [folder.name for folder in self.whole() if self.there(folder)])
        common = set(seen[0]).intersection(*seen)
        return CHECKPOINTS / max(common) if common else None

    def _write(self, folder):
        """What all ranks have together."""
        if dcp:
            dcp.save(self._state(), checkpoint_id=folder)
        elif RANK == 0:
            folder.mkdir(exist_ok=True)
            states = None if self.own else [optimizer.state_dict() for optimizer in self.optimizers]
            torch.save({"model": self._inner().state_dict(), "optimizer": states}, folder / "whole.pt")

    def _read(self, folder):
        if dcp:
            state = self._state()
            dcp.load(state, checkpoint_id=folder)
            if self.own:
                set_model_state_dict(self.model, state["model"])
            else:
                set_state_dict(self.model, self.optimizers, model_state_dict=state["model"],
                               optim_state_dict=state["optimizer"])
            return
        state = torch.load(folder / "whole.pt", map_location="cpu")
        self._inner().load_state_dict(state["model"])
        for optimizer, part in zip(self.optimizers, state["optimizer"] or []):
            optimizer.load_state_dict(part)

    def _inner(self):
        return getattr(self.model, "module", self.model)

    def _state(self):
        if self.own:
            return {"model": get_model_state_dict(self.model)}
        model, optimizer = get_state_dict(self.model, self.optimizers)
        return {"model": model, "optimizer": optimizer}

    def save(self, step):
        folder = CHECKPOINTS / f"step-{step:08}"
        if (folder / "complete").exists() and self.there(folder):
            return
        folder.mkdir(parents=True, exist_ok=True)
        self._write(folder / "state")
        torch.save({"stream": self.stream.state,
                    "optimizer": [o.optim.state_dict() for o in self.optimizers] if self.own else None},
                   folder / f"rank-{RANK}.pt")
        files = [None] * WORLD
        dist.all_gather_object(files, self.written(folder))
        if RANK == 0:
            files = {name: size for part in files for name, size in part.items()}
            (folder / "complete").write_text(json.dumps(files), encoding="utf-8")
        self.prune(SETTINGS["keep_checkpoints"])
        say(f"checkpoint: {folder.name}")

    def prune(self, keep):
        """Removes old ones, on each machine: they may have disks of their own, and only the first one's tells what is whole."""
        old = [None] * WORLD
        dist.all_gather_object(old, [folder.name for folder in self.whole()[:-keep]] if RANK == 0 and keep > 0 else [])
        for name in old[0] if LOCAL_RANK == 0 else []:
            shutil.rmtree(CHECKPOINTS / name, ignore_errors=True)

    def load(self):
        """The step to go on after; 0 without a checkpoint."""
        folder = self.newest()
        if folder is None:
            return 0
        self._read(folder / "state")
        mine = torch.load(folder / f"rank-{RANK}.pt", map_location="cpu", weights_only=False)
        if self.own:
            for optimizer, part in zip(self.optimizers, mine["optimizer"]):
                optimizer.optim.load_state_dict(part)
        self.stream.restore(mine["stream"])
        say(f"resumed from {folder.name}")
        return int(folder.name.removeprefix("step-"))
