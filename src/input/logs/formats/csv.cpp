#include "input/logs/formats/csv.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/logs/book/names.h"
#include "input/logs/fields/fields.h"
#include "input/logs/formats/formats.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostColumns = 4096;

/// The next cell, taken off with the separator behind it; `more` tells whether there was one. Quotes are left out; a
/// cell with quotes inside of quotes is no number anyway.
std::string_view take_cell(std::string_view& rest, bool& more, char separator = ',') {
  std::string_view cell;
  if (rest.starts_with('"')) {
    const std::size_t end = rest.find('"', 1);
    cell = rest.substr(1, end == std::string_view::npos ? end : end - 1);
    rest.remove_prefix(std::min(rest.size(), rest.find(separator, end)));
  } else {
    const std::size_t comma = std::min(rest.size(), rest.find(separator));
    cell = rest.substr(0, comma);
    rest.remove_prefix(comma);
  }
  more = rest.starts_with(separator);
  if (more) rest.remove_prefix(1);
  while (rest.starts_with(' ')) rest.remove_prefix(1);
  return cell;
}

/// "epoch: [1/500]", "Loss 6.9": a number under its name is no name of a column.
bool has_value(std::string_view cell) {
  LogFields fields(cell);
  for (LogField field; fields.next(field);)
    if (meaning_of(field).kind != NamedValue::Kind::kNothing) return true;
  return false;
}

/// What a column of another program's table is, if its name says so alone.
NamedValue column_named(std::string_view name) {
  LogField field{.name = name};
  if (const std::size_t open = name.find_first_of("(["); open != std::string_view::npos && open > 0) {
    field.name = trim(name.substr(0, open));
    field.unit = name.substr(open + 1, name.size() - std::min(name.size(), open + 2));
  }
  NamedValue value = meaning_of(field);
  // DeepSpeed's monitor: "Train/Samples/train_loss"
  if (const std::size_t slash = field.name.rfind('/');
      value.kind == NamedValue::Kind::kNothing && slash != std::string_view::npos) {
    field.name.remove_prefix(slash + 1);
    value = meaning_of(field);
    if (value.kind != NamedValue::Kind::kQuantity) value = {};  // "requests/s" has no number of a step
  }
  return value.kind == NamedValue::Kind::kMeanTime ? NamedValue{} : value;
}

}  // namespace

std::string_view LogCsv::inside(std::string_view text) {
  text = trim(text);
  if (text.starts_with('|')) text.remove_prefix(1);
  if (text.ends_with('|')) text.remove_suffix(1);
  return text;
}

bool LogCsv::head(LogBook& book, const LogLine& line, bool first, const LogNames& names) {
  const std::string_view text = trim(line.text);
  const bool commas = text.find(',') != std::string_view::npos;
  // "| step | loss |" of Markdown
  const bool bars = text.size() > 2 && text.starts_with('|') && text.ends_with('|');
  if (!commas && !bars && text.find('\t') == std::string_view::npos && !text.starts_with("memory.used")) return false;
  if (bars) {
    separator_ = '|';
    if (!metrics_head(inside(text), names)) return false;
    book.shows(format_);
    return true;
  }
  separator_ = commas ? ',' : '\t';
  // What a notebook shows of Hugging Face's Trainer, copied: "Step	Training Loss	Validation Loss".
  const bool notebook = text.starts_with("Step\tTraining Loss") || text.starts_with("Epoch\tTraining Loss");
  const bool may_begin = (first || notebook) && !text.contains('{');  // which records have
  if (!sample_head(text) && !bench_head(text) && !(may_begin && metrics_head(text, names))) return false;
  book.shows(format_);
  return true;
}

/// "runs/run-a-tag-train_loss.csv"
void LogCsv::name_file(std::string_view name) {
  name.remove_prefix(name.find_last_of("/\\") + 1);
  name = name.substr(0, name.rfind('.'));
  constexpr std::string_view kTag = "tag-";
  if (const std::size_t at = name.rfind(kTag); at != std::string_view::npos) name.remove_prefix(at + kTag.size());
  const NamedValue known = named_value(name);
  tag_ = known.kind == NamedValue::Kind::kNothing ? column_named(name) : known;
}

