#include "cli/load/read_logs.h"

#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/io/growing_file.h"
#include "cli/io/read_file.h"

namespace gpuplan::cli {

std::vector<std::string> shown_names(const std::vector<std::string>& names) {
  std::vector<std::string> shown;
  for (const std::string& name : names) shown.push_back(shown_name(name));
  return shown;
}

Result<RunLog> read_logs(System& system, const std::vector<std::string>& names, const std::vector<LogMetric>& metrics,
                         const volatile std::sig_atomic_t* stop, const LogReading& reading) {
  auto reader = LogReader::make(metrics, reading);
  if (!reader) return std::unexpected(std::move(reader.error()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) reader->next_file();
    reader->name_file(names[i]);
    const std::unique_ptr<GrowingFile> file = system.growing_file(names[i]);
    if (const auto open = file->open(); !open) return std::unexpected(open.error());
    for (;;) {
      constexpr int kForEver = -1;
      const auto piece = file->read(kForEver);
      if (!piece) return std::unexpected(piece.error());
      if (piece->empty() && (file->is_regular() || file->ended() || (stop != nullptr && *stop != 0))) break;
      reader->feed(*piece);
    }
  }
  auto log = reader->finish();
  if (!log && log.error().place.file.empty()) log.error().place.file = join(shown_names(names), ", ");
  return log;
}

}  // namespace gpuplan::cli
