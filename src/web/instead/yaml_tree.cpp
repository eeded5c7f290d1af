// In place of src/input/text/yaml_tree.cpp, which needs yaml-cpp and exceptions.
#include "input/text/yaml_tree.h"

#include "web/instead/plain_yaml.h"

namespace gpuplan {

Result<Tree> parse_tree(std::string_view text, const std::string& file) { return parse_plain_yaml(text, file); }

}  // namespace gpuplan
