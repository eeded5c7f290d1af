#include "input/question/plan_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/digits/decimal.h"
#include "base/text.h"
#include "base/whole.h"
#include "input/text/json_text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kSchema = "gpuplan/plan@1";
constexpr JsonLimits kLimits{.bytes = kMaxPlanBytes, .values = 4'000'000};

/// Null for what is absent, too.
const Tree* member(const Tree& tree, std::string_view name) {
  const Tree* found = tree.find(name);
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::string text_of(const Tree& tree, std::string_view name) {
  const Tree* found = member(tree, name);
  return found != nullptr && found->is_scalar() ? found->text : std::string();
}

std::optional<double> number_of(const Tree& tree, std::string_view name) {
  const Tree* found = member(tree, name);
  if (found == nullptr || !found->is_scalar() || found->quoted) return std::nullopt;
  double value = 0;
  const char* end = found->text.data() + found->text.size();
  const auto [stop, wrong] = read_number(found->text.data(), end, value);
  if (wrong != std::errc{} || stop != end) return std::nullopt;
  return value;
}

int whole_number_of(const Tree& tree, std::string_view name, int otherwise) {
  constexpr double kMost = 1e6;
  const auto number = number_of(tree, name);
  return number && *number >= 0 && *number <= kMost ? whole<int>(*number) : otherwise;
}

template <class Amount>
std::optional<Interval<Amount>> interval_of(const Tree& tree, std::string_view name, Amount unit) {
  const Tree* found = member(tree, name);
  if (found == nullptr) return std::nullopt;
  const auto p10 = number_of(*found, "p10"), p50 = number_of(*found, "p50"), p90 = number_of(*found, "p90");
  if (!p10 || !p50 || !p90) return std::nullopt;
  return Interval<Amount>{*p10 * unit, *p50 * unit, *p90 * unit};
}

template <class Amount>
Outcome<Amount> outcome_of(const Tree& tree, std::string_view name, Amount unit) {
  const auto range = interval_of(tree, name, unit);
  if (!range) return {};
  return {range->p10, range->p50, range->p90, number_of(*tree.find(name), "mean").value_or(0) * unit};
}

template <class Amount>
std::optional<Amount> amount_of(const Tree& tree, std::string_view name, Amount unit) {
  const auto number = number_of(tree, name);
  if (!number) return std::nullopt;
  return *number * unit;
}

Expectation phase_of(const Tree& tree) {
  Expectation expected;
  expected.phase = text_of(tree, "name");
  if (const Tree* offer = member(tree, "offer")) {
    expected.gpu = text_of(*offer, "gpu");
    expected.nodes = whole_number_of(*offer, "nodes", 1);
  }
  expected.gpus = whole_number_of(tree, "gpus_used", 0);
  expected.evidence = from_name<Evidence>(text_of(tree, "evidence")).value_or(Evidence::kModel);
  expected.steps = number_of(tree, "steps").value_or(0);
  if (expected.steps > 0) expected.tokens_per_step = number_of(tree, "tokens").value_or(0) / expected.steps;
  expected.seconds_per_step = interval_of(tree, "seconds_per_step", units::second);
  expected.tokens_per_second = interval_of(tree, "tokens_per_second", TokensPerSecond{1});
  if (const Tree* serving = member(tree, "serving")) {
    expected.first_token = interval_of(*serving, "time_to_first_token_seconds", units::second);
    expected.per_token = interval_of(*serving, "time_per_output_token_seconds", units::second);
  }
  if (const Tree* memory = member(tree, "memory_gib")) {
    expected.memory = interval_of(*memory, "total", units::GiB);
    expected.usable = amount_of(*memory, "usable", units::GiB);
    if (const Tree* sums = member(*memory, "sums")) {
      expected.allocated = amount_of(*sums, "allocated", units::GiB);
      expected.reserved = amount_of(*sums, "reserved", units::GiB);
    }
  }
  // A run is held against what the phase takes without the job's buffer.
  const Outcome<Seconds> hours = outcome_of(tree, "hours", units::hour);
  const Seconds buffer = number_of(tree, "buffer_hours").value_or(0) * units::hour;
  const double share = hours.p50 > buffer ? 1 - buffer / hours.p50 : 1;
  expected.hours = hours * share;
  expected.cost = outcome_of(tree, "cost_usd", units::dollar) * share;
  expected.price = number_of(tree, "machines_usd_per_hour").value_or(0) * units::dollar / units::hour;
  expected.strategy = text_of(tree, "strategy_words");
  if (const Tree* strategy = member(tree, "strategy")) {
    expected.micro_batch = number_of(*strategy, "micro_batch").value_or(0);
    expected.framework = text_of(*strategy, "framework");
    if (const auto sharding = from_name<Sharding>(text_of(*strategy, "sharding"))) {
      Strategy& layout = expected.layout.emplace();
      layout.sharding = *sharding;
      layout.dp = whole_number_of(*strategy, "dp", 1);
      layout.tp = whole_number_of(*strategy, "tp", 1);
      layout.pp = whole_number_of(*strategy, "pp", 1);
      layout.cp = whole_number_of(*strategy, "cp", 1);
    }
    expected.batch = number_of(*strategy, "global_batch").value_or(number_of(*strategy, "batch").value_or(0));
  }
  return expected;
}

KeptPlan plan_of(const Tree& tree, const std::string& job) {
  KeptPlan plan{text_of(tree, "id"), text_of(tree, "label"), {}, {}};
  const Tree* phases = member(tree, "phases");
  if (phases == nullptr) return plan;
  for (const Tree& phase : phases->children) {
    Expectation expected = phase_of(phase);
    plan.cost += outcome_of(phase, "cost_usd", units::dollar).p50;
    expected.job = job;
    expected.plan_id = plan.id;
    expected.plan = plan.label;
    expected.credits_left = amount_of(tree, "credits_left_usd", units::dollar);
    plan.phases.push_back(std::move(expected));
  }
  return plan;
}

std::unexpected<Error> no_plan(const std::string& file, const std::string& found) {
  return failure("is not a saved plan; create one with gpuplan plan JOB -o plan.json (schema " + std::string(kSchema) +
                     "), found " + found,
                 {file});
}

}  // namespace

