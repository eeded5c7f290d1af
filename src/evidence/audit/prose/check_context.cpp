#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Times may hold so much beside the work.
constexpr double kBesideContext = 1.3;
/// What is counted in sentences is rounded: 43M tokens are 43.2M.
constexpr double kRoundedInProse = 0.03;

struct ToldSentence {
  const ClaimLine* line = nullptr;
  std::size_t from = 0;
  std::string lower;
  std::vector<const ClaimAmount*> all;

  /// The only one of this kind; nullptr: none, or several.
  const ClaimAmount* one(ClaimDimension dimension) const {
    const ClaimAmount* found = nullptr;
    for (const ClaimAmount* amount : all)
      if (amount->dimension == dimension) {
        if (found != nullptr) return nullptr;
        found = amount;
      }
    return found;
  }
  /// Nothing is counted but these kinds.
  bool only(std::initializer_list<ClaimDimension> kinds) const {
    return std::ranges::all_of(
        all, [&](const ClaimAmount* one) { return std::ranges::find(kinds, one->dimension) != kinds.end(); });
  }
  std::string_view behind(const ClaimAmount& one) const {
    return std::string_view(lower).substr(std::min(one.to - from, lower.size()));
  }
};

bool is_one_value(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

/// It speaks of what was told before.
bool looks_back(std::string_view lower) {
  return has_word_of(lower, {"that", "this", "it", "them", "those", "these", "which", "so", "hence", "thus"}) ||
         has_any(lower, {"\xE2\x87\x92", "\xE2\x86\x92", "=>", "finishes", "is done", "the same", "would take"});
}

/// "the other half", "per epoch": a part of what was told, or more than it.
bool tells_a_part(std::string_view lower) {
  return has_any(lower, {"per epoch", "an epoch", "per run", "rest of", "resum", "overlap", "n't", "more than",
                         "less than"}) ||
         has_word_of(lower, {"each", "half", "quarter", "third", "remaining", "not", "instead", "save", "saves",
                             "saved", "faster", "slower", "overhead", "longer", "without", "extra", "if", "no"});
}

/// "two GPUs", "four cards"; 0: none.
double number_word_before(std::string_view lower, std::initializer_list<std::string_view> nouns) {
  constexpr std::array<std::pair<std::string_view, double>, 9> kWords = {{{"two", 2},
                                                                          {"both", 2},
                                                                          {"three", 3},
                                                                          {"four", 4},
                                                                          {"five", 5},
                                                                          {"six", 6},
                                                                          {"eight", 8},
                                                                          {"ten", 10},
                                                                          {"sixteen", 16}}};
  for (const auto& [word, count] : kWords)
    for (const std::string_view noun : nouns)
      if (has_word(lower, std::string(word) + " " + std::string(noun))) return count;
  return 0;
}

/// "three epochs", "2 epochs", "both passes"; 0: none.
double epochs_in(const ToldSentence& sentence) {
  if (const ClaimAmount* told = sentence.one(ClaimDimension::kEpochs); told != nullptr)
    return is_one_value(*told) ? told->low : 0;
  return number_word_before(sentence.lower, {"epochs", "passes"});
}

/// What sentences compute from what those before them say.
class Context {
 public:
  explicit Context(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines) {
      if (line.code || line.said.quantities.size() > kMostInLine) continue;
      const std::string lower = to_lower(line.said.text);
      for (std::size_t from = 0; from < lower.size();) {
        const std::size_t to = std::min(end_of_sentence(lower, from) + 1, lower.size());
        ToldSentence& one = sentences_.emplace_back(ToldSentence{&line, from, lower.substr(from, to - from), {}});
        for (const ClaimAmount& amount : line.said.quantities)
          if (amount.from >= from && amount.from < to) one.all.push_back(&amount);
        from = to;
      }
    }
    for (const ClaimLine& line : bench.document.lines)
      for (const ClaimAmount& one : line.said.quantities) keep(one);
    for (const ClaimTable& table : bench.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells)
          for (const ClaimAmount& one : cell.quantities) keep(one);
  }

  void check() {
    for (std::size_t i = 1; i < sentences_.size() && bench_.go_on(); ++i) {
      if (sentences_[i].all.empty() || sentences_[i].lower.contains('?')) continue;
      time_at_speed(i);
      time_at_same_speed(i);
      steps_of_tokens(i);
      by_epochs(i);
      tokens_in_time(i);
      rented(i);
      gpu_hours_paid(i);
      remaining(i);
    }
  }

 private:
  static constexpr std::size_t kMostInLine = 40, kMostKnown = 300, kFarthest = 6;

  void keep(const ClaimAmount& one) {
    if (is_one_value(one) && known_.size() < kMostKnown) known_.push_back(&one);
  }

  /// Amounts of a kind in the sentences before, the nearest first.
  std::vector<const ClaimAmount*> before(std::size_t place, ClaimDimension dimension) const {
    std::vector<const ClaimAmount*> found;
    const int section = sentences_[place].line->section;
    for (std::size_t back = 1; back <= std::min(place, kFarthest); ++back) {
      const ToldSentence& one = sentences_[place - back];
      if (one.line->section != section) break;
      for (auto at = one.all.rbegin(); at != one.all.rend(); ++at)
        if ((*at)->dimension == dimension && is_one_value(**at)) found.push_back(*at);
    }
    return found;
  }

  std::vector<double> of_kind(ClaimDimension dimension) const {
    std::vector<double> found;
    for (const ClaimAmount* one : known_)
      if (one->dimension == dimension) found.push_back(one->low);
    return found;
  }

  /// All work of a kind that the document may mean: as told, by epochs, and samples by their tokens.
  std::vector<double> works(ClaimDimension dimension) const {
    std::vector<double> found = of_kind(dimension);
    if (dimension == ClaimDimension::kTokens) {
      // "48,000 conversations of 900 tokens": of whatever they are called.
      std::vector<double> counts = of_kind(ClaimDimension::kSamples);
      for (const double bare : of_kind(ClaimDimension::kBare)) counts.push_back(bare);
      const std::vector<double> tokens = found;
      for (const double count : counts)
        for (const double each : tokens)
          if (found.size() < kMostKnown) found.push_back(count * each);
    }
    const std::vector<double> once = found;
    for (const double epochs : of_kind(ClaimDimension::kEpochs))
      for (const double one : once)
        if (found.size() < 2 * kMostKnown) found.push_back(one * epochs);
    return found;
  }

  static ClaimEnds about(double value) {
    return {{value * (1 - kRoundedInProse), value * (1 + kRoundedInProse)},
            {value * (1 - kRoundedInProse), value * (1 + kRoundedInProse)}};
  }

  bool fits_any(const ClaimAmount& stated, const std::vector<double>& values, double slack) const {
    return std::ranges::any_of(values, [&](double value) {
      return slack > 1 ? fits_at_least(stated, about(value), slack) : fits(stated, about(value));
    });
  }

  void tell(const ToldSentence& sentence, const ClaimAmount& stated, double right, const std::string& how) {
    const int line = sentence.line->line_of(stated);
    bench_.use(stated);
    if (std::ranges::any_of(bench_.findings, [&](const Finding& one) { return one.line == line; })) return;
    bench_.find(FindingKind::kWrong, line, sentence.line->label, stated.text, told(stated, ends_of(right)), how);
  }

  static constexpr std::array<std::pair<ClaimDimension, ClaimDimension>, 3> kSpeeds = {
      {{ClaimDimension::kTokenRate, ClaimDimension::kTokens},
       {ClaimDimension::kSampleRate, ClaimDimension::kSamples},
       {ClaimDimension::kByteRate, ClaimDimension::kBytes}}};

  /// "At 2,500 tokens/s that takes 8.9 h", "Uploading them at 20 MB/s is done within 2 h".
  void time_at_speed(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    if (!looks_back(sentence.lower) || tells_a_part(sentence.lower)) return;
    const ClaimAmount* time = sentence.one(ClaimDimension::kTime);
    if (time == nullptr || !is_one_value(*time)) return;
    for (const auto& [rate, of] : kSpeeds) {
      const ClaimAmount* speed = sentence.one(rate);
      if (speed == nullptr || !is_one_value(*speed) || speed->per_gpu || speed->from > time->from ||
          !sentence.only({rate, ClaimDimension::kTime, ClaimDimension::kShare, ClaimDimension::kGpus,
                          ClaimDimension::kBare, ClaimDimension::kTimes}))
        continue;
      const std::vector<const ClaimAmount*> told_before = before(place, of);
      if (told_before.empty()) continue;
      bench_.use(*speed);
      bench_.use(*time);
      std::vector<double> times;
      // Files are of many kinds: those that are told near it.
      if (of == ClaimDimension::kBytes)
        for (const ClaimAmount* one : told_before) times.push_back(one->low / speed->low);
      else
        for (const double work : works(of)) times.push_back(work / speed->low);
      if (fits_any(*time, times, kBesideContext)) continue;
      const ClaimAmount& work = *told_before.front();
      tell(sentence, *time, work.low / speed->low, work.text + " / " + speed->text);
    }
  }

  /// "At the same rate 20 billion tokens take 11 hours."
  void time_at_same_speed(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    if (!has_any(sentence.lower, {"same rate", "same speed", "same throughput", "this rate", "that rate", "this speed",
                                  "that speed", "this throughput", "that throughput"}) ||
        tells_a_part(sentence.lower))
      return;
    const ClaimAmount* time = sentence.one(ClaimDimension::kTime);
    if (time == nullptr || !is_one_value(*time)) return;
    for (const auto& [rate, of] : kSpeeds) {
      const std::vector<const ClaimAmount*> speeds = before(place, rate);
      const ClaimAmount* work = sentence.one(of);
      if (speeds.empty()) continue;
      std::vector<double> all;
      if (work != nullptr && is_one_value(*work)) all = {work->low};
      else if (work == nullptr && !before(place, of).empty() && sentence.all.size() == 1) all = works(of);
      if (all.empty() || !sentence.only({of, ClaimDimension::kTime, ClaimDimension::kBare})) continue;
      bench_.use(*time);
      std::vector<double> times;
      for (const double speed : of_kind(rate))
        for (const double one : all) {
          times.push_back(one / speed);
          for (const double gpus : of_kind(ClaimDimension::kGpus)) times.push_back(one / speed / gpus);
        }
      if (fits_any(*time, times, kBesideContext)) continue;
      const double amount = work != nullptr ? work->low : before(place, of).front()->low;
      tell(sentence, *time, amount / speeds.front()->low,
           (work != nullptr ? work->text : before(place, of).front()->text) + " / " + speeds.front()->text);
    }
  }

  /// "Per day that is 933M tokens", "A month of 30 days gives 28 billion tokens": at a speed told before.
  void tokens_in_time(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const ClaimAmount* tokens = sentence.one(ClaimDimension::kTokens);
    if (tokens == nullptr || !is_one_value(*tokens) || tells_a_part(sentence.lower) ||
        !sentence.only({ClaimDimension::kTokens, ClaimDimension::kTime, ClaimDimension::kBare}))
      return;
    constexpr double kDay = 24 * kHour;
    double time = 0;
    if (const ClaimAmount* told_time = sentence.one(ClaimDimension::kTime); told_time != nullptr)
      time = is_one_value(*told_time) ? told_time->low : 0;
    else if (sentence.all.size() == 1)
      time = has_any(sentence.lower, {"per day", "a day", "in a day"}) ? kDay
             : has_any(sentence.lower, {"per hour", "an hour"})        ? kHour
                                                                       : 0;
    if (time <= 0 ||
        !has_any(sentence.lower, {"that is", "gives", "makes", "come to", "comes to", "we get", "produces"}))
      return;
    const std::vector<const ClaimAmount*> speeds = before(place, ClaimDimension::kTokenRate);
    if (speeds.empty()) return;
    bench_.use(*tokens);
    std::vector<double> counts = of_kind(ClaimDimension::kGpus);
    for (const double bare : of_kind(ClaimDimension::kBare)) counts.push_back(bare);
    for (const double share : of_kind(ClaimDimension::kShare)) counts.push_back(share);
    counts.push_back(1);
    std::vector<double> right;
    for (const double speed : of_kind(ClaimDimension::kTokenRate))
      for (const double count : counts) right.push_back(speed * time * count);
    if (fits_any(*tokens, right, 1)) return;
    tell(sentence, *tokens, speeds.front()->low * time,
         speeds.front()->text + " \xC3\x97 " + told(ClaimDimension::kTime, time));
  }

  /// "The ablation's 160 GPU-hours cost another $176": at the one price of a GPU-hour.
  void gpu_hours_paid(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const ClaimAmount *work = sentence.one(ClaimDimension::kGpuTime), *cost = sentence.one(ClaimDimension::kMoney);
    if (sentence.all.size() != 2 || work == nullptr || cost == nullptr || !is_one_value(*work) ||
        !is_one_value(*cost) || cost->from < work->from || tells_a_part(sentence.lower))
      return;
    const std::string verb = between(sentence.line->said, *work, *cost);
    if (!is_one_of(verb, {"cost", "costs", "are", "come to", "comes to", "cost another", "are another", "make",
                          "will cost", "cost us", "add", "would cost"}))
      return;
    const ClaimAmount* price = nullptr;
    for (const ClaimAmount* one : before(place, ClaimDimension::kPrice)) {
      if (price != nullptr && price->low != one->low) return;
      price = one;
    }
    if (price == nullptr || !price->per_gpu || price->currency != cost->currency) return;
    bench_.use(*work);
    bench_.use(*cost);
    std::vector<double> right;
    for (const ClaimAmount* one : known_)
      if (one->dimension == ClaimDimension::kPrice) right.push_back(one->low * work->low / kHour);
    if (fits_any(*cost, right, 1)) return;
    tell(sentence, *cost, price->low * work->low / kHour, work->text + " \xC3\x97 " + price->text);
  }

  /// The tokens of a step that sentences tell: "one step consumes 2.1 million tokens", "2.1M tokens per step".
  std::vector<double> tokens_of_step() const {
    std::vector<double> found;
    for (const ToldSentence& sentence : sentences_)
      for (const ClaimAmount* one : sentence.all) {
        if (one->dimension != ClaimDimension::kTokens || !is_one_value(*one)) continue;
        const std::string_view front = std::string_view(sentence.lower).substr(0, one->from - sentence.from);
        if (starts_with_any(sentence.behind(*one), {" per step", "/step", " a step", " each step"}) ||
            (has_any(front, {"step consumes", "step sees", "step processes", "step is", "step has", "step uses",
                             "step takes", "step holds", "steps of", "step:"})))
          found.push_back(one->low);
      }
    return found;
  }

  /// "This corresponds to 47,700 steps", "20 billion tokens with the same batch, hence 9,540 steps".
  void steps_of_tokens(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const ClaimAmount* steps = sentence.one(ClaimDimension::kSteps);
    if (steps == nullptr || !is_one_value(*steps) || tells_a_part(sentence.lower) ||
        !(looks_back(sentence.lower) || sentence.lower.contains("same batch")) ||
        !sentence.only({ClaimDimension::kSteps, ClaimDimension::kTokens}))
      return;
    const ClaimAmount* tokens = sentence.one(ClaimDimension::kTokens);
    std::vector<double> all;
    if (tokens != nullptr) all = {tokens->low};
    else if (sentence.all.size() == 1) all = works(ClaimDimension::kTokens);
    const std::vector<double> each = tokens_of_step();
    if (each.empty() || all.empty()) return;
    const auto told_before = before(place, ClaimDimension::kTokens);
    if (tokens == nullptr && told_before.size() < 2) return;
    bench_.use(*steps);
    std::vector<double> right;
    for (const double one : all)
      for (const double step : each)
        if (one > step) right.push_back(one / step);
    if (right.empty() || fits_any(*steps, right, 1)) return;
    double amount = tokens != nullptr ? tokens->low : 0;
    for (const ClaimAmount* one : told_before)
      if (tokens == nullptr) amount = std::max(amount, one->low);
    tell(sentence, *steps, std::round(amount / each.back()), "tokens / tokens of a step");
  }

  /// "Three epochs over that make 130M tokens", "For three epochs we plan 2,250 steps" below "750 steps per epoch".
  void by_epochs(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const double epochs = epochs_in(sentence);
    constexpr double kMost = 100;
    if (epochs <= 0 || epochs > kMost || tells_a_part(sentence.lower)) return;
    for (const ClaimDimension kind : {ClaimDimension::kTokens, ClaimDimension::kSteps, ClaimDimension::kSamples}) {
      const ClaimAmount* stated = sentence.one(kind);
      if (stated == nullptr || !is_one_value(*stated) || !sentence.only({kind, ClaimDimension::kEpochs})) continue;
      // "2 epochs of 10M tokens"
      const std::string_view behind = sentence.behind(*stated);
      if (starts_with_any(behind, {" per ", "/", " a ", " each"})) continue;
      const bool total = has_any(sentence.lower, {"over that", "over this", "over it", "of that", "of this", "of it",
                                                  "make", "come to", "comes to", "give", "we plan", "in total", "sum",
                                                  "in all", "is therefore", "are therefore", "amount"});
      if (!total) continue;
      const std::vector<const ClaimAmount*> told_before = before(place, kind);
      const ClaimAmount* once = nullptr;
      for (const ClaimAmount* one : told_before)
        if (once == nullptr && is_of_an_epoch(place, *one)) once = one;
      if (once == nullptr) continue;
      bench_.use(*stated);
      bench_.use(*once);
      std::vector<double> right = works(kind);
      std::erase(right, stated->low);  // itself, and not what is computed
      const std::size_t plain = right.size();
      for (std::size_t i = 0; i < plain; ++i) right.push_back(right[i] * epochs);
      if (fits_any(*stated, right, 1)) continue;
      tell(sentence, *stated, once->low * epochs, once->text + " \xC3\x97 " + number_text(epochs) + " epochs");
    }
  }

  /// "750 steps per epoch", "43M tokens per pass".
  bool is_of_an_epoch(std::size_t place, const ClaimAmount& one) const {
    for (std::size_t back = 1; back <= std::min(place, kFarthest); ++back) {
      const ToldSentence& sentence = sentences_[place - back];
      if (std::ranges::find(sentence.all, &one) == sentence.all.end()) continue;
      return starts_with_any(sentence.behind(one), {" per epoch", "/epoch", " per pass", " an epoch", " a pass",
                                                    " in each epoch", " in one epoch", " in one pass", " each epoch"});
    }
    return false;
  }

  /// "Keeping it for one week is 168 hours or $4,032", below the price of the hour.
  void rented(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const ClaimAmount* cost = sentence.one(ClaimDimension::kMoney);
    const double gpus = number_word_before(sentence.lower, {"gpus", "cards", "of them"});
    const bool counted = (gpus > 0 || sentence.one(ClaimDimension::kGpus) != nullptr) &&
                         has_any(sentence.lower, {"come to", "comes to", " cost", "make"});
    if (cost == nullptr || !is_one_value(*cost) ||
        (!counted && !has_word_of(sentence.lower, {"it", "them", "this", "that"})) || tells_a_part(sentence.lower) ||
        sentence.one(ClaimDimension::kPrice) != nullptr ||
        !sentence.only({ClaimDimension::kMoney, ClaimDimension::kTime, ClaimDimension::kBare, ClaimDimension::kGpus}))
      return;
    if (has_any(sentence.lower, {"storage", "disk", "fee", "tax", "includ", "plus", "credit", "discount", "api"}))
      return;
    const ClaimAmount* time = nullptr;
    for (const ClaimAmount* one : sentence.all)
      if (one->dimension == ClaimDimension::kTime && one->from < cost->from) time = one;
    if (time == nullptr || !is_one_value(*time)) return;
    std::vector<const ClaimAmount*> prices = before(place, ClaimDimension::kPrice);
    std::erase_if(prices, [&](const ClaimAmount* one) { return one->currency != cost->currency; });
    if (prices.empty()) return;
    bench_.use(*cost);
    std::vector<double> right;
    std::vector<double> counts = of_kind(ClaimDimension::kGpus);
    for (const double bare : of_kind(ClaimDimension::kBare)) counts.push_back(bare);
    for (const ClaimLine& line : bench_.document.lines)
      for (const GpuMention& gpu : line.said.gpus)
        if (gpu.count > 1) counts.push_back(gpu.count);
    counts.push_back(1);
    if (gpus > 0) counts.push_back(gpus);
    for (const ClaimAmount* one : known_)
      if (one->dimension == ClaimDimension::kPrice)
        for (const double count : counts) right.push_back(one->low * time->low / kHour * count);
    if (fits_any(*cost, right, 1)) return;
    const ClaimAmount* cards = sentence.one(ClaimDimension::kGpus);
    const double count = gpus > 0 ? gpus : cards != nullptr ? cards->low : 1;
    const auto off = [&](const ClaimAmount* price) {
      return std::fabs(price->low * time->low / kHour * count - cost->low);
    };
    const ClaimAmount& near = **std::ranges::min_element(prices, {}, off);
    tell(sentence, *cost, near.low * time->low / kHour * count,
         near.text + " \xC3\x97 " + time->text + (count > 1 ? " \xC3\x97 " + number_text(count) : ""));
  }

  /// "Cosine decay over the remaining 97 %, i.e. 910 steps": of what is told before.
  void remaining(std::size_t place) {
    const ToldSentence& sentence = sentences_[place];
    const ClaimAmount* share = sentence.one(ClaimDimension::kShare);
    if (sentence.all.size() != 2 || share == nullptr || !is_one_value(*share) || share != sentence.all[0] ||
        !has_any(sentence.lower, {"remaining", "the rest", "the other", "utilis", "utiliz", "efficien"}))
      return;
    const ClaimAmount& stated = *sentence.all[1];
    const bool speed =
        stated.dimension == ClaimDimension::kTokenRate || stated.dimension == ClaimDimension::kSampleRate;
    if (!speed && !has_any(sentence.lower, {"remaining", "the rest", "the other"})) return;
    if (!is_one_value(stated) || !has_any(between(sentence.line->said, *share, stated),
                                          {"i.e.", "that is", "which is", "=", "or", "leave", "gives", "means"}))
      return;
    const std::vector<const ClaimAmount*> told_before = before(place, stated.dimension);
    if (told_before.empty()) return;
    bench_.use(*share);
    bench_.use(stated);
    std::vector<double> right;
    std::vector<double> all = of_kind(stated.dimension);
    std::erase(all, stated.low);
    for (const double whole : all) right.push_back(whole * share->low);
    // What is left where the part is told.
    for (const double whole : all)
      for (const double part : all)
        if (whole > part && part < whole / 2) right.push_back(whole - part);
    if (fits_any(stated, right, 1)) return;
    const auto off = [&](const ClaimAmount* whole) { return std::fabs(whole->low * share->low - stated.low); };
    const ClaimAmount& near = **std::ranges::min_element(told_before, {}, off);
    tell(sentence, stated, near.low * share->low, share->text + " of " + near.text);
  }

  Bench& bench_;
  std::vector<ToldSentence> sentences_;
  std::vector<const ClaimAmount*> known_;
};

}  // namespace

void check_context(Bench& bench) { Context(bench).check(); }

}  // namespace gpuplan::audit
