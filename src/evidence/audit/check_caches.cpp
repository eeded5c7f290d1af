#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/work/model_shape.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

class Caches {
 public:
  explicit Caches(Bench& bench) : bench_(bench) {
    for (const ClaimLine& line : bench.document.lines) {
      const std::string lower = to_lower(line.said.text);
      if (!about_caches(lower)) continue;
      if (has_any(lower, {"fp8", "int8", "8-bit", "8 bit", "8bit", "e4m3", "e5m2"})) widths_.push_back(1);
      if (has_any(lower, {"fp4", "int4", "4-bit", "4 bit", "4bit"})) widths_.push_back(0.5);
      if (has_any(lower, {"fp32", "float32", "32-bit", "32 bit"})) widths_.push_back(4);
    }
  }

  void check() {
    by_name();
    by_size();
  }

 private:
  static bool about_caches(std::string_view lower) {
    return lower.contains("kv cache") || lower.contains("kv-cache") || lower.contains("kv_cache");
  }

  /// The model that a line names, or the nearest heading above it that names one; nullptr: none, or several.
  const ModelShape* model_of(const ClaimLine& line) const {
    if (const NamedModel own = model_in(bench_.catalogue, line.said.text); own.from < own.to) return own.model;
    for (int at = line.section; at >= 0; at = bench_.document.sections[static_cast<std::size_t>(at)].parent) {
      const std::string& title = bench_.document.sections[static_cast<std::size_t>(at)].title.text;
      if (const NamedModel above = model_in(bench_.catalogue, title); above.from < above.to) return above.model;
    }
    return nullptr;
  }

  static bool counts_others(std::string_view lower) {
    return has_any(lower, {"batch", "sequences", "requests", "users", "per layer", "layers", "gpus"});
  }

  /// Where a line says more than one thing, the clause about the cache: up to what it leads to.
  static std::pair<std::size_t, std::size_t> clause_of(std::string_view lower) {
    const std::size_t at = std::min({lower.find("kv cache"), lower.find("kv-cache"), lower.find("kv_cache")});
    std::size_t end = end_of_sentence(lower, at);
    for (const std::string_view stop : {", so ", "; ", ", and ", ", which leaves"})
      end = std::min(end, lower.find(stop, at));
    return {begin_of_sentence(lower, at), end};
  }

