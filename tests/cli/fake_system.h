// A machine that exists in memory only: what is on its disk, what its terminal is like, what was printed.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/io/system.h"

namespace gpuplan::cli {

class FakeSystem : public System {
 public:
  /// Runs a command line, "plan", "job.yaml", and returns its exit code. `out` and `err` are those of this run.
  int run(const std::vector<std::string>& words);

  /// Puts a file of the repository on the disk, under the same name; its text.
  std::string lay(const std::string& name);

  std::string here = "/here";                         ///< the working folder
  std::map<std::string, std::string> files;           ///< by name, as `path` says
  std::set<std::string> folders = {"/here", "/"};     ///< those with nothing in them
  std::map<std::string, std::string> links;           ///< another name of a file
  std::map<std::string, std::error_code> unreadable;  ///< what reading fails with
  bool full = false;                                  ///< nothing more fits on the disk
  std::optional<FolderRefusal> no_folder;             ///< folders are not written
  std::vector<std::string> written;                   ///< files and folders, in order
  bool forced = false;                                ///< the last folder was, over what is there
  std::map<std::string, EndedProgram> programs;       ///< those that are installed
  std::vector<std::string> started;                   ///< what programs were started with

  std::string input;       ///< standard input
  bool input_ends = true;  ///< false: somebody still writes it
  std::string out, err;
  std::error_code out_fails;  ///< what writing to standard output fails with
  std::optional<TerminalSize> out_terminal, err_terminal;
  bool pager_starts = true;
  std::string paged_by, paged;  ///< the pager's line, and what it was given

  std::map<std::string, std::string> variables = {{"GPUPLAN_CONFIG", ""}, {"GPUPLAN_RUNS", ""}, {"GPUPLAN_STORE", ""}};
  std::int64_t clock = 0;  ///< nanoseconds
  std::string date = "2026-11-22", time = "12:00:00";
  std::map<std::string, std::string> modified;  ///< dates of files; others: `date`
  std::int64_t tick = 0;                        ///< nanoseconds that pass whenever somebody looks
  std::deque<std::function<void()>> meanwhile;  ///< what happens in the first sleep, the second, ...

  /// From the root, links followed.
  std::string path(const std::string& name) const;

  std::expected<std::string, std::error_code> read(const std::string& name, std::size_t limit) override;
  std::unique_ptr<GrowingFile> growing_file(const std::string& name) override;
  FileFacts facts_of(const std::string& name) override;
  std::expected<std::vector<std::string>, std::error_code> files_below(const std::string& folder) override;
  std::string real_path(const std::string& name) override;
  std::error_code write_file(const std::string& file, std::string_view text) override;
  std::error_code change_file(const std::string& file, std::size_t limit, const FileChange& change) override;
  std::expected<void, FolderRefusal> write_folder(const std::string& folder, const std::vector<LaunchFile>& list,
                                                  bool force) override;
  std::error_code write(Stream stream, std::string_view text) override;
  std::optional<TerminalSize> terminal(Stream stream) override;
  bool page(const std::string& pager, std::string_view text) override;
  std::optional<std::string_view> environment(const char* name) override;
  std::int64_t now() override;
  std::string today() override { return date; }
  std::string time_of_day() override { return time; }
  void sleep(int milliseconds) override;
  std::expected<EndedProgram, std::error_code> run_program(const std::vector<std::string>& words) override;
};

/// The contract of every error: one line on standard error, nothing on standard output.
bool is_one_line(const FakeSystem& system);

bool has(std::string_view text, std::string_view part);

}  // namespace gpuplan::cli
