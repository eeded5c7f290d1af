#include "plan/notes/model_notes.h"

#include <algorithm>

#include "base/text.h"
#include "domain/hardware/precision.h"

namespace gpuplan {

namespace {

/// Formats that a training program takes back to 16 bit without loss worth speaking of: nothing is missing but room.
bool unpacked_to_train(Format format) {
  return format == Format::kFp8 || format == Format::kMxfp4 || format == Format::kNvfp4;
}

/// Of weights that are stored in fewer than 16 bits: what that means for such a training; "" where all is as it should.
std::string stored_words(const TrainPhase& train, const ModelUse& model) {
  const Format stored = model.shape.native;
  if (bits_of(stored) >= 16 || model.frozen) return "";
  const std::string is = " is stored in " + std::string(name_of(stored));
  if (train.method == Method::kQlora || train.method == Method::kFrozen) return "";
  if (unpacked_to_train(stored))
    return is + ": the plan counts 16-bit weights, to which it is dequantized before it is trained.";
  if (train.method == Method::kLora)
    return is + ", and LoRA keeps it so: the plan counts 16-bit weights. Write method: qlora, which counts 4-bit ones.";
  return is +
         ", and rounded weights cannot be trained: the plan counts its 16-bit original. Give that, or write "
         "method: qlora.";
}

}  // namespace

std::vector<std::string> model_notes(const Job& job) {
  std::vector<std::string> lines;
  const auto add = [&](std::string line) {
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const Phase& phase : job.phases) {
    const std::vector<ModelUse>* models = models_of(phase);
    if (models == nullptr) continue;
    const auto* train = std::get_if<TrainPhase>(&phase.work);
    for (const ModelUse& model : *models) {
      if (model.custom) continue;
      const std::string name = "Model " + printable(model.name, 60);
      if (!model.shape.doubt.empty())
        add(name + ": " + printable(model.shape.doubt, 200) +
            ". Its figures may be far off; if they are, give its size: {params: 7B}.");
      if (model.from_size)
        add(name + " is taken for a decoder of " + count_text(model.shape.layers) + " layers, " +
            count_text(model.shape.hidden) + " wide, with a vocabulary of " + count_text(model.shape.vocab) +
            ": layers, hidden and vocab replace them.");
      if (train == nullptr || model.drawn) continue;
      if (const std::string words = stored_words(*train, model); !words.empty()) add(name + words);
    }
  }
  return lines;
}

}  // namespace gpuplan
