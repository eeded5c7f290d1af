#include "input/job/checks/fail_at.h"

#include <algorithm>

namespace gpuplan {

bool fail_at(Reader& reader, const Tree& tree, std::string_view key, const std::string& message) {
  const std::size_t point = std::min(key.find('.'), key.size());
  const Tree* at = tree.find(key.substr(0, point));
  const Reader::Scope scope(reader, key.substr(0, point));
  if (at == nullptr) return reader.fail(tree, message);
  const Tree* below = point < key.size() && at->is_map() ? at->find(key.substr(point + 1)) : nullptr;
  if (below == nullptr) return reader.fail(*at, message);
  const Reader::Scope inner(reader, key.substr(point + 1));
  return reader.fail(*below, message);
}

}  // namespace gpuplan
