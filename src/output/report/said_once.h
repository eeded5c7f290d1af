// What a table says more than once, said once.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "output/report/document.h"

namespace gpuplan {

/// Takes away those of these columns that say the same in every one of two rows or more, and tells what they said: "The
/// same in all rows: memory per GPU 30.8 of 39.4 GiB; batch 64 sequences." Empty: none did.
std::string said_once(TableBlock& table, std::initializer_list<std::string_view> titles);

/// Rows that differ in the first column alone become one, under the name of the pick where it is among them: "1x L40S
/// and 3 alike".
void join_alike(TableBlock& table);

}  // namespace gpuplan
