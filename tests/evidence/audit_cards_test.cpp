// A number of GB beside a GPU is the card's size only where the text says that the card has, is or comes with it.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "base/text.h"
#include "evidence/audit_said.h"

namespace gpuplan {
namespace {

// Memory that is used, free, moved, of the host or of a part, and speeds of what joins cards.
TEST(AuditCards, WhatIsNotTheCardsSizeIsNotAccused) {
  for (const char* text : {
           "The H100 sends 64 GB of gradients over the wire each minute.",
           "An A100 moves 600 GB/s over NVLink and a V100 300 GB/s.",
           "NVLink gives an H100 900 GB/s to its seven neighbours.",
           "A PCIe Gen4 slot gives an A100 32 GB/s each way.",
           "Every L40S 20 GB of the cache is kept in fp8.",
           "On each RTX 4090 8 GB are kept free for the display.",
           "On the A100 55 GB are used at batch 16.",
           "For the B200 100 GB of scratch space are mounted.",
           "This leaves an A100 80GB about 12 GB for activations.",
           "That leaves a 4090 with nothing, and an RTX 6000 Ada 22 GB.",
           "The optimizer costs an A100 56 GB on top.",
           "We give each L4 16 GB of host memory.",
           "Give the H100 200 GB of disk.",
           "The loader feeds an H200 30 GB of samples every second.",
           "Sharding over eight saves each H100 98 GB.",
           "Rent an RTX 4090 with 64 GB of RAM and 1 TB of NVMe.",
           "Rent an RTX 3090 with 128 GB.",
           "A server with an RTX 4090 has 128 GB.",
           "The workstation holds an RTX A6000 and has 256 GB.",
           "My desktop with an RTX 3080 has 64 GB.",
           "A DGX H100 has 640 GB, a DGX B200 1,440 GB.",
           "An HGX A100 has 320 GB or 640 GB.",
           "The GH200 has 480 GB of LPDDR5X beside its 96 GB of HBM3.",
           "The GH200 has 576 GB.",
           "A GB200 superchip has two GPUs with 186 GB each.",
           "A GB200 has 372 GB.",
           "Both H100 have 160 GB.",
           "A pair of RTX 4090 has 48 GB.",
           "The H100 have 640 GB.",
           "The A100 MIG slice 3g.20gb is enough for the 7B.",
           "We cut the A100 3g.20gb and the A100 1g.5gb for students.",
           "With the weights loaded an H100 has 20 GB.",
           "After that the H100 has 31 GB.",
           "The A100 still has 24 GB.",
           "Under vGPU the A40 has 12 GB.",
           "The laptop's RTX 4090 has 16 GB.",
           "An RTX 4090 laptop GPU has 16 GB and 576 GB/s.",
           "Peak memory: H100 (64 GB), A100 (32 GB).",
           "vLLM takes 72 GB of the H100 and 36 GB of the A100 40GB.",
           "The cluster has 16x H100 80GB and 2 TB of RAM a node.",
           "1x A100 80GB, 117 GB RAM, 8 vCPU: $1.79/h",
           "RTX 4090, 64 GB RAM: $0.34/h",
           "H100 NVL 94GB, H100 SXM 80GB and GH200 96GB are alike.",
           "An H100 reads 3 TB a day from the bucket.",
           "Checkpoints of the A100 take 40 GB per day.",
           "A T4 16 GB holds the 7B in 4 bit.",
           "An H200 is a 141 GB card.",
           "An A100 offers 40 GB or 80 GB.",
           "The L40S comes with 48 GB of GDDR6.",
           "Inference: the H100 has 50 GB for the cache.",
           "The H100 12 GB free.",
           "Batch 8 takes on the A100 20 GB.",
           "Upload from the H100 12 GB per checkpoint.",
           "The node with 8x H100 40 GB of scratch each is slow.",
           "H100 12 GB are moved in 4 ms.",
       }) {
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
    EXPECT_EQ(said_of("- " + std::string(text) + "\n"), "") << text;
  }
}

// The same for every GPU and for sizes that no card has.
TEST(AuditCards, NoGpuIsAccusedOfMemoryThatItIsGiven) {
  const Catalogue catalogue = *api::read_facts();
  std::string text;
  int tried = 0;
  for (const Gpu& gpu : catalogue.gpus)
    for (const char* size : {"7", "13", "27", "77", "300"}) {
      const std::string beside = gpu.name + " " + size + " GB";
      for (const std::string& line :
           {"That leaves each " + beside + " for activations.", "On the " + beside + " of gradients are reduced.",
            "For the " + beside + " of disk are enough.", "A run costs an " + beside + " of its memory.",
            "NVLink of the " + beside + "/s is shared.", "We send the " + beside + " a minute."})
        text += "- " + line + "\n";
      ++tried;
    }
  EXPECT_GT(tried, 300);
  EXPECT_EQ(said_of(text), "");
}

TEST(AuditCards, SizesThatNoCardHasAreFound) {
  for (const char* text :
       {"Node: 4x H100 40GB", "8x H100 40 GB", "The H100 40GB is used.", "We rent 8x H100 40GB for 3 h.",
        "RTX 3090 Ti 48GB", "The RTX 4090 has 32 GB.", "The A100 has 60 GB of memory.", "An H200 is a 96 GB card.",
        "The L40S comes with 24 GB of GDDR6.", "The H100 costs more, but an L4 has 48 GB."})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
  EXPECT_NE(said_of("| GPU | Memory | Bandwidth |\n|---|---|---|\n| L4 | 48 GB | 300 GB/s |\n"), "");
}

// Data sheets describe the package or board, gpuplan's rows one GPU of it.
TEST(AuditCards, BoardsAndPackagesOfSeveralGpus) {
  for (const char* text : {"An MI250X has 128 GB, two times 64 GB.", "The MI250 has 3.2 TB/s.", "MI250X (128 GB)",
                           "A K80 has 24 GB on its two chips, an A16 64 GB on four.", "A K80 has 480 GB/s.",
                           "Node: 4x MI250X 128GB", "4x MI250X have 512 GB."})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
  EXPECT_EQ(said_of("| GPU | Memory | Bandwidth |\n|---|---|---|\n| MI250X | 128 GB | 3.2 TB/s |\n| K80 | 24 GB | 480 "
                    "GB/s |\n| A16 | 64 GB | 800 GB/s |\n"),
            "");
  for (const char* text : {"An MI250X has 96 GB.", "A K80 has 16 GB.", "The MI250 has 4.9 TB/s."})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
}

TEST(AuditCards, Bandwidths) {
  for (const char* text :
       {"8x H100 have 26.8 TB/s of memory bandwidth.", "Each node of 8x A100 80GB has 16.3 TB/s of memory bandwidth.",
        "The H100 has 80 GB. Its NVLink bandwidth is 900 GB/s.", "An H100 PCIe has 80 GB. Its bandwidth is 2.0 TB/s.",
        "An RTX 3090 Ti has 24 GB. Its bandwidth is 1,008 GB/s.",
        "The RTX 4090 has 24 GB. Its bandwidth is 1,008 GB/s.", "400 Gb/s InfiniBand carries 50 GB/s.",
        "2 TB / 10 Gb/s = 27 min", "100 Gb/s / 8 = 12.5 GB/s", "The H100 has 3.2 Tb/s of EFA.",
        "The A10G's bandwidth is 600 GB/s.", "An A10G has 600 GB/s, a V100 900 GB/s, a T4 320 GB/s, a P100 732 GB/s.",
        "An RTX A6000 has 768 GB/s, an A40 696 GB/s.", "The H200 has 141 GB at 4.8 TB/s.",
        "The RTX 5090 has 32 GB and 1.79 TB/s.", "B200 has 180 GB and 7.7 TB/s.",
        "RTX PRO 6000: 96 GB, 1.8 TB/s bandwidth.", "The A100 80GB gives 312 TFLOP/s, the H100 989 TFLOP/s."})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
  for (const char* text :
       {"An RTX 3090 has 24 GB. Its bandwidth is 1,008 GB/s.", "The RTX 4090 has 24 GB and 1.4 TB/s.",
        "8x H100 have 12 TB/s of memory bandwidth.", "The RTX 4090's bandwidth is 936 GB/s.",
        "The H200 has 141 GB at 3.3 TB/s.", "2 TB / 10 Gb/s = 57 min"})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
}

// A price may be that of all GPUs of a machine, wherever their number stands.
TEST(AuditCards, PricesOfMachinesByWhateverHeadTheirGpusHave) {
  for (const char* head :
       {"Count", "Quantity", "Qty", "Number", "Units", "Anzahl", "No.", "Size", "Cards", "GPUs", "#", "GPUs in it"}) {
    const std::string table = "Provider,GPU," + std::string(head) + ",Price per hour\n";
    EXPECT_EQ(
        said_of(table + "Beta,A100 80GB,8,$14.32\nDelta,RTX 4090,8,$2.80\nEps,H100 SXM,8,$19.92\n", ClaimsForm::kCsv),
        "")
        << head;
    EXPECT_NE(said_of(table + "Beta,A100 80GB,8,$143.20\n", ClaimsForm::kCsv), "") << head;
    EXPECT_NE(said_of(table + "Beta,A100 80GB,1,$14.32\n", ClaimsForm::kCsv), "") << head;
  }
  for (const char* text :
       {"Price of my time: $5 per hour, for the RTX 4090 and all others.",
        "Worth it if: above this value of your hour; the job says $9 per hour (value_of_time), RTX 4090."})
    EXPECT_EQ(said_of("## RTX 4090\n\n- " + std::string(text) + "\n"), "") << text;
}

TEST(AuditCards, WeightsAndTheCardThatHoldsThem) {
  for (const char* text :
       {"The 70B in fp8 fits on one H100 80GB.", "Llama-3.3-70B in bf16 fits on 2x H100 80GB.",
        "Llama-3.3-70B in bf16 fits on one B200.", "A 70B in bf16 fits on one MI300X.",
        "A 70B does not fit on one H100 in bf16.", "A 70B in bf16 fits on one H100 only with offload.",
        "A 70B fits on one A100 80GB in 4 bit, in bf16 on four.", "A 13B in 8 bit fits on a single RTX 4090.",
        "A single 24 GB card holds a 7B in bf16.", "A 7B in bf16 runs on one RTX 4090.",
        "A 30B in bf16 would need one H100.", "If a 70B fits on one H100 in bf16 we are done.",
        "A 70B in bf16 no longer fits on one H100.", "LoRA on a 70B with 4-bit weights fits on one A100 80GB.",
        "Weights of the 70B in bf16: 140 GB", "Weights of the 70B in bf16: 141 GB, in fp8 70 GB",
        "Weights of the 8B in bf16, per GPU: 4 GB", "A 6.7B in fp16 fits on one MI25."})
    EXPECT_EQ(said_of(std::string(text) + "\n"), "") << text;
  for (const char* text :
       {"Llama-3.3-70B in bf16 fits on one A100 80GB.", "A 70B fits on one A100 40GB in bf16.",
        "We train with QLoRA. A 70B fits on one A100 40GB in bf16.", "A 13B model fits on a single RTX 4090 in fp16.",
        "A single 24 GB card also fits Qwen2.5-32B in 8 bit.", "A 34B in bf16 runs on one RTX 6000 Ada.",
        "Weights of the 70B in bf16: 70 GB"})
    EXPECT_NE(said_of(std::string(text) + "\n"), "") << text;
}

}  // namespace
}  // namespace gpuplan
