// What a figure of a sentence may have been computed from.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "evidence/audit/chains/units.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {

/// One operand of a chain: an amount, a number in words, or GPUs by name.
struct Operand {
  ChainUnits units;
  ClaimEnds value = ends_of(1.0);
  std::string text;
  const ClaimAmount* amount = nullptr;
  int group = 0;  ///< the line or row of a table that it stands in; its own paragraph is 0
};

class Operands {
 public:
  explicit Operands(const Bench& bench) : bench_(bench) {}

  /// What stands before it in its sentence (the first `own` of them), and in the one before that of its paragraph.
  std::vector<Operand> close_to(const ClaimLine& line, const ClaimAmount& stated, std::size_t& own) const;
  /// Sums of tables of its section, and the one price of the document: they are known wherever one stands.
  void add_known(const ClaimLine& line, std::vector<Operand>& all) const;
  /// All that the section says, to hold it against.
  std::vector<Operand> around(const ClaimLine& line, const ClaimAmount& stated) const;

 private:
  void add_row(const ClaimLine& line, const ClaimAmount& stated, std::vector<Operand>& all) const;

  const Bench& bench_;
};

}  // namespace gpuplan::audit
