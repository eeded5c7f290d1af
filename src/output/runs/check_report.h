// `gpuplan check`: a run's log beside what was planned of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "evidence/check/diagnosis.h"
#include "evidence/check/run_check.h"
#include "output/text/style.h"

namespace gpuplan {

/// A checked run with what it was held against. Refers to parts that must outlive it.
struct CheckReport {
  const Expectation& expected;
  const RunLog& log;
  const RunCheck& check;
  std::vector<Advice> advice{};
  std::vector<std::string> files{};  ///< of the log, as messages call them
  std::vector<std::string> notes{};  ///< how phase and plan were chosen, a sentence each
};

std::string check_text(const CheckReport& report, const Screen& screen, bool details = false);
/// A line for each figure, metric and condition.
std::string check_csv(const CheckReport& report);
/// "gpuplan/check@1".
std::string check_json(const CheckReport& report);

/// "Not passed: 1 of 4 conditions does not hold." and why else.
std::string verdict_words(const CheckReport& report);

/// What is worth a line while a log is followed: "step 640 of 1,000 · loss 3.79 · 528,000 tokens/s (0.97x) · ...".
std::string progress_words(const CheckReport& report);

/// "MEASURED": "528,000 tokens/s", "991 ms", "73.6 GiB".
std::string figure_text(Measured what, double value);
/// "throughput", "time of a step", "memory, allocated".
std::string_view figure_name(Measured what);
/// What JSON and CSV count it in: GiB of memory, TFLOP/s of model operations, else the unit that figures have.
double figure_unit(Measured what);

}  // namespace gpuplan
