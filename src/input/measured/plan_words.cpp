#include "input/measured/plan_words.h"

#include <cmath>
#include <concepts>
#include <optional>
#include <type_traits>
#include <utility>

#include "base/digits/decimal.h"
#include "base/text.h"

namespace gpuplan {
namespace {

constexpr double kMost = 1e18;
constexpr int kMostWhole = 1'000'000'000;
constexpr std::size_t kMostNetworks = 64;

/// Every field of a network that its time or memory depends on, by the names of the job file where it has them.
template <class Model, class Field>
void each_field(Model& model, const Field& field) {
  auto& s = model.shape;
  field("kind", s.kind);
  field("layers", s.layers);
  field("hidden", s.hidden);
  field("heads", s.heads);
  field("kv_heads", s.kv_heads);
  field("head_dim", s.head_dim);
  field("ffn", s.ffn);
  field("gated_mlp", s.gated);
  field("vocab", s.vocab);
  field("tied", s.tied);
  field("positions", s.positions);
  field("token_types", s.token_types);
  field("attention_bias", s.attention_bias);
  field("mlp_bias", s.mlp_bias);
  field("norm", s.norm);
  field("norms_per_layer", s.norms_per_layer);
  field("qk_norm", s.qk_norm);
  field("final_norm", s.final_norm);
  field("experts", s.experts);
  field("experts_per_token", s.experts_per_token);
  field("expert_ffn", s.expert_ffn);
  field("shared_ffn", s.shared_ffn);
  field("dense_layers", s.dense_layers);
  field("expert_bias", s.expert_bias);
  field("q_lora_rank", s.q_lora_rank);
  field("kv_lora_rank", s.kv_lora_rank);
  field("qk_nope_dim", s.qk_nope_dim);
  field("qk_rope_dim", s.qk_rope_dim);
  field("v_dim", s.v_dim);
  field("window", s.window);
  field("window_layers", s.window_layers);
  field("state_layers", s.states.layers);
  field("state_projected", s.states.projected);
  field("state_inner", s.states.inner);
  field("state_other", s.states.other);
  field("state_elements", s.states.elements);
  field("attention_free", s.attention_free);
  field("mlp_free", s.mlp_free);
  field("repeats", s.repeats);
  field("embedding_width", s.embedding_width);
  field("labels", s.labels);
  field("headless", s.headless);
  field("beside", s.beside);
  field("image", s.image);
  field("patch", s.patch);
  field("channels", s.channels);
  field("extra", s.extra);
  field("published", s.published);
  field("active_published", s.active_published);
  field("dtype", s.native);
  field("frozen", model.frozen);
  field("gradient_through", model.gradient_through);
  field("loops", model.loops);
  field("supervision_steps", model.supervision_steps);
}

template <class Custom, class Field>
void each_custom_field(Custom& custom, const Field& field) {
  field("params", custom.params);
  field("flops_per_sample", custom.flops_per_sample.value);
  field("activation_bytes_per_sample", custom.activation_bytes_per_sample.value);
  field("kernels_per_step", custom.kernels_per_step);
}

template <class AnyStore, class Field>
void each_store_field(AnyStore& store, const Field& field) {
  field("layers", store.layers);
  field("width", store.width);
  field("dtype", store.dtype);
  field("tokens", store.tokens);
  field("to", store.to);
}

template <class T>
std::string text_of(const T& value) {
  if constexpr (std::same_as<T, std::string>) return value;
  else if constexpr (HasNames<T>) return std::string(name_of(value));
  else if constexpr (std::same_as<T, bool>) return value ? "1" : "0";
  else return exact_text(value);
}

/// Writes the words of fields that are not as usual.
class Writer {
 public:
  template <class Object, class Each>
  void write(const Object& object, const Each& each) {
    Object usual{};
    std::vector<std::string> defaults;
    each(usual, [&](std::string_view, auto& value) { defaults.push_back(text_of(value)); });
    std::size_t i = 0;
    each(object, [&](std::string_view name, const auto& value) {
      const std::string text = text_of(value);
      if (text != defaults[i++]) add(name, text);
    });
  }
  void add(std::string_view name, std::string_view value) {
    if (!text_.empty()) text_ += ' ';
    text_ += name;
    text_ += '=';
    text_ += value;
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Words of a cell, taken one by one; what is left in the end is unknown.
class Words {
 public:
  explicit Words(std::string_view text) {
    for (const std::string_view word : split(text, ' ')) {
      if (word.empty()) continue;
      const std::size_t at = word.find('=');
      if (at == std::string_view::npos) fail("'" + printable(word, 40) + "' is no name=value");
      else words_.emplace_back(word.substr(0, at), word.substr(at + 1));
    }
  }

  std::optional<std::string_view> take(std::string_view name) {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i].first != name) continue;
      const std::string_view value = words_[i].second;
      words_.erase(words_.begin() + static_cast<std::ptrdiff_t>(i));
      return value;
    }
    return std::nullopt;
  }

