#include "launch/script/phase_script.h"

#include <algorithm>

#include "base/amount.h"
#include "base/shell/shell_text.h"
#include "base/text.h"
#include "evidence/check/expectation.h"
#include "input/text/embedded_data.h"
#include "launch/parts/checkpoint_steps.h"
#include "launch/parts/reserved.h"
#include "launch/script/disk.h"
#include "launch/script/smoke_script.h"
#include "launch/work/work.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr char kAsIs = '\x01';  // before a line of a function that is not indented: one of a text between marks

/// A list of words: ('a' 'b').
std::string array_of(const std::vector<std::string>& words) {
  std::string text = "(";
  for (const std::string& word : words) text += (text.size() > 1 ? " " : "") + bash_value(word);
  return text + ")";
}

std::string function(std::string_view name, const std::vector<std::string>& lines) {
  std::string text = std::string(name) + "() {\n";
  if (lines.empty()) text += "  :\n";
  for (const std::string& line : lines)
    if (line.starts_with(kAsIs)) text += line.substr(1) + "\n";
    else text += (line.empty() ? "" : "  ") + line + "\n";
  return text + "}\n";
}

/// Text of the user that is shell by nature, as a file of its own: whatever it holds, the scripts around it stay whole.
LaunchFile shell_file(std::string path, std::string_view about, std::string_view text) {
  std::string whole = "#!/usr/bin/env bash\n# " + printable(about) + "\n";
  whole += text;
  if (!whole.ends_with('\n')) whole += '\n';
  return {std::move(path), std::move(whole), true};
}

/// Linux gives a program no argument above 128 KiB.
bool fits_inside(const std::string& text) { return text.size() < std::size_t{1} << 16U; }

/// The same inside of a script: a text between two lines that it does not hold, given to a bash of its own. Quotes that
/// it leaves open are its own, too.
std::vector<std::string> inline_shell(const std::string& text, const std::string& options) {
  std::string mark = "END_OF_COMMAND";
  const std::string lines = "\n" + text + "\n";
  while (lines.find("\n" + mark + "\n") != std::string::npos) mark += '_';
  std::vector<std::string> whole = {"local text", "IFS= read -r -d '' text <<'" + mark + "' || true"};
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    whole.push_back(kAsIs + text.substr(at, end - at));
    at = end + 1;
  }
  whole.push_back(kAsIs + mark);
  whole.push_back(std::string(options.empty() ? "exec " : "") + "bash " + options + (options.empty() ? "" : " ") +
                  "-c \"$text\"");
  return whole;
}

/// Dollars an hour while the phase runs: the price of its machines, and of machines that other phases use at the same
/// time the share that the plan bills it. Never its cost over its hours, which hold what is no hour: disks and
/// minimums.
DollarsPerSecond spending_rate(const PhasePlan& part) {
  constexpr double kAlone = 0.97;  // medians of parts do not add up to the median of their sum
  const double held = part.hours.p50 / units::hour * part.gpus_billed;
  const double share = held > 0 ? part.billed_gpu_hours / held : 1;
  return machines_price(part) * (share < kAlone ? share : 1);
}

std::string section(const std::string& what) {
  constexpr std::size_t kWidth = 100;
  std::string line = "# ---- " + what + " ";
  while (line.size() < kWidth) line += '-';
  return line + "\n";
}

std::string run_folder(const LaunchPhase& laid) { return "runs/" + laid.slug + "/"; }

std::vector<std::string> check_lines(const LaunchPhase& laid, int log_machine, bool checked) {
  if (!checked) return {"Nothing to hold the log against: the phase is done when its program ends with 0."};
  std::vector<std::string> lines = {"gpuplan check " + run_folder(laid) + "log" +
                                        (log_machine > 0 ? "-" + std::to_string(log_machine) : "") +
                                        ".txt --plan plan.json --phase " + shell_word(laid.phase->name),
                                    "runs at the end (result: " + run_folder(laid) +
                                        "check.txt) and tells at any time how the run compares with the plan."};
  if (laid.gated)
    lines.emplace_back(
        "What comes next waits for it. Without gpuplan on this machine: GPUPLAN_GATE=hand leaves the decision to you.");
  else lines.emplace_back("Where gpuplan is not installed it is left out.");
  return lines;
}

std::vector<const LaunchPhase*> phases_after(const Launch& launch, const LaunchPhase& laid) {
  const auto position =
      static_cast<int>(std::ranges::find(launch.phases, laid.slug, &LaunchPhase::slug) - launch.phases.begin());
  std::vector<const LaunchPhase*> phases;
  for (const LaunchPhase& after : launch.phases)
    if (std::ranges::find(after.needs, position) != after.needs.end()) phases.push_back(&after);
  return phases;
}

