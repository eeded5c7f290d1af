// gpuplan fit --batches: memory by the number of sequences at once.
#include <algorithm>

#include "base/amount.h"
#include "base/text.h"
#include "output/fit/views.h"
#include "output/text/json_writer.h"
#include "output/words/json_parts.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

/// Names that a cell holds before the rest is counted.
constexpr std::size_t kNamed = 4;

/// Cards are called by their binary gigabytes: "24 GB".
std::string label_gb(const Gpu& gpu) { return count_text(gpu.memory / units::GiB) + " GB"; }

/// "24 GB and up: L4, RTX 3090, …": names from the smallest card up; all of them when `all` or when they are few.
std::string holders_text(const std::vector<const Gpu*>& gpus, bool every_larger, bool all) {
  if (gpus.empty()) return "";
  std::string text;
  if (every_larger && gpus.size() > 1) text = label_gb(*gpus.front()) + " and up: ";
  const std::size_t named = all || gpus.size() <= kNamed + 1 ? gpus.size() : kNamed;
  for (std::size_t i = 0; i < named; ++i) text += (i == 0 ? "" : ", ") + gpus[i]->name;
  return named < gpus.size() ? text + ", and " + std::to_string(gpus.size() - named) + " more" : text;
}

/// How a GPU holds what it would not hold without: "activation checkpointing (full), CPU offload: optimizer".
std::string saving_words(const PhaseEstimate& best) {
  const Strategy& s = best.strategy;
  std::vector<std::string> words;
  if (s.recompute != Recompute::kNone)
    words.push_back("activation checkpointing (" + std::string(name_of(s.recompute)) + ")");
  if (best.lighter) words.emplace_back("8-bit AdamW in pure bf16");
  if (s.offload != Offload::kNone) words.push_back("CPU offload: " + std::string(name_of(s.offload)));
  if (s.sharding != Sharding::kNone) words.emplace_back(name_of(s.sharding));
  if (s.tp > 1) words.push_back("tp " + std::to_string(s.tp));
  if (s.pp > 1) words.push_back("pp " + std::to_string(s.pp));
  return join(words, ", ");
}

/// GPUs that hold the batch as it is, or only at a price.
std::vector<const Gpu*> holders(const BatchRow& row, bool at_a_price) {
  std::vector<const Gpu*> gpus;
  for (const BatchHolder& holder : row.gpus)
    if (holder.fits() && holder.at_a_price == at_a_price) gpus.push_back(holder.gpu);
  return gpus;
}

/// Every GPU tried from the smallest holder on holds it too.
bool every_larger(const BatchRow& row) {
  bool begun = false;
  for (const BatchHolder& holder : row.gpus) {
    const bool holds = holder.fits() && !holder.at_a_price;
    if (begun && !holds) return false;
    begun = begun || holds;
  }
  return begun;
}

double share(const BatchHolder& holder) { return holder.best->memory_total.p50 / holder.gpu->usable; }

std::string title_of(const BatchSection& section) {
  return printable(section.name, 60) + ": " + section.title +
         (section.count > 1 ? "; " + std::to_string(section.count) + " GPUs, batch per GPU, MEMORY without sharding"
                            : "");
}

/// "More memory than needed (under 25% used): batch 32 from 80 GB up.".
std::string far_too_large(const BatchSection& section) {
  std::vector<std::string> parts;
  for (const BatchRow& row : section.rows) {
    std::vector<const Gpu*> gpus;
    for (const BatchHolder& holder : row.gpus)
      if (holder.fits() && !holder.at_a_price && share(holder) < kFarTooLarge) gpus.push_back(holder.gpu);
    if (gpus.empty()) continue;
    parts.push_back("batch " + count_text(row.sequences) + " from " + label_gb(*gpus.front()) + " up");
  }
  if (parts.empty()) return "";
  return "More memory than needed (under " + percent(kFarTooLarge) + " used): " + join(parts, "; ") + ".";
}

}  // namespace

bool BatchSection::held() const {
  return std::ranges::any_of(rows, [](const BatchRow& row) {
    return std::ranges::any_of(row.gpus, [](const BatchHolder& holder) { return holder.fits(); });
  });
}