/// "index, utilization.gpu [%], memory.used [MiB], power.draw [W]"
bool LogCsv::sample_head(std::string_view text) {
  if (text.find("utilization.gpu [") == std::string_view::npos && text.find("memory.used [") == std::string_view::npos)
    return false;
  std::vector<Column> columns;
  bool more = true;
  while (more && columns.size() < kMostColumns) {
    const std::string_view name = trim(take_cell(text, more));
    Column column;
    if (name == "index") column.kind = Column::Kind::kGpu;
    else if (name.starts_with("utilization.gpu")) column.kind = Column::Kind::kBusy;
    else if (name.starts_with("memory.used")) column.kind = Column::Kind::kMemory;
    else if (name == "name" || name == "gpu_name") column.kind = Column::Kind::kName;
    columns.push_back(column);
  }
  columns_ = std::move(columns);
  format_ = LogFormat::kNvidiaSmi;
  return true;
}

/// llama-bench's "-o csv": "build_commit,...,n_prompt,n_gen,...,avg_ts,stddev_ts".
bool LogCsv::bench_head(std::string_view text) {
  if (text.find("n_gen,") == std::string_view::npos || text.find(",avg_ts") == std::string_view::npos) return false;
  std::vector<Column> columns;
  for (bool more = true; more && columns.size() < kMostColumns;) {
    const std::string_view name = take_cell(text, more);
    columns.push_back({name == "n_gen"    ? Column::Kind::kWritten
                       : name == "avg_ts" ? Column::Kind::kRate
                                          : Column::Kind::kOther,
                       {}});
  }
  columns_ = std::move(columns);
  format_ = LogFormat::kLlamaCpp;
  return true;
}

/// Lightning: "epoch,step,train_loss,val_loss"; W&B: "Step","run - train/loss","run - train/loss__MIN",...
bool LogCsv::metrics_head(std::string_view text, const LogNames& names) {
  std::vector<Column> columns;
  bool more = true, epoch = false, step = false, wandb = false, quantities = false, axis = false, mapped = false;
  const bool quoted = text.contains('"');
  const bool first_is_axis =
      text.starts_with("\"Step\"") || text.starts_with("Step,") || text.find("Relative Time") < 2;
  while (more && columns.size() < kMostColumns) {
    std::string_view name = trim(take_cell(text, more, separator_));
    epoch = epoch || name == "epoch";
    step = step || name == "step";
    wandb = wandb || name.ends_with("__MIN");
    // "<run> - <metric>"; the first run of several counts.
    if (const std::size_t dash = name.rfind(" - "); dash != std::string_view::npos) name.remove_prefix(dash + 3);
    if (!quoted && has_value(name)) return false;
    const NamedValue own = names.meaning(name);
    mapped = mapped || own.kind != NamedValue::Kind::kNothing;
    Column column{Column::Kind::kValue, own.kind == NamedValue::Kind::kNothing ? named_value(name) : own};
    if (column.value.kind == NamedValue::Kind::kNothing) column.value = name == "Value" ? tag_ : column_named(name);
    axis = axis || column.value.kind == NamedValue::Kind::kStep;
    const bool taken = std::ranges::any_of(columns, [&](const Column& other) {
      return other.value.kind == column.value.kind && other.value.quantity == column.value.quantity;
    });
    if (taken || column.value.kind == NamedValue::Kind::kNothing) column.kind = Column::Kind::kOther;
    quantities =
        quantities || (column.kind == Column::Kind::kValue && column.value.kind == NamedValue::Kind::kQuantity);
    columns.push_back(column);
  }
  const bool lightning = epoch && step && separator_ == ',';
  wandb = separator_ == ',' && first_is_axis && (wandb || (quantities && columns.size() > 1));
  // "epoch,train_loss,valid_loss,accuracy,time" of fastai and Keras: a row for each epoch, and no steps.
  axis = axis || epoch;
  if (!lightning && !wandb && !((axis || mapped) && quantities)) return false;
  format_ = lightning ? LogFormat::kLightning : wandb ? LogFormat::kWandb : LogFormat::kTable;
  columns_ = std::move(columns);
  return true;
}

Match LogCsv::row(LogBook& book, const LogLine& line) const {
  if (format_ == LogFormat::kNvidiaSmi) return sample(book, line);
  return format_ == LogFormat::kLlamaCpp ? bench(book, line) : metrics(book, line);
}

