#include "cli/load/find_config.h"

#include <utility>

#include "cli/io/read_file.h"
#include "cli/load/user_folder.h"
#include "input/text/toml_tree.h"

namespace gpuplan::cli {
namespace {

constexpr const char* kName = "gpuplan.toml";
constexpr const char* kValueOfTime = "GPUPLAN_VALUE_OF_TIME";

ConfigPlace place_at(System& system, std::string file, const char* why) {
  const bool there = system.facts_of(file).is_file();  // a pipe that happens to have the name would be waited for
  return {std::move(file), why, there};
}

/// From the working folder to the root; ends with the first that is there.
void look_upwards(System& system, std::vector<ConfigPlace>& places) {
  constexpr const char* kWhy = "this folder or a parent";
  places.push_back(place_at(system, std::string("./") + kName, kWhy));
  if (places.back().there) return;
  std::string folder = system.real_path(".");
  while (!places.back().there && folder.size() > 1) {
    folder.resize(folder.rfind('/'));
    places.push_back(place_at(system, folder + "/" + kName, kWhy));
  }
}

void look_in_xdg_folder(System& system, std::vector<ConfigPlace>& places) {
  const std::string folder = xdg_folder(system, "XDG_CONFIG_HOME", "/.config");
  if (folder.empty()) return;
  for (const char* name : {"/gpuplan/gpuplan.toml", "/gpuplan/config.toml", "/gpuplan.toml"}) {
    places.push_back(place_at(system, folder + name, "XDG config folder"));
    if (places.back().there) return;
  }
}

/// The same file under two names counts once.
bool same_file(System& system, const std::string& a, const std::string& b) {
  const FileFacts one = system.facts_of(a), other = system.facts_of(b);
  return one.kind != FileFacts::Kind::kNothing && one.kind == other.kind && one.device == other.device &&
         one.node == other.node;
}

}  // namespace

std::vector<ConfigPlace> config_places(System& system) {
  if (const auto only = system.environment("GPUPLAN_CONFIG")) {
    if (only->empty()) return {};
    return {place_at(system, std::string(*only), "GPUPLAN_CONFIG")};
  }
  std::vector<ConfigPlace> places;
  look_upwards(system, places);
  look_in_xdg_folder(system, places);
  return places;
}

Result<UserConfig> load_config(System& system, bool no_files, const Catalogue& catalogue) {
  std::vector<ConfigLayer> layers;
  if (const auto worth = system.environment(kValueOfTime); worth && !worth->empty()) {
    ConfigLayer layer{kValueOfTime, {}};
    layer.tree.kind = Tree::Kind::kMap;
    layer.tree.children.push_back(scalar_tree(*worth));
    layer.tree.children.back().key = "value_of_time";
    layers.push_back(std::move(layer));
  }
  if (!no_files) {
    std::string nearest;
    for (const ConfigPlace& place : config_places(system)) {
      const bool named = place.why == "GPUPLAN_CONFIG";  // then it must be there
      if ((!place.there && !named) || (!nearest.empty() && same_file(system, nearest, place.file))) continue;
      const auto text = read_file(system, place.file, kMaxTomlBytes);
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
