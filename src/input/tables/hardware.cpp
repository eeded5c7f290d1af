#include "input/tables/hardware.h"

#include <cmath>
#include <string>
#include <utility>

#include "base/text.h"
#include "base/units.h"
#include "domain/facts/number_fields.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

using namespace units;

constexpr FlopsPerSecond kTeraflops = TFLOP / second;
constexpr BytesPerSecond kGigabytes = GB / second;
constexpr BytesPerSecond kGigabits = 1e9 / 8 * byte / second;

/// Bandwidth is the width of the memory bus times the rate of one wire; data sheets round it to a hundredth.
void check_bandwidth(CsvReader& cells, std::size_t row, double bandwidth, double bytes_wide, double rate,
                     CsvReader::Column column) {
  if (bytes_wide <= 0 || rate <= 0 || std::abs(bytes_wide * rate / bandwidth - 1) < 0.01) return;
  cells.fail_cell(row, column, "bus times data_rate, " + number_text(bytes_wide * rate) + " GB/s");
}

enum class Basis { kObserved, kEstimated };

}  // namespace

template <>
struct Names<Basis> {
  static constexpr std::array entries = {
      Named<Basis>{Basis::kObserved, "observed"},
      Named<Basis>{Basis::kEstimated, "estimated"},
  };
};

