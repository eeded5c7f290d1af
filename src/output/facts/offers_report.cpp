#include "output/facts/offers_report.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>

#include "base/amount.h"
#include "base/text.h"
#include "output/facts/offer_words.h"
#include "output/text/json_writer.h"
#include "output/text/price_age.h"
#include "output/text/row_filter.h"
#include "output/text/table.h"
#include "plan/answer/market.h"

namespace gpuplan {
namespace {

using namespace units;
using Price = std::optional<Interval<DollarsPerSecond>>;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double hourly(const Price& price) { return price ? price->p50 * hour / dollar : kUnknown; }
double per_gpu(const Price& price, const Offer& offer) { return hourly(price) / offer.gpus; }
double known_or(double figure) { return figure > 0 ? figure : kUnknown; }

/// An offer and the GPU it is about.
struct OfferView {
  const Offer& offer;
  const Gpu* gpu;
};

struct OfferField {
  FieldName name;
  double (*figure)(const OfferView&) = nullptr;
  std::string (*text)(const OfferView&) = nullptr;
  bool filters = false;  ///< only: of what other fields say
};

std::string yes_or_no(bool is) { return is ? "true" : "false"; }

constexpr FieldName price_name(std::string_view name, std::string_view other = "") {
  return {.name = name, .unit = "usd_per_hour", .other = other, .kind = AmountKind::kPrice, .base_units = 1.0 / 3600};
}

/// The one list of fields: filters, JSON and messages are made from it.
constexpr std::array kOfferFields = {
    OfferField{.name = {.name = "provider", .other = "cloud"},
               .text = [](const OfferView& view) { return view.offer.provider.str(); }},
    OfferField{.name = {.name = "region", .other = "geolocation|location"},
               .text = [](const OfferView& view) { return view.offer.region.str(); }},
    OfferField{.name = {.name = "instance", .other = "instance_type|machine_type"},
               .text = [](const OfferView& view) { return view.offer.instance.str(); }},
    OfferField{.name = {.name = "gpu", .other = "gpu_name|gpu_type|accelerator|accelerators"},
               .text = [](const OfferView& view) { return view.offer.gpu.str(); }},
    OfferField{.name = {.name = "gpus", .other = "count|num_gpus"},
               .figure = [](const OfferView& view) { return static_cast<double>(view.offer.gpus); }},
    OfferField{.name = {.name = "memory",
                        .unit = "gib",
                        .other = "vram|gpu_ram",
                        .kind = AmountKind::kBytes,
                        .base_units = GiB.value},
               .figure = [](const OfferView& view) { return view.gpu != nullptr ? view.gpu->memory / GiB : kUnknown; }},
    OfferField{.name = price_name("price", "dph|dph_total"),
               .figure = [](const OfferView& view) { return hourly(view.offer.price); }},
    OfferField{.name = price_name("price_per_gpu", "per_gpu"),
               .figure = [](const OfferView& view) { return per_gpu(view.offer.price, view.offer); }},
    OfferField{.name = price_name("spot", "min_bid"),
               .figure = [](const OfferView& view) { return hourly(view.offer.spot_price); }},
    OfferField{.name = price_name("spot_per_gpu"),
               .figure = [](const OfferView& view) { return per_gpu(view.offer.spot_price, view.offer); }},
    OfferField{.name = {.name = "vcpus", .other = "cpu_cores_effective|cpu_cores|cpus|cpu|vcpu"},
               .figure = [](const OfferView& view) { return known_or(view.offer.vcpus); }},
    OfferField{
        .name = {.name = "ram", .unit = "gib", .other = "cpu_ram", .kind = AmountKind::kBytes, .base_units = GiB.value},
        .figure = [](const OfferView& view) { return known_or(view.offer.ram / GiB); }},
    OfferField{.name = {.name = "availability"},
               .text = [](const OfferView& view) { return view.offer.availability.str(); }},
    OfferField{.name = {.name = "stock"},
               .text =
                   [](const OfferView& view) {
                     return view.offer.stock == Stock::kUnsaid ? std::string() : std::string(name_of(view.offer.stock));
                   }},
    OfferField{.name = {.name = "reliability", .other = "reliability2"},
               .figure = [](const OfferView& view) { return known_or(view.offer.reliability); }},
    OfferField{.name = {.name = "zone", .other = "availability_zone"},
               .text = [](const OfferView& view) { return view.offer.zone.str(); }},
    OfferField{.name = {.name = "as_of", .other = "date"},
               .text = [](const OfferView& view) { return view.offer.as_of.str(); }},
    OfferField{.name = {.name = "disk_price",
                        .unit = "usd_per_gb_month",
                        .other = "storage_cost|storage_price",
                        .kind = AmountKind::kCount},
               .figure =
                   [](const OfferView& view) {
                     const auto& price = view.offer.disk_price;
                     return price ? *price * GB * month / dollar : kUnknown;
                   }},
    OfferField{.name = {.name = "egress_price",
                        .unit = "usd_per_gb",
                        .other = "inet_up_cost|egress_cost",
                        .kind = AmountKind::kCount},
               .figure =
                   [](const OfferView& view) {
                     const auto& price = view.offer.egress_price;
                     return price ? *price * GB / dollar : kUnknown;
                   }},
    OfferField{.name = {.name = "total_memory",
                        .unit = "gib",
                        .other = "gpu_total_ram",
                        .kind = AmountKind::kBytes,
                        .base_units = GiB.value},
               .figure =
                   [](const OfferView& view) {
                     return view.gpu != nullptr ? view.gpu->memory * view.offer.gpus / GiB : kUnknown;
                   },
               .filters = true},
    OfferField{.name = {.name = "rentable"},
               .text = [](const OfferView& view) { return yes_or_no(view.offer.stock != Stock::kSoldOut); },
               .filters = true},
    OfferField{.name = {.name = "rented"},
               .text = [](const OfferView& view) { return yes_or_no(view.offer.stock == Stock::kSoldOut); },
               .filters = true},
    OfferField{.name = {.name = "source"}, .text = [](const OfferView& view) { return view.offer.source.str(); }},
};

constexpr auto kOfferFieldNames = [] {
  std::array<FieldName, kOfferFields.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kOfferFields[i].name;
  return names;
}();

enum class PriceKind { kSpot, kOnDemand };

/// What a word says of the price of an offer, as clouds call it; nullopt: nothing.
std::optional<PriceKind> price_kind(std::string_view word) {
  static constexpr std::array kSpot = {"spot", "preemptible", "interruptible"};
  static constexpr std::array kOnDemand = {"ondemand"};
  const std::string squeezed = squeeze(word);
  if (std::ranges::find(kSpot, squeezed) != kSpot.end()) return PriceKind::kSpot;
  if (std::ranges::find(kOnDemand, squeezed) != kOnDemand.end()) return PriceKind::kOnDemand;
  return std::nullopt;
}

class OfferRows : public FilterRows {
 public:
  OfferRows(const std::vector<const Offer*>& offers, const Catalogue& catalogue, const OfferSelection& selection)
      : offers_(offers), regions_of_(selection.regions_of) {
    if (selection.filter.empty() && selection.sort.empty()) return;  // no field is asked for
    gpus_.reserve(offers.size());
    GpusOfList gpus(catalogue);
    for (const Offer* offer : offers) gpus_.push_back(gpus.find(offer->gpu));
  }
  std::size_t count() const override { return offers_.size(); }
  bool is_figure(std::size_t field) const override { return kOfferFields[field].figure != nullptr; }
  double figure(std::size_t row, std::size_t field) const override { return kOfferFields[field].figure(view(row)); }
  std::string text(std::size_t row, std::size_t field) const override { return kOfferFields[field].text(view(row)); }
  /// vast.ai's filters speak of hosts in more words than offers have.
  std::string why_none(std::string_view field) const override {
    constexpr std::string_view kOfHosts =
        "verified|external|hosting_type|static_ip|direct_port_count|dlperf|dlperf_per_dphtotal|flops_per_dphtotal|"
        "duration|inet_down|inet_up|inet_down_cost|disk_space|disk_bw|pcie_bw|pci_gen|cuda_vers|driver_version|"
        "cpu_ghz|gpu_mem_bw|gpu_lanes|gpu_frac|machine_id|host_id|has_avx|vms_enabled|compute_cap|total_flops";
    const std::vector<std::string_view> known = split(kOfHosts, '|');
    if (std::ranges::find(known, to_lower(field)) == known.end()) return "";
    return "offers do not say '" + printable(field, 40) + "'; leave it out";
  }
  std::optional<std::vector<bool>> kept_by(std::string_view word) const override {
    const auto kind = price_kind(word);
    if (!kind) return std::nullopt;
    std::vector<bool> kept;
    kept.reserve(offers_.size());
    for (const Offer* offer : offers_)
      kept.push_back(*kind == PriceKind::kSpot ? offer->spot_price.has_value() : offer->price.has_value());
    return kept;
  }
  /// Regions are those of areas and countries, too.
  std::optional<std::vector<bool>> meant_by(std::size_t field, std::string_view wanted) const override {
    if (regions_of_ == nullptr || kOfferFields[field].name.name != "region") return std::nullopt;
    std::vector<std::string> regions;
    for (const std::string& region : regions_of_(wanted)) regions.push_back("=" + region);
    if (regions.empty()) return std::nullopt;
    std::unordered_map<std::string_view, bool> known;  // many offers are of one region
    std::vector<bool> inside;
    inside.reserve(offers_.size());
    for (const Offer* offer : offers_) {
      const auto [at, fresh] = known.try_emplace(offer->region, false);
      if (fresh) at->second = in_regions(regions, offer->region);
      inside.push_back(at->second);
    }
    return inside;
  }
  std::string words(std::size_t row) const override {
    const auto [offer, gpu] = view(row);
    std::string lines = offer.provider + '\n' + offer.region + '\n' + offer.instance + '\n' + offer.gpu;
    if (gpu == nullptr) return lines;
    lines += '\n' + gpu->vendor + '\n' + gpu->architecture;
    for (const std::string& alias : gpu->aliases) lines += '\n' + alias;
    return lines;
  }

