// price_sources.csv: where price lists can be fetched, and how each is asked for.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.h"
#include "base/result.h"

namespace gpuplan {

/// What a key is for.
enum class KeyNeed : std::uint8_t { kNone, kOptional, kNeeded };
template <>
struct Names<KeyNeed> {
  static constexpr std::array entries = {Named<KeyNeed>{KeyNeed::kNone, "none"},
                                         Named<KeyNeed>{KeyNeed::kOptional, "optional"},
                                         Named<KeyNeed>{KeyNeed::kNeeded, "needed"}};
};

/// How it is shown: in the header Authorization, in one of another name, or as client and secret that buy a token.
enum class KeyUse : std::uint8_t { kBearer, kHeader, kClient };

/// How a list goes on behind its first page.
struct PageRule {
  enum class Kind : std::uint8_t {
    kNone,
    kLink,    ///< `member` of the page is the next address; empty or null: there is none
    kCursor,  ///< the same for the value of `parameter`
    kCount,   ///< `parameter` counts pages from 1, of as many rows as `size` says, up to `member` of the page
  } kind = Kind::kNone;
  std::string member;     ///< "meta.links.next"
  std::string parameter;  ///< of the address
  std::string size;       ///< parameter that holds the rows of a page
};

struct PriceSource {
  std::string name, title;
  std::string provider;            ///< "{part}": the part is one; empty: the list says
  std::string format;              ///< for --from; empty: by content
  std::vector<std::string> parts;  ///< what {part} in addresses stands for, each fetched by itself
  std::vector<std::string> urls;   ///< each a list of its own, taken together
  std::string version_url;         ///< holds one word, what {version} stands for
  std::string body;                ///< JSON to be posted; empty: GET
  KeyNeed need = KeyNeed::kNone;
  KeyUse use = KeyUse::kBearer;
  std::string key_header;         ///< of kHeader
  std::vector<std::string> keys;  ///< variables of the environment, the first that is set; of kClient both
  std::string token_url;          ///< of kClient
  PageRule pages;
  std::uint64_t most_bytes = 0;  ///< of one list
  bool by_name_only = false;     ///< large, or the same as others: fetched when it is named
  bool dated_by_file = false;    ///< prices are as old as the file says; else of the day
  std::string notes, source, as_of;
};

/// Errors name the row: a name given twice, an address that is none or not encrypted, a rule that says nothing.
Result<std::vector<PriceSource>> read_price_sources(std::string_view text, std::string_view file);

}  // namespace gpuplan
