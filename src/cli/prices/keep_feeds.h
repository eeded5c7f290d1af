// Price lists that were read, into the store: what import and fetch have in common.
#pragma once

#include <string>
#include <vector>

#include "cli/io/system.h"
#include "cli/load/price_store.h"
#include "cli/options/common_options.h"
#include "domain/facts/catalogue.h"
#include "evidence/market/odd_prices.h"
#include "input/feeds/rows/feed.h"
#include "output/prices/import_report.h"

namespace gpuplan::cli {

struct KeepOptions {
  StoreOptions store;
  bool details = false;
  bool dry_run = false;
  bool unlikely = false;  ///< prices that nobody else asks are kept
};

void add_keep_unlikely_option(CommandSpec& command, KeepOptions& options);

/// Today as the environment or the clock has it; a usage error where GPUPLAN_TODAY is no date.
Result<std::string> today_of(System& system);

/// What prices are held against: all that is known before.
void add_known(PriceJudge& judge, const std::string& file, System& system, const Catalogue& catalogue);
/// The file of the store; fails where there is none, but for --dry-run.
Result<std::string> store_to_write(System& system, const KeepOptions& options);
/// Calls the offers of a list, where it says nothing else, by its format; those of a list of one's own by its file too.
void name_source(Feed& list);

class LongLists;

/// Stores the lists, and what became of their rows. Rows that are rejected here are taken out of the lists. A report
/// whose record has number 0 could not be written, which has been told. `long_lists`: what took offers of the lists
/// while they were read; may be null.
Result<ImportReport> store_feeds(System& system, std::vector<Feed>& lists, const KeepOptions& options,
                                 const Catalogue& catalogue, LongLists* long_lists = nullptr);

/// Stores the lists and delivers what became of their rows. `dates`: where dates of rows without one come from, a line
/// each. Returns the exit code: kBadInput for a store that can not be used, kInternal where it could not be written.
int keep_feeds(System& system, std::vector<Feed> lists, const std::vector<std::string>& dates,
               const KeepOptions& options, const Common& common, const Catalogue& catalogue,
               LongLists* long_lists = nullptr);

}  // namespace gpuplan::cli
