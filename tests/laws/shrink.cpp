#include "laws/shrink.h"

#include <algorithm>
#include <functional>

#include "base/text.h"

namespace gpuplan::laws {
namespace {

/// Calls with every tree below this one, children before their parents are changed; stops when told so.
bool each_place(Tree& tree, const std::function<bool(Tree&)>& visit) {
  for (Tree& child : tree.children)
    if (each_place(child, visit)) return true;
  return visit(tree);
}

/// Phases that another needs must not vanish alone.
void forget_phase(Tree& job, const std::string& name) {
  for (Tree& phase : phases_of(job)) {
    if (Tree* needs = phase.find("needs")) {
      std::erase_if(needs->children, [&](const Tree& need) { return need.text == name; });
      if (needs->children.empty()) drop(phase, "needs");
    }
    if (const Tree* on = phase.find("on"); on != nullptr && on->text == name) drop(phase, "on");
  }
}

class Shrinker {
 public:
  Shrinker(const Law& law, Case broken, int tries) : law_(law), best_(std::move(broken)), tries_(tries) {}

  Case run() {
    bool better = true;
    while (better && tries_ > 0) {
      better = false;
      better |= fewer_offers();
      better |= fewer_phases();
      better |= fewer_keys();
      better |= fewer_cells();
      better |= smaller_numbers();
    }
    return best_;
  }

 private:
  bool take(Case candidate) {
    if (tries_-- <= 0) return false;
    if (judge(law_, candidate).broken.empty()) return false;
    best_ = std::move(candidate);
    return true;
  }

  bool fewer_offers() {
    bool any = false;
    for (std::size_t i = 0; i < offers_of(best_);) {
      Case candidate = best_;
      drop_offer(candidate, i);
      if (!candidate.prices.empty() || best_.prices.empty())
        if (take(std::move(candidate))) {
          any = true;
          continue;
        }
      ++i;
    }
    return any;
  }

  bool fewer_phases() {
    bool any = false;
    for (std::size_t i = 0; i < phases_of(best_.job).size();) {
      Case candidate = best_;
      std::vector<Tree>& phases = phases_of(candidate.job);
      const std::string name = phase_name(phases[i]);
      phases.erase(phases.begin() + static_cast<std::ptrdiff_t>(i));
      forget_phase(candidate.job, name);
      if (take(std::move(candidate))) any = true;
      else ++i;
    }
    return any;
  }

  /// The n-th child of any map or list, left away.
  bool fewer_keys() {
    bool any = false;
    for (std::size_t n = 0;;) {
      Case candidate = best_;
      std::size_t at = 0;
      const bool found = each_place(candidate.job, [&](Tree& tree) {
        if (n >= at + tree.children.size()) {
          at += tree.children.size();
          return false;
        }
        tree.children.erase(tree.children.begin() + static_cast<std::ptrdiff_t>(n - at));
        return true;
      });
      if (!found || tries_ <= 0) return any;
      if (take(std::move(candidate))) any = true;
      else ++n;
    }
  }

  bool fewer_cells() {
    bool any = false;
    for (std::size_t row = 0; row < best_.prices.size(); ++row)
      for (std::size_t i = 0; i < best_.prices[row].size();) {
        Case candidate = best_;
        candidate.prices[row].erase(candidate.prices[row].begin() + static_cast<std::ptrdiff_t>(i));
        if (take(std::move(candidate))) any = true;
        else ++i;
      }
    return any;
  }

  bool smaller_numbers() {
    bool any = false;
    const auto smaller = [&](std::string& text) {
      const std::string half = scaled(text, 0.5);
      if (half == text || half.size() > text.size() + 1 || half.find("0.000") != std::string::npos) return false;
      text = half;
      return true;
    };
    for (std::size_t n = 0;; ++n) {
      Case candidate = best_;
      std::size_t at = 0;
      bool changed = false;
      const bool found = each_place(candidate.job, [&](Tree& tree) {
        if (!tree.is_scalar() || at++ != n) return false;
        changed = smaller(tree.text);
        return true;
      });
      if (!found || tries_ <= 0) break;
      if (changed && take(std::move(candidate))) any = true;
    }
    for (std::size_t row = 0; row < best_.prices.size(); ++row)
      for (std::size_t i = 0; i < best_.prices[row].size(); ++i) {
        Case candidate = best_;
        if (smaller(candidate.prices[row][i].second) && take(std::move(candidate))) any = true;
      }
    return any;
  }

  const Law& law_;
  Case best_;
  int tries_;
};

}  // namespace

Verdict judge(const Law& law, const Case& one) {
  const Asked base = ask(one);
  // A case that lost its market would be asked of the whole snapshot: slow, and no smaller.
  constexpr std::size_t kOffers = 30;
  if (!base || (*base)->searched.market.size() > kOffers) return silent();
  Random random(one.salt, hash_of(law.name));
  return law.check(**base, random);
}

Case shrunk(const Law& law, Case broken, int tries) { return Shrinker(law, std::move(broken), tries).run(); }

}  // namespace gpuplan::laws
