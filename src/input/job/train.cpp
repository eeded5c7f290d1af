// Keys of a `train` phase.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "input/job/codecs.h"

namespace gpuplan {

namespace {

/// Sequences of one optimizer step, however they come together: more is a slip, and no strategy could count it.
constexpr double kMostBatch = 1e9;
/// Sequences of one epoch.
constexpr double kMostSequences = 1e15;

struct DataRecord {
  using Object = TrainData;
  static constexpr std::string_view title = "train data";
  static constexpr std::array keys = {
      key<&TrainData::samples>("samples", "", "samples of one epoch", between(1, kMostSequences)),
      key<&TrainData::tokens_per_sample>("tokens_per_sample", "sequence", "length of a sample", between(1, 1e9)),
      key<&TrainData::packing>("packing", "false", "samples are joined to full sequences"),
      key<&TrainData::tokens>("tokens", "", "tokens of one epoch, in place of samples", at_least(1)),
  };
  static bool check(Reader& reader, const Tree& tree, const TrainData& out) {
    if (out.samples && out.tokens) return reader.fail(tree, "samples and tokens both say how much; keep one of them");
    if (!out.samples && !out.tokens)
      return reader.fail(tree, "how much data? expected samples such as 50k, or tokens such as 10B");
    return true;
  }
};

/// A batch as written; sequences may depend on the hardware.
struct WrittenBatch {
  PerGpu<int> sequences;
  std::optional<Tokens> tokens;
};

struct BatchRecord {
  using Object = WrittenBatch;
  static constexpr std::string_view title = "batch";
  static constexpr std::string_view scalar_key = "sequences";
  static constexpr std::array keys = {
      key<&WrittenBatch::sequences>("sequences", "auto", "sequences of one optimizer step over all GPUs",
                                    between(1, kMostBatch)),
      key<&WrittenBatch::tokens>("tokens", "", "tokens of one optimizer step, in place of sequences", between(1, 1e15)),
  };
  static bool check(Reader& reader, const Tree& tree, const WrittenBatch& out) {
    if (!out.sequences.given() || !out.tokens) return true;
    return reader.fail(tree, "sequences and tokens both say how large the batch is; keep one of them");
  }
};

struct BatchCodec {
  using SequencesCodec = Codec<PerGpu<int>>;
  static constexpr std::array<const ValueType*, 2> options = {&SequencesCodec::type, &Record<BatchRecord>::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, TrainPhase& out) {
    WrittenBatch written;
    const bool record = tree.is_map() && tree.find("by_gpu") == nullptr;
    const bool good = record ? Record<BatchRecord>::read(reader, tree, written, {})
                             : SequencesCodec::read(reader, tree, written.sequences, between(1, kMostBatch));
    if (!good) return false;
    if (!written.sequences.cases.empty()) {
      out.batch_by_gpu = std::move(written.sequences);
    } else if (written.sequences.value) {
      out.batch = BatchSize{.sequences = *written.sequences.value, .tokens = {}};
    } else if (written.tokens) {
      out.batch = BatchSize{.sequences = {}, .tokens = written.tokens};
    }
    return true;
  }
};

struct OptimizerRecord {
  using Object = OptimizerChoice;
  static constexpr std::string_view title = "optimizer";
  static constexpr std::array keys = {
      key<&OptimizerChoice::matrices>("matrices", "adamw", "optimizer of the matrices inside the blocks"),
      key<&OptimizerChoice::rest>("rest", "adamw", "optimizer of embeddings, norms and biases"),
  };
};

struct OptimizerCodec {
  static constexpr std::array<const ValueType*, 2> options = {&Codec<Optimizer>::type, &Record<OptimizerRecord>::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, OptimizerChoice& out, const Bounds& bounds) {
    if (tree.is_map()) return Record<OptimizerRecord>::read(reader, tree, out, bounds);
    if (!Codec<Optimizer>::read(reader, tree, out.matrices, bounds)) return false;
    out.rest = out.matrices;
    return true;
  }
};

struct LoraRecord {
  using Object = Lora;
  static constexpr std::string_view title = "lora";
  static constexpr std::array keys = {
      key<&Lora::rank>("rank", "16", "rank of the adapters", between(1, 65'536)),
      key_as<ListCodec<WordCodec<kLoraTargets>>, &Lora::targets>("targets", "all", "matrices that get adapters"),
  };
};

/// A number of parameters, or the sizes of the matrices that learn (biases are not counted).
struct TrainableCodec {
  static constexpr ValueType kMatrices{.kind = ValueType::Kind::kMatrices};
  static constexpr std::array<const ValueType*, 2> options = {&Codec<double>::type, &kMatrices};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, std::optional<double>& out, const Bounds&) {
    if (tree.is_scalar()) return Codec<std::optional<double>>::read(reader, tree, out, kPositive);
    if (!expect_list(reader, tree, kMatrices)) return false;
    double sum = 0;
    for (std::size_t i = 0; i < tree.children.size(); ++i) {
      const Tree& matrix = tree.children[i];
      const Reader::Scope scope(reader, i);
      if (!matrix.is_list() || matrix.children.size() != 2)
        return reader.fail(matrix, "expected rows and columns such as [768, 256], got " + got_text(matrix));
      double product = 1;
      for (const Tree& side : matrix.children) {
        double length = 0;
        if (!WholeCodec::read(reader, side, length, between(1, 1e9))) return false;
        product *= length;
      }
      sum += product;
    }
    out = sum;
    return true;
  }
};

struct TrainRecord {
  using Object = TrainPhase;
  static constexpr std::string_view title = "train";
  static constexpr std::array keys = {
      Key{"model", "", "the network", &Codec<ModelUse>::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds& bounds) {
            return Codec<ModelUse>::read(reader, tree, static_cast<TrainPhase*>(object)->models.emplace_back(), bounds);
          }},
      key<&TrainPhase::models>("models", "", "several networks, in place of model"),
      key_as<Record<DataRecord>, &TrainPhase::data>("data", "needed with epochs", "what it learns from"),
      key<&TrainPhase::epochs>("epochs", "1 without steps", "passes over the data", {0, 1e6, true}),
      key<&TrainPhase::steps>("steps", "", "optimizer steps, in place of epochs", between(1, 1e12)),
      key<&TrainPhase::steps_at_batch>("steps_at_batch", "",
                                       "the work is steps x this many sequences, whatever batch a GPU takes",
                                       between(1, kMostBatch)),
      key_as<OptionalCodec<TokenCountCodec>, &TrainPhase::sequence>("sequence", "longest sample",
                                                                    "tokens of one sequence", between(1, 1e9)),
      Key{"batch", "auto", "size of one optimizer step over all GPUs; a plain number counts sequences",
          &BatchCodec::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            return BatchCodec::read(reader, tree, *static_cast<TrainPhase*>(object));
          }},
      key<&TrainPhase::micro>("micro", "auto", "sequences a GPU takes in one pass", between(1, kMostBatch)),
      key<&TrainPhase::accumulate>("accumulate", "auto", "passes that are summed before a step",
                                   between(1, kMostBatch)),
      key<&TrainPhase::precision>("precision", "auto", "arithmetic of the matrix products"),
      key_as<OptimizerCodec, &TrainPhase::optimizer>("optimizer", "adamw", "one for all, or by group"),
      key<&TrainPhase::method>("method", "full", "what learns: all weights, adapters, or parts beside a frozen base"),
      key_as<Record<LoraRecord>, &TrainPhase::lora>("lora", "", "adapters of method lora and qlora"),
      key_as<TrainableCodec, &TrainPhase::trainable>("trainable", "",
                                                     "parameters that learn with method frozen, or their matrices"),
      key<&TrainPhase::recompute>("recompute", "auto", "activations computed again in the backward pass"),
      key<&TrainPhase::offload>("offload", "auto", "what is kept in host memory"),
      key<&TrainPhase::parallel>("parallel", "auto", "how the work is cut over GPUs; fsdp, ddp, zero1 ... for short"),
      key_as<AutoCodec<Codec<AttentionKernel>>, &TrainPhase::attention>("attention", "auto", "attention kernel"),
      key<&TrainPhase::compile>("compile", "auto", "torch.compile or the like"),
      key_as<AutoCodec<Codec<StartFrom>>, &TrainPhase::start>(
          "start", "auto",
          "from weights that are fetched, or from scratch; auto: scratch where all of a network learns "
          "and its shape stands here or no samples are counted"),
      key_as<FrameworkCodec, &TrainPhase::framework>("framework", "auto", "training software"),
  };

