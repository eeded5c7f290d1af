"""Runs a program of generation once for each replica of the plan, each on GPUs of its own, and waits for all.

The parent starts `python program.py --replica N` with CUDA_VISIBLE_DEVICES; a replica that fails ends the others. Asked
to stop, replicas finish the batch that they are at; what is written stays, and a second start goes on after it."""
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from chat_template import end_of_answer
from phase_parts import RUN_DIR, SETTINGS, Stop, give_up

RESULTS = RUN_DIR / "results"
CUT = {}  # prompts that were cut, by the name of their data and the tokens that are kept


def adapter_of(source):
    """The base model and the adapter, where an earlier phase left an adapter."""
    file = Path(source) / "adapter_config.json"
    if file.exists():
        return json.loads(file.read_text(encoding="utf-8"))["base_model_name_or_path"], source
    return source, None


def tokenizer_of(base, adapter):
    """Where the tokenizer is: beside an adapter lies the one that it was trained with, chat template and all."""
    return adapter if adapter and (Path(adapter) / "tokenizer_config.json").exists() else base


def ends_of_answers(tokenizer):
    """Tokens at which conversations end their answers. The model's own settings may name others alone: a base model that
    learnt to converse goes on behind <|im_end|>, up to the end of a text that never comes."""
    end = end_of_answer(tokenizer) if getattr(tokenizer, "chat_template", None) else None
    return [] if end is None else [tokenizer.convert_tokens_to_ids(end)]


def rows_of(model, data):
    """The rows of one data set for one model: DATA is a JSON-lines file, or a folder with a file (or a folder of files)
    for each model or data set."""
    path = Path(os.environ.get("DATA", ""))
    if path.is_dir():
        names = [path / model["slug"] / data["slug"], path / model["slug"], path / data["slug"], path]
        found = next((n for n in names if n.is_dir() or n.with_name(n.name + ".jsonl").exists()), path)
        single = found.with_name(found.name + ".jsonl")
        files = [single] if single.exists() else sorted(p for p in found.glob("*.jsonl") if ".part-" not in p.name)
    else:
        files = [path] if path.is_file() else []
    if not files:
        give_up(f"DATA: no JSON-lines file for {data['name']} at {str(path)!r}")
    rows = []
    for file in files:
        with file.open(encoding="utf-8") as lines:
            rows += [row_of(line, f"{file}:{number}") for number, line in enumerate(lines, 1) if line.strip()]
    if not rows:
        give_up(f"DATA: no rows for {data['name']} in {', '.join(str(f) for f in files)}")
    for number, row in enumerate(rows):
        row.setdefault("id", number)
    return rows


def row_of(line, where):
    """One row; ends the program where it asks nothing."""
    try:
        row = json.loads(line)
    except ValueError as problem:
        give_up(f"DATA: {where}: no JSON: {problem}")
    if not isinstance(row, dict) or not (row.get("messages") or any(row.get(name) is not None for name in ("text", "prompt"))):
        give_up(f'DATA: {where}: a row holds neither "prompt" nor "text" nor "messages": {str(sorted(row) if isinstance(row, dict) else row)[:200]}')
    return row


def text_of(row, tokenizer):
    """What a row asks: its conversation, its prompt with the answer it holds, or its text."""
    if row.get("messages"):
        return tokenizer.apply_chat_template(row["messages"], tokenize=False, add_generation_prompt=True)
    if row.get("text") is not None:
        return row["text"]
    return row["prompt"] + (row.get("completion") or "")


def tokens_of(row, tokenizer, data):
    """The same in tokens, at most as many as the plan counts with. Templates of conversations bring their own marks."""
    found = whole_tokens(row, tokenizer)
    most = int(data["max_prompt_tokens"])
    if len(found) > most:
        CUT[data["name"], most] = CUT.get((data["name"], most), 0) + 1
    return found[:most]


def whole_tokens(row, tokenizer):
    return tokenizer(text_of(row, tokenizer), add_special_tokens=not row.get("messages"))["input_ids"]


def check_lengths(rows, tokenizer, data):
    """Before anything is answered: a question that is cut at its end asks something else, a conversation nothing. Texts
    that are only read may be cut, and prompts where somebody says so (CUT_PROMPTS=1)."""
    most = int(data["max_prompt_tokens"])
    may_cut = SETTINGS["forward_only"] or os.environ.get("CUT_PROMPTS") == "1"
    asked = [row for row in rows if row.get("messages") or (row.get("text") is None and not may_cut)]
    longer = [(length, row) for row in asked if (length := len(whole_tokens(row, tokenizer))) > most]
    if not longer:
        return
    length, row = max(longer, key=lambda one: one[0])
    what = "conversation" if row.get("messages") else "prompt"
    give_up(f"DATA: {data['name']}: {len(longer)} of {len(rows)} rows are longer than the {most} tokens that the plan counts "
            f"for a prompt; the longest is the {what} {row['id']}, of {length} tokens. Leave such rows out, or plan with "
            f"prompt_tokens: {{mean: ..., max: {length}}}" + ("" if what == "conversation" else ", or cut them: CUT_PROMPTS=1"))


