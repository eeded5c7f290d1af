#include "input/logs/reader.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/logs/book/book.h"
#include "input/logs/book/lines.h"
#include "input/logs/book/quoting.h"
#include "input/logs/book/tracebacks.h"
#include "input/logs/book/wrapped_lines.h"
#include "input/logs/formats/columns.h"
#include "input/logs/formats/csv.h"
#include "input/logs/formats/formats.h"
#include "input/logs/formats/json.h"
#include "input/logs/formats/keywords.h"
#include "input/logs/formats/tensorboard.h"
#include "input/logs/metrics.h"
#include "input/logs/others/others.h"
#include "input/logs/others/requests.h"
#include "input/logs/others/ruled_table.h"
#include "input/text/gunzip.h"
#include "input/text/untidy/utf8_text.h"

namespace gpuplan {
namespace {

/// A number that a text without a line feed ends in may go on: it is left out.
std::string_view without_last_number(std::string_view text) {
  const std::size_t end = text.find_last_not_of("0123456789.,+-") + 1;
  return text.find_first_of("0123456789", end) == std::string_view::npos ? text : text.substr(0, end);
}

/// Programs end their lines; of a record without an end its last sign tells whether it broke off: bars end in ']',
/// dicts in '}', fields in '|', shares in '%', nanochat's times in 'm'.
bool looks_complete(std::string_view text) { return text.find_last_of("]}|%m") == text.find_last_not_of(' '); }

/// What a file is made of; its first bytes decide.
enum class Content : std::uint8_t { kUndecided, kText, kJson, kTensorBoard };

/// Records of a line each with a map inside, as structured loggers write them: `{"level": "INFO", "fields": {"step": 5,
/// ...}}`. A document may be one line, too, but has lists, or nothing behind it.
bool has_lines_with_maps(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.substr(end + 1).starts_with('{')) return false;
  const std::string_view line = trim(text.substr(0, end));
  return line.ends_with('}') && line.find('{', 1) != std::string_view::npos && !line.contains('[');
}

Content content_of(std::string_view start) {
  if (LogTensorBoard::begins(start)) return Content::kTensorBoard;
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t brace = start.find_first_not_of(kSpaces);
  if (brace == std::string_view::npos || start[brace] != '{') return Content::kText;
  if (start.substr(brace).starts_with("{\"log\":") || holds_line_records(start) ||
      has_lines_with_maps(start.substr(brace)))
    return Content::kText;
  const std::size_t next = start.find_first_not_of(kSpaces, brace + 1);  // Python writes {'loss': ...}
  return next == std::string_view::npos || start[next] == '"' ? Content::kJson : Content::kText;
}

/// A document of JSON says on its first lines what it holds, one of records on its first.
bool tells_content(std::string_view start) {
  constexpr std::size_t kMost = std::size_t{64} << 10U;
  if (LogTensorBoard::begins(start) || start.size() >= kMost) return true;
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  if (start[first] != '{') return true;
  const std::string_view line = start.substr(first, start.find('\n', first) - first);
  return line.size() + first < start.size() && trim(line).size() > 1;
}

/// One file of a log.
struct File {
  MaybeGzip bytes;
  ToUtf8 text;
  Content content = Content::kUndecided;
  std::string undecided;  ///< the first bytes of what was compressed
  LineCutter lines;
  WrappedLines wrapped;
  LogJson json;
  LogTensorBoard events;
  LogCsv table;
  RuledTable ruled;
  RequestTimes requests;
  Quoting quoting;
  std::uint64_t json_lines = 0;  ///< before the text began
  bool first_line = true;
  std::string dict;  ///< of several lines, as far as it was read
  int dict_rank = -1;
  bool labels = true;  ///< every line begins with a bare number
  Tracebacks tracebacks;
  char last = '\n';  ///< of what was compressed
  bool cut_off = false;
  bool damaged = false;  ///< nothing could be unpacked
};

}  // namespace

struct LogReader::State {
  explicit State(LogMetrics read) : metrics(std::move(read)) {}

