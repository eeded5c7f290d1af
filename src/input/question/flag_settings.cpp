#include "input/question/flag_settings.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace gpuplan {
namespace {

struct FlagAddress {
  std::string_view flag, address;
};

constexpr std::array kAddresses = {
    FlagAddress{"--model", "*.model"},
    FlagAddress{"--params", "*.model.params"},
    FlagAddress{"--layers", "*.model.layers"},
    FlagAddress{"--hidden", "*.model.hidden"},
    FlagAddress{"--vocab", "*.model.vocab"},
    FlagAddress{"--samples", "*.data.samples"},
    FlagAddress{"--batch", "*.batch"},
    FlagAddress{"--setup", "setup.time"},
    FlagAddress{"--tokens", "*.data.tokens"},
    FlagAddress{"--tokens-per-sample", "*.data.tokens_per_sample"},
    FlagAddress{"--epochs", "*.epochs"},
    FlagAddress{"--steps", "*.steps"},
    FlagAddress{"--sequence", "*.sequence"},
    FlagAddress{"--micro", "*.micro"},
    FlagAddress{"--method", "*.method"},
    FlagAddress{"--objective", "*.objective"},
    FlagAddress{"--rank", "*.lora.rank"},
    FlagAddress{"--trainable", "*.trainable"},
    FlagAddress{"--precision", "*.precision"},
    FlagAddress{"--optimizer", "*.optimizer"},
    FlagAddress{"--framework", "*.framework"},
    FlagAddress{"--prompt", "*.data.prompt_tokens"},
    FlagAddress{"--new", "*.data.new_tokens"},
    FlagAddress{"--weights", "*.weights"},
    FlagAddress{"--weight-bits", "*.weight_bits"},
    FlagAddress{"--kv-cache", "*.kv_cache"},
    FlagAddress{"--engine", "*.engine"},
    FlagAddress{"--concurrency", "*.concurrency"},
    FlagAddress{"--situation", "*.situation"},
    FlagAddress{"--tokens-per-second", "*.target.tokens_per_second"},
    FlagAddress{"--first-token", "*.target.time_to_first_token"},
    FlagAddress{"--per-token", "*.target.time_per_output_token"},
};

/// The first phase with one of these works, and which it is.
struct PhaseOfJob {
  std::string phase;
  std::string_view work;
};
PhaseOfJob phase_for(const Tree& job, SketchFlag::Part part) {
  const Tree* phases = job.find("phases");
  if (phases == nullptr) return {};
  const bool training = part != SketchFlag::Part::kGeneration, generation = part != SketchFlag::Part::kTraining;
  for (const Tree& phase : phases->children) {
    const Tree* name = phase.find("name");
    if (name == nullptr || name->text.empty()) continue;
    if (training && phase.find("train") != nullptr) return {name->text, "train"};
    if (generation && phase.find("generate") != nullptr) return {name->text, "generate"};
  }
  return {};
}

}  // namespace

std::string_view address_in_phase(std::string_view flag) {
  const auto found = std::ranges::find(kAddresses, flag, &FlagAddress::flag);
  return found == kAddresses.end() ? std::string_view{} : found->address;
}

std::vector<FlagSetting> flag_settings(const Sketch& sketch, const Tree& job) {
  std::vector<FlagSetting> settings;
  for (const SketchFlag& flag : sketch_flags()) {
    const std::string& said = sketch.*flag.text;
    if (said.empty()) continue;
    FlagSetting one{flag.name, {}};
    std::string address(address_in_phase(flag.name));
    if (const PhaseOfJob place = phase_for(job, flag.part); !place.phase.empty() && !address.empty()) {
      if (address.front() == '*') address.replace(0, 1, place.work);
      one.setting.append("phases.").append(place.phase).append(".").append(address).append("=").append(said);
    }
    settings.push_back(std::move(one));
  }
  return settings;
}

}  // namespace gpuplan
