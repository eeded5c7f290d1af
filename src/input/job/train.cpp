// Keys of a `train` phase.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "base/whole.h"
#include "domain/work/image_tokens.h"
#include "input/job/checks/context.h"
#include "input/job/checks/cuts.h"
#include "input/job/checks/fail_at.h"
#include "input/job/checks/framework.h"
#include "input/job/checks/rollouts.h"
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
      key<&TrainData::samples>("samples", "", "samples per epoch", between(1, kMostSequences)),
      key<&TrainData::tokens_per_sample>("tokens_per_sample", "sequence", "tokens per sample", between(1, 1e9)),
      key<&TrainData::packing>("packing", "false", "pack samples into full sequences"),
      key<&TrainData::tokens>("tokens", "", "tokens per epoch, instead of samples", at_least(1)),
  };
  static bool check(Reader& reader, const Tree& tree, const TrainData& out) {
    if (out.samples && out.tokens) return reader.fail(tree, "use samples or tokens, not both");
    if (!out.samples && !out.tokens)
      return reader.fail(tree, "missing data size; expected samples such as 50k, or tokens such as 10B");
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
      key<&WrittenBatch::sequences>("sequences", "auto", "sequences per optimizer step over all GPUs",
                                    between(1, kMostBatch)),
      key<&WrittenBatch::tokens>("tokens", "", "tokens per optimizer step, instead of sequences", between(1, 1e15)),
  };
  static bool check(Reader& reader, const Tree& tree, const WrittenBatch& out) {
    if (!out.sequences.given() || !out.tokens) return true;
    return reader.fail(tree, "use sequences or tokens, not both");
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
    // "0.5M tokens", as --batch takes it.
    const bool tokens = tree.is_scalar() && to_lower(trim(tree.text)).ends_with("tokens");
    const bool good = record   ? Record<BatchRecord>::read(reader, tree, written, {})
                      : tokens ? Codec<std::optional<Tokens>>::read(reader, tree, written.tokens, between(1, 1e15))
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
      key<&OptimizerChoice::matrices>("matrices", "adamw", "optimizer of the matrices in the layers"),
      key<&OptimizerChoice::rest>("rest", "adamw", "optimizer of embeddings, norms and biases"),
  };
};

