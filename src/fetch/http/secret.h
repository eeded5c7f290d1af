// A key: handed to the server that it is for, and to nobody else.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace gpuplan::fetch {

/// Has no text that a message, a log or a file could take by accident.
class Secret {
 public:
  Secret() = default;
  explicit Secret(std::string text) : text_(std::move(text)) {}
  bool empty() const { return text_.empty(); }
  /// For the request alone.
  const std::string& reveal() const { return text_; }
  /// The message without the key, should somebody else have written it in.
  std::string hidden_in(std::string message) const {
    constexpr std::size_t kShortest = 4;  // a shorter one is no key, and would blot out words
    if (text_.size() < kShortest) return message;
    for (std::size_t at = message.find(text_); at != std::string::npos; at = message.find(text_, at))
      message.replace(at, text_.size(), "***");
    return message;
  }

 private:
  std::string text_;
};

}  // namespace gpuplan::fetch
