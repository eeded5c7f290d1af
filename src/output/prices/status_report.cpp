#include "output/prices/status_report.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/sorting.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/price_age.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

std::string size_text(std::uint64_t bytes) {
  constexpr double kMegabyte = 1e6, kKilobyte = 1e3;
  const auto size = static_cast<double>(bytes);
  return size >= kMegabyte ? significant_text(size / kMegabyte, 3) + " MB"
                           : significant_text(size / kKilobyte, 3) + " kB";
}

bool is_stale(std::optional<int> days, const PriceAges& ages) { return days && *days >= ages.old_days; }

/// How old a list is: most of it may be older than its newest price says.
struct Age {
  std::string newest, oldest;       ///< dates
  std::optional<int> days, median;  ///< of the newest price, and of half of the offers
  std::uint64_t stale = 0;          ///< offers
};

Age age_of(const ListedOffers& list, const PriceAges& ages) {
  Age age;
  if (list.dates.empty()) return age;
  age.oldest = list.dates.front().first;
  age.newest = list.dates.back().first;
  age.days = days_old(age.newest, ages.today);
  std::uint64_t older = 0;
  for (const auto& [date, offers] : list.dates) {
    const auto days = days_old(date, ages.today);
    if (2 * older < list.offers) age.median = days;
    older += offers;
    if (is_stale(days, ages)) age.stale += offers;
  }
  return age;
}

std::string state_words(const Age& age, std::uint64_t offers) {
  if (age.stale == 0) return "";
  if (age.stale == offers) return "stale";
  const double percent = 100 * static_cast<double>(age.stale) / static_cast<double>(offers);
  return (percent < 1 ? std::string("< 1") : fixed_text(percent, 0)) + "% stale";
}

Table lists_of(const StoreStatus& status, const PriceAges& ages) {
  Table table({{.title = "PROVIDER", .key = "provider"},
               {.title = "SOURCE", .narrowest = 16, .key = "source"},
               {.title = "OFFERS", .align = Align::kRight, .key = "offers"},
               {.title = "PRICES FROM", .key = "newest"},
               {.title = "OLDEST", .drop = 1, .key = "oldest"},
               {.title = "AGE", .align = Align::kRight, .unit = "days", .key = "age_days"},
               {.title = "MEDIAN", .align = Align::kRight, .drop = 2, .unit = "days", .key = "median_age_days"},
               {.title = "STATE", .key = "state"}});
  const auto days_cell = [](std::optional<int> days) { return days ? Cell(*days, std::to_string(*days)) : Cell(); };
  for (const ListedOffers& list : status.lists) {
    const Age age = age_of(list, ages);
    table.add({printable(list.provider, 40), printable(list.source, 60),
               Cell(static_cast<double>(list.offers), count_text(static_cast<double>(list.offers))), age.newest,
               age.oldest == age.newest ? "" : age.oldest, days_cell(age.days), days_cell(age.median),
               Cell(state_words(age, list.offers), Paint::kYellow)});
  }
  return table;
}

constexpr std::size_t kReasonsTold = 10, kListsShown = 20;

/// The lists of each provider as one.
StoreStatus by_provider(const StoreStatus& status) {
  struct Joined {
    ListedOffers list;
    std::size_t sources = 0;
    std::map<std::string, std::uint64_t> dates{};
  };
  std::map<std::string, Joined> providers;
  for (const ListedOffers& list : status.lists) {
    Joined& joined = providers[list.provider];
    if (joined.sources++ == 0) joined.list = {list.provider, list.source, 0};
    joined.list.offers += list.offers;
    for (const auto& [date, offers] : list.dates) joined.dates[date] += offers;
  }
  StoreStatus result;
  for (auto& [name, joined] : providers) {
    if (joined.sources > 1) joined.list.source = count_of(static_cast<double>(joined.sources), "source");
    joined.list.dates.assign(joined.dates.begin(), joined.dates.end());
    result.lists.push_back(std::move(joined.list));
  }
  return result;
}

std::uint64_t stale_offers(const StoreStatus& status, const PriceAges& ages) {
  std::uint64_t offers = 0;
  for (const ListedOffers& list : status.lists) offers += age_of(list, ages).stale;
  return offers;
}

std::uint64_t offers_of(const StoreStatus& status) {
  std::uint64_t offers = 0;
  for (const ListedOffers& list : status.lists) offers += list.offers;
  return offers;
}

}  // namespace

