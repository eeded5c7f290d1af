// The tables of `gpuplan profiles`: a row for each profile.
#include <algorithm>

#include "base/text.h"
#include "output/questions/profiles_report.h"
#include "output/words/plan_words.h"
#include "plan/capacity/largest_batch.h"

namespace gpuplan {
namespace {

constexpr const char* kNo = "no";

bool runs(const Profile& profile) { return profile.best.has_value(); }

/// What the samples or tokens of a phase's work come to in a second, without the share of overhead.
Interval<double> rate(const PhaseEstimate& estimate, double amount) {
  const double unshared = 1 + estimate.overhead_share;
  const auto at = [&](Seconds time) { return time > Seconds{} ? amount * unshared / time.value : 0; };
  return {at(estimate.work.p90), at(estimate.work.p50), at(estimate.work.p10)};
}

/// Samples where the job counts them, else tokens.
bool counts_samples(const Phase& phase) {
  const auto* train = std::get_if<TrainPhase>(&phase.work);
  return train != nullptr && !train->data.tokens;
}

std::string spread_words(const Interval<double>& amount) { return rate_text(amount.p10) + "–" + rate_text(amount.p90); }

std::string strategy_cell(const PhaseEstimate& estimate) {
  const Strategy& s = estimate.strategy;
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (s.dp > 1) add("dp " + std::to_string(s.dp));
  if (s.tp > 1) add("tp " + std::to_string(s.tp));
  if (s.pp > 1) add("pp " + std::to_string(s.pp));
  if (s.cp > 1) add("cp " + std::to_string(s.cp));
  if (s.ep > 1) add("ep " + std::to_string(s.ep));
  if (s.sharding != Sharding::kNone) add(std::string(name_of(s.sharding)));
  return text.empty() ? "1 GPU" : text;
}

std::string needs_text(const Profile& profile) {
  const Bytes usable = profile.machines.node.gpu->usable;
  if (profile.best) return gib_text(profile.best->memory_total.p50) + " of " + gib_text(usable);
  return profile.tally.nearest.phase >= 0 ? gib_text(profile.tally.nearest.needed) + " of " + gib_text(usable) : "";
}

Cell yes_no(bool yes) { return {yes ? "yes" : kNo, yes ? Paint::kPlain : Paint::kDim}; }

Cell number(double value, const std::string& text) { return {value, text}; }
Cell whole_cell(double value) { return {value, count_text(value)}; }

/// The columns at the end that training and generation share.
void add_ends(std::vector<Column>& columns, bool samples) {
  columns.push_back({.title = "MEMORY PER GPU", .align = Align::kRight, .around = " of ", .unit = "GiB"});
  columns.push_back({.title = "P10–P90", .align = Align::kRight, .drop = 12, .unit = "GiB"});
  columns.push_back({.title = "USED", .align = Align::kRight, .drop = 3, .key = "used_share"});
  columns.push_back({.title = "MAX BATCH", .align = Align::kRight, .drop = 1, .key = "largest_at_once"});
  columns.push_back({.title = samples ? "SAMPLES/S" : "TOKENS/S", .align = Align::kRight});
  columns.push_back({.title = "P10–P90", .align = Align::kRight, .drop = 11});
  columns.push_back({.title = "NOTE", .drop = 13, .narrowest = 28, .wrap = true, .key = "remarks"});
  for (const char* key :
       {"gpu", "gpus", "nodes", "picked", "fit", "framework", "evidence", "memory_gib_p10", "memory_gib_p50",
        "memory_gib_p90", "usable_gib", "samples_per_second_p10", "samples_per_second_p50", "samples_per_second_p90",
        "tokens_per_second_p10", "tokens_per_second_p50", "tokens_per_second_p90", "larger_at_once", "larger_gain"})
    columns.push_back({.title = "", .key = key});
}

void add_interval(std::vector<Cell>& row, const Interval<double>& amount) {
  for (const double value : {amount.p10, amount.p50, amount.p90}) row.emplace_back(value);
}

/// Nothing where the engine takes as many as there is room for anyway.
Cell largest_cell(const Profile& profile, bool fills) {
  if (profile.largest == 0) return {"OOM risk", Paint::kYellow};
  return fills ? Cell() : whole_cell(profile.largest);
}

void add_row_ends(std::vector<Cell>& row, const Profile& profile, bool samples, bool picked, bool fills) {
  const Gpu& gpu = *profile.machines.node.gpu;
  const bool tight = !profile.best || profile.best->fit == Fit::kTight;
  row.push_back({needs_text(profile), tight ? Paint::kYellow : Paint::kPlain});
  const std::string words = remark_words(profile);
  const Paint paint = tight ? Paint::kYellow : Paint::kDim;
  if (!profile.best) {
    for (int i = 0; i < 5; ++i) row.emplace_back();
    row.push_back({words, paint});
    row.push_back({gpu.name});
    row.emplace_back(profile.machines.gpus);
    row.emplace_back(profile.machines.nodes);
    return;
  }
  const PhaseEstimate& best = *profile.best;
  const Interval<double> all_samples = rate(best, best.units);
  const Interval<double> all_tokens = rate(best, best.tokens);
  const Interval<double>& shown = samples ? all_samples : all_tokens;
  row.push_back({gib_text(best.memory_total.p10) + "–" + gib_text(best.memory_total.p90), Paint::kDim});
  row.push_back(number(profile.used(), percent(profile.used())));
  row.push_back(largest_cell(profile, fills));
  row.emplace_back(shown.p50 > 0 ? rate_text(shown.p50) : "");
  row.push_back({shown.p50 > 0 ? spread_words(shown) : "", Paint::kDim});
  row.push_back({words, paint});
  row.push_back({gpu.name});
  row.emplace_back(profile.machines.gpus);
  row.emplace_back(profile.machines.nodes);
  row.emplace_back(picked ? "yes" : kNo);
  row.emplace_back(std::string(name_of(best.fit)));
  row.emplace_back(best.framework != nullptr ? best.framework->name : "");
  row.emplace_back(std::string(name_of(best.evidence)));
  add_interval(row, {best.memory_total.p10 / units::GiB, best.memory_total.p50 / units::GiB,
                     best.memory_total.p90 / units::GiB});
  row.emplace_back(gpu.usable / units::GiB);
  add_interval(row, all_samples);
  add_interval(row, all_tokens);
  if (profile.gain) {
    row.emplace_back(static_cast<double>(profile.largest_tried));
    row.emplace_back(*profile.gain);
  }
}

std::string shown_key(const std::string& key) {
  if (key == "compile") return "compile";
  return key == "recompute" ? "activation checkpointing" : "CPU offload";
}

/// Columns that say the same of every profile that runs are for CSV and JSON only: `common` says it in one sentence.
void merge_equal(std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows,
                 const ProfilesSection& section, std::string& common) {
  std::vector<std::string> words;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    Column& column = columns[c];
    const bool may_merge = column.key == "precision" || column.key == "compile" || column.key == "recompute" ||
                           column.key == "offload" || column.key == "strategy" || column.key == "weights" ||
                           column.key == "placement";
    if (!may_merge) continue;
    const std::string* text = nullptr;
    bool equal = true;
    for (std::size_t r = 0; r < section.found.profiles.size(); ++r) {
      if (!runs(section.found.profiles[r])) continue;
      if (text == nullptr) text = &rows[r][c].text;
      equal = equal && rows[r][c].text == *text;
    }
    if (text == nullptr || !equal) continue;
    column.title.clear();
    if (text->empty()) continue;
    if (*text == kNo) words.push_back("no " + shown_key(column.key));
    else if (*text == "yes") words.emplace_back("compiled");
    else if (column.key == "weights") words.push_back(*text + " weights");
    else if (column.key == "recompute" || column.key == "offload")
      words.push_back(shown_key(column.key) + ": " + *text);
    else words.push_back(*text);
  }
  if (!words.empty()) common = "All: " + join(words, ", ") + ".";
}

/// The table of these rows, in which a column that says the same everywhere is not shown.
Table finished(std::vector<Column> columns, std::vector<std::vector<Cell>> rows, const ProfilesSection& section,
               std::string* common) {
  std::string words;
  merge_equal(columns, rows, section, words);
  if (common != nullptr) *common = std::move(words);
  Table table(std::move(columns));
  for (auto& row : rows) table.add(std::move(row));
  return table;
}

Table training_table(const ProfilesSection& section, bool samples, std::string* common) {
  std::vector<Column> columns = {{.title = "PROFILE"},
                                 {.title = "", .key = "profile"},
                                 {.title = "MICRO-BATCH", .align = Align::kRight, .key = "micro_batch"},
                                 {.title = "GRAD ACCUM", .align = Align::kRight, .drop = 2, .key = "accumulation"},
                                 {.title = "GLOBAL BATCH", .align = Align::kRight, .drop = 4, .key = "batch"},
                                 {.title = "PRECISION", .drop = 7, .key = "precision"},
                                 {.title = "COMPILE", .drop = 7, .key = "compile"},
                                 {.title = "CHECKPOINTING", .drop = 6, .key = "recompute"},
                                 {.title = "CPU OFFLOAD", .drop = 6, .key = "offload"},
                                 {.title = "PARALLELISM", .drop = 5, .key = "strategy"}};
  add_ends(columns, samples);
  std::vector<std::vector<Cell>> rows;
  for (std::size_t i = 0; i < section.found.profiles.size(); ++i) {
    const Profile& profile = section.found.profiles[i];
    const bool picked = section.picked == i;
    const Paint paint = picked ? Paint::kGreen : runs(profile) ? Paint::kPlain : Paint::kDim;
    std::vector<Cell> row = {{profile.name + (picked ? " ✔" : ""), paint}, {profile.name}};
    if (profile.best) {
      const Strategy& s = profile.best->strategy;
      row.push_back(whole_cell(s.micro_batch));
      row.push_back(whole_cell(s.grad_accum));
      row.push_back(whole_cell(profile.best->batch));
      row.emplace_back(std::string(name_of(s.precision)));
      row.push_back(yes_no(s.compile));
      row.emplace_back(s.recompute == Recompute::kNone ? kNo : std::string(name_of(s.recompute)));
      row.emplace_back(s.offload == Offload::kNone ? kNo : std::string(name_of(s.offload)));
      row.emplace_back(strategy_cell(*profile.best));
    } else {
      row.resize(10);
    }
    add_row_ends(row, profile, samples, picked, false);
    rows.push_back(std::move(row));
  }
  const double micro = section.found.cpu.micro_batch;
  std::vector<Cell> cpu = {{kCpuProfile, Paint::kDim},
                           {kCpuProfile},
                           whole_cell(micro),
                           whole_cell(1),
                           whole_cell(micro),
                           {"fp32"},
                           yes_no(false),
                           {kNo},
                           {kNo},
                           {"testing only"}};
  cpu.resize(16);
  cpu.emplace_back("for testing only: no time predicted", Paint::kDim);
  rows.push_back(std::move(cpu));
  return finished(std::move(columns), std::move(rows), section, common);
}

std::string known_ms_text(Seconds time) { return time > Seconds{} ? rate_text(time / units::millisecond) : ""; }

void add_latencies(std::vector<Cell>& row, const PhaseEstimate& best) {
  if (!best.serving) {
    row.resize(row.size() + 2);
    return;
  }
  row.emplace_back(known_ms_text(best.serving->time_to_first_token.p50));
  row.emplace_back(known_ms_text(best.serving->time_per_output_token.p50));
}

void add_serving(std::vector<Cell>& row, const Serving& serving) {
  const auto in_seconds = [](const Interval<Seconds>& time) {
    return Interval<double>{time.p10.value, time.p50.value, time.p90.value};
  };
  add_interval(row, in_seconds(serving.time_to_first_token));
  add_interval(row, in_seconds(serving.time_per_output_token));
  add_interval(row, {serving.processed.p10.value, serving.processed.p50.value, serving.processed.p90.value});
  if (serving.chance) row.emplace_back(*serving.chance);
}

Table generation_table(const ProfilesSection& section, const GeneratePhase& phase, bool fills, std::string* common) {
  std::vector<Column> columns = {
      {.title = "PROFILE"},
      {.title = "", .key = "profile"},
      {.title = "REPLICAS", .align = Align::kRight, .drop = 6, .key = "replicas"},
      {.title = "TP", .align = Align::kRight, .drop = 5, .key = "tp"},
      {.title = "PP", .align = Align::kRight, .drop = 5, .key = "pp"},
      {.title = "BATCH", .align = Align::kRight, .unit = "per replica", .key = "sequences_a_replica"},
      {.title = "CONCURRENCY", .align = Align::kRight, .drop = 8, .unit = "total", .key = "sequences_in_flight"},
      {.title = "WEIGHTS", .drop = 7, .key = "weights"},
      {.title = "KV CACHE", .align = Align::kRight, .drop = 9, .unit = "GiB per GPU", .key = "kv_cache_gib"},
      {.title = "MODELS", .drop = 10, .key = "placement"},
      {.title = "TTFT", .align = Align::kRight, .drop = 4, .unit = "ms"},
      {.title = "TPOT", .align = Align::kRight, .drop = 4, .unit = "ms"}};
  const std::size_t front = columns.size();
  add_ends(columns, false);
  for (const char* key :
       {"time_to_first_token_seconds_p10", "time_to_first_token_seconds_p50", "time_to_first_token_seconds_p90",
        "time_per_output_token_seconds_p10", "time_per_output_token_seconds_p50", "time_per_output_token_seconds_p90",
        "total_tokens_per_second_p10", "total_tokens_per_second_p50", "total_tokens_per_second_p90", "target_chance"})
    columns.push_back({.title = "", .key = key});
  const std::size_t ends = columns.size() - 10;
  std::vector<std::vector<Cell>> rows;
  const bool several = phase.models.size() > 1;
  for (std::size_t i = 0; i < section.found.profiles.size(); ++i) {
    const Profile& profile = section.found.profiles[i];
    const bool picked = section.picked == i;
    const Paint paint = picked ? Paint::kGreen : runs(profile) ? Paint::kPlain : Paint::kDim;
    std::vector<Cell> row = {{profile.name + (picked ? " ✔" : ""), paint}, {profile.name}};
    if (profile.best) {
      const Strategy& s = profile.best->strategy;
      row.push_back(whole_cell(s.dp));
      row.push_back(whole_cell(s.tp));
      row.push_back(s.pp > 1 ? whole_cell(s.pp) : Cell());
      row.push_back(whole_cell(s.micro_batch));
      row.push_back(whole_cell(profile.best->batch));
      row.emplace_back(std::string(name_of(s.weights)));
      row.push_back(number(profile.best->memory.kv_cache / units::GiB, gib_text(profile.best->memory.kv_cache)));
      row.emplace_back(!several                                                ? ""
                       : s.placement == Placement::kOneModelPerGpu && s.dp > 1 ? "one model per GPU"
                                                                               : "one model after another");
      add_latencies(row, *profile.best);
    } else {
      row.resize(front);
    }
    add_row_ends(row, profile, false, picked, fills);
    if (profile.best && profile.best->serving) {
      row.resize(ends);
      add_serving(row, *profile.best->serving);
    }
    rows.push_back(std::move(row));
  }
  std::vector<Cell> cpu = {{kCpuProfile, Paint::kDim},
                           {kCpuProfile},
                           whole_cell(1),
                           whole_cell(1),
                           {},
                           whole_cell(1),
                           whole_cell(1),
                           {"fp32"}};
  cpu.resize(front + 6);
  cpu.emplace_back("for testing only: no time predicted", Paint::kDim);
  rows.push_back(std::move(cpu));
  return finished(std::move(columns), std::move(rows), section, common);
}

}  // namespace

Table profiles_table(const ProfilesReport& report, const ProfilesSection& section, std::string* common) {
  const Phase& phase = report.phase(section);
  if (const auto* generate = std::get_if<GeneratePhase>(&phase.work))
    return generation_table(section, *generate, fills_memory(phase), common);
  return training_table(section, counts_samples(phase), common);
}

}  // namespace gpuplan
