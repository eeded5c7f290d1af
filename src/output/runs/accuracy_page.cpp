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
         prose("Compared are " + std::to_string(count_runs(page, true)) + " training runs and " +
               std::to_string(count_runs(page, false)) + " runs of generation that others measured and published (" +
               std::to_string(page.publications.size()) +
               " sources, [listed below](#sources)). A prediction gets a run's configuration and nothing else.");
}

bool is_training(Judged what) { return std::ranges::find(kTrainingFigures, what) != kTrainingFigures.end(); }

/// Predictions of runs whose source had no part in the fit, where they are known.
const ValidationReport& unseen(const AccuracyPage& page) {
  return page.left_out != nullptr ? *page.left_out : *page.fitted;
}

/// "11% / 38% / 74%": the middle source's error, what nine of ten stay below, and what ranges hold.
std::string three(bool known, double error, double p90, double inside) {
  if (!known) return kNoValue;
  return error_text(error) + " / " + error_text(p90) + " / " + percent(inside);
}
std::string three(const Headline& h) { return three(h.predicted > 0, h.source_median, h.all.p90, h.source_inside); }

const std::vector<RunPair>* pairs_in(const ValidationReport& report, ErrorFigure figure) {
  const auto at = std::ranges::find(report.pairs, figure, &FigurePairs::figure);
  return at != report.pairs.end() ? &at->pairs : nullptr;
}

/// The four ways to ask, a column each.
std::string in_short(const AccuracyPage& page) {
  const ValidationReport& report = unseen(page);
  std::vector<Column> columns = {{.title = "Error, median / P90 / in range"}};
  for (const char* title : {"First contact", "Pairs", "After one own run", "Source left out"})
    columns.push_back({.title = title, .align = Align::kRight});
  Table table(std::move(columns));
  for (const ErrorFigure figure : figures_of(*page.fitted)) {
    std::vector<Cell> row = {Cell(upper_first(std::string(figure_words(figure))))};
    row.emplace_back(page.contact != nullptr ? three(headline(page.contact->then, figure)) : std::string(kNoValue));
    const auto* pairs = pairs_in(report, figure);
    const PairSums sums = pairs != nullptr ? pair_sums(report.runs, *pairs) : PairSums{};
    row.emplace_back(three(sums.pairs > 0, sums.source_median, sums.p90, sums.source_inside));
    const auto own = std::ranges::find_if(
        report.own, [&](const FigureOwnRuns& each) { return each.figure == figure && each.sums.own == 1; });
    row.emplace_back(own != report.own.end() && own->sums.sources > 0
                         ? three(true, own->sums.after, own->sums.p90, own->sums.inside)
                         : std::string(kNoValue));
    row.emplace_back(three(headline(report.runs, figure)));
    table.add(std::move(row));
  }
  return table.text(kPage, 0) + "\n" +
         prose(
             "* **First contact**: runs of sources that no version had seen, predicted before anybody looked. This is "
             "what to expect of a first plan.\n"
             "* **Pairs**: two runs of one source and model, predicted ratio against measured ratio. This is what to "
             "expect when plans for one job are compared.\n"
             "* **After one own run**: the other runs of a source once any one of them is known.\n"
             "* **Source left out**: each source predicted with constants fitted to all the others; the form of the "
             "model was chosen with it in sight.") +
         prose(
             "An error of 10% is a factor of 1.1 too high or too low. The median counts every source alike, P90 is "
             "that "
             "of all runs, and *in range* is the share within the predicted P10–P90, which should be 80%.");
}

std::string fits_chapter(const AccuracyPage& page) {
  const std::string words = fits_words(unseen(page));
  if (words.empty()) return "";
  return chapter("Is \"fits\" right?") +
         prose(words +
               " A plan \"fits\" when its P90 does, so the second figure is how often a layout that works is not "
               "offered. Runs whose batch is whatever fits are not counted. No source publishes configurations that "
               "ran out of memory, so how often \"fits\" is wrong the other way is told by the share above P90 in the "
               "tables of memory below.");
}

std::string contact_chapter(const AccuracyPage& page) {
  if (page.contact == nullptr) return "";
  const FirstContact& contact = *page.contact;
  std::string text = chapter("First contact");
  text += prose(
      "An honest test of predictions and ranges can be made once for each source: when its runs are new to the program "
      "and to those who write it. " +
      upper_first(contact_words(contact)) +
      ". `data/measured/first_contact.csv` keeps those predictions with the version of each; building that version and "
      "predicting the same rows repeats them. *Today* is the present version, made with these runs in "
      "sight: no test any more.");
  text += contact_table(contact, figures_of(*page.fitted)).text(kPage, 0) + "\n";
  if (!contact.lost.empty())
    text += prose("Met, and no longer in the tables of runs: " + markdown_text(join(contact.lost, ", ")) + ".");
  return text;
}

std::string pairs_chapter(const AccuracyPage& page) {
  return chapter("Pairs") +
         prose(
             "What a source has of its own is in both runs of a pair and cancels. The difference is the first of: GPU, "
             "number of GPUs, layout or software (degrees, sharding, checkpointing, precision, offload, attention, "
             "compile, framework), batch or length. *Order right*: of pairs whose times per token (or memory) differ "
             "by "
             "more than 15%, those whose faster (or smaller) run was predicted to be that. Of each source and model at "
             "most 300 pairs count, spread evenly.") +
         pair_table(unseen(page)).text(kPage, 0) + "\n";
}

