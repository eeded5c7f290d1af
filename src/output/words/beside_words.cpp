#include "output/words/beside_words.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/words/collection_words.h"
#include "output/words/columns.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"
#include "plan/strategy/phase_terms.h"

namespace gpuplan {
namespace {

/// "300 MB/s (100 … 900)".
std::string rate_words(const Interval<BytesPerSecond>& rate) {
  if (rate.exact()) return to_text(rate.p50);
  return to_text(rate.p50) + " (" + range_text(to_text(rate.p10), to_text(rate.p90)) + ")";
}

std::string rate_words(const std::optional<Interval<BytesPerSecond>>& stated, const Assumption& assumed) {
  return rate_words(stated ? *stated : as<BytesPerSecond>(assumed));
}

/// "storage.disk_rate", or why the figure is assumed.
std::string source_of(bool stated, std::string_view key, const Assumption& assumed) {
  return stated ? std::string(key) : assumed.source;
}

/// As above, for a rate that the machine's network may end.
std::string source_of(const MovingRate& rate, std::string_view key, const Assumption& assumed) {
  const std::string limit = "at most " + to_text(rate.limit) + ", the machine's network in data/nodes.csv";
  if (rate.limit <= BytesPerSecond{}) return source_of(rate.stated, key, assumed);
  return rate.value.exact() ? limit : source_of(rate.stated, key, assumed) + "; " + limit;
}

struct Told {
  std::string how, source;
};

/// Who asks in flags and says nothing of it gets a setup that is worked out (input/question/sketch.cpp).
bool setup_is_assumed(const Job& job) {
  return std::ranges::any_of(job.assumed, [](const std::string& one) { return one.contains(" setup (--setup)"); });
}

Told told(TimeTerm term, const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate) {
  const Phase& phase = job.phases[static_cast<std::size_t>(estimate.phase)];
  const PhaseDefaults defaults = defaults_of(job, phase);
  const Storage& storage = defaults.storage;
  const Assumptions& assumed = catalogue.assumptions;
  const double machines = std::max(1, estimate.nodes);
  const std::string weights = disk_text(estimate.weights_bytes / machines);
  switch (term) {
    case TimeTerm::kSetup:
      if (setup_is_assumed(job))
        return {
            "5–15 min, and the weights at 500 Mbit/s to 2 Gbit/s",
            "assumption: images and packages of some 10 GB, and what hosts of marketplaces list; --setup replaces it"};
      return {"setup.time", "the job"};
    case TimeTerm::kManual:
      return {"before.time", "the job"};
    case TimeTerm::kFetch: {
      const MovingRate rate = download_rate(defaults, assumed, estimate);
      std::string bytes = estimate.weights_bytes > Bytes{} ? "weights " + weights : "";
      if (estimate.data_bytes > Bytes{})
        bytes += (bytes.empty() ? "data " : " + data ") + disk_text(estimate.data_bytes);
      return {"(" + bytes + ") / " + rate_words(rate.value),
              source_of(rate, rate.by_floor ? "where.inet_down" : "storage.download_rate", assumed.download)};
    }
    case TimeTerm::kLoad:
      return {weights + " / " + rate_words(storage.disk_rate, assumed.disk) + " of the disk, then over PCIe",
              source_of(storage.disk_rate.has_value(), "storage.disk_rate", assumed.disk)};
    case TimeTerm::kWarmUp: {
      std::string how = "start " + range_words(as<Seconds>(assumed.start));
      const bool engine = estimate.framework != nullptr &&
                          (estimate.framework->cuda_graphs || estimate.framework->compile) &&
                          std::holds_alternative<GeneratePhase>(phase.work);
      if (engine) how += " + graphs of the engine " + range_words(as<Seconds>(assumed.graphs));
      if (engine && estimate.rounds > 1) how += " x " + number_text(estimate.rounds) + " models";
      const bool compiles = estimate.strategy.compile && std::holds_alternative<TrainPhase>(phase.work);
      if (compiles) how += " + compilation " + range_words(as<Seconds>(assumed.compile));
      return {how, compiles ? assumed.compile.source : engine ? assumed.graphs.source : assumed.start.source};
    }
    case TimeTerm::kEvaluate:
      return {"evaluate.time x evaluations", "the job"};
    case TimeTerm::kCheckpoint:
    case TimeTerm::kRestart: {
      const bool far = defaults.checkpoint.to.find("://") != std::string::npos;
      const MovingRate up = upload_rate(defaults, assumed, estimate);
      if (term == TimeTerm::kRestart)
        return {count_of(estimate.jobs - 1, "restart") + ": start, loading and the checkpoint before",
                defaults.restart ? "spot.restart" : "terms above"};
      return {number_text(estimate.checkpoints) + " x " + disk_text(estimate.checkpoint_bytes) + " / " +
                  (far ? rate_words(up.value) : rate_words(storage.disk_rate, assumed.disk)),
              far ? source_of(up, "storage.upload_rate", assumed.upload)
                  : source_of(storage.disk_rate.has_value(), "storage.disk_rate", assumed.disk)};
    }
    case TimeTerm::kUpload: {
      const MovingRate rate = upload_rate(defaults, assumed, estimate);
      return {disk_text(estimate.results_bytes) + " / " + rate_words(rate.value),
              source_of(rate, "storage.upload_rate", assumed.upload)};
    }
    case TimeTerm::kOverhead:
      return {"overhead.time + overhead.each_model x models in turn", "the job"};
  }
  return {};
}

Seconds assumed_time(const PhaseEstimate& estimate) {
  Seconds sum{};
  for (std::size_t i = 0; i < kTimeTerms; ++i)
    if (estimate.origins[i] == TermOrigin::kAssumed) sum += estimate.terms[i].p50;
  return sum;
}

/// "Overhead assumed on 8x H200 SXM: 1.4 min (download 54 s, warm-up 20 s); --explain."
std::string assumed_words(const PlanReport& report, const Plan& plan) {
  constexpr double kWorthALine = 0.05;
  Seconds all{};
  std::array<Seconds, kTimeTerms> by_term{};
  for (const PhasePlan& part : plan.phases) {
    all += assumed_time(part.estimate);
    for (std::size_t i = 0; i < kTimeTerms; ++i)
      if (part.estimate->origins[i] == TermOrigin::kAssumed) by_term[i] += part.estimate->terms[i].p50;
  }
  if (all < kWorthALine * plan.hours.p50) return "";
  std::vector<std::string> parts;
  for (const auto& entry : Names<TimeTerm>::entries)
    if (const Seconds time = by_term[static_cast<std::size_t>(entry.value)]; time >= 0.05 * all)
      parts.push_back(std::string(term_words(entry.value)) + " " + hours_words(time));
  return "Overhead assumed on " + report.name(plan) + ": " + hours_words(all) + " (" + join(parts, ", ") +
         "). State it with storage, or setup and overhead of a phase.";
}

std::string jobs_words(const PlanReport& report, const Plan& plan, const PhasePlan& part) {
  const std::string name = printable(phase_of(report, part).name, 40);
  const Offer* offer = part.offer != nullptr ? part.offer : plan.offer;
  if (part.estimate->jobs < 2 || offer == nullptr || !offer->max_time) return "";
  return name + " runs as " + std::to_string(part.estimate->jobs) + " jobs of at most " + to_text(*offer->max_time) +
         " in a row on " + report.name(plan) + "; restarts add " +
         hours_words(part.estimate->term(TimeTerm::kRestart).p50) + ".";
}

std::string checkpoint_words(const PlanReport& report, const PhasePlan& part) {
  const PhaseEstimate& estimate = part.estimate;
  if (estimate.checkpoints < 1 || part.offer == nullptr) return "";
  const Phase& phase = phase_of(report, part);
  const bool all = defaults_of(report.job, phase).checkpoint.keep < 0 && estimate.kept_checkpoints > 1;
  const Bytes own = built_in_disk(report, *part.offer);
  const bool too_much = own > Bytes{} && own < estimate.machine_disk_bytes;
  if (!all && !too_much) return "";
  const std::string text = "Disk: " + printable(phase.name, 40) + " needs " + disk_text(estimate.disk_bytes) + " (" +
                           count_of(estimate.kept_checkpoints, "checkpoint") + " of " +
                           disk_text(estimate.checkpoint_bytes) + ")";
  if (too_much) return "! " + text + ", the machine has only " + disk_text(own) + ".";
  return own > Bytes{} ? text + "; the machine has " + disk_text(own) + "." : text + ".";
}

}  // namespace

std::string_view term_words(TimeTerm term) {
  switch (term) {
    case TimeTerm::kSetup:
      return "setup";
    case TimeTerm::kManual:
      return "manual step";
    case TimeTerm::kFetch:
      return "download";
    case TimeTerm::kLoad:
      return "loading weights";
    case TimeTerm::kWarmUp:
      return "warm-up";
    case TimeTerm::kEvaluate:
      return "evaluations";
    case TimeTerm::kCheckpoint:
      return "checkpoints";
    case TimeTerm::kRestart:
      return "restarts";
    case TimeTerm::kUpload:
      return "upload";
    case TimeTerm::kOverhead:
      return "other overhead";
  }
  return "";
}

Bytes built_in_disk(const PlanReport& report, const Offer& offer) {
  for (const Node& node : report.catalogue.nodes)
    if (!node.instance.empty() && node.instance == offer.instance && iequals(node.provider, offer.provider))
      return node.disk;
  return {};
}

Table beside_table(const Job& job, const Catalogue& catalogue, const PhaseEstimate& estimate) {
  Table table({{.title = "OVERHEAD", .narrowest = 16, .wrap = true},
               {.title = "VALUE", .align = Align::kRight},
               {.title = "SAYS", .drop = 2},
               {.title = "FORMULA", .narrowest = 20, .wrap = true},
               {.title = "SOURCE", .drop = 1, .narrowest = 20, .wrap = true}});
  for (const auto& entry : Names<TimeTerm>::entries) {
    const Interval<Seconds>& time = estimate.term(entry.value);
    if (time.p50 <= Seconds{}) continue;
    const auto [how, source] = told(entry.value, job, catalogue, estimate);
    const bool assumed = entry.value == TimeTerm::kSetup && setup_is_assumed(job);
    table.add({{std::string(term_words(entry.value))},
               {range_words(time)},
               {std::string(assumed ? name_of(TermOrigin::kAssumed) : name_of(estimate.origin(entry.value)))},
               {how, Paint::kDim},
               {source, Paint::kDim}});
  }
  return table;
}

std::vector<std::string> kept_checkpoint_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  if (pick == nullptr) return lines;
  for (const PhasePlan& part : pick->phases)
    for (std::string line : {jobs_words(report, *pick, part), checkpoint_words(report, part)})
      if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> beside_words(const PlanReport& report) {
  std::vector<std::string> lines;
  const Plan* pick = report.pick();
  if (pick == nullptr) return lines;
  const auto say = [&](std::string line) {
    if (!line.empty()) lines.push_back(std::move(line));
  };
  say(assumed_words(report, *pick));
  if (pick->wait.p50 > Seconds{})
    say("Queue wait: " + range_words(pick->wait) + " more" +
        (report.job.limits.deadline ? "; it counts toward the deadline." : "."));
  for (std::string& line : kept_checkpoint_words(report)) lines.push_back(std::move(line));
  return lines;
}

void write_beside(JsonWriter& json, const PhaseEstimate& estimate) {
  json.key("time_terms").begin_array();
  for (const auto& entry : Names<TimeTerm>::entries) {
    const Interval<Seconds>& time = estimate.term(entry.value);
    if (time.p50 <= Seconds{}) continue;
    json.begin_object(true).member("name", entry.name);
    write_interval(json, "seconds", time, units::second);
    json.member("says", name_of(estimate.origin(entry.value))).end();
  }
  json.end();
  json.member("jobs_in_a_row", estimate.jobs);
  json.key("bytes").begin_object();
  json.member("weights_gb", estimate.weights_bytes / units::GB).member("data_gb", estimate.data_bytes / units::GB);
  json.member("checkpoint_gb", estimate.checkpoint_bytes / units::GB)
      .member("checkpoint_gb_per_second", estimate.checkpoint_rate.value / units::GB.value)
      .member("checkpoints", estimate.checkpoints)
      .member("kept_checkpoints", estimate.kept_checkpoints);
  json.member("results_gb", estimate.results_bytes / units::GB).member("disk_gb", estimate.disk_bytes / units::GB);
  json.member("disk_gb_a_machine", estimate.machine_disk_bytes / units::GB).end();
}

}  // namespace gpuplan
