#include "cli/load/load_job.h"

#include <string_view>

#include "base/text.h"
#include "cli/io/read_file.h"
#include "input/models/model_source.h"
#include "input/question/plan_file.h"
#include "input/text/yaml_tree.h"

namespace gpuplan::cli {
namespace {

/// The job of a kept plan, or the text itself.
Result<JobSource> source_in(const std::string& text, const std::string& file) {
  if (!is_kept_plan(text)) return parse_job(text, file);
  auto kept = read_plan_file(text, file);
  if (!kept) return std::unexpected(std::move(kept.error()));
  return std::move(kept->source);
}

}  // namespace

Result<JobSource> open_job(const std::string& file, const std::vector<std::string>& settings) {
  if (file.empty()) return wrong_use("the name of the job file is empty; expected a file or -");
  const auto text = read_file(file, kMaxPlanBytes);
  if (!text) return std::unexpected(text.error());
  auto source = source_in(*text, shown_name(file));
  if (!source) return source;
  for (const std::string& setting : settings)
    if (const auto set = set_value(source->tree, setting); !set) return std::unexpected(set.error());
  return source;
}

Result<LoadedJob> read_source(const JobSource& source, const Catalogue& catalogue) {
  const ModelFinder models(catalogue);
  auto job = read_job(source, catalogue, models);
  if (!job) return std::unexpected(job.error());
  LoadedJob loaded{*std::move(job), source, {}};
  for (const Variant& variant : loaded.job.variants) {
    const auto changed = with_variant(source, variant);
    auto read = changed ? read_job(*changed, catalogue, models) : std::unexpected(changed.error());
    if (!read) return std::unexpected(read.error());
    loaded.variants.push_back(*std::move(read));
  }
  return loaded;
}

bool looks_like_job(const std::string& name) {
  if (name == "-") return true;
  const std::string lower = to_lower(name);
  if (lower.ends_with(".yaml") || lower.ends_with(".yml")) return true;
  // A .json may be a model's config.json or a job: only a job has phases.
  if (!lower.ends_with(".json")) return false;
  const auto text = read_file(name, kMaxTextBytes);
  const auto source = text ? parse_job(*text, name) : std::unexpected(text.error());
  return source && source->tree.find("phases") != nullptr;
}

}  // namespace gpuplan::cli
