#include "laws/figures.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.h"
#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

using Json = nlohmann::ordered_json;

/// Sums of medians agree but for their last digits, and for the hundredth of a cent that totals are told in.
bool adds_up(double sum, double total) { return std::abs(sum - total) <= 1e-6 * std::abs(total) + step_of(0); }

/// Hours by which phases laid out by their medians may end after the median of the whole: medians do not add up, means
/// do (where phases wait for each other the mean of the whole is more still), and the median of what several factors
/// make is as good as the joint samples are. Nothing, where no time is uncertain.
double hours_of_medians(const Plan& plan) {
  constexpr double kOfTheSpread = 0.002;
  Seconds apart =
      std::max(plan.hours.mean - plan.hours.p50, Seconds{}) + (plan.hours.p90 - plan.hours.p10) * kOfTheSpread;
  for (const PhasePlan& part : plan.phases) apart += std::max(part.hours.p50 - part.hours.mean, Seconds{});
  return apart / units::hour;
}

/// Members that tell a difference or a position; everything else is an amount and never below zero.
bool may_be_negative(std::string_view name) {
  for (const std::string_view part :
       {"change", "saved", "than", "difference", "more", "against", "beyond", "offset", "discount"})
    if (name.find(part) != std::string_view::npos) return true;
  return false;
}

/// `may_never_end`: a history of it never ended, so that the figures to which that one counts are none.
std::string fault_in(const Json& value, const std::string& name, const std::string& path, bool may_never_end = false) {
  if (value.is_object() && value.contains("share_unfinished")) may_never_end = value["share_unfinished"] > 0;
  if (value.is_number() && value.get<double>() < 0 && !may_be_negative(name)) return path + " is " + value.dump();
  if (value.is_string())
    if (const std::string words = wrong_words(value.get_ref<const std::string&>()); !words.empty())
      return path + ": " + words;
  if (value.is_object() && value.contains("p10") && value.contains("p50") && value.contains("p90")) {
    const auto figure = [&](const Json& quantile) {
      return quantile.is_null() && may_never_end ? std::numeric_limits<double>::infinity() : quantile.get<double>();
    };
    for (const auto& [key, quantile] : value.items())
      if (!quantile.is_number() && !(quantile.is_null() && may_never_end)) return path + '.' + key + " is no number";
    const double low = figure(value["p10"]), middle = figure(value["p50"]), high = figure(value["p90"]);
    if (!(low <= middle && middle <= high)) return path + ": p10 <= p50 <= p90 does not hold: " + value.dump();
    if (value.contains("mean") && figure(value["mean"]) < 0) return path + ".mean is below zero";
  }
  if (value.is_object()) {
    for (const auto& [key, member] : value.items())
      if (std::string fault = fault_in(member, key, path + '.' + key, may_never_end); !fault.empty()) return fault;
  } else if (value.is_array()) {
    std::size_t number = 0;
    for (const Json& item : value)
      if (std::string fault = fault_in(item, name, path + '[' + std::to_string(number++) + ']', may_never_end);
          !fault.empty())
        return fault;
  }
  return "";
}

}  // namespace

std::string wrong_words(std::string_view text) {
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '/'; };
  for (const std::string_view word : {"nan", "inf", "NaN", "Inf", "infinity"})
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
      const std::size_t end = at + word.size();
      if ((at == 0 || !letter(text[at - 1])) && (end == text.size() || !letter(text[end])))
        return "'" + std::string(word) + "' in: " + std::string(text.substr(at > 40 ? at - 40 : 0, 80));
    }
  return "";
}

std::string wrong_document(std::string_view json) {
  const Json document = Json::parse(json, nullptr, false);
  if (document.is_discarded()) return "the document is no JSON";
  return fault_in(document, "", "");
}

