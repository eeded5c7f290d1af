#include "fetch/http/url.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace gpuplan::fetch {
namespace {

int usual_port(std::string_view scheme) { return scheme == "https" ? 443 : 80; }

bool is_host_sign(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_'; }
bool is_address_sign(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || c == ':' || c == '.'; }

bool is_plain_host(std::string_view host) {
  return !host.empty() && host.size() <= 253 && host.front() != '.' && host.front() != '-' &&
         std::ranges::all_of(host, is_host_sign);
}

bool is_host(std::string_view host) {
  if (!host.starts_with('[')) return is_plain_host(host);
  if (!host.ends_with(']') || host.size() < 4) return false;
  return std::ranges::all_of(host.substr(1, host.size() - 2), is_address_sign);
}

bool is_url_sign(char c) { return c > ' ' && c < '\x7f' && c != '\\' && c != '"' && c != '<' && c != '>'; }

/// Four numbers of which the first is 127; "127.evil.com" is none.
bool is_loopback_address(std::string_view host) {
  const auto parts = split(host, '.');
  return parts.size() == 4 && parts.front() == "127" && std::ranges::all_of(parts, [](std::string_view part) {
           return !part.empty() && part.size() <= 3 && std::ranges::all_of(part, is_digit);
         });
}

/// Where the query begins: behind the '?', or at the end.
std::size_t query_at(std::string_view url) {
  const std::size_t mark = url.find('?');
  return mark == std::string_view::npos ? url.size() : mark + 1;
}

/// Where the value of a parameter stands in the url; begin == npos: nowhere.
struct Span {
  std::size_t begin = std::string_view::npos, size = 0;
};

Span find_parameter(std::string_view url, std::string_view name) {
  std::size_t at = query_at(url);
  while (at < url.size()) {
    const std::size_t end = std::min(url.find('&', at), url.size());
    const std::string_view pair = url.substr(at, end - at);
    if (pair.starts_with(name) && pair.substr(name.size()).starts_with('=')) {
      const std::size_t begin = at + name.size() + 1;
      return {begin, end - begin};
    }
    at = end + 1;
  }
  return {};
}

std::string encoded(std::string_view value) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string text;
  for (const char c : value) {
    if (is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.' || c == '~') {
      text += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    text += '%';
    text += kHex[byte >> 4U];
    text += kHex[byte & 15U];
  }
  return text;
}

}  // namespace

std::string Url::text() const {
  std::string url = scheme + "://" + host;
  if (port != usual_port(scheme)) url += ':' + std::to_string(port);
  return url + path;
}

std::string Url::shown() const {
  std::string url = text();
  url.resize(std::min(url.find('?'), url.size()));
  return printable(url, 160);
}

Result<Url> parse_url(std::string_view text) {
  text = trim(text);
  constexpr std::size_t kLongest = 8192;
  if (text.size() > kLongest) return failure("the address is longer than 8,192 bytes");
  if (!std::ranges::all_of(text, is_url_sign))
    return failure("the address holds a blank, a control character or another sign that addresses do not have");
  Url url;
  const std::size_t colon = text.find("://");
  url.scheme = colon == std::string_view::npos ? "" : to_lower(text.substr(0, colon));
  if (url.scheme != "https" && url.scheme != "http")
    return failure("the address must begin with https:// (or http:// on this machine)");
  text.remove_prefix(colon + 3);
  text = text.substr(0, text.find('#'));
  std::string_view authority = text.substr(0, text.find_first_of("/?"));
  url.path = text.substr(authority.size());
  if (!url.path.starts_with('/')) url.path.insert(0, "/");
  if (authority.contains('@'))
    return failure("the address holds a user name or password; keys belong into the environment or keys.toml");
  url.port = usual_port(url.scheme);
  const std::size_t bracket = authority.rfind(']');
  const std::size_t port = authority.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (port != std::string_view::npos) {
    const std::string_view digits = authority.substr(port + 1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), url.port);
    if (error != std::errc{} || end != digits.data() + digits.size() || url.port < 1 || url.port > 65535)
      return failure("the address has a port that is none");
    authority = authority.substr(0, port);
  }
  url.host = to_lower(authority);
  if (!is_host(url.host)) return failure("the address names no host that can be asked");
  return url;
}

bool is_loopback(const Url& url) {
  return url.host == "localhost" || url.host == "[::1]" || is_loopback_address(url.host);
}

bool same_origin(const Url& one, const Url& other) {
  return one.scheme == other.scheme && one.host == other.host && one.port == other.port;
}

Result<void> may_ask(const Url& url) {
  if (url.scheme == "https" || is_loopback(url)) return {};
  return failure(url.shown() + " is not encrypted, so anybody on the way could change prices; use https://");
}

Result<void> may_follow(const Url& from, const Url& to) {
  if (from.scheme == "https" && to.scheme != "https")
    return failure(from.shown() + " redirects to " + to.shown() + ", which is not encrypted");
  return may_ask(to);
}

std::string with_parameter(std::string_view url, std::string_view name, std::string_view value) {
  const Span found = find_parameter(url, name);
  std::string result(url);
  if (found.begin != std::string_view::npos) return result.replace(found.begin, found.size, encoded(value));
  result += url.contains('?') ? '&' : '?';
  result += name;
  result += '=';
  return result + encoded(value);
}

std::string_view parameter_of(std::string_view url, std::string_view name) {
  const Span found = find_parameter(url, name);
  return found.begin == std::string_view::npos ? std::string_view{} : url.substr(found.begin, found.size);
}

}  // namespace gpuplan::fetch
