#include "api/runs/job_place.h"

#include <string>
#include <string_view>

#include "base/text.h"
#include "input/job/address.h"

namespace gpuplan::api {
namespace {

/// What the job states at the address, or at the nearest one above it; null: nothing.
const Tree* stated(const Tree& job, std::string_view address) {
  while (!address.empty()) {
    if (const Tree* tree = value_at(job, address)) return tree;
    const std::size_t end = address.find_last_of(".[");
    address = end == std::string_view::npos ? std::string_view() : address.substr(0, end);
  }
  return nullptr;
}

/// The first value below that the message quotes; null: none.
const Tree* quoted_in(std::string_view message, const Tree& tree) {
  if (tree.is_scalar()) {
    const std::string text = printable(tree.text, 60);
    const bool quoted = message.find('"' + text + '"') != std::string_view::npos ||
                        message.find('\'' + text + '\'') != std::string_view::npos;
    return quoted && !text.empty() ? &tree : nullptr;
  }
  for (const Tree& child : tree.children)
    if (const Tree* found = quoted_in(message, child)) return found;
  return nullptr;
}

}  // namespace

Error placed(Error error, const JobSource& source) {
  if (!error.place.file.empty() || source.file.empty()) return error;
  const std::size_t end = error.message.find(": ");
  if (end == std::string::npos) return error;
  const Tree* tree = stated(source.tree, std::string_view(error.message).substr(0, end));
  if (tree == nullptr) return error;
  if (!tree->is_scalar())
    if (const Tree* value = quoted_in(std::string_view(error.message).substr(end), *tree)) tree = value;
  if (tree->from_setting) return error;  // of a flag: no file says it
  error.place = {source.file, tree->line};
  return error;
}

}  // namespace gpuplan::api
