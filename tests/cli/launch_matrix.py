"""Jobs that launch scripts are written for, by the hundred: framework x method x machines x cut x precision x data, launchers."""

import itertools

from launch_work_test import GPT2, LLAMA, SAMPLES, TOKENS, TRAININGS, training_job

QWEN, MIXTRAL, DEEPSEEK = "Qwen/Qwen2.5-1.5B", "mistralai/Mixtral-8x7B-v0.1", "deepseek-ai/DeepSeek-V2-Lite"
NANO = "{layers: 20, hidden: 1280, vocab: 65536, gated_mlp: false}"
PACKED = SAMPLES[:-1] + ", packing: true}"
CLOUDS = {"bash": "", "slurm": "", "kubernetes": "", "skypilot": ", provider: aws, region: us-east-1",
          "dstack": ", provider: aws, region: us-east-1", "vast": ", provider: vast", "runpod": ", provider: runpod"}
GENERATION = """
market: {{use: only, offers: [{{gpu: H100 SXM, gpus: 8, price: $1/h{cloud}}}]}}
phases:
  - name: answers
    generate: {{model: {model}, data: {{samples: 10k, prompt_tokens: 500, new_tokens: 200}}, engine: {engine}{more}}}
"""


def grpo_job(gpus, nodes, more, rollouts="generations: 8"):
    """Of a training that gives the answers it learns from: their lengths say how long its sequences are."""
    reward = "" if "reward" in rollouts else ", reward: accuracy_reward"
    rollouts = f"{{prompt_tokens: {{mean: 100, max: 300}}, new_tokens: {{mean: 300, max: 700}}{reward}, {rollouts}}}"
    return training_job("hf-trainer", QWEN, "{samples: 20k}", gpus, nodes,
                        f"{{objective: grpo, rollouts: {rollouts}, {more}}}").replace("      sequence: 1024\n", "")


def parallel(text):
    return f"parallel: {{{text}}}" if text else ""