 private:
  OfferView view(std::size_t row) const { return {*offers_[row], gpus_[row]}; }

  const std::vector<const Offer*>& offers_;
  const std::vector<std::string>& (*regions_of_)(std::string_view) = nullptr;
  std::vector<const Gpu*> gpus_;
};

/// By the price of a GPU-hour, that of spot where it is asked for or there is no other; then by what tells offers
/// apart.
struct CheapestFirst {
  CheapestFirst(const Offer& of, std::size_t at, bool by_spot) : offer(&of), row(at) {
    const bool spot = !of.price || (by_spot && of.spot_price);
    price = per_gpu(spot ? of.spot_price : of.price, of);
    if (price != price) price = std::numeric_limits<double>::infinity();
  }
  bool operator<(const CheapestFirst& other) const {
    if (price != other.price) return price < other.price;
    const auto rest = [](const Offer* o) {
      return std::tie(o->gpus, o->provider, o->region, o->zone, o->instance, o->gpu, o->as_of);
    };
    if (const auto order = rest(offer) <=> rest(other.offer); order != 0) return order < 0;
    return row < other.row;
  }
  const Offer* offer;
  std::size_t row;
  double price = 0;
};

std::string price_text(const Price& price, int gpus) {
  if (!price) return "";
  const auto dollars = [&](DollarsPerSecond rate) { return to_text(rate * hour / gpus); };
  const std::string low = dollars(price->p10), high = dollars(price->p90);
  return low == high ? dollars(price->p50) : low + " … " + high;
}

std::string gpus_name(const Offer& offer) {
  return offer.label.empty() ? std::to_string(offer.gpus) + "x " + offer.gpu : offer.label.str();
}

/// "a single machine when listed, up 98.5%".
std::string availability_words(const Offer& offer) {
  if (offer.reliability <= 0) return offer.availability;
  return (offer.availability.empty() ? "up " : offer.availability + ", up ") + percent_text(offer.reliability);
}

std::string hidden_words(const OffersReport& report) {
  std::vector<std::string> parts;
  if (report.too_old > 0) parts.push_back(std::to_string(report.too_old) + " older offers");
  if (report.unsupported > 0)
    parts.push_back(std::to_string(report.unsupported) + " of GPUs that current software leaves out");
  return parts.empty() ? "" : join(parts, " and ") + " hidden";
}

/// Of what is shown: the dates, and how old the newest is where it has grown old.
std::string shown_dates(const OffersReport& report, std::size_t shown) {
  constexpr int kOld = 60;  // days
  std::string oldest, newest;
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string& as_of = report.rows[i]->as_of;
    if (!as_of.empty() && (oldest.empty() || as_of < oldest)) oldest = as_of;
    newest = std::max(newest, as_of);
  }
  if (newest.empty()) return "Prices of unknown date: check them before you rent.";
  const std::string range = oldest == newest ? "as of " + newest : "of " + oldest + " to " + newest;
  const auto days = days_old(newest, report.today);
  const std::string age = days && *days > kOld ? ", the newest " + std::to_string(*days) + " days old" : "";
  return "Prices " + range + age + ": check them before you rent.";
}

std::string dates(const OffersReport& report) {
  if (report.newest.empty()) return "of unknown date";
  return report.oldest == report.newest ? "as of " + report.newest : "of " + report.oldest + " to " + report.newest;
}

void write_price(JsonWriter& json, const std::string& key, const Price& price, int gpus) {
  const auto dollars = [&](DollarsPerSecond rate) { return rate * hour / dollar / gpus; };
  if (!price) {
    json.null_member(key);
    return;
  }
  json.member(key, dollars(price->p50));
  if (price->exact()) return;
  json.key(key + "_range").begin_object(true);
  json.member("p10", dollars(price->p10)).member("p90", dollars(price->p90)).end();
}

struct SortKey {
  std::size_t field;
  bool down;  ///< the largest first
};

/// "num_gpus,dph-": the first counts first.
Result<std::vector<SortKey>> read_sort(std::string_view text) {
  std::vector<SortKey> keys;
  for (std::string_view one : split(text, ',')) {
    one = trim(one);
    const bool down = one.ends_with('-');
    if (down || one.ends_with('+')) one = trim(one.substr(0, one.size() - 1));
    const auto field = find_field(kOfferFieldNames, one, "--sort");
    if (!field) return std::unexpected(field.error());
    if (*field) keys.push_back({**field, down});
  }
  return keys;
}

}  // namespace

