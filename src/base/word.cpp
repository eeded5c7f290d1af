#include "base/word.h"

#include <cstdint>
#include <cstring>
#include <deque>
#include <vector>
#ifndef __wasi__
#include <mutex>
#endif

namespace gpuplan {
namespace {

/// Eight bytes at a time: lists bring tens of thousands of words.
std::uint32_t hash_of(std::string_view text) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  std::uint64_t hash = text.size() * kFactor;
  const auto take = [&](std::size_t at, std::size_t size) {
    std::uint64_t part = 0;
    std::memcpy(&part, text.data() + at, size);
    hash = (hash ^ part) * kFactor;
    hash ^= hash >> 32U;
  };
  std::size_t at = 0;
  for (; at + 8 <= text.size(); at += 8) take(at, 8);
  if (at < text.size()) take(at, text.size() - at);
  return static_cast<std::uint32_t>(hash);
}

/// All of them, which stay where they are.
class Pool {
 public:
  const std::string* kept(std::string_view text) {
#ifndef __wasi__
    const std::scoped_lock lock(one_);
#endif
    if (slots_.size() < 2 * (texts_.size() + 1)) grow();
    const std::uint32_t hash = hash_of(text);
    Slot& slot = place_of(hash, text);
    if (slot.number == 0) {
      texts_.emplace_back(text);
      slot = {hash, static_cast<std::uint32_t>(texts_.size())};
    }
    return &texts_[slot.number - 1];
  }

 private:
  /// Small: a word of a long list is looked for where nobody has looked before.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = 0;  ///< of the text, from 1; 0: free
  };
  Slot& place_of(std::uint32_t hash, std::string_view text) {
    for (std::size_t at = hash;; ++at) {
      Slot& slot = slots_[at & (slots_.size() - 1)];
      if (slot.number == 0 || (slot.hash == hash && texts_[slot.number - 1] == text)) return slot;
    }
  }
  void grow() {
    constexpr std::size_t kFirst = 4096;
    std::vector<Slot> before(slots_.empty() ? kFirst : 4 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.number != 0) place_of(slot.hash, texts_[slot.number - 1]) = slot;
  }

  std::deque<std::string> texts_;
  std::vector<Slot> slots_;  ///< a power of two of them, by hash; at least half are free
#ifndef __wasi__
  std::mutex one_;  // at a time
#endif
};

Pool& pool() {
  static Pool& words = *new Pool;  // words may outlive what is destroyed at the end
  return words;
}

}  // namespace

const std::string* Word::kept(std::string_view text) { return text.empty() ? nullptr : pool().kept(text); }

const std::string& Word::none() {
  static const std::string kNone;
  return kNone;
}

}  // namespace gpuplan
