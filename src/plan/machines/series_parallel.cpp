#include "plan/machines/series_parallel.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/sorting.h"

namespace gpuplan {

namespace {

class ModuleParts {
 public:
  explicit ModuleParts(const std::vector<std::vector<int>>& needs)
      : size_(needs.size()), words_((size_ + 63) / 64), before_(size_ * words_, 0) {
    for (std::size_t i = 0; i < size_; ++i)
      for (const int need : needs[i]) set(i, static_cast<std::size_t>(need));
    // What `k` needs, everything that needs `k` needs too: a row of 64 phases at a time.
    for (std::size_t k = 0; k < size_; ++k)
      for (std::size_t i = 0; i < size_; ++i)
        if (before(k, i))
          for (std::size_t w = 0; w < words_; ++w) before_[i * words_ + w] |= before_[k * words_ + w];
  }

  bool cyclic() const {
    for (std::size_t i = 0; i < size_; ++i)
      if (before(i, i)) return true;
    return false;
  }

  std::optional<Module> module(const std::vector<std::size_t>& phases) const {
    if (phases.size() == 1) return Module{Module::Kind::kPhase, static_cast<int>(phases.front()), {}};
    const auto ordered = [&](std::size_t a, std::size_t b) { return before(a, b) || before(b, a); };
    if (auto apart = components(phases, ordered); apart.size() > 1) return join(Module::Kind::kParallel, apart);
    auto stages = components(phases, [&](std::size_t a, std::size_t b) { return !ordered(a, b); });
    if (stages.size() == 1) return std::nullopt;
    // Of two stages every phase of one comes before every phase of the other.
    sort_stably(stages, [&](const auto& a, const auto& b) { return before(a.front(), b.front()); });
    return join(Module::Kind::kSeries, stages);
  }

 private:
  using Group = std::vector<std::size_t>;

  bool before(std::size_t a, std::size_t b) const { return (before_[b * words_ + a / 64] >> (a % 64) & 1) != 0; }
  void set(std::size_t of, std::size_t need) { before_[of * words_ + need / 64] |= std::uint64_t{1} << (need % 64); }

  std::optional<Module> join(Module::Kind kind, const std::vector<Group>& groups) const {
    Module whole{kind, 0, {}};
    for (const Group& group : groups) {
      auto part = module(group);
      if (!part) return std::nullopt;
      whole.parts.push_back(std::move(*part));
    }
    return whole;
  }

  /// Connected groups, each in rising order, by their first phase.
  template <class Joined>
  static std::vector<Group> components(const Group& phases, Joined joined) {
    std::vector<Group> groups;
    Group left = phases;
    while (!left.empty()) {
      Group group = {left.front()};
      left.erase(left.begin());
      for (std::size_t next = 0; next < group.size(); ++next) {
        const auto apart = std::ranges::stable_partition(left, [&](std::size_t p) { return !joined(group[next], p); });
        group.insert(group.end(), apart.begin(), apart.end());
        left.erase(apart.begin(), apart.end());
      }
      std::ranges::sort(group);
      groups.push_back(std::move(group));
    }
    return groups;
  }

  std::size_t size_, words_;
  std::vector<std::uint64_t> before_;  ///< a row of bits for each phase: what must have ended when it begins
};

void collect(const Module& module, std::vector<int>& phases) {
  if (module.kind == Module::Kind::kPhase) phases.push_back(module.phase);
  for (const Module& part : module.parts) collect(part, phases);
}

}  // namespace

std::optional<Module> series_parallel(const std::vector<std::vector<int>>& needs) {
  const ModuleParts parts(needs);
  if (parts.cyclic()) return std::nullopt;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < needs.size(); ++i) all.push_back(i);
  return parts.module(all);
}

std::vector<int> phases_of(const Module& module) {
  std::vector<int> phases;
  collect(module, phases);
  return phases;
}

}  // namespace gpuplan
