// JSON as pages load it: a call of a function with the value in it, "callback({...});".
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Takes such a call away, so that lines and columns stay what they are. Other text stays as it is.
class WithoutJsonp {
 public:
  /// The first bytes of a text, as many as are at hand.
  void begin(std::string& head);
  bool found() const { return found_; }

  /// Calls `take(std::string_view)` with what belongs to the value of a text that begin() found.
  template <class Take>
  void feed(std::string_view text, Take&& take) {
    // The end of the call shows only when nothing else comes.
    const std::size_t last = text.find_last_not_of(" \t\r\n);");
    const std::size_t sure = last == std::string_view::npos ? 0 : last + 1;
    if (sure > 0) {
      if (!held_.empty()) take(std::string_view(held_));
      held_.clear();
      take(text.substr(0, sure));
    }
    held_ += text.substr(sure);
    if (held_.size() <= kMostHeld) return;
    take(std::string_view(held_));
    held_.clear();
  }

 private:
  static constexpr std::size_t kMostHeld = 4096;
  bool found_ = false;
  std::string held_;  ///< blanks and signs that may be the end of the call
};

}  // namespace gpuplan
