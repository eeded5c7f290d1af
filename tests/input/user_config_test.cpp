#include "input/question/user_config.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "input/job_fixture.h"
#include "input/text/toml_tree.h"

namespace gpuplan {
namespace {

Result<UserConfig> config_of(const std::vector<std::pair<std::string, std::string>>& files) {
  std::vector<ConfigLayer> layers;
  for (const auto& [file, text] : files) {
    auto tree = parse_toml(text, file);
    if (!tree) return std::unexpected(tree.error());
    layers.push_back({file, *std::move(tree)});
  }
  return read_config(layers, known());
}

constexpr const char* kJob = "phases: {name: a, train: {model: gpt2, data: {tokens: 1M}, sequence: 1k}}\n";

Result<Job> job_with(const std::string& config, const std::string& more = "") {
  auto source = parse_job(kJob + more, "job.yaml");
  if (!source) return std::unexpected(source.error());
  const auto read = config_of({{"gpuplan.toml", config}});
  if (!read) return std::unexpected(read.error());
  apply_config(*source, *read);
  return read_job(*source, known(), ModelFinder(known()));
}

double per_hour(DollarsPerSecond price) { return price * units::hour / units::dollar; }

TEST(Toml, BecomesTheTreeOfTheSameYaml) {
  const auto toml =
      parse_toml("a = \"12 h\"\nb.c = 8\n[d]\ne = [1.5, true, 2026-01-05]\n[[f]]\ng = 1\n[[f]]\ng = 2\n", "x");
  ASSERT_TRUE(toml) << toml.error().message;
  EXPECT_EQ(flow_text(*toml), "{a: 12 h, b: {c: 8}, d: {e: [1.5, true, 2026-01-05]}, f: [{g: 1}, {g: 2}]}");
  EXPECT_EQ(toml->find("a")->line, 1);
  EXPECT_EQ(toml->find("b")->find("c")->key_line, 2);
  EXPECT_EQ(toml->find("d")->find("e")->line, 4);
}

TEST(Toml, RefusesInOneLine) {
  EXPECT_TRUE(line_of(parse_toml("a = 1\nm\xEF\xBB\xBD", "x")).starts_with("x:2: not TOML"));
  EXPECT_TRUE(parse_toml("a = \"\xE2\x82\xAC \xC3\xA4 \xEF\xAC\xA5\"\n", "x"));
  EXPECT_EQ(line_of(parse_toml("a = [", "x")), "x:1: not TOML: Error while parsing array: encountered end-of-file");
  EXPECT_EQ(line_of(parse_toml("\na = 1\na = 2\n", "x")).substr(0, 14), "x:3: not TOML:");
  EXPECT_EQ(line_of(parse_toml("a = inf\n", "x")), "x:1: expected a number, got inf or nan");
  EXPECT_EQ(line_of(parse_toml("a = 12:00:00\n", "x")),
            "x:1: a date or time of day is not valid here; write text such as \"12 h\"");
  EXPECT_EQ(line_of(parse_toml("a = \"\\u001b[31m\"\n", "x")), "x:1: expected text on one line, got '?[31m'");
  EXPECT_EQ(line_of(parse_toml("\"a\\nb\" = 1\n", "x")), "x:1: 'a?b' is not a valid key");
  EXPECT_EQ(line_of(parse_toml("a" + std::string(100, '.') + " = 1\n", "x")), "x:1: a line has more than 60 dots");
  EXPECT_FALSE(parse_toml("a = " + std::string(1000, '['), "x"));
  EXPECT_FALSE(parse_toml(std::string(70'000, '#'), "x"));
}

TEST(UserConfig, ReadsWithTheDeclarationsOfTheJob) {
  EXPECT_EQ(line_of(config_of({{"t.toml", "\nvalue_of_tim = 3"}})),
            "t.toml:2: unknown key 'value_of_tim'. Did you mean 'value_of_time'?");
  EXPECT_EQ(line_of(config_of({{"t.toml", "[where]\nregion = \"a\""}})),
            "t.toml:2: where: unknown key 'region'. Did you mean 'regions'?");
  EXPECT_EQ(line_of(config_of({{"t.toml", "value_of_time = \"12 h\""}})).substr(0, 39),
            "t.toml:1: value_of_time: expected a pri");
  EXPECT_EQ(line_of(config_of({{"t.toml", "limits = {budget = 5}"}})),
            "t.toml:1: unknown key 'limits'; it belongs in a job file, not in gpuplan.toml");
  EXPECT_NE(line_of(config_of({{"t.toml", "[[own]]\nname = \"a\"\ngpu = \"H400\""}})).find("unknown GPU 'H400'"),
            std::string::npos);
  EXPECT_EQ(line_of(config_of({{"t.toml", "own = [{name = \"a\", gpu = \"L4\"}, {name = \"a\", gpu = \"L4\"}]"}})),
            "t.toml:1: own: two machines are named a");
}

TEST(UserConfig, FillsWhatTheJobDoesNotSay) {
  const std::string config = "value_of_time = 40\nwhere = {regions = [\"x\"], quota = {aws = 8}}\n";
  auto job = job_with(config);
  ASSERT_TRUE(job) << job.error().message;
  EXPECT_NEAR(per_hour(job->value_of_time), 40, 1e-9);
  EXPECT_EQ(job->where.regions, std::vector<std::string>{"x"});
  EXPECT_EQ(job->from_config,
            std::vector<std::string>{"From gpuplan.toml: value_of_time 40, where.regions [x], where.quota.aws 8."});
  // The job wins, key by key.
  job = job_with(config, "value_of_time: 7\nwhere: {regions: [y], quota: {lambda: 2}}\n");
  EXPECT_NEAR(per_hour(job->value_of_time), 7, 1e-9);
  EXPECT_EQ(job->where.regions, std::vector<std::string>{"y"});
  ASSERT_EQ(job->where.quota.size(), 2U);
  EXPECT_EQ(job->from_config, std::vector<std::string>{"From gpuplan.toml: where.quota.aws 8."});
}

TEST(UserConfig, SpotSectionMeansTheSameAsInAJob) {
  EXPECT_EQ(job_with("spot = {interruptions = \"5%/h\"}")->where.spot, SpotUse::kAllow);
  EXPECT_EQ(job_with("spot = {interruptions = \"5%/h\"}", "where: {spot: never}")->where.spot, SpotUse::kNever);
  EXPECT_EQ(job_with("where = {spot = \"never\"}", "spot: {interruptions: 5%/h}")->where.spot, SpotUse::kAllow);
  EXPECT_EQ(job_with("where = {spot = \"only\"}")->where.spot, SpotUse::kOnly);
}

TEST(UserConfig, BoxesJoinTheMarketUnlessItIsClosed) {
  const std::string config =
      "value_of_time = 40\nwhere = {regions = [\"x\"]}\n[spot]\nrestart = \"1 min\"\n"
      "[[own]]\nname = \"desk\"\ngpu = \"2x RTX 4090\"\n[[pools]]\nname = \"p\"\ngpu = \"L4\"\ngpus = 4\n";
  auto job = job_with(config, "market: {own: [{name: mine, gpu: L4}]}");
  ASSERT_TRUE(job) << job.error().message;
  ASSERT_EQ(job->market.own.size(), 2U);
  EXPECT_EQ(job->market.own[0].source, kJobSource);
  EXPECT_EQ(job->market.own[1].label, "desk");
  EXPECT_EQ(job->market.own[1].gpus, 2);
  EXPECT_EQ(job->market.own[1].source, "gpuplan.toml");
  EXPECT_EQ(job->market.pools.size(), 1U);

  job = job_with(config, "market: {use: only, own: [{name: mine, gpu: L4}]}");
  EXPECT_EQ(job->market.own.size(), 1U);
  EXPECT_TRUE(job->market.pools.empty());
  EXPECT_TRUE(job->where.regions.empty());
  EXPECT_EQ(job->where.spot, SpotUse::kNever);
  EXPECT_NEAR(per_hour(job->value_of_time), 40, 1e-9);
  EXPECT_EQ(job->from_config, std::vector<std::string>{"From gpuplan.toml: value_of_time 40."});
}

TEST(UserConfig, AVariantCanCloseTheMarket) {
  auto source =
      parse_job(std::string(kJob) + "variants: {alone: {market: {use: only, own: [{name: m, gpu: L4}]}}}", "j");
  const auto config = config_of({{"gpuplan.toml", "[[own]]\nname = \"desk\"\ngpu = \"L4\"\n"}});
  apply_config(*source, *config);
  const auto job = read_job(*source, known(), ModelFinder(known()));
  ASSERT_TRUE(job) << job.error().message;
  const auto variant = read_job(*with_variant(*source, job->variants[0]), known(), ModelFinder(known()));
  EXPECT_EQ(job->market.own.size(), 1U);
  EXPECT_EQ(variant->market.own.size(), 1U);
  EXPECT_EQ(variant->market.own[0].label, "m");
}

TEST(UserConfig, RatesInAnotherFormAreToldWithAnExample) {
  for (const char* text : {"[[rates]]\ncode = \"EUR\"\ndollars = 1.08\n", "rates = [1.08]\n", "rates = 1.08\n"}) {
    const auto config = config_of({{"gpuplan.toml", text}});
    ASSERT_FALSE(config) << text;
    EXPECT_NE(config.error().message.find("EUR = 1.08"), std::string::npos) << config.error().message;
    EXPECT_EQ(config.error().message.find("25M"), std::string::npos) << config.error().message;
  }
}

TEST(UserConfig, LayersAreJoinedKeyByKeyAndTheNearestWins) {
  const auto config = config_of(
      {{"a/gpuplan.toml",
        "value_of_time = 1\nprices = \"p.csv\"\nwhere = {quota = {aws = 8}}\n[[own]]\nname = \"desk\"\n"
        "gpu = \"RTX 4090\"\n"},
       {"/x/c.toml",
        "value_of_time = 2\ngoal = \"cheapest\"\nprices = [\"/q.csv\"]\nrates = {EUR = 1.1}\nwhere = {quota = {aws "
        "= 2, gcp = 3}}\n[[own]]\nname = \"desk\"\ngpu = \"L4\"\n[[own]]\nname = \"lab\"\ngpu = \"L4\"\n"}});
  ASSERT_TRUE(config) << config.error().message;
  ASSERT_EQ(config->boxes.size(), 2U);
  EXPECT_EQ(config->boxes[0].gpu, "RTX 4090");
  EXPECT_EQ(config->boxes[1].label, "lab");
  EXPECT_EQ(config->prices, std::vector<std::string>{"a/p.csv"});
  EXPECT_EQ(config->rates, std::vector<std::string>{"EUR=1.1"});
  std::vector<std::string> said;
  for (const ConfigValue& value : config->values)
    said.push_back(value.address + "=" + value.value + "@" + value.file + ":" + std::to_string(value.line));
  EXPECT_EQ(join(said, " "),
            "value_of_time=1@a/gpuplan.toml:1 where.quota.aws=8@a/gpuplan.toml:3 own.desk=1x RTX 4090@a/gpuplan.toml:4 "
            "prices=p.csv@a/gpuplan.toml:2 goal=cheapest@/x/c.toml:2 where.quota.gcp=3@/x/c.toml:5 "
            "own.lab=1x L4@/x/c.toml:9 rates.EUR=1.1@/x/c.toml:4");
}

TEST(UserConfig, DiscountsComeOffListedPricesOnDemand) {
  const auto config = config_of({{"gpuplan.toml", "discounts = {aws = \"10%\", \"aws: H100 SXM\" = \"25%\"}\n"},
                                 {"/x/c.toml", "discounts = {gcp = 0.2, aws = 0.5}\n"}});
  ASSERT_TRUE(config) << config.error().message;
  const auto offer = [](const std::string& provider, const std::string& gpu) {
    Offer result;
    result.provider = provider;
    result.gpu = gpu;
    result.price = exactly(DollarsPerSecond{100});
    result.spot_price = exactly(DollarsPerSecond{40});
    return result;
  };
  std::vector<Offer> offers = {offer("aws", "H100 SXM"), offer("AWS", "L4"), offer("gcp", "L4"), offer("vast", "L4")};
  offers.push_back(offer("aws", "L4"));
  offers.back().kind = OfferKind::kOwn;
  apply_discounts(offers, config->discounts);
  std::vector<double> prices;
  for (const Offer& one : offers) {
    prices.push_back(one.price->p50.value);
    EXPECT_EQ(one.spot_price->p50.value, 40);
  }
  EXPECT_EQ(prices, (std::vector<double>{75, 90, 80, 100, 100}));
  EXPECT_EQ(discount_for(offers[0], config->discounts)->share, 0.25);
  EXPECT_EQ(discount_for(offers[3], config->discounts), nullptr);
  EXPECT_EQ(unknown_providers(offers, config->discounts), std::vector<std::string>{});
  const auto misspelt = config_of({{"gpuplan.toml", "[discounts]\naws = 0.1\ngpc = 0.1\n"}});
  EXPECT_EQ(unknown_providers(offers, misspelt->discounts),
            std::vector<std::string>{"unknown provider 'gpc' of discounts in gpuplan.toml:3; no offer has it. Did you "
                                     "mean 'gcp'?"});
  EXPECT_FALSE(config_of({{"gpuplan.toml", "discounts = {aws = 1.5}\n"}}));
  const auto unknown = config_of({{"gpuplan.toml", "\ndiscounts = {\"aws: H1000\" = 0.1}\n"}});
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().place.line, 2);
}

TEST(UserConfig, EveryKeyHasADefault) {
  std::vector<std::string> addresses;
  for (const ConfigValue& value : config_defaults()) {
    EXPECT_FALSE(value.value.empty()) << value.address;
    addresses.push_back(value.address);
  }
  for (const char* address : {"value_of_time", "where.regions", "where.quota", "spot.interruptions", "own", "prices"})
    EXPECT_NE(std::ranges::find(addresses, address), addresses.end()) << address;
}

}  // namespace
}  // namespace gpuplan
