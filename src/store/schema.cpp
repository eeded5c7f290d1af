#include "store/schema.h"

#include <array>
#include <string>

namespace gpuplan {
namespace {

/// Names are numbers of `texts`, dates are 20261125 (20261100: only the month is known), amounts are those of Offer in
/// its units. Prices that stay as they are take one row, however many imports say so: `first` to `last` are the dates
/// of what was read, first_import to last_import who said it. A listing is an import that told what a source has of one
/// GPU in one region: what the newest one does not name is gone.
constexpr Migration kVersion1 = R"(
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
CREATE TABLE imports (id INTEGER PRIMARY KEY, day TEXT NOT NULL, time TEXT NOT NULL, version TEXT NOT NULL);
CREATE TABLE lists (import INTEGER NOT NULL, number INTEGER NOT NULL, format TEXT NOT NULL, file TEXT NOT NULL,
  rows INTEGER NOT NULL, kept INTEGER NOT NULL, corrected INTEGER NOT NULL, rejected INTEGER NOT NULL,
  PRIMARY KEY (import, number)) WITHOUT ROWID;
CREATE TABLE rejections (import INTEGER NOT NULL, list INTEGER NOT NULL, reason TEXT NOT NULL, rows INTEGER NOT NULL,
  PRIMARY KEY (import, list, reason)) WITHOUT ROWID;
CREATE TABLE groups (id INTEGER PRIMARY KEY, source INTEGER NOT NULL, provider INTEGER NOT NULL, region INTEGER NOT NULL,
  gpu INTEGER NOT NULL, UNIQUE (gpu, provider, region, source));
CREATE TABLE listings (grp INTEGER NOT NULL, day INTEGER NOT NULL, import INTEGER NOT NULL,
  PRIMARY KEY (grp, day, import)) WITHOUT ROWID;
CREATE TABLE series (id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, instance INTEGER NOT NULL, zone INTEGER NOT NULL,
  gpus INTEGER NOT NULL, number INTEGER NOT NULL, UNIQUE (grp, instance, zone, gpus, number));
CREATE TABLE details (id INTEGER PRIMARY KEY, vcpus INTEGER NOT NULL, ram REAL NOT NULL, minimum REAL NOT NULL,
  increment REAL NOT NULL, startup REAL NOT NULL, startup_billed INTEGER NOT NULL, term REAL NOT NULL, disk_price REAL,
  egress_price REAL, availability INTEGER NOT NULL, label INTEGER NOT NULL, band INTEGER NOT NULL,
  interruptions_low REAL, interruptions REAL, interruptions_high REAL);
CREATE TABLE prices (series INTEGER NOT NULL, first INTEGER NOT NULL, first_import INTEGER NOT NULL,
  last INTEGER NOT NULL, last_import INTEGER NOT NULL, price REAL, spot REAL, stock INTEGER NOT NULL,
  reliability REAL NOT NULL, details INTEGER NOT NULL, price_low REAL, price_high REAL, spot_low REAL, spot_high REAL,
  PRIMARY KEY (series, first, first_import)) WITHOUT ROWID;
)";

/// Several lists may tell of one group on one day, such as catalogues of two versions: each has a part of it to itself,
/// and all count together. What the same list says again takes the place of what it said of that day; `list` is its
/// name, 0 where it was not noted.
constexpr Migration kVersion2 = R"(
ALTER TABLE listings RENAME TO listings_1;
CREATE TABLE listings (grp INTEGER NOT NULL, day INTEGER NOT NULL, part INTEGER NOT NULL, import INTEGER NOT NULL,
  list INTEGER NOT NULL, PRIMARY KEY (grp, day, part, import)) WITHOUT ROWID;
INSERT INTO listings SELECT grp, day, 0, import, 0 FROM listings_1;
DROP TABLE listings_1;
ALTER TABLE series RENAME TO series_1;
CREATE TABLE series (id INTEGER PRIMARY KEY, grp INTEGER NOT NULL, part INTEGER NOT NULL, instance INTEGER NOT NULL,
  zone INTEGER NOT NULL, gpus INTEGER NOT NULL, number INTEGER NOT NULL,
  UNIQUE (grp, part, instance, zone, gpus, number));
INSERT INTO series SELECT id, grp, 0, instance, zone, gpus, number FROM series_1;
DROP TABLE series_1;
)";

constexpr std::array<Migration, 2> kMigrations = {kVersion1, kVersion2};

}  // namespace

std::span<const Migration> migrations() { return kMigrations; }

std::uint32_t store_format() { return static_cast<std::uint32_t>(kMigrations.size()); }

Result<void> check_header(const DatabaseHeader& header, const std::string& file, std::uint32_t format) {
  if (header.program != kStoreProgram)
    return failure("belongs to another program and stays as it is; name another file with --store", {file});
  if (header.format > format)
    return failure("was written by a newer gpuplan (its format is " + std::to_string(header.format) +
                       ", this one has " + std::to_string(format) +
                       "); update gpuplan, or name another file with --store",
                   {file});
  return {};
}

Result<void> bring_up_to_date(Database& database, std::span<const Migration> steps) {
  const auto version = static_cast<std::size_t>(database.ask("PRAGMA user_version"));
  if (database.failed()) return std::unexpected(database.error());
  if (version == steps.size()) return {};
  if (const auto begun = database.begin(); !begun) return begun;
  // Somebody else may have done it meanwhile.
  const auto now = static_cast<std::size_t>(database.ask("PRAGMA user_version"));
  const auto program = static_cast<std::uint32_t>(database.ask("PRAGMA application_id"));
  const bool is_new = now == 0 && database.ask("SELECT count(*) FROM sqlite_schema") == 0;
  if (!is_new || now > steps.size()) {
    if (const auto good = check_header({0, static_cast<std::uint32_t>(now), program}, database.file(),
                                       static_cast<std::uint32_t>(steps.size()));
        !good) {
      database.roll_back();
      return good;
    }
  }
  for (std::size_t i = now; i < steps.size(); ++i) database.run(steps[i]);
  database.run(("PRAGMA user_version = " + std::to_string(steps.size())).c_str());
  if (is_new) database.run(("PRAGMA application_id = " + std::to_string(kStoreProgram)).c_str());
  const auto done = database.commit();
  if (!done) database.roll_back();
  return done;
}

}  // namespace gpuplan
