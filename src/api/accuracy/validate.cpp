#include "api/accuracy/validate.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/text.h"
#include "output/runs/accuracy_page.h"

namespace gpuplan::api {
namespace {

/// Each once.
std::vector<Grouping> groupings_of(const std::vector<std::string>& names) {
  std::vector<Grouping> groupings;
  for (const std::string& name : names)
    if (const auto grouping = from_name<Grouping>(name);
        grouping && std::ranges::find(groupings, *grouping) == groupings.end())
      groupings.push_back(*grouping);
  return groupings;
}

/// Keeps the runs of the sources asked for.
Result<void> keep_sources(MeasuredRuns& runs, const std::vector<std::string>& sources) {
  if (sources.empty()) return {};
  std::set<std::string> known;
  runs.for_each([&](const MeasuredRun& run) { known.insert(run.source); });
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const std::string& source : sources)
    if (std::ranges::none_of(known, [&](const std::string& name) { return iequals(name, source); }))
      return wrong_use("--source: no run from '" + printable(source) + "'" + did_you_mean(source, names));
  runs.erase_if([&](const MeasuredRun& run) {
    return std::ranges::none_of(sources, [&](const std::string& source) { return iequals(source, run.source); });
  });
  return {};
}

RunPrediction predict(const Catalogue& catalogue, const TrainingRun& run) { return predict_run(catalogue, run); }
RunPrediction predict(const Catalogue& catalogue, const GenerationRun& run) {
  return predict_generation_run(catalogue, run);
}

/// Every run with the catalogue's constants, or each with those fitted without its source.
std::vector<PredictedRun> predict_all(const Catalogue& catalogue, const LeftOut* left_out, const MeasuredRuns& runs) {
  std::vector<PredictedRun> predicted;
  predicted.reserve(runs.training.size() + runs.generation.size());
  runs.for_each([&](const auto& run) {
    RunPrediction made;
    if (left_out == nullptr) made = predict(catalogue, run);
    else if (left_out->has(run.source)) made = predict(left_out->catalogue_for(run.source), run);
    else made.refused = "no constants were fitted without its source";
    predicted.emplace_back(&run, std::move(made));
  });
  return predicted;
}

/// The kinds of figure of the kinds of run that are there.
std::vector<Judged> figures_of(const MeasuredRuns& runs) {
  std::vector<Judged> judged;
  if (!runs.training.empty()) judged.assign(kTrainingFigures.begin(), kTrainingFigures.end());
  if (!runs.generation.empty()) judged.insert(judged.end(), kGenerationFigures.begin(), kGenerationFigures.end());
  return judged;
}

/// The first kind of figure asked for that the run states, for which its terms are told.
Judged told_as(const PredictedRun& run, const std::vector<Judged>& judged) {
  for (const Judged what : judged)
    if (states(run, what)) return what;
  return judged.front();
}

/// What is told of single runs: the one that is asked for, else those farthest off.
Result<std::vector<ReportedRun>> reported_runs(const std::string& asked, const ValidationReport& report,
                                               const Catalogue& catalogue, const LeftOut* left_out, int worst_shown) {
  const auto tell = [&](std::size_t at, Judged what) {
    const PredictedRun& run = report.runs[at];
    const Catalogue& constants = left_out != nullptr ? left_out->catalogue_for(run.run->source) : catalogue;
    return ReportedRun{at, what,
                       run.training != nullptr ? explain_run(constants, *run.training)
                                               : explain_generation_run(constants, *run.generation)};
  };
  std::vector<ReportedRun> told;
  if (!asked.empty()) {
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < report.runs.size(); ++i) {
      names.push_back(report.runs[i].run->id);
      if (iequals(names.back(), asked)) return std::vector{tell(i, told_as(report.runs[i], report.judged))};
    }
    return wrong_use("--explain: unknown run '" + printable(asked) + "'" + did_you_mean(asked, names));
  }
  for (const Judged what : report.judged) {
    auto worst = worst_first(report.runs, what);
    worst.resize(std::min(worst.size(), static_cast<std::size_t>(worst_shown)));
    for (const std::size_t at : worst) told.push_back(tell(at, what));
  }
  return told;
}

bool from_several_sources(const MeasuredRuns& runs) {
  std::set<std::string_view> sources;
  runs.for_each([&](const MeasuredRun& run) { sources.insert(run.source); });
  return sources.size() > 1;
}

/// What --metric names: memory is that of both kinds.
bool is_asked(std::string_view metric, Judged what) {
  return metric.empty() || metric == name_of(what) || (metric == "memory" && is_memory(what));
}

/// Keeps the figures that --metric names, and the runs that state one.
Result<void> keep_metric(MeasuredRuns& runs, std::vector<Judged>& judged, const std::string& metric) {
  if (metric.empty()) return {};
  std::erase_if(judged, [&](Judged what) { return !is_asked(metric, what); });
  const auto lacks = [&](const auto& run) {
    return std::ranges::none_of(measured_figures(run),
                                [&](const MeasuredFigure& each) { return is_asked(metric, each.judged); });
  };
  runs.erase_if(lacks);
  if (!runs.empty()) return {};
  const std::string words = metric == "memory" ? "peak memory" : std::string(judged_words(*from_name<Judged>(metric)));
  return wrong_use("--metric: none of the runs has " + words);
}

