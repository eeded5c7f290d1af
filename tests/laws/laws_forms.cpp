// The same answer in other forms: with more threads, from its own text, from flags, as table, Markdown, CSV and JSON.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/amount.h"
#include "base/text.h"
#include "input/models/model_source.h"
#include "input/prices/price_file.h"
#include "input/question/sketch.h"
#include "laws/draw.h"
#include "laws/laws.h"
#include "output/answer/plan_json.h"
#include "output/words/plan_words.h"

namespace gpuplan::laws {
namespace {

using Json = nlohmann::ordered_json;

/// The first place where two texts differ, with what stands around it.
std::string first_difference(std::string_view a, std::string_view b) {
  const auto [x, y] = std::ranges::mismatch(a, b);
  const auto at = static_cast<std::size_t>(x - a.begin());
  const std::size_t from = at > 60 ? at - 60 : 0;
  return "..." + std::string(a.substr(from, 120)) + "... against ..." + std::string(b.substr(from, 120)) + "...";
}

Verdict threads(const Answer& base, Random&) {
  const Asked two = ask(base.asked, 2);
  if (!two) return broken("refused with two threads: " + two.error().message);
  const std::string a = plan_document(base, false), b = plan_document(**two, false);
  return a == b ? holds() : broken("two threads: " + first_difference(a, b));
}

Verdict printed(const Answer& base, Random&) {
  const auto source = parse_job(job_text(base.asked.job), "job.yaml");
  if (!source) return broken("its own text is refused: " + source.error().message);
  const Asked again = ask(base.asked, *source, base.known, 1, nullptr);
  if (!again) return broken("its own text is refused: " + again.error().message);
  const std::string a = plan_document(base, false), b = plan_document(**again, false);
  return a == b ? holds() : broken("read from its own text: " + first_difference(a, b));
}

Sketch drawn_sketch(Random& random) {
  Sketch sketch;
  const auto maybe = [&](std::string& flag, double probability, std::initializer_list<std::string_view> choices) {
    if (chance(random, probability)) flag = one_of(random, choices);
  };
  maybe(sketch.model, 0.8, {"Qwen2.5-7B", "Qwen2.5-0.5B", "Llama-3.1-8B", "GPT-2"});
  if (sketch.model.empty()) {
    sketch.params = one_of(random, {"25M", "1.5B", "70M"});
    maybe(sketch.layers, 0.4, {"8", "24"});
    if (!sketch.layers.empty()) sketch.hidden = one_of(random, {"512", "1024"});
  }
  maybe(sketch.setup, 0.3, {"5 min", "2-10 min"});
  sketch.generate = chance(random, 0.3);
  if (sketch.generate) {
    sketch.samples = one_of(random, {"1k", "20000"});
    sketch.prompt = one_of(random, {"100", "512"});
    sketch.new_tokens = one_of(random, {"16", "300"});
    maybe(sketch.weights, 0.2, {"bf16", "fp8"});
    maybe(sketch.situation, 0.2, {"single", "saturated"});
    return sketch;
  }
  if (chance(random, 0.5)) sketch.tokens = one_of(random, {"10M", "300M"});
  else sketch.samples = one_of(random, {"5k", "200k"});
  if (sketch.tokens.empty()) maybe(sketch.tokens_per_sample, 0.5, {"300", "900"});
  maybe(sketch.epochs, 0.3, {"2", "3"});
  maybe(sketch.sequence, 0.3, {"512", "1024"});
  maybe(sketch.method, 0.5, {"full", "lora", "qlora"});
  if (sketch.method == "lora") maybe(sketch.rank, 0.5, {"8", "64"});
  maybe(sketch.batch, 0.3, {"16", "64", "256k tokens"});
  maybe(sketch.precision, 0.2, {"bf16"});
  maybe(sketch.optimizer, 0.2, {"adamw", "sgd"});
  return sketch;
}

Wishes drawn_flag_wishes(Random& random) {
  Wishes wishes;
  const auto maybe = [&](std::string& flag, double probability, std::initializer_list<std::string_view> choices) {
    if (chance(random, probability)) flag = one_of(random, choices);
  };
  maybe(wishes.spot, 0.3, {"allow", "only", "never"});
  if (wishes.spot == "allow") maybe(wishes.interruptions, 0.5, {"5%/h", "1-10%/h"});
  maybe(wishes.max_price, 0.2, {"$20/h"});
  maybe(wishes.deadline, 0.3, {"12 h", "3 days", "90 min"});
  maybe(wishes.budget, 0.3, {"$50", "$3"});
  maybe(wishes.goal, 0.4, {"cheapest", "fastest", "best_value", "fewest_gpus"});
  maybe(wishes.value_of_time, 0.3, {"$5/h", "$100"});
  if (chance(random, 0.2)) wishes.counts = {"1", "4"};
  return wishes;
}

Verdict flags_and_init(const Answer& base, Random& random) {
  const ModelFinder models(built_in());
  const Sketch sketch = drawn_sketch(random);
  const auto sketched = sketch_job(sketch, drawn_flag_wishes(random), models);
  if (!sketched) return silent();
  const auto flags = read_sketch(*sketched);
  const auto file = parse_job(sketched->text, "job.yaml");
  if (!flags || !file) return broken("what init writes is refused: " + sketched->text);
  Case one{file->tree, base.asked.prices, base.asked.salt};
  std::vector<Offer> known = base.known;
  if (one.prices.empty()) {
    while (one.prices.empty()) {
      Case drawn;
      drawn.job = map_tree();
      draw_market(random, drawn);
      one.prices = std::move(drawn.prices);
    }
    auto read = read_prices(price_text(one.prices), "prices.csv", {}, built_in());
    if (!read) return silent();
    known = *std::move(read);
  }
  const Asked a = ask(one, *flags, known, 1, nullptr), b = ask(one, *file, known, 1, nullptr);
  if (a.has_value() != b.has_value())
    return broken("flags and the file of init: only one is refused: " + (a ? b : a).error().message, one);
  if (!a) return silent();
  const std::string words = difference(**a, **b);
  return words.empty() ? holds() : broken("flags and the file of init: " + words, one);
}

// ---- forms ----------------------------------------------------------------------------------------------------------

std::vector<std::string> csv_line(std::string_view& text) {
  std::vector<std::string> cells{""};
  bool quoted = false;
  std::size_t at = 0;
  for (; at < text.size() && (quoted || text[at] != '\n'); ++at) {
    if (text[at] == '"' && quoted && at + 1 < text.size() && text[at + 1] == '"') cells.back() += text[at++];
    else if (text[at] == '"') quoted = !quoted;
    else if (text[at] == ',' && !quoted) cells.emplace_back();
    else cells.back() += text[at];
  }
  text.remove_prefix(std::min(at + 1, text.size()));
  return cells;
}

/// hours_p50 is hours.p50 of the document.
const Json* member_of(const Json& plan, const std::string& column) {
  if (plan.contains(column)) return &plan[column];
  const std::size_t cut = column.rfind('_');
  if (cut == std::string::npos || !plan.contains(column.substr(0, cut))) return nullptr;
  const Json& outer = plan[column.substr(0, cut)];
  return outer.is_object() && outer.contains(column.substr(cut + 1)) ? &outer[column.substr(cut + 1)] : nullptr;
}

std::string csv_against(const Json& plans, std::string_view csv) {
  const std::vector<std::string> heads = csv_line(csv);
  for (const Json& plan : plans) {
    const std::vector<std::string> cells = csv_line(csv);
    if (cells.size() != heads.size()) return "a line of the CSV has " + std::to_string(cells.size()) + " cells";
    for (std::size_t i = 0; i < heads.size(); ++i) {
      const Json* member = member_of(plan, heads[i]);
      if (member == nullptr || member->is_object() || member->is_array() || heads[i] == "plan") continue;
      const bool agrees = member->is_null() ? cells[i].empty()
                          : member->is_number()
                              ? std::abs(std::strtod(cells[i].c_str(), nullptr) - member->get<double>()) <=
                                    1e-5 * std::abs(member->get<double>())
                          : member->is_boolean() ? cells[i] == (member->get<bool>() ? "true" : "false")
                                                 : member->get<std::string>() == cells[i];
      if (!agrees) return heads[i] + " of " + plan["id"].dump() + " is " + member->dump() + ", in the CSV " + cells[i];
    }
  }
  return csv.empty() ? "" : "the CSV has more rows than the JSON has plans";
}

/// Each row of the table says the document's medians in its own words.
std::string table_against(const Json& plans, std::string_view text) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  std::size_t number = 0;
  for (const Json& plan : plans) {
    const std::string start = "  " + std::to_string(++number) + ' ';
    const auto row = std::ranges::find_if(lines, [&](std::string_view line) { return line.starts_with(start); });
    if (row == lines.end()) return "the table has no row " + std::to_string(number);
    const std::string hours = ' ' + hours_text(plan["hours"]["p50"].get<double>() * units::hour) + ' ';
    const std::string cost = to_text(Dollars{plan["cost_usd"]["p50"].get<double>()});
    for (const std::string& figure : {hours, cost})
      if ((std::string(*row) + ' ').find(figure) == std::string::npos)
        return "row " + std::to_string(number) + " lacks '" + figure + "': " + std::string(*row);
  }
  return "";
}

/// The numbers that a text states, in order.
std::vector<std::string> numbers_of(std::string_view text) {
  std::vector<std::string> numbers;
  for (std::size_t at = 0; at < text.size();) {
    if (std::isdigit(static_cast<unsigned char>(text[at])) == 0) {
      ++at;
      continue;
    }
    std::string number;
    for (; at < text.size() &&
           (std::isdigit(static_cast<unsigned char>(text[at])) != 0 || text[at] == '.' || text[at] == ',');
         ++at)
      number += text[at];
    numbers.push_back(number);
  }
  return numbers;
}

Verdict forms(const Answer& base, Random&) {
  if (base.plans().empty()) return silent();
  const Json document = Json::parse(plan_document(base, false));
  if (std::string words = csv_against(document["plans"], plan_csv(*base.report, true)); !words.empty())
    return broken(std::move(words));
  constexpr Screen kWide{.columns = 1000};
  constexpr Screen kMarkdown{.columns = 1000, .colour = false, .markup = Markup::kMarkdown};
  const std::string text = plan_page(base, kWide, false), page = plan_page(base, kMarkdown, false);
  if (std::string words = table_against(document["plans"], text); !words.empty()) return broken(std::move(words));
  const std::vector<std::string> left = numbers_of(text), right = numbers_of(page);
  const auto [x, y] = std::ranges::mismatch(left, right);
  if (x != left.end() || y != right.end()) {
    const auto tail = [](auto from, auto end) {
      std::string words;
      for (int i = 0; i < 8 && from != end; ++i) words += *from++ + ' ';
      return words;
    };
    return broken("text and Markdown state other figures: " + tail(x, left.end()) + "... against " +
                  tail(y, right.end()));
  }
  return holds();
}

constexpr Law kLaws[] = {
    {"threads", "one thread and two give the same document", threads},
    {"printed", "a job read from its own text has the same answer", printed},
    {"flags-and-init", "flags and the job file that init writes for them have the same answer", flags_and_init},
    {"forms", "table, Markdown, CSV and JSON of one plan state the same figures", forms},
};

}  // namespace

std::span<const Law> form_laws() { return kLaws; }

}  // namespace gpuplan::laws
