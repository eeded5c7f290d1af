#include "output/facts/gpus_report.h"

#include <array>
#include <limits>
#include <optional>

#include "base/amount.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/row_filter.h"
#include "output/text/row_shorthand.h"
#include "output/text/table.h"

namespace gpuplan {
namespace {

using namespace units;

constexpr double kTera = 1e12, kGiga = 1e9;

/// A fact of a GPU: what it is called, and where it stands.
struct GpuField {
  FieldName name;
  double (*figure)(const Gpu&) = nullptr;
  std::string (*text)(const Gpu&) = nullptr;
};

constexpr GpuField text_field(std::string_view name, std::string (*text)(const Gpu&), std::string_view other = "") {
  return {.name = {.name = name, .other = other}, .text = text};
}
constexpr GpuField figure_field(FieldName name, double (*figure)(const Gpu&)) {
  return {.name = name, .figure = figure};
}
template <FlopsPerSecond Gpu::* Peak>
constexpr GpuField peak_field(std::string_view name, std::string_view unit = "tflops") {
  return figure_field({.name = name, .unit = unit}, [](const Gpu& gpu) { return (gpu.*Peak).value / kTera; });
}

/// The one list of fields: filters, JSON and messages are made from it.
constexpr std::array kGpuFields = {
    text_field(
        "name", [](const Gpu& gpu) { return gpu.name; }, "gpu|gpu_name|gpu_type|accelerator|accelerators"),
    text_field("vendor", [](const Gpu& gpu) { return gpu.vendor; }),
    text_field(
        "architecture", [](const Gpu& gpu) { return gpu.architecture; }, "arch"),
    figure_field({.name = "compute_capability", .other = "cc"}, [](const Gpu& gpu) { return gpu.compute_capability; }),
    figure_field({.name = "year"}, [](const Gpu& gpu) { return static_cast<double>(gpu.year); }),
    figure_field(
        {.name = "memory", .unit = "gib", .other = "vram|gpu_ram", .kind = AmountKind::kBytes, .base_units = GiB.value},
        [](const Gpu& gpu) { return gpu.memory / GiB; }),
    figure_field({.name = "usable", .unit = "gib", .kind = AmountKind::kBytes, .base_units = GiB.value},
                 [](const Gpu& gpu) { return gpu.usable / GiB; }),
    text_field("memory_type", [](const Gpu& gpu) { return gpu.memory_type; }),
    figure_field({.name = "bandwidth", .unit = "gb_s", .kind = AmountKind::kBytesPerSecond, .base_units = kGiga},
                 [](const Gpu& gpu) { return gpu.bandwidth.value / kGiga; }),
    peak_field<&Gpu::fp32>("fp32"),
    peak_field<&Gpu::tf32>("tf32"),
    peak_field<&Gpu::bf16>("bf16"),
    peak_field<&Gpu::fp16>("fp16"),
    peak_field<&Gpu::fp16_acc16>("fp16_acc16"),
    peak_field<&Gpu::fp8>("fp8"),
    peak_field<&Gpu::fp4>("fp4"),
    peak_field<&Gpu::int8>("int8", "tops"),
    figure_field(
        {.name = "link", .unit = "gb_s", .other = "nvlink", .kind = AmountKind::kBytesPerSecond, .base_units = kGiga},
        [](const Gpu& gpu) { return gpu.link.value / kGiga; }),
    text_field("link_kind", [](const Gpu& gpu) { return std::string(name_of(gpu.link_kind)); }),
    figure_field({.name = "pcie_gen", .other = "pcie"},
                 [](const Gpu& gpu) { return static_cast<double>(gpu.pcie_gen); }),
    figure_field({.name = "pcie_lanes"}, [](const Gpu& gpu) { return static_cast<double>(gpu.pcie_lanes); }),
    figure_field({.name = "tdp", .unit = "watts", .other = "power", .kind = AmountKind::kPower},
                 [](const Gpu& gpu) { return gpu.tdp_watts; }),
    figure_field({.name = "sms"}, [](const Gpu& gpu) { return static_cast<double>(gpu.sms); }),
    text_field("form_factor", [](const Gpu& gpu) { return gpu.form_factor; }),
    text_field("source", [](const Gpu& gpu) { return gpu.source; }),
    text_field("as_of", [](const Gpu& gpu) { return gpu.as_of; }),
};

constexpr auto kGpuFieldNames = [] {
  std::array<FieldName, kGpuFields.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kGpuFields[i].name;
  return names;
}();

class GpuRows : public FilterRows {
 public:
  explicit GpuRows(const std::vector<Gpu>& gpus) : gpus_(gpus) {}
  std::size_t count() const override { return gpus_.size(); }
  bool is_figure(std::size_t field) const override { return kGpuFields[field].figure != nullptr; }
  double figure(std::size_t row, std::size_t field) const override { return kGpuFields[field].figure(gpus_[row]); }
  std::string text(std::size_t row, std::size_t field) const override { return kGpuFields[field].text(gpus_[row]); }
  std::string words(std::size_t row) const override {
    const Gpu& gpu = gpus_[row];
    std::string lines = gpu.name + '\n' + gpu.vendor + '\n' + gpu.architecture;
    for (const std::string& alias : gpu.aliases) lines += '\n' + alias;
    return lines;
  }

