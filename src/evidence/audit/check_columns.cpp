#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/bill_tally.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

class Columns {
 public:
  explicit Columns(Bench& bench) : bench_(bench) {}

  void check() {
    for (int table = 0; table < bench_.tables(); ++table) {
      const std::vector<const ClaimRecord*> rows = bench_.rows_of(table);
      // Of options that are columns check_across adds up what is of one unit.
      if (!bench_.document.tables[static_cast<std::size_t>(table)].across || is_list_of_amounts(table)) sums(table);
      clock_times(bench_.document.tables[static_cast<std::size_t>(table)]);
      if (rows.size() < 2) continue;
      ratios(rows);
      if (!names_providers(bench_.document.tables[static_cast<std::size_t>(table)])) price_by_gpu(rows);
      saved(rows);
      schedule_total(table, rows);
    }
  }

 private:
  static bool adds(ClaimDimension dimension) {
    return dimension == ClaimDimension::kMoney || dimension == ClaimDimension::kTime ||
           dimension == ClaimDimension::kGpuTime || dimension == ClaimDimension::kNodeTime ||
           dimension == ClaimDimension::kBytes || dimension == ClaimDimension::kTokens ||
           dimension == ClaimDimension::kSamples || dimension == ClaimDimension::kSteps;
  }

  static const ClaimAmount* value_at(const ClaimRow& row, std::size_t column) {
    const auto& all = row.cells[column].quantities;
    return all.size() == 1 ? &all.front() : nullptr;
  }

  static bool is_total(const ClaimRow& row) {
    return std::ranges::any_of(row.cells, [](const ClaimText& cell) { return is_total_word(cell.text); });
  }

  static bool has_head(const ClaimTable& table, std::initializer_list<std::string_view> words) {
    return std::ranges::any_of(table.heads, [&](const ClaimText& head) {
      const std::string lower = to_lower(head.text);
      return std::ranges::any_of(words, [&](std::string_view word) {
        return lower.starts_with(word) && (lower.size() == word.size() || !is_letter(lower[word.size()]));
      });
    });
  }

