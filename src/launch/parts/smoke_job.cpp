#include "launch/parts/smoke_job.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "domain/facts/limits.h"
#include "input/job/settings.h"
#include "input/models/hub_names.h"
#include "output/text/json_writer.h"

namespace gpuplan {
namespace {

constexpr int kSequence = 128;
constexpr int kAnswers = 2;  // to a prompt, where the job learns from them
/// Steps of programs that save when they are told to stop, with a checkpoint after each: enough that the signal comes
/// in between, few where a checkpoint takes seconds.
constexpr int kSteps = 16;
constexpr int kHeavySteps = 8;
constexpr double kHeavy = 50e6;  // parameters
/// Steps of programs that are killed, and must have left a checkpoint before.
constexpr int kKilledSteps = 300;
constexpr int kKilledEvery = 20;
/// Steps of a command of the job, which trains its own model.
constexpr int kCommandSteps = 6;

bool names_steps(const Phase& phase) { return phase.command.find("{steps}") != std::string::npos; }

/// Why the phase is not tried; empty: it is.
std::string left_out(const Phase& phase) {
  const bool trains = std::holds_alternative<TrainPhase>(phase.work);
  if (!phase.command.empty() && !trains) return "its command does not train, so a trial cannot cut it short";
  if (!phase.command.empty() && !names_steps(phase))
    return "its command does not name {steps}, so a trial would run to its end; write the number of steps as {steps}";
  if (trains || std::holds_alternative<GeneratePhase>(phase.work)) return "";
  return "it neither trains nor generates";
}

/// Letters at the beginning: "Qwen" of "Qwen2.5-7B".
std::string_view family_of(std::string_view name) {
  std::size_t end = 0;
  while (end < name.size() && is_letter(name[end])) ++end;
  return name.substr(0, end);
}

std::size_t shared_words(std::string_view a, std::string_view b) {
  const auto left = split(a, '-');
  const auto right = split(b, '-');
  std::size_t shared = 0;
  while (shared < std::min(left.size(), right.size()) && iequals(left[shared], right[shared])) ++shared;
  return shared;
}

double parameters(const ModelShape& shape) { return count_parameters(shape).total(); }

/// Whether the phase's framework trains such a network as the phase is planned; a phase that generates trains none.
bool still_runs(const LaunchPhase& laid, const ModelShape& model) {
  const PhaseEstimate& estimate = laid.part->estimate;
  const auto* train = std::get_if<TrainPhase>(&laid.phase->work);
  if (train == nullptr || estimate.framework == nullptr) return true;
  TrainPhase other = *train;
  other.models.front().shape = model;
  return limit_met(*estimate.framework, other, estimate.start, estimate.strategy) == nullptr;
}

bool grouped(const ModelShape& model) { return model.kv_heads < model.heads; }

/// The smallest model of the family that is on the hub; of those about as small, the one whose name is most alike.
/// `alike`: only those that share keys and values among heads as it does.
const ModelShape* smallest_of_family(const Catalogue& catalogue, const LaunchPhase& laid, const ModelShape& model,
                                     int tp, bool alike) {
  const auto kin = [&](const ModelShape& one) {
    return (!alike || grouped(one) == grouped(model)) && iequals(family_of(one.name), family_of(model.name)) &&
           one.kind == model.kind && (one.experts > 0) == (model.experts > 0) && one.kv_heads % tp == 0 &&
           !hub_name(one.name).empty() && still_runs(laid, one);
  };
  double least = parameters(model);
  for (const ModelShape& one : catalogue.models)
    if (kin(one)) least = std::min(least, parameters(one));
  const ModelShape* best = nullptr;
  for (const ModelShape& one : catalogue.models) {
    if (!kin(one) || parameters(one) > 2 * least || parameters(one) >= parameters(model)) continue;
    if (best == nullptr || shared_words(one.name, model.name) > shared_words(best->name, model.name)) best = &one;
  }
  return best;
}

/// Text of a job that set_value() takes: every value is YAML.
class Settings {
 public:
  explicit Settings(Tree job) : job_(std::move(job)) {}

