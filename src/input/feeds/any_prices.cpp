#include "input/feeds/any_prices.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/text.h"
#include "input/feeds/feed_formats.h"
#include "input/feeds/feed_names.h"
#include "input/feeds/formats/own_columns.h"
#include "input/feeds/formats/own_dates.h"
#include "input/feeds/read_feed.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

/// Columns of read_prices(), of which the first two must be there.
constexpr std::array<std::string_view, 14> kPlainColumns = {"gpu",
                                                            "price_per_hour",
                                                            "gpus",
                                                            "provider",
                                                            "region",
                                                            "instance",
                                                            "spot",
                                                            "interruptions",
                                                            "billing_minimum_minutes",
                                                            "availability",
                                                            "label",
                                                            "currency",
                                                            "as_of",
                                                            "billing_increment_seconds"};

/// Whether read_prices() reads all that a table tells of prices.
bool is_plain(const CsvTable& table) {
  if (!table.find(kPlainColumns[0]) || !table.find(kPlainColumns[1])) return false;
  for (std::size_t i = 0; i < table.columns(); ++i) {
    const std::string_view name = table.name(i), unit = table.unit(i);
    const bool known =
        std::ranges::any_of(kPlainColumns, [&](std::string_view one) { return squeeze(one) == squeeze(name); });
    if (known && unit.empty()) continue;
    const OwnColumn column = own_column(std::string(name) + (unit.empty() ? "" : '[' + std::string(unit) + ']'));
    const bool tells = column.field != OwnField::kNone && column.field != OwnField::kKind;
    if (tells || column.of_units || tells_time_of_record(name)) return false;
  }
  return true;
}

bool is_own(std::string_view format) { return format.starts_with("own"); }

/// What a list of one's own has that can not be used; those that stand twice or have no GPU do no harm.
const FeedNote* first_wrong(const Feed& feed) {
  const auto wrong = std::ranges::find_if(feed.notes, [](const FeedNote& note) {
    return note.rejected && note.reason != "the same row again" && note.reason != "no GPU";
  });
  return wrong == feed.notes.end() ? nullptr : &*wrong;
}

Error wrong_row(const FeedNote& note, const Feed& feed) {
  return {note.reason + (note.words.empty() ? "" : " (" + note.words + ")") + "; mend the row or leave it out",
          {feed.file, static_cast<int>(note.row), 0}};
}

}  // namespace

Result<std::vector<Offer>> read_any_prices(std::string_view text, std::string_view file,
                                           const std::vector<CurrencyRate>& rates, const Catalogue& catalogue) {
  // A plain list with a damaged row is still one.
  const auto header = CsvTable::parse(text.substr(0, text.find_first_of("\r\n")), file);
  const std::string day = date_of_path(file).date;
  if (text.empty() || (header && is_plain(*header))) {
    auto offers = read_prices(text, file, rates, catalogue);
    if (!offers || day.empty()) return offers;
    for (Offer& offer : *offers)
      if (offer.as_of.empty()) offer.as_of = day;
    return offers;
  }
  FeedTerms terms{std::string(file), provider_of_path(file), day, std::string(file), rates};
  FeedSource source(std::move(terms), "", catalogue);
  if (const auto taken = source.take(text); !taken) return std::unexpected(taken.error());
  auto feeds = source.finish();
  if (!feeds) {
    // What it lacks to be one of gpuplan's own columns, where it looks like that.
    auto plain = read_prices(text, file, rates, catalogue);
    return header && header->columns() > 1 ? std::move(plain) : std::unexpected(std::move(feeds.error()));
  }
  std::vector<Offer> offers;
  for (Feed& feed : *feeds) {
    if (const FeedNote* wrong = first_wrong(feed); wrong != nullptr && (is_own(feed.format) || feed.offers.empty()))
      return std::unexpected(wrong_row(*wrong, feed));
    std::ranges::move(feed.offers, std::back_inserter(offers));
  }
  if (offers.empty()) return failure("no rows; expected at least one offer", {std::string(file)});
  return offers;
}

}  // namespace gpuplan
