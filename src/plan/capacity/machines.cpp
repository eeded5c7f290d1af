#include "plan/capacity/machines.h"

#include <algorithm>
#include <tuple>

#include "base/sorting.h"
#include "base/text.h"
#include "domain/market/usable_gpus.h"
#include "plan/answer/market.h"
#include "plan/capacity/offer_machines.h"

namespace gpuplan {

namespace {

/// Offers share an estimate when what it depends on is the same: one machine uses no network.
NodeShape what_matters(const Job& job, NodeShape node) {
  const bool one = job.where.nodes.empty() || std::ranges::all_of(job.where.nodes, [](int n) { return n == 1; });
  if (one) node.network = BytesPerSecond{};
  if (node.gpus == 1) node.link = BytesPerSecond{}, node.link_kind = LinkKind::kNone, node.peer_access = false;
  return node;
}

/// Each power of two up to the most, and the most itself; in order.
std::vector<int> doubled_to(int most) {
  std::vector<int> counts;
  for (int n = 1; n < most; n *= 2) counts.push_back(n);
  if (most >= 1) counts.push_back(most);
  return counts;
}

/// GPUs of one machine that the job may take: of seven also six, which batches divide by.
std::vector<int> pool_counts(const Job& job, const Offer& offer) {
  const int usable = std::min(usable_gpus(offer), offer.gpus);
  std::vector<int> counts = doubled_to(usable);
  const int even = usable / 2 * 2;
  if (usable > 2 && even < usable && even != counts[counts.size() - 2]) counts.push_back(even);
  const auto add = [&](int n) {
    if (n >= 1 && n <= usable && std::ranges::find(counts, n) == counts.end()) counts.push_back(n);
  };
  for (const int n : job.where.counts) add(n);
  for (const GpuChoice& choice : job.where.gpus)
    if (choice.gpu == offer.gpu) add(choice.count);
  std::ranges::sort(counts);
  return counts;
}

/// Numbers of whole machines, of several, that a job may take: those it asks for, else the powers of two and all.
std::vector<int> pool_nodes(const Job& job, const Offer& offer) {
  const int most = std::min(most_nodes(offer), usable_gpus(offer) / std::max(offer.gpus, 1));
  std::vector<int> wanted = job.where.nodes;
  if (wanted.empty()) {
    wanted = doubled_to(most);
    for (const int n : job.where.counts)
      if (n % offer.gpus == 0) wanted.push_back(n / offer.gpus);
    for (const GpuChoice& choice : job.where.gpus)
      if (choice.gpu == offer.gpu && choice.count % offer.gpus == 0) wanted.push_back(choice.count / offer.gpus);
  }
  std::erase_if(wanted, [&](int n) { return n < 2 || n > most; });
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());
  return wanted;
}

/// Several machines of an offer work on one thing where somebody says what joins them, where they are whole (the eight
/// GPUs, or all that such a machine has, of which clusters are built), or where the job asks for them by name.
bool may_be_joined(const Job& job, const Catalogue& catalogue, const Offer& offer) {
  if (offer.source == kJobSource || !job.where.providers.empty() || names_network(catalogue, offer)) return true;
  int whole_one = 0;
  for (const Node& node : catalogue.nodes)
    if (node.gpu == offer.gpu) whole_one = std::max(whole_one, node.gpus);
  const double enough = catalogue.practice_constants.whole_machine;
  return offer.gpus >= (whole_one > 1 ? std::min<double>(whole_one, enough) : enough);
}

bool allowed(const Job& job, const Offer& offer, const Machines& machines) {
  if (machines.node.gpu == nullptr || machines.gpus < 1) return false;
  const std::vector<int>& counts = job.where.counts;
  if (!counts.empty() && std::ranges::find(counts, machines.gpus) == counts.end()) return false;
  // "8x H100 SXM" are eight GPUs of a pool, or machines of eight where the job says how many of them.
  const int named_as = machines.nodes > 1 && !job.where.nodes.empty() ? machines.node.gpus : machines.gpus;
  if (offer.kind != OfferKind::kRented && !names(job.where, offer.gpu, named_as)) return false;
  return std::ranges::none_of(job.where.quota, [&](const auto& quota) {
    return iequals(quota.first, offer.provider) && machines.gpus > quota.second;
  });
}

}  // namespace

int most_nodes(const Offer& offer) {
  return offer.max_nodes > 0 ? std::min(offer.nodes, offer.max_nodes) : offer.nodes;
}

