// What a job says in words: read as written, refused where it could hide or forge something, and never counted.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "input/job/address.h"
#include "input/job/schema.h"
#include "input/job_fixture.h"

namespace gpuplan {
namespace {

Job prose_job(const std::string& text) {
  const auto job = read_text_as_job(text);
  EXPECT_EQ(line_of(job), "") << text;
  return job.value_or(Job{});
}
const std::string kPhase = "phases: [{name: a, fixed: {gpus: 1, time: 4 h}}]\n";
Job with(const std::string& lines) { return prose_job(kPhase + lines); }
std::string top_row(const std::string& lines) { return error_of(kPhase + lines); }
Phase prose_phase(const std::string& keys) {
  return prose_job("phases: [{name: a, fixed: {gpus: 1, time: 4 h}, " + keys + "}]").phases.at(0);
}
/// A value in double quotes, which JSON and YAML read alike.
std::string json_text(const std::string& text) { return nlohmann::json(text).dump(); }

TEST(JobProse, OfAJob) {
  const Job job = with(
      "title: Find the GPU\npurpose: |\n  First line.\n\n      code\nnotes: >\n  a\n  b\n"
      "tasks:\n  - Ask Ana\n  - {do: Read the curves, who: Ana, time: 20-30 min, command: tail -f log, notes: "
      "'*all*'}\n");
  EXPECT_EQ(job.prose.title, "Find the GPU");
  EXPECT_EQ(job.prose.purpose, "First line.\n\n    code");
  EXPECT_EQ(job.prose.notes, "a b");
  ASSERT_EQ(job.prose.tasks.size(), 2U);
  EXPECT_EQ(job.prose.tasks[0].what, "Ask Ana");
  EXPECT_FALSE(job.prose.tasks[0].time);
  const ManualTask& task = job.prose.tasks[1];
  EXPECT_EQ(task.what, "Read the curves");
  EXPECT_EQ(task.who, "Ana");
  EXPECT_EQ(task.time->p10, Seconds{20.0 * 60});
  EXPECT_EQ(task.time->p90, Seconds{30.0 * 60});
  EXPECT_EQ(task.command, "tail -f log");
  EXPECT_EQ(task.notes, "*all*");
  EXPECT_FALSE(with("").prose.any());
}

TEST(JobProse, OfAPhase) {
  const PhaseProse prose =
      prose_phase(
          "title: T, purpose: P, notes: N, tasks: do it, expect: E, quality: {good: G, bad: B, do: "
          "D}")
          .prose;
  EXPECT_EQ(prose.title + prose.purpose + prose.notes + prose.expect, "TPNE");
  EXPECT_EQ(prose.quality.good + prose.quality.bad + prose.quality.remedy, "GBD");
  ASSERT_EQ(prose.tasks.size(), 1U);
  EXPECT_EQ(prose.tasks[0].what, "do it");
  EXPECT_FALSE(prose_phase("note: short").prose.any());
}

TEST(JobProse, OfMachinesAndOptions) {
  const Job job = with(
      "market: {use: only, offers: {gpu: L4, price: 1, notes: rare}, pools: {name: p, gpu: L40S, notes: shared},\n"
      "  own: {name: o, gpu: RTX 3090, notes: under the desk}}\n"
      "options: [{gpu: 4x L40S, notes: four}, {gpu: L40S, notes: any L40S}, {gpus: 4, title: Four}]\n");
  EXPECT_EQ(job.market.offers[0].notes, "rare");
  EXPECT_EQ(job.market.pools[0].notes, "shared");
  EXPECT_EQ(job.market.own[0].notes, "under the desk");
  EXPECT_EQ(option_of(job.options, "L40S", 4)->notes, "four");
  EXPECT_EQ(option_of(job.options, "L40S", 2)->notes, "any L40S");
  EXPECT_EQ(option_of(job.options, "L4", 4)->title, "Four");
  EXPECT_EQ(option_of(job.options, "L4", 2), nullptr);
  EXPECT_EQ(top_row("options: {notes: x}"),
            "job.yaml:2: options: names no machines; expected gpu, gpus or both, such as gpu: 4x RTX 4090");
  EXPECT_EQ(top_row("options:\n- {gpu: L4, gpus: 2, notes: x}\n- {gpu: 2x L4, notes: y}"),
            "job.yaml:4: options[1]: options[0] is about the same GPUs; join them");
  EXPECT_NE(top_row("options: {gpu: X999, notes: x}").find("job.yaml:2: options.gpu: "), std::string::npos);
}

TEST(JobProse, OfVariants) {
  const Job job = with("variants: {cheap: {title: Slow, notes: 'For *nights*', where.spot: only}}\n");
  ASSERT_EQ(job.variants.size(), 1U);
  EXPECT_EQ(job.variants[0].prose.title, "Slow");
  EXPECT_EQ(job.variants[0].prose.notes, "For *nights*");
  ASSERT_EQ(job.variants[0].settings.size(), 1U);  // words are no change
  EXPECT_EQ(job.variants[0].settings[0].first, "where.spot");
  EXPECT_EQ(top_row("variants: {a: {title: [x]}}"),
            "job.yaml:2: variants.a.title: expected a line of text, got a list");
}

TEST(JobProse, UnknownKeysAndWrongTypes) {
  EXPECT_EQ(top_row("titel: x"), "job.yaml:2: unknown key 'titel'. Did you mean 'title'?");
  EXPECT_EQ(top_row("tasks: [{doo: x}]"), "job.yaml:2: tasks[0]: unknown key 'doo'. Did you mean 'do'?");
  EXPECT_EQ(top_row("tasks: [{who: x}]"),
            "job.yaml:2: tasks[0]: missing 'do'; expected a line of text: manual step to do");
  EXPECT_EQ(top_row("notes: [a, b]"), "job.yaml:2: notes: expected Markdown, got a list");
  EXPECT_EQ(top_row("notes: {a: b}"), "job.yaml:2: notes: expected Markdown, got a map");
  EXPECT_EQ(top_row("notes: ~"), "job.yaml:2: notes: expected Markdown, got nothing");
  EXPECT_EQ(top_row("title: |\n  a\n  b"), "job.yaml:2: title: expected one line, got several");
  EXPECT_NE(top_row("tasks: [{do: x, time: 5}]").find("job.yaml:2: tasks[0].time: "), std::string::npos);
  EXPECT_NE(top_row("tasks: [{do: x, time: 0 s}]").find("more than 0 s"), std::string::npos);
  const std::string in_phase = error_of("phases: [{name: a, fixed: {gpus: 1, time: 1 h},\n  quality: {best: x}}]");
  EXPECT_NE(in_phase.find("job.yaml:2: phases.a.quality: unknown key 'best'"), std::string::npos) << in_phase;
}

TEST(JobProse, SaysWhereWordsBelong) {
  EXPECT_NE(top_row("goal: Train the model").find("what the job is for, in words, is purpose"), std::string::npos);
  EXPECT_EQ(top_row("goal: cheapst").find("purpose"), std::string::npos);
  const std::string steps =
      error_of("phases:\n- name: a\n  train: {model: gpt2, data: {tokens: 10M}, sequence: 8}\n  steps: [{do: x}]\n");
  EXPECT_EQ(
      steps,
      "job.yaml:4: phases.a: unknown key 'steps'; work by hand is a list under tasks, and steps of a training are "
      "a number inside train");
  const std::string number =
      error_of("phases:\n- name: a\n  train: {model: gpt2, data: {tokens: 10M}, sequence: 8}\n  steps: 100\n");
  EXPECT_EQ(number, "job.yaml:4: phases.a: unknown key 'steps'; it belongs inside train");
}

TEST(JobProse, LengthIsBoundInCharacters) {
  EXPECT_EQ(with("title: " + json_text(std::string(200, 'a'))).prose.title.size(), 200U);
  EXPECT_EQ(
      top_row("title: " + json_text(std::string(201, 'a'))),
      "job.yaml:2: title: expected at most 200 characters, got 201; a longer text belongs into a file of its own");
  std::string wide;
  for (int i = 0; i < 20'000; ++i) wide += "é";
  EXPECT_EQ(with("notes: " + json_text(wide)).prose.notes.size(), 40'000U);
  EXPECT_EQ(
      top_row("notes: " + json_text(std::string(300'000, 'x'))),
      "job.yaml:2: notes: expected at most 20,000 characters, got 300,000; a longer text belongs into a file of its "
      "own");
}

TEST(JobProse, RefusesWhatHidesOrTurnsText) {
  EXPECT_EQ(top_row("notes: " + json_text("a\u202Etxt.exe")),
            "job.yaml:2: notes: has the character U+202E, which is not seen or turns the text around; remove it");
  for (const char* bad : {"\u202A", "\u2066", "\u200B", "\u200F", "\uFEFF", "\u2028", "\u00AD", "\U000E0041"})
    EXPECT_NE(top_row("tasks: [{do: x, notes: " + json_text(std::string("a") + bad + "b") + "}]")
                  .find("job.yaml:2: tasks[0].notes: has the character U+"),
              std::string::npos);
  EXPECT_NE(top_row("title: " + json_text("a\rb")).find("U+000D"), std::string::npos);
  for (const char* bad : {"\x1b[31m", "\x07", "\x7f"})
    EXPECT_NE(top_row("notes: " + json_text(std::string("a") + bad)), "") << bad;
  // What people write: other scripts, emoji joined of several, line ends of Windows.
  const std::string family = "\U0001F469\u200D\U0001F52C ok";
  EXPECT_EQ(with("notes: " + json_text("שלום " + family)).prose.notes, "שלום " + family);
  EXPECT_EQ(with("notes: " + json_text("a\r\nb\tc\r\n")).prose.notes, "a\nb\tc");
  // Markup stays as written: who makes a page escapes it.
  const std::string markup = "<script>alert(1)</script> [x](javascript:y) `${z}` | {{ 7*7 }}";
  EXPECT_EQ(with("notes: " + json_text(markup)).prose.notes, markup);
}

TEST(JobProse, ContradictionsAreTold) {
  const auto told = [](const std::string& tasks) {
    return prose_job("phases: [{name: a, fixed: {gpus: 1, time: 4 h, human: true}, tasks: [" + tasks + "]}]").assumed;
  };
  EXPECT_TRUE(told("{do: x, time: 2 h}, {do: y, time: 2 h}").empty());
  ASSERT_EQ(told("{do: x, time: 3 h}, {do: y, time: 3 h}").size(), 1U);
  EXPECT_EQ(told("{do: x, time: 3 h}, {do: y, time: 3 h}")[0],
            "phase a takes 4 h as it says, although its tasks take one person 6 h.");
  // Two people work at once.
  EXPECT_TRUE(told("{do: x, who: Ana, time: 3 h}, {do: y, who: Bo, time: 3 h}").empty());
  EXPECT_FALSE(told("{do: x, who: Ana, time: 3 h}, {do: y, who: ana, time: 3 h}").empty());
}

/// Short addresses mean what is counted, in a job that says as much in words.
TEST(JobProse, ShortAddressesLeadToNoWords) {
  const std::string text =
      "phases: [{name: a, fixed: {gpus: 1, time: 4 h}, tasks: [{do: x, time: 1 h}], notes: n, title: t}]\n"
      "tasks: [{do: y, time: 2 h}]\n";
  const auto source = parse_job(text, "job.yaml");
  ASSERT_TRUE(source);
  for (const JobPlace& place : places(source->tree))
    for (const char* key : {"tasks", "notes", "title", "purpose", "options"})
      EXPECT_EQ(place.address.find(key), std::string::npos) << place.address;
  Tree tree = source->tree;
  const auto changes = set_value(tree, "time=5 h");
  ASSERT_TRUE(changes) << changes.error().message;
  EXPECT_EQ(changes->at(0).address, "phases.a.fixed.time");
  // In full they are addresses like all others.
  for (const char* set : {"title=New", "phases.a.notes=other", "phases.a.tasks[0].time=2 h", "tasks[1]=more"})
    EXPECT_TRUE(set_value(tree, set)) << set;
}

/// The text that is kept with a plan reads back as the same words, however odd they are.
TEST(JobProse, SurvivesItsOwnText) {
  const std::string odd = "# x\n\n- a: b\n\t'q' \"q\" \\n %\n| 1 | 2 |\n---\n...\n{a} [b] &c *d !e @f";
  const auto source = parse_job(kPhase + "title: '- a: {b}'\nnotes: " + json_text(odd) +
                                    "\ntasks: [{do: " + json_text("null") + ", command: " + json_text(odd) + "}]\n",
                                "job.yaml");
  ASSERT_TRUE(source) << source.error().message;
  const Job again = prose_job(flow_text(source->tree));
  EXPECT_EQ(again.prose.title, "- a: {b}");
  EXPECT_EQ(again.prose.notes, odd);
  EXPECT_EQ(again.prose.tasks.at(0).what, "null");
  EXPECT_EQ(again.prose.tasks.at(0).command, odd);
}

TEST(JobProse, SchemaKnowsKeysAndLengths) {
  const auto schema = nlohmann::json::parse(job_schema_json());
  EXPECT_EQ(schema["properties"]["title"]["maxLength"], 200);
  EXPECT_EQ(schema["properties"]["purpose"]["maxLength"], 20'000);
  const auto& phase = schema["$defs"]["phase"]["properties"];
  for (const char* key : {"title", "purpose", "notes", "tasks", "expect", "quality"})
    EXPECT_TRUE(phase.contains(key)) << key;
  EXPECT_EQ(schema["$defs"]["task"]["required"], nlohmann::json::array({"do"}));
  for (const char* machine : {"offer", "pool", "own"})
    EXPECT_TRUE(schema["$defs"][machine]["properties"].contains("notes")) << machine;
  EXPECT_NE(describe_key("phases.quality").value().find("do: what to do then"), std::string::npos);
}

/// Each of the five examples that stand for planning documents tells what its document tells.
TEST(JobProse, ExamplesTellTheirDocuments) {
  const ModelFinder models(known());
  for (const char* name : {"neurlang", "trm-nanochat", "collection", "sft-node", "latentwire"}) {
    const auto job = read_job(example_source(name).value(), known(), models);
    ASSERT_TRUE(job) << name;
    EXPECT_FALSE(job->prose.title.empty()) << name;
    EXPECT_LE(job->prose.title.size(), 60U) << name;  // the head of a plan shows no more
    EXPECT_FALSE(job->prose.purpose.empty()) << name;
    EXPECT_FALSE(job->prose.notes.empty()) << name;
    for (const Phase& phase : job->phases) EXPECT_FALSE(phase.prose.purpose.empty()) << name << " " << phase.name;
    EXPECT_TRUE(std::ranges::none_of(job->assumed, [](const std::string& line) { return line.contains("tasks"); }));
  }
}

}  // namespace
}  // namespace gpuplan