  LogBook book;
  LogMetrics metrics;
  LogNames names;
  std::optional<LogColumns> columns;  ///< asked for
  std::uint32_t files = 0;            ///< before this one
  File file;
  std::uint64_t lines = 0, long_lines = 0;  ///< of the files before
  std::string buffer;
  RunLog so_far;  ///< what was asked for last

  void feed(std::string_view bytes) {
    book.log.bytes += bytes.size();
    file.bytes.feed(bytes, [this](std::string_view out) { encoded(out); });
  }

  void encoded(std::string_view bytes) {
    file.text.feed(bytes, [this](std::string_view out) { plain(out); });
  }

  void plain(std::string_view bytes) {
    if (!bytes.empty()) file.last = bytes.back();
    if (file.content == Content::kUndecided) {
      file.undecided += bytes;
      if (file.undecided.size() >= LogTensorBoard::kHead && tells_content(file.undecided)) decide();
      return;
    }
    decided(bytes);
  }

  void decide() {
    const std::string start = std::exchange(file.undecided, {});
    file.content = content_of(start);
    decided(start);
  }

  void decided(std::string_view bytes) {
    if (file.content == Content::kTensorBoard) {
      file.events.feed(book, bytes);
      return;
    }
    if (file.content == Content::kJson) {
      if (file.json.feed(book, bytes)) return;
      // A log whose first line is a record: what follows is text.
      bytes.remove_prefix(file.json.bad_at());
      file.content = Content::kText;
      file.json_lines = file.json.lines();
      file.first_line = false;
      if (file.json.lost_brace()) cut("{");
    }
    cut(bytes);
  }

  void cut(std::string_view bytes) {
    file.lines.feed(bytes, [this](std::string_view raw, std::uint32_t number, bool fed) {
      file.wrapped.line(raw, number, fed,
                        [this](std::string_view text, std::uint32_t line) { take(text, line, true); });
    });
  }

  /// One line; `whole`: it has ended.
  Match take(std::string_view text, std::uint32_t number, bool whole) {
    if (row_alone(text, number)) return Match::kRecord;
    const LogLine line = plain_line(text, number + static_cast<std::uint32_t>(file.json_lines), buffer);
    book.at(line.number);
    if (line.time > 0) book.clock(line.time);
    if (columns) columns->line(line, files);
    const std::uint64_t told = book.told();
    const Match match = goes_on(line) ? whole_dict(line) : understand(line);
    file.first_line = false;
    if (book.told() != told) file.quoting.record();
    else if (!file.tracebacks.open()) file.quoting.text(text);
    const bool row = file.table.open() && match == Match::kRecord;
    if (!row && !metrics.empty()) read_metrics(line, whole);
    return match;
  }

  /// Most rows of a table begin with a number and its separator: nothing stands before them that had to be taken off.
  bool row_alone(std::string_view text, std::uint32_t number) {
    if (columns || !file.table.begins_row(text)) return false;
    const LogLine line{.text = text, .number = number + static_cast<std::uint32_t>(file.json_lines)};
    book.at(line.number);
    if (file.table.row(book, line) != Match::kRecord) return false;
    file.quoting.record();
    return true;
  }

  /// pprint and json.dumps(indent=...) write a record in several lines: "{'loss': 2.3," and " 'step': 10}".
  bool goes_on(const LogLine& line) {
    constexpr std::size_t kLongest = std::size_t{64} << 10U;
    std::string_view text = line.text;
    if (file.dict.empty() && (text.empty() || (text.back() != ',' && text.back() != '{'))) return false;
    scan::skip_spaces(text);
    if (file.dict.empty()) {
      const bool begins = text.starts_with("{'") || text.starts_with("{\"") || text == "{";
      if (!begins || text.contains('}') || !(text.ends_with(',') || text == "{")) return false;
      file.dict = text;
      file.dict_rank = line.rank;
      return true;
    }
    const bool more =
        line.rank == file.dict_rank && (text.starts_with('\'') || text.starts_with('"') || text.starts_with('}'));
    if (!more || file.dict.size() + text.size() > kLongest) {
      file.dict.clear();
      return goes_on(line);
    }
    (file.dict += ' ') += text;
    return true;
  }

