#include "cli/deliver.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <system_error>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/pager.h"

namespace gpuplan::cli {
namespace {

/// 0, or the errno of the write that failed.
int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int fail(const std::string& what, int code) {
  say("gpuplan: " + printable(what) + ": " + std::generic_category().message(code));
  return kInternal;
}

int to_stdout(std::string_view text, int code) {
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return code;
  return fail("can not write to standard output", error);
}

/// Others see the old file or the new one, never half of it: written beside it, then renamed over it.
int to_file(std::string_view text, const std::string& file, int code) {
  struct stat facts{};
  const bool special = ::stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
  const std::string target = special ? file : file + ".tmp" + std::to_string(::getpid());
  // Devices and pipes (/dev/stderr, /dev/null, >(jq)) can not be replaced, only written to.
  const int flags = O_WRONLY | O_CLOEXEC | (special ? 0 : O_CREAT | O_EXCL);
  const int descriptor = ::open(target.c_str(), flags, 0666);
  if (descriptor < 0) return fail("can not write " + file, errno);
  int error = write_all(descriptor, text);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (!special && error == 0 && ::rename(target.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0 || (special && error == EPIPE)) return code;
  if (!special) ::unlink(target.c_str());
  return fail("can not write " + file, error);
}

}  // namespace

int deliver(std::string_view text, const std::string& file, int code, bool paged) {
  if (!file.empty() && file != "-") return to_file(text, file, code);
  return paged && show_in_pager(text) ? code : to_stdout(text, code);
}

void say(std::string_view line) {
  std::string text(line);
  text += '\n';
  write_all(STDERR_FILENO, text);  // nobody is left to be told when this fails
}

int complain(const Error& error) {
  std::string line = error.place.file.empty() ? "gpuplan: " : "";
  if (!error.place.file.empty()) {
    line += printable(error.place.file);
    if (error.place.line > 0) line += ':' + std::to_string(error.place.line);
    line += ": ";
  }
  line += printable(error.message, 600);
  say(line);
  return error.usage ? kUsage : kBadInput;
}

}  // namespace gpuplan::cli
