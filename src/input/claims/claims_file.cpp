#include "input/claims/claims_file.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"
#include "input/claims/markdown.h"
#include "input/claims/options_across.h"
#include "input/claims/quantities.h"
#include "input/text/tree.h"
#include "input/text/untidy/csv_rows.h"
#include "input/text/untidy/utf8_text.h"
#include "input/text/yaml_tree.h"

namespace gpuplan {
namespace {

/// UTF-8 with LF line ends and without control characters; a byte that is no text becomes '?'.
Result<std::string> clean(std::string_view bytes, const std::string& file) {
  if (bytes.size() > kMaxClaimsBytes)
    return failure("the file is larger than 32 MiB; audit the part of it that holds the plan", {file});
  std::string text;
  text.reserve(bytes.size());
  ToUtf8 utf8;
  const auto take = [&](std::string_view piece) { text += piece; };
  utf8.feed(bytes, take);
  utf8.end(take);
  std::string good;
  good.reserve(text.size());
  std::size_t bad = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      if (byte == '\r') {
        if (i + 1 >= text.size() || text[i + 1] != '\n') good += '\n';
      } else if (byte == '\n' || byte == '\t') {
        good += byte == '\t' ? ' ' : '\n';
      } else if (byte < 0x20 || byte == 0x7F) {
        good += '?';
        ++bad;
      } else {
        good += text[i];
      }
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(text, i);
    const std::string_view sign = std::string_view(text).substr(i, std::max<std::size_t>(length, 1));
    if (length == 0 || printable(sign) != sign) {
      good += '?';
      bad += length == 0 ? 1U : 0U;
    } else {
      good += sign;
    }
    i += std::max<std::size_t>(length, 1);
  }
  if (bad > 16 && bad > text.size() / 20)
    return failure("this is no text; expected a plan as Markdown, CSV or YAML", {file});
  return good;
}

/// Tables of a CSV file as spreadsheets export them: titles stand in rows of one cell above the heads, and another row
/// of heads begins another table.
class CsvTables {
 public:
  explicit CsvTables(QuantityReader& reader) : reader_(reader) { document_.sections.emplace_back().line = 1; }

  void take(const CsvRows::Row& row) {
    const int line = static_cast<int>(row.line);
    if (!row.problem.empty()) {
      document_.unread.push_back({line, std::string(row.problem)});
      return;
    }
    const auto told = std::ranges::count_if(row.cells, [](std::string_view cell) { return !cell.empty(); });
    if (table_.heads.empty() && told == 1) {
      titles_.emplace_back(line,
                           std::string(*std::ranges::find_if(row.cells, [](auto cell) { return !cell.empty(); })));
      return;
    }
    if (table_.heads.empty() || begins_another(row, told)) return heads(row, line);
    if (row.cells.size() > table_.heads.size()) {
      document_.unread.push_back({line, "a row of " + std::to_string(row.cells.size()) + " cells under " +
                                            std::to_string(table_.heads.size()) + " heads"});
      return;
    }
    ClaimRow& read = table_.rows.emplace_back();
    read.line = line;
    for (std::size_t i = 0; i < table_.heads.size(); ++i)
      read.cells.push_back(i < row.cells.size() ? reader_.read(std::string(row.cells[i]), hints_[i]) : ClaimText{});
  }

  ClaimDocument end() {
    // A file of one column has no titles, but a head and rows.
    if (table_.heads.empty() && !titles_.empty()) {
      table_.line = titles_.front().first;
      table_.heads.emplace_back().text = titles_.front().second;
      for (std::size_t i = 1; i < titles_.size(); ++i)
        table_.rows.push_back({titles_[i].first, {reader_.read(titles_[i].second)}});
    }
    close();
    document_.quantities = reader_.count();
    return std::move(document_);
  }

