// Fits the constants of a model to measured runs: of training, or of generation when the table is one of generation.
//
//   gpuplan_fit RUNS.csv [--data DIR] [--parameters FILE] [--leave-out] [--write] [--rows]
//
// Prints each constant before and after and the errors of the runs; --leave-out fits again without each publisher, from
// the priors, and prints the errors of the runs left out; --rows prints every run; --write puts the results into DIR
// (constants, how many publishers measured what, and with --leave-out what came out without each source).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>

#include "base/text.h"
#include "evidence/validation/generation_prediction.h"
#include "evidence/validation/publishers.h"
#include "facts/data_folder.h"
#include "fit/report.h"
#include "fit/solve.h"
#include "input/measured/generation_run_table.h"
#include "input/measured/run_table.h"
#include "input/text/csv.h"

namespace gpuplan::fit {
namespace {

constexpr int kMostSteps = 60;

struct Arguments {
  std::string runs, data = "data", parameters;
  bool leave_out = false, write = false, rows = false;
};

Arguments read_arguments(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&] { return i + 1 < count ? std::string(words[++i]) : std::string(); };
    if (word == "--data") arguments.data = next();
    else if (word == "--parameters") arguments.parameters = next();
    else if (word == "--leave-out") arguments.leave_out = true;
    else if (word == "--write") arguments.write = true;
    else if (word == "--rows") arguments.rows = true;
    else arguments.runs = word;
  }
  if (arguments.runs.empty()) {
    std::fprintf(stderr,
                 "usage: gpuplan_fit RUNS.csv [--data DIR] [--parameters FILE] [--leave-out] [--write] [--rows]\n");
    std::exit(2);
  }
  return arguments;
}

/// Publishers by source: those in `text`, a table, and for other sources the source itself.
std::map<std::string, std::string> publishers_of(const std::string& text, const std::string& file) {
  const CsvTable table = facts::value_or_throw(CsvTable::parse(text, file));
  CsvReader cells(table);
  const auto source = cells.column("source"), publisher = cells.column("publisher");
  std::map<std::string, std::string> found;
  for (std::size_t row = 0; row < table.rows(); ++row)
    found[std::string(cells.required(row, source))] = cells.required(row, publisher);
  if (!cells.ok()) throw std::runtime_error(cells.error()->message);
  return found;
}

/// What a fit of one model reads and writes.
struct Subject {
  Evidence evidence;
  std::vector<std::string> ids, gpus, frameworks;
  std::string name;  ///< of its files here
  const char* left_out = "";

  std::vector<FittedNumber> count(const Catalogue& catalogue, std::string_view without) const {
    std::vector<PublishedRun> runs;
    for (std::size_t i = 0; i < ids.size(); ++i) runs.push_back({gpus[i], frameworks[i], evidence.publishers[i]});
    return count_publishers(catalogue, runs, name == "training", without);
  }
  void add(const MeasuredRun& run) {
    evidence.sources.push_back(run.source);
    ids.push_back(run.id);
    gpus.push_back(run.gpu);
    frameworks.push_back(run.framework);
  }
};

/// A row for each source and constant, fitted without its publisher, and for what fewer publishers have measured then.
std::string left_out_text(const Catalogue& catalogue, const Subject& subject, const std::vector<Parameter>& parameters,
                          const std::map<std::string, Solution>& folds) {
  const Evidence& evidence = subject.evidence;
  const std::vector<FittedNumber> all = subject.count(catalogue, "");
  std::string text = "source,table,row,column,value\n";
  const auto add = [&](const std::string& source, const FittedAddress& at, double value) {
    text += source + "," + at.table + "," + at.row + "," + at.column + "," + significant_text(value, 4) + "\n";
  };
  std::map<std::string, std::string> publisher;
  for (std::size_t i = 0; i < evidence.sources.size(); ++i) publisher[evidence.sources[i]] = evidence.publishers[i];
  for (const auto& [source, whose] : publisher) {
    const Solution& fold = folds.at(whose);
    for (std::size_t i = 0; i < parameters.size(); ++i) add(source, parameters[i].address, fold.values[i]);
    const std::vector<FittedNumber> others = subject.count(catalogue, whose);
    for (std::size_t i = 0; i < all.size(); ++i)
      if (others[i] != all[i]) add(source, others[i].address, others[i].value);
  }
  return text;
}

Subject training(const Catalogue& catalogue, const std::string& text, const std::string& file) {
  const auto table = std::make_shared<RunTable>(facts::value_or_throw(read_training_runs(text, file, catalogue)));
  Subject subject{.evidence = {}, .ids = {}, .gpus = {}, .frameworks = {}, .name = "training", .left_out = "left_out"};
  for (const TrainingRun& one : table->runs) subject.add(one);
  subject.evidence.predict = [table](const Catalogue& with, std::size_t at) {
    return predict_run(with, table->runs[at]);
  };
  return subject;
}

