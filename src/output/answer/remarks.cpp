#include "output/answer/remarks.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/answer/answer_rows.h"
#include "output/answer/parts/api_words.h"
#include "output/answer/parts/assumed_remark.h"
#include "output/words/beside_words.h"
#include "output/words/collection_words.h"
#include "output/words/gate_words.h"
#include "output/words/plan_how.h"
#include "output/words/plan_words.h"
#include "output/words/problem_words.h"
#include "output/words/spot_words.h"
#include "plan/advice/alternatives.h"
#include "plan/notes/api_prices.h"
#include "plan/notes/assumptions.h"
#include "plan/notes/batch_notes.h"
#include "plan/notes/model_notes.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

/// A sentence about the pick; empty when there is nothing to say.
using Say = std::string (*)(const PlanReport&, const Plan&);

std::string memory_remark(const PlanReport& report, const Plan& plan) {
  if (plan.fit != Fit::kTight) return "";
  const bool safer =
      std::ranges::any_of(report.found.plans, [](const Plan& p) { return p.fit == Fit::kFits && p.keeps_limits(); });
  return "OOM risk: a typical run fits (" + memory_words(plan) + " per GPU), 1 in 10 does not." +
         (safer ? "" : " No plan is safer.");
}

/// Whether a way that is not taken is worth a word: faster by more than anything is left lying for, by a flag alone, or
/// by a day of work or more.
bool worth_a_word(const Alternative& other, const PhaseEstimate& estimate, const PracticeConstants& practice) {
  constexpr double kFlag = 0.85, kSetup = 0.8;
  constexpr Seconds kDay = 8 * units::hour;
  if (other.time <= 0) return false;
  const bool far = other.time * practice.most <= 1;
  if (other.why == WhyNot::kTight) return far;
  if (other.why != WhyNot::kNotWorthIt) return false;
  if (other.aspect == Aspect::kCompile) return other.time <= kFlag;
  const bool day = other.time <= kSetup && estimate.work.p50 * (1 - other.time) >= kDay;
  return other.aspect == Aspect::kFramework && (far || day || other.time * kFarFaster <= 1);
}

/// A way that is much faster and is not taken: it may run out of memory, or people do not run such work so unasked.
std::string left_remark(const PlanReport& report, const Plan& plan) {
  if (plan.fit == Fit::kTight) return "";
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& estimate = *part.estimate;
    if (!estimate.node || !estimate.work_is_model) continue;
    const Phase& phase = report.job.phases[static_cast<std::size_t>(estimate.phase)];
    const Alternative* fastest = nullptr;
    const std::vector<Alternative> others = alternatives(report.job, estimate, report.catalogue);
    for (const Alternative& other : others)
      if (worth_a_word(other, estimate, report.catalogue.practice_constants) &&
          (fastest == nullptr || other.weighed() < fastest->weighed()))
        fastest = &other;
    if (fastest == nullptr) continue;
    std::string words = times_words(1 / fastest->time) + " faster";
    if (fastest->aspect == Aspect::kCompile) {
      words += " compiled, where torch.compile takes the model as it is";
      return words + (report.in_flags ? " (--set compile=true)." : " (compile: true).");
    }
    const std::string how = strategy_words(fastest->in_place_of(estimate), phase);
    if (fastest->why != WhyNot::kTight) {
      const auto* train = std::get_if<TrainPhase>(&phase.work);
      const bool named = train != nullptr && !train->framework.empty();
      words += (named ? ", with another framework: " : ", with more setup: ") + how;
      words += report.in_flags ? " (--framework " : " (framework: ";
      return words + fastest->framework->name + ").";
    }
    words += " with an OOM risk (" + gib_text(fastest->memory.p50) + " GiB typical, ";
    words += gib_text(fastest->memory.p90) + " at P90, ";
    words += gib_text(estimate.node->gpu->usable) + " usable): " + how;
    return words + ". Try a few steps of it first.";
  }
  return "";
}

/// Whether less hangs on the host's memory in a phase than in another: where it is unknown there is more to check.
bool more_certain(const PhasePlan& part, const PhasePlan* other) {
  if (other == nullptr) return false;
  const auto weight = [](const PhasePlan& p) {
    return std::pair(p.estimate->node->ram <= Bytes{}, p.estimate->host_memory);
  };
  return weight(part) <= weight(*other);
}

