// What tables of measured runs have in common: cells that may be empty, the columns that every run has, and rows that
// can not be read beside those that can.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "evidence/validation/measured_run.h"
#include "input/text/csv.h"

namespace gpuplan {

/// Columns that training and generation runs share, found once.
struct RunColumns {
  CsvReader::Column id, source, gpu, gpu_power_w, gpus, gpus_per_node, intra_node, inter_node_gbps, framework, arch,
      model, layers, hidden, heads, kv_heads, head_dim, ffn_hidden, vocab, params_b, active_params_b, experts,
      experts_per_token, moe_ffn_hidden, shared_ffn, dense_layers, gated_mlp, tied_embeddings, kv_lora_rank,
      qk_rope_dim, window, window_layers, peak_memory_gib, memory_kind, distrust, networks, link_kind, link,
      peer_access;

  explicit RunColumns(CsvReader& cells);
};

/// Reads the cells of one row; what is empty stays without a value. Keeps the first error.
class RunCells {
 public:
  RunCells(const CsvTable& table, const RunColumns& columns, std::size_t row)
      : cells_(table), common_(columns), row_(row) {}

  using Column = CsvReader::Column;

  bool empty(Column column) const { return text(column).empty(); }
  std::string_view text(Column column) const { return cells_.text(row_, column); }
  std::optional<double> number(Column column, double low, double high);
  std::optional<int> whole(Column column, int low = 1);
  std::optional<bool> flag(Column column);
  template <HasNames E>
  std::optional<E> choice(Column column) {
    if (empty(column)) return std::nullopt;
    return cells_.choice(row_, column, E{});
  }
  /// What `read` makes of the words of a cell (input/measured/plan_words.h).
  template <class Value, class Read>
  std::optional<Value> words(Column column, const Read& read) {
    if (empty(column)) return std::nullopt;
    auto value = read(text(column));
    if (value) return *std::move(value);
    fail(column_name(column) + ": " + value.error().message);
    return std::nullopt;
  }
  /// Names joined by '+'; "all": every linear layer.
  std::optional<std::vector<std::string>> lora_targets(Column column);
  void fail(std::string message) { cells_.fail(row_, std::move(message)); }

  /// Everything of a run that is no configuration of its kind.
  void read_common(const Catalogue& catalogue, MeasuredRun& run);

  const std::optional<Error>& error() const { return cells_.error(); }

 private:
  std::string column_name(Column column) const;
  void read_planned(MeasuredRun& run);
  void read_shape(const Catalogue& catalogue, MeasuredRun& run);
  ModelShape from_columns(int layers, int hidden, double params, ModelKind kind);
  void set_latent(ModelShape& shape);

  CsvReader cells_;
  const RunColumns& common_;
  std::size_t row_;
};

/// A table whose lines could all be cut into cells, less those that could not.
struct CutTable {
  CutTable() = default;
  CutTable(const CutTable&) = delete;
  CutTable& operator=(const CutTable&) = delete;

  std::string text;  ///< what the cells are views of
  std::optional<CsvTable> table;
  std::vector<Error> bad_lines;
};
/// Errors: no header, or more lines that can not be read than are worth a message each.
Result<void> cut_lines(std::string_view text, std::string_view file, CutTable& into);

/// Bad lines in the order they stand in.
void sort_by_line(std::vector<Error>& bad_lines);

/// Every row by `read(cells)`, which answers with a run or why there is none.
template <class Table, class Read>
void read_rows(const CsvTable& table, const RunColumns& columns, const Read& read, Table& into) {
  into.runs.reserve(table.rows());
  for (std::size_t row = 0; row < table.rows(); ++row) {
    RunCells cells(table, columns, row);
    auto run = read(cells);
    if (!run) {
      into.bad_lines.push_back(std::move(run.error()));
      continue;
    }
    run->place = table.place(row);
    if (run->id.empty()) run->id = "line " + std::to_string(run->place.line);
    into.runs.push_back(*std::move(run));
  }
  sort_by_line(into.bad_lines);
}

}  // namespace gpuplan
