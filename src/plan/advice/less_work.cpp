#include "plan/advice/less_work.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

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

Shrunk shrink(Phase& phase, double share) {
  const auto less = [&](double before, double least) { return std::max(least, two_digits(before * share, false)); };
  if (auto* train = std::get_if<TrainPhase>(&phase.work)) {
    const auto done = [&](std::string_view key, const std::string& text, double part) {
      return Shrunk{address(phase, "train", key) + text, part};
    };
    if (train->steps) {
      const double before = std::exchange(*train->steps, less(*train->steps, 1));
      return done("steps", count_text(*train->steps), *train->steps / before);
    }
    if (train->data.tokens) {
      const Tokens before = std::exchange(*train->data.tokens, Tokens{less(train->data.tokens->value, 0)});
      return done("data.tokens", count_short(train->data.tokens->value), *train->data.tokens / before);
    }
    if (train->epochs) {
      const double before = std::exchange(*train->epochs, less(*train->epochs, 0));
      return done("epochs", number_text(*train->epochs), *train->epochs / before);
    }
    return {};
  }
  if (auto* generate = std::get_if<GeneratePhase>(&phase.work)) {
    const std::string_view kind = generate->collect ? "collect" : "generate";
    double before = 0, after = 0;
    for (Prompts& prompts : generate->data) {
      before += prompts.samples;
      prompts.samples = less(prompts.samples, 1);
      after += prompts.samples;
    }
    const double part = before > 0 ? after / before : 0;
    if (generate->data.size() == 1)
      return {address(phase, kind, "data[0].samples") + count_text(generate->data.front().samples), part};
    return {address(phase, kind, "data") + significant_text(100 * part, 2) + "% of all samples", part};
  }
  return {};
}

}  // namespace gpuplan
