#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/gpu_names.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// Of several cards together.
constexpr double kSameSize = 0.08;
/// Bandwidths of data sheets, of makers and of tools differ by so much; those of cards for games are told once.
constexpr double kSameBandwidth = 0.12, kSameOfGames = 0.04;

/// "has #, # and" of "has 24 GB, 1 slot and": numbers are left out.
std::string without_numbers(std::string_view text) {
  std::string rest;
  for (const char c : text)
    if (!is_digit(c) && c != '.' && c != ',') rest += c;
  return rest;
}

/// A card that is the subject of what follows: "The H100 has", "..., an A100 offers", and not "the server with an H100
/// has", "of each H100".
bool is_subject(std::string_view lower, std::size_t at) {
  const std::size_t from = begin_of_sentence(lower, at);
  std::string_view front = trim(lower.substr(from, at - from));
  for (bool taken = true; taken;) {
    taken = false;
    for (const std::string_view word :
         {"a",      "an",       "the",   "each",    "every",   "one",      "nvidia",   "amd",      "intel",
          "single", "nvidia's", "amd's", "geforce", "tesla",   "instinct", "new",      "old",      "whereas",
          "but",    "and",      "while", "because", "since",   "so",       "although", "though",   "two",
          "three",  "four",     "six",   "eight",   "sixteen", "pair of",  "both",     "couple of"})
      if (front.ends_with(word) && (front.size() == word.size() || front[front.size() - word.size() - 1] == ' ')) {
        front = trim(front.substr(0, front.size() - word.size()));
        taken = true;
      }
  }
  return front.empty() || is_one_of(front, {"-", "*"}) || std::string_view(",;:(!?|").contains(front.back());
}

/// Memory and bandwidth of GPUs, against what they are made with.
class Cards {
 public:
  explicit Cards(Bench& bench) : bench_(bench), names_(bench.catalogue) {}