/// What the end of the script says: what starts now, or where the results lie.
std::string next_words(const Launch& launch, const LaunchPhase& laid) {
  std::vector<std::string> next;
  for (const LaunchPhase* after : phases_after(launch, laid)) next.push_back(after->script());
  return next.empty() ? "results are in " + run_folder(laid) : join(next, ", ");
}

/// "hub|MODEL|meta-llama/Llama-3.1-8B|15318|weights", MiB; "run|||7200|checkpoints|2": two machines as much, each.
std::vector<std::string> disk_entries(const std::vector<DiskPart>& parts) {
  std::vector<std::string> entries;
  for (const DiskPart& part : parts) {
    // The model's name is the user's; what is none of the hub is in no cache.
    const bool plain = part.model.find_first_of("|\n") == std::string::npos;
    entries.push_back(part.place + "|" + part.variable + "|" + (plain ? part.model : "") + "|" +
                      fixed_text(part.size / units::MiB, 0) + "|" + part.what +
                      (part.writers > 1 ? "|" + std::to_string(part.writers) : ""));
  }
  return entries;
}

/// What somebody who looks on sees, if all is as planned.
std::vector<std::string> expected_lines(const Launch& launch, const LaunchPhase& laid) {
  const PhasePlan& part = *laid.part;
  const PhaseEstimate& estimate = part.estimate;
  if (!estimate.node || laid.gpus == 0) return {};
  const std::string gpus = std::to_string(laid.gpus);
  std::vector<std::string> lines = {
      "Expected, if all is as planned (P10–P90):",
      "  first      \"GPUs: " + gpus + " x ...; the plan is for " + estimate.node->gpu->name + "\", then \"start 1\""};
  Seconds before{};
  for (const TimeTerm term : {TimeTerm::kSetup, TimeTerm::kFetch, TimeTerm::kLoad, TimeTerm::kWarmUp})
    before += estimate.terms[static_cast<std::size_t>(term)].p50;
  if (before > Seconds{}) lines.push_back("  then       setup, downloads and loading, about " + hours_words(before));
  const Expectation expected = expectation_of(launch.job, launch.plan, part, "");
  if (expected.seconds_per_step && expected.steps > 0)
    lines.push_back("  steps      " + count_of(expected.steps, "step") + ", each " +
                    range_words(*expected.seconds_per_step));
  if (expected.tokens_per_second && expected.tokens_per_second->p50 > TokensPerSecond{}) {
    const Interval<TokensPerSecond>& rate = *expected.tokens_per_second;
    lines.push_back("  speed      " + rate_text(rate.p50.value) + " tokens/s (" + rate_text(rate.p10.value) + "–" +
                    rate_text(rate.p90.value) + ") on all GPUs");
  }
  const bool vllm = estimate.framework != nullptr && estimate.framework->name == "vllm" && laid.phase->command.empty();
  if (vllm && estimate.node->gpu->vendor == "nvidia")
    lines.push_back("  nvidia-smi " +
                    gib_text(reserved_share(launch.catalogue, estimate) * estimate.node->gpu->usable) +
                    " GiB used on each GPU from the start: vLLM reserves its share (gpu_memory_utilization)");
  else if (expected.memory)
    lines.push_back((estimate.node->gpu->vendor == "amd" ? "  rocm-smi   " : "  nvidia-smi ") +
                    gib_text(expected.memory->p50) + " GiB used on each GPU (" + gib_text(expected.memory->p10) + "–" +
                    gib_text(expected.memory->p90) + "), 95% utilization or more");
  lines.emplace_back("  end        \"done in ... h\", and " + run_folder(laid) + "summary.txt");
  return lines;
}

