// An example's pick laid out for launching.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "launch/work/work.h"
#include "plan/searched.h"

namespace gpuplan {

struct Launched {
  Searched searched;
  std::unique_ptr<Launch> launch;

  explicit Launched(Job job) : searched(std::move(job)) { lay(searched.pick()); }

  void lay(const Plan& plan) {
    auto laid = lay_out(searched.job, plan, known(), plan.label, "gpuplan launch");
    if (laid) launch = std::make_unique<Launch>(*std::move(laid));
    else ADD_FAILURE() << laid.error().message;
  }
};

}  // namespace gpuplan
