#include "input/job/checks/job.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/conditions/conditions.h"
#include "input/job/checks/fail_at.h"
#include "input/logs/reader.h"

namespace gpuplan {

namespace {

const Phase* phase_named(const Job& job, std::string_view name) {
  const auto found = std::ranges::find(job.phases, name, &Phase::name);
  return found == job.phases.end() ? nullptr : &*found;
}

/// Time of a phase that the job states whatever it runs on: P10 of its own figures.
struct StatedTime {
  Seconds operator()(const FixedPhase& fixed) const { return fixed.time.range.p10; }
  Seconds operator()(const CpuPhase& cpu) const { return cpu.time.range.p10; }
  Seconds operator()(const WorkPhase& work) const {
    Seconds item{};
    for (const auto& stage : work.each) item += stage.second.range.p10;
    return item * std::ceil(work.items / std::max(work.workers, 1));
  }
  template <class Modelled>
  Seconds operator()(const Modelled&) const {
    return {};  // the hardware decides
  }
};

/// Setups are left to the search: those of questions in flags are assumed.
Seconds least_time(const Phase& phase) {
  Seconds time = std::visit(StatedTime{}, phase.work) * (1 + phase.overhead.share) + phase.overhead.time.range.p10;
  if (phase.before) time += phase.before->time.range.p10;
  return time;
}

class Checks {
 public:
  Checks(Reader& reader, const Tree& tree, const Job& job) : reader_(reader), tree_(tree), job_(job) {}

  bool run() {
    return numbers_of_gpus() && layouts() && machines_to_stay_on() && deadline() && budget() && spot() && success();
  }

 private:
  /// The tree at "limits.deadline"; null when it is not said there.
  const Tree* at(std::string_view section, std::string_view key) const {
    const Tree* part = tree_.find(section);
    return part == nullptr || key.empty() ? part : part->find(key);
  }

  bool fail(std::string_view section, std::string_view key, const std::string& message) {
    const Tree* place = at(section, key);
    const Reader::Scope in_section(reader_, section);
    if (key.empty()) return reader_.fail(place != nullptr ? *place : tree_, message);
    const Reader::Scope in_key(reader_, key);
    return reader_.fail(place != nullptr ? *place : tree_, message);
  }

  /// Parts of own machines and of pools may be taken: their numbers of GPUs are left to the search.
  bool lends_parts() const {
    const Tree* market = tree_.find("market");
    return market != nullptr && (market->find("own") != nullptr || market->find("pools") != nullptr);
  }

  /// Numbers of GPUs that where.gpus and where.nodes ask for; empty: any.
  std::vector<int> totals_of_gpus() const {
    std::vector<int> totals;
    for (const GpuChoice& choice : job_.where.gpus) {
      if (choice.count == 0) return {};
      if (job_.where.nodes.empty()) totals.push_back(choice.count);
      for (const int nodes : job_.where.nodes) totals.push_back(choice.count * nodes);
    }
    return totals;
  }

  static std::string numbers(std::vector<int> values) {
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    std::vector<std::string> words;
    for (const int value : values) words.push_back(std::to_string(value));
    return listed(words, "or");
  }

  /// `gpus: [8x H100]` beside `counts: [4]`.
  bool numbers_of_gpus() {
    const std::vector<int> totals = totals_of_gpus();
    const std::vector<int>& counts = job_.where.counts;
    if (totals.empty() || counts.empty() || lends_parts() ||
        std::ranges::any_of(totals, [&](int total) { return std::ranges::find(counts, total) != counts.end(); }))
      return true;
    return fail("where", "counts",
                numbers(counts) +
                    (job_.where.nodes.empty() ? " GPUs, but where.gpus asks for machines of "
                                              : " GPUs, but where.gpus and where.nodes ask for ") +
                    numbers(totals) + "; write the same number in both, or leave the count out of where.gpus");
  }

