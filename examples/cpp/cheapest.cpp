// Which GPUs to rent for a job file, how long it takes and what it costs.
#include <gpuplan/gpuplan.h>

#include <cstdio>
#include <fstream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 2) return std::fputs("usage: cheapest JOB.yaml\n", stderr), 2;
  std::ifstream file(argv[1]);
  const std::string job{std::istreambuf_iterator<char>(file), {}};

  const auto facts = gpuplan::Facts::built_in();
  if (!facts) return std::fprintf(stderr, "%s\n", facts.error().message.c_str()), 1;
  const auto reply = gpuplan::plan(*facts, {.job = job, .job_name = argv[1]});
  if (!reply) {
    const gpuplan::Problem& wrong = reply.error();
    return std::fprintf(stderr, "%s:%d: %s\n", wrong.file.c_str(), wrong.line, wrong.message.c_str()), 5;
  }
  for (const gpuplan::PlanSummary& plan : reply->plans())
    if (plan.on_frontier)
      std::printf("%-32s %6.1f h (%.1f to %.1f)  $%.2f (%.2f to %.2f)\n", plan.name.c_str(), plan.hours.p50,
                  plan.hours.p10, plan.hours.p90, plan.dollars.p50, plan.dollars.p10, plan.dollars.p90);
  for (const std::string& line : reply->why()) std::printf("%s\n", line.c_str());
  return 0;
}