struct OptimizerCodec {
  static constexpr std::array<const ValueType*, 2> options = {&Codec<Optimizer>::type, &Record<OptimizerRecord>::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, OptimizerChoice& out, const Bounds& bounds) {
    out.stated = true;
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
      key<&Lora::rank>("rank", "16", "LoRA rank", between(1, 65'536)),
      key_as<ListCodec<WordCodec<kLoraTargets>>, &Lora::targets>("targets", "all", "matrices with adapters"),
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

/// Formats of the weights that an optimizer updates.
struct MasterFormatCodec {
  static constexpr std::array kFormats = {Format::kFp32, Format::kBf16};
  static constexpr std::array<std::string_view, 2> words = {name_of(kFormats[0]), name_of(kFormats[1])};
  static constexpr ValueType type{.kind = ValueType::Kind::kWord, .words = words.data(), .word_count = words.size()};
  static bool read(Reader& reader, const Tree& tree, Format& out, const Bounds&) {
    const auto position = read_word(reader, tree, type);
    if (position) out = kFormats[*position];
    return position.has_value();
  }
};

struct TrainRecord {
  using Object = TrainPhase;
  static constexpr std::string_view title = "train";
  static constexpr std::array keys = {
      Key{"model", "", "the model", &Codec<ModelUse>::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds& bounds) {
            return Codec<ModelUse>::read(reader, tree, static_cast<TrainPhase*>(object)->models.emplace_back(), bounds);
          }},
      key<&TrainPhase::models>("models", "", "several models, instead of model"),
      key_as<Record<DataRecord>, &TrainPhase::data>("data", "needed with epochs", "training data"),
      key<&TrainPhase::epochs>("epochs", "1 without steps", "epochs", {0, 1e6, true}),
      key<&TrainPhase::steps>("steps", "", "optimizer steps, instead of epochs", between(1, 1e12)),
      key<&TrainPhase::steps_at_batch>("steps_at_batch", "",
                                       "total work = steps x this many sequences, whatever the batch on a GPU",
                                       between(1, kMostBatch)),
      key_as<OptionalCodec<TokenCountCodec>, &TrainPhase::sequence>("sequence", "longest sample",
                                                                    "sequence length in tokens", between(1, 1e9)),
      Key{"batch", "auto", "global batch size over all GPUs; a plain number counts sequences, `0.5M tokens` tokens",
          &BatchCodec::type,
          [](Reader& reader, const Tree& tree, void* object, const Bounds&) {
            return BatchCodec::read(reader, tree, *static_cast<TrainPhase*>(object));
          }},
      key<&TrainPhase::micro>("micro", "auto", "micro-batch per GPU", between(1, kMostBatch)),
      key<&TrainPhase::accumulate>("accumulate", "auto", "gradient accumulation steps", between(1, kMostBatch)),
      key<&TrainPhase::precision>("precision", "auto", "compute precision"),
      key_as<OptimizerCodec, &TrainPhase::optimizer>("optimizer", "adamw", "one for all, or by group"),
      key_as<AutoCodec<MasterFormatCodec>, &TrainPhase::master_weights>(
          "master_weights", "auto", "format of the weights that the optimizer updates; bf16: pure bf16"),
      key<&TrainPhase::method>("method", "full",
                               "what is trained: all weights, adapters, or parts next to a frozen base"),
      key<&TrainPhase::objective>("objective", "next_token",
                                  "what is minimised: the loss of the next token; of direct preference optimization "
                                  "(dpo), where samples and batch count pairs of answers and tokens_per_sample is one "
                                  "prompt with one answer; or of group relative policy optimization (grpo), where the "
                                  "model gives the answers it learns from: samples count prompts, batch answers"),
      key<&TrainPhase::rollouts>("rollouts", "needed for grpo", "how the answers of objective grpo are given"),
      key_as<Record<LoraRecord>, &TrainPhase::lora>("lora", "", "adapters, for method lora or qlora"),
      key_as<TrainableCodec, &TrainPhase::trainable>("trainable", "",
                                                     "trainable parameters for method frozen, or their matrices"),
      key<&TrainPhase::recompute>("recompute", "auto", "activation checkpointing"),
      key<&TrainPhase::offload>("offload", "auto", "what is offloaded to CPU memory"),
      key<&TrainPhase::parallel>("parallel", "auto", "parallelism; fsdp, ddp, zero1, ... alone: data parallel only"),
      key_as<AutoCodec<Codec<AttentionKernel>>, &TrainPhase::attention>("attention", "auto", "attention kernel"),
      key<&TrainPhase::compile>("compile", "auto", "torch.compile or the like"),
      key_as<AutoCodec<Codec<StartFrom>>, &TrainPhase::start>(
          "start", "auto",
          "from downloaded weights, or from scratch; auto: scratch if all of a model is trained and its shape is given "
          "here, or its data are at least 10 tokens a parameter"),
      key_as<FrameworkCodec, &TrainPhase::framework>("framework", "auto", "training framework"),
  };

  static bool check(Reader& reader, const Tree& tree, TrainPhase& out) {
    return check_models(reader, tree) && check_rollouts(reader, tree, out) && check_work(reader, tree, out) &&
           check_lengths(reader, tree, out) && check_batch(reader, tree, out) && check_micro(reader, tree, out) &&
           check_cuts(reader, tree, out) && check_method(reader, tree, out) && check_framework(reader, tree, out) &&
           check_positions(reader, tree, out);
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
           ": not the same work; add steps_at_batch: " + number_text(least) + " (the work is steps x " +
           number_text(least) + " = " + count_short(*out.steps * least) +
           " samples for all), or use epochs instead of steps";
  }

  /// How much work there is must be said once, and in a way that all candidates share.
  static bool check_work(Reader& reader, const Tree& tree, TrainPhase& out) {
    const bool data = tree.find("data") != nullptr;
    // Who says "ddp" or "fsdp" and no more cuts neither layers nor sequences.
    if (const Tree* parallel = tree.find("parallel");
        parallel != nullptr && parallel->is_scalar() && !is_auto(*parallel))
      out.parallel.tp = out.parallel.pp = out.parallel.cp = 1;
    if (out.epochs && out.steps) return reader.fail(tree, "use epochs or steps, not both");
    if (!data && !out.steps)
      return reader.fail(tree, "missing 'data'; for example data: {tokens: 10M}, or steps and a batch");
    if (!out.epochs && !out.steps) out.epochs = 1;
    if (out.steps_at_batch && !out.steps)
      return reader.fail_at_key(*tree.find("steps_at_batch"), "steps_at_batch also needs steps");
    if (out.batch_by_gpu.value && !out.batch_by_gpu.cases.empty() && !batches_differ(out)) {
      out.batch = BatchSize{.sequences = *out.batch_by_gpu.value, .tokens = {}};  // one batch, said several times
      out.batch_by_gpu = {};
    }
    if (out.steps && batches_differ(out) && !out.steps_at_batch)
      return reader.fail_at_key(*tree.find("steps"), unequal_work(out));
    if (out.steps && !out.batch && !out.steps_at_batch)
      return reader.fail_at_key(*tree.find("steps"),
                                "steps with a batch that differs between GPUs is not the same work for all; add "
                                "steps_at_batch: N (the work is steps x N sequences), use epochs, or set one batch");
    return true;
  }

  /// Images of one size are as long as the network that looks at them makes them.
  static void take_image_length(TrainPhase& out) {
    const ModelUse& first = out.models.front();
    const ModelKind kind = first.shape.kind;
    if (out.models.size() != 1 || first.custom || (kind != ModelKind::kVit && kind != ModelKind::kDit)) return;
    if (const double tokens = image_tokens(first.shape); tokens > 0) out.sequence = whole<int>(tokens);
  }

  static bool check_lengths(Reader& reader, const Tree& tree, TrainPhase& out) {
    bool transformer = false;
    for (const ModelUse& model : out.models) transformer = transformer || !model.custom;
    if (!out.sequence && !out.data.tokens_per_sample) take_image_length(out);
    if (transformer && !out.sequence && !out.data.tokens_per_sample)
      return reader.fail(tree, "missing 'sequence', the sequence length in tokens, such as 2048");
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

  /// A plain number counts sequences. One that would make steps of more tokens than anybody trains with was meant as
  /// tokens: asked back, unless it says that it counts sequences.
  static bool check_plain_batch(Reader& reader, const Tree& tree, const TrainPhase& out, double sequence) {
    constexpr double kMostTokens = 128e6;  // twice what DeepSeek-V3 (arXiv:2412.19437) ended with
    constexpr double kManySequences = 10'000;
    const Tree* written = tree.find("batch");
    if (written == nullptr || written->is_map() || !out.batch || !out.batch->sequences) return true;
    const double sequences = *out.batch->sequences;
    if (to_lower(written->text).find("seq") != std::string::npos) return true;  // it says what it counts
    if (sequences < kManySequences || sequences * sequence <= kMostTokens) return true;
    const Reader::Scope scope(reader, "batch");
    return reader.fail(*written, "a plain number counts sequences: " + count_text(sequences) + " of " +
                                     count_text(sequence) + " tokens are " + count_short(sequences * sequence) +
                                     " tokens per step; for tokens write \"" + printable(written->text, 40) +
                                     " tokens\", else \"" + printable(written->text, 40) + " sequences\"");
  }

  /// A step is of sequences that there are, and of no more of them than can be counted. (Work that is said in steps
  /// has as many as they take.)
  static bool check_batch(Reader& reader, const Tree& tree, const TrainPhase& out) {
    const auto& length = out.data.tokens_per_sample;
    double sequence = out.sequence ? *out.sequence : length ? std::max(length->max, length->mean) : 1;
    if (out.sequence && length && length->max > 0 && !out.data.packing) sequence = std::min(sequence, length->max);
    const bool packed = out.data.packing && length && length->mean > 0;
    const double mean = length && length->mean > 0 && !packed ? std::min(length->mean, sequence) : sequence;
    const int rows = out.rows();
    const double epochs = out.epochs.value_or(1);
    const double all = out.steps          ? 0
                       : out.data.samples ? *out.data.samples * epochs * (packed ? length->mean / sequence : 1) *
                                                (out.rollouts ? out.rollouts->generations : 1)
                       : out.data.tokens  ? out.data.tokens->value * epochs / (mean * rows)
                                          : 0;
    if (!check_plain_batch(reader, tree, out, sequence)) return false;
    for (const Step& step : steps_of(out, sequence * rows)) {
      const bool uncountable = step.sequences > kMostBatch;
      if (!uncountable && (all <= 0 || step.sequences <= std::max(1.0, std::ceil(all)))) continue;
      const Reader::Scope scope(reader, step.key);
      const std::string many = "a step of " + count_text(step.sequences) + " sequences is more than ";
      if (uncountable)
        return reader.fail(*tree.find(step.key),
                           many + "the limit of " + count_text(kMostBatch) +
                               "; use a smaller batch, or write `tokens` after a number of tokens");
      return reader.fail(*tree.find(step.key), many + "all the data, " + count_text(std::ceil(all)) +
                                                   "; use a smaller batch, more epochs or more data");
    }
    return true;
  }

  /// A batch that is stated in sequences is taken as it is: micro-batches have to divide it.
  static bool check_micro(Reader& reader, const Tree& tree, const TrainPhase& out) {
    if (!out.batch || !out.batch->sequences || !out.micro.value || !out.micro.cases.empty()) return true;
    const auto batch = static_cast<std::int64_t>(*out.batch->sequences);
    const int micro = *out.micro.value;
    if (out.accumulate.value && out.accumulate.cases.empty()) {
      const std::int64_t each = std::int64_t{micro} * *out.accumulate.value;
      if (batch % each == 0) return true;
      return fail_at(reader, tree, "accumulate",
                     "each GPU takes micro " + count_text(micro) + " x accumulate " +
                         count_text(*out.accumulate.value) + " = " + count_text(static_cast<double>(each)) +
                         " sequences a step, which do not divide a batch of " + count_text(static_cast<double>(batch)) +
                         "; leave accumulate out: it follows from batch and GPUs");
    }
    if (batch % micro == 0) return true;
    std::vector<std::string> near;
    for (int below = micro - 1; below >= 1 && near.empty(); --below)
      if (batch % below == 0) near.push_back(count_text(below));
    for (int above = micro + 1; above <= batch && above <= 2 * micro && near.size() < 2; ++above)
      if (batch % above == 0) near.push_back(count_text(above));
    const std::string does = near.size() == 1 ? " does" : " do";
    return fail_at(reader, tree, "micro",
                   "micro-batches of " + count_text(micro) + " do not divide a batch of " +
                       count_text(static_cast<double>(batch)) + " sequences; " + listed(near, "or") + does);
  }

  /// Each copy takes as many sequences of a step as the others.
  static bool check_copies(Reader& reader, const Tree& tree, const TrainPhase& out) {
    if (!out.batch || !out.batch->sequences || !out.parallel.dp) return true;
    const auto batch = static_cast<std::int64_t>(*out.batch->sequences);
    const int copies = *out.parallel.dp;
    if (batch % copies == 0) return true;
    std::vector<std::string> near;
    for (int below = copies - 1; below >= 1 && near.empty(); --below)
      if (batch % below == 0) near.push_back(count_text(below));
    for (int above = copies + 1; above <= batch && above <= 2 * copies && near.size() < 2; ++above)
      if (batch % above == 0) near.push_back(count_text(above));
    return fail_at(reader, tree, "parallel.dp",
                   count_text(copies) + " copies cannot share a batch of " + count_text(static_cast<double>(batch)) +
                       " sequences evenly; " + listed(near, "or") + " can; or take another batch");
  }

  static bool check_cuts(Reader& reader, const Tree& tree, const TrainPhase& out) {
    if (!check_copies(reader, tree, out)) return false;
    const Tree* at = tree.find("parallel");
    if (at == nullptr || !at->is_map()) return true;
    const Reader::Scope scope(reader, "parallel");
    return check_degrees(reader, *at, out.models, out.parallel, CutsOf::kTraining);
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
      return reader.fail_at_key(*lora, "lora also needs method: lora or method: qlora");
    if (adapters && custom)
      return reader.fail(tree, "a custom model has no known matrices for adapters; use method: full or frozen");
    if (out.method == Method::kFrozen && !out.trainable)
      return reader.fail(tree, "missing 'trainable'; method: frozen needs the trainable parameters, such as 2.3M");
    if (const Tree* trainable = tree.find("trainable"); trainable != nullptr && out.method != Method::kFrozen)
      return reader.fail_at_key(*trainable, "trainable also needs method: frozen");
    if (out.objective == Objective::kDpo) {
      if (out.models.size() != 1 || custom || out.models.front().shape.kind != ModelKind::kDecoder)
        return reader.fail_at_key(*tree.find("objective"),
                                  "dpo trains one decoder, and counts the model as it was before by itself");
      if (out.method == Method::kFrozen)
        return reader.fail_at_key(*tree.find("objective"), "dpo needs method: full, lora or qlora");
      if (const Tree* data = tree.find("data"); data != nullptr && out.data.packing)
        return reader.fail_at_key(*data, "pairs of answers are not packed; leave out packing");
      if (out.start == StartFrom::kScratch)
        return reader.fail_at_key(*tree.find("start"), "dpo starts from a trained model; leave out start");
    }
    if (out.method == Method::kFull && all_frozen && !out.models.empty())
      return reader.fail(tree, "every model is frozen, so nothing is trained; add method: frozen and trainable");
    return true;
  }
};

}  // namespace

constinit const ValueType TrainCodec::type = Record<TrainRecord>::type;
bool TrainCodec::read(Reader& reader, const Tree& tree, PhaseWork& out, const Bounds& bounds) {
  return Record<TrainRecord>::read(reader, tree, out.emplace<TrainPhase>(), bounds);
}

}  // namespace gpuplan
