#include "output/runs/accuracy_page.h"

#include <algorithm>

#include "base/text.h"
#include "output/words/plan_words.h"

namespace gpuplan {
namespace {

constexpr Screen kPage{.columns = 1000, .colour = false, .markup = Markup::kMarkdown};

std::string chapter(std::string_view title) { return "\n## " + std::string(title) + "\n\n"; }

/// A paragraph whose text is Markdown already.
std::string prose(std::string_view text) { return std::string(text) + "\n\n"; }

/// Runs of one kind: "669 training runs".
std::size_t count_runs(const AccuracyPage& page, bool training) {
  return static_cast<std::size_t>(std::ranges::count_if(
      page.fitted->runs, [&](const PredictedRun& run) { return (run.training != nullptr) == training; }));
}

std::string introduction(const AccuracyPage& page) {
  return prose("# How accurate predictions are") +
         prose("<!-- this page is the output of: ./gpuplan validate --report -->") +
         prose(
             "`gpuplan validate --report` prints this page; `./test readme` checks that it is up to date, and `python3 "
             "tools/check_readme.py --update build/release/gpuplan` writes it anew. `gpuplan validate` shows the same "
             "figures on a terminal, `gpuplan validate --explain RUN` every term of one run, and `gpuplan validate "
             "RUNS.csv` compares with runs of your own.") +
         prose("Compared are " + std::to_string(count_runs(page, true)) + " training runs and " +
               std::to_string(count_runs(page, false)) + " runs of generation that others measured and published (" +
               std::to_string(page.publications.size()) +
               " sources, listed below). They stand in `data/measured/train_runs.csv` and "
               "`data/measured/infer_runs.csv`, each with what its source says of the configuration. A prediction gets "
               "that configuration and nothing else.");
}

bool is_training(Judged what) { return std::ranges::find(kTrainingFigures, what) != kTrainingFigures.end(); }

/// What the project holds itself to, sources left out: the error of the middle source, and what nine of ten runs stay
/// below, the latter as |predicted / measured - 1|.
struct AccuracyGoal {
  Judged what;
  double source, p90;
};
constexpr AccuracyGoal kGoals[] = {{Judged::kSingle, 0.11, 0.40},    {Judged::kStatic, 0.14, 0.45},
                                   {Judged::kSaturated, 0.13, 0.30}, {Judged::kPrefill, 0.18, 0.60},
                                   {Judged::kPerToken, 0.18, 0.45},  {Judged::kServingMemory, 0.05, 0.15}};

std::string goal_text(Judged what) {
  for (const AccuracyGoal& goal : kGoals)
    if (goal.what == what) return percent(goal.source) + " / " + percent(goal.p90);
  return kNoValue;
}

/// A row's label and its text for one headline.
struct Line {
  const char* label;
  std::string (*text)(const Headline&);
};

std::string of(const Headline& h, const std::string& text) { return h.all.runs > 0 ? text : kNoValue; }

constexpr Line kLines[] = {
    {"runs", [](const Headline& h) { return std::to_string(h.stated); }},
    {"predicted",
     [](const Headline& h) {
       return of(h,
                 percent(static_cast<double>(h.predicted) / static_cast<double>(std::max<std::size_t>(h.stated, 1))));
     }},
    {"error: the middle source", [](const Headline& h) { return of(h, error_text(h.source_median)); }},
    {"error: the middle run", [](const Headline& h) { return of(h, error_text(h.all.median)); }},
    {"error: nine of ten runs stay below", [](const Headline& h) { return of(h, error_text(h.all.p90)); }},
    {"|predicted / measured - 1|: the middle run", [](const Headline& h) { return of(h, error_text(h.all.relative)); }},
    {"|predicted / measured - 1|: nine of ten",
     [](const Headline& h) { return of(h, error_text(h.all.p90_relative)); }},
    {"bias, median", [](const Headline& h) { return of(h, signed_error_text(h.all.bias)); }},
    {"bias, mean", [](const Headline& h) { return of(h, signed_error_text(h.all.mean_bias)); }},
    {"coverage of the 80% range", [](const Headline& h) { return of(h, percent(h.all.inside)); }},
    {"runs above its p90", [](const Headline& h) { return of(h, percent(h.all.above)); }},
    {"calibrated on any one run of the source",
     [](const Headline& h) { return h.calibrated_sources > 0 ? error_text(h.calibrated.any) : std::string(kNoValue); }},
    {"calibrated on its middle run",
     [](const Headline& h) {
       return h.calibrated_sources > 0 ? error_text(h.calibrated.middle) : std::string(kNoValue);
     }},
};

/// Training: a column for each figure.
Table training_in_short(const AccuracyPage& page) {
  std::vector<Column> columns = {{.title = ""}};
  std::vector<Headline> headlines;
  for (const Judged what : kTrainingFigures) {
    const std::string name = upper_first(std::string(judged_words(what)));
    if (page.left_out != nullptr) {
      columns.push_back({.title = name + ", left out", .align = Align::kRight});
      headlines.push_back(headline(page.left_out->runs, what));
    }
    columns.push_back({.title = name + ", fitted", .align = Align::kRight});
    headlines.push_back(headline(page.fitted->runs, what));
  }
  Table table(std::move(columns));
  for (const Line& line : kLines) {
    std::vector<Cell> row = {Cell(line.label)};
    for (const Headline& each : headlines) row.emplace_back(line.text(each));
    table.add(std::move(row));
  }
  return table;
}

/// Generation: a row for each figure.
Table generation_in_short(const AccuracyPage& page) {
  const bool both = page.left_out != nullptr;
  std::vector<Column> columns = {{.title = "Figure"}};
  for (const char* title : {"Runs", "Refused", "Sources", "Middle source, fitted"})
    columns.push_back({.title = title, .align = Align::kRight});
  if (both) columns.push_back({.title = "Middle source, left out", .align = Align::kRight});
  for (const char* title :
       {"Middle run", "P90", "p/m - 1: middle run", "p/m - 1: P90", "Bias", "In range", "Above p90", "Calibrated"})
    columns.push_back({.title = both ? std::string(title) + ", left out" : title, .align = Align::kRight});
  columns.push_back({.title = "Goal", .align = Align::kRight});
  Table table(std::move(columns));
  for (const Judged what : kGenerationFigures) {
    const Headline fitted = headline(page.fitted->runs, what);
    if (fitted.stated == 0) continue;
    const Headline shown = both ? headline(page.left_out->runs, what) : fitted;
    const std::size_t refused = fitted.stated - fitted.predicted;
    std::vector<Cell> row = {Cell(upper_first(std::string(judged_words(what)))), Cell(std::to_string(fitted.stated)),
                             Cell(refused > 0 ? std::to_string(refused) : ""), Cell(std::to_string(fitted.sources)),
                             Cell(of(fitted, error_text(fitted.source_median)))};
    if (both) row.emplace_back(of(shown, error_text(shown.source_median)));
    row.emplace_back(of(shown, error_text(shown.all.median)));
    row.emplace_back(of(shown, error_text(shown.all.p90)));
    row.emplace_back(of(shown, error_text(shown.all.relative)));
    row.emplace_back(of(shown, error_text(shown.all.p90_relative)));
    row.emplace_back(of(shown, signed_error_text(shown.all.bias)));
    row.emplace_back(of(shown, percent(shown.all.inside)));
    row.emplace_back(of(shown, percent(shown.all.above)));
    row.emplace_back(shown.calibrated_sources > 0 ? error_text(shown.calibrated.any) : std::string(kNoValue));
    row.emplace_back(goal_text(what));
    table.add(std::move(row));
  }
  return table;
}

std::string in_short(const AccuracyPage& page) {
  std::string text = chapter("In short");
  if (page.left_out != nullptr)
    text += prose(
        "*Left out* is the figure to expect on runs of your own: every source was predicted with constants "
        "that were fitted to all the others. *Fitted* uses the constants as they are in `data/`, fitted to "
        "these same runs.");
  else
    text += prose(
        "*Fitted* uses the constants as they are in `data/`, fitted to these same runs: expect more on runs "
        "of your own.");
  text += heading("Training", kPage) + training_in_short(page).text(kPage, 0) + "\n";
  return text + heading("Generation", kPage) + generation_in_short(page).text(kPage, 0) + "\n" +
         prose(
             "*Goal*: what the project holds itself to with sources left out, the error of the middle source and what "
             "nine of ten runs stay below, the latter as |predicted / measured - 1|. Time to first token under load is "
             "mostly how requests happen to arrive: it has a wide range and no goal.");
}

std::string how_figures_are_made() {
  return chapter("How the figures are made") +
         prose(
             "* **Error** is |ln(predicted / measured)|, shown in percent: 10% is a factor of 1.105, too much or too "
             "little. Too much and too little count alike. The rows with |predicted / measured - 1| are the same "
             "predictions in the way most papers count.\n"
             "* **Step time**: a run counts once. Its time is compared where the source states the seconds of a "
             "step, else its tokens per second and GPU, inverted.\n"
             "* **Generation**: rates of output tokens are compared by load: single request, fixed batch, saturated "
             "server, server with N concurrent requests. Whether prefill lies inside the "
             "rate is as the source counts. *Prefill* is reading prompts with nothing else under way, as a rate or as "
             "the time to the first token. A run counts once for each kind of figure that it states.\n"
             "* **Peak memory** is compared with what the source counted: allocated, reserved, or as the driver sees "
             "it. Where it does not say, reserved is taken.\n"
             "* **Median over sources**: the median error of each source first, then the median of those. A source of "
             "200 runs counts as much as one of four.\n"
             "* **Bias** keeps the sign: + means predicted too slow or too large.\n"
             "* **Calibrated**: all predictions of a source are corrected by the ratio of measured to predicted of one "
             "of its runs. For each source with two runs or more, each of its runs is taken as that one in "
             "turn, the median error of the others is noted, and the mean over the turns is the source's figure; the "
             "table shows the median over sources. *On its median run* takes only the run with the source's median "
             "ratio: a typical run, not an odd one.\n"
             "* **Quantiles** are interpolated linearly.");
}

std::string what_is_fitted(const AccuracyPage& page) {
  std::string text = chapter("What is fitted on what");
  text += prose(
      "Peaks, bandwidths and links come from data sheets (`data/gpus.csv`, `data/nodes.csv`) and are not "
      "fitted. A limited number of constants is: shares of peak and bandwidth that each generation of hardware reaches "
      "(`data/efficiency.csv`), how frameworks and engines run on the host, and what decides communication, "
      "element-wise passes and memory in training and in generation (the tables of constants in `data/`). No constant "
      "belongs to a source, a model or a run. `tools/fit` fits them all at once, with this program's own "
      "estimate; each constant is held near what is physically expected, and large sources are kept from "
      "outvoting small ones.");
  if (page.left_out != nullptr)
    text += prose(
        "For the left-out figures the fit is made again for each source without its runs "
        "(`data/measured/left_out*.csv`), and those constants predict its runs. The form of the model and the "
        "starting values were chosen with these runs in sight, so left-out figures are a little "
        "optimistic still.");
  return text;
}

std::string ranges() {
  return chapter("How the ranges are tested") +
         prose(
             "Every prediction is a range from p10 to p90 that should hold eight of ten runs. Its width depends on "
             "what is known of such runs (`data/error_components.csv`): the regime. The tables below show the share "
             "that "
             "the ranges really hold, by regime, and by what makes runs hard, where runs are few. Well below 80% a "
             "range promises too much, well above it tells less than it could. *Above p90* matters for memory: "
             "\"fits\" is judged at the p90, so this is the share of runs that would have run out of memory on a card "
             "that is exactly as large.");
}

Table compared_table(const AccuracyPage& page, Judged what, Grouping grouping) {
  const std::string title = grouping == Grouping::kGpu ? "GPU" : upper_first(std::string(name_of(grouping)));
  std::vector<Column> columns = {{.title = title},
                                 {.title = "Runs", .align = Align::kRight},
                                 {.title = "Refused", .align = Align::kRight},
                                 {.title = "Error, fitted", .align = Align::kRight}};
  const bool both = page.left_out != nullptr;
  if (both) columns.push_back({.title = "Error, left out", .align = Align::kRight});
  for (const char* figure : {"P90", "Bias", "In range", "Above p90"})
    columns.push_back({.title = both ? std::string(figure) + ", left out" : figure, .align = Align::kRight});
  Table table(std::move(columns));
  const auto fitted = by_group(page.fitted->runs, what, grouping);
  const auto left_out = both ? by_group(page.left_out->runs, what, grouping) : fitted;
  for (const GroupMisses& group : fitted) {
    const auto at = std::ranges::find(left_out, group.name, &GroupMisses::name);
    const Misses other = at != left_out.end() ? at->misses : Misses{};
    const Misses& shown = both ? other : group.misses;
    const auto figure = [](const Misses& m, const std::string& text) { return Cell(m.runs > 0 ? text : kNoValue); };
    const std::size_t refused = group.stated - group.misses.runs;
    std::vector<Cell> row = {Cell(group.name), Cell(std::to_string(group.stated)),
                             Cell(refused > 0 ? std::to_string(refused) : ""),
                             figure(group.misses, error_text(group.misses.median))};
    if (both) row.push_back(figure(other, error_text(other.median)));
    row.push_back(figure(shown, error_text(shown.p90)));
    row.push_back(figure(shown, signed_error_text(shown.bias)));
    row.push_back(figure(shown, percent(shown.inside)));
    row.push_back(figure(shown, percent(shown.above)));
    table.add(std::move(row));
  }
  return table;
}

/// What tells most of generation; the others are on the terminal.
bool is_shown(Judged what, Grouping grouping) {
  if (is_training(what)) return true;
  switch (grouping) {
    case Grouping::kSource:
    case Grouping::kGpu:
    case Grouping::kFramework:
    case Grouping::kWeights:
    case Grouping::kExperts:
    case Grouping::kParallel:
    case Grouping::kRegime:
    case Grouping::kTrait:
      return true;
    default:
      return false;
  }
}

std::string groups(const AccuracyPage& page) {
  std::string text;
  for (const Judged what : page.fitted->judged) {
    if (headline(page.fitted->runs, what).stated == 0) continue;
    text += chapter(upper_first(std::string(judged_words(what))) + ", by group");
    for (const auto& [grouping, name] : Names<Grouping>::entries) {
      if (!is_shown(what, grouping)) continue;
      const Table table = compared_table(page, what, grouping);
      if (table.rows() < 2) continue;
      text += heading("By " + std::string(grouping_words(grouping)), kPage);
      text += table.text(kPage, 0) + "\n";
    }
  }
  return text;
}

/// A line for each reason with the runs behind it.
std::string reasons(const std::vector<RefusedGroup>& groups) {
  std::string text;
  for (const RefusedGroup& group : groups) {
    std::vector<std::string> ids;
    for (const MeasuredRun* run : group.runs) ids.push_back(printable(run->id, 40));
    text += "- " + std::to_string(ids.size()) + ": " + markdown_text(printable(group.reason, 400)) + " (" +
            markdown_text(join(ids, ", ")) + ")\n";
  }
  return text;
}

std::string not_predicted(const AccuracyPage& page) {
  std::string text = chapter("Not predicted");
  text += prose(
      "A run is refused when something that cannot be guessed is missing, such as the size of its network or "
      "the GPU it ran on; never because it is hard. What is merely not stated is assumed and named "
      "(`--explain RUN`).");
  const auto refused = refused_groups(page.fitted->runs);
  if (refused.empty()) text += prose("None of these runs is refused.");
  text += reasons(refused);
  const auto distrusted = distrusted_groups(page.fitted->runs);
  if (distrusted.empty()) return text;
  text += chapter("Counted nowhere");
  return text +
         prose(
             "Runs that cannot have been as their labels say. They are neither in the figures above nor in the fit; "
             "`--all` shows them. A run that is merely far off is not here.") +
         reasons(distrusted);
}

std::string farthest_off(const AccuracyPage& page) {
  const ValidationReport& report = page.left_out != nullptr ? *page.left_out : *page.fitted;
  std::string text = chapter("Farthest off");
  text += prose(page.left_out != nullptr ? "With the constants fitted without their source."
                                         : "With the constants in `data/`.");
  for (const Judged what : report.judged) {
    auto order = worst_first(report.runs, what);
    if (order.empty()) continue;
    const std::size_t most = is_training(what) ? 15 : 8;
    order.resize(std::min(order.size(), most));
    text += heading(upper_first(std::string(judged_words(what))), kPage);
    text += figure_table(report.runs, order, {what}, true).text(kPage, 0) + "\n";
  }
  return text;
}

std::string what_it_does_not_show() {
  return chapter("What this does not show") +
         prose(
             "* **Your software.** Published runs are of people who tune. A training loop of one's own, with a slow "
             "data loader or frequent logging, is slower than its model predicts. One measured run of your own says "
             "more than this page.\n"
             "* **Rare regimes.** Some rows above hold a handful of runs from one source. Their figures are "
             "anecdotes; that is why their ranges are wide.\n"
             "* **Noise.** The same configuration measured twice differs by 2 to 5%, and by up to twice that between "
             "software releases. No model gets below that.\n"
             "* **Servers of your own.** Published servers run benchmarks: prompts of one length that share nothing, "
             "sampling switched off, nothing else on the machine. Prompts that begin alike are answered faster, mixed "
             "lengths and bursts slower.\n"
             "* **Engines of tomorrow.** Releases of one engine differ by a third within a year, in either direction. "
             "A row says which release it was where its publication does.\n"
             "* **Hours and dollars.** Start-up, failures and prices come on top of these times.");
}

std::string sources(const AccuracyPage& page) {
  Table table({{.title = "Source"}, {.title = "Runs", .align = Align::kRight}, {.title = "Publication"}});
  for (const auto& [source, publication] : page.publications) {
    const auto runs =
        std::ranges::count_if(page.fitted->runs, [&](const PredictedRun& run) { return run.run->source == source; });
    table.add({Cell(source), Cell(std::to_string(runs)), Cell(publication)});
  }
  return chapter("Sources") + table.text(kPage, 0);
}

}  // namespace

std::string accuracy_page(const AccuracyPage& page) {
  return tidy_markdown(introduction(page) + in_short(page) + how_figures_are_made() + what_is_fitted(page) + ranges() +
                       groups(page) + not_predicted(page) + farthest_off(page) + what_it_does_not_show() +
                       sources(page));
}

}  // namespace gpuplan
