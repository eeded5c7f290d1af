// Every way in which a job file can be wrong, with the whole line that says so.
#include <gtest/gtest.h>

#include <string>

#include "input/job_fixture.h"

namespace gpuplan {
namespace {

/// The error of a job with these lines after a phase that is right; they start on line 2.
std::string top(const std::string& lines) {
  return error_of("phases: [{name: a, fixed: {gpus: 1, time: 1 h}}]\n" + lines);
}
/// The error of a train phase with these keys, on line 1.
std::string train(const std::string& keys) {
  return error_of("phases: [{name: a, train: {model: gpt2, " + keys + "}}]");
}
std::string generate(const std::string& keys) {
  return error_of("phases: [{name: a, generate: {model: gpt2, " + keys + "}}]");
}
/// The error of these phases, one a line from line 2 on.
std::string phases(const std::string& lines) { return error_of("phases:\n" + lines); }

constexpr const char* kData = "data: {samples: 1000}, sequence: 128";
constexpr const char* kPrompts = "data: [{samples: 10, prompt_tokens: 20, new_tokens: 30}]";

TEST(JobErrors, WhatIsNoJob) {
  EXPECT_EQ(error_of(""), "job.yaml: the file is empty; expected a job with at least phases (docs/job-file.md)");
  EXPECT_EQ(
      error_of("- a\n- b\n"),
      "job.yaml:1: expected a map of job, phases, market, where, limits, goal, value_of_time, spot, ..., got a list");
  EXPECT_EQ(
      error_of("hello"),
      "job.yaml:1: expected a map of job, phases, market, where, limits, goal, value_of_time, spot, ..., got 'hello'");
}

TEST(JobErrors, UnknownAndMissingKeys) {
  EXPECT_EQ(top("limit: {deadline: 3 h}"), "job.yaml:2: unknown key 'limit'. Did you mean 'limits'?");
  EXPECT_EQ(top("limits: {dealine: 3 h}"), "job.yaml:2: limits: unknown key 'dealine'. Did you mean 'deadline'?");
  EXPECT_EQ(top("limits: {colour: red}"),
            "job.yaml:2: limits: unknown key 'colour'; known keys are deadline, budget, confidence");
  EXPECT_EQ(phases("  - {name: a, epochs: 3, train: {model: gpt2}}"),
            "job.yaml:2: phases.a: unknown key 'epochs'; it belongs inside train");
  EXPECT_EQ(error_of("job: x\n"),
            "job.yaml:1: missing 'phases'; expected a list, each item a map of name, train, generate, collect, work, "
            "fixed, cpu, needs, ...: the work, in phases");
  EXPECT_EQ(phases("  - {name: a, fixed: {gpus: 1}}"),
            "job.yaml:2: phases.a.fixed: missing 'time'; expected a time such as 12 h or 45 min: time it takes");
  EXPECT_EQ(phases("  - {fixed: {gpus: 1, time: 1 h}}"),
            "job.yaml:2: phases[0]: missing 'name'; expected a text: letters, digits, - and _");
}

TEST(JobErrors, Amounts) {
  EXPECT_EQ(top("limits: {deadline: 12 hous}"),
            "job.yaml:2: limits.deadline: expected a time such as 12 h or 45 min, got '12 hous' (unknown unit 'hous')");
  EXPECT_EQ(
      top("limits: {deadline: $5}"),
      "job.yaml:2: limits.deadline: expected a time such as 12 h or 45 min, got '$5' (that is an amount of money)");
  EXPECT_EQ(top("limits: {deadline: 0 h}"), "job.yaml:2: limits.deadline: expected more than 0 s, got '0 h'");
  EXPECT_EQ(top("limits: {deadline: -3 h}"), "job.yaml:2: limits.deadline: expected more than 0 s, got '-3 h'");
  EXPECT_EQ(top("limits: {deadline: 99999 weeks}"),
            "job.yaml:2: limits.deadline: expected at most 876,000 h, got '99999 weeks'");
  EXPECT_EQ(top("limits: {deadline: }"),
            "job.yaml:2: limits.deadline: expected a time such as 12 h or 45 min, got nothing");
  EXPECT_EQ(top("limits: {deadline: [3 h]}"),
            "job.yaml:2: limits.deadline: expected a time such as 12 h or 45 min, got a list");
  EXPECT_EQ(top("limits: {confidence: 40%}"), "job.yaml:2: limits.confidence: expected from 50% to 99.99%, got '40%'");
  EXPECT_EQ(top("buffer: -10%"), "job.yaml:2: buffer: expected at least 0%, got '-10%'");
  EXPECT_EQ(top("contingency: nan"), "job.yaml:2: contingency: expected an amount of money such as $50, got 'nan'");
  EXPECT_EQ(top("contingency: .inf"), "job.yaml:2: contingency: expected an amount of money such as $50, got '.inf'");
  EXPECT_EQ(top("contingency: 1e999"),
            "job.yaml:2: contingency: expected an amount of money such as $50, got '1e999' "
            "(it is too large or too small for a number)");
  EXPECT_EQ(top("value_of_time: $5"),
            "job.yaml:2: value_of_time: expected a price such as $0.35/h, got '$5' (that is an amount of money)");
  EXPECT_EQ(top("where: {counts: [1, 2.5]}"), "job.yaml:2: where.counts[1]: expected a whole number, got '2.5'");
  EXPECT_EQ(top("where: {counts: 0}"), "job.yaml:2: where.counts: expected from 1 to 100,000, got '0'");
  EXPECT_EQ(top("where: {counts: []}"),
            "job.yaml:2: where.counts: expected a list, each item a number such as 1500, "
            "50_000 or 25M, got an empty list");
}

TEST(JobErrors, AbsurdNumbers) {
  const std::string time = "expected a time such as 12 h or 45 min, got ";
  for (const std::string text : {"nan", "NaN", ".nan", "inf", "-inf", ".inf", "Infinity", "1e999 h", "--3 h", "3 h h"})
    EXPECT_EQ(top("limits: {deadline: " + text + "}").substr(0, 29 + time.size()),
              "job.yaml:2: limits.deadline: " + time)
        << text;
  EXPECT_EQ(top("limits: {deadline: 1e-300 s}"),
            "job.yaml:2: limits.deadline: " + time + "'1e-300 s' (it is too small)");
  EXPECT_EQ(top("limits: {budget: $1e13}"),
            "job.yaml:2: limits.budget: expected at most $1,000,000,000,000, got '$1e13'");
  EXPECT_EQ(top("limits: {budget: -$5}"), "job.yaml:2: limits.budget: expected more than $0.00, got '-$5'");
  EXPECT_EQ(top("buffer: 5000%"), "job.yaml:2: buffer: expected at most 1000%, got '5000%'");
  EXPECT_EQ(top("market: {offers: [{gpu: L4, price: $99999999/h}]}"),
            "job.yaml:2: market.offers[0].price: expected at most $1,000,000/h, got '$99999999/h'");
  EXPECT_EQ(top("market: {offers: [{gpu: L4, price: -1}]}"),
            "job.yaml:2: market.offers[0].price: expected at least $0.00/h, got '-1'");
  EXPECT_EQ(top("market: {offers: [{gpu: L4, price: $1/h, gpus: 1e30}]}"),
            "job.yaml:2: market.offers[0].gpus: expected from 1 to 100,000, got '1e30'");
  EXPECT_EQ(top("market: {own: [{name: a, gpu: L4, watts: -3}]}"),
            "job.yaml:2: market.own[0].watts: expected at least 0 W, got '-3'");
  EXPECT_EQ(top("market: {own: [{name: a, gpu: L4, usd_per_kwh: $200}]}"),
            "job.yaml:2: market.own[0].usd_per_kwh: expected at most $100.00, got '$200'");
  EXPECT_EQ(train("data: {samples: 1e30}, sequence: 128"),
            "job.yaml:1: phases.a.train.data.samples: expected from 1 to 1e+15, got '1e30'");
  EXPECT_EQ(train(std::string(kData) + ", epochs: -1"),
            "job.yaml:1: phases.a.train.epochs: expected more than 0 and at most 1,000,000, got '-1'");
  EXPECT_EQ(train(std::string(kData) + ", micro: 3, batch: 8"),
            "job.yaml:1: phases.a.train.micro: micro-batches of 3 do not divide a batch of 8 sequences; 2 or 4 do");
  EXPECT_EQ(train(std::string(kData) + ", micro: 4, batch: 8"), "");
  EXPECT_NE(train(std::string(kData) + ", parallel: {tp: 5}").find("heads of "), std::string::npos);
  EXPECT_NE(train(std::string(kData) + ", parallel: {pp: 500}").find("layers of "), std::string::npos);
  EXPECT_EQ(train(std::string(kData) + ", parallel: {tp: 2}"), "");
  EXPECT_EQ(train(std::string(kData) + ", micro: 0"),
            "job.yaml:1: phases.a.train.micro: expected from 1 to 1,000,000,000, got '0'");
  EXPECT_EQ(generate("data: {samples: 0, prompt_tokens: 5, new_tokens: 5}"),
            "job.yaml:1: phases.a.generate.data.samples: expected from 1 to 1e+15, got '0'");
  EXPECT_EQ(generate("data: {samples: 1, prompt_tokens: 0, new_tokens: 5}"),
            "job.yaml:1: phases.a.generate.data.prompt_tokens: expected from 1 to 1,000,000,000, got '0'");
}

TEST(JobErrors, WrongUnits) {
  EXPECT_EQ(top("where: {disk: 3 h}"),
            "job.yaml:2: where.disk: expected a size such as 80 GiB or 200 GB, got '3 h' (that is a time)");
  EXPECT_EQ(top("where: {inet_down: 80 GB}").substr(0, 40), "job.yaml:2: where.inet_down: expected a ");
  EXPECT_EQ(top("where: {max_price: 5%/h}").substr(0, 40), "job.yaml:2: where.max_price: expected a ");
  EXPECT_EQ(top("spot: {interruptions: $1/h}").substr(0, 43), "job.yaml:2: spot.interruptions: expected a ");
  EXPECT_EQ(train("data: {tokens: 5 GB}, sequence: 128").substr(0, 46),
            "job.yaml:1: phases.a.train.data.tokens: expect");
}

TEST(JobErrors, Words) {
  EXPECT_EQ(
      top("goal: fastes"),
      "job.yaml:2: goal: expected best_value, cheapest, fastest or fewest_gpus, got 'fastes'. Did you mean 'fastest'?");
  EXPECT_EQ(top("where: {spot: maybe}"), "job.yaml:2: where.spot: expected never, allow or only, got 'maybe'");
  EXPECT_EQ(train(std::string(kData) + ", precision: bf61"),
            "job.yaml:1: phases.a.train.precision: expected fp32, tf32, fp16, bf16, fp8, mxfp8 or nvfp4, got 'bf61'. "
            "Did you mean 'bf16'?");
  const std::pair<std::string, std::string> others[] = {{"precision: float8", "write fp8"},
                                                        {"recompute: true", "write full, or selective"},
                                                        {"parallel: fsdp2", "write zero3"},
                                                        {"attention: flash_attention_2", "write flash"},
                                                        {"seq_len: 4096", "did you mean sequence?"},
                                                        {"gradient_checkpointing: true", "did you mean recompute?"},
                                                        {"method: lora, lora: {r: 8}", "did you mean rank"},
                                                        {"method: lora, lora: {targets: all-linear}", "write all"}};
  for (const auto& [keys, advice] : others) {
    const std::string error = train(std::string(kData) + ", " + keys);
    EXPECT_NE(error.find(advice), std::string::npos) << error;
  }
  EXPECT_EQ(train(std::string(kData) + ", compile: maybe"),
            "job.yaml:1: phases.a.train.compile: expected true or false, got 'maybe'");
  EXPECT_EQ(top("market: {as_of: 2026-13, own: [{name: a, gpu: L4}]}"),
            "job.yaml:2: market.as_of: expected a date such as 2026-01 or 2026-01-31, got '2026-13'");
  for (const std::string date : {"2026-02-30", "2026-02-29", "2026-1", "1969-01", "20260101", "soon", "2026-01-00"})
    EXPECT_EQ(top("market: {as_of: " + date + ", own: [{name: a, gpu: L4}]}"),
              "job.yaml:2: market.as_of: expected a date such as 2026-01 or 2026-01-31, got '" + date + "'");
}

TEST(JobErrors, Gpus) {
  EXPECT_EQ(top("where: {gpus: [L4, RTX 5900]}"),
            "job.yaml:2: where.gpus[1]: unknown GPU 'RTX 5900'. Did you mean 'RTX 5090', 'RTX5000' or 'RTX 5080'? "
            "(list: gpuplan gpus)");
  EXPECT_EQ(top("where: {gpus: H100 PCIe 40GB}"),
            "job.yaml:2: where.gpus: there is no H100 PCIe with 40 GB; there are H100 PCIe (80 GB); with 40 GB "
            "there are A100 SXM 40GB and A100 PCIe 40GB");
  EXPECT_EQ(top("where: {gpus: 0x RTX 4090}"),
            "job.yaml:2: where.gpus: expected a GPU count of at least 1, got '0x RTX 4090'");
  EXPECT_EQ(top("market: {offers: [{gpu: 4x L4, gpus: 8, price: $1/h}]}"),
            "job.yaml:2: market.offers[0].gpus: gpu has a count of 4, gpus is 8; use one of them");
  EXPECT_EQ(top("market: {offers: [{gpu: L4}]}"),
            "job.yaml:2: market.offers[0]: missing 'price'; expected price or spot_price such as $2.49/h");
  for (const std::string offer : {"offers: [{gpu: L4, price: 1e-300", "offers: [{gpu: L4, price: $1e-9-1",
                                  "pools: [{name: a, gpu: L4, price: 1e-300"})
    EXPECT_NE(top("market: {" + offer + "}]}").find(".price: "), std::string::npos) << offer;
  EXPECT_EQ(top("market: {offers: [{gpu: L4, price: $0/h}]}"), "") << "free, and said so";
  EXPECT_EQ(top("market: {offers: [{gpu: L4, price: $3-2/h}]}").substr(0, 37), "job.yaml:2: market.offers[0].price: e");
  EXPECT_EQ(top("market: {use: only}"), "job.yaml:2: market: use: only leaves no offer; add offers, pools or own");
  EXPECT_EQ(top("market: {pools: [{name: a, gpu: L4, leave_free: 120%}]}"),
            "job.yaml:2: market.pools[0].leave_free: expected at most 99%, got '120%'");
  EXPECT_EQ(train(std::string(kData) + ", micro: {by_gpu: {H900: 3}}"),
            "job.yaml:1: phases.a.train.micro.by_gpu.H900: unknown GPU 'H900'. Did you mean 'H200', 'H800' or 'H100'? "
            "(list: gpuplan gpus)");
  EXPECT_EQ(train(std::string(kData) + ", micro: {by_cpu: {L4: 3}}"),
            "job.yaml:1: phases.a.train.micro: expected auto, a number such as 1500, 50_000 or 25M, or {by_gpu: {GPU: "
            "value, else: value}}, got a map");
}

TEST(JobErrors, Phases) {
  EXPECT_EQ(error_of("phases: []"),
            "job.yaml:1: phases: expected a list, each item a map of name, train, generate, "
            "collect, work, fixed, cpu, needs, ..., got an empty list");
  EXPECT_EQ(phases("  - name: a\n"),
            "job.yaml:2: phases.a: no work; expected one of train, generate, collect, work, fixed or cpu");
  EXPECT_EQ(phases("  - name: a\n    cpu: {time: 1 h}\n    fixed: {gpus: 1, time: 1 h}\n"),
            "job.yaml:4: phases.a: a phase has one kind of work; it has both cpu and fixed");
  EXPECT_EQ(phases("  - {name: a, cpu: {time: 1 h}}\n  - {name: a, cpu: {time: 1 h}}\n"),
            "job.yaml:3: phases: two phases are named a; the first is on line 2");
  EXPECT_EQ(phases("  - {name: a b, cpu: {time: 1 h}}\n"),
            "job.yaml:2: phases.a b.name: expected up to 64 letters, digits, - and _, got 'a b'");
  EXPECT_EQ(phases("  - {name: a, needs: [trian], cpu: {time: 1 h}}\n  - {name: train, cpu: {time: 1 h}}\n"),
            "job.yaml:2: phases.a.needs: no phase 'trian'. Did you mean 'train'?");
  EXPECT_EQ(phases("  - {name: a, on: zzz, cpu: {time: 1 h}}\n"), "job.yaml:2: phases.a.on: no phase 'zzz'; phases: a");
  EXPECT_EQ(phases("  - {name: a, needs: a, cpu: {time: 1 h}}\n"),
            "job.yaml:2: phases.a.needs: a phase cannot need itself");
  EXPECT_EQ(phases("  - {name: x, needs: a, cpu: {time: 1 h}}\n  - {name: a, needs: c, cpu: {time: 1 h}}\n"
                   "  - {name: b, needs: a, cpu: {time: 1 h}}\n  - {name: c, on: b, cpu: {time: 1 h}}\n"),
            "job.yaml:3: phases: circular 'needs': a -> c -> b -> a");
  EXPECT_EQ(phases("  - {name: a, chance_to_pass: 0, cpu: {time: 1 h}}\n"),
            "job.yaml:2: phases.a.chance_to_pass: expected more than 0% and at most 100%, got '0'");
  EXPECT_EQ(phases("  - {name: a, cpu: {time: 0}}\n"),
            "job.yaml:2: phases.a.cpu.time: expected more than 0 s, got '0'");
  EXPECT_EQ(phases("  - {name: a, work: {items: 0, each: {s: 1 s}}}\n"),
            "job.yaml:2: phases.a.work.items: expected from 1 to 1e+15, got '0'");
  EXPECT_EQ(phases("  - {name: a, fixed: {gpus: 0, time: 1 h}}\n"),
            "job.yaml:2: phases.a.fixed.gpus: expected from 1 to 100,000, got '0'");
}

TEST(JobErrors, PhasesMayNeedManyAndLongChains) {
  std::string text = "phases:\n  - {name: p0, cpu: {time: 1 h}}\n";
  for (int i = 1; i < 900; ++i)
    text += "  - {name: p" + std::to_string(i) + ", needs: [p" + std::to_string(i - 1) + ", p0], cpu: {time: 1 h}}\n";
  EXPECT_EQ(error_of(text), "");
  for (int i = 900; i < 1001; ++i) text += "  - {name: p" + std::to_string(i) + ", cpu: {time: 1 h}}\n";
  EXPECT_EQ(error_of(text), "job.yaml:2: phases: expected at most 1,000 items, got 1,001");
}

TEST(JobErrors, WorkOfTraining) {
  EXPECT_EQ(train("steps: 100, sequence: 128"),
            "job.yaml:1: phases.a.train: steps with a batch that differs between GPUs is not the same work for all; "
            "add steps_at_batch: N (the work is steps x N sequences), use epochs, or set one batch");
  EXPECT_EQ(
      train("steps: 100, sequence: 128, batch: {by_gpu: {L4: 8, else: 16}}"),
      "job.yaml:1: phases.a.train: 100 steps are 800 samples on L4 (batch 8) and 1600 elsewhere (16): not the same "
      "work; add steps_at_batch: 8 (the work is steps x 8 = 800 samples for all), or use epochs instead of steps");
  EXPECT_EQ(train("steps: 100, sequence: 128, batch: 8"), "");
  EXPECT_EQ(train("steps: 100, sequence: 128, batch: {by_gpu: {L4: 8, else: 8}}"), "") << "one batch after all";
  EXPECT_EQ(train("steps: 100, sequence: 128, steps_at_batch: 8"), "");
  EXPECT_EQ(train("sequence: 128"),
            "job.yaml:1: phases.a.train: missing 'data'; for example data: {tokens: 10M}, or steps and a batch");
  EXPECT_EQ(train("epochs: 3, sequence: 128, batch: 8"), train("sequence: 128"));
  EXPECT_EQ(train(std::string(kData) + ", epochs: 1, steps: 100"),
            "job.yaml:1: phases.a.train: use epochs or steps, not both");
  EXPECT_EQ(train(std::string(kData) + ", steps_at_batch: 100"),
            "job.yaml:1: phases.a.train: steps_at_batch also needs steps");
  EXPECT_EQ(train("data: {}, sequence: 128"),
            "job.yaml:1: phases.a.train.data: missing data size; expected samples such as 50k, or tokens such as 10B");
  EXPECT_EQ(train("data: {samples: 1, tokens: 1}, sequence: 128"),
            "job.yaml:1: phases.a.train.data: use samples or tokens, not both");
  EXPECT_EQ(train("data: {samples: 0}, sequence: 128"),
            "job.yaml:1: phases.a.train.data.samples: expected from 1 to 1e+15, got '0'");
  EXPECT_EQ(train("data: {samples: 10}"),
            "job.yaml:1: phases.a.train: missing 'sequence', the sequence length in tokens, such as 2048");
  EXPECT_EQ(train("data: {samples: 10, tokens_per_sample: {mean: 30, max: 20}}"),
            "job.yaml:1: phases.a.train.data.tokens_per_sample: max (20) is less than mean (30)");
  EXPECT_EQ(train("data: {samples: 10}, sequence: 128, batch: {tokens: 100}"),
            "job.yaml:1: phases.a.train.batch: a batch of 100 tokens is shorter than one sequence of 128");
  EXPECT_EQ(train("data: {samples: 10}, sequence: 128, batch: {tokens: 1000, sequences: 8}"),
            "job.yaml:1: phases.a.train.batch: use sequences or tokens, not both");
  EXPECT_EQ(train("data: {samples: 10}, sequence: 128, batch: 0"),
            "job.yaml:1: phases.a.train.batch: expected from 1 to 1,000,000,000, got '0'");
  EXPECT_EQ(train("data: {samples: 10}, sequence: 0"),
            "job.yaml:1: phases.a.train.sequence: expected from 1 to 1,000,000,000, got '0'");
}

TEST(JobErrors, MethodOfTraining) {
  const std::string data = kData;
  EXPECT_EQ(train(data + ", lora: {rank: 8}"),
            "job.yaml:1: phases.a.train: lora also needs method: lora or method: qlora");
  EXPECT_EQ(train(data + ", method: lora, lora: {targets: [q_prj]}"),
            "job.yaml:1: phases.a.train.lora.targets[0]: expected q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, "
            "down_proj, attention, mlp or all, got 'q_prj'. Did you mean 'q_proj'?");
  EXPECT_EQ(
      train(data + ", method: frozen"),
      "job.yaml:1: phases.a.train: missing 'trainable'; method: frozen needs the trainable parameters, such as 2.3M");
  EXPECT_EQ(train(data + ", trainable: 2.3M"), "job.yaml:1: phases.a.train: trainable also needs method: frozen");
  EXPECT_EQ(train(data + ", method: frozen, trainable: [[3, 4], [5]]"),
            "job.yaml:1: phases.a.train.trainable[1]: expected rows and columns such as [768, 256], got a list");
  EXPECT_EQ(
      error_of("phases: [{name: a, train: {model: {name: gpt2, frozen: true}, data: {samples: 1}, sequence: 8}}]"),
      "job.yaml:1: phases.a.train: every model is frozen, so nothing is trained; add method: frozen and trainable");
  EXPECT_EQ(train(data + ", framework: vllm"),
            "job.yaml:1: phases.a.train.framework: vllm does not train; expected a training framework");
  EXPECT_EQ(train(data + ", framework: nanogtp"),
            "job.yaml:1: phases.a.train.framework: unknown framework 'nanogtp'. Did you mean 'nanogpt'?");
  EXPECT_EQ(train(data + ", parallel: zero4").substr(0, 65),
            "job.yaml:1: phases.a.train.parallel: expected auto, none, zero1, ");
  EXPECT_EQ(train(data + ", parallel: {tp: 0}"),
            "job.yaml:1: phases.a.train.parallel.tp: expected from 1 to 100,000, got '0'");
}

std::string model(const std::string& text) {
  return error_of("phases: [{name: a, train: {model: " + text + ", data: {samples: 1}, sequence: 8}}]");
}

TEST(JobErrors, Models) {
  EXPECT_EQ(model("Lama-3.1-8B").substr(0, 70),
            "job.yaml:1: phases.a.train.model: unknown model 'Lama-3.1-8B'. Did you");
  EXPECT_EQ(model("{frozen: true}"),
            "job.yaml:1: phases.a.train.model: empty model; expected name, like, params, layers and hidden, or custom");
  EXPECT_EQ(model("{like: gpt2, layers: 3}"),
            "job.yaml:1: phases.a.train.model: layers cannot be combined with like; use one of them");
  EXPECT_EQ(model("{heads: 4}"),
            "job.yaml:1: phases.a.train.model: layers is missing; a shape needs at least layers and hidden, such as "
            "{layers: 12, hidden: 768}");
  EXPECT_EQ(model("{layers: 2, hidden: 64, heads: 4, kv_heads: 3}"),
            "job.yaml:1: phases.a.train.model: expected heads (4) to be a multiple of kv_heads (3)");
  EXPECT_EQ(model("{layers: 2, hidden: 64, experts: 4, experts_per_token: 5}"),
            "job.yaml:1: phases.a.train.model: experts_per_token (5) is more than experts (4)");
  EXPECT_EQ(
      model("{params: 7B, layers: 10, hidden: 128}"),
      "job.yaml:1: phases.a.train.model: params (7B) contradicts the shape: 10 layers of width 128 and their tables "
      "have 79.4M; correct params, layers or hidden");
  EXPECT_EQ(model("{layers: 0, hidden: 64}"),
            "job.yaml:1: phases.a.train.model.layers: expected from 1 to 10,000, got '0'");
  EXPECT_EQ(
      model("{layers: 2, hidden: 64, kind: vit}"),
      "job.yaml:1: phases.a.train.model: expected image, patch and channels of a vision transformer, such as image: "
      "224, patch: 16, channels: 3");
  EXPECT_EQ(model("{layers: 2, hidden: 64, kind: vit, image: 16, patch: 32}"),
            model("{layers: 2, hidden: 64, kind: vit}"));
  EXPECT_EQ(model("{layers: 2, hidden: 64, kv_lora_rank: 16}"),
            "job.yaml:1: phases.a.train.model: kv_lora_rank also needs qk_nope_dim, qk_rope_dim and v_dim");
  EXPECT_EQ(model("{layers: 2, hidden: 64, dense_layers: 3}"),
            "job.yaml:1: phases.a.train.model: expected dense_layers and window_layers of at most layers (2)");
  EXPECT_EQ(model("{layers: 2, hidden: 64, window_layers: 1}"),
            "job.yaml:1: phases.a.train.model: window also needs window_layers, and the other way round");
  EXPECT_EQ(model("{layers: 2, hidden: 64, window: 1024}"), "");
  EXPECT_EQ(model("{custom: {params: 1M}}"),
            "job.yaml:1: phases.a.train.model.custom: missing 'flops_per_sample'; expected a number such as 1500, "
            "50_000 or 25M: floating-point operations per sample, forward and backward");
  EXPECT_EQ(model("[gpt2]"), "job.yaml:1: phases.a.train.model: expected the name of a model or a path, got a list");
  EXPECT_EQ(train("models: [gpt2], " + std::string(kData)),
            "job.yaml:1: phases.a.train: model and models cannot be combined");
  EXPECT_EQ(error_of("phases: [{name: a, train: {data: {samples: 1}, sequence: 8}}]"),
            "job.yaml:1: phases.a.train: missing 'model'; expected a name, a path, or a shape such as {layers: 12, "
            "hidden: 768}");
}

TEST(JobErrors, Generation) {
  EXPECT_EQ(generate("situation: single"),
            "job.yaml:1: phases.a.generate: missing 'data'; expected a list, each item a map of name, samples, "
            "prompt_tokens, new_tokens: the prompts for each model");
  EXPECT_EQ(
      generate("data: [{samples: 1, prompt_tokens: 2}]"),
      "job.yaml:1: phases.a.generate: data[0]: missing 'new_tokens'; expected at least 1 output token per prompt");
  EXPECT_EQ(generate(std::string(kPrompts) + ", situation: concurrency"),
            "job.yaml:1: phases.a.generate: missing 'concurrency'; situation: concurrency needs a number of concurrent "
            "requests, such as 32");
  EXPECT_EQ(generate(std::string(kPrompts) + ", situation: static, concurrency: 3"),
            "job.yaml:1: phases.a.generate: concurrency also needs situation: concurrency");
  EXPECT_EQ(generate(std::string(kPrompts) + ", situation: single, batch: 8").substr(0, 60),
            "job.yaml:1: phases.a.generate: situation: single sends one r");
  EXPECT_EQ(generate(std::string(kPrompts) + ", engine: torch"),
            "job.yaml:1: phases.a.generate.engine: torch does not generate text; expected an inference engine");
  EXPECT_EQ(error_of("phases: [{name: a, collect: {model: gpt2, " + std::string(kPrompts) + "}}]"),
            "job.yaml:1: phases.a.collect: missing 'store'; expected a map of layers, width, dtype, to, tokens, "
            "disk_rate, disk_price: activations to store");
  EXPECT_EQ(error_of("phases: [{name: a, collect: {model: gpt2, forward_only: true, store: {layers: 1, width: 8}, " +
                     std::string(kPrompts) + "}}]"),
            "job.yaml:1: phases.a.collect: data[0]: new_tokens and forward_only cannot be combined");
}

TEST(JobErrors, Given) {
  const auto given = [](const std::string& figure) {
    return phases("  - {name: a, fixed: {gpus: 1, time: 1 h}, given: [" + figure + "]}\n");
  };
  EXPECT_EQ(given("{gpu: L4}"),
            "job.yaml:2: phases.a.given[0]: empty entry; expected tokens_per_second, samples_per_second, "
            "seconds_per_step, seconds_per_sample, time or memory");
  EXPECT_EQ(given("{gpu: L4, time: 3 h, seconds_per_step: 2 s}"),
            "job.yaml:2: phases.a.given[0]: several speeds; use one of them");
  EXPECT_EQ(given("{gpu: L4, tokens_per_second: 0}"),
            "job.yaml:2: phases.a.given[0].tokens_per_second: expected more than 0, got '0'");
}

TEST(JobErrors, SpotAndCheckpoints) {
  EXPECT_EQ(top("spot: {interruptions: often}"),
            "job.yaml:2: spot.interruptions: expected a rate such as 5%/h, got 'often'");
  EXPECT_EQ(top("spot: {interruptions: [1]}"),
            "job.yaml:2: spot.interruptions: expected a rate such as 5%/h, <5%, 5-10%, "
            "10-15%, 15-20% or >20% or a map of trace, bathtub, got a list");
  EXPECT_EQ(top("spot: {policy: greedi}"),
            "job.yaml:2: spot.policy: expected auto, on_demand, spot_only, greedy, time_sliced or "
            "uniform_progress, got 'greedi'. Did you mean 'greedy'?");
  EXPECT_EQ(top("checkpoint: {every: 100}"),
            "job.yaml:2: checkpoint.every: expected auto, a number of steps such as 200 "
            "steps or a time such as 12 h or 45 min, got '100'");
  EXPECT_EQ(top("checkpoint: {every: 0 steps}"),
            "job.yaml:2: checkpoint.every: expected from 1 to 1000000000000, got '0'");
  EXPECT_EQ(top("checkpoint: {keep: -2}"), "job.yaml:2: checkpoint.keep: expected from 1 to 1,000,000, got '-2'");
}

TEST(JobErrors, Variants) {
  EXPECT_EQ(top("variants:\n  cheap: {where.spto: only}\n"),
            "job.yaml:3: variants.cheap: unknown key 'spto' in where. Did you mean 'spot'?");
  EXPECT_EQ(top("variants:\n  cheap:\n    where.spot: onyl\n"),
            "job.yaml:4: variants.cheap: where.spot: expected never, allow or only, got 'onyl'. Did you mean 'only'?");
  EXPECT_EQ(top("variants: {cheap: 3}"),
            "job.yaml:2: variants.cheap: expected addresses and values such as {where.spot: only}, got '3'");
  EXPECT_EQ(top("variants: []").substr(0, 51), "job.yaml:2: variants: expected named sets of addres");
}

TEST(JobErrors, TextOfTheUserIsHarmless) {
  EXPECT_EQ(top("goal: \"\\e[31m\""), "job.yaml:2: control characters are not allowed in text");
  EXPECT_EQ(top("goal: " + std::string(5000, 'x')).find('\n'), std::string::npos);
  EXPECT_LT(top("goal: " + std::string(5000, 'x')).size(), 300U);
  EXPECT_LT(top(std::string(5000, 'x') + ": 1").size(), 400U);
  EXPECT_EQ(top("goal: \"a\\nb\""),
            "job.yaml:2: goal: expected best_value, cheapest, fastest or fewest_gpus, got 'a?b'");
}

}  // namespace
}  // namespace gpuplan
