#include "output/facts/model_report.h"

#include <array>
#include <optional>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

constexpr std::array kFormats = {Format::kFp32, Format::kBf16, Format::kFp8, Format::kInt4};
constexpr double kCacheBytes = bytes_of(Format::kBf16);

struct ShownPart {
  std::string_view name;
  double ParameterCount::* size;
};

constexpr std::array kParts = {
    ShownPart{"embedding", &ParameterCount::embedding},
    ShownPart{"attention", &ParameterCount::attention},
    ShownPart{"mlp", &ParameterCount::mlp},
    ShownPart{"experts", &ParameterCount::experts},
    ShownPart{"shared", &ParameterCount::shared},
    ShownPart{"norms", &ParameterCount::norms},
    ShownPart{"head", &ParameterCount::head},
    ShownPart{"extra", &ParameterCount::extra},
};

std::string_view words_for(std::string_view part) {
  if (part == "mlp") return "MLP";
  if (part == "experts") return "routed experts";
  if (part == "shared") return "shared experts, routers";
  if (part == "extra") return "other";
  return part;
}

double matrices_of(const ParameterCount& count) { return count.attention + count.mlp + count.experts + count.shared; }

Bytes cache_bytes(const ModelShape& shape, double tokens) { return Bytes{kv_elements(shape, tokens) * kCacheBytes}; }
bool same_layers(const ModelShape& a, const ModelShape& b) {
  return a.kind == b.kind && a.layers == b.layers && a.hidden == b.hidden && a.heads == b.heads &&
         a.kv_heads == b.kv_heads && a.head_dim == b.head_dim && a.ffn == b.ffn && a.gated == b.gated &&
         a.experts == b.experts && a.expert_ffn == b.expert_ffn && a.kv_lora_rank == b.kv_lora_rank &&
         a.qk_norm == b.qk_norm && a.attention_bias == b.attention_bias;
}

/// The larger of two sizes over the smaller: 1 when they are one.
double apart(double a, double b) {
  if (a <= 0 || b <= 0) return a == b ? 1 : 1e9;
  return a > b ? a / b : b / a;
}

/// The known model of the same kind that is nearest in depth, width and size.
const ModelShape* nearest_model(const ModelShape& shape, const Catalogue& catalogue) {
  constexpr double kTooFar = 2.5;  // products of three ratios: a third more of each
  const double total = count_parameters(shape).total();
  const ModelShape* best = nullptr;
  double least = kTooFar;
  for (const ModelShape& model : catalogue.models) {
    if (model.kind != shape.kind || model.moe() != shape.moe() || model.mla() != shape.mla()) continue;
    const double distance = apart(model.layers, shape.layers) * apart(model.hidden, shape.hidden) *
                            apart(count_parameters(model).total(), total);
    if (distance >= least) continue;
    least = distance;
    best = &model;
  }
  return best;
}

std::string kind_words(const ModelShape& shape) {
  std::string words(name_of(shape.kind));
  if (shape.kind == ModelKind::kVit) words = "vision transformer";
  if (shape.moe()) words += ", mixture of experts";
  if (shape.mla()) words += ", MLA";
  return words;
}

std::string attention_words(const ModelShape& shape) {
  std::string words = std::to_string(shape.heads) + " heads";
  if (shape.mla()) {
    words += ", KV rank " + std::to_string(shape.kv_lora_rank) + " + " + std::to_string(shape.qk_rope_dim) +
             " RoPE; queries and keys " + std::to_string(shape.qk_nope_dim + shape.qk_rope_dim) + " wide, values " +
             std::to_string(shape.v_dim);
    return words;
  }
  words += " x " + std::to_string(shape.head_dim);
  if (shape.kv_heads != shape.heads)
    words += ", " + std::to_string(shape.kv_heads) + (shape.kv_heads == 1 ? " KV head" : " KV heads");
  if (shape.attention_bias == BiasKind::kQkv) words += ", bias on queries, keys and values";
  if (shape.attention_bias == BiasKind::kAll) words += ", biases";
  if (shape.qk_norm != QkNorm::kNone) words += ", QK norm";
  return words;
}

