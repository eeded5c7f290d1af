#include "input/log_json.h"

#include <cmath>

namespace gpuplan {
namespace {

constexpr std::string_view kHistory = "log_history";

constexpr bool is_word(char c) {
  return scan::is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '+' || c == '.';
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
    section_.clear();
    in_record_ = state_file_ = false;
  }
  key_next_ = in_map();
  return true;
}

void LogJson::string_ends(LogBook& book) {
  if (key_next_) {
    if (depth_ == 1) section_ = token_;
    if (depth_ <= 3) key_ = token_;
    key_next_ = false;
  } else if (double value = 0; depth_ > 0) {
    // Some versions write numbers as strings.
    std::string_view text = token_;
    if (scan::take_number(text, value) && text.empty()) number(book, value);
  }
  token_.clear();
}

void LogJson::word_ends(LogBook& book) {
  double value = 0;
  std::string_view text = token_;
  if (scan::take_number(text, value) && text.empty()) number(book, value);
  token_.clear();
}

void LogJson::number(LogBook& book, double value) {
  if (!in_map()) return;
  if (depth_ == 3 && in_record_ && state_file_) {
    record_.note(book, key_, value);
    return;
  }
  if (depth_ != 1) return;
  RunLog& log = book.log;
  if (key_ == "max_steps" && value > 0) {
    log.planned_steps = value;
    if (state_file_) book.shows(LogFormat::kTrainerState);
  } else if (!state_file_ || key_ == "global_step") {
    // The outermost map of a trainer_state.json comes sorted: what stands before log_history is not told apart from
    // a record of its own, and harmless.
    record_.note(book, key_, value);
  }
}

bool LogJson::feed(LogBook& book, std::string_view bytes) {
  const auto grow = [this](std::string_view more) {
    if (token_.size() < kLongestToken) token_ += more.substr(0, kLongestToken - token_.size());
  };
  for (std::size_t at = 0; at < bytes.size();) {
    const char c = bytes[at];
    switch (state_) {
      case State::kString: {
        std::size_t end = at;
        while (end < bytes.size() && bytes[end] != '"' && bytes[end] != '\\') line_ += bytes[end++] == '\n' ? 1U : 0U;
        grow(bytes.substr(at, end - at));
        at = end;
        if (at == bytes.size()) break;
        if (bytes[at++] == '\\') {
          state_ = State::kEscape;
        } else {
          state_ = State::kValue;
          string_ends(book);
        }
        break;
      }
      case State::kEscape:
        grow("?");  // no name that matters has escapes
        state_ = State::kString;
        ++at;
        break;
      case State::kWord: {
        std::size_t end = at;
        while (end < bytes.size() && is_word(bytes[end])) ++end;
        grow(bytes.substr(at, end - at));
        at = end;
        if (at == bytes.size()) break;
        state_ = State::kValue;
        word_ends(book);
        break;
      }
      case State::kValue: {
        bool good = true;
        if (c == ' ' || c == '\n' || c == '\r' || c == '\t' || c == ':') line_ += c == '\n' ? 1U : 0U;
        else if (c == '"') state_ = State::kString;
        else if (c == ',') key_next_ = in_map();
        else if (c == '{' || c == '[') good = open(c == '{');
        else if (c == '}' || c == ']') good = close(book, c == '}');
        else if (is_word(c) && depth_ > 0) state_ = State::kWord;
        else good = false;
        if (good && state_ == State::kString && depth_ == 0) good = false;
        if (!good) {
          bad_at_ = at;
          return false;
        }
        if (state_ != State::kWord) ++at;
        break;
      }
    }
  }
  return true;
}

}  // namespace gpuplan
