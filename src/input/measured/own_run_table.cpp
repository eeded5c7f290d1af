#include "input/measured/own_run_table.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "input/measured/generation_run_table.h"
#include "input/measured/own_run_cells.h"
#include "input/measured/run_cells.h"
#include "input/measured/run_table.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

/// What a new table begins with, in this order: what is of the row, of the run, measured, and beside.
constexpr std::array kOwnColumns = {"id",
                                    "date",
                                    "use",
                                    "job",
                                    "phase",
                                    "log",
                                    "gpu",
                                    "gpus",
                                    "gpus_per_node",
                                    "intra_node",
                                    "inter_node_gbps",
                                    "framework",
                                    "model",
                                    "step_seconds",
                                    "output_tokens_per_second",
                                    "prefill_tokens_per_second",
                                    "peak_memory_gib",
                                    "memory_kind",
                                    "arch",
                                    "layers",
                                    "hidden",
                                    "heads",
                                    "kv_heads",
                                    "head_dim",
                                    "ffn_hidden",
                                    "vocab",
                                    "params_b",
                                    "active_params_b",
                                    "experts",
                                    "experts_per_token",
                                    "moe_ffn_hidden",
                                    "shared_ffn",
                                    "dense_layers",
                                    "gated_mlp",
                                    "tied_embeddings",
                                    "kv_lora_rank",
                                    "qk_rope_dim",
                                    "window",
                                    "window_layers",
                                    "seq_len",
                                    "mean_tokens",
                                    "micro_batch",
                                    "grad_accum",
                                    "global_batch",
                                    "dp",
                                    "tp",
                                    "pp",
                                    "vpp",
                                    "cp",
                                    "ep",
                                    "replicas",
                                    "sharding",
                                    "recompute",
                                    "precision",
                                    "master_weights",
                                    "optimizer",
                                    "optimizer_rest",
                                    "optimizer_state",
                                    "offload",
                                    "method",
                                    "lora_rank",
                                    "lora_targets",
                                    "trainable",
                                    "attention",
                                    "compile",
                                    "weights",
                                    "bits_per_weight",
                                    "kv_cache",
                                    "input_tokens",
                                    "output_tokens",
                                    "longest_output",
                                    "cache_tokens",
                                    "batch",
                                    "mode",
                                    "rate_counts",
                                    "requests",
                                    "in_flight",
                                    "parts_attention",
                                    "placement",
                                    "store",
                                    "speculation",
                                    "link_kind",
                                    "link_gb_per_second",
                                    "peer_access",
                                    "networks"};

/// Columns that say of a row that it is of generation.
constexpr std::array kOfGeneration = {
    "mode",    "weights", "output_tokens_per_second", "total_tokens_per_second", "prefill_tokens_per_second",
    "ttft_ms", "tpot_ms"};

/// Of a table, each row as a run.
class RowReader {
 public:
  RowReader(const CsvTable& table, const Catalogue& catalogue)
      : table_(table),
        catalogue_(catalogue),
        header_(table),
        common_(header_),
        training_(header_),
        generation_(header_),
        id_(header_.optional_column("id")),
        date_(header_.optional_column("date")),
        use_(header_.optional_column("use")),
        job_(header_.optional_column("job")),
        phase_(header_.optional_column("phase")),
        log_(header_.optional_column("log")) {
    for (const char* name : kOfGeneration) of_generation_.push_back(header_.optional_column(name));
  }

  Result<OwnRow> read(std::size_t row) const {
    RunCells cells(table_, common_, row);
    OwnRow own;
    own.place = table_.place(row);
    own.id = cells.text(id_);
    own.job = cells.text(job_);
    own.phase = cells.text(phase_);
    own.log = cells.text(log_);
    own.date = cells.text(date_);
    own.use = cells.flag(use_).value_or(true);
    if (cells.error()) return std::unexpected(*cells.error());
    constexpr std::size_t kWithDay = 10, kLongestId = 40;
    const auto wrong = [&](std::string words) { return failure(std::move(words), own.place); };
    if (!own.date.empty() && (own.date.size() != kWithDay || !is_iso_date(own.date)))
      return wrong("column date: '" + printable(own.date, 40) + "' is not a date such as 2026-11-24");
    if (own.id.size() > kLongestId || printable(own.id) != own.id)
      return wrong("column id: '" + printable(own.id, 40) + "' is no id");
    if (own.id.empty()) own.id = "line-" + std::to_string(own.place.line);
    const bool generation =
        std::ranges::any_of(of_generation_, [&](const auto& column) { return !cells.text(column).empty(); });
    if (generation) {
      auto run = read_generation_run(cells, generation_, catalogue_);
      if (!run) return std::unexpected(std::move(run.error()));
      own.run = *std::move(run);
    } else {
      auto run = read_training_run(cells, training_, catalogue_);
      if (!run) return std::unexpected(std::move(run.error()));
      run->settled = true;
      own.run = *std::move(run);
    }
    common_of(own.run).id = own.id;
    common_of(own.run).place = own.place;
    return own;
  }

