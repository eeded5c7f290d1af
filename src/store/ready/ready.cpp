#include "store/ready/ready.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <unordered_map>

#include "domain/market/price_date.h"
#include "plan/answer/cheapest_offers.h"
#include "store/rows/dates.h"

namespace gpuplan {
namespace {

constexpr std::array<char, 16> kReadyMark = {'g', 'p', 'u', 'p', 'l', 'a', 'n', ' ', 'r', 'e', 'a', 'd', 'y', ' ', '3'};

/// Tables follow it in this order: texts, details, ranges, scatters, offers, then the bytes of the texts.
struct ReadyHead {
  std::array<char, 16> mark = kReadyMark;
  std::uint64_t check = 0;  ///< of all behind it
  std::uint32_t changes = 0, texts = 0, details = 0, ranges = 0, offers = 0, row = 0;
  std::int64_t modified = 0;
  std::uint64_t size = 0;
  std::uint64_t scatters = 0;
};

struct ReadyText {
  std::uint32_t from = 0, size = 0;
};

struct ReadyDetails {
  double ram = 0, minimum = 0, increment = 0, startup = 0, term = 0, disk_price = 0, egress_price = 0;
  std::int32_t vcpus = 0;
  std::uint32_t availability = 0, label = 0;
  std::uint8_t startup_billed = 0, has_disk_price = 0, has_egress_price = 0, band = 0;

  auto operator<=>(const ReadyDetails&) const = default;
};

using ReadyRange = std::array<double, 3>;

struct ReadyOffer {
  double price = 0, spot = 0, reliability = 0;
  std::uint32_t provider = 0, region = 0, zone = 0, instance = 0, gpu = 0, source = 0, details = 0;
  /// Numbers of ranges from 1; 0: the price is exact, or there are no interruptions.
  std::uint32_t price_range = 0, spot_range = 0, interruptions = 0;
  std::int32_t gpus = 0, as_of = 0;
  std::uint64_t place = 0;  ///< place_hash()
  std::uint8_t stock = 0, has_price = 0, has_spot = 0, dearer = 0, unused[4] = {};
};

struct ReadyScatter {
  double variance = 0, months = 0;
  std::array<double, 3> apart{};
  std::uint32_t provider = 0, gpu = 0;
  std::int32_t prices = 0, days = 0;
  std::array<std::int32_t, 3> apart_prices{}, free{};
  std::uint32_t spot = 0, unused = 0;
};

// Every byte of them is written, none is padding.
static_assert(sizeof(ReadyHead) == 72 && sizeof(ReadyScatter) == 88 && sizeof(ReadyDetails) == 72 &&
              sizeof(ReadyOffer) == 88);
static_assert(std::is_trivially_copyable_v<ReadyOffer> && std::is_trivially_copyable_v<ReadyDetails>);

/// Notices what a disk or a careless editor does to a file.
std::uint64_t sum_of(std::string_view bytes) {
  std::array<std::uint64_t, 4> lanes = {1, 2, 3, 4};  // independent of one another, so that a processor does four
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ULL;
  const auto take = [&](std::size_t lane, std::uint64_t word) {
    lanes[lane] = (lanes[lane] ^ word) * kFactor;
    lanes[lane] ^= lanes[lane] >> 29U;
  };
  std::size_t at = 0;
  for (; at + 32 <= bytes.size(); at += 32)
    for (std::size_t lane = 0; lane < 4; ++lane) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at + 8 * lane, 8);
      take(lane, word);
    }
  for (; at < bytes.size(); ++at) take(at % 4, static_cast<unsigned char>(bytes[at]));
  take(0, bytes.size());
  for (std::size_t lane = 1; lane < 4; ++lane) take(0, lanes[lane]);
  return lanes[0];
}

template <class T>
std::size_t size_of(const std::vector<T>& rows) {
  return rows.size() * sizeof(T);
}
template <class T>
void append(std::string& bytes, const std::vector<T>& rows) {
  bytes.append(reinterpret_cast<const char*>(rows.data()), size_of(rows));
}

