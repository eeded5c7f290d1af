#include "output/facts/offer_groups.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/amount.h"
#include "base/sorting.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

constexpr std::size_t kGroupsShown = 20;

struct OfferGroup {
  std::vector<std::string> values;  ///< of each field that is grouped by
  std::size_t first = 0;            ///< place of its first offer in the order asked for
  std::size_t offers = 0;
  std::set<std::string_view> providers{};
  std::vector<double> prices{}, spots{};  ///< dollars of a GPU-hour
  std::string_view newest{};

  double least() const {
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double price = prices.empty() ? kNone : std::ranges::min(prices);
    return std::min(price, spots.empty() ? kNone : std::ranges::min(spots));
  }
};

std::vector<OfferGroup> groups_of(const OffersReport& report) {
  std::map<std::vector<std::string>, OfferGroup> by_value;
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Offer* offer = report.rows[i];
    std::vector<std::string> values = group_of(report, *offer);
    OfferGroup& group = by_value[values];
    if (group.offers == 0) group.first = i;
    group.values = std::move(values);
    ++group.offers;
    group.providers.insert(offer->provider);
    group.newest = std::max<std::string_view>(group.newest, offer->as_of);
    const auto add = [&](const std::optional<Interval<DollarsPerSecond>>& price, std::vector<double>& to) {
      if (price) to.push_back(price->p50 * units::hour / units::dollar / offer->gpus);
    };
    add(offer->price, group.prices);
    add(offer->spot_price, group.spots);
  }
  std::vector<OfferGroup> groups;
  groups.reserve(by_value.size());
  for (auto& [values, group] : by_value) groups.push_back(std::move(group));
  if (report.sort.empty()) sort_stably(groups, {}, &OfferGroup::least);
  else sort_stably(groups, {}, &OfferGroup::first);
  return groups;
}

/// The middle one, of an even number the mean of the two.
double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

Cell money_cell(const std::vector<double>& prices, double (*of)(const std::vector<double>&)) {
  if (prices.empty()) return Cell("");
  const double value = of(prices);
  return {value, to_text(Dollars{value})};
}

Cell number_cell(std::size_t number) { return {static_cast<double>(number), std::to_string(number)}; }

double least_of(const std::vector<double>& prices) { return std::ranges::min(prices); }
double most_of(const std::vector<double>& prices) { return std::ranges::max(prices); }
double middle_of(const std::vector<double>& prices) { return median_of(prices); }

Table table_of(const OffersReport& report, std::span<const OfferGroup> groups) {
  std::vector<Column> columns;
  for (const std::string& field : report.group_by) {
    std::string title = field;
    std::ranges::transform(title, title.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
    columns.push_back({.title = title, .key = field});
  }
  for (Column& column : std::vector<Column>{
           {.title = "OFFERS", .align = Align::kRight, .key = "offers"},
           {.title = "PROVIDERS", .align = Align::kRight, .key = "providers"},
           {.title = "LOWEST", .align = Align::kRight, .unit = "a GPU-hour", .key = "lowest_usd_per_gpu_hour"},
           {.title = "MEDIAN", .align = Align::kRight, .unit = "a GPU-hour", .key = "median_usd_per_gpu_hour"},
           {.title = "HIGHEST", .align = Align::kRight, .unit = "a GPU-hour", .key = "highest_usd_per_gpu_hour"},
           {.title = "SPOT FROM", .align = Align::kRight, .unit = "a GPU-hour", .key = "lowest_spot_usd_per_gpu_hour"},
           {.title = "NEWEST", .key = "newest"}})
    columns.push_back(std::move(column));
  Table table(std::move(columns));
  for (const OfferGroup& group : groups) {
    std::vector<Cell> row;
    for (const std::string& value : group.values)
      row.emplace_back(printable(value.empty() ? "not said" : value, 60), Paint::kBold);
    for (Cell& cell : std::vector<Cell>{number_cell(group.offers), number_cell(group.providers.size()),
                                        money_cell(group.prices, least_of), money_cell(group.prices, middle_of),
                                        money_cell(group.prices, most_of), money_cell(group.spots, least_of),
                                        Cell(std::string(group.newest))})
      row.push_back(std::move(cell));
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

std::string offer_groups_text(const OffersReport& report, const Screen& screen, bool all) {
  const std::vector<OfferGroup> groups = groups_of(report);
  if (groups.empty()) return no_offer_text(report);
  const std::size_t shown = all ? groups.size() : std::min(groups.size(), kGroupsShown);
  std::string text = table_of(report, std::span(groups).first(shown)).text(screen);
  text += '\n';
  text += paragraph(
      "Shown " + std::to_string(shown) + " of " + std::to_string(groups.size()) + " groups of " +
          std::to_string(report.rows.size()) + " offers" + (shown < groups.size() ? " (--all shows them)" : "") + ", " +
          (report.sort.empty() ? "cheapest GPU-hour first." : "by the first offer of each, by " + report.sort + "."),
      screen);
  if (const std::string words = discount_words(report); !words.empty()) text += paragraph(words, screen);
  if (const std::string words = commitment_words(report); !words.empty()) text += paragraph(words, screen);
  return text;
}

std::string offer_groups_csv(const OffersReport& report) { return table_of(report, groups_of(report)).csv(); }

std::string offer_groups_json(const OffersReport& report) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "gpuplan/offer-groups@1").member("group_by", join(report.group_by, ","));
  json.key("groups");
  table_of(report, groups_of(report)).write_json(json);
  json.end();
  return json.take();
}

}  // namespace gpuplan
