// In place of src/input/logs, which needs re2 and zlib. A job may state quantities that are read from its log: they are
// taken unread, for plans do not ask for them.
#include "evidence/log/run_log.h"
#include "input/logs/reader.h"

namespace gpuplan {

struct LogReader::State {
  RunLog log;
};

LogReader::LogReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;
LogReader::~LogReader() = default;

Result<LogReader> LogReader::make(const std::vector<LogMetric>& /*metrics*/, const LogReading& /*reading*/) {
  return LogReader(std::make_unique<State>());
}
void LogReader::name_file(std::string_view /*name*/) {}
void LogReader::feed(std::string_view /*bytes*/) {}
void LogReader::next_file() {}
const RunLog& LogReader::log() { return state_->log; }
Result<RunLog> LogReader::finish() { return failure("logs are not read in WebAssembly; ask gpuplan check"); }

}  // namespace gpuplan
