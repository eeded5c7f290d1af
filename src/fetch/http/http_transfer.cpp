#include "fetch/http/http_transfer.h"

#include <curl/curl.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "base/text.h"

namespace gpuplan::fetch {
namespace {

using Kind = TransferResult::Kind;

/// What the callbacks of libcurl share. Any of them may end the transfer; then `refusal` or `other_part` says why.
struct Incoming {
  const TransferTerms* terms;
  TempFile* into;
  HttpHost* host;
  HttpHeaders headers{};
  bool begun = false;       ///< it is known what becomes of the body
  bool wanted = false;      ///< the body is what was asked for
  bool other_part = false;  ///< what is resumed has changed meanwhile
  std::uint64_t unwanted = 0;
  std::string refusal{};
  const CurlEasy* curl = nullptr;
  std::int64_t came = -1;  ///< bytes, when there was news last
  double news_at = 0;      ///< host->now() of that
  bool stalled = false;

  bool begin();
  bool take(std::string_view bytes);
  bool still_comes(std::int64_t bytes);
};

std::string size_text(std::uint64_t bytes) {
  constexpr double kMega = 1e6;
  const auto size = static_cast<double>(bytes);
  return size < kMega ? count_text(size) + " bytes" : significant_text(size / kMega, 3) + " MB";
}

std::string too_large(std::uint64_t most) { return "sends more than the " + size_text(most) + " that are taken of it"; }

/// False: it is not taken.
bool Incoming::begin() {
  begun = true;
  const HeldPart& held = terms->held;
  std::uint64_t kept = held.bytes;
  if (headers.status == 206 && held.bytes > 0) {
    const bool same = headers.range && headers.range->first == held.bytes && headers.encoding == held.encoding &&
                      (headers.etag.empty() || headers.etag == held.etag);
    other_part = !same;
    wanted = same;
  } else if (headers.status == 200) {
    wanted = true;
    kept = 0;
    if (const auto cut = into->cut(terms->begin); !cut) refusal = cut.error().message;
  }
  if (!wanted) return !other_part;
  if (!headers.encoding.empty() && headers.encoding != "gzip" && headers.encoding != "identity")
    refusal = "sends it packed in a way that was not asked for (" + printable(headers.encoding, 20) + ")";
  const std::uint64_t most = terms->limits->most_bytes;
  if (headers.length && *headers.length > most - std::min(most, kept)) refusal = too_large(most);
  return refusal.empty();
}

bool Incoming::take(std::string_view bytes) {
  if (!begun && !begin()) return false;
  if (!wanted) {  // the page that goes with an error
    constexpr std::uint64_t kMostUnwanted = 65'536;
    unwanted += bytes.size();
    return unwanted <= kMostUnwanted;
  }
  if (into->size() - terms->begin + bytes.size() > terms->limits->most_bytes) {
    refusal = too_large(terms->limits->most_bytes);
    return false;
  }
  if (const auto kept = into->append(bytes); !kept) {
    refusal = kept.error().message;
    return false;
  }
  host->came(into->size() - terms->begin);
  return true;
}

/// libcurl's own bound looks at the mean speed of some seconds, and would end a silent transfer that much later.
bool Incoming::still_comes(std::int64_t bytes) {
  const double now = host->now();
  const bool connected = curl->number(CURLINFO_PRETRANSFER_TIME_T) > 0;
  if (bytes != came || !connected) {
    came = bytes;
    news_at = now;
  }
  stalled = now - news_at >= terms->limits->stall_s;
  return !stalled;
}

int on_progress(void* incoming, std::int64_t, std::int64_t down, std::int64_t, std::int64_t) {
  return static_cast<Incoming*>(incoming)->still_comes(down) ? 0 : 1;
}

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* incoming) {
  auto& self = *static_cast<Incoming*>(incoming);
  const std::string_view line(data, size * count);
  constexpr int kFinal = 200;  // below: "100 Continue"
  if (!self.headers.take(line)) {
    self.refusal = "sends more headers than any list needs";
    return 0;
  }
  const bool last = line == "\r\n" || line == "\n";
  return last && self.headers.status >= kFinal && !self.begun && !self.begin() ? 0 : line.size();
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* incoming) {
  return static_cast<Incoming*>(incoming)->take({data, size * count}) ? size * count : 0;
}

void add_lines(CurlEasy& curl, const TransferTerms& terms, bool posts) {
  const HttpRequest& request = *terms.request;
  curl.add_line("Accept: application/json, text/csv, */*;q=0.5");
  curl.add_line("Accept-Encoding: gzip");
  curl.add_line("Expect:");
  if (posts) curl.add_line("Content-Type: application/json");
  if (terms.with_key && !request.key.empty())
    curl.add_line(request.key_header.empty() ? "Authorization: Bearer " + request.key.reveal()
                                             : request.key_header + ": " + request.key.reveal());
  if (terms.held.bytes > 0) {
    curl.add_line("Range: bytes=" + std::to_string(terms.held.bytes) + "-");
    curl.add_line("If-Range: " + terms.held.etag);
    return;
  }
  if (!request.etag.empty()) curl.add_line("If-None-Match: " + request.etag);
  if (!request.last_modified.empty()) curl.add_line("If-Modified-Since: " + request.last_modified);
}

long milliseconds_of(double seconds) { return std::lround(seconds * 1000); }

/// libcurl counts in milliseconds.
bool used_up(const Incoming& incoming, double spent) {
  constexpr double kTick = 0.002;
  return spent + kTick >= incoming.terms->seconds;
}

/// Where the time went. The connection stood once there were headers or a body.
std::string time_words(const Incoming& incoming, bool connected, double spent) {
  const HttpLimits& limits = *incoming.terms->limits;
  const auto within = [](double seconds) { return significant_text(seconds, 3) + " s"; };
  if (used_up(incoming, spent)) return "took longer than " + within(limits.total_s);
  if (!connected) return "cannot be reached: no connection within " + within(limits.connect_s);
  return "stopped sending for " + within(limits.stall_s);
}

std::string broken_off(const Incoming& incoming) {
  const std::uint64_t got = incoming.into->size() - incoming.terms->begin;
  return got == 0 ? "broke off before anything came" : "broke off after " + size_text(got);
}

/// What an error of libcurl means.
TransferResult judge_error(int code, const Incoming& incoming, const char* detail, bool connected, double spent) {
  switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
      return {Kind::kFailed, "cannot be found: no network, or no server has that name"};
    case CURLE_COULDNT_RESOLVE_PROXY:
      return {Kind::kFailed, "cannot be asked: the proxy of the environment (https_proxy, http_proxy) is not found"};
    case CURLE_COULDNT_CONNECT:
      return {Kind::kFailed, "cannot be reached: no connection"};
    case CURLE_PEER_FAILED_VERIFICATION:
      return {Kind::kFailed, "is not trusted: its certificate is not valid: " + printable(detail, 120)};
    case CURLE_SSL_CACERT_BADFILE:
      return {Kind::kFailed,
              "cannot be checked: this machine has no certificates to check it with; install "
              "ca-certificates"};
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return {Kind::kFailed, "does not answer as a web server does"};
    case CURLE_OPERATION_TIMEDOUT: {
      const bool last = !connected || used_up(incoming, spent);
      return {last ? Kind::kFailed : Kind::kAgain, time_words(incoming, connected, spent)};
    }
    case CURLE_PARTIAL_FILE:
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
      return {Kind::kAgain, broken_off(incoming)};
    case CURLE_SSL_CONNECT_ERROR:
      return {Kind::kAgain, "does not come to a secure connection (TLS)"};
    default:
      return {Kind::kFailed, "cannot be fetched (libcurl's error " + std::to_string(code) + ")"};
  }
}

