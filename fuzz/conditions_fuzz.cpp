// Conditions and metrics of any bytes: understood or refused with one line, and judged by any log without a crash.
// seeds: fuzz/seeds/conditions.txt
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "evidence/conditions/conditions.h"
#include "one_line.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // Lines: "name = metric" and, without that sign, conditions.
  Phase phase;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t sign = line.find(" := ");
    if (sign == std::string_view::npos) phase.succeed_when.emplace_back(line);
    else phase.metrics.emplace_back(std::string(line.substr(0, sign)), std::string(line.substr(sign + 4)));
  }
  const auto read = PhaseConditions::read(phase);
  if (!read) {
    check_error(Error{read.error().message}, 1000);
    return 0;
  }
  if (read->patterns().size() > phase.metrics.size()) std::abort();

  // A log made from the same bytes: numbers of every kind, steps that are known or not.
  RunLog log;
  for (std::size_t i = 0; i < size && i < 300; ++i) {
    const double step = data[i] % 7 == 0 ? std::nan("") : static_cast<double>(i);
    const double value = data[i] == 255 ? std::nan("") : data[i] == 254 ? HUGE_VAL : data[i] - 100.0;
    log.loss.add(step, value, static_cast<std::uint32_t>(i + 1));
    log.grad_norm.add(step, value / 7, static_cast<std::uint32_t>(i + 1));
    if (i % 3 == 0) log.tokens_per_second.add(step, value * 1e3, static_cast<std::uint32_t>(i + 1));
  }
  std::size_t odd = 0;
  for (const auto& [name, pattern] : read->patterns()) {
    log.metrics.emplace_back(name, ++odd % 3 == 0 ? Series{} : log.loss);
  }
  RunLog empty;
  for (RunLog* one : {&log, &empty}) {
    const LogView view{*one, 8, 1e6};
    if (read->judge(view).size() != phase.succeed_when.size()) std::abort();
    for (const Judgement& judgement : read->judge(view))
      if (judgement.words.empty() || printable(judgement.words, 100000) != judgement.words) std::abort();
    if (read->metrics(view).size() != phase.metrics.size()) std::abort();
  }
  return 0;
}
