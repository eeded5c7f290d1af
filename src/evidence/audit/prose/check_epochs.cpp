#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "evidence/audit/checks.h"
#include "evidence/audit/figures/span.h"

namespace gpuplan::audit {
namespace {

/// Epochs, their times and what is in them, by the number of epochs and samples that the document tells.
class Epochs {
 public:
  explicit Epochs(Bench& bench) : bench_(bench) {}

  void check() {
    note_counts();
    for (int table = 0; table < bench_.tables(); ++table) rows(table);
    spoken();
    samples_in_all();
  }

 private:
  /// A time of an epoch beside another amount of the same row or words.
  struct Pair {
    int line = 0;
    std::string about;
    const ClaimAmount *epoch = nullptr, *other = nullptr;
  };

  static bool is_plain(const ClaimAmount& one) { return !one.range() && !one.odd && one.low > 0; }

  void note_counts() {
    const auto note = [&](const ClaimText& said) {
      for (const ClaimAmount& one : said.quantities) {
        if (!is_plain(one) || !one.whole) continue;
        if (one.dimension == ClaimDimension::kEpochs) epochs_.insert(one.low);
        if (one.dimension == ClaimDimension::kSamples) samples_.insert(one.low);
      }
    };
    for (const ClaimLine& line : bench_.document.lines) note(line.said);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) note(cell);
  }

  static bool is_of_epoch(std::string_view lower) {
    return lower.contains("epoch") && !lower.contains("epochs") && !lower.contains("step");
  }

  /// "Time/Epoch" beside "Total time" and beside "Samples/sec".
  void rows(int table) {
    std::vector<Pair> totals, speeds;
    for (const ClaimRecord* row : bench_.rows_of(table)) {
      const ClaimAmount *epoch = nullptr, *total = nullptr, *speed = nullptr;
      for (const ClaimFact& one : row->facts) {
        const std::string head = to_lower(one.name);
        if (!is_plain(*one.value)) continue;
        if (one.value->dimension == ClaimDimension::kTime && is_of_epoch(head)) epoch = one.value;
        if (one.role == ClaimRole::kTotalTime) total = one.value;
        if (one.role == ClaimRole::kSampleRate) speed = one.value;
      }
      if (epoch == nullptr || row->total) continue;
      if (total != nullptr) totals.push_back({row->line, row->label, epoch, total});
      if (speed != nullptr) speeds.push_back({row->line, row->label, epoch, speed});
    }
    judge(totals, epochs_, false);
    judge(speeds, samples_, true);
  }

  /// "6 samples/s, 14 min an epoch" in cells and lines.
  void spoken() {
    std::vector<Pair> speeds;
    const auto look = [&](int line, const std::string& about, const ClaimText& said) {
      const auto& all = said.quantities;
      for (std::size_t i = 0; i + 1 < all.size(); ++i) {
        const ClaimAmount &speed = all[i], &epoch = all[i + 1];
        if (speed.dimension != ClaimDimension::kSampleRate || epoch.dimension != ClaimDimension::kTime ||
            !is_plain(speed) || !is_plain(epoch) || speed.per_gpu || epoch.from < speed.to ||
            trim(std::string_view(said.text).substr(speed.to, epoch.from - speed.to)) != ",")
          continue;
        const std::string behind = to_lower(trim(std::string_view(said.text).substr(epoch.to)));
        if (behind.starts_with("an epoch") || behind.starts_with("per epoch") || behind.starts_with("/epoch"))
          speeds.push_back({line + said.lines_to(epoch.from), about, &epoch, &speed});
      }
    };
    for (const ClaimLine& line : bench_.document.lines) look(line.line, line.label, line.said);
    for (const ClaimTable& table : bench_.document.tables)
      for (const ClaimRow& row : table.rows)
        for (const ClaimText& cell : row.cells) look(row.line, row.cells.front().text, cell);
    judge(speeds, samples_, true);
  }

  static ClaimEnds of(const Pair& pair, double count, bool by_speed) {
    return by_speed ? ends_of(count) / with_zeros(*pair.other) : ends_of(*pair.other) * (1 / count);
  }

  /// A number of the document that gives all of them but one: the one is wrong. At least two must bear the number out.
  void judge(const std::vector<Pair>& pairs, const std::set<double>& counts, bool by_speed) {
    constexpr std::size_t kLeast = 3, kMost = 100;
    if (pairs.size() < kLeast || pairs.size() > kMost || counts.size() > kMost) return;
    for (const double count : counts) {
      const Pair* off = nullptr;
      std::size_t good = 0;
      for (const Pair& pair : pairs) {
        if (fits(*pair.epoch, of(pair, count, by_speed))) ++good;
        else off = &pair;
      }
      if (good + 1 < pairs.size()) continue;
      for (const Pair& pair : pairs) {
        bench_.use(*pair.epoch);
        bench_.use(*pair.other);
      }
      // What is wrong in itself has been told.
      if (off == nullptr || std::ranges::find(bench_.findings, off->line, &Finding::line) != bench_.findings.end())
        return;
      const std::string words = number_text(count) + (by_speed ? " samples" : " epochs");
      bench_.find(
          FindingKind::kWrong, off->line, off->about,
          off->epoch->text + " an epoch, " + off->other->text + (by_speed ? "" : " in all"),
          told(ClaimDimension::kTime, of(*off, count, by_speed)) + " an epoch",
          (by_speed ? words + " / " + off->other->text : off->other->text + " / " + words) + ", as in the other rows");
      return;
    }
  }

  /// "Total samples to process: 40,000" beside "5000 samples, 8 epochs".
  void samples_in_all() {
    for (const ClaimLine& line : bench_.document.lines) {
      const std::string label = to_lower(line.label);
      if (line.code ||
          !has_any(label,
                   {"total samples", "samples to process", "samples in all", "samples in total", "total examples"}) ||
          line.said.quantities.size() != 1)
        continue;
      const ClaimAmount& stated = line.said.quantities.front();
      if (!is_plain(stated) || stated.from < line.label.size() ||
          (stated.dimension != ClaimDimension::kBare && stated.dimension != ClaimDimension::kSamples))
        continue;
      std::optional<ClaimEnds> right;
      std::string how;
      for (const ClaimLine& other : bench_.document.lines) {
        if (!bench_.go_on()) return;
        if (other.section != line.section) continue;
        const ClaimAmount *samples = nullptr, *epochs = nullptr;
        bool several = false;
        for (const ClaimAmount& one : other.said.quantities) {
          if (!is_plain(one)) continue;
          if (one.dimension == ClaimDimension::kSamples) several = several || samples != nullptr, samples = &one;
          if (one.dimension == ClaimDimension::kEpochs) several = several || epochs != nullptr, epochs = &one;
        }
        if (samples == nullptr || epochs == nullptr) continue;
        if (several || right) return;
        right = ends_of(*samples) * ends_of(*epochs);
        how = samples->text + " \xC3\x97 " + epochs->text;
      }
      if (!right) continue;
      bench_.use(stated);
      if (!fits(stated, *right))
        bench_.find(FindingKind::kWrong, line.line_of(stated), line.label, stated.text,
                    told(ClaimDimension::kSamples, *right), how);
    }
  }

  Bench& bench_;
  std::set<double> epochs_, samples_;
};

}  // namespace

void check_epochs(Bench& bench) { Epochs(bench).check(); }

}  // namespace gpuplan::audit