/// The gain where it is wanted: a site that nobody has seen.
std::string own_runs_at_first_contact(const AccuracyPage& page) {
  if (page.contact_own.empty()) return "";
  return prose(
             "The same of first contact: errors are those of the predictions made before anybody had looked, and what "
             "an own run teaches is what this version learns of it. Where a source has been in sight, as above, its "
             "common error is gone before the first own run, and an own run has less to teach. Faults of those "
             "versions that this one has not are in the errors.") +
         own_run_table(page.contact_own).text(kPage, 0) + "\n";
}

std::string own_runs_chapter(const AccuracyPage& page) {
  return chapter("After own runs") +
         prose(
             "Each source is one cluster of its own: some of its runs are known, its others are predicted. "
             "Any "
             "one run is taken in turn, of two and four 50 draws, odd ones among them. The share of a run's error that "
             "others have too is learned, the rest is not.") +
         own_run_table(unseen(page).own).text(kPage, 0) + "\n" + own_runs_at_first_contact(page);
}

/// A row for each kind of figure.
std::string left_out_chapter(const AccuracyPage& page) {
  const bool both = page.left_out != nullptr;
  const std::string suffix = both ? ", left out" : "";
  std::vector<Column> columns = {{.title = "Metric"}};
  for (const char* title : {"Runs", "Refused", "Sources", "Error, fitted"})
    columns.push_back({.title = title, .align = Align::kRight});
  if (both) columns.push_back({.title = "Error, left out", .align = Align::kRight});
  for (const char* title : {"P90", "Bias", "In range, of sources", "In range, of runs", "Above P90"})
    columns.push_back({.title = title + suffix, .align = Align::kRight});
  Table table(std::move(columns));
  for (const Judged what : page.fitted->judged) {
    const Headline fitted = headline(page.fitted->runs, what);
    if (fitted.stated == 0) continue;
    const Headline shown = headline(unseen(page).runs, what);
    const bool known = shown.predicted > 0;
    const auto cell = [&](const std::string& text) { return Cell(known ? text : std::string(kNoValue)); };
    const std::size_t refused = fitted.stated - fitted.predicted;
    std::vector<Cell> row = {Cell(upper_first(std::string(judged_words(what)))), Cell(std::to_string(fitted.stated)),
                             Cell(refused > 0 ? std::to_string(refused) : ""), Cell(std::to_string(fitted.sources)),
                             cell(error_text(fitted.source_median))};
    if (both) row.push_back(cell(error_text(shown.source_median)));
    row.push_back(cell(error_text(shown.all.p90)));
    row.push_back(cell(signed_error_text(shown.all.bias)));
    row.push_back(cell(percent(shown.source_inside)));
    row.push_back(cell(percent(shown.all.inside)));
    row.push_back(cell(percent(shown.all.above)));
    table.add(std::move(row));
  }
  return chapter(both ? "Sources left out" : "As fitted") + table.text(kPage, 0) + "\n";
}

std::string how_figures_are_made() {
  return chapter("How the figures are made") +
         prose(
             "`gpuplan validate --report` prints this page; `./test readme` checks that it is up to date. `gpuplan "
             "validate` shows the same figures on a terminal (`--first-contact`, `--pairs`, `--calibrate N`, "
             "`--left-out`, `--by GROUP`), `--explain RUN` every term of one run, and `gpuplan validate RUNS.csv` does "
             "the same with runs of your own.") +
         prose(
             "* **Error** is |ln(predicted / measured)|, shown in percent. Too much and too little count alike. "
             "**Bias** "
             "keeps the sign: + means predicted too slow or too large.\n"
             "* **Sources alike**: the median error of each source first, then the median of those; of coverage the "
             "mean. A source of 200 runs counts as much as one of four.\n"
             "* **Training time**: a run counts once, by the seconds of a step where the source states them, else by "
             "its tokens per second and GPU.\n"
             "* **Generation tokens/s**: generated tokens, of single requests, fixed batches, saturated servers and "
             "servers with N concurrent requests. *Prefill* is reading prompts with nothing else under way, as a rate "
             "or as the time to the first token.\n"
             "* **Memory** is compared with what the source counted: allocated, reserved, or as the driver sees it. "
             "Where it does not say, reserved is taken.");
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

/// What tells a reader most; the others are on the terminal.
constexpr Grouping kShown[] = {Grouping::kSource, Grouping::kGpu, Grouping::kRegime};

std::string groups(const AccuracyPage& page) {
  std::string text;
  for (const Judged what : page.fitted->judged) {
    if (headline(page.fitted->runs, what).stated == 0) continue;
    text += chapter(upper_first(std::string(judged_words(what))) + ", by group");
    for (const Grouping grouping : kShown) {
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
  const ValidationReport& report = unseen(page);
  std::string text = chapter("Farthest off");
  text += prose(page.left_out != nullptr ? "With the constants fitted without their source."
                                         : "With the constants in `data/`.");
  for (const Judged what : report.judged) {
    auto order = worst_first(report.runs, what);
    if (order.empty()) continue;
    const std::size_t most = is_training(what) ? 8 : 4;
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
  return tidy_markdown(introduction(page) + in_short(page) + fits_chapter(page) + contact_chapter(page) +
                       pairs_chapter(page) + own_runs_chapter(page) + left_out_chapter(page) + what_it_does_not_show() +
                       how_figures_are_made() + what_is_fitted(page) + groups(page) + not_predicted(page) +
                       farthest_off(page) + sources(page));
}

}  // namespace gpuplan
