// Keys of `generate` and `collect` phases.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "input/job/checks/generation.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

struct PromptsRecord {
  using Object = Prompts;
  static constexpr std::string_view title = "prompts";
  static constexpr std::array keys = {
      key<&Prompts::name>("name", "", "name in tables"),
      key<&Prompts::samples>("samples", "required", "prompts per model", between(1, 1e15)),
      key<&Prompts::prompt_tokens>("prompt_tokens", "required", "input tokens per prompt", between(1, 1e9)),
      key<&Prompts::new_tokens>("new_tokens", "needed unless forward_only", "output tokens per prompt",
                                between(0, 1e9)),
  };
};

constexpr bool is_cache_word(const Named<Format>& entry) {
  return stores_cache(entry.value) && name_of(entry.value) == entry.name;
}

/// Formats that caches are kept in, by their first names: "awq" is a way to make weights.
struct CacheFormatCodec {
  static constexpr auto words = [] {
    constexpr auto count = std::count_if(Names<Format>::entries.begin(), Names<Format>::entries.end(), is_cache_word);
    std::array<std::string_view, static_cast<std::size_t>(count)> names{};
    std::size_t at = 0;
    for (const auto& entry : Names<Format>::entries)
      if (is_cache_word(entry)) names[at++] = entry.name;
    return names;
  }();
  static constexpr ValueType type{.kind = ValueType::Kind::kWord, .words = words.data(), .word_count = words.size()};
  static bool read(Reader& reader, const Tree& tree, Format& out, const Bounds&) {
    const auto weights = tree.is_scalar() ? from_name<Format>(tree.text) : std::nullopt;
    if (weights && !stores_cache(*weights))
      return reader.fail(tree, std::string(name_of(*weights)) + " is a weight format; expected " + expected_text(type) +
                                   " for the KV cache");
    const auto position = read_word(reader, tree, type);
    if (position) out = *from_name<Format>(words[*position]);
    return position.has_value();
  }
};

struct SpeculationRecord {
  using Object = Speculation;
  static constexpr std::string_view title = "speculative";
  static constexpr std::array keys = {
      key<&Speculation::tokens>("tokens", "required", "draft tokens per pass of the model", between(1, 64)),
      key_as<ShareCodec, &Speculation::acceptance>(
          "acceptance", "required", "chance that a draft token is accepted when those before it were", {0, 1}),
      key<&Speculation::draft>("draft", "heads or n-grams, at no cost", "the draft model"),
  };
  static bool check(Reader& reader, const Tree& tree, const Speculation& out) {
    if (!out.draft || !out.draft->custom) return true;
    return reader.fail(*tree.find("draft"), "a custom model can only be trained");
  }
};

struct TargetRecord {
  using Object = GenerationTarget;
  static constexpr std::string_view title = "target";
  static constexpr std::array keys = {
      key<&GenerationTarget::tokens_per_second>("tokens_per_second", "none", "minimum output tokens/s over all GPUs",
                                                kPositive),
      key<&GenerationTarget::time_to_first_token>("time_to_first_token", "none", "maximum time to first token (TTFT)",
                                                  kPositive),
      key<&GenerationTarget::time_per_output_token>("time_per_output_token", "none",
                                                    "maximum time per output token (TPOT)", kPositive),
  };
  static bool check(Reader& reader, const Tree& tree, const GenerationTarget& out) {
    if (out.any()) return true;
    return reader.fail(tree, "empty target; expected tokens_per_second, time_to_first_token or time_per_output_token");
  }
};

/// Auto, or one for each GPU, or all models on all GPUs in turn.
using PlaceCodec = AutoCodec<Codec<Placement>>;

