#include "input/traces/sqlite_file.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "base/text.h"

namespace gpuplan {
namespace {

constexpr std::size_t kDatabaseHead = 100;
constexpr int kDeepestTree = 24;                    // a tree of 2^31 pages has far fewer levels
constexpr std::uint64_t kLongestRow = 1ULL << 20U;  // a name of a kernel has kilobytes
constexpr std::size_t kMostTables = 1000;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return value;
}

/// Of `size` bytes at `at`; nothing beyond the end.
std::optional<std::uint64_t> big_endian_at(std::string_view bytes, std::size_t at, std::size_t size) {
  if (at > bytes.size() || bytes.size() - at < size) return std::nullopt;
  return big_endian(bytes.substr(at, size));
}

/// Seven bits a byte, eight in the ninth.
std::optional<std::uint64_t> take_varint(std::string_view bytes, std::size_t& at) {
  std::uint64_t value = 0;
  for (int i = 0; i < 9; ++i) {
    if (at >= bytes.size()) return std::nullopt;
    const auto byte = static_cast<unsigned char>(bytes[at++]);
    if (i == 8) return value << 8U | byte;
    value = value << 7U | (byte & 0x7FU);
    if ((byte & 0x80U) == 0) return value;
  }
  return value;
}

std::int64_t signed_of(std::uint64_t value, std::size_t bytes) {
  const unsigned shift = 64 - 8 * static_cast<unsigned>(bytes);
  return std::bit_cast<std::int64_t>(value << shift) >> shift;
}

/// A value by its type in the record's head; takes it off.
std::optional<SqliteValue> take_value(std::string_view record, std::size_t& at, std::uint64_t type) {
  constexpr std::uint64_t kReal = 7, kZero = 8, kOne = 9, kFirstText = 12;
  SqliteValue value;
  if (type == 0) return value;
  if (type < kReal) {
    constexpr std::size_t kSizes[] = {0, 1, 2, 3, 4, 6, 8};
    const std::size_t size = kSizes[type];
    const auto read = big_endian_at(record, at, size);
    if (!read) return std::nullopt;
    at += size;
    value.kind = SqliteValue::Kind::kInteger;
    value.integer = signed_of(*read, size);
    return value;
  }
  if (type == kReal) {
    const auto read = big_endian_at(record, at, 8);
    if (!read) return std::nullopt;
    at += 8;
    value.kind = SqliteValue::Kind::kReal;
    value.real = std::bit_cast<double>(*read);
    return value;
  }
  if (type == kZero || type == kOne) {
    value.kind = SqliteValue::Kind::kInteger;
    value.integer = type == kOne ? 1 : 0;
    return value;
  }
  if (type < kFirstText) return std::nullopt;
  const std::uint64_t size = (type - kFirstText) / 2;
  if (at > record.size() || size > record.size() - at) return std::nullopt;
  value.kind = type % 2 == 1 ? SqliteValue::Kind::kText : SqliteValue::Kind::kNull;  // a blob is nothing that is read
  value.text = record.substr(at, static_cast<std::size_t>(size));
  at += static_cast<std::size_t>(size);
  return value;
}

/// The names in "CREATE TABLE x (start INTEGER NOT NULL, end INTEGER, ...)", and which of them is the number of the
/// row.
std::vector<std::string> declared_columns(std::string_view sql, std::size_t& row_id) {
  std::vector<std::string> names;
  const std::size_t open = sql.find('(');
  row_id = SIZE_MAX;
  if (open == std::string_view::npos) return names;
  int depth = 0;
  std::size_t begin = open + 1;
  for (std::size_t at = open + 1; at < sql.size(); ++at) {
    const char c = sql[at];
    if (c == '(') ++depth;
    const bool last = c == ')' && depth == 0;
    if (c == ')' && !last) --depth;
    if (!last && !(c == ',' && depth == 0)) continue;
    const std::string_view part = trim(sql.substr(begin, at - begin));
    begin = at + 1;
    std::size_t end = 0;
    while (end < part.size() && part[end] != ' ' && part[end] != '\t' && part[end] != '\n' && part[end] != '(') ++end;
    std::string_view name = part.substr(0, end);
    for (const std::string_view other : {"PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT"})
      if (iequals(name, other)) name = {};
    if (!name.empty()) {
      if (name.size() > 1 && (name.front() == '"' || name.front() == '`' || name.front() == '['))
        name = name.substr(1, name.size() - 2);
      const std::string lower = to_lower(part);
      if (lower.find("primary key") != std::string::npos && lower.find("integer") != std::string::npos)
        row_id = names.size();
      names.emplace_back(name);
    }
    if (last) break;
  }
  return names;
}

Result<void> damaged_database() { return failure("a damaged SQLite database"); }

}  // namespace

