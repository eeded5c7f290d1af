// What was meant by an offer that names a GPU nobody makes: its price, its instance and the size of its memory tell.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "domain/facts/catalogue.h"
#include "input/text/tree.h"

namespace gpuplan {

/// What stands beside a GPU's name.
struct OfferClues {
  int gpus = 0;                           ///< 0: not said
  std::optional<DollarsPerSecond> price;  ///< of the whole machine
  std::string instance;
};

/// Reads what it can of the map that holds the GPU's name; null gives none.
OfferClues clues_in(const Tree* offer);

/// "8 GPUs of 40 GB are aws p4d.24xlarge (8x A100 SXM 40GB), $21.96/h; $32.77/h was the price of ..."; empty when the
/// known offers and machines say nothing.
std::string clue_words(const Catalogue& catalogue, std::string_view gpu_name, const OfferClues& clues);

}  // namespace gpuplan
