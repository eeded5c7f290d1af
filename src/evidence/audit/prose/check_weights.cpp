#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/work/model_shape.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Bytes of a number by the names of its formats.
constexpr std::array<std::pair<std::string_view, double>, 20> kFormats = {{
    {"fp32", 4},   {"float32", 4}, {"32-bit", 4},  {"bf16", 2},    {"fp16", 2},    {"float16", 2}, {"bfloat16", 2},
    {"16-bit", 2}, {"16 bit", 2},  {"fp8", 1},     {"int8", 1},    {"8-bit", 1},   {"8 bit", 1},   {"int4", 0.5},
    {"fp4", 0.5},  {"nf4", 0.5},   {"4-bit", 0.5}, {"4 bit", 0.5}, {"nvfp4", 0.5}, {"mxfp4", 0.5},
}};

/// "70B in bf16 needs 140 GB": never less than its weights.
class Weights {
 public:
  explicit Weights(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.code) continue;
      const std::string lower = to_lower(line.said.text);
      const auto& all = line.said.quantities;
      for (const ClaimAmount& one : all)
        if (counts_parameters(one)) fits_on(line, lower, one);
      experts_fit(line, lower);
      if (is_of_a_part(lower)) continue;
      for (std::size_t i = 0; i + 1 < all.size(); ++i)
        for (std::size_t j = i + 1; j < all.size(); ++j) needs(line, lower, all[i], all[j]);
    }
    for (const ClaimTable& table : bench_.document.tables)
      if (!table.headless) column(table);
  }

 private:
  /// A part of the weights, or what is trained beside them.
  static bool is_of_a_part(std::string_view lower) {
    return has_any(lower,
                   {"per gpu",  "each gpu", "per card", "per device", "shard",   "split",    "offload", "lora",
                    "adapter",  "expert",   "moe",      "active",     "fsdp",    "zero",     "tensor",  "pipeline",
                    "parallel", "prun",     "spars",    "distil",     "not ",    "n't",      "cache",   "layer",
                    "gradient", "optimi",   "saves",    "less",       "instead", "compress", "beyond"});
  }

  static bool counts_parameters(const ClaimAmount& one) {
    constexpr double kLeast = 1e8;
    const bool bare = one.dimension == ClaimDimension::kBare && one.text.ends_with('B');
    return (bare || one.dimension == ClaimDimension::kParameters) && one.low >= kLeast && !one.range() && !one.odd;
  }

  /// Bytes of a number by the one format that a text names; 0: none, or several.
  static double width_in(std::string_view text) {
    double width = 0;
    for (const auto& [name, bytes] : kFormats) {
      if (!text.contains(name)) continue;
      if (width != 0 && width != bytes) return 0;
      width = bytes;
    }
    return width;
  }

  /// "The 3B draft for the 70B needs 6 GB": what is needed is not the last model's.
  static bool is_beside(std::string_view lower, std::size_t at) {
    std::string_view front = lower.substr(0, at);
    while (!front.empty() && front.back() != ' ') front.remove_suffix(1);  // "llama-3.3-"
    front = trim(front);
    for (const std::string_view article : {"the", "a", "an", "this", "our"})
      if (ends_with_word(front, {article})) {
        front = trim(front.substr(0, front.size() - article.size()));
        break;
      }
    return ends_with_word(front, {"for", "beside", "with", "than", "to", "from", "like"});
  }

  /// "needs", "needs about", "needs in bf16", and not "needs two cards with".
  static bool ends_with_verb(std::string_view text) {
    text = trim(text);
    for (bool taken = true; taken;) {
      taken = false;
      for (const std::string_view word : {"about", "around", "roughly", "at least", "some", "just", "only", "~",
                                          "nearly", "almost", "a total of", "in all", "already", "\xE2\x89\x88"})
        if (text.ends_with(word)) text = trim(text.substr(0, text.size() - word.size())), taken = true;
      for (const auto& [name, bytes] : kFormats)
        for (const std::string_view in : {"in ", "at ", "with "})
          if (const std::string words = std::string(in) + std::string(name); text.ends_with(words))
            text = trim(text.substr(0, text.size() - words.size())), taken = true;
    }
    return ends_with_word(text, {"needs", "need", "takes", "take", "requires", "require", "is", "are", "uses", "weighs",
                                 "occupies", "fits in"});
  }

  static bool names_format(std::string_view text) {
    return std::ranges::any_of(kFormats, [&](const auto& format) { return text.contains(format.first); });
  }

  /// "In bf16 a 70B needs 140 GB", "A 70B needs 140 GB in bf16".
  static bool is_in_format(std::string_view lower, const ClaimAmount& parameters, const ClaimAmount& memory) {
    constexpr std::size_t kNear = 24;
    const std::size_t from = begin_of_sentence(lower, parameters.from);
    const std::string_view front = lower.substr(from, parameters.from - from);
    std::string_view behind = lower.substr(memory.to, kNear);
    for (const std::string_view of :
         {" of memory", " of vram", " memory", " for its weights", " for the weights", " for weights"})
      if (behind.starts_with(of)) behind.remove_prefix(of.size());
    const bool before =
        front.size() <= kNear && (front.starts_with("in ") || front.starts_with("with ")) && names_format(front);
    return before || ((behind.starts_with(" in ") || behind.starts_with(" at ")) && names_format(behind));
  }

  /// "Weights" beside a model and the format of its numbers.
  void column(const ClaimTable& table) {
    const auto head = std::ranges::find_if(table.heads, [](const ClaimText& one) {
      const std::string name = to_lower(trim(one.text));
      return name == "weights" || name == "weights (gb)" || name == "model weights";
    });
    if (head == table.heads.end()) return;
    const auto place = static_cast<std::size_t>(head - table.heads.begin());
    for (const ClaimRow& row : table.rows) {
      const ClaimAmount* parameters = nullptr;
      std::string all;
      for (const ClaimText& cell : row.cells) {
        all += to_lower(cell.text) + " | ";
        for (const ClaimAmount& one : cell.quantities)
          if (counts_parameters(one) && parameters == nullptr) parameters = &one;
      }
      const auto& stated = row.cells[place].quantities;
      const double width = width_in(all);
      if (parameters == nullptr || width == 0 || stated.size() != 1 || stated[0].dimension != ClaimDimension::kBytes ||
          stated[0].range() || is_of_a_part(all))
        continue;
      judge(row.line, row.cells.front().text, *parameters, width, stated[0]);
    }
  }

  void judge(int line, const std::string& label, const ClaimAmount& parameters, double width,
             const ClaimAmount& memory) {
    const double weights = parameters.low * width;
    bench_.use(parameters);
    bench_.use(memory);
    // GiB are a little fewer, and 70B are 69.5.
    constexpr double kRoom = 0.9;
    if (memory.high >= kRoom * weights) return;
    bench_.find(FindingKind::kWrong, line, label, memory.text, "at least " + told(ClaimDimension::kBytes, weights),
                "the weights alone: " + parameters.text + " \xC3\x97 " + told(ClaimDimension::kWidth, width));
  }

  /// A card that a sentence has one of.
  struct Card {
    std::size_t from = 0, to = 0;
    double bytes = 0;
    std::string name;
  };

  /// "one A100 40GB", "a single 24 GB card": the only one of the sentence. Several sizes of a name: the largest.
  std::vector<Card> cards_in(const ClaimText& said, const std::string& lower, std::size_t from, std::size_t to) {
    std::vector<Card> found;
    const auto is_one = [&](std::size_t at) {
      return ends_with_word(trim(std::string_view(lower).substr(from, at - from)),
                            {"one", "a", "an", "single", "1x", "the"});
    };
    for (const GpuMention& gpu : said.gpus) {
      if (gpu.from < from || gpu.from >= to) continue;
      Card card{gpu.from, gpu.to, 0, gpu.text};
      const bool one = gpu.count == 1 || (gpu.count == 0 && is_one(gpu.from));
      if (one)
        for (const Gpu* made : names_.named(gpu.key))
          if (gpu.gigabytes == 0 || has_size(*made, gpu.gigabytes))
            card.bytes = std::max(card.bytes, made->usable.value * gpus_of_package(*made));
      found.push_back(std::move(card));
    }
    for (const ClaimAmount& size : said.quantities) {
      const std::string_view behind = std::string_view(lower).substr(size.to);
      if (size.from < from || size.from >= to || size.dimension != ClaimDimension::kBytes || size.range() ||
          !(behind.starts_with(" card") || behind.starts_with(" gpu")))
        continue;
      // GB of cards are GiB.
      constexpr double kGB = 1e9;
      const double bytes = size.unit == kGB ? size.low * (units::GiB.value / kGB) : size.low;
      found.push_back({size.from, size.to, is_one(size.from) ? bytes : 0.0, size.text});
    }
    return found;
  }

  /// "Mixtral-8x7B in bf16 fits on one H100": all experts have to be there, though a token meets few of them.
  void experts_fit(const ClaimLine& line, const std::string& lower) {
    const NamedModel named = model_in(bench_.catalogue, line.said.text);
    if (named.model == nullptr || named.model->experts <= 0) return;
    ClaimAmount all;
    all.dimension = ClaimDimension::kParameters;
    all.low = all.high = count_parameters(*named.model).total();
    all.from = named.from;
    all.to = named.to;
    all.text = line.said.text.substr(named.from, named.to - named.from);
    all.id = -1;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= named.from && one.to <= named.to) all.id = one.id;
    fits_on(line, lower, all);
  }

  /// "A 70B fits on one A100 40GB in bf16", "A single 24 GB card holds a 32B in 8 bit": not where the weights alone are
  /// more than the card has.
  void fits_on(const ClaimLine& line, const std::string& lower, const ClaimAmount& parameters) {
    const std::size_t from = begin_of_sentence(lower, parameters.from), to = end_of_sentence(lower, parameters.to);
    const std::string sentence = lower.substr(from, to - from);
    // Conditions, questions, and what is said of others.
    if (has_word_of(sentence,
                    {"no",    "never", "neither", "nor",    "cannot",   "hardly", "if",     "unless",  "until",
                     "only",  "too",   "would",   "could",  "without",  "once",   "than",   "whether", "or",
                     "draft", "two",   "both",    "stream", "streamed", "almost", "nearly", "half"}))
      return;
    if (is_of_a_part(sentence) ||
        has_any(sentence, {"?", "not ", "n't", "offload", "tokens", "cpu", "barely", "fail", "out of memory"}))
      return;
    const double width = width_in(sentence);
    if (width == 0) return;
    for (const ClaimAmount& one : line.said.quantities)
      if (&one != &parameters && one.from >= from && one.from < to && counts_parameters(one) &&
          (one.from < parameters.from || one.to > parameters.to))
        return;
    const std::vector<Card> cards = cards_in(line.said, lower, from, to);
    if (cards.size() != 1 || cards.front().bytes <= 0) return;
    const Card& card = cards.front();
    const std::size_t first = std::min(card.to, parameters.to), last = std::max(card.from, parameters.from);
    if (last < first) return;
    const std::string_view gap = std::string_view(lower).substr(first, last - first);
    constexpr std::size_t kLongest = 60;
    if (gap.size() > kLongest || gap.contains(';')) return;
    const bool holds = card.from < parameters.from;
    const bool verb =
        holds ? has_word_of(gap, {"fits", "holds", "runs"})
              : has_any(gap, {" fits", " fit ", " runs", " run ", " loads"}) && has_any(gap, {" on", " in"});
    if (!verb) return;
    const double weights = parameters.low * width;
    bench_.use(parameters);
    // "7B" is 6.7 billion, and "13B" no 12.
    constexpr double kRounded = 0.98, kRoundedOfOneDigit = 0.96, kOneDigit = 1e10;
    if ((parameters.low < kOneDigit ? kRoundedOfOneDigit : kRounded) * weights <= card.bytes) return;
    bench_.find(FindingKind::kWrong, line.line_of(parameters), line.label, parameters.text + " on " + card.name,
                "weights of " + told(ClaimDimension::kBytes, weights),
                parameters.text + " \xC3\x97 " + told(ClaimDimension::kWidth, width) + ", and the card has " +
                    told(ClaimDimension::kBytes, card.bytes));
  }

  void needs(const ClaimLine& line, const std::string& lower, const ClaimAmount& parameters,
             const ClaimAmount& memory) {
    if (!counts_parameters(parameters) || memory.dimension != ClaimDimension::kBytes || memory.range() || memory.odd ||
        memory.from < parameters.to || memory.at_least)
      return;
    const std::string_view between = std::string_view(lower).substr(parameters.to, memory.from - parameters.to);
    constexpr std::size_t kLongest = 60;
    if (between.size() > kLongest || has_any(between, {".", ";", "(", " and ", "+", "/", "=", "\xC3\x97", "*"})) return;
    // "Weights of the 70B in bf16: 140 GB"
    const bool of_weights = lower.contains("weights of") && trim(between).ends_with(':');
    if (!of_weights && (is_beside(lower, parameters.from) || !ends_with_verb(between))) return;
    const std::string_view behind = std::string_view(lower).substr(memory.to);
    for (const std::string_view more : {" more", " extra", " additional", " less", " free", " of free"})
      if (behind.starts_with(more)) return;
    const double width = width_in(lower);
    if (width == 0 || !(names_format(between) || is_in_format(lower, parameters, memory))) return;
    judge(line.line_of(memory), line.label, parameters, width, memory);
  }

  Bench& bench_;
  GpuNames names_{bench_.catalogue};
};

}  // namespace

void check_weights(Bench& bench) { Weights(bench).check(); }

}  // namespace gpuplan::audit