  /// Its last line is the one that it is told by.
  Match whole_dict(const LogLine& line) {
    if (std::ranges::count(file.dict, '{') != std::ranges::count(file.dict, '}')) return Match::kNo;
    const std::string dict = std::exchange(file.dict, {});
    LogLine all = line;
    all.text = dict;
    return understand(all);
  }

  void read_metrics(const LogLine& line, bool whole) {
    if (line.labelled.empty()) file.labels = false;
    if (line.labelled.empty() || file.labels) {
      if (book.takes_metrics(line.rank)) metrics.read(book, line, whole);
      return;
    }
    // `srun --label` marks every line; the number before this one may be what the pattern looks for.
    LogLine all = line;
    all.text = line.labelled;
    all.rank = -1;
    metrics.read(book, all, whole);
  }

  Match understand(const LogLine& line) {
    const Match match = understood(line);
    if (!book.mapped) return match;
    // What the user named stands in a line that no reader knows.
    const StepRecord record = std::exchange(book.mapped, std::nullopt)->record;
    book.record(LogFormat::kFields, record, line);
    return Match::kRecord;
  }

  Match understood(const LogLine& line) {
    const bool named = !names.empty() && !file.table.open() && !trainer_summary(line.text);
    // A bar knows the step; what of its names the user has given a meaning is read with it.
    const bool bar = named && (line.text.contains("%|") || line.text.contains("it ["));
    if (named && !bar && names.step(book, line)) return Match::kRecord;
    const Match match = step(line);
    if (match != Match::kRecord && file.tracebacks.line(book, line)) return match;
    if (match == Match::kRecord || labelled_bar(book, line) == Match::kRecord) {
      if (Tracebacks::may_be_glued(line)) file.tracebacks.glued(line);
      return Match::kRecord;
    }
    if (bar && names.step(book, line)) return Match::kRecord;
    if (book.facts.listing && listed_value(book, line) == Match::kRecord) return Match::kRecord;
    if (file.table.head(book, line, file.first_line, names)) return Match::kRecord;
    const std::uint64_t told = book.told();
    read_sentences(book, line);
    if (book.told() == told && (file.ruled.line(book, line) == Match::kRecord || file.requests.line(book, line)))
      return Match::kRecord;
    file.tracebacks.noise(book.marks.noise, line);
    return match;
  }

  /// Lines of progress, told apart by how they begin.
  Match step(const LogLine& line) {
    LogLine bare = line;
    std::string_view& text = bare.text;
    scan::skip_spaces(text);
    if (text.empty()) return Match::kNo;
    Match broken = Match::kNo;
    const auto any = [&](auto... readers) {
      for (const auto reader : {readers...}) {
        const Match match = reader(book, bare);
        if (match == Match::kRecord) return match;
        if (match == Match::kBroken) broken = match;
      }
      return broken;
    };
    if (file.table.open()) {
      const Match match = file.table.row(book, line);
      if (match == Match::kRecord) return match;
      broken = match;
    }
    switch (text.front()) {
      case 's':
        if (text.starts_with("s:") && shaped_step(book, bare, LogFormat::kFields)) return Match::kRecord;
        // Short lines, most of a log: what they are is told here and not by looking for all words that others have.
        if (text.starts_with("step:") && text.contains("ms step_avg:") &&
            shaped_step(book, bare, LogFormat::kModdedNanogpt))
          return Match::kRecord;
        if (text.starts_with("step:") && verl_step(book, bare) == Match::kRecord) return Match::kRecord;
        return any(nanochat_step, torchtitan_step, nanogpt_step);
      case 'S':
        return any(nanochat_step, torchtune_step);
      case 'v':
        return any(torchtitan_step);
      case 'i':
        return any(nanogpt_step, megatron_step, litgpt_step);
      case 'E':
        return any(litgpt_step, composer_value);
      case 'T':
        return any(composer_value, nemo_step);
      case '[':
        return any(composer_head);
      case 'D':
        return any(dcgm_sample);
      case '{':
        return any(llmq_record, trainer_step);
      case '|':
        return any(batched_bench_row, listed_value);
      case '-':
        return book.facts.block ? listing_rule(book, line) : broken;
      case '\xE2':
        return text.starts_with("│") ? any(listed_value) : broken;
      default:
        return is_digit(text.front()) ? any(trainer_step, numbers_step, names_behind_step, ultralytics_step, keras_step,
                                            fastai_row, dmon_row)
                                      : broken;
    }
  }

