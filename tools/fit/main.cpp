// Fits the constants of the training model to measured runs.
//
//   gpuplan_fit RUNS.csv [--data DIR] [--parameters FILE] [--spread FILE] [--leave-out] [--write]
//
// Prints each constant before and after and the errors of the runs; --leave-out fits again without each source and
// prints the errors of the runs left out; --write puts the results into DIR (constants, and with --leave-out
// measured/left_out.csv).
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <future>
#include <map>
#include <set>
#include <string>

#include "base/text.h"
#include "facts/data_folder.h"
#include "fit/report.h"
#include "fit/solve.h"
#include "fit/spread.h"
#include "input/run_table.h"

namespace gpuplan::fit {
namespace {

struct Arguments {
  std::string runs, data = "data", parameters = "tools/fit/parameters.csv", spread = "tools/fit/spread.csv";
  bool leave_out = false, write = false;
};

Arguments read_arguments(int count, char** words) {
  Arguments arguments;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    const auto next = [&] { return i + 1 < count ? std::string(words[++i]) : std::string(); };
    if (word == "--data") arguments.data = next();
    else if (word == "--parameters") arguments.parameters = next();
    else if (word == "--spread") arguments.spread = next();
    else if (word == "--leave-out") arguments.leave_out = true;
    else if (word == "--write") arguments.write = true;
    else arguments.runs = word;
  }
  if (arguments.runs.empty()) {
    std::fprintf(
        stderr,
        "usage: gpuplan_fit RUNS.csv [--data DIR] [--parameters FILE] [--spread FILE] [--leave-out] [--write]\n");
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

int run(const Arguments& arguments) {
  const Catalogue catalogue = facts::read_catalogue(arguments.data);
  const RunTable table =
      facts::value_or_throw(read_training_runs(facts::file_text(arguments.runs), arguments.runs, catalogue));
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
  print_errors("as it stands", table.runs, residuals(catalogue, table.runs, ""));
  const Solution all = solve(catalogue, table.runs, parameters, start, "", 25);
  print_parameters(parameters, start, all.values);
  print_errors("fitted", table.runs, residuals(with_values(catalogue, parameters, all.values), table.runs, ""));
  if (arguments.write)
    for (const char* name : {"training_constants", "efficiency", "training_software"})
      save_values(arguments.data, name, parameters, all.values);
  if (!arguments.leave_out) return 0;

  std::set<std::string> sources;
  for (const TrainingRun& one : table.runs) sources.insert(one.source);
  std::map<std::string, Solution> folds;
  std::vector<Residual> out;
  std::vector<std::pair<std::string, std::future<Solution>>> jobs;
  for (const std::string& source : sources)
    jobs.emplace_back(source, std::async(std::launch::async, [&, source] {
                        return solve(catalogue, table.runs, parameters, all.values, source, 8);
                      }));
  for (auto& [source, job] : jobs) {
    const Solution fold = job.get();
    for (const Residual& one : residuals(with_values(catalogue, parameters, fold.values), table.runs, ""))
      if (table.runs[one.run].source == source) out.push_back(one);
    folds[source] = fold;
  }
  print_errors("left out", table.runs, out);
  const auto widths = facts::value_or_throw(read_parameters(facts::file_text(arguments.spread), arguments.spread));
  std::vector<double> before;
  Catalogue fitted = with_values(catalogue, parameters, all.values);
  for (const Parameter& parameter : widths) before.push_back(*fitted_value(fitted, parameter.address));
  weigh(table.runs, out);
  const std::vector<double> after = fit_spread(fitted, table.runs, out, widths);
  print_parameters(widths, before, after);
  print_coverage(with_values(fitted, widths, after), table.runs, out);
  if (arguments.write) {
    save_values(arguments.data, "training_constants", widths, after);
    facts::replace_file(arguments.data + "/measured/left_out.csv", left_out_text(parameters, folds));
  }
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
