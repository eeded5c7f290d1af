"""What the programs that train share: ranks, being asked to stop, and the lines of the log."""
import os
import resource
import time
from pathlib import Path

import torch
import torch.distributed as dist

from phase_parts import RUN_DIR, SETTINGS, Stop, give_up, say

CHECKPOINTS = Path(os.environ["GPUPLAN_CHECKPOINTS"])
RANK = int(os.environ.get("RANK", "0"))
WORLD = int(os.environ.get("WORLD_SIZE", "1"))
LOCAL_RANK = int(os.environ.get("LOCAL_RANK", "0"))


def chosen_device():
    """The GPU of this process. A machine whose driver is broken is no reason to pay for hours on its CPU: that is only
    taken where somebody says so."""
    if os.environ.get("GPUPLAN_DEVICE") == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        give_up("torch sees no GPU here (nvidia-smi or amd-smi; torch.version.cuda or torch.version.hip); to run on the CPU: export GPUPLAN_DEVICE=cpu")
    return torch.device("cuda", LOCAL_RANK)


DEVICE = chosen_device()
GPU = DEVICE.type == "cuda"


class StopRequest(Stop):
    """All ranks agree on it, so that they stop after the same step."""

    def everywhere(self):
        """Whether any rank was asked. Called by all ranks at the same point."""
        if not dist.is_initialized() or dist.get_world_size() == 1:
            return self.here()
        flag = torch.tensor([int(self.here())], device=DEVICE)
        dist.all_reduce(flag, op=dist.ReduceOp.MAX)
        return bool(flag.item())


def mark_stopped(step):
    """Tells supervise.sh that the state is saved and the run is to be started again."""
    if RANK == 0:
        (RUN_DIR / "stopped").write_text(f"step {step}\n", encoding="utf-8")
    say(f"stopped after step {step}: a checkpoint is written, started again it goes on from there")


def device_name():
    return f"GPU: {torch.cuda.get_device_name(DEVICE)}" if GPU else "CPU:"


def peak_memory():
    """Bytes that were reserved at most since the last time, those in use of them, and all that there are. Of a CPU's
    process only the most since its start is known."""
    if not GPU:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        return used, used, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    found = (torch.cuda.max_memory_reserved(DEVICE), torch.cuda.max_memory_allocated(DEVICE),
             torch.cuda.get_device_properties(DEVICE).total_memory)
    torch.cuda.reset_peak_memory_stats(DEVICE)
    return found


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
        reserved, used, total = peak_memory()
        say(f"step: {step:2}  loss: {loss:8.5f}  grad_norm: {grad_norm:7.4f}  memory: {reserved / 2**30:5.2f}GiB"
            f"({100 * reserved / total:.2f}%)  tps: {round(rate):,}  tflops: {tflops:,.2f}  mfu: {mfu}")
        self.peak = max(self.peak, used)
        self.restart()

    def end(self):
        say(f"Peak memory usage: {self.peak / 2**20:.2f}MiB")
