#include "evidence/audit/figures/sentence.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/text.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Words that lead from what is paid for to what it comes to, and add nothing to it: English, German, French.
constexpr std::string_view kLeads[] = {"so",
                                       "it",
                                       "this",
                                       "that",
                                       "which",
                                       "they",
                                       "costs",
                                       "cost",
                                       "costing",
                                       "is",
                                       "are",
                                       "comes",
                                       "come",
                                       "to",
                                       "makes",
                                       "make",
                                       "gives",
                                       "give",
                                       "of",
                                       "a",
                                       "the",
                                       "total",
                                       "in",
                                       "all",
                                       "will",
                                       "would",
                                       "be",
                                       "hence",
                                       "thus",
                                       "run",
                                       "we",
                                       "pay",
                                       "for",
                                       "equals",
                                       "amounts",
                                       "bill",
                                       "about",
                                       "around",
                                       "roughly",
                                       "i.e",
                                       "therefore",
                                       "training",
                                       "compute",
                                       "job",
                                       "price",
                                       "leads",
                                       "means",
                                       "then",
                                       "take",
                                       "takes",
                                       "need",
                                       "needs",
                                       "use",
                                       "uses",
                                       "together",
                                       "altogether",
                                       "also",
                                       "das",
                                       "die",
                                       "der",
                                       "den",
                                       "ergibt",
                                       "ergeben",
                                       "sind",
                                       "ist",
                                       "macht",
                                       "machen",
                                       "kostet",
                                       "kosten",
                                       "damit",
                                       "daher",
                                       "somit",
                                       "folglich",
                                       "insgesamt",
                                       "zusammen",
                                       "rund",
                                       "etwa",
                                       "ca.",
                                       "betr\xC3\xA4gt",
                                       "betragen",
                                       "braucht",
                                       "brauchen",
                                       "ben\xC3\xB6tigt",
                                       "ben\xC3\xB6tigen",
                                       "dauert",
                                       "dauern",
                                       "entspricht",
                                       "entsprechen",
                                       "kommt",
                                       "kommen",
                                       "auf",
                                       "von",
                                       "ein",
                                       "eine",
                                       "einen",
                                       "es",
                                       "belegt",
                                       "belegen",
                                       "wir",
                                       "zahlen",
                                       "bedeutet",
                                       "soit",
                                       "donc",
                                       "co\xC3\xBBte",
                                       "co\xC3\xBBtent",
                                       "fait",
                                       "font",
                                       "est",
                                       "sont",
                                       "ce",
                                       "qui",
                                       "cela",
                                       "prend",
                                       "prennent",
                                       "demande",
                                       "demandent",
                                       "au",
                                       "environ",
                                       "de",
                                       "un",
                                       "une",
                                       "le",
                                       "la",
                                       "les",
                                       "\xC3\xA0",
                                       "revient",
                                       "reviennent",
                                       "occupe",
                                       "occupent",
                                       "repr\xC3\xA9sente",
                                       "paie"};

constexpr std::pair<std::string_view, double> kNumbers[] = {
    {"two", 2},    {"three", 3},     {"four", 4},  {"five", 5},    {"six", 6},      {"seven", 7},
    {"eight", 8},  {"nine", 9},      {"ten", 10},  {"twelve", 12}, {"sixteen", 16}, {"pair", 2},
    {"both", 2},   {"dozen", 12},    {"twice", 2}, {"half", 0.5},  {"double", 2},   {"triple", 3},
    {"couple", 2}, {"hundred", 100}, {"zwei", 2},  {"beide", 2},   {"drei", 3},     {"vier", 4},
    {"acht", 8},   {"deux", 2},      {"trois", 3}, {"quatre", 4},  {"huit", 8}};

}  // namespace

namespace {

/// The stop of "i.e." or "approx." ends no sentence.
bool is_of_short_form(std::string_view text, std::size_t stop) {
  const std::string_view front = text.substr(0, stop + 1);
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"i.e.", "e.g.", "approx.", " ca.", " vs.", " incl.", " excl.", "z.B.",
                                              "d.h.", "Mrd.", "Mio.", "Tsd.", "bzw.", "inkl.", "zzgl."},
      [&](std::string_view form) { return front.ends_with(form); });
}

}  // namespace

std::size_t begin_of_sentence(std::string_view text, std::size_t at) {
  std::size_t stop = text.substr(0, at).rfind(". ");
  while (stop != std::string_view::npos && stop > 0 && is_of_short_form(text, stop))
    stop = text.substr(0, stop).rfind(". ");
  return stop == std::string_view::npos || is_of_short_form(text, stop) ? 0 : stop + 2;
}

