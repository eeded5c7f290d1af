#include "fetch/http/temp_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace gpuplan::fetch {
namespace {

std::string why() { return std::error_code(errno, std::generic_category()).message(); }

/// Not every disk knows files without a name: there one is made and removed at once.
int open_in(const std::string& folder) {
  constexpr mode_t kOwn = 0600;
  const int number = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, kOwn);
  if (number >= 0) return number;
  std::string name = folder + "/gpuplan-XXXXXX";
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(name.c_str());
  return named;
}

}  // namespace

TempFile::~TempFile() {
  if (number_ >= 0) ::close(number_);
}
TempFile::TempFile(TempFile&& other) noexcept
    : number_(std::exchange(other.number_, -1)), size_(std::exchange(other.size_, 0)) {}
TempFile& TempFile::operator=(TempFile&& other) noexcept {
  std::swap(number_, other.number_);
  std::swap(size_, other.size_);
  return *this;
}

Result<TempFile> TempFile::open(std::span<const std::string> folders) {
  for (const std::string& folder : folders) {
    if (folder.empty()) continue;
    TempFile file;
    file.number_ = open_in(folder);
    if (file.number_ >= 0) return file;
  }
  return failure("no folder takes a temporary file for what is fetched; set TMPDIR to one that can be written to");
}

Result<void> TempFile::append(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(number_, bytes.data(), bytes.size(), static_cast<off_t>(size_));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return failure("cannot keep what is fetched in a temporary file: " + why());
    bytes.remove_prefix(static_cast<std::size_t>(written));
    size_ += static_cast<std::uint64_t>(written);
  }
  return {};
}

Result<void> TempFile::cut(std::uint64_t size) {
  if (::ftruncate(number_, static_cast<off_t>(size)) != 0)
    return failure("cannot keep what is fetched in a temporary file: " + why());
  size_ = size;
  return {};
}

Result<std::string_view> TempFile::read(std::uint64_t at, std::span<char> buffer) const {
  while (true) {
    const ssize_t got = ::pread(number_, buffer.data(), buffer.size(), static_cast<off_t>(at));
    if (got >= 0) return std::string_view(buffer.data(), static_cast<std::size_t>(got));
    if (errno != EINTR) return failure("cannot read what was fetched: " + why());
  }
}

}  // namespace gpuplan::fetch