  void set(const std::string& address, const std::string& value) {
    if (auto done = set_value(job_, address + "=" + value); !done && !error_) error_ = done.error();
  }
  void drop(const std::string& address) { set(address, ""); }

  const Tree& job() const { return job_; }

  Result<std::string> text() const {
    if (error_) return std::unexpected(*error_);
    return flow_text(job_) + "\n";
  }

 private:
  Tree job_;
  std::optional<Error> error_{};
};

std::string quoted(std::string_view text) {
  JsonWriter json;
  json.value(text);
  return json.take();
}

/// The shape of the job with few narrow layers: its other properties and its vocabulary stay, which the tokenizer
/// knows.
std::string small_shape(const Tree& model, const Strategy& s) {
  // Some frameworks know networks by their depth alone, 64 wide for each layer.
  const int layers = std::max(4, s.pp * s.interleave);
  const int hidden = 64 * layers * std::max(1, s.tp / 2);
  Tree small = model;
  std::erase_if(small.children, [](const Tree& child) {
    constexpr std::array kSizes = {"heads", "kv_heads", "head_dim", "ffn", "params", "layers", "hidden", "name"};
    return std::ranges::find(kSizes, child.key) != kSizes.end();
  });
  for (const auto& [key, number] :
       {std::pair{"layers", layers}, {"hidden", hidden}, {"heads", std::max(hidden / 128, s.tp)}}) {
    Tree value = scalar_tree(std::to_string(number));
    value.key = key;
    small.children.push_back(std::move(value));
  }
  return flow_text(small);
}

class Cut {
 public:
  Cut(const Tree& written, const Launch& launch, bool machines)
      : launch_(launch), settings_(without(written)), machines_(machines) {}

  Result<SmokeJob> job() {
    const auto kept = kept_phases();
    if (!kept) return std::unexpected(kept.error());
    top(*kept);
    int position = 0;
    for (const LaunchPhase* laid : *kept) phase(position++, *laid);
    auto text = settings_.text();
    if (!text) return std::unexpected(text.error());
    return SmokeJob{*std::move(text), std::move(notes_)};
  }

 private:
  /// Without the phases that are not tried.
  Tree without(const Tree& written) {
    Tree job = written;
    std::erase_if(job.children, [](const Tree& child) { return child.key == "variants"; });
    const Lease* const dearest = dearest_lease();
    Tree* phases = job.find("phases");
    if (phases == nullptr) return job;
    std::vector<Tree> kept;
    for (const Phase& one : launch_.job.phases) {
      const auto laid =
          std::ranges::find_if(launch_.phases, [&](const LaunchPhase& each) { return each.phase == &one; });
      const auto at = static_cast<std::size_t>(&one - launch_.job.phases.data());
      std::string why = left_out(one);
      if (why.empty() && !on_such(*laid, dearest)) why = "it runs on other machines than most of the work";
      if (why.empty()) kept.push_back(phases->children[at]);
      else out_.emplace_back(one.name, why);
      if (why.empty()) tried_.push_back(&*laid);
    }
    phases->children = std::move(kept);
    return job;
  }

  /// Whether it runs on as many machines of that offer; in a pool each phase has a lease of its own of them.
  bool on_such(const LaunchPhase& laid, const Lease* lease) const {
    if (laid.group < 0 || lease == nullptr) return false;
    const Lease& own = *launch_.groups[static_cast<std::size_t>(laid.group)].lease;
    return own.offer == lease->offer && own.spot == lease->spot && own.nodes == lease->nodes;
  }

  /// One of those machines that most of the work runs on; null: none of it runs on any.
  const Lease* dearest_lease() const {
    const Lease* best = nullptr;
    double most = -1;
    for (const LaunchGroup& group : launch_.groups) {
      double hours = 0;
      for (const LaunchPhase& laid : launch_.phases)
        if (on_such(laid, group.lease) && left_out(*laid.phase).empty())
          hours += laid.part->hours.p50 / units::hour * laid.nodes * laid.gpus;
      if (hours > most) {
        most = hours;
        best = group.lease;
      }
    }
    return best;
  }