/// "CPU offload: 62 GiB (optimizer, weights) per machine sit in CPU memory, of 128 GiB."; of one phase on a machine
/// whose memory is known the answer has it beside the GPU's.
std::string offload_remark(const PlanReport& report, const Plan& plan) {
  const PhasePlan* most = nullptr;
  for (const PhasePlan& part : plan.phases)
    if (part.estimate->node && part.estimate->strategy.offload != Offload::kNone && !more_certain(part, most))
      most = &part;
  if (most == nullptr) return "";
  const PhaseEstimate& estimate = most->estimate;
  if (plan.phases.size() == 1 && estimate.node->ram > Bytes{}) return "";
  std::string text = "CPU offload";
  if (report.job.phases.size() > 1)
    text += " in " + printable(report.job.phases[static_cast<std::size_t>(estimate.phase)].name, 40);
  text += ": " + offloaded_words(estimate.strategy.offload) + " and the program take " +
          gib_text(estimate.host_memory) + " GiB of CPU memory (RAM)" + (estimate.nodes > 1 ? " per machine" : "");
  if (estimate.node->ram > Bytes{}) return text + "; the machine has " + gib_text(estimate.node->ram) + " GiB.";
  const bool rented = plan.offer == nullptr || plan.offer->kind == OfferKind::kRented;
  return text + (rented ? "; how much the machine has is unknown: check before you rent."
                        : "; how much the machine has is not stated (ram).");
}

/// A plan that hangs on memory of which nobody says that it is there.
bool memory_unknown(const Plan& plan) {
  return std::ranges::any_of(plan.phases, [](const PhasePlan& part) {
    const PhaseEstimate& estimate = *part.estimate;
    return estimate.node && estimate.strategy.offload != Offload::kNone && estimate.node->ram <= Bytes{};
  });
}

std::string host_remark(const PlanReport& report, const Plan& plan) {
  return memory_unknown(plan) ? "" : offload_remark(report, plan);
}

std::string unknown_host_remark(const PlanReport& report, const Plan& plan) {
  return memory_unknown(plan) ? offload_remark(report, plan) : "";
}

std::string software_remark(const PlanReport& report, const Plan& plan) { return problem_words(report, plan); }

/// What is less than a cent, or than a thousandth of the time, is nothing: the table's share of cases in which it is
/// the best says that, and says it more exactly than "8 of 10".
bool regrets_nothing(const PlanReport& report, const Plan& plan) {
  const auto& regret = report.found.recommendations.regret;
  if (!regret) return false;
  return regret->cost ? *regret->cost < Dollars{0.005} : regret->time && *regret->time < 1e-3 * plan.hours.p50;
}

std::string stays_words(const PlanReport& report, const std::string& plan) {
  return report.break_even ? plan + " stays recommended " + break_even_words(report) + "." : "";
}

std::string regret_remark(const PlanReport& report, const Plan& plan) {
  const auto& regret = report.found.recommendations.regret;
  if (!regret || report.found.plans.size() < 2) return "";
  if (regrets_nothing(report, plan)) return stays_words(report, "This plan");
  if (regret->cost) {
    return "In 8 of 10 cases this plan is within " + short_money(*regret->cost) + " of the best" +
           (report.job.goal == Goal::kBestValue
                ? " (time at " + short_money(report.job.value_of_time * units::hour) + "/h included)."
                : ".");
  }
  if (!regret->time) return "";
  return "In 8 of 10 cases this plan is within " + hours_words(*regret->time) + " of the fastest.";
}

std::string close_remark(const PlanReport& report, const Plan&) {
  return report.found.recommendations.regret ? "" : close_words(report);
}

std::string queue_remark(const PlanReport& report, const Plan& plan) {
  // The line of the time says the rest.
  if (plan.wait.p50 <= Seconds{} || (plan.wait.exact() && !report.job.limits.deadline)) return "";
  return "Queue wait: " + range_words(plan.wait) + " more" +
         (report.job.limits.deadline ? "; it counts toward the deadline." : ".");
}

/// "65% of the time is not the work itself: setup 9.5 min, download 54 s."
std::string setup_remark(const PlanReport& report, const Plan& plan) {
  Seconds all{};
  std::vector<std::pair<Seconds, TimeTerm>> terms;
  for (const PhasePlan& part : plan.phases)
    for (const auto& entry : Names<TimeTerm>::entries) {
      if (entry.value == TimeTerm::kManual || entry.value == TimeTerm::kEvaluate) continue;
      const Seconds time = part.estimate->term(entry.value).p50;
      all += time;
      const auto known = std::ranges::find(terms, entry.value, &std::pair<Seconds, TimeTerm>::second);
      if (known != terms.end()) known->first += time;
      else terms.emplace_back(time, entry.value);
    }
  if (plan.hours.p50 <= Seconds{} || all < report.catalogue.answer_constants.setup_share * plan.hours.p50) return "";
  sort_stably(terms, {}, [](const auto& term) { return -term.first.value; });
  std::vector<std::string> parts;
  for (const auto& [time, term] : terms)
    if (time >= 0.1 * all && parts.size() < 3) parts.push_back(std::string(term_words(term)) + " " + hours_words(time));
  return percent(std::min(1.0, all / plan.hours.p50)) + " of the time is not the work itself: " + listed(parts) + ".";
}

