// Texts that many values share, such as the names of GPUs and providers in a long list of offers.
#pragma once

#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gpuplan {

/// A text of which equal ones are kept once, for as long as the program runs: as small as a pointer, copied and
/// compared for equality as one. Reads like a `const std::string`. Several threads may make, read and copy them. For
/// texts of which there are few different ones: none is ever given back.
class Word {
 public:
  Word() = default;
  Word(std::string_view text) : text_(kept(text)) {}    // NOLINT(google-explicit-constructor)
  Word(const std::string& text) : text_(kept(text)) {}  // NOLINT(google-explicit-constructor)
  Word(const char* text) : text_(kept(text)) {}         // NOLINT(google-explicit-constructor)

  const std::string& str() const { return text_ != nullptr ? *text_ : none(); }
  operator const std::string&() const { return str(); }  // NOLINT(google-explicit-constructor)
  operator std::string_view() const { return str(); }    // NOLINT(google-explicit-constructor)

  bool empty() const { return text_ == nullptr; }
  std::size_t size() const { return str().size(); }
  std::size_t find(std::string_view part) const { return str().find(part); }
  std::size_t find(char sign) const { return str().find(sign); }
  std::size_t find_first_of(std::string_view signs) const { return str().find_first_of(signs); }
  bool contains(std::string_view part) const { return str().contains(part); }
  bool starts_with(std::string_view part) const { return str().starts_with(part); }
  bool ends_with(std::string_view part) const { return str().ends_with(part); }
  std::string substr(std::size_t at, std::size_t size = std::string::npos) const { return str().substr(at, size); }

  friend bool operator==(const Word& a, const Word& b) { return a.text_ == b.text_; }
  friend std::strong_ordering operator<=>(const Word& a, const Word& b) {
    return a.text_ == b.text_ ? std::strong_ordering::equal : a.str() <=> b.str();
  }

 private:
  static const std::string* kept(std::string_view text);
  static const std::string& none();

  const std::string* text_ = nullptr;  ///< null: an empty one
};

/// Exactly a word, so that other texts are never made one to be compared or joined.
template <class T>
concept IsWord = std::is_same_v<T, Word>;
template <class T>
concept OtherText = !IsWord<T> && std::is_convertible_v<const T&, std::string_view>;

template <IsWord W, OtherText T>
bool operator==(const W& word, const T& text) {
  return std::string_view(word) == std::string_view(text);
}
template <IsWord W, OtherText T>
std::strong_ordering operator<=>(const W& word, const T& text) {
  return std::string_view(word) <=> std::string_view(text);
}

template <IsWord W>
std::string operator+(std::string text, const W& word) {
  return std::move(text += word.str());
}
template <IsWord W, OtherText T>
std::string operator+(const W& word, const T& text) {
  return std::string(word.str()).append(std::string_view(text));
}
template <IsWord W>
std::string operator+(const W& word, char sign) {
  return word.str() + sign;
}
template <IsWord W>
std::string operator+(const W& one, const W& other) {
  return one.str() + other.str();
}

}  // namespace gpuplan