constexpr std::array kGenerateKeys = {
    Key{"model", "", "the model", &Codec<ModelUse>::type,
        [](Reader& reader, const Tree& tree, void* object, const Bounds& bounds) {
          return Codec<ModelUse>::read(reader, tree, static_cast<GeneratePhase*>(object)->models.emplace_back(),
                                       bounds);
        }},
    key<&GeneratePhase::models>("models", "", "several models, instead of model"),
    key_as<ListCodec<Record<PromptsRecord>>, &GeneratePhase::data>("data", "required", "the prompts for each model"),
    key<&GeneratePhase::situation>(
        "situation", "saturated",
        "load of each replica: requests one at a time, in fixed batches, as many as fit; or N "
        "concurrent over all replicas"),
    key<&GeneratePhase::concurrency>("concurrency", "", "concurrent requests, for situation concurrency",
                                     between(1, 1e9)),
    key<&GeneratePhase::batch>("batch", "auto", "batch size of one replica", between(1, 1e6)),
    key_as<AutoCodec<Codec<Format>>, &GeneratePhase::weights>("weights", "as the model comes",
                                                              "weight format on the GPU"),
    key<&GeneratePhase::weight_bits>("weight_bits", "as usual for the format",
                                     "bits per weight, scales included: 4.65 for such an EXL2 file", between(1, 32)),
    key_as<AutoCodec<CacheFormatCodec>, &GeneratePhase::kv_cache>("kv_cache", "auto", "KV-cache format"),
    key_as<FrameworkCodec, &GeneratePhase::engine>("engine", "auto", "inference engine"),
    key<&GeneratePhase::parallel>("parallel", "auto", "parallelism"),
    key_as<PlaceCodec, &GeneratePhase::place>("place", "auto", "placement of several models"),
    key_as<OptionalCodec<Record<SpeculationRecord>>, &GeneratePhase::speculation>(
        "speculative", "none", "speculative decoding: draft tokens, verified in one pass"),
    key_as<Record<TargetRecord>, &GeneratePhase::target>("target", "none",
                                                         "minimum speed; plans that miss it are rejected"),
    key<&GeneratePhase::forward_only>("forward_only", "false",
                                      "one forward pass over the input, as for embeddings: no generation"),
};

constexpr std::array<std::string_view, 2> kStoreTargets = {"disk", "memory"};

