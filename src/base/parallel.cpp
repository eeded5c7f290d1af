#include "base/parallel.h"

#ifndef __wasi__
#include <atomic>
#include <thread>
#include <vector>
#endif

namespace gpuplan {

void parallel_for(int tasks, int threads, ParallelBody body, void* context) {
#ifndef __wasi__
  if (threads > tasks) threads = tasks;
  if (threads > 1) {
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int task = next++; task < tasks; task = next++) body(context, task);
    };
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(threads - 1));
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    return;
  }
#else
  static_cast<void>(threads);
#endif
  for (int task = 0; task < tasks; ++task) body(context, task);
}

}  // namespace gpuplan
