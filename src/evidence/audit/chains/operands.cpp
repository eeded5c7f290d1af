#include "evidence/audit/chains/operands.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/text.h"
#include "evidence/audit/chains/nearby.h"
#include "evidence/audit/figures/records.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

void add_operand(std::vector<Operand>& all, const ClaimAmount& one) {
  const auto units = chain_units_of(one);
  if (!units || one.range() || one.low <= 0 || (one.odd && one.dimension == ClaimDimension::kBare)) return;
  all.push_back({*units, ends_of(one, true) * chain_scale_of(one), one.text, &one});
  // A percentage is a part, what is left, or what is added.
  if (one.dimension != ClaimDimension::kShare || one.low >= 1) return;
  all.push_back({*units, ends_of(1 - one.low), "(1 - " + one.text + ")", &one});
  all.push_back({*units, ends_of(1 + one.low), "(1 + " + one.text + ")", &one});
}

void add_words_of(std::vector<Operand>& all, std::string_view words) {
  for (const double number : number_words(words))
    if (number > 1) all.push_back({{}, ends_of(number), number_text(number), nullptr});
}

}  // namespace

/// What stands before it in its sentence, and in the one before that of the same paragraph.
std::vector<Operand> Operands::close_to(const ClaimLine& line, const ClaimAmount& stated, std::size_t& own) const {
  std::vector<Operand> all;
  const std::string& text = line.said.text;
  const std::size_t from = begin_of_sentence(text, stated.from), before = begin_of_two_sentences(text, stated.from);
  const std::size_t end = end_of_sentence(text, stated.to);
  constexpr std::size_t kMost = 14;
  for (const ClaimAmount& one : line.said.quantities)
    if (one.from >= from && one.to <= stated.from && all.size() < kMost) add_operand(all, one);
  for (const GpuMention& gpu : line.said.gpus)
    if (gpu.from >= from && gpu.from < end && gpu.count > 1)
      all.push_back({{.gpus = 1}, ends_of(gpu.count), std::to_string(gpu.count) + " GPUs", nullptr});
  add_words_of(all, std::string_view(text).substr(from, end - from));
  const std::string behind = to_lower(text.substr(stated.to, end - std::min(end, stated.to)));
  if (starts_with_any(behind, {" on a single", " on one", " on just one"}))
    all.push_back({{.gpus = 1}, ends_of(1.0), "1 GPU", nullptr});
  // "560 GB a month, in a year 6.7 TB"
  const std::string whole = to_lower(text.substr(from, end - from));
  if (has_word(whole, "month") && has_word(whole, "year")) all.push_back({{}, ends_of(12.0), "12 months", nullptr});
  add_row(line, stated, all);
  own = all.size();
  for (const ClaimAmount& one : line.said.quantities)
    if (one.from >= before && one.to <= from && all.size() < 2 * kMost) add_operand(all, one);
  return all;
}

/// The amounts of the row that its clause names: "CloudBarn $289,690".
void Operands::add_row(const ClaimLine& line, const ClaimAmount& stated, std::vector<Operand>& all) const {
  const std::string front = front_of(line, stated);
  const std::size_t clause = front.find_last_of(",;:");
  const std::string_view words = clause == std::string::npos ? front : std::string_view(front).substr(clause + 1);
  const ClaimRecord* found = nullptr;
  for (const ClaimRecord& record : bench_.records) {
    if (record.table < 0 || record.row < 0 || record.section != line.section || record.total) continue;
    const std::string name = to_lower(trim(cells_of(bench_.document, record).front()->text));
    constexpr std::size_t kShortest = 3;
    if (name.size() < kShortest || !has_word(words, name)) continue;
    if (found != nullptr) return;
    found = &record;
  }
  if (found == nullptr) return;
  for (const ClaimFact& fact : found->facts)
    if (is_single_value(*fact.value)) add_operand(all, *fact.value);
}

/// All that the section says, to hold it against.
std::vector<Operand> Operands::around(const ClaimLine& line, const ClaimAmount& stated) const {
  std::vector<Operand> all;
  constexpr std::size_t kMost = 90;
  constexpr int kFarthest = 12;
  int group = 0;
  const auto take = [&](const ClaimText& said) {
    const std::size_t first = all.size();
    for (const ClaimAmount& one : said.quantities)
      if (&one != &stated && all.size() < kMost) add_operand(all, one);
    for (const GpuMention& gpu : said.gpus)
      if (gpu.count > 1 && all.size() < kMost) all.push_back({{.gpus = 1}, ends_of(gpu.count), "", nullptr});
    for (std::size_t i = first; i < all.size(); ++i) all[i].group = group;
  };
  take(line.said);
  add_words_of(all, line.said.text);
  for (const ClaimLine& other : bench_.document.lines)
    if (&other != &line && other.section == line.section && std::abs(other.line - line.line) <= kFarthest)
      ++group, take(other.said);
  for (const ClaimTable& table : bench_.document.tables)
    if (bench_.within(table.section, line.section) || bench_.within(line.section, table.section))
      for (const ClaimRow& row : table.rows) {
        ++group;
        for (const ClaimText& cell : row.cells) take(cell);
      }
  return all;
}

/// Sums of tables of its section, and the one price of the document: they are known wherever one stands.
void Operands::add_known(const ClaimLine& line, std::vector<Operand>& all) const {
  const ClaimAmount* price = nullptr;
  bool several = false;
  const auto take = [&](const ClaimText& said) {
    for (const ClaimAmount& one : said.quantities) {
      if (one.dimension != ClaimDimension::kPrice || !is_single_value(one)) continue;
      several = several || (price != nullptr && price->low != one.low);
      price = &one;
    }
  };
  for (const ClaimLine& other : bench_.document.lines) take(other.said);
  for (const ClaimTable& table : bench_.document.tables)
    for (const ClaimRow& row : table.rows)
      for (const ClaimText& cell : row.cells) take(cell);
  if (price != nullptr && !several) add_operand(all, *price);
  for (const ClaimRecord& record : bench_.records) {
    if (!record.total || record.section != line.section) continue;
    constexpr std::size_t kMost = 30;
    for (const ClaimFact& fact : record.facts)
      if (is_single_value(*fact.value) && all.size() < kMost) add_operand(all, *fact.value);
  }
}

}  // namespace gpuplan::audit
