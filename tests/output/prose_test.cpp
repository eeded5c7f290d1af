// The user's words on terminals and in JSON.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "output/answer/plan_json.h"
#include "output/plan_fixture.h"
#include "output/prose/prose_text.h"
#include "output/views/plan_views.h"

namespace gpuplan {
namespace {

using nlohmann::json;

TEST(TerminalProse, LeavesLinesAndNothingThatMovesOrHides) {
  EXPECT_EQ(terminal_prose("a\n\tb é 日本"), "a\n    b é 日本");
  EXPECT_EQ(terminal_prose("\x1b[31mred\x1b]0;t\x07"), "?[31mred?]0;t?");
  EXPECT_EQ(terminal_prose("a\r\x08z\x7f"), "a??z?");
  EXPECT_EQ(terminal_prose("x\u202Ey\u2066z\u200Bw"), "x?y?z?w");
  EXPECT_EQ(terminal_prose("bad \xff\xfe bytes"), "bad ?? bytes");
  EXPECT_EQ(terminal_prose(""), "");
}

TEST(ProsePieces, AreInTheOrderOfTheJob) {
  Job job;
  EXPECT_TRUE(prose_pieces(job).empty());
  job.prose.title = "T";
  job.prose.tasks = {{.what = "look", .who = "Ana", .time = exactly(Seconds{600}), .command = "a\nb", .notes = "n"}};
  Phase& phase = job.phases.emplace_back();
  phase.name = "train";
  phase.prose.expect = "E";
  phase.prose.quality.remedy = "D";
  Offer& offer = job.market.offers.emplace_back();
  offer.gpu = "L4";
  offer.gpus = 2;
  offer.notes = "rare";
  job.options = {{.gpu = "", .gpus = 1, .title = "One", .notes = ""}};
  job.variants.emplace_back().name = "v";
  job.variants[0].prose.notes = "w";
  std::string all;
  for (const ProsePiece& piece : prose_pieces(job))
    all += piece.about + "." + std::string(piece.key) + "=" + piece.text + ";";
  EXPECT_EQ(all,
            "job.title=T;job.tasks=- look (Ana, 10 min)\n\n  n\n\n      a\n      b;phase train.expect=E;phase "
            "train.quality.do=D;offer 2x L4.notes=rare;option 1 GPU.title=One;variant v.notes=w;");
}

TEST(PlanJson, TellsTheWordsOfTheJob) {
  PlanFixture fixture;
  EXPECT_TRUE(json::parse(plan_json(fixture.report(), {}))["prose"].is_null());
  const std::string odd = "<b>\"x\"</b>\n\u202E & \x1b";
  fixture.job.prose.purpose = odd;
  ManualTask& task = fixture.job.prose.tasks.emplace_back();
  task.what = "look";
  task.time = exactly(2 * units::hour);
  fixture.job.options = {{.gpu = "L4", .gpus = 0, .title = "", .notes = "n"}};
  const json prose = json::parse(plan_json(fixture.report(), {}))["prose"];
  EXPECT_EQ(prose["title"], "");
  EXPECT_EQ(prose["purpose"], odd);  // escaped, and the same again when read
  EXPECT_EQ(prose["tasks"][0]["do"], "look");
  EXPECT_EQ(prose["tasks"][0]["hours"]["p50"], 2);
  EXPECT_TRUE(prose["options"][0]["gpus"].is_null());
  EXPECT_TRUE(prose["phases"].empty());
}

TEST(NotesView, TellsWordsOrThatThereAreNone) {
  PlanFixture fixture;
  const std::string none = view_text(notes_view(fixture.report(), {}), {});
  EXPECT_NE(none.find("Nothing."), std::string::npos) << none;
  fixture.job.prose.notes = "# Head\n\n- one\n- \x1b[31mtwo\n";
  const std::string text = view_text(notes_view(fixture.report(), {}), {});
  EXPECT_NE(text.find("    # Head\n\n    - one\n    - ?[31mtwo\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Nothing."), std::string::npos);
}

}  // namespace
}  // namespace gpuplan
