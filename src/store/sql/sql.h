// SQLite, as far as the store needs it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gpuplan {

class Database;

/// A statement that is run again and again. What fails is kept by its database, where it is asked for once, at the end.
class Statement {
 public:
  Statement(Database& database, std::string_view sql);
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  /// Runs it with these values from the beginning. True: there is a row.
  template <class... T>
  bool operator()(const T&... values) {
    reset();
    [&]<std::size_t... kPlace>(std::index_sequence<kPlace...>) {
      (bind(static_cast<int>(kPlace) + 1, values), ...);
    }(std::index_sequence_for<T...>());
    return next();
  }
  /// The next row; false: there is none, or it failed.
  bool next();

  std::int64_t whole(int column) const;
  double number(int column) const;
  std::optional<double> maybe(int column) const;
  /// Valid until the next row.
  std::string_view text(int column) const;

 private:
  void reset();
  void bind(int place, std::int64_t value);
  void bind(int place, int value) { bind(place, std::int64_t{value}); }
  void bind(int place, double value);
  void bind(int place, std::string_view value);
  void bind(int place, const std::string& value) { bind(place, std::string_view(value)); }
  void bind(int place, const std::optional<double>& value);

  Database* database_;
  sqlite3_stmt* statement_ = nullptr;
};

/// A database file. After a failure nothing is run any more but rolling back.
class Database {
 public:
  enum class Use { kRead, kWrite };
  /// Opens what is there, for writing also what is not. Nothing is read or written yet. `file` is what messages say;
  /// empty: a database that lies nowhere and goes when it is closed.
  static Result<std::unique_ptr<Database>> open(const std::string& file, Use use);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  /// Runs statements without values; false after a failure, of now or before.
  bool run(const char* sql);
  /// A value of the first row, 0 without one.
  std::int64_t ask(const char* sql);
  std::int64_t changes() const;

  /// Takes the right to write, for which it waits; an error says who has it.
  Result<void> begin();
  Result<void> commit();
  /// Forgets what was done since begin(), and the failure.
  void roll_back();

  bool failed() const { return code_ != 0; }
  /// What failed first, in words. REQUIRES: failed().
  Error error() const;
  bool is_read_only() const;
  /// How many transactions have changed the file, as its header says now: it is read through the database itself, since
  /// closing a second opening of the file would let go of the locks.
  std::optional<std::uint32_t> change_counter() const;
  const std::string& file() const { return file_; }

 private:
  friend class Statement;
  explicit Database(std::string file) : file_(std::move(file)) {}
  void note(int code);

  std::string file_;
  sqlite3* database_ = nullptr;
  int code_ = 0, system_ = 0;  ///< of what failed first
  bool creates_ = false;       ///< a file that is not there is to be made
};

/// What the first bytes of a database say; none where they are not those of one.
struct DatabaseHeader {
  std::uint32_t changes = 0, format = 0, program = 0;  ///< change counter, user_version, application_id
};
std::optional<DatabaseHeader> database_header(std::string_view bytes);
inline constexpr std::size_t kDatabaseHeader = 100;  // bytes

}  // namespace gpuplan
