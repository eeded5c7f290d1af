// Every format of price lists that is known; which one a list has shows in its text.
#pragma once

#include <span>
#include <string_view>

#include "input/feeds/rows/feed_reader.h"

namespace gpuplan {

/// All of them, in the order in which they are tried.
std::span<const FeedFormat> feed_formats();
/// By name, without regard to case; null: there is none.
const FeedFormat* find_feed_format(std::string_view name);
/// By content; null: none knows it.
const FeedFormat* recognise_feed(std::string_view head);

}  // namespace gpuplan
