// The text of a job file, line by line, with comments taken from the declaration of its keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/question/sketch.h"

namespace gpuplan {

/// Lines of YAML. `address` names the declared key whose meaning becomes the comment ("phases.train.data.tokens",
/// kinds of phases stand for their names); values are YAML.
class JobDraft {
 public:
  void note(std::string_view text);
  void blank();
  /// "key:" before lines that are indented more. `off`: commented out.
  void open(int indent, std::string_view address, std::string_view key, bool off = false);
  /// "key: value". `flag` said it; `assumed` marks what nobody did.
  void key(int indent, std::string_view address, std::string_view key, std::string_view value,
           std::string_view flag = {}, bool assumed = false);
  /// The same as the first key of an item of a list: "- key: value".
  void item(int indent, std::string_view address, std::string_view key, std::string_view value,
            std::string_view flag = {});
  /// "# key: example": what could be said. `outer`: the block around it is commented out too.
  void option(int indent, std::string_view address, std::string_view key, std::string_view example, bool outer = false);

  SketchedJob finish(std::vector<std::string> assumed) &&;

 private:
  struct Line {
    std::string text, comment;
    std::string_view flag;
  };
  std::vector<Line> lines_;
};

}  // namespace gpuplan
