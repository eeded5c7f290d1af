#include "input/claims/gpu_mentions.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <utility>

#include "base/text.h"
#include "input/claims/claim_units.h"

namespace gpuplan {
namespace {

constexpr std::size_t kMostMentions = 200;  // of one line

std::size_t word_end(std::string_view text, std::size_t at) {
  while (at < text.size() && in_name(text[at])) ++at;
  return at;
}

/// Takes one of the words off the end.
bool take_word(std::string_view& text, std::initializer_list<std::string_view> words) {
  text = trim(text);
  for (const std::string_view word : words)
    if (text.ends_with(word) && (text.size() == word.size() || !in_name(text[text.size() - word.size() - 1]))) {
      text.remove_suffix(word.size());
      text = trim(text);
      return true;
    }
  return false;
}

/// How many, and where the mention begins with it: "8x", "8 x", "8×", with a vendor between.
struct Count {
  int count = 0;
  std::size_t from = 0;
  bool times = false;
};

Count count_before(std::string_view text, std::size_t from) {
  Count found{0, from};
  std::string_view front = text.substr(0, from);
  const auto trim_back = [&] {
    while (!front.empty() && front.back() == ' ') front.remove_suffix(1);
  };
  trim_back();
  for (const std::string_view vendor : {"nvidia", "amd", "intel"})
    if (to_lower(front).ends_with(vendor)) {
      front.remove_suffix(vendor.size());
      trim_back();
    }
  if (front.ends_with("\xC3\x97")) front.remove_suffix(2), found.times = true;
  else if (front.ends_with('x') || front.ends_with('X')) {
    const std::string_view rest = trim(front.substr(0, front.size() - 1));
    if (!rest.empty() && is_digit(rest.back())) front.remove_suffix(1), found.times = true;
  }
  trim_back();
  std::size_t digits = 0;
  while (digits < 6 && digits < front.size() && is_digit(front[front.size() - 1 - digits])) ++digits;
  const std::size_t first = front.size() - digits;
  const bool alone = first == 0 || (!in_name(front[first - 1]) && front[first - 1] != '.' && front[first - 1] != ',');
  constexpr int kMostWithoutSign = 64;
  if (digits > 0 && alone && (found.times || front.size() < from)) {
    int count = 0;
    for (const char c : front.substr(first)) count = count * 10 + (c - '0');
    if (found.times || count <= kMostWithoutSign) {
      found.count = count;
      found.from = first;
    }
  } else if (to_lower(front).ends_with("single")) {
    found.count = 1;
  }
  return found;
}

/// What stands behind a size is about memory that is free or of something else: "12 GB free", "30 GB for the cache".
bool is_of_something(std::string_view behind) {
  const std::string_view rest = trim(behind);
  const std::string_view word = rest.substr(0, word_end(rest, 0));
  for (const std::string_view other : {"left", "free", "used", "more", "less", "extra", "ram", "disk", "storage", "ssd",
                                       "nvme", "swap", "in", "to", "from", "into"})
    if (word == other) return true;
  // "for 3 h" and "for training" are of the machine.
  return rest.starts_with("for the ") || rest.starts_with("for its ") || rest.starts_with("for activations") ||
         rest.starts_with("for cache") || rest.starts_with("for kv") || rest.starts_with("for weights");
}

/// The size is the subject of what follows: "On the H100 12 GB are reduced".
bool is_subject_size(std::string_view behind) {
  const std::string_view rest = trim(behind);
  const std::string_view word = rest.substr(0, word_end(rest, 0));
  for (const std::string_view verb : {"is", "are", "was", "were", "remain", "remains", "stay", "stays", "go", "goes",
                                      "suffice", "suffices", "must", "can", "have"})
    if (word == verb) return true;
  return false;
}

/// A number of GB that no such card has, beside its name: a slip in the name, or memory of something else. Only what is
/// written as part of a name is one: "8x H100 40GB", "the H100 40GB", and not "leaves each H100 24 GB".
bool is_part_of_name(std::string_view front, std::string_view behind, bool counted, bool joined) {
  if (is_of_something(behind)) return false;
  const std::string before = to_lower(front);
  std::string_view rest = before;
  const bool each = take_word(rest, {"each", "every", "per"}),
             article = !each && take_word(rest, {"a", "an", "the", "one", "our", "your", "this", "that"});
  // What is given to a card.
  if (each || take_word(rest, {"leave",  "leaves",   "left",      "leaving", "give",   "gives", "gave",   "giving",
                               "cost",   "costs",    "save",      "saves",   "spare",  "allow", "allows", "grant",
                               "grants", "assign",   "assigns",   "allot",   "offers", "frees", "send",   "sends",
                               "hands",  "allocate", "allocates", "feeds",   "lends",  "moves", "loads"}))
    return false;
  const bool place = take_word(rest, {"on", "for", "to", "from", "of", "in", "into", "off", "at", "by", "with",
                                      "between", "through", "over", "via", "across"});
  if (is_subject_size(behind) && (place || !joined)) return false;
  if (counted) return true;
  if (!joined) return !article && !place;
  const std::string_view end = trim(behind);
  return !place || (!article && (end.empty() || end.find_first_of(".,;:)|") == 0));
}

}  // namespace

GpuMentions::GpuMentions(const Catalogue& catalogue) : names_(catalogue) {
  const auto add = [&](std::string_view name) {
    std::string stem;
    for (const std::string_view word : split(name, ' ')) {
      stem += squeeze(word);
      // A word of one letter and a digit or two of them is too common to be a name in prose, but for those with
      // letters.
      if (std::ranges::any_of(word, is_digit)) break;
    }
    if (stem.size() >= 2 && std::ranges::any_of(stem, is_digit) && is_letter(stem[0]))
      stems_.push_back(std::move(stem));
  };
  for (const Gpu& gpu : catalogue.gpus) {
    add(gpu.name);
    for (const std::string& alias : gpu.aliases) add(alias);
  }
  std::ranges::sort(stems_);
  stems_.erase(std::unique(stems_.begin(), stems_.end()), stems_.end());
}

bool GpuMentions::is_made(const std::string& key, double gigabytes) {
  return std::ranges::any_of(names_.named(key), [&](const Gpu* gpu) { return audit::has_size(*gpu, gigabytes); });
}

void GpuMentions::form_and_memory(std::string_view text, GpuMention& mention, bool counted) {
  for (;;) {
    std::size_t next = mention.to;
    while (next < text.size() && (text[next] == ' ' || text[next] == '-')) ++next;
    const std::size_t last = word_end(text, next);
    const std::string word = to_lower(text.substr(next, last - next));
    if (word.empty() || next > mention.to + 1) break;
    if (word.starts_with("sxm") || word == "pcie" || word == "nvl" || word == "ada" || word == "ti" ||
        word == "super" || word == "blackwell") {
      mention.key += word.starts_with("sxm") ? "sxm" : word;
      mention.to = last;
      continue;
    }
    std::size_t digits = 0;
    double size = 0;
    while (digits < word.size() && digits < 4 && is_digit(word[digits])) size = size * 10 + (word[digits++] - '0');
    std::string unit = word.substr(digits);
    std::size_t unit_end = last;
    bool joined = true;
    if (digits > 0 && unit.empty() && last < text.size() && text[last] == ' ') {
      unit_end = word_end(text, last + 1);
      unit = to_lower(text.substr(last + 1, unit_end - last - 1));
      joined = false;
    }
    const std::string_view behind = text.substr(unit_end);
    // "3g.20gb" is a slice of a card.
    const bool slice = behind.size() > 1 && behind[0] == '.' && is_digit(behind[1]);
    if (digits == 0 || slice || (unit != "gb" && unit != "gib" && unit != "g") || mention.gigabytes != 0) break;
    if (odd_unit_at(behind, true) || behind.starts_with(" of ")) break;
    if (!is_made(mention.key, size) && !is_part_of_name(text.substr(0, mention.from), behind, counted, joined)) break;
    mention.gigabytes = size;
    mention.to = unit_end;
  }
}

std::vector<GpuMention> GpuMentions::in(std::string_view text) {
  // "RTX 3090s": several of them.
  const auto known = [&](std::string& stem) {
    if (std::ranges::binary_search(stems_, stem)) return true;
    if (stem.size() < 3 || stem.back() != 's' || !is_digit(stem[stem.size() - 2])) return false;
    stem.pop_back();
    if (std::ranges::binary_search(stems_, stem)) return true;
    stem += 's';
    return false;
  };
  std::vector<GpuMention> found;
  for (std::size_t at = 0; at < text.size();) {
    const bool starts = is_letter(text[at]) && (at == 0 || !in_name(text[at - 1]) || text[at - 1] == 'x');
    if (!starts) {
      ++at;
      continue;
    }
    std::size_t from = at, end = word_end(text, at);
    // "8xH100": the sign is no part of the name.
    if (text[at] == 'x' && at > 0 && is_digit(text[at - 1]) && end > at + 1) ++from;
    std::string stem = squeeze(text.substr(from, end - from));
    bool good = known(stem);
    // "a 10% buffer", "a 40 GB card" name no A10 and no A40.
    const bool article = end == from + 1 && (text[from] == 'a' || text[from] == 'A') && text.substr(end, 1) == " ";
    if (!good && !article && end < text.size() && (text[end] == ' ' || text[end] == '-')) {
      const std::size_t second = word_end(text, end + 1);
      if (second > end + 1) {
        std::string both = stem + squeeze(text.substr(end + 1, second - end - 1));
        if (known(both)) {
          stem = std::move(both);
          end = second;
          good = true;
        }
      }
    }
    if (!good) {
      at = std::max(end, at + 1);
      continue;
    }
    const Count count = count_before(text, from);
    GpuMention mention;
    mention.key = std::move(stem);
    mention.count = count.count;
    mention.from = count.from;
    mention.to = end;
    form_and_memory(text, mention, count.count > 0 && count.from < from);
    mention.text = std::string(text.substr(mention.from, mention.to - mention.from));
    at = mention.to;
    found.push_back(std::move(mention));
    if (found.size() >= kMostMentions) break;
  }
  return found;
}

}  // namespace gpuplan