  void check() {
    for (const ClaimSection& section : bench_.document.sections) look(section.line, section.title);
    for (const ClaimLine& line : bench_.document.lines) {
      look(line.line, line.said);
      if (!line.code) told_of(line);
    }
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows) {
        for (std::size_t i = 0; i < row.cells.size(); ++i)
          if (table.headless || !is_of_host(to_lower(table.heads[i].text))) look(row.line, row.cells[i]);
        columns(table, row);
        beside(table, row);
      }
    for (const ClaimTable& table : bench_.document.tables) {
      for (std::size_t column = 0; !table.headless && !table.across && column < table.heads.size(); ++column) {
        std::vector<Size> all;
        for (const ClaimRow& row : table.rows) all.push_back({row.line, gpu_of(row), &row.cells[column]});
        sizes_in(all);
      }
      for (const ClaimRow& row : table.rows) {
        std::vector<Size> all;
        for (std::size_t column = 1; table.across && column < row.cells.size(); ++column)
          all.push_back({row.line, gpu_of_column(table, column), &row.cells[column]});
        sizes_in(all);
      }
    }
  }

 private:
  /// "GPU, RAM": what stands beside a name there is memory of something else.
  static bool is_of_host(const std::string& head) {
    return has_word_of(head, {"ram", "disk", "storage", "host"}) ||
           has_any(head, {"used", "peak", "free", "cache", "weights", "needs", "needed"});
  }

  /// "8x H100 40GB"
  void look(int line, const ClaimText& said) {
    for (const GpuMention& gpu : said.gpus)
      if (gpu.gigabytes > 0 && told_.insert(gpu.key + number_text(gpu.gigabytes)).second)
        size_of(line + said.lines_to(gpu.from), gpu, gpu.gigabytes, gpu.text);
  }

  void size_of(int line, const GpuMention& gpu, double gigabytes, const std::string& said) {
    std::vector<double> sizes;
    for (const Gpu* one : names_.named(gpu.key)) {
      const double card = std::round(one->memory / units::GiB);
      // A superchip has memory of its CPU, too.
      if (has_size(*one, gigabytes) ||
          ((one->name.starts_with("GH") || one->name.starts_with("GB")) && gigabytes > card))
        return;
      sizes.push_back(card);
    }
    if (sizes.empty()) return;
    std::ranges::sort(sizes);
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    std::vector<std::string> words;
    for (const double size : sizes) words.push_back(number_text(size) + " GB");
    bench_.find(FindingKind::kWrong, line, gpu.text, said, listed(words, "or"),
                "no " + names_.written(gpu.key) + " with " + number_text(gigabytes) + " GB is made");
  }

  /// "RTX 3090" is none of the faster ones, whose names go on.
  static bool is_other_card(const Gpu& gpu, const std::string& key) {
    const std::string name = squeeze(gpu.name);
    return name.starts_with(key) &&
           is_one_of(std::string_view(name).substr(key.size()), {"ti", "super", "tisuper", "d"});
  }

  void bandwidth_of(int line, const GpuMention& gpu, const ClaimAmount& stated) {
    double near = 0;
    bool good = false, exact = false;
    const auto& all = names_.named(gpu.key);
    const bool alone = std::ranges::any_of(all, [&](const Gpu* one) { return squeeze(one->name) == gpu.key; });
    for (const Gpu* one : all) {
      if ((gpu.gigabytes > 0 && !has_size(*one, gpu.gigabytes)) || (alone && is_other_card(*one, gpu.key))) continue;
      const double known = one->bandwidth.value;
      if (near == 0 || (!exact && std::fabs(known - stated.low) < std::fabs(near - stated.low))) near = known;
      if (squeeze(one->name) == gpu.key && !exact) exact = true, near = known;
      const double room = one->name.starts_with("RTX") || one->name.starts_with("GTX") ? kSameOfGames : kSameBandwidth;
      for (const int several : {1, gpus_of_package(*one), std::max(gpu.count, 1)})
        good = good || std::fabs(known * several - stated.low) <= room * known * several ||
               fits(stated, ends_of(known * several));
    }
    bench_.use(stated);
    if (near > 0 && !good)
      bench_.find(FindingKind::kWrong, line, gpu.text, stated.text,
                  told(ClaimDimension::kByteRate, near * std::max(gpu.count, 1)),
                  gpu.count > 1 ? std::to_string(gpu.count) + " \xC3\x97 " + told(ClaimDimension::kByteRate, near)
                                : "memory bandwidth as its data sheet says");
  }

  /// A table of what cards are made with: its "Memory" is that of the card.
  static bool is_of_hardware(const ClaimTable& table) {
    return std::ranges::any_of(
        table.heads, [](const ClaimText& head) { return has_any(to_lower(head.text), {"bandwidth", "tflop", "tdp"}); });
  }

  /// Columns "VRAM" and "bandwidth" beside GPUs.
  void columns(const ClaimTable& table, const ClaimRow& row) {
    if (table.headless || row.cells.front().gpus.size() != 1) return;
    const GpuMention& gpu = row.cells.front().gpus.front();
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      const std::string head = to_lower(table.heads[i].text);
      const auto& all = row.cells[i].quantities;
      if (all.size() != 1 || all[0].range() || all[0].approximate) continue;
      if (all[0].dimension == ClaimDimension::kBytes && gpu.count <= 1 &&
          (head == "vram" || head == "gpu memory" || head == "gpu ram" || head.starts_with("vram (") ||
           (head == "memory" && is_of_hardware(table)))) {
        bench_.use(all[0]);
        size_of(row.line, gpu, gigabytes_of(all[0]), all[0].text);
      }
      if (all[0].dimension == ClaimDimension::kByteRate && head.contains("bandwidth") && !head.contains("link") &&
          !has_any(head, {"measured", "achieved", "effective", "network", "pcie", "interconnect"}))
        bandwidth_of(row.line, gpu, all[0]);
    }
  }

  /// The one GPU of a row, in one of its first cells; nullptr: none, or several.
  static const GpuMention* gpu_of(const ClaimRow& row) {
    const GpuMention* gpu = nullptr;
    constexpr std::size_t kFirst = 3;
    for (std::size_t i = 0; i < std::min(row.cells.size(), kFirst); ++i)
      for (const GpuMention& one : row.cells[i].gpus) {
        if (gpu != nullptr) return nullptr;
        gpu = &one;
      }
    return gpu;
  }

  /// The same of an option that is a column.
  static const GpuMention* gpu_of_column(const ClaimTable& table, std::size_t column) {
    const GpuMention* gpu = nullptr;
    const auto take = [&](const ClaimText& cell) {
      for (const GpuMention& one : cell.gpus)
        if (gpu == nullptr) gpu = &one;
    };
    take(table.heads[column]);
    for (const ClaimRow& row : table.rows) take(row.cells[column]);
    return gpu;
  }

  /// What is said of a GPU.
  struct Size {
    int line;
    const GpuMention* gpu;
    const ClaimText* cell;
  };

  /// A column, whatever it is called, that says in most rows what the GPUs of the row have: it does in all of them.
  void sizes_in(const std::vector<Size>& column) {
    std::vector<Size> off;
    std::set<std::string> good;
    int fit = 0, of_each = 0;
    for (const Size& one : column) {
      const auto& all = one.cell->quantities;
      if (one.gpu == nullptr || all.size() != 1 || all[0].dimension != ClaimDimension::kBytes || all[0].range() ||
          names_.named(one.gpu->key).empty())
        continue;
      if (!is_size_of(*one.gpu, gigabytes_of(all[0]))) {
        off.push_back(one);
        continue;
      }
      ++fit;
      good.insert(one.gpu->key);
      of_each += one.gpu->count > 1 && is_of_one_card(*one.gpu, gigabytes_of(all[0])) ? 1 : 0;
    }
    // Three kinds of cards that use all of their memory by chance there are not.
    constexpr int kLeast = 3;
    if (fit < kLeast || good.size() < 2 || fit < 2 * static_cast<int>(off.size())) return;
    for (const Size& one : off) {
      const ClaimAmount& amount = one.cell->quantities.front();
      const double size = gigabytes_of(amount);
      bench_.use(amount);
      if (one.gpu->count > 1 && of_each < 2) several_of(one.line, *one.gpu, amount, size);
      else if (told_.insert(one.gpu->key + number_text(size)).second) size_of(one.line, *one.gpu, size, amount.text);
    }
  }

  /// In a column of what all GPUs of a row have.
  void several_of(int line, const GpuMention& gpu, const ClaimAmount& amount, double size) {
    double near = 0;
    for (const Gpu* one : names_.named(gpu.key)) {
      const double all = std::round(one->memory / units::GiB) * gpu.count;
      if (near == 0 || std::fabs(all - size) < std::fabs(near - size)) near = all;
    }
    constexpr double kOff = 2.5;
    if (near > 0 && size < kOff * near && near < kOff * size)
      bench_.find(FindingKind::kWrong, line, gpu.text, amount.text, number_text(near) + " GB",
                  std::to_string(gpu.count) + " \xC3\x97 " + number_text(near / gpu.count) + " GB");
  }

  /// Of each of them, or of all.
  bool is_size_of(const GpuMention& gpu, double gigabytes) {
    return std::ranges::any_of(names_.named(gpu.key), [&](const Gpu* one) {
      const double all = std::round(one->memory / units::GiB) * std::max(gpu.count, 1);
      constexpr double kSame = 0.02;
      return has_size(*one, gigabytes) || std::fabs(all - gigabytes) <= kSame * all;
    });
  }

  bool is_of_one_card(const GpuMention& gpu, double gigabytes) {
    return std::ranges::any_of(names_.named(gpu.key), [&](const Gpu* one) { return has_size(*one, gigabytes); });
  }

  /// "$0.59/hr, 48GB VRAM, plenty for batch 1024" beside one GPU: the card has it.
  void beside(const ClaimTable& table, const ClaimRow& row) {
    const GpuMention* gpu = nullptr;
    for (const ClaimText& cell : row.cells)
      for (const GpuMention& one : cell.gpus) {
        if (gpu != nullptr) return;
        gpu = &one;
      }
    if (gpu == nullptr || gpu->count > 1 || gpu->gigabytes > 0) return;
    for (std::size_t i = 1; i < row.cells.size(); ++i) {
      const std::string lower = to_lower(row.cells[i].text);
      if (is_of_other_memory(table.headless ? "" : to_lower(table.heads[i].text))) continue;
      for (const ClaimAmount& one : row.cells[i].quantities) {
        if (one.dimension != ClaimDimension::kBytes || one.range() || one.approximate || one.at_least || one.at_most)
          continue;
        const std::string_view behind = trim(std::string_view(lower).substr(one.to)),
                               before = trim(std::string_view(lower).substr(0, one.from));
        const bool named = starts_with_any(behind, {"vram", "hbm", "gddr"});
        const std::string_view end = named ? behind.substr(std::min(behind.find_first_of(" ,;.)"), behind.size())) : "";
        if (!named || !(before.empty() || before.back() == ',' || before.back() == ';') || end.starts_with(' '))
          continue;
        const double size = gigabytes_of(one);
        // Sizes of no card at all are of something else.
        if (std::ranges::none_of(bench_.catalogue.gpus,
                                 [&](const Gpu& card) { return std::round(card.memory / units::GiB) == size; }))
          continue;
        bench_.use(one);
        if (told_.insert(gpu->key + number_text(size)).second) size_of(row.line, *gpu, size, one.text);
      }
    }
  }

  static double gigabytes_of(const ClaimAmount& memory) {
    return std::round(memory.low / (memory.unit > 1e9 ? memory.unit : 1e9));
  }

  /// "the RTX 4090 has 32 GB", "RTX 4090 (16 GB)", "A100 SXM 80GB has 1,555 GB/s"
  void told_of(const ClaimLine& line) {
    const std::string lower = to_lower(line.said.text);
    for (const GpuMention& gpu : line.said.gpus)
      for (const ClaimAmount& amount : line.said.quantities) {
        if (amount.from < gpu.to || amount.range() || amount.approximate || amount.at_least || amount.at_most ||
            amount.odd)
          continue;
        std::string_view words = trim(std::string_view(lower).substr(gpu.to, amount.from - gpu.to));
        for (const std::string_view noun : {"cards ", "gpus ", "card ", "gpu "})
          if (words.starts_with(noun)) words = trim(words.substr(noun.size()));
        const std::string between(words);
        const std::string_view behind = std::string_view(lower).substr(amount.to);
        if (amount.dimension == ClaimDimension::kBytes && gpu.gigabytes == 0)
          memory_told(line.line_of(amount), lower, gpu, amount, between, behind);
        if (amount.dimension == ClaimDimension::kByteRate) bandwidth_told(line, lower, gpu, amount, between, behind);
      }
  }

  /// Words of memory that is taken, free or of something else than the card.
  static bool is_of_other_memory(const std::string& lower) {
    return has_any(lower, {"batch",    "fit",     "need",    " use",    "take",    "peak",   "require",  "weights",
                           "model",    "cache",   "free",    " left",   "host",    "disk",   "cpu",      "swap",
                           "limit",    "reserve", "offload", "mig",     "activat", "gradie", "optimiz",  "remain",
                           "availab",  "usable",  "loaded",  "effecti", "visible", "slice",  "partit",   "contain",
                           "unified",  "laptop",  "mobile",  "notebo",  "virtual", "vgpu",   "checkpoi", "headroom",
                           "per repl", "budget",  "capped",  "storage"}) ||
           has_word_of(lower, {"ram", "ssd", "nvme", "then", "after", "still", "half", "ecc", "if", "pod", "data"});
  }

  /// Words of a card that is shared, or another of the same name: wherever in the paragraph they stand.
  static bool is_of_a_part(const std::string& lower) {
    return has_any(lower, {"mig", "slice", "partit", "vgpu", "virtual", "laptop", "mobile", "notebo"}) ||
           has_word_of(lower, {"ecc"});
  }

  /// The name is at the beginning, and nothing but a stop behind the size.
  static bool is_whole_line(std::string_view lower, std::size_t from, std::string_view behind) {
    const std::string_view front = trim(lower.substr(0, from));
    return is_one_of(front, {"", "-", "*", "an", "a", "one", "1x", "nvidia", "amd"}) && is_one_of(behind, {"", "."});
  }

  void memory_told(int line, const std::string& lower, const GpuMention& gpu, const ClaimAmount& amount,
                   const std::string& between, std::string_view behind) {
    const bool bracket = between == "(", with = between == "with",
               plural = is_one_of(between, {"have", "come with", "offer", "bring", "ship with", "carry", "have only",
                                            "have a total of", "have in all"}),
               // "L40S = 48 GB", a line of its own
        equal = is_one_of(between, {"=", ":"}) && is_whole_line(lower, gpu.from, behind),
               is = is_one_of(between, {"is a", "is an"});
    if (!bracket && !with && !plural && !is && !equal &&
        !is_one_of(between, {"has", "comes with", "offers", "has only", "'s memory is", "'s vram is", "brings",
                             "ships with", "carries", "sports", "features", "gives us", "gives you", "only has"}))
      return;
    // What the other sentences of a paragraph say of models and batches is of no card.
    const std::size_t from = begin_of_sentence(lower, gpu.from);
    const std::size_t end = end_of_sentence(lower, amount.to);
    const std::string sentence = lower.substr(from, end - from),
                      clause = lower.substr(from, std::min(lower.find_first_of(",;", amount.to), end) - from);
    if (is_of_other_memory(clause) || is_of_a_part(lower) ||
        has_any(sentence, {"free", " left", "remain", "availab", "usable", "used", "of which", "of them"}) ||
        (!bracket && !is_subject(lower, gpu.from)))
      return;
    // "Memory: H100 (64 GB), A100 (32 GB)" is what each takes.
    if (bracket && has_any(lower.substr(0, lower.find(": ") + 1), {"memory", "footprint"})) return;
    bool ends = trim(behind).empty();
    for (const std::string_view last :
         {".", ",", ";", ")", " and ", " of vram", " vram", " of memory", " memory", " of hbm", " hbm",
          " of gpu memory", " of gddr", " gddr", " each", ":", " in all", " in total", " per gpu"})
      ends = ends || (behind.starts_with(last) && (last != "." || behind.size() < 2 || behind[1] == ' '));
    if (is) ends = behind.starts_with(" card") || behind.starts_with(" gpu");
    if (!ends) return;
    // "two H100 with 160 GB"
    const std::string_view front = trim(std::string_view(lower).substr(0, gpu.from));
    GpuMention several = gpu;
    for (const auto& [number, count] : {std::pair{"two", 2},
                                        {"three", 3},
                                        {"four", 4},
                                        {"six", 6},
                                        {"eight", 8},
                                        {"sixteen", 16},
                                        {"pair of", 2},
                                        {"both", 2},
                                        {"both our", 2},
                                        {"couple of", 2}})
      if (gpu.count == 0 && ends_with_word(front, {number})) {
        several.count = count;
        several.text = std::string(number) + " " + gpu.text;
      }
    if (several.count == gpu.count && ends_with_word(front, {"several", "all", "dozen", "dgx", "hgx"})) return;
    const double size = gigabytes_of(amount);
    if (several.count > 1) return memory_of_all(line, several, amount, size, behind);
    // "Rent an RTX 4090 with 64 GB" may be of the machine.
    if (with &&
        !has_any(behind.substr(0, std::min<std::size_t>(behind.size(), 12)), {"vram", "hbm", "gddr", "gpu mem"}))
      return;
    // In brackets stands anything; the sizes of cards are few.
    if (bracket && std::ranges::none_of(bench_.catalogue.gpus,
                                        [&](const Gpu& one) { return std::round(one.memory / units::GiB) == size; }))
      return;
    // "The H100 have 640 GB": of how many is said elsewhere.
    if (plural && !behind.starts_with(" each") && !behind.starts_with(" per gpu") &&
        std::ranges::any_of(names_.named(gpu.key),
                            [&](const Gpu* one) { return size > std::round(one->memory / units::GiB); }))
      return;
    bench_.use(amount);
    if (told_.insert(gpu.key + number_text(size)).second) size_of(line, gpu, size, amount.text);
  }

  /// "8x H100 have 640 GB": of all of them, or of each.
  void memory_of_all(int line, const GpuMention& gpu, const ClaimAmount& amount, double size, std::string_view behind) {
    const bool each = has_any(behind, {" each", "per gpu"});
    double near = 0;
    for (const Gpu* one : names_.named(gpu.key))
      for (const int package : {1, gpus_of_package(*one)}) {
        const double card = std::round(one->memory / units::GiB) * package, all = card * gpu.count;
        const bool fits_each = has_size(*one, size), fits_all = std::fabs(all - size) <= kSameSize * all;
        if (fits_each || (fits_all && !each)) return;
        const double right = each ? card : all;
        if (near == 0 || std::fabs(right - size) < std::fabs(near - size)) near = right;
      }
    // "2x RTX 4090 (800 GB)": of something else.
    constexpr double kOff = 2.5;
    if (near == 0 || size > kOff * near || near > kOff * size) return;
    bench_.use(amount);
    if (told_.insert(gpu.text + number_text(size)).second)
      bench_.find(FindingKind::kWrong, line, gpu.text, amount.text, number_text(near) + " GB",
                  each ? "memory of one " + names_.written(gpu.key)
                       : std::to_string(gpu.count) + " \xC3\x97 " + number_text(near / gpu.count) + " GB");
  }

  void bandwidth_told(const ClaimLine& line, const std::string& lower, const GpuMention& gpu, const ClaimAmount& amount,
                      const std::string& between, std::string_view behind) {
    constexpr double kLeast = 2e11;  // slower ones are those of links and disks
    if (amount.low < kLeast) return;
    if (has_any(lower, {"link",    "pcie 3",    "pcie 4",  "pcie 5",       "gen4",       "gen5",      "infiniband",
                        "network", "disk",      "nvme",    "storage",      "achiev",     "effective", "measured",
                        "reach",   "host",      "load",    "copi",         "ethernet",   "xgmi",      "fabric",
                        "l2",      "cache",     "between", "interconnect", "all-reduce", "allreduce", "utiliz",
                        "sustain", "stream",    "total",   "aggregate",    "in all",     "ddr",       "nccl",
                        "slot",    "direction", "moves",   "transfer",     "bisection",  "laptop",    "mobile"}) ||
        lower.contains('%'))
      return;
    const bool named = has_any(lower, {"bandwidth", "hbm"});
    const bool beside = is_one_of(without_numbers(between), {"has  gb and", "has  gb at", "has  gb with", "has  gb"});
    if (!beside && !is_one_of(between, {"has", "with", "gives", "offers"}) && !(gpu.count > 1 && between == "have") &&
        !(named && (is_one_of(between, {"", ":", "(", "at", "is", "'s bandwidth is", "'s memory bandwidth is"}) ||
                    is_of_the_last(line, lower, gpu, amount))))
      return;
    if (!named && !trim(behind).empty() && !behind.starts_with(".") && !behind.starts_with(",") &&
        !behind.starts_with(" of memory") && !behind.starts_with(" memory") && !behind.starts_with(")"))
      return;
    // What joins GPUs is quoted in the same unit.
    for (const Gpu* one : names_.named(gpu.key))
      for (const double share : {1.0, 0.5})
        if (one->link.value > 0 && std::fabs(one->link.value * share - amount.low) < 0.02 * amount.low) return;
    bandwidth_of(line.line_of(amount), gpu, amount);
  }

  /// "An RTX 3090 has 24 GB. Its bandwidth is 936 GB/s."
  static bool is_of_the_last(const ClaimLine& line, const std::string& lower, const GpuMention& gpu,
                             const ClaimAmount& amount) {
    for (const GpuMention& other : line.said.gpus)
      if (&other != &gpu && other.from < amount.from && other.to > gpu.from) return false;
    const std::string_view before = trim(std::string_view(lower).substr(0, amount.from));
    for (const std::string_view words :
         {"its bandwidth is", "its memory bandwidth is", "its bandwidth:", "its memory bandwidth:", "its bandwidth of",
          "its memory bandwidth of", "with a bandwidth of", "with a memory bandwidth of", "its hbm bandwidth is"})
      if (before.ends_with(words)) {
        const std::size_t from = before.size() - words.size();
        // In the sentence of the name, or the next.
        const std::size_t sentence = begin_of_sentence(lower, from);
        return gpu.from >= sentence ||
               (sentence >= 2 && gpu.from >= begin_of_sentence(lower, sentence - 2) && words.starts_with("its"));
      }
    return false;
  }

  Bench& bench_;
  GpuNames names_;
  std::set<std::string> told_;
};

}  // namespace

void check_cards(Bench& bench) { Cards(bench).check(); }

}  // namespace gpuplan::audit
