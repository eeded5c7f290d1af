// What does not go together in a question, and what is missing from it.
#include <utility>

#include "base/text.h"
#include "input/question/sketch.h"

namespace gpuplan {

namespace {

constexpr std::string_view kExample = "--model Qwen2.5-7B --tokens 10M --method lora";
constexpr std::string_view kGenerationExample = "--generate --samples 10k --prompt 500 --new 300";

const SketchFlag* said(const Sketch& sketch, SketchFlag::Part part) {
  for (const SketchFlag& flag : sketch_flags())
    if (flag.part == part && !(sketch.*flag.text).empty()) return &flag;
  return nullptr;
}

Result<void> check_common(const Sketch& sketch, const Wishes& wishes) {
  const bool generation_asked = generates(sketch);
  const auto plain = [](std::string_view flag, const std::string& text) -> Result<void> {
    if (printable(text, text.size()) == text) return {};
    return wrong_use(std::string(flag) + ": expected a plain text, got '" + printable(text, 80) + "'");
  };
  for (const SketchFlag& flag : sketch_flags())
    if (auto good = plain(flag.name, sketch.*flag.text); !good) return good;
  for (const WishFlag& flag : wish_flags())
    for (const std::string& text : said_by(wishes, flag))
      if (auto good = plain(flag.name, text); !good) return good;
  if (sketch.model.empty() && sketch.params.empty() && sketch.layers.empty() && sketch.hidden.empty())
    return wrong_use("no model. Add --model NAME or --params N, such as " +
                     std::string(generation_asked ? "--model Llama-3.1-8B " : "") +
                     std::string(generation_asked ? kGenerationExample : kExample));
  if (!sketch.model.empty())
    for (const SketchFlag& flag : sketch_flags())
      if (flag.part == SketchFlag::Part::kModel && flag.name != "--model" && !(sketch.*flag.text).empty())
        return wrong_use("--model and " + std::string(flag.name) + " both describe the model; use one of them");
  if (sketch.layers.empty() != sketch.hidden.empty())
    return wrong_use(sketch.layers.empty() ? "--hidden also needs --layers, such as --layers 12 --hidden 768"
                                           : "--layers also needs --hidden, such as --layers 12 --hidden 768");
  const SketchFlag* training = said(sketch, SketchFlag::Part::kTraining);
  const SketchFlag* generation = said(sketch, SketchFlag::Part::kGeneration);
  if (generation_asked && training != nullptr)
    return wrong_use(std::string(training->name) + " is for training, " +
                     std::string(generation != nullptr ? generation->name : "--generate") +
                     " for generation; use one of them");
  return {};
}

Result<void> check_generation(const Sketch& sketch) {
  const bool reads = only_reads(sketch);
  if (reads && trim(sketch.new_tokens) != "0" && !sketch.new_tokens.empty())
    return wrong_use("--forward-only generates nothing, but --new gives output tokens; use one of them");
  if (sketch.samples.empty() || sketch.prompt.empty() || (sketch.new_tokens.empty() && !reads)) {
    std::vector<std::string> missing;
    if (sketch.samples.empty()) missing.emplace_back("--samples (how many prompts)");
    if (sketch.prompt.empty()) missing.emplace_back("--prompt (input tokens per request)");
    if (sketch.new_tokens.empty() && !reads) missing.emplace_back("--new (output tokens per request)");
    return wrong_use("missing " + listed(missing) + ", such as " + std::string(kGenerationExample));
  }
  return {};
}

Result<void> check_training(const Sketch& sketch) {
  if (!sketch.tokens.empty() && !sketch.samples.empty()) return wrong_use("use --tokens or --samples, not both");
  if (!sketch.tokens.empty() && !sketch.tokens_per_sample.empty())
    return wrong_use("--tokens-per-sample goes with --samples, not with --tokens");
  if (!sketch.epochs.empty() && !sketch.steps.empty()) return wrong_use("use --epochs or --steps, not both");
  if (!sketch.steps.empty() && sketch.batch.empty())
    return wrong_use("--steps also needs --batch, such as --steps 1000 --batch 64");
  if (sketch.steps.empty() && sketch.tokens.empty() && sketch.samples.empty())
    return wrong_use(
        "missing data size: add --tokens 10M, --samples 50k, or --steps 1000 --batch 64; to generate, add " +
        std::string(kGenerationExample));
  const std::optional<Method> method = method_of(sketch);
  if (!sketch.rank.empty() && method != Method::kLora && method != Method::kQlora)
    return wrong_use("--rank needs --method lora or --method qlora");
  if (method == Method::kFrozen && sketch.trainable.empty())
    return wrong_use("--method frozen also needs --trainable, the trainable parameters, such as --trainable 2.3M");
  return {};
}

}  // namespace

bool only_reads(const Sketch& sketch) { return sketch.forward_only || trim(sketch.new_tokens) == "0"; }

bool generates(const Sketch& sketch) {
  return sketch.generate || sketch.forward_only || said(sketch, SketchFlag::Part::kGeneration) != nullptr;
}

bool trains(const Sketch& sketch) { return said(sketch, SketchFlag::Part::kTraining) != nullptr; }

std::optional<Method> method_of(const Sketch& sketch) {
  return sketch.method.empty() ? Method::kFull : from_name<Method>(trim(sketch.method));
}

Result<void> check_sketch(const Sketch& sketch, const Wishes& wishes) {
  if (auto good = check_common(sketch, wishes); !good) return good;
  return generates(sketch) ? check_generation(sketch) : check_training(sketch);
}

}  // namespace gpuplan
