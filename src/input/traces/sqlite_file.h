// Tables of an SQLite database, read page by page as its file format documents them (sqlite.org/fileformat2.html): no
// more of the file than a few pages is held, so that the same works in a browser and on files larger than memory.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gpuplan {

/// A file that is read at any place.
class PlacedBytes {
 public:
  PlacedBytes() = default;
  PlacedBytes(const PlacedBytes&) = delete;
  PlacedBytes& operator=(const PlacedBytes&) = delete;
  virtual ~PlacedBytes() = default;
  /// From a place on, valid until the next call; fewer at its end.
  virtual Result<std::string_view> at(std::uint64_t offset, std::size_t size) = 0;
};

/// One that is in memory.
class TextBytes : public PlacedBytes {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::string_view> at(std::uint64_t offset, std::size_t size) override {
    return offset < text_.size() ? text_.substr(static_cast<std::size_t>(offset), size) : std::string_view();
  }

 private:
  std::string_view text_;
};

struct SqliteValue {
  enum class Kind : std::uint8_t { kNull, kInteger, kReal, kText } kind = Kind::kNull;
  std::int64_t integer = 0;
  double real = 0;
  std::string_view text{};  ///< valid during the call that it comes with
};

class SqliteFile {
 public:
  static bool begins(std::string_view bytes) { return bytes.starts_with(kMagic); }
  /// Fails for what is no database, or one whose list of tables is damaged. `bytes` must outlive it.
  static Result<SqliteFile> open(PlacedBytes& bytes);

  bool has(std::string_view table) const { return find(table) != nullptr; }
  /// Calls `take(values)` for each row, with the values of these columns; those that the table lacks are null. Fails
  /// for a damaged table, after the rows before the damage.
  template <class Take>
  Result<void> rows(std::string_view table, std::span<const std::string_view> columns, Take take) {
    struct Each final : Rows {
      explicit Each(Take& each) : take(each) {}
      void row(std::span<const SqliteValue> values) override { take(values); }
      Take& take;
    };
    Each each(take);
    return rows_of(table, columns, each);
  }

 private:
  static constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  struct Table {
    std::string name;
    std::uint32_t root = 0;
    std::vector<std::string> columns;
    std::size_t row_id = 0;  ///< the column that is the number of the row; its size: none
  };
  struct Rows {
    Rows() = default;
    Rows(const Rows&) = delete;
    Rows& operator=(const Rows&) = delete;
    virtual ~Rows() = default;
    virtual void row(std::span<const SqliteValue> values) = 0;
  };
  struct Walk;

  explicit SqliteFile(PlacedBytes& bytes) : bytes_(&bytes) {}
  Result<void> rows_of(std::string_view table, std::span<const std::string_view> columns, Rows& each);
  const Table* find(std::string_view table) const;
  Result<std::string> page(std::uint32_t number);
  Result<void> walk(Walk& walk, std::uint32_t number, int depth);
  Result<void> cell(Walk& walk, std::string_view page, std::size_t at);
  Result<void> list_tables();

  PlacedBytes* bytes_;
  std::uint32_t page_size_ = 0, usable_ = 0;
  std::vector<Table> tables_;
};

}  // namespace gpuplan