bool is_order(std::string_view text) {
  if (text.find(',') != std::string_view::npos)
    return std::ranges::all_of(split(text, ','), [](std::string_view one) { return is_order(trim(one)); });
  if (!text.empty() && (text.ends_with('-') || text.ends_with('+'))) {
    text.remove_suffix(1);
    return !text.empty() && std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
  }
  const auto field = find_field(kOfferFieldNames, text, "");
  return field && *field;
}

bool is_offer_condition(std::string_view term) {
  const std::string written(term);
  const MeantOffers meant = meant_offers({&written, 1});
  if (meant.filter != std::vector{written}) return true;
  const std::size_t sign = condition_sign(term);
  if (sign == std::string_view::npos) return false;
  const auto field = find_field(kOfferFieldNames, term.substr(0, sign), "");
  return field && *field;
}

Result<OffersReport> select_offers(const std::vector<const Offer*>& offers, const Catalogue& catalogue,
                                   const OfferSelection& selection, std::size_t too_old) {
  const OfferRows views(offers, catalogue, selection);
  const auto rows = filter_rows(views, kOfferFieldNames, selection.filter);
  if (!rows) return std::unexpected(rows.error());
  const auto sort_keys = read_sort(selection.sort);
  if (!sort_keys) return std::unexpected(sort_keys.error());
  std::vector<std::string> group_by;
  for (const std::string_view name : split(selection.group_by, ',')) {
    const auto field = find_field(kOfferFieldNames, name, "--group-by");
    if (!field) return std::unexpected(field.error());
    if (*field) group_by.emplace_back(kOfferFields[**field].name.name);
  }

  OffersReport report;
  report.known = offers.size();
  report.too_old = too_old;
  report.catalogue = &catalogue;
  report.by_spot = std::ranges::any_of(selection.filter,
                                       [](const std::string& term) { return price_kind(term) == PriceKind::kSpot; });
  for (const SortKey& key : *sort_keys)
    report.sort += (report.sort.empty() ? "" : ", then by ") + std::string(kOfferFields[key.field].name.name) +
                   (key.down ? ", largest first" : "");
  report.group_by = std::move(group_by);
  std::set<std::string_view> sources;  // each offer of a list may name one of its own
  Word source, date;                   // of the offer before, which mostly has the same
  std::string_view oldest, newest;
  std::vector<CheapestFirst> order;
  order.reserve(rows->rows.size());
  auto row = rows->rows.begin();  // the next that the filter leaves
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const Offer& offer = *offers[i];
    if (row != rows->rows.end() && *row == i) {
      order.emplace_back(offer, i, report.by_spot);
      ++row;
    }
    if (offer.as_of != date) {
      date = offer.as_of;
      if (!date.empty() && (oldest.empty() || offer.as_of < oldest)) oldest = offer.as_of;
      newest = std::max<std::string_view>(newest, offer.as_of);
    }
    if (offer.source == source || offer.source.empty()) continue;
    source = offer.source;
    sources.insert(offer.source);
  }
  report.oldest = oldest;
  report.newest = newest;
  report.sources.assign(sources.begin(), sources.end());
  if (selection.ordered == 0 || !sort_keys->empty() || selection.ordered >= order.size())
    std::ranges::sort(order, std::less<>());
  else std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(selection.ordered), order.end());
  if (!sort_keys->empty()) {
    std::vector<std::size_t> sorted;
    for (const CheapestFirst& one : order) sorted.push_back(one.row);
    for (std::size_t i = sort_keys->size(); i-- > 0;)
      sort_rows(views, (*sort_keys)[i].field, (*sort_keys)[i].down, sorted);
    for (const std::size_t place : sorted) report.rows.push_back(offers[place]);
  } else {
    report.rows.reserve(order.size());
    for (const CheapestFirst& one : order) report.rows.push_back(one.offer);
  }
  report.unmet = rows->unmet;
  return report;
}