class ReadyPacker {
 public:
  std::string pack(const std::vector<Offer>& offers, const OwnScatters& scatter, const ReadyState& state) {
    rows_.reserve(offers.size());
    const std::vector<bool> cheapest = may_be_cheapest(offers);
    for (std::size_t i = 0; i < offers.size(); ++i) add(offers[i], !cheapest[i]);
    for (const OwnScatter& one : scatter) add(one);
    std::string all(sizeof(ReadyHead), '\0');
    all.reserve(all.size() + size_of(places_) + size_of(details_) + size_of(ranges_) + size_of(scatters_) +
                size_of(rows_) + bytes_.size());
    append(all, places_);
    append(all, details_);
    append(all, ranges_);
    append(all, scatters_);
    append(all, rows_);
    all += bytes_;
    ReadyHead head;
    head.changes = state.changes;
    head.modified = state.modified;
    head.size = state.size;
    head.texts = static_cast<std::uint32_t>(places_.size());
    head.details = static_cast<std::uint32_t>(details_.size());
    head.ranges = static_cast<std::uint32_t>(ranges_.size());
    head.scatters = scatters_.size();
    head.offers = static_cast<std::uint32_t>(rows_.size());
    head.row = sizeof(ReadyOffer);
    head.check = sum_of(std::string_view(all).substr(sizeof head));
    std::memcpy(all.data(), &head, sizeof head);
    return all;
  }

 private:
  std::uint32_t text(const std::string& words) {
    const auto [known, is_new] = texts_.try_emplace(words, static_cast<std::uint32_t>(places_.size()));
    if (is_new) {
      places_.push_back({static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(words.size())});
      bytes_ += words;
    }
    return known->second;
  }
  template <class Q>
  std::uint32_t range(const Interval<Q>& values) {
    ranges_.push_back({values.p10.value, values.p50.value, values.p90.value});
    return static_cast<std::uint32_t>(ranges_.size());
  }
  std::uint32_t details(const Offer& offer) {
    ReadyDetails row;
    row.ram = offer.ram.value;
    row.minimum = offer.billing.minimum.value;
    row.increment = offer.billing.increment.value;
    row.startup = offer.billing.startup.value;
    row.term = offer.billing.term.value;
    row.disk_price = offer.disk_price ? offer.disk_price->value : 0;
    row.egress_price = offer.egress_price ? offer.egress_price->value : 0;
    row.vcpus = offer.vcpus;
    row.availability = text(offer.availability);
    row.label = text(offer.label);
    row.startup_billed = offer.billing.startup_billed ? 1 : 0;
    row.has_disk_price = offer.disk_price ? 1 : 0;
    row.has_egress_price = offer.egress_price ? 1 : 0;
    row.band = offer.band ? static_cast<std::uint8_t>(static_cast<int>(*offer.band) + 1) : 0;
    const auto [known, is_new] = known_details_.try_emplace(row, static_cast<std::uint32_t>(details_.size()));
    if (is_new) details_.push_back(row);
    return known->second;
  }
  void add(const Offer& offer, bool dearer) {
    ReadyOffer row;
    row.place = place_hash(offer);
    row.dearer = dearer ? 1 : 0;
    row.provider = text(offer.provider);
    row.region = text(offer.region);
    row.zone = text(offer.zone);
    row.instance = text(offer.instance);
    row.gpu = text(offer.gpu);
    row.source = text(offer.source);
    row.details = details(offer);
    if (offer.price) {
      row.has_price = 1;
      row.price = offer.price->p50.value;
      row.price_range = offer.price->exact() ? 0 : range(*offer.price);
    }
    if (offer.spot_price) {
      row.has_spot = 1;
      row.spot = offer.spot_price->p50.value;
      row.spot_range = offer.spot_price->exact() ? 0 : range(*offer.spot_price);
    }
    if (offer.interruptions) row.interruptions = range(*offer.interruptions);
    row.reliability = offer.reliability;
    row.gpus = offer.gpus;
    row.as_of = packed_date(offer.as_of);
    row.stock = static_cast<std::uint8_t>(offer.stock);
    rows_.push_back(row);
  }

  void add(const OwnScatter& scatter) {
    ReadyScatter row;
    row.provider = text(scatter.provider);
    row.gpu = text(scatter.gpu);
    row.spot = scatter.terms == PriceTerms::kSpot ? 1 : 0;
    row.variance = scatter.moves.variance;
    row.months = scatter.moves.months;
    row.prices = scatter.moves.prices;
    row.days = scatter.moves.days;
    for (std::size_t i = 0; i < scatter.over.size(); ++i) {
      row.apart[i] = scatter.over[i].variance;
      row.apart_prices[i] = scatter.over[i].prices;
      row.free[i] = scatter.over[i].free;
    }
    scatters_.push_back(row);
  }