std::string layers_words(const ModelShape& shape) {
  std::string words = std::to_string(shape.layers);
  if (shape.moe() && shape.dense_layers > 0)
    words +=
        shape.dense_layers == 1 ? ", the first dense" : ", the first " + std::to_string(shape.dense_layers) + " dense";
  if (shape.repeats > 1) words += ", run " + std::to_string(shape.repeats) + " times with the same weights";
  if (shape.states.layers > 0)
    words += ", " + std::to_string(shape.states.layers) + " with a state of fixed size (Mamba, linear attention)";
  if (shape.attention_free > 0) words += ", " + std::to_string(shape.attention_layers()) + " with attention";
  if (shape.mlp_free > 0) words += ", " + std::to_string(shape.layers - shape.mlp_free) + " with an MLP";
  if (shape.window > 0)
    words += ", " + std::to_string(shape.window_layers) + " with a sliding window of " + count_text(shape.window) +
             " tokens";
  return words;
}

std::string mlp_words(const ModelShape& shape) {
  const std::string gated = shape.gated ? ", gated" : ", not gated";
  if (!shape.moe()) return count_text(shape.ffn) + gated + (shape.mlp_bias ? ", biases" : "");
  std::string words = std::to_string(shape.experts) + " experts x " + count_text(shape.expert_ffn) + ", " +
                      std::to_string(shape.experts_per_token) + " active per token" + gated;
  if (shape.shared_ffn > 0) words += ", " + count_text(shape.shared_ffn) + " shared";
  if (shape.dense_layers > 0) words += "; " + count_text(shape.ffn) + " in dense layers";
  return words;
}

/// "0.00%", "+0.3%", or that the counts are one.
std::string difference_words(double counted, double published) {
  if (counted == published) return "the same";
  const double percent = (counted - published) / published * 100;
  const std::string text = significant_text(percent, 2);
  return (percent > 0 ? "+" : "") + text + "%";
}

std::string like_words(const ModelReport& report) {
  if (report.like.empty()) return "";
  return report.same ? "same layers as " + report.like : "closest known model: " + report.like;
}

/// All formats in one unit, so that the eye can compare them.
std::string size_words(Bytes size, bool small) {
  return small ? fixed_text(size / units::MiB, 1) + " MiB" : fixed_text(size / units::GiB, 1) + " GiB";
}

template <class T>
std::optional<T> positive(T value) {
  return value > 0 ? std::optional(value) : std::nullopt;
}

}  // namespace

Bytes cache_bytes_per_token(const ModelShape& shape) {
  return Bytes{kv_elements_per_token_layer(shape) * shape.attention_layers() * shape.repeats * kCacheBytes};
}

Bytes weight_bytes(const ParameterCount& count, Format format) {
  const double matrices = matrices_of(count), rest = count.total() - matrices;
  const double rest_bytes = format == Format::kFp32 ? bytes_of(Format::kFp32) : bytes_of(Format::kBf16);
  return Bytes{matrices * bytes_of(format) + rest * rest_bytes};
}

ModelReport describe_model(const ModelShape& shape, const Catalogue& catalogue, std::string_view called) {
  if (!called.empty() && called != shape.name) {
    ModelReport report = describe_model(shape, catalogue);
    if (report.like.empty()) report.like = shape.name;
    report.shape.name = called;
    return report;
  }
  ModelReport report{.shape = shape, .count = count_parameters(shape)};
  for (const ModelShape& model : catalogue.models) {
    if (!same_layers(model, shape)) continue;
    if (model.name == shape.name) {  // the model itself needs no comparison
      report.like.clear();
      report.same = true;
      return report;
    }
    if (report.like.empty()) report.like = model.name;
    report.same = true;
  }
  if (report.same) return report;
  if (const ModelShape* near = nearest_model(shape, catalogue)) report.like = near->name;
  return report;
}

