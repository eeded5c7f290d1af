#include "cli/io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/text.h"
#include "cli/io/files.h"

namespace gpuplan::cli {
namespace {

/// Closes the file when the reader is done; standard input stays open.
class Descriptor {
 public:
  explicit Descriptor(const std::string& name)
      : number_(name == "-" ? 0 : ::open(name.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ > 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string unreadable_words(const std::error_code& error) {
  if (error == std::errc::no_such_file_or_directory) return "no such file";
  if (error == std::errc::permission_denied) return "permission denied";
  if (error == std::errc::is_a_directory) return "is a folder, not a file";
  return "cannot be read (" + error.message() + ')';
}

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

Result<std::string> read_file(System& system, const std::string& name, std::size_t limit) {
  auto text = system.read(name, limit);
  if (text) return *std::move(text);
  const Place place{shown_name(name)};
  if (text.error() == std::errc::file_too_large)
    return failure("is too large (limit " + count_text(static_cast<double>(limit)) + " bytes)", place);
  return failure(unreadable_words(text.error()), place);
}

std::expected<std::string, std::error_code> read_from_disk(const std::string& name, std::size_t limit) {
  const Descriptor file(name);
  if (file.number() < 0) return std::unexpected(last_error());

  struct stat facts{};
  if (::fstat(file.number(), &facts) == 0 && S_ISDIR(facts.st_mode))
    return std::unexpected(std::make_error_code(std::errc::is_a_directory));

  std::string text;
  if (S_ISREG(facts.st_mode)) text.reserve(std::min(static_cast<std::size_t>(facts.st_size) + 1, limit + 1));
  constexpr std::size_t kPiece = std::size_t{64} * 1024;
  while (text.size() <= limit) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t got = ::read(file.number(), text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::unexpected(last_error());
    if (got == 0) return text;
  }
  return std::unexpected(std::make_error_code(std::errc::file_too_large));
}

}  // namespace gpuplan::cli