  /// `parallel: {dp: 3}` beside `counts: [4]`: copies, cuts and stages multiply to the number of GPUs.
  bool layouts() {
    const std::vector<int> totals = job_.where.counts.empty() ? totals_of_gpus() : job_.where.counts;
    if (totals.empty() || lends_parts()) return true;
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      const auto* train = std::get_if<TrainPhase>(&job_.phases[i].work);
      if (train == nullptr) continue;
      const Parallel& parallel = train->parallel;
      std::vector<std::string> words;
      double product = 1;
      std::string_view key;
      for (const auto& [name, degree] : {std::pair<std::string_view, std::optional<int>>{"dp", parallel.dp},
                                         {"tp", parallel.tp},
                                         {"pp", parallel.pp},
                                         {"cp", parallel.cp}}) {
        if (!degree || *degree == 1) continue;
        if (key.empty()) key = name;
        product *= *degree;
        words.push_back(std::string(name) + " " + std::to_string(*degree));
      }
      // More than there are is answered by the search: with what would hold them.
      if (key.empty() || product > std::ranges::max(totals) ||
          std::ranges::any_of(totals, [&](int total) { return std::fmod(static_cast<double>(total), product) == 0; }))
        continue;
      const Tree& list = *tree_.find("phases");
      const Tree* place = (list.is_list() ? list.children[i] : list).find("train");
      const Reader::Scope in_phases(reader_, "phases");
      const Reader::Scope in_phase(reader_, job_.phases[i].name);
      const Reader::Scope in_train(reader_, "train");
      const std::string path = "parallel." + std::string(key);
      return fail_at(reader_, *place, path,
                     listed(words) + (words.size() == 1 ? " needs a multiple of " : " need a multiple of ") +
                         number_text(product) + " GPUs, but where asks for " + numbers(totals) +
                         "; leave one of the two out, or make them agree");
    }
    return true;
  }

  /// `on` names a phase that has no machine, or stands beside a schedule that gives every phase its own.
  bool machines_to_stay_on() {
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      const Phase& phase = job_.phases[i];
      if (phase.on.empty()) continue;
      const Phase& host = *phase_named(job_, phase.on);
      if (!holds_no_machine(host) && job_.schedule != Schedule::kEachPhase) continue;
      const Reader::Scope in_phases(reader_, "phases");
      const Reader::Scope in_phase(reader_, phase.name);
      const Reader::Scope in_key(reader_, "on");
      const Tree& list = *tree_.find("phases");
      const Tree& place = *(list.is_list() ? list.children[i] : list).find("on");
      if (holds_no_machine(host))
        return reader_.fail(place, "phase " + printable(host.name, 60) +
                                       " uses no GPU, so there is no machine to stay on; name a phase that uses GPUs");
      return reader_.fail(place, "schedule: each_phase rents separate machines for each phase, but " +
                                     printable(phase.name, 60) + " stays on those of " + printable(host.name, 60) +
                                     "; remove one of the two (schedule: best keeps `on`)");
    }
    return true;
  }

  /// Metrics and `succeed_when` are understood before anything runs, not when its log is there.
  bool success() {
    for (std::size_t i = 0; i < job_.phases.size(); ++i) {
      const Phase& phase = job_.phases[i];
      const auto read = PhaseConditions::read(phase);
      if (!read) {
        const PhaseConditions::Problem& problem = read.error();
        return fail_in(i, problem.in == PhaseConditions::Problem::In::kMetrics, problem.index, problem.message);
      }
      for (std::size_t m = 0; m < phase.metrics.size(); ++m) {
        if (!read->is_pattern(m)) continue;
        const auto& [name, pattern] = phase.metrics[m];
        const auto reader = LogReader::make({{name, pattern}});
        if (!reader) return fail_in(i, true, m, reader.error().message);
      }
    }
    return true;
  }

