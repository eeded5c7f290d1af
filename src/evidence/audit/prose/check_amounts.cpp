#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

bool is_plain(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

/// How much so many of something come to, told in sentences.
class Amounts {
 public:
  explicit Amounts(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (!reads_as_prose(line) || all.size() < 2) continue;
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        gpu_hours(line, i);
        by_the_year(line, all[i], all[i + 1]);
        of_all(line, all[i], all[i + 1]);
        of_one(line, i);
        if (i + 2 >= all.size()) continue;
        each_of(line, all[i], all[i + 1], all[i + 2]);
        energy(line, all[i], all[i + 1], all[i + 2]);
        of_tokens(line, all[i], all[i + 1], all[i + 2]);
        steps(line, all[i], all[i + 1], all[i + 2]);
        if (i + 3 < all.size() && all[i + 2].dimension == ClaimDimension::kEpochs)
          steps(line, all[i], all[i + 1], all[i + 3]);
      }
    }
  }

 private:
  void use(std::initializer_list<const ClaimAmount*> amounts) {
    for (const ClaimAmount* one : amounts) bench_.use(*one);
  }
  void tell(const ClaimLine& line, const ClaimAmount& stated, const ClaimEnds& right, const std::string& how) {
    bench_.right.emplace(stated.id, (right.low_middle() + right.high_middle()) / 2);
    bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text, told(stated, right), how);
  }

  /// "are", "is", "=", ":" and such words alone lead to the amount, and its clause ends behind it.
  static bool equals(const ClaimLine& line, std::size_t from, const ClaimAmount& stated) {
    if (stated.from < from) return false;
    const std::string_view text = line.said.text, gap = text.substr(from, stated.from - from);
    bool verb = false;
    return leads(gap, verb) && verb && ends_clause(text.substr(stated.to));
  }

  /// "20 checkpoints of 182 GB, 3.64 TB.": a comma alone, and the sentence ends.
  static bool is_apposition(const ClaimLine& line, std::size_t from, const ClaimAmount& stated) {
    if (stated.from < from) return false;
    const std::string_view text = line.said.text, behind = trim(text.substr(stated.to));
    return trim(text.substr(from, stated.from - from)) == "," &&
           (behind.empty() || behind == "." || behind.starts_with(". "));
  }

  /// "8 GPUs for 12 hours are 96 GPU-hours", "8x H100 for 12 h: 96 GPU-hours", "12 h on 8 GPUs are 96 GPU-hours".
  void gpu_hours(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount& time = all[place];
    if (time.dimension != ClaimDimension::kTime || !is_plain(time)) return;
    const std::string lower = to_lower(line.said.text);
    const auto words = [&](std::size_t from, std::size_t to) {
      return from <= to ? trim(std::string_view(lower).substr(from, to - from)) : std::string_view("?");
    };
    // What stands last of the two leads to the GPU-hours.
    double count = 0;
    std::size_t end = time.to;
    const auto take = [&](double gpus, std::size_t from, std::size_t to) {
      if (is_one_of(words(to, time.from),
                    {"for", "over", "during", "running for", "run for", "used for", "busy for", "in use for"}))
        count = gpus;
      else if (is_one_of(words(time.to, from), {"on", "across", "with", "of"})) count = gpus, end = to;
    };
    for (const ClaimAmount& one : all)
      if (one.dimension == ClaimDimension::kGpus && is_plain(one)) take(one.low, one.from, one.to);
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.count > 0) take(gpu.count, gpu.from, gpu.to);
    const auto stated = std::ranges::find_if(all, [&](const ClaimAmount& one) { return one.from >= end; });
    if (count <= 0 || stated == all.end() || stated->dimension != ClaimDimension::kGpuTime || stated->odd ||
        stated->range() || !(equals(line, end, *stated) || is_apposition(line, end, *stated)))
      return;
    const auto times = multipliers(line.said, begin_of_sentence(lower, time.from), end_of_sentence(lower, stated->to),
                                   {&time, &*stated});
    if (!times) return;
    use({&time, &*stated});
    for (const double factor : *times)
      if (fits(*stated, ends_of(time) * factor)) return;
    // "each of two runs": what is counted beside the GPUs is not known.
    if (times->size() > 2) return;
    tell(line, *stated, ends_of(time, true) * count, number_text(count) + " GPUs \xC3\x97 " + time.text);
  }

  /// "12 checkpoints of 56 GB are 672 GB", "20,000 answers of 400 tokens = 8M tokens".
  void each_of(const ClaimLine& line, const ClaimAmount& number, const ClaimAmount& one, const ClaimAmount& stated) {
    const bool counts = number.dimension == ClaimDimension::kBare || number.dimension == ClaimDimension::kGpus ||
                        number.dimension == ClaimDimension::kSamples || number.dimension == ClaimDimension::kSteps;
    const bool adds = one.dimension == ClaimDimension::kBytes || one.dimension == ClaimDimension::kTokens ||
                      one.dimension == ClaimDimension::kTime || one.dimension == ClaimDimension::kMoney ||
                      one.dimension == ClaimDimension::kGpuTime;
    if (!counts || !adds || one.dimension != stated.dimension || one.currency != stated.currency || !is_plain(number) ||
        !is_plain(one) || !is_plain(stated) || number.approximate || one.approximate || one.at_most || one.at_least)
      return;
    const std::string joined = between(line.said, number, one);
    const std::string_view thing =
        trim(std::string_view(joined).substr(0, joined.size() - std::min<std::size_t>(joined.size(), 3)));
    const bool of = joined.ends_with(" of") || (joined == "of" && number.dimension != ClaimDimension::kBare);
    // One word: "checkpoints", "answers". "3 of 8" and "10% more of" are none.
    if (!of || thing.contains(' ') || is_one_of(thing, {"percent", "out", "instead", "times", "more", "less"})) return;
    const std::string verb = between(line.said, one, stated);
    const bool each = one.dimension == ClaimDimension::kTime &&
                      is_one_of(verb, {"each take", "each takes", "each need", "each, take", "take", "each are"}) &&
                      ends_clause(std::string_view(line.said.text).substr(stated.to));
    if (!each && !equals(line, one.to, stated) &&
        !(one.dimension == ClaimDimension::kBytes && is_apposition(line, one.to, stated)))
      return;
    // What runs beside each other takes no longer.
    if (each && is_side_by_side(number, one, stated)) return;
    if (one.dimension == ClaimDimension::kTime && !each && !is_one_of(verb, {"are", "is", "=", "make", "makes"}))
      return;
    const auto times = multipliers(line.said, begin_of_sentence(line.said.text, number.from),
                                   end_of_sentence(line.said.text, stated.to), {&number, &one, &stated});
    if (!times) return;
    use({&number, &one, &stated});
    const ClaimEnds right = ends_of(one, true) * number.low;
    for (const double factor : *times)
      for (const double kind : {1.0, 1.024, 1 / 1.024})
        if (fits(stated, right * factor * (one.dimension == ClaimDimension::kBytes ? kind : 1.0))) return;
    if (times->size() > 1) return;
    tell(line, stated, right, number.text + " \xC3\x97 " + one.text);
  }

  /// So many at a time, in rounds.
  static bool is_side_by_side(const ClaimAmount& number, const ClaimAmount& one, const ClaimAmount& stated) {
    constexpr double kMost = 1000;
    const int most = static_cast<int>(std::min(number.low, kMost));
    for (int at_once = 2; at_once <= most; ++at_once)
      if (fits(stated, ends_of(one) * std::ceil(number.low / at_once))) return true;
    return false;
  }

  /// "8 H100 at 700 W for 100 hours use 560 kWh"
  void energy(const ClaimLine& line, const ClaimAmount& power, const ClaimAmount& time, const ClaimAmount& stated) {
    if (power.dimension != ClaimDimension::kPower || time.dimension != ClaimDimension::kTime ||
        stated.dimension != ClaimDimension::kEnergy || !is_plain(power) || !is_plain(time) || !is_plain(stated) ||
        !is_one_of(between(line.said, power, time), {"for", "over", "during", "each for", "each, for", "each over"}))
      return;
    const std::string_view text = line.said.text;
    const bool uses = is_one_of(between(line.said, time, stated),
                                {"use", "uses", "consume", "consumes", "draw", "draws", "need", "needs", "burn",
                                 "burns", "take", "takes", "use about", "uses about"});
    if (!(uses && ends_clause(text.substr(stated.to))) && !equals(line, time.to, stated)) return;
    const std::size_t from = begin_of_sentence(text, power.from), to = end_of_sentence(text, stated.to);
    const auto times = multipliers(line.said, from, to, {&power, &time, &stated});
    if (!times) return;
    use({&power, &time, &stated});
    const ClaimEnds right = ends_of(power, true) * ends_of(time, true);
    for (const double factor : *times)
      if (fits(stated, right * factor)) return;
    // One count, that of the GPUs; more, such as a share of the cooling, nobody knows how to count.
    const double gpus = times->size() == 1 ? 1 : gpus_counted(line.said, power.from, stated.to);
    if (times->size() > 2 || times->back() != gpus) return;
    tell(line, stated, right * gpus,
         (gpus > 1 ? number_text(gpus) + " \xC3\x97 " : "") + power.text + " \xC3\x97 " + time.text);
  }

  /// "128 KiB per token, so 8,192 tokens take 1 GiB"
  void of_tokens(const ClaimLine& line, const ClaimAmount& each, const ClaimAmount& tokens, const ClaimAmount& stated) {
    if (each.dimension != ClaimDimension::kBytes || tokens.dimension != ClaimDimension::kTokens ||
        stated.dimension != ClaimDimension::kBytes || !is_plain(each) || !is_plain(tokens) || !is_plain(stated))
      return;
    const std::string joined = between(line.said, each, tokens);
    std::string_view words = joined;
    bool a_token = false;
    for (const std::string_view unit : {"per token", "/token", "/ token", "a token", "for each token", "each token"})
      if (!a_token && words.starts_with(unit)) words.remove_prefix(unit.size()), a_token = true;
    if (!a_token || !is_one_of(words, {"", ",", ";", ":", ", so", "; so", "so", ", and", "and", ", thus", ", hence"}))
      return;
    const std::string verb = between(line.said, tokens, stated);
    if (!is_one_of(verb, {"take", "takes", "need", "needs", "are", "is", "=", ":", "use", "uses", "occupy", "make",
                          "come to", "of context take", "of context need", "take about", "need about"}) ||
        !ends_clause(std::string_view(line.said.text).substr(stated.to)))
      return;
    const auto times = multipliers(line.said, begin_of_sentence(line.said.text, each.from),
                                   end_of_sentence(line.said.text, stated.to), {&each, &tokens, &stated});
    if (!times || times->size() > 1) return;
    use({&each, &tokens, &stated});
    // Thousands of either kind, of memory and of tokens.
    constexpr double kThousand = 1.024;
    const ClaimEnds right = ends_of(each) * tokens.low;
    for (const double kind : {1.0, kThousand, kThousand * kThousand, kThousand * kThousand * kThousand})
      if (fits(stated, right * kind) || fits(stated, right * (1 / kind))) return;
    tell(line, stated, right, each.text + " \xC3\x97 " + tokens.text);
  }

  /// "batch 64 for 2 epochs": where what stands behind the batch ends.
  static std::size_t behind_epochs(const ClaimLine& line, const ClaimAmount& batch) {
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kEpochs && one.from > batch.to &&
          is_one_of(between(line.said, batch, one), {"for", "over", ",", "and", "in"}))
        return one.to;
    return batch.to;
  }

  /// "20,000 samples at batch 64 are 313 steps": up or down to a whole one.
  void steps(const ClaimLine& line, const ClaimAmount& samples, const ClaimAmount& batch, const ClaimAmount& stated) {
    if (samples.dimension != ClaimDimension::kSamples || batch.dimension != ClaimDimension::kBare ||
        stated.dimension != ClaimDimension::kSteps || !is_plain(samples) || !is_plain(batch) || !is_plain(stated) ||
        stated.approximate || !batch.whole)
      return;
    const std::string joined = between(line.said, samples, batch);
    if (!is_one_of(joined,
                   {"at batch", "at a batch of", "in batches of", "with batch", "with a batch of", "at batch size",
                    "with batch size", "/ batch", "at a batch size of", "with a batch size of"}) ||
        !equals(line, behind_epochs(line, batch), stated))
      return;
    const auto times = multipliers(line.said, begin_of_sentence(line.said.text, samples.from),
                                   end_of_sentence(line.said.text, stated.to), {&samples, &batch, &stated});
    if (!times) return;
    use({&samples, &batch, &stated});
    for (const double factor : *times) {
      // Every epoch may leave out, or fill up, its last step.
      const double right = samples.low * factor / batch.low, room = std::max(factor, 1.0);
      if (std::fabs(right - stated.low) <= room + stated.low_step / 2) return;
    }
    // Of what else is counted only epochs are known to repeat them.
    double epochs = 1;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.dimension == ClaimDimension::kEpochs && is_plain(one)) epochs = one.low;
    if (times->size() > 2 || times->back() != epochs) return;
    tell(line, stated, ends_of(std::ceil(samples.low * epochs / batch.low)),
         (epochs > 1 ? number_text(epochs) + " \xC3\x97 " : "") + samples.text + " / " + batch.text);
  }

  /// "8x H100 at $23.92/h are $2.99 per GPU-hour", "$23.92/h for 8 GPUs is $2.99 per GPU-hour".
  void of_one(const ClaimLine& line, std::size_t place) {
    const auto& all = line.said.quantities;
    const ClaimAmount& price = all[place];
    const auto each = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(place) + 1, all.end(),
                                   [](const ClaimAmount& one) { return one.dimension != ClaimDimension::kGpus; });
    if (each == all.end() || price.dimension != ClaimDimension::kPrice || price.per_gpu || price.per_node ||
        price.odd || each->dimension != ClaimDimension::kPrice || !each->per_gpu || each->odd || !is_plain(price) ||
        !is_plain(*each) || price.currency != each->currency)
      return;
    const std::string_view text = line.said.text;
    std::string words = without_gpus(line.said, price, *each);
    if (const std::size_t digit = words.find_first_of("0123456789"); digit != std::string::npos) {
      const std::size_t gpus = words.find("gpus", digit);
      if (gpus == std::string::npos) return;
      words = words.substr(0, digit) + words.substr(gpus + std::string_view("gpus").size());
    }
    bool verb = false;
    if (!leads(words, verb) || !ends_clause(text.substr(each->to)) ||
        !has_word_of(words, {"is", "are", "makes", "that", "="}))
      return;
    const double gpus = gpus_counted(line.said, price.from, each->to);
    if (gpus < 2 ||
        multipliers(line.said, begin_of_sentence(text, price.from), end_of_sentence(text, each->to), {&price, &*each})
                .value_or(std::vector<double>(3))
                .size() > 2)
      return;
    use({&price, &*each});
    const ClaimEnds right = ends_of(price) * (1 / gpus);
    if (fits(*each, right)) return;
    bench_.find(FindingKind::kWrong, line.line_of(*each), line.label, each->text, told(*each, right),
                price.text + " / " + number_text(gpus));
  }

  /// "16x H100 at $2.50 per GPU-hour cost $40 an hour".
  void of_all(const ClaimLine& line, const ClaimAmount& each, const ClaimAmount& all) {
    if (each.dimension != ClaimDimension::kPrice || !each.per_gpu || all.dimension != ClaimDimension::kPrice ||
        all.per_gpu || all.per_node || all.unit != each.unit || !is_plain(each) || !is_plain(all) ||
        each.currency != all.currency ||
        !is_one_of(between(line.said, each, all),
                   {"cost", "costs", "are", "is", "=", "make", "makes", "come to", ", so", ", which is"}) ||
        !ends_clause(std::string_view(line.said.text).substr(all.to)))
      return;
    const double gpus = gpus_counted(line.said, each.from, all.to);
    const auto times = multipliers(line.said, begin_of_sentence(line.said.text, each.from),
                                   end_of_sentence(line.said.text, all.to), {&each, &all});
    if (gpus < 2 || !times || times->size() > 2) return;
    use({&each, &all});
    const ClaimEnds right = ends_of(each) * gpus;
    if (!fits(all, right)) tell(line, all, right, number_text(gpus) + " \xC3\x97 " + each.text);
  }

  /// "$100 a month is $1,200 a year".
  void by_the_year(const ClaimLine& line, const ClaimAmount& month, const ClaimAmount& year) {
    if (month.dimension != ClaimDimension::kPrice || year.dimension != ClaimDimension::kPrice || !is_plain(month) ||
        !is_plain(year) || month.currency != year.currency || month.per_gpu != year.per_gpu)
      return;
    constexpr double kMonth = 1.0 / 730, kYear = 1.0 / 8760, kMonths = 12;
    const auto is = [](double unit, double of) { return std::fabs(unit * kHour - of * kHour) < 1e-9; };
    const std::string joined = between(line.said, month, year);
    // Whoever pays for a year at once pays less than twelve months, and nobody more.
    const bool may_be_offer = is_one_of(joined, {",", "or", "and", ", or", "und", "oder", "et"});
    if (!is(month.unit, kMonth) || !is(year.unit, kYear) ||
        !(may_be_offer || is_one_of(joined, {"is", "are", "=", "that is", ", that is", ", i.e.", "makes", "->", "soit",
                                             ", soit", ", also", "sind"})) ||
        (may_be_offer && year.low / year.unit < kMonths * month.low / month.unit) ||
        !ends_clause(std::string_view(line.said.text).substr(year.to)))
      return;
    use({&month, &year});
    const ClaimEnds right = ends_of(month) * (kMonths / month.unit);
    if (fits(year, right * year.unit)) return;
    ClaimAmount money = year;
    money.dimension = ClaimDimension::kMoney;
    tell(line, money, right, number_text(kMonths) + " \xC3\x97 " + month.text);
  }

  Bench& bench_;
};

}  // namespace

void check_amounts(Bench& bench) { Amounts(bench).check(); }

}  // namespace gpuplan::audit
