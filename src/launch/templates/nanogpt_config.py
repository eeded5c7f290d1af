# Settings of nanoGPT's train.py, which runs this file among its own variables.
import json as _json
import os as _os

with open(_os.path.join(_os.environ["GPUPLAN_FILES"], "settings.json"), encoding="utf-8") as _file:
    globals().update(_json.load(_file))
out_dir = _os.environ["GPUPLAN_CHECKPOINTS"]
dataset = _os.environ["DATASET"]
wandb_log = False
if _os.path.exists(_os.path.join(out_dir, "ckpt.pt")):
    init_from = "resume"
