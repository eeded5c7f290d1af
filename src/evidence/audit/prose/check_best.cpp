#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/sentence.h"
#include "evidence/audit/figures/span.h"
#include "evidence/claims/words.h"

namespace gpuplan::audit {
namespace {

/// "8x L40S is the cheapest", "The fastest option is 4x B200", against the one table that holds the option.
class Best {
 public:
  explicit Best(Bench& bench) : bench_(bench) {}

  void check() {
    for (const ClaimLine& line : bench_.document.lines) {
      if (line.code) continue;
      const std::string& text = line.said.text;
      for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = end_of_sentence(text, at);
        sentence(line, std::string_view(text).substr(at, end - at));
        at = end + 2;
      }
    }
  }

 private:
  /// Whom a sentence calls the best, and in what.
  struct Praise {
    std::string_view who;
    bool money = false;
  };

  /// The clause is "WHO is the cheapest option" or "the cheapest option is WHO", and says no more.
  static bool praise_in(std::string_view lower, std::string_view text, Praise& praise) {
    while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.remove_suffix(1);
    lower = lower.substr(0, text.size());
    for (const auto& [word, money] : {std::pair{std::string_view("cheapest"), true}, {"fastest", false}}) {
      const std::size_t at = lower.find(word);
      if (at == std::string_view::npos) continue;
      std::string_view behind = trim(lower.substr(at + word.size()));
      for (const std::string_view what :
           {"option", "choice", "plan", "machine", "setup", "set-up", "configuration", "one", "way"})
        if (behind.starts_with(what) && (behind.size() == what.size() || !is_letter(behind[what.size()])))
          behind = trim(behind.substr(what.size()));
      std::string_view before = trim(lower.substr(0, at));
      if (before == "the" && behind.starts_with("is ")) {
        praise = {trim(text.substr(text.size() - (behind.size() - 3))), money};
        return true;
      }
      for (const std::string_view whole : {"of all", "overall", "in all", "of them", "here"})
        if (behind == whole) behind = {};
      if (!behind.empty() || !before.ends_with(" the")) continue;
      before = trim(before.substr(0, before.size() - 4));
      if (before.ends_with(" by far")) before = trim(before.substr(0, before.size() - 7));
      if (!before.ends_with(" is") && !before.ends_with(" are")) continue;
      before = trim(before.substr(0, before.rfind(' ')));
      praise = {trim(text.substr(0, before.size())), money};
      return true;
    }
    return false;
  }

  /// The row is called so: its first cell, or its GPUs with how many there are.
  static bool is_called(const ClaimRecord& row, const ClaimText& first, std::string_view who,
                        const std::vector<const GpuMention*>& gpus, bool option) {
    if (to_lower(trim(first.text)) == to_lower(who)) return true;
    if (gpus.size() != 1 || row.gpu != gpus[0]->key || row.gpu.empty()) return false;
    if (gpus[0]->gigabytes > 0 && row.gigabytes > 0 && gpus[0]->gigabytes != row.gigabytes) return false;
    return (option && gpus[0]->count == 0) || std::max(row.count, 1) == std::max(gpus[0]->count, 1);
  }

  static const ClaimFact* measure(const ClaimRecord& row, ClaimRole role) {
    if (role == ClaimRole::kTotalTime) return row.time();
    if (role == ClaimRole::kCost) return row.cost();
    const auto all = row.all(role);
    return all.size() == 1 ? all.front() : nullptr;
  }

  void sentence(const ClaimLine& line, std::string_view said) {
    Praise praise;
    const std::string lower = to_lower(said);
    if (has_any(lower, {"?", "not ", "n't", "if ", "cheapest and fastest", "among", "unless"})) return;
    // "is the cheapest and the fastest one": two claims of one.
    for (const auto& [first, second] : {std::pair{std::string_view("the cheapest"), std::string_view("the fastest")},
                                        {"the fastest", "the cheapest"}}) {
      const std::string both = std::string(first) + " and " + std::string(second);
      const std::size_t at = lower.find(both);
      if (at == std::string::npos) continue;
      const std::string_view who = trim(said.substr(0, at));
      if (!to_lower(who).ends_with(" is")) return;
      for (const bool money : {true, false})
        praised(line, {trim(who.substr(0, who.size() - std::string_view(" is").size())), money});
      return;
    }
    if (!praise_in(lower, said, praise) || praise.who.empty()) return;
    praised(line, praise);
  }

