// Memory of the fullest GPU by part, against what the card has; under it what was tried on the pick's card instead.
#include <algorithm>
#include <array>
#include <span>

#include "base/sorting.h"
#include "base/text.h"
#include "output/charts/axis.h"
#include "output/charts/charts.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "output/words/strategy_reasons.h"
#include "plan/advice/alternatives.h"

namespace gpuplan {
namespace {

constexpr std::size_t kCards = 8, kTried = 4;

/// What is drawn as one part. The last takes all that is neither tensors of the model nor cache.
struct DrawnPart {
  MarkRole role;
  const char* name;
  Bytes (*size)(const MemoryUse&);
};
constexpr std::array kCardParts = {
    DrawnPart{MarkRole::kC1, "weights", [](const MemoryUse& use) { return use.weights; }},
    DrawnPart{MarkRole::kC2, "gradients", [](const MemoryUse& use) { return use.gradients; }},
    DrawnPart{MarkRole::kC3, "optimizer", [](const MemoryUse& use) { return use.optimizer; }},
    DrawnPart{MarkRole::kC4, "activations", [](const MemoryUse& use) { return use.activations; }},
    DrawnPart{MarkRole::kC5, "logits", [](const MemoryUse& use) { return use.logits; }},
    DrawnPart{MarkRole::kC6, "KV cache", [](const MemoryUse& use) { return use.kv_cache; }},
    DrawnPart{MarkRole::kC7, "buffers and driver",
              [](const MemoryUse& use) { return use.buffers + use.context() + use.learned; }},
};

struct Card {
  const Plan* plan = nullptr;
  const PhasePlan* part = nullptr;
  const Gpu& gpu() const { return *part->estimate->node->gpu; }
};

/// The pick first, then each other kind of card once: in the order of `plans`.
std::vector<Card> cards_of(const PlanReport& report, std::span<const Plan* const> plans) {
  std::vector<Card> cards;
  const auto add = [&](const Plan& plan) {
    const PhasePlan* part = plan.fullest();
    if (part == nullptr || !part->estimate->node || part->estimate->node->gpu == nullptr ||
        part->estimate->memory_total.p50 <= Bytes{})
      return;
    const Card card{&plan, part};
    const bool known = std::ranges::any_of(cards, [&](const Card& other) {
      return &other.gpu() == &card.gpu() &&
             gib_text(other.part->estimate->memory_total.p50) == gib_text(part->estimate->memory_total.p50);
    });
    if (!known && cards.size() < kCards) cards.push_back(card);
  };
  if (report.pick() != nullptr) add(*report.pick());
  for (const Plan* plan : plans) add(*plan);
  return cards;
}

double gib_number(Bytes size) { return size / units::GiB; }
std::string gib_words(Bytes size) { return gib_text(size) + " GiB"; }

void add_card(const PlanReport& report, const Card& card, double row, Chart& chart) {
  const PhaseEstimate& estimate = card.part->estimate;
  const Interval<Bytes>& need = estimate.memory_total;
  const bool picked = card.plan == report.pick();
  chart.marks.push_back({.shape = MarkShape::kBar,
                         .role = MarkRole::kReference,
                         .y = row,
                         .x0 = 0,
                         .x1 = gib_number(card.gpu().usable),
                         .tip = {printable(card.gpu().name, 100), gib_words(card.gpu().usable) + " usable"}});
  Bytes from{};
  for (const DrawnPart& part : kCardParts) {
    const Bytes size = part.size(estimate.memory);
    if (size <= Bytes{}) continue;
    ChartMark bar{
        .shape = MarkShape::kBar, .role = part.role, .y = row, .x0 = gib_number(from), .x1 = gib_number(from + size)};
    bar.label = gib_text(size);
    bar.tip = {upper_first(part.name), gib_words(size) + " of " + gib_words(estimate.memory.total())};
    chart.marks.push_back(std::move(bar));
    from += size;
  }
  if (!need.exact())
    chart.marks.push_back({.shape = MarkShape::kSpan,
                           .role = MarkRole::kReference,
                           .y = row,
                           .x0 = gib_number(need.p10),
                           .x1 = gib_number(need.p90),
                           .tip = {"8 in 10 cases: " + range_text(gib_words(need.p10), gib_words(need.p90))}});
  ChartMark end{.shape = MarkShape::kRule,
                .role = picked ? MarkRole::kPick : MarkRole::kReference,
                .x = gib_number(card.gpu().usable),
                .y = row};
  end.label = gib_text(need.p50) + " of " + gib_words(card.gpu().usable);
  if (estimate.fit == Fit::kTight) end.note = "may not fit";
  end.tip = {printable(report.name(*card.plan), 300), "Needs " + end.label + " per GPU",
             estimate.fit == Fit::kTight ? "Fits in half of the cases" : "Fits in 9 of 10 cases"};
  chart.marks.push_back(std::move(end));
}

struct Tried {
  std::string name;
  Interval<Bytes> memory;
};

/// Ways that were tried on the pick's card and need more than there is, the nearest first.
std::vector<Tried> tried_on(const PlanReport& report, const Card& card) {
  std::vector<Tried> tried;
  for (const Alternative& other : alternatives(report.job, card.part->estimate, report.catalogue)) {
    if ((other.why != WhyNot::kMemory && other.why != WhyNot::kTight) || other.memory.p50 <= Bytes{}) continue;
    if (other.memory.p90 <= card.gpu().usable) continue;
    if (std::ranges::any_of(tried, [&](const Tried& one) { return one.name == way_words(other); })) continue;
    tried.push_back({way_words(other), other.memory});
  }
  sort_stably(tried, {}, [](const Tried& one) { return one.memory.p50.value; });
  if (tried.size() > kTried) tried.resize(kTried);
  return tried;
}

constexpr double kGapFrom = 0.93, kGapTo = 0.95;  // of the axis: a bar that is longer than the picture breaks here

bool is_cut(const Tried& tried, double end) { return gib_number(tried.memory.p50) > 1.001 * end; }

void add_tried(const Tried& tried, const Card& card, double row, double end, Chart& chart) {
  const bool half = tried.memory.p50 <= card.gpu().usable;
  ChartMark bar{.shape = MarkShape::kBar, .role = MarkRole::kBeaten, .y = row, .x0 = 0};
  bar.x1 = std::min(gib_number(tried.memory.p50), end);
  bar.tip = {"Tried: " + tried.name, "Needs " + gib_words(tried.memory.p50) + " of " + gib_words(card.gpu().usable)};
  if (is_cut(tried, end)) {  // in two, with a gap between them
    ChartMark rest = bar;
    bar.x1 = kGapFrom * end;
    rest.x0 = kGapTo * end;
    chart.marks.push_back(std::move(rest));
  }
  chart.marks.push_back(std::move(bar));
  ChartMark edge{.shape = MarkShape::kRule, .role = MarkRole::kReference, .x = gib_number(card.gpu().usable), .y = row};
  edge.label = gib_words(tried.memory.p50) + (half ? ", may not fit" : ", does not fit");
  edge.tip = {edge.label};
  chart.marks.push_back(std::move(edge));
}

std::string finding_of(const PlanReport& report, const Card& card) {
  const PhaseEstimate& estimate = card.part->estimate;
  const Interval<Bytes>& need = estimate.memory_total;
  const DrawnPart* largest = &kCardParts.front();
  for (const DrawnPart& part : kCardParts)
    if (part.size(estimate.memory) > largest->size(estimate.memory)) largest = &part;
  std::string text = estimate.fit == Fit::kTight ? "May not fit: " : "";
  text += gib_text(need.p50) + " of " + gib_words(card.gpu().usable) + " per GPU";
  if (!need.exact()) text += ", below " + gib_words(need.p90) + " in 9 of 10 cases";
  text += ".";
  const double share = largest->size(estimate.memory) / estimate.memory.total();
  if (estimate.memory.total() > Bytes{}) text += " " + upper_first(largest->name) + ": " + percent(share) + " of it.";
  if (card.plan != report.pick()) return "";
  return text;
}

}  // namespace

std::optional<Chart> memory_chart(const PlanReport& report) { return memory_chart(report, plans_shown(report)); }

std::optional<Chart> memory_chart(const PlanReport& report, std::span<const Plan* const> plans) {
  const std::vector<Card> cards = cards_of(report, plans);
  if (cards.empty()) return std::nullopt;
  const Card& first = cards.front();
  const bool of_pick = first.plan == report.pick();
  const std::vector<Tried> tried = of_pick ? tried_on(report, first) : std::vector<Tried>{};

  double end = 0;
  for (const Card& card : cards)
    end = std::max({end, gib_number(card.gpu().usable), gib_number(card.part->estimate->memory_total.p90),
                    gib_number(card.part->estimate->memory.total())});
  // What does not fit by far crosses the end of its card and leaves the picture.
  double most_tried = 0;
  for (const Tried& one : tried) most_tried = std::max(most_tried, gib_number(one.memory.p50));
  end = std::max(end, std::min(most_tried, 1.35 * end));

  Chart chart;
  chart.kind = ChartKind::kMemory;
  chart.key = "memory";
  chart.title = "How full is each GPU?";
  std::vector<std::string> rows;
  for (const Card& card : cards) rows.push_back(short_name(card.plan->label, 30));
  for (const Tried& one : tried) rows.push_back(short_name("Tried: " + one.name, 40));
  chart.y = row_axis(rows);
  chart.x = linear_axis("Memory of the fullest GPU", 0, end, AxisUnit::kGiB);
  double row = 0;
  for (const Card& card : cards) add_card(report, card, row++, chart);
  for (const Tried& one : tried) add_tried(one, first, row++, end, chart);
  for (const DrawnPart& part : kCardParts)
    if (std::ranges::any_of(cards, [&](const Card& card) { return part.size(card.part->estimate->memory) > Bytes{}; }))
      chart.legend.push_back({part.role, part.name});

  chart.finding = finding_of(report, first);
  chart.caption = "The light bar is what the card can give, the line under a bar holds 8 in 10 cases.";
  if (!tried.empty())
    chart.caption += " Tried: other ways to run it on " + short_name(first.gpu().name, 30) + ", which need more.";
  if (std::ranges::any_of(tried, [&](const Tried& one) { return is_cut(one, end); }))
    chart.caption += " A bar with a gap is longer than the picture.";
  const bool given = std::ranges::any_of(cards, [](const Card& card) {
    const Bytes total = card.part->estimate->memory.total(), told = card.part->estimate->memory_total.p50;
    return total > told * 1.005 || told > total * 1.005;
  });
  const PhaseEstimate& estimate = first.part->estimate;
  if (estimate.strategy.offload != Offload::kNone && estimate.host_memory > Bytes{})
    chart.caption += " " + upper_first(offloaded_words(estimate.strategy.offload)) + " and the program take " +
                     gib_words(estimate.host_memory) + " of CPU memory (RAM) per machine.";
  if (given) chart.caption += " Totals are from your job file; the parts are predicted.";
  chart.alt = "Memory of one GPU by part, against what the card has.";
  for (const Card& card : cards)
    chart.alt += " " + short_name(card.plan->label, 60) + ": " + gib_text(card.part->estimate->memory_total.p50) +
                 " of " + gib_words(card.gpu().usable) + ".";
  return chart;
}

}  // namespace gpuplan
