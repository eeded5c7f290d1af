#include "input/tables/frameworks.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/whole.h"
#include "domain/work/phase.h"
#include "input/text/csv.h"

namespace gpuplan {
namespace {

enum class Does { kTrain, kGenerate, kBoth };
enum class Master { kFp32, kBf16 };
enum class Hosts { kSingleGpu, kSingleNode, kMultiNode };
enum class Stages { kNone, kPlain, kInterleaved };
enum class Kept { kEverything, kEverythingOrFull, kAny };
enum class Scripts { kNone, kWritten, kSaving };

}  // namespace

template <>
struct Names<Does> {
  static constexpr std::array entries = {
      Named<Does>{Does::kTrain, "train"},
      Named<Does>{Does::kGenerate, "generate"},
      Named<Does>{Does::kBoth, "train+generate"},
  };
};
template <>
struct Names<Scripts> {
  static constexpr std::array entries = {Named<Scripts>{Scripts::kNone, "no"}, Named<Scripts>{Scripts::kWritten, "yes"},
                                         Named<Scripts>{Scripts::kSaving, "saving"}};
};
template <>
struct Names<Master> {
  static constexpr std::array entries = {Named<Master>{Master::kFp32, "fp32"}, Named<Master>{Master::kBf16, "bf16"}};
};
template <>
struct Names<Hosts> {
  static constexpr std::array entries = {
      Named<Hosts>{Hosts::kSingleGpu, "single-gpu"},
      Named<Hosts>{Hosts::kSingleNode, "single-node"},
      Named<Hosts>{Hosts::kMultiNode, "multi-node"},
  };
};
template <>
struct Names<Stages> {
  static constexpr std::array entries = {
      Named<Stages>{Stages::kNone, "no"},
      Named<Stages>{Stages::kPlain, "yes"},
      Named<Stages>{Stages::kInterleaved, "interleaved"},
  };
};
template <>
struct Names<Kept> {
  static constexpr std::array entries = {
      Named<Kept>{Kept::kEverything, "none"},
      Named<Kept>{Kept::kEverythingOrFull, "none+full"},
      Named<Kept>{Kept::kAny, "none+selective+full"},
  };
};

namespace {

template <class E>
bool holds(const std::vector<E>& values, E value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// ZeRO stages, and hybrid sharding, joined by '+': "0+2+3+hsdp".
void read_stages(CsvReader& cells, std::size_t row, CsvReader::Column column, Framework& framework) {
  framework.zero[0] = false;
  for (const std::string& stage : cells.list(row, column, '+')) {
    if (stage.size() == 1 && stage[0] >= '0' && stage[0] <= '3') framework.zero[stage[0] - '0'] = true;
    else if (stage == "hsdp") framework.zero[static_cast<std::size_t>(Sharding::kHsdp)] = true;
    else cells.fail_cell(row, column, "ZeRO stages such as 0+2+3+hsdp");
  }
  if (!framework.zero[0]) cells.fail_cell(row, column, "ZeRO stages such as 0+2+3; every framework has stage 0");
}

}  // namespace

Result<void> read_frameworks(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), aliases = cells.column("aliases"), does = cells.column("does"),
             vendors = cells.column("vendors"), capability = cells.column("min_compute_capability"),
             zero = cells.column("zero"), tensor = cells.column("tensor"), pipeline = cells.column("pipeline"),
             context = cells.column("context"), expert = cells.column("expert"), offload = cells.column("offload"),
             recompute = cells.column("recompute"), compile = cells.column("compile"),
             compiles = cells.column("compiles"), cuda_graphs = cells.column("cuda_graphs"),
             methods = cells.column("methods"), precisions = cells.column("precisions"),
             optimizers = cells.column("optimizers"), master = cells.column("master"), hosts = cells.column("hosts"),
             rank = cells.column("auto"), fine_tune = cells.column("fine_tune"), pretrain = cells.column("pretrain"),
             eased_by = cells.column("eased_by"), auto_methods = cells.column("auto_methods"),
             scripts = cells.column("scripts"), fused_loss = cells.column("fused_loss"),
             activation_offload = cells.column("activation_offload"), source = cells.column("source"),
             as_of = cells.column("as_of"), notes = cells.optional_column("notes");