  /// "Item", "Amount": nothing but money, which adds up as in wider tables.
  bool is_list_of_amounts(int number) const {
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(number)];
    if (table.headless || table.heads.size() != 2 || to_lower(table.heads[1].text) != "amount") return false;
    return std::ranges::all_of(table.rows, [](const ClaimRow& row) {
      const ClaimAmount* value = value_at(row, 1);
      return row.cells[1].text.empty() || (value != nullptr && value->dimension == ClaimDimension::kMoney);
    });
  }

  /// A sum is of one unit only: that of the total, or of what stands above one that tells none.
  static ClaimDimension unit_of_sum(const ClaimTable& table, std::size_t column) {
    ClaimDimension first = ClaimDimension::kBare;
    for (const ClaimRow& row : table.rows) {
      const ClaimAmount* value = value_at(row, column);
      if (value == nullptr || !adds(value->dimension)) continue;
      if (is_total(row)) return value->dimension;
      if (first == ClaimDimension::kBare) first = value->dimension;
    }
    return first;
  }

  void sums(int number) {
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(number)];
    // Phases that have a beginning and an end may run at the same time.
    const bool schedule =
        !table.headless && has_head(table, {"from", "start", "begin"}) && has_head(table, {"to", "end"});
    const auto last = std::find_if(table.rows.rbegin(), table.rows.rend(), is_total);
    if (last == table.rows.rend() || table.rows.size() < 2) return;
    for (std::size_t column = 1; column < table.rows.front().cells.size(); ++column) {
      const std::string head = table.headless ? "" : to_lower(table.heads[column].text);
      if (head.find("rate") != std::string::npos || head.find("/h") != std::string::npos ||
          head.find("per ") != std::string::npos)
        continue;
      BillTally tally;
      const ClaimDimension unit = unit_of_sum(table, column);
      if (schedule && unit == ClaimDimension::kTime) continue;
      for (const ClaimRow& row : table.rows) {
        const ClaimAmount* value = value_at(row, column);
        if (value == nullptr || (value->dimension != unit && value->dimension != ClaimDimension::kBare)) continue;
        const ClaimText& label = row.cells[0].text.empty() && row.cells.size() > 1 ? row.cells[1] : row.cells[0];
        const bool bare = value->dimension == ClaimDimension::kBare;
        if (is_total(row)) {
          // A number without unit is a sum where its column says so and has parts that are none of sizes.
          if (tally.has_total() && tally.parts() == 0 && !bare) total_with_share(row, label, *value, tally.so_far());
          const bool of_parts = tally.parts() >= 2 && (!bare || head.find("cost") != std::string::npos ||
                                                       head.find("total") != std::string::npos);
          if (of_parts || (tally.has_total() && tally.parts() == 1 && !bare)) {
            bench_.use(*value);
            if (!tally.is_total(*value) &&
                !(value->dimension == ClaimDimension::kTime && of_parts && fits(*value, tally.longest())))
              bench_.find(FindingKind::kWrong, row.line, label.text, value->text, told(*value, tally.right_total()),
                          tally.words());
          }
          tally.total(*value);
          continue;
        }
        // "Buffer (30%)" is so much of the total above it, with what else was added or taken off since.
        std::optional<ClaimEnds> instead;
        if (const auto right = bench_.right.find(value->id); right != bench_.right.end())
          instead = ends_of(right->second);
        const std::string lower_label = to_lower(label.text);
        const bool reserve = has_word_of(lower_label, {"contingency", "buffer", "reserve", "puffer", "reserves"});
        const bool of_above = tally.has_total() || (reserve && tally.parts() >= 2);
        if (of_above && label.quantities.size() == 1 && label.quantities[0].dimension == ClaimDimension::kShare &&
            !bare) {
          const ClaimAmount& share = label.quantities[0];
          bench_.use(*value);
          bench_.use(share);
          // "Of it buffer (30%)": a part of the sum that has it already.
          const ClaimEnds part = ends_of(share, true), within = tally.so_far() * part / (ends_of(1.0) + part);
          const bool inside = has_word_of(to_lower(label.text), {"inside", "included", "including", "incl", "within",
                                                                 "contained", "of it", "davon", "enthalten"});
          if (!tally.is_share(*value, share) && !(inside && fits(*value, within))) {
            instead = inside ? within : tally.right_share(share);
            bench_.find(FindingKind::kWrong, row.line, label.text, value->text,
                        told(*value, inside ? within : tally.right_share(share)),
                        share.text + " of " + told(*value, tally.so_far()));
          }
        }
        bench_.use(*value);
        tally.part(*value, label.text, instead ? &*instead : nullptr);
      }
    }
  }

  /// "Grand total with 10% buffer" below a subtotal.
  void total_with_share(const ClaimRow& row, const ClaimText& label, const ClaimAmount& value, const ClaimEnds& above) {
    const std::string lower = to_lower(label.text);
    if (label.quantities.size() != 1 || label.quantities[0].dimension != ClaimDimension::kShare ||
        label.quantities[0].range() ||
        !has_word_of(lower, {"buffer", "reserve", "contingency", "margin", "puffer", "vat", "tax", "mwst"}) ||
        !(has_word_of(lower, {"with", "incl", "including", "plus", "mit", "inkl"}) || lower.contains('+')))
      return;
    const ClaimEnds right = above * (ends_of(1.0) + ends_of(label.quantities[0], true));
    bench_.use(value);
    bench_.use(label.quantities[0]);
    if (fits(value, right)) return;
    bench_.find(FindingKind::kWrong, row.line, label.text, value.text, told(value, right),
                told(value, above) + " + " + label.quantities[0].text);
  }

  /// "09:00" in minutes; nullopt: no time of a day.
  static std::optional<int> minutes_of(std::string_view text) {
    text = trim(text);
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon < 1 || colon > 2 || text.size() != colon + 3) return std::nullopt;
    int part[2] = {0, 0};
    for (std::size_t i = 0; i < text.size(); ++i) {
      if (i == colon) continue;
      if (!is_digit(text[i])) return std::nullopt;
      int& number = part[i > colon ? 1 : 0];
      number = 10 * number + (text[i] - '0');
    }
    constexpr int kMinutes = 60, kHours = 24;
    if (part[0] > kHours || part[1] >= kMinutes) return std::nullopt;
    return part[0] * kMinutes + part[1];
  }

  /// "From 09:00", "To 17:00", "Hours 8": of one day, or into the next one.
  void clock_times(const ClaimTable& table) {
    if (table.headless) return;
    const auto column = [&](std::initializer_list<std::string_view> names) {
      const auto found = std::ranges::find_if(
          table.heads, [&](const ClaimText& head) { return is_one_of(to_lower(head.text), names); });
      return static_cast<std::size_t>(found - table.heads.begin());
    };
    const std::size_t from = column({"from", "start", "begin", "von"}), to = column({"to", "end", "until", "bis"}),
                      hours = column({"hours", "time", "h", "hours (h)", "stunden", "duration"});
    const std::size_t columns = table.heads.size();
    if (from == columns || to == columns || hours == columns) return;
    for (const ClaimRow& row : table.rows) {
      const auto begins = minutes_of(row.cells[from].text), ends = minutes_of(row.cells[to].text);
      const ClaimAmount* stated = value_at(row, hours);
      if (!begins || !ends || stated == nullptr || stated->dimension != ClaimDimension::kTime) continue;
      constexpr int kDay = 24 * 60;
      constexpr double kMinute = 60;
      const int length = *ends > *begins ? *ends - *begins : *ends - *begins + kDay;
      bench_.use(*stated);
      if (!fits(*stated, ends_of(length * kMinute)))
        bench_.find(FindingKind::kWrong, row.line, row.cells.front().text, stated->text,
                    told(ClaimDimension::kTime, length * kMinute), row.cells[from].text + " to " + row.cells[to].text);
    }
  }

  /// "Relative speed": each row over the row that is 1.0x, by what the table says of speed or time.
  void ratios(const std::vector<const ClaimRecord*>& rows) {
    const ClaimRecord* base = nullptr;
    for (const ClaimRecord* row : rows)
      if (const ClaimFact* ratio = row->find(ClaimRole::kRatio);
          ratio != nullptr && ratio->value->low == 1 && ratio->value->high == 1 && base == nullptr)
        base = row;
    if (base == nullptr) return;
    struct Off {
      const ClaimRecord* row;
      const ClaimFact* ratio;
      ClaimEnds right;
      std::string how;
    };
    for (const ClaimRole role :
         {ClaimRole::kTokenRate, ClaimRole::kSampleRate, ClaimRole::kTotalTime, ClaimRole::kTime}) {
      const ClaimFact* one = base->find(role);
      if (one == nullptr || one->value->low <= 0) continue;
      std::vector<Off> off;
      int good = 0;
      for (const ClaimRecord* row : rows) {
        const ClaimFact *ratio = row->find(ClaimRole::kRatio), *own = row->find(role);
        if (row == base || ratio == nullptr || own == nullptr || own->value->low <= 0) continue;
        const bool rate = role == ClaimRole::kTokenRate || role == ClaimRole::kSampleRate;
        const ClaimEnds right =
            rate ? ends_of(*own->value) / ends_of(*one->value) : ends_of(*one->value) / ends_of(*own->value);
        // The other's digits count, not what "~" leaves open: it is the same speed that both are of.
        const ClaimAmount &mine = *own->value, &other = *one->value;
        const double low = rate ? mine.low / other.high : other.low / mine.high,
                     high = rate ? mine.high / other.low : other.high / mine.low;
        // "1,480,000 tokens/s" has three digits that count.
        const double room = rate ? zeros_of(mine) + zeros_of(other) : 0;
        bench_.use(*ratio->value);
        bench_.use(mine);
        if (fits(*ratio->value,
                 ClaimEnds{{low * (1 - room), low * (1 + room)}, {high * (1 - room), high * (1 + room)}}) ||
            (!mine.approximate && fits(*ratio->value, right)))
          ++good;
        else
          off.push_back({row, ratio, ClaimEnds{{low, low}, {high, high}},
                         rate ? mine.text + " / " + other.text : other.text + " / " + mine.text});
      }
      // A column that has another meaning matches nowhere.
      if (good * 10 < static_cast<int>(off.size() + static_cast<std::size_t>(good)) * 3) continue;
      for (const Off& wrong : off)
        bench_.find(FindingKind::kWrong, wrong.ratio->line, wrong.row->label, wrong.ratio->value->text,
                    told(ClaimDimension::kTimes, wrong.right), wrong.how);
      return;
    }
  }

  /// Rows of one machine, or of one schedule, with hours and cost: most pay the same for a GPU-hour; who does not is
  /// told.
  void price_by_gpu(const std::vector<const ClaimRecord*>& rows) {
    struct Paid {
      const ClaimRecord* row;
      const ClaimFact* cost;
      ClaimEnds price;
    };
    std::map<std::string, std::vector<Paid>> by_gpu;
    for (const ClaimRecord* row : rows) {
      if (row->gpu.empty() || row->count < 1 || row->total || !row->all(ClaimRole::kPrice).empty()) continue;
      // "8x H200 (hyperstack)": every provider has its own.
      if (row->label.contains('(')) continue;
      const ClaimFact* cost = row->find(ClaimRole::kCost);
      if (cost == nullptr || cost->value->low <= 0) continue;
      const ClaimFact* time = row->find(ClaimRole::kTotalTime);
      if (time == nullptr) time = row->find(ClaimRole::kTime);
      ClaimEnds hours;
      if (time != nullptr && !time->value->range()) hours = ends_of(*time->value) * (1 / kHour);
      else if (const auto span = span_of(*row)) hours = *span;
      else continue;
      if (hours.least() <= 0) continue;
      auto& of_gpu = by_gpu[is_hours(*row) ? row->gpu : row->key()];
      // The same plan told again is no witness for its price.
      const auto is_same = [&](const Paid& other) {
        return bench_.go_on() && may_be_same(*other.cost->value, *cost->value) && time != nullptr &&
               other.row->time() != nullptr && may_be_same(*other.row->time()->value, *time->value);
      };
      if (std::ranges::any_of(of_gpu, is_same)) continue;
      of_gpu.push_back({row, cost, ends_of(*cost->value) / (hours * static_cast<double>(row->count))});
    }
    for (const auto& [gpu, paid] : by_gpu) {
      if (paid.size() < 4) continue;
      // The price that most rows have in common.
      std::size_t most = 0;
      ClaimSpan common{};
      for (const Paid& one : paid) {
        ClaimSpan span{one.price.least(), one.price.most()};
        std::size_t same = 0;
        for (const Paid& other : paid) {
          if (!bench_.go_on()) return;
          if (other.price.least() <= span.high && other.price.most() >= span.low) {
            ++same;
            span = {std::max(span.low, other.price.least()), std::min(span.high, other.price.most())};
          }
        }
        if (same > most) most = same, common = span;
      }
      if (most < 3 || most * 4 < paid.size() * 3 || most == paid.size()) continue;
      for (const Paid& one : paid) {
        bench_.use(*one.cost->value);
        if (one.price.least() <= common.high && one.price.most() >= common.low) continue;
        const double factor = one.cost->value->low / ((one.price.least() + one.price.most()) / 2);
        bench_.find(FindingKind::kInconsistent, one.cost->line, one.row->label, one.cost->value->text,
                    told(ClaimDimension::kMoney, (common.low + common.high) / 2 * factor),
                    "the other rows pay " + told(ClaimDimension::kPrice, common.low, common.high) +
                        " for a GPU, this one " + told(ClaimDimension::kPrice, one.price));
      }
    }
  }

  static bool is_hours(const ClaimRecord& row) { return to_lower(row.label).starts_with("hour"); }

  /// Hours of "Hours 1.5-5.5".
  static std::optional<ClaimEnds> span_of(const ClaimRecord& row) {
    if (!is_hours(row)) return std::nullopt;
    for (const ClaimFact& one : row.facts)
      if (one.column == 0 && one.value->range()) return ends_of(one.value->high - one.value->low);
    return std::nullopt;
  }

  /// "$/hour saved": money over hours less than another row, not over all hours.
  void saved(const std::vector<const ClaimRecord*>& rows) {
    int as_price = 0, as_saved = 0;
    std::vector<std::pair<const ClaimRecord*, const ClaimFact*>> told_rows;
    for (const ClaimRecord* row : rows) {
      const ClaimFact *saved = row->find(ClaimRole::kSaved), *cost = row->find(ClaimRole::kCost),
                      *time = row->find(ClaimRole::kTotalTime);
      if (time == nullptr) time = row->find(ClaimRole::kTime);
      if (saved == nullptr || cost == nullptr || time == nullptr || time->value->low <= 0) continue;
      told_rows.emplace_back(row, saved);
      bench_.use(*saved->value);
      const double stated = saved->value->low;
      const auto near = [&](double value) {
        return std::fabs(stated - value) <= std::max(0.01 * value, saved->value->low_step);
      };
      if (near(cost->value->low / (time->value->low / kHour))) ++as_price;
      for (const ClaimRecord* other : rows) {
        if (!bench_.go_on()) return;
        const ClaimFact *more = other->find(ClaimRole::kCost), *slower = other->find(ClaimRole::kTotalTime);
        if (slower == nullptr) slower = other->find(ClaimRole::kTime);
        if (other == row || more == nullptr || slower == nullptr || slower->value->low <= time->value->low) continue;
        if (near((cost->value->low - more->value->low) / ((slower->value->low - time->value->low) / kHour))) {
          ++as_saved;
          break;
        }
      }
    }
    if (as_price < 3 || as_price * 4 < static_cast<int>(told_rows.size()) * 3 || as_saved >= as_price) return;
    for (const auto& [row, saved] : told_rows) {
      // Against the cheapest of the table.
      const auto time_of = [](const ClaimRecord* one) {
        const ClaimFact* time = one->find(ClaimRole::kTotalTime);
        return (time != nullptr ? time : one->find(ClaimRole::kTime))->value->low;
      };
      const ClaimRecord* cheapest = row;
      for (const auto& [other, unused] : told_rows)
        if (other->find(ClaimRole::kCost)->value->low < cheapest->find(ClaimRole::kCost)->value->low) cheapest = other;
      const double hours = (time_of(cheapest) - time_of(row)) / kHour;
      const double money = row->find(ClaimRole::kCost)->value->low - cheapest->find(ClaimRole::kCost)->value->low;
      bench_.find(FindingKind::kWrong, saved->line, row->label, saved->name + ": " + saved->value->text,
                  hours > 0 ? told(ClaimDimension::kPrice, money / hours) : "saves no time",
                  hours > 0 ? "against " + cheapest->label + ": " + told(ClaimDimension::kMoney, money) + " more for " +
                                  told(ClaimDimension::kTime, hours * kHour) +
                                  " less; the column is cost / time, the price of an hour"
                            : "the column is cost / time, the price of an hour");
    }
  }

  /// Rows of a schedule with a cost each, and a line "Cost: ..." below them.
  void schedule_total(int number, const std::vector<const ClaimRecord*>& rows) {
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(number)];
    if (std::ranges::any_of(table.rows, is_total)) return;
    ClaimEnds sum = ends_of(0.0);
    std::string words;
    int parts = 0;
    for (const ClaimRecord* row : rows) {
      const std::string lower = to_lower(row->label);
      if (!lower.starts_with("hour") && !lower.starts_with("phase") && !lower.starts_with("step") &&
          !lower.starts_with("stage") && !lower.starts_with("day"))
        return;
      const ClaimFact* cost = row->find(ClaimRole::kCost);
      if (cost == nullptr) return;
      sum = sum + ends_of(*cost->value);
      words += (words.empty() ? "" : " + ") + cost->value->text;
      ++parts;
    }
    if (parts < 3) return;
    const auto& lines = bench_.document.lines;
    const auto first = std::ranges::upper_bound(lines, rows.back()->line, {}, &ClaimLine::line);
    for (auto at = first; at != lines.end() && at->section == table.section; ++at) {
      if (!bench_.go_on()) return;
      const ClaimLine& line = *at;
      const std::string lower = to_lower(line.label);
      if (lower != "cost" && !is_total_word(lower) && lower != "total cost") continue;
      for (const ClaimAmount& one : line.said.quantities) {
        if (one.dimension != ClaimDimension::kMoney) continue;
        bench_.use(one);
        if (!fits(one, sum))
          bench_.find(FindingKind::kWrong, line.line_of(one), line.label, one.text, told(ClaimDimension::kMoney, sum),
                      words);
        return;
      }
    }
  }

  Bench& bench_;
};

}  // namespace

void check_columns(Bench& bench) { Columns(bench).check(); }

}  // namespace gpuplan::audit