 private:
  const CsvTable& table_;
  const Catalogue& catalogue_;
  CsvReader header_;
  RunColumns common_;
  TrainingColumns training_;
  GenerationColumns generation_;
  CsvReader::Column id_, date_, use_, job_, phase_, log_;
  std::vector<CsvReader::Column> of_generation_;
};

Result<void> has_gpu(const CsvTable& table) {
  CsvReader header(table);
  header.column("gpu");
  if (!header.ok()) return std::unexpected(*header.error());
  return {};
}

std::string_view measured_table(const AnyRun& run) {
  return std::holds_alternative<TrainingRun>(run) ? "measured/train_runs.csv" : "measured/infer_runs.csv";
}

std::string_view header_of(const AnyRun& run) {
  const std::string_view text = embedded_data(measured_table(run));
  return trim(text.substr(0, text.find('\n')));
}

}  // namespace

Result<OwnRunTable> read_own_runs(std::string_view text, std::string_view file, const Catalogue& catalogue) {
  OwnRunTable out;
  if (trim(text).empty()) return out;
  CutTable cut;
  if (auto done = cut_lines(text, file, cut); !done) return std::unexpected(std::move(done.error()));
  if (auto good = has_gpu(*cut.table); !good) return std::unexpected(std::move(good.error()));
  out.bad_lines = std::move(cut.bad_lines);
  const RowReader reader(*cut.table, catalogue);
  std::set<std::string> ids;
  for (std::size_t row = 0; row < cut.table->rows(); ++row) {
    auto own = reader.read(row);
    if (own && !ids.insert(own->id).second)
      own = failure("id " + own->id + " is there already; only its first row counts", own->place);
    if (own) out.rows.push_back(*std::move(own));
    else out.bad_lines.push_back(std::move(own.error()));
  }
  sort_by_line(out.bad_lines);
  return out;
}

Result<OwnRunFile> OwnRunFile::parse(std::string_view text, std::string_view file) {
  OwnRunFile own;
  if (trim(text).empty()) {
    own.columns_.assign(kOwnColumns.begin(), kOwnColumns.end());
    return own;
  }
  CutTable cut;
  if (auto done = cut_lines(text, file, cut); !done) return std::unexpected(std::move(done.error()));
  if (auto good = has_gpu(*cut.table); !good) return std::unexpected(std::move(good.error()));
  const CsvTable& table = *cut.table;
  for (std::size_t i = 0; i < table.columns(); ++i) {
    std::string name(table.name(i));
    if (!table.unit(i).empty()) name += "[" + std::string(table.unit(i)) + "]";
    own.columns_.push_back(std::move(name));
  }
  // Lines in their order, those that are no rows as they are.
  std::vector<std::pair<int, Line>> lines;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    Line line;
    for (std::size_t i = 0; i < table.columns(); ++i) line.cells.emplace_back(table.cell(row, i));
    lines.emplace_back(table.place(row).line, std::move(line));
  }
  for (const Error& bad : cut.bad_lines) {
    std::string_view rest = text;
    for (int i = 1; i < bad.place.line && rest.find('\n') != std::string_view::npos; ++i)
      rest.remove_prefix(rest.find('\n') + 1);
    Line line;
    line.raw = rest.substr(0, rest.find('\n'));
    if (!trim(line.raw).empty()) lines.emplace_back(bad.place.line, std::move(line));
  }
  sort_stably(lines, {}, &std::pair<int, Line>::first);
  for (auto& [number, line] : lines) own.lines_.push_back(std::move(line));
  return own;
}