  static bool check(Reader& reader, const Tree& tree, TrainPhase& out) {
    return check_models(reader, tree) && check_work(reader, tree, out) && check_lengths(reader, tree, out) &&
           check_batch(reader, tree, out) && check_method(reader, tree, out) && check_framework(reader, tree, out);
  }

 private:
  static bool batches_differ(const TrainPhase& out) {
    const auto& cases = out.batch_by_gpu.cases;
    const int first = cases.empty() ? 0 : cases.front().value;
    return std::ranges::any_of(cases, [&](const auto& one) { return one.value != first; }) ||
           (!cases.empty() && out.batch_by_gpu.value && *out.batch_by_gpu.value != first);
  }

  /// "10,000 steps are 2.56M samples on RTX 4090 (batch 256) and 20.5M on H100 SXM (2048): ..."
  static std::string unequal_work(const TrainPhase& out) {
    std::vector<std::string> works;
    double least = 0;
    const auto add = [&](const std::string& where, double batch) {
      if (least == 0 || batch < least) least = batch;
      works.push_back(count_short(*out.steps * batch) + (works.empty() ? " samples" : "") + where + " (" +
                      (works.empty() ? "batch " : "") + count_text(batch) + ")");
    };
    for (const auto& one : out.batch_by_gpu.cases) {
      if (works.size() == 4) break;
      add(" on " + (one.count > 0 ? std::to_string(one.count) + "x " : std::string()) + one.gpu, one.value);
    }
    if (out.batch_by_gpu.value && works.size() < 5) add(" elsewhere", *out.batch_by_gpu.value);
    return count_text(*out.steps) + " steps are " + listed(works) +
           ": that is not the same work; add steps_at_batch: " + number_text(least) + " (the work is steps x " +
           number_text(least) + " = " + count_short(*out.steps * least) +
           " samples for all), or give epochs in place of steps";
  }

