// How the store lies in its file, and how files of older versions come to lie so.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "store/sql/sql.h"

namespace gpuplan {

/// application_id of a store: "gpup".
inline constexpr std::uint32_t kStoreProgram = 0x67707570;

/// SQL that makes a file of the version before into one of the next: the first makes version 1 of an empty file.
using Migration = const char*;
std::span<const Migration> migrations();
/// user_version of files of this program.
std::uint32_t store_format();

/// Brings the file to the last of these versions, in one transaction. A newer file is refused.
Result<void> bring_up_to_date(Database& database, std::span<const Migration> steps = migrations());

/// Says what is wrong with a file of this header. `format`: the newest version that is understood.
Result<void> check_header(const DatabaseHeader& header, const std::string& file, std::uint32_t format);

}  // namespace gpuplan
