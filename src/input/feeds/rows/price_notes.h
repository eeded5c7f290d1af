// What people write beside a price, in a column of notes: "min. term 1 month, reserved", "spot / preemptible".
#pragma once

#include <string_view>

#include "input/prices/price_kind.h"

namespace gpuplan {

/// "Notes", "Remarks", "Bemerkung", "conditions": a column or field of free words.
bool is_note_name(std::string_view name);

/// What a note leaves no doubt of: kSpot, kCommitted, or kUnsaid. Each part between commas and full stops says its own;
/// one that denies ("no commitment") or only offers ("reserved also available") says nothing.
PriceKind kind_in_note(std::string_view note);

}  // namespace gpuplan