def trainings():
    """(launcher, job): framework x method x machines x cut x precision x data."""
    jobs = [("bash", training_job(*case)) for case in TRAININGS]

    def add(framework, models, data, machines, more):
        for model, rows, (gpus, nodes), extra in itertools.product(models, data, machines, more):
            extra = [one for one in extra if one]
            written = "{" + ", ".join(extra) + "}" if len(extra) > 1 else "".join(extra)
            jobs.append(("bash", training_job(framework, model, rows, gpus, nodes, written)))

    def every(*lists):
        return list(itertools.product(*lists))

    shards = [parallel("sharding: " + name) for name in ("none", "zero1", "zero2", "zero3")]
    methods = ["method: full", "method: lora", "method: qlora"]
    optimizers = ["", "optimizer: adam8bit", "optimizer: adafactor", "optimizer: lion", "optimizer: sgd", "optimizer: paged_adamw_8bit"]
    for framework in ("hf-trainer", "axolotl", "llama-factory"):
        add(framework, [QWEN], [SAMPLES], [(8, 1), (8, 2)], every(methods))
        add(framework, [QWEN], [TOKENS], [(8, 1)], every(methods))
        add(framework, [QWEN], [PACKED], [(8, 1)], every(methods))
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(shards, ["precision: fp16", "offload: optimizer"]))
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(optimizers[1:], [shards[3]]))
    add("hf-trainer", [QWEN], [SAMPLES], [(1, 1), (8, 1), (8, 2)], every(methods, ["objective: dpo"]))
    add("hf-trainer", [QWEN], [SAMPLES], [(8, 1)], every(shards, ["objective: dpo"]))
    jobs.extend(("bash", grpo_job(gpus, nodes, more)) for (gpus, nodes), more in itertools.product(
        ((1, 1), (8, 1), (8, 2)), (methods[0], methods[1], "method: full, precision: bf16, " + shards[3], "method: lora, " + shards[1])))
    jobs.extend(("bash", grpo_job(8, 1, more, rollouts)) for more in methods[:2] for rollouts in
                ("beta: 0.04", "sleep: true, generations: 16", "memory_share: 50%, reward: [think_format_reward, rewards.exact]"))
    for framework in ("axolotl", "torchtitan", "megatron"):
        add(framework, [LLAMA], [PACKED if framework == "axolotl" else TOKENS], [(8, 2)],
            every([parallel(cut) for cut in ("tp: 2, sharding: zero3", "cp: 2, sharding: zero3", "sharding: hsdp", "tp: 2, pp: 2, sharding: zero1",
                                             "pp: 4, sharding: zero2", "tp: 8", "tp: 2, cp: 2, sharding: zero1")],
                  ["precision: bf16", "recompute: full"] if framework == "axolotl" else ["precision: bf16", "precision: fp8"]))
    add("megatron", [LLAMA], [TOKENS], [(8, 2)], every(["recompute: selective", "recompute: full", "precision: fp16", "offload: optimizer",
                                                      "optimizer: {matrices: muon, rest: adamw}", "optimizer: sgd"]))
    add("megatron", [MIXTRAL, DEEPSEEK], [TOKENS], [(8, 4)], every([parallel("ep: 8, sharding: zero1")]))
    add("megatron", ["mistralai/Mistral-7B-v0.1", "Qwen/Qwen3-8B", GPT2], [TOKENS], [(8, 1)], every([parallel("tp: 2, sharding: zero1")]))
    add("torchtitan", [LLAMA, "Qwen/Qwen3-8B"], [TOKENS, PACKED], [(8, 1)], every(["recompute: full", "recompute: selective", "compile: true"], [shards[3]]))
    for framework in ("accelerate", "deepspeed"):
        add(framework, [QWEN], [SAMPLES], [(8, 1)], every(shards[:1] + shards[2:], ["", "offload: optimizer"]))
    add("torch", [QWEN], [TOKENS], [(1, 1), (8, 1), (8, 2)], every(["precision: bf16", "precision: fp32"]))
    add("unsloth", [QWEN], [SAMPLES], [(1, 1)], every(methods, ["", "optimizer: adam8bit"]))
    add("nanochat", [NANO], [TOKENS], [(8, 1)], every(["precision: bf16", "precision: fp8"]))
    add("nanogpt", [GPT2], [TOKENS], [(1, 1), (8, 1), (8, 2)], every(["precision: bf16", "precision: fp16"]))
    add("trl", [QWEN], [SAMPLES, PACKED], [(1, 1), (8, 1)], every(methods, ["", "attention: flash2", "recompute: full"]))
    jobs += [(to, job + "    args: {program: own}\n") for to, job in jobs if "framework: hf-trainer" in job]
    jobs += [("bash", training_job(framework, QWEN, SAMPLES, 8, 1, "method: lora") + "    evaluate: {every: 50 steps, time: 1 min}\n")
             for framework in ("hf-trainer", "axolotl", "llama-factory")]
    return jobs


def launches():
    jobs = trainings()
    for to, cloud in CLOUDS.items():
        for nodes in (1, 2):
            if nodes > 1 and to in ("vast", "runpod"):
                continue
            for framework, model, data, more in (("hf-trainer", QWEN, SAMPLES, "method: lora"), ("megatron", LLAMA, TOKENS, ""),
                                                 ("axolotl", QWEN, SAMPLES, "")):
                jobs.append((to, training_job(framework, model, data, 8, nodes, more).replace("price: $1/h", "price: $1/h" + cloud)))
            # Work that resumes on spot machines.
            jobs.append((to, training_job("torch", GPT2, TOKENS, 8, nodes, "").replace(
                "price: $1/h", "price: $2/h, spot_price: $1/h, interruptions: 5%/h" + cloud).replace("where: {nodes", "where: {spot: only, nodes")))
    for engine, model, more in itertools.product(("vllm", "hf"), (LLAMA,),
                                                 ("", ", weights: fp8", ", weights: nf4", ", kv_cache: fp8", ", parallel: {tp: 2}",
                                                  ", speculative: {tokens: 4, acceptance: 0.6}", ", weights: fp16")):
        jobs.append(("bash", GENERATION.format(engine=engine, model=model, more=more, cloud="")))
    return jobs