Subject generation(const Catalogue& catalogue, const std::string& text, const std::string& file) {
  const auto table =
      std::make_shared<GenerationRunTable>(facts::value_or_throw(read_generation_runs(text, file, catalogue)));
  const auto prepared = std::make_shared<std::vector<std::unique_ptr<PreparedGeneration>>>();
  Subject subject{
      .evidence = {}, .ids = {}, .gpus = {}, .frameworks = {}, .name = "generation", .left_out = "left_out_generation"};
  for (const GenerationRun& one : table->runs) {
    if (!one.distrust.empty()) continue;
    subject.add(one);
    prepared->push_back(std::make_unique<PreparedGeneration>(catalogue, one));
  }
  subject.evidence.predict = [table, prepared](const Catalogue& with, std::size_t at) {
    return (*prepared)[at]->predict(with);
  };
  return subject;
}

void print_rows(const Subject& subject, const std::vector<Residual>& errors) {
  for (const Residual& one : errors)
    std::printf("row %-24s %-12s %+7.3f\n", subject.ids[one.run].c_str(), std::string(name_of(one.kind)).c_str(),
                one.error);
}

int run(Arguments arguments) {
  const Catalogue catalogue = facts::read_catalogue(arguments.data);
  const std::string text = facts::file_text(arguments.runs);
  const bool generates = text.substr(0, text.find('\n')).find("input_tokens") != std::string::npos;
  Subject subject = (generates ? generation : training)(catalogue, text, arguments.runs);
  const std::string publishers = arguments.data + "/measured/publishers.csv";
  const std::map<std::string, std::string> published = publishers_of(facts::file_text(publishers), publishers);
  for (const std::string& source : subject.evidence.sources) {
    const auto found = published.find(source);
    subject.evidence.publishers.push_back(found != published.end() ? found->second : source);
  }
  const Evidence& evidence = subject.evidence;
  if (arguments.parameters.empty()) arguments.parameters = "tools/fit/" + subject.name + "_parameters.csv";
  std::vector<Parameter> parameters =
      facts::value_or_throw(read_parameters(facts::file_text(arguments.parameters), arguments.parameters));
  std::vector<double> start;
  Catalogue copy = catalogue;
  for (const Parameter& parameter : parameters) {
    const double* value = fitted_value(copy, parameter.address);
    if (value == nullptr) {
      std::fprintf(stderr, "%s: nothing is at %s, %s, %s\n", arguments.parameters.c_str(),
                   parameter.address.table.c_str(), parameter.address.row.c_str(), parameter.address.column.c_str());
      return 5;
    }
    start.push_back(*value);
  }
  print_errors("as it stands", evidence, residuals(catalogue, evidence, ""));
  const Solution all = solve(catalogue, evidence, parameters, start, "", kMostSteps);
  print_parameters(parameters, start, all.values);
  print_errors("fitted", evidence, residuals(with_values(catalogue, parameters, all.values), evidence, ""));
  if (arguments.rows && !arguments.leave_out)
    print_rows(subject, residuals(with_values(catalogue, parameters, all.values), evidence, ""));
  if (arguments.write) {
    std::vector<FittedNumber> numbers = subject.count(catalogue, "");
    for (std::size_t i = 0; i < parameters.size(); ++i) numbers.push_back({parameters[i].address, all.values[i]});
    save_values(arguments.data, numbers);
  }
  if (!arguments.leave_out) return 0;

  // From the priors, which know nothing of any run: a fit that starts at what all runs agreed on stays near it.
  std::vector<double> priors;
  for (const Parameter& parameter : parameters) priors.push_back(parameter.prior);
  const std::set<std::string> publishers_left_out(evidence.publishers.begin(), evidence.publishers.end());
  std::map<std::string, Solution> folds;
  std::vector<Residual> out;
  std::vector<std::pair<std::string, std::future<Solution>>> jobs;
  for (const std::string& publisher : publishers_left_out)
    jobs.emplace_back(publisher, std::async(std::launch::async, [&, publisher] {
                        return solve(catalogue, evidence, parameters, priors, publisher, kMostSteps);
                      }));
  for (auto& [publisher, job] : jobs) {
    const Solution fold = job.get();
    for (const Residual& one : residuals(with_values(catalogue, parameters, fold.values), evidence, ""))
      if (evidence.publishers[one.run] == publisher) out.push_back(one);
    folds[publisher] = fold;
  }
  print_errors("left out", evidence, out);
  if (arguments.rows) print_rows(subject, out);
  if (arguments.write)
    facts::replace_file(arguments.data + "/measured/" + subject.left_out + ".csv",
                        left_out_text(catalogue, subject, parameters, folds));
  return 0;
}

}  // namespace
}  // namespace gpuplan::fit

int main(int count, char** words) {
  try {
    return gpuplan::fit::run(gpuplan::fit::read_arguments(count, words));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpuplan_fit: %s\n", error.what());
    return 5;
  }
}