 private:
  bool begins_another(const CsvRows::Row& row, std::ptrdiff_t told) const {
    const auto has_digit = [](std::string_view cell) { return std::ranges::any_of(cell, is_digit); };
    const auto numbers = [](const ClaimText& cell) { return !cell.quantities.empty(); };
    return told > 2 && !table_.rows.empty() && std::ranges::none_of(row.cells, has_digit) &&
           std::ranges::count_if(table_.rows.back().cells, numbers) > 1 && is_head(row);
  }
  /// Most of its cells are heads of units or roles that are known, and not the words of a row without numbers.
  static bool is_head(const CsvRows::Row& row) {
    const std::vector<std::string> names(row.cells.begin(), row.cells.end());
    const auto hints = hints_of(names);
    return std::ranges::any_of(hints, [](const UnitHint& hint) { return hint.dimension != ClaimDimension::kBare; });
  }

  void heads(const CsvRows::Row& row, int line) {
    close();
    if (!titles_.empty()) document_.sections.front().title = reader_.read(titles_.front().second);
    titles_.clear();
    table_.line = line;
    std::vector<std::string> names(row.cells.begin(), row.cells.end());
    for (std::string& name : names) std::ranges::replace(name, '_', ' ');
    hints_ = hints_of(names);
    for (std::string& name : names) table_.heads.emplace_back().text = std::move(name);
  }

  void close() {
    find_options_across(table_, reader_);
    if (!table_.heads.empty()) document_.tables.push_back(std::exchange(table_, {}));
  }

  QuantityReader& reader_;
  ClaimDocument document_;
  ClaimTable table_;
  std::vector<UnitHint> hints_;
  std::vector<std::pair<int, std::string>> titles_;  ///< rows of one cell before any others
};

Result<ClaimDocument> read_csv(std::string_view text, QuantityReader& reader) {
  CsvTables tables(reader);
  const auto take = [&](const CsvRows::Row& row) { tables.take(row); };
  CsvRows rows;
  rows.feed(text, take);
  rows.end(take);
  return tables.end();
}

Result<ClaimDocument> read_yaml(const std::string& text, const std::string& file, QuantityReader& reader) {
  const auto tree = parse_tree(text, file);
  if (!tree) return std::unexpected(tree.error());
  const Tree* claims = tree->is_list() ? &*tree : tree->find("claims");
  if (claims == nullptr || !claims->is_list())
    return failure("expected a list of claims, such as claims: [{say: \"3 h x $2.49 = $7.47\"}]", {file, 1, 0});
  ClaimDocument document;
  document.sections.emplace_back().line = 1;
  int block = 0;
  for (const Tree& claim : claims->children) {
    const Tree* say = claim.is_map() ? claim.find("say") : &claim;
    if (say == nullptr || !say->is_scalar()) {
      document.unread.push_back({claim.line, "a claim without say: \"...\""});
      continue;
    }
    ClaimLine line;
    line.line = say->line;
    line.block = block++;
    line.said = reader.read(say->text.substr(0, 4000));
    const std::size_t colon = line.said.text.find(": ");
    if (colon != std::string::npos && colon > 0 && colon <= 60) line.label = line.said.text.substr(0, colon);
    document.lines.push_back(std::move(line));
  }
  document.quantities = reader.count();
  return document;
}

}  // namespace

ClaimsForm claims_form(std::string_view file) {
  const std::string name = to_lower(file);
  if (name.ends_with(".csv") || name.ends_with(".tsv")) return ClaimsForm::kCsv;
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return ClaimsForm::kYaml;
  return ClaimsForm::kMarkdown;
}

Result<ClaimDocument> read_claims(std::string_view bytes, ClaimsForm form, const std::string& file,
                                  const Catalogue& catalogue) {
  const auto text = clean(bytes, file);
  if (!text) return std::unexpected(text.error());
  QuantityReader reader(catalogue, decimal_sign_of(*text));
  switch (form) {
    case ClaimsForm::kCsv:
      return read_csv(*text, reader);
    case ClaimsForm::kYaml:
      return read_yaml(*text, file, reader);
    case ClaimsForm::kMarkdown:
      break;
  }
  return read_markdown(*text, reader);
}

}  // namespace gpuplan