std::string store_text(const StoreStatus& status, const PriceAges& ages, const Screen& screen, bool details) {
  std::set<std::string> providers;
  for (const ListedOffers& list : status.lists) providers.insert(list.provider);
  std::string text =
      paragraph(count_of(static_cast<double>(offers_of(status)), "offer") + " of " +
                    count_of(static_cast<double>(providers.size()), "provider") + " in " + printable(status.file, 200) +
                    " (" + size_text(status.bytes) + ", " + count_of(static_cast<double>(status.imports), "import") +
                    ", " + count_of(static_cast<double>(status.prices), "price") + " with the past).",
                screen, 0, 0);
  const bool many = !details && status.lists.size() > kListsShown;
  if (!status.lists.empty()) text += '\n' + lists_of(many ? by_provider(status) : status, ages).text(screen);
  if (many && providers.size() < status.lists.size())
    text += '\n' +
            paragraph(count_of(static_cast<double>(status.lists.size()), "source") + ": --details has each.", screen);
  if (const std::uint64_t stale = stale_offers(status, ages); stale > 0)
    text +=
        '\n' + paragraph(count_text(static_cast<double>(stale)) + " of " +
                             count_of(static_cast<double>(offers_of(status)), "offer") + " have prices older than " +
                             count_text(ages.old_days) + " days: import newer lists before you rent.",
                         screen);
  const ImportRecord& last = status.last;
  if (last.number == 0) return text;
  std::uint64_t rows = 0, rejected = 0;
  for (const ImportedList& list : last.lists) {
    rows += list.rows;
    rejected += list.rejected;
  }
  text += '\n' + paragraph("Last import: " + last.day + " " + last.time + " UTC, " +
                               count_of(static_cast<double>(last.lists.size()), "list") + ", " +
                               count_of(static_cast<double>(rows), "row") + ", " +
                               count_text(static_cast<double>(rejected)) + " rejected.",
                           screen);
  std::map<std::string, std::uint64_t> by_reason;
  for (const ImportedList& list : last.lists)
    for (const auto& [reason, count] : list.rejections) by_reason[reason] += count;
  std::vector<std::pair<std::string, std::uint64_t>> reasons(by_reason.begin(), by_reason.end());
  sort_stably(reasons, [](const auto& a, const auto& b) { return a.second > b.second; });
  Table table(
      {{.title = "ROWS", .align = Align::kRight}, {.title = "REJECTED BECAUSE", .narrowest = 24, .wrap = true}});
  const std::size_t shown = details ? reasons.size() : std::min(reasons.size(), kReasonsTold);
  for (std::size_t i = 0; i < shown; ++i)
    table.add({count_text(static_cast<double>(reasons[i].second)), printable(reasons[i].first, 160)});
  if (table.empty()) return text;
  text += '\n' + table.text(screen);
  if (const std::size_t more = reasons.size() - shown; more > 0)
    text += paragraph(count_of(static_cast<double>(more), "more reason") + " (--details).", screen);
  return text;
}

std::string store_json(const StoreStatus& status, const PriceAges& ages) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-status@1").member("store", status.file);
  json.member("bytes", status.bytes).member("imports", status.imports).member("prices", status.prices);
  json.member("offers", offers_of(status)).member("today", ages.today).member("stale_days", ages.old_days);
  json.key("lists").begin_array();
  for (const ListedOffers& list : status.lists) {
    const Age age = age_of(list, ages);
    json.begin_object(true).member("provider", list.provider).member("source", list.source);
    json.member("offers", list.offers).member("newest", age.newest).member("oldest", age.oldest);
    json.member("age_days", age.days).member("median_age_days", age.median).member("stale_offers", age.stale);
    json.member("stale", 2 * age.stale >= list.offers && age.stale > 0).end();
  }
  json.end();
  if (status.last.number == 0) return json.null_member("last_import").end().take();
  json.key("last_import").begin_object().member("import", status.last.number).member("day", status.last.day);
  json.member("time", status.last.time).member("version", status.last.version).key("lists").begin_array();
  for (const ImportedList& list : status.last.lists) {
    json.begin_object().member("file", list.file).member("format", list.format).member("rows", list.rows);
    json.member("kept", list.kept).member("corrected", list.corrected).member("rejected", list.rejected);
    json.key("rejections").begin_array();
    for (const auto& [reason, rows] : list.rejections)
      json.begin_object(true).member("reason", reason).member("rows", rows).end();
    json.end().end();
  }
  json.end().end().end();
  return json.take();
}

std::string store_csv(const StoreStatus& status, const PriceAges& ages) { return lists_of(status, ages).csv(); }

std::string no_store_text(const std::string& file) {
  if (file.empty()) return "There is no store of prices: GPUPLAN_STORE is empty, or there is no home folder.\n";
  return "No prices are stored yet (" + printable(file, 200) +
         "). Plans use the built-in price list.\nTo store some: gpuplan prices import FILE\n";
}

std::string no_store_json(const std::string& file) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/prices-status@1").member("store", file).member("bytes", 0);
  json.member("imports", 0).member("prices", 0).member("offers", 0).key("lists").begin_array().end();
  return json.null_member("last_import").end().take();
}

}  // namespace gpuplan