Result<void> read_gpus(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), aliases = cells.column("aliases"), vendor = cells.column("vendor"),
             architecture = cells.column("architecture"), capability = cells.column("compute_capability"),
             year = cells.column("year"), memory = cells.column("memory", "GiB"),
             usable = cells.column("usable", "GiB"), basis = cells.column("usable_basis"),
             memory_type = cells.column("memory_type"), bus = cells.column("bus", "bit"),
             data_rate = cells.column("data_rate", "Gbit/s"), bandwidth = cells.column("bandwidth", "GB/s"),
             fp32 = cells.column("fp32", "TFLOP/s"), tf32 = cells.column("tf32", "TFLOP/s"),
             bf16 = cells.column("bf16", "TFLOP/s"), fp16 = cells.column("fp16", "TFLOP/s"),
             fp16_acc16 = cells.column("fp16_acc16", "TFLOP/s"), fp8 = cells.column("fp8", "TFLOP/s"),
             fp4 = cells.column("fp4", "TFLOP/s"), int8 = cells.column("int8", "TOP/s"),
             link = cells.column("link", "GB/s"), link_kind = cells.column("link_kind"),
             link_domain = cells.column("link_domain"), pcie_gen = cells.column("pcie_gen"),
             pcie_lanes = cells.column("pcie_lanes"), tdp = cells.column("tdp", "W"), sms = cells.column("sms"),
             tensor_clock = cells.column("tensor_clock", "MHz"), tensor_rate = cells.column("tensor_rate", "FLOP"),
             exceptions = cells.column("exceptions"), trained = cells.column("training_publishers"),
             served = cells.column("serving_publishers"), form_factor = cells.column("form_factor"),
             source = cells.column("source"), as_of = cells.column("as_of"), notes = cells.optional_column("notes");

  catalogue.gpus.reserve(catalogue.gpus.size() + table->rows());
  catalogue.gpu_names.reserve(8 * table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    // The largest figures are ten times those of the largest accelerators announced: beyond lies a slip of units.
    const auto rate = [&](CsvReader::Column column) { return cells.number(row, column, 0, 200'000) * kTeraflops; };
    Gpu gpu;
    gpu.name = cells.required(row, name);
    gpu.aliases = cells.list(row, aliases, '|');
    gpu.vendor = cells.required(row, vendor);
    gpu.architecture = cells.required(row, architecture);
    gpu.compute_capability = cells.number(row, capability, 0, 99);
    gpu.year = cells.whole(row, year, 2000, 2099);
    cells.required(row, memory);
    gpu.memory = cells.number(row, memory, 0.5, 10'000) * GiB;
    cells.required(row, usable);
    gpu.usable = cells.number(row, usable, 0.25, 10'000) * GiB;
    gpu.usable_observed = cells.choice(row, basis, Basis::kEstimated) == Basis::kObserved;
    gpu.memory_type = cells.text(row, memory_type);
    cells.required(row, bandwidth);
    gpu.bandwidth = cells.number(row, bandwidth, 1, 200'000) * kGigabytes;
    check_bandwidth(cells, row, gpu.bandwidth / kGigabytes, cells.whole(row, bus, 32, 65'536) / 8.0,
                    cells.number(row, data_rate, 0.1, 100), bandwidth);
    gpu.fp32 = rate(fp32);
    gpu.tf32 = rate(tf32);
    gpu.bf16 = rate(bf16);
    gpu.fp16 = rate(fp16);
    gpu.fp16_acc16 = rate(fp16_acc16);
    gpu.fp8 = rate(fp8);
    gpu.fp4 = rate(fp4);
    gpu.int8 = rate(int8);
    gpu.link = cells.number(row, link, 0, 100'000) * kGigabytes;
    gpu.link_kind = cells.choice(row, link_kind, LinkKind::kNone);
    gpu.link_domain = cells.whole(row, link_domain, 2, 100'000);
    gpu.link_needs_bridge = gpu.link_kind == LinkKind::kNvlinkPairs;
    gpu.pcie_gen = cells.whole(row, pcie_gen, 1, 9);
    gpu.pcie_lanes = cells.whole(row, pcie_lanes, 1, 32);
    gpu.tdp_watts = cells.number(row, tdp, 1, 20'000);
    gpu.sms = cells.whole(row, sms, 1, 100'000);
    // What peaks and bandwidth follow from, for the tests of these facts.
    cells.number(row, tensor_clock, 1, 100'000);
    cells.whole(row, tensor_rate, 1, 1'000'000);
    cells.list(row, exceptions, '|');
    gpu.form_factor = cells.text(row, form_factor);
    gpu.training_publishers = cells.number(row, trained, 0, kMostPublishers);
    gpu.serving_publishers = cells.number(row, served, 0, kMostPublishers);
    gpu.source = cells.required(row, source);
    gpu.as_of = cells.date(row, as_of);
    gpu.notes = cells.text(row, notes);
    if (gpu.usable > gpu.memory) cells.fail_cell(row, usable, "at most the memory of the label");
    if (gpu.fp32.value <= 0 && gpu.bf16.value <= 0 && gpu.fp16.value <= 0)
      cells.fail(row, "no peak rate: fp32, bf16 and fp16 are all empty");

    const int position = static_cast<int>(catalogue.gpus.size());
    const auto enter = [&](std::string_view spelling) {
      if (!catalogue.gpu_names.add(spelling, position))
        cells.fail(row, "the name '" + printable(spelling, 60) + "' already stands for another GPU, or has no letter");
    };
    enter(gpu.name);
    for (const std::string& alias : gpu.aliases) enter(alias);
    catalogue.gpus.push_back(std::move(gpu));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

Result<void> read_nodes(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto provider = cells.column("provider"), instance = cells.column("instance"), gpu = cells.column("gpu"),
             gpus = cells.column("gpus"), link = cells.column("link", "GB/s"), link_kind = cells.column("link_kind"),
             peer_access = cells.column("peer_access"), network = cells.column("network", "Gbit/s"),
             gpu_network = cells.column("gpu_network", "Gbit/s"), front = cells.column("front_network", "Gbit/s"),
             burst = cells.column("burst_network", "Gbit/s"), vcpus = cells.column("vcpus"),
             ram = cells.column("ram", "GiB"), disk = cells.column("disk", "GB"), source = cells.column("source"),
             as_of = cells.column("as_of");

  catalogue.nodes.reserve(catalogue.nodes.size() + table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Node node;
    node.provider = cells.required(row, provider);
    node.instance = cells.required(row, instance);
    if (const Gpu* known = catalogue.find_gpu(cells.required(row, gpu))) node.gpu = known->name;
    else cells.fail_cell(row, gpu, "the name or alias of a GPU");
    node.gpus = cells.whole(row, gpus, 1, 1024, 1);
    node.link = cells.number(row, link, 0, 100'000) * kGigabytes;
    node.link_kind = cells.choice(row, link_kind, LinkKind::kNone);
    node.peer_access = cells.yes_no(row, peer_access);
    node.network = cells.number(row, network, 0, 1'000'000) * kGigabits;
    node.gpu_network = cells.number(row, gpu_network, 0, 1'000'000) * kGigabits;
    node.front = cells.number(row, front, 0, 1'000'000) * kGigabits;
    // Advertised as "up to": plans go by what lasts.
    const BytesPerSecond most = cells.number(row, burst, 0, 1'000'000) * kGigabits;
    if (most.value > 0 && (most <= node.network || node.front > most))
      cells.fail_cell(row, burst, "more than network, and no less than front_network");
    node.vcpus = cells.whole(row, vcpus, 0, 100'000);
    node.ram = cells.number(row, ram, 0, 1'000'000) * GiB;
    node.disk = cells.number(row, disk, 0, 100'000'000) * GB;
    node.source = cells.required(row, source);
    node.as_of = cells.date(row, as_of);
    catalogue.nodes.push_back(std::move(node));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
