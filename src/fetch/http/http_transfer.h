// One try of a request: what came of it, and what may be done next.
#pragma once

#include <cstdint>
#include <string>

#include "fetch/http/curl_easy.h"
#include "fetch/http/http_client.h"
#include "fetch/http/http_headers.h"
#include "fetch/http/url.h"

namespace gpuplan::fetch {

/// What lies in the file already of what is asked for.
struct HeldPart {
  std::uint64_t bytes = 0;
  std::string etag;      ///< strong
  std::string encoding;  ///< of the transfer, as said with it
};

struct TransferResult {
  enum class Kind {
    kDone,        ///< all of it lies in the file
    kNotChanged,  ///< what the caller has is still it
    kRedirected,  ///< to `location`
    kFailed,      ///< and another try would end alike
    kAgain,       ///< another try may end better
  } kind = Kind::kFailed;
  std::string reason{};  ///< of the last two: "answered 503"
  std::string location{};
  double asked_s = 0;      ///< Retry-After
  bool part_came = false;  ///< what lies in the file is the beginning of the answer that `headers` describe
  bool part_lost = false;  ///< what was held is no part of what is there now
  HttpHeaders headers{};
};

struct TransferTerms {
  const HttpRequest* request = nullptr;
  const HttpLimits* limits = nullptr;
  Url url;
  bool with_key = true;
  double seconds = 0;  ///< left for it
  HeldPart held{};
  std::uint64_t begin = 0;  ///< where in the file the answer begins
};

/// The file ends with what came, be it a part.
TransferResult transfer(CurlEasy& curl, const TransferTerms& terms, TempFile& into, HttpHost& host);

}  // namespace gpuplan::fetch
