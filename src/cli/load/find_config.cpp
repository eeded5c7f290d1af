#include "cli/load/find_config.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <utility>

#include "cli/io/read_file.h"
#include "cli/io/terminal.h"
#include "input/text/toml_tree.h"

namespace gpuplan::cli {
namespace {

constexpr const char* kName = "gpuplan.toml";
constexpr const char* kValueOfTime = "GPUPLAN_VALUE_OF_TIME";

ConfigPlace place_at(std::string file, const char* why) {
  const bool there = is_file(file);  // a pipe that happens to have the name would be waited for
  return {std::move(file), why, there};
}

/// From the working folder to the root; ends with the first that is there.
void look_upwards(std::vector<ConfigPlace>& places) {
  constexpr const char* kWhy = "nearest folder upwards";
  places.push_back(place_at(std::string("./") + kName, kWhy));
  std::array<char, PATH_MAX> buffer{};
  if (places.back().there || ::getcwd(buffer.data(), buffer.size()) == nullptr) return;
  std::string folder = buffer.data();
  while (!places.back().there && folder.size() > 1) {
    folder.resize(folder.rfind('/'));
    places.push_back(place_at(folder + "/" + kName, kWhy));
  }
}

void look_in_xdg_folder(std::vector<ConfigPlace>& places) {
  std::string folder(environment("XDG_CONFIG_HOME").value_or(""));
  if (!folder.starts_with('/')) {  // the specification has relative ones ignored
    folder = environment("HOME").value_or("");
    if (folder.empty()) return;
    folder += "/.config";
  }
  for (const char* name : {"/gpuplan/gpuplan.toml", "/gpuplan/config.toml", "/gpuplan.toml"}) {
    places.push_back(place_at(folder + name, "XDG config folder"));
    if (places.back().there) return;
  }
}

/// The same file under two names counts once.
bool same_file(const std::string& a, const std::string& b) {
  struct stat one{}, other{};
  return ::stat(a.c_str(), &one) == 0 && ::stat(b.c_str(), &other) == 0 && one.st_ino == other.st_ino &&
         one.st_dev == other.st_dev;
}

}  // namespace

std::vector<ConfigPlace> config_places() {
  if (const auto only = environment("GPUPLAN_CONFIG")) {
    if (only->empty()) return {};
    return {place_at(std::string(*only), "GPUPLAN_CONFIG")};
  }
  std::vector<ConfigPlace> places;
  look_upwards(places);
  look_in_xdg_folder(places);
  return places;
}

Result<UserConfig> load_config(bool no_files, const Catalogue& catalogue) {
  std::vector<ConfigLayer> layers;
  if (const auto worth = environment(kValueOfTime); worth && !worth->empty()) {
    ConfigLayer layer{kValueOfTime, {}};
    layer.tree.kind = Tree::Kind::kMap;
    layer.tree.children.push_back(scalar_tree(*worth));
    layer.tree.children.back().key = "value_of_time";
    layers.push_back(std::move(layer));
  }
  if (!no_files) {
    std::string nearest;
    for (const ConfigPlace& place : config_places()) {
      const bool named = place.why == "GPUPLAN_CONFIG";  // then it must be there
      if ((!place.there && !named) || (!nearest.empty() && same_file(nearest, place.file))) continue;
      const auto text = read_file(place.file, kMaxTomlBytes);
      if (!text) return std::unexpected(text.error());
      auto tree = parse_toml(*text, place.file);
      if (!tree) return std::unexpected(std::move(tree.error()));
      layers.push_back({place.file, *std::move(tree)});
      nearest = place.file;
    }
  }
  return read_config(layers, catalogue);
}

}  // namespace gpuplan::cli
