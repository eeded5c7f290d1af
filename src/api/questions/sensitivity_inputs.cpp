#include "api/questions/sensitivity_inputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace gpuplan::api {

bool is_choice(const std::string& address) {
  const auto steps = address_steps(address);
  if (!steps) return true;
  constexpr std::array<std::string_view, 11> kChoices = {"where",      "model",      "models",   "parallel",
                                                         "gpus",       "trainable",  "lora",     "keep",
                                                         "leave_free", "confidence", "max_price"};
  return std::ranges::any_of(*steps, [&](const AddressStep& step) {
    return !step.index && std::ranges::find(kChoices, step.name) != kChoices.end();
  });
}

bool goes_by_halves(const Tree& job, const std::string& address) {
  const auto steps = address_steps(address);
  if (!steps) return false;
  constexpr std::array<std::string_view, 3> kBatches = {"batch", "micro", "accumulate"};
  const bool batch = std::ranges::any_of(*steps, [&](const AddressStep& step) {
    return !step.index && std::ranges::find(kBatches, step.name) != kBatches.end();
  });
  if (batch || steps->back().name != "sequence") return batch;
  return value_at(job, address.substr(0, address.rfind('.')) + ".batch.tokens") != nullptr;
}

std::optional<std::pair<Amount, Amount>> ends_of(Amount amount, double by, bool halves) {
  Interval<double> range = amount.value;
  if (range.p50 <= 0) return std::nullopt;
  if (range.exact()) {
    // A single figure for speed or time is one within 20 %.
    range.p10 = halves ? range.p50 / 2 : amount.figure ? range.p50 / 1.2 : range.p50 * (1 - by);
    range.p90 = halves ? range.p50 * 2 : amount.figure ? range.p50 * 1.2 : range.p50 * (1 + by);
  }
  // Large counts stay whole also where a fraction would be allowed; 1.6 epochs of 2 may be.
  constexpr double kLarge = 50;
  const bool counted = (amount.kind == AmountKind::kCount || amount.kind == AmountKind::kTokens) &&
                       range.p50 == std::floor(range.p50) && range.p50 >= kLarge;
  if (amount.whole || counted) {
    range.p10 = std::max(1.0, std::floor(range.p10 + 0.5));
    range.p90 = std::floor(range.p90 + 0.5);
  }
  if (range.p10 == range.p90) return std::nullopt;
  Amount low = amount, high = amount;
  low.value = exactly(range.p10);
  high.value = exactly(range.p90);
  return std::pair(low, high);
}

std::string input_name(const Tree& job, const std::vector<JobPlace>& all, const std::string& address) {
  constexpr std::array<std::string_view, 9> kVague = {"share", "time",  "sequences", "tokens", "every",
                                                      "mean",  "width", "layers",    "max"};
  std::string name = short_address(all, address);
  if (std::ranges::find(kVague, name) != kVague.end()) {
    const std::size_t dot = address.rfind('.', address.size() - name.size() - 2);
    name = address.substr(dot == std::string::npos ? 0 : dot + 1);
  }
  const Tree* item = value_at(job, address.substr(0, address.rfind('.')));
  const Tree* gpu = item != nullptr ? item->find("gpu") : nullptr;
  if (gpu == nullptr) return name;
  const Tree* gpus = item->find("gpus");
  return name + " (" + (gpus != nullptr ? gpus->text + "x " : "") + gpu->text + ")";
}

}  // namespace gpuplan::api