Match LogCsv::sample(LogBook& book, const LogLine& line) const {
  std::string_view rest = line.text, gpu = "0", name;
  scan::skip_spaces(rest);
  std::optional<double> busy, memory;
  std::size_t at = 0;
  for (bool more = true; more; ++at) {
    if (at == columns_.size()) return Match::kNo;
    const std::string_view cell = take_cell(rest, more);
    if (at == 0 && !more && columns_.size() > 1) return Match::kNo;
    switch (columns_[at].kind) {
      case Column::Kind::kGpu:
        if (cell.empty() || !is_digit(cell.front())) return Match::kNo;
        gpu = cell;
        break;
      // "[N/A]" and "[Not Supported]" are no numbers.
      case Column::Kind::kBusy:
        if (const auto value = scan::number(cell)) busy = *value / 100;
        else if (!cell.starts_with('[')) return Match::kNo;
        break;
      case Column::Kind::kMemory:
        memory = scan::number(cell);
        if (!memory && !cell.starts_with('[')) return Match::kNo;
        break;
      case Column::Kind::kName:
        name = cell;
        break;
      case Column::Kind::kOther:
      case Column::Kind::kValue:
      case Column::Kind::kWritten:
      case Column::Kind::kRate:
        break;
    }
  }
  if (at != columns_.size()) return Match::kBroken;
  if (!name.empty() && book.log.gpu.empty()) book.log.gpu = printable(name, 80);
  book.shows(LogFormat::kNvidiaSmi);
  book.gpu_sample(gpu, busy, memory ? std::optional(*memory * units::MiB) : std::nullopt, line.number);
  return Match::kRecord;
}

/// Tokens a second of reading or of generating, as the count of those written tells.
Match LogCsv::bench(LogBook& book, const LogLine& line) const {
  std::string_view rest = line.text;
  double written = 0, rate = 0;
  std::size_t at = 0;
  for (bool more = true; more; ++at) {
    if (at == columns_.size()) return Match::kNo;
    const double value = scan::number(take_cell(rest, more)).value_or(0);
    if (columns_[at].kind == Column::Kind::kWritten) written = value;
    if (columns_[at].kind == Column::Kind::kRate) rate = value;
  }
  if (at != columns_.size()) return at == 1 ? Match::kNo : Match::kBroken;
  book.shows(format_);
  if (written > 0) book.generates(rate, format_, line);
  return Match::kRecord;
}

Match LogCsv::metrics(LogBook& book, const LogLine& line) const {
  const bool bars = separator_ == '|';
  if (bars && !trim(line.text).starts_with('|')) return Match::kNo;
  std::string_view rest = bars ? inside(line.text) : line.text;
  StepRecord record;
  std::size_t at = 0;
  for (bool more = true; more; ++at) {
    if (at == columns_.size()) return Match::kNo;
    std::string_view cell = take_cell(rest, more, separator_);
    if (bars) cell = trim(cell);
    if (columns_[at].kind != Column::Kind::kValue || cell.empty()) continue;
    std::string_view text = cell;
    double value = 0;
    if (!scan::take_number(text, value)) {
      if (columns_[at].value.kind == NamedValue::Kind::kStep) return Match::kNo;
      continue;
    }
    note_value(book, record, columns_[at].value, value);
  }
  if (at != columns_.size()) return at == 1 ? Match::kNo : Match::kBroken;
  if (record.known == 0) book.shows(format_);
  else book.record(format_, record, line);
  return Match::kRecord;
}

// What W&B prints when a run is over (wandb/sdk/lib/printer.py): the last value of each name, below "Run summary:". It
// counts where the program itself printed nothing.
/// "wandb:          train/loss 2.1234"; the sparkline of "Run history:" is no number.
void wandb_line(LogBook& book, const LogLine& line, std::string_view rest) {
  if (!line.text.starts_with("wandb: ")) return;
  std::optional<StepRecord>& summary = book.facts.wandb_summary;
  const std::string_view text = trim(rest);
  if (text == "Run summary:") {
    summary = StepRecord{};
    return;
  }
  if (!summary) return;
  const std::size_t blank = text.find(' ');
  const std::string_view name = text.substr(0, blank);
  const auto value = blank == std::string_view::npos ? std::nullopt : scan::number(trim(text.substr(blank)));
  if (value) {
    if (name == "_step" || name == "step" || name.ends_with("global_step")) summary->step = *value;
    else if (!note_value(book, *summary, name, *value)) note_value(book, *summary, meaning_of_key(name), *value);
    return;
  }
  wandb_end(book, line);
}

void wandb_end(LogBook& book, const LogLine& line) {
  if (!book.facts.wandb_summary) return;
  const StepRecord record = *std::exchange(book.facts.wandb_summary, std::nullopt);
  if (book.told_by() || record.known == 0) return;
  book.record(LogFormat::kWandb, record, line);
}

}  // namespace gpuplan
