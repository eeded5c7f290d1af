#include "input/prices/trace_file.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/amount.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/text/csv.h"
#include "input/text/json_text.h"
#include "input/text/plain_text.h"

namespace gpuplan {
namespace {

constexpr double kMostMachines = 1e6;
constexpr double kLongestGap = 7 * 86400;
constexpr std::size_t kMostTicks = 4'000'000;
constexpr const char* kForm = R"({"metadata": {"gap_seconds": 600}, "data": [1, 0, ...]})";
constexpr const char* kMachineCount = "a whole number of machines from 0 to 1,000,000";
constexpr const char* kGap = "seconds above 0 and up to a week";

bool is_gap(double seconds) { return seconds > 0 && seconds <= kLongestGap; }
bool is_machines(double count) { return count >= 0 && count <= kMostMachines && std::floor(count) == count; }

std::optional<double> plain_number(std::string_view text) {
  for (const char c : text)  // "12 k" and "5%" are amounts and no numbers of a trace
    if (!is_digit(c) && std::string_view("+-.eE").find(c) == std::string_view::npos) return std::nullopt;
  const auto number = parse_amount(text, AmountKind::kCount);
  return number ? std::optional(*number) : std::nullopt;
}

/// Takes from the JSON what a trace has; other keys are passed over.
class TraceEvents : public JsonEvents {
 public:
  bool begin_map() override { return open(); }
  bool begin_list() override {
    if (depth_ == 1 && key_ == "data") in_data_ = has_data_ = true;
    else if (in_data_) return wrong("a list");
    return open();
  }
  bool end() override {
    --depth_;
    if (depth_ == 1) in_data_ = in_metadata_ = false;
    return true;
  }
  bool key(std::string&& name) override {
    key_ = std::move(name);
    return true;
  }
  bool string(std::string&& text) override { return value("'" + printable(text, 40) + "'", std::nullopt); }
  bool word(std::string&& text) override { return value(printable(text, 40), plain_number(text)); }

  Trace trace;
  std::string problem;
  bool at_value = false;  ///< the problem is the last value of the data

  bool has_data() const { return has_data_; }
  bool has_gap() const { return has_gap_; }

 private:
  bool open() {
    if (in_data_ && depth_ >= 2) return wrong("a map");
    if (depth_ == 1 && key_ == "metadata") in_metadata_ = true;
    ++depth_;
    return true;
  }
  bool wrong(const std::string& got) {
    problem = "data[" + std::to_string(trace.machines.size()) + "]: expected " + kMachineCount + ", got " + got;
    at_value = true;
    return false;
  }
  bool value(const std::string& shown, std::optional<double> number) {
    if (in_data_) {
      if (!number || !is_machines(*number)) return wrong(shown);
      if (trace.machines.size() == kMostTicks) {
        problem = "more than " + count_text(kMostTicks) + " ticks; split the trace";
        return false;
      }
      trace.machines.push_back(whole<std::int32_t>(*number));
    } else if (in_metadata_ && depth_ == 2 && key_ == "gap_seconds") {
      if (!number || !is_gap(*number)) {
        problem = std::string("metadata.gap_seconds: expected ") + kGap + ", got " + shown;
        return false;
      }
      trace.gap = Seconds{*number};
      has_gap_ = true;
    }
    return true;
  }

