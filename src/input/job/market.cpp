// Keys of `market:` and `where:`.
#include <array>

#include "base/text.h"
#include "input/job/codecs.h"
#include "input/prices/price_bounds.h"
#include "input/text/gpu_name.h"

namespace gpuplan {

bool check_gpu_count(Reader& reader, const Tree& tree) {
  const Tree* gpu = tree.find("gpu");
  const Tree* gpus = tree.find("gpus");
  if (gpu == nullptr || gpus == nullptr) return true;
  const auto named = find_gpu(reader.catalogue, gpu->text);
  const auto counted = parse_amount(gpus->text, AmountKind::kCount);
  if (!named || !counted || named->count == 0 || named->count == *counted) return true;
  const Reader::Scope scope(reader, "gpus");
  return reader.fail(
      *gpus, "gpu says " + count_text(named->count) + " and gpus says " + count_text(*counted) + "; keep one of them");
}

namespace {

constexpr Bounds kGpuCounts = between(1, 100'000);

struct BillingRecord {
  using Object = Billing;
  static constexpr std::string_view title = "billing";
  static constexpr std::array keys = {
      key<&Billing::minimum>("minimum", "0 s", "least time that is billed"),
      key<&Billing::increment>("increment", "1 s", "time is rounded up to whole increments", kPositive),
      key<&Billing::startup>("startup", "0 s", "from asking for a machine to its first use"),
      key<&Billing::startup_billed>("startup_billed", "true", "whether that time is paid for"),
      key<&Billing::term>("term", "none", "committed: whole terms are paid for, used or not"),
  };
};

constexpr Key kGpusKey = key<&Offer::gpus>("gpus", "1", "GPUs in one machine; price is for all of them", kGpuCounts);

/// Prices an hour: zero, or one that somebody may have asked.
bool check_prices(Reader& reader, const Tree& tree, const Offer& offer) {
  const std::pair<std::string_view, const std::optional<Interval<DollarsPerSecond>>*> prices[] = {
      {"price", &offer.price}, {"spot_price", &offer.spot_price}};
  for (const auto& [name, price] : prices) {
    if (!*price || !is_slip(**price)) continue;
    const Tree* written = tree.find(name);
    return reader.fail(written != nullptr ? *written : tree,
                       "above zero and less than $0.0001/h; expected a price such as $2.49/h, "
                       "or 0 for what is free");
  }
  return true;
}

struct OfferRecord {
  using Object = Offer;
  static constexpr std::string_view title = "offer";
  static constexpr std::array keys = {
      gpu_key<Offer>("required", "GPU type; a count in front (4x RTX 4090) says how many"),
      kGpusKey,
      key<&Offer::price>("price", "", "dollars by the hour for the whole offer on demand, or a range"),
      key<&Offer::spot_price>("spot_price", "", "the same while it can be taken away; absent: not offered as spot"),
      rate_key("from spot", "how often a spot machine is taken away: a rate, a range of it, or an AWS band"),
      key<&Offer::provider>("provider", "", "who rents it out"),
      key<&Offer::region>("region", "", "where it stands"),
      key<&Offer::instance>("instance", "", "the provider's name for the machine"),
      key<&Offer::availability>("availability", "", "how easy it is to get, in words; shown"),
      key_as<Record<BillingRecord>, &Offer::billing>("billing", "by the second", "how use becomes money"),
      key<&Offer::disk_price>("disk_price", "", "storage, for a GB and month"),
      key<&Offer::egress_price>("egress_price", "", "traffic out, for a GB"),
      key<&Offer::label>("label", "4x RTX 3090", "what tables call it"),
  };
  static bool check(Reader& reader, const Tree& tree, Offer& offer) {
    if (!offer.price && !offer.spot_price)
      return reader.fail(tree, "price is missing; expected price or spot_price such as $2.49/h");
    return check_prices(reader, tree, offer) && check_gpu_count(reader, tree);
  }
};

/// GPUs that others keep: a share of the pool, or a number of GPUs.
struct LeaveFreeCodec {
  static constexpr std::array<const ValueType*, 2> options = {&ShareCodec::type, &WholeCodec::type};
  static constexpr ValueType type{
      .kind = ValueType::Kind::kOneOf, .options = options.data(), .option_count = options.size()};
  static bool read(Reader& reader, const Tree& tree, double& out, const Bounds&) {
    if (!tree.is_scalar() || tree.text.find('%') == std::string::npos)
      return WholeCodec::read(reader, tree, out, between(0, 1e6));
    return ShareCodec::read(reader, tree, out, between(0, 0.99));
  }
};

struct PoolRecord {
  using Object = Offer;
  static constexpr std::string_view title = "pool";
  static constexpr std::array keys = {
      key<&Offer::label>("name", "required", "what tables call it"),
      gpu_key<Offer>("required", "GPU type"),
      key<&Offer::gpus>("gpus", "1", "GPUs in one machine", kGpuCounts),
      key<&Offer::price>("price", "$0/h", "what an hour of one GPU counts as"),
      key<&Offer::max_time>("max_time", "none", "longest a job may run", kPositive),
      key<&Offer::partition>("partition", "", "Slurm partition"),
      key<&Offer::account>("account", "", "Slurm account"),
      key<&Offer::qos>("qos", "", "Slurm quality of service"),
      key<&Offer::preemptible>("preemptible", "false", "jobs may be stopped for others"),
      rate_key("from spot", "how often jobs on one machine of a preemptible pool are stopped"),
      key_as<LeaveFreeCodec, &Offer::leave_free>("leave_free", "0", "GPUs, or a share such as 25%, that others keep"),
      key<&Offer::queue>("queue", "", "queue or priority class of the cluster"),
      key_as<OptionalCodec<Codec<Interval<Seconds>>>, &Offer::wait>(
          "wait", "none", "in the queue before a job starts, or a range; counts against the deadline, not into hours"),
  };
  static bool check(Reader& reader, const Tree& tree, Offer& offer) {
    offer.kind = OfferKind::kPool;
    if (!offer.price) offer.price = exactly(DollarsPerSecond(0));
    return check_prices(reader, tree, offer) && check_gpu_count(reader, tree);
  }
};

struct OwnRecord {
  using Object = Offer;
  static constexpr std::string_view title = "own";
  static constexpr std::array keys = {
      key<&Offer::label>("name", "required", "what tables call it"),
      gpu_key<Offer>("required", "GPU type"),
      key<&Offer::gpus>("gpus", "1", "GPUs in the box", kGpuCounts),
      key_as<AmountCodec<AmountKind::kPower>, &Offer::watts>(
          "watts", "power limit of the GPUs",
          "what the whole box draws under load; a plan on some of its GPUs pays their share"),
      key_as<AmountCodec<AmountKind::kMoney>, &Offer::usd_per_kwh>("usd_per_kwh", "$0", "price of electricity",
                                                                   between(0, 100)),
  };
  static bool check(Reader& reader, const Tree& tree, Offer& offer) {
    offer.kind = OfferKind::kOwn;
    if (!check_gpu_count(reader, tree)) return false;
    if (offer.watts == 0) {
      const Gpu* gpu = reader.catalogue.find_gpu(offer.gpu);
      offer.watts = gpu != nullptr ? gpu->tdp_watts * offer.gpus : 0;
    }
    offer.price = exactly(DollarsPerSecond(offer.watts / 1000 * offer.usd_per_kwh / units::hour.value));
    return check_prices(reader, tree, offer);
  }
};

constexpr std::array<std::string_view, 2> kMarketUses = {"add", "only"};

struct MarketRecord {
  using Object = MarketSpec;
  static constexpr std::string_view title = "market";
  static constexpr std::array keys = {
      key_as<ListCodec<Record<OfferRecord>>, &MarketSpec::offers>("offers", "", "machines that can be rented"),
      key_as<ListCodec<Record<PoolRecord>>, &MarketSpec::pools>("pools", "", "parts of a cluster one may use"),
      key_as<ListCodec<Record<OwnRecord>>, &MarketSpec::own>("own", "", "boxes one has"),
      key_as<DateCodec, &MarketSpec::as_of>("as_of", "", "date of these prices; shown"),
      key_as<FlagWordCodec<kMarketUses>, &MarketSpec::only>("use", "add",
                                                            "add to the market that is known, or only these"),
  };
  static bool check(Reader& reader, const Tree& tree, MarketSpec& market) {
    if (market.only && market.offers.empty() && market.pools.empty() && market.own.empty())
      return reader.fail(tree, "use: only leaves nothing; expected offers, pools or own beside it");
    for (auto* list : {&market.offers, &market.pools, &market.own}) {
      for (Offer& offer : *list) {
        offer.as_of = market.as_of;
        offer.source = kJobSource;
      }
    }
    return true;
  }
};

struct GpuChoiceCodec {
  static constexpr const ValueType& type = kGpuType;
  static bool read(Reader& reader, const Tree& tree, GpuChoice& out, const Bounds&) {
    return read_gpu(reader, tree, out.gpu, out.count);
  }
};

struct WhereRecord {
  using Object = Where;
  static constexpr std::string_view title = "where";
  static constexpr std::array keys = {
      key_as<ListCodec<GpuChoiceCodec>, &Where::gpus>("gpus", "all",
                                                      "only these GPUs; with a count, machines of so many"),
      key<&Where::counts>("counts", "all", "only so many GPUs in all", kGpuCounts),
      key<&Where::nodes>("nodes", "1", "numbers of machines to try", between(1, 10'000)),
      key<&Where::providers>("providers", "all", "only these providers"),
      key<&Where::regions>("regions", "all", "only these regions"),
      key<&Where::spot>("spot", "allow when the job has a spot section, else never",
                        "machines that can be taken away: never, also, or only these"),
      key<&Where::max_price>("max_price", "none", "dearest machine, by the hour", kPositive),
      key_as<NamedCodec<WholeCodec>, &Where::quota>("quota", "none", "GPUs one may have at each provider",
                                                    between(0, 1e6)),
      key_as<OptionalCodec<ShareCodec>, &Where::reliability>("reliability", "none",
                                                             "least reliability of a marketplace host", between(0, 1)),
      key<&Where::inet_down>("inet_down", "none", "least download rate"),
      key<&Where::disk>("disk", "none", "least room on disk"),
      key<&Where::interconnect>("interconnect", "any", "what joins the GPUs of a machine"),
  };
};

}  // namespace

constinit const ValueType Codec<MarketSpec>::type = Record<MarketRecord>::type;
bool Codec<MarketSpec>::read(Reader& reader, const Tree& tree, MarketSpec& out, const Bounds& bounds) {
  return Record<MarketRecord>::read(reader, tree, out, bounds);
}

constinit const ValueType OwnBoxesCodec::type = ListCodec<Record<OwnRecord>>::type;
bool OwnBoxesCodec::read(Reader& reader, const Tree& tree, std::vector<Offer>& out, const Bounds& bounds) {
  return ListCodec<Record<OwnRecord>>::read(reader, tree, out, bounds);
}

constinit const ValueType PoolsCodec::type = ListCodec<Record<PoolRecord>>::type;
bool PoolsCodec::read(Reader& reader, const Tree& tree, std::vector<Offer>& out, const Bounds& bounds) {
  return ListCodec<Record<PoolRecord>>::read(reader, tree, out, bounds);
}

constinit const ValueType Codec<Where>::type = Record<WhereRecord>::type;
bool Codec<Where>::read(Reader& reader, const Tree& tree, Where& out, const Bounds& bounds) {
  return Record<WhereRecord>::read(reader, tree, out, bounds);
}

}  // namespace gpuplan