std::vector<Machines> machines_on(const Job& job, const Catalogue& catalogue, const Offer& offer) {
  MachineRows rows(catalogue);
  return machines_on(job, catalogue, rows, offer);
}

std::vector<Machines> machines_on(const Job& job, const Catalogue& catalogue, MachineRows& rows, const Offer& offer) {
  std::vector<Machines> result;
  const NodeShape node = what_matters(job, node_shape(rows, offer));
  const auto add = [&](const Machines& machines) {
    if (allowed(job, offer, machines)) result.push_back(machines);
  };
  if (offer.kind != OfferKind::kRented) {
    const std::vector<int>& nodes = job.where.nodes;
    NodeShape alone = node;
    alone.network = BytesPerSecond{};
    if (nodes.empty() || std::ranges::find(nodes, 1) != nodes.end())
      for (const int gpus : pool_counts(job, offer)) {
        alone.busy = gpus < alone.gpus ? gpus : 0;
        add({alone, 1, gpus, true, offer.max_time});
      }
    // A machine of one GPU has nothing that joins several, whatever what_matters() leaves.
    NodeShape several = node_shape(rows, offer);
    if (several.gpus == 1) several.link = BytesPerSecond{}, several.link_kind = LinkKind::kNone;
    for (const int n : pool_nodes(job, offer)) add({several, n, n * offer.gpus, true, offer.max_time});
    return result;
  }
  if (job.where.nodes.empty()) add({node, 1, node.gpus, false});
  for (const int nodes : job.where.nodes)
    if (nodes == 1 || !is_single(offer))
      add({node, nodes, nodes * node.gpus, false, {}, nodes == 1 || may_be_joined(job, catalogue, offer)});
  return result;
}

std::vector<Machines> distinct_machines(const Job& job, const Catalogue& catalogue, const std::vector<Offer>& market) {
  struct Priced {
    Machines machines;
    DollarsPerSecond price;  ///< of one GPU
  };
  std::vector<Priced> found;
  for (const Offer& offer : market) {
    const auto& price = offer.price ? offer.price : offer.spot_price;
    const DollarsPerSecond each = price ? price->p50 / gpus_priced(offer) : DollarsPerSecond{};
    for (const Machines& machines : machines_on(job, catalogue, offer)) {
      const auto same = std::ranges::find_if(found, [&](const Priced& p) {
        return p.machines.node.gpu == machines.node.gpu && p.machines.gpus == machines.gpus &&
               p.machines.nodes == machines.nodes;
      });
      if (same == found.end()) found.push_back({machines, each});
      else if (each < same->price) *same = {machines, each};
    }
  }
  sort_stably(found, {}, [](const Priced& p) {
    const Gpu& gpu = *p.machines.node.gpu;
    return std::tuple(-gpu.usable.value, gpu.name, p.machines.gpus, p.machines.nodes);
  });
  std::vector<Machines> result;
  for (const Priced& one : found) result.push_back(one.machines);
  return result;
}

NodeShape common_box(const Catalogue& catalogue, const Gpu& gpu, int gpus) {
  Offer offer;
  offer.provider = "any";
  offer.gpu = gpu.name;
  offer.gpus = gpus;
  return node_shape(catalogue, offer);
}

std::vector<const Gpu*> wanted_gpus(const Job& job, const Catalogue& catalogue) {
  const std::vector<GpuChoice>& wanted = job.where.gpus;
  std::vector<const Gpu*> gpus;
  for (const Gpu& gpu : catalogue.gpus)
    if (wanted.empty() || std::ranges::find(wanted, gpu.name, &GpuChoice::gpu) != wanted.end()) gpus.push_back(&gpu);
  return gpus;
}

std::vector<GpuChoice> gpus_to_try(const Job& job, const Catalogue& catalogue, bool all) {
  if (!job.where.gpus.empty()) return job.where.gpus;
  std::vector<GpuChoice> choices;
  const auto add = [&](const std::string& name) {
    if (std::ranges::none_of(choices, [&](const GpuChoice& c) { return c.gpu == name; })) choices.push_back({name, 0});
  };
  for (const auto* offers : {&job.market.offers, &job.market.pools, &job.market.own})
    for (const Offer& offer : *offers) add(offer.gpu);
  if (job.market.only) return choices;
  if (all)
    for (const Gpu& gpu : catalogue.gpus) add(gpu.name);
  else
    for (const Offer& offer : catalogue.offers) add(offer.gpu);
  return choices;
}

}  // namespace gpuplan
