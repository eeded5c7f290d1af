#include "laws/command.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "cli/commands/commands.h"
#include "cli/options/options.h"

namespace gpuplan::laws {
namespace {

/// A descriptor of the process that writes into memory for a while.
class Captured {
 public:
  explicit Captured(int descriptor)
      : descriptor_(descriptor), kept_(::dup(descriptor)), memory_(::memfd_create("captured", 0)) {
    ::dup2(memory_, descriptor_);
  }
  std::string end() {
    ::dup2(kept_, descriptor_);
    ::close(kept_);
    std::string text(static_cast<std::size_t>(::lseek(memory_, 0, SEEK_END)), '\0');
    const ssize_t read = ::pread(memory_, text.data(), text.size(), 0);
    text.resize(static_cast<std::size_t>(std::max<ssize_t>(read, 0)));
    ::close(memory_);
    return text;
  }

 private:
  int descriptor_, kept_, memory_;
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
  std::fflush(stdout);
  Captured out(STDOUT_FILENO), err(STDERR_FILENO);
  const std::vector<cli::CommandSpec> commands = cli::all_commands();
  const auto command = cli::read_options(pointers, commands);
  Ran ran;
  ran.code = command ? (*command)->run((*command)->filled.get()) : command.error().code;
  ran.err = err.end();
  ran.out = out.end();
  if (!command) (ran.code == cli::kDone ? ran.out : ran.err) += command.error().text + '\n';
  return ran;
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
