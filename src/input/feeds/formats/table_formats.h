// Price lists that are tables: one file each.
#pragma once

#include <memory>
#include <string_view>

#include "input/feeds/rows/feed_reader.h"

namespace gpuplan {

/// What gpuplan prices export writes.
bool begins_exported(std::string_view head);
std::unique_ptr<FeedReader> read_exported(FeedRows& rows);

/// SkyPilot's catalogues of all clouds, from v3 on.
bool begins_skypilot(std::string_view head);
std::unique_ptr<FeedReader> read_skypilot(FeedRows& rows);

/// gpuhunt's catalogues, with or without the last four columns.
bool begins_gpuhunt(std::string_view head);
std::unique_ptr<FeedReader> read_gpuhunt(FeedRows& rows);

/// The tables of cloud-gpus; that of serverless GPUs is known and refused.
bool begins_cloud_gpus(std::string_view head);
std::unique_ptr<FeedReader> read_cloud_gpus(FeedRows& rows);

/// Lists of one's own: gpuplan's columns, and those that spreadsheets have (own_columns.h).
bool begins_own_list(std::string_view head);
std::unique_ptr<FeedReader> read_own_list(FeedRows& rows);

}  // namespace gpuplan
