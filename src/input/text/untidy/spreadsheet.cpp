#include "input/text/untidy/spreadsheet.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "input/text/untidy/xml_tags.h"

namespace gpuplan {
namespace {

using TagKind = XmlTags::Kind;

constexpr std::size_t kLargestSheetPart = std::size_t{256} << 20U;
constexpr std::size_t kMostSheetColumns = 1024,
                      kMostSheetRows = 1'100'000;  // a sheet of a spreadsheet has no more rows
/// Repeated or left out: what is more is no part of a table.
constexpr std::size_t kMostBlankRows = 10'000;

std::size_t count_in(std::string_view text, std::size_t otherwise) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() && !text.empty() ? number : otherwise;
}

/// Rows as they come, as CSV.
class SheetWriter {
 public:
  /// The next cell goes there, from 0.
  void go_to(std::size_t column) { column_ = column; }
  void cell(std::string_view text, std::size_t times = 1) {
    for (; times > 0 && column_ < kMostSheetColumns && !text.empty(); --times) {
      cells_.resize(std::max(cells_.size(), column_ + 1));
      cells_[column_++] = text;
    }
    column_ += times;
  }
  void end_row(std::size_t times = 1) {
    column_ = 0;
    if (cells_.empty()) {
      blank_ += std::min(times, kMostBlankRows);
      return;
    }
    std::string line;
    for (const std::string& cell : cells_) {
      if (&cell != &cells_.front()) line += ',';
      const bool plain = cell.find_first_of(",\"\r\n") == std::string::npos;
      if (plain) line += cell;
      else line += '"' + replaced(cell) + '"';
    }
    csv_.append(std::min(blank_, kMostBlankRows), '\n');
    for (times = std::min(times, kMostBlankRows); times > 0 && rows_ < kMostSheetRows; --times, ++rows_)
      csv_ += line + '\n';
    blank_ = 0;
    cells_.clear();
  }
  /// Rows that were left out before this one, from 0.
  void skip_rows(std::size_t rows) { blank_ += std::min(rows, kMostBlankRows); }
  std::string take() { return std::exchange(csv_, {}); }

 private:
  static std::string replaced(std::string_view text) {
    std::string result;
    for (const char c : text) {
      if (c == '"') result += '"';
      result += c == '\n' || c == '\r' ? ' ' : c;
    }
    return result;
  }

