#include "api/report/guide_file.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "input/text/json_text.h"
#include "output/text/json_writer.h"

namespace gpuplan::api {
namespace {

constexpr std::string_view kRecordBegin = "<!-- gpuplan report {";
constexpr std::string_view kCommentEnd = " -->";
constexpr std::string_view kOwnBegin = "<!-- own text: ";
constexpr int kLineSigns = 4;
constexpr std::size_t kMostCompared = 40'000'000;  // pairs of lines

struct GuideLine {
  std::string_view text;
  int number = 0;
};

/// Without a carriage return at its end: editors of other systems add them.
std::vector<GuideLine> guide_lines(std::string_view text) {
  std::vector<GuideLine> lines;
  int number = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, ++number});
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

/// Without blanks behind it. One that is set in is a line of code (guide_code).
std::string_view trimmed_behind(std::string_view line) {
  const std::string_view words = trim(line);
  return words.empty() ? words : line.substr(0, static_cast<std::size_t>(words.data() - line.data()) + words.size());
}

std::optional<std::string> own_name(std::string_view line) {
  line = trimmed_behind(line);
  if (!line.starts_with(kOwnBegin) || !line.ends_with(kCommentEnd) ||
      line.size() < kOwnBegin.size() + kCommentEnd.size())
    return std::nullopt;
  line.remove_prefix(kOwnBegin.size());
  line.remove_suffix(kCommentEnd.size());
  return std::string(trim(line));
}

/// What gpuplan wrote of a guide, and what users did.
struct GuideTexts {
  std::vector<GuideLine> written;
  std::vector<OwnText> own;
};

Result<GuideTexts> take_apart(std::string_view text, const std::string& file) {
  GuideTexts parts;
  std::optional<OwnText> open;
  int since = 0;
  for (const GuideLine& line : guide_lines(text)) {
    if (line.text.starts_with(kRecordBegin)) continue;
    const auto name = own_name(line.text);
    if (name && open)
      return failure("own text begins inside of own text; close it with " + std::string(kOwnTextEnd),
                     {file, line.number});
    if (name) {
      open = OwnText{*name, ""};
      since = line.number;
    } else if (trimmed_behind(line.text) == kOwnTextEnd) {
      if (!open) return failure("own text ends here that never began", {file, line.number});
      if (!trim(open->text).empty()) parts.own.push_back(*std::move(open));
      open.reset();
    } else if (open) {
      open->text.append(line.text).append("\n");
    } else if (!line.text.empty()) {
      parts.written.push_back(line);  // empty lines say nothing
    }
  }
  if (open)
    return failure("own text begins here and never ends; close it with " + std::string(kOwnTextEnd), {file, since});
  return parts;
}

std::string sign_of(std::string_view line) { return short_id(hash_of(line), kLineSigns); }

/// Lines of `now` that are no lines of `before`, in order, and how many of `before` are gone.
void compare_lines(const std::vector<std::string>& before, const std::vector<GuideLine>& now, GuideFile& guide) {
  std::vector<std::string> signs;
  for (const GuideLine& line : now) signs.push_back(sign_of(line.text));
  std::size_t head = 0;
  while (head < before.size() && head < signs.size() && before[head] == signs[head]) ++head;
  std::size_t tail = 0;
  while (tail + head < before.size() && tail + head < signs.size() &&
         before[before.size() - 1 - tail] == signs[signs.size() - 1 - tail])
    ++tail;
  const std::size_t n = before.size() - head - tail, m = signs.size() - head - tail;
  if (n == 0 || m == 0 || n * m > kMostCompared) {
    for (std::size_t j = 0; j < m; ++j) guide.edited.push_back(now[head + j].number);
    guide.gone = static_cast<int>(n > m ? n - m : 0);
    return;
  }
  std::vector<std::uint16_t> longest((n + 1) * (m + 1), 0);  // common lines from here to the end
  const auto at = [&](std::size_t i, std::size_t j) -> std::uint16_t& { return longest[i * (m + 1) + j]; };
  for (std::size_t i = n; i-- > 0;)
    for (std::size_t j = m; j-- > 0;)
      at(i, j) = before[head + i] == signs[head + j] ? static_cast<std::uint16_t>(at(i + 1, j + 1) + 1)
                                                     : std::max(at(i + 1, j), at(i, j + 1));
  std::size_t i = 0, j = 0, gone = 0;
  while (i < n || j < m) {
    if (i < n && j < m && before[head + i] == signs[head + j]) ++i, ++j;
    else if (j < m && (i == n || at(i, j + 1) >= at(i + 1, j))) guide.edited.push_back(now[head + j++].number);
    else ++i, ++gone;
  }
  // A line that was changed is both.
  guide.gone = static_cast<int>(gone > guide.edited.size() ? gone - guide.edited.size() : 0);
}

void write_named(JsonWriter& json, std::string_view key, const std::vector<GuideRecord::Named>& list) {
  json.key(key).begin_array();
  for (const GuideRecord::Named& one : list) json.begin_array().value(one.name).value(one.value).end();
  json.end();
}

std::string text_at(const Tree& tree, std::string_view key) {
  const Tree* found = tree.find(key);
  return found != nullptr && found->is_scalar() ? found->text : std::string();
}

std::vector<GuideRecord::Named> named_at(const Tree& tree, std::string_view key) {
  std::vector<GuideRecord::Named> list;
  const Tree* found = tree.find(key);
  if (found == nullptr || !found->is_list()) return list;
  for (const Tree& pair : found->children)
    if (pair.is_list() && pair.children.size() == 2) list.push_back({pair.children[0].text, pair.children[1].text});
  return list;
}

/// The text inside of the comment, from its first brace to its last.
std::optional<std::string_view> record_text(std::string_view text, int& number) {
  std::optional<std::string_view> found;
  for (const GuideLine& line : guide_lines(text)) {
    const std::string_view one = trim(line.text);
    if (!one.starts_with(kRecordBegin) || !one.ends_with(kCommentEnd)) continue;
    found = one.substr(kRecordBegin.size() - 1, one.size() - kRecordBegin.size() + 1 - kCommentEnd.size());
    number = line.number;
  }
  return found;
}

void add_changes(const std::string& what, const std::vector<GuideRecord::Named>& before,
                 const std::vector<GuideRecord::Named>& now, std::vector<GuideChange>& changes) {
  for (const GuideRecord::Named& one : before) {
    const auto same = std::ranges::find(now, one.name, &GuideRecord::Named::name);
    if (same == now.end()) changes.push_back({what + one.name, one.value, ""});
    else if (same->value != one.value) changes.push_back({what + one.name, one.value, same->value});
  }
  for (const GuideRecord::Named& one : now)
    if (std::ranges::find(before, one.name, &GuideRecord::Named::name) == before.end())
      changes.push_back({what + one.name, "", one.value});
}

}  // namespace

