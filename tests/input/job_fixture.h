// What tests of job files share: the catalogue of data/, and reading texts.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "input/job/job_reader.h"
#include "input/job/settings.h"
#include "input/models/model_source.h"
#include "input/tables/catalogue_files.h"

namespace gpuplan {

inline std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// The tables of data/, read once.
inline const Catalogue& known() {
  static const Catalogue catalogue = [] {
    std::vector<std::string> texts;
    for (const std::string_view name : kDataFiles)
      texts.push_back(file_text(std::string(GPUPLAN_DATA_DIR) + "/" + std::string(name)));
    std::vector<DataFile> files;
    for (std::size_t i = 0; i < texts.size(); ++i)
      files.push_back({kDataFiles[i], std::string(kDataFiles[i]), texts[i]});
    return parse_catalogue(files).value();
  }();
  return catalogue;
}

/// examples/NAME.yaml as written.
inline Result<JobSource> example_source(const std::string& name) {
  const std::string path = std::string(GPUPLAN_SOURCE_DIR) + "/examples/" + name + ".yaml";
  return parse_job(file_text(path), path);
}

inline Result<Job> read_text_as_job(std::string_view text, const std::string& file = "job.yaml") {
  const ModelFinder models(known());
  const auto source = parse_job(text, file);
  if (!source) return std::unexpected(source.error());
  return read_job(*source, known(), models);
}

/// "job.yaml:3: message", as the command line prints it; "" when there is no error.
template <class T>
std::string line_of(const Result<T>& result) {
  if (result) return "";
  const Error& error = result.error();
  std::string line = error.place.file;
  if (error.place.line > 0) line += ":" + std::to_string(error.place.line);
  return line.empty() ? error.message : line + ": " + error.message;
}

inline std::string error_of(std::string_view text) { return line_of(read_text_as_job(text)); }

}  // namespace gpuplan
