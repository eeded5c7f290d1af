#include "cli/io/real_system.h"

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "cli/io/files.h"
#include "cli/io/growing_file.h"
#include "cli/io/pager.h"
#include "cli/io/read_file.h"
#include "cli/io/run_program.h"
#include "cli/io/write_file.h"
#include "cli/io/write_folder.h"

namespace gpuplan::cli {
namespace {

std::string two_digits(long number) { return (number < 10 ? "0" : "") + std::to_string(number); }

std::string date_words(std::chrono::sys_days day) {
  const std::chrono::year_month_day date(day);
  return std::to_string(int{date.year()}) + '-' + two_digits(unsigned{date.month()}) + '-' +
         two_digits(unsigned{date.day()});
}

int number_of(Stream stream) { return stream == Stream::kOutput ? STDOUT_FILENO : STDERR_FILENO; }

}  // namespace

std::expected<std::string, std::error_code> RealSystem::read(const std::string& name, std::size_t limit) {
  return read_from_disk(name, limit);
}

std::unique_ptr<GrowingFile> RealSystem::growing_file(const std::string& name) { return growing_disk_file(name); }

FileFacts RealSystem::facts_of(const std::string& name) {
  struct stat facts{};
  if (::stat(name.c_str(), &facts) != 0) return {};
  const auto kind = S_ISREG(facts.st_mode)   ? FileFacts::Kind::kFile
                    : S_ISDIR(facts.st_mode) ? FileFacts::Kind::kFolder
                                             : FileFacts::Kind::kOther;
  const std::chrono::sys_seconds changed{std::chrono::seconds(facts.st_mtim.tv_sec)};
  return {kind, facts.st_dev, facts.st_ino, date_words(std::chrono::floor<std::chrono::days>(changed))};
}

std::expected<std::vector<std::string>, std::error_code> RealSystem::files_below(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  std::error_code error;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, error);
  for (const fs::recursive_directory_iterator end; !error && entry != end; entry.increment(error))
    if (std::error_code unknown; entry->is_regular_file(unknown)) files.push_back(entry->path().string());
  if (error) return std::unexpected(error);
  std::ranges::sort(files);
  return files;
}

std::string RealSystem::real_path(const std::string& name) {
  std::array<char, PATH_MAX> buffer{};
  return ::realpath(name.c_str(), buffer.data()) != nullptr ? std::string(buffer.data()) : std::string();
}

std::error_code RealSystem::write_file(const std::string& file, std::string_view text) {
  return write_to_disk(file, text);
}

std::error_code RealSystem::change_file(const std::string& file, std::size_t limit, const FileChange& change) {
  return change_on_disk(file, limit, change);
}

std::expected<void, FolderRefusal> RealSystem::write_folder(const std::string& folder,
                                                            const std::vector<LaunchFile>& files, bool force) {
  return write_folder_to_disk(folder, files, force);
}

std::error_code RealSystem::write(Stream stream, std::string_view text) { return write_all(number_of(stream), text); }

std::optional<TerminalSize> RealSystem::terminal(Stream stream) {
  const int number = number_of(stream);
  if (::isatty(number) != 1) return std::nullopt;
  winsize size{};
  if (::ioctl(number, TIOCGWINSZ, &size) != 0) return TerminalSize{};
  return TerminalSize{size.ws_col, size.ws_row};
}

bool RealSystem::page(const std::string& pager, std::string_view text) { return run_pager(pager, text); }

std::optional<std::string_view> RealSystem::environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets one
  return value != nullptr ? std::optional<std::string_view>(value) : std::nullopt;
}

std::int64_t RealSystem::now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

std::string RealSystem::today() {
  return date_words(std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now()));
}

std::string RealSystem::time_of_day() {
  const auto now = std::chrono::system_clock::now();
  const std::chrono::hh_mm_ss time(
      std::chrono::floor<std::chrono::seconds>(now - std::chrono::floor<std::chrono::days>(now)));
  return two_digits(time.hours().count()) + ':' + two_digits(time.minutes().count()) + ':' +
         two_digits(time.seconds().count());
}

void RealSystem::sleep(int milliseconds) {
  const std::timespec time{milliseconds / 1000, milliseconds % 1000 * 1'000'000L};
  ::nanosleep(&time, nullptr);  // a signal ends it
}

std::expected<EndedProgram, std::error_code> RealSystem::run_program(const std::vector<std::string>& words) {
  return start_and_wait(words);
}

}  // namespace gpuplan::cli
