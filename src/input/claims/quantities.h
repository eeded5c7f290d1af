// Amounts and GPUs in a line of prose or a cell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "domain/facts/catalogue.h"
#include "evidence/claims/claims.h"
#include "input/claims/claim_units.h"
#include "input/claims/gpu_mentions.h"

namespace gpuplan {

/// The sign before the fraction that most numbers of a document have: '.' or ','.
char decimal_sign_of(std::string_view document);

/// Makes the amount one of the unit that its head or label tells; false: it has its own.
bool give_unit(ClaimAmount& amount, const UnitHint& hint);

class QuantityReader {
 public:
  /// `catalogue` tells names of GPUs from numbers. It must outlive the reader.
  QuantityReader(const Catalogue& catalogue, char decimal);

  /// Reads a text that has no Markdown in it any more. Never fails: what is no amount is passed over.
  ClaimText read(std::string text, const UnitHint& hint = {});
  /// The same of a head: the GPUs that it names, and none of its numbers.
  ClaimText read_head(std::string text);
  /// The same of a head with its amounts, as terms of what its column states: "Hours for 10B tokens". They claim
  /// nothing themselves, and are not counted: ClaimAmount::id is -1.
  ClaimText read_terms(std::string text);
  int count() const { return next_; }

 private:
  GpuMentions mentions_;
  char decimal_;
  int next_ = 0;
};

}  // namespace gpuplan
