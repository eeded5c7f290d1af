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

std::optional<LogEvent::Kind> kind_named(std::string_view name) {
  constexpr std::array kKinds = {std::pair{std::string_view("error"), LogEvent::Kind::kError},
                                 std::pair{std::string_view("out of memory"), LogEvent::Kind::kOutOfMemory},
                                 std::pair{std::string_view("requeued"), LogEvent::Kind::kRestart},
                                 std::pair{std::string_view("restarted"), LogEvent::Kind::kRestart}};
  for (const auto& [word, kind] : kKinds)
    if (word == name) return kind;
  return std::nullopt;
}

}  // namespace

bool RunEnd::matches(std::string_view line, std::size_t at) const {
  if (!line.substr(at).starts_with(words)) return false;
  if (where != Where::kAnywhere && !trim(line.substr(0, at)).empty()) return false;
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
    const auto what = kind_named(cells.required(row, kind));
    end.stopped = cells.text(row, kind) == "requeued";
    if (!cells.ok()) break;
    constexpr std::size_t kShortest = 4;  // what they are found by
    if (!place || !what || end.words.size() < kShortest)
      return failure(
          "expected words of four letters or more, anywhere, start or whole, and error, out of memory, "
          "requeued or restarted",
          table->place(row));
    end.where = *place;
    end.kind = *what;
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

}  // namespace gpuplan
