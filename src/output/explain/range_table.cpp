#include "output/explain/range_table.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/amount.h"
#include "base/interval.h"
#include "base/math.h"
#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/offer_price.h"
#include "model/error/error.h"
#include "output/words/plan_words.h"
#include "plan/answer/price_doubt.h"

namespace gpuplan {
namespace {

constexpr double kShown = 0.005;

double off(double variance) { return kZ90 * std::sqrt(std::max(0.0, variance)); }

/// `own`: the user has runs of his own that tell of it.
std::string part_words(ErrorPart part, const ErrorLabels& labels, bool own) {
  const auto measured = [&](double publishers) { return publishers > 0 || own ? "" : ", never measured"; };
  switch (part) {
    case ErrorPart::kSoftware:
      return std::string(labels.software) + measured(labels.software_publishers);
    case ErrorPart::kCard:
      return std::string(labels.card) + measured(labels.card_publishers);
    case ErrorPart::kGeneration:
      return std::string(labels.architecture) + " GPUs" + measured(labels.generation_publishers);
    default:
      return std::string(words_of(part));
  }
}

RangeParts parts_of(const ErrorModel& errors, std::string_view name, std::string_view title, ErrorFigure figure,
                    const ErrorLabels& labels) {
  RangeParts range;
  range.name = name;
  range.title = title;
  range.whole = off(expected_error(errors, figure, labels).variance);
  range.own_runs = own_runs_on(errors, figure, labels);
  for (const ErrorShare& share : error_shares(errors, figure, labels))
    if (share.variance > 0)
      range.parts.push_back({part_words(share.part, labels, range.own_runs > 0), off(share.variance)});
  range.after_same = off(variance_after(errors, figure, labels, labels));
  ErrorLabels elsewhere = labels;
  elsewhere.card = elsewhere.architecture = elsewhere.memory_type = "another";
  elsewhere.card_publishers = elsewhere.generation_publishers = kAmple;
  range.after_framework = off(variance_after(errors, figure, labels, elsewhere));
  return range;
}

/// "vast", "aws (spot)".
std::string provider_words(const Lease& lease) {
  return printable(lease.offer->provider, 40) + (lease.spot ? " (spot)" : "");
}

/// ", from 41 prices of 60 days in your store"; empty where none has a say.
std::string own_words(int prices, int days) {
  if (prices == 0) return "";
  return ", from " + count_text(prices) + " prices" + (days > 0 ? " of " + count_text(days) + " days" : "") +
         " in your store";
}

std::string moves_words(const OwnScatter* own) {
  return own != nullptr && own->moves.months > 0 ? own_words(own->moves.prices, own->moves.days) : "";
}

std::string off_text(double value) { return "±" + percent(value); }

}  // namespace

std::vector<RangeParts> range_parts(const ErrorModel& errors, const Phase& phase, const PhaseEstimate& estimate) {
  std::vector<RangeParts> figures;
  if (!estimate.node || estimate.labels.software.empty()) return figures;
  if (estimate.work_is_model)
    figures.push_back(parts_of(errors, "time", "TIME", estimate.error_figure, estimate.labels));
  const bool trains = std::holds_alternative<TrainPhase>(phase.work);
  const ErrorFigure memory = trains ? ErrorFigure::kMemory : ErrorFigure::kServingMemory;
  if (!estimate.memory_total.exact()) figures.push_back(parts_of(errors, "memory", "MEMORY", memory, estimate.labels));
  return figures;
}

Table range_table(const std::vector<RangeParts>& figures) {
  std::vector<Column> columns = {{.title = "RANGES ARE MADE OF", .narrowest = 24, .wrap = true}};
  for (const RangeParts& figure : figures)
    columns.push_back({.title = std::string(figure.title), .align = Align::kRight});
  Table table(std::move(columns));
  std::vector<std::string> rows;
  for (const RangeParts& figure : figures)
    for (const RangeParts::Part& part : figure.parts)
      if (part.off >= kShown && std::ranges::find(rows, part.words) == rows.end()) rows.push_back(part.words);
  const auto add = [&](const std::string& title, Paint paint, const auto& value) {
    std::vector<Cell> row = {{title, paint}};
    for (const RangeParts& figure : figures) {
      const double shown = value(figure);
      row.emplace_back(shown >= kShown ? off_text(shown) : "", paint);
    }
    table.add(std::move(row));
  };
  for (const std::string& words : rows)
    add(words, Paint::kPlain, [&](const RangeParts& figure) {
      const auto part = std::ranges::find(figure.parts, words, &RangeParts::Part::words);
      return part == figure.parts.end() ? 0 : part->off;
    });
  if (rows.empty()) return table;
  add("together (squares add up)", Paint::kBold, [](const RangeParts& figure) { return figure.whole; });
  add("after one own run like it", Paint::kPlain, [](const RangeParts& figure) { return figure.after_same; });
  add("after one of its framework on another GPU", Paint::kPlain,
      [](const RangeParts& figure) { return figure.after_framework; });
  return table;
}

void write_ranges(JsonWriter& json, const std::vector<RangeParts>& figures) {
  json.begin_array();
  for (const RangeParts& figure : figures) {
    json.begin_object().member("figure", figure.name).member("off", figure.whole);
    json.member("off_after_own_run", figure.after_same);
    json.member("off_after_own_run_on_another_gpu", figure.after_framework);
    json.member("own_runs", figure.own_runs).key("parts").begin_array();
    for (const RangeParts::Part& part : figure.parts)
      json.begin_object(true).member("part", part.words).member("off", part.off).end();
    json.end().end();
  }
  json.end();
}

CostRange cost_range(const Plan& plan, const Catalogue& catalogue, const OwnScatters& own) {
  CostRange range;
  if (plan.cost.p10 <= Dollars{}) return range;
  range.whole = math::log(plan.cost.p90 / plan.cost.p10) / 2;
  double variance = 0;
  const auto add = [&](std::string words, double load) {
    const double off = kZ90 * load;
    variance += off * off;
    const auto same = std::ranges::find(range.prices, words, &RangeParts::Part::words);
    if (same != range.prices.end()) same->off = std::sqrt(same->off * same->off + off * off);
    else range.prices.push_back({std::move(words), off});
  };
  for (const PriceLoad& load : price_loads(plan)) {
    const Lease& lease = *load.lease;
    const Offer& offer = *lease.offer;
    switch (load.of) {
      case PriceLoad::Of::kStated:
        add("price range of the offer", load.load);
        break;
      case PriceLoad::Of::kAge:
        add("prices of " + provider_words(lease) + " since " + printable(offer.as_of, 20) +
                moves_words(scatter_of(own, offer, lease.spot)),
            load.load);
        break;
      case PriceLoad::Of::kPlace:
        for (const OfferSpread& spread : spreads_of(offer, lease.spot, catalogue, own))
          add(std::string(name_of(spread.over)) + " of " + provider_words(lease) + own_words(spread.own_prices, 0),
              load.load * spread.deviation / doubt_of(offer, lease.spot).place);
        break;
    }
  }
  // Ranges are read off samples, and told in cents.
  range.rest = std::sqrt(std::max(0.0, range.whole * range.whole - variance));
  sort_stably(range.prices, std::greater<>{}, &RangeParts::Part::off);
  return range;
}

Table cost_range_table(const CostRange& range) {
  Table table(
      {{.title = "RANGE OF THE COST", .narrowest = 24, .wrap = true}, {.title = "COST", .align = Align::kRight}});
  const auto add = [&](const std::string& words, double off, Paint paint) {
    if (off >= kShown) table.add({{words, paint}, {off_text(off), paint}});
  };
  for (const RangeParts::Part& part : range.prices) add(part.words, part.off, Paint::kPlain);
  if (table.empty()) return table;
  add("time and billing", range.rest, Paint::kPlain);
  add("together (squares add up)", range.whole, Paint::kBold);
  return table;
}

void write_cost_range(JsonWriter& json, const CostRange& range) {
  json.begin_object().member("off", range.whole).member("off_time", range.rest).key("prices").begin_array();
  for (const RangeParts::Part& part : range.prices)
    json.begin_object(true).member("part", part.words).member("off", part.off).end();
  json.end().end();
}

}  // namespace gpuplan
