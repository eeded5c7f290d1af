#include "store/rows/names.h"

#include <cstring>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kDetails =
    "vcpus, ram, minimum, increment, startup, startup_billed, term, disk_price, egress_price, availability, label, "
    "band, interruptions_low, interruptions, interruptions_high";

template <class Q>
std::optional<double> value_of(const std::optional<Q>& quantity) {
  return quantity ? std::optional(quantity->value) : std::nullopt;
}

/// What is stored of an offer's details, in the order of kDetails.
struct DetailRow {
  std::int64_t vcpus = 0;
  double ram = 0, minimum = 0, increment = 0, startup = 0;
  std::int64_t startup_billed = 0;
  double term = 0;
  std::optional<double> disk_price, egress_price;
  std::int64_t availability = 0, label = 0, band = 0;  ///< band: 0 none, else from 1
  std::optional<double> low, middle, high;

  /// All of it as bytes.
  std::string key() const {
    std::string bytes;
    const auto put = [&](auto value) {
      char raw[sizeof value];
      std::memcpy(raw, &value, sizeof value);
      bytes.append(raw, sizeof value);
    };
    for (const std::int64_t one : {vcpus, startup_billed, availability, label, band}) put(one);
    for (const double one : {ram, minimum, increment, startup, term}) put(one);
    for (const auto& one : {disk_price, egress_price, low, middle, high}) {
      put(one.has_value());
      put(one.value_or(0.0));
    }
    return bytes;
  }
  DetailHash hash() const {
    constexpr std::uint64_t kOtherSeed = 0x9E3779B97F4A7C15ULL;
    const std::string bytes = key();
    return {hash_of(bytes), hash_of(bytes, kOtherSeed)};
  }
};

DetailRow row_of(const Offer& offer, StoredTexts& texts) {
  DetailRow row{offer.vcpus,
                offer.ram.value,
                offer.billing.minimum.value,
                offer.billing.increment.value,
                offer.billing.startup.value,
                offer.billing.startup_billed ? 1 : 0,
                offer.billing.term.value,
                value_of(offer.disk_price),
                value_of(offer.egress_price),
                texts.number_of(offer.availability),
                texts.number_of(offer.label),
                offer.band ? static_cast<int>(*offer.band) + 1 : 0,
                {},
                {},
                {}};
  if (offer.interruptions) {
    row.low = offer.interruptions->p10.value;
    row.middle = offer.interruptions->p50.value;
    row.high = offer.interruptions->p90.value;
  }
  return row;
}

DetailRow row_in(const Statement& from, int at) {
  return {from.whole(at),      from.number(at + 1), from.number(at + 2), from.number(at + 3), from.number(at + 4),
          from.whole(at + 5),  from.number(at + 6), from.maybe(at + 7),  from.maybe(at + 8),  from.whole(at + 9),
          from.whole(at + 10), from.whole(at + 11), from.maybe(at + 12), from.maybe(at + 13), from.maybe(at + 14)};
}

}  // namespace

StoredTexts::StoredTexts(Database& database)
    : find_(database, "SELECT id FROM texts WHERE text = ?"),
      add_(database, "INSERT INTO texts (text) VALUES (?) RETURNING id") {}

std::int64_t StoredTexts::number_of(const std::string& text) {
  constexpr std::size_t kMostKnown = 50'000;  // a long list of hosts has a name for each
  if (known_.size() >= kMostKnown) known_.clear();
  const auto [known, is_new] = known_.try_emplace(text, 0);
  if (!is_new) return known->second;
  if (find_(text)) known->second = find_.whole(0);
  else if (add_(text)) {
    known->second = add_.whole(0);
    add_.next();
  }
  return known->second;
}

TextList::TextList(Database& database) {
  const std::int64_t most = database.ask("SELECT max(id) FROM texts");
  if (most < 0 || most > INT32_MAX) return;
  texts_.resize(static_cast<std::size_t>(most) + 1);
  Statement all(database, "SELECT id, text FROM texts");
  for (bool more = all(); more; more = all.next())
    if (const std::int64_t id = all.whole(0); id >= 0 && id <= most) texts_[static_cast<std::size_t>(id)] = all.text(1);
}

const std::string& TextList::operator[](std::int64_t number) const {
  return number >= 0 && number < static_cast<std::int64_t>(texts_.size()) ? texts_[static_cast<std::size_t>(number)]
                                                                          : none_;
}

StoredDetails::StoredDetails(Database& database, StoredTexts& texts)
    : texts_(texts),
      add_(database, "INSERT INTO details (" + std::string(kDetails) +
                         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id") {
  Statement all(database, "SELECT " + std::string(kDetails) + ", id FROM details");
  constexpr int kId = 15;
  for (bool more = all(); more; more = all.next()) known_.emplace(row_in(all, 0).hash(), all.whole(kId));
}

std::int64_t StoredDetails::number_of(const Offer& offer) {
  const DetailRow row = row_of(offer, texts_);
  const auto [known, is_new] = known_.try_emplace(row.hash(), 0);
  if (is_new &&
      add_(row.vcpus, row.ram, row.minimum, row.increment, row.startup, row.startup_billed, row.term, row.disk_price,
           row.egress_price, row.availability, row.label, row.band, row.low, row.middle, row.high)) {
    known->second = add_.whole(0);
    add_.next();
  }
  return known->second;
}

DetailList::DetailList(Database& database, const TextList& texts) {
  Statement all(database, "SELECT " + std::string(kDetails) + ", id FROM details");
  constexpr int kId = 15;
  constexpr auto kBands = static_cast<std::int64_t>(SpotBand::kAbove20) + 1;
  for (bool more = all(); more; more = all.next()) {
    const DetailRow row = row_in(all, 0);
    Offer& offer = details_[all.whole(kId)];
    offer.vcpus = static_cast<int>(row.vcpus);
    offer.ram = Bytes{row.ram};
    offer.billing = {Seconds{row.minimum}, Seconds{row.increment}, Seconds{row.startup}, row.startup_billed != 0,
                     Seconds{row.term}};
    if (row.disk_price) offer.disk_price = DollarsPerByteSecond{*row.disk_price};
    if (row.egress_price) offer.egress_price = DollarsPerByte{*row.egress_price};
    offer.availability = texts[row.availability];
    offer.label = texts[row.label];
    if (row.band > 0 && row.band <= kBands) offer.band = static_cast<SpotBand>(row.band - 1);
    if (row.low && row.middle && row.high)
      offer.interruptions = Interval<PerSecond>{PerSecond{*row.low}, PerSecond{*row.middle}, PerSecond{*row.high}};
  }
}

void DetailList::fill(Offer& offer, std::int64_t number) const {
  const auto found = details_.find(number);
  if (found == details_.end()) return;
  const Offer& details = found->second;
  offer.vcpus = details.vcpus;
  offer.ram = details.ram;
  offer.billing = details.billing;
  offer.disk_price = details.disk_price;
  offer.egress_price = details.egress_price;
  offer.availability = details.availability;
  offer.label = details.label;
  offer.band = details.band;
  offer.interruptions = details.interruptions;
}

}  // namespace gpuplan