std::string no_offer_text(const OffersReport& report) {
  std::string text = "No offer matches";
  if (!report.unmet.empty()) text += " '" + printable(report.unmet, 60) + "'";
  text += " (" + std::to_string(report.known) + " offers, prices " + dates(report);
  if (const std::string hidden = hidden_words(report); !hidden.empty()) text += "; " + hidden + ": --all";
  return text + ").\n";
}

std::string discount_words(const OffersReport& report) {
  if (report.discounts.empty()) return "";
  std::vector<std::string> words;
  for (const OwnDiscount& one : report.discounts)
    words.push_back(printable(one.provider, 40) + (one.gpu.empty() ? "" : ": " + one.gpu) + ' ' +
                    percent_text(one.share));
  return (report.discounted ? "Your own discounts are in these prices: "
                            : "Your own discounts are not taken off prices of lists that you name: ") +
         join(words, ", ") + " (discounts in gpuplan.toml).";
}

std::string commitment_words(const OffersReport& report) {
  if (report.commitments.empty()) return "";
  std::vector<std::string> words;
  for (const auto& [terms, offers] : report.commitments) {
    std::string one = printable(terms.provider, 40);
    if (terms.gpus > 0) one += " " + std::to_string(terms.gpus) + "x";
    if (!terms.gpu.empty()) one += " " + terms.gpu;
    else if (terms.gpus > 0) one += " any GPU";
    if (!terms.region.empty()) one += " in " + printable(terms.region, 40);
    one += terms.discount ? " " + percent_text(*terms.discount) + " off" : " at " + to_text(*terms.price) + " a GPU";
    words.push_back(one + " (" + count_of(static_cast<double>(offers), "offer") + ")");
  }
  return "Your own commitments are in these prices: " + join(words, ", ") + ".";
}

