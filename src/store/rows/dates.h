// Dates as the store keeps them: 20261125, and 20261100 where only the month is known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gpuplan {

/// REQUIRES: a date such as 2026-11-25 or 2026-11; 0 for what is none.
int packed_date(std::string_view date);
std::string date_text(std::int64_t packed);
/// The last day that a date may mean: of a month its end.
int last_of(int packed);
/// So many days before.
int days_before(int packed, int days);
/// Number of the week that a date is in; the same for all days of one.
int week_of(int packed);

}  // namespace gpuplan
