#include "store/rows/staging.h"

#include <algorithm>
#include <optional>

#include "store/rows/dates.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostDays = 4096;  // held of a group before each is kept once

/// The table must be there before a statement on it.
Database& with_table(Database& database) {
  database.run(
      "CREATE TEMP TABLE staged (list INTEGER NOT NULL, grp INTEGER NOT NULL, instance INTEGER NOT NULL, zone INTEGER "
      "NOT NULL, gpus INTEGER NOT NULL, day INTEGER NOT NULL, row INTEGER NOT NULL, corrected INTEGER NOT NULL, vcpus "
      "INTEGER NOT NULL, price "
      "REAL, "
      "spot REAL, stock INTEGER NOT NULL, reliability REAL NOT NULL, details INTEGER NOT NULL, price_low REAL, "
      "price_high REAL, spot_low REAL, spot_high REAL)");
  return database;
}

}  // namespace

StagedOffers::StagedOffers(Database& database)
    : database_(&with_table(database)),
      numbers_(database),
      add_(database, "INSERT INTO temp.staged VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

const StagedOffers::List* StagedOffers::find(const std::string& name) const {
  const auto found = std::ranges::find(lists_, name, &List::name);
  return found == lists_.end() ? nullptr : &*found;
}

StagedOffers::List& StagedOffers::list_of(const std::string& name) {
  if (const auto found = std::ranges::find(lists_, name, &List::name); found != lists_.end()) return *found;
  return lists_.emplace_back(List{name, {}});
}

void StagedOffers::take(const std::string& list, std::span<const Offer> offers, std::span<const OfferRow> rows) {
  List& to = list_of(list);
  const std::int64_t number = &to - lists_.data();
  for (std::size_t i = 0; i < offers.size(); ++i) {
    const Item item = numbers_.item_of(offers[i]);
    std::vector<int>& days = to.days[item.group];
    if (days.empty() || days.back() != item.day) days.push_back(item.day);
    if (days.size() >= kMostDays) make_set(days);
    const PriceValues& v = item.values;
    const OfferRow row = i < rows.size() ? rows[i] : OfferRow{};
    add_(number, item.group, item.instance, item.zone, item.gpus, item.day, static_cast<std::int64_t>(row.row),
         static_cast<std::int64_t>(row.corrected), offers[i].vcpus, v.price, v.spot, v.stock, v.reliability, v.details,
         v.price_low, v.price_high, v.spot_low, v.spot_high);
  }
}

std::vector<std::pair<std::string, int>> StagedOffers::lists() const {
  std::vector<std::pair<std::string, int>> all;
  for (const List& list : lists_) {
    int oldest = INT32_MAX;
    for (const auto& [group, days] : list.days) oldest = std::min(oldest, std::ranges::min(days));
    all.emplace_back(list.name, oldest);
  }
  return all;
}

std::map<std::int64_t, std::vector<int>> StagedOffers::days(const std::string& list) const {
  const List* found = find(list);
  if (found == nullptr) return {};
  auto days = found->days;
  for (auto& [group, of_group] : days) make_set(of_group);
  return days;
}

void StagedOffers::read(const std::string& list, StagedJudge& judge, ItemSink& sink) {
  const List* found = find(list);
  if (found == nullptr) return;
  Statement names(
      *database_,
      "SELECT u.text, p.text, r.text, s.text FROM groups g JOIN texts u ON u.id = g.gpu JOIN texts p ON p.id "
      "= g.provider JOIN texts r ON r.id = g.region JOIN texts s ON s.id = g.source WHERE g.id = ?");
  Statement rows(*database_,
                 "SELECT grp, instance, zone, gpus, day, row, corrected, vcpus, " + std::string(kPriceColumns) +
                     " FROM temp.staged WHERE list = ? ORDER BY grp, instance, zone, gpus, day, price, spot, "
                     "stock, details, price_low, price_high, spot_low, spot_high, reliability, row");
  constexpr int kValues = 8;
  std::optional<Item> before;
  Offer offer;
  std::int64_t named = 0;
  for (bool more = rows(std::int64_t{found - lists_.data()}); more; more = rows.next()) {
    Item item{rows.whole(0),
              0,
              rows.whole(1),
              rows.whole(2),
              static_cast<int>(rows.whole(3)),
              static_cast<int>(rows.whole(4)),
              values_in(rows, kValues)};
    const OfferRow row{static_cast<std::uint64_t>(rows.whole(5)), static_cast<std::uint64_t>(rows.whole(6))};
    if (before && before->same(item)) {
      judge.twice(list, row);
      continue;
    }
    before = item;
    if (named != item.group && names(item.group)) {
      named = item.group;
      offer.gpu = names.text(0);
      offer.provider = names.text(1);
      offer.region = names.text(2);
      offer.source = names.text(3);
    }
    offer.gpus = item.gpus;
    offer.vcpus = static_cast<int>(rows.whole(7));
    offer.as_of = date_text(item.day);
    fill(offer, item.values);
    const OfferVerdict verdict = judge.look_at(list, offer, row);
    if (!verdict.kept) continue;
    if (!verdict.spot_kept) item.values.spot = item.values.spot_low = item.values.spot_high = std::nullopt;
    sink.take(item);
  }
}

}  // namespace gpuplan
