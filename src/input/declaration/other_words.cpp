#include "input/declaration/other_words.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

struct OtherWord {
  std::string kind, word, advice;
};

std::string plain(std::string_view word) {
  std::string text = to_lower(word);
  std::ranges::replace(text, '_', '-');
  return text;
}

std::vector<OtherWord> read_words() {
  std::vector<OtherWord> words;
  const auto table = CsvTable::parse(embedded_data("other_words.csv"), "other_words.csv");
  if (!table) return words;  // tests/data would tell
  CsvReader cells(*table);
  const auto kind = cells.column("kind"), word = cells.column("word"), advice = cells.column("advice");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row)
    words.push_back({std::string(cells.required(row, kind)), plain(cells.required(row, word)),
                     std::string(cells.required(row, advice))});
  return words;
}

}  // namespace

std::string_view advice_on(std::string_view kind, std::string_view word) {
  static const std::vector<OtherWord> words = read_words();
  const std::string wanted = plain(word);
  for (const OtherWord& row : words)
    if (row.kind == kind && row.word == wanted) return row.advice;
  return "";
}

}  // namespace gpuplan
