# Settings of nanoGPT's train.py, which runs this file among its own variables.
import json as _json
import os as _os

with open(_os.path.join(_os.environ["GPUPLAN_FILES"], "settings.json"), encoding="utf-8") as _file:
    globals().update(_json.load(_file))
# It saves at multiples of eval_interval only, and not at the end: the last step is made one of them.
_saves = max(max_iters // min(eval_interval, max_iters), 1)
eval_interval = -(-max_iters // _saves)
max_iters = eval_interval * _saves
out_dir = _os.environ["GPUPLAN_CHECKPOINTS"]
dataset = _os.environ["DATASET"]
wandb_log = False
# It has one checkpoint and writes over it: killed meanwhile it would have none.
_save = torch.save


def _save_whole(what, path, *more, **named):
    _save(what, path + ".new", *more, **named)
    with open(path + ".new", "rb") as file:
        _os.fsync(file.fileno())
    _os.replace(path + ".new", path)


torch.save = _save_whole
_saved = _os.path.join(out_dir, "ckpt.pt")
if _os.path.exists(_saved):
    init_from = "resume"
    # It draws batches by 1337 and the rank at each start, those of the first steps again: another seed for each checkpoint.
    _seed, _more = torch.manual_seed, 1000003 * int(_os.path.getmtime(_saved))
    torch.manual_seed = lambda seed: _seed(seed + _more)
