#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/work/model_shape.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

constexpr double kDecimalGB = 1e9;
/// Of a card's memory, what programs can take.
constexpr double kUsable = 0.9;

/// A table of memory by batch.
struct ByBatch {
  int table = 0;
  std::vector<const ClaimRecord*> rows;
};

class Memory {
 public:
  explicit Memory(Bench& bench) : bench_(bench) {
    for (int table = 0; table < bench.tables(); ++table) {
      ByBatch found{table, {}};
      for (const ClaimRecord* row : bench.rows_of(table)) {
        const ClaimFact *batch = row->find(ClaimRole::kBatch), *memory = row->find(ClaimRole::kMemory);
        if (batch == nullptr || memory == nullptr || batch->column != 0 || batch->value->range() ||
            memory->value->range() || memory->value->low <= 0)
          continue;
        found.rows.push_back(row);
      }
      if (found.rows.size() >= 3) by_batch_.push_back(std::move(found));
    }
  }

  void check() {
    for (const ByBatch& table : by_batch_) {
      line(table);
      cards(table);
      profiles(table);
      prose(table);
    }
    by_count();
    optimizer();
  }

 private:
  /// Memory of a card that a mention means: as said with it, else the least that cards of this name have. Bytes; 0:
  /// unknown.
  double card(const GpuMention& gpu) {
    if (gpu.gigabytes > 0) return gpu.gigabytes * kDecimalGB;
    const auto [known, is_new] = cards_.try_emplace(gpu.key, 0.0);
    if (!is_new) return known->second;
    double& least = known->second;
    for (const Gpu& one : bench_.catalogue.gpus) {
      bool named = squeeze(one.name).starts_with(gpu.key);
      for (const std::string& alias : one.aliases) named = named || squeeze(alias) == gpu.key;
      if (!named) continue;
      const double size = std::round(one.memory / units::GiB) * kDecimalGB;
      if (least == 0 || size < least) least = size;
    }
    return least;
  }

