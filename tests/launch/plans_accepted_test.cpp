// What a framework cannot do is refused while the plan is made. So every plan that is ranked for one that launch writes
// programs for is one that launch accepts.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>

#include "launch/work/work.h"
#include "plan/searched.h"

namespace gpuplan {
namespace {

constexpr std::array kAccepting = {"",         "torch",      "hf-trainer", "accelerate", "deepspeed", "unsloth",
                                   "megatron", "torchtitan", "nanochat",   "nanogpt",    "axolotl",   "llama-factory"};
constexpr std::array kModels = {"Qwen/Qwen2.5-1.5B",
                                "Llama-3.1-8B",
                                "Qwen3-30B-A3B",
                                "gpt-oss-20b",
                                "DeepSeek-V2-Lite",
                                "Gemma-2-9B",
                                "GPT-2",
                                "{name: own, layers: 12, hidden: 768, heads: 12}",
                                "{name: own, layers: 12, hidden: 768, heads: 12, gated_mlp: false}"};

/// Draws jobs: every key that decides what a framework has to do is left out, or one of its values.
class Draw {
 public:
  explicit Draw(unsigned seed) : random_(seed) {}

  std::string job() {
    const std::string framework = one_of(kAccepting), model = one_of(kModels);
    const bool h100 = chance(3, 4);
    std::string text = std::string("market: {use: only, offers: [{gpu: ") + (h100 ? "H100 SXM" : "B200") +
                       ", gpus: " + one_of(std::array{"1", "2", "8"}) +
                       ", price: $1/h}]}\nwhere: {nodes: " + one_of(std::array{"1", "2"}) +
                       "}\nphases:\n  - name: train\n    train:\n      model: " + model + "\n      data: " +
                       one_of(std::array{"{tokens: 100M}", "{samples: 30000, tokens_per_sample: 700}",
                                         "{samples: 30000, tokens_per_sample: 700, packing: true}",
                                         "{samples: 30000, tokens_per_sample: {mean: 300, max: 900}}"}) +
                       "\n      sequence: " + one_of(std::array{"1000", "1024", "4096", "30000"}) +
                       "\n      batch: {sequences: " + one_of(std::array{"64", "96"}) + "}\n";
    if (!framework.empty()) text += "      framework: " + framework + "\n";
    key(text, "method", std::array{"lora", "qlora"});
    key(text, "precision", std::array{"fp32", "fp16", "fp8", "mxfp8"});
    key(text, "master_weights", std::array{"bf16", "fp32"});
    key(text, "parallel",
        std::array{"{tp: 2}", "{cp: 2}", "{pp: 2}", "{ep: 2}", "{tp: 2, sharding: zero2}", "{tp: 2, sharding: hsdp}",
                   "{cp: 2, sharding: zero3}", "zero1", "zero2", "zero3", "hsdp"});
    key(text, "recompute", std::array{"none", "selective", "full"});
    key(text, "offload", std::array{"none", "optimizer", "activations", "optimizer+params"});
    key(text, "optimizer", std::array{"adam8bit", "muon", "lion", "sgd", "lamb", "adafactor", "paged_adamw_8bit"});
    key(text, "attention", std::array{"eager", "flash2"});
    key(text, "start", std::array{"weights", "scratch"});
    key(text, "compile", std::array{"true", "false"});
    return text;
  }

 private:
  bool chance(unsigned of, unsigned out_of) { return random_() % out_of < of; }
  template <std::size_t kCount>
  std::string one_of(const std::array<const char*, kCount>& values) {
    return values[random_() % kCount];
  }
  template <std::size_t kCount>
  void key(std::string& text, const std::string& name, const std::array<const char*, kCount>& values) {
    if (chance(1, 4)) text += "      " + name + ": " + one_of(values) + "\n";
  }

  std::mt19937 random_;
};

/// Whether launch writes programs for the framework at all.
bool is_written(const Framework& framework) {
  return std::ranges::any_of(kAccepting, [&](std::string_view name) { return framework.name == name; });
}

/// What the framework does and only the program that gpuplan writes does not: the plan stands, and says that it needs a
/// `command`.
bool of_the_script(std::string_view why) {
  return why.contains("generated") || why.contains("gpuplan cannot name") ||
         why.starts_with("No transformers class has the shape");
}

TEST(PlansAccepted, LaunchRefusesNoPlanOfAFrameworkThatItWrites) {
  constexpr int kJobs = 6000;
  Draw draw(20261129);
  std::set<std::string> met;
  int compared = 0;
  for (int i = 0; i < kJobs; ++i) {
    const std::string text = draw.job();
    auto read = read_text_as_job(text);
    if (!read) continue;  // what it says does not go together: told with its line
    const Searched searched(*std::move(read), Finds::kPerhapsNothing);
    EXPECT_FALSE(searched.result.tally.unsupported_reason.contains("cannot be computed")) << text;
    for (const Plan& plan : searched.result.plans) {
      const PhaseEstimate& estimate = *plan.phases.front().estimate;
      if (estimate.framework == nullptr || !is_written(*estimate.framework)) continue;
      ++compared;
      met.insert(estimate.framework->name);
      for (const Unwritten& lacking : unwritten(searched.job, plan, known()))
        if (lacking.refused || !of_the_script(lacking.why))
          ADD_FAILURE() << lacking.sentence() << "\n" << described(estimate) << "\n" << text;
    }
  }
  EXPECT_GT(compared, kJobs / 4);
  EXPECT_EQ(met.size(), kAccepting.size() - 1) << "of the frameworks that launch writes programs for";
}

/// The column `scripts` of data/frameworks.csv, which the choice between frameworks goes by.
TEST(PlansAccepted, FrameworksWithScriptsAreThoseThatProgramsAreWrittenFor) {
  int asked = 0;
  for (const Framework& framework : known().frameworks) {
    const bool adapters = framework.lora && !framework.full;
    const std::string work =
        framework.trains
            ? "train: {model: Qwen2.5-1.5B, sequence: 1024, batch: 16, data: {tokens: 10M}, framework: " +
                  framework.name + (adapters ? ", method: lora}" : "}")
            : "generate: {model: Qwen2.5-1.5B, data: {samples: 1000, prompt_tokens: 100, new_tokens: 100}, "
              "engine: " +
                  framework.name + "}";
    const auto job = read_text_as_job(
        "market: {use: only, offers: [{gpu: H100 SXM, gpus: 1, price: $1/h}]}\nphases: [{name: a, " + work + "}]\n");
    if (!job) continue;
    const Searched searched(*job, Finds::kPerhapsNothing);
    if (searched.result.plans.empty()) continue;
    ++asked;
    const auto lacking = unwritten(searched.job, searched.result.plans.front(), known());
    const bool none = !lacking.empty() && lacking.front().why.find("gpuplan writes") != std::string::npos;
    EXPECT_EQ(none, !framework.scripts) << framework.name << (lacking.empty() ? "" : ": " + lacking.front().why);
  }
  EXPECT_GE(asked, 20);
}

}  // namespace
}  // namespace gpuplan
