// Wrong input as a value: what was wrong, where, what was expected and what to do.
#pragma once

#include <expected>
#include <string>
#include <utility>

namespace gpuplan {

/// Place in a text the user wrote; line and column count from 1, 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// Wrong input (exit code 5) unless `usage` says that the command line itself was wrong (exit code 2).
/// `message` is one line without the place; the command line prints "file:line: message".
struct Error {
  std::string message;
  Place place{};
  bool usage = false;
};

template <class T>
using Result = std::expected<T, Error>;

inline std::unexpected<Error> failure(std::string message, Place place = {}) {
  return std::unexpected<Error>(Error{std::move(message), std::move(place), false});
}

/// A mistake in the command line itself.
inline std::unexpected<Error> wrong_use(std::string message) {
  return std::unexpected<Error>(Error{std::move(message), {}, true});
}

}  // namespace gpuplan
