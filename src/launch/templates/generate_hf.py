"""Answers prompts with transformers' generate, or reads texts, and keeps activations of layers where the plan says so.

One process for each replica. Answers are JSON lines; activations lie beside them in safetensors files, one for each
batch. A second start keeps what is there and goes on after it."""
import itertools
import json
import time

import torch
from transformers import (MODEL_FOR_CAUSAL_LM_MAPPING, AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText,
                          AutoTokenizer)

import replicas
from decoder_layers import layers_of
from phase_parts import model_source
from replicas import RESULTS, SETTINGS

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16}
STORE = SETTINGS["store"]


def load_tokenizer(base, adapter):
    tokenizer = AutoTokenizer.from_pretrained(replicas.tokenizer_of(base, adapter), padding_side="left")
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def load(model, base, adapter):
    weights = SETTINGS["weights"]
    # Checkpoints that are quantised already say so themselves.
    how = {"dtype": TYPES.get(weights, "auto"), "attn_implementation": model["attention"]}
    if weights in ("int8", "nf4") and not SETTINGS["quantized"]:
        from transformers import BitsAndBytesConfig
        how["quantization_config"] = BitsAndBytesConfig(
            load_in_4bit=weights == "nf4", load_in_8bit=weights == "int8", bnb_4bit_quant_type="nf4",
            bnb_4bit_compute_dtype=torch.bfloat16)
    # Several GPUs of one replica hold layers in turn.
    how["device_map"] = "auto" if SETTINGS["gpus_of_replica"] > 1 else {"": 0}
    # Models that also see are asked by text alone; some have a class of their own.
    words = type(AutoConfig.from_pretrained(base)) in MODEL_FOR_CAUSAL_LM_MAPPING
    network = (AutoModelForCausalLM if words else AutoModelForImageTextToText).from_pretrained(base, **how)
    if adapter:
        from peft import PeftModel
        network = PeftModel.from_pretrained(network, adapter).merge_and_unload()
    if SETTINGS["compile"]:
        network.forward = torch.compile(network.forward, mode="reduce-overhead")
        network.generation_config.cache_implementation = "static"
    return network.eval()


class Hooks:
    """Outputs of some layers, pass by pass. They are moved to the host when a batch is done."""

    def __init__(self, network):
        self.kept = {}
        if not STORE:
            return
        layers = layers_of(network)
        wanted = min(int(STORE["layers"]), len(layers))
        # Spread over the depth, the last one among them.
        chosen = sorted({round((i + 1) * len(layers) / wanted) - 1 for i in range(wanted)})
        for number in chosen:
            layers[number].register_forward_hook(self._keeper(number))

    def _keeper(self, number):
        def keep(_module, _inputs, output):
            hidden = output[0] if isinstance(output, tuple) else output
            self.kept.setdefault(number, []).append(hidden.detach())
        return keep

    def take(self, prompt, mask, answers):
        """A tensor (layers, tokens, width) for each sequence of the batch, of the tokens that are kept."""
        if not STORE:
            return []
        if not self.kept:
            replicas.give_up("store: no layer gave activations; the network calls others than its list of layers")
        layers = [torch.cat([p.to("cuda:0") for p in passes], dim=1) for _, passes in sorted(self.kept.items())]
        whole = torch.stack(layers)
        self.kept.clear()
        if whole.shape[-1] != STORE["width"]:
            replicas.give_up(f"store: the layers are {whole.shape[-1]} wide, the plan counted {STORE['width']}")
        result = []
        for row in range(whole.shape[1]):
            start = prompt - int(mask[row].sum())  # padding stands on the left
            end = prompt + answers[row]
            ranges = {"all": slice(start, end), "prompt": slice(start, prompt), "new": slice(prompt, end),
                      "last": slice(end - 1, end)}
            kept = whole[:, row, ranges[STORE["tokens"]]]
            result.append(kept.to(TYPES[STORE["dtype"]]).cpu().contiguous())
        return result


def save(folder, number, ids, tensors):
    """The activations of one batch, whole or not at all."""
    from safetensors.torch import save_file
    folder.mkdir(parents=True, exist_ok=True)
    name = folder / f"batch-{number:06}.safetensors"
    draft = name.with_suffix(".draft")
    save_file({str(i): tensor for i, tensor in zip(ids, tensors)}, str(draft))
    draft.rename(name)


