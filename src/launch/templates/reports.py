"""Where numbers of a run go besides the log: REPORT_TO is none, wandb, tensorboard, or both with a comma between."""
import os

from phase_parts import RUN_DIR, SETTINGS, give_up

KNOWN = ("wandb", "tensorboard")
FOLDER = RUN_DIR / "tensorboard"


def chosen():
    names = [name.strip() for name in os.environ.get("REPORT_TO", "none").split(",")]
    names = [name for name in names if name not in ("", "none")]
    for name in names:
        if name not in KNOWN:
            give_up(f"REPORT_TO: {name!r}; expected none, {' or '.join(KNOWN)}, or both with a comma between")
    return names


class Reports:
    """For programs that have no Trainer to do it. The first process reports; a run that goes on after a stop stays one."""

    def __init__(self):
        self.board = self.run = None
        names = chosen() if os.environ.get("RANK", "0") == "0" else []
        if "tensorboard" in names:
            from torch.utils.tensorboard import SummaryWriter
            self.board = SummaryWriter(str(FOLDER))
        if "wandb" in names:
            import wandb
            mark = RUN_DIR / "wandb-run"
            known = mark.read_text(encoding="utf-8").strip() if mark.exists() else None
            self.run = wandb.init(project=os.environ.get("WANDB_PROJECT", SETTINGS["job"]), name=os.environ.get("WANDB_NAME", SETTINGS["run_name"]),
                                  dir=str(RUN_DIR), id=known, resume="allow", config=SETTINGS)
            mark.write_text(self.run.id, encoding="utf-8")

    def tell(self, step, **values):
        for name, value in values.items() if self.board else ():
            self.board.add_scalar(name.replace("__", "/"), value, step)
        if self.run:
            self.run.log({name.replace("__", "/"): value for name, value in values.items()}, step=step)

    def end(self):
        if self.board:
            self.board.close()
        if self.run:
            self.run.finish()
