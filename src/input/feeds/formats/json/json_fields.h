// Fields of a record in JSON, as price lists write them: numbers in quotes, with a dollar sign, with commas.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "domain/market/offer.h"
#include "input/text/tree.h"

namespace gpuplan {

/// The value at "prices.onDemand"; null where something on the way is missing.
const Tree* json_at(const Tree& tree, std::string_view path);
/// Its text; empty for a list, a map and null.
std::string json_text(const Tree& tree, std::string_view path);
/// Its number: 3.95, "3.95", "$1,234.50", "2,048 GiB"; NaN where there is none.
double json_number(const Tree& tree, std::string_view path);
double json_number_or(const Tree& tree, std::string_view path, double otherwise);
/// true, false, "yes", "no"; absent: neither.
std::optional<bool> json_flag(const Tree& tree, std::string_view path);

/// The number that a text begins with, as above.
double number_said(std::string_view text);
/// The first ten signs of a time, "2026-09-10T19:55:14Z", where they are a date; else empty.
std::string date_said(std::string_view text);

}  // namespace gpuplan
