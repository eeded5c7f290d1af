#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
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

/// Weights, gradients and both states of Adam in 16 bits each, which is the least that is trained with; the usual
/// mixed precision takes 16 bytes (Rajbhandari et al. 2020, arXiv:1910.02054).
constexpr double kLeastOfAdam = 8;
/// GiB for GB, and 8B for 8.03B.
constexpr double kRoomOfTraining = 0.9;

/// How many parameters, and the words that say so.
struct ModelSize {
  double parameters = 0;
  std::string words;
  std::size_t from = 0;
};

/// Memory of full training, and of weights that a sentence says of the model of the sentence before it.
class Training {
 public:
  explicit Training(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.code) continue;
      const std::string lower = to_lower(line.said.text);
      for (std::size_t from = 0; from < lower.size();) {
        const std::size_t to = std::min(end_of_sentence(lower, from) + 1, lower.size());
        const std::string sentence = lower.substr(from, to - from);
        const std::optional<ModelSize> size = size_in(line, from, to);
        full(line, sentence, from, size);
        if (!size && before_) its_weights(line, sentence, from, *before_);
        if (size || line.section != section_) before_ = size;
        section_ = line.section;
        from = to;
      }
    }
  }

 private:
  /// The one model of a part of a line; nullopt: none, or several.
  std::optional<ModelSize> size_in(const ClaimLine& line, std::size_t from, std::size_t to) const {
    const std::string part = line.said.text.substr(from, to - from);
    constexpr double kLeast = 1e8;
    std::vector<ModelSize> told;
    for (const ClaimAmount& one : line.said.quantities) {
      const bool bare = one.dimension == ClaimDimension::kBare && one.text.ends_with('B');
      if (one.from >= from && one.from < to && (bare || one.dimension == ClaimDimension::kParameters) &&
          one.low >= kLeast && !one.range() && !one.odd)
        told.push_back({one.low, one.text, one.from});
    }
    const NamedModel named = model_in(bench_.catalogue, part);
    if (named.model != nullptr) {
      for (const ModelSize& one : told)
        if (one.from < from + named.from || one.from >= from + named.to) return std::nullopt;
      return ModelSize{count_parameters(*named.model).total(), part.substr(named.from, named.to - named.from),
                       from + named.from};
    }
    return told.size() == 1 ? std::optional(told.front()) : std::nullopt;
  }

  /// "Full fine-tuning of an 8B with AdamW needs 40 GB", "... fits on a single RTX 4090".
  void full(const ClaimLine& line, const std::string& sentence, std::size_t from,
            const std::optional<ModelSize>& size) {
    const bool full = has_any(sentence, {"full fine-tun", "full finetun", "full-parameter", "full parameter",
                                         "full training", "fully fine-tun", "full ft"});
    if (!full || !size || !sentence.contains("adam")) return;
    // What makes it smaller, and what is said not to be.
    if (has_any(sentence, {"lora",     "8-bit",  "8 bit",  "8bit",           "4-bit",   "int8",    "paged",
                           "offload",  "zero",   "fsdp",   "shard",          "galore",  "lomo",    "adafactor",
                           "lion",     "sgd",    "badam",  "apollo",         "adalomo", "per gpu", "each gpu",
                           "per card", "not ",   "n't",    "cannot",         "?",       "fp8",     "more than",
                           "at least", "beyond", "exceed", "fused backward", "cpu"}) ||
        has_word_of(sentence, {"no", "never", "if", "unless", "neither", "two", "both", "several", "than"}))
      return;
    const double least = size->parameters * kLeastOfAdam;
    const std::string how = size->words + " \xC3\x97 8 bytes: weights, gradients and two states of Adam in 16 bits";
    const std::size_t to = from + sentence.size();
    const std::string lower = to_lower(line.said.text);
    std::vector<const ClaimAmount*> memory;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from && one.from < to && one.dimension == ClaimDimension::kBytes) memory.push_back(&one);
    std::vector<const GpuMention*> gpus;
    for (const GpuMention& one : line.said.gpus)
      if (one.from >= from && one.from < to) gpus.push_back(&one);
    if (gpus.empty() && memory.size() == 1 && !memory[0]->range() && !memory[0]->at_least) {
      std::string_view front = trim(std::string_view(lower).substr(from, memory[0]->from - from));
      for (bool taken = true; taken;) {
        taken = false;
        for (const std::string_view word :
             {"about", "around", "roughly", "only", "just", "~", "some", "therefore", "up to"})
          if (ends_with_word(front, {word})) front = trim(front.substr(0, front.size() - word.size())), taken = true;
      }
      if (!ends_with_word(front,
                          {"needs", "need", "takes", "take", "requires", "require", "uses", "fits in", "fits into"}))
        return;
      if (starts_with_any(std::string_view(lower).substr(memory[0]->to),
                          {" of ram", " ram", " of disk", " disk", " for ", " more", " extra"}) &&
          !std::string_view(lower).substr(memory[0]->to).starts_with(" for " + to_lower(size->words)))
        return;
      bench_.use(*memory[0]);
      if (memory[0]->high >= kRoomOfTraining * least) return;
      bench_.find(FindingKind::kWrong, line.line_of(*memory[0]), line.label, memory[0]->text,
                  "at least " + told(ClaimDimension::kBytes, least), how);
    } else if (gpus.size() == 1 && memory.empty()) {
      const GpuMention& gpu = *gpus[0];
      const std::string_view front = trim(std::string_view(lower).substr(from, gpu.from - from));
      const bool one = gpu.count == 1 || (gpu.count == 0 && ends_with_word(front, {"a", "an", "one", "single"}));
      if (!one || !has_any(front, {"fits on", "fits in", "fit on", "runs on", "run on", "fits onto", "possible on"}))
        return;
      double card = 0;
      for (const Gpu* made : names_.named(gpu.key))
        if (gpu.gigabytes == 0 || has_size(*made, gpu.gigabytes))
          card = std::max(card, made->usable.value * gpus_of_package(*made));
      if (card <= 0 || card >= kRoomOfTraining * least) return;
      bench_.find(FindingKind::kWrong, line.line_of(gpu), line.label, size->words + " on " + gpu.text,
                  "at least " + told(ClaimDimension::kBytes, least), how);
    }
  }

  /// "The teacher is Qwen2.5-72B. In fp16 its weights alone are 145 GB."
  void its_weights(const ClaimLine& line, const std::string& sentence, std::size_t from, const ModelSize& size) {
    if (!has_any(sentence, {"its weights", "the weights"}) ||
        has_any(sentence, {"per gpu", "each gpu", "shard", "lora", "adapter", "draft", "not ", "n't", "expert", "layer",
                           "gradient", "optimi", "offload", "less than", "cache"}))
      return;
    double width = 0;
    int formats = 0;
    for (const auto& [name, bytes] : {std::pair{"fp16", 2.0},
                                      {"bf16", 2.0},
                                      {"16-bit", 2.0},
                                      {"fp32", 4.0},
                                      {"fp8", 1.0},
                                      {"int8", 1.0},
                                      {"8-bit", 1.0},
                                      {"4-bit", 0.5},
                                      {"int4", 0.5},
                                      {"nf4", 0.5}})
      if (sentence.contains(name)) {
        formats += width == bytes ? 0 : 1;
        width = bytes;
      }
    const std::size_t to = from + sentence.size();
    const std::size_t at = sentence.find("weights");
    const ClaimAmount* memory = nullptr;
    for (const ClaimAmount& one : line.said.quantities)
      if (one.from >= from + at && one.from < to && one.dimension == ClaimDimension::kBytes && memory == nullptr)
        memory = &one;
    if (formats != 1 || memory == nullptr || memory->range() || memory->at_least) return;
    const std::string verb = to_lower(line.said.text.substr(from + at, memory->from - from - at));
    constexpr std::size_t kLongest = 40;
    if (verb.size() > kLongest || verb.contains(',') ||
        !has_word_of(verb, {"are", "is", "take", "need", "weigh", "occupy", "use"}))
      return;
    const double weights = size.parameters * width;
    bench_.use(*memory);
    if (memory->high >= kRoomOfTraining * weights) return;
    bench_.find(FindingKind::kWrong, line.line_of(*memory), line.label, memory->text,
                "at least " + told(ClaimDimension::kBytes, weights),
                "the weights alone: " + size.words + " \xC3\x97 " + told(ClaimDimension::kWidth, width));
  }

  Bench& bench_;
  GpuNames names_{bench_.catalogue};
  std::optional<ModelSize> before_;
  int section_ = 0;
};

}  // namespace

void check_training(Bench& bench) { Training(bench).check(); }

}  // namespace gpuplan::audit
