#include "input/models/weights/gguf.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/text.h"
#include "base/whole.h"
#include "input/models/weights/gguf_reader.h"

namespace gpuplan {
namespace {

constexpr double kMostCells = 100'000'000;
constexpr int kMostGgufHeads = 10'000, kMostGgufHeadDim = 65'536;

/// Formats of ggml by bits of a weight; files mix several, so the mean decides.
constexpr std::array kQuantised = {Format::kQ2K, Format::kQ3K, Format::kIq4Xs, Format::kQ4_0,
                                   Format::kQ4K, Format::kQ5K, Format::kQ6K,   Format::kQ8_0};

class ShapeReader {
 public:
  ShapeReader(const GgufFile& in, GgufModel& out, const std::string& file)
      : in_(in), out_(out), shape_(out.shape), file_(file) {}

  Result<void> read() {
    if (const GgufValue* name = in_.find("general.architecture"); name != nullptr && name->is_text)
      out_.architecture = std::string(name->text.substr(0, 100));
    if (out_.architecture.empty()) return std::unexpected(wrong("general.architecture is missing"));
    widths();
    if (problem_) return std::unexpected(*problem_);
    tensors();
    latent_attention();
    experts();
    windows();
    totals();
    if (problem_) return std::unexpected(*problem_);
    return {};
  }

 private:
  Error wrong(std::string message) const { return {std::move(message), {file_}}; }

  /// Whole number under "{architecture}.{key}"; of an array (a value for each layer) the largest.
  int number(std::string_view key, int fallback) {
    const GgufValue* value = in_.find(out_.architecture + '.' + std::string(key));
    if (value == nullptr || value->is_text) return fallback;
    if (value->is_array && value->least != value->number)
      out_.notes.push_back(std::string(key) + " differs from layer to layer: the largest is taken");
    if (!(value->number >= 0 && value->number <= 1e9) || value->number != std::floor(value->number)) {
      if (!problem_)
        problem_ = wrong(printable(value->key, 80) + ": expected a whole number, got " + number_text(value->number));
      return fallback;
    }
    return whole<int>(value->number);
  }
  int needed(std::string_view key, double most) {
    const int value = number(key, 0);
    if (!problem_ && (value < 1 || value > most))
      problem_ =
          wrong(printable(out_.architecture, 40) + "." + std::string(key) +
                (value < 1 ? " is missing" : ": expected at most " + count_text(most) + ", got " + count_text(value)));
    return std::clamp(value, 1, static_cast<int>(most));  // reading goes on after a problem
  }

  const GgufTensor* tensor(std::string_view name) const {
    const auto found = std::ranges::find(in_.tensors, name, &GgufTensor::name);
    return found == in_.tensors.end() ? nullptr : &*found;
  }
  /// A tensor of the first or, when that is dense and others are not, of the last layer.
  const GgufTensor* layer_tensor(std::string_view name) const {
    const GgufTensor* first = tensor("blk.0." + std::string(name));
    return first != nullptr ? first : tensor("blk." + std::to_string(shape_.layers - 1) + '.' + std::string(name));
  }
  static int size_of(const GgufTensor* t, std::size_t dimension) {
    return t != nullptr && t->dims.size() > dimension && t->dims[dimension] <= kMostCells
               ? clamped<int>(t->dims[dimension])
               : 0;
  }

