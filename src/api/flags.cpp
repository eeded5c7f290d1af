#include "api/flags.h"

#include <vector>

#include "base/text.h"

namespace gpuplan::api {
namespace {

/// Each of them again is another value; of the others it is a mistake.
Result<void> fill(std::string& text, const std::string& name, const std::string& value) {
  if (!text.empty()) return wrong_use("--" + name + ": is said twice; leave one away");
  text = value;
  return {};
}

}  // namespace

Result<void> set_flag(const std::string& name, const std::string& value, Sketch& sketch, Wishes& wishes) {
  std::vector<std::string> names{"generate"};
  if (name == "generate") {
    if (value != "true" && value != "false")
      return wrong_use("--generate: expected true or false, got '" + printable(value, 40) + "'");
    sketch.generate = value == "true";
    return {};
  }
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
  return wrong_use("there is no flag '" + printable(name, 40) + "'; expected " + listed(names, "or"));
}

}  // namespace gpuplan::api
