// What signals do for a while.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

namespace gpuplan::cli {

/// These signals call a function, or are ignored (SIG_IGN), while this lives; then they do what they did before.
class OnSignal {
 public:
  OnSignal(std::initializer_list<int> signals, void (*handler)(int));
  ~OnSignal() { restore(); }
  OnSignal(const OnSignal&) = delete;
  OnSignal& operator=(const OnSignal&) = delete;
  void restore() const;

 private:
  std::vector<std::pair<int, void (*)(int)>> before_;
};

}  // namespace gpuplan::cli