  /// At a metric or a condition of a phase.
  bool fail_in(std::size_t phase, bool metric, std::size_t index, const std::string& message) {
    const Tree& list = *tree_.find("phases");
    const std::string_view key = metric ? "metrics" : "succeed_when";
    const Reader::Scope in_phases(reader_, "phases");
    const Reader::Scope in_phase(reader_, job_.phases[phase].name);
    const Reader::Scope in_key(reader_, key);
    const Tree& places = *(list.is_list() ? list.children[phase] : list).find(key);
    if (index >= places.children.size()) return reader_.fail(places, message);
    Reader::Scope in_item(reader_, index);
    if (metric) in_item.rename_to(job_.phases[phase].metrics[index].first);
    return reader_.fail(places.children[index], message);
  }

  static bool holds_no_machine(const Phase& phase) {
    if (!phase.on.empty()) return false;  // it stays on another one's
    if (std::holds_alternative<CpuPhase>(phase.work)) return true;
    const auto* work = std::get_if<WorkPhase>(&phase.work);
    return work != nullptr && work->gpus == 0;
  }

  /// The longest chain of needs by the times that the job itself states.
  bool deadline() {
    if (!job_.limits.deadline) return true;
    const Seconds chain = longest_chain() * (1 + job_.buffer);
    if (chain <= *job_.limits.deadline) return true;
    std::vector<std::string> names;
    for (const std::size_t i : way_)
      if (least_time(job_.phases[i]) > Seconds{}) names.push_back(printable(job_.phases[i].name, 40));
    return fail("limits", "deadline",
                to_text(*job_.limits.deadline) + " cannot be met: " + listed(names) +
                    (names.size() == 1 ? " takes" : " take") + " at least " + to_text(chain) +
                    " by the times in the job" + (job_.buffer > 0 ? ", buffer included" : "") +
                    "; raise it, or shorten these phases");
  }

  Seconds longest_chain() {
    const std::size_t count = job_.phases.size();
    std::vector<std::optional<Seconds>> ends(count);
    std::vector<std::optional<std::size_t>> before(count);
    for (std::size_t done = 0; done < count;) {  // there are no circles: each round finds at least one
      for (std::size_t i = 0; i < count; ++i) {
        if (ends[i]) continue;
        Seconds start{};
        bool ready = true;
        for (const std::string& need : job_.phases[i].needs) {
          const auto n = static_cast<std::size_t>(phase_named(job_, need) - job_.phases.data());
          ready = ready && ends[n].has_value();
          if (!ready || *ends[n] <= start) continue;
          start = *ends[n];
          before[i] = n;
        }
        if (!ready) continue;
        ends[i] = start + least_time(job_.phases[i]);
        ++done;
      }
    }
    const auto last = static_cast<std::size_t>(std::ranges::max_element(ends) - ends.begin());
    way_.clear();
    for (std::optional<std::size_t> i = last; i; i = before[*i]) way_.insert(way_.begin(), *i);
    return *ends[last];
  }

  bool budget() {
    if (!job_.limits.budget || *job_.limits.budget > job_.contingency) return true;
    return fail("limits", "budget",
                to_text(*job_.limits.budget) + " is used up by the contingency of " + to_text(job_.contingency) +
                    "; raise limits.budget or lower contingency");
  }

  bool spot() {
    const std::string& policy = job_.spot.policy;
    if (policy.empty() || policy == "auto") return true;
    if (job_.where.spot == SpotUse::kNever && policy != "on_demand")
      return fail(
          "spot", "policy",
          policy + " needs spot machines, but where.spot is never; set where.spot: allow, or policy: on_demand");
    if (job_.where.spot == SpotUse::kOnly && policy == "on_demand")
      return fail(
          "spot", "policy",
          "on_demand never uses spot machines, but where.spot is only; set where.spot: never, or another policy");
    return true;
  }

  Reader& reader_;
  const Tree& tree_;
  const Job& job_;
  std::vector<std::size_t> way_;  ///< positions of the phases of the longest chain
};

}  // namespace

bool check_job(Reader& reader, const Tree& tree, const Job& job) { return Checks(reader, tree, job).run(); }

}  // namespace gpuplan
