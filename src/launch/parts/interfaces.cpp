#include "launch/parts/interfaces.h"

#include <algorithm>

#include "base/text.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {

Result<std::vector<Interface>> read_interfaces(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), package = cells.column("package"), from = cells.column("from"),
             before = cells.column("before"), date = cells.column("date"), source = cells.column("source"),
             as_of = cells.column("as_of");
  std::vector<Interface> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto text_of = [&](CsvReader::Column column) { return std::string(cells.text(row, column)); };
    Interface known{std::string(cells.required(row, name)), text_of(package), text_of(from), text_of(before),
                    text_of(date)};
    cells.required(row, source);
    cells.date(row, as_of);
    if (std::ranges::find(rows, known.name, &Interface::name) != rows.end()) cells.fail_cell(row, name, "given once");
    rows.push_back(std::move(known));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return rows;
}

const Interface* interface_of(std::string_view name) {
  // Without rows where it can not be read, which tests/data would tell.
  static const std::vector<Interface> all = [] {
    auto rows = read_interfaces(embedded_data("interfaces/index.csv"), "interfaces/index.csv");
    return rows ? *std::move(rows) : std::vector<Interface>{};
  }();
  const auto found = std::ranges::find(all, name, &Interface::name);
  return found == all.end() ? nullptr : &*found;
}

Result<std::vector<InterfaceRow>> read_interface_rows(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto section = cells.column("section"), name = cells.column("name"), type = cells.column("type"),
             choices = cells.column("choices"), until = cells.column("until");
  std::vector<InterfaceRow> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    const auto text_of = [&](CsvReader::Column column) { return std::string(cells.text(row, column)); };
    rows.push_back(
        {text_of(section), std::string(cells.required(row, name)), text_of(type), text_of(choices), text_of(until)});
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  // What is added has rows below it in turn; no type holds itself.
  constexpr std::size_t kMost = 10000;
  for (std::size_t i = 0; i < rows.size() && rows.size() < kMost; ++i)
    for (std::size_t j = 0, read = rows.size(); j < read && !rows[i].type.empty(); ++j)
      if (rows[j].section == rows[i].type && rows[j].until.empty())
        rows.push_back(
            {rows[i].section, rows[i].name + "." + rows[j].name, rows[j].type, rows[j].choices, rows[i].until});
  return rows;
}

std::vector<const InterfaceRow*> interface_rows(std::string_view program, std::string_view section) {
  static const std::vector<std::vector<InterfaceRow>> all = [] {
    std::vector<std::vector<InterfaceRow>> tables;
    for (const std::string_view table : kArgumentTables) {
      const std::string file = "interfaces/" + std::string(table) + ".csv";
      auto rows = read_interface_rows(embedded_data(file), file);
      tables.push_back(rows ? *std::move(rows) : std::vector<InterfaceRow>{});
    }
    return tables;
  }();
  const auto table = std::ranges::find(kArgumentTables, program);
  std::vector<const InterfaceRow*> rows;
  if (table == kArgumentTables.end()) return rows;
  for (const InterfaceRow& row : all[static_cast<std::size_t>(table - kArgumentTables.begin())])
    if (row.section == section) rows.push_back(&row);
  return rows;
}

const InterfaceRow* interface_row(std::string_view program, std::string_view section, std::string_view name) {
  const std::string plain = squeeze(name);
  for (const InterfaceRow* row : interface_rows(program, section))
    if (row->until.empty() && squeeze(row->name) == plain) return row;
  return nullptr;
}

}  // namespace gpuplan