  std::string key_;
  int depth_ = 0;
  bool in_data_ = false, in_metadata_ = false, has_data_ = false, has_gap_ = false;
};

/// Where value `index` of the data stands: behind so many commas.
Place place_of_value(std::string_view text, std::size_t index, const std::string& file) {
  std::size_t at = text.find("\"data\"");
  at = at == std::string_view::npos ? at : text.find('[', at);
  for (std::size_t i = 0; i < index && at != std::string_view::npos; ++i) at = text.find(',', at + 1);
  if (at == std::string_view::npos) return {file};
  at = text.find_first_not_of(" \t\r\n", at + 1);
  return at == std::string_view::npos ? Place{file} : place_of_byte(text, at, file);
}

Place place_of_key(std::string_view text, std::string_view key, const std::string& file) {
  const std::size_t at = text.find(key);
  return at == std::string_view::npos ? Place{file} : place_of_byte(text, at, file);
}

Result<Trace> read_json_trace(std::string_view text, const std::string& file) {
  TraceEvents events;
  const auto read = read_json(text, file, {.bytes = kMaxTraceBytes, .values = kMostTicks + 1000, .depth = 16}, events);
  if (!read) {
    Error error = read.error();
    if (error.message == "not valid JSON") error.message += std::string("; it may be cut off; expected ") + kForm;
    return std::unexpected(std::move(error));
  }
  if (!events.problem.empty()) {
    const Place place = events.at_value ? place_of_value(text, events.trace.machines.size(), file)
                                        : place_of_key(text, "\"gap_seconds\"", file);
    return failure(std::move(events.problem), place);
  }
  if (!events.has_gap())
    return failure(std::string("has no metadata.gap_seconds, the length of a tick; expected ") + kForm, {file});
  if (!events.has_data()) return failure(std::string("has no list 'data'; expected ") + kForm, {file});
  if (events.trace.machines.empty())
    return failure("'data' is empty: a trace needs at least one tick", place_of_key(text, "\"data\"", file));
  return std::move(events.trace);
}

Result<Trace> read_csv_trace(std::string_view text, const std::string& file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto available = cells.column("available");
  const auto gap = cells.optional_column("gap_seconds");
  const auto time = gap ? CsvReader::Column() : cells.optional_column("time");
  if (!cells.ok()) return std::unexpected(*cells.error());
  if (table->rows() == 0) return failure("has no rows; a trace needs at least one tick", {file, 1, 0});
  if (!gap && !time)
    return failure(
        "has neither a column gap_seconds nor a column time; expected 'gap_seconds,available' or "
        "'time,available'",
        table->place(0));
  if (time && table->rows() < 2)
    return failure("one row does not tell the length of a tick; give at least two times", table->place(0));
  Trace trace;
  trace.machines.reserve(table->rows());
  double before = 0;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto count = plain_number(cells.required(row, available));
    if (cells.ok() && (!count || !is_machines(*count))) cells.fail_cell(row, available, kMachineCount);
    const auto seconds = plain_number(cells.text(row, gap ? gap : time));
    if (gap && (row == 0 || !cells.text(row, gap).empty())) {
      if (!seconds || !is_gap(*seconds)) cells.fail_cell(row, gap, kGap);
      else if (row > 0 && Seconds{*seconds} != trace.gap)
        cells.fail(
            row, "column gap_seconds: every tick is as long as the first one, " + number_text(trace.gap.value) + " s");
      else trace.gap = Seconds{*seconds};
    }
    if (time) {
      if (!seconds) cells.fail_cell(row, time, "a number of seconds");
      else if (row == 1 && !is_gap(*seconds - before))
        cells.fail(row, "column time: expected a time after the one before, by at most a week");
      else if (row == 1) trace.gap = Seconds{*seconds - before};
      else if (row > 1 && std::abs(*seconds - before - trace.gap.value) > 1e-6 * trace.gap.value)
        cells.fail(row, "column time: every tick is as long as the first one, " + number_text(trace.gap.value) +
                            " s; expected " + number_text(before + trace.gap.value));
      before = seconds.value_or(0);
    }
    trace.machines.push_back(whole<std::int32_t>(count && is_machines(*count) ? *count : 0.0));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return trace;
}

}  // namespace

Result<Trace> read_trace(std::string_view text, const std::string& file) {
  if (text.size() > kMaxTraceBytes)
    return failure("too large (limit " + count_text(static_cast<double>(kMaxTraceBytes)) + " bytes)", {file});
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return failure(std::string("is empty; expected ") + kForm, {file});
  if (const auto bad = first_bad_byte(text)) return bad_byte_failure(text, *bad, file, "a trace as JSON or CSV text");
  if (text[begin] == '[')
    return failure(std::string("is a list; expected the length of a tick too: ") + kForm, {file, 1, 0});
  return text[begin] == '{' ? read_json_trace(text, file) : read_csv_trace(text, file);
}

Result<std::vector<TraceStart>> read_starts(std::string_view text, const std::string& file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto tick = cells.column("start_tick");
  const auto gap = cells.optional_column("gap_seconds");
  auto trace = cells.optional_column("trace");
  if (!trace) trace = cells.optional_column("zone_device");
  std::vector<TraceStart> starts;
  starts.reserve(table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    cells.required(row, tick);
    TraceStart start;
    start.tick = cells.whole(row, tick, 0, static_cast<int>(kMostTicks));
    start.gap = Seconds{cells.number(row, gap, 0, kLongestGap)};
    start.trace = trace ? std::string(cells.required(row, trace)) : "";
    start.line = table->place(row).line;
    starts.push_back(std::move(start));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  if (starts.empty()) return failure("has no rows; expected one for each replay", {file, 1, 0});
  return starts;
}

}  // namespace gpuplan
