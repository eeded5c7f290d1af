#include "cli/prices/price_bytes.h"

#include <memory>

#include "base/text.h"
#include "cli/io/growing_file.h"

namespace gpuplan::cli {
bool is_address(const std::string& name) {
  const std::string lower = to_lower(name.substr(0, 8));
  return lower.starts_with("https://") || lower.starts_with("http://");
}

Result<void> read_list(System& system, const std::string& name, FeedSource& source) {
  const std::unique_ptr<GrowingFile> file = system.growing_file(name);
  if (auto opened = file->open(); !opened) return opened;
  constexpr int kWait = 1000;  // ms
  while (true) {
    const auto piece = file->read(kWait);
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) {
      if (file->is_regular() || file->ended()) return {};
      continue;
    }
    if (auto taken = source.take(*piece); !taken) return taken;
  }
}

}  // namespace gpuplan::cli
