#include "api/ask.h"

#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

namespace gpuplan {
namespace {

using Json = nlohmann::json;

Json ask(const std::string& question) {
  const std::unique_ptr<char, decltype(&gpuplan_free)> answer(gpuplan_ask(question.c_str()), gpuplan_free);
  return Json::parse(answer.get());
}
Json ask(const Json& question) { return ask(question.dump()); }

const char* const kAskJob = R"(
phases:
  - name: train
    train: {model: Qwen2.5-7B, method: lora, data: {tokens: 10M}, epochs: 1, sequence: 2048}
)";

std::string message(const Json& answer) {
  EXPECT_EQ(answer.at("outcome"), "wrong") << answer.dump();
  EXPECT_FALSE(answer.contains("answer"));
  const std::string text = answer.at("error").at("message");
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

TEST(Ask, PlansAJobAsTextAsAnObjectAndInFlags) {
  const Json text = ask({{"ask", "plan"}, {"job", kAskJob}, {"name", "mine.yaml"}});
  EXPECT_EQ(text.at("schema"), "gpuplan/answer@1");
  EXPECT_EQ(text.at("outcome"), "found");
  EXPECT_EQ(text.at("answer").at("schema"), "gpuplan/plan@1");
  EXPECT_EQ(text.at("answer").at("job_file").at("name"), "mine.yaml");
  const Json train = {
      {"model", "Qwen2.5-7B"}, {"method", "lora"}, {"data", {{"tokens", "10M"}}}, {"epochs", 1}, {"sequence", 2048}};
  const Json object = ask({{"ask", "plan"}, {"job", {{"phases", {{{"name", "train"}, {"train", train}}}}}}});
  EXPECT_EQ(object.at("answer").at("recommendations").at("pick"), text.at("answer").at("recommendations").at("pick"));
  EXPECT_EQ(object.at("answer").at("plans"), text.at("answer").at("plans"));
  const Json flags =
      ask({{"ask", "plan"},
           {"flags", {{"model", "Qwen2.5-7B"}, {"tokens", "10M"}, {"method", "lora"}, {"gpu", {"H100 SXM"}}}}});
  ASSERT_EQ(flags.at("outcome"), "found") << flags.dump();
  for (const Json& plan : flags.at("answer").at("plans")) EXPECT_EQ(plan.at("gpu"), "H100 SXM") << plan.dump();
}

TEST(Ask, AnswersEveryQuestion) {
  EXPECT_EQ(ask({{"ask", "version"}}).at("answer").at("version"), GPUPLAN_VERSION);
  EXPECT_TRUE(ask({{"ask", "schema"}}).at("answer").contains("$schema"));
  EXPECT_EQ(ask({{"ask", "model"}, {"model", "Llama-3.1-8B"}}).at("outcome"), "found");
  EXPECT_EQ(ask({{"ask", "gpus"}, {"filter", {"memory>=1000"}}}).at("outcome"), "nothing_fits");
  EXPECT_EQ(ask({{"ask", "gpus"}, {"filter", {"H100"}}}).at("outcome"), "found");
  EXPECT_EQ(ask({{"ask", "offers"}, {"filter", {"H100"}}, {"all", true}}).at("outcome"), "found");
  EXPECT_EQ(ask({{"ask", "audit"}, {"text", "3 h x $2 = $7"}, {"form", "markdown"}}).at("answer").at("findings").size(),
            1U);
  EXPECT_EQ(ask({{"ask", "fit"}, {"job", kAskJob}}).at("answer").at("schema"), "gpuplan/fit@1");
  EXPECT_EQ(ask({{"ask", "sensitivity"}, {"job", kAskJob}, {"by", 0.1}}).at("answer").at("schema"), "gpuplan/whatif@1");
  const Json report = ask({{"ask", "report"}, {"job", kAskJob}, {"arguments", "mine.yaml --seed 2"}});
  ASSERT_EQ(report.at("outcome"), "found") << report.dump();
  EXPECT_EQ(report.at("answer").at("head").at("command"), "gpuplan report mine.yaml --seed 2");
  EXPECT_EQ(report.at("answer").at("sections").at(0).at("key"), "answer");
  // Without what moves the plan most all else is the same.
  const Json first =
      ask({{"ask", "report"}, {"job", kAskJob}, {"arguments", "mine.yaml --seed 2"}, {"sensitivity", false}});
  const auto but_for_change = [](Json answer) {
    std::erase_if(answer.at("sections").get_ref<Json::array_t&>(),
                  [](const Json& section) { return section.at("key") == "change"; });
    return answer;
  };
  EXPECT_EQ(but_for_change(first.at("answer")), but_for_change(report.at("answer")));
  EXPECT_TRUE(report.dump().contains("Most of all it hangs on"));
  EXPECT_FALSE(first.dump().contains("Most of all it hangs on"));
  const Json whatif =
      ask({{"ask", "whatif"}, {"job", kAskJob}, {"set", {"epochs=2"}}, {"vary", {"sequence=1024,2048"}}});
  ASSERT_EQ(whatif.at("outcome"), "found") << whatif.dump();
  EXPECT_GE(whatif.at("answer").at("scenarios").size(), 3U);
}

TEST(Ask, TellsWhatCameOfTheSearch) {
  Json question = {{"ask", "plan"}, {"job", kAskJob}, {"set", {"limits.budget='$0.01'"}}};
  EXPECT_EQ(ask(question).at("outcome"), "misses_limits");
  question["set"] = {"where.gpus='RTX 3060'", "method=full"};
  const Json none = ask(question);
  EXPECT_EQ(none.at("outcome"), "nothing_fits");
  EXPECT_TRUE(none.at("answer").at("plans").empty());
}

TEST(Ask, TakesPricesAndTablesAsTexts) {
  const Json question = {{"ask", "plan"},
                         {"job", kAskJob},
                         {"prices", {{"mine.csv", "provider,gpu,gpus,price_per_hour\nshop,H100 SXM,1,2.50\n"}}}};
  const Json answer = ask(question);
  ASSERT_EQ(answer.at("outcome"), "found") << answer.dump();
  for (const Json& plan : answer.at("answer").at("plans")) EXPECT_EQ(plan.at("provider"), "shop");
  Json wrong = question;
  wrong["prices"]["mine.csv"] = "provider,gpu,gpus,price_per_hour\nshop,H100 SXM,1,cheap\n";
  const Json refused = ask(wrong);
  message(refused);
  EXPECT_EQ(refused.at("error").at("file"), "mine.csv");
  EXPECT_EQ(refused.at("error").at("line"), 2);
  EXPECT_NE(message(ask({{"ask", "gpus"}, {"data", {{"gpus.csv", "nonsense"}}}})), "");
  EXPECT_NE(message(ask({{"ask", "gpus"}, {"data", {{"attic.csv", ""}}}})).find("attic.csv"), std::string::npos);
}

TEST(Ask, WrongQuestionsGetOneLine) {
  EXPECT_NE(message(ask(std::string("{"))), "");
  EXPECT_NE(message(ask(std::string("[]"))).find("object"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "paln"}})).find("plan"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}})).find("no job"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"job", 3}})).find("job"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"jbo", kAskJob}})).find("jbo"), std::string::npos);
  // A key that another question takes is none of this one's.
  EXPECT_NE(message(ask({{"ask", "gpus"}, {"job", kAskJob}})).find("gpus"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"flags", {{"modle", "x"}}}})).find("modle"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"job", kAskJob}, {"threads", 0}})).find("threads"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"job", kAskJob}, {"threads", "2"}})).find("threads"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"job", kAskJob}, {"show", {"attic"}}})).find("attic"), std::string::npos);
  EXPECT_NE(message(ask({{"ask", "plan"}, {"job", kAskJob}, {"ignore", "all"}})).find("given"), std::string::npos);
  const Json placed = ask({{"ask", "plan"}, {"job", "phases:\n  - trian: {}\n"}, {"name", "j.yaml"}});
  message(placed);
  EXPECT_EQ(placed.at("error").at("file"), "j.yaml");
  EXPECT_EQ(placed.at("error").at("line"), 2);
  const std::unique_ptr<char, decltype(&gpuplan_free)> nothing(gpuplan_ask(nullptr), gpuplan_free);
  EXPECT_NE(std::string(nothing.get()).find("wrong"), std::string::npos);
}

TEST(Ask, OpensNoFile) {
  for (const char* path : {"/etc/passwd", "./config.json", "~/model.gguf", "tests/data/models/llama.json"}) {
    EXPECT_NE(message(ask({{"ask", "model"}, {"model", path}})), "");
    EXPECT_NE(message(ask({{"ask", "plan"}, {"flags", {{"model", path}, {"tokens", "1M"}}}})), "");
    EXPECT_NE(message(ask({{"ask", "fit"}, {"flags", {{"model", path}}}})), "");
    EXPECT_NE(message(ask({{"ask", "plan"}, {"job", kAskJob}, {"set", {std::string("model=") + path}}})), "");
  }
  EXPECT_NE(message(ask({{"ask", "model"}, {"model", "/etc/passwd"}})).find("files are not read here"),
            std::string::npos);
}

TEST(Ask, ThreadsMayAskAtOnce) {
  std::vector<std::string> answers(4);
  {
    std::vector<std::jthread> threads;
    for (std::string& answer : answers)
      threads.emplace_back([&answer] { answer = ask({{"ask", "fit"}, {"job", kAskJob}}).dump(); });
  }
  for (const std::string& answer : answers) EXPECT_EQ(answer, answers.front());
}

}  // namespace
}  // namespace gpuplan