  catalogue.frameworks.reserve(catalogue.frameworks.size() + table->rows());
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    Framework framework;
    framework.name = cells.required(row, name);
    framework.aliases = cells.list(row, aliases, '|');
    cells.required(row, does);
    const Does purpose = cells.choice(row, does, Does::kTrain);
    framework.trains = purpose != Does::kGenerate;
    framework.generates = purpose != Does::kTrain;
    cells.required(row, vendors);
    framework.vendors = cells.list(row, vendors, '+');
    for (const std::string& vendor : framework.vendors)
      if (!catalogue.gpus.empty() && std::none_of(catalogue.gpus.begin(), catalogue.gpus.end(),
                                                  [&](const Gpu& gpu) { return gpu.vendor == vendor; }))
        cells.fail(row, "column vendors: no GPU has the vendor '" + printable(vendor, 60) + "'");
    framework.min_compute_capability = cells.number(row, capability, 0, 99);
    for (const auto column :
         {tensor, pipeline, context, expert, offload, recompute, compile, cuda_graphs, hosts, scripts})
      cells.required(row, column);
    if (framework.trains)
      for (const auto column : {methods, optimizers, master}) cells.required(row, column);
    read_stages(cells, row, zero, framework);
    framework.tensor = cells.yes_no(row, tensor);
    const Stages stages = cells.choice(row, pipeline, Stages::kNone);
    framework.pipeline = stages != Stages::kNone;
    framework.interleave = stages == Stages::kInterleaved;
    framework.context = cells.yes_no(row, context);
    framework.expert = cells.yes_no(row, expert);
    framework.offload = cells.choice(row, offload, Offload::kNone);
    const Kept kept = cells.choice(row, recompute, Kept::kEverything);
    framework.recompute_full = kept != Kept::kEverything;
    framework.recompute_selective = kept == Kept::kAny;
    framework.auto_rank = whole<int>(cells.number(row, rank, 0, 1000));
    framework.fine_tune = cells.number(row, fine_tune, 1, 10);
    framework.pretrain = cells.number(row, pretrain, 1, 10);
    framework.eased_by = cells.number(row, eased_by, 1, 1e15);
    const Scripts written = cells.choice(row, scripts, Scripts::kNone);
    framework.scripts = written != Scripts::kNone;
    framework.saves_when_stopped = written == Scripts::kSaving;
    if (cells.text(row, auto_methods) == "none") {
      framework.auto_full = framework.auto_adapters = false;
    } else if (const auto thought_of = cells.choices<Method>(row, auto_methods); !thought_of.empty()) {
      framework.auto_full = holds(thought_of, Method::kFull);
      framework.auto_adapters = holds(thought_of, Method::kLora);
    }
    framework.fused_loss = cells.number(row, fused_loss, 1, 1e6);
    framework.activation_offload = cells.yes_no(row, activation_offload);
    framework.compile = cells.yes_no(row, compile);
    framework.compiles = cells.yes_no(row, compiles);
    framework.cuda_graphs = cells.yes_no(row, cuda_graphs);
    const auto known_methods = cells.choices<Method>(row, methods);
    framework.full = holds(known_methods, Method::kFull);
    framework.lora = holds(known_methods, Method::kLora);
    framework.qlora = holds(known_methods, Method::kQlora);
    framework.frozen = holds(known_methods, Method::kFrozen);
    cells.required(row, precisions);
    framework.precisions = cells.choices<Precision>(row, precisions);
    framework.optimizers = cells.choices<Optimizer>(row, optimizers);
    framework.master_fp32 = cells.choice(row, master, Master::kFp32) == Master::kFp32;
    const Hosts reach = cells.choice(row, hosts, Hosts::kSingleNode);
    framework.multi_gpu = reach != Hosts::kSingleGpu;
    framework.multi_node = reach == Hosts::kMultiNode;
    framework.source = cells.required(row, source);
    framework.as_of = cells.date(row, as_of);
    framework.notes = cells.text(row, notes);
    if (framework.trains && known_methods.empty())
      cells.fail(row, "column methods is empty for a framework that trains");

