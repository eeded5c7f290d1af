// What a job says in words changes no answer.
#include <nlohmann/json.hpp>

#include "laws/laws.h"

namespace gpuplan::laws {
namespace {

using Json = nlohmann::ordered_json;

/// Words of every kind: with numbers and units that something could take for an amount, names of GPUs, Markdown, HTML,
/// lines, tables, what looks like YAML, letters of other scripts.
std::string drawn_words(Random& random) {
  std::string text;
  const std::uint64_t parts = 1 + random.below(4);
  for (std::uint64_t i = 0; i < parts; ++i)
    text += one_of(random,
                   {"Takes 12 h on 8x H100 SXM at $99/h. ", "# A heading\n\n- rare\n- sold out\n",
                    "| a | b |\n| - | - |\n", "<script>alert(1)</script>", "{{ gpus }} ${HOME} `x`", "price: $0.01/h\n",
                    "spot, preemptible ", "日本語 é 😀 ", "\ta: [b, {c: d}] # e\n", "'\"\\n%", "---\n...\n"});
  return text;
}

std::string drawn_line(Random& random) {
  return std::string(
      one_of(random, {"Cheap: 1x L4, $0", "Ends in 3 h", "a {b} <i>c</i>", "規則", "- \"x\"", "100 % sure"}));
}

Tree drawn_tasks(Random& random) {
  Tree tasks = list_tree();
  const std::uint64_t count = 1 + random.below(3);
  for (std::uint64_t i = 0; i < count; ++i) {
    Tree task = map_tree();
    put(task, "do", drawn_line(random));
    if (chance(random, 0.5)) put(task, "who", drawn_line(random));
    if (chance(random, 0.5)) put(task, "time", one_of(random, {"1 s", "2-3 s"}));
    if (chance(random, 0.5)) put(task, "command", drawn_words(random));
    if (chance(random, 0.5)) put(task, "notes", drawn_words(random));
    tasks.children.push_back(std::move(task));
  }
  return tasks;
}

void tell(Tree& map, Random& random, bool phase) {
  if (chance(random, 0.7)) put(map, "title", drawn_line(random));
  if (chance(random, 0.7)) put(map, "purpose", drawn_words(random));
  if (chance(random, 0.7)) put(map, "notes", drawn_words(random));
  if (chance(random, 0.5)) put(map, "tasks", drawn_tasks(random));
  if (!phase) return;
  if (chance(random, 0.5)) put(map, "expect", drawn_words(random));
  if (!chance(random, 0.5)) return;
  Tree quality = map_tree();
  for (const char* key : {"good", "bad", "do"}) put(quality, key, drawn_words(random));
  put(map, "quality", std::move(quality));
}

/// The answer without the members that tell the words.
std::string figures_of(const Answer& answer) {
  Json document = Json::parse(plan_document(answer, true));
  document.erase("prose");
  if (document.contains("tables")) document["tables"].erase("notes");
  return document.dump(1);
}

Verdict prose(const Answer& base, Random& random) {
  Case told = base.asked;
  tell(told.job, random, false);
  put(told.job, "purpose", drawn_words(random));
  Tree options = list_tree();
  for (int gpus = 1; gpus <= 4; gpus *= 2) {
    Tree option = map_tree();
    put(option, "gpus", std::to_string(gpus));
    put(option, "notes", drawn_words(random));
    options.children.push_back(std::move(option));
  }
  put(told.job, "options", std::move(options));
  for (Tree& phase : phases_of(told.job)) tell(phase, random, true);
  for (Tree* list : offer_lists(told.job))
    for (Tree& offer : list->children)
      if (chance(random, 0.5)) put(offer, "notes", drawn_words(random));
  const Asked words = ask(told, 1, base.facts);
  if (!words) return broken("a job with words is refused: " + words.error().message, told);
  const Json document = Json::parse(plan_document(**words, false));
  if (!document["prose"].is_object()) return broken("the document has no words", told);
  const std::string a = figures_of(base), b = figures_of(**words);
  if (a == b) return holds();
  const auto [x, y] = std::ranges::mismatch(a, b);
  const auto at = static_cast<std::size_t>(x - a.begin());
  const std::size_t from = at > 100 ? at - 100 : 0;
  return broken("words change the answer: ..." + a.substr(from, 200) + "... against ..." + b.substr(from, 200), told);
}

constexpr Law kLaws[] = {{"prose", "what a job says in words changes no figure, order or id", prose}};

}  // namespace

std::span<const Law> prose_laws() { return kLaws; }

}  // namespace gpuplan::laws