std::string idle_remark(const PlanReport& report, const Plan& plan) {
  if (plan.billed_gpu_hours <= 0 || plan.cost.p50 <= Dollars{}) return "";
  const double idle = 1 - plan.gpu_hours / plan.billed_gpu_hours;
  if (idle < report.catalogue.answer_constants.idle_share) return "";
  if (plan.phases.size() == 1 && plan.phases.front().estimate->gpus < plan.phases.front().gpus_billed)
    return "Uses " + std::to_string(plan.phases.front().estimate->gpus) + " of the " +
           count_of(plan.phases.front().gpus_billed, "GPU") + " that are paid for.";
  if (plan.phases.size() == 1)
    return "Billing rounds up: " + percent(1 - idle) + " of the GPU-hours paid for are used.";
  const ManualWork held = manual_work(report, plan);
  if (!held.phases.empty() && held.cost >= plan.cost.p50 * report.catalogue.answer_constants.idle_share)
    return to_text(held.cost) + " of the cost is machines that are held during manual work in " + listed(held.phases) +
           " (--set schedule=stop_when_idle lets them go; --show options).";
  return "GPUs are used for " + percent(1 - idle) + " of the GPU-hours paid for (--show ledger, --show options).";
}

std::string left_out_remark(const PlanReport& report, const Plan&) { return left_out_words(report); }
std::string long_remark(const PlanReport& report, const Plan& plan) { return long_words(report, plan); }
std::string faster_remark(const PlanReport& report, const Plan&) { return faster_words(report); }
std::string given_remark(const PlanReport& report, const Plan&) { return given_words(report); }
std::string supply_remark(const PlanReport& report, const Plan&) { return availability_words(report); }

/// More on the disk of a rented machine than such machines commonly have room for.
std::string disk_remark(const PlanReport& report, const Plan& plan) {
  const double most = report.catalogue.answer_constants.disk_a_gpu_tb * 1e12;
  for (const PhasePlan& part : plan.phases) {
    const Bytes needed = part.estimate->machine_disk_bytes;
    if (part.offer == nullptr || part.offer->kind != OfferKind::kRented || part.offer->disk > Bytes{}) continue;
    if (needed.value <= most * part.offer->gpus) continue;
    const bool priced = part.offer->disk_price || part.estimate->disk_price;
    return "Disk: " + disk_text(needed) +
           " on one machine, more than machines for rent usually have. Look before you " + "rent" +
           (priced ? "." : "; the cost holds nothing for it (storage.disk_price).");
  }
  return "";
}

std::string spot_remark(const PlanReport& report, const Plan& plan) { return interruption_words(report, plan); }

std::string gates_remark(const PlanReport& report, const Plan& plan) {
  const std::vector<std::string> lines = gate_words(report, plan);
  return lines.empty() ? "" : "Gate: " + join(lines, " ");
}

/// Rows whose formats are not those of the pick: the same work, and not the same training.
std::string other_formats_remark(const PlanReport& report, const Plan& pick) {
  std::vector<std::string> names;
  for (const Plan* plan : answer_rows(report))
    if (is_lighter(*plan) != is_lighter(pick)) names.push_back(report.name(*plan));
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  const std::string others = listed_few(std::move(names)) + (one ? " trains" : " train");
  const bool stated = std::ranges::any_of(
      pick.phases, [&](const PhasePlan& part) { return states_optimizer(report.job, *part.estimate); });
  if (stated)
    return others + (is_lighter(pick) ? " with fp32 weights, not in pure bf16."
                                      : " in pure bf16, as fp32 weights take too much room (master_weights: fp32).");
  if (is_lighter(pick)) return others + " with fp32 AdamW, not in pure bf16 with 8-bit AdamW.";
  return others + " in pure bf16 with 8-bit AdamW, as fp32 AdamW takes too much room (" +
         (report.in_flags ? "--optimizer adamw" : "optimizer: adamw") + ": fp32 in every row).";
}

bool offloads(const Plan& plan) {
  return std::ranges::any_of(plan.phases,
                             [](const PhasePlan& part) { return part.estimate->strategy.offload != Offload::kNone; });
}