def tell_cut():
    for (name, most), count in CUT.items():
        print(f"{name}: {count} prompts are longer than the {most} tokens that the plan counts, and were cut at the end",
              file=sys.stderr, flush=True)


def kept_lines(file):
    """The lines of a file of results, each with its row; None for one that was cut off when all stopped. Texts hold signs
    that splitlines() takes for ends of lines."""
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n") if file.exists() else []
    found = []
    for line in filter(None, lines):
        try:
            found.append((line, json.loads(line)))
        except ValueError:
            found.append((line, None))
    return found


def write_lines(file, lines):
    """Whole or not at all: answers that are there were paid for."""
    draft = file.with_name(file.name + ".draft")
    draft.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    draft.replace(file)


def shares(replica):
    """What a replica does: (model, data set, its part of the rows, of how many parts)."""
    count = SETTINGS["replicas"]
    models = SETTINGS["models"]
    if SETTINGS["one_model_per_gpu"]:
        lanes = min(count, len(models))
        # More replicas than models: those of one model share its rows.
        together = max(count // lanes, 1)
        mine = [m for i, m in enumerate(models) if i % lanes == replica % lanes]
        part, parts = replica // lanes, together
        if part >= parts:
            return
    else:
        mine, part, parts = models, replica, count
    for model in mine:
        for data in SETTINGS["data"]:
            yield model, data, part, parts


def replica_of_arguments():
    if len(sys.argv) == 3 and sys.argv[1] == "--replica":
        return int(sys.argv[2])
    return None


def in_flight():
    """Requests that this replica has at work at once. All replicas together have no more than the job says: where that
    does not divide, the first ones have one more."""
    most, together = SETTINGS["in_flight"], SETTINGS.get("in_flight_together")
    replica = replica_of_arguments()
    if together is None or replica is None:
        return most
    each, more = divmod(together, SETTINGS["replicas"])
    return max(1, min(most, each + (replica < more)))


def merge():
    """One file for each model and data set, from the parts of all replicas. Of several machines each does so when it is
    done: the last one finds all parts."""
    for folder in sorted(p for p in RESULTS.glob("*") if p.is_dir()):
        names = sorted({re.sub(r"\.part-\d+$", "", p.stem) for p in folder.glob("*.part-*.jsonl")})
        for name in names:
            draft = folder / f"{name}.draft-{os.getpid()}"
            with draft.open("w", encoding="utf-8") as whole:
                for part in sorted(folder.glob(f"{name}.part-*.jsonl")):
                    whole.write(part.read_text(encoding="utf-8"))
            draft.rename(folder / f"{name}.jsonl")


def run(program):
    """Starts this machine's replicas and waits; exits as the worst of them."""
    stop = Stop()
    wide = SETTINGS["gpus_of_replica"]
    node = int(os.environ.get("GPUPLAN_NODE_RANK", "0"))
    per_node = SETTINGS["gpus"] // wide
    mine = range(node * per_node, min((node + 1) * per_node, SETTINGS["replicas"]))
    visible = os.environ.get("CUDA_VISIBLE_DEVICES", "")
    devices = visible.split(",") if visible else [str(i) for i in range(SETTINGS["gpus"])]
    if len(devices) < len(mine) * wide:
        give_up(f"the plan has {len(mine) * wide} GPUs on this machine, but there are {len(devices)}")
    RESULTS.mkdir(parents=True, exist_ok=True)
    logs = RUN_DIR / "logs"
    logs.mkdir(exist_ok=True)
    children = []
    for index, replica in enumerate(mine):
        chosen = ",".join(devices[index * wide:(index + 1) * wide])
        environment = dict(os.environ, CUDA_VISIBLE_DEVICES=chosen)
        # The first one writes to the log of the phase.
        out = None if index == 0 else (logs / f"replica-{replica}.log").open("a", encoding="utf-8")
        children.append(subprocess.Popen([sys.executable, program, "--replica", str(replica)], env=environment,
                                         stdout=out, stderr=subprocess.STDOUT if out else None))
    passed_on = False
    while any(child.poll() is None for child in children):
        if stop.signalled and not passed_on:
            passed_on = True
            (RUN_DIR / "stop").touch()
        if any(child.poll() for child in children):
            for child in children:
                child.terminate()
        time.sleep(0.5)
    codes = [child.returncode for child in children]
    if any(codes):
        print(f"replicas ended with {codes}: see {logs}", file=sys.stderr, flush=True)
        sys.exit(max((code for code in codes if code > 0), default=1))
    if stop.here():
        (RUN_DIR / "stopped").touch()
        return
    merge()
    print("all replicas are done", flush=True)
