#include "output/explain/own_terms_words.h"

#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "evidence/check/expectation.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

bool rents_at(const Plan& plan, const std::string& provider) {
  return std::ranges::any_of(plan.leases, [&](const Lease& lease) {
    return lease.offer->kind == OfferKind::kRented && iequals(lease.offer->provider, provider);
  });
}

std::string until_words(const std::string& until) { return until.empty() ? "" : "until " + until; }

/// Credits at providers of the plan that have not ended.
std::vector<const Credit*> credits_of(const Job& job, const Plan& plan) {
  std::vector<const Credit*> found;
  for (const Credit& credit : job.credits)
    if (rents_at(plan, credit.provider) && (credit.until.empty() || credit.until >= job.market.today))
      found.push_back(&credit);
  return found;
}

}  // namespace

std::string credit_names(const Job& job, const Plan& plan) {
  if (plan.credits <= Dollars{}) return "";
  // Of several credits at one provider it is named once.
  std::vector<std::string> from;
  const std::vector<const Credit*> credits = credits_of(job, plan);
  for (std::size_t i = 0; i < credits.size(); ++i) {
    const auto same = [&](const Credit* other) { return iequals(other->provider, credits[i]->provider); };
    if (std::any_of(credits.begin(), credits.begin() + static_cast<std::ptrdiff_t>(i), same)) continue;
    std::vector<std::string> ends;
    bool endless = false;
    for (const Credit* credit : credits) {
      if (!same(credit)) continue;
      endless = endless || credit->until.empty();
      if (!credit->until.empty() && std::ranges::find(ends, credit->until) == ends.end()) ends.push_back(credit->until);
    }
    std::string words = printable(credits[i]->provider, 40);
    if (!ends.empty())
      words += std::string(endless ? " (a part " : " (") + until_words(listed_few(std::move(ends))) + ")";
    from.push_back(std::move(words));
  }
  return "credits at " + listed_few(std::move(from));
}

std::string credit_words(const Job& job, const Plan& plan) {
  return plan.credits > Dollars{} ? "after " + to_text(plan.credits) + " of " + credit_names(job, plan) : std::string();
}

std::vector<std::string> own_terms_words(const Job& job, const Plan& plan) {
  std::vector<std::string> lines;
  if (plan.credits > Dollars{}) {
    std::vector<std::string> from;
    for (const Credit* credit : credits_of(job, plan)) {
      const std::string until = until_words(credit->until);
      from.push_back(to_text(credit->amount) + " at " + printable(credit->provider, 40) +
                     (until.empty() ? "" : ", " + until));
    }
    lines.push_back("Bill " + to_text(plan.cost.p50 + plan.credits) + ", of which credits pay " +
                    to_text(plan.credits) + " (" + join(from, "; ") + ").");
  }
  for (const Lease& lease : plan.leases) {
    if (!lease.own_price) continue;
    std::string line = "Commitment: " + std::to_string(lease.covered) + " of " + count_of(lease.gpus, "GPU") + " of " +
                       place_words(*lease.offer) + " at your own price; all of them " +
                       (*lease.own_price > DollarsPerSecond{} ? to_text(*lease.own_price) : std::string("$0/h")) +
                       " instead of ";
    line += to_text(lease.offer->price->p50 * lease.nodes) + ".";
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

void write_credits(JsonWriter& json, const Job& job, const Plan& plan) {
  if (job.credits.empty()) return;
  json.member("credits_usd", plan.credits.value);
  if (const auto left = credits_left(job, plan)) json.member("credits_left_usd", left->value);
  else json.null_member("credits_left_usd");
}

void write_covered(JsonWriter& json, const Job& job, const Lease& lease) {
  if (job.commitments.empty()) return;
  json.member("covered_gpus", lease.covered);
  if (lease.own_price) json.member("own_usd_per_hour", (*lease.own_price * units::hour).value);
  else json.null_member("own_usd_per_hour");
}

}  // namespace gpuplan