struct StoreRecord {
  using Object = Store;
  static constexpr std::string_view title = "store";
  static constexpr std::array keys = {
      key<&Store::layers>("layers", "required", "number of layers whose activations are stored", between(1, 10'000)),
      key<&Store::width>("width", "required", "values stored per token and layer", between(1, 1e7)),
      key<&Store::dtype>("dtype", "fp16", "format of the stored values"),
      key_as<WordCodec<kStoreTargets>, &Store::to>("to", "disk", "where they go"),
      key<&Store::tokens>("tokens", "all", "which tokens of a sample are stored"),
      key<&Store::disk_rate>("disk_rate", "1.5 GB/s", "write speed of a machine's disk", kPositive),
      key<&Store::disk_price>("disk_price", "of the offer", "price of disk space, if the offer does not list it"),
  };
};

constexpr std::array kCollectOnlyKeys = {
    key_as<OptionalCodec<Record<StoreRecord>>, &GeneratePhase::store>("store", "required", "activations to store"),
    key<&GeneratePhase::forward_only>("forward_only", "false", "one forward pass over the input, no generation"),
};

constexpr auto kCollectKeys = [] {
  std::array<Key, kGenerateKeys.size() + kCollectOnlyKeys.size()> keys{};
  std::copy(kCollectOnlyKeys.begin(), kCollectOnlyKeys.end(),
            std::copy(kGenerateKeys.begin(), kGenerateKeys.end(), keys.begin()));
  return keys;
}();

bool check_store(Reader& reader, const Tree& tree, const GeneratePhase& phase) {
  constexpr std::array kKept = {Format::kFp32, Format::kFp16, Format::kBf16, Format::kFp8, Format::kInt8};
  const Reader::Scope scope(reader, "store");
  if (std::ranges::find(kKept, phase.store->dtype) == kKept.end())
    return reader.fail(*tree.find("dtype"), std::string(name_of(phase.store->dtype)) +
                                                " is a weight format; expected fp32, fp16, bf16, fp8 or int8");
  for (const ModelUse& model : phase.models) {
    const ModelShape& shape = model.shape;
    if (model.custom || shape.layers <= 0) continue;
    // The embedding counts as a layer, as in transformers' hidden_states.
    if (const int most = shape.layers * shape.repeats + 1; phase.store->layers > most)
      return reader.fail(*tree.find("layers"), model.name + " has " + number_text(most - 1) +
                                                   " layers, and with the embedding " + number_text(most) +
                                                   " states; expected at most these");
    // All that a layer makes: states, queries, keys, values and the MLP's; or scores of the vocabulary.
    const double all = 4.0 * shape.hidden + shape.q_width() + 2.0 * shape.kv_width() +
                       3.0 * std::max(1.0 * shape.ffn, 1.0 * shape.experts_per_token * shape.expert_ffn);
    if (const double most = std::max<double>(all, shape.vocab); phase.store->width > most)
      return reader.fail(*tree.find("width"), "a layer of " + model.name + " makes no more than " + count_text(most) +
                                                  " values a token; its states are " + number_text(shape.hidden) +
                                                  " wide");
  }
  if (phase.store->tokens == KeptTokens::kNew && phase.forward_only)
    return reader.fail(*tree.find("tokens"),
                       "tokens: new cannot be combined with forward_only, which generates nothing; use all or last");
  return true;
}

bool check_generate(Reader& reader, const Tree& tree, GeneratePhase& out) {
  if (!check_models(reader, tree)) return false;
  for (const ModelUse& model : out.models)
    if (model.custom) return reader.fail(tree, "a custom model can only be trained");

  const Tree& data = *tree.find("data");
  for (std::size_t i = 0; i < out.data.size(); ++i) {
    const Tree& at = data.is_list() ? data.children[i] : data;
    const double tokens = out.data[i].new_tokens.mean;
    if (!out.forward_only && tokens < 1)
      return reader.fail(at, "data[" + number_text(static_cast<double>(i)) +
                                 "]: missing 'new_tokens'; expected at least 1 output token per prompt");
    if (out.forward_only && tokens > 0)
      return reader.fail(
          at, "data[" + number_text(static_cast<double>(i)) + "]: new_tokens and forward_only cannot be combined");
  }

  if (out.store && !check_store(reader, *tree.find("store"), out)) return false;

  const Tree* concurrency = tree.find("concurrency");
  if (concurrency != nullptr && tree.find("situation") == nullptr) out.situation = Situation::kConcurrency;
  if (out.situation == Situation::kConcurrency && concurrency == nullptr)
    return reader.fail(
        tree, "missing 'concurrency'; situation: concurrency needs a number of concurrent requests, such as 32");
  if (out.situation != Situation::kConcurrency && concurrency != nullptr)
    return reader.fail_at_key(*concurrency, "concurrency also needs situation: concurrency");
  if (const int replicas = out.parallel.dp.value_or(1); concurrency != nullptr && replicas > *out.concurrency)
    return reader.fail_at_key(*concurrency, number_text(*out.concurrency) + " concurrent requests keep no " +
                                                std::to_string(replicas) +
                                                " replicas (parallel: dp) at work; lower dp, or raise concurrency");
  if (out.situation == Situation::kSingle && out.batch.value && *out.batch.value != 1)
    return reader.fail(*tree.find("batch"),
                       "situation: single sends one request at a time; use batch 1, or situation: static");

  return check_generation(reader, tree, out);
}

struct GenerateRecord {
  using Object = GeneratePhase;
  static constexpr std::string_view title = "generate";
  static constexpr auto& keys = kGenerateKeys;
  static bool check(Reader& reader, const Tree& tree, GeneratePhase& out) { return check_generate(reader, tree, out); }
};

struct CollectRecord {
  using Object = GeneratePhase;
  static constexpr std::string_view title = "collect";
  static constexpr auto& keys = kCollectKeys;
  static bool check(Reader& reader, const Tree& tree, GeneratePhase& out) {
    out.collect = true;
    return check_generate(reader, tree, out);
  }
};

}  // namespace

constinit const ValueType GenerateCodec::type = Record<GenerateRecord>::type;
bool GenerateCodec::read(Reader& reader, const Tree& tree, PhaseWork& out, const Bounds& bounds) {
  return Record<GenerateRecord>::read(reader, tree, out.emplace<GeneratePhase>(), bounds);
}

constinit const ValueType CollectCodec::type = Record<CollectRecord>::type;
bool CollectCodec::read(Reader& reader, const Tree& tree, PhaseWork& out, const Bounds& bounds) {
  return Record<CollectRecord>::read(reader, tree, out.emplace<GeneratePhase>(), bounds);
}

}  // namespace gpuplan
