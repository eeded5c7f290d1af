"""Answers prompts with vLLM, offline: one process for each replica, results as JSON lines that a second start keeps."""
import json
import time

import replicas
from phase_parts import model_source
from replicas import RESULTS, SETTINGS


def lora_rank(wanted):
    """The least rank that vLLM makes room for (config/lora.py) and that holds the adapter's."""
    return next((rank for rank in (8, 16, 32, 64, 128, 256, 320, 512) if rank >= wanted), wanted)


def answer(model, work, stop):
    """All rows of one replica for one model."""
    from vllm import LLM, SamplingParams
    from vllm.lora.request import LoRARequest

    # What is wrong with the rows is told before minutes of loading.
    work = [(data, part, parts, replicas.rows_of(model, data)[part::parts]) for data, part, parts in work]
    base, adapter = replicas.adapter_of(model_source(model))
    how = {"tokenizer": replicas.tokenizer_of(base, adapter), **SETTINGS["engine_arguments"], "max_num_seqs": replicas.in_flight(), **SETTINGS["arguments"]}
    if adapter:
        how.update(enable_lora=True, max_lora_rank=lora_rank(SETTINGS["lora_rank"]))
    engine = LLM(model=base, **how)
    lora = LoRARequest("adapter", 1, adapter) if adapter else None
    tokenizer = engine.get_tokenizer()
    ends = replicas.ends_of_answers(tokenizer)
    for data, part, parts, rows in work:
        folder = RESULTS / model["slug"]
        folder.mkdir(parents=True, exist_ok=True)
        file = folder / f"{data['slug']}.part-{part}.jsonl"
        replicas.check_lengths(rows, tokenizer, data)
        done = finished(file)
        rows = [row for row in rows if row["id"] not in done]
        # Enough at once that the end of a chunk, when few are left, costs little.
        chunk = max(4 * SETTINGS["in_flight"], 64)
        for start in range(0, len(rows), chunk):
            if stop.here():
                return
            some = rows[start:start + chunk]
            began = time.perf_counter()
            sampling = SamplingParams(temperature=SETTINGS["temperature"], max_tokens=int(data["max_new_tokens"]),
                                      stop_token_ids=ends)
            prompts = [{"prompt_token_ids": replicas.tokens_of(row, tokenizer, data)} for row in some]
            answers = engine.generate(prompts, sampling, lora_request=lora, use_tqdm=False)
            seconds = time.perf_counter() - began
            new = sum(len(a.outputs[0].token_ids) for a in answers)
            with file.open("a", encoding="utf-8") as out:
                for row, made in zip(some, answers):
                    out.write(json.dumps(dict(row, completion=made.outputs[0].text,
                                              new_tokens=len(made.outputs[0].token_ids)), ensure_ascii=False) + "\n")
            ready = len(done) + start + len(some)
            print(f"{model['name']} {data['name']}: {ready} of {len(done) + len(rows)} answered, {new} tokens in "
                  f"{seconds:.1f} s, {new / seconds:.1f} tokens/s (one replica)", flush=True)
    replicas.tell_cut()


def finished(file):
    """Ids of rows that are answered. Lines that were cut off are dropped."""
    whole = [(line, row) for line, row in replicas.kept_lines(file) if row is not None]
    if file.exists():
        replicas.write_lines(file, [line for line, _ in whole])
    return {row["id"] for _, row in whole}


def main():
    replica = replicas.replica_of_arguments()
    if replica is None:
        replicas.run(__file__)
        return
    stop = replicas.Stop()
    work = {}
    for model, data, part, parts in replicas.shares(replica):
        work.setdefault(model["slug"], (model, []))[1].append((data, part, parts))
    # vLLM gives memory back for certain only when its process ends: a process for each model, where there are several.
    if len(work) == 1:
        model, shares = next(iter(work.values()))
        answer(model, shares, stop)
        return
    import multiprocessing
    context = multiprocessing.get_context("spawn")
    for model, shares in work.values():
        if stop.here():
            return
        child = context.Process(target=answer_apart, args=(model, shares))
        child.start()
        child.join()
        if child.exitcode:
            raise SystemExit(child.exitcode if child.exitcode > 0 else 1)


def answer_apart(model, shares):
    answer(model, shares, replicas.Stop())


if __name__ == "__main__":
    main()
