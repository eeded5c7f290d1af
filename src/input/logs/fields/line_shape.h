// The lines of a program are alike: what stands between their numbers is the same again and again, and so is what it
// means. A line of a shape that was met before is read by its numbers alone.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "input/logs/fields/fields.h"

namespace gpuplan {

/// One line, as far as it is not its numbers, and what was found in it.
class LineShape {
 public:
  /// What was found at a place of the line: a number that says something to its finder.
  struct Found {
    std::uint16_t what = 0;
    std::uint16_t literal = 0, offset = 0;  ///< behind so many numbers, so many letters on
  };

  /// Of the line that `fields` were read from. False: its numbers cannot be told apart from the rest.
  bool learn(std::string_view text, std::span<const FieldMark> marks, std::span<const LogField> fields);
  /// Adds what was found at `at` in that line, `size` letters long; false: numbers are part of it.
  bool add(std::uint16_t what, std::size_t at, std::size_t size);
  void forget() { numbers_.clear(); }
  /// Whether the text has this shape: then its fields are known, and where things are found in it.
  bool read(std::string_view text);
  const std::vector<LogField>& fields() const { return fields_; }
  std::span<const Found> found() const { return found_; }
  /// Where it stands in the text that was read last.
  std::size_t place(const Found& one) const { return starts_[one.literal] + one.offset; }

 private:
  static constexpr std::size_t kMost = 32;
  struct Number {
    FieldMark::Kind kind = FieldMark::Kind::kValue;
    bool digit = true;                            ///< it begins with one, and not with a sign
    std::uint8_t spaces = 0;                      ///< before it: none, one, or so many at least
    std::uint16_t literal = 0, literal_size = 0;  ///< before those, in `text_`
    std::uint16_t name = 0, field = 0;            ///< from where the literal begins; of which field it is
    double scale = 1;                             ///< "12k"
    NamedValue meaning{};
  };

  void own_fields(std::string_view text);
  static bool take_spaces(const Number& number, std::string_view& rest);
  bool take_value(const Number& number, std::string_view& rest);

  std::string text_;
  std::vector<Number> numbers_;
  std::vector<LogField> fields_;  ///< of the text read last; their units stand in `text_`
  std::size_t tail_ = 0;          ///< what is behind the last number
  std::vector<Found> found_;
  std::array<std::uint32_t, kMost + 1> starts_{};  ///< of what stands before the numbers, in the text read last
};

/// The shapes met last. Nothing depends on them but the time that reading takes.
class LineShapes {
 public:
  /// What was found in a line that is learnt.
  struct Finding {
    std::uint16_t what = 0;
    std::size_t at = 0, size = 0;
  };

  /// The shape of the text, whose fields are known then; null: it has none that is known.
  const LineShape* find(std::string_view text);
  /// The shape of the text is learnt when its fields are asked for.
  void learn(std::string_view text, std::span<const Finding> findings);
  /// All fields of a text.
  const std::vector<LogField>& fields(std::string_view text);

 private:
  static constexpr std::size_t kShapes = 4;
  /// Of lines that are never met again few are learnt.
  static constexpr unsigned kPatience = 16, kSeldom = 64;

  std::array<LineShape, kShapes> shapes_;
  std::size_t last_ = 0, next_ = 0;
  unsigned in_vain_ = 0;  ///< lines of no known shape since one was met again
  std::string_view read_{}, learning_{};
  std::vector<Finding> findings_;
  std::vector<FieldMark> marks_;
  std::vector<LogField> fields_;  ///< of a text of no known shape
};

LineShapes& line_shapes();

}  // namespace gpuplan
