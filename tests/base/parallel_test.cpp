#include "base/threads/parallel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <vector>

namespace gpuplan {
namespace {

TEST(Parallel, EveryTaskIsDoneOnceWhateverTheThreads) {
  for (const int threads : {-1, 0, 1, 2, 7, 64}) {
    for (const int tasks : {0, 1, 5, 1000}) {
      std::vector<int> done(static_cast<std::size_t>(tasks), 0);
      auto body = [&](int task) { ++done[static_cast<std::size_t>(task)]; };
      parallel_for(tasks, threads, body);
      EXPECT_EQ(done, std::vector<int>(static_cast<std::size_t>(tasks), 1)) << tasks << " tasks, " << threads;
    }
  }
}

TEST(Parallel, ThreadsOfThreadsDoNotWaitForEachOther) {
  std::vector<int> done(16, 0);
  auto outer = [&](int i) {
    auto inner = [&](int j) { done[static_cast<std::size_t>(4 * i + j)] = 4 * i + j; };
    parallel_for(4, 3, inner);
  };
  parallel_for(4, 3, outer);
  for (int i = 0; i < 16; ++i) EXPECT_EQ(done[static_cast<std::size_t>(i)], i);
}

TEST(Parallel, OneThreadKeepsTheOrder) {
  std::vector<int> order;
  auto body = [&](int task) { order.push_back(task); };
  parallel_for(5, 1, body);
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
}

TEST(Parallel, WhatATaskThrowsComesOutOfAllThreads) {
  for (const int threads : {1, 2, 8}) {
    std::vector<int> done(1000, 0);
    auto body = [&](int task) {
      if (task >= 10) throw std::bad_alloc();
      done[static_cast<std::size_t>(task)] = 1;
    };
    EXPECT_THROW(parallel_for(1000, threads, body), std::bad_alloc) << threads;
    EXPECT_EQ(std::ranges::count(done, 1), 10) << threads;
  }
}

}  // namespace
}  // namespace gpuplan
