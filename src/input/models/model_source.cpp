#include "input/models/model_source.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "base/amount.h"
#include "base/text.h"
#include "input/models/gguf.h"
#include "input/models/model_config.h"
#include "input/models/model_sizes.h"
#include "input/models/safetensors.h"

namespace gpuplan {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMostConfigBytes = 16'000'000;
/// A tokenizer of 250,000 tokens and the list of tensors take about 15 MB.
constexpr std::size_t kFirstGgufBytes = 32'000'000, kMostGgufBytes = 512'000'000;

/// At most `most` bytes from the beginning of an ordinary file.
Result<std::string> read_start(const fs::path& path, std::size_t most) {
  const std::string name = printable(path.string());
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) return failure("there is no such file", {name});
  if (!fs::is_regular_file(status)) return failure("expected a file", {name});
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure("can not be read", {name});
  const std::uintmax_t size = fs::file_size(path, error);
  std::string text(error ? most : static_cast<std::size_t>(std::min<std::uintmax_t>(size, most)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return failure("can not be read", {name});
  return text;
}

std::string lower_name(const fs::path& path) { return to_lower(path.filename().string()); }

bool shard(const fs::path& path) { return lower_name(path).find("-of-0") != std::string::npos; }

/// Folder or file name that stands for the model in messages: "Llama-3.1-8B" of ".../Llama-3.1-8B/config.json".
std::string model_name(const fs::path& path) {
  const fs::path folder = fs::absolute(path).lexically_normal().parent_path();
  const std::string file = lower_name(path);
  const bool generic = file == "config.json" || file.starts_with("model.") || file.starts_with("model-");
  return printable(generic && folder.has_filename() ? folder.filename().string() : path.stem().string(), 80);
}

/// Parameters that the weights beside a configuration hold; nullopt when there are none or they are packed.
std::optional<double> weights_beside(const fs::path& folder, Format native) {
  std::error_code error;
  if (const fs::path index = folder / "model.safetensors.index.json"; fs::is_regular_file(index, error)) {
    const Result<std::string> text = read_start(index, kMaxSafetensorsHeader);
    if (!text) return std::nullopt;
    const Result<SafetensorsIndex> read = read_safetensors_index(*text, index.string());
    if (!read) return std::nullopt;
    if (read->parameters > 0) return read->parameters;
    if (bits_of(native) < 16 || read->total == Bytes{}) return std::nullopt;
    return read->total.value / bytes_of(native);
  }
  if (const fs::path single = folder / "model.safetensors"; fs::is_regular_file(single, error)) {
    const Result<std::string> length = read_start(single, 8);
    if (!length) return std::nullopt;
    const Result<std::size_t> bytes = safetensors_header_bytes(*length, single.string());
    if (!bytes) return std::nullopt;
    const Result<std::string> header = read_start(single, *bytes);
    if (!header) return std::nullopt;
    const Result<SafetensorsHeader> read = read_safetensors(*header, single.string());
    if (read && read->plain()) return read->elements;
  }
  return std::nullopt;
}

Result<FoundModel> from_config(const fs::path& path) {
  const Result<std::string> text = read_start(path, kMostConfigBytes + 1);
  if (!text) return std::unexpected(text.error());
  Result<ModelConfig> config = read_model_config(*text, printable(path.string()));
  if (!config) return std::unexpected(config.error());
  FoundModel found{std::move(config->shape), printable(path.string()), std::move(config->notes)};
  found.shape.name = model_name(path);
  if (const auto counted = weights_beside(path.parent_path(), found.shape.native)) {
    const double formula = count_parameters(found.shape).total();
    if (*counted < 0.99 * formula || *counted > 1.01 * formula)
      found.notes.push_back("the weights beside it hold " + count_short(*counted) +
                            " parameters, the configuration gives " + count_short(formula));
    found.shape.published = *counted;
  }
  return found;
}

Result<FoundModel> from_safetensors(const fs::path& path) {
  std::error_code error;
  if (const fs::path config = path.parent_path() / "config.json"; fs::is_regular_file(config, error))
    return from_config(config);
  const std::string name = printable(path.string());
  const Result<std::string> length = read_start(path, 8);
  if (!length) return std::unexpected(length.error());
  const Result<std::size_t> bytes = safetensors_header_bytes(*length, name);
  if (!bytes) return std::unexpected(bytes.error());
  const Result<std::string> start = read_start(path, *bytes);
  if (!start) return std::unexpected(start.error());
  const Result<SafetensorsHeader> header = read_safetensors(*start, name);
  if (!header) return std::unexpected(header.error());
  if (shard(path)) return failure("is one part of several; give the folder with config.json", {name});
  if (!header->shape)
    return failure("holds " + count_short(header->elements) +
                       " parameters, but its tensors have no names that tell the shape; put "
                       "config.json beside it",
                   {name});
  FoundModel found{*header->shape, name, {"no config.json: read from the names and sizes of the tensors"}};
  if (found.shape.qk_norm != QkNorm::kHead)
    found.notes.push_back("heads of " + std::to_string(found.shape.head_dim) + " are assumed");
  if (found.shape.moe()) found.notes.emplace_back("two experts a token are assumed");
  found.shape.name = model_name(path);
  return found;
}

Result<FoundModel> from_gguf(const fs::path& path) {
  const std::string name = printable(path.string());
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path, error);
  Result<GgufModel> model = failure("can not be read", {name});
  for (const std::size_t most : {kFirstGgufBytes, kMostGgufBytes}) {
    const Result<std::string> start = read_start(path, most);
    if (!start) return std::unexpected(start.error());
    model = read_gguf(*start, name);
    if (model || error || size <= most) break;
  }
  if (!model) return std::unexpected(model.error());
  FoundModel found{std::move(model->shape), name, std::move(model->notes)};
  found.shape.name = model_name(path);
  return found;
}

Result<FoundModel> from_folder(const fs::path& path) {
  std::error_code error;
  if (const fs::path config = path / "config.json"; fs::is_regular_file(config, error)) return from_config(config);
  std::vector<fs::path> gguf, safetensors;
  int entries = 0;
  for (const auto& entry : fs::directory_iterator(path, error)) {
    if (++entries > 10'000) break;
    if (entry.path().extension() == ".gguf") gguf.push_back(entry.path());
    if (entry.path().extension() == ".safetensors") safetensors.push_back(entry.path());
  }
  std::ranges::sort(gguf);
  if (gguf.size() == 1 || (!gguf.empty() && shard(gguf.front()))) return from_gguf(gguf.front());
  if (gguf.empty() && safetensors.size() == 1) {
    if (lower_name(safetensors.front()).starts_with("adapter"))
      return failure("holds an adapter, not a model; give its base model", {printable(path.string())});
    return from_safetensors(safetensors.front());
  }
  return failure("expected config.json in this folder", {printable(path.string())});
}

Result<FoundModel> from_path(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return from_folder(path);
  const std::string extension = to_lower(path.extension().string());
  if (extension == ".safetensors") return from_safetensors(path);
  if (extension == ".gguf") return from_gguf(path);
  if (lower_name(path).ends_with(".safetensors.index.json")) return from_folder(path.parent_path());
  if (extension == ".json") return from_config(path);
  const Result<std::string> start = read_start(path, 4);
  if (!start) return std::unexpected(start.error());
  if (*start == "GGUF") return from_gguf(path);
  if (start->starts_with("{")) return from_config(path);
  return failure("expected config.json, a folder that holds one, or a .safetensors or .gguf file",
                 {printable(path.string())});
}

bool looks_like_path(std::string_view name) {
  const std::string lower = to_lower(name);
  return lower.starts_with('.') || lower.starts_with('/') || lower.starts_with("~/") || lower.ends_with('/') ||
         lower.ends_with(".json") || lower.ends_with(".safetensors") || lower.ends_with(".gguf");
}

fs::path full_path(std::string_view name, const std::string& base_folder) {
  if (name.starts_with("~/"))
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
    if (const char* home = std::getenv("HOME"); home != nullptr) return fs::path(home) / name.substr(2);
  const fs::path path(name);
  return path.is_absolute() || base_folder.empty() ? path : fs::path(base_folder) / path;
}

}  // namespace

Result<FoundModel> find_model(const Catalogue& catalogue, std::string_view name_or_path, const std::string& base_folder,
                              ModelFiles files) {
  const std::string_view name = trim(name_or_path);
  if (name.empty()) return failure("expected the name of a model or a path to one");
  constexpr std::size_t kLongestPath = 4096;
  if (name.size() > kLongestPath || name.find('\0') != std::string_view::npos)
    return failure("'" + printable(name, 60) + "' is no name of a model and no path");
  const bool path_only = looks_like_path(name);
  if (!path_only)
    if (const ModelShape* shape = catalogue.find_model(name)) return FoundModel{*shape, "catalogue", {}};
  const bool read = files == ModelFiles::kRead;
  if (path_only && !read)
    return failure("'" + printable(name, 60) +
                   "' is a file, and none is read here; give a name, or {layers, hidden, heads, vocab}");
  if (read) {
    const fs::path path = full_path(name, base_folder);
    std::error_code error;
    if (path_only || fs::exists(path, error)) return from_path(path);
  }

  if (const std::string sizes = other_sizes(catalogue, name); !sizes.empty())
    return failure(sizes + ". Or give a path to its config.json, or {layers, hidden, heads, vocab}");
  std::vector<std::string_view> names;
  for (const ModelShape& model : catalogue.models) names.push_back(model.name);
  const std::size_t slash = name.rfind('/');
  const std::string hint = did_you_mean(slash == std::string_view::npos ? name : name.substr(slash + 1), names);
  return failure("model '" + printable(name, 100) + "' is not known" + hint + (hint.empty() ? "; give" : " Or give") +
                 " a path to its config.json, or {layers, hidden, heads, vocab}");
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
