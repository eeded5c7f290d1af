#include "input/feeds/rows/feed_table.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostTitles = 20;      // rows above a header
constexpr std::size_t kHeaderWithin = 8192;  // bytes

}  // namespace

FeedColumn feed_column(FeedHeader header, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const std::string wanted = squeeze(name);
    for (std::size_t i = 0; i < header.size(); ++i)
      if (iequals(header[i], name) || (!wanted.empty() && squeeze(header[i]) == wanted)) return i;
  }
  return std::nullopt;
}

bool table_begins(std::string_view head, bool (*is_header)(FeedHeader)) {
  CsvRows text;
  std::size_t rows = 0;
  bool found = false;
  const auto look = [&](const CsvRows::Row& row) {
    if (!found && ++rows <= kMostTitles) found = is_header(row.cells);
  };
  text.feed(head.substr(0, kHeaderWithin), look);
  if (head.size() <= kHeaderWithin) text.end(look);
  return found;
}

std::optional<double> FeedCells::number(FeedColumn column) const {
  const std::string_view cell = text(column);
  if (cell.empty()) return kNoPrice;
  double value = 0;
  const auto end = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end.ec != std::errc() || end.ptr != cell.data() + cell.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string FeedCells::words() const {
  constexpr std::size_t kEnough = 3, kWidth = 40;
  std::string words;
  std::size_t shown = 0;
  for (const std::string_view cell : row_->cells) {
    if (cell.empty() || shown == kEnough) continue;
    words.append(words.empty() ? "" : " ").append(printable(cell, kWidth));
    ++shown;
  }
  return words;
}

std::unexpected<Error> FeedTable::failed(std::string message) const {
  return failure(std::move(message), {rows_->terms().file, 1, 0});
}

Result<void> FeedTable::problem() const {
  if (!refusal_.empty()) return failed(refusal_);
  if (columns_ == 0 && before_ > kMostTitles)
    return failed("no header row; expected one with the columns " + std::string(needed()));
  return {};
}

void FeedTable::read(const CsvRows::Row& row) {
  if (columns_ == 0) {
    if (row.problem.empty() && header(row.cells)) columns_ = row.cells.size();
    else ++before_;
    return;
  }
  const FeedCells cells(row);
  if (!row.problem.empty()) return rows_->reject(row.line, std::string(row.problem), cells.words());
  if (row.cells.size() < columns_) return rows_->reject(row.line, "fewer cells than the header has", cells.words());
  if (!std::ranges::all_of(row.cells.subspan(columns_), [](std::string_view cell) { return cell.empty(); }))
    return rows_->reject(row.line, "more cells than the header has", cells.words());
  this->row(cells);
}

Result<void> FeedTable::take(std::string_view piece) {
  text_.feed(piece, [&](const CsvRows::Row& row) { read(row); });
  return problem();
}

Result<void> FeedTable::finish() {
  text_.end([&](const CsvRows::Row& row) { read(row); });
  if (columns_ == 0) before_ = kMostTitles + 1;
  if (auto fine = problem(); !fine) return fine;
  end();
  return {};
}

}  // namespace gpuplan
