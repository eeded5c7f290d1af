#include "input/models/model_source.h"

#include <algorithm>

#include "base/text.h"
#include "input/models/model_files.h"
#include "input/models/model_sizes.h"

namespace gpuplan {
namespace {

bool looks_like_path(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower.starts_with('.') || lower.starts_with('/') || lower.starts_with("~/") || lower.ends_with('/') ||
         lower.ends_with(".json") || lower.ends_with(".safetensors") || lower.ends_with(".gguf");
}

}  // namespace

Result<FoundModel> find_model(const Catalogue& catalogue, std::string_view name_or_path, const std::string& base_folder,
                              ModelFiles files) {
  const std::string_view name = trim(name_or_path);
  if (name.empty()) return failure("expected a model name or a path to a model");
  constexpr std::size_t kLongestPath = 4096;
  if (name.size() > kLongestPath || name.find('\0') != std::string_view::npos)
    return failure("'" + printable(name, 60) + "' is neither a model name nor a path");
  const bool path_only = looks_like_path(name);
  if (!path_only)
    if (const ModelShape* shape = catalogue.find_model(name)) return FoundModel{*shape, "catalogue", {}};
  const bool read = files == ModelFiles::kRead;
  if (path_only && !read)
    return failure("'" + printable(name, 60) +
                   "' is a file, and files are not read here; give a name, or {layers, hidden, heads, vocab}");
  if (read && (path_only || model_file_exists(name, base_folder))) return read_model_file(name, base_folder);

  if (const std::string sizes = other_sizes(catalogue, name); !sizes.empty())
    return failure(
        sizes +
        ". Or give a path to its config.json, or its size: --params 9B, {params: 9B, layers: 32, hidden: 4096}");
  std::vector<std::string_view> names;
  for (const ModelShape& model : catalogue.models) names.push_back(model.name);
  const std::size_t slash = name.rfind('/');
  const std::string hint = did_you_mean(slash == std::string_view::npos ? name : name.substr(slash + 1), names);
  return failure("unknown model '" + printable(name, 100) + "'" + hint + (hint.empty() ? ". Give" : " Or give") +
                 " a path to its config.json, or its size: --params 9B, {params: 9B, layers: 32, hidden: 4096}");
}

std::string called(const Catalogue& catalogue, std::string_view asked, const ModelShape& shape) {
  asked = trim(asked);
  if (catalogue.find_model(asked) == nullptr) return shape.name.empty() ? std::string(asked) : shape.name;
  const std::size_t slash = asked.rfind('/');
  if (slash != std::string_view::npos) asked.remove_prefix(slash + 1);
  return squeeze(asked) == squeeze(shape.name) ? shape.name : std::string(asked);
}

Result<ModelShape> ModelFinder::resolve(std::string_view name_or_path, std::string_view base_folder) const {
  Result<FoundModel> found = find_model(catalogue_, name_or_path, std::string(base_folder), files_);
  if (found) return std::move(found->shape);
  Error error = std::move(found.error());
  if (!error.place.file.empty()) {
    std::string place = error.place.file;
    if (error.place.line > 0) place += ':' + std::to_string(error.place.line);
    error.message = place + ": " + error.message;
    error.place = {};
  }
  return std::unexpected(std::move(error));
}

}  // namespace gpuplan