  std::unordered_map<std::string, std::uint32_t> texts_;
  std::map<ReadyDetails, std::uint32_t> known_details_;
  std::vector<ReadyText> places_;
  std::vector<ReadyDetails> details_;
  std::vector<ReadyRange> ranges_;
  std::vector<ReadyScatter> scatters_;
  std::vector<ReadyOffer> rows_;
  std::string bytes_;
};

/// Rows of a table, one after the other, wherever they lie.
template <class T>
class ReadyTable {
 public:
  /// Takes them from the beginning of `bytes`; false: there are not so many.
  bool take(std::string_view& bytes, std::uint64_t count) {
    if (bytes.size() / sizeof(T) < count) return false;
    rows_ = bytes.data();
    count_ = static_cast<std::uint32_t>(count);
    bytes.remove_prefix(count * sizeof(T));
    return true;
  }
  std::uint32_t size() const { return count_; }
  T operator[](std::uint32_t number) const {
    T row;
    std::memcpy(&row, rows_ + std::size_t{number} * sizeof(T), sizeof row);
    return row;
  }

 private:
  const char* rows_ = nullptr;
  std::uint32_t count_ = 0;
};

/// A page of memory that is touched first costs as much as the offers in it.
void ask_large_pages(void* memory, std::size_t size) {
  constexpr std::size_t kLargePage = std::size_t{1} << 21U;
  if (std::align(kLargePage, kLargePage, memory, size) == nullptr) return;
  // Where the system has none, small ones do.
  ::madvise(memory, size / kLargePage * kLargePage, MADV_HUGEPAGE);
}

/// A planner adds what it knows itself, for which they would all have to move.
constexpr std::size_t kRoomForMore = 4096;

/// Whatever the bytes are, nothing beyond them is read.
class ReadyUnpacker {
 public:
  bool take_tables(std::string_view bytes, const ReadyHead& head) {
    if (!texts_.take(bytes, head.texts) || !details_.take(bytes, head.details) || !ranges_.take(bytes, head.ranges) ||
        !scatters_.take(bytes, head.scatters) || !rows_.take(bytes, head.offers))
      return false;
    bytes_ = bytes;
    words_.resize(texts_.size());
    return true;
  }