  Result<std::vector<const LaunchPhase*>> kept_phases() {
    if (tried_.empty()) {
      // Where a word in the job would help, that is what is said.
      const auto command = std::ranges::find_if(out_, [](const auto& out) { return out.second.contains("{steps}"); });
      const auto& [name, why] = command != out_.end() ? *command : out_.front();
      return failure("phases." + printable(name, 60) + ": " + why + " (nothing else of the job can be tried)");
    }
    for (std::size_t i = 0; i < out_.size(); ++i) {
      const std::string& why = out_[i].second;
      const auto same = [&](const auto& out) { return out.second == why; };
      if (std::ranges::find_if(out_, same) != out_.begin() + static_cast<std::ptrdiff_t>(i)) continue;
      std::vector<std::string> names;
      for (const auto& [name, other] : out_)
        if (other == why) names.push_back(printable(name, 60));
      notes_.push_back("Not tried: " + listed(names) + " (" + why + ").");
    }
    return tried_;
  }

  void top(const std::vector<const LaunchPhase*>& kept) {
    settings_.set("job", quoted(launch_.job.name + "-smoke"));
    for (const char* key : {"limits", "buffer", "contingency", "checkpoint", "goal", "schedule", "title", "purpose",
                            "notes", "tasks", "options"})
      settings_.drop(key);
    if (!machines_) return;
    int gpus = 0;
    for (const LaunchPhase* laid : kept) gpus = std::max(gpus, laid->nodes * laid->gpus);
    settings_.set("where.counts", "[" + std::to_string(gpus) + "]");
    settings_.set("where.nodes", "[" + std::to_string(kept.front()->nodes) + "]");
  }

  void phase(int position, const LaunchPhase& laid) {
    at_ = "phases[" + std::to_string(position) + "].";
    for (const char* key :
         {"given", "overhead", "evaluate", "before", "chance_to_pass", "needs", "on", "yields", "note", "checkpoint",
          "succeed_when", "title", "purpose", "notes", "tasks", "expect", "quality"})
      settings_.drop(at_ + key);
    if (position > 0) settings_.set(at_ + "needs", "[" + quoted(before_) + "]");
    before_ = laid.phase->name;
    if (const auto* train = std::get_if<TrainPhase>(&laid.phase->work)) training(laid, *train);
    else generation(laid, std::get<GeneratePhase>(laid.phase->work));
  }