  /// What a file means that has come to its end.
  void end_file() {
    file.bytes.end([this](std::string_view out) { encoded(out); });
    file.text.end([this](std::string_view out) { plain(out); });
    if (file.content == Content::kUndecided && !file.undecided.empty()) decide();
    if (const std::string_view rest = file.lines.rest(); !rest.empty()) {
      Match match = Match::kNo;
      const auto last = [&](std::string_view text, std::uint32_t number) { match = take(text, number, false); };
      if (const std::string text(without_last_number(rest)); !text.empty())
        file.wrapped.line(text, file.lines.number(), false, last);
      file.cut_off = match == Match::kBroken || (match == Match::kRecord && !looks_complete(rest));
    }
    file.wrapped.end([&](std::string_view part) {
      take(without_last_number(part), file.lines.number(), false);
      file.cut_off = true;
    });
    file.tracebacks.end(book);
    plain_end(book);
    wandb_end(book, {.number = file.lines.number()});
    if (file.content == Content::kJson && !file.json.complete()) file.cut_off = true;
    if (file.content == Content::kTensorBoard && !file.events.complete()) file.cut_off = true;
    if (file.bytes.unfinished()) file.cut_off = true;
    if (file.quoting.quotes()) book.log.quoted = true;
    file.damaged = file.bytes.damaged();
    if (file.last != '\n' && file.content != Content::kTensorBoard) ++lines;
  }

  std::uint64_t lines_of_file() const { return file.lines.ended() + file.json.lines(); }

  void settle(RunLog& told) const {
    book.settle(told);
    if (columns) told.columns = columns->found();
    told.lines = lines + lines_of_file();
    told.long_lines = long_lines + file.lines.cut();
  }
};

LogReader::LogReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

Result<LogReader> LogReader::make(const std::vector<LogMetric>& metrics, const LogReading& reading) {
  LogNames names;
  if (!reading.names.empty()) {
    Result<LogNames> own = LogNames::read(reading.names);
    if (!own) return std::unexpected(own.error());
    names = *std::move(own);
  }
  Result<LogMetrics> read = LogMetrics::make(metrics);
  if (!read) return std::unexpected(read.error());
  auto state = std::make_unique<State>(std::move(*read));
  state->names = std::move(names);
  if (reading.columns) state->columns.emplace();
  if (!state->names.empty()) state->book.own_names = &state->names;
  for (const LogMetric& metric : metrics) state->book.log.metrics.emplace_back(metric.name, Series{});
  return LogReader(std::move(state));
}

void LogReader::name_file(std::string_view name) { state_->file.table.name_file(name); }

void LogReader::feed(std::string_view bytes) { state_->feed(bytes); }

const RunLog& LogReader::log() {
  state_->so_far = state_->book.log;
  state_->settle(state_->so_far);
  return state_->so_far;
}

void LogReader::next_file() {
  State& s = *state_;
  // Damage is said at the end, by what did not come out of it.
  s.end_file();
  s.lines += s.lines_of_file();
  s.long_lines += s.file.lines.cut();
  s.book.log.cut_off = s.book.log.cut_off || s.file.cut_off;
  s.book.next_file();
  if (s.columns) s.columns->next_file();
  ++s.files;
  s.file = {};
}

Result<RunLog> LogReader::finish() {
  State& s = *state_;
  s.end_file();
  if (s.file.damaged) return failure("damaged gzip file: it cannot be unpacked; is it complete?");
  s.book.finish();
  s.settle(s.book.log);
  RunLog log = std::move(s.book.log);
  log.cut_off = log.cut_off || s.file.cut_off;
  return log;
}

}  // namespace gpuplan
