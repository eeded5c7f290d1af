#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/span.h"

namespace gpuplan::audit {
namespace {

/// Times may hold so much beside the steps: the start, checks, checkpoints.
constexpr double kBesideSteps = 1.3;

struct Way {
  ClaimEnds value;
  std::string how;
};

/// A record with what its heading's parents say of price and GPUs.
struct Known {
  const ClaimFact* price = nullptr;
  std::vector<const ClaimFact*> prices;
  int count = 0;
};

class Rows {
 public:
  explicit Rows(Bench& bench) : bench_(bench) {
    for (const ClaimRecord& record : bench.records)
      if (record.table < 0) {
        if (static_cast<std::size_t>(record.section) >= lists_.size())
          lists_.resize(static_cast<std::size_t>(record.section) + 1);
        lists_[static_cast<std::size_t>(record.section)] = &record;
      }
    find_work();
  }

  void check() {
    for (const ClaimRecord& record : bench_.records) {
      if (record.total) continue;
      cost(record);
      gpu_time(record);
      step_time(record);
      token_time(record);
      sample_time(record);
      total_time(record);
    }
  }

 private:
  const ClaimRecord* list_of(int section) const {
    return static_cast<std::size_t>(section) < lists_.size() ? lists_[static_cast<std::size_t>(section)] : nullptr;
  }

  /// Prices of the record, else of the nearest list above that has one.
  Known known(const ClaimRecord& record) const {
    Known known;
    known.prices = record.all(ClaimRole::kPrice);
    known.count = record.count;
    if (record.table >= 0) return known;
    for (int at = bench_.document.sections[static_cast<std::size_t>(record.section)].parent;
         at > 0 && known.prices.empty(); at = bench_.document.sections[static_cast<std::size_t>(at)].parent)
      if (const ClaimRecord* above = list_of(at)) {
        known.prices = above->all(ClaimRole::kPrice);
        if (known.count == 0) known.count = above->count;
      }
    if (known.prices.size() > 1) known.prices.clear();  // which of them counts is not said
    return known;
  }

  void judge(const ClaimRecord& record, const ClaimFact& stated, const std::vector<Way>& ways, double slack = 1) {
    if (ways.empty()) return;
    bench_.use(*stated.value);
    for (const Way& way : ways)
      if (slack > 1 ? fits_at_least(*stated.value, way.value, slack) : fits(*stated.value, way.value)) return;
    bench_.find(FindingKind::kWrong, stated.line, record.label, stated.value->text,
                told(stated.value->dimension, ways.front().value), ways.front().how);
  }

  void cost(const ClaimRecord& record) {
    const auto costs = record.all(ClaimRole::kCost);
    if (costs.empty() || costs.size() > 3) return;
    const Known about = known(record);
    if (about.prices.size() > 4) return;
    std::vector<const ClaimFact*> times = record.all(ClaimRole::kTotalTime);
    if (times.empty()) times = record.all(ClaimRole::kTime);
    std::vector<Way> ways;
    for (const ClaimFact* price : about.prices) {
      if (price->value->foreign != costs.front()->value->foreign) continue;
      bench_.use(*price->value);
      const ClaimEnds dollars = ends_of(*price->value);
      for (const ClaimFact* time : times) {
        bench_.use(*time->value);
        const ClaimEnds hours = ends_of(*time->value) * (1 / kHour);
        const int count = std::max(about.count, 1);
        const std::string how = price->value->text + " \xC3\x97 " + time->value->text;
        if (price->value->per_gpu)
          ways.push_back({dollars * hours * ends_of(count),
                          how + (count > 1 ? " \xC3\x97 " + std::to_string(count) + " GPUs" : "")});
        else {
          ways.push_back({dollars * hours, how});
          if (count > 1)
            ways.push_back({dollars * hours * ends_of(count), how + " \xC3\x97 " + std::to_string(count) + " GPUs"});
        }
      }
      if (const ClaimFact* gpu_time = record.find(ClaimRole::kGpuTime); gpu_time != nullptr) {
        bench_.use(*gpu_time->value);
        ways.push_back({dollars * (ends_of(*gpu_time->value) * (1 / kHour)),
                        price->value->text + " \xC3\x97 " + gpu_time->value->text});
      }
      // Work and what is beside it, where no total is stated.
      const ClaimFact* overhead = record.find(ClaimRole::kOverhead);
      if (overhead != nullptr && times.size() == 1 && times.front()->role == ClaimRole::kTime) {
        bench_.use(*overhead->value);
        ways.push_back(
            {dollars * ((ends_of(*times.front()->value) + ends_of(*overhead->value)) * (1 / kHour)),
             price->value->text + " \xC3\x97 (" + times.front()->value->text + " + " + overhead->value->text + ")"});
      }
    }
    for (const ClaimFact* one : costs) judge(record, *one, ways);
  }

