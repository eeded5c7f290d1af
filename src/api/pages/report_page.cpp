#include "api/pages/report_page.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "base/names.h"
#include "base/text.h"
#include "input/text/embedded_data.h"
#include "input/text/embedded_table.h"
#include "output/text/json_writer.h"

namespace gpuplan::api {
namespace {

/// A key below a map: "limits.deadline".
struct Turnable {
  const char *address, *title, *hint;
  bool always = true;  ///< also where the job does not state it
  const char* choices = "";
  bool list = false;
};

constexpr std::array kLimitKnobs = {
    Turnable{"limits.deadline", "Deadline", "such as 12 h"},
    Turnable{"limits.budget", "Budget", "such as $200"},
    Turnable{"value_of_time", "An hour of waiting", "such as $20/h"},
};
constexpr std::array kMarketKnobs = {
    Turnable{"where.gpus", "Kinds of GPU", "such as H100 SXM, L40S", true, "", true},
    Turnable{"where.counts", "Numbers of GPUs", "such as 1, 2, 4", true, "", true},
    Turnable{"where.spot", "Spot machines", "", true, "never,allow,only"},
    Turnable{"spot.interruptions", "Interruptions", "such as 5%/h"},
    Turnable{"market.price_level", "All prices, times", "such as 120%"},
};
constexpr std::array kTrainKnobs = {
    Turnable{"data.samples", "Samples", "", false},
    Turnable{"data.tokens", "Tokens", "", false},
    Turnable{"epochs", "Epochs", "", false},
    Turnable{"steps", "Steps", "", false},
    Turnable{"batch.sequences", "Batch, sequences", "", false},
    Turnable{"batch.tokens", "Batch, tokens", "", false},
    Turnable{"sequence", "Sequence length", "", false},
    Turnable{"precision", "Precision", "", true, "auto,fp32,tf32,fp16,bf16,fp8"},
    Turnable{"method", "Method", "", true, "full,lora,qlora"},
};
constexpr std::array kGenerateKnobs = {
    Turnable{"data[0].samples", "Samples", "", false},
    Turnable{"data[0].prompt_tokens", "Prompt tokens", "", false},
    Turnable{"data[0].new_tokens", "New tokens", "", false},
    Turnable{"batch", "Batch", "", false},
};

/// The value at "data[0].samples"; null where there is none.
const Tree* found_at(const Tree& tree, std::string_view address) {
  const Tree* at = &tree;
  for (const std::string_view part : split(address, '.')) {
    const bool first = part.ends_with("[0]");
    at = at->find(first ? part.substr(0, part.size() - 3) : part);
    if (at == nullptr) return nullptr;
    if (first && at->is_list()) {
      if (at->children.empty()) return nullptr;
      at = &at->children.front();
    }
  }
  return at;
}

std::string now_text(const Tree* value) {
  if (value == nullptr || value->is_null()) return {};
  if (value->is_scalar()) return value->text;
  if (!value->is_list()) return {};
  std::vector<std::string> items;
  for (const Tree& item : value->children) {
    if (!item.is_scalar()) return {};
    items.push_back(item.text);
  }
  return join(items, ", ");
}

/// Whether the name goes into an address as it is.
bool goes_into_address(std::string_view name) {
  return !name.empty() &&
         std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}

void add_knobs(std::vector<Knob>& knobs, std::span<const Turnable> turnables, const Tree& job, const std::string& group,
               const std::string& before) {
  for (const Turnable& turnable : turnables) {
    const Tree* value = found_at(job, turnable.address);
    if (value == nullptr && !turnable.always) continue;
    if (value != nullptr && value->is_map()) continue;  // such as a value for each GPU
    Knob knob{group, before + turnable.address, turnable.title, now_text(value), turnable.hint};
    for (const std::string_view choice : split(turnable.choices, ',')) knob.choices.emplace_back(choice);
    knob.list = turnable.list;
    knobs.push_back(std::move(knob));
  }
}

std::string question_json(const ReportPage& page) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  const JobSource& source = page.question.loaded.source;
  json.begin_object().member("ask", "report").member("job", flow_text(source.tree)).member("name", source.file);
  if (!page.asked.prices.empty()) {
    json.key("prices").begin_object();
    for (const NamedText& prices : page.asked.prices) json.member(prices.name, prices.text);
    json.end();
  }
  if (!page.asked.rates.empty()) json.member("rates", page.asked.rates);
  if (!page.asked.as_of.empty()) json.member("as_of", page.asked.as_of);
  if (!page.asked.today.empty()) json.member("today", page.asked.today);
  json.end();
  return json.take();
}

std::string why_no_knobs(const ReportPage& page, std::string_view engine) {
  constexpr std::size_t kLeastModule = 1000;  // nothing packed takes a few bytes
  if (engine.size() <= kLeastModule)
    return "this gpuplan was built without the planner of its pages; docs/page.md says how it is built";
  if (page.own_facts)
    return "own runs or tables went into the plan, which the page does not have; --no-runs leaves own runs out";
  if (!page.question.loaded.source.boxes.empty())
    return "own machines of the settings went into the plan, which the page does not have; --no-config leaves them out";
  if (!page.question.known_name.empty())
    return "stored prices, or price lists of the settings, went into the plan, which the page does not have; "
           "--no-store --no-config leave them out, and lists that --prices names go along";
  return {};
}

}  // namespace

