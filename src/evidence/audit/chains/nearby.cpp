#include "evidence/audit/chains/nearby.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

/// Sentences round what they count on with: less than this is no error.
constexpr double kRoundedOn = 0.02;
constexpr double kSecondsOfDay = 24 * kHour;

ClaimEnds with_room(const ClaimEnds& value) {
  return {{value.low.low * (1 - kRoundedOn), value.low.high * (1 + kRoundedOn)},
          {value.high.low * (1 - kRoundedOn), value.high.high * (1 + kRoundedOn)}};
}

/// "4.08 days" where it is told in days.
std::string in_its_words(const ClaimAmount& stated, const ClaimEnds& right) {
  if (stated.dimension != ClaimDimension::kTime || stated.unit != kSecondsOfDay) return told(stated, right);
  return significant_text((right.low_middle() + right.high_middle()) / 2 / kSecondsOfDay, 3) + " days";
}

}  // namespace

bool is_single_value(const ClaimAmount& one) {
  return !one.range() && !one.odd && one.low > 0 && !one.at_least && !one.at_most && !one.added && !one.taken;
}

bool counts_things(const ClaimAmount& one) {
  return one.low >= 2 && !one.range() && one.currency.empty() &&
         one.low == static_cast<double>(std::llround(one.low)) &&
         (one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kSamples ||
          one.dimension == ClaimDimension::kGpus || one.dimension == ClaimDimension::kEpochs ||
          one.dimension == ClaimDimension::kSteps);
}

std::string front_of(const ClaimLine& line, const ClaimAmount& stated) {
  const std::size_t from = begin_of_sentence(line.said.text, stated.from);
  return to_lower(line.said.text.substr(from, stated.from - from));
}

std::size_t begin_of_two_sentences(std::string_view text, std::size_t at) {
  constexpr std::size_t kStop = 2;  // ". "
  const std::size_t own = begin_of_sentence(text, at);
  return own < kStop ? own : begin_of_sentence(text, own - kStop);
}

std::vector<const ClaimAmount*> like_before(const ClaimLine& line, const ClaimAmount& stated, std::size_t from) {
  std::vector<const ClaimAmount*> found;
  for (const ClaimAmount& one : line.said.quantities)
    if (one.from >= from && one.to <= stated.from && one.dimension == stated.dimension &&
        one.currency == stated.currency && is_single_value(one))
      found.push_back(&one);
  return found;
}

std::vector<const ClaimAmount*> Nearby::like_near(const ClaimLine& line, const ClaimAmount& stated) const {
  constexpr std::size_t kMost = 40;
  constexpr int kFarthest = 8;
  std::vector<const ClaimAmount*> found;
  const auto take = [&](const ClaimText& said) {
    for (const ClaimAmount& one : said.quantities)
      if (&one != &stated && one.dimension == stated.dimension && one.currency == stated.currency && one.low > 0 &&
          found.size() < kMost)
        found.push_back(&one);
  };
  take(line.said);
  for (const ClaimLine& other : bench_.document.lines)
    if (&other != &line && other.section == line.section && std::abs(other.line - line.line) <= kFarthest)
      take(other.said);
  for (const ClaimTable& table : bench_.document.tables)
    if (table.section == line.section)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) take(cell);
  return found;
}

/// A figure of its kind near it, the sum or difference of two, or one by a number of its own line.
bool Nearby::is_given(const ClaimLine& line, const ClaimAmount& stated) {
  if (stated.dimension == ClaimDimension::kShare) return is_given_share(line, stated);
  std::vector<double> counts = number_words(line.said.text);
  for (const ClaimAmount& one : line.said.quantities)
    if (&one != &stated && counts_things(one)) counts.push_back(one.low);
  for (const GpuMention& gpu : line.said.gpus)
    if (gpu.count > 1) counts.push_back(gpu.count);
  const std::vector<const ClaimAmount*> near = like_near(line, stated);
  for (const ClaimAmount* a : near) {
    if (!bench_.go_on() || may_be_same(*a, stated)) return true;
    const ClaimEnds x = ends_of(*a);
    for (const double count : counts)
      if (fits(stated, x * count) || fits(stated, x * (1 / count))) return true;
    for (const ClaimAmount* b : near) {
      if (a == b || !bench_.go_on()) continue;
      if (fits(stated, x + ends_of(*b)) || (a->low > b->low && fits(stated, x - ends_of(*b)))) return true;
    }
  }
  return false;
}

/// Two figures of one kind in the line have this share, or differ by it.
bool Nearby::is_given_share(const ClaimLine& line, const ClaimAmount& stated) {
  for (const ClaimAmount& a : line.said.quantities)
    for (const ClaimAmount& b : line.said.quantities) {
      if (&a == &b || a.dimension != b.dimension || a.dimension == ClaimDimension::kShare || a.low <= 0 ||
          b.low <= a.low)
        continue;
      const ClaimEnds ratio = ends_of(a) / ends_of(b), over = ends_of(b) / ends_of(a);
      const ClaimEnds one = ends_of(1.0);
      if (!bench_.go_on() || fits(stated, ratio) || fits(stated, one - ratio) || fits(stated, over - one)) return true;
    }
  return false;
}

/// It goes on from what a figure before it should be, and not from what is written.
bool Nearby::follows_right(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right) const {
  return std::ranges::any_of(line.said.quantities, [&](const ClaimAmount& one) {
    const auto known = bench_.right.find(one.id);
    if (known == bench_.right.end() || one.low <= 0 || known->second <= 0) return false;
    const double factor = known->second / one.low;
    return fits(stated, with_room(right * factor)) || fits(stated, with_room(right * (1 / factor)));
  });
}

void Nearby::judge(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how,
                   double far, bool sure) {
  if (!is_single_value(stated) || right.least() <= 0 || !bench_.go_through()) return;
  bench_.use(stated);
  if (fits(stated, with_room(right)) || stated.low > far * right.most() || right.least() > far * stated.low) return;
  if ((!sure && is_given(line, stated)) || follows_right(line, stated, right)) return;
  const int at = line.line_of(stated);
  // What another check has told of this figure, or of a sum that ends with it, is told once.
  const auto is_there = [&](const Finding& one) { return one.line == at && one.said.ends_with(stated.text); };
  if (std::ranges::any_of(bench_.findings, is_there)) return;
  bench_.right.emplace(stated.id, (right.low_middle() + right.high_middle()) / 2);
  bench_.find(FindingKind::kWrong, at, line.label, stated.text, in_its_words(stated, right), how);
}

}  // namespace gpuplan::audit
