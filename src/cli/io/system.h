// What the command line asks of the machine that it runs on. Commands get it handed down from main(), and nothing of it
// is global: a test hands them a disk, a terminal and a clock of its own (tests/cli/fake_system.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace gpuplan {
struct LaunchFile;
}

namespace gpuplan::cli {

class GrowingFile;

/// Where results and messages go.
enum class Stream { kOutput, kError };

struct TerminalSize {
  int columns = 0, lines = 0;  ///< 0: it does not say
};

/// What a name on the disk stands for, links followed.
struct FileFacts {
  enum class Kind { kNothing, kFile, kFolder, kOther } kind = Kind::kNothing;
  std::uint64_t device = 0, node = 0;  ///< the same pair: the same file under another name
  std::string modified{};              ///< date of the last change in UTC: "2026-11-22"

  bool is_file() const { return kind == Kind::kFile; }
  bool is_folder() const { return kind == Kind::kFolder; }
};

/// Why a folder was not written, and the exit code that calls for. A signal leaves no message: it ends the program.
struct FolderRefusal {
  std::string message;
  int code = 0;
};

/// A program that was started and has ended.
struct EndedProgram {
  int code = 0;
  std::string output;  ///< with its messages
};

/// What becomes of a file's text.
class FileChange {
 public:
  virtual ~FileChange() = default;
  /// `before` is empty where the file is not there; nullopt: it stays as it is.
  virtual std::optional<std::string> after(const std::string& before) const = 0;
};
template <class F>
class ChangeBy final : public FileChange {
 public:
  explicit ChangeBy(F change) : change_(std::move(change)) {}
  std::optional<std::string> after(const std::string& before) const override { return change_(before); }

 private:
  F change_;
};

class System {
 public:
  virtual ~System() = default;

  /// At most `limit` bytes of a file, or of standard input for "-"; errc::file_too_large when there are more.
  virtual std::expected<std::string, std::error_code> read(const std::string& name, std::size_t limit) = 0;
  /// The same for what may still be written, piece by piece (cli/io/growing_file.h). Not opened yet.
  virtual std::unique_ptr<GrowingFile> growing_file(const std::string& name) = 0;
  virtual FileFacts facts_of(const std::string& name) = 0;
  /// The files in a folder and in those below it, by name, each with the folder's name in front. Folders behind links
  /// are not entered.
  virtual std::expected<std::vector<std::string>, std::error_code> files_below(const std::string& folder) = 0;
  /// From the root and without links; empty for what is not there.
  virtual std::string real_path(const std::string& name) = 0;

  /// Whole or not at all (cli/io/write_file.h); errc::operation_canceled when a signal stopped it.
  virtual std::error_code write_file(const std::string& file, std::string_view text) = 0;
  /// Changes a file that others may change at the same time, one after the other (cli/io/write_file.h). What is read
  /// is at most `limit` bytes.
  virtual std::error_code change_file(const std::string& file, std::size_t limit, const FileChange& change) = 0;
  /// Whole or not at all (cli/io/write_folder.h).
  virtual std::expected<void, FolderRefusal> write_folder(const std::string& folder,
                                                          const std::vector<LaunchFile>& files, bool force) = 0;

  virtual std::error_code write(Stream stream, std::string_view text) = 0;
  /// Nullopt: there is no terminal behind the stream.
  virtual std::optional<TerminalSize> terminal(Stream stream) = 0;
  /// Shows a text with a pager, given as a line of shell; false when that can not be started.
  virtual bool page(const std::string& pager, std::string_view text) = 0;

  /// A variable of the environment; nullopt when it is not set.
  virtual std::optional<std::string_view> environment(const char* name) = 0;
  /// Nanoseconds of a clock that never goes back.
  virtual std::int64_t now() = 0;
  /// The date in UTC: "2026-11-22".
  virtual std::string today() = 0;
  /// The time in UTC: "12:03:44".
  virtual std::string time_of_day() = 0;
  /// For so long, or until a signal comes.
  virtual void sleep(int milliseconds) = 0;
  /// Runs a program of PATH without a shell and waits for its end; errc::no_such_file_or_directory or
  /// errc::permission_denied where it is not installed.
  virtual std::expected<EndedProgram, std::error_code> run_program(const std::vector<std::string>& words) = 0;
};

}  // namespace gpuplan::cli
