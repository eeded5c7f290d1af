// Changing single cells of a table in data/ and leaving every other character as it is.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan::kernels {

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
  void save() const {
    std::ofstream file(path_, std::ios::binary);
    for (const auto& cells : lines_) {
      for (std::size_t i = 0; i < cells.size(); ++i) file << (i > 0 ? "," : "") << cells[i];
      file << '\n';
    }
  }

 private:
  std::string path_;
  std::vector<std::vector<std::string>> lines_;
};

/// Three digits, more than the tables justify.
inline double rounded(double value) {
  if (value < 1e-3) return 0;
  const double scale = std::pow(10.0, 2 - std::floor(std::log10(value)));
  return std::round(value * scale) / scale;
}

inline std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

/// Quadratic up to about 8 %, linear beyond: a few odd kernels shall not decide.
inline double robust(double log_error) {
  constexpr double kWidth = 0.08;
  const double e = log_error / kWidth;
  return std::sqrt(1 + e * e) - 1;
}

}  // namespace gpuplan::kernels
