#include "domain/facts/catalogue.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/text.h"
#include "domain/facts/machine_rows.h"

namespace gpuplan {
namespace {

template <class T>
const T* item(const std::vector<T>& items, std::optional<int> position) {
  return position ? &items[static_cast<std::size_t>(*position)] : nullptr;
}

/// A positive whole number and nothing else.
std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || value <= 0) return std::nullopt;
  return value;
}

/// Between a count and a name.
constexpr std::array<std::string_view, 3> kTimesSigns = {"x", "X", "×"};

/// Takes "x" or the multiplication sign from the front.
bool take_times(std::string_view& text) {
  for (const std::string_view sign : kTimesSigns) {
    if (!text.starts_with(sign)) continue;
    text.remove_prefix(sign.size());
    return true;
  }
  return false;
}

/// Cards made for players: their drivers do not let cards copy to each other over PCIe.
bool is_consumer(const Gpu& gpu) {
  const std::string name = to_lower(gpu.name);
  if (gpu.vendor == "amd") return name.starts_with("rx ");
  if (gpu.vendor != "nvidia") return name.starts_with("arc ") && name.find(" pro ") == std::string::npos;
  if (name.starts_with("gtx ") || name.starts_with("titan ")) return true;
  // "RTX 4090" is GeForce; "RTX 6000 Ada", "RTX A6000", "RTX PRO 6000" and "Quadro RTX 8000" are workstation cards.
  return name.starts_with("rtx ") && name.size() > 4 && is_digit(name[4]) && !name.ends_with(" ada");
}

/// Both directions of the slot together. 8b/10b code up to generation 2, 128b/130b from 3, FLIT mode from 6 (PCI-SIG).
BytesPerSecond pcie_rate(int generation, int lanes) {
  using units::GB;
  using units::second;
  const int width = lanes > 0 ? lanes : 16;
  constexpr double kCode = 128.0 / 130;
  switch (generation) {
    case 1:
      return width * 2 * 0.25 * GB / second;
    case 2:
      return width * 2 * 0.5 * GB / second;
    case 3:
      return width * 2 * kCode * GB / second;
    case 4:
      return width * 2 * 2 * kCode * GB / second;
    case 5:
      return width * 2 * 4 * kCode * GB / second;
    case 6:
      return width * 2 * 8 * (242.0 / 256) * GB / second;
    default:
      return {};
  }
}

/// The usual box of a GPU, when nothing is known of the machine itself.
NodeShape common_box(const Gpu& gpu, int gpus) {
  NodeShape shape;
  shape.gpu = &gpu;
  shape.gpus = gpus;
  if (gpus == 1) return shape;
  const bool bridged = gpu.link_needs_bridge || gpu.link_kind == LinkKind::kNvlinkPairs;
  if (gpu.link.value > 0 && !bridged && gpu.link_kind != LinkKind::kNone && gpu.link_kind != LinkKind::kPcie) {
    shape.link_kind = gpu.link_kind;
    shape.link = gpu.link;
    shape.peer_access = true;
    return shape;
  }
  // Cards with an optional bridge count as without: marketplaces do not say whether it is there.
  shape.link_kind = LinkKind::kPcie;
  shape.link = pcie_rate(gpu.pcie_gen > 0 ? gpu.pcie_gen : 3, gpu.pcie_lanes);
  shape.peer_access = !is_consumer(gpu);
  return shape;
}

/// The row that describes the machine of an offer: the provider's own, else the common one of this box. `nodes`: those
/// of its GPU.
const Node* find_node(const std::vector<const Node*>& nodes, const Offer& offer) {
  const Node* common = nullptr;
  const Node* provider_box = nullptr;
  for (const Node* one : nodes) {
    const Node& node = *one;
    if (node.gpus != offer.gpus) continue;
    if (node.provider == "any") {
      if (common == nullptr) common = &node;
    } else if (!offer.provider.empty() && iequals(node.provider, offer.provider)) {
      if (!offer.instance.empty() && iequals(node.instance, offer.instance)) return &node;
      // Without an instance's name the provider's machine with as many of these GPUs is meant.
      if (offer.instance.empty() && provider_box == nullptr) provider_box = &node;
    }
  }
  return provider_box != nullptr ? provider_box : common;
}

