#include "fetch/http/http_client.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "fetch/http/curl_easy.h"
#include "fetch/http/http_transfer.h"

namespace gpuplan::fetch {

struct HttpClient::State {
  CurlEasy curl;
  HttpHost* host;
};

namespace {

using Kind = TransferResult::Kind;

/// A request on its way: where it is now, what is at hand, how often it failed.
struct Journey {
  const HttpRequest* request;
  const HttpLimits* limits;
  Url first, url;
  std::vector<std::string> seen;  ///< addresses that sent on
  HeldPart held;
  int failed = 0;
};

std::unexpected<Error> end_of(const Journey& journey, const std::string& reason) {
  std::string message = journey.url.shown() + " " + reason;
  if (journey.failed > 1) message += " (" + std::to_string(journey.failed) + " tries)";
  message = journey.request->key.hidden_in(std::move(message));
  return failure(journey.request->secret_body.hidden_in(std::move(message)));
}

/// Goes to where it is sent, if that is allowed.
Result<void> follow(Journey& journey, const TransferResult& sent) {
  const bool posts = !journey.request->body.empty() || !journey.request->secret_body.empty();
  const int status = sent.headers.status;
  auto next = parse_url(sent.location);
  if (!next) return end_of(journey, "redirects to an address that cannot be used: " + next.error().message);
  if (auto allowed = may_follow(journey.url, *next); !allowed) return allowed;
  const bool same_question = status == 307 || status == 308;
  if (posts && (!same_question || !same_origin(journey.first, *next)))
    return end_of(journey, "has moved to " + next->shown());
  journey.seen.push_back(journey.url.text());
  if (std::ranges::find(journey.seen, next->text()) != journey.seen.end())
    return end_of(journey, "redirects in a loop");
  if (journey.seen.size() > static_cast<std::size_t>(journey.limits->most_redirects))
    return end_of(journey, "redirects more than " + count_of(journey.limits->most_redirects, "time"));
  journey.url = *std::move(next);
  journey.held = {};
  return {};
}

/// Waits for the next try; false: there is none.
bool wait_for_next(const Journey& journey, double asked_s, double left_s, HttpHost& host) {
  const auto wait = wait_before_retry(journey.failed, asked_s, host.chance(), journey.limits->retry);
  if (!wait || *wait >= left_s) return false;
  constexpr double kMilli = 1000;
  host.sleep(static_cast<int>(*wait * kMilli));
  return true;
}

/// What came is kept where the server can tell next time that it is a part of the same.
void keep_part(Journey& journey, const TransferResult& result, std::uint64_t bytes) {
  const HttpHeaders& headers = result.headers;
  if (result.part_lost) journey.held = {};
  if (!result.part_came) return;
  if (headers.status == 206) journey.held.bytes = bytes;
  else if (headers.strong_etag() && journey.request->body.empty() && bytes > 0)
    journey.held = {bytes, headers.etag, headers.encoding};
  else journey.held = {};
}

HttpReply reply_of(TransferResult& result, std::uint64_t bytes) {
  return {.not_changed = result.kind == Kind::kNotChanged,
          .packed = result.headers.encoding == "gzip",
          .bytes = bytes,
          .etag = std::move(result.headers.etag),
          .last_modified = std::move(result.headers.last_modified),
          .content_type = std::move(result.headers.content_type)};
}

Result<HttpReply> travel(CurlEasy& curl, HttpHost& host, Journey& journey, TempFile& into) {
  const std::uint64_t begin = into.size();
  const double deadline = host.now() + journey.limits->total_s;
  while (true) {
    const double left = deadline - host.now();
    if (left <= 0) return end_of(journey, "took longer than " + significant_text(journey.limits->total_s, 3) + " s");
    const TransferTerms terms{.request = journey.request,
                              .limits = journey.limits,
                              .url = journey.url,
                              .with_key = same_origin(journey.first, journey.url),
                              .seconds = left,
                              .held = journey.held,
                              .begin = begin};
    TransferResult result = transfer(curl, terms, into, host);
    if (result.kind == Kind::kDone || result.kind == Kind::kNotChanged) return reply_of(result, into.size() - begin);
    if (result.kind == Kind::kFailed) return end_of(journey, result.reason);
    if (result.kind == Kind::kRedirected) {
      if (auto followed = follow(journey, result); !followed) return std::unexpected(followed.error());
      if (auto cut = into.cut(begin); !cut) return std::unexpected(cut.error());
      continue;
    }
    ++journey.failed;
    keep_part(journey, result, into.size() - begin);
    if (auto cut = into.cut(begin + journey.held.bytes); !cut) return std::unexpected(cut.error());
    if (wait_for_next(journey, result.asked_s, deadline - host.now(), host)) continue;
    if (result.asked_s > 0) result.reason += "; it asks to wait for " + count_text(result.asked_s) + " s";
    return end_of(journey, result.reason);
  }
}

}  // namespace

HttpClient::HttpClient(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpClient::HttpClient(HttpClient&& other) noexcept = default;
HttpClient::~HttpClient() = default;

Result<HttpClient> HttpClient::open(HttpHost& host) {
  auto curl = CurlEasy::open();
  if (!curl) return std::unexpected(std::move(curl.error()));
  return HttpClient(std::make_unique<State>(*std::move(curl), &host));
}

Result<HttpReply> HttpClient::ask(const HttpRequest& request, const HttpLimits& limits, TempFile& into) {
  auto url = parse_url(request.url);
  if (!url) return std::unexpected(std::move(url.error()));
  if (auto allowed = may_ask(*url); !allowed) return std::unexpected(std::move(allowed.error()));
  Journey journey{&request, &limits, *url, *url, {}, {}, 0};
  const std::uint64_t begin = into.size();
  auto reply = travel(state_->curl, *state_->host, journey, into);
  if (!reply) {
    if (auto cut = into.cut(begin); !cut) return std::unexpected(std::move(cut.error()));
  }
  return reply;
}

}  // namespace gpuplan::fetch
