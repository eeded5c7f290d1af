// What is wrong with a plan, one statement at a time.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/names.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

enum class FindingKind : std::uint8_t {
  kWrong,         ///< its own numbers, or facts, give another value
  kInconsistent,  ///< the document says it twice, differently
  kDominated,     ///< another option of the same table is as cheap and as fast
  kUnlikely,      ///< far from what is known or usual
  kMissing,       ///< nothing is said of it
};

template <>
struct Names<FindingKind> {
  static constexpr std::array entries = {
      Named<FindingKind>{FindingKind::kWrong, "wrong"},
      Named<FindingKind>{FindingKind::kInconsistent, "inconsistent"},
      Named<FindingKind>{FindingKind::kDominated, "dominated"},
      Named<FindingKind>{FindingKind::kUnlikely, "unlikely"},
      Named<FindingKind>{FindingKind::kMissing, "missing"},
  };
};

struct Finding {
  FindingKind kind = FindingKind::kWrong;
  int line = 0;
  std::string about;  ///< which row or label: "L40S"; may be empty
  std::string said;   ///< as written
  std::string right;  ///< the value that follows; empty where there is none
  std::string how;    ///< how it was computed, or why
};

struct Audit {
  std::vector<Finding> findings;  ///< by line
  int tables = 0;
  int claims = 0;   ///< amounts read
  int checked = 0;  ///< of them, those that some check recomputed or used
  std::vector<UnreadPart> unread;
};

}  // namespace gpuplan