std::vector<std::string> group_of(const OffersReport& report, const Offer& offer) {
  const OfferView view{offer, report.catalogue->find_gpu(offer.gpu)};
  std::vector<std::string> values;
  for (const std::string& name : report.group_by) {
    const auto field = std::ranges::find(kOfferFields, name, [](const OfferField& one) { return one.name.name; });
    if (field->text != nullptr) {
      values.push_back(field->text(view));
    } else {
      const double figure = field->figure(view);
      values.push_back(figure == figure ? number_text(figure) : "");
    }
  }
  return values;
}

std::string offers_text(const OffersReport& report, const Screen& screen, bool all) {
  if (report.rows.empty()) return no_offer_text(report);
  Table table({{.title = "GPUS"},
               {.title = "PROVIDER"},
               {.title = "REGION", .drop = 3, .narrowest = 14},
               {.title = "ZONE", .drop = 4, .narrowest = 12},
               {.title = "INSTANCE", .drop = 4, .narrowest = 18},
               {.title = "MEMORY", .align = Align::kRight, .drop = 6, .unit = "GiB/GPU"},
               {.title = "PRICE", .align = Align::kRight, .unit = "per hour"},
               {.title = "PRICE/GPU", .align = Align::kRight, .unit = "per hour"},
               {.title = "SPOT", .align = Align::kRight, .drop = 1, .unit = "per hour"},
               {.title = "SPOT/GPU", .align = Align::kRight, .drop = 5, .unit = "per hour"},
               {.title = "AVAILABILITY", .drop = 7, .narrowest = 8},
               {.title = "DATE", .drop = 2}});
  const std::size_t shown = all ? report.rows.size() : std::min(report.rows.size(), kOffersShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Offer& offer = *report.rows[i];
    const Gpu* gpu = report.catalogue->find_gpu(offer.gpu);
    table.add({{printable(gpus_name(offer), 60), Paint::kBold},
               printable(offer.provider, 40),
               printable(offer.region, 40),
               printable(offer.zone, 40),
               printable(offer.instance, 60),
               gpu != nullptr ? significant_text(gpu->memory / GiB, 4) : "",
               price_text(offer.price, 1),
               {price_text(offer.price, offer.gpus), Paint::kGreen},
               price_text(offer.spot_price, 1),
               price_text(offer.spot_price, offer.gpus),
               printable(availability_words(offer), 40),
               offer.as_of});
  }
  std::string text = table.text(screen);
  text += '\n';
  std::string foot = "Shown " + std::to_string(shown) + " of " + std::to_string(report.rows.size()) + " offers";
  if (report.rows.size() < report.known) foot += " that match, of " + std::to_string(report.known);
  foot += shown < report.rows.size() ? " (--all shows them), " : ", ";
  const auto rows = std::span(report.rows).first(shown);
  const bool spot_only =
      std::ranges::any_of(rows, [](const Offer* offer) { return !offer->price && offer->spot_price; });
  foot += !report.sort.empty() ? "by " + report.sort + "."
          : report.by_spot     ? "cheapest GPU-hour first, as spot."
          : spot_only          ? "cheapest GPU-hour first (on demand, or as spot where that is all there is)."
                               : "cheapest GPU-hour first.";
  text += paragraph(foot, screen);
  foot = shown_dates(report, shown);
  if (const std::string hidden = hidden_words(report); !hidden.empty()) foot += " " + hidden + " (--all).";
  text += paragraph(foot, screen);
  if (const std::string words = discount_words(report); !words.empty()) text += paragraph(words, screen);
  if (const std::string words = commitment_words(report); !words.empty()) text += paragraph(words, screen);
  if (const auto dropped = table.dropped(screen); !dropped.empty())
    text += paragraph(
        "Left out for want of room: " + join(dropped, ", ") + " (a wider window, --markdown or --csv has them).",
        screen);
  return text;
}

