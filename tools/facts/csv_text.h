// Changing single cells of a table in data/ and leaving every other character as it is.
#pragma once

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "facts/data_folder.h"

namespace gpuplan::facts {

/// The lines of a table split at commas outside of quotes; quotes stay where they are.
class CsvText {
 public:
  explicit CsvText(std::string path) : path_(std::move(path)) {
    std::ifstream file(path_);
    if (!file) throw std::runtime_error("cannot read " + path_);
    for (std::string line; std::getline(file, line);) {
      std::vector<std::string>& cells = lines_.emplace_back(1);
      bool quoted = false;
      for (const char c : line) {
        if (c == '"') quoted = !quoted;
        if (c == ',' && !quoted) cells.emplace_back();
        else cells.back() += c;
      }
    }
  }

  std::size_t rows() const { return lines_.size() - 1; }
  std::string& cell(std::size_t row, std::string_view column) {
    const auto& header = lines_.front();
    // Units stand in brackets behind the name.
    const auto found =
        std::ranges::find_if(header, [&](std::string_view name) { return name.substr(0, name.find('[')) == column; });
    if (found == header.end()) throw std::runtime_error(path_ + " has no column " + std::string(column));
    return lines_[row + 1][static_cast<std::size_t>(found - header.begin())];
  }
  /// Writes the file anew beside the old one, then puts it in its place.
  void save() const {
    std::string text;
    for (const auto& cells : lines_) {
      for (std::size_t i = 0; i < cells.size(); ++i) text += (i > 0 ? "," : "") + cells[i];
      text += '\n';
    }
    replace_file(path_, text);
  }

 private:
  std::string path_;
  std::vector<std::vector<std::string>> lines_;
};

}  // namespace gpuplan::facts