std::string script_text(const Launch& launch, const LaunchPhase& laid, const Work& work,
                        const std::vector<std::string>& prepare, const std::vector<std::string>& run,
                        const ScriptFrame& frame) {
  const Phase& phase = *laid.phase;
  const PhaseEstimate& estimate = laid.part->estimate;
  std::vector<std::string> needs;
  std::vector<std::string> elsewhere;
  for (const int need : laid.needs) {
    const LaunchPhase& before = launch.phases[static_cast<std::size_t>(need)];
    const bool other_machine = before.group >= 0 && laid.group >= 0 && before.group != laid.group;
    (other_machine ? elsewhere : needs).push_back(before.slug);
  }
  std::vector<std::string> head = banner_lines(launch, laid);
  const std::vector<DiskPart> disk = disk_parts(launch, laid, work);
  if (const std::string words = disk_words(disk, laid.nodes); !words.empty()) head.push_back("disk       " + words);
  for (const std::string& note : work.notes) head.push_back(note);
  // Where it is all that is read, it also says what else stands in README.md.
  if (!launch.one_script.empty() && !launch.smoke)
    for (const std::string& note : launch.notes) head.push_back(note);
  for (const std::string& line : expected_lines(launch, laid)) head.push_back(line);
  const double rate = spending_rate(*laid.part) * units::hour / units::dollar;
  std::string text =
      "#!/usr/bin/env bash\n" + frame.head + comments(head) +
      "# shellcheck disable=SC1091,SC2016,SC2034  # what follows reads the variables\nset -uo pipefail\n\n";
  const bool checked = !phase.succeed_when.empty() || estimate.steps > 0 || !phase.metrics.empty();
  text += section("setup, once on each machine") + function("prepare", prepare) + "\n";
  text += section("run; what it prints is kept in " + run_folder(laid) + "log.txt") + function("work", run) + "\n";
  if (!work.checks.empty())
    text += section("before each start: what is missing is told") + function("look_first", work.checks) + "\n";
  if (!work.finish.empty()) text += section("after the work, once") + function("finish", work.finish) + "\n";
  text += section("check") + comments(check_lines(laid, work.log_machine, checked)) + "\n";
  text += section("next") + "after=" + bash_value(next_words(launch, laid)) + "\n\n";
  text += section("figures of the plan, for what follows");
  text += "phase=" + bash_value(phase.name) + "\nslug=" + bash_value(laid.slug) +
          "\njob_slug=" + bash_value(launch.slug) + "\n";
  text += "nodes=" + std::to_string(laid.nodes) + "\ngpus=" + std::to_string(laid.gpus) + "\n";
  text += "needs=" + array_of(needs) + "\nelsewhere=" + array_of(elsewhere) + "\n";
  text += "required=" + array_of(work.required) + "\n";
  text += "manual=" + bash_value(phase.before && !phase.before->text.empty() ? phase.before->text : "") + "\n";
  text += "human=" + std::to_string(run.empty() ? 1 : 0) + "\n";
  text += "gated=" + std::to_string(laid.gated ? 1 : 0) + "\n";
  text += "criteria=" + std::to_string(phase.succeed_when.empty() ? 0 : 1) + "\n";
  const Gpu* gpu = estimate.node ? estimate.node->gpu : nullptr;
  text += "gpu_name=" + bash_value(gpu != nullptr ? gpu->name : "") + "\n";
  text += "gpu_mib=" + fixed_text(estimate.memory_total.p50 / units::MiB, 0) + "\n";
  text += "disk=" + array_of(disk_entries(disk)) + "\n";
  text += "checked=" + std::to_string(checked ? 1 : 0) + "\n";
  text += "set_up_first=" + std::to_string(phase.setup && !phase.setup->text.empty() ? 1 : 0) + "\n";
  text += "log_machine=" + std::to_string(work.log_machine) + "\n";
  text += "resumes=" + std::to_string(work.resumes ? 1 : 0) + "\n";
  const bool free = laid.part->cost.p90 <= Dollars{};
  text += "limit=" + (free ? "0" : number_text(laid.limit / units::second)) + "\n";
  text += "grace=" + std::to_string(stop_seconds(*laid.part)) + "\n";
  const bool rented = laid.part->offer != nullptr && laid.part->offer->kind == OfferKind::kRented;
  text += "spot=" + std::to_string(laid.part->spot && rented ? 1 : 0) + "\n";
  text += "dollars_per_hour=" + fixed_text(rate, 2) + "\n";
  text += "predicted_hours=" + bash_value(hours_range(laid.part->hours)) + "\n";
  text += "predicted_dollars=" + bash_value(range_words(laid.part->cost)) + "\n" + frame.figures + "\n";
  if (launch.one_script.empty()) return text + "source \"$(dirname \"${BASH_SOURCE[0]}\")/lib.sh\"\nrun_phase\n";
  // Nothing of the plan stands below: who only wants to know what runs is done reading.
  text += section("no need to read on: locks, signals, time limit, gate, summary; the same in every script");
  text += "top=.\n# shellcheck disable=SC2154  # variables above\n";
  return text + without_header(embedded_data("templates/lib.sh")) + "\n" + frame.functions + frame.start;
}

