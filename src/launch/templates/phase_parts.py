"""What every program of a phase shares, whatever it runs: settings, folders, where models come from, being asked to
stop."""
import json
import os
import signal
import sys
from pathlib import Path

NOT_PREPARED = 78
HERE = Path(__file__).resolve().parent
SETTINGS = json.loads((HERE / "settings.json").read_text(encoding="utf-8"))
RUN_DIR = Path(os.environ["GPUPLAN_RUN_DIR"])


def give_up(text):
    """Something is missing that only a person can add."""
    print(text, file=sys.stderr, flush=True)
    sys.exit(NOT_PREPARED)


def say(text):
    """One line of the log, from one process."""
    if os.environ.get("RANK", "0") == "0":
        print(text, flush=True)


def model_source(model):
    """Name or folder to load: a variable of the environment, what an earlier phase trained, or the name in the plan."""
    chosen = os.environ.get(model["variable"])
    if chosen:
        return chosen
    for folder in model.get("trained_by", []):
        left = RUN_DIR.parent / folder
        if left.exists():
            return str(left)
    return model["name"]


class Stop:
    """Set by a signal or by the file `stop`."""

    def __init__(self):
        self.signalled = False
        for number in (signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number, _frame):
        self.signalled = True

    def here(self):
        return self.signalled or (RUN_DIR / "stop").exists()
