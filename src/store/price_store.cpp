#include "store/price_store.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>
#include <utility>

#include "domain/market/offer_order.h"
#include "plan/answer/newest_offers.h"
#include "store/ready/ready.h"
#include "store/rows/adding.h"
#include "store/rows/dates.h"
#include "store/rows/reading.h"
#include "store/rows/scatter.h"
#include "store/rows/thinning.h"
#include "store/schema.h"

namespace gpuplan {
namespace {

namespace fs = std::filesystem;

constexpr int kWholeDays = 30, kDailyDays = 365;
/// So many present offers are laid out for planners, in less than 100 MB; of more a planner asks the database.
constexpr std::int64_t kMostReady = 80'000;

/// Bytes from the beginning of a file; fewer where it ends before. None: it can not be read, as errno says.
std::optional<std::string> bytes_of(const std::string& file, std::size_t most) {
  const int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return std::nullopt;
  std::string bytes;
  struct stat facts{};
  if (::fstat(number, &facts) == 0) {
    if (S_ISREG(facts.st_mode)) bytes.resize(std::min(most, static_cast<std::size_t>(facts.st_size)));
    else errno = S_ISDIR(facts.st_mode) ? EISDIR : EINVAL;
  }
  const bool regular = S_ISREG(facts.st_mode);
  std::size_t done = 0;
  while (regular && done < bytes.size()) {
    const ssize_t got = ::read(number, bytes.data() + done, bytes.size() - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  const int why = errno;
  ::close(number);
  errno = why;
  if (!regular) return std::nullopt;
  bytes.resize(done);
  return bytes;
}

/// A file that is never changed, only replaced, in memory as long as this lives; empty where it can not be read.
class MappedFile {
 public:
  explicit MappedFile(const std::string& file) {
    const int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (number < 0) return;
    struct stat facts{};
    if (::fstat(number, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
      const auto size = static_cast<std::size_t>(facts.st_size);
      const void* const place = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, number, 0);
      if (place != MAP_FAILED) bytes_ = {static_cast<const char*>(place), size};
    }
    ::close(number);
  }
  ~MappedFile() {
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::string_view bytes() const { return bytes_; }

 private:
  std::string_view bytes_;
};

std::unexpected<Error> cannot_read(const std::string& file, int why) {
  return failure(why == ENOENT   ? "no such file; gpuplan prices import makes it"
                 : why == EISDIR ? "is a folder, not a store of prices"
                 : why == EINVAL ? "is no file that a store of prices could be"
                 : why == EACCES ? "permission denied"
                                 : "cannot be read (" + std::generic_category().message(why) + ")",
                 {file});
}

/// State of the database file by what stands in it before it is opened; none: there is no such database.
std::optional<ReadyState> state_of(const std::string& file) {
  struct stat facts{};
  if (::stat(file.c_str(), &facts) != 0) return std::nullopt;
  const auto head = bytes_of(file, kDatabaseHeader);
  const auto header = head ? database_header(*head) : std::nullopt;
  if (!header || header->program != kStoreProgram || header->format != store_format()) return std::nullopt;
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  return ReadyState{header->changes, facts.st_mtim.tv_sec * kNanoseconds + facts.st_mtim.tv_nsec,
                    static_cast<std::uint64_t>(facts.st_size)};
}

/// Refuses what is no store without a byte of it being changed. An empty file becomes one.
Result<void> look_at(const std::string& file, PriceStore::Use use) {
  const auto head = bytes_of(file, kDatabaseHeader);
  if (!head) {
    if (errno == ENOENT && use == PriceStore::Use::kWrite) return {};
    return cannot_read(file, errno);
  }
  if (head->empty()) {
    if (use == PriceStore::Use::kWrite) return {};
    return failure("is empty: nothing was imported yet", {file});
  }
  const auto header = database_header(*head);
  if (!header) return failure("is not a store of prices and stays as it is; name another file with --store", {file});
  return check_header(*header, file, store_format());
}

Result<void> make_folders(const std::string& file) {
  const fs::path folder = fs::path(file).parent_path();
  std::error_code error;
  if (folder.empty() || fs::is_directory(folder, error)) return {};
  std::vector<fs::path> missing;
  for (fs::path way = folder; !way.empty() && !fs::exists(way, error); way = way.parent_path()) missing.push_back(way);
  constexpr mode_t kOwnFolder = 0700;
  for (auto way = missing.rbegin(); way != missing.rend(); ++way)
    if (::mkdir(way->c_str(), kOwnFolder) != 0 && errno != EEXIST)
      return failure("its folder cannot be made (" + std::generic_category().message(errno) + ")", {file});
  return {};
}

/// The offers for planners. What is unfinished of others who were killed goes.
void write_ready(const std::string& file, const std::vector<Offer>& offers, const OwnScatters& scatter,
                 const ReadyState& state) {
  const fs::path target = ready_file(file);
  const std::string stem = target.filename().string() + ".tmp";
  std::error_code error;
  const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    std::error_code untold;
    if (entry->path().filename().string().starts_with(stem)) fs::remove(entry->path(), untold);
  }
  const fs::path beside = target.string() + ".tmp" + std::to_string(::getpid());
  {
    const std::string bytes = pack_ready(offers, scatter, state);
    std::ofstream out(beside, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    out.close();
    // Without it the database serves, so nothing is lost.
    if (!out) fs::remove(beside, error);
    else fs::rename(beside, target, error);
  }
  if (error) fs::remove(beside, error);
}

void add_list(Database& database, std::int64_t import, int number, const Feed& feed) {
  Statement add(database,
                "INSERT INTO lists (import, number, format, file, rows, kept, corrected, rejected) VALUES (?, ?, ?, ?, "
                "?, ?, ?, ?)");
  const auto whole = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  add(import, number, feed.format, feed.file, whole(feed.rows), whole(feed.kept), whole(feed.corrected),
      whole(feed.rejected()));
  Statement reason(database, "INSERT INTO rejections (import, list, reason, rows) VALUES (?, ?, ?, ?)");
  for (const auto& [why, rows] : feed.rejections) reason(import, number, why, whole(rows));
}

/// A large file is looked at where it is read.
constexpr std::uint64_t kCheckedWhole = std::uint64_t{32} << 20U;

Result<void> look_inside(Database& database) {
  const auto pages = database.ask("PRAGMA page_count"), size = database.ask("PRAGMA page_size");
  if (static_cast<std::uint64_t>(pages * size) > kCheckedWhole) return {};
  Statement check(database, "PRAGMA quick_check(1)");
  const bool good = check() && check.text(0) == "ok";
  while (check.next()) {
  }
  if (database.failed()) return std::unexpected(database.error());
  if (!good)
    return failure("is damaged and stays as it is; bring back a copy, or move it away and import again",
                   {database.file()});
  return {};
}

/// A file of an older gpuplan is brought up to date before it is read.
Result<void> renew(const std::string& file) {
  const auto head = bytes_of(file, kDatabaseHeader);
  const auto header = head ? database_header(*head) : std::nullopt;
  if (!header || header->format == store_format()) return {};
  const auto database = Database::open(file, Database::Use::kWrite);
  if (!database) return std::unexpected(database.error());
  const bool read_only = (*database)->is_read_only();
  if (!read_only && bring_up_to_date(**database)) return {};
  return failure(
      "was written by an older gpuplan and cannot be brought up to date here; import something into it "
      "where it can be written",
      {file});
}

}  // namespace

PriceStore::PriceStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
PriceStore::~PriceStore() = default;
PriceStore::PriceStore(PriceStore&&) noexcept = default;
PriceStore& PriceStore::operator=(PriceStore&&) noexcept = default;

Result<PriceStore> PriceStore::open(const std::string& file, Use use) {
  if (const auto good = look_at(file, use); !good) return std::unexpected(good.error());
  const bool writes = use == Use::kWrite;
  if (writes)
    if (const auto made = make_folders(file); !made) return std::unexpected(made.error());
  if (!writes)
    if (const auto good = renew(file); !good) return std::unexpected(good.error());
  auto database = Database::open(file, writes ? Database::Use::kWrite : Database::Use::kRead);
  if (!database) return std::unexpected(std::move(database.error()));
  if (writes && (*database)->is_read_only())
    return failure("cannot be written (read-only disk, or no permission); nothing was changed", {file});
  // A plain journal, so that the file alone says which state it is of; what a transaction of usual lists changes stays
  // in memory until it is whole.
  (*database)->run("PRAGMA cache_size = -8192; PRAGMA journal_mode = DELETE");
  if (const auto ready = bring_up_to_date(**database); !ready) return std::unexpected(ready.error());
  if (const auto good = look_inside(**database); !good) return std::unexpected(good.error());
  return PriceStore(*std::move(database));
}

Result<PriceStore> PriceStore::scratch() {
  auto database = Database::open("", Database::Use::kWrite);
  if (!database) return std::unexpected(std::move(database.error()));
  if (const auto ready = bring_up_to_date(**database); !ready) return std::unexpected(ready.error());
  return PriceStore(*std::move(database));
}

Result<void> PriceStore::stage(const std::string& list, std::span<const Offer> offers, std::span<const OfferRow> rows) {
  if (!staged_) {
    if (const auto begun = database_->begin(); !begun) {
      Error error = begun.error();
      database_->roll_back();
      return std::unexpected(std::move(error));
    }
    staged_ = std::make_unique<StagedOffers>(*database_);
  }
  staged_->take(list, offers, rows);
  if (!database_->failed()) return {};
  Error error = database_->error();
  staged_.reset();
  database_->roll_back();
  return std::unexpected(std::move(error));
}

Result<ImportRecord> PriceStore::import(const std::vector<Feed>& lists, const ImportTerms& terms, StagedJudge* judge) {
  Database& database = *database_;
  if (!staged_)
    if (const auto begun = database.begin(); !begun) {
      Error error = begun.error();
      database.roll_back();
      return std::unexpected(std::move(error));
    }
  const auto counter = database.change_counter();
  const std::int64_t number = database.ask("SELECT coalesce(max(id), 0) + 1 FROM imports");
  const bool first_today = Statement(database, "SELECT 1 FROM imports WHERE day = ?")(terms.today) == false;
  Statement(database, "INSERT INTO imports (id, day, time, version) VALUES (?, ?, ?, ?)")(number, terms.today,
                                                                                          terms.time, terms.version);
  ImportRecord record{number, terms.today, terms.time, terms.version, {}};
  const int today = packed_date(terms.today);
  const int whole_from = today > 0 ? days_before(today, kWholeDays) : 0;
  add_lists(database, lists, {number, whole_from, staged_.get(), judge});
  for (const Feed& feed : lists) {
    add_list(database, number, static_cast<int>(record.lists.size()), feed);
    ImportedList& list = record.lists.emplace_back(
        ImportedList{feed.format, feed.file, feed.rows, feed.kept, feed.corrected, feed.rejected(), {}});
    list.rejections.assign(feed.rejections.begin(), feed.rejections.end());
    std::ranges::stable_sort(list.rejections, [](const auto& a, const auto& b) { return a.second > b.second; });
  }
  const bool old =
      staged_ || std::ranges::any_of(lists, [&](const Feed& feed) {
        return std::ranges::any_of(feed.offers, [&](const Offer& one) { return packed_date(one.as_of) < whole_from; });
      });
  if ((first_today || old) && today > 0) thin(database, whole_from, days_before(today, kDailyDays));
  if (staged_) {
    staged_.reset();
    database.run("PRAGMA shrink_memory");
  }
  const bool lays_out = count_offers(database, {}, kMostReady) < kMostReady;
  std::vector<Offer> ready;
  OwnScatters scatter;
  if (lays_out) {
    ready = newest_offers(current_offers(database, ""));
    scatter = own_scatter(database, "", ready);
  }
  const auto done = database.commit();
  if (!done) {
    Error error = done.error();
    database.roll_back();
    return std::unexpected(std::move(error));
  }
  // Whoever wrote meanwhile lays out what is newer.
  if (!lays_out) {
    std::error_code untold;
    fs::remove(ready_file(database.file()), untold);
  } else if (const auto state = state_of(database.file()); state && counter && state->changes == *counter + 1) {
    std::ranges::sort(ready, before);  // once here, so that no planner needs to
    write_ready(database.file(), ready, scatter, *state);
  }
  return record;
}

Result<std::vector<Offer>> PriceStore::offers(std::string_view as_of) {
  std::vector<Offer> found = current_offers(*database_, as_of);
  if (database_->failed()) return std::unexpected(database_->error());
  return found;
}

Result<ThinnedOffers> PriceStore::newest(std::string_view as_of) {
  ThinnedOffers found{newest_offers(current_offers(*database_, as_of), as_of), {}};
  found.scatter = own_scatter(*database_, as_of, found.offers);
  if (database_->failed()) return std::unexpected(database_->error());
  return found;
}

Result<ThinnedOffers> stored_offers(const std::string& file, std::string_view as_of, const Places* wanted_at) {
  if (as_of.empty())
    if (const auto state = state_of(file))
      if (auto offers = unpack_ready(MappedFile(ready_file(file)).bytes(), *state, wanted_at))
        return *std::move(offers);
  // A first import that was killed leaves an empty file.
  std::error_code unknown;
  if (fs::is_regular_file(file, unknown) && fs::file_size(file, unknown) == 0) return ThinnedOffers();
  auto store = PriceStore::open(file, PriceStore::Use::kRead);
  if (!store) return std::unexpected(std::move(store.error()));
  return store->newest(as_of);
}

}  // namespace gpuplan
