#include "api/door_runs.h"

#include <utility>

#include "api/runs/check.h"
#include "api/runs/launch.h"
#include "api/runs/profiles.h"
#include "api/runs/simulate.h"
#include "api/traces/trace.h"
#include "input/question/plan_file.h"

namespace gpuplan::api {
namespace {

/// The text of a kept plan, or an id.
AskedPlan plan_of(const std::string& text) {
  if (is_kept_plan(text)) return {.kept = NamedText{"plan", text}};
  return {.id = text};
}

SimulateTerms simulate_terms(const DoorQuestion& asked) {
  SimulateTerms terms{.words = asked.simulate,
                      .wishes = asked.request.wishes,
                      .texts = {.starts = asked.starts},
                      .threads = asked.request.how.threads,
                      .seed = asked.request.how.seed};
  if (!asked.plans.empty()) terms.words.plan = asked.plans.front();
  for (const NamedText& trace : asked.traces) terms.texts.traces.push_back({trace_name(trace.name), trace});
  return terms;
}

Result<SimulateAnswer> simulate(const DoorQuestion& asked, const Catalogue& catalogue) {
  const SimulateTerms terms = simulate_terms(asked);
  const Request& request = asked.request;
  if (const auto good = check_words(terms.words, request.job ? request.job->name : "", request.sketch, request.wishes,
                                    !asked.traces.empty());
      !good)
    return std::unexpected(good.error());
  if (!terms.words.work.empty()) return simulate_work(terms);
  auto question = read_question(request, catalogue);
  if (!question) return std::unexpected(std::move(question.error()));
  return simulate_job(*std::move(question), terms, catalogue);
}

}  // namespace

Result<Reply> reply_profiles(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto answer = ask_profiles(asked.request, {.phase = asked.phase, .all = asked.all}, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{profiles_json(answer->report), answer->verdict()};
}

Result<Reply> reply_simulate(const DoorQuestion& asked, const Catalogue& catalogue) {
  const auto answer = simulate(asked, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{answer->json(), answer->verdict()};
}

Result<Reply> reply_check(const DoorQuestion& asked, const Catalogue& catalogue) {
  if (asked.logs.empty()) return failure("log: expected the text of a log", {"question"});
  const bool trace = is_trace(asked.logs.front().text);
  if (trace && asked.logs.size() > 1)
    return failure("log: a profiler's trace is read alone; give one text", {"question"});
  CheckTerms terms{.phase = asked.phase, .keep = trace};
  if (!asked.plans.empty()) terms.plan = plan_of(asked.plans.front());
  const auto question = CheckQuestion::read(asked.request, std::move(terms), catalogue);
  if (!question) return std::unexpected(question.error());
  if (!question->nothing_fits().empty()) return Reply{question->nothing_fits_json(), Verdict::kNothingFits};
  if (trace) {
    auto read = read_trace_text(asked.logs.front());
    if (!read) return std::unexpected(std::move(read.error()));
    const auto compared = answer_trace(*question, *std::move(read), asked.logs.front().name);
    if (!compared) return std::unexpected(compared.error());
    return Reply{trace_json(compared->report())};
  }
  const auto answer = check_texts(*question, asked.logs);
  if (!answer) return std::unexpected(answer.error());
  return Reply{check_json(answer->report())};
}

Result<Reply> reply_launch(const DoorQuestion& asked, const Catalogue& catalogue) {
  LaunchTerms terms{.to = asked.to, .folder = asked.folder, .allow_tight = asked.allow_tight, .smoke = asked.smoke};
  for (const std::string& plan : asked.plans) terms.plans.push_back(plan_of(plan));
  const auto answer = ask_launch(asked.request, terms, catalogue);
  if (!answer) return std::unexpected(answer.error());
  return Reply{answer->json(), answer->verdict(), answer->files(), answer->why()};
}

}  // namespace gpuplan::api
