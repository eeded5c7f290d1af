// Tables with something missing: each row and each cell that the models read is refused when it is not there, and no
// row that was meant for others takes its place.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "input/tables/catalogue_files.h"
#include "input/text/csv.h"
#include "input/text/embedded_data.h"

namespace gpuplan {
namespace {

/// Tables whose rows belong together: the models look each of them up. `*` rows stand for what has no row of its own.
constexpr std::string_view kClosed[] = {"efficiency.csv",           "training_software.csv",
                                        "training_constants.csv",   "engines.csv",
                                        "frameworks.csv",           "links.csv",
                                        "generation_constants.csv", "assumptions.csv",
                                        "practice_constants.csv",   "error_components.csv",
                                        "answer_constants.csv"};

/// The data built in, with `text` in the place of one table. "" when it is taken.
std::string refusal(std::string_view table, const std::string& text) {
  std::vector<DataFile> files;
  for (const std::string_view name : kDataFiles)
    files.push_back({name, std::string(name), name == table ? std::string_view(text) : embedded_data(name)});
  const auto read = parse_catalogue(files);
  return read ? "" : read.error().place.file + ": " + read.error().message;
}

std::vector<std::string> lines_of(std::string_view table) {
  std::vector<std::string> lines;
  for (const std::string_view line : split(embedded_data(table), '\n'))
    if (!line.empty()) lines.emplace_back(line);
  return lines;
}

std::string joined(const std::vector<std::string>& lines) { return join(lines, "\n") + "\n"; }

std::string in_quotes(std::string_view cell) {
  std::string text = "\"";
  for (const char c : cell) text += c == '"' ? "\"\"" : std::string(1, c);
  return text + "\"";
}

/// The table without this column, or with the cell of one row empty.
std::string changed(const CsvTable& table, std::size_t column, std::optional<std::size_t> emptied) {
  std::string text;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    if (!emptied && c == column) continue;
    const std::string unit = table.unit(c).empty() ? "" : "[" + std::string(table.unit(c)) + "]";
    text += (text.empty() ? "" : ",") + in_quotes(std::string(table.name(c)) + unit);
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::string line;
    for (std::size_t c = 0; c < table.columns(); ++c) {
      if (!emptied && c == column) continue;
      if (!line.empty() || c > (!emptied && column == 0 ? 1U : 0U)) line += ",";
      line += emptied == row && c == column ? "" : in_quotes(table.cell(row, c));
    }
    text += "\n" + line;
  }
  return text + "\n";
}

TEST(Complete, EachRowThatAModelLooksUpIsMissed) {
  for (const std::string_view table : kClosed) {
    const std::vector<std::string> lines = lines_of(table);
    ASSERT_GT(lines.size(), 5U) << table;
    ASSERT_EQ(refusal(table, joined(lines)), "") << table;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      if (lines[i].starts_with("*")) continue;  // nothing of the catalogue reads it: see below
      // A figure need not know every circumstance.
      constexpr std::array<std::string_view, 5> kOfEach = {",software,", ",card,", ",generation,", ",site,",
                                                           ",configuration,"};
      const auto has = [&](std::string_view part) { return lines[i].find(part) != std::string::npos; };
      if (table == "error_components.csv" && std::ranges::none_of(kOfEach, has)) continue;
      std::vector<std::string> fewer = lines;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      const std::string said = refusal(table, joined(fewer));
      EXPECT_NE(said, "") << table << ": " << lines[i];
      EXPECT_EQ(said.find('\n'), std::string::npos) << said;
    }
  }
}

TEST(Complete, NothingIsReadFromRowsForOthers) {
  const auto catalogue = [] {
    std::vector<DataFile> files;
    for (const std::string_view name : kDataFiles) files.push_back({name, std::string(name), embedded_data(name)});
    return parse_catalogue(files).value();
  }();
  ASSERT_FALSE(catalogue.gpus.empty());
  for (const Framework& framework : catalogue.frameworks) {
    if (framework.generates) {
      EXPECT_EQ(std::ranges::count(catalogue.engines, framework.name, &EngineProfile::name), 1) << framework.name;
    }
    if (framework.trains) {
      EXPECT_EQ(std::ranges::count(catalogue.training_software, framework.name, &TrainingSoftware::name), 1)
          << framework.name;
    }
  }
}

TEST(Complete, EachColumnIsMissed) {
  // What no program reads: for people.
  const std::set<std::string> unread = {"gpus.csv boost[MHz]",          "gpus.csv confidence", "gpus.csv notes",
                                        "nodes.csv network[]",          "nodes.csv notes",     "models.csv family",
                                        "models.csv uncounted",         "models.csv notes",    "frameworks.csv notes",
                                        "known_problems.csv confidence"};
  for (const std::string_view table : kDataFiles) {
    const std::string text(embedded_data(table));
    const auto parsed = CsvTable::parse(text, table).value();
    for (std::size_t column = 0; column < parsed.columns(); ++column) {
      const std::string name = std::string(table) + " " + std::string(parsed.name(column));
      const std::string unit(parsed.unit(column));
      if (unread.contains(name + "[" + unit + "]") || (unit.empty() && unread.contains(name))) continue;
      const std::string said = refusal(table, changed(parsed, column, std::nullopt));
      const std::string column_name(parsed.name(column));
      const bool named = said.find("column '" + column_name) != std::string::npos ||
                         said.find("column " + column_name + " must") != std::string::npos;
      EXPECT_TRUE(named) << name << ": " << said;
    }
  }
}

TEST(Complete, EachCellThatAModelReadsIsMissed) {
  // Empty by right: where a table says what that means (data/README.md), and other names.
  const std::set<std::string> empty = {"frameworks.csv aliases",
                                       "engines.csv unfused",
                                       "frameworks.csv min_compute_capability",
                                       "frameworks.csv auto",
                                       "frameworks.csv notes",
                                       "frameworks.csv compiles",
                                       "frameworks.csv activation_offload",
                                       "frameworks.csv fused_loss",
                                       "frameworks.csv fine_tune",
                                       "frameworks.csv pretrain",
                                       "frameworks.csv eased_by",
                                       "frameworks.csv auto_methods",
                                       "links.csv least",
                                       "links.csv below",
                                       "links.csv least_gpus",
                                       "links.csv most_gpus"};
  for (const std::string_view table : kClosed) {
    const std::string text(embedded_data(table));
    const auto parsed = CsvTable::parse(text, table).value();
    for (std::size_t column = 0; column < parsed.columns(); ++column) {
      if (empty.contains(std::string(table) + " " + std::string(parsed.name(column)))) continue;
      for (const std::size_t row : {std::size_t{0}, parsed.rows() / 2, parsed.rows() - 1}) {
        if (parsed.cell(row, column).empty()) continue;
        EXPECT_NE(refusal(table, changed(parsed, column, row)), "")
            << table << " " << parsed.name(column) << " row " << row;
      }
    }
  }
}

TEST(Complete, AnEmptyFileIsNoTable) {
  for (const std::string_view table : kDataFiles) EXPECT_NE(refusal(table, ""), "") << table;
  std::vector<DataFile> files;
  for (const std::string_view name : kDataFiles)
    if (name != "links.csv") files.push_back({name, std::string(name), embedded_data(name)});
  EXPECT_FALSE(parse_catalogue(files));
}

TEST(Complete, RowsOfLinksDoNotOverlap) {
  std::vector<std::string> lines = lines_of("links.csv");
  const auto peer = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("peer,"); });
  ASSERT_NE(peer, lines.end());
  lines.push_back(*peer);
  EXPECT_NE(refusal("links.csv", joined(lines)).find("several rows for path 'peer'"), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