  template <class T>
  void read(std::string_view name, T& into) {
    const auto word = take(name);
    if (!word) return;
    if constexpr (std::same_as<T, std::string>) {
      into = *word;
    } else {
      bool good = true;
      if constexpr (HasNames<T>) {
        const auto value = from_name<T>(*word);
        good = value.has_value();
        if (good) into = *value;
      } else if constexpr (std::same_as<T, bool>) {
        good = *word == "1" || *word == "0";
        into = *word == "1";
      } else {
        double number = 0;
        const auto [end, error] = read_number(word->data(), word->data() + word->size(), number);
        good = error == std::errc() && end == word->data() + word->size() && number >= 0 && number <= kMost;
        if constexpr (std::same_as<T, int>) {
          good = good && number <= kMostWhole && number == std::floor(number);
          if (good) into = static_cast<int>(number);
        } else if (good) {
          into = number;
        }
      }
      if (!good) fail(std::string(name) + "=" + printable(*word, 40) + " cannot be read");
    }
  }

  /// The first problem, an unknown word among them; "" when all is well.
  std::string problem() const {
    if (!problem_.empty() || words_.empty()) return problem_;
    return "unknown '" + printable(words_.front().first, 40) + "'";
  }
  void fail(std::string problem) {
    if (problem_.empty()) problem_ = std::move(problem);
  }

 private:
  std::vector<std::pair<std::string_view, std::string_view>> words_;
  std::string problem_;
};

const auto kReadInto = [](Words& words) {
  return [&words](std::string_view name, auto& value) { words.read(name, value); };
};

std::string one_network(const ModelUse& use) {
  Writer writer;
  ModelUse plain = use;
  if (use.custom) plain.shape = ModelShape{};
  writer.write(plain, [](auto& model, const auto& field) { each_field(model, field); });
  if (use.custom) writer.write(*use.custom, [](auto& custom, const auto& field) { each_custom_field(custom, field); });
  return writer.take();
}

Result<ModelUse> read_network(std::string_view text) {
  Words words(text);
  ModelUse use;
  each_field(use, kReadInto(words));
  CustomModel custom;
  each_custom_field(custom, kReadInto(words));
  if (std::string problem = words.problem(); !problem.empty()) return failure(std::move(problem));
  constexpr double kMostTimes = 1e6;
  if (use.loops > kMostTimes || use.supervision_steps > kMostTimes) return failure("loops cannot be so many");
  if (custom.params > 0) {
    use.custom = custom;
    return use;
  }
  if (use.shape.layers <= 0 || use.shape.hidden <= 0) return failure("a network without layers or hidden");
  complete(use.shape);
  if (std::string problem = contradiction(use.shape); !problem.empty()) return failure(std::move(problem));
  return use;
}

}  // namespace

std::string exact_text(double value) { return shortest_digits(value); }

std::string network_words(const std::vector<ModelUse>& networks) {
  std::vector<std::string> all;
  all.reserve(networks.size());
  for (const ModelUse& use : networks) all.push_back(one_network(use));
  return join(all, " | ");
}

std::string store_words(const Store& store) {
  Writer writer;
  writer.write(store, [](auto& one, const auto& field) { each_store_field(one, field); });
  if (store.disk_rate) writer.add("disk_rate", exact_text(store.disk_rate->value));
  return writer.take();
}

std::string speculation_words(const Speculation& speculation) {
  Writer writer;
  writer.add("tokens", exact_text(speculation.tokens));
  writer.add("acceptance", exact_text(speculation.acceptance));
  std::string text = writer.take();
  if (speculation.draft) text += " | " + one_network(*speculation.draft);
  return text;
}

Result<std::vector<ModelUse>> read_networks(std::string_view words) {
  std::vector<ModelUse> networks;
  const std::vector<std::string_view> parts = split(words, '|');
  if (parts.size() > kMostNetworks) return failure("more networks than a phase has");
  for (const std::string_view part : parts) {
    auto network = read_network(part);
    if (!network) return std::unexpected(std::move(network.error()));
    networks.push_back(*std::move(network));
  }
  return networks;
}

Result<Store> read_store(std::string_view text) {
  Words words(text);
  Store store;
  each_store_field(store, kReadInto(words));
  double rate = 0;
  words.read("disk_rate", rate);
  if (rate > 0) store.disk_rate = BytesPerSecond{rate};
  if (std::string problem = words.problem(); !problem.empty()) return failure(std::move(problem));
  if (!(store.layers > 0) || !(store.width > 0)) return failure("activations without layers or width");
  if (store.to != "disk" && store.to != "memory") return failure("to=" + printable(store.to, 40) + " is no place");
  return store;
}

Result<Speculation> read_speculation(std::string_view text) {
  const std::size_t bar = text.find('|');
  Words words(text.substr(0, bar));
  Speculation speculation;
  words.read("tokens", speculation.tokens);
  words.read("acceptance", speculation.acceptance);
  if (std::string problem = words.problem(); !problem.empty()) return failure(std::move(problem));
  constexpr int kMostGuesses = 1000;
  if (speculation.tokens < 1 || speculation.tokens > kMostGuesses || speculation.acceptance > 1)
    return failure("tokens guessed and their acceptance are out of range");
  if (bar == std::string_view::npos) return speculation;
  auto draft = read_network(text.substr(bar + 1));
  if (!draft) return std::unexpected(std::move(draft.error()));
  if (draft->custom) return failure("a draft whose work is unknown");
  speculation.draft = *std::move(draft);
  return speculation;
}

}  // namespace gpuplan
