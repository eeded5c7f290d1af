// gpuplan: the program. Words of the command line in, exit code out; everything else is below.
#include <cstring>
#include <exception>
#include <new>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/deliver.h"
#include "cli/options.h"

namespace gpuplan::cli {
namespace {

bool asks_version(int argc, char** argv) {
  return argc == 2 && (std::strcmp(argv[1], "--version") == 0 || std::strcmp(argv[1], "-V") == 0);
}

int answer(const Answer& answer) {
  if (answer.code == kDone) return deliver(answer.text, "", kDone);
  say(answer.text);
  return answer.code;
}

int run(const Request& request) {
  switch (request.verb) {
    case Verb::kPlan:
      return run_plan(request.plan);
    case Verb::kFit:
      return run_fit(request.fit);
    case Verb::kGpus:
      return run_gpus(request.filter);
    case Verb::kOffers:
      return run_offers(request.filter);
    case Verb::kModel:
      return run_model(request.model);
    case Verb::kSchema:
      return run_schema(request.schema);
  }
  return kInternal;
}

int program(int argc, char** argv) {
  if (asks_version(argc, argv)) return deliver("gpuplan " GPUPLAN_VERSION "\n", "", kDone);
  const auto request = read_options(argc, argv);
  return request ? run(*request) : answer(request.error());
}

}  // namespace
}  // namespace gpuplan::cli

int main(int argc, char** argv) {
  // The one boundary for exceptions of libraries; gpuplan itself throws none.
  using namespace gpuplan;
  try {
    return cli::program(argc, argv);
  } catch (const std::bad_alloc&) {
    cli::say("gpuplan: out of memory");
  } catch (const std::exception& error) {
    cli::say("gpuplan: internal error: " + printable(error.what()) + " (please report it)");
  }
  return cli::kInternal;
}