  void training(const LaunchPhase& laid, const TrainPhase& train) {
    const PhaseEstimate& estimate = laid.part->estimate;
    const Strategy& s = estimate.strategy;
    const std::string in = at_ + "train.";
    const bool own = !laid.phase->command.empty();
    const ModelUse& use = train.models.front();
    double size = use.params();
    if (use.drawn) size = 0;
    if (const ModelShape* small = own ? nullptr : model(in, laid, train.models, s.tp)) size = parameters(*small);
    const bool saves = saves_when_stopped(laid);
    const int steps = own ? kCommandSteps : !saves ? kKilledSteps : size > kHeavy ? kHeavySteps : kSteps;
    const int every = own ? 2 : saves ? 1 : kKilledEvery;
    const int micro = own ? s.micro_batch : 1;
    int accumulate = own ? s.grad_accum : std::min(s.grad_accum, 2);
    // The two answers to a prompt are both there.
    if (train.rollouts && !own && s.dp * micro * accumulate % kAnswers != 0) accumulate *= kAnswers;
    const int sequence =
        own ? std::max(estimate.sequence, train.sequence.value_or(0)) : std::min(estimate.sequence, kSequence);
    for (const char* key : {"epochs", "steps_at_batch", "recompute", "offload"}) settings_.drop(in + key);
    settings_.set(in + "steps", std::to_string(steps));
    if (!train.rollouts) settings_.set(in + "sequence", std::to_string(sequence));
    const double batch = static_cast<double>(s.dp) * micro * accumulate;
    const std::string samples = number_text(batch * steps);
    // Who joins samples in any case is given whole sequences, as its plan has.
    const bool joins = estimate.framework != nullptr &&
                       std::ranges::find(estimate.framework->limits, FrameworkLimit::kJoins, &LimitRow::limit) !=
                           estimate.framework->limits.end();
    const std::string length = joins && !train.data.packing ? std::to_string(sequence)
                                                            : "{mean: " + number_text(std::max(sequence / 2, 1)) +
                                                                  ", max: " + std::to_string(sequence) + "}";
    if (train.rollouts) {
      const double answer = std::min(train.rollouts->new_tokens.max, static_cast<double>(kSequence));
      settings_.set(in + "data", "{samples: " + samples + "}");
      if (!own) {
        settings_.set(in + "rollouts.generations", std::to_string(kAnswers));
        settings_.set(in + "rollouts.new_tokens", number_text(answer));
      }
    } else if (train.data.tokens) settings_.set(in + "data", "{tokens: " + number_text(batch * steps * sequence) + "}");
    else
      settings_.set(in + "data", "{samples: " + samples + ", tokens_per_sample: " + length +
                                     ", packing: " + (train.data.packing ? "true" : "false") + "}");
    settings_.set(in + "start", estimate.start == StartFrom::kScratch ? "scratch" : "weights");
    settings_.set(in + "precision", std::string(name_of(s.precision)));
    settings_.set(in + "compile", s.compile ? "true" : "false");
    settings_.set(in + "recompute", std::string(name_of(s.recompute)));
    settings_.set(in + "offload", std::string(name_of(s.offload)));
    if (estimate.framework != nullptr) settings_.set(in + "framework", quoted(estimate.framework->name));
    if (laid.lighter)
      settings_.set(in + "optimizer", "{matrices: " + std::string(name_of(laid.lighter->optimizer.matrices)) +
                                          ", rest: " + std::string(name_of(laid.lighter->optimizer.rest)) + "}");
    if (machines_) {
      settings_.set(in + "batch", "{sequences: " + number_text(batch) + "}");
      settings_.set(in + "micro", std::to_string(micro));
      settings_.set(in + "accumulate", std::to_string(accumulate));
      settings_.set(in + "parallel", degrees(s) + ", sharding: " + std::string(name_of(s.sharding)) + "}");
    } else {
      // Divisible by the ranks of one machine and of two, whatever the search takes.
      settings_.set(in + "batch", "{sequences: 16}");
      settings_.drop(in + "micro");
      settings_.drop(in + "accumulate");
      settings_.set(in + "parallel", "{sharding: " + std::string(name_of(s.sharding)) + "}");
    }
    settings_.set(at_ + "checkpoint", "{every: " + std::to_string(every) + " steps, keep: 2}");
    // Any number that is one: the log was read, and the loss is no nan.
    settings_.set(at_ + "succeed_when", "[\"loss < 1000\"]");
  }

  void generation(const LaunchPhase& laid, const GeneratePhase& generate) {
    const PhaseEstimate& estimate = laid.part->estimate;
    const Strategy& s = estimate.strategy;
    const std::string in = at_ + (generate.collect ? "collect." : "generate.");
    if (const ModelShape* small = model(in, laid, generate.models, s.tp); small != nullptr && generate.store) {
      settings_.set(in + "store.layers", number_text(std::min<double>(generate.store->layers, small->layers)));
      settings_.set(in + "store.width", std::to_string(small->hidden));
    }
    constexpr int kBatch = 2;
    constexpr int kBatches = 8;  // of each replica: the signal comes in between
    settings_.drop(in + "target");
    std::string rows;
    for (const Prompts& prompts : generate.data)
      rows += (rows.empty() ? "" : ", ") + std::string("{name: ") + quoted(prompts.name) +
              ", samples: " + std::to_string(s.dp * kBatch * kBatches) + ", prompt_tokens: {mean: 16, max: 64}" +
              (generate.forward_only ? "" : ", new_tokens: 16") + "}";
    settings_.set(in + "data", "[" + rows + "]");
    settings_.set(in + "batch", generate.situation == Situation::kSingle ? "1" : std::to_string(kBatch));
    if (estimate.framework != nullptr) settings_.set(in + "engine", quoted(estimate.framework->name));
    if (machines_ && s.placement == Placement::kInTurn) settings_.set(in + "parallel", degrees(s) + "}");
  }