std::string memory_line(const PhaseEstimate& estimate) {
  if (!estimate.node || estimate.node->gpu == nullptr || estimate.memory_total.p50 <= Bytes{}) return "";
  const Interval<Bytes>& total = estimate.memory_total;
  return "memory     " + gib_text(total.p50) + " GiB per GPU (" + gib_text(total.p10) + "–" + gib_text(total.p90) +
         ") of " + gib_text(estimate.node->gpu->usable) + " usable";
}

std::string machine_words(const LaunchPhase& laid) {
  const PhasePlan& part = *laid.part;
  if (part.offer == nullptr) return "your own machine";
  std::string text = laid.nodes > 1 ? std::to_string(laid.nodes) + " machines of " : "";
  if (laid.gpus > 0 && laid.gpus < part.offer->gpus) text += std::to_string(laid.gpus) + " of the ";
  text += std::to_string(part.offer->gpus) + "x " + part.offer->gpu;
  if (const std::string place = place_words(*part.offer); !place.empty()) text += " at " + place;
  if (!part.offer->instance.empty()) text += ", " + printable(part.offer->instance, 60);
  return text + (part.offer->kind != OfferKind::kRented ? "" : part.spot ? ", spot" : ", on demand");
}

/// Names and conditions of the job among them: nothing that could move the cursor or the lines below.
std::vector<std::string> safe(std::vector<std::string> lines) {
  constexpr std::size_t kLongest = 600;
  for (std::string& line : lines) line = printable(line, kLongest);
  return lines;
}

}  // namespace

std::string without_header(std::string_view text) {
  const std::size_t at = text.find("\n\n");
  return std::string(at == std::string_view::npos ? text : text.substr(at + 2));
}

std::string hours_range(const Outcome<Seconds>& hours) {
  return hours_words(hours.p50) + " (" + hours_words(hours.p10) + " … " + hours_words(hours.p90) + ")";
}

std::string comments(const std::vector<std::string>& lines, std::string_view sign) {
  std::string text;
  for (const std::string& line : lines) {
    std::string whole = std::string(sign) + printable(line, 600);
    while (whole.ends_with(' ')) whole.pop_back();
    text += whole + '\n';
  }
  return text;
}

std::vector<std::string> banner_lines(const Launch& launch, const LaunchPhase& laid) {
  const Phase& phase = *laid.phase;
  const PhaseEstimate& estimate = laid.part->estimate;
  std::vector<std::string> lines = {phase.name + ": " + phase_words(phase), "on         " + machine_words(laid)};
  if (const std::string strategy = strategy_words(estimate, phase); !strategy.empty())
    lines.push_back("strategy   " + strategy);
  if (const std::string rate = rate_words(*laid.part, phase); !rate.empty()) lines.push_back("speed      " + rate);
  lines.push_back("time       " + hours_range(laid.part->hours) + ", " + std::string(name_of(estimate.evidence)));
  lines.push_back("cost       " + range_words(laid.part->cost));
  if (const std::string memory = memory_line(estimate); !memory.empty()) lines.push_back(memory);
  if (const int steps = checkpoint_steps(launch, laid); steps > 0 && estimate.checkpoint_bytes > Bytes{})
    lines.push_back("checkpoint every " + count_of(steps, "step") + ", " + to_text(estimate.checkpoint_bytes) +
                    " each");
  for (const std::string& condition : phase.succeed_when) lines.push_back("succeeds   when " + condition);
  if (!phase.yields.empty()) lines.push_back("yields     " + phase.yields);
  if (!phase.note.empty()) lines.push_back("note       " + phase.note);
  for (const LaunchPhase* after : phases_after(launch, laid))
    lines.push_back("then       " + after->slug + (phase.succeed_when.empty() ? "" : ", if this one passes its gate"));
  lines.push_back("written by " + launch.command);
  return safe(std::move(lines));
}

std::vector<std::string> banner_lines(const Launch& launch) {
  const Plan& plan = launch.plan;
  std::vector<std::string> lines = {launch.job.name + " on " + launch.plan_name,
                                    "time       " + hours_range(plan.hours) + wait_words(plan),
                                    "cost       " + range_words(plan.cost)};
  if (plan.chance_in_time) lines.push_back("deadline   met (" + chance_words(*plan.chance_in_time) + " chance)");
  if (plan.chance_in_budget) lines.push_back("budget     met (" + chance_words(*plan.chance_in_budget) + " chance)");
  lines.push_back("written by " + launch.command);
  return safe(std::move(lines));
}

