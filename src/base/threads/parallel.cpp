#include "base/threads/parallel.h"

#ifndef __wasi__
#include <atomic>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace gpuplan {
namespace {

/// The tasks that are left, and the first exception of a task: after it none is begun.
class Tasks {
 public:
  Tasks(int count, ParallelBody body, void* context) : count_(count), body_(body), context_(context) {}

  void work() noexcept {
    try {
      for (int task = next_++; task < count_; task = next_++) body_(context_, task);
    } catch (...) {
      if (!failed_.test_and_set()) thrown_ = std::current_exception();
      next_ = count_;
    }
  }

  /// Once every thread is back.
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  int count_;
  ParallelBody body_;
  void* context_;
  std::atomic<int> next_{0};
  std::atomic_flag failed_;
  std::exception_ptr thrown_;
};

/// As many as the system gives: where it refuses one, those that run do the work.
void start(std::vector<std::jthread>& threads, int count, Tasks& tasks) {
  threads.reserve(static_cast<std::size_t>(count));
  try {
    while (threads.size() < static_cast<std::size_t>(count)) threads.emplace_back([&tasks] { tasks.work(); });
  } catch (const std::system_error&) {
    return;
  }
}

}  // namespace

void parallel_for(int tasks, int threads, ParallelBody body, void* context) {
  if (threads > tasks) threads = tasks;
  if (threads <= 1) {
    for (int task = 0; task < tasks; ++task) body(context, task);
    return;
  }
  Tasks left(tasks, body, context);
  {
    std::vector<std::jthread> others;
    start(others, threads - 1, left);
    left.work();
  }
  left.rethrow();
}

}  // namespace gpuplan

#else

namespace gpuplan {

void parallel_for(int tasks, int /*threads*/, ParallelBody body, void* context) {
  for (int task = 0; task < tasks; ++task) body(context, task);
}

}  // namespace gpuplan

#endif
