// What fuzzers that plan share: the parts of an input, a bound on its size, changes that keep a job a job, and the end
// when something is wrong.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "input/job/job_reader.h"
#include "laws/mutate.h"

/// Three machines: an answer in milliseconds.
inline constexpr std::string_view kSmallMarket =
    "gpu,gpus,price_per_hour,provider,spot,interruptions,billing_increment_seconds\n"
    "RTX 4090,2,0.9-1.2,a,,,\n"
    "H100 SXM,8,22,b,,,3600\n"
    "A100 SXM 80GB,4,3.1,b,yes,5%/h,1\n";

struct Parts {
  std::string job, rest;  ///< before and after a line "==="
};
inline Parts parts_of(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = text.find("\n===\n");
  if (end == std::string_view::npos) return {std::string(text), ""};
  return {std::string(text.substr(0, end + 1)), std::string(text.substr(end + 5))};
}

/// Jobs that would take long only because they are long: a fuzzer looks for short ones.
inline bool too_large(const std::string& job) {
  if (job.size() > 8192) return true;
  const auto source = gpuplan::parse_job(job, "job.yaml");
  if (!source) return false;
  const gpuplan::Tree* phases = source->tree.find("phases");
  if (phases != nullptr && phases->children.size() > 5) return true;
  const gpuplan::Tree* market = source->tree.find("market");
  std::size_t offers = 0;
  if (market != nullptr)
    for (const gpuplan::Tree& list : market->children) offers += list.children.size();
  return offers > 8;
}

/// Stops the fuzzer with the sentence when there is one.
inline void must_hold(const std::string& wrong) {
  if (wrong.empty()) return;
  std::fprintf(stderr, "WRONG: %s\n", wrong.c_str());
  std::abort();
}

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

/// Mostly changes of the job's tree, now and then of its bytes.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  gpuplan::Random random(seed);
  const Parts parts = parts_of(data, size);
  auto source = gpuplan::parse_job(parts.job, "job.yaml");
  if (!source || source->tree.children.empty() || gpuplan::laws::chance(random, 0.2))
    return LLVMFuzzerMutate(data, size, max_size);
  gpuplan::laws::mutate_tree(random, source->tree);
  std::string text = gpuplan::laws::job_text(source->tree);
  if (!parts.rest.empty()) text += "\n===\n" + parts.rest;
  if (text.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  text.copy(reinterpret_cast<char*>(data), text.size());
  return text.size();
}
