#include "cli/io/growing_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <system_error>

#include "cli/io/files.h"
#include "cli/io/read_file.h"

namespace gpuplan::cli {

namespace {

class GrowingDiskFile : public GrowingFile {
 public:
  using GrowingFile::GrowingFile;
  ~GrowingDiskFile() override { close(); }

  bool is_open() const override { return number_ >= 0; }
  bool is_regular() const override { return regular_; }
  Result<void> open() override;
  Result<std::string_view> read(int milliseconds) override;
  Result<std::string_view> read_at(std::uint64_t offset, std::size_t size) override;
  bool ended() const override { return ended_; }
  bool starts_anew() override;

 private:
  static constexpr std::size_t kPiece = std::size_t{256} * 1024;

  void close();

  std::string piece_;
  int number_ = -1;
  std::uint64_t read_ = 0, device_ = 0, node_ = 0;
  bool regular_ = false, ended_ = false;
};

void GrowingDiskFile::close() {
  if (number_ > 0) ::close(number_);
  number_ = -1;
}

Result<void> GrowingDiskFile::open() {
  const Place place{shown_name(name())};
  // Without O_NONBLOCK a named pipe would wait for its writer, and nobody could interrupt it.
  number_ = name() == "-" ? 0 : ::open(name().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (number_ < 0) return failure(unreadable_words(last_error()), place);
  struct stat facts{};
  if (::fstat(number_, &facts) != 0) return failure(unreadable_words(last_error()), place);
  if (S_ISDIR(facts.st_mode)) {
    close();
    return failure(unreadable_words(std::make_error_code(std::errc::is_a_directory)), place);
  }
  regular_ = S_ISREG(facts.st_mode);
  device_ = facts.st_dev;
  node_ = facts.st_ino;
  read_ = 0;
  ended_ = false;
  return {};
}

Result<std::string_view> GrowingDiskFile::read(int milliseconds) {
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
  if (got < 0) return failure(unreadable_words(last_error()), {shown_name(name())});
  if (got == 0 && !regular_) ended_ = true;
  read_ += static_cast<std::uint64_t>(got);
  return std::string_view(piece_).substr(0, static_cast<std::size_t>(got));
}

Result<std::string_view> GrowingDiskFile::read_at(std::uint64_t offset, std::size_t size) {
  constexpr std::uint64_t kFarthest = std::numeric_limits<off_t>::max();
  if (offset > kFarthest) return std::string_view();
  piece_.resize(std::max(size, kPiece));
  ssize_t got = 0;
  do got = ::pread(number_, piece_.data(), size, static_cast<off_t>(offset));
  while (got < 0 && errno == EINTR);
  if (got < 0) return failure(unreadable_words(last_error()), {shown_name(name())});
  return std::string_view(piece_).substr(0, static_cast<std::size_t>(got));
}

bool GrowingDiskFile::starts_anew() {
  if (!regular_) return false;
  struct stat facts{};
  if (::fstat(number_, &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) < read_) {
    read_ = 0;
    ::lseek(number_, 0, SEEK_SET);
    return true;
  }
  if (::stat(name().c_str(), &facts) != 0) return false;  // gone for the moment
  if (facts.st_dev == device_ && facts.st_ino == node_) return false;
  // What was written before the file got another name is read first.
  if (::fstat(number_, &facts) == 0 && static_cast<std::uint64_t>(facts.st_size) > read_) return false;
  close();
  return open().has_value();
}

}  // namespace

std::unique_ptr<GrowingFile> growing_disk_file(const std::string& name) {
  return std::make_unique<GrowingDiskFile>(name);
}

}  // namespace gpuplan::cli