std::vector<Knob> knobs_of(const Tree& job) {
  std::vector<Knob> knobs;
  add_knobs(knobs, kLimitKnobs, job, "Limits", "");
  add_knobs(knobs, kMarketKnobs, job, "Machines", "");
  // Prices that the job itself states.
  constexpr std::size_t kMostOffers = 12, kMostKnobs = 60;
  if (const Tree* offers = found_at(job, "market.offers"); offers != nullptr && offers->is_list()) {
    for (std::size_t i = 0; i < std::min(offers->children.size(), kMostOffers); ++i) {
      const Tree& offer = offers->children[i];
      const std::string price = now_text(offer.find("price")), gpu = now_text(offer.find("gpu"));
      if (price.empty() || gpu.empty()) continue;
      const std::string count = now_text(offer.find("gpus"));
      const std::string number = std::to_string(i);
      knobs.push_back({"Prices", join(std::vector<std::string>{"market.offers[", number, "].price"}, ""),
                       count.empty() ? gpu : join(std::vector<std::string>{count, gpu}, "x "), price, ""});
    }
  }
  const Tree* phases = job.find("phases");
  if (phases == nullptr || !phases->is_list()) return knobs;
  for (const Tree& phase : phases->children) {
    const std::string name = now_text(phase.find("name"));
    if (!goes_into_address(name) || knobs.size() > kMostKnobs) continue;
    const std::string address = "phases." + name + ".";
    if (const Tree* train = phase.find("train")) add_knobs(knobs, kTrainKnobs, *train, name, address + "train.");
    for (const char* kind : {"generate", "collect"})
      if (const Tree* generate = phase.find(kind))
        add_knobs(knobs, kGenerateKnobs, *generate, name, address + kind + ".");
  }
  return knobs;
}

Result<PageFile> report_page(const ReportPage& page) {
  const std::string_view engine = embedded_bytes("page/engine.wasm");
  std::string without_knobs = why_no_knobs(page, engine);
  const bool answers = without_knobs.empty();
  const std::string question = answers ? question_json(page) : std::string();
  const std::vector<Knob> knobs = answers ? knobs_of(page.question.loaded.source.tree) : std::vector<Knob>();
  auto html = page_of({.shell = embedded_data("page/shell.html"),
                       .report = page.report,
                       .plan = page.plan,
                       .question = question,
                       .engine = engine,
                       .charts = page.charts,
                       .knobs = knobs});
  if (!html) return std::unexpected(std::move(html.error()));
  return PageFile{*std::move(html), std::move(without_knobs)};
}

}  // namespace gpuplan::api
