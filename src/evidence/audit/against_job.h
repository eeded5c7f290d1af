// A plan held against a job: whether its options hold the batches that it says, and its times against the model's.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/units.h"
#include "evidence/audit/finding.h"
#include "evidence/claims/claims.h"

namespace gpuplan {

/// Something that a plan says of so many of a GPU, and a job can tell.
struct Asked {
  int line = 0;
  std::string about;                   ///< as written
  GpuMention gpu;                      ///< with count, at least 1
  const ClaimAmount* time = nullptr;   ///< for the whole job
  const ClaimAmount* batch = nullptr;  ///< that it "fits"
  bool batch_per_gpu = false;
};

/// Rows with GPU and whole time, and lines such as "4x A100 fits batch 32". Refers to the document.
std::vector<Asked> asked_of_job(const ClaimDocument& document);

/// What the model says of one.
struct Answered {
  bool known = false;         ///< the GPU is one, and the job runs there or does not
  bool holds = true;          ///< memory is enough for the job at all
  int largest = 0;            ///< sequences at once on one GPU; 0: not known
  Interval<Seconds> hours{};  ///< of the whole job; zero: not known
  std::string name;           ///< of the machine, as gpuplan calls it
};

/// Adds what `answers`, one for each of `asked`, contradict, and keeps the order by line.
void judge_by_job(Audit& audit, std::span<const Asked> asked, std::span<const Answered> answers);

}  // namespace gpuplan