    const int position = static_cast<int>(catalogue.frameworks.size());
    const auto enter = [&](std::string_view spelling) {
      if (!catalogue.framework_names.add(spelling, position))
        cells.fail(row, "the name '" + printable(spelling, 60) + "' already stands for another framework");
    };
    enter(framework.name);
    for (const std::string& alias : framework.aliases) enter(alias);
    catalogue.frameworks.push_back(std::move(framework));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

Result<void> read_framework_limits(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto framework = cells.column("framework"), limit = cells.column("limit"), what = cells.column("what"),
             instead = cells.column("instead"), source = cells.column("source"), as_of = cells.column("as_of");
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    LimitRow entry;
    const std::string_view name = cells.required(row, framework);
    cells.required(row, limit);
    entry.limit = cells.choice(row, limit, FrameworkLimit::kPublished);
    entry.what = cells.required(row, what);
    entry.instead = cells.required(row, instead);
    entry.source = cells.required(row, source);
    entry.as_of = cells.date(row, as_of);
    if (!cells.ok()) break;
    if (catalogue.frameworks.empty()) continue;  // the table alone
    const auto at = catalogue.framework_names.find(name);
    // What keeps software from hardware may be said of engines too.
    const bool of_hardware = entry.limit == FrameworkLimit::kOldGpus || entry.limit == FrameworkLimit::kAmd;
    if (!at || (!of_hardware && !catalogue.frameworks[static_cast<std::size_t>(*at)].trains)) {
      cells.fail(row, "column framework: '" + printable(name, 60) + "' is no training framework of frameworks.csv");
      break;
    }
    std::vector<LimitRow>& limits = catalogue.frameworks[static_cast<std::size_t>(*at)].limits;
    if (std::ranges::find(limits, entry.limit, &LimitRow::limit) != limits.end())
      cells.fail_cell(row, limit, "given once for a framework");
    limits.push_back(std::move(entry));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

Result<void> read_optimizers(std::string_view text, std::string_view file, Catalogue& catalogue) {
  const auto table = CsvTable::parse(text, file);
  if (!table) return std::unexpected(table.error());
  CsvReader cells(*table);
  const auto name = cells.column("name"), states = cells.column("states", "B/parameter"),
             follows = cells.column("follows_weights"), paged = cells.column("paged"),
             eight_bit = cells.column("eight_bit"), trainer = cells.column("trainer"),
             axolotl = cells.column("axolotl"), torch = cells.column("torch"), torchtitan = cells.column("torchtitan"),
             megatron = cells.column("megatron"), source = cells.column("source"), as_of = cells.column("as_of");
  constexpr double kMostBytes = 100;
  for (std::size_t row = 0; row < table->rows() && cells.ok(); ++row) {
    OptimizerFacts facts;
    for (const auto column : {name, states, follows, paged, eight_bit}) cells.required(row, column);
    facts.optimizer = cells.choice(row, name, Optimizer::kAdamW);
    facts.state_bytes = cells.number(row, states, 0, kMostBytes);
    facts.follows = cells.yes_no(row, follows);
    facts.paged = cells.yes_no(row, paged);
    facts.eight_bit = cells.yes_no(row, eight_bit);
    facts.trainer = cells.text(row, trainer);
    facts.axolotl = cells.text(row, axolotl);
    facts.torch = cells.text(row, torch);
    facts.torchtitan = cells.text(row, torchtitan);
    facts.megatron = cells.text(row, megatron);
    facts.source = cells.required(row, source);
    facts.as_of = cells.date(row, as_of);
    if (cells.ok() && catalogue.find_optimizer(facts.optimizer) != nullptr) cells.fail_cell(row, name, "given once");
    catalogue.optimizers.push_back(std::move(facts));
  }
  if (!cells.ok()) return std::unexpected(*cells.error());
  return {};
}

}  // namespace gpuplan