std::string offers_csv(const OffersReport& report) {
  std::vector<Column> columns;
  for (const OfferField& field : kOfferFields)
    if (!field.filters) columns.push_back({.title = "", .key = field.name.key()});
  for (const char* key : {"label", "billing_minimum_seconds", "billing_increment_seconds"})
    columns.push_back({.title = "", .key = key});
  const bool own = !report.listed.empty();  // some prices are not the list's
  if (own) columns.push_back({.title = "", .key = "listed_price_usd_per_hour"});
  Table table(std::move(columns));
  for (const Offer* offer : report.rows) {
    const OfferView view{*offer, report.catalogue->find_gpu(offer->gpu)};
    std::vector<Cell> row;
    for (const OfferField& field : kOfferFields)
      if (!field.filters) row.push_back(field.text != nullptr ? Cell(field.text(view)) : Cell(field.figure(view)));
    row.emplace_back(gpus_name(*offer));
    row.emplace_back(offer->billing.minimum.value);
    row.emplace_back(offer->billing.increment.value);
    if (own) {
      const auto listed = report.listed.find(offer);
      row.emplace_back(hourly(listed == report.listed.end() ? offer->price : Price(listed->second)));
    }
    table.add(std::move(row));
  }
  return table.csv();
}

std::string offers_json(const OffersReport& report) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "gpuplan/offers@1");
  json.key("market").begin_object();
  json.member("as_of", report.newest).member("oldest", report.oldest).member("offers", report.known);
  json.member("too_old", report.too_old).member("sources", report.sources).end();
  json.member("discounts_in_prices", report.discounted && !report.discounts.empty());
  json.key("discounts").begin_array();
  for (const OwnDiscount& one : report.discounts) {
    json.begin_object(true).member("provider", one.provider);
    if (one.gpu.empty()) json.null_member("gpu");
    else json.member("gpu", one.gpu);
    json.member("share", one.share).member("offers", one.offers).end();
  }
  json.end();
  if (!report.commitments.empty()) {
    json.key("commitments").begin_array();
    for (const auto& [terms, offers] : report.commitments) {
      json.begin_object(true).member("provider", terms.provider);
      if (!terms.gpu.empty()) json.member("gpu", terms.gpu);
      if (!terms.region.empty()) json.member("region", terms.region);
      if (terms.gpus > 0) json.member("gpus", terms.gpus);
      if (terms.discount) json.member("discount", *terms.discount);
      else json.member("usd_per_gpu_hour", (*terms.price * hour).value);
      json.member("offers", offers).end();
    }
    json.end();
  }
  write_offers(json, report);
  json.end();
  return json.take();
}

