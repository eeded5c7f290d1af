// Right statements of every kind that plans make: the audit has nothing to say about any of them.
#include <gtest/gtest.h>

#include <string>

#include "api/questions/facts.h"
#include "evidence/audit/audit.h"
#include "input/claims/claims_file.h"

namespace gpuplan {
namespace {

/// What is said of a text but for what is missing; empty: nothing.
std::string accused(const std::string& text, ClaimsForm form) {
  static const Catalogue catalogue = *api::read_facts();
  const auto document = read_claims(text, form, "plan", catalogue);
  if (!document) return "not read";
  std::string said;
  for (const Finding& finding : audit_claims(*document, catalogue).findings)
    if (finding.kind != FindingKind::kMissing) said += finding.said + " -> " + finding.right + "; ";
  return said;
}

TEST(AuditRight, Lines) {
  for (const char* line : {
           "3.5 h \xC3\x97 $12.00/h \xC3\x97 1.1 = $46.20",
           "10 h \xC3\x97 8 GPUs = 80 GPU-hours",
           "80 GPU-hours \xC3\x97 $2.50 = $200",
           "64 node-hours \xC3\x97 $25.60 = $1,638.40",
           "2 nodes \xC3\x97 8 GPUs \xC3\x97 12 h \xC3\x97 $2 = $384",
           "Weekly: 7 \xC3\x97 24 h = 168 h",
           "168 h \xC3\x97 $2.49/h = $418.32",
           "5 days \xC3\x97 $50/day = $250",
           "5 days \xC3\x97 $50 = $250",
           "30 min \xC3\x97 $2/h = $1",
           "$99 per month \xC3\x97 12 = $1,188 per year",
           "$214 per month x 12 = $2,568 a year",
           "$50 per week \xC3\x97 4 = $200 a month",
           "$25 per day \xC3\x97 30 = $750 per month",
           "Output at $0.60/1M tokens: 100M \xC3\x97 $0.60 = $60",
           "100M output tokens \xC3\x97 $0.60 = $60",
           "90 min / 60 = 1.5 h",
           "45 min \xC3\x97 4 = 3 h",
           "7B \xC3\x97 2 bytes = 14 GB",
           "7B params \xC3\x97 16 bytes/param = 112 GB",
           "70B \xC3\x97 4 bits / 8 = 35 GB",
           "70B \xC3\x97 4 / 8 = 35 GB",
           "32 layers \xC3\x97 2 \xC3\x97 8 heads \xC3\x97 128 \xC3\x97 2 bytes = 128 KB per token",
           "131,072 tokens \xC3\x97 128 KiB = 16 GiB",
           "131,072 \xC3\x97 128 KiB = 16 GiB",
           "4096 \xC3\x97 4096 \xC3\x97 2 bytes = 32 MB",
           "4096 \xC3\x97 4096 \xC3\x97 2 = 33.6 MB",
           "1024 \xC3\x97 1024 \xC3\x97 4 = 4 MB",
           "15T tokens / 400k tokens/s = 434 days",
           "2 TB / 10 Gbps = 27 min",
           "500 GB / 2 GB/s = 250 s",
           "100 GB \xC3\x97 8 = 800 Gbit",
           "100 Gbit/s / 8 = 12.5 GB/s",
           "1.2 kWh \xC3\x97 24 = 28.8 kWh",
           "350 W \xC3\x97 720 h = 252 kWh",
           "252 kWh \xC3\x97 $0.20/kWh = $50.40",
           "252 kWh \xC3\x97 $0.20 = $50.40",
           "10 MW \xC3\x97 24 h = 240 MWh",
           "6 \xC3\x97 7B \xC3\x97 1T = 4.2e22 FLOPs",
           "4.2e22 / 4e14 = 1.05e8 s",
           "312 TFLOP/s \xC3\x97 0.4 = 125 TFLOP/s",
           "8 \xC3\x97 312 TFLOP/s \xC3\x97 40% = 998 TFLOP/s",
           "50% MFU \xC3\x97 989 TFLOP/s = 495 TFLOP/s",
           "1,000 samples \xC3\x97 3 epochs / 64 = 47 steps",
           "20,000 / 64 = 312.5 steps",
           "512 seq \xC3\x97 2048 tokens = 1M tokens",
           "20k samples \xC3\x97 1k tokens = 20M tokens",
           "10 \xC3\x97 $0.10 = $1",
           "$10 + $5 + 15% = $17.25",
           "$100 + 10% + 5% = $115.50",
           "$100 + 10% + 5% = $115",
           "($100 + $50) \xC3\x97 2 = $300",
           "(100 + 50) \xC3\x97 $2 = $300",
           "$300 / 3 = $100 each",
           "$100/month \xC3\x97 12 = $1,200",
           "12 months \xC3\x97 $100 = $1,200",
           "$0.50 per 1M tokens \xC3\x97 200M = $100",
           "$0.50/1M tokens \xC3\x97 200M tokens = $100",
           "200M tokens \xC3\x97 $0.50/M = $100",
           "3 \xC3\x97 2 = 6 \xC3\x97 1",
           "24 \xC3\x97 2 = 6 \xC3\x97 8 = 48",
           "$256 + $12 storage + $3 network = $271",
           "256 + 12 = $268",
           "20 GB + 4 GB + 6 GB = 30 GB",
           "20 + 4 + 6 = 30 GB",
           "80 GB \xE2\x88\x92 30 GB = 50 GB free",
           "80 GB - 30 GB = 50 GB",
           "100% \xE2\x88\x92 40% = 60%",
           "25% + 35% = 60%",
           "30% of 80 GB = 24 GB",
           "30% of 8 GPUs = 2.4",
           "40% off $2.50/h = $1.50/h",
           "10% of 100 h = 10 h",
           "A 20% buffer: $100 -> $120",
           "Spot saves 70%: $10 becomes $3",
           "60M tokens at 60,000 tokens/s takes 16.7 min",
           "60M tokens at 60,000 tokens/s takes about 17 minutes",
           "60M tokens at 50k tokens/s: 20 min, 24 min with set-up",
           "60M tokens at 60,000 tokens/s takes 20 min with checkpoints",
           "1000 steps at 1.5 s/step = 25 min",
           "140 GB at 500 MB/s takes 4.7 min",
           "3 epochs of 60M tokens at 60,000 tokens/s takes 50 min",
           "each of 4 models: 60M tokens at 60,000 tokens/s takes 16.7 min",
           "3,600 s, which is 1 h",
           "2 days = 48 h",
           "5 days = 40 h",
           "1 TB = 1000 GB",
           "1 TB = 1024 GB",
           "16 GB = 14.9 GiB",
           "1.5 h = 90 min",
           "8 h = 64 GPU-hours",
           "Run time 10 h = $256",
           "loss = 2.3, lr = 3e-4",
           "H100 SXM: 3.35 TB/s, NVLink 900 GB/s",
           "The A100 80GB has 2 TB/s, the A100 40GB 1,555 GB/s",
           "H100 PCIe has 2.0 TB/s of HBM bandwidth",
           "RTX 4090 (24 GB), RTX 3090 (24 GB), L4 (24 GB)",
           "L40S with 48 GB, H200 with 141 GB",
           "A100 (40 GB or 80 GB)",
           "8x H100 (640 GB) and 4x A100 80GB (320 GB)",
           "H100 MIG slice (20 GB)",
           "KV cache of Llama-3.1-8B: 128 KiB per token, 16 GiB for 131,072 tokens",
           "KV cache of Llama-3.1-8B takes 0.13 MB per token",
           "KV cache of Llama-3.1-8B at 8K tokens: 1 GiB",
           "KV cache for Llama-3.1-8B with 32 sequences of 8,192 tokens: 32 GiB",
           "With 8-bit optimizer: 7B \xC3\x97 2 bytes = 14 GB",
           "8 GPUs \xC3\x97 4 MB \xC3\x97 2 GA = 64",
           "4 micro \xC3\x97 2 accumulation \xC3\x97 8 GPUs = 64 sequences \xC3\x97 8,192 tokens = 524,288 tokens",
           "0.85 \xC3\x97 24 \xC3\x97 30 = $612",
           "1 \xE2\x88\x92 0.4 = 60%",
           "19/64 = 30%",
           "12 of 64 = 19%",
           "$3 \xC3\x97 10 h \xC3\x97 8 GPUs / 2 = $120",
           "4 cores \xC3\x97 8 = 32 cores",
           "64 GB RAM \xC3\x97 2 = 128 GB",
           "\xE2\x82\xAC"
           "3 \xC3\x97 10 h = \xE2\x82\xAC"
           "30",
           "3 \xE2\x82\xAC \xC3\x97 10 h = 30 \xE2\x82\xAC",
           "2 h 30 min \xC3\x97 $4/h = $10",
           "1 h 30 min = 90 min",
           "150 min = 2 h 30 min",
           "60M tokens at 60,000 tokens/s takes 16 min 40 s",
       }) {
    EXPECT_EQ(accused("- " + std::string(line) + "\n", ClaimsForm::kMarkdown), "") << line;
    EXPECT_EQ(accused(std::string(line) + "\n", ClaimsForm::kMarkdown), "") << line;
  }
}

TEST(AuditRight, SumsThatGoOverSeveralLines) {
  EXPECT_EQ(accused("The cache is 2 x 32 heads x 128 x\n32 layers x 712 x 2 bytes = 356 MiB.\n", ClaimsForm::kMarkdown),
            "");
}

TEST(AuditRight, Tables) {
  for (const char* table : {
           "| Instance | GPUs | Hourly rate | Hours | Subtotal | Tax (19%) | Total |\n"
           "|---|---|---|---|---|---|---|\n"
           "| p5 | 8x H100 SXM | $24.00 | 10 | $240.00 | $45.60 | $285.60 |\n"
           "| a100 | 8x A100 80GB | $16.00 | 20 | $320.00 | $60.80 | $380.80 |\n",
           "| Stage | Nodes | GPUs per node | Hours | GPU-hours | Cost per GPU-hour | Total |\n"
           "|---|---|---|---|---|---|---|\n"
           "| pretrain | 4 | 8 | 100 | 3200 | $2.00 | $6,400 |\n"
           "| sft | 1 | 8 | 10 | 80 | $2.00 | $160 |\n"
           "| eval | 1 | 1 | 5 | 5 | $2.00 | $10 |\n",
           "| Model | GPU | Tokens/s | Cost per 1M tokens | Total |\n"
           "|---|---|---|---|---|\n"
           "| 8B | H100 | 3000 | $0.25 | $25 |\n"
           "| 70B | 4x H100 | 900 | $3.20 | $320 |\n",
           "| GPU | GPUs | Rate per GPU-hour | Duration (days) | Total cost |\n"
           "|---|---|---|---|---|\n"
           "| H100 SXM | 16 | $2.25 | 3 | $2,592 |\n"
           "| H200 | 8 | $3.10 | 4 | $2,380.80 |\n",
           "| Item | Cost |\n"
           "|---|---|\n"
           "| Compute | 200 |\n"
           "| Disk | 20 |\n"
           "| Total | 220 |\n",
       })
    EXPECT_EQ(accused(table, ClaimsForm::kMarkdown), "") << table;
  for (const char* table : {
           "phase,gpu,gpus,price_per_hour,hours,total\n"
           "train,H100 SXM,8,20.00,12,240.00\n"
           "eval,L40S,2,1.60,3,4.80\n",
           "task;gpus;hours;gpu_hours;rate_usd_per_gpu_hour;cost_usd;total\n"
           "train;8;12;96;2,00;192,00;200,00\n"
           "eval;2;3;6;2,00;12,00;15,00\n",
       })
    EXPECT_EQ(accused(table, ClaimsForm::kCsv), "") << table;
}

}  // namespace
}  // namespace gpuplan
