#include "launch/work/work.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "domain/facts/limits.h"
#include "launch/parts/smoke_job.h"
#include "launch/work/arguments.h"

namespace gpuplan {
namespace {

struct Writer {
  std::string_view framework;
  Result<Work> (*write)(const WorkPlace&);
  std::string OptimizerFacts::* optimizer = nullptr;  ///< what the program calls optimizers; null: it sees to that
  bool text_alone = false;                            ///< it loads no weights of models that also see or hear
};

constexpr std::array<Writer, 11> kTraining = {{
    {"torch", torch_work, &OptimizerFacts::torch, true},
    {"hf-trainer", trainer_work},  // TRL loads them
    {"accelerate", trainer_work, nullptr, true},
    {"deepspeed", trainer_work, nullptr, true},
    {"unsloth", trainer_work},
    {"megatron", megatron_work, &OptimizerFacts::megatron},
    {"torchtitan", torchtitan_work, &OptimizerFacts::torchtitan},
    {"nanochat", nanochat_work},
    {"nanogpt", nanogpt_work},
    {"axolotl", axolotl_work, &OptimizerFacts::axolotl},
    {"llama-factory", llama_factory_work, &OptimizerFacts::trainer},
}};

/// An optimizer of the phase that the program has no name for; nullopt: it has all.
std::optional<Optimizer> without_name(const WorkPlace& place, const Writer& writer) {
  if (writer.optimizer != nullptr)
    for (const Optimizer one : {place.train().optimizer.matrices, place.train().optimizer.rest})
      if (optimizer_name(place, one, writer.optimizer).empty()) return one;
  return std::nullopt;
}

Result<Work> training_work(const WorkPlace& place) {
  if (const std::string why = untrainable(place.train()); !why.empty()) return placeholder(place, why);
  const Framework* framework = place.estimate().framework;
  // The search leaves these out; a plan may be older than what is known now.
  if (framework != nullptr) {
    const TrainPhase& train = place.train();
    if (const std::string why = why_not_run(*framework, train, place.estimate().start, place.strategy()); !why.empty())
      return placeholder(place, why + ".");
  }
  for (const Writer& writer : kTraining) {
    if (!runs_under(place, writer.framework)) continue;
    if (const auto missing = without_name(place, writer))
      return placeholder(place, "gpuplan cannot name " + std::string(name_of(*missing)) + " in the settings of " +
                                    std::string(writer.framework) + ".");
    if (const std::string why = writer.text_alone ? towers_unloaded(place, false) : ""; !why.empty())
      return placeholder(place, why);
    if (const auto good = keeps_states_apart(place); !good) return std::unexpected(good.error());
    if (const auto good = check_arguments(place); !good) return std::unexpected(good.error());
    return writer.write(place);
  }
  return placeholder(place,
                     "gpuplan writes no scripts for " +
                         (framework != nullptr ? printable(framework->name, 40) : std::string("this framework")) + ".");
}

bool has_command(const Phase& phase) {
  const auto* cpu = std::get_if<CpuPhase>(&phase.work);
  return !trim(phase.command).empty() || (cpu != nullptr && !trim(cpu->command).empty());
}

Result<Work> own_work(const Launch& launch, const LaunchPhase& phase) {
  const WorkPlace place{launch, phase};
  const PhaseWork& work = phase.phase->work;
  if (has_command(*phase.phase)) return command_work(place);
  if (std::holds_alternative<TrainPhase>(work)) return training_work(place);
  if (std::holds_alternative<GeneratePhase>(work)) return generation_work(place);
  if (std::holds_alternative<WorkPhase>(work)) return placeholder(place, "");
  if (const auto* fixed = std::get_if<FixedPhase>(&work); fixed != nullptr && !fixed->human)
    return placeholder(place, "");
  // Somebody's work: the script waits until he says that it is done.
  return Work{};
}

/// Torch of PyPI is for CUDA: on AMD GPUs that of the image stays, or the wheels for ROCm come first (7.1 and 7.2
/// are released: pytorch/test-infra 61a77570, generate_binary_build_matrix.py); packages that bring torch along must
/// not have put another in its place.
void install_rocm(const WorkPlace& place, Work& work) {
  const auto& node = place.estimate().node;
  if (work.user_command || work.prepare.empty() || !node || node->gpu->vendor != "amd") return;
  const std::string built = "python3 -c 'import torch; assert torch.version.hip' 2>/dev/null || ";
  work.prepare.insert(work.prepare.begin(), built +
                                                "python3 -m pip install --quiet --index-url "
                                                "https://download.pytorch.org/whl/rocm7.1 'torch>=2.8'");
  work.prepare.push_back(
      built +
      "{ echo 'torch here is not built for ROCm: start from an image of rocm/pytorch, or rocm/vllm for "
      "vLLM' >&2; exit 78; }");
}

/// Wheels of PyPI begin at compute capability 7.0 (torch 2.8 to 2.10); those for CUDA 12.6, which come first here, hold
/// kernels for Maxwell and Pascal as well (12.6 is released: the same matrix; architectures as in pytorch/builder's
/// manywheel/build_cuda.sh for 12.1 and 12.4).
void install_for_old_gpus(const WorkPlace& place, Work& work) {
  constexpr double kVolta = 7.0;
  const auto& node = place.estimate().node;
  if (work.user_command || work.prepare.empty() || !node || node->gpu->vendor != "nvidia") return;
  if (node->gpu->compute_capability == 0 || node->gpu->compute_capability >= kVolta) return;
  work.prepare.insert(work.prepare.begin(),
                      "python3 -c 'import torch; least = min(int(name[3:]) for name in torch.cuda.get_arch_list() if "
                      "name[3:].isdigit()); assert least <= " +
                          number_text(std::round(10 * node->gpu->compute_capability)) +
                          "' 2>/dev/null || python3 -m pip install --quiet --index-url "
                          "https://download.pytorch.org/whl/cu126 " +
                          shell_quoted(torch_requirement(place, "2.6")));
}

/// Wheels that the machine's driver runs (torch_index.sh). What brings torch in a version of its own is left alone, and
/// so is what nvcr.io's images hold; of vLLM, which is built against one torch and one CUDA, another version is taken.
void install_for_driver(const WorkPlace& place, Work& work) {
  constexpr std::array<std::string_view, 3> kBringTheirOwn = {"sglang", "nanochat", "megatron"};
  const PhaseEstimate& estimate = place.estimate();
  if (work.user_command || work.prepare.empty() || !estimate.node || estimate.node->gpu->vendor != "nvidia") return;
  if (torch_bounded(place) || estimate.framework == nullptr) return;
  if (std::ranges::find(kBringTheirOwn, estimate.framework->name) != kBringTheirOwn.end()) return;
  work.files.push_back(program(place, "torch_index.sh"));
  work.prepare.insert(work.prepare.begin(),
                      ". " + file_word("torch_index.sh") + (estimate.framework->name == "vllm" ? " vllm" : ""));
}

/// What phases may want different ones of under one name. A clone of a program serves all of them.
constexpr std::array<std::string_view, 4> kOwn = {"DATA", "TOKENIZER", "ASSETS", "PRETRAINED"};

std::string_view own_name(const std::string& entry) {
  const std::string_view name = std::string_view(entry).substr(0, entry.find(':'));
  const auto found = std::ranges::find(kOwn, name);
  return found == kOwn.end() ? std::string_view() : *found;
}

std::vector<std::string>::iterator data_entry(Work& work) {
  return std::ranges::find_if(work.required, [](const std::string& entry) { return entry.starts_with("DATA:"); });
}

/// What the phases want under the names of kOwn, each once.
std::vector<std::string> rows_wanted(const Launch& launch) {
  std::vector<std::string> all;
  for (const LaunchPhase& laid : launch.phases) {
    if (has_command(*laid.phase)) continue;
    auto work = own_work(launch, laid);
    if (!work) continue;
    for (const std::string& entry : work->required)
      if (!own_name(entry).empty() && std::ranges::find(all, entry) == all.end()) all.push_back(entry);
  }
  return all;
}

/// Segments of the allocator that grow leave fewer holes than those of a fixed size, which is what runs out first on a
/// card that a layout nearly fills (PyTorch documentation, CUDA semantics: expandable_segments). These programs see to
/// that themselves; what the environment says holds.
void grow_segments(const WorkPlace& place, Work& work) {
  constexpr std::array<std::string_view, 3> kOnTheirOwn = {"axolotl", "nanochat", "unsloth"};
  const PhaseEstimate& estimate = place.estimate();
  if (work.user_command || work.command.empty() || !estimate.node || estimate.node->gpu->vendor != "nvidia") return;
  const auto* train = std::get_if<TrainPhase>(&place.phase().work);
  // vLLM's pool, out of which it sleeps, refuses them (vllm/device_allocator/cumem.py).
  if (train == nullptr || train->rollouts || estimate.framework == nullptr) return;
  if (std::ranges::find(kOnTheirOwn, estimate.framework->name) != kOnTheirOwn.end()) return;
  work.command.insert(work.command.begin(),
                      "export PYTORCH_CUDA_ALLOC_CONF=\"${PYTORCH_CUDA_ALLOC_CONF:-expandable_segments:True}\"");
}

/// Rows are written along, where the program reads rows: DATA may still name others.
void bring_rows(const LaunchPhase& phase, Work& work) {
  const auto entry = data_entry(work);
  if (entry == work.required.end() || (!entry->contains("JSONL") && !entry->contains("JSON-lines"))) return;
  const bool messages = entry->contains("\"messages\"") && !entry->contains("\"prompt\"");
  work.files.push_back({"phases/" + phase.slug + "/rows.jsonl", smoke_rows(messages)});
  work.command.insert(work.command.begin(), "export DATA=\"${DATA:-$GPUPLAN_FILES/rows.jsonl}\"");
  work.notes.emplace_back("DATA is rows.jsonl, written along, unless it names others.");
  work.required.erase(entry);
}

}  // namespace

Result<Work> phase_work(const Launch& launch, const LaunchPhase& phase) {
  auto work = own_work(launch, phase);
  if (!work) return work;
  install_rocm(WorkPlace{launch, phase}, *work);
  install_for_old_gpus(WorkPlace{launch, phase}, *work);
  install_for_driver(WorkPlace{launch, phase}, *work);
  grow_segments(WorkPlace{launch, phase}, *work);
  if (const std::string machine = std::to_string(work->log_machine); work->log_machine > 0)
    work->notes.push_back("The losses are printed on machine " + machine + ": log-" + machine +
                          ".txt of its run folder is the log to check.");
  if (launch.smoke) {
    bring_rows(phase, *work);
    return work;
  }
  for (std::string& entry : work->required) {
    const std::string name(own_name(entry));
    if (name.empty() || std::ranges::all_of(launch.rows, [&](const std::string& rows) {
          return rows == entry || own_name(rows) != name;
        }))
      continue;
    // Programs go on reading DATA, each its own.
    const std::string variable = phase_variable(name, phase);
    entry.replace(0, name.size(), variable);
    std::string line = "export ";
    line.append(name).append("=\"$").append(variable).append("\"");
    work->command.insert(work->command.begin(), line);
    if (!work->checks.empty()) work->checks.insert(work->checks.begin(), line);
    std::string note = name;
    note.append(" is ").append(variable).append(", since other phases use ");
    work->notes.push_back(note.append(name == "DATA" ? "other data." : "another."));
  }
  return work;
}

Result<Launch> lay_out(const Job& job, const Plan& plan, const Catalogue& catalogue, std::string plan_name,
                       std::string command) {
  auto launch = lay_out_phases(job, plan, catalogue, std::move(plan_name), std::move(command));
  if (!launch) return launch;
  launch->without_programs = true;
  launch->rows = rows_wanted(*launch);
  launch->without_programs = false;
  return launch;
}

std::vector<Unwritten> unwritten(const Job& job, const Plan& plan, const Catalogue& catalogue) {
  auto launch = lay_out_phases(job, plan, catalogue, "", "");
  if (!launch) return {};  // launch says why, in its own words
  launch->without_programs = true;
  std::vector<Unwritten> all;
  for (const LaunchPhase& laid : launch->phases) {
    if (!has_command(*laid.phase) && !std::holds_alternative<TrainPhase>(laid.phase->work) &&
        !std::holds_alternative<GeneratePhase>(laid.phase->work))
      continue;
    const auto work = own_work(*launch, laid);
    if (!work) all.push_back({laid.phase->name, work.error().message, true});
    else if (!work->unwritten.empty()) all.push_back({laid.phase->name, work->unwritten, false});
  }
  return all;
}

std::string Unwritten::sentence() const {
  return refused ? "launch refuses the job: " + why : "The job needs command: for " + printable(phase, 60) + ": " + why;
}

RequiredVariable required_variable(const std::string& entry) {
  const std::size_t colon = std::min(entry.find(':'), entry.size());
  return {entry.substr(0, colon), std::string(trim(std::string_view(entry).substr(std::min(colon + 1, entry.size()))))};
}

Result<std::vector<std::string>> required_variables(const Launch& launch) {
  std::vector<std::string> all;
  for (const LaunchPhase& laid : launch.phases) {
    const auto work = phase_work(launch, laid);
    if (!work) return std::unexpected(work.error());
    for (const std::string& entry : work->required)
      if (std::ranges::find(all, entry) == all.end()) all.push_back(entry);
  }
  return all;
}

std::vector<std::string> export_lines(const Launch& launch, const std::vector<std::string>& required) {
  std::vector<std::string> lines;
  for (const std::string& entry : required) {
    const RequiredVariable variable = required_variable(entry);
    lines.push_back("export " + variable.name + "=...  # " + variable.what);
  }
  if (std::ranges::any_of(launch.phases, [](const LaunchPhase& laid) {
        return laid.part->estimate->weights_bytes > Bytes{} && !has_command(*laid.phase);
      }))
    lines.emplace_back("export HF_TOKEN=...  # Hugging Face token, for gated models");
  return lines;
}

}  // namespace gpuplan
