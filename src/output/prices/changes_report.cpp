#include "output/prices/changes_report.h"

#include <algorithm>
#include <array>

#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

struct KindName {
  PriceChange::Kind kind;
  const char* name;
  Paint paint;
};

constexpr std::array kKinds = {KindName{PriceChange::Kind::kNew, "new", Paint::kCyan},
                               KindName{PriceChange::Kind::kGone, "gone", Paint::kDim},
                               KindName{PriceChange::Kind::kDearer, "more expensive", Paint::kRed},
                               KindName{PriceChange::Kind::kCheaper, "cheaper", Paint::kGreen}};

const KindName& kind_of(const PriceChange& change) { return kKinds[static_cast<std::size_t>(change.kind)]; }

std::optional<double> percent_change(const PriceChange& change) {
  if (change.before <= 0 || change.after <= 0) return std::nullopt;
  return (change.after / change.before - 1) * 100;
}

Table changes_table(const std::vector<PriceChange>& changes, std::size_t most) {
  Table table({{.title = "CHANGE", .key = "change"},
               {.title = "GPUS", .key = "gpus"},
               {.title = "PROVIDER", .key = "provider"},
               {.title = "REGION", .drop = 1, .narrowest = 12, .key = "region"},
               {.title = "ZONE", .drop = 2, .narrowest = 12, .key = "zone"},
               {.title = "INSTANCE", .drop = 3, .narrowest = 14, .key = "instance"},
               {.title = "USE", .key = "use"},
               {.title = "BEFORE", .align = Align::kRight, .unit = "per hour", .key = "before_usd_per_hour"},
               {.title = "NOW", .align = Align::kRight, .unit = "per hour", .key = "after_usd_per_hour"},
               {.title = "BY", .align = Align::kRight, .key = "change_percent"}});
  const auto price = [](double dollars) {
    return dollars > 0 ? Cell(dollars, "$" + (dollars < 100 ? fixed_text(dollars, 2) : fixed_text(dollars, 1)))
                       : Cell();
  };
  for (std::size_t i = 0; i < changes.size() && i < most; ++i) {
    const PriceChange& change = changes[i];
    const Offer& offer = change.offer;
    const auto share = percent_change(change);
    table.add({{kind_of(change).name, kind_of(change).paint},
               printable(std::to_string(offer.gpus) + "x " + offer.gpu, 60),
               printable(offer.provider, 40),
               printable(offer.region, 40),
               printable(offer.zone, 40),
               printable(offer.instance, 60),
               change.spot ? "spot" : "on demand",
               price(change.before),
               price(change.after),
               share ? Cell(*share, (*share > 0 ? "+" : "") + fixed_text(*share, 1) + "%") : Cell()});
  }
  return table;
}

std::string import_name(const ImportRecord& import) { return "import of " + import.day + " " + import.time + " UTC"; }

}  // namespace

std::string changes_text(const std::vector<PriceChange>& changes, const ImportRecord& import, bool all,
                         const Screen& screen) {
  if (import.number == 0) return "Nothing was imported yet.\n";
  if (changes.empty()) return "No price changed with the " + import_name(import) + ".\n";
  std::vector<std::string> parts;
  for (const KindName& kind : kKinds) {
    const auto count = std::ranges::count(changes, kind.kind, &PriceChange::kind);
    if (count > 0) parts.push_back(count_text(static_cast<double>(count)) + " " + kind.name);
  }
  std::string text = paragraph("The " + import_name(import) + ": prices " + listed(parts) + ".", screen, 0, 0);
  // Of each kind the same share: what costs more counts as much as what is new.
  constexpr std::size_t kShownOfEach = 10;
  std::vector<PriceChange> shown;
  for (const KindName& kind : kKinds) {
    std::size_t done = 0;
    for (const PriceChange& change : changes)
      if (change.kind == kind.kind && (all || done++ < kShownOfEach)) shown.push_back(change);
  }
  text += '\n' + changes_table(shown, shown.size()).text(screen);
  if (shown.size() < changes.size())
    text += '\n' + paragraph("Shown " + count_text(static_cast<double>(shown.size())) + " of " +
                                 count_text(static_cast<double>(changes.size())) + " (--all shows them).",
                             screen);
  return text;
}