  void gpu_time(const ClaimRecord& record) {
    const auto totals = record.all(ClaimRole::kGpuTime);
    const ClaimFact* time = record.find(ClaimRole::kTotalTime);
    if (time == nullptr) time = record.find(ClaimRole::kTime);
    if (totals.size() != 1 || time == nullptr) return;
    ClaimEnds count;
    std::string words;
    if (const ClaimFact* gpus = record.find(ClaimRole::kGpus)) {
      bench_.use(*gpus->value);
      count = ends_of(*gpus->value, true);
      words = told(ClaimDimension::kBare, count);
    } else if (record.count > 0) {
      count = ends_of(record.count);
      words = std::to_string(record.count);
    } else {
      return;
    }
    bench_.use(*time->value);
    // Lists say "8 (for generation) + 1-2": one number of GPUs is not enough there.
    judge(record, *totals.front(), {{ends_of(*time->value) * count, words + " GPUs \xC3\x97 " + time->value->text}});
  }

  void step_time(const ClaimRecord& record) {
    const auto times = record.all(ClaimRole::kTime);
    const ClaimFact* steps = record.find(ClaimRole::kSteps);
    const ClaimFact* step = record.find(ClaimRole::kStepTime);
    if (times.size() != 1 || steps == nullptr || step == nullptr) return;
    bench_.use(*steps->value);
    bench_.use(*step->value);
    judge(record, *times.front(),
          {{ends_of(*steps->value, true) * ends_of(*step->value),
            steps->value->text + " steps \xC3\x97 " + step->value->text}},
          kBesideSteps);
  }

  /// Tokens and samples that the work of a section comes to, as its own lines or those of a heading above say.
  struct Work {
    int section = 0;
    const ClaimAmount* quantity = nullptr;
    bool per_model = false;
  };

  void find_work() {
    constexpr double kLeastTokens = 1e5;
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.said.text);
      for (const ClaimAmount& quantity : line.said.quantities) {
        if (quantity.range() || quantity.at_least || quantity.at_most) continue;
        if (quantity.dimension == ClaimDimension::kTokens && quantity.low >= kLeastTokens)
          tokens_.push_back({line.section, &quantity,
                             lower.find("per model") != std::string::npos || lower.find("each") != std::string::npos});
        const bool total = quantity.dimension == ClaimDimension::kSamples ||
                           (quantity.dimension == ClaimDimension::kBare && lower.find("samples") != std::string::npos &&
                            quantity.low >= 1000);
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

  void token_time(const ClaimRecord& record) {
    const ClaimFact* rate = record.find(ClaimRole::kTokenRate);
    const ClaimFact* time = record.find(ClaimRole::kTime);
    if (time == nullptr && record.find(ClaimRole::kOverhead) == nullptr) time = record.find(ClaimRole::kTotalTime);
    if (rate == nullptr || time == nullptr) return;
    const ClaimFact* own = record.find(ClaimRole::kTokens);
    const Work* work = own == nullptr ? work_of(tokens_, record.section) : nullptr;
    if (own == nullptr && work == nullptr) return;
    const ClaimAmount& tokens = own != nullptr ? *own->value : *work->quantity;
    ClaimEnds speed = ends_of(*rate->value);
    std::string words = tokens.text + " / " + told(ClaimDimension::kTokenRate, speed);
    if (rate->value->per_gpu && record.count > 1 && (work == nullptr || !work->per_model)) {
      speed = speed * static_cast<double>(record.count);
      words += " \xC3\x97 " + std::to_string(record.count) + " GPUs";
    }
    bench_.use(tokens);
    bench_.use(*rate->value);
    // More tokens a second is less time.
    const ClaimEnds work_ends = ends_of(tokens, true);
    judge(record, *time, {{work_ends / speed, words}}, kBesideSteps);
  }

  void sample_time(const ClaimRecord& record) {
    const ClaimFact* rate = record.find(ClaimRole::kSampleRate);
    if (rate == nullptr) return;
    std::vector<Way> ways;
    const ClaimEnds speed = ends_of(*rate->value);
    const auto add = [&](const ClaimEnds& samples, const std::string& words) {
      ways.push_back({samples / speed, words + " / " + told(ClaimDimension::kSampleRate, speed)});
    };
    if (const ClaimFact* own = record.find(ClaimRole::kSamples)) {
      add(ends_of(*own->value, true), own->value->text);
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
      if (one.value->dimension == ClaimDimension::kTime && &one != rate && one.role != ClaimRole::kOverhead &&
          one.role != ClaimRole::kStepTime)
        judge(record, one, ways, kBesideSteps);
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
    judge(record, *totals.front(), ways);
  }

  Bench& bench_;
  std::vector<const ClaimRecord*> lists_;  ///< by section
  std::vector<Work> tokens_, samples_, epochs_;
};

}  // namespace

void check_rows(Bench& bench) { Rows(bench).check(); }

}  // namespace gpuplan::audit
