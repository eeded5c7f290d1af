// Tables whose columns a line of dashes below their names marks off, as spaCy and tabulate print them:
//   E    #       LOSS NER  SCORE
//   ---  ------  --------  ------
//     0     200    213.41    0.41
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "input/logs/book/book.h"
#include "input/logs/book/names.h"

namespace gpuplan {

class RuledTable {
 public:
  /// A line that no program's reader knows: names, the dashes below them, or a row.
  Match line(LogBook& book, const LogLine& line);

 private:
  bool begins(std::string_view rule);
  Match row(LogBook& book, const LogLine& line) const;

  std::string above_;                ///< the line before, if it may be names
  std::vector<NamedValue> columns_;  ///< kNothing: not read
};

}  // namespace gpuplan
