// What long work says of itself while it lasts.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

#include "cli/io/system.h"

namespace gpuplan::cli {

/// A line on stderr, "searching variants: 12 of 40", written over itself and erased in the end. It shows only on a
/// terminal and only when the work has lasted for half a second. Steps may come from several threads.
class Progress {
 public:
  /// `what`: what is being done, "searching variants"; `total` steps.
  Progress(System& system, std::string what, std::int64_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more step is done.
  void step();

 private:
  void write_over(const std::string& line);

  System& system_;
  std::string what_;
  std::int64_t total_;
  bool visible_;          ///< stderr can show it
  std::int64_t started_;  ///< by the clock of the system
  std::atomic<std::int64_t> done_ = 0;
  std::mutex writing_;
  std::int64_t written_ = 0;  ///< when the line was last written; 0: never
};

}  // namespace gpuplan::cli
