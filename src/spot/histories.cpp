#include "spot/histories.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "base/threads/parallel.h"
#include "domain/market/billed_time.h"

namespace gpuplan {

namespace {

constexpr std::size_t kChunk = 1024;

/// Lengths in seconds of running time, checkpoints included.
struct Course {
  double whole = 0;   ///< work of a piece and its checkpoint
  double pieces = 0;  ///< the last one is shorter or as long
  double end = 0;     ///< all of it
  double checkpoint = 0, restart = 0, wait = 0, work = 0;
  bool warned = false;

  explicit Course(const Recoverable& how)
      : whole((how.interval + how.checkpoint).value),
        pieces(how.pieces()),
        end(how.work.value + pieces * how.checkpoint.value),
        checkpoint(how.checkpoint.value),
        restart(how.restart.value),
        wait(how.wait.value),
        work(how.work.value),
        warned(how.warned()) {}
};

/// As it would go on: in proportion, or hopeless.
History given_up(const Course& course, double done, double running, double waiting, int interruptions, double paid) {
  const double most = kHopeless * course.work;
  const double factor = done > 0 ? course.end / done : kHopeless;
  const double wall = std::min((running + waiting) * factor, most);
  const double share = wall / (running + waiting);
  return {Seconds{wall}, Seconds{running * share}, interruptions, Seconds{paid * share}};
}

/// Exponential lives and bathtubs draw in different ways; nothing else differs.
template <class Draw>
History run_once(const Course& course, const Billing* billing, Random& random, Draw draw) {
  double done = 0;  // running time behind the work that is safe
  double ready = 0;
  double running = 0;
  double waiting = 0;
  double paid = 0;
  const auto pay = [&](double since) {
    if (billing != nullptr) paid += billed_seconds(Seconds{running - since}, *billing).value;
  };
  const auto end = [&](int interruptions) {
    return History{Seconds{running + waiting}, Seconds{running}, interruptions, Seconds{paid}};
  };
  for (int interruptions = 0;; ++interruptions) {
    if (interruptions >= kMostInterruptions) return given_up(course, done, running, waiting, interruptions, paid);
    const double since = running;
    const double life = draw();
    const double need = ready + (course.end - done);
    if (life >= need) {
      running += need;
      pay(since);
      return end(interruptions);
    }
    running += life;
    if (life > ready) {
      const double reached = done + (life - ready);
      const double piece = std::min(std::floor(reached / course.whole), course.pieces - 1);
      if (!course.warned) {
        done = std::max(done, piece * course.whole);
      } else {
        // A checkpoint that is being written is finished; else one is written now.
        const double until = piece + 1 < course.pieces ? (piece + 1) * course.whole : course.end;
        if (reached < until - course.checkpoint) {
          running += course.checkpoint;
          done = reached;
        } else {
          running += until - reached;
          done = until;
          if (until >= course.end) {
            pay(since);
            return end(interruptions + 1);
          }
        }
      }
    }
    pay(since);
    if (course.wait > 0) waiting += random.exponential(course.wait);
    ready = course.restart;
  }
}

}  // namespace

void simulate_histories(std::span<const Lifetimes> lives, const Recoverable& how, std::uint64_t seed, int threads,
                        std::span<History> histories, const Billing* billing) {
  const Course course(how);
  const auto chunks = static_cast<int>((histories.size() + kChunk - 1) / kChunk);
  auto task = [&](int chunk) {
    Random random(seed, static_cast<std::uint64_t>(chunk));
    const std::size_t begin = static_cast<std::size_t>(chunk) * kChunk;
    const std::size_t end = std::min(begin + kChunk, histories.size());
    for (std::size_t i = begin; i < end; ++i) {
      const Lifetimes& life = lives[i % lives.size()];
      if (life.memoryless()) {
        const double mean = life.mean().value;
        histories[i] = run_once(course, billing, random, [&] { return random.exponential(mean); });
      } else {
        histories[i] = run_once(course, billing, random, [&] { return life.draw(random).value; });
      }
    }
  };
  parallel_for(chunks, threads, task);
}

}  // namespace gpuplan
