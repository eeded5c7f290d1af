// Runs while gpuplan is built: reads the tables of data/ that are compiled in, checks them, and writes what it read for
// the program to start with (cmake/facts_image.cmake). A table that is wrong stops the build with file and line.
//   gpuplan_pack_facts FILE
#include <cstdio>
#include <string>
#include <vector>

#include "input/image/catalogue_image.h"
#include "input/tables/catalogue_files.h"
#include "input/text/embedded_data.h"

int main(int count, char** words) {
  if (count != 2) {
    std::fputs("usage: gpuplan_pack_facts FILE\n", stderr);
    return 2;
  }
  std::vector<gpuplan::DataFile> files;
  for (const std::string_view name : gpuplan::kDataFiles)
    files.push_back({name, "data/" + std::string(name), gpuplan::embedded_data(name)});
  const auto catalogue = gpuplan::parse_catalogue(files);
  if (!catalogue) {
    const gpuplan::Error& wrong = catalogue.error();
    std::fprintf(stderr, "%s:%d: %s\n", wrong.place.file.c_str(), wrong.place.line, wrong.message.c_str());
    return 1;
  }
  const std::string image = gpuplan::pack_catalogue(*catalogue);
  std::FILE* const file = std::fopen(words[1], "wb");  // WASI's C++ library has no files
  const bool written = file != nullptr && std::fwrite(image.data(), 1, image.size(), file) == image.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (!written || !closed) std::fprintf(stderr, "cannot write %s\n", words[1]);
  return written && closed ? 0 : 1;
}