std::string_view plan_in_page(std::string_view text) {
  // In a page a tag is a tag: what a job says there has its < written otherwise.
  constexpr std::string_view kOpen = "<script type=\"application/json\" id=\"gpuplan-plan\">", kClose = "</script>";
  constexpr std::size_t kHead = 15;
  if (to_lower(trim(text).substr(0, kHead)) != "<!doctype html>") return text;
  const std::size_t open = text.find(kOpen);
  if (open == std::string_view::npos) return text;
  const std::string_view inside = text.substr(open + kOpen.size());
  return inside.substr(0, inside.find(kClose));
}

bool is_kept_plan(std::string_view text) {
  constexpr std::size_t kHead = 200;
  const std::string_view head = trim(plan_in_page(text)).substr(0, kHead);
  return head.starts_with('{') && head.find("\"gpuplan/plan@") != std::string_view::npos;
}

Result<PlanFile> read_plan_file(std::string_view text, const std::string& file) {
  const auto tree = parse_json(plan_in_page(text), file, kLimits);
  if (!tree) {
    Error error = tree.error();
    error.message += "; expected a plan saved with gpuplan plan JOB -o plan.json";
    return std::unexpected(std::move(error));
  }
  if (!tree->is_map()) return no_plan(file, got_text(*tree));
  const Tree* schema = member(*tree, "schema");
  if (schema == nullptr) return no_plan(file, "a map without schema");
  if (schema->text != kSchema) return no_plan(file, got_text(*schema));

  const Tree* job = member(*tree, "job_file");
  if (job == nullptr || text_of(*job, "text").empty())
    return failure(
        "contains no job: an older gpuplan or another program wrote it; save it again with gpuplan plan JOB -o "
        "plan.json",
        {file});
  PlanFile kept{.file = file, .job = text_of(*tree, "job"), .source = {}, .pick = {}, .plans = {}};
  auto source = parse_job(text_of(*job, "text"), text_of(*job, "name"));
  if (!source) return failure("the job in it: " + source.error().message, {file});
  kept.source = *std::move(source);
  if (const Tree* recommended = member(*tree, "recommendations")) kept.pick = text_of(*recommended, "pick");
  if (std::string launched = text_of(*tree, "launched"); !launched.empty()) kept.pick = std::move(launched);
  if (const Tree* plans = member(*tree, "plans"))
    for (const Tree& plan : plans->children) kept.plans.push_back(plan_of(plan, kept.job));
  if (kept.pick.empty()) return kept;
  KeptChoice choice{.id = kept.pick, .label = {}};
  if (const auto plan = plan_named(kept, "")) {
    choice.label = (*plan)->label;
    choice.cost = (*plan)->cost;
  }
  kept.source.kept = std::move(choice);
  return kept;
}

Result<const KeptPlan*> plan_named(const PlanFile& kept, std::string_view id) {
  if (kept.plans.empty()) return failure("contains no plan: nothing fitted when it was saved", {kept.file});
  const std::string_view wanted = id.empty() ? std::string_view(kept.pick) : id;
  const auto found = std::ranges::find(kept.plans, wanted, &KeptPlan::id);
  if (found != kept.plans.end()) return &*found;
  if (id.empty()) return failure("recommends no plan; choose one by its id", {kept.file});
  std::vector<std::string_view> ids;
  for (const KeptPlan& plan : kept.plans) ids.push_back(plan.id);
  return failure("no plan '" + printable(id, 60) + "' among its " + count_text(static_cast<double>(kept.plans.size())) +
                     did_you_mean(id, ids) + "; recommended: " + printable(kept.pick.empty() ? "none" : kept.pick, 60),
                 {kept.file});
}

Result<void> made_for(const PlanFile& kept, std::string_view job) {
  if (kept.job == job) return {};
  return failure("belongs to job '" + printable(kept.job, 60) + "', not to job '" + printable(job, 60) +
                     "'; give a plan of the same job",
                 {kept.file});
}

const Expectation* expectation_of(const KeptPlan& plan, std::string_view phase) {
  const auto found = std::ranges::find(plan.phases, phase, &Expectation::phase);
  return found == plan.phases.end() ? nullptr : &*found;
}

}  // namespace gpuplan
