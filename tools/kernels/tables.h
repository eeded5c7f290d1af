// Published kernel times of data/measured/kernels, and what the model says of them. For tools/kernels/fit.cpp and the
// tests; the program itself does not read these tables.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/facts/catalogue.h"
#include "facts/data_folder.h"
#include "input/text/csv.h"
#include "model/communication.h"
#include "model/compute.h"

namespace gpuplan::kernels {

/// C[rows, columns] = A[rows, inner] B[inner, columns] on one GPU.
struct MeasuredProduct {
  const Gpu* gpu = nullptr;
  Precision precision = Precision::kBf16;
  double rows = 0, columns = 0, inner = 0;
  Seconds time{};
  Bytes cache{};  ///< second-level cache of the GPU
};

/// Causal self-attention, forward.
struct MeasuredAttention {
  const Gpu* gpu = nullptr;
  std::string kernel;
  double batch = 0, length = 0, heads = 0, kv_heads = 0, head_width = 0;
  Seconds time{};
};

struct MeasuredCollective {
  const Gpu* gpu = nullptr;
  std::string operation;  ///< all_reduce, all_gather, reduce_scatter or all_to_all
  int gpus = 0;
  Bytes size{};  ///< the whole vector
  Seconds time{};
};

/// How the tables were taken, which is not how products run in training: the same product again and again, so that
/// operands which fit are read from the second-level cache; 8-bit and 4-bit times hold the cast of A, which the model
/// of training counts among the passes over memory.
struct Conditions {
  double cached = 1;      ///< time of a cached byte over one from memory
  double cast_bytes = 0;  ///< traffic of the cast, an element of A
  double cached_cast = 1;
};

/// Share of `size` found in a cache that the last repetition left full; nothing survives once the traffic of one
/// repetition is half as large again as the cache.
inline double cached_share(Bytes size, Bytes cache) { return std::clamp(1.5 - size / cache, 0.0, 1.0); }

/// Time of the product as the tables take it.
inline Seconds table_time(const MeasuredProduct& p, const Efficiency& efficiency, const Conditions& conditions) {
  MatmulRate rate = matmul_rate(*p.gpu, efficiency, p.precision);
  const Bytes size{rate.operand_bytes * p.inner * (p.rows + p.columns) + 2 * p.rows * p.columns};
  rate.byte *= 1 - cached_share(size, p.cache) * (1 - conditions.cached);
  const Bytes cast{conditions.cast_bytes * p.rows * p.inner};
  const Seconds casting = cast / (p.gpu->bandwidth * 0.8) *
                          (1 - cached_share(Bytes{3 * p.rows * p.inner}, p.cache) * (1 - conditions.cached_cast));
  return matmul_time(rate, p.rows, p.columns, p.inner) + casting;
}

/// Time of attention as the tables take it: a kernel that reaches `share` of the peak, in an engine that takes
/// `floor` for each call.
inline Seconds table_time(const MeasuredAttention& a, const Efficiency& efficiency, double share, Seconds floor) {
  const FlopsPerSecond reach = product_peak(*a.gpu, Precision::kBf16) * share;
  const double flops = 4 * a.head_width * a.heads * a.batch * a.length * a.length / 2;  // causal
  return attention_time(efficiency, reach, flops, std::max(1.0, 128 / a.head_width), a.length) + floor;
}

/// Training has thousands of tokens and at least eight heads; kernels with one or two are slow in their own ways.
inline bool like_training(const MeasuredAttention& a) { return a.batch * a.length >= 2048 && a.heads >= 8; }

/// A machine like the one measured. Cards without a link of their own: peer access where they reached it.
inline NodeShape machine_of(const MeasuredCollective& c) {
  NodeShape node;
  node.gpu = c.gpu;
  node.gpus = c.gpus;
  node.link = c.gpu->link;
  node.link_kind = c.gpu->link_kind == LinkKind::kNone ? LinkKind::kPcie : c.gpu->link_kind;
  node.peer_access = c.gpu->name != "L40S";  // as slow as through host memory in that host
  return node;
}

inline Seconds table_time(const MeasuredCollective& c, const Catalogue& catalogue) {
  const LinkRate rate = intra_rate(catalogue, machine_of(c));
  if (c.operation == "all_reduce") return all_reduce_time(rate, c.size, c.gpus);
  if (c.operation == "all_to_all") return all_to_all_time(rate, c.size, c.gpus);
  return all_gather_time(rate, c.size, c.gpus);
}

/// Reads a table row by row: `row(cells, i)` for each.
template <class Row>
void read_table(const std::string& path, Row&& row) {
  const std::string text = facts::file_text(path);
  const CsvTable table = facts::value_or_throw(CsvTable::parse(text, path));
  CsvReader cells(table);
  for (std::size_t i = 0; i < table.rows() && cells.ok(); ++i) row(cells, i);
  if (!cells.ok()) throw std::runtime_error(cells.error()->message);
}

inline const Gpu* gpu_of(const Catalogue& catalogue, CsvReader& cells, std::size_t row) {
  const auto column = cells.column("gpu");
  const Gpu* gpu = catalogue.find_gpu(cells.required(row, column));
  if (gpu == nullptr) cells.fail_cell(row, column, "a GPU of gpus.csv");
  return gpu;
}

/// Rows of a table of kernel times in data/measured/kernels: GPU and time are read here, `fill(cells, i, row)` reads
/// the rest.
template <class Row, class Fill>
std::vector<Row> read_times(const std::string& data, const std::string& name, const Catalogue& catalogue,
                            const Fill& fill) {
  std::vector<Row> all;
  read_table(data + "/measured/kernels/" + name + ".csv", [&](CsvReader& cells, std::size_t i) {
    Row row;
    row.gpu = gpu_of(catalogue, cells, i);
    fill(cells, i, row);
    row.time = cells.number(i, cells.column("time_us"), 0.01, 1e9) * units::microsecond;
    all.push_back(std::move(row));
  });
  return all;
}

/// rows, columns and inner of a product.
template <class Product>
void read_shape(CsvReader& cells, std::size_t row, Product& p) {
  p.rows = cells.number(row, cells.column("rows"), 1, 1e7);
  p.columns = cells.number(row, cells.column("columns"), 1, 1e7);
  p.inner = cells.number(row, cells.column("inner"), 1, 1e7);
}

inline std::vector<MeasuredProduct> read_products(const std::string& data, const Catalogue& catalogue) {
  std::map<const Gpu*, Bytes> caches;
  read_table(data + "/measured/kernels/caches.csv", [&](CsvReader& cells, std::size_t row) {
    const Bytes size{cells.number(row, cells.column("l2", "MiB"), 1, 100'000) * 1048576};
    caches[gpu_of(catalogue, cells, row)] = size;
  });
  return read_times<MeasuredProduct>(data, "matrix_products", catalogue,
                                     [&](CsvReader& cells, std::size_t row, MeasuredProduct& p) {
                                       p.precision = cells.choice(row, cells.column("format"), Precision::kBf16);
                                       read_shape(cells, row, p);
                                       p.cache = caches[p.gpu];
                                     });
}

inline std::vector<MeasuredAttention> read_attention(const std::string& data, const Catalogue& catalogue) {
  return read_times<MeasuredAttention>(data, "attention", catalogue,
                                       [](CsvReader& cells, std::size_t row, MeasuredAttention& a) {
                                         a.kernel = cells.required(row, cells.column("kernel"));
                                         a.batch = cells.number(row, cells.column("batch"), 1, 1e7);
                                         a.length = cells.number(row, cells.column("length"), 1, 1e9);
                                         a.heads = cells.number(row, cells.column("heads"), 1, 1e5);
                                         a.kv_heads = cells.number(row, cells.column("kv_heads"), 1, 1e5);
                                         a.head_width = cells.number(row, cells.column("head_width"), 1, 1e5);
                                       });
}

inline std::vector<MeasuredCollective> read_collectives(const std::string& data, const Catalogue& catalogue) {
  return read_times<MeasuredCollective>(data, "collectives", catalogue,
                                        [](CsvReader& cells, std::size_t row, MeasuredCollective& c) {
                                          c.operation = cells.required(row, cells.column("operation"));
                                          c.gpus = cells.whole(row, cells.column("gpus"), 2, 100'000);
                                          c.size = Bytes{cells.number(row, cells.column("bytes"), 1, 1e15)};
                                        });
}

/// Conditions of the tables, for each row of efficiency.csv ("Hopper HBM") and format.
using AllConditions = std::map<std::pair<std::string, Precision>, Conditions>;

inline std::string family(const Efficiency& efficiency) {
  return efficiency.architecture + " " + efficiency.memory_type;
}

inline AllConditions read_conditions(const std::string& data) {
  AllConditions all;
  read_table(data + "/measured/kernels/conditions.csv", [&](CsvReader& cells, std::size_t row) {
    const std::string name(cells.required(row, cells.column("family")));
    Conditions c;
    c.cached = cells.number(row, cells.column("cached"), 0, 1);
    c.cast_bytes = cells.number(row, cells.column("cast_bytes"), 0, 100);
    c.cached_cast = cells.number(row, cells.column("cached_cast"), 0, 1);
    all[{name, cells.choice(row, cells.column("format"), Precision::kBf16)}] = c;
  });
  return all;
}

/// Median and 90th percentile of |ln(predicted / measured)| as shares, and the median with its sign.
struct Errors {
  std::size_t rows = 0;
  double median = 0, p90 = 0, bias = 0;
};

inline Errors errors_of(std::vector<double> logs) {
  Errors e;
  e.rows = logs.size();
  if (logs.empty()) return e;
  const auto at = [](std::vector<double>& values, double share) {
    const auto index = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(index), values.end());
    return values[index];
  };
  e.bias = std::exp(at(logs, 0.5)) - 1;
  for (double& value : logs) value = std::abs(value);
  e.median = std::exp(at(logs, 0.5)) - 1;
  e.p90 = std::exp(at(logs, 0.9)) - 1;
  return e;
}

}  // namespace gpuplan::kernels
