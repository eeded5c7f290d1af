// Work shared out over threads. Every task writes only its own results, so that the answer does not depend on how
// many threads there were.
#pragma once

namespace gpuplan {

using ParallelBody = void (*)(void* context, int task);

/// Calls body(context, task) once for each task in [0, tasks). Tasks are handed out one by one; with one thread (or
/// where the platform has none) they run in order on the caller's. Where the system refuses threads, fewer run. What a
/// task throws first comes out here, when all threads are back; no task is begun after it.
void parallel_for(int tasks, int threads, ParallelBody body, void* context);

/// The same for anything that can be called with a task number.
template <class F>
void parallel_for(int tasks, int threads, F& body) {
  parallel_for(tasks, threads, [](void* context, int task) { (*static_cast<F*>(context))(task); }, &body);
}

}  // namespace gpuplan