std::string model_text(const ModelReport& report, const Screen& screen) {
  const ModelShape& shape = report.shape;
  const ParameterCount& count = report.count;
  const double total = count.total();
  std::string text = painted(printable(shape.name.empty() ? "model" : shape.name), Paint::kBold, screen) + ": " +
                     kind_words(shape) + ", " + count_short(total) + " parameters";
  if (count.active < total) text += ", " + count_short(count.active) + " active per token";
  text = paragraph(text, screen, 0, 2) + '\n';

  const auto add = [&](std::string_view label, const std::string& what) {
    if (!what.empty()) text += labelled(label, what, screen, 14);
  };
  add("layers", layers_words(shape));
  add("hidden", count_text(shape.hidden));
  add("attention", attention_words(shape));
  add("MLP", mlp_words(shape));
  if (shape.vocab > 0)
    add("vocabulary", count_text(shape.vocab) + (shape.kind != ModelKind::kDecoder ? ""
                                                 : shape.tied                      ? ", tied embeddings"
                                                                                   : ", untied output"));
  if (shape.labels > 0) add("head", count_of(shape.labels, "output") + " instead of the vocabulary");
  if (shape.headless) add("head", "none: it ends with its last layer");
  if (shape.image > 0)
    add("images", std::to_string(shape.image) + " x " + std::to_string(shape.image) + " in patches of " +
                      std::to_string(shape.patch));
  if (shape.max_context > 0) add("context", count_text(shape.max_context) + " tokens");
  add("dtype", std::string(name_of(shape.native)));
  add("similar to", like_words(report));
  add("from", printable(report.source));
  if (!shape.doubt.empty()) add("warning", printable(shape.doubt, 400));
  if (!shape.uncounted.empty())
    add("note", "the language part only, without its " + printable(shape.uncounted, 80) +
                    (shape.beside > 0 ? ", whose weights count in the memory of generation" : ""));
  for (const std::string& note : report.notes) add("note", printable(note, 400));

  Table parts({{.title = "PARAMETERS"},
               {.title = "", .align = Align::kRight},
               {.title = "", .align = Align::kRight},
               {.title = ""}});
  for (const ShownPart& part : kParts)
    if (count.*part.size > 0)
      parts.add({std::string(words_for(part.name)), count_text(count.*part.size),
                 fixed_text(count.*part.size / total * 100, 1) + "%"});
  const std::string part = shape.uncounted.empty() ? "" : ", language part";
  parts.add({{"total" + part, Paint::kBold}, {count_text(total), Paint::kBold}});
  if (shape.published > 0)
    parts.add({"published" + part, count_text(shape.published), "", difference_words(total, shape.published)});
  if (shape.beside > 0)
    parts.add({"with " + printable(shape.uncounted.substr(0, shape.uncounted.find(" of ")), 40),
               "about " + count_short(total + shape.beside)});
  if (count.active < total) {
    parts.add({"active per token", count_text(count.active), fixed_text(count.active / total * 100, 1) + "%"});
    if (shape.active_published > 0)
      parts.add({"published active", count_text(shape.active_published), "",
                 difference_words(count.active, shape.active_published)});
  }
  text += '\n' + parts.text(screen);

  Table weights({{.title = "WEIGHTS"}, {.title = "", .align = Align::kRight}});
  const bool small = weight_bytes(count, Format::kFp32) < 4 * units::GiB;
  for (const Format format : kFormats)
    weights.add({std::string(name_of(format)), size_words(weight_bytes(count, format), small)});
  text += '\n' + weights.text(screen);
  text +=
      paragraph("fp8, int4: layer weights only; embeddings, head and norms stay 16-bit. int4 group size 128.", screen);

  const Bytes token = cache_bytes_per_token(shape);
  if (shape.states.layers > 0)
    text +=
        '\n' +
        paragraph("States (16-bit): " + to_text(Bytes{state_elements(shape) * kCacheBytes}) + " per sequence.", screen);
  if (token.value > 0) {
    text += '\n';
    std::string words = "KV cache (16-bit): " + to_text(token) + " per token";
    if (shape.max_context > 0)
      words +=
          ", " + to_text(cache_bytes(shape, shape.max_context)) + " at " + count_text(shape.max_context) + " tokens";
    if (shape.window > 0) words += " (sliding-window layers store only the window)";
    text += paragraph(words + ".", screen);
  }
  return text;
}

std::string model_csv(const ModelReport& report) {
  const ModelShape& shape = report.shape;
  const ParameterCount& count = report.count;
  std::vector<Column> columns;
  std::vector<Cell> row;
  const auto add = [&](std::string key, Cell cell) {
    columns.push_back({.title = "", .key = std::move(key)});
    row.push_back(std::move(cell));
  };
  const auto figure = [&](std::string key, double value) { add(std::move(key), value > 0 ? Cell(value) : Cell()); };
  add("name", shape.name);
  add("source", report.source);
  add("kind", std::string(name_of(shape.kind)));
  figure("layers", shape.layers);
  figure("hidden", shape.hidden);
  figure("heads", shape.heads);
  figure("kv_heads", shape.kv_heads);
  figure("head_dim", shape.head_dim);
  figure("ffn", shape.ffn);
  figure("vocab", shape.vocab);
  figure("max_context", shape.max_context);
  figure("experts", shape.experts);
  figure("experts_per_token", shape.experts_per_token);
  add("native_dtype", std::string(name_of(shape.native)));
  for (const ShownPart& part : kParts) add("parameters_" + std::string(part.name), Cell(count.*part.size));
  add("parameters", Cell(count.total()));
  add("parameters_active", Cell(count.active));
  for (const Format format : kFormats)
    add("weight_bytes_" + std::string(name_of(format)), Cell(weight_bytes(count, format).value));
  add("kv_cache_bytes_per_token", Cell(cache_bytes_per_token(shape).value));
  Table table(std::move(columns));
  table.add(std::move(row));
  return table.csv();
}

