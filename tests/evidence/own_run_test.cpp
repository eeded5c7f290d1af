// Own runs: a plan kept as a row and read back is predicted as it was planned.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/questions/facts.h"
#include "api/questions/question.h"
#include "evidence/own/planned_run.h"
#include "evidence/validation/generation_prediction.h"
#include "evidence/validation/run_prediction.h"
#include "input/measured/own_run_table.h"
#include "input/measured/plan_words.h"

namespace gpuplan {
namespace {

const Catalogue& shipped() {
  static const Catalogue all = api::read_facts().value();
  return all;
}

std::string whole_file(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// The row with the plan's own medians as what was measured.
OwnRow kept(AnyRun run, const PhaseEstimate& estimate) {
  if (auto* training = std::get_if<TrainingRun>(&run)) {
    training->step = Seconds{planned_step(estimate)};
  } else {
    auto& generation = std::get<GenerationRun>(run);
    (generation.mode == GenerationMode::kPrefill ? generation.prefill_rate : generation.output_rate) =
        TokensPerSecond{planned_rate(estimate)};
  }
  // A run that reads prompts is taken to keep their cache, which a plan does not.
  const auto* generation = std::get_if<GenerationRun>(&run);
  if (generation == nullptr || generation->mode != GenerationMode::kPrefill) {
    common_of(run).memory = estimate.memory.total();
    common_of(run).memory_kind = MemoryKind::kDevice;
  }
  OwnRow row;
  row.date = "2026-11-24";
  row.job = "a job, \"quoted\"";
  row.log = "run.log";
  row.run = std::move(run);
  row.id = own_run_id(row);
  return row;
}

RunPrediction predicted(const AnyRun& run) {
  if (const auto* training = std::get_if<TrainingRun>(&run)) return predict_run(shipped(), *training);
  return predict_generation_run(shipped(), std::get<GenerationRun>(run));
}

/// Rows of every phase of every plan of a job; how many there were.
int check_job(const std::string& text, const std::string& name) {
  api::Request request;
  request.job = api::NamedText{name, text};
  request.how.threads = 2;
  const auto question = api::read_question(request, shipped());
  EXPECT_TRUE(question) << name << ": " << question.error().message;
  if (!question) return 0;
  const auto searched = api::search_job(question->loaded.job, question->known, shipped(), question->terms);
  EXPECT_TRUE(searched) << name;
  if (!searched) return 0;
  int rows = 0;
  std::size_t plans = 0;
  for (const Plan& plan : searched->found.plans) {
    constexpr std::size_t kEnough = 60;
    if (++plans > kEnough) break;
    for (const PhasePlan& part : plan.phases) {
      const PhaseEstimate& estimate = part.estimate;
      const Phase& phase = searched->job.phases[static_cast<std::size_t>(estimate.phase)];
      auto run = planned_run(phase, estimate, shipped());
      if (!run || estimate.work_by_model <= Seconds{}) continue;
      const OwnRow row = kept(*std::move(run), estimate);
      auto file = OwnRunFile::parse("", "own.csv");
      file->add(row);
      const auto read = read_own_runs(file->text(), "own.csv", shipped());
      EXPECT_TRUE(read) << name;
      EXPECT_TRUE(read->bad_lines.empty()) << name << ": " << read->bad_lines.front().message << "\n" << file->text();
      if (read->rows.size() != 1) continue;
      const OwnRow& back = read->rows.front();
      EXPECT_EQ(back.id, row.id);
      EXPECT_EQ(back.job, row.job);
      const RunPrediction prediction = predicted(back.run);
      EXPECT_TRUE(prediction.refused.empty()) << name << " " << plan.label << ": " << prediction.refused;
      EXPECT_FALSE(prediction.metrics.empty());
      // Of sequences in flight, a mean that the memory sets, rows have the whole number.
      const auto* served = std::get_if<GenerationRun>(&back.run);
      const double close = 0.01 + (served != nullptr && served->in_flight ? 0.5 / *served->in_flight : 0);
      for (const MetricPrediction& one : prediction.metrics)
        EXPECT_NEAR(one.log_error(), 0, close)
            << name << ", " << phase.name << ", " << plan.label << ", " << name_of(one.metric) << "\n"
            << file->text();
      ++rows;
    }
  }
  return rows;
}

TEST(OwnRuns, RowsOfPlansArePredictedAsPlanned) {
  for (const auto& entry : std::filesystem::directory_iterator(GPUPLAN_SOURCE_DIR "/examples")) {
    if (entry.path().extension() != ".yaml") continue;
    const std::string text = whole_file(entry.path());
    // A row has no columns for answers that are given between steps.
    const bool kept = !text.contains("objective: grpo");
    EXPECT_EQ(check_job(text, entry.path().filename().string()) > 0, kept) << entry.path();
  }
}

TEST(OwnRuns, RowsSayEverythingThatJobsDo) {
  const std::pair<const char*, const char*> jobs[] = {
      {"qlora of attention",
       "phases:\n- name: a\n  train: {model: Qwen3-8B, method: qlora, lora: {rank: 8, targets: "
       "[q_proj, v_proj]}, data: {samples: 10k, tokens_per_sample: {mean: 300, max: 2000}}, sequence: 2048}\n"},
      {"packed lora",
       "phases:\n- name: a\n  train: {model: Llama-3.3-70B, method: lora, data: {tokens: 50M}, sequence: "
       "4096}\n"},
      {"8-bit states",
       "phases:\n- name: a\n  train: {model: Llama-3.1-8B, optimizer: adam8bit, data: {tokens: 100M}, "
       "sequence: 4096, framework: hf-trainer}\n"},
      {"muon",
       "phases:\n- name: a\n  train: {model: gpt2, start: scratch, optimizer: muon, data: {tokens: 1B}, "
       "sequence: 1024, batch: 512, compile: true}\n"},
      {"experts", "phases:\n- name: a\n  train: {model: Qwen3-30B-A3B, data: {tokens: 100M}, sequence: 4096}\n"},
      {"cut",
       "where: {nodes: 4}\nphases:\n- name: a\n  train: {model: Llama-3.1-70B, framework: megatron, data: "
       "{tokens: 1B}, sequence: 8192, parallel: {tp: 8, pp: 2}}\n"},
      {"offload",
       "phases:\n- name: a\n  train: {model: Qwen2.5-7B, offload: optimizer, data: {tokens: 10M}, sequence: "
       "2048}\n"},
      {"recompute",
       "phases:\n- name: a\n  train: {model: Qwen2.5-7B, recompute: full, precision: fp8, data: {tokens: "
       "10M}, sequence: 16384}\n"},
      {"generate",
       "phases:\n- name: a\n  generate: {model: Llama-3.1-8B, data: [{samples: 5k, prompt_tokens: {mean: 500, max: "
       "2000}, "
       "new_tokens: {mean: 200, max: 900}}, {samples: 100, prompt_tokens: 50, new_tokens: 2000}]}\n"},
      {"latent experts",
       "phases:\n- name: a\n  generate: {model: DeepSeek-V3, weights: fp8, data: [{samples: 5k, "
       "prompt_tokens: 500, new_tokens: 200}]}\n"},
      {"guesses",
       "phases:\n- name: a\n  generate: {model: Llama-3.1-70B, weights: fp8, speculative: {tokens: 4, acceptance: 0.7, "
       "draft: Llama-3.2-1B}, data: [{samples: 2k, prompt_tokens: 500, new_tokens: 200}]}\n"},
      {"frozen",
       "phases:\n- name: a\n  train: {model: Llama-3.1-8B, method: frozen, trainable: 50M, data: {samples: 20k, "
       "tokens_per_sample: 700}, sequence: 1024}\n"},
      {"one request",
       "phases:\n- name: a\n  generate: {model: Llama-3.1-8B, situation: single, weights: q4_k_m, "
       "engine: llama.cpp, data: [{samples: 50, prompt_tokens: 500, new_tokens: 200}]}\n"},
      {"some requests",
       "phases:\n- name: a\n  generate: {model: Qwen3-32B, situation: concurrency, concurrency: 24, "
       "weights: int4, data: [{samples: 500, prompt_tokens: 500, new_tokens: 200}]}\n"},
  };
  for (const auto& [name, text] : jobs) EXPECT_GT(check_job(text, name), 0) << name;
}

}  // namespace
}  // namespace gpuplan