  /// "KV cache of Llama-3.1-8B: 128 KiB per token", "16 GiB for 131,072 tokens"; in 16 bit where no line about the
  /// cache says another width.
  void by_name() {
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.said.text);
      if (!about_caches(lower)) continue;
      std::size_t from = 0, to = lower.size();
      const auto is_memory = [](const ClaimAmount& one) { return one.dimension == ClaimDimension::kBytes; };
      if (counts_others(lower) || std::ranges::count_if(line.said.quantities, is_memory) > 1)
        std::tie(from, to) = clause_of(lower);
      if (counts_others(lower.substr(from, to - from))) continue;
      const ModelShape* model = model_of(line);
      if (model == nullptr || model->kind != ModelKind::kDecoder || model->mla() || model->window > 0 ||
          model->heads_guessed)
        continue;
      const ClaimAmount *tokens = nullptr, *memory = nullptr;
      int memories = 0;
      for (const ClaimAmount& one : line.said.quantities) {
        if (one.from < from || one.from >= to) continue;
        if (one.dimension == ClaimDimension::kTokens && tokens == nullptr) tokens = &one;
        if (one.dimension != ClaimDimension::kBytes) continue;
        if (memory == nullptr) memory = &one;
        ++memories;
      }
      if (memory == nullptr || memory->range() || memory->odd) continue;
      const std::string_view behind = std::string_view(lower).substr(memory->to);
      const bool each = has_any(behind.substr(0, 16), {" per token", "/token", " a token", " each token"}) &&
                        (trim(behind).starts_with("per token") || trim(behind).starts_with("/token") ||
                         trim(behind).starts_with("a token") || trim(behind).starts_with("each token"));
      if (!each && (memories != 1 || tokens == nullptr || tokens->range() ||
                    lower.substr(from, to - from).contains("per token")))
        continue;
      const double numbers = 2.0 * model->layers * model->kv_heads * model->head_dim;
      if (numbers <= 0) continue;
      const double count = each ? 1 : tokens->low;
      std::vector<double> widths{2};
      widths.insert(widths.end(), widths_.begin(), widths_.end());
      bench_.use(*memory);
      bool good = false;
      for (const double width : widths)
        // Thousands of both kinds, of memory and of tokens, and a little that is stored beside.
        for (const double kind : {1.0, 1.024, 1.024 * 1.024, 1.024 * 1.024 * 1.024})
          for (const double more : {kind, 1 / kind})
            good = good || fits(*memory, ends_of(numbers * width * count * more)) ||
                   std::fabs(memory->low - numbers * width * count * more) < 0.03 * memory->low;
      if (good) continue;
      const double right = numbers * 2 * count;
      bench_.find(FindingKind::kWrong, line.line_of(*memory), line.label, memory->text,
                  each ? number_text(std::round(right / 1024 * 10) / 10) + " KiB" : told(ClaimDimension::kBytes, right),
                  "2 \xC3\x97 " + std::to_string(model->layers) + " layers \xC3\x97 " +
                      std::to_string(model->kv_heads) + " heads of keys and values \xC3\x97 " +
                      std::to_string(model->head_dim) + " \xC3\x97 2 bytes" +
                      (each ? "" : " \xC3\x97 " + tokens->text) + ", as " + model->name + " is made");
    }
  }

  /// Parameters that the nearest heading or lines above speak of: "7B Model".
  std::optional<double> parameters_near(const ClaimLine& line) const {
    std::optional<double> found;
    for (const ClaimLine& other : bench_.document.lines) {
      if (!bench_.go_on()) return found;
      if (other.line > line.line || other.section != line.section) continue;
      for (const ClaimAmount& one : other.said.quantities)
        if (one.dimension == ClaimDimension::kParameters ||
            (one.dimension == ClaimDimension::kBare && one.text.ends_with('B') && one.low >= 1e8))
          found = one.low;
    }
    return found;
  }

  /// "KV cache (512 tokens, float16): ~2 GB" of a model of 7B: no model of that size keeps as much.
  void by_size() {
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.label);
      if (lower.find("kv cache") == std::string::npos && lower.find("kv-cache") == std::string::npos) continue;
      if (has_any(to_lower(line.said.text), {"batch", "sequences", "requests", "users"})) continue;
      const ClaimAmount *tokens = nullptr, *memory = nullptr;
      for (const ClaimAmount& one : line.said.quantities) {
        if (one.dimension == ClaimDimension::kTokens) tokens = &one;
        if (one.dimension == ClaimDimension::kBytes && one.from >= line.label.size()) memory = &one;
      }
      const auto parameters = parameters_near(line);
      if (tokens == nullptr || memory == nullptr || !parameters || tokens->low <= 0) continue;
      double most = 0;
      const ModelShape* which = nullptr;
      for (const ModelShape& model : bench_.catalogue.models) {
        if (model.kind != ModelKind::kDecoder || model.published < 0.8 * *parameters ||
            model.published > 1.25 * *parameters || model.mla())
          continue;
        const double a_token =
            2.0 * model.layers * model.kv_heads * model.head_dim * (lower.find("32") != std::string::npos ? 4 : 2);
        if (a_token > most) most = a_token, which = &model;
      }
      if (which == nullptr) continue;
      bench_.use(*tokens);
      bench_.use(*memory);
      const double right = most * tokens->high;
      constexpr double kRoom = 2;  // blocks that engines set aside
      if (memory->low > kRoom * right)
        bench_.find(FindingKind::kWrong, line.line_of(*memory), line.label, memory->text,
                    "at most " + told(ClaimDimension::kBytes, right),
                    told(ClaimDimension::kBytes, most).substr(0, 0) + significant_text(most / 1e6, 3) +
                        " MB a token, the most of known models of this size (" + which->name + "), \xC3\x97 " +
                        tokens->text);
    }
  }

  Bench& bench_;
  std::vector<double> widths_;  ///< bytes of a number that lines about caches name, beside 16 bit
};

}  // namespace

void check_caches(Bench& bench) { Caches(bench).check(); }

}  // namespace gpuplan::audit