  /// Weights and the rest stay the same, each sample takes as much: a + b × batch. Rows off the line that most are on.
  void line(const ByBatch& table) {
    const auto& rows = table.rows;
    constexpr std::size_t kMost = 60;
    if (rows.size() < 5 || rows.size() > kMost) return;
    const auto batch = [](const ClaimRecord* row) { return row->find(ClaimRole::kBatch)->value->low; };
    const auto memory = [](const ClaimRecord* row) -> const ClaimAmount& {
      return *row->find(ClaimRole::kMemory)->value;
    };
    // Digits alone: how many "~" leaves open is not known.
    const auto half = [&](const ClaimRecord* row) { return memory(row).low_step / 2; };
    std::size_t most = 0;
    double slope = 0, base = 0;
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t j = i + 1; j < rows.size(); ++j) {
        if (batch(rows[i]) == batch(rows[j])) continue;
        for (const double up : {-0.9, -0.45, 0.0, 0.45, 0.9})
          for (const double down : {-0.9, -0.45, 0.0, 0.45, 0.9}) {
            const double first = memory(rows[i]).low + up * half(rows[i]),
                         last = memory(rows[j]).low + down * half(rows[j]);
            const double b = (last - first) / (batch(rows[j]) - batch(rows[i])), a = first - b * batch(rows[i]);
            if (b < 0 || a < 0) continue;
            std::size_t on = 0;
            for (const ClaimRecord* row : rows)
              on += std::fabs(a + b * batch(row) - memory(row).low) <= half(row) * (1 + 1e-9) ? 1U : 0U;
            if (on > most) most = on, slope = b, base = a;
          }
      }
    for (const ClaimRecord* row : rows) bench_.use(memory(row));
    if (most == rows.size() || most * 3 < rows.size() * 2) return;
    // Which of them is the wrong one the digits do not tell.
    bench_.find(FindingKind::kUnlikely, bench_.document.tables[static_cast<std::size_t>(table.table)].line,
                "memory by batch", "", "",
                "the rows cannot all be right: the model takes the same in each and a sample always as much, but no "
                "such line, about " +
                    told(ClaimDimension::kBytes, base) + " and " + significant_text(slope / kDecimalGB, 3) +
                    " GB a sample, goes through all of them");
  }

  struct Priced {
    GpuMention gpu;
    double price = 0, memory = 0;
  };

  /// GPUs with price and memory in one table of the document.
  std::vector<Priced> priced() const {
    std::vector<Priced> found;
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows) {
        Priced one;
        for (const ClaimText& cell : row.cells) {
          if (one.gpu.key.empty() && !cell.gpus.empty()) one.gpu = cell.gpus.front();
          for (const ClaimAmount& quantity : cell.quantities) {
            if (quantity.dimension == ClaimDimension::kPrice && one.price == 0) one.price = quantity.low;
            if (quantity.dimension == ClaimDimension::kBytes && one.memory == 0) one.memory = quantity.low;
          }
        }
        if (!one.gpu.key.empty() && one.gpu.count <= 1 && one.price > 0 && one.memory >= 8 * kDecimalGB)
          found.push_back(std::move(one));
      }
    return found;
  }

  /// "18 GB: L40S, A100" where a cheaper card of the document holds it too.
  void cards(const ByBatch& table) {
    const std::vector<Priced> known = priced();
    if (known.size() < 3) return;
    for (const ClaimRecord* row : table.rows) {
      const ClaimAmount& need = *row->find(ClaimRole::kMemory)->value;
      for (const ClaimText* cell : cells_of(bench_.document, *row)) {
        if (cell->gpus.empty()) continue;
        double listed = 0;
        bool all_known = true;
        for (const GpuMention& gpu : cell->gpus) {
          double price = 0;
          for (const Priced& one : known)
            if (one.gpu.key.starts_with(gpu.key) &&
                (gpu.gigabytes == 0 || std::fabs(one.memory - gpu.gigabytes * kDecimalGB) < kDecimalGB))
              price = price == 0 ? one.price : std::min(price, one.price);
          all_known = all_known && price > 0;
          listed = listed == 0 ? price : std::min(listed, price);
          const double size = card(gpu);
          if (size > 0 && need.low > size)
            bench_.find(FindingKind::kWrong, row->line, row->label, need.text + " on " + gpu.text,
                        told(ClaimDimension::kBytes, size) + " of memory", "the card has less than the row needs");
        }
        if (!all_known || cell->text.find('+') != std::string::npos) continue;
        const Priced* cheapest = nullptr;
        for (const Priced& one : known)
          if (one.memory * kUsable >= need.high && (cheapest == nullptr || one.price < cheapest->price))
            cheapest = &one;
        bench_.use(need);
        if (cheapest == nullptr || cheapest->price >= listed * 0.95) continue;
        bench_.find(FindingKind::kDominated, row->line, "batch " + row->find(ClaimRole::kBatch)->value->text,
                    cell->text, cheapest->gpu.text + " at " + told(ClaimDimension::kPrice, cheapest->price),
                    "holds " + need.text + " in " + told(ClaimDimension::kBytes, cheapest->memory) +
                        " and costs less than any GPU listed (" + told(ClaimDimension::kPrice, listed) +
                        "), by the document's own prices");
      }
    }
  }

  /// Batches chosen for GPUs, against the largest of the table that fits.
  void profiles(const ByBatch& table) {
    for (int other = 0; other < bench_.tables(); ++other) {
      if (other == table.table) continue;
      for (const ClaimRecord* row : bench_.rows_of(other)) {
        const ClaimFact* batch = row->find(ClaimRole::kBatch);
        if (batch == nullptr || row->gpu.empty() || time_is_told(*row)) continue;
        GpuMention gpu;
        gpu.key = row->gpu;
        gpu.gigabytes = row->gigabytes;
        const double size = card(gpu);
        if (size <= 0) continue;
        const ClaimRecord *own = nullptr, *best = nullptr;
        for (const ClaimRecord* one : table.rows) {
          if (!bench_.go_on()) return;
          const double need = one->find(ClaimRole::kMemory)->value->high;
          if (one->find(ClaimRole::kBatch)->value->low == batch->value->low) own = one;
          if (need <= kUsable * size && (best == nullptr || need > best->find(ClaimRole::kMemory)->value->high))
            best = one;
        }
        if (own == nullptr) continue;
        const ClaimAmount& need = *own->find(ClaimRole::kMemory)->value;
        bench_.use(*batch->value);
        if (need.low > size) {
          bench_.find(FindingKind::kWrong, row->line, row->label, "batch " + batch->value->text + " on " + row->gpu,
                      told(ClaimDimension::kBytes, size) + " of memory",
                      "line " + std::to_string(own->line) + " says that it takes " + need.text);
        } else if (best != nullptr && need.high < 0.5 * size &&
                   best->find(ClaimRole::kBatch)->value->low >= 2 * batch->value->low) {
          bench_.find(FindingKind::kInconsistent, row->line, row->label, "batch " + batch->value->text,
                      "batch " + best->find(ClaimRole::kBatch)->value->text,
                      "takes " + need.text + " of " + told(ClaimDimension::kBytes, size) +
                          "; the larger batch of line " + std::to_string(best->line) + " fits too (" +
                          best->find(ClaimRole::kMemory)->value->text + ")");
        }
      }
    }
  }
  static bool time_is_told(const ClaimRecord& row) {
    return row.find(ClaimRole::kTime) != nullptr || row.find(ClaimRole::kCost) != nullptr;
  }

  /// "memory exceeds 48GB with batch 1024" against the row of this batch.
  void prose(const ByBatch& table) {
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string lower = to_lower(line.said.text);
      if (lower.find("batch") == std::string::npos || !has_any(lower, {"exceed", "need", "uses", "takes", "require"}))
        continue;
      for (const ClaimAmount& memory : line.said.quantities) {
        if (!bench_.go_on()) return;
        if (memory.dimension != ClaimDimension::kBytes) continue;
        for (const ClaimAmount& batch : line.said.quantities) {
          if (batch.dimension != ClaimDimension::kBare || batch.from < 6 ||
              !std::string_view(lower).substr(0, batch.from).ends_with("batch "))
            continue;
          if (batch.from > memory.to + 20) continue;
          for (const ClaimRecord* row : table.rows) {
            if (!bench_.go_on()) return;
            if (row->find(ClaimRole::kBatch)->value->low != batch.low) continue;
            const ClaimAmount& stated = *row->find(ClaimRole::kMemory)->value;
            bench_.use(memory);
            const bool more = memory.at_least || lower.find("exceed") != std::string::npos;
            if (more ? stated.high * 1.2 >= memory.low : may_be_same(memory, stated)) continue;
            bench_.find(FindingKind::kInconsistent, line.line_of(memory), "batch " + batch.text, memory.text,
                        stated.text, "line " + std::to_string(row->line) + " says " + stated.text + " for this batch");
          }
        }
      }
    }
  }

  /// Memory per GPU that is one total divided by the GPUs: only sharding does that.
  void by_count() {
    bool sharded = false;
    const auto look = [&](std::string_view text) {
      const std::string lower = to_lower(text);
      sharded = sharded || has_any(lower, {"fsdp", "zero-", "zero3", "zero 3", "zero2", "shard", "tensor parallel",
                                           "pipeline parallel", "tensor-parallel", "pipeline-parallel", "device_map",
                                           "model parallel", "model-parallel", "deepspeed", "megatron", "split over",
                                           "split across"});
    };
    for (const ClaimSection& section : bench_.document.sections) look(section.title.text);
    for (const ClaimLine& line : bench_.document.lines) look(line.said.text);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) look(cell.text);
    if (sharded) return;
    struct Share {
      int line = 0;
      double count = 0;
      const ClaimAmount* memory = nullptr;
      std::string label;
    };
    std::vector<Share> shares;
    for (const ClaimRecord& record : bench_.records)
      if (const ClaimFact* memory = record.find(ClaimRole::kMemory);
          memory != nullptr && record.count > 0 && to_lower(memory->name).find("per gpu") != std::string::npos)
        shares.push_back({memory->line, static_cast<double>(record.count), memory->value, record.label});
    for (const ClaimLine& line : bench_.document.lines) {
      const auto& all = line.said.quantities;
      if (all.size() >= 2 && all[0].dimension == ClaimDimension::kGpus && all[1].dimension == ClaimDimension::kBytes &&
          to_lower(line.label).find("gpu") != std::string::npos && all[0].to <= line.label.size())
        shares.push_back({line.line_of(all[1]), all[0].low, &all[1], line.label});
    }
    std::vector<Share> one;
    for (const Share& share : shares)
      if (share.count == 1) one.push_back(share);
    if (one.empty()) return;
    int same = 0;
    for (const Share& share : shares)
      if (share.count > 1) same += fits(*share.memory, ends_of(one.front().memory->low / share.count)) ? 1 : -1;
    if (same < 2) return;
    for (const Share& share : shares) {
      bench_.use(*share.memory);
      if (share.count <= 1 || !fits(*share.memory, ends_of(one.front().memory->low / share.count))) continue;
      bench_.find(FindingKind::kWrong, share.line, number_text(share.count) + " GPUs", share.memory->text,
                  "about " + one.front().memory->text,
                  one.front().memory->text + " / " + number_text(share.count) +
                      " needs sharding (FSDP, ZeRO-3) or models split over GPUs, of which nothing is said; with data "
                      "parallelism each GPU holds the weights");
    }
  }

  /// A whole model trained with Adam on cards that can not hold weights, gradients and moments.
  void optimizer() {
    const auto& lines = bench_.document.lines;
    bool spared = false;
    for (const ClaimLine& line : lines)
      spared = spared || has_any(to_lower(line.said.text),
                                 {"lora", "fsdp", "zero-", "zero3", "zero 3", "shard", "8-bit", "8bit", "4-bit",
                                  "adapter", "frozen", "tensor parallel", "offload", "deepspeed", "galore"});
    if (spared) return;
    double card_bytes = 0;
    std::string card_words;
    const auto widest = [&](const GpuMention& gpu) {
      const double size = card(gpu);
      if (size > card_bytes) card_bytes = size, card_words = gpu.text;
    };
    for (const ClaimSection& section : bench_.document.sections)
      for (const GpuMention& gpu : section.title.gpus) widest(gpu);
    for (const ClaimLine& line : lines)
      for (const GpuMention& gpu : line.said.gpus) widest(gpu);
    if (card_bytes == 0) return;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (to_lower(lines[i].label) != "model") continue;
      const std::string title = to_lower(title_of(lines[i].section));
      if (!has_any(title, {"sft", "train", "fine-tun", "finetun", "config"})) continue;
      double parameters = 0;
      for (const ClaimAmount& one : lines[i].said.quantities)
        if (one.dimension == ClaimDimension::kParameters) parameters = one.low;
      const ClaimLine* batch = nullptr;
      for (const ClaimLine& other : lines)
        if (bench_.go_on() && other.section == lines[i].section &&
            to_lower(other.label).starts_with("batch size per gpu"))
          batch = &other;
      constexpr double kBytesEach = 16;  // bf16 weights and gradients, fp32 weights and two moments
      if (parameters == 0 || batch == nullptr || parameters * kBytesEach <= card_bytes * 1.05) continue;
      bench_.find(FindingKind::kUnlikely, batch->line, batch->label, batch->said.text,
                  told(ClaimDimension::kBytes, parameters * kBytesEach) + " per GPU before activations",
                  count_text(parameters / 1e9) +
                      "B parameters \xC3\x97 16 bytes (weights, gradients, Adam) is more than " + card_words +
                      " holds; it takes sharding (FSDP, ZeRO-3), adapters or 8-bit states, of which nothing is said");
    }
  }
  std::string title_of(int section) const {
    std::string title;
    for (int at = section; at >= 0; at = bench_.document.sections[static_cast<std::size_t>(at)].parent)
      title += bench_.document.sections[static_cast<std::size_t>(at)].title.text + " ";
    return title;
  }

  Bench& bench_;
  std::vector<ByBatch> by_batch_;
  std::map<std::string, double> cards_;  ///< memory by GpuMention::key
};

}  // namespace

void check_memory(Bench& bench) { Memory(bench).check(); }

}  // namespace gpuplan::audit
