// The files of data/ for programs that fit constants. Whatever goes wrong is thrown, with file and line.
#pragma once

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "domain/facts/catalogue.h"
#include "input/tables/catalogue_files.h"

namespace gpuplan::facts {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Writes a new file beside the old one, then puts it in its place.
inline void replace_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";
  std::ofstream file(fresh, std::ios::binary);
  file << text;
  file.close();
  if (!file || std::rename(fresh.c_str(), path.c_str()) != 0) throw std::runtime_error("cannot write " + path);
}

template <class T>
T value_or_throw(Result<T> result) {
  if (result) return *std::move(result);
  const Place& place = result.error().place;
  throw std::runtime_error(place.file + ":" + std::to_string(place.line) + ": " + result.error().message);
}

inline Catalogue read_catalogue(const std::string& data) {
  std::vector<std::string> texts;
  for (const auto name : kDataFiles) texts.push_back(file_text(data + "/" + std::string(name)));
  std::vector<DataFile> files;
  for (std::size_t i = 0; i < kDataFiles.size(); ++i)
    files.push_back({kDataFiles[i], data + "/" + std::string(kDataFiles[i]), texts[i]});
  return value_or_throw(parse_catalogue(files));
}

}  // namespace gpuplan::facts
