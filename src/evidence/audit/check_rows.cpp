#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/repeats.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Times may hold so much beside the steps: the start, checks, checkpoints.
constexpr double kBesideSteps = 1.3;

class Rows {
 public:
  explicit Rows(Bench& bench) : bench_(bench) { find_work(); }

  void check() {
    for (const ClaimRecord& record : bench_.records) {
      if (record.total) continue;
      step_time(record);
      token_time(record);
      sample_time(record);
      total_time(record);
      token_cost(record);
    }
    token_times();
    token_costs();
  }

 private:
  void step_time(const ClaimRecord& record) {
    const auto times = record.all(ClaimRole::kTime);
    const ClaimFact* steps = record.find(ClaimRole::kSteps);
    const ClaimFact* step = record.find(ClaimRole::kStepTime);
    if (times.size() != 1 || steps == nullptr || step == nullptr) return;
    bench_.use(*steps->value);
    bench_.use(*step->value);
    judge_repeated(record, *times.front(),
                   {{ends_of(*steps->value, true) * ends_of(*step->value),
                     steps->value->text + " steps \xC3\x97 " + step->value->text}});
  }

  /// The work of a row may be told of one epoch, run or person. Of the ways that are wrong the nearest is told.
  void judge_repeated(const ClaimRecord& record, const ClaimFact& stated, std::vector<Way> ways) {
    const std::size_t once = std::min<std::size_t>(ways.size(), 8);
    for (const double times : repeats_of(record))
      for (std::size_t i = 0; i < once; ++i)
        ways.push_back({ways[i].value * times, number_text(times) + " \xC3\x97 " + ways[i].how});
    const auto off = [&](const Way& way) {
      const double value = way.value.low_middle();
      return value > 0 && stated.value->low > 0 ? std::max(value / stated.value->low, stated.value->low / value)
                                                : HUGE_VAL;
    };
    if (!ways.empty()) std::iter_swap(ways.begin(), std::ranges::min_element(ways, {}, off));
    bench_.judge(record, stated, ways, kBesideSteps);
  }

  /// Tokens and samples that the work of a section comes to, as its own lines or those of a heading above say.
  struct Work {
    int section = 0;
    const ClaimAmount* quantity = nullptr;
    bool per_model = false;
    bool of_part = false;  ///< of one phase
  };

  /// "50k training samples", "samples: 50,000", and not the 8B of a model beside them.
  static bool counts_samples(const std::string& line, const std::string& number) {
    constexpr std::size_t kNear = 24;
    const std::size_t at = line.find(number);
    if (at == std::string::npos || number.empty()) return false;
    if (at > 0 && (line[at - 1] == '-' || is_letter(line[at - 1]))) return false;
    const std::size_t before = at > kNear ? at - kNear : 0;
    const std::string_view text = line;
    return text.substr(at + number.size(), kNear).contains("samples") ||
           text.substr(before, at - before).contains("samples");
  }

  /// A row of a table whose tokens its section tells.
  struct ByTokens {
    const ClaimRecord* record;
    const ClaimFact* time;
    Way way;
    bool of_part = false;
  };

  /// A row with what its tokens cost.
  struct ByCost {
    const ClaimRecord* record;
    const ClaimFact* cost;
    std::vector<Way> ways;
  };

