"""What the programs that train share: ranks, being asked to stop, and the lines of the log."""
import os
import time
from pathlib import Path

import torch
import torch.distributed as dist

from phase_parts import RUN_DIR, SETTINGS, Stop

CHECKPOINTS = Path(os.environ["GPUPLAN_CHECKPOINTS"])
RANK = int(os.environ.get("RANK", "0"))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))


def say(text):
    """One line of the log, from one process."""
    if RANK == 0:
        print(text, flush=True)


class StopRequest(Stop):
    """All ranks agree on it, so that they stop after the same step."""

    def everywhere(self):
        """Whether any rank was asked. Called by all ranks at the same point."""
        if not dist.is_initialized() or dist.get_world_size() == 1:
            return self.here()
        flag = torch.tensor([int(self.here())], device=torch.device("cuda", LOCAL_RANK))
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())


def mark_stopped(step):
    """Tells supervise.sh that the state is saved and the run is to be started again."""
    if RANK == 0:
        (RUN_DIR / "stopped").write_text(f"step {step}\n", encoding="utf-8")
    say(f"stopped after step {step}: a checkpoint is written, started again it goes on from there")


class StepLog:
    """A line for each step or few, in the form that torchtitan has: tokens a second are those of one GPU, memory is
    what the allocator reserved at most since the line before."""

    def __init__(self):
        self.tokens = 0.0
        self.peak = 0
        self.since = time.perf_counter()

    def restart(self):
        self.tokens, self.since = 0.0, time.perf_counter()

    def line(self, step, loss, grad_norm):
        now = time.perf_counter()
        rate = self.tokens / max(now - self.since, 1e-9)
        tflops = rate * SETTINGS["flops_per_token"] / 1e12
        peak = SETTINGS["peak_tflops"]
        mfu = f"{100 * tflops / peak:.2f}%" if peak else "N/A"
        device = torch.cuda.current_device()
        reserved = torch.cuda.max_memory_reserved(device)
        share = 100 * reserved / torch.cuda.get_device_properties(device).total_memory
        say(f"step: {step:2}  loss: {loss:8.5f}  grad_norm: {grad_norm:7.4f}  memory: {reserved / 2**30:5.2f}GiB"
            f"({share:.2f}%)  tps: {round(rate):,}  tflops: {tflops:,.2f}  mfu: {mfu}")
        self.peak = max(self.peak, torch.cuda.max_memory_allocated(device))
        torch.cuda.reset_peak_memory_stats(device)
        self.restart()

    def end(self):
        say(f"Peak memory usage: {self.peak / 2**20:.2f}MiB")