/// What is asked for beside errors, of the predictions that are in the report.
Result<void> sum_up(ValidationReport& report, const ValidateTerms& terms, const ErrorModel& errors) {
  for (const ErrorFigure figure : figures_of(report)) {
    if (terms.pairs) report.pairs.push_back({figure, pairs_of(errors, report.runs, figure)});
    if (terms.own > 0) report.own.push_back({figure, after_own_runs(errors, report.runs, figure, terms.own)});
  }
  if (!terms.first_contact) return {};
  auto figures = built_in_first_contact();
  if (!figures) return std::unexpected(std::move(figures.error()));
  report.contact = first_contact(*figures, report.runs);
  return {};
}

}  // namespace

Result<ValidateAnswer> ask_validate(MeasuredRuns measured, const ValidateTerms& terms, const Catalogue& catalogue) {
  if (auto kept = keep_sources(measured, terms.sources); !kept) return std::unexpected(std::move(kept.error()));
  ValidateAnswer answer;
  ValidationReport& report = answer.report;
  report.name = measured.name;
  report.left_out = terms.left_out;
  report.bad_lines = measured.bad_lines;
  report.judged = figures_of(measured);
  if (auto kept = keep_metric(measured, report.judged, terms.metric); !kept)
    return std::unexpected(std::move(kept.error()));
  answer.runs = std::make_unique<const MeasuredRuns>(std::move(measured));
  const MeasuredRuns& runs = *answer.runs;
  if (terms.left_out) {
    auto loaded = built_in_left_out(catalogue);
    if (!loaded) return std::unexpected(std::move(loaded.error()));
    answer.left_out = std::make_unique<const LeftOut>(*std::move(loaded));
  }
  report.runs = predict_all(catalogue, answer.left_out.get(), runs);
  if (auto summed = sum_up(report, terms, catalogue.errors); !summed) return std::unexpected(std::move(summed.error()));
  answer.by = groupings_of(terms.by);
  answer.alone = !terms.run.empty();
  const bool both = !runs.training.empty() && !runs.generation.empty();
  answer.look = {.by = answer.by, .all = terms.all};
  answer.look.sums_only = both && answer.by.empty() && !terms.all && terms.worst < 0;
  // Many kinds of figure: the farthest off of each says enough.
  constexpr std::size_t kFewFigures = 3;
  const int worst = terms.worst >= 0 ? terms.worst : report.judged.size() > kFewFigures ? 2 : 5;
  auto told = reported_runs(terms.run, report, catalogue, answer.left_out.get(), answer.look.sums_only ? 0 : worst);
  if (!told) return std::unexpected(std::move(told.error()));
  report.told = *std::move(told);
  if (answer.by.empty() && from_several_sources(runs)) answer.look.by = {Grouping::kSource};
  return answer;
}

Result<std::string> accuracy_of(const MeasuredRuns& runs, const Catalogue& catalogue) {
  AccuracyPage page;
  auto publications = built_in_publications();
  if (!publications) return std::unexpected(std::move(publications.error()));
  page.publications = *std::move(publications);
  ValidationReport fitted;
  fitted.judged = figures_of(runs);
  fitted.runs = predict_all(catalogue, nullptr, runs);
  page.fitted = &fitted;
  ValidationReport left_out;
  std::optional<LeftOut> without;
  if (has_left_out()) {
    auto loaded = built_in_left_out(catalogue);
    if (!loaded) return std::unexpected(loaded.error());
    without.emplace(*std::move(loaded));
    left_out.left_out = true;
    left_out.judged = fitted.judged;
    left_out.runs = predict_all(catalogue, &*without, runs);
    page.left_out = &left_out;
  }
  ValidationReport& unseen = page.left_out != nullptr ? left_out : fitted;
  for (const ErrorFigure figure : figures_of(unseen)) {
    unseen.pairs.push_back({figure, pairs_of(catalogue.errors, unseen.runs, figure)});
    for (const int own : {1, 2, 4})
      unseen.own.push_back({figure, after_own_runs(catalogue.errors, unseen.runs, figure, own)});
  }
  std::optional<FirstContact> contact;
  if (has_first_contact()) {
    const auto figures = built_in_first_contact();
    if (!figures) return std::unexpected(figures.error());
    contact = first_contact(*figures, fitted.runs);
    page.contact = &*contact;
    for (const ErrorFigure figure : figures_of(fitted))
      for (const int own : {1, 2, 4}) {
        const OwnRunSums sums = after_own_runs(catalogue.errors, contact->then, figure, own);
        if (sums.sources > 0) page.contact_own.push_back({figure, sums});
      }
  }
  return accuracy_page(page);
}

}  // namespace gpuplan::api
