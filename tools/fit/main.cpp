// Fits the constants of a model to measured runs: of training, or of generation when the table is one of generation.
//
//   gpuplan_fit RUNS.csv [--data DIR] [--parameters FILE] [--leave-out] [--write] [--rows]
//
// Prints each constant before and after and the errors of the runs; --leave-out fits again without each source and
// prints the errors of the runs left out; --rows prints every run; --write puts the results into DIR (constants, and
// with --leave-out what came out without each source).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "base/text.h"
#include "evidence/validation/generation_prediction.h"
#include "facts/data_folder.h"
#include "fit/report.h"
#include "fit/solve.h"
#include "input/measured/generation_run_table.h"
#include "input/measured/run_table.h"

namespace gpuplan::fit {
namespace {

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

/// A row for each constant and source left out.
std::string left_out_text(const std::vector<Parameter>& parameters, const std::map<std::string, Solution>& folds) {
  std::string text = "source,table,row,column,value\n";
  for (const auto& [source, fold] : folds)
    for (std::size_t i = 0; i < parameters.size(); ++i)
      text += source + "," + parameters[i].address.table + "," + parameters[i].address.row + "," +
              parameters[i].address.column + "," + significant_text(fold.values[i], 4) + "\n";
  return text;
}

/// What a fit of one model reads and writes.
struct Subject {
  Evidence evidence;
  std::vector<std::string> ids;
  std::string name;                 ///< of its files here
  std::vector<const char*> tables;  ///< that its parameters lie in
  const char* left_out = "";
};

Subject training(const Catalogue& catalogue, const std::string& text, const std::string& file) {
  const auto table = std::make_shared<RunTable>(facts::value_or_throw(read_training_runs(text, file, catalogue)));
  Subject subject{.evidence = {},
                  .ids = {},
                  .name = "training",
                  .tables = {"training_constants", "efficiency", "training_software"},
                  .left_out = "left_out"};
  for (const TrainingRun& one : table->runs) {
    subject.evidence.sources.push_back(one.source);
    subject.ids.push_back(one.id);
  }
  subject.evidence.predict = [table](const Catalogue& with, std::size_t at) {
    return predict_run(with, table->runs[at]);
  };
  return subject;
}

Subject generation(const Catalogue& catalogue, const std::string& text, const std::string& file) {
  const auto table =
      std::make_shared<GenerationRunTable>(facts::value_or_throw(read_generation_runs(text, file, catalogue)));
  const auto prepared = std::make_shared<std::vector<std::unique_ptr<PreparedGeneration>>>();
  Subject subject{.evidence = {},
                  .ids = {},
                  .name = "generation",
                  .tables = {"generation_constants", "engines"},
                  .left_out = "left_out_generation"};
  for (const GenerationRun& one : table->runs) {
    if (!one.distrust.empty()) continue;
    subject.evidence.sources.push_back(one.source);
    subject.ids.push_back(one.id);
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
  const Subject subject = (generates ? generation : training)(catalogue, text, arguments.runs);
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
  const Solution all = solve(catalogue, evidence, parameters, start, "", 25);
  print_parameters(parameters, start, all.values);
  print_errors("fitted", evidence, residuals(with_values(catalogue, parameters, all.values), evidence, ""));
  if (arguments.rows && !arguments.leave_out)
    print_rows(subject, residuals(with_values(catalogue, parameters, all.values), evidence, ""));
  if (arguments.write)
    for (const char* name : subject.tables) save_values(arguments.data, name, parameters, all.values);
  if (!arguments.leave_out) return 0;

  std::set<std::string> sources;
  sources.insert(evidence.sources.begin(), evidence.sources.end());
  std::map<std::string, Solution> folds;
  std::vector<Residual> out;
  std::vector<std::pair<std::string, std::future<Solution>>> jobs;
  for (const std::string& source : sources)
    jobs.emplace_back(source, std::async(std::launch::async, [&, source] {
                        return solve(catalogue, evidence, parameters, all.values, source, 8);
                      }));
  for (auto& [source, job] : jobs) {
    const Solution fold = job.get();
    for (const Residual& one : residuals(with_values(catalogue, parameters, fold.values), evidence, ""))
      if (evidence.sources[one.run] == source) out.push_back(one);
    folds[source] = fold;
  }
  print_errors("left out", evidence, out);
  if (arguments.rows) print_rows(subject, out);
  if (arguments.write)
    facts::replace_file(arguments.data + "/measured/" + subject.left_out + ".csv", left_out_text(parameters, folds));
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
