// JSON, written as it comes: no tree is built, keys keep their order.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace gpuplan {

/// Every begin has its end; inside objects a key comes before each value (assertions check both). Numbers are written
/// so that they read back as the same double; those that are not finite become null. Strings may hold anything: control
/// characters and those that turn or hide others are escaped, and bytes that are not UTF-8 become U+FFFD.
class JsonWriter {
 public:
  enum class Layout { kCompact, kIndented };
  explicit JsonWriter(Layout layout = Layout::kIndented) : indented_(layout == Layout::kIndented) {}

  /// `on_one_line`: for short objects and arrays, in the indented layout too.
  JsonWriter& begin_object(bool on_one_line = false) { return open('{', '}', on_one_line); }
  JsonWriter& begin_array(bool on_one_line = false) { return open('[', ']', on_one_line); }
  JsonWriter& end();  ///< of the object or array begun last

  JsonWriter& key(std::string_view name);

  JsonWriter& value(std::string_view text);
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(bool flag) { return raw(flag ? "true" : "false"); }
  JsonWriter& value(double number);
  template <std::integral T>
    requires(!std::same_as<T, bool>)
  JsonWriter& value(T number) {
    return raw(std::to_string(number));
  }
  template <class T>
  JsonWriter& value(const std::optional<T>& what) {
    return what ? value(*what) : null();
  }
  JsonWriter& null() { return raw("null"); }
  /// A value that is JSON already, such as what another writer made.
  JsonWriter& document(std::string_view json) { return raw(trim(json)); }

  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    key(name);
    return value(what);
  }
  /// A list of texts on one line.
  JsonWriter& member(std::string_view name, const std::vector<std::string>& texts);
  JsonWriter& null_member(std::string_view name) {
    key(name);
    return null();
  }

  /// The text so far, with a line feed at its end; the writer is empty afterwards.
  std::string take();

 private:
  struct Level {
    char close;
    bool on_one_line;
    bool empty = true;
  };

  JsonWriter& open(char open, char close, bool on_one_line);
  JsonWriter& raw(std::string_view text);
  void before_value();
  void separate();
  void break_line();
  void quote(std::string_view text);

  std::string text_;
  std::vector<Level> levels_;
  bool indented_;
  bool after_key_ = false;
};

}  // namespace gpuplan