std::size_t OwnRunFile::column(std::string_view name) {
  const auto found = std::ranges::find_if(
      columns_, [&](const std::string& known) { return squeeze(known.substr(0, known.find('['))) == squeeze(name); });
  if (found != columns_.end()) return static_cast<std::size_t>(found - columns_.begin());
  columns_.emplace_back(name);
  for (Line& line : lines_)
    if (!line.cells.empty()) line.cells.emplace_back();
  return columns_.size() - 1;
}

const std::string* OwnRunFile::cell(const Line& line, std::string_view name) const {
  for (std::size_t i = 0; i < columns_.size() && !line.cells.empty(); ++i)
    if (squeeze(columns_[i]) == squeeze(name)) return &line.cells[i];
  return nullptr;
}

void OwnRunFile::add(const OwnRow& row) {
  NamedCells cells = cells_of(row.run);
  cells.emplace_back("id", row.id);
  cells.emplace_back("date", row.date);
  cells.emplace_back("use", row.use ? "1" : "0");
  constexpr std::size_t kMostName = 120;
  cells.emplace_back("job", printable(row.job, kMostName));
  cells.emplace_back("phase", printable(row.phase, kMostName));
  cells.emplace_back("log", printable(row.log, kMostName));
  for (const auto& [name, text] : cells) column(name);
  Line line;
  line.cells.resize(columns_.size());
  for (auto& [name, text] : cells) line.cells[column(name)] = std::move(text);
  lines_.push_back(std::move(line));
}

bool OwnRunFile::has(std::string_view id) const {
  return std::ranges::any_of(lines_, [&](const Line& line) {
    const std::string* own = cell(line, "id");
    return own != nullptr && trim(*own) == id;
  });
}

bool OwnRunFile::remove(std::string_view id) {
  return std::erase_if(lines_, [&](const Line& line) {
           const std::string* own = cell(line, "id");
           return own != nullptr && trim(*own) == id;
         }) > 0;
}

int OwnRunFile::use(bool all) {
  const std::size_t at = column("use");
  int changed = 0;
  for (Line& line : lines_) {
    if (line.cells.empty()) continue;
    const std::string wanted = all ? "1" : "0";
    const bool used = trim(line.cells[at]) != "0" && trim(line.cells[at]) != "no";
    if (used != all) ++changed;
    line.cells[at] = wanted;
  }
  return changed;
}

std::string OwnRunFile::text() const {
  const auto joined = [](const std::vector<std::string>& cells) {
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) line += ',';
      line += csv_cell(cells[i]);
    }
    return line + '\n';
  };
  std::string text = joined(columns_);
  for (const Line& line : lines_) {
    if (!line.cells.empty()) {
      text += joined(line.cells);
    } else {
      text += line.raw;
      text += '\n';
    }
  }
  return text;
}

std::string own_run_id(const OwnRow& row) {
  // FNV-1a of everything that the row says.
  std::uint64_t hash = 14695981039346656037U;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
    hash = (hash ^ 0xffU) * 1099511628211U;
  };
  for (const auto& [name, text] : cells_of(row.run)) {
    add(name);
    add(text);
  }
  for (const std::string* text : {&row.job, &row.phase, &row.log}) add(*text);
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  constexpr int kLength = 6;
  std::string id = "r";  // no spreadsheet takes it for a number
  for (int i = 0; i < kLength; ++i) {
    id += kDigits[hash % kDigits.size()];
    hash /= kDigits.size();
  }
  return id;
}

std::string shared_header(const AnyRun& run) { return std::string(header_of(run)); }

std::string shared_line(const OwnRow& row, std::string_view source, const Catalogue& catalogue) {
  NamedCells cells = cells_of(row.run);
  const bool public_model = catalogue.find_model(common_of(row.run).model) != nullptr;
  if (!public_model) std::erase_if(cells, [](const auto& cell) { return cell.first == "model"; });
  cells.emplace_back("id", std::string(source) + "-001");
  cells.emplace_back("source", source);
  cells.emplace_back("trust", "B");
  cells.emplace_back("publication", "own run of a user of gpuplan");
  std::string line;
  for (const std::string_view column : split(header_of(row.run), ',')) {
    if (!line.empty()) line += ',';
    const auto found = std::ranges::find(cells, column, &NamedCells::value_type::first);
    if (found != cells.end()) line += csv_cell(found->second);
  }
  return line;
}

}  // namespace gpuplan
