#include "base/word.h"

#include <functional>
#include <unordered_set>
#ifndef __wasi__
#include <mutex>
#endif

namespace gpuplan {
namespace {

struct Hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// All of them, which stay where they are.
struct Pool {
  std::unordered_set<std::string, Hash, std::equal_to<>> texts;
#ifndef __wasi__
  std::mutex one;  // at a time
#endif
};

Pool& pool() {
  static Pool& words = *new Pool;  // words may outlive what is destroyed at the end
  return words;
}

}  // namespace

const std::string* Word::kept(std::string_view text) {
  if (text.empty()) return nullptr;
  Pool& words = pool();
#ifndef __wasi__
  const std::scoped_lock lock(words.one);
#endif
  const auto known = words.texts.find(text);
  return &*(known != words.texts.end() ? known : words.texts.emplace(text).first);
}

const std::string& Word::none() {
  static const std::string kNone;
  return kNone;
}

}  // namespace gpuplan
