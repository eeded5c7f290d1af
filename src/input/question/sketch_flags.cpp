// The flags of a question without a job file, each named once.
#include <array>

#include "input/question/sketch.h"

namespace gpuplan {

namespace {

using Part = SketchFlag::Part;

constexpr std::array kSketchFlags = {
    SketchFlag{"--model", &Sketch::model, "NAME|PATH", "the network: a known name, or a config.json, folder or file",
               Part::kModel},
    SketchFlag{"--params", &Sketch::params, "N", "a network of so many parameters, in place of --model", Part::kModel},
    SketchFlag{"--layers", &Sketch::layers, "N", "its blocks", Part::kModel},
    SketchFlag{"--hidden", &Sketch::hidden, "N", "its width", Part::kModel},
    SketchFlag{"--vocab", &Sketch::vocab, "N", "its vocabulary", Part::kModel},
    SketchFlag{"--samples", &Sketch::samples, "N", "samples to learn from in one epoch, or prompts to answer",
               Part::kAnyWork},
    SketchFlag{"--batch", &Sketch::batch, "N",
               "sequences of one step over all GPUs (\"0.5M tokens\"), or that one replica answers together",
               Part::kAnyWork},
    SketchFlag{"--setup", &Sketch::setup, "TIME",
               "boot, software and weights before the work starts, such as 10-20min; \"0 min\": none", Part::kAnyWork},
    SketchFlag{"--tokens", &Sketch::tokens, "N", "tokens of one epoch, in place of --samples", Part::kTraining},
    SketchFlag{"--tokens-per-sample", &Sketch::tokens_per_sample, "N", "length of a sample", Part::kTraining},
    SketchFlag{"--epochs", &Sketch::epochs, "N", "passes over the data", Part::kTraining},
    SketchFlag{"--steps", &Sketch::steps, "N", "optimizer steps, in place of --epochs; needs --batch", Part::kTraining},
    SketchFlag{"--sequence", &Sketch::sequence, "N", "tokens of one sequence", Part::kTraining},
    SketchFlag{"--micro", &Sketch::micro, "N", "sequences a GPU takes in one pass", Part::kTraining},
    SketchFlag{"--method", &Sketch::method, "METHOD", "what of the network learns", Part::kTraining},
    SketchFlag{"--rank", &Sketch::rank, "N", "rank of the adapters of lora and qlora", Part::kTraining},
    SketchFlag{"--trainable", &Sketch::trainable, "N", "parameters that learn with --method frozen", Part::kTraining},
    SketchFlag{"--precision", &Sketch::precision, "NAME", "arithmetic: bf16, fp16, fp8, ...", Part::kTraining},
    SketchFlag{"--optimizer", &Sketch::optimizer, "NAME", "adamw, adam8bit, muon, ...", Part::kTraining},
    SketchFlag{"--framework", &Sketch::framework, "NAME", "training software: hf-trainer, axolotl, ...",
               Part::kTraining},
    SketchFlag{"--prompt", &Sketch::prompt, "TOKENS", "length of a prompt", Part::kGeneration},
    SketchFlag{"--new", &Sketch::new_tokens, "TOKENS", "length of an answer", Part::kGeneration},
    SketchFlag{"--weights", &Sketch::weights, "FORMAT", "weights on the GPU: bf16, fp8, int4, q4_k_m, ...",
               Part::kGeneration},
    SketchFlag{"--weight-bits", &Sketch::weight_bits, "N", "bits a weight takes: 4.65 for such an exl2 file",
               Part::kGeneration},
    SketchFlag{"--kv-cache", &Sketch::kv_cache, "FORMAT", "keys and values: bf16, fp8, int8, q8_0, ...",
               Part::kGeneration},
    SketchFlag{"--engine", &Sketch::engine, "NAME", "inference software: vllm, sglang, llama.cpp, ...",
               Part::kGeneration},
    SketchFlag{"--concurrency", &Sketch::concurrency, "N", "requests in flight; as many as fit unless given",
               Part::kGeneration},
    SketchFlag{"--situation", &Sketch::situation, "NAME", "how requests come", Part::kGeneration},
    SketchFlag{"--tokens-per-second", &Sketch::tokens_per_second, "N",
               "target: new tokens, all GPUs together, at least", Part::kGeneration},
    SketchFlag{"--first-token", &Sketch::first_token, "TIME",
               "target: until a request's first token, such as \"500 ms\"", Part::kGeneration},
    SketchFlag{"--per-token", &Sketch::per_token, "TIME", "target: between the tokens of a request, such as \"30 ms\"",
               Part::kGeneration},
};

constexpr std::array kWishFlags = {
    WishFlag{"--gpu", "where.gpus", nullptr, &Wishes::gpus, "NAME",
             "only this GPU, or machines of so many: \"8x H100 SXM\"; may be given again"},
    WishFlag{"--counts", "where.counts", nullptr, &Wishes::counts, "N,N", "only so many GPUs in all"},
    WishFlag{"--nodes", "where.nodes", nullptr, &Wishes::nodes, "N,N", "numbers of machines to try"},
    WishFlag{"--provider", "where.providers", nullptr, &Wishes::providers, "NAME",
             "only this provider; may be given again"},
    WishFlag{"--region", "where.regions", nullptr, &Wishes::regions, "NAME", "only this region; may be given again"},
    WishFlag{"--spot", "where.spot", &Wishes::spot, nullptr, "USE", "machines that can be taken away"},
    WishFlag{"--interruptions", "spot.interruptions", &Wishes::interruptions, nullptr, "RATE",
             "how often spot machines are taken away, such as 5%/h"},
    WishFlag{"--max-price", "where.max_price", &Wishes::max_price, nullptr, "$/H", "dearest machine, by the hour"},
    WishFlag{"--deadline", "limits.deadline", &Wishes::deadline, nullptr, "TIME",
             "time until the last result, such as \"12 h\""},
    WishFlag{"--budget", "limits.budget", &Wishes::budget, nullptr, "$", "most that it may cost"},
    WishFlag{"--goal", "goal", &Wishes::goal, nullptr, "GOAL", "what makes a plan the pick"},
    WishFlag{"--value-of-time", "value_of_time", &Wishes::value_of_time, nullptr, "$/H",
             "what an hour of waiting is worth"},
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
  return sketch.generate ? "--generate" : "";
}

}  // namespace gpuplan
