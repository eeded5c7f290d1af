// The flags of a question without a job file, each named once.
#include <array>

#include "input/question/sketch.h"

namespace gpuplan {

namespace {

using Part = SketchFlag::Part;

constexpr std::array kSketchFlags = {
    SketchFlag{"--model", &Sketch::model, "NAME|PATH",
               "model name, or path to config.json, a folder, .safetensors or .gguf", Part::kModel},
    SketchFlag{"--params", &Sketch::params, "N", "parameter count, if there is no model name (25M)", Part::kModel},
    SketchFlag{"--layers", &Sketch::layers, "N", "number of layers", Part::kModel},
    SketchFlag{"--hidden", &Sketch::hidden, "N", "hidden size", Part::kModel},
    SketchFlag{"--vocab", &Sketch::vocab, "N", "vocabulary size", Part::kModel},
    SketchFlag{"--samples", &Sketch::samples, "N", "training samples per epoch, or prompts to generate from",
               Part::kAnyWork},
    SketchFlag{"--batch", &Sketch::batch, "N",
               "global batch size: sequences, or \"0.5M tokens\"; when generating, per replica", Part::kAnyWork},
    SketchFlag{"--setup", &Sketch::setup, "TIME",
               "boot, install and download time, such as 10-20min (default: estimated)", Part::kAnyWork},
    SketchFlag{"--tokens", &Sketch::tokens, "N", "training tokens per epoch, instead of --samples", Part::kTraining},
    SketchFlag{"--tokens-per-sample", &Sketch::tokens_per_sample, "N", "tokens per sample", Part::kTraining},
    SketchFlag{"--epochs", &Sketch::epochs, "N", "epochs (default: 1)", Part::kTraining},
    SketchFlag{"--steps", &Sketch::steps, "N", "optimizer steps, instead of --epochs; needs --batch", Part::kTraining},
    SketchFlag{"--sequence", &Sketch::sequence, "N", "sequence length in tokens (default: 2048, or the longest sample)",
               Part::kTraining},
    SketchFlag{"--micro", &Sketch::micro, "N", "micro-batch per GPU (default: chosen for you)", Part::kTraining},
    SketchFlag{"--method", &Sketch::method, "METHOD", "training method (default: full)", Part::kTraining},
    SketchFlag{
        "--objective", &Sketch::objective, "NAME",
        "next_token, or dpo: --samples and --batch count pairs of answers (default: next_token); grpo needs a job "
        "file",
        Part::kTraining},
    SketchFlag{"--rank", &Sketch::rank, "N", "LoRA rank (default: 16)", Part::kTraining},
    SketchFlag{"--trainable", &Sketch::trainable, "N", "trainable parameters with --method frozen", Part::kTraining},
    SketchFlag{"--precision", &Sketch::precision, "NAME", "compute precision: bf16, fp16, fp8, ...", Part::kTraining},
    SketchFlag{"--optimizer", &Sketch::optimizer, "NAME", "adamw, adam8bit, muon, ...", Part::kTraining},
    SketchFlag{"--framework", &Sketch::framework, "NAME", "training framework: hf-trainer, axolotl, ...",
               Part::kTraining},
    SketchFlag{"--prompt", &Sketch::prompt, "TOKENS", "input tokens per request", Part::kGeneration},
    SketchFlag{"--new", &Sketch::new_tokens, "TOKENS", "output tokens per request", Part::kGeneration},
    SketchFlag{"--weights", &Sketch::weights, "FORMAT", "weight format: bf16, fp8, int4, q4_k_m, ...",
               Part::kGeneration},
    SketchFlag{"--weight-bits", &Sketch::weight_bits, "N", "bits per weight, such as 4.65 for EXL2", Part::kGeneration},
    SketchFlag{"--kv-cache", &Sketch::kv_cache, "FORMAT", "KV-cache format: bf16, fp8, int8, q8_0, ...",
               Part::kGeneration},
    SketchFlag{"--engine", &Sketch::engine, "NAME", "inference engine: vllm, sglang, llama.cpp, ...",
               Part::kGeneration},
    SketchFlag{"--concurrency", &Sketch::concurrency, "N", "concurrent requests (default: as many as fit)",
               Part::kGeneration},
    SketchFlag{"--situation", &Sketch::situation, "NAME",
               "load of each replica: one request at a time, fixed batches, as many as fit; or N concurrent in all",
               Part::kGeneration},
    SketchFlag{"--tokens-per-second", &Sketch::tokens_per_second, "N", "minimum output tokens/s over all GPUs",
               Part::kGeneration},
    SketchFlag{"--first-token", &Sketch::first_token, "TIME", "maximum time to first token (TTFT), such as \"500 ms\"",
               Part::kGeneration},
    SketchFlag{"--per-token", &Sketch::per_token, "TIME", "maximum time per output token (TPOT), such as \"30 ms\"",
               Part::kGeneration},
};

constexpr std::array kWishFlags = {
    WishFlag{"--gpu", "where.gpus", nullptr, &Wishes::gpus, "NAME",
             "only this GPU, or this many: \"8x H100 SXM\" (repeatable)"},
    WishFlag{"--counts", "where.counts", nullptr, &Wishes::counts, "N,N", "total GPU counts to try, such as 1,2,4"},
    WishFlag{"--nodes", "where.nodes", nullptr, &Wishes::nodes, "N,N", "node counts to try, such as 1,2 (default: 1)"},
    WishFlag{"--provider", "where.providers", nullptr, &Wishes::providers, "NAME", "only this provider (repeatable)"},
    WishFlag{"--region", "where.regions", nullptr, &Wishes::regions, "NAME", "only this region (repeatable)"},
    WishFlag{"--spot", "where.spot", &Wishes::spot, nullptr, "USE", "spot (preemptible) machines"},
    WishFlag{"--interruptions", "spot.interruptions", &Wishes::interruptions, nullptr, "RATE",
             "spot interruption rate, such as 5%/h"},
    WishFlag{"--max-price", "where.max_price", &Wishes::max_price, nullptr, "$/H", "highest price per machine-hour"},
    WishFlag{"--deadline", "limits.deadline", &Wishes::deadline, nullptr, "TIME",
             "finish within this time, such as \"12 h\""},
    WishFlag{"--budget", "limits.budget", &Wishes::budget, nullptr, "$", "spend at most this much"},
    WishFlag{"--goal", "goal", &Wishes::goal, nullptr, "GOAL", "what to optimize (default: best_value)"},
    WishFlag{"--value-of-time", "value_of_time", &Wishes::value_of_time, nullptr, "$/H",
             "what an hour of your time costs"},
};

}  // namespace

std::span<const SketchFlag> sketch_flags() { return kSketchFlags; }
std::span<const WishFlag> wish_flags() { return kWishFlags; }

std::vector<std::string> said_by(const Wishes& wishes, const WishFlag& flag) {
  if (flag.list != nullptr) return wishes.*flag.list;
  const std::string& text = wishes.*flag.text;
  return text.empty() ? std::vector<std::string>() : std::vector{text};
}

std::string_view first_flag(const Sketch& sketch) {
  for (const SketchFlag& flag : kSketchFlags)
    if (!(sketch.*flag.text).empty()) return flag.name;
  return sketch.generate ? "--generate" : sketch.forward_only ? "--forward-only" : "";
}

}  // namespace gpuplan
