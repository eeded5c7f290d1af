// Addresses on the web, read strictly: what two readers of one text could understand differently is refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace gpuplan::fetch {

struct Url {
  std::string scheme;  ///< "https" or "http"
  std::string host;    ///< lower case; an IPv6 address with its brackets
  int port = 0;
  std::string path;  ///< with the query, without the fragment: "/v2/plans?per_page=500"

  std::string text() const;
  /// Without the query, which may hold what is not for others to see.
  std::string shown() const;
};

/// Fails for any scheme but http and https, a user name or password, control characters, blanks, backslashes, an empty
/// or odd host, a port that is none. Messages never repeat the text, which may hold a password.
Result<Url> parse_url(std::string_view text);
/// This machine: 127.x.x.x, ::1, localhost.
bool is_loopback(const Url& url);
/// The same scheme, host and port: what may be sent to one may be sent to the other.
bool same_origin(const Url& one, const Url& other);

/// Whether an address may be asked: https anywhere, http only on this machine.
Result<void> may_ask(const Url& url);
/// Whether `from` may send us to `to`: as above, and never from https to http.
Result<void> may_follow(const Url& from, const Url& to);

/// The address with this parameter in its query, in place of one of the same name; the value is encoded.
std::string with_parameter(std::string_view url, std::string_view name, std::string_view value);
/// The value of a parameter as it is written; empty: there is none.
std::string_view parameter_of(std::string_view url, std::string_view name);

}  // namespace gpuplan::fetch