  void find_work() {
    constexpr double kLeastTokens = 1e5;
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.said.text);
      for (const ClaimAmount& quantity : line.said.quantities) {
        if (quantity.range() || quantity.at_least || quantity.at_most) continue;
        if (quantity.dimension == ClaimDimension::kTokens && quantity.low >= kLeastTokens)
          tokens_.push_back({line.section, &quantity,
                             lower.find("per model") != std::string::npos || lower.find("each") != std::string::npos,
                             has_any(lower, {"phase ", "stage "})});
        const bool total = quantity.dimension == ClaimDimension::kSamples ||
                           (quantity.dimension == ClaimDimension::kBare && quantity.low >= 1000 &&
                            counts_samples(lower, to_lower(quantity.text)));
        if (total) samples_.push_back({line.section, &quantity, false});
        if (quantity.dimension == ClaimDimension::kEpochs) epochs_.push_back({line.section, &quantity, false});
      }
    }
  }

  /// The largest of the nearest heading that has any.
  const Work* work_of(const std::vector<Work>& all, int section) const {
    for (int at = section; at >= 0; at = bench_.document.sections[static_cast<std::size_t>(at)].parent) {
      const Work* best = nullptr;
      for (const Work& one : all) {
        if (!bench_.go_on()) return nullptr;
        if (one.section == at && (best == nullptr || one.quantity->low > best->quantity->low)) best = &one;
      }
      if (best != nullptr) return best;
    }
    return nullptr;
  }

  /// "Hours for 10B tokens": what the head of a column says its times are for; nullptr: nothing.
  const ClaimAmount* tokens_in_head(const ClaimRecord& record, const ClaimFact& fact) const {
    if (record.table < 0 || fact.column < 0) return nullptr;
    const ClaimTable& table = bench_.document.tables[static_cast<std::size_t>(record.table)];
    if (table.across || table.headless) return nullptr;
    const ClaimText& head = table.heads[static_cast<std::size_t>(fact.column)];
    const ClaimAmount* found = nullptr;
    for (const ClaimAmount& one : head.quantities) {
      if (one.dimension != ClaimDimension::kTokens || one.range() || found != nullptr) return nullptr;
      found = &one;
    }
    if (found == nullptr || !ends_with_word(trim(to_lower(head.text.substr(0, found->from))), {"for", "per"}))
      return nullptr;
    return found;
  }

  void token_time(const ClaimRecord& record) {
    const ClaimFact* rate = record.find(ClaimRole::kTokenRate);
    const ClaimFact* time = record.find(ClaimRole::kTime);
    if (time == nullptr && record.find(ClaimRole::kOverhead) == nullptr) time = record.find(ClaimRole::kTotalTime);
    if (rate == nullptr || time == nullptr) return;
    const ClaimAmount* in_head = tokens_in_head(record, *time);
    const ClaimFact* own = in_head == nullptr ? record.find(ClaimRole::kTokens) : nullptr;
    const Work* work = own == nullptr && in_head == nullptr ? work_of(tokens_, record.section) : nullptr;
    if (own == nullptr && work == nullptr && in_head == nullptr) return;
    const ClaimAmount& tokens = in_head != nullptr ? *in_head : own != nullptr ? *own->value : *work->quantity;
    ClaimEnds speed = with_zeros(*rate->value);
    std::string words = tokens.text + " / " + told(ClaimDimension::kTokenRate, speed);
    if (rate->value->per_gpu && record.count > 1 && (work == nullptr || !work->per_model)) {
      speed = speed * static_cast<double>(record.count);
      words += " \xC3\x97 " + std::to_string(record.count) + " GPUs";
    }
    bench_.use(tokens);
    bench_.use(*rate->value);
    // More tokens a second is less time.
    Way way{ends_of(tokens, true) / speed, words};
    if (work != nullptr) way = with_epochs(*time->value, way);
    if ((work != nullptr || in_head != nullptr) && record.table >= 0)
      by_tokens_[record.table].push_back({&record, time, way, work != nullptr && work->of_part});
    else judge_repeated(record, *time, {way});
  }

  /// Tokens that a heading tells may be those of one of the epochs that the document tells.
  Way with_epochs(const ClaimAmount& time, const Way& once) const {
    constexpr std::size_t kFew = 8;
    if (!fits_at_least(time, once.value, kBesideSteps))
      for (std::size_t i = 0; i < std::min(epochs_.size(), kFew); ++i)
        if (const ClaimEnds all = once.value * ends_of(*epochs_[i].quantity, true);
            fits_at_least(time, all, kBesideSteps))
          return {all, epochs_[i].quantity->text + " \xC3\x97 " + once.how};
    return once;
  }

  /// Hours of a table hold more than the tokens told above it where those are told of one phase, or where each row is
  /// longer by the same time, such as set-up. A row that is shorter is wrong even then.
  void token_times() {
    for (const auto& [table, rows] : by_tokens_) {
      const bool of_part = std::ranges::any_of(rows, &ByTokens::of_part);
      const std::set<const ByTokens*> same = with_same_excess(rows);
      for (const ByTokens& row : rows)
        if (!(of_part || same.contains(&row) || no_more_beside(row, rows)) ||
            row.time->value->high < row.way.value.most())
          bench_.judge(*row.record, *row.time, {row.way}, kBesideSteps);
    }
  }

  /// A fast row whose time beside the work is that of the others, which all fit.
  static bool no_more_beside(const ByTokens& row, const std::vector<ByTokens>& rows) {
    std::vector<double> beside;
    for (const ByTokens& other : rows) {
      if (&other == &row) continue;
      if (!fits_at_least(*other.time->value, other.way.value, kBesideSteps)) return false;
      beside.push_back(ends_of(*other.time->value).most() - other.way.value.least());
    }
    constexpr std::size_t kEnough = 2;
    constexpr double kSame = 1.5;
    if (beside.size() < kEnough) return false;
    std::ranges::sort(beside);
    return ends_of(*row.time->value).least() - row.way.value.most() <= kSame * beside[beside.size() / 2];
  }

  /// Rows that take longer than their tokens by about the same time, whatever they take: set-up, which differs a little
  /// from machine to machine.
  std::set<const ByTokens*> with_same_excess(const std::vector<ByTokens>& rows) const {
    constexpr std::size_t kEnough = 2;
    std::set<const ByTokens*> same;
    if (rows.size() < kEnough) return same;
    std::vector<double> middles;
    double fast = 0, slow = 0;
    const ByTokens* slowest = &rows.front();
    for (const ByTokens& row : rows) {
      const ClaimEnds& work = row.way.value;
      if (work.most() > slowest->way.value.most()) slowest = &row;
      if (const double more = ends_of(*row.time->value).low_middle() - work.low_middle(); more > 0)
        middles.push_back(more);
      fast = &row == &rows.front() ? work.least() : std::min(fast, work.least());
      slow = std::max(slow, work.most());
    }
    // Of rows that take about as long nobody can tell what is the same in them; a few rows must agree well.
    constexpr double kApart = 1.3, kSame = 1.2, kFarApart = 3, kAboutSame = 2;
    constexpr std::size_t kMany = 5;
    if (middles.size() < kEnough || slow <= kApart * fast) return same;
    // Against the slowest it is little, or it grows with the work.
    const bool little = fits_at_least(*slowest->time->value, slowest->way.value, kBesideSteps);
    const double room = rows.size() >= kMany && slow > kFarApart * fast && little ? kAboutSame : kSame;
    std::ranges::sort(middles);
    const double middle = middles[middles.size() / 2];
    for (const ByTokens& row : rows) {
      const ClaimEnds time = ends_of(*row.time->value), &work = row.way.value;
      const double shortest = time.least() - work.most(), longest = time.most() - work.least();
      if (longest > 0 && shortest <= room * middle && longest >= middle / room) same.insert(&row);
    }
    // Most rows are as long as it says, or it says nothing.
    constexpr std::size_t kOf = 4, kMost = 3;
    if (same.size() < kEnough || same.size() * kOf < rows.size() * kMost) same.clear();
    return same;
  }

  /// Tokens that the head of a column of money says it is for: "Cost per 1M tokens", "$ per million tokens"; 0: none.
  double tokens_paid(const ClaimRecord& record, const ClaimFact& fact) const {
    if (const ClaimAmount* tokens = tokens_in_head(record, fact); tokens != nullptr) return tokens->low;
    const std::string lower = to_lower(fact.name);
    if (!has_any(lower, {"million tok", "m tok", "mtok"}) || !has_any(lower, {"per m", "/ m", "/m", "per 1m", "/1m"}))
      return 0;
    return has_any(lower, {"input", "prompt", "output"}) ? 0.0 : 1e6;
  }

  /// What tokens cost at the row's own price and speed.
  void token_cost(const ClaimRecord& record) {
    const auto prices = record.all(ClaimRole::kPrice), rates = record.all(ClaimRole::kTokenRate);
    if (record.table < 0 || prices.size() != 1 || rates.size() != 1 || rates[0]->value->low <= 0) return;
    const ClaimAmount &price = *prices[0]->value, &rate = *rates[0]->value;
    if (price.odd || rate.odd || price.range() || rate.range()) return;
    for (const ClaimFact& one : record.facts) {
      if (one.value->dimension != ClaimDimension::kMoney || one.value->range() ||
          one.value->currency != price.currency || &one == prices[0])
        continue;
      const double tokens = tokens_paid(record, one);
      if (tokens <= 0) continue;
      const ClaimEnds cost = ends_of(price) / with_zeros(rate) * (tokens / kHour);
      const std::string words = price.text + " / " + told(ClaimDimension::kTokenRate, with_zeros(rate));
      ByCost row{&record, &one, {{cost, words}}};
      // Whose the price and the speed are, of one GPU or of all, is not always said.
      for (const double count : {record.count * 1.0, 1.0 / std::max(record.count, 1)})
        if (record.count > 1) row.ways.push_back({cost * count, words});
      by_cost_[record.table].push_back(std::move(row));
    }
  }

  /// Where most rows are what their own price and speed make of them, so must be each; else more is counted in them.
  void token_costs() {
    constexpr std::size_t kLeast = 2;
    for (const auto& [table, rows] : by_cost_) {
      const auto good = static_cast<std::size_t>(std::ranges::count_if(rows, [](const ByCost& row) {
        return std::ranges::any_of(row.ways, [&](const Way& way) { return fits(*row.cost->value, way.value); });
      }));
      if (good < kLeast || good * 2 < rows.size()) continue;
      for (const ByCost& row : rows) bench_.judge(*row.record, *row.cost, row.ways);
    }
  }

  /// A time that samples take: of the run, or of an epoch. "8 in 10 runs" beside "A step" is none.
  static bool is_of_all_samples(const ClaimFact& fact) {
    return fact.role == ClaimRole::kTime || fact.role == ClaimRole::kTotalTime ||
           (fact.role == ClaimRole::kNone && to_lower(fact.name).contains("epoch"));
  }

  void sample_time(const ClaimRecord& record) {
    const ClaimFact* rate = record.find(ClaimRole::kSampleRate);
    if (rate == nullptr) return;
    std::vector<Way> ways;
    const ClaimEnds speed = with_zeros(*rate->value);
    const auto add = [&](const ClaimEnds& samples, const std::string& words) {
      ways.push_back({samples / speed, words + " / " + told(ClaimDimension::kSampleRate, speed)});
    };
    if (const ClaimFact* own = record.find(ClaimRole::kSamples)) {
      add(ends_of(*own->value, true), own->value->text);
      for (const Work& epochs : epochs_)
        if (ways.size() <= 60)
          add(ends_of(*own->value, true) * ends_of(*epochs.quantity, true),
              own->value->text + " \xC3\x97 " + epochs.quantity->text);
    } else {
      for (const Work& samples : samples_) {
        if (ways.size() > 60) return;
        add(ends_of(*samples.quantity, true), samples.quantity->text);
        for (const Work& epochs : epochs_)
          add(ends_of(*samples.quantity, true) * ends_of(*epochs.quantity, true),
              samples.quantity->text + " \xC3\x97 " + epochs.quantity->text);
      }
    }
    if (ways.empty()) return;
    bench_.use(*rate->value);
    for (const ClaimFact& one : record.facts)
      if (one.value->dimension == ClaimDimension::kTime && &one != rate && is_of_all_samples(one))
        judge_repeated(record, one, ways);
  }

  void total_time(const ClaimRecord& record) {
    const auto times = record.all(ClaimRole::kTime), totals = record.all(ClaimRole::kTotalTime),
               more = record.all(ClaimRole::kOverhead);
    if (times.empty() || times.size() > 4 || totals.size() != 1 || more.size() > 3 || record.table < 0) return;
    if (more.empty() && times.size() < 2) return;
    ClaimEnds sum = ends_of(0.0);
    std::string words;
    for (const auto* parts : {&times, &more})
      for (const ClaimFact* part : *parts) {
        bench_.use(*part->value);
        sum = sum + ends_of(*part->value);
        words +=
            (words.empty() ? "" : " + ") +
            std::string(part->value->text.starts_with('+') ? trim(part->value->text.substr(1)) : part->value->text);
      }
    std::vector<Way> ways{{sum, words}};
    // Times that are no parts: the longest of them, such as that of all models at once.
    if (more.empty())
      for (const ClaimFact* one : times) ways.push_back({ends_of(*one->value), one->value->text});
    bench_.judge(record, *totals.front(), ways);
  }

  Bench& bench_;
  std::map<int, std::vector<ByTokens>> by_tokens_;  ///< by table
  std::map<int, std::vector<ByCost>> by_cost_;      ///< by table
  std::vector<Work> tokens_, samples_, epochs_;
};

}  // namespace

void check_rows(Bench& bench) { Rows(bench).check(); }

}  // namespace gpuplan::audit
