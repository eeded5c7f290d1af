#include "cli/io/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/text.h"

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

std::string unreadable_words(int code) {
  switch (code) {
    case ENOENT:
      return "no such file";
    case EACCES:
      return "may not be read (permission denied)";
    case EISDIR:
      return "is a folder, expected a file";
    default:
      return std::string("can not be read (") + std::generic_category().message(code) + ')';
  }
}

std::string shown_name(const std::string& name) { return name == "-" ? "standard input" : name; }

bool is_file(const std::string& name) {
  struct stat facts{};
  return ::stat(name.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
}

Result<std::string> read_file(const std::string& name, std::size_t limit) {
  const std::string shown = shown_name(name);
  const Descriptor file(name);
  if (file.number() < 0) return failure(unreadable_words(errno), Place{shown});

  struct stat facts{};
  if (::fstat(file.number(), &facts) == 0 && S_ISDIR(facts.st_mode))
    return failure(unreadable_words(EISDIR), Place{shown});

  std::string text;
  if (S_ISREG(facts.st_mode)) text.reserve(std::min(static_cast<std::size_t>(facts.st_size) + 1, limit + 1));
  constexpr std::size_t kPiece = std::size_t{64} * 1024;
  while (text.size() <= limit) {
    const std::size_t before = text.size();
    text.resize(before + kPiece);
    const ssize_t got = ::read(file.number(), text.data() + before, kPiece);
    text.resize(before + static_cast<std::size_t>(got > 0 ? got : 0));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure(unreadable_words(errno), Place{shown});
    if (got == 0) return text;
  }
  return failure("is larger than " + count_text(static_cast<double>(limit)) + " bytes, the most that is read",
                 Place{shown});
}

}  // namespace gpuplan::cli
