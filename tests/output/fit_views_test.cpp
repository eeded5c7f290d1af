// gpuplan fit --batches and --placements, by hand.
#include "output/fit/views.h"

#include <gtest/gtest.h>

#include <tuple>

namespace gpuplan {
namespace {

struct ViewFixture {
  std::vector<Gpu> gpus;

  ViewFixture() {
    const auto add = [&](const char* name, double memory, double usable) {
      Gpu& gpu = gpus.emplace_back();
      gpu.name = name;
      gpu.memory = memory * units::GiB;
      gpu.usable = usable * units::GiB;
    };
    for (const auto& [name, memory, usable] :
         {std::tuple("T4", 16.0, 15.0), std::tuple("L4", 24.0, 22.4), std::tuple("RTX 4090", 24.0, 23.9),
          std::tuple("L40S", 48.0, 44.9), std::tuple("A100", 80.0, 80.0), std::tuple("H200", 141.0, 140.0),
          std::tuple("B200", 180.0, 179.0)})
      add(name, memory, usable);
  }

  /// A batch that needs so much; cards from the first of `saving` on hold it by saving memory.
  BatchRow row(int sequences, double needs, std::size_t saving) const {
    BatchRow result;
    result.sequences = sequences;
    result.needed = {needs * 0.9 * units::GiB, needs * units::GiB, needs * 1.1 * units::GiB};
    for (std::size_t i = 0; i < gpus.size(); ++i) {
      BatchHolder holder{&gpus[i], std::nullopt};
      const bool plain = result.needed.p90 < gpus[i].usable;
      if (plain || i >= saving) {
        PhaseEstimate estimate;
        estimate.memory_total = plain ? result.needed : result.needed * 0.5;
        if (!plain) estimate.strategy.recompute = Recompute::kFull;
        holder.best = estimate;
        holder.at_a_price = !plain;
      }
      result.gpus.push_back(holder);
    }
    return result;
  }
};

TEST(FitBatches, NamesTheSmallestCardsAndAllOnDemand) {
  const ViewFixture fixture;
  FitReport report;
  report.subject = "job";
  const BatchSection section{
      "train", "25M", 1, {fixture.row(32, 10, 9), fixture.row(64, 30, 1), fixture.row(128, 170, 9)}};
  EXPECT_EQ(batches_text(report, {section}, {.screen = {.columns = 100}}),
            R"(job: predicted memory per GPU

  train: 25M
  BATCH       MEMORY    P10–P90  FITS ON                           FITS WITH CHECKPOINTING OR OFFLOAD
         GiB per GPU
     32         10.0   9.0–11.0  16 GB and up: T4, L4, RTX 4090,
                                 L40S, and 3 more
     64         30.0  27.0–33.0  48 GB and up: L40S, A100, H200,   L4, RTX 4090
                                 B200
    128          170    153–187  no GPU

  Share of the usable memory by batch; * needs activation checkpointing, offload or sharding
  (slower):
  GPU       USABLE   32     64  128
               GiB
  B200         179   6%    17%    –
  H200         140   7%    21%    –
  A100        80.0  12%    38%    –
  L40S        44.9  22%    67%    –
  RTX 4090    23.9  42%  63% *    –
  L4          22.4  45%  67% *    –
  T4          15.0  67%      –    –
  More memory than needed (under 25% used): batch 32 from 48 GB up; batch 64 from 141 GB up.
)");
  EXPECT_NE(batch_table(section, true).text({.columns = 140}).find("T4, L4, RTX 4090, L40S, A100, H200, B200"),
            std::string::npos);
  EXPECT_TRUE(section.held());
  EXPECT_FALSE((BatchSection{"train", "", 1, {fixture.row(1, 500, 9)}}.held()));
}

TEST(FitBatches, AGapInTheCardsIsNoAndMore) {
  const ViewFixture fixture;
  BatchRow row = fixture.row(32, 10, 9);
  row.gpus[3].best.reset();  // L40S, for whatever reason
  const std::string text = batch_table({"train", "", 1, {row}}, false).csv();
  EXPECT_EQ(text,
            "batch,needed_gib,needed_gib_p10,needed_gib_p90,held_by,held_by_saving\n"
            "32,10,9,11,\"T4, L4, RTX 4090, A100, and 2 more\",\n");
}

TEST(FitPlacements, SaysWhatIsCopiedAndWhatIsShared) {
  const ViewFixture fixture;
  FitReport report;
  report.subject = "job";
  PlacementSection section{"train", "two models", {&fixture.gpus[4], Recompute::kFull, Offload::kNone, {}}};
  const auto add = [&](Layout layout, int gpus, double weights, double needs, Effort effort) -> PlacementRow& {
    PlacementRow& row = section.found.rows.emplace_back();
    row.layout = layout;
    row.gpus = gpus;
    row.micro_batch = 4 / gpus;
    row.memory.weights = weights * units::GiB;
    row.needed = {needs * 0.9 * units::GiB, needs * units::GiB, needs * 1.1 * units::GiB};
    row.fits = row.needed.p90 < fixture.gpus[4].usable;
    row.effort = effort;
    return row;
  };
  add(Layout::kOneGpu, 1, 60, 78, Effort::kOneProcess).fits = false;
  section.found.rows.back().tight = true;
  add(Layout::kReplicated, 2, 60, 76, Effort::kDataParallel).fits = false;
  section.found.rows.back().tight = true;
  add(Layout::kFullySharded, 2, 30, 40, Effort::kSharded);
  PlacementRow& none = section.found.rows.emplace_back();
  none.layout = Layout::kTensorParallel;
  none.gpus = 2;
  none.why_not = "no framework known does it";
  add(Layout::kModelsApart, 2, 32, 38, Effort::kModelsApart).models = {{"A", 38 * units::GiB}, {"B", 30 * units::GiB}};
  EXPECT_EQ(placements_text(report, {section}, {.screen = {.columns = 140}}),
            R"(job: predicted memory per GPU

  train: two models
  A100, one machine, activation checkpointing (full):
  GPUS  LAYOUT             BATCH  WEIGHTS        MEMORY    P10–P90  USED  FITS      SETUP EFFORT  REMARK
                                      GiB   GiB per GPU
     1  1 GPU                  4     60.0  78.0 of 80.0  70.2–85.8   98%  OOM risk  simple
     2  DDP                    2     60.0  76.0 of 80.0  68.4–83.6   95%  OOM risk  moderate
     2  FSDP (ZeRO-3)          2     30.0  40.0 of 80.0  36.0–44.0   50%  yes       moderate
     2  tensor parallel                                                   –                       no framework known does it
     2  one model per GPU      2     32.0  38.0 of 80.0  34.2–41.8   48%  yes       moderate
  DDP copies all weights to each of 2 GPUs (60.0 GiB): 76.0 GiB each, not 39.0.
  FSDP (ZeRO-3): 30.0 GiB of weights per GPU, gathered layer by layer.
  One model per GPU: A 38.0 GiB and B 30.0 GiB; the fullest GPU counts.
)");
  EXPECT_TRUE(section.held());
  section.found.rows.resize(2);
  EXPECT_FALSE(section.held()) << "tight is not held";
}

}  // namespace
}  // namespace gpuplan
