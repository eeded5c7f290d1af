#include "fetch/price_sources.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

/// "link NextPageLink", "cursor cursor meta.links.next", "count page page_size totalCount"
bool read_page_rule(std::string_view text, PageRule& rule) {
  const auto words = split(text, ' ');
  if (words.empty()) return true;
  const auto word = [&](std::size_t i) { return std::string(words[i]); };
  if (words.front() == "link" && words.size() == 2) rule = {PageRule::Kind::kLink, word(1), "", ""};
  else if (words.front() == "cursor" && words.size() == 3) rule = {PageRule::Kind::kCursor, word(2), word(1), ""};
  else if (words.front() == "count" && words.size() == 4) rule = {PageRule::Kind::kCount, word(3), word(1), word(2)};
  else return false;
  return true;
}

/// "bearer", "header X-API-KEY", "client https://..."
bool read_key_use(std::string_view text, PriceSource& source) {
  const auto words = split(text, ' ');
  if (words.empty()) return source.need == KeyNeed::kNone;
  if (words.front() == "bearer" && words.size() == 1) source.use = KeyUse::kBearer;
  else if (words.front() == "header" && words.size() == 2) {
    source.use = KeyUse::kHeader;
    source.key_header = words[1];
    return std::ranges::all_of(words[1], [](char c) { return is_letter(c) || is_digit(c) || c == '-'; });
  } else if (words.front() == "client" && words.size() == 2) {
    source.use = KeyUse::kClient;
    source.token_url = words[1];
    return source.keys.size() == 2 && source.token_url.starts_with("https://");
  } else return false;
  return true;
}

bool is_name(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

bool is_variable(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_'; });
}

/// What else must hold of a row; empty: it does. The text is what was expected.
std::string unmet(const PriceSource& source) {
  const auto encrypted = [](const std::string& url) { return url.starts_with("https://"); };
  if (source.urls.empty() || !std::ranges::all_of(source.urls, encrypted))
    return "column url: expected addresses with https://";
  const bool versions =
      std::ranges::any_of(source.urls, [](const std::string& url) { return url.contains("{version}"); });
  if (versions != encrypted(source.version_url))
    return "column version_url: expected an https:// address where url has {version}";
  const bool parted = std::ranges::all_of(source.urls, [](const std::string& url) { return url.contains("{part}"); });
  if (parted == source.parts.empty()) return "columns parts and url: expected parts where every address has {part}";
  if ((source.need == KeyNeed::kNone) != source.keys.empty())
    return "columns key and keys: expected variables where a key is of use";
  if (!std::ranges::all_of(source.keys, is_variable))
    return "column keys: expected names of variables such as LAMBDA_API_KEY";
  return "";
}

}  // namespace

Result<std::vector<PriceSource>> read_price_sources(std::string_view text, std::string_view file) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), title = cells.column("title"), provider = cells.column("provider"),
             format = cells.column("format"), parts = cells.column("parts"), url = cells.column("url"),
             version_url = cells.column("version_url"), body = cells.column("body"), key = cells.column("key"),
             use = cells.column("key_as"), keys = cells.column("keys"), pages = cells.column("pages"),
             most = cells.column("most", "MB"), asked = cells.column("asked"), date = cells.column("date"),
             notes = cells.column("notes"), source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kMega = 1e6;
  constexpr double kMostMega = 4096;
  std::vector<PriceSource> rows;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    PriceSource one;
    one.name = cells.required(row, name);
    one.title = cells.required(row, title);
    one.provider = cells.text(row, provider);
    one.format = cells.text(row, format);
    one.parts = cells.list(row, parts, '|');
    one.urls = cells.list(row, url, ' ');
    one.version_url = cells.text(row, version_url);
    one.body = cells.text(row, body);
    one.need = cells.choice(row, key, KeyNeed::kNone);
    one.keys = cells.list(row, keys, '|');
    if (!read_key_use(cells.text(row, use), one))
      cells.fail_cell(row, use, "bearer, header NAME or client https://...");
    if (!read_page_rule(cells.text(row, pages), one.pages))
      cells.fail_cell(row, pages, "link MEMBER, cursor PARAMETER MEMBER or count PARAMETER SIZE MEMBER");
    cells.required(row, most);
    one.most_bytes = static_cast<std::uint64_t>(cells.number(row, most, 0.001, kMostMega) * kMega);
    const std::string_view when = cells.text(row, asked), dated = cells.text(row, date);
    one.by_name_only = when == "by name";
    if (!when.empty() && !one.by_name_only) cells.fail_cell(row, asked, "by name, or empty");
    one.dated_by_file = dated == "file";
    if (dated != "file" && dated != "today") cells.fail_cell(row, date, "file or today");
    one.notes = cells.text(row, notes);
    one.source = cells.required(row, source);
    one.as_of = cells.date(row, as_of);
    if (!is_name(one.name)) cells.fail_cell(row, name, "a name of letters, digits, - and _");
    if (!std::ranges::all_of(one.parts, is_name)) cells.fail_cell(row, parts, "names of letters, digits, - and _");
    if (std::ranges::find(rows, one.name, &PriceSource::name) != rows.end()) cells.fail_cell(row, name, "given once");
    if (auto wrong = unmet(one); !wrong.empty()) cells.fail(row, std::move(wrong));
    rows.push_back(std::move(one));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return rows;
}

}  // namespace gpuplan