  std::vector<std::string> cells_;
  std::string csv_;
  std::size_t column_ = 0, blank_ = 0, rows_ = 0;
};

Result<std::string> sheet_part(ZipFile& archive, const ZipEntry& entry, const std::string& file) {
  std::string text;
  const auto read = archive.read(entry, [&](std::string_view piece) -> Result<void> {
    if (text.size() + piece.size() > kLargestSheetPart)
      return failure("a spreadsheet larger than any price list; save the sheet as CSV and import that", {file, 0, 0});
    text += piece;
    return {};
  });
  if (!read) return std::unexpected(read.error());
  return text;
}

std::unexpected<Error> damaged_sheet(const std::string& file) {
  return failure("a spreadsheet that is damaged; save the sheet as CSV and import that", {file, 0, 0});
}

// ---- .xlsx ----

/// "€" of "#,##0.00 [$€-407]" and of "0.00\ \"EUR\"": letters of a format that are no digits of it.
std::string format_currency(std::string_view format) {
  format = format.substr(0, format.find(';'));  // of figures above zero
  if (const std::size_t at = format.find("[$"); at != std::string_view::npos) {
    std::string_view sign = format.substr(at + 2);
    sign = sign.substr(0, sign.find_first_of("-]"));
    return std::string(sign);
  }
  std::string quoted, bare;
  bool inside = false;
  for (std::size_t at = 0; at < format.size(); ++at) {
    if (format[at] == '"') inside = !inside;
    else if (inside) quoted += format[at];
    else if (static_cast<unsigned char>(format[at]) >= 0x80 || format[at] == '$') bare += format[at];
  }
  // Words in quotes may be anything ("GPUs"); of currencies they are a sign or three capital letters.
  const std::string_view word = trim(quoted);
  const bool code = word.size() == 3 && std::ranges::all_of(word, [](char c) { return c >= 'A' && c <= 'Z'; });
  const bool sign = !word.empty() && (static_cast<unsigned char>(word.front()) >= 0x80 || word == "$");
  if (code || sign) return std::string(word);
  return std::string(trim(bare));
}

/// The currency of each style of cells.
std::vector<std::string> style_currencies(std::string_view styles) {
  std::map<std::size_t, std::string> formats;
  std::vector<std::string> result;
  bool cells = false;
  XmlTags tags(styles);
  for (TagKind kind = tags.next(); kind != TagKind::kEnd; kind = tags.next()) {
    if (kind == TagKind::kText) continue;
    const bool open = kind == TagKind::kOpen;
    if (tags.name() == "cellXfs") cells = open;
    if (!open) continue;
    if (tags.name() == "numFmt")
      formats[count_in(tags.attribute("numFmtId"), 0)] = format_currency(tags.attribute("formatCode"));
    if (cells && tags.name() == "xf") {
      const auto format = formats.find(count_in(tags.attribute("numFmtId"), 0));
      // Figures without a sign are in dollars.
      const bool other = format != formats.end() && format->second != "$" && format->second != "USD";
      result.push_back(other ? format->second : "");
    }
  }
  return result;
}

std::vector<std::string> shared_texts(std::string_view xml) {
  std::vector<std::string> texts;
  bool text = false, sound = false;
  XmlTags tags(xml);
  for (TagKind kind = tags.next(); kind != TagKind::kEnd; kind = tags.next()) {
    if (kind == TagKind::kText) {
      if (text && !sound && !texts.empty()) texts.back() += tags.text();
      continue;
    }
    if (tags.name() == "si" && kind == TagKind::kOpen) texts.emplace_back();
    if (tags.name() == "rPh") sound = kind == TagKind::kOpen;  // how it is spoken
    if (tags.name() == "t") text = kind == TagKind::kOpen;
  }
  return texts;
}

/// 27 of "AB3", from 0.
std::size_t sheet_column(std::string_view place, std::size_t otherwise) {
  std::size_t column = 0;
  for (const char c : place) {
    if (c < 'A' || c > 'Z' || column > kMostSheetColumns) break;
    column = column * 26 + static_cast<std::size_t>(c - 'A') + 1;
  }
  return column == 0 ? otherwise : column - 1;
}

bool write_sheet(std::string_view xml, const std::vector<std::string>& texts, const std::vector<std::string>& styles,
                 SheetWriter& out) {
  std::string value, type;
  std::size_t style = 0, column = 0, row = 0;
  bool holds = false, sound = false;
  XmlTags tags(xml);
  for (TagKind kind = tags.next(); kind != TagKind::kEnd; kind = tags.next()) {
    if (kind == TagKind::kText) {
      if (holds && !sound) value += tags.text();
      continue;
    }
    const std::string_view name = tags.name();
    const bool open = kind == TagKind::kOpen;
    if (name == "v" || name == "t") holds = open;
    else if (name == "rPh") sound = open;
    else if (name == "row" && open) {
      const std::size_t at = count_in(tags.attribute("r"), row + 1);
      if (at > row + 1) out.skip_rows(at - row - 1);
      row = std::max(at, row + 1);
      column = 0;
    } else if (name == "row") {
      out.end_row();
    } else if (name == "c" && open) {
      value.clear();
      type = tags.attribute("t");
      style = count_in(tags.attribute("s"), 0);
      column = sheet_column(tags.attribute("r"), column);
    } else if (name == "c") {
      if (type == "s") {
        const std::size_t at = count_in(value, texts.size());
        value = at < texts.size() ? texts[at] : "";
      } else if (type == "b") {
        value = value == "1" ? "yes" : "no";
      } else if (type == "e") {
        value.clear();
      } else if ((type.empty() || type == "n") && !value.empty() && style < styles.size() && !styles[style].empty()) {
        value += ' ' + styles[style];
      }
      out.go_to(column++);
      out.cell(value);
    }
  }
  return !tags.cut_off();
}

Result<std::vector<SheetText>> read_xlsx(ZipFile& archive, const std::string& file) {
  const std::vector<ZipEntry> entries = archive.entries();
  const auto part = [&](std::string_view name) -> Result<std::string> {
    const auto found = std::ranges::find(entries, name, &ZipEntry::name);
    return found == entries.end() ? Result<std::string>("") : sheet_part(archive, *found, file);
  };
  const auto texts = part("xl/sharedStrings.xml"), styles = part("xl/styles.xml");
  if (!texts) return std::unexpected(texts.error());
  if (!styles) return std::unexpected(styles.error());
  const std::vector<std::string> shared = shared_texts(*texts), signs = style_currencies(*styles);
  std::vector<SheetText> sheets;
  for (const ZipEntry& entry : entries) {
    constexpr std::string_view kSheets = "xl/worksheets/", kXml = ".xml";
    const std::string_view name = entry.name;
    if (!name.starts_with(kSheets) || !name.ends_with(kXml) || name.substr(kSheets.size()).contains('/')) continue;
    const auto xml = sheet_part(archive, entry, file);
    if (!xml) return std::unexpected(xml.error());
    SheetWriter out;
    if (!write_sheet(*xml, shared, signs, out)) return damaged_sheet(file);
    sheets.push_back(
        {std::string(name.substr(kSheets.size(), name.size() - kSheets.size() - kXml.size())), out.take()});
  }
  return sheets;
}

// ---- .ods ----

Result<std::vector<SheetText>> read_ods(ZipFile& archive, const std::string& file) {
  const std::vector<ZipEntry> entries = archive.entries();
  const auto xml =
      sheet_part(archive, *std::ranges::find(entries, std::string_view("content.xml"), &ZipEntry::name), file);
  if (!xml) return std::unexpected(xml.error());
  std::vector<SheetText> sheets;
  SheetWriter out;
  std::string value, words;
  std::size_t times = 1, rows = 1;
  bool cell = false, note = false, is_text = false;
  XmlTags tags(*xml);
  for (TagKind kind = tags.next(); kind != TagKind::kEnd; kind = tags.next()) {
    if (kind == TagKind::kText) {
      if (cell && !note) words += tags.text();
      continue;
    }
    const std::string_view name = tags.name();
    const bool open = kind == TagKind::kOpen;
    if (name == "annotation") note = open;
    else if (name == "table" && open) sheets.push_back({tags.attribute("name"), ""});
    else if (name == "table" && !sheets.empty()) sheets.back().csv = out.take();
    else if (name == "table-row" && open) rows = count_in(tags.attribute("number-rows-repeated"), 1);
    else if (name == "table-row") out.end_row(rows);
    else if (name == "table-cell" || name == "covered-table-cell") {
      cell = open;
      if (open) {
        words.clear();
        times = count_in(tags.attribute("number-columns-repeated"), 1);
        const std::string type = tags.attribute("value-type"), currency = tags.attribute("currency");
        is_text = type.empty() || type == "string";
        value = type == "date" ? tags.attribute("date-value").substr(0, 10) : tags.attribute("value");
        if (type == "boolean") value = tags.attribute("boolean-value") == "true" ? "yes" : "no";
        if (type == "currency" && !currency.empty() && currency != "USD") value += ' ' + currency;
      } else {
        out.cell(is_text || value.empty() ? words : value, times);
      }
    }
  }
  if (tags.cut_off()) return damaged_sheet(file);
  return sheets;
}

}  // namespace

bool is_spreadsheet(const ZipFile& archive) {
  return std::ranges::any_of(archive.entries(), [](const ZipEntry& entry) {
    return entry.name == "xl/workbook.xml" || entry.name == "content.xml";
  });
}

Result<std::vector<SheetText>> read_spreadsheet(ZipFile& archive, const std::string& file) {
  const bool ods = std::ranges::any_of(archive.entries(), [](const ZipEntry& e) { return e.name == "content.xml"; });
  return ods ? read_ods(archive, file) : read_xlsx(archive, file);
}

}  // namespace gpuplan