std::string status_words(int status, bool with_key) {
  const std::string answered = "answered " + std::to_string(status);
  if (status == 401 || status == 403) return answered + (with_key ? ": it refuses the key" : ": it wants a key");
  if (status == 404 || status == 410) return answered + ": nothing is there; the address may have moved";
  if (status == 429) return answered + ": it was asked too often";
  return status >= 500 ? answered + ": it has trouble of its own" : answered;
}

TransferResult judge_status(const CurlEasy& curl, const Incoming& incoming) {
  const int status = incoming.headers.status;
  const TransferTerms& terms = *incoming.terms;
  if (incoming.wanted) {
    const auto& range = incoming.headers.range;
    if (status == 206 && range && range->whole && *range->whole != incoming.into->size() - terms.begin)
      return {Kind::kAgain, broken_off(incoming)};
    return {Kind::kDone};
  }
  const bool conditional = !terms.request->etag.empty() || !terms.request->last_modified.empty();
  if (status == 304 && conditional && terms.held.bytes == 0) return {Kind::kNotChanged};
  if (status >= 301 && status <= 308)
    if (std::string location = curl.text(CURLINFO_REDIRECT_URL); !location.empty())
      return {Kind::kRedirected, "", std::move(location)};
  if (status == 416 && terms.held.bytes > 0) return {Kind::kAgain, broken_off(incoming)};
  const bool with_key = terms.with_key && (!terms.request->key.empty() || !terms.request->secret_body.empty());
  TransferResult result{worth_retrying(status) ? Kind::kAgain : Kind::kFailed, status_words(status, with_key)};
  result.asked_s = static_cast<double>(curl.number(CURLINFO_RETRY_AFTER));
  return result;
}

