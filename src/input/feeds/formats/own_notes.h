// Notes beside the prices of a list of one's own.
#pragma once

#include <string>
#include <string_view>

#include "input/feeds/formats/own_columns.h"
#include "input/feeds/rows/feed_rows.h"
#include "input/prices/price_kind.h"

namespace gpuplan {

inline constexpr std::string_view kServerlessPrice = "a serverless price, which rents no machine";

/// What a cell of a form factor or a link says; an address says nothing.
std::string_view form_said(std::string_view cell);

/// Takes what a note leaves no doubt of: spot, sold out. `said` is what other cells say of the price. Returns what is
/// wrong with the row: a commitment; empty: nothing.
std::string heed_note(std::string_view note, PriceKind said, FeedRow& row);
/// The same of its words of availability: machines that "may be interrupted" are asked a spot price for.
void heed_availability(PriceKind said, FeedRow& row);

/// Whether a cell says that the price of a machine holds a licence: "Windows Server 2022", "RHEL".
bool says_other_system(const OwnColumn& column, std::string_view cell);

}  // namespace gpuplan
