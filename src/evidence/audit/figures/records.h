// The statements of a plan put together by what they are about: a row of a table, a list under a heading.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evidence/claims/claims.h"

namespace gpuplan {

/// What an amount is in a plan.
enum class ClaimRole : std::uint8_t {
  kNone,
  kGpus,
  kTime,
  kOverhead,
  kTotalTime,
  kStepTime,
  kSteps,
  kEpochs,
  kSamples,
  kTokens,
  kTokenRate,
  kSampleRate,
  kPrice,
  kCost,
  kGpuTime,
  kMemory,
  kRatio,
  kBatch,
  kSaved,  ///< money for an hour saved
};

struct ClaimFact {
  ClaimRole role = ClaimRole::kNone;
  const ClaimAmount* value = nullptr;
  std::string name;  ///< head of the column, or label
  int line = 0;
  int column = -1;
};

/// Refers to the document that it was made of.
struct ClaimRecord {
  std::string label;     ///< as written
  int count = 0;         ///< GPUs; 0: not said
  std::string gpu;       ///< GpuMention::key; empty: none
  double gigabytes = 0;  ///< of the mention
  bool spot = false;     ///< said where the GPU is, or in a cell of its own
  int line = 0, section = 0;
  int table = -1, row = -1;  ///< -1: a list; of a table whose options are columns `row` is the column
  bool total = false;        ///< a row of sums, or of what is added to them
  std::vector<ClaimFact> facts;

  /// The first of this role; nullptr: none.
  const ClaimFact* find(ClaimRole role) const;
  std::vector<const ClaimFact*> all(ClaimRole role) const;
  /// Its one time, the total where there is one, and its one cost; nullptr: none, or several.
  const ClaimFact* time() const;
  const ClaimFact* cost() const;
  /// "4xh100-80-spot": GPU, memory, how many and of which market; empty without GPU.
  std::string key() const;
};

/// What a name says that an amount is.
ClaimRole role_of(std::string_view name, const ClaimAmount& quantity);

/// "total", "sum", "subtotal", in a few languages.
bool is_total_word(std::string_view text);

/// A column says who rents it out: the same GPU has several prices.
bool names_providers(const ClaimTable& table);

/// The cells of a row of a table, or of the column of an option; empty: of neither.
std::vector<const ClaimText*> cells_of(const ClaimDocument& document, const ClaimRecord& record);

/// Every row of every table (every option, where they are columns), then the lists: the labelled lines under each
/// heading, those of code left out.
std::vector<ClaimRecord> records_of(const ClaimDocument& document);

}  // namespace gpuplan