struct SqliteFile::Walk {
  const Table& table;
  std::vector<std::size_t> wanted;  ///< by column of the table: its place among the values; the number of them: none
  std::vector<SqliteValue> values;
  Rows& each;
  std::vector<bool> seen{};  ///< pages; each belongs to one place of a tree
  std::string row{};

  bool first_time(std::uint32_t page) {
    if (page >= seen.size()) seen.resize(std::size_t{page} + 1);
    if (seen[page]) return false;
    seen[page] = true;
    return true;
  }
};

Result<SqliteFile> SqliteFile::open(PlacedBytes& bytes) {
  SqliteFile file(bytes);
  const auto head = bytes.at(0, kDatabaseHead);
  if (!head) return std::unexpected(head.error());
  if (head->size() < kDatabaseHead || !begins(*head)) return failure("not an SQLite database");
  file.page_size_ = static_cast<std::uint32_t>(*big_endian_at(*head, 16, 2));
  if (file.page_size_ == 1) file.page_size_ = 65536;
  file.usable_ = file.page_size_ - static_cast<unsigned char>((*head)[20]);
  if (file.page_size_ < 512 || !std::has_single_bit(file.page_size_) || file.usable_ < 480)
    return std::unexpected(damaged_database().error());
  if (const auto good = file.list_tables(); !good) return std::unexpected(good.error());
  return file;
}

const SqliteFile::Table* SqliteFile::find(std::string_view table) const {
  const auto found = std::ranges::find(tables_, table, &Table::name);
  return found == tables_.end() ? nullptr : &*found;
}

Result<std::string> SqliteFile::page(std::uint32_t number) {
  if (number == 0) return std::unexpected(damaged_database().error());
  const auto bytes = bytes_->at(static_cast<std::uint64_t>(number - 1) * page_size_, page_size_);
  if (!bytes) return std::unexpected(bytes.error());
  if (bytes->size() < page_size_) return failure("the SQLite database ends in the middle; export it again");
  return std::string(bytes->substr(0, usable_));
}

Result<void> SqliteFile::list_tables() {
  const Table schema{"sqlite_schema", 1, {"type", "name", "tbl_name", "rootpage", "sql"}, SIZE_MAX};
  struct Listing final : Rows {
    explicit Listing(std::vector<Table>& list) : tables(list) {}
    void row(std::span<const SqliteValue> row) override {
      if (row[0].text != "table" || row[2].integer <= 0 || tables.size() == kMostTables) return;
      Table table{std::string(row[1].text), static_cast<std::uint32_t>(row[2].integer), {}, 0};
      table.columns = declared_columns(row[3].text, table.row_id);
      tables.push_back(std::move(table));
    }
    std::vector<Table>& tables;
  };
  Listing add(tables_);
  Walk walk{schema, {0, 1, 4, 2, 3}, std::vector<SqliteValue>(4), add};
  return this->walk(walk, 1, 0);
}

Result<void> SqliteFile::rows_of(std::string_view table, std::span<const std::string_view> columns, Rows& each) {
  const Table* const found = find(table);
  if (found == nullptr) return {};
  Walk walk{*found, {}, std::vector<SqliteValue>(columns.size()), each};
  for (const std::string& name : found->columns)
    walk.wanted.push_back(static_cast<std::size_t>(std::ranges::find(columns, name) - columns.begin()));
  return this->walk(walk, found->root, 0);
}

