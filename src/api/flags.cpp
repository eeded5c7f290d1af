#include "api/flags.h"

#include <vector>

#include "base/text.h"

namespace gpuplan::api {
namespace {

/// Each of them again is another value; of the others it is a mistake.
Result<void> fill(std::string& text, const std::string& name, const std::string& value) {
  if (!text.empty()) return wrong_use("--" + name + " is repeated; use it once");
  text = value;
  return {};
}

}  // namespace

Result<void> set_flag(const std::string& name, const std::string& value, Sketch& sketch, Wishes& wishes) {
  std::vector<std::string> names{"generate", "forward-only"};
  if (name == "generate") {
    if (value != "true" && value != "false")
      return wrong_use("--generate: expected true or false, got '" + printable(value, 40) + "'");
    sketch.generate = value == "true";
    return {};
  }
  if (name == "forward-only") {
    if (value != "true" && value != "false")
      return wrong_use("--forward-only: expected true or false, got '" + printable(value, 40) + "'");
    sketch.forward_only = value == "true";
    return {};
  }
  for (const FlagAlias& alias : flag_aliases())
    if (alias.name.substr(2) == name && alias.value.empty())
      return set_flag(std::string(alias.flag.substr(2)), value, sketch, wishes);
  for (const SketchFlag& flag : sketch_flags()) {
    names.emplace_back(flag.name.substr(2));
    if (names.back() == name) return fill(sketch.*flag.text, name, value);
  }
  for (const WishFlag& flag : wish_flags()) {
    names.emplace_back(flag.name.substr(2));
    if (names.back() != name) continue;
    if (flag.list == nullptr) return fill(wishes.*flag.text, name, value);
    (wishes.*flag.list).push_back(value);
    return {};
  }
  return wrong_use("unknown flag '" + printable(name, 40) + "'; expected " + listed(names, "or"));
}

}  // namespace gpuplan::api