/// Never: redirects of libcurl's own, which look at no address; certificates that are not verified.
void set_rules(CurlEasy& curl) {
  curl.set_text(CURLOPT_PROTOCOLS_STR, "http,https");
  curl.set(CURLOPT_FOLLOWLOCATION, 0);
  curl.set(CURLOPT_SSL_VERIFYPEER, 1);
  curl.set(CURLOPT_SSL_VERIFYHOST, 2);
  curl.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1);
  curl.set_text(CURLOPT_USERAGENT, "gpuplan/" GPUPLAN_VERSION);
}

void set_times(CurlEasy& curl, const TransferTerms& terms) {
  constexpr long kSlowest = 100;  // bytes a second
  curl.set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds_of(terms.limits->connect_s));
  curl.set(CURLOPT_TIMEOUT_MS, std::max(1L, milliseconds_of(terms.seconds)));
  curl.set(CURLOPT_LOW_SPEED_LIMIT, kSlowest);
  curl.set(CURLOPT_LOW_SPEED_TIME, std::max(1L, std::lround(terms.limits->stall_s)));
}

TransferResult judge(const CurlEasy& curl, int code, const Incoming& incoming, const char* detail, double spent) {
  if (!incoming.refusal.empty()) return {Kind::kFailed, incoming.refusal};
  if (incoming.other_part) return {Kind::kAgain, "changed while it was sent"};
  if (incoming.stalled) code = CURLE_OPERATION_TIMEDOUT;
  const bool enough = code == CURLE_WRITE_ERROR && !incoming.wanted;  // of the page that goes with an error
  if (code == CURLE_OK || enough) return judge_status(curl, incoming);
  return judge_error(code, incoming, detail, curl.number(CURLINFO_PRETRANSFER_TIME_T) > 0, spent);
}

}  // namespace

TransferResult transfer(CurlEasy& curl, const TransferTerms& terms, TempFile& into, HttpHost& host) {
  Incoming incoming{&terms, &into, &host};
  incoming.curl = &curl;
  std::array<char, CURL_ERROR_SIZE> detail{};
  const HttpRequest& request = *terms.request;
  const std::string& body = request.secret_body.empty() ? request.body : request.secret_body.reveal();
  curl.reset();
  set_rules(curl);
  set_times(curl, terms);
  add_lines(curl, terms, !body.empty());
  curl.set_text(CURLOPT_URL, terms.url.text().c_str());
  curl.set_pointer(CURLOPT_ERRORBUFFER, detail.data());
  curl.set_callback(CURLOPT_HEADERFUNCTION, &on_header);
  curl.set_pointer(CURLOPT_HEADERDATA, &incoming);
  curl.set_callback(CURLOPT_WRITEFUNCTION, &on_body);
  curl.set_pointer(CURLOPT_WRITEDATA, &incoming);
  curl.set(CURLOPT_NOPROGRESS, 0);
  curl.set_progress(CURLOPT_XFERINFOFUNCTION, &on_progress);
  curl.set_pointer(CURLOPT_XFERINFODATA, &incoming);
  if (!terms.limits->certificates.empty()) curl.set_text(CURLOPT_CAINFO, terms.limits->certificates.c_str());
  if (!body.empty()) {
    curl.set_size(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<std::int64_t>(body.size()));
    curl.set_text(CURLOPT_POSTFIELDS, body.c_str());
  }
  if (!curl.all_set()) return {Kind::kFailed, "cannot be fetched: the libcurl that is installed here is too old"};

  const double started = host.now();
  const int code = curl.perform();
  const double spent = host.now() - started;
  TransferResult result = judge(curl, code, incoming, detail.data(), spent);
  result.part_came = incoming.wanted;
  result.part_lost = incoming.other_part || incoming.headers.status == 416;
  result.headers = std::move(incoming.headers);
  return result;
}

}  // namespace gpuplan::fetch
