// Keys of a phase: its kind of work and what all kinds share.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "input/job/codecs.h"
#include "input/job/prose.h"

namespace gpuplan {

namespace {

constexpr Bounds kPhaseGpus = between(1, 100'000);

struct WorkRecord {
  using Object = WorkPhase;
  static constexpr std::string_view title = "work";
  static constexpr std::array keys = {
      key<&WorkPhase::items>("items", "required", "items that pass through all stages", between(1, 1e15)),
      key<&WorkPhase::each>("each", "required", "mean time per item in each stage"),
      key<&WorkPhase::workers>("workers", "1", "parallel workers", between(1, 1e6)),
      key<&WorkPhase::gpus>("gpus", "0", "GPUs used by all workers together", between(0, 100'000)),
      exact_key(),
  };
};

struct FixedRecord {
  using Object = FixedPhase;
  static constexpr std::string_view title = "fixed";
  static constexpr std::array keys = {
      key<&FixedPhase::gpus>("gpus", "required", "GPUs it needs", kPhaseGpus),
      key<&FixedPhase::time>("time", "required", "time it takes", kPositive),
      key<&FixedPhase::human>("human", "false",
                              "manual work: the GPUs wait, unless schedule: stop_when_idle releases them"),
      exact_key(),
  };
};

struct CpuRecord {
  using Object = CpuPhase;
  static constexpr std::string_view title = "cpu";
  static constexpr std::array keys = {
      key<&CpuPhase::time>("time", "required", "time it takes", kPositive),
      key<&CpuPhase::command>("command", "", "command to run"),
      exact_key(),
  };
};

/// Puts one kind of work into a phase.
template <class R>
struct KindCodec {
  static constexpr const ValueType& type = Record<R>::type;
  static bool read(Reader& reader, const Tree& tree, PhaseWork& out, const Bounds& bounds) {
    return Record<R>::read(reader, tree, out.emplace<typename R::Object>(), bounds);
  }
};

struct GivenRecord {
  using Object = Given;
  static constexpr std::string_view title = "given";
  static constexpr std::array keys = {
      gpu_key<Given>("any", "GPU it was measured on, with an optional count: 4x RTX 4090"),
      key<&Given::gpus>("gpus", "", "total GPUs; without it the speed is per GPU or replica", kPhaseGpus),
      key_as<OptionalCodec<FigureCodec<AmountKind::kTokensPerSecond>>, &Given::tokens_per_second>(
          "tokens_per_second", "", "tokens/s trained or generated", kPositive),
      key_as<OptionalCodec<FigureCodec<AmountKind::kSamplesPerSecond>>, &Given::samples_per_second>(
          "samples_per_second", "", "samples/s trained or generated", kPositive),
      key_as<OptionalCodec<FigureCodec<AmountKind::kSeconds>>, &Given::seconds_per_step>(
          "seconds_per_step", "", "time of one optimizer step", kPositive),
      key_as<OptionalCodec<FigureCodec<AmountKind::kSeconds>>, &Given::seconds_per_sample>(
          "seconds_per_sample", "", "time per sample", kPositive),
      key_as<OptionalCodec<FigureCodec<AmountKind::kTime>>, &Given::time>("time", "", "time of the whole phase",
                                                                          kPositive),
      // What was seen to fit fits: no range around it.
      key<&Given::memory>("memory", "", "peak memory of the fullest GPU; a single number is taken as it is", kPositive),
      exact_key(),
  };
  static bool check(Reader& reader, const Tree& tree, const Given& out) {
    const int speeds = (out.tokens_per_second ? 1 : 0) + (out.samples_per_second ? 1 : 0) +
                       (out.seconds_per_step ? 1 : 0) + (out.seconds_per_sample ? 1 : 0) + (out.time ? 1 : 0);
    if (speeds > 1) return reader.fail(tree, "several speeds; use one of them");
    if (speeds == 0 && !out.memory)
      return reader.fail(tree,
                         "empty entry; expected tokens_per_second, samples_per_second, seconds_per_step, "
                         "seconds_per_sample, time or memory");
    return check_gpu_count(reader, tree);
  }
};

struct OverheadRecord {
  using Object = Overhead;
  static constexpr std::string_view title = "overhead";
  static constexpr std::array keys = {
      key<&Overhead::time>("time", "0 s", "once"),
      key<&Overhead::each_model>("each_model", "0 s", "per model"),
      key_as<ShareCodec, &Overhead::share>("share", "0%", "added share of the work time"),
      exact_key(),
  };
  static bool check(Reader&, const Tree& tree, Overhead& out) {
    out.stated = tree.find("time") != nullptr || tree.find("each_model") != nullptr;
    return true;
  }
};

struct SetupRecord {
  using Object = Step;
  static constexpr std::string_view title = "setup";
  static constexpr std::array keys = {
      key<&Step::text>("run", "", "commands that set up a machine"),
      key<&Step::time>("time", "0 s", "time it takes"),
      exact_key(),
  };
};

struct BeforeRecord {
  using Object = Step;
  static constexpr std::string_view title = "before";
  static constexpr std::array keys = {
      key<&Step::text>("note", "", "manual step to do"),
      key<&Step::time>("time", "0 s", "time it takes"),
      exact_key(),
  };
};

struct PhaseRecord {
  using Object = Phase;
  static constexpr std::string_view title = "phase";
  static constexpr std::array keys = {
      key<&Phase::name>("name", "required", "letters, digits, - and _"),
      key_as<TrainCodec, &Phase::work>("train", "", "training"),
      key_as<GenerateCodec, &Phase::work>("generate", "", "text generation from prompts"),
      key_as<CollectCodec, &Phase::work>("collect", "", "as generate, and store activations"),
      key_as<KindCodec<WorkRecord>, &Phase::work>("work", "", "CPU or GPU pipeline stages, such as evaluation"),
      key_as<KindCodec<FixedRecord>, &Phase::work>("fixed", "", "N GPUs for a fixed time"),
      key_as<KindCodec<CpuRecord>, &Phase::work>("cpu", "",
                                                 "work without GPUs, on your own machine unless `on` is set"),
      key<&Phase::needs>("needs", "none", "phases to finish first; without it, starts immediately"),
      key<&Phase::on>("on", "", "run on that phase's machines"),
      key_as<OptionalCodec<Record<SetupRecord>>, &Phase::setup>("setup", "", "setup of each machine first"),
      key_as<OptionalCodec<Record<BeforeRecord>>, &Phase::before>("before", "", "a manual step before the phase"),
      key<&Phase::command>(
          "command", "",
          "command to run; {gpus} {nodes} {micro} {accumulate} {precision} {profile} {phase} and others are filled in"),
      key<&Phase::args>("args", "", "further arguments by name"),
      key<&Phase::profiles>(
          "profiles", "none",
          "value of {profile} per GPU or profile name (`gpuplan profiles`), in the words of the command's program"),
      key_as<Record<OverheadRecord>, &Phase::overhead>("overhead", "none", "time added to the work"),
      key<&Phase::evaluate>("evaluate", "none", "evaluations during training"),
      key<&Phase::checkpoint>("checkpoint", "as for the job", "checkpoints of this phase"),
      key_as<ListCodec<Record<GivenRecord>>, &Phase::given>("given", "none",
                                                            "your measured speeds; they override predictions"),
      key<&Phase::metrics>("metrics", "none",
                           "metrics in the log: a regular expression whose first group is the number, or a formula of "
                           "other metrics (docs/check.md)"),
      key<&Phase::succeed_when>("succeed_when", "none",
                                "success criteria on loss, grad_norm, throughput, memory and metrics: a gate; phases "
                                "that need this one start only if all are met (docs/check.md)"),
      key_as<OptionalCodec<ShareCodec>, &Phase::chance_to_pass>("chance_to_pass", "100%", "chance that the gate passes",
                                                                {0, 1, true}),
      key<&Phase::yields>("yields", "", "description of the output (shown only)"),
      key<&Phase::note>("note", "", "one line, shown in scripts"),
      prose_key<ProseLineCodec, &Phase::prose, &PhaseProse::title>("title", "heading in documents (shown only)"),
      prose_key<ProseCodec, &Phase::prose, &PhaseProse::purpose>("purpose", "what the phase is for (shown only)"),
      prose_key<ProseCodec, &Phase::prose, &PhaseProse::notes>("notes", "what else is to be said (shown only)"),
      prose_key<ListCodec<Codec<ManualTask>>, &Phase::prose, &PhaseProse::tasks>("tasks", "work by hand (shown only)"),
      prose_key<ProseCodec, &Phase::prose, &PhaseProse::expect>(
          "expect", "what its output looks like, such as lines of its log (shown only)"),
      prose_key<Codec<Quality>, &Phase::prose, &PhaseProse::quality>("quality", "how to judge its output (shown only)"),
  };

  static bool check(Reader& reader, const Tree& tree, Phase& out) {
    out.line = tree.line;
    const Tree* kind = nullptr;
    for (const Tree& child : tree.children) {
      if (std::find(kPhaseKinds.begin(), kPhaseKinds.end(), child.key) == kPhaseKinds.end()) continue;
      if (kind != nullptr)
        return reader.fail_at_key(child,
                                  "a phase has one kind of work; it has both " + kind->key + " and " + child.key);
      kind = &child;
    }
    if (kind == nullptr)
      return reader.fail(tree, "no work; expected one of train, generate, collect, work, fixed or cpu");
    if (valid_name(out.name)) return true;
    const Reader::Scope scope(reader, "name");
    return reader.fail(*tree.find("name"),
                       "expected up to 64 letters, digits, - and _, got " + got_text(*tree.find("name")));
  }

 private:
  /// Addresses (phases.NAME.train), file names of scripts and plan labels hold it.
  static bool valid_name(std::string_view name) {
    if (name.empty() || name.size() > 64) return false;
    return std::all_of(name.begin(), name.end(),
                       [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
  }
};

}  // namespace

constinit const ValueType Codec<Phase>::type = Record<PhaseRecord>::type;
bool Codec<Phase>::read(Reader& reader, const Tree& tree, Phase& out, const Bounds& bounds) {
  return Record<PhaseRecord>::read(reader, tree, out, bounds);
}
std::string_view Codec<Phase>::item_name(const Tree& tree) {
  const Tree* name = tree.find("name");
  return name != nullptr && name->is_scalar() ? std::string_view(name->text) : std::string_view();
}

}  // namespace gpuplan