  /// None: a row refers to what is not there.
  std::optional<ThinnedOffers> offers(const Places* wanted_at) {
    if (rows_.size() < kDearerFrom) wanted_at = nullptr;  // of so few a plan shows every place
    std::map<std::int32_t, std::size_t> left_out;         // by date
    std::vector<std::uint32_t> taken;
    taken.reserve(rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      if (wanted_at != nullptr) {
        const ReadyOffer row = rows_[i];
        if (row.dearer != 0 && !wanted_at->contains(row.place)) {
          ++left_out[row.as_of];
          continue;
        }
      }
      taken.push_back(i);
    }
    ThinnedOffers found;
    found.offers.reserve(taken.size() + kRoomForMore);
    ask_large_pages(found.offers.data(), found.offers.capacity() * sizeof(Offer));
    found.places.reserve(taken.size());
    for (const std::uint32_t number : taken) {
      const ReadyOffer row = rows_[number];
      if (!know_details(row.details) || !fill_row(found.offers.emplace_back(like_), row)) return std::nullopt;
      found.places.push_back(row.place);
    }
    if (!fill_scatter(found.scatter)) return std::nullopt;
    found.left_out.offers = rows_.size() - taken.size();
    for (const auto& [date, count] : left_out) found.left_out.months[months_of(date_text(date))] += count;
    return found;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  /// Dates as words, of which a list has few.
  class Dates {
   public:
    const Word& of(std::int32_t packed) {
      if (last_ < known_.size() && known_[last_].first == packed) return known_[last_].second;
      for (last_ = 0; last_ < known_.size(); ++last_)
        if (known_[last_].first == packed) return known_[last_].second;
      return known_.emplace_back(packed, date_text(packed)).second;
    }

   private:
    std::vector<std::pair<std::int32_t, Word>> known_;
    std::size_t last_ = 0;  ///< of the row before
  };

  bool set(Word& to, std::uint32_t number) {
    if (number >= words_.size() || (words_[number].empty() && !make_word(number))) return false;
    to = words_[number];
    return true;
  }
  /// Of a large list few texts are wanted: each is made a word when a row asks for it first.
  bool make_word(std::uint32_t number) {
    if (number == none_) return true;
    const ReadyText place = texts_[number];
    if (place.from > bytes_.size() || place.size > bytes_.size() - place.from) return false;
    if (place.size == 0) none_ = number;
    words_[number] = bytes_.substr(place.from, place.size);
    return true;
  }
  template <class Q>
  bool set(std::optional<Interval<Q>>& to, double value, std::uint32_t range) const {
    if (range > ranges_.size()) return false;
    if (range == 0) {
      to = exactly(Q{value});
    } else {
      const ReadyRange values = ranges_[range - 1];
      to = Interval<Q>{Q{values[0]}, Q{values[1]}, Q{values[2]}};
    }
    return true;
  }
  bool fill_row(Offer& offer, const ReadyOffer& row) {
    if (!set(offer.provider, row.provider) || !set(offer.region, row.region) || !set(offer.zone, row.zone) ||
        !set(offer.instance, row.instance) || !set(offer.gpu, row.gpu) || !set(offer.source, row.source) ||
        row.stock > static_cast<int>(Stock::kHigh))
      return false;
    if (row.has_price != 0 && !set(offer.price, row.price, row.price_range)) return false;
    if (row.has_spot != 0 && !set(offer.spot_price, row.spot, row.spot_range)) return false;
    if (row.interruptions != 0 && !set(offer.interruptions, 0, row.interruptions)) return false;
    offer.gpus = row.gpus;
    offer.reliability = row.reliability;
    offer.stock = static_cast<Stock>(row.stock);
    offer.as_of = dates_.of(row.as_of);
    return true;
  }
  /// Most rows have those of the row before.
  bool know_details(std::uint32_t number) {
    if (number == details_of_like_) return true;
    if (number >= details_.size()) return false;
    const ReadyDetails row = details_[number];
    Offer& offer = like_ = {};
    if (!set(offer.availability, row.availability) || !set(offer.label, row.label) ||
        row.band > static_cast<int>(SpotBand::kAbove20) + 1)
      return false;
    offer.ram = Bytes{row.ram};
    offer.billing = {Seconds{row.minimum}, Seconds{row.increment}, Seconds{row.startup}, row.startup_billed != 0,
                     Seconds{row.term}};
    if (row.has_disk_price != 0) offer.disk_price = DollarsPerByteSecond{row.disk_price};
    if (row.has_egress_price != 0) offer.egress_price = DollarsPerByte{row.egress_price};
    if (row.band > 0) offer.band = static_cast<SpotBand>(row.band - 1);
    offer.vcpus = row.vcpus;
    details_of_like_ = number;
    return true;
  }

  bool fill_scatter(OwnScatters& scatters) {
    for (std::uint32_t i = 0; i < scatters_.size(); ++i) {
      const ReadyScatter row = scatters_[i];
      OwnScatter& scatter = scatters.emplace_back();
      if (!set(scatter.provider, row.provider) || !set(scatter.gpu, row.gpu)) return false;
      scatter.terms = row.spot != 0 ? PriceTerms::kSpot : PriceTerms::kOnDemand;
      scatter.moves = {row.variance, row.months, row.prices, row.days};
      for (std::size_t k = 0; k < scatter.over.size(); ++k)
        scatter.over[k] = {row.apart[k], row.apart_prices[k], row.free[k]};
    }
    return true;
  }

  ReadyTable<ReadyText> texts_;
  ReadyTable<ReadyDetails> details_;
  ReadyTable<ReadyRange> ranges_;
  ReadyTable<ReadyScatter> scatters_;
  ReadyTable<ReadyOffer> rows_;
  std::string_view bytes_;      ///< of the texts
  std::vector<Word> words_;     ///< those wanted so far
  std::uint32_t none_ = kNone;  ///< number of the empty text
  Dates dates_;
  Offer like_;  ///< with its details alone
  std::uint32_t details_of_like_ = kNone;
};

}  // namespace

std::string ready_file(const std::string& database) { return database + ".ready"; }

std::string pack_ready(const std::vector<Offer>& offers, const OwnScatters& scatter, const ReadyState& state) {
  return ReadyPacker().pack(offers, scatter, state);
}

std::optional<ThinnedOffers> unpack_ready(std::string_view bytes, const ReadyState& state, const Places* wanted_at) {
  ReadyHead head;
  if (bytes.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, bytes.data(), sizeof head);
  bytes.remove_prefix(sizeof head);
  if (head.mark != kReadyMark || head.row != sizeof(ReadyOffer) ||
      ReadyState{head.changes, head.modified, head.size} != state || head.check != sum_of(bytes))
    return std::nullopt;
  ReadyUnpacker unpacker;
  if (!unpacker.take_tables(bytes, head)) return std::nullopt;
  return unpacker.offers(wanted_at);
}

}  // namespace gpuplan
