#include "evidence/validation/run_machine.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "plan/capacity/machines.h"

namespace gpuplan {
namespace {

void set_network(const Catalogue& catalogue, const MeasuredRun& run, const Gpu& gpu, int box, NodeShape& node,
                 std::vector<std::string>& assumptions) {
  if (run.inter_node_gbps) {
    node.network = BytesPerSecond{*run.inter_node_gbps * 1e9 / 8};
    return;
  }
  // The middle of the machines known with this GPU, by GPU; else what their generation is sold with.
  std::vector<double> rates;
  for (const Node& known : catalogue.nodes)
    if (known.gpu == gpu.name && known.network.value > 0 && known.gpus >= 4 && known.gpus <= 8)
      rates.push_back(known.network.value / known.gpus);
  double each = gpu.memory_type.starts_with("HBM") ? (gpu.year >= 2022 ? 50e9 : 25e9) : 1.25e9;
  if (!rates.empty()) {
    std::ranges::sort(rates);
    each = rates[rates.size() / 2];
  }
  node.network = BytesPerSecond{each * box};
  assumptions.push_back("network: " + number_text(std::round(each * box * 8 / 1e9)) +
                        " Gbit/s per machine, as common with this GPU");
}

/// GPUs that the fast link joins when nothing is stated: a rack of them, all cards of a PCIe box, else eight.
int usual_box(const Gpu& gpu, int gpus) {
  if (gpu.link_domain > 0) return gpu.link_domain;
  return gpu.form_factor == "PCIe" ? gpus : 8;
}

}  // namespace

RunMachine run_machine(const Catalogue& catalogue, const MeasuredRun& run, const Gpu& gpu, int gpus,
                       std::vector<std::string>& assumptions) {
  RunMachine machine;
  NodeShape& node = machine.node;
  const int box = std::min(run.gpus_per_node.value_or(usual_box(gpu, gpus)), gpus);
  if (!run.gpus_per_node && gpus > 1) assumptions.push_back("GPUs per machine: " + count_text(box));
  node = common_box(catalogue, gpu, box);
  if (run.link_kind) {  // as a plan says: nothing is assumed
    node.gpus = run.gpus_per_node.value_or(box);
    node.link_kind = *run.link_kind;
    node.link = run.link.value_or(BytesPerSecond{});
    node.peer_access = run.peer_access.value_or(false);
    node.network = BytesPerSecond{run.inter_node_gbps.value_or(0) * 1e9 / 8};
    machine.nodes = node.machines_for(gpus);
    return machine;
  }
  node.gpus = box;
  machine.nodes = node.machines_for(gpus);
  if (run.nvlink && !*run.nvlink) {
    node.link = {};
    node.link_kind = LinkKind::kPcie;
  } else if ((run.nvlink || (gpu.link_domain > 0 && !run.gpus_per_node)) && node.link.value <= 0) {
    node.link = gpu.link;
    node.link_kind = gpu.vendor == "amd" ? LinkKind::kXgmi : LinkKind::kNvswitch;
  }
  if (machine.nodes > 1) set_network(catalogue, run, gpu, box, node, assumptions);
  return machine;
}

const Framework* run_software(const Catalogue& catalogue, const MeasuredRun& run, std::string_view kind,
                              std::string_view average, Strategy& strategy, std::vector<std::string>& assumptions) {
  const Framework* found = run.framework.empty() ? nullptr : catalogue.find_framework(run.framework);
  if (found != nullptr) {
    strategy.framework = static_cast<std::int16_t>(found - catalogue.frameworks.data());
    return found;
  }
  assumptions.push_back(run.framework.empty()
                            ? std::string(kind) + ": " + std::string(average)
                            : std::string(kind) + " " + printable(run.framework, 40) + ": as an average one");
  return nullptr;
}

std::string refused_facts(const MeasuredRun& run, const Gpu* found) {
  if (!run.shape)
    return "the shape of '" + printable(run.model, 60) +
           "' is missing, its parameter count too, and there is no known model of that name";
  if (found == nullptr) return "unknown GPU '" + printable(run.gpu, 60) + "' (list: gpuplan gpus)";
  return "";
}

}  // namespace gpuplan
