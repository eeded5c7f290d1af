#include "input/logs/book/run_end_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

struct KindName {
  std::string_view name;
  RunEnd::Role role;
  LogEvent::Kind kind;
};

const KindName* kind_named(std::string_view name) {
  using enum RunEnd::Role;
  static constexpr std::array kKinds = {KindName{"error", kEnd, LogEvent::Kind::kError},
                                        KindName{"out of memory", kEnd, LogEvent::Kind::kOutOfMemory},
                                        KindName{"requeued", kEnd, LogEvent::Kind::kRestart},
                                        KindName{"restarted", kEnd, LogEvent::Kind::kRestart},
                                        KindName{"ignored", kIgnored, LogEvent::Kind::kError},
                                        KindName{"thread", kThread, LogEvent::Kind::kError},
                                        KindName{"closing", kClosing, LogEvent::Kind::kError},
                                        KindName{"frame", kFrame, LogEvent::Kind::kError}};
  const auto* const found = std::ranges::find(kKinds, name, &KindName::name);
  return found == kKinds.end() ? nullptr : &*found;
}

/// "torch.distributed.DistBackendError": names with points between them.
bool is_name(std::string_view text) {
  return !text.empty() &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; });
}

}  // namespace

bool RunEnd::matches(std::string_view line, std::size_t at) const {
  if (!line.substr(at).starts_with(words)) return false;
  if (where == Where::kName ? !is_name(line.substr(0, at))
                            : where != Where::kAnywhere && !trim(line.substr(0, at)).empty())
    return false;
  if (where == Where::kWhole && !trim(line.substr(at + words.size())).empty()) return false;
  if (!also.empty() && line.find(also) == std::string_view::npos) return false;
  return std::ranges::none_of(unless,
                              [&](const std::string& other) { return line.find(other) != std::string_view::npos; });
}

Result<std::vector<RunEnd>> read_run_ends(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto id = cells.column("id"), words = cells.column("words"), where = cells.column("where"),
             also = cells.column("also"), unless = cells.column("unless"), kind = cells.column("kind"),
             by = cells.column("by"), example = cells.column("example"), source = cells.column("source"),
             as_of = cells.column("as_of");
  std::vector<RunEnd> ends;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    // Blanks at their ends are part of the words: " Killed         " is what bash says of a child.
    const auto raw = [&](CsvReader::Column column) { return column ? table->cell(row, *column) : std::string_view(); };
    RunEnd end;
    end.id = cells.required(row, id);
    end.words = raw(words);
    end.also = raw(also);
    for (std::string_view rest = raw(unless); !rest.empty();) {
      const std::size_t bar = rest.find('|');
      end.unless.emplace_back(rest.substr(0, bar));
      rest.remove_prefix(bar == std::string_view::npos ? rest.size() : bar + 1);
    }
    end.example = cells.required(row, example);
    for (const auto column : {by, source}) cells.required(row, column);
    cells.date(row, as_of);
    const auto place = from_name<RunEnd::Where>(cells.required(row, where));
    const KindName* const what = kind_named(cells.required(row, kind));
    end.stopped = cells.text(row, kind) == "requeued";
    if (!cells.ok()) break;
    constexpr std::size_t kShortest = 4;  // what they are found by
    if (!place || what == nullptr || end.words.size() < kShortest)
      return failure(
          "expected words of four letters or more, anywhere, start, whole or name, and error, out of memory, "
          "requeued, restarted, ignored, thread, closing or frame",
          table->place(row));
    end.where = *place;
    end.role = what->role;
    end.kind = what->kind;
    ends.push_back(std::move(end));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return ends;
}

std::span<const RunEnd> run_ends() {
  // Without rows where it can not be read, which tests/data would tell.
  static const std::vector<RunEnd> ends = [] {
    constexpr std::string_view kFile = "run_ends.csv";
    auto read = read_run_ends(embedded_data(kFile), kFile);
    return read ? *std::move(read) : std::vector<RunEnd>{};
  }();
  return ends;
}

bool is_of(RunEnd::Role role, std::string_view line) {
  return std::ranges::any_of(run_ends(), [&](const RunEnd& end) {
    if (end.role != role) return false;
    const std::size_t at = line.find(end.words);
    return at != std::string_view::npos && end.matches(line, at);
  });
}

}  // namespace gpuplan
