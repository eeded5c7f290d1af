// Keys of `market:` and `where:`.
#include <algorithm>
#include <array>

#include "base/text.h"
#include "input/job/codecs.h"
#include "input/job/network_text.h"
#include "input/job/prose.h"
#include "input/prices/price_bounds.h"
#include "input/prices/region_areas.h"
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
  return reader.fail(*gpus, "gpu has a count of " + count_text(named->count) + ", gpus is " + count_text(*counted) +
                                "; use one of them");
}

namespace {

constexpr Bounds kGpuCounts = between(1, 100'000);

struct BillingRecord {
  using Object = Billing;
  static constexpr std::string_view title = "billing";
  static constexpr std::array keys = {
      key<&Billing::minimum>("minimum", "0 s", "minimum time billed"),
      key<&Billing::increment>("increment", "1 s", "time is rounded up to whole increments", kPositive),
      key<&Billing::startup>("startup", "0 s", "boot time: from request to first use"),
      key<&Billing::startup_billed>("startup_billed", "true", "whether boot time is billed"),
      key<&Billing::term>("term", "none", "commitment: whole terms are billed, used or not"),
  };
};

constexpr Key kGpusKey = key<&Offer::gpus>("gpus", "1", "GPUs in one machine; price is for all of them", kGpuCounts);

constexpr Key kTitleKey =
    prose_key<ProseTitleCodec, &Offer::notes>("title", "what it is called over its notes (shown only)");
constexpr Key kPurposeKey = prose_key<ProsePurposeCodec, &Offer::notes>("purpose", "what it is for (shown only)");
constexpr Key kNotesKey = prose_key<ProseNotesCodec, &Offer::notes>("notes", "what is to be said of it (shown only)");

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
      gpu_key<Offer>("required", "GPU type, with an optional count: 4x RTX 4090"),
      kGpusKey,
      key<&Offer::price>("price", "", "on-demand price per hour of the whole offer, or a range"),
      key<&Offer::spot_price>("spot_price", "", "spot price per hour; absent: not offered as spot"),
      rate_key("from spot", "spot interruption rate: a rate, a range, or an AWS band"),
      key<&Offer::provider>("provider", "", "provider"),
      key<&Offer::region>("region", "", "region"),
      key<&Offer::instance>("instance", "", "the provider's name for the machine"),
      key<&Offer::availability>("availability", "", "how easy it is to get, in words (shown only)"),
      key_as<Record<BillingRecord>, &Offer::billing>("billing", "by the second", "billing rules"),
      key<&Offer::disk_price>("disk_price", "", "disk price per GB and month"),
      key<&Offer::egress_price>("egress_price", "", "egress price per GB"),
      key<&Offer::label>("label", "4x RTX 3090", "name in tables"),
      kTitleKey,
      kPurposeKey,
      kNotesKey,
  };
  static bool check(Reader& reader, const Tree& tree, Offer& offer) {
    if (!offer.price && !offer.spot_price)
      return reader.fail(tree, "missing 'price'; expected price or spot_price such as $2.49/h");
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

constexpr Bounds kMachineMemory = between(1e8, 1e15);
constexpr Bounds kMachineDisk = between(1e8, 1e18);
constexpr Bounds kProcessors = between(1, 100'000);
constexpr Bounds kMachineCounts = between(1, 10'000);

/// What one machine of a pool, or an own box, has beside its GPUs.
constexpr Key kRamKey = key<&Offer::ram>("ram", "as machines with such GPUs commonly have; told where it matters",
                                         "memory (RAM) of one machine, such as 256 GB", kMachineMemory);
constexpr Key kDiskKey = key<&Offer::disk>(
    "disk", "as much as is needed", "room on the disk of one machine: what needs more is left out", kMachineDisk);
constexpr Key kCpusKey = key<&Offer::vcpus>("cpus", "as the smallest machine known with such GPUs",
                                            "processors (threads) of one machine", kProcessors);

struct NetworkCodec {
  static constexpr const ValueType& type = Codec<std::string>::type;
  static bool read(Reader& reader, const Tree& tree, BytesPerSecond& out, const Bounds&) {
    std::string text;
    if (!read_text(reader, tree, text)) return false;
    const auto rate = parse_network(text);
    if (!rate) return reader.fail(tree, rate.error().message);
    out = *rate;
    return true;
  }
};

/// What a cluster asks of several machines; what joins them decides how fast they work together, so nobody guesses it.
bool check_nodes(Reader& reader, const Tree& tree, const Offer& offer) {
  if (offer.nodes < 2 || offer.network.value > 0) return true;
  const Reader::Scope scope(reader, "nodes");
  return reader.fail_at_key(*tree.find("nodes"),
                            "network is missing: what joins the " + count_text(offer.nodes) +
                                " machines, such as network: 8x 400 Gbit/s InfiniBand (all adapters of one machine)");
}

struct PoolRecord {
  using Object = Offer;
  static constexpr std::string_view title = "pool";
  static constexpr std::array keys = {
      key<&Offer::label>("name", "required", "name in tables"),
      gpu_key<Offer>("required", "GPU type"),
      key<&Offer::gpus>("gpus", "1", "GPUs in one machine", kGpuCounts),
      key<&Offer::nodes>("nodes", "1", "machines in the pool; several need network", kMachineCounts),
      key_as<NetworkCodec, &Offer::network>(
          "network", "", "between machines, all adapters of one together: 8x 400 Gbit/s InfiniBand, 8x NDR, 100GbE"),
      key<&Offer::max_nodes>("max_nodes", "all", "most machines for one job", kMachineCounts),
      kRamKey,
      kDiskKey,
      kCpusKey,
      key<&Offer::price>("price", "$0/h", "internal price per GPU-hour"),
      key<&Offer::max_time>("max_time", "none", "maximum run time of a job", kPositive),
      key<&Offer::partition>("partition", "", "Slurm partition"),
      key<&Offer::account>("account", "", "Slurm account"),
      key<&Offer::qos>("qos", "", "Slurm quality of service"),
      key<&Offer::preemptible>("preemptible", "false",
                               "jobs may be preempted; where.spot: never leaves it out, only takes it"),
      rate_key("from spot", "preemption rate per machine of a preemptible pool"),
      key_as<LeaveFreeCodec, &Offer::leave_free>("leave_free", "0",
                                                 "GPUs, or a share such as 25%, left free for others"),
      key<&Offer::queue>("queue", "", "queue or priority class of the cluster"),
      key_as<OptionalCodec<Codec<Interval<Seconds>>>, &Offer::wait>(
          "wait", "none",
          "queue wait before a job starts, or a range; not in the hours, counts toward the deadline and where time "
          "counts"),
      kTitleKey,
      kPurposeKey,
      kNotesKey,
  };
  static bool check(Reader& reader, const Tree& tree, Offer& offer) {
    offer.kind = OfferKind::kPool;
    if (!offer.price) offer.price = exactly(DollarsPerSecond(0));
    return check_prices(reader, tree, offer) && check_gpu_count(reader, tree) && check_nodes(reader, tree, offer);
  }
};

struct OwnRecord {
  using Object = Offer;
  static constexpr std::string_view title = "own";
  static constexpr std::array keys = {
      key<&Offer::label>("name", "required", "name in tables"),
      gpu_key<Offer>("required", "GPU type"),
      key<&Offer::gpus>("gpus", "1", "GPUs in the machine", kGpuCounts),
      kRamKey,
      kDiskKey,
      kCpusKey,
      key_as<AmountCodec<AmountKind::kPower>, &Offer::watts>(
          "watts", "power limit of the GPUs",
          "power draw of the whole machine under load; a plan on some of its GPUs pays their share"),
      key_as<AmountCodec<AmountKind::kMoney>, &Offer::usd_per_kwh>("usd_per_kwh", "$0", "price of electricity",
                                                                   between(0, 100)),
      kTitleKey,
      kPurposeKey,
      kNotesKey,
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
      key_as<ListCodec<Record<OfferRecord>>, &MarketSpec::offers>("offers", "", "machines you can rent"),
      key_as<ListCodec<Record<PoolRecord>>, &MarketSpec::pools>("pools", "", "cluster pools you may use"),
      key_as<ListCodec<Record<OwnRecord>>, &MarketSpec::own>("own", "", "machines you own"),
      key_as<DateCodec, &MarketSpec::as_of>("as_of", "", "date of these prices (shown only)"),
      key_as<FlagWordCodec<kMarketUses>, &MarketSpec::only>("use", "add",
                                                            "add to the built-in offers, or use only these"),
      key_as<ShareCodec, &MarketSpec::price_level>(
          "price_level", "100%", "all prices of machines to rent, times this: 120% asks what if they rise by a fifth",
          between(0.01, 100)),
  };
  static bool check(Reader& reader, const Tree& tree, MarketSpec& market) {
    if (market.only && market.offers.empty() && market.pools.empty() && market.own.empty())
      return reader.fail(tree, "use: only leaves no offer; add offers, pools or own");
    for (auto* list : {&market.offers, &market.pools, &market.own}) {
      for (Offer& offer : *list) {
        offer.as_of = market.as_of;
        offer.source = kJobSource;
      }
    }
    return true;
  }
};

/// The GPUs that one name stands for.
struct GpuChoicesCodec {
  static constexpr const ValueType& type = kGpuType;
  static bool read(Reader& reader, const Tree& tree, std::vector<GpuChoice>& out, const Bounds&) {
    std::vector<std::string> gpus;
    int count = 0;
    if (!read_gpus(reader, tree, gpus, count)) return false;
    for (std::string& gpu : gpus) out.push_back({std::move(gpu), count});
    return true;
  }
};

struct GpuChoiceListCodec {
  static constexpr ValueType type = ListCodec<GpuChoicesCodec>::type;
  static bool read(Reader& reader, const Tree& tree, std::vector<GpuChoice>& out, const Bounds& bounds) {
    std::vector<std::vector<GpuChoice>> named;
    if (!ListCodec<GpuChoicesCodec>::read(reader, tree, named, bounds)) return false;
    for (std::vector<GpuChoice>& choices : named)
      for (GpuChoice& choice : choices)
        if (std::ranges::find(out, choice) == out.end()) out.push_back(std::move(choice));
    return true;
  }
};

struct WhereRecord {
  using Object = Where;
  static constexpr std::string_view title = "where";
  static constexpr std::array keys = {
      key_as<GpuChoiceListCodec, &Where::gpus>(
          "gpus", "all", "only these GPUs; with a count, only machines with that many; A100 is every A100"),
      key<&Where::counts>("counts", "all", "total GPU counts to try", kGpuCounts),
      key<&Where::nodes>("nodes", "1", "node counts to try", between(1, 10'000)),
      key<&Where::providers>("providers", "all", "only these providers, pools and own machines, by name"),
      key<&Where::regions>("regions", "all",
                           "only these regions, as providers name them, or areas and countries: eu, us, asia, germany"),
      key<&Where::spot>("spot", "allow when the job has a spot section, else never",
                        "spot machines and, where it is said, preemptible pools: never, also, or only these"),
      key<&Where::max_price>("max_price", "none", "highest price per machine-hour", kPositive),
      key_as<NamedCodec<WholeCodec>, &Where::quota>("quota", "none", "GPU quota at each provider", between(0, 1e6)),
      key_as<OptionalCodec<ShareCodec>, &Where::reliability>(
          "reliability", "none", "minimum reliability of a marketplace host", between(0, 1)),
      key<&Where::inet_down>("inet_down", "none", "minimum download speed"),
      key<&Where::disk>("disk", "none", "minimum disk space"),
      key<&Where::interconnect>("interconnect", "any", "interconnect between the GPUs of a machine"),
  };
  /// An area is what it holds: "eu=eu-north*", "eu=DE", ...
  static bool check(Reader& reader, const Tree& tree, Where& where) {
    std::vector<std::string> regions;
    for (const std::string& text : where.regions)
      for (const std::string& name : regions_named(text, reader.catalogue.offers)) {
        if (name.empty()) return hole(reader, tree, text);
        const std::vector<std::string>& inside = regions_of(name);
        if (inside.empty()) regions.push_back(name);
        for (const std::string& region : inside) regions.push_back(std::string(name).append("=").append(region));
        if (!inside.empty() && where.known_regions.empty())
          for (const std::string& region : all_regions()) where.known_regions.push_back("=" + region);
      }
    where.regions = std::move(regions);
    return true;
  }
  static bool hole(Reader& reader, const Tree& tree, const std::string& text) {
    const Tree* written = tree.find("regions");
    const Reader::Scope scope(reader, "regions");
    return reader.fail(written != nullptr ? *written : tree,
                       "'" + printable(text, 60) +
                           "' has an empty item between commas or at an end; expected regions or areas such as us, eu");
  }
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
