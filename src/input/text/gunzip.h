// Unpacks gzip in pieces of any size, several members one after another, with bounded memory.
#pragma once

#include <memory>
#include <string_view>

namespace gpuplan {

class Gunzip {
 public:
  enum class State {
    kMember,   ///< inside of one
    kBetween,  ///< one has ended
    kDamaged   ///< what follows can not be read
  };

  Gunzip();
  Gunzip(Gunzip&&) noexcept;
  Gunzip& operator=(Gunzip&&) noexcept;
  ~Gunzip();

  /// Calls `take(std::string_view)` for what comes out of `bytes`, in pieces of at most 64 KiB.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    while (true) {
      const std::string_view out = next(bytes);
      if (out.empty()) return;
      take(out);
    }
  }
  State state() const { return state_; }
  bool any() const { return any_; }  ///< something came out

 private:
  struct Stream;
  /// The next piece of output; empty when `bytes`, taken off meanwhile, are used up.
  std::string_view next(std::string_view& bytes);

  std::unique_ptr<Stream> stream_;
  State state_ = State::kBetween;
  bool any_ = false;
};

}  // namespace gpuplan
