// Keys at the top of a job file, and what must hold between phases.
#include <algorithm>
#include <array>
#include <vector>

#include "base/text.h"
#include "input/job/checks/job.h"
#include "input/job/codecs.h"
#include "input/job/prose.h"

namespace gpuplan {

namespace {

constexpr ValueType kAnyType{.kind = ValueType::Kind::kAny};
constexpr ValueType kSettingsType{.kind = ValueType::Kind::kNamed, .title = "address: value", .of = &kAnyType};

struct VariantsCodec {
  static constexpr ValueType type{.kind = ValueType::Kind::kNamed, .of = &kSettingsType};
  static bool read(Reader& reader, const Tree& tree, std::vector<Variant>& out, const Bounds&) {
    if (!tree.is_map() || tree.children.empty())
      return reader.fail(tree,
                         "expected named sets of addresses such as {cheap: {where.spot: only}}, got " + got_text(tree));
    if (tree.children.size() > 50) return reader.fail(tree, "expected at most 50 variants");
    for (const Tree& child : tree.children) {
      const Reader::Scope scope(reader, child.key);
      if (!child.is_map())
        return reader.fail(child, "expected addresses and values such as {where.spot: only}, got " + got_text(child));
      Variant variant{.name = child.key, .settings = {}};
      for (const Tree& setting : child.children) {
        // Words about the job are words about the variant here, and no change.
        const Reader::Scope key_scope(reader, setting.key);
        if (setting.key == "title") {
          if (!ProseLineCodec::read(reader, setting, variant.prose.title, {})) return false;
        } else if (setting.key == "notes") {
          if (!ProseCodec::read(reader, setting, variant.prose.notes, {})) return false;
        } else {
          variant.settings.emplace_back(setting.key, flow_text(setting));
        }
      }
      out.push_back(std::move(variant));
    }
    return true;
  }
};

/// Answers questions about phases by name while a job is checked.
class PhaseGraph {
 public:
  PhaseGraph(Reader& reader, const Tree& list, const std::vector<Phase>& phases)
      : reader_(reader), list_(list), phases_(phases) {}

  bool check() {
    const Reader::Scope scope(reader_, "phases");
    if (!check_names()) return false;
    edges_.resize(phases_.size());
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      const Reader::Scope phase_scope(reader_, phases_[i].name);
      for (const std::string& need : phases_[i].needs)
        if (!add_edge(i, need, "needs")) return false;
      if (!phases_[i].on.empty() && !add_edge(i, phases_[i].on, "on")) return false;
    }
    return check_circles();
  }

 private:
  const Tree& tree_of(std::size_t i) const { return list_.is_list() ? list_.children[i] : list_; }

  bool check_names() {
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        if (phases_[i].name != phases_[k].name) continue;
        return reader_.fail(*tree_of(i).find("name"), "two phases are named " + phases_[i].name +
                                                          "; the first is on line " + number_text(phases_[k].line));
      }
    }
    return true;
  }

  bool add_edge(std::size_t from, const std::string& name, std::string_view key) {
    const Reader::Scope scope(reader_, key);
    const Tree& at = *tree_of(from).find(key);
    if (name == phases_[from].name) return reader_.fail(at, "a phase cannot need itself");
    for (std::size_t i = 0; i < phases_.size(); ++i) {
      if (phases_[i].name != name) continue;
      edges_[from].push_back(i);
      return true;
    }
    std::vector<std::string_view> names;
    for (const Phase& phase : phases_) names.push_back(phase.name);
    std::string guess = did_you_mean(name, names);
    if (guess.empty()) {
      std::vector<std::string> listed(names.begin(), names.end());
      if (listed.size() > 12) listed.resize(12);
      guess = "; phases: " + join(listed, ", ");
    }
    return reader_.fail(at, "no phase '" + printable(name, 60) + "'" + guess);
  }

  bool check_circles() {
    std::vector<int> state(phases_.size(), 0);  // 0 new, 1 on the way, 2 done
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (!visit(i, state)) return false;
    return true;
  }

  /// Depth-first without recursion: a chain of phases may be as long as the list.
  bool visit(std::size_t start, std::vector<int>& state) {
    if (state[start] != 0) return true;
    std::vector<std::pair<std::size_t, std::size_t>> way = {{start, 0}};
    state[start] = 1;
    while (!way.empty()) {
      auto& [at, next] = way.back();
      if (next == edges_[at].size()) {
        state[at] = 2;
        way.pop_back();
        continue;
      }
      const std::size_t to = edges_[at][next++];
      if (state[to] == 1) return circle(way, to);
      if (state[to] == 2) continue;
      state[to] = 1;
      way.emplace_back(to, 0);
    }
    return true;
  }

  bool circle(const std::vector<std::pair<std::size_t, std::size_t>>& way, std::size_t first) {
    std::string text = "circular 'needs': ";
    std::size_t start = 0;
    while (way[start].first != first) ++start;
    for (std::size_t i = start; i < way.size() && i < start + 12; ++i) text += phases_[way[i].first].name + " -> ";
    return reader_.fail(tree_of(first), text + phases_[first].name);
  }

  Reader& reader_;
  const Tree& list_;
  const std::vector<Phase>& phases_;
  std::vector<std::vector<std::size_t>> edges_;
};

