// Published times of kernels that serve models, and what the model says of them. For tools/kernels/fit_serving.cpp and
// the tests; the program itself does not read these tables.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/tables.h"
#include "model/generation/serving_kernels.h"

namespace gpuplan::kernels {

/// A product of stored weights with a few or many rows.
struct ServedProduct {
  const Gpu* gpu = nullptr;
  std::string format;  ///< as in the table: a Format, "fp8 block" (scales for blocks) or "w8a8" (int8, activations too)
  double rows = 0, columns = 0, inner = 0;
  Seconds time{};
};

struct ServedAttention {
  const Gpu* gpu = nullptr;
  std::string format;  ///< of the cache
  CachedAttention shape;
  Seconds time{};
};

struct ServedPrompt {
  const Gpu* gpu = nullptr;
  std::string format;  ///< of the cache
  CausalAttention shape;
  Seconds time{};
};

struct ServedExperts {
  const Gpu* gpu = nullptr;
  std::string format;
  ExpertLayer shape;
  double skew = 0;  ///< exponent of the power law that experts are chosen by; 0: all alike, without chance
  Seconds time{};
};

inline Format stored_format(const std::string& name) {
  if (name == "fp8 block") return Format::kFp8;
  if (name == "w8a8") return Format::kInt8;
  const auto format = from_name<Format>(name);
  if (!format) throw std::runtime_error("no format of weights: " + name);
  return *format;
}

inline Seconds table_time(const ServedProduct& p, const Efficiency& efficiency) {
  const Activations activations = p.format == "w8a8" ? Activations::kEightBit : Activations::kAsWeights;
  return matmul_time(serving_rate(efficiency, *p.gpu, stored_format(p.format), activations), p.rows, p.columns,
                     p.inner);
}

inline Seconds table_time(const ServedAttention& a, const Efficiency& efficiency) {
  return cached_attention_time(efficiency, *a.gpu, a.shape);
}

inline Seconds table_time(const ServedPrompt& p, const Efficiency& efficiency) {
  return prompt_attention_time(efficiency, *p.gpu, p.shape, efficiency.attention);
}

/// Experts chosen by a power law: the busiest of many ranks has this much more than the mean, and fewer experts are
/// used, as if there were fewer tokens. Fitted once to all tables.
inline constexpr double kBusiest = 1.24;
inline constexpr double kSpread = 0.9;

inline Seconds table_time(const ServedExperts& e, const Efficiency& efficiency) {
  ExpertLayer layer = e.shape;
  const ServingRate rate = experts_rate(efficiency, *e.gpu, stored_format(e.format));
  if (e.skew == 0) return experts_time(rate, layer, std::min(layer.experts, layer.tokens * layer.top_k));
  layer.skew = kBusiest * (layer.ep - 1) / layer.ep;
  return experts_time(rate, layer, touched_experts(layer.tokens * kSpread, layer.top_k, layer.experts));
}

inline std::vector<ServedProduct> read_served_products(const std::string& data, const Catalogue& catalogue) {
  return read_times<ServedProduct>(data, "served_products", catalogue,
                                   [](CsvReader& cells, std::size_t row, ServedProduct& p) {
                                     p.format = cells.required(row, cells.column("format"));
                                     read_shape(cells, row, p);
                                   });
}

/// What attention over a cache and over prompts has in common.
template <class Served>
void read_attention_shape(CsvReader& cells, std::size_t row, Served& a) {
  a.format = cells.required(row, cells.column("cache"));
  a.shape.batch = cells.number(row, cells.column("batch"), 1, 1e7);
  a.shape.window = cells.number(row, cells.column("window"), 0, 1e9);
  a.shape.heads = cells.number(row, cells.column("heads"), 1, 1e5);
  a.shape.head_dim = cells.number(row, cells.column("head_width"), 1, 1e5);
  a.shape.kv_bytes = bytes_of(stored_format(a.format));
}

inline std::vector<ServedAttention> read_served_attention(const std::string& data, const Catalogue& catalogue) {
  return read_times<ServedAttention>(
      data, "cached_attention", catalogue, [](CsvReader& cells, std::size_t row, ServedAttention& a) {
        read_attention_shape(cells, row, a);
        a.shape.cached = cells.number(row, cells.column("cached"), 1, 1e9) - 1;  // the table counts the new token
        a.shape.kv_heads = cells.number(row, cells.column("kv_heads"), 1, 1e5);
      });
}

inline std::vector<ServedPrompt> read_served_prompts(const std::string& data, const Catalogue& catalogue) {
  return read_times<ServedPrompt>(data, "prefill_attention", catalogue,
                                  [](CsvReader& cells, std::size_t row, ServedPrompt& p) {
                                    read_attention_shape(cells, row, p);
                                    p.shape.tokens = cells.number(row, cells.column("length"), 1, 1e9);
                                  });
}

inline std::vector<ServedExperts> read_served_experts(const std::string& data, const Catalogue& catalogue) {
  return read_times<ServedExperts>(data, "experts", catalogue, [](CsvReader& cells, std::size_t row, ServedExperts& e) {
    const auto count = [&](const char* name) { return cells.number(row, cells.column(name), 1, 1e7); };
    e.format = cells.required(row, cells.column("format"));
    e.shape.tokens = count("tokens");
    e.shape.hidden = count("hidden");
    e.shape.width = count("width");
    e.shape.top_k = count("top_k");
    e.shape.experts = count("experts");
    e.shape.tp = count("tp");
    e.shape.ep = count("ep");
    e.skew = cells.number(row, cells.column("skew"), 0, 10);
  });
}

}  // namespace gpuplan::kernels
