// Keys of a model, of lengths and of parallelism; names of frameworks.
#include <array>

#include "base/text.h"
#include "input/declaration/other_words.h"
#include "input/job/codecs.h"
#include "input/models/usual_shape.h"

namespace gpuplan {

namespace {

struct CustomRecord {
  using Object = CustomModel;
  static constexpr std::string_view title = "custom";
  static constexpr std::array keys = {
      key<&CustomModel::params>("params", "required", "parameters", kPositive),
      key_as<AmountCodec<AmountKind::kCount>, &CustomModel::flops_per_sample>(
          "flops_per_sample", "required", "floating-point operations per sample, forward and backward", kPositive),
      key<&CustomModel::activation_bytes_per_sample>("activation_bytes_per_sample", "required",
                                                     "activation memory per sample, until backward", kPositive),
      key<&CustomModel::kernels_per_step>("kernels_per_step", "required", "kernel launches per training step",
                                          kPositive),
  };
};

/// A model as written, before its shape is looked up.
struct WrittenModel {
  ModelUse use;
  std::string like;
  std::optional<double> params;
};

template <auto Member>
constexpr Key shape_key(std::string_view name, std::string_view fallback, std::string_view help, double most) {
  return key_as<WholeCodec, &WrittenModel::use, &ModelUse::shape, Member>(name, fallback, help,
                                                                          between(fallback == "0" ? 0 : 1, most));
}
template <auto Member>
constexpr Key shape_choice(std::string_view name, std::string_view fallback, std::string_view help) {
  using Type = typename detail::MemberOf<decltype(Member)>::Type;
  return key_as<Codec<Type>, &WrittenModel::use, &ModelUse::shape, Member>(name, fallback, help);
}

bool look_up(Reader& reader, const Tree& at, const std::string& name, ModelUse& out) {
  auto shape = reader.models.resolve(name, reader.folder());
  if (!shape) return reader.fail(at, shape.error().message);
  out.shape = std::move(*shape);
  return true;
}

constexpr std::array<std::string_view, 4> kNamingKeys = {"name", "like", "params", "custom"};
constexpr std::array<std::string_view, 4> kUseKeys = {"frozen", "gradient_through", "loops", "supervision_steps"};

bool is_shape_key(std::string_view key) {
  for (const std::string_view other : kNamingKeys)
    if (key == other) return false;
  for (const std::string_view other : kUseKeys)
    if (key == other) return false;
  return true;
}

struct ModelRecord {
  using Object = WrittenModel;
  static constexpr std::string_view title = "model";
  static constexpr std::string_view scalar_key = "name";
  static constexpr std::array keys = {
      key_as<Codec<std::string>, &WrittenModel::use, &ModelUse::name>(
          "name", "",
          "a known model, or a path to its config.json, folder, safetensors or GGUF file; with like, params, layers or "
          "custom it is only a name"),
      key<&WrittenModel::like>("like", "", "a known model or path with the same shape"),
      key<&WrittenModel::params>(
          "params", "from the shape",
          "parameters, when they are known better than the shape; without layers and hidden, those of a usual decoder",
          kPositive),
      key_as<OptionalCodec<Record<CustomRecord>>, &WrittenModel::use, &ModelUse::custom>(
          "custom", "", "work and memory of a model that is not a transformer"),
      shape_choice<&ModelShape::kind>("kind", "decoder", "family of transformer"),
      shape_key<&ModelShape::layers>("layers", "", "blocks", 10'000),
      shape_key<&ModelShape::hidden>("hidden", "", "hidden size (width of the residual stream)", 1'000'000),
      shape_key<&ModelShape::heads>("heads", "heads of width 64, of 128 above a hidden of 2048", "query heads", 4096),
      shape_key<&ModelShape::kv_heads>("kv_heads", "heads", "key and value heads", 4096),
      shape_key<&ModelShape::head_dim>("head_dim", "hidden / heads", "width of one head", 65'536),
      shape_key<&ModelShape::ffn>("ffn", "8/3 x hidden, 4 x without gated_mlp", "inner width of the MLP", 10'000'000),
      shape_choice<&ModelShape::gated>("gated_mlp", "true", "three MLP matrices (SwiGLU, GeGLU), not two"),
      shape_key<&ModelShape::vocab>("vocab", "what params leave, else 32000", "rows of the token embedding",
                                    100'000'000),
      shape_choice<&ModelShape::tied>("tied", "false", "embedding and output share their weights"),
      shape_key<&ModelShape::positions>("positions", "0", "rows of a learned position table", 100'000'000),
      shape_key<&ModelShape::max_context>("max_context", "unknown", "longest context in tokens", 1'000'000'000),
      shape_choice<&ModelShape::attention_bias>("attention_bias", "none", "biases of the attention matrices"),
      shape_choice<&ModelShape::mlp_bias>("mlp_bias", "false", "biases of the MLP matrices"),
      shape_choice<&ModelShape::norm>("norm", "rms", "kind of norm"),
      shape_choice<&ModelShape::qk_norm>("qk_norm", "none", "norm of queries and keys"),
      shape_key<&ModelShape::experts>("experts", "0", "number of experts (MoE)", 100'000),
      shape_key<&ModelShape::experts_per_token>("experts_per_token", "2", "active experts per token", 100'000),
      shape_key<&ModelShape::expert_ffn>("expert_ffn", "ffn", "inner width of one expert", 10'000'000),
      shape_key<&ModelShape::shared_ffn>("shared_ffn", "0", "total inner width of the shared experts", 10'000'000),
      shape_key<&ModelShape::dense_layers>("dense_layers", "0", "leading layers with a dense MLP", 10'000),
      shape_key<&ModelShape::q_lora_rank>("q_lora_rank", "0", "latent attention: rank of queries", 1'000'000),
      shape_key<&ModelShape::kv_lora_rank>("kv_lora_rank", "0", "latent attention: rank of keys and values", 1'000'000),
      shape_key<&ModelShape::qk_nope_dim>("qk_nope_dim", "0", "latent attention: head width without positions", 65'536),
      shape_key<&ModelShape::qk_rope_dim>("qk_rope_dim", "0", "latent attention: head width with positions", 65'536),
      shape_key<&ModelShape::v_dim>("v_dim", "0", "latent attention: width of a value head", 65'536),
      shape_key<&ModelShape::window>("window", "0", "sliding window in tokens", 1'000'000'000),
      shape_key<&ModelShape::window_layers>("window_layers", "all with window", "layers with a sliding window", 10'000),
      shape_key<&ModelShape::image>("image", "0", "vision: pixels on a side", 100'000),
      shape_key<&ModelShape::patch>("patch", "0", "vision: pixels on a side of a patch", 100'000),
      shape_key<&ModelShape::channels>("channels", "3", "vision: color channels", 10'000),
      shape_choice<&ModelShape::native>("dtype", "bf16", "how the weights are stored"),
      key_as<Codec<bool>, &WrittenModel::use, &ModelUse::frozen>("frozen", "false", "its weights are not trained"),
      key_as<Codec<bool>, &WrittenModel::use, &ModelUse::gradient_through>("gradient_through", "false",
                                                                           "frozen, but gradients pass through it"),
      key_as<Codec<double>, &WrittenModel::use, &ModelUse::loops>(
          "loops", "1", "times the layers run with the same weights", between(1, 10'000)),
      key_as<Codec<double>, &WrittenModel::use, &ModelUse::supervision_steps>(
          "supervision_steps", "1", "forward and backward passes for each batch", between(1, 10'000)),
  };

  static bool check(Reader& reader, const Tree& tree, WrittenModel& out) {
    const Tree* shape_part = tree.find("params");
    for (const Tree& child : tree.children)
      if (is_shape_key(child.key) && shape_part == nullptr) shape_part = &child;

    ModelUse& use = out.use;
    const bool by_like = !out.like.empty();
    if (use.custom || by_like) {
      if (use.custom && by_like) return reader.fail(tree, "custom and like cannot be combined");
      if (shape_part != nullptr)
        return reader.fail_at_key(*shape_part, printable(shape_part->key) + " cannot be combined with " +
                                                   (by_like ? "like" : "custom") + "; use one of them");
    }
    if (use.custom) {
      if (use.name.empty()) use.name = count_short(use.custom->params) + " custom model";
      return true;
    }
    if (shape_part == nullptr) return check_name(reader, tree, out);
    return check_shape(reader, tree, out);
  }

 private:
  /// A decoder of which only the size is known, as `--params` has it.
  static bool take_usual_shape(Reader& reader, const Tree& tree, WrittenModel& out) {
    constexpr double kLeast = 100'000, kMost = 1e13;
    if (*out.params < kLeast || *out.params > kMost)
      return reader.fail_at_key(*tree.find("params"), "params without layers and hidden: expected from 100k to 10T");
    const UsualShape usual = usual_shape(*out.params);
    ModelShape& shape = out.use.shape;
    shape.layers = usual.layers;
    shape.hidden = usual.hidden;
    if (shape.vocab <= 0) shape.vocab = usual.vocab;
    if (tree.find("tied") == nullptr) shape.tied = usual.tied;
    out.use.from_size = true;
    return true;
  }

  static bool check_name(Reader& reader, const Tree& tree, WrittenModel& out) {
    const std::string& wanted = out.like.empty() ? out.use.name : out.like;
    if (wanted.empty())
      return reader.fail(tree, "empty model; expected name, like, params, layers and hidden, or custom");
    const Tree* at = tree.find(out.like.empty() ? "name" : "like");
    if (!look_up(reader, at != nullptr ? *at : tree, wanted, out.use)) return false;
    if (out.use.name.empty()) out.use.name = out.like;
    return true;
  }

  static bool check_shape(Reader& reader, const Tree& tree, WrittenModel& out) {
    out.use.drawn = true;
    ModelShape& shape = out.use.shape;
    if (out.params && shape.layers <= 0 && shape.hidden <= 0 && shape.kind == ModelKind::kDecoder) {
      if (!take_usual_shape(reader, tree, out)) return false;
    }
    for (const std::string_view needed : {"layers", "hidden"}) {
      const bool zero = needed == "layers" ? shape.layers <= 0 : shape.hidden <= 0;
      if (zero)
        return reader.fail(
            tree, std::string(needed) +
                      " is missing; a shape needs at least layers and hidden, such as {layers: 12, hidden: 768}");
    }
    if (out.params) shape.published = *out.params;
    if (shape.kind == ModelKind::kVit && shape.channels == 0) shape.channels = 3;
    const double stated_extra = shape.extra;
    if (shape.heads > 0 && shape.head_dim <= 0 && !shape.mla() && shape.hidden % shape.heads != 0)
      return reader.fail(tree, "hidden (" + count_text(shape.hidden) + ") is no multiple of heads (" +
                                   count_text(shape.heads) + "); correct one of them, or write head_dim");
    complete(shape);
    // What the MLP could not give up: a little more is a matter of tied tables and biases.
    constexpr double kMostOver = 1.5;
    if (const double all = count_parameters(shape).total(); shape.published > 0 && all > kMostOver * shape.published)
      return reader.fail(tree, "params (" + count_short(shape.published) +
                                   ") are fewer than this shape has at the least, " + count_short(all) + ": " +
                                   count_text(shape.layers) + " layers of width " + count_text(shape.hidden) +
                                   " and a vocabulary of " + count_text(shape.vocab) +
                                   "; correct params, layers, hidden, vocab or tied");
    // What layers and the largest vocabulary leave of the total is odd parts; where it is most of it, a number is
    // wrong.
    constexpr double kMostOdd = 0.5;
    if (shape.published > 0 && shape.vocab_guessed && shape.extra - stated_extra > kMostOdd * shape.published)
      return reader.fail(
          tree, "params (" + count_short(shape.published) + ") contradicts the shape: " + count_text(shape.layers) +
                    " layers of width " + count_text(shape.hidden) + " and their tables have " +
                    count_short(shape.published - (shape.extra - stated_extra)) + "; correct params, layers or hidden");
    if (const std::string problem = contradiction(shape); !problem.empty()) return reader.fail(tree, problem);
    if (out.use.name.empty())
      out.use.name =
          out.params ? count_short(*out.params) : number_text(shape.layers) + " layers x " + number_text(shape.hidden);
    shape.name = out.use.name;
    return true;
  }
};

/// A model by its name or path, or as a map.
constexpr ValueType kModelName{.kind = ValueType::Kind::kText, .title = "the name of a model or a path"};
constexpr std::array<const ValueType*, 2> kModelOptions = {&kModelName, &Record<ModelRecord>::type};

struct LengthRecord {
  using Object = Length;
  static constexpr std::string_view title = "length";
  static constexpr std::array keys = {
      key_as<AmountCodec<AmountKind::kTokens>, &Length::mean>("mean", "required", "mean over the samples in tokens",
                                                              between(0, 1e9)),
      key_as<AmountCodec<AmountKind::kTokens>, &Length::max>("max", "mean", "longest in tokens", between(0, 1e9)),
  };
  static bool check(Reader& reader, const Tree& tree, Length& out) {
    if (tree.find("max") == nullptr) out.max = out.mean;
    if (out.max >= out.mean) return true;
    return reader.fail(tree, "max (" + number_text(out.max) + ") is less than mean (" + number_text(out.mean) + ")");
  }
};
using TokensCodec = AmountCodec<AmountKind::kTokens>;
constexpr std::array<const ValueType*, 2> kLengthOptions = {&TokensCodec::type, &Record<LengthRecord>::type};

struct ParallelRecord {
  using Object = Parallel;
  static constexpr std::string_view title = "parallel";
  static constexpr Bounds kDegree = between(1, 100'000);
  static constexpr std::array keys = {
      key_as<AutoCodec<WholeCodec>, &Parallel::dp>("dp", "auto", "data parallel copies", kDegree),
      key_as<AutoCodec<WholeCodec>, &Parallel::tp>("tp", "auto", "tensor parallel GPUs", kDegree),
      key_as<AutoCodec<WholeCodec>, &Parallel::pp>("pp", "auto", "pipeline stages", kDegree),
      key_as<AutoCodec<WholeCodec>, &Parallel::cp>("cp", "auto", "context parallel GPUs", kDegree),
      key_as<AutoCodec<WholeCodec>, &Parallel::ep>("ep", "auto", "expert parallel GPUs", kDegree),
      key_as<AutoCodec<Codec<Sharding>>, &Parallel::sharding>("sharding", "auto",
                                                              "what is sharded over the data-parallel GPUs"),
  };
  static bool check(Reader& reader, const Tree& tree, const Parallel& out) {
    constexpr double kMost = 1e9;
    double gpus = 1;
    for (const std::optional<int>& degree : {out.dp, out.tp, out.pp, out.cp}) gpus *= degree.value_or(1);
    if (gpus <= kMost) return true;
    return reader.fail(tree, "the degrees multiply to " + count_text(gpus) + " GPUs, more than gpuplan supports (" +
                                 count_text(kMost) + "); lower one of them");
  }
};
constexpr std::array<const ValueType*, 3> kParallelOptions = {&kAutoType, &Codec<Sharding>::type,
                                                              &Record<ParallelRecord>::type};

constexpr ValueType kFrameworkName{.kind = ValueType::Kind::kText, .title = "the name of a framework"};
constexpr std::array<const ValueType*, 2> kFrameworkOptions = {&kAutoType, &kFrameworkName};

template <std::size_t N>
consteval ValueType one_of(const std::array<const ValueType*, N>& options) noexcept {
  return {.kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = N};
}

}  // namespace

constinit const ValueType Codec<ModelUse>::type = one_of(kModelOptions);
bool Codec<ModelUse>::read(Reader& reader, const Tree& tree, ModelUse& out, const Bounds& bounds) {
  if (tree.is_scalar() && !tree.text.empty()) {
    out.name = tree.text;
    return look_up(reader, tree, tree.text, out);
  }
  if (!tree.is_map()) return mismatch(reader, tree, kModelName);
  WrittenModel written;
  if (!Record<ModelRecord>::read(reader, tree, written, bounds)) return false;
  out = std::move(written.use);
  return true;
}

bool check_models(Reader& reader, const Tree& tree) {
  const bool one = tree.find("model") != nullptr;
  const bool many = tree.find("models") != nullptr;
  if (one != many) return true;
  if (one) return reader.fail_at_key(*tree.find("models"), "model and models cannot be combined");
  return reader.fail(tree, "missing 'model'; expected a name, a path, or a shape such as {layers: 12, hidden: 768}");
}

constinit const ValueType Codec<Length>::type = one_of(kLengthOptions);
bool Codec<Length>::read(Reader& reader, const Tree& tree, Length& out, const Bounds& bounds) {
  if (tree.is_map()) return Record<LengthRecord>::read(reader, tree, out, bounds);
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  if (!TokensCodec::read(reader, tree, out.mean, bounds)) return false;
  out.max = out.mean;
  return true;
}

constinit const ValueType Codec<Parallel>::type = one_of(kParallelOptions);
bool Codec<Parallel>::read(Reader& reader, const Tree& tree, Parallel& out, const Bounds& bounds) {
  if (is_auto(tree)) return true;
  if (tree.is_map()) return Record<ParallelRecord>::read(reader, tree, out, bounds);
  const auto sharding = tree.is_scalar() ? from_name<Sharding>(tree.text) : std::nullopt;
  if (!sharding) return mismatch(reader, tree, type);
  out.sharding = sharding;
  return true;
}

constinit const ValueType FrameworkCodec::type = one_of(kFrameworkOptions);
bool FrameworkCodec::read(Reader& reader, const Tree& tree, std::string& out, const Bounds&) {
  if (is_auto(tree)) return true;
  if (!tree.is_scalar()) return mismatch(reader, tree, type);
  if (const Framework* found = reader.catalogue.find_framework(tree.text)) {
    out = found->name;
    return true;
  }
  std::vector<std::string_view> names;
  std::vector<std::string> listed;
  for (const Framework& framework : reader.catalogue.frameworks) {
    names.push_back(framework.name);
    listed.push_back(framework.name);
    for (const std::string& alias : framework.aliases) names.push_back(alias);
  }
  const std::string_view advice = advice_on("framework", tree.text);
  std::string guess = advice.empty() ? did_you_mean(tree.text, names) : "; " + std::string(advice);
  if (guess.empty()) guess = "; expected one of " + join(listed, ", ");
  return reader.fail(tree, "unknown framework " + got_text(tree) + guess);
}

}  // namespace gpuplan