def end_tokens(network, tokenizer):
    """All that generate() ends an answer at."""
    ends = network.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    ends = ends if isinstance(ends, list) else [ends] if ends is not None else []
    return list(dict.fromkeys(ends + replicas.ends_of_answers(tokenizer)))


def run_batch(network, tokenizer, hooks, rows, data):
    """Texts and numbers of new tokens of one batch, and its activations."""
    prompts = [replicas.tokens_of(row, tokenizer, data) for row in rows]
    inputs = tokenizer.pad({"input_ids": prompts}, return_tensors="pt").to("cuda:0")
    width = inputs["input_ids"].shape[1]
    if SETTINGS["forward_only"]:
        network(**inputs, use_cache=False, logits_to_keep=1)
        return [None] * len(rows), [0] * len(rows), hooks.take(width, inputs["attention_mask"], [0] * len(rows))
    sample, ends = SETTINGS["temperature"] > 0, end_tokens(network, tokenizer)
    made = network.generate(**inputs, max_new_tokens=int(data["max_new_tokens"]), do_sample=sample,
                            temperature=SETTINGS["temperature"] if sample else None,
                            pad_token_id=tokenizer.pad_token_id, eos_token_id=ends or None)
    new = made[:, width:]
    # Chat models have several: of a turn, of a call, of a text.
    ends_of_text = torch.tensor(ends, device=new.device)
    lengths = []
    for line in new:
        found = torch.isin(line, ends_of_text).nonzero()
        lengths.append(int(found[0]) + 1 if len(found) else len(line))
    # The last token of all was written but not read: it has no activations.
    seen = [min(n, new.shape[1] - 1) for n in lengths]
    kept = hooks.take(width, inputs["attention_mask"], seen)
    return tokenizer.batch_decode(new, skip_special_tokens=True), lengths, kept


def work(model, shares, stop):
    # What is wrong with the rows is told before minutes of loading.
    shares = [(data, part, replicas.rows_of(model, data)[part::parts]) for data, part, parts in shares]
    base, adapter = replicas.adapter_of(model_source(model))
    tokenizer = load_tokenizer(base, adapter)
    for data, _, rows in shares:
        replicas.check_lengths(rows, tokenizer, data)
    network = load(model, base, adapter)
    hooks = Hooks(network)
    size = replicas.in_flight()
    memory = []
    for data, part, rows in shares:
        folder = RESULTS / model["slug"]
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{data['slug']}.part-{part}.jsonl"
        # A batch counts when its lines are written, which is last.
        lines = [line for line, _ in itertools.takewhile(lambda kept: kept[1] is not None, replicas.kept_lines(file))]
        done = len(rows) if len(lines) >= len(rows) else len(lines) // size * size
        if file.exists():
            replicas.write_lines(file, lines[:done])
        for start in range(done, len(rows), size):
            if stop.here():
                return
            some = rows[start:start + size]
            began = time.perf_counter()
            with torch.inference_mode():
                texts, lengths, kept = run_batch(network, tokenizer, hooks, some, data)
            if kept and STORE["to"] == "disk":
                save(folder / f"{data['slug']}.part-{part}", start // size, [row["id"] for row in some], kept)
            elif kept:
                memory += kept
            with file.open("a", encoding="utf-8") as out:
                for row, text, count in zip(some, texts, lengths):
                    line = row if text is None else dict(row, completion=text, new_tokens=count)
                    out.write(json.dumps(line, ensure_ascii=False) + "\n")
            seconds = time.perf_counter() - began
            new = sum(lengths)
            print(f"{model['name']} {data['name']}: {start + len(some)} of {len(rows)} done, {new} new tokens in "
                  f"{seconds:.2f} s, {new / seconds:.1f} tokens/s, {len(some) / seconds:.2f} samples/s (one replica)",
                  flush=True)
    print(f"Peak memory usage: {torch.cuda.max_memory_allocated() / 2**20:.2f}MiB", flush=True)
    replicas.tell_cut()
    use(memory)
    del network
    torch.cuda.empty_cache()


def use(_activations):
    """`store: {to: memory}`: what is done with the activations of a model goes here; they are dropped after it."""


def main():
    replica = replicas.replica_of_arguments()
    if replica is None:
        replicas.run(__file__)
        return
    stop = replicas.Stop()
    by_model = {}
    for model, data, part, parts in replicas.shares(replica):
        by_model.setdefault(model["slug"], (model, []))[1].append((data, part, parts))
    for model, shares in by_model.values():
        if stop.here():
            return
        work(model, shares, stop)


if __name__ == "__main__":
    main()