std::string wrong_sums(const Answer& answer) {
  for (const Plan& plan : answer.plans()) {
    const auto wrong = [&](const std::string& what, double sum, double total) {
      return plan_words(plan) + ": " + what + ": " + significant_text(sum, 10) + " against " +
             significant_text(total, 10);
    };
    const double rounding = kSecond + hours_of_medians(plan);
    double cost = plan.idle.value, disk = 0, egress = 0, last = 0, used = 0, billed = 0;
    for (const PhasePlan& part : plan.phases) {
      if (more(part.gpu_hours, part.billed_gpu_hours, kLastDigits * plan.billed_gpu_hours))
        return wrong("a phase uses more GPU-hours than are billed for it", part.gpu_hours, part.billed_gpu_hours);
      used += part.gpu_hours;
      billed += part.billed_gpu_hours;
      cost += part.cost.p50.value;
      disk += part.disk.value;
      egress += part.egress.value;
      last = std::max(last, (part.start + part.hours.p50) / units::hour);
    }
    if (!adds_up(cost, dollars(plan))) return wrong("phases and idle do not add up to the cost", cost, dollars(plan));
    if (!adds_up(disk, plan.disk.value)) return wrong("disks of phases do not add up", disk, plan.disk.value);
    if (!adds_up(egress, plan.egress.value))
      return wrong("egress of phases does not add up", egress, plan.egress.value);
    if (!same(used, plan.gpu_hours)) return wrong("GPU-hours of phases do not add up", used, plan.gpu_hours);
    if (more(billed, plan.billed_gpu_hours))
      return wrong("more GPU-hours are billed for the phases than for the plan", billed, plan.billed_gpu_hours);
    if (more(last, hours(plan), rounding)) return wrong("a phase ends after the plan", last, hours(plan));
    if (more(plan.idle.value, dollars(plan), 1e-6))
      return wrong("more is idle than paid", plan.idle.value, dollars(plan));
    double leased = 0, returned = 0;
    for (const Lease& lease : plan.leases) {
      leased += lease.cost.value;
      returned = std::max(returned, lease.to / units::hour);
      if (lease.to < lease.from)
        return wrong("a lease ends before it begins", lease.to / units::hour, lease.from / units::hour);
      for (const int position : lease.phases) {
        const PhasePlan& part = plan.phases[static_cast<std::size_t>(position)];
        const double end = (part.start + part.hours.p50) / units::hour;
        if (more(lease.from / units::hour, part.start / units::hour, kSecond))
          return wrong("a phase starts before its lease", part.start / units::hour, lease.from / units::hour);
        if (more(end, lease.to / units::hour, rounding))
          return wrong("a phase ends after its lease", end, lease.to / units::hour);
      }
    }
    if (!adds_up(leased, dollars(plan))) return wrong("leases do not add up to the cost", leased, dollars(plan));
    if (more(returned, hours(plan), kSecond)) return wrong("a lease ends after the plan", returned, hours(plan));
  }
  return "";
}

std::string wrong_chances(const Answer& answer) {
  const auto outside = [](const std::optional<double>& chance) { return chance && !(*chance >= 0 && *chance <= 1); };
  for (const Plan& plan : answer.plans()) {
    if (outside(plan.chance_in_time) || outside(plan.chance_in_budget) || outside(plan.uninterrupted))
      return plan_words(plan) + ": a chance is not between 0 and 1";
    for (const PhasePlan& part : plan.phases)
      if (part.estimate->serving && outside(part.estimate->serving->chance))
        return plan_words(plan) + ": the chance to reach a target is not between 0 and 1";
    if (!(plan.interruptions >= 0) || !std::isfinite(plan.interruptions))
      return plan_words(plan) + ": interruptions " + number_text(plan.interruptions);
    if (!(plan.spot_loss >= Seconds{})) return plan_words(plan) + ": interruptions give time back";
  }
  return "";
}

std::string wrong_dominance(const Answer& answer) {
  std::set<std::string> ids;
  const auto no_worse = [](const Plan& a, const Plan& b) { return a.done() <= b.done() && a.cost.p50 <= b.cost.p50; };
  for (const Plan& plan : answer.plans()) {
    if (!ids.insert(plan.id).second) return "two plans are called " + plan_words(plan);
    for (const double figure : {hours(plan), dollars(plan), plan.gpu_hours, plan.billed_gpu_hours})
      if (!std::isfinite(figure) || figure < 0) return plan_words(plan) + ": a total is " + number_text(figure);
    for (const int position : plan.dominated_by) {
      const Plan& other = answer.plans()[static_cast<std::size_t>(position)];
      if (&other == &plan || other.id == plan.id) return plan_words(plan) + " dominates itself";
      if (!other.on_frontier || !no_worse(other, plan))
        return plan_words(other) + " is said to dominate " + plan_words(plan);
    }
    if (plan.on_frontier && !plan.dominated_by.empty()) return plan_words(plan) + " is dominated and on the frontier";
    if (plan.on_frontier)
      for (const Plan& other : answer.plans())
        if (other.on_frontier && &other != &plan && no_worse(other, plan))
          return "on the frontier " + plan_words(other) + " is no worse than " + plan_words(plan);
  }
  const Recommendations& r = answer.found().recommendations;
  if (answer.plans().empty() != !r.pick.has_value()) return "plans without a pick, or a pick without plans";
  return "";
}

std::string wrong_figures(const Answer& answer) {
  for (const auto check : {wrong_dominance, wrong_sums, wrong_chances})
    if (std::string words = check(answer); !words.empty()) return words;
  return wrong_document(plan_document(answer, true));
}

}  // namespace gpuplan::laws