std::string sealed_guide(const std::string& guide, const GuideRecord& record) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  json.begin_object().member("form", 1).member("version", record.version).member("made", record.made);
  json.member("command", record.command).member("prices", record.prices).member("market", record.market);
  write_named(json, "answer", record.answer);
  write_named(json, "offers", record.offers);
  write_named(json, "job", record.job);
  std::string signs;
  if (const auto parts = take_apart(guide, ""))
    for (const GuideLine& line : parts->written) signs += sign_of(line.text);
  json.member("lines", signs).end();
  // Nothing in it ends the comment, or looks like another one.
  const std::string text = json.take();
  std::string safe;
  for (const char c : trim(text))
    if (c == '<' || c == '>') safe += c == '<' ? "\\u003c" : "\\u003e";
    else if (c == '-' && safe.ends_with('-')) safe += "\\u002d";
    else safe += c == '\n' ? ' ' : c;
  return guide + "<!-- gpuplan report " + safe + std::string(kCommentEnd) + "\n";
}

bool is_guide(std::string_view text) {
  int number = 0;
  return record_text(text, number).has_value();
}

Result<GuideFile> read_guide(std::string_view text, const std::string& file) {
  int number = 0;
  const auto record = record_text(text, number);
  if (!record)
    return failure(
        "no guide of gpuplan report: its last line, a comment that begins with \"gpuplan report\", is missing", {file});
  const auto tree = parse_json(*record, file);
  if (!tree || !tree->is_map())
    return failure("the comment of gpuplan report is damaged; make the guide again", {file, number});
  GuideFile guide;
  guide.record = {.version = text_at(*tree, "version"),
                  .command = text_at(*tree, "command"),
                  .made = text_at(*tree, "made"),
                  .prices = text_at(*tree, "prices"),
                  .job = named_at(*tree, "job"),
                  .offers = named_at(*tree, "offers"),
                  .answer = named_at(*tree, "answer"),
                  .market = text_at(*tree, "market")};
  auto parts = take_apart(text, file);
  if (!parts) return std::unexpected(std::move(parts.error()));
  guide.own = std::move(parts->own);
  const std::string signs = text_at(*tree, "lines");
  std::vector<std::string> before;
  for (std::size_t i = 0; i + kLineSigns <= signs.size(); i += kLineSigns)
    before.push_back(signs.substr(i, kLineSigns));
  compare_lines(before, parts->written, guide);
  return guide;
}

std::string edit_words(const GuideFile& guide) {
  std::vector<std::string> spans;
  for (std::size_t i = 0; i < guide.edited.size();) {
    std::size_t end = i;
    while (end + 1 < guide.edited.size() && guide.edited[end + 1] <= guide.edited[end] + 2) ++end;
    spans.push_back(range_text(std::to_string(guide.edited[i]), std::to_string(guide.edited[end])));
    i = end + 1;
  }
  constexpr std::size_t kTold = 8;
  if (spans.size() > kTold) {
    const std::size_t more = spans.size() - kTold;
    spans.resize(kTold);
    spans.push_back(std::to_string(more) + " more places");
  }
  std::string text = spans.empty() ? "" : (guide.edited.size() == 1 ? "line " : "lines ") + join(spans, ", ");
  if (guide.gone > 0)
    text += (text.empty() ? "" : "; ") + count_of(guide.gone, "line") + (guide.gone == 1 ? " is gone" : " are gone");
  return text;
}

std::vector<GuideChange> changes_since(const GuideRecord& before, const GuideRecord& now) {
  std::vector<GuideChange> changes;
  if (before.version != now.version) changes.push_back({"gpuplan", before.version, now.version});
  add_changes("answer: ", before.answer, now.answer, changes);
  const bool prices = before.prices != now.prices;
  if (prices) changes.push_back({"market", before.prices, now.prices});
  const std::size_t told = changes.size();
  add_changes("price of ", before.offers, now.offers, changes);
  if (before.market != now.market && changes.size() == told && !prices)
    changes.push_back({"other prices", before.market, now.market});
  add_changes("job: ", before.job, now.job, changes);
  return changes;
}

}  // namespace gpuplan::api