/// Rows that keep something in the host's memory where the pick does not: their hours hang on what it is.
std::string other_offload_remark(const PlanReport& report, const Plan& pick) {
  if (offloads(pick)) return "";
  std::vector<std::string> names;
  for (const Plan* plan : answer_rows(report))
    if (offloads(*plan)) names.push_back(report.name(*plan));
  if (names.empty()) return "";
  const bool one = names.size() == 1;
  return listed_few(std::move(names)) + (one ? " keeps" : " keep") + " part of the training in CPU memory (offload).";
}

/// GPUs that are paid and have nothing to do.
std::string unused_remark(const PlanReport& report, const Plan& plan) {
  for (const PhasePlan& part : plan.phases)
    if (const std::string idle = idle_words(part); !idle.empty())
      return "A batch of " + batch_count(*part.estimate, part.estimate->batch) + " " + idle +
             (report.job.phases.size() > 1
                  ? " in " + printable(report.job.phases[static_cast<std::size_t>(part.estimate->phase)].name, 30)
                  : "") +
             ": " + why_idle(part) + ".";
  return "";
}

/// Without the flags in brackets: "1 epoch (--epochs), ..." as "1 epoch, ...".
std::string without_flags(std::string text) {
  for (std::size_t from = 0; (from = text.find(" (--", from)) != std::string::npos;) {
    const std::size_t end = text.find(')', from);
    if (end == std::string::npos) break;
    text.erase(from, end + 1 - from);
  }
  return text;
}

/// The first sentence, without what stands in brackets; empty where that is all of it.
std::string first_sentence(const std::string& text) {
  std::string first;
  int inside = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++inside;
    if (inside == 0) first += text[i];
    if (text[i] == ')' && inside > 0) {
      --inside;
      if (inside == 0 && first.ends_with(' ')) first.pop_back();  // the blank before the bracket
    }
    const bool ends = inside == 0 && text[i] == '.' && i + 2 < text.size() && text[i + 1] == ' ' &&
                      (text[i + 2] >= 'A' && text[i + 2] <= 'Z');
    if (ends) break;
  }
  return inside == 0 && first.size() < text.size() ? first : std::string();
}

std::string variants_remark(const PlanReport& report, const Plan&) {
  std::vector<std::string> parts;
  for (const VariantReport& variant : report.variants)
    parts.push_back(printable(variant.name, 40) + " " +
                    (variant.pick ? to_text(variant.pick->cost.p50) + ", " + hours_words(variant.pick->hours.p50)
                                  : std::string("does not fit")));
  return parts.empty() ? "" : "Variants: " + join(parts, "; ") + " (--details).";
}

std::string model_remark(const PlanReport& report, const Plan&) { return join(model_notes(report.job), " "); }

std::string both_remark(const PlanReport& report, const Plan&) { return not_both_words(report); }

/// What of the user's settings counts for nothing: "Settings: unknown provider ...", and of own prices what to look at.
std::string settings_remark(const PlanReport& report, const Plan&) {
  std::vector<std::string> lines;
  for (const std::string& line : report.job.from_config)
    if (line.starts_with("Settings: ") || line.starts_with("Prices "))
      lines.push_back(line + (line.ends_with('?') ? "" : "."));
  return join(lines, " ");
}

/// GPUs whose figures are carried over from their relatives.
std::string unmeasured_remark(const PlanReport&, const Plan& plan) {
  std::vector<std::string> gpus;
  for (const PhasePlan& part : plan.phases) {
    const PhaseEstimate& estimate = *part.estimate;
    if (!estimate.node || estimate.node->gpu == nullptr || !estimate.work_is_model ||
        estimate.labels.generation_publishers > 0)
      continue;
    if (std::ranges::find(gpus, estimate.node->gpu->name) == gpus.end()) gpus.push_back(estimate.node->gpu->name);
  }
  if (gpus.empty()) return "";
  return "Times on " + listed(gpus) +
         " rest on related GPUs more than on runs measured there, and their range is the wider for it.";
}

/// Quotas that limit nothing, being of nobody's.
std::string quota_remark(const PlanReport& report, const Plan&) { return unknown_quota_words(report); }

struct Rule {
  double AnswerConstants::* weight;
  bool warning;
  Say say;
};

