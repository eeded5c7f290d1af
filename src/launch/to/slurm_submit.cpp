#include "launch/to/slurm_submit.h"

#include <set>
#include <vector>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/text/embedded_data.h"
#include "launch/script/phase_script.h"

namespace gpuplan {
namespace {

constexpr std::size_t kLongestStep = 400;  // bytes of a text shown in a comment or message

enum class Start {
  kJob,
  kHere,  ///< by submit.sh, before any job is handed in
  kHand,  ///< by somebody, when it is its turn
};

bool runs_command(const Phase& phase) {
  const auto* cpu = std::get_if<CpuPhase>(&phase.work);
  return !phase.command.empty() || (cpu != nullptr && !cpu->command.empty());
}

bool first_by_hand(const Phase& phase) { return phase.before && !phase.before->text.empty(); }

class Submission {
 public:
  explicit Submission(const Launch& launch) : launch_(launch) {
    for (const LaunchPhase& phase : launch.phases) {
      // Needs come first in the list, so what they are is known.
      bool here = phase.group < 0 && runs_command(*phase.phase) && !first_by_hand(*phase.phase);
      for (const int need : phase.needs) here = here && starts_[static_cast<std::size_t>(need)] == Start::kHere;
      starts_.push_back(phase.group >= 0 ? Start::kJob : here ? Start::kHere : Start::kHand);
    }
  }

  std::string lines() const {
    std::string text;
    for (const Start turn : {Start::kHere, Start::kJob, Start::kHand})
      for (std::size_t i = 0; i < starts_.size(); ++i)
        if (starts_[i] == turn) text += line(i);
    return text + "finish\n";
  }

 private:
  std::string line(std::size_t position) const {
    const LaunchPhase& phase = launch_.phases[position];
    switch (starts_[position]) {
      case Start::kHere:
        return "here " + shell_quoted(phase.slug) + "\n";
      case Start::kHand:
        return "later " + shell_quoted(phase.slug) + slugs_of(phase.needs) + "\n";
      case Start::kJob:
        break;
    }
    std::set<int> jobs;
    std::set<int> hands;
    collect(phase, jobs, hands);
    std::string held;
    for (const int hand : hands) held += (held.empty() ? "" : " and ") + launch_.phases[at(hand)].slug;
    if (!held.empty()) held = phase.slug + " starts after you run " + held;
    if (first_by_hand(*phase.phase))
      held += (held.empty() ? "" : "; ") + printable(phase.phase->before->text, kLongestStep) + ": touch runs/" +
              phase.slug + "/prepared";
    return "job " + shell_quoted(phase.slug) + " " + shell_quoted(held) + slugs_of(jobs) + "\n";
  }

  /// Jobs it waits for, and phases that somebody has to run before it, through others of them.
  void collect(const LaunchPhase& phase, std::set<int>& jobs, std::set<int>& hands) const {
    for (const int need : phase.needs) {
      if (starts_[at(need)] == Start::kJob) jobs.insert(need);
      if (starts_[at(need)] != Start::kHand || !hands.insert(need).second) continue;
      collect(launch_.phases[at(need)], jobs, hands);
    }
  }

  std::string slugs_of(const auto& positions) const {
    std::string text;
    for (const int position : positions) text += " " + shell_quoted(launch_.phases[at(position)].slug);
    return text;
  }

  static std::size_t at(int position) { return static_cast<std::size_t>(position); }

  const Launch& launch_;
  std::vector<Start> starts_;
};

}  // namespace

std::string slurm_stem(const Launch& launch) { return launch.name.empty() ? launch.slug : launch.name; }

std::string slurm_job_name(const Launch& launch, const LaunchPhase& phase) {
  return slurm_stem(launch) + (launch.one_script.empty() ? "-" + phase.slug : "");
}

std::string slurm_batch_file(const LaunchPhase& phase) { return "slurm/" + phase.slug + ".sbatch"; }

LaunchFile slurm_submit_script(const Launch& launch, const std::vector<std::string>& required) {
  std::string text = "#!/usr/bin/env bash\n" + comments(banner_lines(launch));
  text += "#\n# Submits the jobs of this plan to Slurm: slurm/submit.sh [OPTION OF SBATCH]...\n";
  text += "# shellcheck disable=SC2016  # sentences\nrequired=(";
  for (const std::string& entry : required) text += "\n  " + shell_quoted(printable(entry, entry.size()));
  text += required.empty() ? ")\n" : "\n)\n";
  text += embedded_data("templates/slurm-submit.sh");
  text += "\n" + Submission(launch).lines();
  return {"slurm/submit.sh", std::move(text), true};
}

}  // namespace gpuplan
