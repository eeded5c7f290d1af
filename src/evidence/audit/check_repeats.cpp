#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

class Repeats {
 public:
  explicit Repeats(Bench& bench) : bench_(bench) {}

  void check() {
    tables();
    prices();
    phases();
    several();
    for (const ClaimRecord& record : bench_.records)
      if (record.row >= 0 && !names_providers(bench_.document.tables[static_cast<std::size_t>(record.table)]))
        price_of_one(record);
  }

 private:
  static const ClaimFact* only(const ClaimRecord& record, ClaimRole role) {
    const auto all = record.all(role);
    return all.size() == 1 ? all.front() : nullptr;
  }
  static const ClaimFact* only_time_of(const ClaimRecord& record) {
    const ClaimFact* total = only(record, ClaimRole::kTotalTime);
    return total != nullptr ? total : only(record, ClaimRole::kTime);
  }

  /// A value within the other's range is no contradiction.
  static bool agree_on(const ClaimAmount& a, const ClaimAmount& b) {
    if (a.range() != b.range()) return a.low <= b.high && b.low <= a.high;
    return may_be_same(a, b);
  }

  /// One table has it twice: offers of several providers, of which the others do not say which they mean.
  static bool several_offers(const std::vector<const ClaimRecord*>& rows) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size(); ++j)
        if (rows[i]->table == rows[j]->table) return true;
    return false;
  }

  /// Two tables with the same times of the same GPUs: their costs are the same too. So for memory and tokens a second.
  void tables() {
    std::map<std::string, std::vector<const ClaimRecord*>> by_key;
    for (const ClaimRecord& record : bench_.records)
      if (record.row >= 0 && !record.total && !record.gpu.empty() && only_time_of(record) != nullptr &&
          only(record, ClaimRole::kCost) != nullptr &&
          !names_providers(bench_.document.tables[static_cast<std::size_t>(record.table)]))
        by_key[record.key()].push_back(&record);
    // Pairs of tables, and in how many rows their times agree.
    std::map<std::pair<int, int>, std::pair<int, int>> agree;
    const auto each = [&](auto&& take) {
      for (const auto& [key, rows] : by_key) {
        if (rows.size() > 8 || several_offers(rows)) continue;
        for (std::size_t i = 0; i < rows.size(); ++i)
          for (std::size_t j = i + 1; j < rows.size(); ++j)
            if (rows[i]->table != rows[j]->table) take(*rows[i], *rows[j]);
      }
    };
    each([&](const ClaimRecord& a, const ClaimRecord& b) {
      auto& [same, other] = agree[{a.table, b.table}];
      ++(may_be_same(*only_time_of(a)->value, *only_time_of(b)->value) ? same : other);
    });
    each([&](const ClaimRecord& a, const ClaimRecord& b) {
      const auto [same, other] = agree[{a.table, b.table}];
      if (same < 2 || same < 3 * other) return;
      for (const auto& [x, y] :
           {std::pair{only(a, ClaimRole::kCost), only(b, ClaimRole::kCost)}, {only_time_of(a), only_time_of(b)}}) {
        bench_.use(*x->value);
        bench_.use(*y->value);
        if (x->value->foreign != y->value->foreign || agree_on(*x->value, *y->value)) continue;
        bench_.find(FindingKind::kInconsistent, x->line, a.label, x->value->text, y->value->text,
                    "line " + std::to_string(y->line) + " says " + y->value->text + " for the same");
      }
    });
  }

  /// A table that repeats the prices of another: of three rows or more one says something else.
  void prices() {
    std::vector<std::vector<const ClaimRecord*>> by_table(static_cast<std::size_t>(bench_.tables()));
    const auto hourly = [](const ClaimRecord& row) {
      std::vector<const ClaimFact*> all;
      for (const ClaimFact& one : row.facts)
        if (one.value->dimension == ClaimDimension::kPrice && !one.value->odd) all.push_back(&one);
      return all;
    };
    for (const ClaimRecord& record : bench_.records)
      if (record.row >= 0 && !record.total && !record.gpu.empty() && !hourly(record).empty() &&
          !names_providers(bench_.document.tables[static_cast<std::size_t>(record.table)]))
        by_table[static_cast<std::size_t>(record.table)].push_back(&record);
    constexpr std::size_t kLeast = 3, kMost = 60;
    for (const auto& mine : by_table) {
      if (mine.size() < kLeast || mine.size() > kMost) continue;
      for (const auto& theirs : by_table) {
        if (&theirs == &mine || theirs.size() < mine.size() || theirs.size() > kMost) continue;
        int same = 0, others = 0;
        const ClaimFact *off = nullptr, *right = nullptr;
        const ClaimRecord* off_row = nullptr;
        for (const ClaimRecord* row : mine) {
          const auto own = hourly(*row);
          if (own.size() != 1 || own.front()->value->range()) break;
          const ClaimFact* near = nullptr;
          bool good = false;
          for (const ClaimRecord* other : theirs) {
            if (!bench_.go_on()) return;
            if (!other->gpu.starts_with(row->gpu) || std::max(other->count, 1) != std::max(row->count, 1)) continue;
            for (const ClaimFact* price : hourly(*other)) {
              good = good || agree_on(*own.front()->value, *price->value);
              if (near == nullptr || std::fabs(price->value->low - own.front()->value->low) <
                                         std::fabs(near->value->low - own.front()->value->low))
                near = price;
            }
          }
          if (good) ++same;
          else ++others, off = own.front(), right = near, off_row = row;
        }
        if (same < 2 || others != 1 || right == nullptr || same + others != std::ssize(mine) ||
            off->value->currency != right->value->currency)
          continue;
        bench_.use(*off->value);
        bench_.use(*right->value);
        bench_.find(FindingKind::kInconsistent, off->line, off_row->label, off->value->text, right->value->text,
                    "line " + std::to_string(right->line) + " says " + right->value->text +
                        " of it; the other rows repeat its table");
        break;
      }
    }
  }

  /// Parts under the heading of a set-up, and its totals elsewhere.
  void phases() {
    struct Setup {
      ClaimEnds time = ends_of(0.0), cost = ends_of(0.0);
      int times = 0, costs = 0, parts = 0;
      std::string times_text, costs_text;
    };
    std::map<int, Setup> by_section;
    const auto& sections = bench_.document.sections;
    for (const ClaimRecord& record : bench_.records) {
      if (record.table >= 0 || record.section == 0) continue;
      const int above = sections[static_cast<std::size_t>(record.section)].parent;
      if (above <= 0 || sections[static_cast<std::size_t>(above)].title.gpus.size() != 1) continue;
      const std::string title = to_lower(sections[static_cast<std::size_t>(record.section)].title.text);
      if (!title.starts_with("phase") && !title.starts_with("step") && !title.starts_with("stage") &&
          !title.starts_with("part"))
        continue;
      Setup& setup = by_section[above];
      ++setup.parts;
      if (const ClaimFact* time = only_time_of(record)) {
        setup.time = setup.time + ends_of(*time->value, true);
        setup.times_text += (setup.times++ > 0 ? " + " : "") + time->value->text;
      }
      if (const ClaimFact* cost = only(record, ClaimRole::kCost)) {
        setup.cost = setup.cost + ends_of(*cost->value, true);
        setup.costs_text += (setup.costs++ > 0 ? " + " : "") + cost->value->text;
      }
    }
    for (const auto& [section, setup] : by_section) {
      if (setup.parts < 2) continue;
      const GpuMention& gpu = sections[static_cast<std::size_t>(section)].title.gpus.front();
      for (const ClaimRecord& record : bench_.records) {
        if (!bench_.go_on()) return;
        if (record.row < 0 || record.gpu != gpu.key || std::max(record.count, 1) != std::max(gpu.count, 1)) continue;
        const auto judge = [&](const ClaimFact* stated, const ClaimEnds& sum, const std::string& words) {
          if (stated == nullptr) return;
          bench_.use(*stated->value);
          if (!fits(*stated->value, sum))
            bench_.find(
                FindingKind::kInconsistent, stated->line, record.label, stated->name + " " + stated->value->text,
                told(stated->value->dimension, sum),
                words + ", the parts under line " + std::to_string(sections[static_cast<std::size_t>(section)].line));
        };
        if (setup.times == setup.parts) judge(only(record, ClaimRole::kTotalTime), setup.time, setup.times_text);
        if (setup.costs == setup.parts && record.find(ClaimRole::kTotalTime) != nullptr)
          judge(only(record, ClaimRole::kCost), setup.cost, setup.costs_text);
      }
    }
  }

  /// Another table has the same price for as many of them: one offer is dearer than so many others, and no slip.
  bool said_elsewhere(const ClaimRecord& row) const {
    const ClaimFact* price = only(row, ClaimRole::kPrice);
    return std::ranges::any_of(bench_.records, [&](const ClaimRecord& other) {
      const ClaimFact* its = only(other, ClaimRole::kPrice);
      return its != nullptr && other.row >= 0 && other.table != row.table && other.gpu == row.gpu &&
             other.count == row.count && fits(*price->value, ends_of(*its->value));
    });
  }

  /// Prices of several GPUs that are, but for one, so many times the price of one.
  void several() {
    std::map<std::string, const ClaimRecord*> singles;
    for (const ClaimRecord& record : bench_.records)
      if (record.row >= 0 && !record.gpu.empty() && record.count <= 1 && only(record, ClaimRole::kPrice) != nullptr) {
        std::string name = record.gpu + "-" + number_text(record.gigabytes);
        singles.emplace(std::move(name), &record);
      }
    for (int table = 0; table < bench_.tables(); ++table) {
      struct Pair {
        const ClaimRecord *row, *one;
        ClaimEnds right;
        bool good;
      };
      std::vector<Pair> pairs;
      int good = 0;
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (row->count < 2 || only(*row, ClaimRole::kPrice) == nullptr || only(*row, ClaimRole::kPrice)->value->per_gpu)
          continue;
        const ClaimAmount& price = *only(*row, ClaimRole::kPrice)->value;
        // "4x H100" beside "H100 SXM" and "H100 PCIe": any of them that fits.
        const ClaimRecord* single = nullptr;
        ClaimEnds right;
        int names = 0;
        for (const auto& [name, record] : singles) {
          if (!bench_.go_on()) return;
          if (record->table == table || record->gigabytes != row->gigabytes || !record->gpu.starts_with(row->gpu))
            continue;
          if (record->gpu != row->gpu && is_digit(record->gpu[row->gpu.size()])) continue;
          const ClaimAmount& one = *only(*record, ClaimRole::kPrice)->value;
          const ClaimEnds times = ends_of(one) * static_cast<double>(row->count);
          ++names;
          if (single == nullptr || fits(price, times)) {
            single = record;
            right = times;
          }
        }
        if (single == nullptr || (names > 1 && !fits(price, right))) continue;
        const bool fine = fits(price, right);
        good += fine ? 1 : 0;
        pairs.push_back({row, single, right, fine});
      }
      if (good < 3 || good * 4 < static_cast<int>(pairs.size()) * 3) continue;
      for (const Pair& pair : pairs) {
        const ClaimFact& stated = *only(*pair.row, ClaimRole::kPrice);
        bench_.use(*stated.value);
        if (!pair.good && !said_elsewhere(*pair.row))
          bench_.find(FindingKind::kInconsistent, stated.line, pair.row->label, stated.value->text,
                      told(ClaimDimension::kPrice, pair.right),
                      std::to_string(pair.row->count) + " \xC3\x97 " + only(*pair.one, ClaimRole::kPrice)->value->text +
                          " of line " + std::to_string(pair.one->line) + ", as in the other rows");
      }
    }
  }

  /// "4x RTX 4090", $2.40 an hour, $0.60 per GPU-hour: one of the prices of the row, divided.
  void price_of_one(const ClaimRecord& row) {
    if (row.count < 1 || row.gpu.empty() || row.total) return;
    const auto is_price = [](const ClaimFact& one) {
      return (one.value->dimension == ClaimDimension::kPrice || one.value->dimension == ClaimDimension::kMoney) &&
             one.value->low > 0 && !one.value->odd;
    };
    const ClaimFact* stated = nullptr;
    std::vector<Way> ways;
    for (const ClaimFact& one : row.facts) {
      if (!is_price(one)) continue;
      const std::string name = to_lower(one.name);
      if (has_any(name, {"per gpu-hour", "per gpu hour", "/gpu-h", "/gpu/h", "per gpu per hour"})) {
        if (stated != nullptr || has_any(name, {"used", "effective", "total", "average", "all"})) return;
        stated = &one;
      } else if (has_any(name, {"an hour", "per hour", "/h", "hourly"}) && !has_any(name, {"saved", "token", "gpu"})) {
        // Of a range any value may be meant.
        if (one.value->range()) return;
        ways.push_back({ends_of(*one.value) * (1.0 / row.count), one.value->text + " / " + std::to_string(row.count)});
        // Of a pool the price may be that of one of its GPUs.
        ways.push_back({ends_of(*one.value), one.value->text});
      }
    }
    if (stated == nullptr || stated->value->range() || ways.empty()) return;
    bench_.judge(row, *stated, ways);
  }

  Bench& bench_;
};

}  // namespace

void check_repeats(Bench& bench) { Repeats(bench).check(); }

}  // namespace gpuplan::audit
