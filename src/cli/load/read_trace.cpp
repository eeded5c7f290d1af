#include "cli/load/read_trace.h"

#include "api/traces/trace.h"
#include "cli/io/growing_file.h"
#include "cli/io/read_file.h"
#include "input/traces/nsys_trace.h"
#include "input/traces/torch_trace.h"

namespace gpuplan::cli {
namespace {

/// Milliseconds that a pipe is waited for.
constexpr int kWait = 500;
constexpr std::size_t kStart = 100;  // bytes that tell an SQLite database

/// A file on the disk, of which Nsight Systems' reports are read a page at a time.
class PlacedFile : public PlacedBytes {
 public:
  explicit PlacedFile(GrowingFile& file) : file_(file) {}
  Result<std::string_view> at(std::uint64_t offset, std::size_t size) override { return file_.read_at(offset, size); }

 private:
  GrowingFile& file_;
};

Result<GpuTrace> read_torch_trace(GrowingFile& file) {
  TorchTrace reader;
  for (;;) {
    const auto piece = file.read(kWait);
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) break;
    reader.feed(*piece);
  }
  return reader.finish();
}

}  // namespace

bool is_trace_file(System& system, const std::string& name) {
  if (name == "-") return false;
  const auto file = system.growing_file(name);
  if (const auto open = file->open(); !open || !file->is_regular()) return false;
  const auto piece = file->read(kWait);
  return piece && api::is_trace(*piece);
}

Result<GpuTrace> read_trace_file(System& system, const std::string& name) {
  const auto file = system.growing_file(name);
  if (const auto open = file->open(); !open) return std::unexpected(open.error());
  const auto start = file->read_at(0, kStart);
  if (!start) return std::unexpected(start.error());
  PlacedFile placed(*file);
  auto trace = SqliteFile::begins(*start) ? read_nsys_trace(placed) : read_torch_trace(*file);
  if (!trace && trace.error().place.file.empty()) trace.error().place.file = shown_name(name);
  return trace;
}

}  // namespace gpuplan::cli
