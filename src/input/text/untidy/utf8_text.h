// Text in the encodings that spreadsheets and shells write, made into UTF-8 in pieces of any size.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// Takes off a byte order mark, and turns what one, or every second byte of the first four, tells to be UTF-16 into
/// UTF-8; halves of characters become U+FFFD. Everything else is passed on as it is, but for bytes that are no UTF-8
/// where these are to be read as the letters of Windows' western code page (1252), in which spreadsheets save tables.
class ToUtf8 {
 public:
  ToUtf8() = default;
  explicit ToUtf8(bool windows) : windows_(windows) {}

  /// Calls `take(std::string_view)`; the first bytes wait for each other.
  template <class Take>
  void feed(std::string_view bytes, Take&& take) {
    if (const std::string_view text = next(bytes, false); !text.empty()) take(text);
  }
  /// No more comes.
  template <class Take>
  void end(Take&& take) {
    if (const std::string_view text = next({}, true); !text.empty()) take(text);
  }

 private:
  enum class Kind { kUnknown, kPlain, kLittle, kBig };

  std::string_view next(std::string_view bytes, bool last);
  std::string_view plain(std::string_view bytes, bool last);
  void unit(unsigned value);
  void put(unsigned character);

  bool windows_ = false;
  std::string cut_;  ///< a character that may go on in the next piece
  Kind kind_ = Kind::kUnknown;
  std::string start_;       ///< of which the kind is not known yet
  std::string out_;         ///< what the last call gave
  int half_ = -1;           ///< first byte of a unit
  unsigned surrogate_ = 0;  ///< first half of a character
};

}  // namespace gpuplan
