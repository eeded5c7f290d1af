// Small words that plans are described with: numbers, phases, strategies, places. Plain text without colour.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "domain/work/job.h"
#include "plan/answer/plan.h"

namespace gpuplan {

/// What stands in a cell without a figure.
inline constexpr const char* kNoValue = "–";

/// What the samples of training data are: "sample", "pair" of answers, "prompt" that answers are given to.
std::string sample_word(const TrainPhase& train);
std::string sharded_words(Sharding sharding);  ///< "ZeRO-1", "HSDP"; "" without sharding
/// "a, b and c"; of more than three the first two: "a, b and 4 others".
std::string listed_few(std::vector<std::string> names);
std::string percent(double share);       ///< "4%", "0.3%", "98%"
std::string short_money(Dollars money);  ///< "$0.21", "$20", "$1,234", "$0.006"
std::string hours_words(Seconds time);   ///< "6.2 h", "45 min", "1,200 h", "8.7 s"
/// What stands at the axis of a chart, where values are round: "30 min", "2 h", "1.5 h"; "$0", "$1,200".
std::string hours_label(double hours);
std::string money_label(double dollars);
/// "61 s (51–73)", "2 h" when it is exact.
std::string range_words(const Interval<Seconds>& time);
std::string cost_words(const Outcome<Dollars>& cost);   ///< "$98.19", "no charge"
std::string range_words(const Outcome<Dollars>& cost);  ///< "$4.74 (3.95–5.69)", "no charge"
/// "$121 of it for results sent out (egress)", "$3.20 of it for disk space": what of the median cost is no machine's,
/// where it is more than nothing and at least `least` of the cost.
std::vector<std::string> beside_machines_words(const Plan& plan, double least = 0);
std::string outcome_text(const Outcome<Seconds>& hours);  ///< "2.8–4.1", in hours
std::string outcome_text(const Outcome<Dollars>& cost);   ///< "3.95–5.69"; empty when it is free
std::string times_words(double ratio);                    ///< "1.00x", "1.08x", "2.1x", "0.95x", "14x"
std::string chance_words(double chance);                  ///< "97%", "> 99%", "< 1%"
/// The same, rounded down where it is not as much as the job asks for: 89.6% of 90% as "89%".
std::string chance_words(double chance, bool enough);
std::string gib_text(Bytes size);  ///< GiB as a bare number: "16.3", "179", "0.4"

/// " Of the hours, 6.9 h go into interruptions, work done again and checkpoints (mean)." of a plan that may be
/// interrupted; else empty.
std::string repeated_words(const Plan& plan);

/// That all phases with a target reach it; empty: none has one.
std::optional<double> target_chance(const Plan& plan);

/// Why phases side by side take longer together than the last of them ends at the median; "" where they do not.
std::string beside_others_words(const Plan& plan);
std::string memory_words(const Plan& plan);  ///< of the fullest GPU: "16.2 of 23.6 GiB"; "–" without a GPU
std::string limits_words(const Plan& plan);  ///< "ok", "misses deadline", "may miss target" or several

std::string upper_first(std::string text);

std::string phase_words(const Phase& phase);  ///< "LoRA fine-tuning of Llama-3.1-8B on 50k samples"
/// "optimizer", "optimizer, weights": what sits in the memory of the CPU.
std::string offloaded_words(Offload offload);
/// "data parallel 8, ZeRO-3, micro-batch 2, gradient accumulation 4, full activation checkpointing, bf16, hf-trainer";
/// empty for phases without strategy.
std::string strategy_words(const PhaseEstimate& estimate, const Phase& phase);
/// "16 steps x 45 s", "142 tokens/s per GPU"; empty when there is no rate.
std::string rate_words(const PhasePlan& plan, const Phase& phase);
std::string price_words(const Offer& offer, bool spot);  ///< "$3.20/h", "$20/h ($18–$22/h) per GPU"
/// The same of a plan's offer, or what the user's own terms make of it: "$12/h on your own terms".
std::string paid_price_words(const Plan& plan);
/// "per second, at least 1 min", "per 10 min", "in whole terms of 720 h"
std::string billing_words(const Billing& billing);
std::string term_words(const Billing& billing);  ///< " x 720 h": to stand behind a price of one hour; "" without a term
bool rents(const Plan& plan);                    ///< some of its machines
bool offers_to_rent(const std::vector<Plan>& plans);  ///< one of them does
std::string_view paid_word(const Plan& plan);  ///< GPU-hours that are "paid for", or "held" where nothing is rented
std::string place_words(const Offer& offer);   ///< "lambda us-east-1", "pool gpu", "your machine desk"; empty: not said

/// ", after 2.2 h in the queue: done in 2.9 h"; "" where a plan waits in none.
std::string wait_words(const Plan& plan);

}  // namespace gpuplan
