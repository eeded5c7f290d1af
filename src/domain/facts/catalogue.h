// All facts known: hardware, machines, models, frameworks, known problems and the snapshot of offers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/unset.h"
#include "domain/facts/answer_constants.h"
#include "domain/facts/api_price.h"
#include "domain/facts/assumptions.h"
#include "domain/facts/engine_profile.h"
#include "domain/facts/error_model.h"
#include "domain/facts/framework.h"
#include "domain/facts/generation_constants.h"
#include "domain/facts/known_problem.h"
#include "domain/facts/optimizer.h"
#include "domain/facts/practice_constants.h"
#include "domain/facts/price_spread.h"
#include "domain/facts/training_constants.h"
#include "domain/hardware/hardware.h"
#include "domain/hardware/link.h"
#include "domain/market/offer.h"
#include "domain/work/model_shape.h"

namespace gpuplan {

/// Names and aliases to positions, compared in squeezed spelling (base/text.h).
class NameIndex {
 public:
  struct Name {
    std::string squeezed;
    int position = 0;

    bool operator==(const Name&) const = default;
  };

  NameIndex() = default;
  /// REQUIRES: in the order of names().
  explicit NameIndex(std::vector<Name> names) : names_(std::move(names)) {}

  void reserve(std::size_t names) { names_.reserve(names); }
  /// False when the name already stands for another position.
  bool add(std::string_view name, int position);
  std::optional<int> find(std::string_view name) const;
  /// Same as find() for a name that is squeezed already.
  std::optional<int> find_squeezed(std::string_view squeezed) const;

  /// Sorted by spelling: read far more often than added to, and taken as it is at every start.
  const std::vector<Name>& names() const { return names_; }

  bool operator==(const NameIndex&) const = default;

 private:
  std::vector<Name> names_;
};

/// Efficiencies that the model needs for one generation of hardware; every value is a share of the data sheet's
/// figure unless its name says otherwise. Rows of data/efficiency.csv; the last field names the measurement.
struct Efficiency {
  std::string architecture;        ///< as in Gpu::architecture; "*" serves what has no row of its own
  std::string memory_type;         ///< beginning of Gpu::memory_type ("HBM", "GDDR") or "*"
  std::string accumulation = "*";  ///< "half": 16-bit products with 32-bit sums run at half rate; "full"; "*" either
  double matmul = kUnset;          ///< share of peak that large 16-bit products reach
  double matmul_fp32 = kUnset;     ///< the same of products of full 32-bit numbers, over their own peak
  double matmul_fp8 = kUnset;
  double matmul_fp4 = kUnset;
  double k_half = kUnset;  ///< inner dimension at which half of that is lost
  double k_half_fp8 = kUnset;
  double k_half_fp4 = kUnset;
  double k_split = kUnset;  ///< inner elements that splitting the inner dimension over multiprocessors costs
  double wave = kUnset;     ///< 1: whole waves of tiles only; 0: work spread evenly
  double wave_fp8 = kUnset;
  double wave_fp4 = kUnset;
  double matmul_bandwidth = kUnset;   ///< share of memory bandwidth that products reach when bound by it
  double bandwidth = kUnset;          ///< share of memory bandwidth that streaming passes reach
  double attention = kUnset;          ///< share of peak in the vendor's newest fused attention
  double attention_common = kUnset;   ///< share of peak in the fused attention that most software ships (flash 2)
  double attention_old = kUnset;      ///< share of peak in the first fused attention (flash 1)
  double attention_short = kUnset;    ///< tokens at which fused attention reaches half of its rate
  double attention_softmax = kUnset;  ///< time of its softmax over that of its products, heads of 128
  double kernel_us = kUnset;          ///< floor of one kernel in microseconds
  double kernel_us_fp8 = kUnset;      ///< with the cast of its inputs, which is a kernel of its own
  double kernel_us_fp4 = kUnset;
  double training = kUnset;           ///< factor of this generation on the time of a training step
  double tflops_per_watt = kUnset;    ///< 16-bit products of a card at its power limit; 0: no limit known
  double fp32_per_sm_clock = kUnset;  ///< data-sheet fp32 operations of one multiprocessor in one clock; 0: unknown
  double serve_bandwidth = kUnset;  ///< share of memory bandwidth that products of few rows reach reading their weights
  double serve_us = kUnset;         ///< floor of such a product in microseconds, 16 bit
  double serve_us_fp8 = kUnset;     ///< with the cast of its input
  double serve_us_fp4 = kUnset;
  double cache_bandwidth = kUnset;  ///< share of memory bandwidth that attention reaches reading its cache
  double cache_us = kUnset;         ///< floor of attention over a cache in microseconds
  double cache_wave_us = kUnset;    ///< for every sequence and key head that each multiprocessor has to start
  double cache_expand = kUnset;     ///< bytes of an 8-bit cache that a multiprocessor expands in a clock; 0: no limit
  double experts = kUnset;          ///< rate of grouped 16-bit products over that of one product
  double experts_fp8 = kUnset;
  double experts_fp4 = kUnset;
  double experts_bandwidth = kUnset;  ///< share of memory bandwidth that grouped products reach
  double experts_us = kUnset;         ///< floor of a layer of experts in microseconds: routing, sorting and adding up
  /// Who published runs on such hardware that took part in the fit; 0: carried over from its relatives.
  double training_publishers = kUnset, serving_publishers = kUnset;
  std::string source, as_of;

