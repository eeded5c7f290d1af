// A phase of 1,000 steps on eight GPUs, what was planned of it, and the log of a run that went as planned.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "evidence/check/run_check.h"

namespace gpuplan {

struct RunFixture {
  Expectation expected;
  Phase phase;
  RunLog log;
  std::vector<double> slow_steps_every{};
  std::string gpu = "H100 SXM";

  RunFixture() {
    expected.job = "trm";
    expected.phase = phase.name = "validate";
    expected.plan_id = "k3f9a1";
    expected.plan = "8x H100 SXM";
    expected.gpu = "H100 SXM";
    expected.gpus = 8;
    expected.steps = 1000;
    expected.tokens_per_step = 500'000;
    expected.batch = 250;
    expected.micro_batch = 32;
    expected.seconds_per_step = Interval<Seconds>{Seconds{0.9}, Seconds{1}, Seconds{1.2}};
    expected.tokens_per_second =
        Interval<TokensPerSecond>{TokensPerSecond{416'667}, TokensPerSecond{500'000}, TokensPerSecond{555'556}};
    expected.memory = Interval<Bytes>{50 * units::GiB, 60 * units::GiB, 72 * units::GiB};
    expected.allocated = 48 * units::GiB;
    expected.reserved = 54 * units::GiB;
    expected.usable = 79 * units::GiB;
    expected.hours = {Seconds{1500}, Seconds{1600}, Seconds{1900}, Seconds{1650}};
    expected.cost = {Dollars{13}, Dollars{14}, Dollars{17}, Dollars{14.5}};
    expected.price = Dollars{0.01} / Seconds{1};
    expected.strategy = "dp 8, micro-batch 32, bf16";

    log.formats = {LogFormat::kNanochat};
    log.planned_steps = 1000;
    log.tokens_per_step = 500'000;
    log.processes = 8;
    log.lines = 1003;
    run_to(1000);
    log.finished = true;
  }

  /// Steps 0 ... count - 1, one line each, in one second each but for the first.
  void run_to(int count) {
    log.loss = log.grad_norm = log.step_seconds = {};
    for (int i = 0; i < count; ++i) {
      const auto line = static_cast<std::uint32_t>(i + 3);
      log.loss.add(i, 3 + 7 / (1 + i / 50.0), line);
      log.grad_norm.add(i, 1, line);
      log.step_seconds.add(i, i == 0 ? 60 : 1, line);
    }
    log.last_step = count - 1;
    log.work = {{0, static_cast<std::uint32_t>(count + 2)}};
    log.finished = false;
  }

  void set_pace(double seconds) {
    Series paced;
    for (const Series::Point& point : log.step_seconds.points()) paced.add(point.step, seconds, point.line);
    log.step_seconds = paced;
  }

  void event(LogEvent::Kind kind, std::uint32_t line, std::string text = "") {
    LogEvent one;
    one.kind = kind;
    one.line = line;
    one.step = std::nan("");
    one.text = std::move(text);
    log.events.push_back(one);
    ++log.event_counts[static_cast<std::size_t>(kind)];
  }

  PhaseConditions conditions() const { return PhaseConditions::read(phase).value(); }
};

}  // namespace gpuplan
