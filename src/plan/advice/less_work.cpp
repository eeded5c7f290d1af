#include "plan/advice/less_work.h"

#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/amount.h"
#include "base/text.h"

namespace gpuplan {
namespace {

std::string address(const Phase& phase, std::string_view kind, std::string_view key) {
  return "phases." + printable(phase.name, 40) + "." + std::string(kind) + "." + std::string(key) + ": ";
}

}  // namespace

double two_digits(double value, bool up) {
  if (value <= 0) return 0;
  // A power of ten and its inverse, so that 3.3 does not become 3.3000000000000003.
  double unit = 1, inverse = 1;
  while (value / unit >= 100) unit *= 10;
  while (value * inverse < 10) inverse *= 10;
  const double scaled = value * inverse / unit;
  // Half a millionth of slack: 0.29 x 100 is not quite 29.
  return (up ? std::ceil(scaled - 5e-7) : std::floor(scaled + 5e-7)) * unit / inverse;
}

std::string shrink(Phase& phase, double share) {
  if (auto* train = std::get_if<TrainPhase>(&phase.work)) {
    if (train->steps) {
      train->steps = std::max(1.0, two_digits(*train->steps * share, false));
      return address(phase, "train", "steps") + count_text(*train->steps);
    }
    if (train->data.tokens) {
      train->data.tokens = Tokens{two_digits(train->data.tokens->value * share, false)};
      return address(phase, "train", "data.tokens") + count_short(train->data.tokens->value);
    }
    if (train->epochs) {
      train->epochs = two_digits(*train->epochs * share, false);
      return address(phase, "train", "epochs") + number_text(*train->epochs);
    }
    return "";
  }
  if (auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
    const std::string_view kind = generate->collect ? "collect" : "generate";
    for (Prompts& prompts : generate->data) prompts.samples = std::max(1.0, two_digits(prompts.samples * share, false));
    if (generate->data.size() == 1)
      return address(phase, kind, "data[0].samples") + count_text(generate->data.front().samples);
    return address(phase, kind, "data") + significant_text(100 * share, 2) + "% of all samples";
  }
  return "";
}

}  // namespace gpuplan
