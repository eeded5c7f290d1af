#include "cli/io/growing_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "cli/io/read_file.h"

namespace gpuplan::cli {

GrowingFile::~GrowingFile() { close(); }

GrowingFile::GrowingFile(GrowingFile&& other) noexcept
    : name_(std::move(other.name_)),
      piece_(std::move(other.piece_)),
      number_(std::exchange(other.number_, -1)),
      read_(other.read_),
      device_(other.device_),
      node_(other.node_),
      regular_(other.regular_),
      ended_(other.ended_) {}

void GrowingFile::close() {
  if (number_ > 0) ::close(number_);
  number_ = -1;
}

Result<void> GrowingFile::open() {
  const Place place{shown_name(name_)};
  // Without O_NONBLOCK a named pipe would wait for its writer, and nobody could interrupt it.
  number_ = name_ == "-" ? 0 : ::open(name_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number_ < 0) return failure(unreadable_words(errno), place);
  struct stat facts{};
  if (::fstat(number_, &facts) != 0) return failure(unreadable_words(errno), place);
  if (S_ISDIR(facts.st_mode)) {
    close();
    return failure(unreadable_words(EISDIR), place);
  }
  regular_ = S_ISREG(facts.st_mode);
  device_ = facts.st_dev;
  node_ = facts.st_ino;
  read_ = 0;
  ended_ = false;
  return {};
}

Result<std::string_view> GrowingFile::read(int milliseconds) {
  if (!regular_) {
    pollfd waiting{number_, POLLIN, 0};
    const int ready = ::poll(&waiting, 1, milliseconds);
    if (ready == 0 || (ready < 0 && errno == EINTR)) return std::string_view();
  }
  piece_.resize(kPiece);
  ssize_t got = 0;
  do got = ::read(number_, piece_.data(), piece_.size());
  while (got < 0 && errno == EINTR && regular_);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return std::string_view();
  if (got < 0) return failure(unreadable_words(errno), {shown_name(name_)});
  if (got == 0 && !regular_) ended_ = true;
  read_ += static_cast<std::uint64_t>(got);
  return std::string_view(piece_).substr(0, static_cast<std::size_t>(got));
}

bool GrowingFile::starts_anew() {
  if (!regular_) return false;
  struct stat facts{};
  if (::fstat(number_, &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) < read_) {
    read_ = 0;
    ::lseek(number_, 0, SEEK_SET);
    return true;
  }
  if (::stat(name_.c_str(), &facts) != 0) return false;  // gone for the moment
  if (facts.st_dev == device_ && facts.st_ino == node_) return false;
  // What was written before the file got another name is read first.
  if (::fstat(number_, &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) > read_) return false;
  close();
  return open().has_value();
}

}  // namespace gpuplan::cli