  /// How much work there is must be said once, and in a way that all candidates share.
  static bool check_work(Reader& reader, const Tree& tree, TrainPhase& out) {
    const bool data = tree.find("data") != nullptr;
    if (out.epochs && out.steps)
      return reader.fail(tree, "epochs and steps both say how long to train; keep one of them");
    if (!data && !out.steps)
      return reader.fail(tree, "data is missing; expected data such as {samples: 50k}, or steps and a batch");
    if (!out.epochs && !out.steps) out.epochs = 1;
    if (out.steps_at_batch && !out.steps)
      return reader.fail_at_key(*tree.find("steps_at_batch"), "steps_at_batch needs steps; give steps beside it");
    if (out.batch_by_gpu.value && !out.batch_by_gpu.cases.empty() && !batches_differ(out)) {
      out.batch = BatchSize{.sequences = *out.batch_by_gpu.value, .tokens = {}};  // one batch, said several times
      out.batch_by_gpu = {};
    }
    if (out.steps && batches_differ(out) && !out.steps_at_batch)
      return reader.fail_at_key(*tree.find("steps"), unequal_work(out));
    if (out.steps && !out.batch && !out.steps_at_batch)
      return reader.fail_at_key(*tree.find("steps"),
                                "steps with a batch that differs between GPUs is not the same work for all; add "
                                "steps_at_batch: N (the work is steps x N sequences), give epochs, or fix the batch");
    return true;
  }

  static bool check_lengths(Reader& reader, const Tree& tree, TrainPhase& out) {
    bool transformer = false;
    for (const ModelUse& model : out.models) transformer = transformer || !model.custom;
    if (transformer && !out.sequence && !out.data.tokens_per_sample)
      return reader.fail(tree, "sequence is missing; expected the length of a sequence in tokens, such as 2048");
    if (!out.batch || !out.batch->tokens || !out.sequence || out.batch->tokens->value >= *out.sequence) return true;
    const Reader::Scope scope(reader, "batch");
    return reader.fail(*tree.find("batch"), "a batch of " + number_text(out.batch->tokens->value) +
                                                " tokens is shorter than one sequence of " +
                                                number_text(*out.sequence));
  }

  /// Sequences that one step takes by what is written, and where that stands.
  struct Step {
    double sequences = 0;
    std::string_view key;
  };

