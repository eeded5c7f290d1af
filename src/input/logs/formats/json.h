// trainer_state.json (Hugging Face's Trainer) and files of one JSON record a line, in pieces of any size. Only the
// names and numbers of the record being read are held, however long the file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "input/logs/book/book.h"
#include "input/logs/formats/trainer.h"

namespace gpuplan {

class LogJson {
 public:
  /// Takes the next bytes; false: this is no JSON (from `bad_at` of these bytes on).
  bool feed(LogBook& book, std::string_view bytes);
  std::size_t bad_at() const { return bad_at_; }
  /// A brace before these bytes belongs to what they begin.
  bool lost_brace() const { return lost_brace_; }
  /// All that was opened is closed.
  bool complete() const { return depth_ == 0 && state_ == State::kValue && token_.empty(); }
  std::uint64_t lines() const { return line_ - 1; }

 private:
  enum class State : std::uint8_t { kValue, kString, kEscape, kWord };

  static constexpr std::size_t kDeepest = 64, kLongestToken = 512;
  bool in_map() const { return depth_ > 0 && (maps_ >> (depth_ - 1) & 1U) != 0; }
  bool open(bool map);
  bool close(LogBook& book, bool map);
  void grow(std::string_view more);
  std::size_t take_string(LogBook& book, std::string_view bytes, std::size_t at);
  std::size_t take_word(LogBook& book, std::string_view bytes, std::size_t at);
  bool take_sign(LogBook& book, std::string_view bytes, std::size_t& at);
  void string_ends(LogBook& book, std::string_view text);
  void word_ends(LogBook& book, std::string_view text);
  void number(LogBook& book, double value);
  LogLine here() const;

  State state_ = State::kValue;
  std::size_t depth_ = 0;
  std::uint64_t maps_ = 0;     ///< a bit for each level: it is a map
  bool key_next_ = false;      ///< a string that comes next is a key
  std::string token_;          ///< string or word being read
  std::string key_, section_;  ///< of the innermost map being read; of the outermost
  TrainerRecord record_;
  bool in_record_ = false;
  bool state_file_ = false;            ///< a trainer_state.json, not records one a line
  std::optional<double> global_step_;  ///< of the outermost map
  std::uint32_t line_ = 1;
  std::size_t bad_at_ = 0;
  bool lost_brace_ = false;
};

}  // namespace gpuplan