struct JobRecord {
  using Object = Job;
  static constexpr std::string_view title = "job";
  static constexpr std::array keys = {
      key<&Job::name>("job", "name of the file", "name of the job"),
      key<&Job::phases>("phases", "required", "the work, in phases"),
      key<&Job::market>("market", "the built-in offers", "machines you can rent or own"),
      key<&Job::where>("where", "everything that can run the phase", "filters on offers"),
      key<&Job::limits>("limits", "none", "deadline and budget"),
      key<&Job::goal>("goal", "best_value", "which plan is recommended"),
      key<&Job::value_of_time>("value_of_time", "$5/h", "what an hour of waiting costs you (an unattended run)"),
      key<&Job::spot>("spot", "on demand only", "rules for spot machines"),
      key<&Job::checkpoint>("checkpoint", "every: auto", "checkpoints of all phases"),
      key<&Job::storage>("storage", "assumed", "disk and network speeds and prices"),
      key_as<ShareCodec, &Job::buffer>("buffer", "0%", "time buffer added to the hours of all phases"),
      key<&Job::contingency>("contingency", "$0", "dollars added to the cost when compared with the budget"),
      key<&Job::schedule>(
          "schedule", "best",
          "best of: one machine from first to last phase (keep), released while idle, one per phase (each_phase); "
          "stop_when_idle lets it go during manual work too"),
      key<&Job::commitments>("commitments", "none", "reserved or committed GPUs that you pay prices of your own for"),
      key<&Job::credits>("credits", "none", "credits at providers, which pay bills there first"),
      key_as<VariantsCodec, &Job::variants>("variants", "none",
                                            "named sets of settings to compare; title and notes in one tell of it"),
      prose_key<ProseLineCodec, &Job::prose, &JobProse::title>("title", "heading of plans and documents (shown only)"),
      prose_key<ProseCodec, &Job::prose, &JobProse::purpose>("purpose", "what the job is for (shown only)"),
      prose_key<ProseCodec, &Job::prose, &JobProse::notes>("notes", "what else is to be said (shown only)"),
      prose_key<ListCodec<Codec<ManualTask>>, &Job::prose, &JobProse::tasks>("tasks", "work by hand (shown only)"),
      prose_key<ListCodec<Codec<OptionProse>>, &Job::options>("options",
                                                              "what is to be said of ways to run the job (shown only)"),
  };
  static bool check(Reader& reader, const Tree& tree, Job& job) {
    job.name = trim(job.name);
    const Tree& phases = *tree.find("phases");
    if (!PhaseGraph(reader, phases, job.phases).check()) return false;
    job.value_of_time_given = tree.find("value_of_time") != nullptr;
    const Tree* where = tree.find("where");
    const bool spot_said = where != nullptr && where->find("spot") != nullptr;
    job.where.spot_given = spot_said;
    if (tree.find("spot") != nullptr && !spot_said) job.where.spot = SpotUse::kAllow;
    // One disk takes activations and everything else, unless the phase says more.
    for (Phase& phase : job.phases)
      if (auto* generate = std::get_if<GeneratePhase>(&phase.work); generate != nullptr && generate->store)
        if (job.storage.disk_rate && !generate->store->disk_rate)
          generate->store->disk_rate = job.storage.disk_rate->p50;
    return check_options(reader, tree, job.options) && check_job(reader, tree, job);
  }
};

}  // namespace

constinit const ValueType Codec<Job>::type = Record<JobRecord>::type;
bool Codec<Job>::read(Reader& reader, const Tree& tree, Job& out, const Bounds& bounds) {
  return Record<JobRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
