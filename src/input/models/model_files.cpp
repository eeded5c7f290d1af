#include "input/models/model_files.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "input/models/model_config.h"
#include "input/models/weights/gguf.h"
#include "input/models/weights/safetensors.h"

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
  if (!fs::exists(status)) return failure("no such file", {name});
  if (!fs::is_regular_file(status)) return failure("is not a file", {name});
  std::ifstream in(path, std::ios::binary);
  if (!in) return failure("cannot be read", {name});
  const std::uintmax_t size = fs::file_size(path, error);
  std::string text(error ? most : static_cast<std::size_t>(std::min<std::uintmax_t>(size, most)), '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (in.bad()) return failure("cannot be read", {name});
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
      found.notes.push_back("the weight files have " + count_short(*counted) + " parameters, the configuration has " +
                            count_short(formula));
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
                       " parameters, but the tensor names do not tell the shape; add a config.json next to it",
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
  Result<GgufModel> model = failure("cannot be read", {name});
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

fs::path full_path(std::string_view name, const std::string& base_folder) {
  if (name.starts_with("~/"))
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nobody changes the environment
    if (const char* home = std::getenv("HOME"); home != nullptr) return fs::path(home) / name.substr(2);
  const fs::path path(name);
  return path.is_absolute() || base_folder.empty() ? path : fs::path(base_folder) / path;
}

}  // namespace

bool model_file_exists(std::string_view path, const std::string& base_folder) {
  std::error_code error;
  return fs::exists(full_path(path, base_folder), error);
}

Result<FoundModel> read_model_file(std::string_view path, const std::string& base_folder) {
  return from_path(full_path(path, base_folder));
}

}  // namespace gpuplan
