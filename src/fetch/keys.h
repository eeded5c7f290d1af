// The user's own keys: from the environment, or from a file that nobody else can read.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "fetch/http/secret.h"

namespace gpuplan::fetch {

using Keys = std::map<std::string, Secret, std::less<>>;

/// Lines such as LAMBDA_API_KEY = "...". Errors name the line and never what stands on it.
Result<Keys> parse_keys(std::string_view text, const std::string& file);

/// The keys of a file; none where it is not there. Refused: a file of another user, one that others may read or write,
/// and what is no file.
Result<Keys> read_key_file(const std::string& file);

/// A key as it may stand in a header: without blanks around it. Fails for control characters and what is no ASCII;
/// `name` is what messages call it.
Result<Secret> checked_key(std::string_view text, const std::string& name);

}  // namespace gpuplan::fetch
