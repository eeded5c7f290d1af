#include "input/logs/formats/json.h"

#include <array>
#include <cstddef>

#include "input/logs/fields/fields.h"
#include "input/logs/formats/formats.h"
#include "input/logs/others/others.h"

namespace gpuplan {
namespace {

constexpr std::string_view kHistory = "log_history";

/// Signs of numbers and names (null, NaN, -Infinity).
constexpr auto kWordSigns = [] {
  std::array<bool, 256> signs{};
  for (const char c : std::string_view("0123456789-+.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    signs[static_cast<unsigned char>(c)] = true;
  return signs;
}();
bool is_word(char c) { return kWordSigns[static_cast<unsigned char>(c)]; }

/// Where the string ends that `at` stands in, or the first backslash in it.
std::size_t string_end(std::string_view bytes, std::size_t at, std::uint32_t& lines) {
  for (; at < bytes.size() && bytes[at] != '"' && bytes[at] != '\\'; ++at) lines += bytes[at] == '\n' ? 1U : 0U;
  return at;
}

}  // namespace

LogLine LogJson::here() const {
  LogLine line;
  line.number = line_;
  return line;
}

bool LogJson::open(bool map) {
  if (depth_ == kDeepest) return false;
  const bool record = map && ((depth_ == 0) || (depth_ == 2 && section_ == kHistory));
  if (depth_ == 1 && section_ == kHistory && !map) state_file_ = true;
  const std::uint64_t bit = std::uint64_t{1} << depth_++;
  maps_ = map ? maps_ | bit : maps_ & ~bit;
  key_next_ = map;
  if (depth_ == 1) global_step_.reset();
  if (record) {
    record_ = {};
    in_record_ = depth_ == 1 || state_file_;
  }
  return true;
}

bool LogJson::close(LogBook& book, bool map) {
  if (depth_ == 0 || in_map() != map) return false;
  if (map && in_record_ && (depth_ == 3 || (depth_ == 1 && !state_file_))) {
    record_.close(book, depth_ == 3 ? LogFormat::kTrainerState : LogFormat::kTrainerOutput, here());
    record_ = {};
  }
  --depth_;
  if (depth_ == 0) {
    if (state_file_ && global_step_) book.reached(*global_step_);
    section_.clear();
    in_record_ = state_file_ = false;
  }
  key_next_ = in_map();
  return true;
}

void LogJson::string_ends(LogBook& book, std::string_view text) {
  if (key_next_) {
    if (depth_ == 1) section_ = text;
    if (depth_ <= 3) key_ = text;
    key_next_ = false;
  } else if (double value = 0; depth_ > 0) {
    // Some versions write numbers as strings.
    std::string_view rest = text;
    if (scan::take_number(rest, value) && rest.empty()) number(book, value);
    else if (depth_ == 1 && !state_file_) record_.note_text(key_, text);
  }
}

void LogJson::word_ends(LogBook& book, std::string_view text) {
  double value = 0;
  if (scan::take_number(text, value) && text.empty()) number(book, value);
}

void LogJson::number(LogBook& book, double value) {
  if (!in_map()) return;
  if (depth_ == 3 && in_record_ && state_file_) {
    record_.note(book, key_, value);
    return;
  }
  if (depth_ == 2 && in_record_ && !state_file_ && meaning_of_key(key_).kind != NamedValue::Kind::kStep)
    record_.note(book, key_, value);
  if (depth_ != 1) return;
  RunLog& log = book.log;
  if (key_ == "max_steps" && value > 0) {
    log.planned_steps = value;
    if (state_file_) book.shows(LogFormat::kTrainerState);
  } else if (!state_file_ || key_ == "global_step") {
    if (key_ == "global_step") global_step_ = value;
    // The outermost map of a trainer_state.json comes sorted: what stands before log_history is not told apart from
    // a record of its own, and harmless.
    record_.note(book, key_, value);
    if (!state_file_) benchmark_value(book, here(), key_, value);
    if (!state_file_) llama_bench_value(book, here(), key_, value);
  }
}

void LogJson::grow(std::string_view more) {
  if (token_.size() < kLongestToken) token_ += more.substr(0, kLongestToken - token_.size());
}

/// A string or word that these bytes begin and end needs no copy.
std::size_t LogJson::take_string(LogBook& book, std::string_view bytes, std::size_t at) {
  const std::size_t end = string_end(bytes, at, line_);
  const std::string_view text = bytes.substr(at, end - at);
  if (end < bytes.size() && bytes[end] == '"') {
    if (token_.empty()) {
      string_ends(book, text.substr(0, kLongestToken));
    } else {
      grow(text);
      string_ends(book, token_);
      token_.clear();
    }
    state_ = State::kValue;
    return end + 1;
  }
  grow(text);
  state_ = State::kString;
  if (end == bytes.size()) return end;
  state_ = State::kEscape;
  return end + 1;
}

std::size_t LogJson::take_word(LogBook& book, std::string_view bytes, std::size_t at) {
  std::size_t end = at;
  while (end < bytes.size() && is_word(bytes[end])) ++end;
  const std::string_view text = bytes.substr(at, end - at);
  if (end == bytes.size()) {
    grow(text);
    state_ = State::kWord;
    return end;
  }
  if (token_.empty()) {
    word_ends(book, text.substr(0, kLongestToken));
  } else {
    grow(text);
    word_ends(book, token_);
    token_.clear();
  }
  state_ = State::kValue;
  return end;
}

bool LogJson::feed(LogBook& book, std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (state_ == State::kString) {
      at = take_string(book, bytes, at);
    } else if (state_ == State::kWord) {
      at = take_word(book, bytes, at);
    } else if (state_ == State::kEscape) {
      grow("?");  // no name that matters has escapes
      state_ = State::kString;
      ++at;
    } else if (!take_sign(book, bytes, at)) {
      bad_at_ = at;
      // "{'loss': 2.3}" behind a record: the brace is of what follows.
      std::size_t brace = at;
      while (brace > 0 && (bytes[brace - 1] == ' ')) --brace;
      if (depth_ == 1 && key_next_ && brace > 0 && bytes[brace - 1] == '{') bad_at_ = brace - 1;
      lost_brace_ = depth_ == 1 && key_next_ && brace == 0;
      return false;
    }
  }
  return true;
}

/// What stands between strings and words, or begins one.
bool LogJson::take_sign(LogBook& book, std::string_view bytes, std::size_t& at) {
  switch (const char c = bytes[at]) {
    case ' ':  // Python indents: most of the file
      while (at < bytes.size() && bytes[at] == ' ') ++at;
      return true;
    case '\n':
      ++line_;
      break;
    case '\r':
    case '\t':
    case ':':
      break;
    case ',':
      key_next_ = in_map();
      break;
    case '"':
      if (depth_ == 0) return false;
      at = take_string(book, bytes, at + 1);
      return true;
    case '{':
    case '[':
      if (!open(c == '{')) return false;
      break;
    case '}':
    case ']':
      if (!close(book, c == '}')) return false;
      break;
    default:
      if (!is_word(c) || depth_ == 0) return false;
      at = take_word(book, bytes, at);
      return true;
  }
  ++at;
  return true;
}

}  // namespace gpuplan
