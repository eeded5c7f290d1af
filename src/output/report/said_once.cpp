#include "output/report/said_once.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// "Memory per GPU" as it stands inside of a sentence; "GPUs used" stays.
std::string inside(std::string title) {
  if (title.size() > 1 && title[0] >= 'A' && title[0] <= 'Z' && title[1] >= 'a' && title[1] <= 'z')
    title[0] = static_cast<char>(title[0] - 'A' + 'a');
  return title;
}

bool alike(const TableRow& a, const TableRow& b) {
  return a.cells.size() == b.cells.size() && !a.strong && !b.strong &&
         std::equal(a.cells.begin() + 1, a.cells.end(), b.cells.begin() + 1);
}

}  // namespace

std::string said_once(TableBlock& table, std::initializer_list<std::string_view> titles) {
  if (table.rows.size() < 2) return "";
  std::vector<std::string> said;
  for (const std::string_view title : titles) {
    const auto column = std::ranges::find(table.columns, title, &TableColumn::title);
    if (column == table.columns.end()) continue;
    const auto at = column - table.columns.begin();
    const std::string cell = table.rows.front().cells[static_cast<std::size_t>(at)];
    if (!std::ranges::all_of(table.rows,
                             [&](const TableRow& row) { return row.cells[static_cast<std::size_t>(at)] == cell; }))
      continue;
    const bool lone = title == "Offers" && cell == "1";  // what each row has at least
    if (!cell.empty() && cell != kNoValue && !lone) said.push_back(inside(std::string(title)) + " " + cell);
    table.erase_column(static_cast<std::size_t>(at));
  }
  return said.empty() ? "" : "The same in all rows: " + join(said, "; ") + ".";
}

void join_alike(TableBlock& table) {
  struct Group {
    TableRow row;
    std::vector<std::string> names;  ///< of the others
  };
  std::vector<Group> groups;
  for (TableRow& row : table.rows) {
    const auto same = std::ranges::find_if(groups, [&](const Group& group) { return alike(group.row, row); });
    if (same == groups.end() || row.cells.empty()) {
      groups.push_back({std::move(row), {}});
      continue;
    }
    if (row.mark == RowMark::kPick) std::swap(same->row, row);
    same->names.push_back(std::move(row.cells.front()));
  }
  table.rows.clear();
  for (Group& group : groups) {
    if (group.names.size() == 1) group.row.cells.front() += " and " + group.names.front();
    else if (!group.names.empty())
      group.row.cells.front() += " and " + count_text(static_cast<double>(group.names.size())) + " alike";
    table.rows.push_back(std::move(group.row));
  }
}

}  // namespace gpuplan
