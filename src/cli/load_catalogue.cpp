#include "cli/load_catalogue.h"

#include <sys/stat.h>

#include <array>
#include <vector>

#include "base/text.h"
#include "cli/read_file.h"
#include "input/catalogue_files.h"
#include "input/csv.h"
#include "input/embedded_data.h"

namespace gpuplan::cli {

Result<Catalogue> load_catalogue(const std::string& folder) {
  std::vector<DataFile> files;
  std::array<std::string, kDataFiles.size()> texts;  // of files read from the folder; the tables point into them
  struct stat facts{};
  if (!folder.empty() && (::stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode)))
    return wrong_use("--data: expected a folder with gpus.csv, offers.csv, ..., got '" + printable(folder) + "'");
  bool found = folder.empty();
  for (std::size_t i = 0; i < kDataFiles.size(); ++i) {
    const std::string name(kDataFiles[i]);
    DataFile file{kDataFiles[i], "data/" + name, embedded_data(name)};
    if (!folder.empty()) {
      std::string path = folder;
      path += '/';
      path += name;
      if (::stat(path.c_str(), &facts) == 0) {
        auto text = read_file(path, CsvTable::kMaxBytes);
        if (!text) return std::unexpected(text.error());
        found = true;
        texts[i] = *std::move(text);
        file.label = path;
        file.text = texts[i];
      }
    }
    files.push_back(std::move(file));
  }
  if (!found) return failure("the folder holds none of gpus.csv, offers.csv, models.csv, ... (--data)", {folder});
  return parse_catalogue(files);
}

}  // namespace gpuplan::cli
