#include "output/explain/explain.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "plan/searched.h"

namespace gpuplan {
namespace {

TEST(Explain, TermsAddUpToWhatTheSearchSays) {
  int trained = 0, generated = 0;
  for (const char* name : kExamples) {
    const Searched searched(example_job(name));
    const Plan& pick = searched.pick();
    for (const PhaseTerms& terms : explain_phases(pick, searched.job, known(), known().errors)) {
      const PhaseEstimate& estimate = terms.part->estimate;
      if (terms.terms.empty()) {
        EXPECT_TRUE(!estimate.node || estimate.work_by_model == Seconds{}) << name << " " << terms.phase->name;
        continue;
      }
      SCOPED_TRACE(std::string(name) + " " + terms.phase->name);
      const double rounds = terms.per_step ? estimate.steps : 1;
      EXPECT_NEAR(terms.total(Term::Kind::kTime) * rounds / estimate.work_by_model.value, 1, 0.005);
      EXPECT_NEAR(terms.total(Term::Kind::kMemory) / estimate.memory_total.p50.value, 1, 1e-6);
      (terms.per_step ? trained : generated) += 1;
    }
  }
  EXPECT_GE(trained, 10);
  EXPECT_GE(generated, 3);
}

TEST(Explain, EveryPartOfATotalHasFormulaAndSource) {
  for (const char* name : kExamples) {
    const Searched searched(example_job(name));
    for (const PhaseTerms& terms : explain_phases(searched.pick(), searched.job, known(), known().errors))
      for (const Term& term : terms.terms) {
        EXPECT_FALSE(term.name.empty()) << name;
        if (!term.part_of_total) continue;
        EXPECT_FALSE(term.formula.empty()) << name << " " << term.name;
        EXPECT_FALSE(term.source.empty()) << name << " " << term.name;
      }
  }
}

TEST(Explain, LargestIsAPartOfItsKind) {
  PhaseTerms terms;
  EXPECT_EQ(terms.largest(Term::Kind::kTime), nullptr);
  terms.terms = {{Term::Kind::kTime, "a", 1, "", "", true},
                 {Term::Kind::kTime, "b", 3, "", "", true},
                 {Term::Kind::kTime, "only told", 9, "", "", false},
                 {Term::Kind::kMemory, "bytes", 100, "", "", true}};
  EXPECT_EQ(terms.largest(Term::Kind::kTime)->name, "b");
  EXPECT_EQ(terms.total(Term::Kind::kTime), 4);
}

TEST(Explain, ValuesHaveTheirUnits) {
  const auto text = [](Term::Kind kind, double value) { return term_value({kind, "", value, "", "", true}); };
  EXPECT_EQ(text(Term::Kind::kTime, 0.113), "113 ms");
  EXPECT_EQ(text(Term::Kind::kMemory, 16.3 * units::GiB.value), "16.3 GiB");
  EXPECT_EQ(text(Term::Kind::kByteRate, 684e9), "684 GB/s");
  EXPECT_EQ(text(Term::Kind::kOperationRate, 990e12), "990 TFLOP/s");
  EXPECT_EQ(text(Term::Kind::kTokenRate, 42.07), "42.1 tokens/s");
  EXPECT_EQ(text(Term::Kind::kShare, 0.27), "27%");
  EXPECT_EQ(text(Term::Kind::kDisk, 618.4e9), "618 GB") << "as disks are sold";
  EXPECT_EQ(text(Term::Kind::kCount, 4096), "4096");
  EXPECT_EQ(text(Term::Kind::kCount, 8.03e9), "8.03B");
}

TEST(Explain, SaysHowHoursBecomeDollars) {
  const Searched searched(example_job("collection"));
  PlanReport report(searched.result, searched.job, known());
  const std::string text = explain_plan(report, searched.pick(), {.columns = 200});
  EXPECT_EQ(text.find("How the numbers for 4x RTX 5090 are computed"), 0U) << text;
  EXPECT_NE(text.find("source: given; predicted "), std::string::npos) << text;
  EXPECT_NE(text.find("10% overhead"), std::string::npos) << text;
  EXPECT_NE(text.find("held at $3.20/h, billed per second"), std::string::npos) << text;
  EXPECT_NE(text.find("per GPU-hour used."), std::string::npos) << text;
}

TEST(Explain, JsonHoldsTermsWithShares) {
  const Searched searched(example_job("gpt-124m"));
  PlanReport report(searched.result, searched.job, known());
  JsonWriter json;
  write_explanation(json, report, searched.pick());
  const auto result = nlohmann::json::parse(json.take());
  EXPECT_EQ(result["plan"], searched.pick().id);
  ASSERT_EQ(result["phases"].size(), 1U);
  double time = 0, memory = 0;
  for (const auto& term : result["phases"][0]["terms"]) {
    EXPECT_TRUE(term["source"].is_string());
    if (!term["part_of_total"]) continue;
    (term["kind"] == "time" ? time : memory) += term["share"].get<double>();
  }
  EXPECT_NEAR(time, 1, 1e-9);
  EXPECT_NEAR(memory, 1, 1e-9);
}

}  // namespace
}  // namespace gpuplan
