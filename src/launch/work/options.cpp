#include "launch/work/options.h"

#include <algorithm>
#include <cmath>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "base/whole.h"

namespace gpuplan {
namespace {

/// "owner/name", and nothing in it that a shell could read as more.
bool plain_hub_name(std::string_view name) {
  return name.find('/') != std::string_view::npos && std::ranges::all_of(name, [](char c) {
           return is_letter(c) || is_digit(c) || c == '/' || c == '.' || c == '_' || c == '-';
         });
}

}  // namespace

void add_data_programs(const WorkPlace& place, Work& work) {
  for (const char* name :
       {"phase_parts.py", "data_sources.py", "data_rows.py", "chat_template.py", "training_data.py", "reports.py"})
    work.files.push_back(program(place, name));
}

int evaluation_steps(const WorkPlace& place) {
  const auto& rule = place.phase().evaluate;
  if (!rule) return 0;
  double steps = rule->every_steps;
  if (const Seconds step = place.laid.part->seconds_per_step.p50; rule->every_time && step > Seconds{})
    steps = *rule->every_time / step;
  return std::max(clamped<int>(std::round(steps)), 1);
}

std::string run_name(const WorkPlace& place) {
  return place.launch.phases.size() == 1 ? place.launch.slug : place.launch.slug + "-" + place.laid.slug;
}

void lead_reports(const WorkPlace& place, Work& work) {
  const std::string project = slug_of(place.launch.job.name, 60, "job");
  work.command.push_back("export WANDB_PROJECT=\"${WANDB_PROJECT:-" + project + "}\" WANDB_NAME=\"${WANDB_NAME:-" +
                         run_name(place) + "}\"");
  // Packages have the names that REPORT_TO has.
  work.command.emplace_back(
      "[ \"${REPORT_TO:-none}\" = none ] || tr ',' '\\n' <<<\"$REPORT_TO\" | xargs python3 -m pip install --quiet");
}

void ask_first(const WorkPlace& place, const std::vector<ModelUse>& models, Work& work) {
  work.files.push_back(program(place, "access.sh"));
  std::string line = "bash " + file_word("access.sh");
  std::string variables;
  for (std::size_t i = 0; i < models.size(); ++i) {
    const bool fetched = !models[i].drawn && trained_by(place, models[i]).empty();
    const std::string name = fetched ? source_of(models[i]) : "";
    variables += (i == 0 ? "" : " ") + model_variable(place, models, i);
    line += " \"${" + model_variable(place, models, i) + ":-" + (plain_hub_name(name) ? name : "") + "}\"";
  }
  if (variables != "MODEL") line = "MODEL_VARIABLES=" + bash_value(variables) + " " + line;
  work.checks.push_back(std::move(line));
  if (std::holds_alternative<TrainPhase>(place.phase().work))
    std::ranges::move(check_merged(place), std::back_inserter(work.checks));
}

void finish_model(const WorkPlace& place, Work& work) {
  for (const char* name : {"finish_model.py", "both_read.py"}) work.files.push_back(program(place, name));
  std::string line = "python3 " + file_word("finish_model.py");
  const LaunchPhase* later = merged_for(place);
  // Rows of samples may be conversations, whose end is to be kept with the model.
  const bool answers = !place.from_scratch() && !place.train().data.tokens;
  if (answers) line += " answers";
  if (later != nullptr) line += " merge";
  // What transformers 5 wrote is put so that the programs of later phases read it.
  const bool newer = runs_under(place, "axolotl") || runs_under(place, "llama-factory");
  work.finish.push_back(answers || later != nullptr || newer ? line : "[ -z \"${MERGE:-}${PUSH_TO:-}\" ] || " + line);
  if (later != nullptr)
    work.notes.push_back("At its end the adapters are merged into the weights (folder merged), from which " +
                         later->slug + " starts.");
}

}  // namespace gpuplan
