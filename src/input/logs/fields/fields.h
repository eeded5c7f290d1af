// Names with numbers behind them in lines of any form: "step 12/90 | loss: 3.1 | 57.3ms", "global_step=10, lr=[0.1]".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "input/logs/book/names.h"
#include "input/logs/book/scan.h"

namespace gpuplan {

enum class FieldUnit : std::uint8_t {
  kNone,
  kTime,
  kStepTime,  ///< "s/it"
  kTokens,
  kTokensPerGpu,
  kSequences,
  kBytes,
  kStepsPerSecond,
  kShare,
  kFlops
};

struct FieldMeasure {
  FieldUnit unit = FieldUnit::kNone;
  double scale = 1;
};

constexpr char small_letter(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// "ms", "tok/s", "GiB", in letters of any size; nullopt: it is no unit.
std::optional<FieldMeasure> field_measure(std::string_view text);

/// A number of a line with what stands around it.
struct LogField {
  std::string_view name{};                ///< words before it, "grad norm"; empty: none since the number before
  double value = 0;                       ///< NaN where the program says so
  std::string_view unit{};                ///< "ms", "tok/s", "%"; empty: none
  std::optional<FieldMeasure> measure{};  ///< by the unit, where it was looked up
  double total = scan::kUnknown;          ///< behind a slash: "12/90"
  bool fraction = false;                  ///< written as no whole number: "3.1", "1e-4", "nan"
  bool mebi = false;                      ///< "M" behind it: mebibytes, of memory
  bool gibi = false;                      ///< "G": gibibytes
  bool bare_count() const { return !fraction && unit.empty() && value >= 0; }
  bool bracketed = false;               ///< "[ 12/90]": a count in brackets of its own
  const NamedValue* meaning = nullptr;  ///< of its name and unit, where that was asked before
};

/// Where the digits of a line stand.
struct FieldMark {
  enum class Kind : std::uint8_t {
    kValue,    ///< a field's
    kTotal,    ///< behind the slash of the field before it
    kSkipped,  ///< a time of day or the like, which is none
    kOther     ///< of a field that is more than digits: "nan", "1m 9s"
  };
  Kind kind = Kind::kValue;
  std::size_t begin = 0, end = 0;
  double scale = 1;  ///< of what is written: "12k"
};

/// Takes numbers off the front of a line one by one.
class LogFields {
 public:
  explicit LogFields(std::string_view text, std::vector<FieldMark>* marks = nullptr) : text_(text), marks_(marks) {}
  bool next(LogField& field);
  /// Takes what goes on behind the first number of a time of day, a date or a version; false: nothing.
  static bool skip_joined(std::string_view& rest);

 private:
  bool number(LogField& field);
  void add_smaller(LogField& field, std::string_view& rest);
  bool not_finite(LogField& field);
  void word();
  void sign();
  char before(std::size_t at) const { return at == 0 ? ' ' : text_[at - 1]; }

  void mark(FieldMark::Kind kind, std::size_t begin, std::string_view rest, double scale = 1) {
    if (marks_ != nullptr) marks_->push_back({kind, begin, text_.size() - rest.size(), scale});
  }

  std::string_view text_;
  std::vector<FieldMark>* marks_;  ///< null: nobody asks
  std::size_t at_ = 0, name_begin_ = 0, name_end_ = 0;
  std::string_view unit_;   ///< in brackets behind the name: "iter time (s)"
  bool separated_ = false;  ///< a colon or an equals sign came since the name
};

/// What the words before a number mean, whatever program wrote them: "train loss", "Train/Loss" and "avg loss" are one.
/// Words before the last ones that have a meaning are left out ("INFO trainer step" is "step").
NamedValue meaning_of(const LogField& field);
/// The same of a name by itself, a key of a record.
NamedValue meaning_of_key(std::string_view name);

}  // namespace gpuplan
