// What a job says of disks and networks beside the work; nullopt is assumed (data/assumptions.csv).
#pragma once

#include <optional>
#include <string>

#include "base/interval.h"
#include "base/units.h"

namespace gpuplan {

struct Storage {
  std::optional<Interval<BytesPerSecond>> disk_rate{};      ///< of one machine, reading and writing
  std::optional<Interval<BytesPerSecond>> download_rate{};  ///< to one machine
  std::optional<Interval<BytesPerSecond>> upload_rate{};    ///< from one machine
  std::optional<Bytes> data{};                              ///< training data on disk
  std::string results;                                      ///< where results are uploaded to; empty: nobody waits
  std::optional<DollarsPerByteSecond> disk_price{};         ///< where an offer states none
  std::optional<DollarsPerByte> egress_price{};             ///< where an offer states none
};

}  // namespace gpuplan