  void widths() {
    shape_.layers = needed("block_count", 10'000);
    shape_.hidden = needed("embedding_length", 10'000'000);
    shape_.heads = needed("attention.head_count", kMostGgufHeads);
    shape_.kv_heads = std::clamp(number("attention.head_count_kv", shape_.heads), 1, shape_.heads);
    shape_.head_dim = std::clamp(number("attention.key_length", shape_.hidden / shape_.heads), 1, kMostGgufHeadDim);
    shape_.ffn = std::min(number("feed_forward_length", 4 * shape_.hidden), 100'000'000);
    shape_.max_context = number("context_length", 0);
    shape_.vocab = std::min(number("vocab_size", 0), 100'000'000);
    if (out_.architecture == "bert" || out_.architecture == "nomic-bert") shape_.kind = ModelKind::kEncoder;
    const GgufValue* tokens = in_.find("tokenizer.ggml.tokens");
    if (tokens != nullptr && tokens->length > 0 && tokens->length <= 100'000'000)
      shape_.vocab = whole<int>(tokens->length);
  }

  void tensors() {
    if (const int rows = size_of(tensor("token_embd.weight"), 1); rows > 0) shape_.vocab = rows;
    shape_.positions = size_of(tensor("position_embd.weight"), 1);
    shape_.token_types = size_of(tensor("token_types.weight"), 1);
    shape_.tied = tensor("output.weight") == nullptr;
    shape_.final_norm = tensor("output_norm.weight") != nullptr;
    if (in_.tensors.empty()) {  // a header of metadata only says nothing about these
      shape_.tied = false;
      shape_.final_norm = true;
      return;
    }
    const int up = size_of(layer_tensor("ffn_up.weight"), 1);
    const bool gate = layer_tensor("ffn_gate.weight") != nullptr || layer_tensor("ffn_gate_exps.weight") != nullptr ||
                      layer_tensor("ffn_gate_up_exps.weight") != nullptr;
    shape_.gated = gate || (up > 0 && up == 2 * shape_.ffn);  // Phi-3 stores gate and up as one
    if (layer_tensor("attn_q.bias") != nullptr || layer_tensor("attn_qkv.bias") != nullptr)
      shape_.attention_bias = BiasKind::kQkv;
    if (layer_tensor("attn_output.bias") != nullptr) shape_.attention_bias = BiasKind::kAll;
    shape_.mlp_bias = layer_tensor("ffn_up.bias") != nullptr;
    if (const int width = size_of(layer_tensor("attn_q_norm.weight"), 0); width > 0)
      shape_.qk_norm = width == shape_.q_width() && shape_.heads > 1 ? QkNorm::kFull : QkNorm::kHead;
    int norms = 0;
    bool bias = false;
    for (const GgufTensor& t : in_.tensors) {
      if (!t.name.starts_with("blk.0.") || size_of(&t, 0) != shape_.hidden || t.dims.size() != 1) continue;
      const bool inner = t.name.find("attn_q_") != std::string_view::npos ||
                         t.name.find("attn_k_") != std::string_view::npos ||
                         t.name.find("attn_kv_") != std::string_view::npos;
      if (!inner && t.name.ends_with("norm.weight")) ++norms;
      if (!inner && t.name.ends_with("norm.bias")) bias = true;
    }
    shape_.norms_per_layer = norms;
    if (bias) shape_.norm = NormKind::kLayer;
  }

  void latent_attention() {
    shape_.kv_lora_rank = std::min(number("attention.kv_lora_rank", 0), 100'000'000);
    if (!shape_.mla()) return;
    shape_.q_lora_rank = std::min(number("attention.q_lora_rank", 0), 100'000'000);
    // Files from 2025 on keep the sizes of the latent form in key_length and the real ones in key_length_mla.
    const int key = std::min(number("attention.key_length_mla", shape_.head_dim), kMostGgufHeadDim);
    const int value = number("attention.value_length", key);
    shape_.v_dim = std::min(number("attention.value_length_mla", value), kMostGgufHeadDim);
    shape_.qk_rope_dim = std::min(number("rope.dimension_count", 64), key);
    shape_.qk_nope_dim = key - shape_.qk_rope_dim;
    shape_.head_dim = key;
    shape_.kv_heads = shape_.heads;
  }

  void experts() {
    const int experts = std::min(number("expert_count", 0), 1'000'000);
    if (experts < 2) return;
    shape_.experts = experts;
    shape_.experts_per_token = std::clamp(number("expert_used_count", 2), 1, experts);
    shape_.expert_ffn = std::min(number("expert_feed_forward_length", shape_.ffn), 100'000'000);
    shape_.dense_layers = std::min(number("leading_dense_block_count", 0), shape_.layers);
    const GgufTensor* shared = tensor("blk." + std::to_string(shape_.layers - 1) + ".ffn_up_shexp.weight");
    shape_.shared_ffn = shared != nullptr
                            ? size_of(shared, 1)
                            : static_cast<int>(std::min<double>(
                                  kMostCells, 1.0 * number("expert_shared_count", 0) * shape_.expert_ffn));
    shape_.expert_bias = layer_tensor("ffn_up_exps.bias") != nullptr;
  }

  /// The file names the window but not always which layers have it; llama.cpp knows by architecture.
  void windows() {
    const int window = number("attention.sliding_window", 0);
    if (window == 0) return;
    const std::string& arch = out_.architecture;
    const int n = shape_.layers;
    int layers = -1;
    if (arch == "gemma2" || arch == "gpt-oss") layers = n / 2;
    else if (arch == "gemma3") layers = n - n / 6;
    else if (arch == "cohere2" || arch == "olmo2" || arch == "llama4") layers = n - n / 4;
    else if (arch == "llama" || arch == "phi3" || arch == "starcoder2") layers = n;
    if (layers < 0)
      out_.notes.push_back("which layers have the sliding window of " + std::to_string(window) + " is not known for '" +
                           printable(arch, 40) + "': none is assumed");
    shape_.window = layers > 0 ? window : 0;
    shape_.window_layers = std::max(layers, 0);
  }

  void totals() {
    if (const GgufValue* count = in_.find("split.count");
        count != nullptr && count->number > 1 && count->number < 100'000)
      out_.parts = whole<int>(count->number);
    out_.tensors = in_.tensors.size();
    double main = 0;
    for (const GgufTensor& t : in_.tensors) {
      out_.parameters += t.elements;
      out_.bytes += Bytes{t.bytes};
      if (t.elements > main) {
        main = t.elements;
        shape_.native = t.format;
      }
    }
    if (out_.parameters <= 0) return;
    out_.bits_per_weight = 8 * out_.bytes.value / out_.parameters;
    if (std::ranges::find(kQuantised, shape_.native) != kQuantised.end())
      shape_.native = *std::ranges::min_element(
          kQuantised, {}, [this](Format f) { return std::abs(bits_of(f) - out_.bits_per_weight); });
    if (out_.parts > 1) {
      out_.notes.push_back("one of " + std::to_string(out_.parts) + " files: parameters follow from the shape");
      return;
    }
    shape_.published = out_.parameters;
    shape_.extra = std::max(0.0, out_.parameters - count_parameters(shape_).total());
  }

  const GgufFile& in_;
  GgufModel& out_;
  ModelShape& shape_;
  const std::string& file_;
  std::optional<Error> problem_;
};

}  // namespace

Result<GgufModel> read_gguf(std::string_view start, const std::string& file) {
  const Result<GgufFile> parts = read_gguf_file(start, file);
  if (!parts) return std::unexpected(parts.error());
  GgufModel model;
  if (auto done = ShapeReader(*parts, model, file).read(); !done) return std::unexpected(std::move(done.error()));
  return model;
}

}  // namespace gpuplan