  bool operator==(const Efficiency&) const = default;
};

struct Catalogue {
  std::vector<Gpu> gpus;
  std::vector<Node> nodes;
  std::vector<ModelShape> models;
  std::vector<Framework> frameworks;
  std::vector<Offer> offers;
  std::vector<Efficiency> efficiencies;
  std::vector<TrainingSoftware> training_software;
  std::vector<OptimizerFacts> optimizers;
  std::vector<LinkEfficiency> links;
  std::vector<KnownProblem> problems;
  std::vector<ApiPrice> api_prices;
  std::vector<PriceSpread> price_spreads;
  std::vector<EngineProfile> engines;
  TrainingConstants training_constants;
  GenerationConstants generation_constants;
  PracticeConstants practice_constants;
  ErrorModel errors;
  std::string own_runs_as_of;  ///< date of the newest of the runs that `errors` learned from; empty: none, or not dated
  AnswerConstants answer_constants;
  Assumptions assumptions;

  NameIndex gpu_names, model_names, framework_names;

  const Gpu* find_gpu(std::string_view name) const;
  const ModelShape* find_model(std::string_view name) const;  ///< with or without "organisation/" in front
  const Framework* find_framework(std::string_view name) const;
  const OptimizerFacts* find_optimizer(Optimizer optimizer) const;

  bool operator==(const Catalogue&) const = default;
};

/// Looks up GPUs of a list by name, where equal names mostly stand together: one that stood before is not looked for
/// again.
class GpusOfList {
 public:
  /// All that is given must outlive it.
  explicit GpusOfList(const Catalogue& catalogue) : catalogue_(catalogue) {}
  /// Null: the name is unknown.
  const Gpu* find(std::string_view name) {
    if (!any_ || name != name_) gpu_ = catalogue_.find_gpu(name);
    any_ = true;
    name_ = name;
    return gpu_;
  }

 private:
  const Catalogue& catalogue_;
  bool any_ = false;
  std::string_view name_;
  const Gpu* gpu_ = nullptr;
};

/// "8x H100 SXM", "H100 SXM:8", "H100 SXM" (count 0: any).
struct GpuCount {
  const Gpu* gpu = nullptr;
  int count = 0;
};
/// Nullopt when the name is unknown or the count is not a positive number.
std::optional<GpuCount> parse_gpu_count(const Catalogue& catalogue, std::string_view text);

/// Whether somebody says what joins several machines of an offer: itself, or the provider's own row.
bool names_network(const Catalogue& catalogue, const Offer& offer);

/// The machine that an offer stands for: the provider's own row when there is one, else the common box of that GPU.
NodeShape node_shape(const Catalogue& catalogue, const Offer& offer);

}  // namespace gpuplan
