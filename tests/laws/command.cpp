#include "laws/command.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <utility>

#include "cli/io/exit_code.h"
#include "cli/io/real_system.h"
#include "cli/run.h"

namespace gpuplan::laws {
namespace {

/// The machine, but what is printed is kept.
class Captured : public cli::RealSystem {
 public:
  std::error_code write(cli::Stream stream, std::string_view text) override {
    (stream == cli::Stream::kOutput ? ran_.out : ran_.err) += text;
    return {};
  }
  std::optional<cli::TerminalSize> terminal(cli::Stream) override { return std::nullopt; }
  Ran end(int code) {
    ran_.code = code;
    return std::move(ran_);
  }

 private:
  Ran ran_;
};

/// Removed when the process ends.
class Folder {
 public:
  Folder() {
    std::string pattern = ::access("/dev/shm", W_OK) == 0 ? "/dev/shm/gpuplan-laws-XXXXXX" : "/tmp/gpuplan-laws-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~Folder() {
    for (const std::string& file : files_) ::unlink(file.c_str());
    ::rmdir(path_.c_str());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string write(const std::string& name, std::string_view text) {
    const std::string file = path_ + '/' + name;
    std::ofstream(file, std::ios::binary) << text;
    if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
    return file;
  }

 private:
  std::string path_;
  std::vector<std::string> files_;
};

}  // namespace

std::string write_text(const std::string& name, std::string_view text) {
  static Folder folder;
  return folder.write(name, text);
}

CaseFiles write_files(const Case& one) {
  CaseFiles files{write_text("job.yaml", job_text(one.job)), ""};
  if (!one.prices.empty()) files.prices = write_text("prices.csv", price_text(one.prices));
  return files;
}

Ran run_command(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  Captured system;
  const int code = cli::run(pointers, system);
  return system.end(code);
}

std::string wrong_end(const Ran& ran) {
  constexpr int kFine[] = {cli::kDone,         cli::kUsage,    cli::kNothingFits,
                           cli::kMissesLimits, cli::kBadInput, cli::kCheckFailed};
  if (std::ranges::find(kFine, ran.code) == std::end(kFine))
    return "exit code " + std::to_string(ran.code) + ": " + ran.err;
  if (ran.code != cli::kUsage && ran.code != cli::kBadInput) return "";
  if (!ran.out.empty()) return "an error, and output all the same";
  if (std::ranges::count(ran.err, '\n') != 1) return "an error that is not one line: " + ran.err;
  return "";
}

}  // namespace gpuplan::laws
