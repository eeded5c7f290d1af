#include "store/sql/sql.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr int kWait = 10'000;  // ms, for others who write

/// SQLite locks these bytes of the file (its documentation of the file format), so the system knows who holds them.
constexpr off_t kLockedFrom = 0x40000000, kLockedBytes = 512;

/// "process 4711 (gpuplan)"; empty: nobody is known.
std::string holder_of(const std::string& file) {
  const int number = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) return "";
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = kLockedFrom;
  lock.l_len = kLockedBytes;
  const bool held = ::fcntl(number, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0;
  ::close(number);
  if (!held) return "";
  std::string name;
  std::ifstream("/proc/" + std::to_string(lock.l_pid) + "/comm") >> name;
  return "process " + std::to_string(lock.l_pid) + (name.empty() ? "" : " (" + printable(name, 30) + ")");
}

/// Why nothing can be made in the folder of a file; 0: it can.
int folder_problem(const std::string& file) {
  const std::size_t slash = file.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : file.substr(0, slash + 1);
  return ::access(folder.c_str(), W_OK) == 0 ? 0 : errno;
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (const char c : bytes.substr(at, 4)) number = number << 8U | static_cast<unsigned char>(c);
  return number;
}

}  // namespace

std::optional<DatabaseHeader> database_header(std::string_view bytes) {
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (bytes.size() < kDatabaseHeader || !bytes.starts_with(kMagic)) return std::nullopt;
  return DatabaseHeader{big_endian(bytes, 24), big_endian(bytes, 60), big_endian(bytes, 68)};
}

Statement::Statement(Database& database, std::string_view sql) : database_(&database) {
  if (database.failed()) return;
  const int code =
      sqlite3_prepare_v2(database.database_, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  if (code != SQLITE_OK) database.note(code);
}

Statement::~Statement() { sqlite3_finalize(statement_); }

void Statement::reset() {
  if (statement_ != nullptr) sqlite3_reset(statement_);
}

bool Statement::next() {
  if (statement_ == nullptr || database_->failed()) return false;
  const int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->note(code);
  sqlite3_reset(statement_);
  return false;
}

void Statement::bind(int place, std::int64_t value) { sqlite3_bind_int64(statement_, place, value); }
void Statement::bind(int place, double value) { sqlite3_bind_double(statement_, place, value); }
void Statement::bind(int place, std::string_view value) {
  sqlite3_bind_text(statement_, place, value.data() != nullptr ? value.data() : "", static_cast<int>(value.size()),
                    SQLITE_TRANSIENT);
}
void Statement::bind(int place, const std::optional<double>& value) {
  if (value) bind(place, *value);
  else sqlite3_bind_null(statement_, place);
}

std::int64_t Statement::whole(int column) const { return sqlite3_column_int64(statement_, column); }
double Statement::number(int column) const { return sqlite3_column_double(statement_, column); }
std::optional<double> Statement::maybe(int column) const {
  if (sqlite3_column_type(statement_, column) == SQLITE_NULL) return std::nullopt;
  return number(column);
}
std::string_view Statement::text(int column) const {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return text == nullptr ? std::string_view()
                         : std::string_view(text, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& file, Use use) {
  std::unique_ptr<Database> database(new Database(file));
  database->creates_ = use == Use::kWrite;
  // A reader may write, too: what was begun by somebody who was killed is taken back by whoever comes next.
  const int flags = SQLITE_OPEN_READWRITE | (use == Use::kWrite ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX;
  // A name that begins with a colon means something else to SQLite.
  const std::string path = file.empty() || file.starts_with('/') ? file : "./" + file;
  int code = sqlite3_open_v2(path.c_str(), &database->database_, flags, nullptr);
  if (code == SQLITE_CANTOPEN && use == Use::kRead) {
    sqlite3_close(std::exchange(database->database_, nullptr));
    code = sqlite3_open_v2(path.c_str(), &database->database_, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nullptr);
  }
  if (code != SQLITE_OK) {
    database->note(code);
    return std::unexpected(database->error());
  }
  sqlite3_extended_result_codes(database->database_, 1);
  sqlite3_busy_timeout(database->database_, kWait);
  return database;
}

Database::~Database() { sqlite3_close(database_); }

void Database::note(int code) {
  if (code_ != 0) return;
  code_ = code;
  system_ = database_ != nullptr ? sqlite3_system_errno(database_) : 0;
}

bool Database::run(const char* sql) {
  if (failed()) return false;
  if (const int code = sqlite3_exec(database_, sql, nullptr, nullptr, nullptr); code != SQLITE_OK) note(code);
  return !failed();
}

std::int64_t Database::ask(const char* sql) {
  Statement statement(*this, sql);
  return statement() ? statement.whole(0) : 0;
}

std::int64_t Database::changes() const { return sqlite3_changes64(database_); }

Result<void> Database::begin() {
  if (run("BEGIN IMMEDIATE")) return {};
  return std::unexpected(error());
}

Result<void> Database::commit() {
  if (run("COMMIT")) return {};
  return std::unexpected(error());
}

void Database::roll_back() {
  code_ = 0;
  if (sqlite3_get_autocommit(database_) == 0) sqlite3_exec(database_, "ROLLBACK", nullptr, nullptr, nullptr);
}

Error Database::error() const {
  const Place place{file_};
  switch (code_ & 0xFF) {
    case SQLITE_NOTADB:
      return {"is not a store of prices; name another file with --store", place};
    case SQLITE_CORRUPT:
      return {"is damaged and stays as it is; bring back a copy, or move it away and import again", place};
    case SQLITE_FULL:
      return {"the disk is full; nothing was changed", place};
    case SQLITE_BUSY: {
      const std::string holder = holder_of(file_);
      return {"is being written by " + (holder.empty() ? "another program" : holder) + "; try again when it is done",
              place};
    }
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return {"cannot be written (read-only disk, or no permission); nothing was changed", place};
    case SQLITE_CANTOPEN:
    case SQLITE_IOERR: {
      // After a file could not be made SQLite looks for one to read, and says of that that there is none.
      const int folder = creates_ && system_ == ENOENT ? folder_problem(file_) : 0;
      if (folder == EROFS || folder == EACCES)
        return {
            "cannot be made there (" + std::generic_category().message(folder) + "); name another file with --store",
            place};
      const std::string why = system_ != 0 ? std::generic_category().message(system_) : sqlite3_errstr(code_);
      return {"cannot be read or written (" + why + "); nothing was changed", place};
    }
    default:
      return {std::string("cannot be used (") + sqlite3_errstr(code_) + ")", place};
  }
}

bool Database::is_read_only() const { return sqlite3_db_readonly(database_, "main") == 1; }

std::optional<std::uint32_t> Database::change_counter() const {
  sqlite3_file* file = nullptr;
  if (sqlite3_file_control(database_, "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file)) != SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr)
    return std::nullopt;
  std::array<char, kDatabaseHeader> bytes{};
  if (file->pMethods->xRead(file, bytes.data(), static_cast<int>(bytes.size()), 0) != SQLITE_OK) return std::nullopt;
  const auto header = database_header({bytes.data(), bytes.size()});
  return header ? std::optional(header->changes) : std::nullopt;
}

}  // namespace gpuplan
