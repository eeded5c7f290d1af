"""The loss of train.py on rows that it does not learn from."""
import torch
import torch.distributed as dist

from phase_parts import SETTINGS, say
from run_parts import DEVICE, WORLD

IGNORED = -100


def shared_out(batches, rank, ranks):
    """The micro-batches of one data-parallel rank, as many as every other has, each with its weight: shards are gathered
    by all ranks at once. Who has no last one of its own runs another for nothing."""
    each = -(-len(batches) // ranks)
    mine = [(batch, 1) for batch in batches[rank::ranks]]
    return mine + [(batches[0], 0)] * (each - len(mine))


class Evaluation:
    """Every `eval_steps` of the settings; `batches` are those of all ranks."""

    def __init__(self, batches, rank, ranks):
        self.every = SETTINGS["eval_steps"] if batches else 0
        self.batches = shared_out(batches, rank, ranks) if self.every else []

    def due(self, step):
        return self.every > 0 and (step % self.every == 0 or step == SETTINGS["steps"])

    def loss(self, model, surroundings):
        """The mean over all labels of all ranks."""
        sums = torch.zeros(2, device=DEVICE, dtype=torch.float64)
        model.eval()
        with torch.no_grad():
            for batch, weight in self.batches:
                inputs = {name: torch.tensor(values, device=DEVICE) for name, values in batch.items()}
                count = (inputs["labels"][:, 1:] != IGNORED).sum()
                with surroundings():
                    part = model(**inputs).loss
                # A mean over no labels is no number.
                sums += torch.stack([torch.where(count > 0, part.double() * count, 0.0 * part.double()).nan_to_num(),
                                     count.double()]) * weight
        model.train()
        if WORLD > 1:
            dist.all_reduce(sums)
        return (sums[0] / sums[1].clamp(min=1)).item()

    def tell(self, step, model, surroundings):
        found = self.loss(model, surroundings)
        say(f"validate step: {step:2}  loss: {found:8.5f}")
        return found