Table batch_table(const BatchSection& section, bool all) {
  Table table({{.title = "BATCH", .align = Align::kRight, .key = "batch"},
               {.title = "MEMORY", .align = Align::kRight, .unit = "GiB per GPU", .key = "needed_gib"},
               {.title = "P10–P90", .align = Align::kRight},
               {.title = "", .key = "needed_gib_p10"},
               {.title = "", .key = "needed_gib_p90"},
               {.title = "FITS ON", .narrowest = 24, .wrap = true, .key = "held_by"},
               {.title = "FITS WITH CHECKPOINTING OR OFFLOAD",
                .drop = 1,
                .narrowest = 20,
                .wrap = true,
                .key = "held_by_saving"}});
  for (const BatchRow& row : section.rows) {
    std::vector<Cell> cells = {{static_cast<double>(row.sequences), count_text(row.sequences)}};
    if (row.needed.p50 > Bytes{}) {
      cells.emplace_back(row.needed.p50 / units::GiB, gib_text(row.needed.p50));
      cells.emplace_back(row.needed.exact() ? "" : gib_text(row.needed.p10) + "–" + gib_text(row.needed.p90),
                         Paint::kDim);
      cells.emplace_back(row.needed.p10 / units::GiB);
      cells.emplace_back(row.needed.p90 / units::GiB);
    } else {
      cells.resize(5);
    }
    const auto plain = holders(row, false);
    const auto saving = holders(row, true);
    cells.emplace_back(plain.empty() ? "no GPU" : holders_text(plain, every_larger(row), all),
                       plain.empty() ? Paint::kYellow : Paint::kPlain);
    cells.emplace_back(holders_text(saving, false, all), Paint::kDim);
    table.add(std::move(cells));
  }
  return table;
}

Table share_table(const BatchSection& section) {
  std::vector<Column> columns = {
      {.title = "GPU", .narrowest = 16, .key = "gpu"},
      {.title = "USABLE", .align = Align::kRight, .drop = 1, .unit = "GiB", .key = "usable_gib"}};
  for (const BatchRow& row : section.rows)
    columns.push_back({.title = count_text(row.sequences),
                       .align = Align::kRight,
                       .key = "used_share_at_" + std::to_string(row.sequences)});
  Table table(std::move(columns));
  if (section.rows.empty()) return table;
  for (std::size_t g = section.rows.front().gpus.size(); g-- > 0;) {
    const Gpu& gpu = *section.rows.front().gpus[g].gpu;
    std::vector<Cell> cells = {{gpu.name}, {gpu.usable / units::GiB, gib_text(gpu.usable), Paint::kDim}};
    bool any = false;
    for (const BatchRow& row : section.rows) {
      const BatchHolder& holder = row.gpus[g];
      any = any || holder.fits();
      if (!holder.fits()) cells.emplace_back("–", Paint::kDim);
      else if (holder.at_a_price) cells.emplace_back(share(holder), percent(share(holder)) + " *", Paint::kYellow);
      else
        cells.emplace_back(share(holder), percent(share(holder)),
                           share(holder) < kFarTooLarge ? Paint::kDim : Paint::kPlain);
    }
    if (any) table.add(std::move(cells));
  }
  return table;
}

std::string batches_text(const FitReport& report, const std::vector<BatchSection>& sections, const FitLook& look) {
  std::string text = fit_heading(report, look.screen);
  for (const BatchSection& section : sections) {
    text += '\n' + paragraph(title_of(section), look.screen, 2, 4);
    const Table table = batch_table(section, look.all);
    text += table.text(look.screen);
    const bool saving =
        std::ranges::any_of(section.rows, [](const BatchRow& row) { return !holders(row, true).empty(); });
    const Table shares = share_table(section);
    if (shares.empty()) continue;
    text += '\n' + paragraph("Share of the usable memory by batch" +
                                 (saving ? "; * needs activation checkpointing, offload or sharding (slower):"
                                         : std::string(":")),
                             look.screen);
    text += shares.text(look.screen);
    if (const std::string words = far_too_large(section); !words.empty()) text += paragraph(words, look.screen, 2, 4);
  }
  return text;
}

std::string batches_json(const FitReport& report, const std::vector<BatchSection>& sections) {
  JsonWriter json;
  begin_fit_json(json, report);
  for (const BatchSection& section : sections) {
    json.begin_object().member("name", section.name).member("title", section.title).member("held", section.held());
    json.member("gpus", section.count).key("batches").begin_array();
    for (const BatchRow& row : section.rows) {
      json.begin_object().member("batch", row.sequences);
      if (row.needed.p50 > Bytes{}) write_interval(json, "needed_gib", row.needed, units::GiB);
      else json.null_member("needed_gib");
      json.key("held_by").begin_array();
      for (const BatchHolder& holder : row.gpus) {
        if (!holder.fits()) continue;
        json.begin_object(true).member("gpu", holder.gpu->name).member("usable_gib", holder.gpu->usable / units::GiB);
        json.member("used_share", share(holder)).member("far_too_large", share(holder) < kFarTooLarge);
        json.member("saving",
                    holder.at_a_price ? std::optional<std::string>(saving_words(*holder.best)) : std::nullopt);
        json.end();
      }
      json.end().end();
    }
    json.end().end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan
