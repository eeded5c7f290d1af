#include "cli/io/progress.h"

#include "base/text.h"
#include "cli/io/terminal.h"

namespace gpuplan::cli {
namespace {

constexpr std::int64_t kPatience = 500'000'000;     // what is done sooner needs no words
constexpr std::int64_t kBetweenLines = 50'000'000;  // more often nobody can read it

}  // namespace

Progress::Progress(System& system, std::string what, std::int64_t total)
    : system_(system),
      what_(std::move(what)),
      total_(total),
      visible_(can_show_progress(system)),
      started_(system.now()) {}

Progress::~Progress() {
  if (written_ != 0) write_over("");
}

void Progress::write_over(const std::string& line) {
  [[maybe_unused]] const std::error_code untold = system_.write(Stream::kError, "\r\x1b[K" + line);
}

void Progress::step() {
  const std::int64_t done = ++done_;
  if (!visible_) return;
  const std::unique_lock lock(writing_, std::try_to_lock);
  if (!lock.owns_lock()) return;
  const std::int64_t time = system_.now();
  if (time - started_ < kPatience || time - written_ < kBetweenLines) return;
  written_ = time;
  write_over(what_ + ": " + count_text(static_cast<double>(done)) + " of " + count_text(static_cast<double>(total_)));
}

}  // namespace gpuplan::cli
