#include "fetch/fetch_list.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include "base/text.h"
#include "fetch/http/url.h"
#include "fetch/pages.h"
#include "input/text/csv.h"
#include "input/text/gunzip.h"
#include "input/text/json_text.h"
#include "input/text/untidy/unpack_limits.h"

namespace gpuplan::fetch {
namespace {

class TextTaker final : public DocumentTaker {
 public:
  Result<void> take(std::string_view piece) override {
    text += piece;
    return {};
  }
  std::string text;
};

const Secret* key_named(const Keys& keys, std::string_view name) {
  const auto found = keys.find(name);
  return found == keys.end() ? nullptr : &found->second;
}

void replace_all(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

/// A short answer as text.
Result<std::string> ask_text(HttpClient& client, const HttpRequest& request, HttpLimits limits,
                             std::span<const std::string> folders) {
  constexpr std::uint64_t kShort = 65'536;
  limits.most_bytes = kShort;
  auto file = TempFile::open(folders);
  if (!file) return std::unexpected(std::move(file.error()));
  const auto reply = client.ask(request, limits, *file);
  if (!reply) return std::unexpected(reply.error());
  TextTaker taker;
  if (auto read = read_document(*file, {0, reply->bytes, reply->packed}, kShort, taker); !read)
    return std::unexpected(std::move(read.error()));
  return std::move(taker.text);
}

std::string shown_address(const std::string& url) {
  const auto parsed = parse_url(url);
  return parsed ? parsed->shown() : "the address";
}

/// What {version} stands for today.
Result<std::string> ask_version(HttpClient& client, const std::string& url, const HttpLimits& limits,
                                std::span<const std::string> folders) {
  const auto text = ask_text(client, {.url = url}, limits, folders);
  if (!text) return std::unexpected(text.error());
  const std::string_view word = trim(*text);
  const bool good = !word.empty() && word.size() <= 64 && !word.contains("..") && std::ranges::all_of(word, [](char c) {
    return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '_';
  });
  if (!good) return failure(shown_address(url) + " does not hold a version, but something else");
  return std::string(word);
}

/// A token for client and secret, as OAuth 2 has it.
Result<Secret> ask_token(HttpClient& client, const ListRequest& request, const HttpLimits& limits) {
  const PriceSource& source = *request.source;
  const Secret *id = key_named(*request.keys, source.keys[0]), *secret = key_named(*request.keys, source.keys[1]);
  if (id == nullptr || secret == nullptr) return failure("needs " + source.keys[0] + " and " + source.keys[1]);
  // Keys hold no control characters (checked_key); quotes and backslashes are escaped.
  const auto quoted = [](std::string text) {
    replace_all(text, "\\", "\\\\");
    replace_all(text, "\"", "\\\"");
    return '"' + text + '"';
  };
  HttpRequest ask{.url = source.token_url};
  ask.secret_body = Secret("{\"grant_type\":\"client_credentials\",\"client_id\":" + quoted(id->reveal()) +
                           ",\"client_secret\":" + quoted(secret->reveal()) + "}");
  const auto text = ask_text(client, ask, limits, request.folders);
  if (!text) return std::unexpected(text.error());
  const auto answer = parse_json(*text, "");
  const Tree* token = answer ? answer->find("access_token") : nullptr;
  if (token == nullptr || !token->is_scalar())
    return failure(shown_address(source.token_url) + " gives no token for " + source.keys[0]);
  return checked_key(token->text, "the token that came for " + source.keys[0]);
}

/// The key that goes with the request; empty: none.
Result<Secret> key_of(HttpClient& client, const ListRequest& request, const HttpLimits& limits) {
  const PriceSource& source = *request.source;
  if (!has_key(source, *request.keys)) {
    if (source.need == KeyNeed::kNeeded)
      return failure("needs a key: set " + listed(source.keys, source.use == KeyUse::kClient ? "and" : "or"));
    return Secret();
  }
  if (source.use == KeyUse::kClient) return ask_token(client, request, limits);
  for (const std::string& name : source.keys)
    if (const Secret* key = key_named(*request.keys, name)) return *key;
  return Secret();
}

/// The addresses as they are asked for.
Result<std::vector<std::string>> addresses(HttpClient& client, const ListRequest& request, const HttpLimits& limits) {
  const PriceSource& source = *request.source;
  std::vector<std::string> urls = source.urls;
  for (std::string& url : urls) replace_all(url, "{part}", request.part);
  const bool versions = std::ranges::any_of(urls, [](const std::string& url) { return url.contains("{version}"); });
  if (!versions) return urls;
  std::string version_url = source.version_url;
  replace_all(version_url, "{part}", request.part);
  const auto version = ask_version(client, version_url, limits, request.folders);
  if (!version) return std::unexpected(version.error());
  for (std::string& url : urls) replace_all(url, "{version}", *version);
  return urls;
}

/// The page that came last, for its next one.
Result<std::optional<std::string>> page_behind(const FetchedList& list, const PageRule& rule, const std::string& url) {
  if (rule.kind == PageRule::Kind::kNone) return std::nullopt;
  TextTaker page;
  if (auto read = read_document(list.file, list.documents.back(), kMostPageBytes, page); !read)
    return std::unexpected(std::move(read.error()));
  return next_page(rule, url, page.text);
}

/// An address and all that follow it; true: what the user has is still it.
Result<bool> fetch_pages(HttpClient& client, HttpRequest ask, const PageRule& rule, HttpLimits limits,
                         std::size_t address, FetchedList& list) {
  const std::uint64_t most = limits.most_bytes;
  std::set<std::string> seen;
  for (int page = 0; page < kMostPages; ++page) {
    limits.most_bytes = most - std::min(most, list.bytes);
    const auto reply = client.ask(ask, limits, list.file);
    if (!reply) return std::unexpected(reply.error());
    if (reply->not_changed) return true;
    list.documents.push_back({list.file.size() - reply->bytes, reply->bytes, reply->packed, address});
    list.bytes += reply->bytes;
    list.validators = {reply->etag, reply->last_modified};
    list.date = date_of_header(reply->last_modified);
    auto next = page_behind(list, rule, ask.url);
    if (!next) return failure(shown_address(ask.url) + ": " + next.error().message);
    if (!*next) return false;
    seen.insert(ask.url);
    if (seen.contains(**next)) return failure(shown_address(ask.url) + " has pages that form a loop");
    ask.url = **std::move(next);
  }
  return failure(shown_address(ask.url) + " has more than " + count_of(kMostPages, "page"));
}

}  // namespace

std::uint64_t most_unpacked(std::uint64_t most_bytes) {
  constexpr std::uint64_t kTimes = 2;  // the bound of a source leaves room for its list as it is when unpacked
  return most_bytes * kTimes;
}

bool has_key(const PriceSource& source, const Keys& keys) {
  const auto there = [&](const std::string& name) { return keys.contains(name); };
  return source.use == KeyUse::kClient ? !source.keys.empty() && std::ranges::all_of(source.keys, there)
                                       : std::ranges::any_of(source.keys, there);
}

Result<FetchedList> fetch_list(HttpClient& client, const ListRequest& request, HttpLimits limits) {
  const PriceSource& source = *request.source;
  limits.most_bytes = source.most_bytes;
  auto key = key_of(client, request, limits);
  if (!key) return std::unexpected(std::move(key.error()));
  const auto urls = addresses(client, request, limits);
  if (!urls) return std::unexpected(urls.error());
  FetchedList list;
  auto file = TempFile::open(request.folders);
  if (!file) return std::unexpected(std::move(file.error()));
  list.file = *std::move(file);
  const bool single = urls->size() == 1 && source.pages.kind == PageRule::Kind::kNone;
  for (std::size_t address = 0; address < urls->size(); ++address) {
    HttpRequest ask{.url = (*urls)[address], .body = source.body, .key = *key};
    ask.key_header = source.use == KeyUse::kHeader ? source.key_header : std::string();
    if (single) ask.etag = request.have.etag, ask.last_modified = request.have.last_modified;
    const auto same = fetch_pages(client, ask, source.pages, limits, address, list);
    if (!same) return failure(key->hidden_in(same.error().message));
    list.not_changed = *same;
  }
  if (!single) list.validators = {};
  return list;
}

Result<void> read_document(const TempFile& file, const Document& document, std::uint64_t most, DocumentTaker& taker) {
  std::array<char, std::size_t{1} << 16U> buffer;
  std::optional<Gunzip> gunzip;
  if (document.packed) gunzip.emplace();
  std::uint64_t passed = 0;
  Result<void> result;
  const auto pass = [&](std::string_view piece) {
    if (!result) return;
    passed += piece.size();
    const bool bomb = document.packed && UnpackLimits{}.exceeded(document.size, passed);
    if (passed > most || bomb) result = failure("unpacks to more than any price list has");
    else result = taker.take(piece);
  };
  for (std::uint64_t at = 0; at < document.size && result;) {
    const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size(), document.size - at));
    const auto piece = file.read(document.begin + at, std::span(buffer).first(size));
    if (!piece) return std::unexpected(piece.error());
    if (piece->empty()) return failure("what was fetched is not there any more");
    at += piece->size();
    if (gunzip) gunzip->feed(*piece, pass);
    else pass(*piece);
  }
  if (result && gunzip && gunzip->state() != Gunzip::State::kBetween)
    return failure("came damaged: its gzip breaks off");
  return result;
}

std::string date_of_header(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto words = split(text, ' ');
  if (words.size() != 6) return "";
  const auto* const month = std::ranges::find(kMonths, words[2]);
  if (month == kMonths.end() || words[1].size() != 2 || words[3].size() != 4) return "";
  const auto number = month - kMonths.begin() + 1;
  std::string date(words[3]);
  date += number < 10 ? "-0" : "-";
  date += std::to_string(number);
  date += '-';
  date += words[1];
  return is_iso_date(date) ? date : "";
}

}  // namespace gpuplan::fetch
