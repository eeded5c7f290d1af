#include "api/runs/simulate_words.h"

#include <array>
#include <utility>

#include "base/names.h"
#include "base/text.h"

namespace gpuplan::api {
namespace {

constexpr std::array<SpotFlag, 8> kSpotFlags = {{{"--work", &SimulateWords::work},
                                                 {"--spot-price", &SimulateWords::spot_price},
                                                 {"--on-demand-price", &SimulateWords::on_demand_price},
                                                 {"--checkpoint", &SimulateWords::checkpoint},
                                                 {"--restart", &SimulateWords::restart},
                                                 {"--notice", &SimulateWords::notice},
                                                 {"--wait", &SimulateWords::wait},
                                                 {"--interval", &SimulateWords::interval}}};

/// Values of flags, each a usage error when it can not be read.
class AmountFlags {
 public:
  /// Zero when nothing is said.
  Seconds time(std::string_view flag, const std::string& text, bool zero_is_fine) {
    if (text.empty()) return {};
    const auto seconds = parse_amount(text, AmountKind::kTime);
    if (!seconds) refuse(flag, seconds.error().message);
    else if (*seconds < 0 || (*seconds <= 0 && !zero_is_fine)) refuse_value(flag, text, AmountKind::kTime);
    return seconds ? Seconds{*seconds} : Seconds{};
  }
  std::optional<Interval<double>> range(std::string_view flag, const std::string& text, AmountKind kind) {
    if (text.empty()) return std::nullopt;
    const auto interval = parse_interval(text, kind);
    if (!interval) refuse(flag, interval.error().message);
    else if (interval->p10 < 0) refuse_value(flag, text, kind);
    return interval ? std::optional(*interval) : std::nullopt;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  void refuse_value(std::string_view flag, const std::string& text, AmountKind kind) {
    refuse(flag, "expected " + std::string(expectation(kind)) + ", got '" + printable(text, 40) + "'");
  }
  void refuse(std::string_view flag, const std::string& message) {
    if (!error_) error_ = wrong_use(std::string(flag) + ": " + message).error();
  }

  std::optional<Error> error_;
};

/// What work and jobs have in common.
void read_times(const SimulateWords& words, AmountFlags& flags, SpotTimes& times) {
  times.restart = flags.time("--restart", words.restart, true);
  times.notice = flags.time("--notice", words.notice, true);
  times.wait = flags.time("--wait", words.wait, true);
  times.interval = flags.time("--interval", words.interval, false);
}

}  // namespace

std::span<const SpotFlag> spot_flags() { return kSpotFlags; }

Result<SpotTimes> read_job_times(const SimulateWords& words) {
  AmountFlags flags;
  SpotTimes times;
  read_times(words, flags, times);
  if (flags.error()) return std::unexpected(*flags.error());
  for (const auto& [flag, text] :
       {std::pair{"--on-demand-price", &words.on_demand_price}, std::pair{"--spot-price", &words.spot_price},
        std::pair{"--checkpoint", &words.checkpoint}})
    if (!text->empty()) return wrong_use(std::string(flag) + " works only with --work; a job has its own");
  if (words.machines > 0) return wrong_use("--machines works only with --work; a plan has its own number");
  return times;
}

Result<WorkTerms> read_work_terms(const SimulateWords& words, const Wishes& wishes, bool traced) {
  AmountFlags flags;
  WorkTerms terms;
  const auto spot_price = flags.range("--spot-price", words.spot_price, AmountKind::kPrice);
  terms.on_demand_price = flags.range("--on-demand-price", words.on_demand_price, AmountKind::kPrice);
  terms.rate = flags.range("--interruptions", wishes.interruptions, AmountKind::kRate);
  const auto work = flags.range("--work", words.work, AmountKind::kTime);
  terms.times.checkpoint = flags.time("--checkpoint", words.checkpoint, true);
  read_times(words, flags, terms.times);
  terms.deadline = flags.time("--deadline", wishes.deadline, false);
  terms.value_of_time = flags.range("--value-of-time", wishes.value_of_time, AmountKind::kPrice);
  if (flags.error()) return std::unexpected(*flags.error());
  if (!work || work->p10 <= 0)
    return wrong_use("--work: expected a time above zero, got '" + printable(words.work, 40) + "'");
  if (!spot_price) return wrong_use("--work also needs a spot price, such as --spot-price '$0.97/h'");
  if (!traced && !terms.rate) return wrong_use("--work also needs --interruptions 5%/h or --trace FILE");
  constexpr double kMostAnHour = 60;
  if (terms.rate && terms.rate->p90 > kMostAnHour / 3600)
    return wrong_use("--interruptions: expected at most 60/h, got '" + printable(wishes.interruptions, 40) + "'");
  if (!words.plan.empty()) return wrong_use("--plan and --work cannot be combined");
  terms.work = *work;
  terms.spot_price = *spot_price;
  terms.goal = terms.value_of_time ? Goal::kBestValue : Goal::kCheapest;
  if (!wishes.goal.empty()) {
    const auto goal = from_name<Goal>(wishes.goal);
    if (!goal)
      return wrong_use("--goal: '" + printable(wishes.goal, 40) + "' is not one of best_value, cheapest, fastest");
    terms.goal = *goal;
  }
  return terms;
}

Result<void> check_words(const SimulateWords& words, const std::string& job, const Sketch& sketch, const Wishes& wishes,
                         bool traced) {
  if (words.work.empty()) {
    if (const auto times = read_job_times(words); !times) return std::unexpected(times.error());
    return {};
  }
  if (!job.empty()) return wrong_use("--work replaces a job; remove " + printable(job, 60) + " or --work");
  if (const std::string_view flag = first_flag(sketch); !flag.empty())
    return wrong_use("--work and " + std::string(flag) + " cannot be combined");
  if (const auto terms = read_work_terms(words, wishes, traced); !terms) return std::unexpected(terms.error());
  return {};
}

}  // namespace gpuplan::api