std::size_t end_of_sentence(std::string_view text, std::size_t at) {
  std::size_t stop = text.find(". ", at);
  while (stop != std::string_view::npos && is_of_short_form(text, stop)) stop = text.find(". ", stop + 1);
  return std::min(stop, text.size());
}

bool leads(std::string_view between, bool& verb) {
  const std::string lower = to_lower(between);
  std::string word;
  const auto known = [&] {
    if (word.empty()) return true;
    verb = true;
    const bool good = std::ranges::find(kLeads, word) != std::end(kLeads);
    word.clear();
    return good;
  };
  for (const char c : lower) {
    if (is_letter(c) || c == '.' || static_cast<unsigned char>(c) >= 0x80) {
      word += c;
      continue;
    }
    if (!known()) return false;
    if (c == '=' || c == ':') verb = true;
    else if (c != ' ' && c != ',' && c != '~') return false;
  }
  return known();
}

bool ends_clause(std::string_view behind) {
  behind = trim(behind);
  if (behind.empty()) return true;
  return (behind[0] == '.' && (behind.size() == 1 || behind[1] == ' ')) || behind[0] == ';' || behind[0] == ')' ||
         behind[0] == ',' || behind.starts_with("in all") || behind.starts_with("in total");
}

std::string between(const ClaimText& said, const ClaimAmount& a, const ClaimAmount& b) {
  if (b.from < a.to) return "?";
  return to_lower(trim(std::string_view(said.text).substr(a.to, b.from - a.to)));
}

std::string without_gpus(const ClaimText& said, const ClaimAmount& a, const ClaimAmount& b) {
  if (b.from < a.to) return "?";
  std::string words;
  std::size_t from = a.to;
  for (const GpuMention& gpu : said.gpus)
    if (gpu.from >= from && gpu.to <= b.from) {
      words += trim(std::string_view(said.text).substr(from, gpu.from - from));
      words += words.empty() ? "" : " ";
      from = gpu.to;
    }
  words += trim(std::string_view(said.text).substr(from, b.from - from));
  return to_lower(words);
}

double gpus_counted(const ClaimText& said, std::size_t first, std::size_t last) {
  const std::size_t from = begin_of_sentence(said.text, first), to = end_of_sentence(said.text, last);
  double count = 0;
  int named = 0;
  for (const GpuMention& gpu : said.gpus)
    if (gpu.from >= from && gpu.from < to && gpu.count > 0) count = gpu.count, ++named;
  for (const ClaimAmount& one : said.quantities)
    if (one.from >= from && one.from < to && one.dimension == ClaimDimension::kGpus) count = one.low, ++named;
  return named == 1 ? count : 0;
}

std::optional<std::vector<double>> multipliers(const ClaimText& said, std::size_t from, std::size_t to,
                                               std::initializer_list<const ClaimAmount*> known) {
  constexpr std::size_t kMost = 400;
  std::vector<double> times{1};
  const auto take = [&](double factor) {
    const std::size_t so_far = times.size();
    for (std::size_t i = 0; i < so_far && times.size() < kMost; ++i) times.push_back(times[i] * factor);
  };
  std::size_t last = 0;
  for (const ClaimAmount* one : known) last = std::max(last, one->from);
  for (const ClaimAmount& one : said.quantities) {
    if (one.from < from || one.from >= to || std::ranges::find(known, &one) != known.end()) continue;
    if (one.dimension == ClaimDimension::kShare || one.range()) return std::nullopt;
    const bool more = one.dimension == ClaimDimension::kTime || one.dimension == ClaimDimension::kMoney ||
                      one.dimension == ClaimDimension::kPrice || one.dimension == ClaimDimension::kGpuTime ||
                      !one.currency.empty();
    if (more && one.from < last) return std::nullopt;
    const bool counts = one.dimension == ClaimDimension::kBare || one.dimension == ClaimDimension::kGpus ||
                        one.dimension == ClaimDimension::kEpochs || one.dimension == ClaimDimension::kTimes;
    if (counts && one.low > 0 && one.currency.empty()) take(one.low);
  }
  for (const GpuMention& gpu : said.gpus)
    if (gpu.count > 1 && gpu.from >= from && gpu.from < to) take(gpu.count);
  for (const double number : number_words(std::string_view(said.text).substr(from, to - from))) take(number);
  return times;
}

std::vector<double> number_words(std::string_view text) {
  const std::string lower = to_lower(text);
  std::vector<double> numbers;
  for (const auto& [word, number] : kNumbers)
    if (has_word(lower, word)) numbers.push_back(number);
  return numbers;
}

}  // namespace gpuplan::audit
