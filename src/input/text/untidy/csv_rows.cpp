#include "input/text/untidy/csv_rows.h"

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kSeparators = ",;\t|";
constexpr auto kNowhere = std::string_view::npos;

/// Which of the separators a line has most of outside of quotes; 0: it has none.
char separator_of(std::string_view line) {
  char best = 0;
  std::ptrdiff_t most = 0;
  for (const char separator : kSeparators) {
    std::ptrdiff_t count = 0;
    bool inside = false;
    for (const char c : line) {
      if (c == '"') inside = !inside;
      count += c == separator && !inside ? 1 : 0;
    }
    if (count > most) {
      best = separator;
      most = count;
    }
  }
  return best;
}

}  // namespace

void CsvRows::add(std::string_view bytes) {
  held_.erase(0, at_);
  at_ = 0;
  if (waiting_) waiting_ = bytes.find_first_of("\r\n") == kNowhere && !held_.ends_with('\r');
  held_ += bytes;
  if (held_.size() > kLongestRow) waiting_ = false;
}

bool CsvRows::skip_line(bool last) {
  const std::size_t end = held_.find_first_of("\r\n", at_);
  skipping_ = end == kNowhere && !last;
  at_ = std::min(end, held_.size());
  return !skipping_;
}

bool CsvRows::find_separator(bool last) {
  const std::size_t end = held_.find_first_of("\r\n", at_);
  if (end == kNowhere && !last && held_.size() - at_ <= kLongestRow) return false;
  const std::string_view line = std::string_view(held_).substr(at_, std::min(end, held_.size()) - at_);
  constexpr std::string_view kSaid = "sep=";  // a line that one spreadsheet writes for another
  if (line.size() == kSaid.size() + 1 && line.starts_with(kSaid)) {
    separator_ = line.back();
    separated_ = true;
    at_ += line.size();
  } else if (const char separator = separator_of(line); separator != 0) {
    separator_ = separator;
    separated_ = true;
  }
  return true;
}

CsvRows::Scan CsvRows::quoted(std::size_t& at, bool last) {
  const std::size_t start = at;
  bool doubled = false;
  while (true) {
    const std::size_t quote = held_.find('"', at);
    if (quote == kNowhere) return !last && held_.size() - at_ <= kLongestRow ? Scan::kMore : Scan::kOpen;
    if (quote - at_ > kLongestRow) return Scan::kOpen;
    at = quote + 1;
    if (at == held_.size() && !last) return Scan::kMore;
    if (at == held_.size() || held_[at] != '"') break;
    doubled = true;
    ++at;
  }
  std::string_view cell = std::string_view(held_).substr(start, at - 1 - start);
  breaks_ += static_cast<std::uint64_t>(std::ranges::count(cell, '\n'));
  while (at < held_.size() && held_[at] != separator_ && (held_[at] == ' ' || held_[at] == '\t')) ++at;
  if (at == held_.size() && !last) return Scan::kMore;
  if (at < held_.size() && held_[at] != separator_ && !at_line_end(at)) return Scan::kStray;
  if (doubled) {
    std::string& copy = copies_.emplace_back();
    for (std::size_t i = 0; i < cell.size(); ++i) {
      copy += cell[i];
      if (cell[i] == '"') ++i;
    }
    cell = copy;
  }
  cells_.push_back(trim(cell));
  return Scan::kWhole;
}

CsvRows::Scan CsvRows::scan(std::size_t& at, bool last) {
  cells_.clear();
  copies_.clear();
  breaks_ = 0;
  const auto wait = [&] { return held_.size() - at_ <= kLongestRow ? Scan::kMore : Scan::kLong; };
  while (true) {
    if (at - at_ > kLongestRow || cells_.size() == kMostCells) return Scan::kLong;
    std::size_t first = at;
    while (first < held_.size() && held_[first] != separator_ && (held_[first] == ' ' || held_[first] == '\t')) ++first;
    if (first < held_.size() && held_[first] == '"') {
      at = first + 1;
      if (const Scan done = quoted(at, last); done != Scan::kWhole) return done;
    } else {
      const std::size_t start = at;
      while (at < held_.size() && held_[at] != separator_ && !at_line_end(at) && held_[at] != '"') ++at;
      if (at == held_.size() && !last) return wait();
      if (at < held_.size() && held_[at] == '"') return Scan::kStray;
      cells_.push_back(trim(std::string_view(held_).substr(start, at - start)));
    }
    if (at == held_.size()) return last ? Scan::kWhole : wait();
    if (held_[at] == separator_) {
      ++at;
      continue;
    }
    // A carriage return may be all of the line end, or half.
    if (held_[at] == '\r' && at + 1 == held_.size() && !last) return wait();
    at += held_[at] == '\r' && at + 1 < held_.size() && held_[at + 1] == '\n' ? 2 : 1;
    return Scan::kWhole;
  }
}

bool CsvRows::next(bool last) {
  while (true) {
    if (skipping_ && !skip_line(last)) return false;
    if (waiting_ && !last) return false;
    while (at_ < held_.size() && at_line_end(at_)) {
      const bool pair = held_[at_] == '\r';
      if (pair && at_ + 1 == held_.size() && !last) return false;
      at_ += pair && at_ + 1 < held_.size() && held_[at_ + 1] == '\n' ? 2 : 1;
      ++line_;
    }
    if (at_ == held_.size()) return false;
    if (!separated_) {
      if (!find_separator(last)) {
        waiting_ = true;
        return false;
      }
      if (at_line_end(std::min(at_, held_.size() - 1))) continue;
      if (at_ == held_.size()) return false;
    }
    std::size_t end = at_;
    const Scan done = scan(end, last);
    if (done == Scan::kMore) {
      waiting_ = true;
      return false;
    }
    row_ = {line_, {}, {}};
    if (done == Scan::kWhole) {
      const bool ended = end > at_ && at_line_end(end - 1);
      at_ = end;
      line_ += breaks_ + (ended ? 1 : 0);
      if (std::ranges::all_of(cells_, [](std::string_view cell) { return cell.empty(); })) continue;
      row_.cells = cells_;
      return true;
    }
    row_.problem = done == Scan::kStray  ? "a quote that stands wrong"
                   : done == Scan::kOpen ? "a quote that is never closed"
                                         : "a line that is too long";
    const std::size_t begin = at_;
    skip_line(last);
    cells_.assign(1, trim(std::string_view(held_).substr(begin, at_ - begin)));
    row_.cells = cells_;
    return true;
  }
}

}  // namespace gpuplan