 private:
  const std::vector<Gpu>& gpus_;
};

std::string figure_text(double value) {
  if (value <= 0) return "";
  return value >= 1000 ? count_text(value) : significant_text(value, value >= 100 ? 3 : 2);
}

std::string peak_text(FlopsPerSecond rate) { return figure_text(rate.value / kTera); }

std::string memory_text(const Gpu& gpu) {
  // The tilde says that nobody has looked: the figure comes from cards of the same kind.
  return (gpu.usable_observed ? "" : "~") + significant_text(gpu.usable / GiB, 3) + " of " +
         significant_text(gpu.memory / GiB, 4);
}

std::string link_text(const Gpu& gpu) {
  if (gpu.link.value <= 0) return "";
  return figure_text(gpu.link.value / kGiga) + (gpu.link_needs_bridge ? " (bridge)" : "");
}

void add_details(std::string& text, const Gpu& gpu, const Screen& screen) {
  text += '\n' + paragraph(gpu.name, screen, 2, 2);
  const auto add = [&](std::string_view label, const std::string& what) {
    if (!what.empty()) text += labelled(label, what, screen, 10, 4);
  };
  add("also", join(gpu.aliases, ", "));
  add("form",
      gpu.form_factor + (gpu.memory_type.empty() ? "" : ", " + gpu.memory_type) +
          (gpu.sms > 0 ? ", " + std::to_string(gpu.sms) + (gpu.vendor == "nvidia" ? " SMs" : " compute units") : "") +
          (gpu.pcie_gen > 0 ? ", PCIe " + std::to_string(gpu.pcie_gen) + " x" + std::to_string(gpu.pcie_lanes) : ""));
  std::string more;
  const auto add_peak = [&](std::string_view name, FlopsPerSecond rate) {
    if (rate.value > 0) more += (more.empty() ? "" : ", ") + std::string(name) + " " + to_text(rate);
  };
  add_peak("fp32", gpu.fp32);
  add_peak("tf32", gpu.tf32);
  add_peak("fp16", gpu.fp16);
  add_peak("fp16, fp16 accumulate", gpu.fp16_acc16);
  add("peaks", more);
  add("notes", gpu.notes);
  add("source", gpu.source + ", " + gpu.as_of);
}

}  // namespace

Result<GpusReport> select_gpus(const Catalogue& catalogue, std::span<const std::string> filter) {
  const auto rows = filter_rows(GpuRows(catalogue.gpus), kGpuFieldNames, filter);
  if (!rows) return std::unexpected(rows.error());
  GpusReport report;
  report.known = catalogue.gpus.size();
  for (const std::size_t row : rows->rows) report.rows.push_back(&catalogue.gpus[row]);
  for (const std::string& term : filter)
    if (const auto said = read_shorthand(term); said && *said && (*said)->gpus) report.counted = term;
  if (report.rows.empty() && filter.size() == 1) {
    std::vector<std::string_view> names;
    for (const Gpu& gpu : catalogue.gpus) names.push_back(gpu.name);
    report.near = did_you_mean(filter[0], names);
  }
  return report;
}

bool is_gpu_condition(std::string_view term) {
  const std::size_t sign = condition_sign(term);
  if (sign == std::string_view::npos) return false;
  const auto field = find_field(kGpuFieldNames, term.substr(0, sign), "");
  if (!field || !*field) return false;
  // "accelerators=H100:8"
  const auto said = read_shorthand(trim(term.substr(std::min(term.find_first_not_of("<>=!", sign), term.size()))));
  return !(said && *said && (*said)->gpus);
}

std::string gpus_text(const GpusReport& report, const Screen& screen, bool explain) {
  if (report.rows.empty())
    return "No GPU of " + std::to_string(report.known) + " matches" + (report.near.empty() ? "." : report.near) + "\n";
  Table table({{.title = "GPU"},
               {.title = "USABLE MEMORY", .around = " of ", .unit = "GiB"},
               {.title = "BANDWIDTH", .align = Align::kRight, .unit = "GB/s"},
               {.title = "BF16", .align = Align::kRight, .unit = "TFLOP/s"},
               {.title = "FP8", .align = Align::kRight, .drop = 2, .unit = "TFLOP/s"},
               {.title = "FP4", .align = Align::kRight, .drop = 6, .unit = "TFLOP/s"},
               {.title = "LINK", .align = Align::kLeft, .drop = 3, .unit = "GB/s"},
               {.title = "TDP", .align = Align::kRight, .drop = 4, .unit = "W"},
               {.title = "YEAR", .align = Align::kRight, .drop = 5},
               {.title = "ARCHITECTURE", .drop = 7}});
  bool estimated = false;
  std::string newest;
  for (const Gpu* gpu : report.rows) {
    table.add({{gpu->name, Paint::kBold},
               memory_text(*gpu),
               count_text(gpu->bandwidth.value / kGiga),
               peak_text(gpu->bf16),
               peak_text(gpu->fp8),
               peak_text(gpu->fp4),
               link_text(*gpu),
               figure_text(gpu->tdp_watts),
               gpu->year > 0 ? std::to_string(gpu->year) : "",
               gpu->architecture});
    estimated = estimated || !gpu->usable_observed;
    newest = std::max(newest, gpu->as_of);
  }
  std::string text = table.text(screen);
  text += '\n';
  std::string foot = report.rows.size() == report.known
                         ? std::to_string(report.known) + " GPUs"
                         : std::to_string(report.rows.size()) + " of " + std::to_string(report.known) + " GPUs";
  foot += ". Data sheets, " + newest + ". Dense TFLOP/s, fp32 accumulate; link = both directions.";
  if (estimated) foot += " ~ estimated.";
  text += paragraph(foot, screen);
  if (!report.counted.empty())
    text += paragraph(
        "Machines with so many of them, and what they cost: gpuplan offers '" + printable(report.counted, 40) + "'",
        screen);
  if (const auto dropped = table.dropped(screen); !dropped.empty())
    text += paragraph(
        "Left out for want of room: " + join(dropped, ", ") + " (a wider window, --markdown or --csv has them).",
        screen);
  if (explain || report.rows.size() == 1)
    for (const Gpu* gpu : report.rows) add_details(text, *gpu, screen);
  return text;
}

std::string gpus_csv(const GpusReport& report) {
  std::vector<Column> columns;
  for (const GpuField& field : kGpuFields) columns.push_back({.title = "", .key = field.name.key()});
  Table table(std::move(columns));
  for (const Gpu* gpu : report.rows) {
    std::vector<Cell> row;
    for (const GpuField& field : kGpuFields) {
      const double figure = field.figure != nullptr ? field.figure(*gpu) : 0;
      if (field.text != nullptr) row.emplace_back(field.text(*gpu));
      else row.push_back(figure > 0 ? Cell(figure) : Cell());
    }
    table.add(std::move(row));
  }
  return table.csv();
}

std::string gpus_json(const GpusReport& report, const OffersReport* offers) {
  JsonWriter json;
  json.begin_object();
  json.member("schema", "gpuplan/gpus@1").member("known", report.known);
  json.key("gpus").begin_array();
  for (const Gpu* gpu : report.rows) {
    json.begin_object();
    for (const GpuField& field : kGpuFields) {
      const std::string key = field.name.key();
      if (field.text != nullptr) {
        json.member(key, field.text(*gpu));
      } else {
        const double figure = field.figure(*gpu);
        json.member(key, figure > 0 ? std::optional(figure) : std::nullopt);
      }
      if (field.name.name == "name") json.member("aliases", gpu->aliases);
    }
    json.member("usable_observed", gpu->usable_observed).member("link_needs_bridge", gpu->link_needs_bridge);
    json.member("notes", gpu->notes).end();
  }
  json.end();
  if (offers != nullptr) write_offers(json, *offers);
  json.end();
  return json.take();
}

}  // namespace gpuplan
