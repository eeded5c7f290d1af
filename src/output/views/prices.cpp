// plan --show prices: the offers of the market for this job, what spot saves, and which of them hold it.
#include <algorithm>
#include <limits>
#include <map>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/price_age.h"
#include "output/views/plan_views.h"
#include "output/words/columns.h"
#include "output/words/plan_words.h"
#include "plan/answer/market.h"
#include "plan/ranking/ranking.h"

namespace gpuplan {
namespace {

struct PriceRow {
  const Offer* offer = nullptr;
  const Gpu* gpu = nullptr;
  const Plan* plan = nullptr;  ///< the first that runs there, by interest
  bool frontier = false;
};

/// "$20.00", "$16.00 … 24.00"; of the whole offer, or a GPU of a pool.
std::string price_text(const Interval<DollarsPerSecond>& price) {
  const std::string from = to_text(price.p10 * units::hour);
  return price.exact() ? from : range_text(from, to_text(price.p90 * units::hour).substr(1));
}

Cell offer_price(const std::optional<Interval<DollarsPerSecond>>& price, const Offer& offer) {
  if (!price) return {};
  return {(price->p50 * units::hour).value,
          price_text(*price) + term_words(offer.billing) + (offer.kind == OfferKind::kPool ? " per GPU" : "")};
}

/// Which of an offer's prices the job may take.
bool takes_spot(const Job& job) { return job.where.spot != SpotUse::kNever; }
bool takes_on_demand(const Job& job) { return job.where.spot != SpotUse::kOnly; }

/// The least the job has to pay there for a GPU-hour, in dollars; infinity: no price that it may take.
double per_gpu(const Job& job, const Offer& offer) {
  double least = std::numeric_limits<double>::infinity();
  const auto look = [&](const std::optional<Interval<DollarsPerSecond>>& price, bool counts) {
    if (price && counts) least = std::min(least, (price->p50 * units::hour).value / gpus_priced(offer));
  };
  // A preemptible pool counts as spot, at its one price.
  look(offer.price, takes_on_demand(job) || offer.preemptible);
  look(offer.spot_price, takes_spot(job));
  return least;
}

std::optional<double> discount_of(const Offer& offer) {
  if (!offer.price || !offer.spot_price || offer.price->p50 <= DollarsPerSecond{}) return std::nullopt;
  return 1 - offer.spot_price->p50 / offer.price->p50;
}

std::string offer_name(const Offer& offer) {
  if (offer.kind == OfferKind::kPool)
    return "pool of " + (offer.nodes > 1 ? std::to_string(offer.nodes) + " machines of " : "") +
           std::to_string(offer.gpus) + "x " + offer.gpu;
  return std::to_string(offer.gpus) + "x " + offer.gpu;
}

/// Every offer with its foremost plan: those of plans in the order of plans, then those that hold none.
std::vector<PriceRow> rows_of(const PlanReport& report) {
  std::vector<PriceRow> rows;
  std::map<const Offer*, std::size_t> known;
  const auto add = [&](const Offer& offer, const Plan* plan, bool frontier) {
    const auto [at, fresh] = known.try_emplace(&offer, rows.size());
    if (fresh) rows.push_back({&offer, report.catalogue.find_gpu(offer.gpu), plan, frontier});
    else rows[at->second].frontier = rows[at->second].frontier || frontier;
  };
  for (const Plan& plan : report.found.plans) {
    if (plan.offer != nullptr) add(*plan.offer, &plan, plan.on_frontier);
    else
      for (const PhasePlan& part : plan.phases)
        if (part.offer != nullptr) add(*part.offer, &plan, plan.on_frontier);
  }
  for (const Offer& offer : report.offers) add(offer, nullptr, false);
  return rows;
}

std::string holds_words(const PriceRow& row) {
  if (row.plan == nullptr) return "no";
  return row.plan->fit == Fit::kTight ? "tight" : "yes";
}

std::string range_of_percents(double low, double high) {
  const std::string from = fixed_text(low * 100, 0), to = fixed_text(high * 100, 0);
  return range_text(from, to) + "%";
}

void add_notes(const Job& job, const std::vector<PriceRow>& rows, ViewContent& view) {
  double low = 1, high = 0;
  std::size_t discounts = 0;
  const PriceRow *cheapest = nullptr, *dearest = nullptr;
  std::vector<std::string> roomy;
  for (const PriceRow& row : rows) {
    if (const auto discount = discount_of(*row.offer)) {
      ++discounts;
      low = std::min(low, *discount);
      high = std::max(high, *discount);
    }
    if (row.plan == nullptr) continue;
    const double price = per_gpu(job, *row.offer);
    if (cheapest == nullptr || price < per_gpu(job, *cheapest->offer)) cheapest = &row;
    if (dearest == nullptr || price > per_gpu(job, *dearest->offer)) dearest = &row;
    constexpr double kRoomy = 0.25;
    const double share = row.plan->offer == nullptr ? 0 : memory_share(*row.plan);
    if (price > 0 && share > 0 && share < kRoomy && std::ranges::find(roomy, row.offer->gpu.str()) == roomy.end())
      roomy.push_back(row.offer->gpu);
  }
  if (discounts > 0)
    view.notes.push_back("Spot is " + range_of_percents(low, high) + " below on demand, for the " +
                         count_of(static_cast<double>(discounts), "offer") + " that " +
                         (discounts == 1 ? "has" : "have") + " both" +
                         (takes_spot(job) ? "." : "; this job does not take spot (where.spot)."));
  if (cheapest != nullptr && per_gpu(job, *cheapest->offer) < per_gpu(job, *dearest->offer)) {
    const std::string low_name = offer_name(*cheapest->offer), high_name = offer_name(*dearest->offer);
    const bool told = low_name != high_name;
    view.notes.push_back("Offers that fit, per GPU-hour: " + to_text(Dollars{per_gpu(job, *cheapest->offer)}) +
                         (told ? " (" + low_name + ")" : "") + " to " +
                         to_text(Dollars{per_gpu(job, *dearest->offer)}) + (told ? " (" + high_name + ")." : "."));
  }
  for (const PriceRow& row : rows) {
    if (row.plan == nullptr) continue;
    for (const Lease& lease : row.plan->leases)
      if (lease.offer == row.offer && lease.own_price && lease.nodes > 0 && row.offer->price) {
        const DollarsPerSecond own = *lease.own_price / lease.nodes;
        view.notes.push_back(offer_name(*row.offer) +
                             (row.offer->provider.empty() ? "" : " at " + place_words(*row.offer)) +
                             " on your own terms: " + (own > DollarsPerSecond{} ? to_text(own) : std::string("$0/h")) +
                             " instead of the listed " + to_text(row.offer->price->p50) + " above.");
        break;
      }
  }
  if (!roomy.empty()) {
    constexpr std::size_t kMost = 6;
    if (roomy.size() > kMost) {
      const std::size_t more = roomy.size() - kMost;
      roomy.resize(kMost);
      roomy.push_back(std::to_string(more) + " more");
    }
    view.notes.push_back("Less than 25% of the memory is used on " + listed(roomy) +
                         ": pay for them only if you need the speed.");
  }
}

}  // namespace

ViewContent prices_view(const PlanReport& report, const Screen&) {
  std::vector<Column> columns = {
      {.title = ""},
      {.title = "OFFER", .narrowest = 14, .wrap = true, .gap = 1, .key = "offer"},
      {.title = "", .key = "gpu"},
      {.title = "", .key = "gpus"},
      {.title = "MEMORY", .align = Align::kRight, .drop = 6, .unit = "GiB a GPU", .key = "memory_gib"},
      {.title = "ARCHITECTURE", .drop = 7, .narrowest = 12, .key = "architecture"},
      {.title = "WHERE", .drop = 2, .narrowest = 10, .key = "where"},
      {.title = "SPOT", .align = Align::kRight, .around = kRangeDash, .unit = "per hour", .key = "spot_usd_per_hour"},
      {.title = "ON DEMAND", .align = Align::kRight, .around = kRangeDash, .unit = "per hour", .key = "usd_per_hour"},
      {.title = "SPOT", .align = Align::kRight, .drop = 3, .unit = "saves", .key = "spot_discount"},
      {.title = "GPU-HOUR", .align = Align::kRight, .drop = 4, .unit = "least", .key = "usd_per_gpu_hour"},
      {.title = "", .key = "holds_the_job"},
      {.title = "USED", .align = Align::kRight, .unit = "memory", .key = "memory_share"},
      {.title = "AVAILABILITY", .drop = 8, .narrowest = 12, .wrap = true, .key = "availability"},
      {.title = "AS OF", .drop = 5, .key = "as_of"}};
  const std::string age = price_age_words(report.found.as_of, report.price_day());
  const std::string title = age.empty() ? "Prices" : upper_first(age);
  ViewContent view{title + ", cheapest GPU-hour first", Table(std::move(columns)), {}};

  const Job& job = report.job;
  std::vector<PriceRow> rows = rows_of(report);
  const std::size_t all = rows.size();
  add_notes(job, rows, view);
  if (!report.all && rows.size() > kViewRows) rows.resize(kViewRows);
  sort_stably(rows, {}, [&](const PriceRow& row) { return per_gpu(job, *row.offer); });
  std::string oldest;
  for (const PriceRow& row : rows)
    if (!row.offer->as_of.empty() && (oldest.empty() || row.offer->as_of.str() < oldest))
      oldest = row.offer->as_of.str();
  if (!age.empty() && !oldest.empty() && oldest < report.found.as_of)
    view.title = title + ", some from " + printable(oldest, 20) + " on, cheapest GPU-hour first";
  const Plan* pick = report.pick();
  for (const PriceRow& row : rows) {
    const Offer& offer = *row.offer;
    const bool picked = pick != nullptr && pick->offer == &offer;
    const Paint paint = picked ? Paint::kGreen : row.plan == nullptr ? Paint::kDim : Paint::kPlain;
    std::vector<Cell> cells = {pick_mark(report, picked), {printable(offer_name(offer), 60), paint}};
    cells.emplace_back(offer.gpu);
    cells.emplace_back(static_cast<double>(offer.gpus));
    cells.push_back(row.gpu == nullptr ? Cell() : Cell(row.gpu->memory / units::GiB, gib_text(row.gpu->memory)));
    cells.emplace_back(row.gpu == nullptr ? "" : row.gpu->architecture);
    cells.emplace_back(place_words(offer));
    // A preemptible pool counts as spot, at its one price.
    const bool as_spot = offer.kind == OfferKind::kPool && offer.preemptible && !offer.spot_price;
    cells.push_back(offer_price(as_spot ? offer.price : offer.spot_price, offer));
    cells.push_back(offer_price(as_spot ? std::nullopt : offer.price, offer));
    const auto discount = discount_of(offer);
    cells.push_back(discount ? Cell(*discount, percent(*discount)) : Cell());
    const double least = per_gpu(job, offer);
    cells.push_back(least < std::numeric_limits<double>::infinity() ? small_money_cell(Dollars{least}) : Cell());
    cells.emplace_back(holds_words(row));
    const double share = row.plan == nullptr || row.plan->offer == nullptr ? 0 : memory_share(*row.plan);
    std::string used = share > 0 ? percent(share) : row.plan == nullptr ? "no plan" : "";
    if (row.plan != nullptr && row.plan->fit == Fit::kTight) used += ", OOM risk";
    const Paint use_paint = row.plan == nullptr ? Paint::kDim : Paint::kPlain;
    cells.push_back(share > 0 ? Cell(share, used, use_paint) : Cell(used, use_paint));
    cells.emplace_back(printable(offer.availability, 40));
    cells.emplace_back(printable(offer.as_of, 20));
    view.table.add(std::move(cells));
  }
  if (const std::string words = shown_rows(rows.size(), all, "offer"); !words.empty()) view.notes.push_back(words);
  return view;
}

}  // namespace gpuplan
