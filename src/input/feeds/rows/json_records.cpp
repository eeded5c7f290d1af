#include "input/feeds/rows/json_records.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/text.h"
#include "input/text/json_text.h"

namespace gpuplan {
namespace {

constexpr std::string_view kJsonMark = "\xef\xbb\xbf";
constexpr std::size_t kLongestJsonWord = 1000;  // digits of one number

enum : std::uint8_t { kStringStop = 1, kWordPart = 2, kJsonBlank = 4 };

/// What a byte can be.
constexpr auto kRecordSigns = [] {
  std::array<std::uint8_t, 256> signs{};
  for (unsigned c = 0; c < 0x20; ++c) signs[c] = kStringStop;
  for (const char c : std::string_view("\"\\")) signs[static_cast<unsigned char>(c)] |= kStringStop;
  for (const char c : std::string_view("0123456789-+.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    signs[static_cast<unsigned char>(c)] |= kWordPart;
  for (const char c : std::string_view(" \t\r\n")) signs[static_cast<unsigned char>(c)] |= kJsonBlank;
  return signs;
}();

bool is_record_sign(char c, std::uint8_t kind) { return (kRecordSigns[static_cast<unsigned char>(c)] & kind) != 0; }

/// What Python writes where there is no number.
bool is_no_number(std::string_view word) { return word == "NaN" || word == "Infinity" || word == "-Infinity"; }

/// A text in which that is null.
std::string without_no_numbers(std::string_view text) {
  std::string plain;
  plain.reserve(text.size());
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (quoted && text[at] == '\\' && at + 1 < text.size()) {
      plain += text[at++];
    } else if (text[at] == '"') {
      quoted = !quoted;
    } else if (!quoted && is_record_sign(text[at], kWordPart)) {
      std::size_t end = at;
      while (end < text.size() && is_record_sign(text[end], kWordPart)) ++end;
      const std::string_view word = text.substr(at, end - at);
      plain += is_no_number(word) ? "null" : word;
      at = end - 1;
      continue;
    }
    plain += text[at];
  }
  return plain;
}

/// A number, true, false or null as JSON writes them, or what Python does.
bool is_json_scalar(std::string_view word) {
  if (word == "true" || word == "false" || word == "null" || is_no_number(word)) return true;
  std::size_t at = 0;
  const auto digits = [&] {
    const std::size_t first = at;
    while (at < word.size() && is_digit(word[at])) ++at;
    return at - first;
  };
  if (word.starts_with('-')) ++at;
  const bool zero = at < word.size() && word[at] == '0';
  const std::size_t whole = digits();
  if (whole == 0 || (zero && whole > 1)) return false;
  if (at < word.size() && word[at] == '.') {
    ++at;
    if (digits() == 0) return false;
  }
  if (at < word.size() && (word[at] == 'e' || word[at] == 'E')) {
    ++at;
    if (at < word.size() && (word[at] == '+' || word[at] == '-')) ++at;
    if (digits() == 0) return false;
  }
  return at == word.size();
}

int as_place(std::uint64_t count) {
  return static_cast<int>(std::min<std::uint64_t>(count, std::numeric_limits<int>::max()));
}

}  // namespace

Result<Tree> JsonRecord::tree() const {
  Result<Tree> read = parse_json(text, *file);
  if (!read && (text.find("NaN") != std::string_view::npos || text.find("Infinity") != std::string_view::npos))
    read = parse_json(without_no_numbers(text), *file);
  if (read) return read;
  Error error = std::move(read.error());
  if (error.place.line > 0) error.place.line += line - 1;
  else error.place.line = line;
  return std::unexpected(std::move(error));
}

JsonRecords::Path JsonRecords::parse(JsonPath text) {
  Path path;
  path.map_only = text.ends_with("{}");
  if (path.map_only) text.remove_suffix(2);
  while (!text.empty()) {
    if (text.starts_with('.')) text.remove_prefix(1);
    if (text.starts_with("[]")) {
      path.steps.push_back({Step::Kind::kEntry});
      text.remove_prefix(2);
      continue;
    }
    const std::string_view key = text.substr(0, std::min(text.find_first_of(".["), text.size()));
    text.remove_prefix(key.size());
    if (key == "*") path.steps.push_back({Step::Kind::kAnyKey});
    else path.steps.push_back({Step::Kind::kKey, std::string(key)});
  }
  return path;
}

JsonRecords::JsonRecords(std::span<const JsonPath> paths, std::string file, JsonRecordSink& sink,
                         JsonRecordLimits limits)
    : file_(std::move(file)),
      sink_(&sink),
      limits_(limits),
      levels_(static_cast<std::size_t>(limits.depth) + 1),
      keys_(static_cast<std::size_t>(limits.depth)) {
  for (const JsonPath text : paths) paths_.push_back(parse(text));
}

std::unexpected<Error> JsonRecords::wrong(const std::string& what, const char* at) const {
  constexpr std::uint64_t kLongLine = 200;
  const std::uint64_t column = before_ + static_cast<std::uint64_t>(at - piece_) - line_at_ + 1;
  // Most such files are one line, where its number says nothing.
  const std::string where =
      column > kLongLine ? ", at byte " + count_text(static_cast<double>(column)) + " of the line" : "";
  return failure(what + where, {file_, line_, as_place(column)});
}

const char* JsonRecords::expected() const {
  switch (mode_) {
    case Mode::kFirstKey:
      return "not valid JSON: expected a name in quotes or }";
    case Mode::kKey:
      return "not valid JSON: expected a name in quotes";
    case Mode::kColon:
      return "not valid JSON: expected a colon";
    case Mode::kAfter:
      return level().map ? "not valid JSON: expected a comma or }" : "not valid JSON: expected a comma or ]";
    case Mode::kFirstEntry:
      return "not valid JSON: expected a value or ]";
    case Mode::kString:
    case Mode::kEscape:
      return "not valid JSON: a line end or control character inside of quotes";
    case Mode::kValue:
    case Mode::kWord:
      break;
  }
  return "not valid JSON: expected a value";
}

void JsonRecords::keep_from(const char* at) {
  keeping_ = true;
  kept_from_ = at;
  kept_.clear();
}

Result<std::string_view> JsonRecords::kept(const char* past) {
  const std::string_view here(kept_from_, static_cast<std::size_t>(past - kept_from_));
  if (kept_.size() + here.size() > limits_.bytes) {
    const std::string limit = count_text(static_cast<double>(limits_.bytes));
    if (record_depth_ < 0) return failure("a name of more than " + limit + " bytes", {file_, line_});
    return failure("record " + std::to_string(records_ + 1) + " has more than " + limit + " bytes",
                   {file_, record_line_});
  }
  if (kept_.empty()) return here;
  kept_ += here;
  return std::string_view(kept_);
}

void JsonRecords::begin_value(const char* at, bool map) {
  any_ = true;
  next_ = 0;
  if (record_depth_ >= 0) return;
  const auto depth = static_cast<std::size_t>(depth_);
  if (depth_ == 0) {
    next_ = paths_.size() == kMostPaths ? ~std::uint32_t{0} : (std::uint32_t{1} << paths_.size()) - 1;
  } else if (const Level& inside = level(); inside.open != 0) {
    if (!inside.map) keys_[depth - 1].clear();
    for (std::size_t path = 0; path < paths_.size(); ++path) {
      const std::uint32_t bit = std::uint32_t{1} << path;
      if ((inside.open & bit) == 0) continue;
      const Step& step = paths_[path].steps[depth - 1];
      const bool leads = step.kind == Step::Kind::kEntry    ? !inside.map
                         : step.kind == Step::Kind::kAnyKey ? inside.map
                                                            : inside.map && step.key == keys_[depth - 1];
      if (leads) next_ |= bit;
    }
  }
  if (next_ == 0) return;
  for (std::size_t path = 0; path < paths_.size(); ++path) {
    const std::uint32_t bit = std::uint32_t{1} << path;
    if ((next_ & bit) == 0 || paths_[path].steps.size() != depth) continue;
    next_ &= ~bit;
    if ((paths_[path].map_only && !map) || record_depth_ >= 0) continue;
    record_depth_ = depth_;
    record_path_ = path;
    record_line_ = line_;
    keep_from(at);
  }
}

Result<void> JsonRecords::end_value(const char* past) {
  mode_ = depth_ == 0 ? Mode::kValue : Mode::kAfter;
  if (record_depth_ != depth_) return {};
  const Result<std::string_view> text = kept(past);
  if (!text) return std::unexpected(text.error());
  keeping_ = false;
  record_depth_ = -1;
  JsonRecord record;
  record.path = record_path_;
  record.keys = std::span<const std::string>(keys_).first(static_cast<std::size_t>(depth_));
  record.text = *text;
  record.number = ++records_;
  record.line = record_line_;
  record.file = &file_;
  return sink_->record(record);
}

Result<void> JsonRecords::open(const char* at, bool map) {
  begin_value(at, map);
  if (depth_ == limits_.depth) return wrong("nested deeper than " + std::to_string(limits_.depth) + " levels", at);
  ++depth_;
  level() = {map, record_depth_ < 0 ? next_ : 0};
  mode_ = map ? Mode::kFirstKey : Mode::kFirstEntry;
  return {};
}

Result<void> JsonRecords::close(const char* at, bool map) {
  if (depth_ == 0 || level().map != map) return wrong(expected(), at);
  --depth_;
  return end_value(at + 1);
}

/// A key that paths do not ask for is not kept.
Result<void> JsonRecords::end_key(const char* at) {
  mode_ = Mode::kColon;
  if (!keeping_ || record_depth_ >= 0) return {};
  const Result<std::string_view> text = kept(at + 1);
  if (!text) return std::unexpected(text.error());
  keeping_ = false;
  std::string& key = keys_[static_cast<std::size_t>(depth_) - 1];
  key.assign(text->substr(1, text->size() - 2));
  if (key.find('\\') == std::string::npos) return {};
  Result<Tree> read = parse_json(*text, file_);
  if (!read) return wrong("not valid JSON: a name with a backslash that means nothing", at);
  key = std::move(read->text);
  return {};
}

Result<void> JsonRecords::end_word(const char* past) {
  std::string_view word(word_from_, static_cast<std::size_t>(past - word_from_));
  if (!word_.empty()) {
    word_ += word;
    word = word_;
  }
  if (word.size() > kLongestJsonWord || !is_json_scalar(word))
    return wrong("not valid JSON: " + printable(word, 40) + " is no value", past);
  word_.clear();
  return end_value(past);
}

Result<void> JsonRecords::piece(const char* at, const char* end) {
  while (at != end) {
    if (mode_ == Mode::kString) {
      while (at != end && !is_record_sign(*at, kStringStop)) ++at;
      if (at == end) break;
      if (*at == '\\') {
        mode_ = Mode::kEscape;
      } else if (*at != '"') {
        return wrong(expected(), at);
      } else if (const Result<void> ended = key_string_ ? end_key(at) : end_value(at + 1); !ended) {
        return ended;
      }
      ++at;
      continue;
    }
    if (mode_ == Mode::kWord) {
      while (at != end && is_record_sign(*at, kWordPart)) ++at;
      if (at == end) break;
      if (const Result<void> ended = end_word(at); !ended) return ended;
      continue;
    }
    const char sign = *at;
    if (mode_ == Mode::kEscape) {
      if (static_cast<unsigned char>(sign) < 0x20) return wrong(expected(), at);
      mode_ = Mode::kString;
      ++at;
      continue;
    }
    if (is_record_sign(sign, kJsonBlank)) {
      if (sign == '\n') {
        if (line_ != std::numeric_limits<int>::max()) ++line_;
        line_at_ = before_ + static_cast<std::uint64_t>(at - piece_) + 1;
      }
      ++at;
      continue;
    }
    const bool value = mode_ == Mode::kValue || mode_ == Mode::kFirstEntry;
    Result<void> done;
    if (sign == '"' && (value || mode_ == Mode::kFirstKey || mode_ == Mode::kKey)) {
      key_string_ = !value;
      if (value) begin_value(at, false);
      else if (record_depth_ < 0 && level().open != 0) keep_from(at);
      mode_ = Mode::kString;
    } else if (sign == ':' && mode_ == Mode::kColon) {
      mode_ = Mode::kValue;
    } else if (sign == ',' && mode_ == Mode::kAfter) {
      mode_ = level().map ? Mode::kKey : Mode::kValue;
    } else if ((sign == '{' || sign == '[') && value) {
      done = open(at, sign == '{');
    } else if (sign == '}' && (mode_ == Mode::kAfter || mode_ == Mode::kFirstKey)) {
      done = close(at, true);
    } else if (sign == ']' && (mode_ == Mode::kAfter || mode_ == Mode::kFirstEntry)) {
      done = close(at, false);
    } else if (value && is_record_sign(sign, kWordPart)) {
      begin_value(at, false);
      word_from_ = at;
      mode_ = Mode::kWord;
    } else {
      return wrong(expected(), at);
    }
    if (!done) return done;
    ++at;
  }
  return {};
}

Result<void> JsonRecords::take(std::string_view text) {
  if (failed_) return {};
  while (before_ < kJsonMark.size() && !text.empty() && !any_ && text.front() == kJsonMark[before_]) {
    text.remove_prefix(1);
    ++before_;
    line_at_ = before_;
  }
  if (text.empty()) return {};
  const char* const end = text.data() + text.size();
  piece_ = kept_from_ = word_from_ = text.data();
  Result<void> read = piece(piece_, end);
  if (read && keeping_) {
    if (const auto held = kept(end); !held) read = std::unexpected(held.error());
    else if (held->data() != kept_.data()) kept_ = *held;
  }
  if (read && mode_ == Mode::kWord) {
    word_.append(word_from_, end);
    if (word_.size() > kLongestJsonWord) read = wrong("not valid JSON: " + printable(word_, 40) + " is no value", end);
  }
  before_ += text.size();
  failed_ = !read;
  return read;
}

Result<void> JsonRecords::finish() {
  if (failed_) return {};
  piece_ = kept_from_ = word_from_ = "";
  if (mode_ == Mode::kWord && depth_ == 0)
    if (const Result<void> ended = end_word(piece_); !ended) return ended;
  if (!any_) return failure("is empty; expected JSON", {file_});
  if (mode_ == Mode::kValue && depth_ == 0) return {};
  return failure("ends in the middle, after " + count_text(static_cast<double>(before_)) +
                     " bytes: the file was cut short; get it again",
                 {file_, line_});
}

}  // namespace gpuplan