  static std::string degrees(const Strategy& s) {
    return "{dp: " + std::to_string(s.dp) + ", tp: " + std::to_string(s.tp) + ", pp: " + std::to_string(s.pp) +
           ", cp: " + std::to_string(s.cp) + (s.ep > 1 ? ", ep: " + std::to_string(s.ep) : "");
  }

  /// Puts a small model in the place of the job's; null where it has a shape of its own or there is none smaller.
  const ModelShape* model(const std::string& in, const LaunchPhase& laid, const std::vector<ModelUse>& models, int tp) {
    const ModelUse& use = models.front();
    const bool list = models.size() > 1;
    if (use.drawn && !list) {
      const Tree* phases = settings_.job().find("phases");
      const std::size_t at = static_cast<std::size_t>(std::ranges::find(tried_, &laid) - tried_.begin());
      const Tree* work = nullptr;
      for (const Tree& child : phases->children[at].children)
        if (const Tree* found = child.find("model")) work = found;
      if (work != nullptr && work->is_map()) {
        settings_.set(in + "model", small_shape(*work, laid.part->estimate->strategy));
        notes_.push_back("Model of " + printable(laid.phase->name, 60) + ": the job's shape, made small.");
      }
      return nullptr;
    }
    if (use.custom) return nullptr;
    constexpr double kSmall = 0.5;  // of the model: more of it would be no trial
    const ModelShape* small = smallest_of_family(launch_.catalogue, laid, use.shape, tp, true);
    if (small == nullptr || parameters(*small) > kSmall * parameters(use.shape))
      small = smallest_of_family(launch_.catalogue, laid, use.shape, tp, false);
    if (small == nullptr) return nullptr;
    const std::string hub = hub_name(small->name);
    settings_.set(in + (list ? "models" : "model"), list ? "[" + quoted(hub) + "]" : quoted(hub));
    notes_.push_back("Model of " + printable(laid.phase->name, 60) + ": " + hub +
                     ", the smallest of its family that the plan's framework and layout run" +
                     (grouped(*small) == grouped(use.shape) ? "."
                      : grouped(*small) ? "; it shares keys and values among heads, which the plan's does not."
                                        : "; grouped-query attention, which the plan's has, is not tried."));
    return small;
  }

  const Launch& launch_;
  std::vector<const LaunchPhase*> tried_{};
  std::vector<std::pair<std::string, std::string>> out_{};
  std::vector<std::string> notes_{};
  Settings settings_;
  bool machines_;
  std::string at_{}, before_{};
};

}  // namespace

bool saves_when_stopped(const LaunchPhase& laid) {
  const Framework* framework = laid.part->estimate->framework;
  return std::holds_alternative<GeneratePhase>(laid.phase->work) ||
         (framework != nullptr && framework->saves_when_stopped);
}

Result<SmokeJob> smoke_job(const Tree& written, const Launch& launch, bool machines) {
  return Cut(written, launch, machines).job();
}

std::string smoke_rows(bool messages) {
  constexpr int kRows = 400;
  constexpr int kLongest = 40;
  std::string text;
  for (int i = 0; i < kRows; ++i) {
    const int first = i % 50;
    const int last = first + 1 + i * 7 % kLongest;  // rows of very different lengths
    const std::string prompt = "Count from " + std::to_string(first) + " to " + std::to_string(last) + ".";
    std::string answer;
    for (int n = first; n <= last; ++n) answer += " " + std::to_string(n);
    const auto row = [&text](std::initializer_list<std::string_view> parts) {
      for (const std::string_view part : parts) text += part;
    };
    if (messages)
      row({R"({"messages": [{"role": "user", "content": ")", prompt, R"("}, {"role": "assistant", "content": ")",
           std::string_view(answer).substr(1), "\"}]}\n"});
    else
      row({R"({"text": ")", prompt, answer, R"(", "prompt": ")", prompt, R"(", "completion": ")", answer,
           R"(", "chosen": ")", answer, R"(", "rejected": " )", std::to_string(last), "\"}\n"});
  }
  return text;
}

}  // namespace gpuplan
