// The units that amounts are measured in, as far as sums have to come out in them.
#pragma once

#include "evidence/claims/claims.h"

namespace gpuplan {

/// Powers of seconds, dollars, bytes, joules and operations. What is counted has none.
struct Powers {
  int time = 0, money = 0, bytes = 0, energy = 0, operations = 0;

  bool operator==(const Powers&) const = default;
  bool none() const { return *this == Powers{}; }
  friend Powers operator+(Powers a, Powers b) {
    return {a.time + b.time, a.money + b.money, a.bytes + b.bytes, a.energy + b.energy, a.operations + b.operations};
  }
  friend Powers operator-(Powers a, Powers b) {
    return {a.time - b.time, a.money - b.money, a.bytes - b.bytes, a.energy - b.energy, a.operations - b.operations};
  }
};

inline Powers powers_of(ClaimDimension dimension) {
  switch (dimension) {
    case ClaimDimension::kTime:
    case ClaimDimension::kGpuTime:
    case ClaimDimension::kNodeTime:
    case ClaimDimension::kStepTime:
      return {1};
    case ClaimDimension::kMoney:
      return {0, 1};
    case ClaimDimension::kPrice:
      return {-1, 1};
    case ClaimDimension::kBytes:
    case ClaimDimension::kWidth:
      return {0, 0, 1};
    case ClaimDimension::kByteRate:
      return {-1, 0, 1};
    case ClaimDimension::kTokenRate:
    case ClaimDimension::kSampleRate:
      return {-1};
    case ClaimDimension::kPower:
      return {-1, 0, 0, 1};
    case ClaimDimension::kEnergy:
      return {0, 0, 0, 1};
    case ClaimDimension::kOperations:
      return {0, 0, 0, 0, 1};
    case ClaimDimension::kOperationRate:
      return {-1, 0, 0, 0, 1};
    default:
      return {};
  }
}

}  // namespace gpuplan
