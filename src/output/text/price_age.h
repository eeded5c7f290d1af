// How old prices are, said alike wherever prices are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gpuplan {

/// Days from `as_of` ("2026-04", "2026-04-17") to `today` ("2026-11-22"). A month counts from its middle. None where
/// either is no date; never below zero.
std::optional<int> days_old(std::string_view as_of, std::string_view today);

/// "prices from 2026-04, 7 months old"; without the age where nobody says which day it is, or they are of this month;
/// empty without a date.
std::string price_age_words(std::string_view as_of, std::string_view today);

/// "Prices are from 2026-04, 7 months old: look them up before you rent."; empty where they are less than `limit` days
/// old.
std::string old_price_words(std::string_view as_of, std::string_view today, double limit);

/// "the newest 7 months old" of own runs; empty where it is less than `limit` days old.
std::string old_run_words(std::string_view as_of, std::string_view today, double limit);

}  // namespace gpuplan
