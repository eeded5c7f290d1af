// Unpacks gzip in pieces of any size, several members one after another, with bounded memory.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
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

/// Passes on what comes, unpacked where it begins as gzip does.
class MaybeGzip {
 public:
  /// Calls `take(std::string_view)`; the first two bytes wait for each other.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    if (!begun_) {
      const std::size_t more = std::min(bytes.size(), kMagic.size() - start_.size());
      start_ += bytes.substr(0, more);
      bytes.remove_prefix(more);
      if (start_.size() < kMagic.size()) return;
      begun_ = true;
      if (start_ == kMagic) gunzip_.emplace();
      pass(start_, take);
    }
    pass(bytes, take);
  }
  /// No more comes: a single byte is passed on as it is.
  template <class Take>
  void end(Take&& take) {
    if (!begun_ && !start_.empty()) take(std::string_view(start_));
    begun_ = true;
  }
  bool gzip() const { return gunzip_.has_value(); }
  /// Compressed, and it breaks off or can not be read to its end.
  bool unfinished() const { return gunzip_ && gunzip_->state() != Gunzip::State::kBetween; }
  /// Compressed, and nothing of it could be read.
  bool damaged() const { return gunzip_ && gunzip_->state() == Gunzip::State::kDamaged && !gunzip_->any(); }

 private:
  static constexpr std::string_view kMagic = "\x1f\x8b";
  template <class Take>
  void pass(std::string_view bytes, Take& take) {
    if (!gunzip_) take(bytes);
    else gunzip_->feed(bytes, take);
  }

  std::string start_;
  bool begun_ = false;
  std::optional<Gunzip> gunzip_;
};

}  // namespace gpuplan