Result<void> SqliteFile::walk(Walk& walk, std::uint32_t number, int depth) {
  constexpr char kLeaf = 0x0D, kInterior = 0x05;
  const auto read = page(number);
  if (!read) return std::unexpected(read.error());
  if (depth > kDeepestTree || !walk.first_time(number)) return damaged_database();
  const std::string_view bytes = *read;
  const std::size_t start = number == 1 ? kDatabaseHead : 0;
  const char type = bytes[start];
  if (type != kLeaf && type != kInterior) return damaged_database();
  const std::size_t cells = static_cast<std::size_t>(*big_endian_at(bytes, start + 3, 2));
  const std::size_t list = start + (type == kLeaf ? 8 : 12);
  std::vector<std::uint32_t> children;
  for (std::size_t i = 0; i < cells; ++i) {
    const auto at = big_endian_at(bytes, list + 2 * i, 2);
    if (!at) return damaged_database();
    if (type == kLeaf) {
      if (const auto good = cell(walk, bytes, static_cast<std::size_t>(*at)); !good) return good;
      continue;
    }
    const auto child = big_endian_at(bytes, static_cast<std::size_t>(*at), 4);
    if (!child) return damaged_database();
    children.push_back(static_cast<std::uint32_t>(*child));
  }
  if (type == kInterior) children.push_back(static_cast<std::uint32_t>(*big_endian_at(bytes, start + 8, 4)));
  for (const std::uint32_t child : children)
    if (const auto good = this->walk(walk, child, depth + 1); !good) return good;
  return {};
}

/// A row of a leaf: its size, its number, and what of it fits; the rest is in a chain of other pages.
Result<void> SqliteFile::cell(Walk& walk, std::string_view page, std::size_t at) {
  const auto size = take_varint(page, at);
  const auto row_id = take_varint(page, at);
  if (!size || !row_id || *size > kLongestRow) return size && row_id ? Result<void>{} : damaged_database();
  const std::uint64_t most = usable_ - 35;
  std::uint64_t here = *size;
  if (*size > most) {
    const std::uint64_t least = (usable_ - 12) * 32 / 255 - 23;
    here = least + (*size - least) % (usable_ - 4);
    if (here > most) here = least;
  }
  if (at > page.size() || here > page.size() - at) return damaged_database();
  std::string_view record = page.substr(at, static_cast<std::size_t>(here));
  if (here < *size) {
    auto next = big_endian_at(page, at + static_cast<std::size_t>(here), 4);
    walk.row.assign(record);
    while (next && *next != 0 && walk.row.size() < *size) {
      const auto more = this->page(static_cast<std::uint32_t>(*next));
      if (!more) return std::unexpected(more.error());
      if (!walk.first_time(static_cast<std::uint32_t>(*next))) return damaged_database();
      walk.row += std::string_view(*more).substr(4, static_cast<std::size_t>(*size) - walk.row.size());
      next = big_endian_at(*more, 0, 4);
    }
    if (walk.row.size() < *size) return damaged_database();
    record = walk.row;
  }
  std::size_t head = 0;
  const auto head_size = take_varint(record, head);
  if (!head_size || *head_size > record.size()) return damaged_database();
  std::size_t value_at = static_cast<std::size_t>(*head_size);
  std::ranges::fill(walk.values, SqliteValue{});
  for (std::size_t column = 0; head < *head_size && column < walk.wanted.size(); ++column) {
    const auto type = take_varint(record, head);
    if (!type) return damaged_database();
    const auto value = take_value(record, value_at, *type);
    if (!value) return damaged_database();
    if (walk.wanted[column] >= walk.values.size()) continue;
    walk.values[walk.wanted[column]] = *value;
    if (column == walk.table.row_id)
      walk.values[walk.wanted[column]] = {.kind = SqliteValue::Kind::kInteger,
                                          .integer = std::bit_cast<std::int64_t>(*row_id)};
  }
  walk.each.row(walk.values);
  return {};
}

}  // namespace gpuplan
