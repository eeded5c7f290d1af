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
    return wrong_use("which model? add --model NAME or --params N, such as " +
                     std::string(generation_asked ? "--model Llama-3.1-8B " : "") +
                     std::string(generation_asked ? kGenerationExample : kExample));
  if (!sketch.model.empty())
    for (const SketchFlag& flag : sketch_flags())
      if (flag.part == SketchFlag::Part::kModel && flag.name != "--model" && !(sketch.*flag.text).empty())
        return wrong_use("--model and " + std::string(flag.name) + " both say which network; keep one of them");
  if (sketch.layers.empty() != sketch.hidden.empty())
    return wrong_use(sketch.layers.empty() ? "--hidden needs --layers beside it, such as --layers 12 --hidden 768"
                                           : "--layers needs --hidden beside it, such as --layers 12 --hidden 768");
  const SketchFlag* training = said(sketch, SketchFlag::Part::kTraining);
  const SketchFlag* generation = said(sketch, SketchFlag::Part::kGeneration);
  if (generation_asked && training != nullptr)
    return wrong_use(std::string(training->name) + " belongs to training and " +
                     std::string(generation != nullptr ? generation->name : "--generate") +
                     " to generation; keep one of them");
  return {};
}

Result<void> check_generation(const Sketch& sketch) {
  if (sketch.samples.empty() || sketch.prompt.empty() || sketch.new_tokens.empty()) {
    std::vector<std::string> missing;
    if (sketch.samples.empty()) missing.emplace_back("--samples (how many prompts)");
    if (sketch.prompt.empty()) missing.emplace_back("--prompt (tokens of one)");
    if (sketch.new_tokens.empty()) missing.emplace_back("--new (tokens of an answer)");
    return wrong_use("how much is generated? add " + listed(missing) + ", such as " + std::string(kGenerationExample));
  }
  return {};
}

Result<void> check_training(const Sketch& sketch) {
  if (!sketch.tokens.empty() && !sketch.samples.empty())
    return wrong_use("--tokens and --samples both say how much data; keep one of them");
  if (!sketch.tokens.empty() && !sketch.tokens_per_sample.empty())
    return wrong_use("--tokens-per-sample goes with --samples, not with --tokens; keep one of the two");
  if (!sketch.epochs.empty() && !sketch.steps.empty())
    return wrong_use("--epochs and --steps both say how long to train; keep one of them");
  if (!sketch.steps.empty() && sketch.batch.empty())
    return wrong_use("--steps needs --batch, the sequences of one step, such as --steps 1000 --batch 64");
  if (sketch.steps.empty() && sketch.tokens.empty() && sketch.samples.empty())
    return wrong_use("how much data? add --tokens 10M, --samples 50k, or --steps 1000 --batch 64; to generate add " +
                     std::string(kGenerationExample));
  const std::optional<Method> method = method_of(sketch);
  if (!sketch.rank.empty() && method != Method::kLora && method != Method::kQlora)
    return wrong_use("--rank is that of adapters: add --method lora or --method qlora");
  if (method == Method::kFrozen && sketch.trainable.empty())
    return wrong_use("--method frozen needs --trainable, the parameters that learn, such as --trainable 2.3M");
  return {};
}

}  // namespace

bool generates(const Sketch& sketch) {
  return sketch.generate || said(sketch, SketchFlag::Part::kGeneration) != nullptr;
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