NodeShape node_shape(const Gpu& gpu, const Node* node, const Offer& offer) {
  NodeShape shape = common_box(gpu, offer.gpus);
  if (node != nullptr) {
    if (node->link_kind != LinkKind::kNone && offer.gpus > 1) {
      shape.link_kind = node->link_kind;
      shape.link = node->link;
      shape.peer_access = node->peer_access;
    }
    // What GPUs reach directly counts; the rest of the network passes host memory and is no faster.
    shape.network = node->gpu_network.value > 0 ? node->gpu_network : node->network;
    shape.front = node->front;
    shape.ram = node->ram;
  }
  if (offer.ram.value > 0) shape.ram = offer.ram;
  if (offer.network.value > 0) shape.network = offer.network;
  shape.disk = offer.disk;
  return shape;
}

}  // namespace

const MachineRows::Rows& MachineRows::of(std::string_view gpu) {
  const auto [at, first] = rows_.try_emplace(gpu);
  Rows& rows = at->second;
  if (!first) return rows;
  rows.gpu = catalogue_.find_gpu(gpu);
  for (const Node& node : catalogue_.nodes)
    if (node.gpu == gpu) rows.nodes.push_back(&node);
  return rows;
}

bool NameIndex::add(std::string_view name, int position) {
  std::string squeezed = squeeze(name);
  if (squeezed.empty()) return false;
  const auto place = std::ranges::lower_bound(names_, squeezed, {}, &Name::squeezed);
  if (place != names_.end() && place->squeezed == squeezed) return place->position == position;
  names_.insert(place, {std::move(squeezed), position});
  return true;
}

std::optional<int> NameIndex::find(std::string_view name) const { return find_squeezed(squeeze(name)); }

std::optional<int> NameIndex::find_squeezed(std::string_view squeezed) const {
  const auto place = std::ranges::lower_bound(names_, squeezed, {}, &Name::squeezed);
  return place != names_.end() && place->squeezed == squeezed ? std::optional(place->position) : std::nullopt;
}

const Gpu* Catalogue::find_gpu(std::string_view name) const { return item(gpus, gpu_names.find(name)); }

const ModelShape* Catalogue::find_model(std::string_view name) const {
  if (const ModelShape* shape = item(models, model_names.find(name))) return shape;
  const std::size_t slash = name.rfind('/');
  return slash == std::string_view::npos ? nullptr : item(models, model_names.find(name.substr(slash + 1)));
}

const Framework* Catalogue::find_framework(std::string_view name) const {
  return item(frameworks, framework_names.find(name));
}

const OptimizerFacts* Catalogue::find_optimizer(Optimizer optimizer) const {
  const auto row = std::ranges::find(optimizers, optimizer, &OptimizerFacts::optimizer);
  return row == optimizers.end() ? nullptr : &*row;
}

std::optional<GpuCount> parse_gpu_count(const Catalogue& catalogue, std::string_view text) {
  text = trim(text);
  const auto counted = [&](std::string_view number, std::string_view name) -> std::optional<GpuCount> {
    const auto count = whole_number(trim(number));
    const Gpu* gpu = catalogue.find_gpu(name);
    if (!count || gpu == nullptr) return std::nullopt;
    return GpuCount{gpu, *count};
  };
  if (const std::size_t colon = text.rfind(':'); colon != std::string_view::npos)
    return counted(text.substr(colon + 1), text.substr(0, colon));
  if (const Gpu* gpu = catalogue.find_gpu(text)) return GpuCount{gpu, 0};

  std::size_t digits = 0;
  while (digits < text.size() && is_digit(text[digits])) ++digits;
  if (std::string_view name = trim(text.substr(digits)); digits > 0 && take_times(name))
    return counted(text.substr(0, digits), name);
  // "H100 SXM x8"
  std::size_t start = text.size();
  while (start > 0 && is_digit(text[start - 1])) --start;
  const std::string_view name = trim(text.substr(0, start));
  if (start == text.size() || name.size() < 2) return std::nullopt;
  for (const std::string_view sign : kTimesSigns)
    if (name.ends_with(sign)) return counted(text.substr(start), name.substr(0, name.size() - sign.size()));
  return std::nullopt;
}

bool names_network(const Catalogue& catalogue, const Offer& offer) {
  if (offer.network.value > 0) return true;
  MachineRows rows(catalogue);
  const Node* node = find_node(rows.of(offer.gpu).nodes, offer);
  return node != nullptr && node->provider != "any" && (node->network.value > 0 || node->gpu_network.value > 0);
}

NodeShape node_shape(const Catalogue& catalogue, const Offer& offer) {
  MachineRows rows(catalogue);
  return node_shape(rows, offer);
}

NodeShape node_shape(MachineRows& rows, const Offer& offer) {
  const auto& [gpu, nodes] = rows.of(offer.gpu);
  return gpu != nullptr ? node_shape(*gpu, find_node(nodes, offer), offer) : NodeShape{};
}

}  // namespace gpuplan
