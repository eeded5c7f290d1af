// Typed cells of a table: CsvReader of input/text/csv.h.
#include <charconv>
#include <cmath>

#include "base/digits/decimal.h"
#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {

void CsvReader::fail(std::size_t row, std::string message) {
  if (!error_) error_ = Error{std::move(message), table_->place(row), false};
}

std::string CsvReader::cell_text(std::size_t row, Column column) const {
  return "column " + printable(table_->name(*column)) + ": '" + printable(text(row, column), 60) + "'";
}

void CsvReader::fail_cell(std::size_t row, Column column, std::string_view expected) {
  if (ok()) fail(row, cell_text(row, column) + " is not " + std::string(expected));
}

void CsvReader::unknown_name(std::size_t row, Column column, std::string_view cell,
                             const std::vector<std::string_view>& names) {
  if (!ok()) return;
  std::string expected;
  for (const std::string_view name : names) expected += (expected.empty() ? "" : ", ") + std::string(name);
  fail(row, "column " + printable(table_->name(*column)) + ": '" + printable(cell, 60) + "' is not one of " +
                printable(expected, 400) + did_you_mean(cell, names));
}

CsvReader::Column CsvReader::find(std::string_view name, std::string_view unit, bool required) {
  const Column found = table_->find(name, unit);
  if (error_) return found;
  const std::string wanted = unit.empty() ? std::string(name) : std::string(name) + "[" + std::string(unit) + "]";
  const Place header{table_->file(), 1, 0};
  if (!found) {
    if (!required) return found;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < table_->columns(); ++i) names.push_back(table_->name(i));
    error_ = Error{"missing column '" + wanted + "'" + did_you_mean(name, names), header, false};
  } else if (!iequals(table_->unit(*found), unit)) {
    error_ = Error{"column " + std::string(name) + " must be headed " + wanted + ", not " +
                       printable(std::string(name) + "[" + std::string(table_->unit(*found)) + "]", 80),
                   header, false};
  }
  return found;
}

CsvReader::Column CsvReader::column(std::string_view name, std::string_view unit) { return find(name, unit, true); }

CsvReader::Column CsvReader::optional_column(std::string_view name, std::string_view unit) {
  return find(name, unit, false);
}

std::string_view CsvReader::required(std::size_t row, Column column) {
  const std::string_view cell = text(row, column);
  if (cell.empty() && column && ok()) fail(row, "column " + printable(table_->name(*column)) + " is empty");
  return cell;
}

double CsvReader::number(std::size_t row, Column column, double low, double high, double fallback) {
  const std::string_view cell = text(row, column);
  if (cell.empty() || !ok()) return fallback;
  double value = 0;
  const auto end = read_number(cell.data(), cell.data() + cell.size(), value);
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size() || !std::isfinite(value)) {
    fail_cell(row, column, "a number");
    return fallback;
  }
  if (value < low || value > high) {
    fail_cell(row, column, "between " + number_text(low) + " and " + number_text(high));
    return fallback;
  }
  return value;
}

int CsvReader::whole(std::size_t row, Column column, int low, int high, int fallback) {
  const std::string_view cell = text(row, column);
  if (cell.empty() || !ok()) return fallback;
  int value = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size() || value < low || value > high) {
    fail_cell(row, column, "a whole number from " + std::to_string(low) + " to " + std::to_string(high));
    return fallback;
  }
  return value;
}

bool CsvReader::yes_no(std::size_t row, Column column, bool fallback) {
  const std::string_view cell = text(row, column);
  if (cell.empty()) return fallback;
  if (cell == "yes") return true;
  if (cell != "no") fail_cell(row, column, "yes or no");
  return false;
}

std::string_view CsvReader::date(std::size_t row, Column column) {
  const std::string_view cell = required(row, column);
  if (!cell.empty() && !is_iso_date(cell)) fail_cell(row, column, "a date such as 2026-04 or 2026-04-17");
  return cell;
}

std::vector<std::string> CsvReader::list(std::size_t row, Column column, char separator) const {
  std::vector<std::string> parts;
  for (const std::string_view part : split(text(row, column), separator)) parts.emplace_back(part);
  return parts;
}

bool is_iso_date(std::string_view text) {
  if (text.size() != 7 && text.size() != 10) return false;
  const auto part = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    for (std::size_t i = at; i < at + digits; ++i) {
      if (!is_digit(text[i])) return -1;
      value = value * 10 + (text[i] - '0');
    }
    return value;
  };
  const int year = part(0, 4), month = part(5, 2);
  if (year < 1990 || year > 2099 || text[4] != '-' || month < 1 || month > 12) return false;
  if (text.size() == 7) return true;
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const int day = part(8, 2);
  return text[7] == '-' && day >= 1 && day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

}  // namespace gpuplan