std::string changes_json(const std::vector<PriceChange>& changes, const ImportRecord& import) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-watch@1");
  if (import.number == 0) json.null_member("import");
  else json.member("import", import.number).member("day", import.day).member("time", import.time);
  json.key("changes").begin_array();
  for (const PriceChange& change : changes) {
    const Offer& offer = change.offer;
    json.begin_object(true).member("change", kind_of(change).name).member("provider", offer.provider);
    json.member("region", offer.region).member("zone", offer.zone).member("instance", offer.instance);
    json.member("gpu", offer.gpu).member("gpus", offer.gpus).member("spot", change.spot);
    const auto price = [](double dollars) { return dollars > 0 ? std::optional(dollars) : std::nullopt; };
    json.member("before_usd_per_hour", price(change.before)).member("after_usd_per_hour", price(change.after));
    json.member("change_percent", percent_change(change)).end();
  }
  json.end().end();
  return json.take();
}

std::string changes_csv(const std::vector<PriceChange>& changes) {
  return changes_table(changes, changes.size()).csv();
}

std::string offers_as_list(const std::vector<Offer>& offers) {
  constexpr std::array kKeys = {"provider",
                                "region",
                                "zone",
                                "instance",
                                "gpu",
                                "gpus",
                                "price_per_hour",
                                "spot_price_per_hour",
                                "vcpus",
                                "ram_gib",
                                "stock",
                                "availability",
                                "reliability",
                                "interruption_band",
                                "interruptions_per_hour_low",
                                "interruptions_per_hour",
                                "interruptions_per_hour_high",
                                "billing_minimum_seconds",
                                "billing_increment_seconds",
                                "disk_price_per_gb_month",
                                "egress_price_per_gb",
                                "label",
                                "source",
                                "as_of"};
  std::vector<Column> columns;
  for (const char* key : kKeys) columns.push_back({.title = "", .key = key});
  Table table(std::move(columns));
  // More digits are what arithmetic left, not what a list had.
  constexpr int kDigits = 12;
  const auto amount = [](double value, double unit) { return Cell(significant_text(value / unit, kDigits)); };
  for (const Offer& offer : offers) {
    const auto hourly = [&](const std::optional<Interval<DollarsPerSecond>>& price) {
      return price ? amount(price->p50.value, (units::dollar / units::hour).value) : Cell();
    };
    const auto rate = [&](double value) { return offer.interruptions ? amount(value, 1.0 / 3600) : Cell(); };
    const auto known = [&](double value) { return value > 0 ? amount(value, 1) : Cell(); };
    table.add({offer.provider,
               offer.region,
               offer.zone,
               offer.instance,
               offer.gpu,
               Cell(offer.gpus),
               hourly(offer.price),
               hourly(offer.spot_price),
               known(offer.vcpus),
               known(offer.ram / units::GiB),
               offer.stock == Stock::kUnsaid ? "" : std::string(name_of(offer.stock)),
               offer.availability,
               known(offer.reliability),
               offer.band ? std::string(name_of(*offer.band)) : "",
               rate(offer.interruptions ? offer.interruptions->p10.value : 0),
               rate(offer.interruptions ? offer.interruptions->p50.value : 0),
               rate(offer.interruptions ? offer.interruptions->p90.value : 0),
               known(offer.billing.minimum.value),
               Cell(offer.billing.increment.value),
               offer.disk_price ? amount(offer.disk_price->value, (units::dollar / (units::GB * units::month)).value)
                                : Cell(),
               offer.egress_price ? amount(offer.egress_price->value, (units::dollar / units::GB).value) : Cell(),
               offer.label,
               offer.source,
               offer.as_of});
  }
  return table.csv();
}

}  // namespace gpuplan
