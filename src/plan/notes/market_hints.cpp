#include "plan/notes/market_hints.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/text.h"
#include "plan/capacity/machines.h"

namespace gpuplan {
namespace {

/// "No current offer of L4: 3 old ones, the newest of 2025-06. ..."
std::string old_words(const Job& job, const MarketFilter& filter) {
  if (filter.used > 0 || filter.old_matching == 0) return "";
  std::vector<std::string> gpus;
  for (const GpuChoice& choice : job.where.gpus)
    if (std::ranges::find(gpus, choice.gpu) == gpus.end()) gpus.push_back(choice.gpu);
  const std::string date = filter.old_newest.substr(0, std::string_view("2025-06").size());
  return "No current offer" + (gpus.empty() ? std::string(" matches") : " of " + listed(gpus, "or")) + ": " +
         count_of(filter.old_matching, "old one") + (filter.old_matching == 1 ? ", of " : ", the newest of ") + date +
         ". Plan with old prices by --as-of " + date + ", or with your own by --prices FILE.csv.";
}

/// Numbers of GPUs asked for that no way to take an offer has.
std::string count_words(const Job& job, const Catalogue& catalogue, std::span<const Offer> market) {
  if (job.where.counts.empty() || market.empty()) return "";
  Job any = job;
  any.where.counts.clear();
  std::set<int> there;
  std::map<int, int> sizes;  // GPUs of a machine, and of all offers of such machines
  for (const Offer& offer : market) {
    for (const Machines& machines : machines_on(any, catalogue, offer)) there.insert(machines.gpus);
    if (offer.kind == OfferKind::kRented) sizes[offer.gpus] += offer.gpus;
  }
  std::vector<std::string> missing, ways;
  std::set<int> nodes(job.where.nodes.begin(), job.where.nodes.end());
  for (const int count : job.where.counts) {
    if (there.contains(count)) {
      if (job.where.nodes.empty()) nodes.insert(1);
      continue;
    }
    missing.push_back(count_text(count));
    // Machines of the size that most of the market's GPUs are in.
    int size = 0;
    for (const auto& [gpus, all] : sizes)
      if (count % gpus == 0 && count / gpus <= 10'000 && (size == 0 || all > sizes[size])) size = gpus;
    if (size == 0) continue;
    const int machines = count / size;
    nodes.insert(machines);
    ways.push_back(count_of(machines, "machine") + " of " + count_text(size));
  }
  if (missing.empty()) return "";
  const bool one = missing.size() == 1 && missing.front() == "1";
  std::string text = "No offer here has " + listed(missing, "or") + (one ? " GPU" : " GPUs");
  if (job.where.nodes.empty()) text += " in one machine";
  else if (job.where.nodes.size() == 1) text += " in " + count_of(job.where.nodes.front(), "machine");
  // Fewer than any machine has is no news where others have what is asked for.
  if (ways.empty()) return missing.size() == job.where.counts.size() ? text + "." : "";
  std::vector<std::string> list;
  for (const int n : nodes) list.push_back(std::to_string(n));
  return text + ". Add --nodes " + join(list, ",") + " to take " + listed(ways) + ".";
}

/// What one has, with fewer machines than any number that is asked for.
void add_node_words(const Job& job, std::span<const Offer> market, std::vector<std::string>& lines) {
  const std::vector<int>& nodes = job.where.nodes;
  if (nodes.empty()) return;
  const int least = std::ranges::min(nodes);
  for (const Offer& offer : market) {
    if (offer.kind == OfferKind::kRented || most_nodes(offer) >= least) continue;
    const std::string name = printable(offer.label, 60);
    const bool pool = offer.kind == OfferKind::kPool;
    std::string text = (pool ? "Pool " : "Own machine ") + name;
    if (!pool) text += " is one machine";
    else if (offer.nodes > most_nodes(offer)) text += " gives a job " + count_of(most_nodes(offer), "machine");
    else text += " has " + count_of(offer.nodes, "machine");
    text += ", and " + count_text(least) + " are asked for (--nodes, where.nodes).";
    if (pool && offer.nodes < least) text += " If it has more, write nodes: and network: in the pool.";
    lines.push_back(std::move(text));
  }
}

}  // namespace

std::vector<std::string> market_hints(const Job& job, const Catalogue& catalogue, std::span<const Offer> market,
                                      const MarketFilter& filter) {
  std::vector<std::string> lines;
  if (std::string text = old_words(job, filter); !text.empty()) lines.push_back(std::move(text));
  add_node_words(job, market, lines);
  if (std::string text = count_words(job, catalogue, market); !text.empty()) lines.push_back(std::move(text));
  return lines;
}

}  // namespace gpuplan
