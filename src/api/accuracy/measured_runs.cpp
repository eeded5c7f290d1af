#include "api/accuracy/measured_runs.h"

#include "base/text.h"
#include "input/measured/first_contact_table.h"
#include "input/measured/generation_run_table.h"
#include "input/measured/left_out_table.h"
#include "input/measured/publications.h"
#include "input/measured/run_table.h"
#include "input/text/embedded_data.h"

namespace gpuplan::api {
namespace {

constexpr std::string_view kTraining = "measured/train_runs.csv", kGeneration = "measured/infer_runs.csv";
/// Constants fitted without each source, of training and of generation.
constexpr std::string_view kLeftOut[] = {"measured/left_out.csv", "measured/left_out_generation.csv"};

constexpr std::string_view kFirstContact = "measured/first_contact.csv";

std::string data_file(std::string_view file) { return "data/" + std::string(file); }

/// Whether the head of a table is that of generation runs: those have memory in common with training runs.
bool holds_generation_runs(std::string_view text) {
  const std::string_view head = text.substr(0, text.find_first_of("\r\n"));
  const std::vector<std::string_view> names = split(head, ',');
  const auto has = [&](std::string_view name) {
    return std::ranges::any_of(names, [&](std::string_view each) { return squeeze(each) == squeeze(name); });
  };
  if (has("step_seconds") || has("tokens_per_second_per_gpu")) return false;
  for (const std::string_view own : {"mode", "output_tokens_per_second", "total_tokens_per_second",
                                     "prefill_tokens_per_second", "ttft_ms", "tpot_ms"})
    if (has(own)) return true;
  return has("input_tokens") && has("output_tokens");
}

/// Adds the runs of a table of that kind.
template <class Run, class Read>
Result<void> add(std::string_view text, const std::string& name, const Catalogue& catalogue, const Read& read,
                 std::vector<Run>& to, std::vector<Error>& bad_lines) {
  auto table = read(text, name, catalogue);
  if (!table) return std::unexpected(std::move(table.error()));
  to = std::move(table->runs);
  bad_lines.insert(bad_lines.end(), table->bad_lines.begin(), table->bad_lines.end());
  return {};
}
Result<void> add_training(std::string_view text, const std::string& name, const Catalogue& catalogue,
                          MeasuredRuns& runs) {
  return add(text, name, catalogue, read_training_runs, runs.training, runs.bad_lines);
}
Result<void> add_generation(std::string_view text, const std::string& name, const Catalogue& catalogue,
                            MeasuredRuns& runs) {
  return add(text, name, catalogue, read_generation_runs, runs.generation, runs.bad_lines);
}

}  // namespace

Result<MeasuredRuns> built_in_runs(std::string_view kind, const Catalogue& catalogue) {
  if (embedded_data(kTraining).empty())
    return failure("no measured runs in this build (" + data_file(kTraining) + "); give a CSV of runs");
  MeasuredRuns runs;
  if (kind != "generation")
    if (auto added = add_training(embedded_data(kTraining), data_file(kTraining), catalogue, runs); !added)
      return std::unexpected(std::move(added.error()));
  if (kind != "training")
    if (auto added = add_generation(embedded_data(kGeneration), data_file(kGeneration), catalogue, runs); !added)
      return std::unexpected(std::move(added.error()));
  return runs;
}

Result<MeasuredRuns> read_measured_runs(const NamedText& table, std::string_view kind, const Catalogue& catalogue) {
  MeasuredRuns runs;
  runs.name = table.name;
  const bool generation = kind.empty() ? holds_generation_runs(table.text) : kind == "generation";
  auto added = generation ? add_generation(table.text, table.name, catalogue, runs)
                          : add_training(table.text, table.name, catalogue, runs);
  if (!added) return std::unexpected(std::move(added.error()));
  if (runs.empty() && runs.bad_lines.empty())
    return failure("no runs; expected a header and a row per run", {table.name});
  return runs;
}

bool has_left_out() { return !embedded_data(kLeftOut[0]).empty(); }

Result<LeftOut> built_in_left_out(const Catalogue& catalogue) {
  std::vector<LeftOutValue> all;
  for (const std::string_view file : kLeftOut) {
    if (embedded_data(file).empty()) continue;
    auto values = read_left_out(embedded_data(file), data_file(file));
    if (!values) return std::unexpected(std::move(values.error()));
    all.insert(all.end(), values->begin(), values->end());
  }
  if (all.empty())
    return failure("this build has no constants fitted without each source (" + data_file(kLeftOut[0]) +
                   "); build it with that file, or remove --left-out");
  return LeftOut(catalogue, all);
}

bool has_first_contact() { return !embedded_data(kFirstContact).empty(); }

Result<std::vector<ContactFigure>> built_in_first_contact() {
  if (embedded_data(kFirstContact).empty())
    return failure("this build has no predictions made at first contact (" + data_file(kFirstContact) +
                   "); build it with that file, or remove --first-contact");
  return read_first_contact(embedded_data(kFirstContact), data_file(kFirstContact));
}

Result<std::vector<std::pair<std::string, std::string>>> built_in_publications() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string_view table : {kTraining, kGeneration}) {
    auto publications = read_publications(embedded_data(table), table);
    if (!publications) return std::unexpected(std::move(publications.error()));
    all.insert(all.end(), publications->begin(), publications->end());
  }
  return all;
}

}  // namespace gpuplan::api
