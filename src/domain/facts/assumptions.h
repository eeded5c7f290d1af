// Figures for what a job's machines take beside the work when the job does not say: rows of data/assumptions.csv. None
// is measured on the machine at hand, so each has a range, and keys of the job file replace it.
#pragma once

#include <string>

#include "base/interval.h"
#include "base/units.h"
#include "base/unset.h"

namespace gpuplan {

/// p10, median and p90, and why they are thought so.
struct Assumption {
  Interval<double> value{kUnset, kUnset, kUnset};
  std::string source, as_of;

  bool operator==(const Assumption&) const = default;
};

struct Assumptions {
  Assumption download;     ///< bytes a second from a hub or bucket to one machine
  Assumption upload;       ///< bytes a second from one machine to a bucket
  Assumption disk;         ///< bytes a second of one machine's disk, read or written
  Assumption start;        ///< seconds from the command to the first step or token, without what
                           ///< is listed here beside it
  Assumption compile;      ///< seconds of compilation in the first step
  Assumption graphs;       ///< seconds of an engine's profiling, compilation and capture of graphs
  Assumption text_bytes;   ///< bytes of data a token of text
  Assumption image_bytes;  ///< bytes of data an image
  Assumption image_set;    ///< images that are seen again and again

  bool operator==(const Assumptions&) const = default;
};

/// An assumption by its name in the table and the unit it is written in.
struct AssumptionField {
  std::string_view name, unit;
  double scale;  ///< base units in one of the table
  Assumption Assumptions::* field;
};

inline constexpr AssumptionField kAssumptions[] = {
    {"download_rate", "MB/s", 1e6, &Assumptions::download},
    {"upload_rate", "MB/s", 1e6, &Assumptions::upload},
    {"disk_rate", "MB/s", 1e6, &Assumptions::disk},
    {"program_start", "s", 1, &Assumptions::start},
    {"compile", "s", 1, &Assumptions::compile},
    {"engine_start", "s", 1, &Assumptions::graphs},
    {"text_bytes", "B/token", 1, &Assumptions::text_bytes},
    {"image_bytes", "kB", 1e3, &Assumptions::image_bytes},
    {"image_set", "M images", 1e6, &Assumptions::image_set},
};

/// The range as an amount with a unit.
template <class T>
constexpr Interval<T> as(const Assumption& assumption) {
  return {T{assumption.value.p10}, T{assumption.value.p50}, T{assumption.value.p90}};
}

}  // namespace gpuplan
