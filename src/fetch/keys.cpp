#include "fetch/keys.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/text.h"
#include "input/text/toml_tree.h"

namespace gpuplan::fetch {
namespace {

constexpr const char* kKeyLine = "expected lines such as LAMBDA_API_KEY = \"...\"";

/// Closed at the end of its scope.
struct KeyFile {
  int number = -1;
  explicit KeyFile(const std::string& file) : number(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  ~KeyFile() {
    if (number >= 0) ::close(number);
  }
  KeyFile(const KeyFile&) = delete;
  KeyFile& operator=(const KeyFile&) = delete;
};

/// The rights of the very file that is open, so that no other can take its place meanwhile.
Result<void> check_rights(const KeyFile& open, const std::string& file) {
  struct stat facts{};
  if (::fstat(open.number, &facts) != 0 || !S_ISREG(facts.st_mode)) return failure("is no file of keys", {file});
  if (facts.st_uid != ::geteuid() && facts.st_uid != 0)
    return failure("belongs to another user, so its keys are not used", {file});
  if ((facts.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return failure("others can read or change your keys; to keep them for yourself: chmod 600 " + file, {file});
  return {};
}

}  // namespace

Result<Secret> checked_key(std::string_view text, const std::string& name) {
  text = trim(text);
  if (!std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; }))
    return failure(name + " holds blanks or signs that no key has; set it again");
  return Secret(std::string(text));
}

Result<Keys> parse_keys(std::string_view text, const std::string& file) {
  auto tree = parse_toml(text, file);
  if (!tree) return failure(kKeyLine, {file, tree.error().place.line});  // its own words may quote a key
  Keys keys;
  for (const Tree& key : tree->children) {
    const Place place{file, key.line};
    if (!key.is_scalar()) return failure(kKeyLine, place);
    auto secret = checked_key(key.text, "the key on this line");
    if (!secret) return failure(secret.error().message, place);
    if (!secret->empty()) keys.emplace(key.key, *std::move(secret));
  }
  return keys;
}

Result<Keys> read_key_file(const std::string& file) {
  const KeyFile open(file);
  if (open.number < 0) {
    if (errno == ENOENT || errno == ENOTDIR) return Keys{};
    return failure("cannot be read: " + std::error_code(errno, std::generic_category()).message(), {file});
  }
  if (auto safe = check_rights(open, file); !safe) return std::unexpected(std::move(safe.error()));
  std::string text;
  std::array<char, 4096> piece{};
  while (true) {
    const ssize_t got = ::read(open.number, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return failure("cannot be read", {file});
    if (got == 0) break;
    text.append(piece.data(), static_cast<std::size_t>(got));
    if (text.size() > kMaxTomlBytes) return failure("is larger than any file of keys", {file});
  }
  return parse_keys(text, file);
}

}  // namespace gpuplan::fetch
