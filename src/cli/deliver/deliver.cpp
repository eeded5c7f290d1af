#include "cli/deliver/deliver.h"

#include <system_error>

#include "base/safe_text.h"
#include "base/text.h"
#include "cli/io/exit_code.h"
#include "cli/io/pager.h"

namespace gpuplan::cli {
namespace {

int fail(System& system, const std::string& what, const std::error_code& error) {
  say(system, "gpuplan: cannot write " + printable(what) + ": " + error.message());
  return kInternal;
}

bool nobody_reads(const std::error_code& error) { return error == std::errc::broken_pipe; }

int to_stdout(System& system, std::string_view text, int code) {
  const std::error_code error = system.write(Stream::kOutput, text);
  return !error || nobody_reads(error) ? code : fail(system, "to standard output", error);
}

/// Devices have readers who may leave, too.
int to_file(System& system, std::string_view text, const std::string& file, int code) {
  const std::error_code error = system.write_file(file, text);
  if (error == std::errc::operation_canceled) return kInterrupted;
  return !error || nobody_reads(error) ? code : fail(system, file, error);
}

}  // namespace

int deliver(System& system, std::string_view result, const std::string& file, int code, bool paged) {
  const std::string safe = is_safe_text(result) ? std::string() : safe_text(result);
  const std::string_view text = safe.empty() ? result : safe;
  if (!file.empty() && file != "-") return to_file(system, text, file, code);
  return paged && show_in_pager(system, text) ? code : to_stdout(system, text, code);
}

int deliver_folder(System& system, const std::string& folder, const std::vector<LaunchFile>& files, bool force) {
  const auto written = system.write_folder(folder, files, force);
  if (written) return kDone;
  if (!written.error().message.empty()) say(system, "gpuplan: " + written.error().message);
  return written.error().code;
}

void say(System& system, std::string_view line) {
  std::string text = safe_text(line);
  text += '\n';
  [[maybe_unused]] const std::error_code untold = system.write(Stream::kError, text);  // nobody is left to be told
}

int complain(System& system, const Error& error) {
  std::string line = error.place.file.empty() ? "gpuplan: " : "";
  if (!error.place.file.empty()) {
    line += printable(error.place.file);
    if (error.place.line > 0) line += ':' + std::to_string(error.place.line);
    line += ": ";
  }
  line += printable(error.message, 600);
  say(system, line);
  return error.usage ? kUsage : kBadInput;
}

}  // namespace gpuplan::cli
