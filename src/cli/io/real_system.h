// The machine itself.
#pragma once

#include "cli/io/system.h"

namespace gpuplan::cli {

class RealSystem : public System {
 public:
  std::expected<std::string, std::error_code> read(const std::string& name, std::size_t limit) override;
  std::unique_ptr<GrowingFile> growing_file(const std::string& name) override;
  FileFacts facts_of(const std::string& name) override;
  std::expected<std::vector<std::string>, std::error_code> files_below(const std::string& folder) override;
  std::string real_path(const std::string& name) override;
  std::error_code write_file(const std::string& file, std::string_view text) override;
  std::error_code change_file(const std::string& file, std::size_t limit, const FileChange& change) override;
  std::expected<void, FolderRefusal> write_folder(const std::string& folder, const std::vector<LaunchFile>& files,
                                                  bool force) override;
  std::error_code write(Stream stream, std::string_view text) override;
  std::optional<TerminalSize> terminal(Stream stream) override;
  bool page(const std::string& pager, std::string_view text) override;
  std::optional<std::string_view> environment(const char* name) override;
  std::int64_t now() override;
  std::string today() override;
  std::string time_of_day() override;
  void sleep(int milliseconds) override;
  std::expected<EndedProgram, std::error_code> run_program(const std::vector<std::string>& words) override;
};

}  // namespace gpuplan::cli