Result<std::vector<LaunchFile>> phase_files(const Launch& launch, const LaunchPhase& laid, const ScriptFrame& frame) {
  auto work = phase_work(launch, laid);
  if (!work) return std::unexpected(work.error());
  const std::string folder = "phases/" + laid.slug + "/";
  const bool inside = !launch.one_script.empty();
  std::vector<LaunchFile> files = std::move(work->files);
  std::vector<std::string> prepare = work->prepare;
  std::vector<std::string> run = work->command;
  if (laid.phase->setup && !laid.phase->setup->text.empty() && inside && fits_inside(laid.phase->setup->text)) {
    for (std::string& line : inline_shell(laid.phase->setup->text, "-euo pipefail")) prepare.push_back(std::move(line));
  } else if (laid.phase->setup && !laid.phase->setup->text.empty()) {
    files.push_back(shell_file(folder + "setup.sh", "setup.run of the job: once per machine", laid.phase->setup->text));
    prepare.emplace_back("bash -euo pipefail \"$GPUPLAN_FILES/setup.sh\"");
  }
  if (work->user_command && !run.empty()) {
    std::string text;
    for (const std::string& line : run) text += line + "\n";
    if (inside && fits_inside(text)) {
      run = inline_shell(text, "");
    } else {
      files.push_back(shell_file(folder + "command.sh", "command of the job, with the plan's numbers", text));
      run = {"exec bash \"$GPUPLAN_FILES/command.sh\""};
    }
  }
  files.insert(files.begin(), {inside ? launch.one_script : laid.script(),
                               script_text(launch, laid, *work, prepare, run, frame), true});
  return files;
}

std::vector<std::string> work_notes(const Launch& launch, const LaunchPhase& laid) {
  const auto work = phase_work(launch, laid);
  return work ? work->notes : std::vector<std::string>{};
}

bool begins_anew(const Launch& launch, const LaunchPhase& laid) {
  const auto work = phase_work(launch, laid);
  return work && work->begins_anew;
}

std::string how_started(const Launch& launch, const LaunchPhase& laid) {
  const auto work = phase_work(launch, laid);
  return work ? work->starts : std::string();
}

LaunchFile shared_script() { return {"phases/lib.sh", std::string(embedded_data("templates/lib.sh")), false}; }

std::string in_turn(const std::vector<std::string>& scripts) {
  std::string text = "set -uo pipefail\nhere=$(cd \"$(dirname \"${BASH_SOURCE[0]}\")\" && pwd)\n";
  text +=
      "asked=\nchild=\n# Stopping this script stops its phase, which writes a checkpoint first.\n"
      "pass_on() {\n  asked=1\n  [ -z \"$child\" ] || kill -TERM \"$child\" 2>/dev/null\n}\n"
      "trap pass_on TERM USR1 INT HUP\n\n";
  text += "scripts=(\n";
  for (const std::string& script : scripts) text += "  " + bash_value(script) + "\n";
  return text +
         ")\n"
         "for script in \"${scripts[@]}\"; do\n"
         "  [ -z \"$asked\" ] || exit 75\n"
         "  bash \"$here/$script\" <&0 &\n"
         "  child=$!\n"
         "  while :; do\n"
         "    # Again, when it listens: a process that is only starting may miss the first.\n"
         "    [ -z \"$asked\" ] || { sleep 0.2; kill -TERM \"$child\" 2>/dev/null; }\n"
         "    wait \"$child\"\n"
         "    code=$?\n"
         "    kill -0 \"$child\" 2>/dev/null || break\n"
         "  done\n"
         "  child=\n"
         "  # Ended by the signal itself: the phase had not begun to listen.\n"
         "  [ -z \"$asked\" ] || [ \"$code\" -le 128 ] || code=75\n"
         "  [ \"$code\" = 0 ] || exit \"$code\"\n"
         "done\n";
}

LaunchFile group_script(const Launch& launch, const LaunchGroup& group) {
  if (launch.smoke)
    if (auto trial = smoke_script(launch, group.slug + ".sh", group.phases, TrialFrom::kMachine)) return *trial;
  std::vector<std::string> lines = {launch.job.name + ": what runs on " + group.slug};
  std::vector<std::string> scripts;
  for (const int position : group.phases) {
    const LaunchPhase& laid = launch.phases[static_cast<std::size_t>(position)];
    lines.push_back(laid.slug + "  " + hours_range(laid.part->hours) + ", " + range_words(laid.part->cost));
    scripts.push_back(laid.script());
  }
  lines.push_back(
      "Exit codes: 0 done, 6 gate failed, 75 stopped (rerun to resume), 78 input missing, 124 time limit reached.");
  lines.push_back("written by " + launch.command);
  return {group.slug + ".sh", "#!/usr/bin/env bash\n" + comments(lines) + in_turn(scripts), true};
}

}  // namespace gpuplan