void write_offers(JsonWriter& json, const OffersReport& report) {
  json.key("offers").begin_array();
  for (const Offer* offer : report.rows) {
    const Gpu* gpu = report.catalogue->find_gpu(offer->gpu);
    json.begin_object();
    for (const OfferField& field : kOfferFields) {
      if (field.filters) continue;
      const std::string name(field.name.name);
      const std::string key = field.name.key();
      if (name == "price") {
        write_price(json, key, offer->price, 1);
        if (const auto listed = report.listed.find(offer); listed != report.listed.end())
          write_price(json, "listed_price_usd_per_hour", listed->second, 1);
      } else if (name == "price_per_gpu") write_price(json, key, offer->price, offer->gpus);
      else if (name == "spot") write_price(json, key, offer->spot_price, 1);
      else if (name == "spot_per_gpu") write_price(json, key, offer->spot_price, offer->gpus);
      else if (field.text != nullptr) json.member(key, field.text({*offer, gpu}));
      else json.member(key, field.figure({*offer, gpu}));
    }
    json.member("label", gpus_name(*offer));
    json.member("billing_minimum_seconds", offer->billing.minimum.value);
    json.member("billing_increment_seconds", offer->billing.increment.value);
    json.end();
  }
  json.end();
}

}  // namespace gpuplan
