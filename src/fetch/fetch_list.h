// One price list from where it is published: one answer of a server, or all of its pages.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "fetch/http/http_client.h"
#include "fetch/keys.h"
#include "fetch/price_sources.h"

namespace gpuplan::fetch {

/// Which answer the user has; empty: none, or nobody can tell.
struct Validators {
  std::string etag, last_modified;
};

/// What came, as it lies in the file.
struct Document {
  std::uint64_t begin = 0, size = 0;
  bool packed = false;
  std::size_t address = 0;  ///< of the source's, from 0: pages of one belong together
};

struct FetchedList {
  bool not_changed = false;
  TempFile file{};
  std::vector<Document> documents{};
  Validators validators{};  ///< of a list of one document
  std::string date{};       ///< of the file, if its server says: 2026-11-20
  std::uint64_t bytes = 0;  ///< as transferred
};

/// A list as it is asked for, with what its source and the user say.
struct ListRequest {
  const PriceSource* source = nullptr;
  std::string part{};          ///< what {part} stands for
  const Keys* keys = nullptr;  ///< all of the user's
  Validators have{};
  std::vector<std::string> folders{};  ///< for the temporary file, the first that takes it
};

/// Whether a key of the user serves this source.
bool has_key(const PriceSource& source, const Keys& keys);

/// Messages are one line and hold no key.
Result<FetchedList> fetch_list(HttpClient& client, const ListRequest& request, HttpLimits limits);

/// The most that a document may unpack to.
std::uint64_t most_unpacked(std::uint64_t most_bytes);

/// Calls `take(std::string_view) -> Result<void>` for a document in pieces, unpacked. Fails where it is damaged,
/// unpacks to more than `most` bytes, or to so many times its size as only equal rows do.
class DocumentTaker {
 public:
  virtual ~DocumentTaker() = default;
  virtual Result<void> take(std::string_view piece) = 0;
};
Result<void> read_document(const TempFile& file, const Document& document, std::uint64_t most, DocumentTaker& taker);

/// "2026-11-20" for "Fri, 20 Nov 2026 07:28:00 GMT"; empty for what is none.
std::string date_of_header(std::string_view text);

}  // namespace gpuplan::fetch
