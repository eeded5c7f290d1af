#include "cli/prices/keep_feeds.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "api/questions/question.h"
#include "base/text.h"
#include "cli/deliver/deliver.h"
#include "cli/deliver/deliver_form.h"
#include "cli/io/exit_code.h"
#include "cli/prices/long_lists.h"
#include "cli/prices/unlikely_offers.h"
#include "output/prices/import_report.h"
#include "store/price_store.h"

namespace gpuplan::cli {
namespace {

/// Bytes of digits that a text begins with.
std::size_t digits_at(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::find_if_not(text, is_digit) - text.begin());
}
bool is_date_sign(char c) { return c == '-' || c == '_' || c == '.' || c == ' '; }

/// Bytes of a date that a text begins with: "2026-11-20", "20261120", "2026_11", "20.11.2026", and of a copy's "(2)";
/// 0: none.
std::size_t date_at(std::string_view text) {
  constexpr std::size_t kYear = 4, kDay = 2;
  if (text.starts_with('(')) {
    const std::size_t digits = digits_at(text.substr(1));
    return digits > 0 && digits <= kDay && text.substr(1 + digits).starts_with(')') ? digits + 2 : 0;
  }
  const std::size_t first = digits_at(text);
  // Up to two more numbers, each behind a sign.
  std::size_t ends[] = {first, first, first};
  std::size_t counts[] = {first, 0, 0};
  for (std::size_t i = 1; i < 3; ++i) {
    ends[i] = ends[i - 1];
    if (ends[i] == 0 || ends[i] >= text.size() || !is_date_sign(text[ends[i]])) break;
    counts[i] = digits_at(text.substr(ends[i] + 1));
    if (counts[i] == 0) break;
    ends[i] += 1 + counts[i];
  }
  const bool year = text.starts_with("20");
  if (first == kYear && year)
    return counts[1] == 0 || counts[1] > kDay ? first : counts[2] == 0 || counts[2] > kDay ? ends[1] : ends[2];
  if (year && (first == kYear + kDay || first == kYear + 2 * kDay)) return first;
  const bool day_first = first > 0 && first <= kDay && counts[1] > 0 && counts[1] <= kDay && counts[2] == kYear;
  return day_first ? ends[2] : 0;
}

/// What a list is called among others: by its format, a list of one's own also by its file, without the date in it, so
/// that the next one takes its place. Other digits tell lists apart: "partner1" and "partner2".
std::string source_of(const Feed& list) {
  if (!list.format.starts_with("own ") || list.file.empty()) return list.format;
  const std::string_view file = std::string_view(list.file).substr(list.file.find_last_of("/\\") + 1);
  std::string name;
  for (std::size_t at = 0; at < file.size();) {
    if (file[at] == '.' && at > 0) break;
    const bool begins = at == 0 || !is_digit(file[at - 1]);
    if (const std::size_t date = begins ? date_at(file.substr(at)) : 0; date > 0) at += date;
    else name += file[at++];
  }
  const auto is_sign = [](char c) { return c == '-' || c == '_' || c == ' '; };
  const auto end = std::ranges::find_if_not(name.rbegin(), name.rend(), is_sign).base();
  const auto begin = std::ranges::find_if_not(name.begin(), end, is_sign);
  const std::string kept(begin, end);
  // Digits alone name nothing: parts of one list.
  return std::ranges::all_of(kept, is_digit) ? list.format : list.format + " " + printable(kept, 60);
}

ImportReport report_of(const std::vector<Feed>& lists, bool details) {
  ImportReport report;
  report.details = details;
  for (const Feed& list : lists) {
    for (const auto& [reason, rows] : list.rejections) report.rejections[reason] += rows;
    for (const auto& [reason, rows] : list.corrections) report.corrections[reason] += rows;
    report.record.lists.push_back({list.format, list.file, list.rows, list.kept, list.corrected, list.rejected(), {}});
    if (!details) continue;
    // What was put right of a row that was rejected after all is none of what is kept.
    std::set<std::uint64_t> rejected;
    for (const FeedNote& note : list.notes)
      if (note.rejected) rejected.insert(note.row);
    for (const FeedNote& note : list.notes)
      if (note.rejected || !rejected.contains(note.row))
        report.notes.push_back({list.file, note.row, note.rejected, note.reason, note.words});
  }
  return report;
}

}  // namespace

void add_keep_unlikely_option(CommandSpec& command, KeepOptions& options) {
  command.options.push_back({.names = "--keep-unlikely",
                             .target = &options.unlikely,
                             .help = "keep prices far from what others ask, such as your own negotiated ones"});
}

Result<std::string> today_of(System& system) {
  const auto pinned = system.environment("GPUPLAN_TODAY");
  const std::string today = pinned ? std::string(*pinned) : system.today();
  if (const auto good = api::check_today(today, "GPUPLAN_TODAY"); !good) return std::unexpected(good.error());
  return today.empty() ? system.today() : today;
}

void add_known(PriceJudge& judge, const std::string& file, System& system, const Catalogue& catalogue) {
  judge.add_known(catalogue.offers);
  if (!system.facts_of(file).is_file()) return;
  if (const auto stored = stored_offers(file, "")) judge.add_stored(stored->offers);
}

Result<std::string> store_to_write(System& system, const KeepOptions& options) {
  std::string file = store_file(system, options.store);
  if (file.empty() && !options.dry_run)
    return wrong_use(
        "there is no store of prices: GPUPLAN_STORE is empty, or there is no home folder; name a file with --store");
  return file;
}

void name_source(Feed& list) {
  for (Offer& offer : list.offers)
    if (offer.source.empty()) offer.source = source_of(list);
}

Result<ImportReport> store_feeds(System& system, std::vector<Feed>& lists, const KeepOptions& options,
                                 const Catalogue& catalogue, LongLists* long_lists) {
  const auto today = today_of(system);
  if (!today) return std::unexpected(today.error());
  const auto file = store_to_write(system, options);
  if (!file) return std::unexpected(file.error());
  const bool any_long = long_lists != nullptr && long_lists->any();
  if (any_long && long_lists->error()) return std::unexpected(*long_lists->error());
  for (Feed& list : lists) {
    name_source(list);
    reject_future(list, *today);
  }
  PriceJudge fresh;
  if (!any_long) add_known(fresh, *file, system, catalogue);
  look_at_odd(lists, any_long ? long_lists->judge() : fresh, options.unlikely);

  const ImportTerms terms{*today, system.time_of_day(), GPUPLAN_VERSION};
  Result<ImportRecord> record;
  if (any_long) {
    record = long_lists->import(lists, terms);
  } else if (!options.dry_run) {
    auto store = PriceStore::open(*file, PriceStore::Use::kWrite);
    if (!store) return std::unexpected(std::move(store.error()));
    record = store->import(lists, terms);
  }
  ImportReport report = report_of(lists, options.details);
  report.store = *file;
  if (!record) complain(system, record.error());
  else if (!options.dry_run) report.record = *std::move(record);
  return report;
}

int keep_feeds(System& system, std::vector<Feed> lists, const std::vector<std::string>& dates,
               const KeepOptions& options, const Common& common, const Catalogue& catalogue, LongLists* long_lists) {
  auto report = store_feeds(system, lists, options, catalogue, long_lists);
  if (!report) return complain(system, report.error());
  if (!options.dry_run && report->record.number == 0) return kInternal;
  report->dates = dates;
  return deliver_form(
      system, common, kDone, [&](const Screen& screen) { return import_text(*report, screen); },
      [&] { return import_json(*report); }, [&] { return import_csv(*report); });
}

}  // namespace gpuplan::cli