std::string model_json(const ModelReport& report) {
  const ModelShape& shape = report.shape;
  const ParameterCount& count = report.count;
  JsonWriter json;
  json.begin_object();
  json.member("schema", "gpuplan/model@1").member("name", shape.name);
  json.member("like", report.like.empty() ? std::nullopt : std::optional<std::string_view>(report.like));
  json.member("same_layers", report.same).member("source", report.source).member("notes", report.notes);
  json.member("warning", shape.doubt.empty() ? std::nullopt : std::optional<std::string_view>(shape.doubt));
  json.member("uncounted", shape.uncounted.empty() ? std::nullopt : std::optional<std::string_view>(shape.uncounted));

  json.key("shape").begin_object();
  json.member("kind", name_of(shape.kind)).member("layers", shape.layers).member("hidden", shape.hidden);
  json.member("heads", shape.heads).member("kv_heads", shape.kv_heads).member("head_dim", shape.head_dim);
  json.member("ffn", shape.ffn).member("gated", shape.gated).member("vocab", shape.vocab).member("tied", shape.tied);
  json.member("positions", positive(shape.positions)).member("token_types", positive(shape.token_types));
  json.member("max_context", positive(shape.max_context));
  json.member("attention_bias", name_of(shape.attention_bias)).member("mlp_bias", shape.mlp_bias);
  json.member("norm", name_of(shape.norm)).member("norms_per_layer", shape.norms_per_layer);
  json.member("qk_norm", name_of(shape.qk_norm)).member("final_norm", shape.final_norm);
  json.member("native_dtype", name_of(shape.native));
  json.key("experts");
  if (shape.moe()) {
    json.begin_object(true);
    json.member("count", shape.experts).member("per_token", shape.experts_per_token).member("ffn", shape.expert_ffn);
    json.member("shared_ffn", shape.shared_ffn).member("dense_layers", shape.dense_layers);
    json.end();
  } else {
    json.null();
  }
  json.key("latent_attention");
  if (shape.mla()) {
    json.begin_object(true);
    json.member("q_lora_rank", shape.q_lora_rank).member("kv_lora_rank", shape.kv_lora_rank);
    json.member("qk_nope_dim", shape.qk_nope_dim).member("qk_rope_dim", shape.qk_rope_dim).member("v_dim", shape.v_dim);
    json.end();
  } else {
    json.null();
  }
  json.key("window");
  if (shape.window > 0)
    json.begin_object(true).member("tokens", shape.window).member("layers", shape.window_layers).end();
  else json.null();
  json.key("states");
  if (shape.states.layers > 0)
    json.begin_object(true)
        .member("layers", shape.states.layers)
        .member("bytes_per_sequence", state_elements(shape) * kCacheBytes)
        .end();
  else json.null();
  json.member("attention_layers", shape.attention_layers()).member("repeats", shape.repeats);
  json.key("vision");
  if (shape.image > 0) {
    json.begin_object(true);
    json.member("image", shape.image).member("patch", shape.patch).member("channels", shape.channels).end();
  } else {
    json.null();
  }
  json.end();

  json.key("parameters").begin_object();
  for (const ShownPart& part : kParts) json.member(part.name, count.*part.size);
  json.member("total", count.total()).member("active", count.active).member("beside", positive(shape.beside));
  json.member("published", positive(shape.published)).member("active_published", positive(shape.active_published));
  json.end();
  json.key("weight_bytes").begin_object(true);
  for (const Format format : kFormats) json.member(name_of(format), weight_bytes(count, format).value);
  json.end();
  json.key("kv_cache_bytes").begin_object(true);
  json.member("per_token", cache_bytes_per_token(shape).value);
  json.member("at_max_context",
              shape.max_context > 0 ? std::optional(cache_bytes(shape, shape.max_context).value) : std::nullopt);
  json.member("dtype", name_of(Format::kBf16)).end();
  json.end();
  return json.take();
}

}  // namespace gpuplan