  static std::vector<Step> steps_of(const TrainPhase& out, double sequence) {
    std::vector<Step> steps;
    if (out.batch && out.batch->sequences) steps.push_back({static_cast<double>(*out.batch->sequences), "batch"});
    if (out.batch && out.batch->tokens) steps.push_back({std::floor(out.batch->tokens->value / sequence), "batch"});
    for (const auto& one : out.batch_by_gpu.cases) steps.push_back({static_cast<double>(one.value), "batch"});
    if (out.batch_by_gpu.value) steps.push_back({static_cast<double>(*out.batch_by_gpu.value), "batch"});
    const auto most = [](const PerGpu<int>& count) {
      double value = count.value.value_or(1);
      for (const auto& one : count.cases) value = std::max<double>(value, one.value);
      return value;
    };
    if (out.micro.given() || out.accumulate.given())
      steps.push_back({most(out.micro) * most(out.accumulate), out.accumulate.given() ? "accumulate" : "micro"});
    return steps;
  }

  /// A step is of sequences that there are, and of no more of them than can be counted. (Work that is said in steps
  /// has as many as they take.)
  static bool check_batch(Reader& reader, const Tree& tree, const TrainPhase& out) {
    const auto& length = out.data.tokens_per_sample;
    double sequence = out.sequence ? *out.sequence : length ? std::max(length->max, length->mean) : 1;
    if (out.sequence && length && length->max > 0 && !out.data.packing) sequence = std::min(sequence, length->max);
    const bool packed = out.data.packing && length && length->mean > 0;
    const double mean = length && length->mean > 0 && !packed ? std::min(length->mean, sequence) : sequence;
    const double epochs = out.epochs.value_or(1);
    const double all = out.steps          ? 0
                       : out.data.samples ? *out.data.samples * epochs * (packed ? length->mean / sequence : 1)
                       : out.data.tokens  ? out.data.tokens->value * epochs / mean
                                          : 0;
    for (const Step& step : steps_of(out, sequence)) {
      const bool uncountable = step.sequences > kMostBatch;
      if (!uncountable && (all <= 0 || step.sequences <= std::max(1.0, std::ceil(all)))) continue;
      const Reader::Scope scope(reader, step.key);
      const std::string many = "a step of " + count_text(step.sequences) + " sequences is more than ";
      if (uncountable)
        return reader.fail(*tree.find(step.key), many + "gpuplan counts, " + count_text(kMostBatch) +
                                                     "; take a smaller batch, or write `tokens` behind a number of "
                                                     "tokens");
      return reader.fail(*tree.find(step.key), many + "all the data, " + count_text(std::ceil(all)) +
                                                   "; take a smaller batch, more epochs or more data");
    }
    return true;
  }

  static bool check_method(Reader& reader, const Tree& tree, TrainPhase& out) {
    bool all_frozen = true;
    bool custom = false;
    for (const ModelUse& model : out.models) {
      all_frozen = all_frozen && model.frozen;
      custom = custom || model.custom.has_value();
    }
    const bool adapters = out.method == Method::kLora || out.method == Method::kQlora;
    if (const Tree* lora = tree.find("lora"); lora != nullptr && !adapters)
      return reader.fail_at_key(*lora, "lora needs method: lora or method: qlora beside it");
    if (adapters && custom)
      return reader.fail(tree, "a custom model has no known matrices for adapters; expected method: full or frozen");
    if (out.method == Method::kFrozen && !out.trainable)
      return reader.fail(tree, "trainable is missing; method: frozen needs the parameters that learn, such as 2.3M");
    if (const Tree* trainable = tree.find("trainable"); trainable != nullptr && out.method != Method::kFrozen)
      return reader.fail_at_key(*trainable, "trainable needs method: frozen beside it");
    if (out.method == Method::kFull && all_frozen && !out.models.empty())
      return reader.fail(tree, "every model is frozen, so nothing learns; add method: frozen and trainable");
    return true;
  }

  static bool check_framework(Reader& reader, const Tree& tree, TrainPhase& out) {
    const Framework* framework = out.framework.empty() ? nullptr : reader.catalogue.find_framework(out.framework);
    if (framework == nullptr || framework->trains) return true;
    const Reader::Scope scope(reader, "framework");
    return reader.fail(*tree.find("framework"), framework->name + " does not train; expected a training framework");
  }
};

}  // namespace

constinit const ValueType TrainCodec::type = Record<TrainRecord>::type;
bool TrainCodec::read(Reader& reader, const Tree& tree, PhaseWork& out, const Bounds& bounds) {
  return Record<TrainRecord>::read(reader, tree, out.emplace<TrainPhase>(), bounds);
}

}  // namespace gpuplan
