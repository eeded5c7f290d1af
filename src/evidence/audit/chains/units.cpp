#include "evidence/audit/chains/units.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>

namespace gpuplan::audit {

ChainUnits operator+(ChainUnits a, const ChainUnits& b) {
  a.time += b.time, a.money += b.money, a.bytes += b.bytes, a.energy += b.energy, a.operations += b.operations;
  a.tokens += b.tokens, a.samples += b.samples, a.steps += b.steps, a.gpus += b.gpus;
  return a;
}

ChainUnits ChainUnits::operator-() const {
  return {-time, -money, -bytes, -energy, -operations, -tokens, -samples, -steps, -gpus};
}

bool ChainUnits::is_like(const ChainUnits& other) const {
  ChainUnits same = other;
  same.gpus = gpus;
  return *this == same;
}

std::optional<ChainUnits> chain_units_of(const ClaimAmount& one) {
  const int each = one.per_gpu ? -1 : 0;
  switch (one.dimension) {
    case ClaimDimension::kBare:
    case ClaimDimension::kTimes:
    case ClaimDimension::kEpochs:
    case ClaimDimension::kShare:
    case ClaimDimension::kParameters:
      return ChainUnits{};
    case ClaimDimension::kTime:
      return ChainUnits{.time = 1};
    case ClaimDimension::kGpuTime:
      return ChainUnits{.time = 1, .gpus = 1};
    case ClaimDimension::kMoney:
      return ChainUnits{.money = 1, .gpus = each};
    case ClaimDimension::kPrice:
      return ChainUnits{.time = -1, .money = 1, .gpus = each};
    case ClaimDimension::kBytes:
      return ChainUnits{.bytes = 1, .gpus = each};
    case ClaimDimension::kWidth:
      return ChainUnits{.bytes = 1};
    case ClaimDimension::kByteRate:
      return ChainUnits{.time = -1, .bytes = 1, .gpus = each};
    case ClaimDimension::kTokenRate:
      return ChainUnits{.time = -1, .tokens = 1, .gpus = each};
    case ClaimDimension::kSampleRate:
      return ChainUnits{.time = -1, .samples = 1, .gpus = each};
    case ClaimDimension::kStepTime:
      return ChainUnits{.time = 1, .steps = -1};
    case ClaimDimension::kTokens:
      return ChainUnits{.tokens = 1};
    case ClaimDimension::kSamples:
      return ChainUnits{.samples = 1};
    case ClaimDimension::kSteps:
      return ChainUnits{.steps = 1};
    case ClaimDimension::kGpus:
      return ChainUnits{.gpus = 1};
    case ClaimDimension::kPower:
      return ChainUnits{.time = -1, .energy = 1};
    case ClaimDimension::kEnergy:
      return ChainUnits{.energy = 1};
    case ClaimDimension::kOperations:
      return ChainUnits{.operations = 1};
    case ClaimDimension::kOperationRate:
      return ChainUnits{.time = -1, .operations = 1};
    default:
      return std::nullopt;
  }
}

double chain_scale_of(const ClaimAmount& one) {
  constexpr double kSecondsOfPrice = 3600;
  return one.dimension == ClaimDimension::kPrice ? 1 / kSecondsOfPrice : 1;
}

bool is_slip_of_a_digit(double shown, double meant) {
  constexpr double kMost = 1e12;
  if (shown < 1 || meant < 1 || shown > kMost || meant > kMost) return false;
  const std::string a = std::to_string(std::llround(shown)), b = std::to_string(std::llround(meant));
  // "$200" has one digit that counts.
  if (a.size() != b.size() || std::ranges::count(a, '0') + 1 >= std::ssize(a)) return false;
  std::size_t first = a.size(), differ = 0, last = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    first = first == a.size() ? i : first;
    last = i;
    ++differ;
  }
  // A last digit alone is rounding.
  if (differ == 1) return first + 1 < a.size();
  return differ == 2 && a[first] == b[last] && a[last] == b[first];
}

}  // namespace gpuplan::audit