  /// "The A100 option": its name alone.
  static std::string_view name_in(std::string_view who) {
    for (const std::string_view article : {"The ", "the ", "Our ", "our "})
      if (who.starts_with(article)) who.remove_prefix(article.size());
    for (const std::string_view what : {" option", " plan", " machine", " setup", " choice"})
      if (who.ends_with(what)) who.remove_suffix(what.size());
    return who;
  }

  void praised(const ClaimLine& line, Praise praise) {
    const std::string_view whole = std::exchange(praise.who, name_in(praise.who));
    if (praise.who.empty()) return;
    // "The A100 option" is that of the table, whatever their number; "A100" alone are GPUs.
    const bool option = whole.ends_with(" option") || whole.ends_with(" plan") || whole.ends_with(" machine");
    const auto place = static_cast<std::size_t>(praise.who.data() - line.said.text.data());
    std::vector<const GpuMention*> gpus;
    for (const GpuMention& gpu : line.said.gpus)
      if (gpu.from == place && gpu.to == place + praise.who.size()) gpus.push_back(&gpu);
    const ClaimRecord* found = nullptr;
    int times = 0;
    for (int table = 0; table < bench_.tables(); ++table)
      for (const ClaimRecord* row : bench_.rows_of(table)) {
        if (!bench_.go_on()) return;
        if (row->total || !is_called(*row, *cells_of(bench_.document, *row).front(), praise.who, gpus, option))
          continue;
        found = row;
        ++times;
      }
    // An option of several tables, or of several rows, is best in one of them perhaps.
    if (times == 1) judge(line, praise, *found);
  }

  /// What its rows have of that kind, all of them alone.
  std::vector<ClaimRole> measures(const std::vector<const ClaimRecord*>& rows, bool money) const {
    std::vector<ClaimRole> roles;
    const auto all_have = [&](ClaimRole role) {
      return std::ranges::all_of(rows, [&](const ClaimRecord* row) {
        const ClaimFact* fact = measure(*row, role);
        return fact != nullptr && !fact->value->odd && !fact->value->per_gpu && !bench_.right.contains(fact->value->id);
      });
    };
    // The price of an hour alone makes nothing the cheapest, and a step may do more than another.
    for (const ClaimRole role : money
                                    ? std::vector{ClaimRole::kCost}
                                    : std::vector{ClaimRole::kTotalTime, ClaimRole::kTokenRate, ClaimRole::kSampleRate})
      if (all_have(role)) roles.push_back(role);
    return roles;
  }

  void judge(const ClaimLine& line, const Praise& praise, const ClaimRecord& option) {
    std::vector<const ClaimRecord*> rows;
    for (const ClaimRecord* row : bench_.rows_of(option.table))
      if (!row->total) rows.push_back(row);
    const std::vector<ClaimRole> roles = measures(rows, praise.money);
    if (roles.empty() || rows.size() < 2) return;
    // Beaten in every measure of the table, by options of the same market.
    const ClaimRecord* better = nullptr;
    for (const ClaimRole role : roles) {
      const bool more_is_better = role == ClaimRole::kTokenRate || role == ClaimRole::kSampleRate;
      const ClaimFact& own = *measure(option, role);
      bench_.use(*own.value);
      const ClaimRecord* by = nullptr;
      for (const ClaimRecord* row : rows) {
        const ClaimFact& other = *measure(*row, role);
        if (row == &option || row->spot != option.spot || other.value->currency != own.value->currency) continue;
        const bool beats = more_is_better ? ends_of(*other.value).least() > ends_of(*own.value).most()
                                          : ends_of(*other.value).most() < ends_of(*own.value).least();
        const auto ahead = [&](const ClaimRecord* of) {
          const double a = other.value->low, b = measure(*of, role)->value->low;
          return more_is_better ? a > b : a < b;
        };
        if (beats && (by == nullptr || ahead(by))) by = row;
      }
      if (by == nullptr) return;
      if (better == nullptr) better = by;
    }
    const ClaimFact &own = *measure(option, roles.front()), &best = *measure(*better, roles.front());
    const auto place = static_cast<std::size_t>(praise.who.data() - line.said.text.data());
    bench_.find(FindingKind::kWrong, line.line + line.said.lines_to(place), std::string(praise.who),
                praise.money ? "cheapest" : "fastest", better->label + " (" + best.value->text + ")",
                best.value->text + " against " + own.value->text + " in the table of line " +
                    std::to_string(bench_.document.tables[static_cast<std::size_t>(option.table)].line));
  }

  Bench& bench_;
};

}  // namespace

void check_best(Bench& bench) { Best(bench).check(); }

}  // namespace gpuplan::audit
