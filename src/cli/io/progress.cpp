#include "cli/io/progress.h"

#include <unistd.h>

#include <chrono>

#include "base/text.h"
#include "cli/io/terminal.h"

namespace gpuplan::cli {
namespace {

constexpr std::int64_t kPatience = 500'000'000;     // what is done sooner needs no words
constexpr std::int64_t kBetweenLines = 50'000'000;  // more often nobody can read it

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void write_over(const std::string& line) {
  const std::string text = "\r\x1b[K" + line;
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

Progress::Progress(std::string what, std::int64_t total)
    : what_(std::move(what)), total_(total), visible_(can_show_progress()), started_(now()) {}

Progress::~Progress() {
  if (written_ != 0) write_over("");
}

void Progress::step() {
  const std::int64_t done = ++done_;
  if (!visible_) return;
  const std::unique_lock lock(writing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::int64_t time = now();
  if (time - started_ < kPatience || time - written_ < kBetweenLines) return;
  written_ = time;
  write_over(what_ + ": " + count_text(static_cast<double>(done)) + " of " + count_text(static_cast<double>(total_)));
}

}  // namespace gpuplan::cli
