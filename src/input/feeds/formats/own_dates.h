// Days as people and programs write them.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

struct OwnDate {
  std::string text{};          ///< 2026-11-25, or 2026-11; empty: none is said, or none that can be read
  std::string_view problem{};  ///< why it can not be read; empty: it can, or nothing stands there
};

/// "2026-11-25", "2026-11-25T10:00:00Z", "25.11.2026", "20261125", "25/11/2026", "Nov 25, 2026", "25. November 2026",
/// "Nov 2026", "Wed, 25 Nov 2026 10:00:00 GMT", 1795600800 seconds, or thousandths or millionths of them, 46351 days of
/// a spreadsheet, "25 novembre 2026", "25 de noviembre de 2026". What can be read in two ways (3/4/2026) is not.
OwnDate read_own_date(std::string_view cell);

/// The date of which a title says that what stands below is of it: "Valid from 1 Dec 2026", "Prices, Stand:
/// 01.12.2026", or a date alone; the latest of several. One "valid until" is none of them.
OwnDate read_title_date(std::string_view title);

/// Whether the head of a column or the name of a field tells when its row was recorded, or since when it is so:
/// "ts", "recorded_at", "Valid from". What stands there must be dates; "valid until" and "release date" are of other
/// days.
bool tells_time_of_record(std::string_view name);

}  // namespace gpuplan
