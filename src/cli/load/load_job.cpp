#include "cli/load/load_job.h"

#include "base/text.h"
#include "cli/io/read_file.h"
#include "input/job/job_reader.h"
#include "input/question/plan_file.h"
#include "input/text/yaml_tree.h"

namespace gpuplan::cli {

Result<api::NamedText> read_job_text(System& system, const std::string& file) {
  if (file.empty()) return wrong_use("the name of the job file is empty; give a file, or - for standard input");
  auto text = read_file(system, file, kMaxPlanBytes);
  if (!text) return std::unexpected(text.error());
  return api::NamedText{shown_name(file), *std::move(text)};
}

Result<api::AskedPlan> read_asked_plan(System& system, const std::string& word) {
  if (!to_lower(word).ends_with(".json") && word.find('/') == std::string::npos && word != "-")
    return api::AskedPlan{.id = word};
  auto text = read_file(system, word, kMaxPlanBytes);
  if (!text) return std::unexpected(std::move(text.error()));
  return api::AskedPlan{.kept = api::NamedText{shown_name(word), *std::move(text)}};
}

bool looks_like_job(System& system, const std::string& name) {
  if (name == "-") return true;
  const std::string lower = to_lower(name);
  if (lower.ends_with(".yaml") || lower.ends_with(".yml")) return true;
  // A .json may be a model's config.json or a job: only a job has phases.
  if (!lower.ends_with(".json")) return false;
  const auto text = read_file(system, name, kMaxTextBytes);
  const auto source = text ? parse_job(*text, name) : std::unexpected(text.error());
  return source && source->tree.find("phases") != nullptr;
}

}  // namespace gpuplan::cli
