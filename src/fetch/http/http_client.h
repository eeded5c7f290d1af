// Asks servers for files and takes what they send within bounds: times, sizes, redirects, tries.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/http/retry.h"
#include "fetch/http/secret.h"
#include "fetch/http/temp_file.h"

namespace gpuplan::fetch {

struct HttpRequest {
  std::string url;
  std::string body{};    ///< JSON to be posted; empty: GET
  Secret secret_body{};  ///< the same, where it holds a key
  Secret key{};
  std::string key_header{};             ///< "X-API-KEY"; empty: Authorization, as bearer
  std::string etag{}, last_modified{};  ///< of what is at hand: not sent again if it is still that
};

struct HttpLimits {
  double connect_s = 15;
  double stall_s = 30;                                  ///< without news
  double total_s = 900;                                 ///< a request with all its tries
  std::uint64_t most_bytes = std::uint64_t{64} << 20U;  ///< as transferred
  int most_redirects = 5;
  RetryRules retry{};
  std::string certificates{};  ///< a file of certificates to trust in place of the system's; empty: the system's
};

struct HttpReply {
  bool not_changed = false;
  bool packed = false;  ///< what came is gzip by transfer
  std::uint64_t bytes = 0;
  std::string etag, last_modified;  ///< plain text, or empty
  std::string content_type;
};

/// What a client needs of the machine.
class HttpHost {
 public:
  virtual ~HttpHost() = default;
  virtual void sleep(int milliseconds) = 0;
  /// Seconds of a clock that never goes back.
  virtual double now() = 0;
  /// In [0, 1).
  virtual double chance() = 0;
  /// So many bytes of a request have come; called often.
  virtual void came(std::uint64_t bytes) = 0;
};

/// TLS is always verified, proxies are those of the environment (https_proxy, http_proxy, no_proxy), connections are
/// used again. One thread.
class HttpClient {
 public:
  /// Fails where libcurl is not there.
  static Result<HttpClient> open(HttpHost& host);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  /// Appends what comes to the file, as it was transferred; after a failure the file is as before. What broke off is
  /// resumed where the server can say that it is still the same. A key goes to the host of `url` and to no other.
  /// Messages are one line without keys and without queries of addresses.
  Result<HttpReply> ask(const HttpRequest& request, const HttpLimits& limits, TempFile& into);

 private:
  struct State;
  explicit HttpClient(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace gpuplan::fetch