constexpr Rule kRules[] = {
    {&AnswerConstants::weight_limits, true, both_remark},
    {&AnswerConstants::weight_model, true, model_remark},
    {&AnswerConstants::weight_model, true, settings_remark},
    {&AnswerConstants::weight_model, true, quota_remark},
    {&AnswerConstants::weight_model, true, unmeasured_remark},
    {&AnswerConstants::weight_memory, true, memory_remark},
    {&AnswerConstants::weight_memory, true, left_remark},
    {&AnswerConstants::weight_long, true, long_remark},
    {&AnswerConstants::weight_model, true, cut_remark},
    {&AnswerConstants::weight_given, true, given_remark},
    {&AnswerConstants::weight_given, true, unused_remark},
    {&AnswerConstants::weight_disk, true, disk_remark},
    {&AnswerConstants::weight_host, true, unknown_host_remark},
    {&AnswerConstants::weight_host, false, host_remark},
    {&AnswerConstants::weight_memory, false, other_formats_remark},
    {&AnswerConstants::weight_host, false, other_offload_remark},
    {&AnswerConstants::weight_old_prices, true, old_price_words},
    {&AnswerConstants::weight_software, true, software_remark},
    {&AnswerConstants::weight_regret, true, formats_words},
    {&AnswerConstants::weight_regret, false, regret_remark},
    {&AnswerConstants::weight_close, false, close_remark},
    {&AnswerConstants::weight_queue, false, queue_remark},
    {&AnswerConstants::weight_setup, false, setup_remark},
    {&AnswerConstants::weight_idle, false, idle_remark},
    {&AnswerConstants::weight_faster, false, faster_remark},
    {&AnswerConstants::weight_faster, false, padding_remark},
    {&AnswerConstants::weight_api, false, api_words},
    {&AnswerConstants::weight_supply, true, supply_remark},
    {&AnswerConstants::weight_spot, false, spot_remark},
    {&AnswerConstants::weight_gates, false, gates_remark},
    {&AnswerConstants::weight_disk, false, left_out_remark},
    {&AnswerConstants::weight_assumed, false, assumed_remark},
    {&AnswerConstants::weight_variants, false, variants_remark},
};

/// What is kept on disks and in memory, of the pick.
std::vector<std::string> kept_words(const PlanReport& report) {
  std::vector<std::string> lines = collection_words(report);
  for (std::string& line : kept_checkpoint_words(report)) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

std::vector<std::string> warnings(const PlanReport& report, const Plan& plan) {
  std::vector<std::string> found;
  const bool pick = report.pick() != nullptr && report.pick()->id == plan.id;
  for (const Rule& rule : kRules) {
    const bool of_any = rule.say != given_remark && rule.say != supply_remark && rule.say != both_remark;
    if (!rule.warning || (!pick && !of_any)) continue;
    if (std::string text = rule.say(report, plan); !text.empty()) found.push_back(std::move(text));
  }
  if (!pick) return found;
  for (const std::string& line : kept_words(report))
    if (line.starts_with("! ")) found.push_back(line.substr(2));
  return found;
}

std::vector<Remark> remarks(const PlanReport& report) {
  std::vector<Remark> found;
  const Plan* pick = report.pick();
  if (pick == nullptr) return found;
  const AnswerConstants& weights = report.catalogue.answer_constants;
  // Who pays less for the same answers elsewhere needs no plan: that weighs as much as what goes wrong.
  const auto api = api_comparison(*pick, report.job, report.catalogue);
  const bool dearer = api && api->price != nullptr && api->api < api->own;
  for (const Rule& rule : kRules)
    if (const std::string text = rule.say(report, *pick); !text.empty())
      found.push_back({rule.say == api_words && dearer ? weights.weight_host : weights.*rule.weight, text, rule.warning,
                       rule.say == assumed_remark ? without_flags(text) : "",
                       rule.say == assumed_remark ? "" : first_sentence(text),
                       rule.say == assumed_remark ? "Assumed: several settings (--details)." : "",
                       rule.say == regret_remark && !regrets_nothing(report, *pick) ? stays_words(report, "It") : "",
                       rule.say == spot_remark          ? RemarkAbout::kSpot
                       : rule.say == idle_remark        ? RemarkAbout::kIdle
                       : rule.say == variants_remark    ? RemarkAbout::kVariants
                       : rule.say != regret_remark      ? RemarkAbout::kOther
                       : regrets_nothing(report, *pick) ? RemarkAbout::kBreakEven
                                                        : RemarkAbout::kRegret});
  // What is kept on disks and in memory: too little room is a warning, the rest is good to know.
  for (const std::string& line : kept_words(report)) {
    const bool warning = line.starts_with("! ");
    found.push_back({warning ? weights.weight_disk : weights.weight_kept, warning ? line.substr(2) : line, warning});
  }
  sort_stably(found, {}, [](const Remark& remark) { return -remark.weight; });
  return found;
}

}  // namespace gpuplan
