#include "launch/to/cloud.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "launch/launched.h"
#include "launch/to/launchers.h"

namespace gpuplan {
namespace {

// The first phase is cheaper on few GPUs, and the second needs many: two machines, one after the other.
constexpr const char* kTwoMachines = R"(
job: two
market:
  use: only
  offers:
    - {gpu: RTX 4090, gpus: 2, price: $1-2/h, spot_price: $0.5/h}
    - {gpu: H100 SXM, gpus: 8, price: $20/h}
where: {disk: 300 GB}
phases:
  - {name: a, fixed: {gpus: 1, time: 10 h}, command: 'true'}
  - {name: b, needs: [a], fixed: {gpus: 8, time: 1 h}, command: 'true'}
)";

std::string file_of(const Result<LaunchSet>& set, std::string_view path) {
  if (!set) {
    ADD_FAILURE() << set.error().message;
    return {};
  }
  for (const LaunchFile& file : set->files)
    if (file.path == path) return file.text;
  ADD_FAILURE() << "no " << path;
  return {};
}

bool said(const std::vector<std::string>& lines, std::string_view words) {
  return std::ranges::any_of(lines, [&](const std::string& line) { return line.find(words) != std::string::npos; });
}

TEST(CloudMachine, IsTheOfferWithLimits) {
  const Launched two(job_of(kTwoMachines));
  ASSERT_TRUE(two.launch);
  ASSERT_EQ(two.launch->groups.size(), 2U);
  const auto machine = cloud_machine(*two.launch, two.launch->groups[0]);
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->gpu->name, "RTX 4090");
  EXPECT_EQ(machine->gpus, 2) << "a rented machine is asked for as a whole";
  EXPECT_EQ(machine->nodes, 1);
  EXPECT_FALSE(machine->spot);
  // P90 of the price is $2: a tenth more.
  ASSERT_TRUE(machine->price_limit);
  EXPECT_DOUBLE_EQ(dollars_an_hour(*machine->price_limit), 2.2);
  EXPECT_EQ(whole_gb(machine->disk), 300) << "as the job says";
  EXPECT_EQ(machine->limit, two.launch->groups[0].limit + machine->grace);
  EXPECT_EQ(whole_seconds(machine->grace), 120);
}

TEST(CloudMachine, AStepIsEndedBeforeTheCheckpoint) {
  const Launched slow(
      job_of("market: {use: only, offers: [{gpu: A100 SXM 80GB, price: $1/h}]}\nphases:\n  - {name: a, train: {model: "
             "gpt2-xl, "
             "data: {tokens: 1B}, sequence: 1024, batch: {tokens: 4_194_304}, precision: bf16, framework: torch}}\n"));
  ASSERT_TRUE(slow.launch);
  const auto machine = cloud_machine(*slow.launch, slow.launch->groups[0]);
  ASSERT_TRUE(machine);
  const Seconds step = slow.launch->phases[0].part->seconds_per_step.p90;
  EXPECT_GT(step, 100 * units::second);
  EXPECT_GE(machine->grace, step + 120 * units::second);
}

TEST(CloudMachine, PricesAreLimitedByTheJobToo) {
  Launched two(job_of(kTwoMachines));
  Job job = two.searched.job;
  const Offer& offer = *two.launch->groups[0].lease->offer;
  EXPECT_DOUBLE_EQ(dollars_an_hour(*price_limit(job, offer, false)), 2.2);
  EXPECT_DOUBLE_EQ(dollars_an_hour(*price_limit(job, offer, true)), 0.55);
  job.where.max_price = DollarsPerSecond{1.5 / 3600};
  job.spot.max_price = DollarsPerSecond{0.4 / 3600};
  EXPECT_DOUBLE_EQ(dollars_an_hour(*price_limit(job, offer, false)), 1.5);
  EXPECT_DOUBLE_EQ(dollars_an_hour(*price_limit(job, offer, true)), 0.4);
  Offer own = offer;
  own.kind = OfferKind::kOwn;
  EXPECT_DOUBLE_EQ(dollars_an_hour(*price_limit(job, own, false)), 1.5) << "what is rented in its place";
  job.where.max_price.reset();
  EXPECT_FALSE(price_limit(job, own, false));
}

TEST(CloudMachine, DollarsAreRoundedUpToCents) {
  EXPECT_DOUBLE_EQ(dollars_an_hour(DollarsPerSecond{2.001 / 3600}), 2.01);
  EXPECT_DOUBLE_EQ(dollars_an_hour(DollarsPerSecond{2.2 / 3600}), 2.2);
}

TEST(ObjectName, IsALabelOfDnsAndToldApart) {
  Launched two(job_of(kTwoMachines));
  Launch& launch = *two.launch;
  EXPECT_EQ(object_name(launch, launch.groups[0]), "two-" + launch.groups[0].slug);
  launch.slug = "124m";
  EXPECT_EQ(object_name(launch, launch.groups[0]).substr(0, 9), "job-124m-");
  launch.slug = std::string(40, 'x');
  const std::string first = object_name(launch, launch.groups[0], 40);
  const std::string second = object_name(launch, launch.groups[1], 40);
  EXPECT_LE(first.size(), 40U);
  EXPECT_NE(first, second);
}

TEST(Bucket, IsReadFromWhereCheckpointsGo) {
  Job job;
  EXPECT_FALSE(bucket_of(job));
  job.storage.results = "gs://results/of/it";
  EXPECT_EQ(bucket_of(job)->scheme + " " + bucket_of(job)->name + " " + bucket_of(job)->folder, "gs results of/it");
  job.checkpoint.to = "s3://my-bucket";
  EXPECT_EQ(bucket_of(job)->name, "my-bucket");
  EXPECT_EQ(bucket_of(job)->folder, "");
  for (const char* const none :
       {"/mnt/disk", "s3://", "s3://a", "s3://$(touch x)/y", "http://bucket/x", "s3://UPPER"}) {
    job.checkpoint.to = none;
    EXPECT_EQ(bucket_of(job)->name, "results") << none;
  }
  job.checkpoint.to = "s3://bucket/../a b//$(c)/";
  EXPECT_EQ(bucket_of(job)->folder, "a-b/c");
}

TEST(Chain, EndsWhereSomebodyDoesSomethingBetween) {
  const auto chain = [](const std::string& text) {
    const Launched laid(job_of(text));
    return is_chain(*laid.launch);
  };
  EXPECT_TRUE(chain(kTwoMachines));
  const std::string base = kTwoMachines;
  std::string by_hand = base;
  by_hand.replace(by_hand.find("name: b,"), 8, "name: b, before: {note: look, time: 1 min},");
  EXPECT_FALSE(chain(by_hand));
  std::string first_by_hand = base;
  first_by_hand.replace(first_by_hand.find("name: a,"), 8, "name: a, before: {note: look, time: 1 min},");
  EXPECT_TRUE(chain(first_by_hand)) << "done before it is launched";
  std::string at_home = base;
  at_home.replace(at_home.find("needs: [a]"), 10, "needs: [home]");
  at_home += "  - {name: home, needs: [a], cpu: {time: 1 min, command: 'true'}}\n";
  EXPECT_FALSE(chain(at_home));
}

/// One phase of each, in this order; what each needs and on which of the two machines it runs.
struct Laid {
  std::vector<int> needs;
  int group;
};

/// Commands of two machines that do not see each other's runs.
Result<std::vector<std::string>> apart(const std::vector<Laid>& phases, bool by_hand = false) {
  const Launched two(job_of(kTwoMachines));
  Launch launch = *two.launch;
  launch.phases.clear();
  launch.groups.resize(2);
  for (LaunchGroup& group : launch.groups) group.phases.clear();
  Phase phase = two.searched.job.phases.front();
  if (by_hand) phase.before.emplace().text = "look";
  for (const Laid& laid : phases) {
    LaunchPhase one;
    one.phase = &phase;
    one.slug = "p" + std::to_string(launch.phases.size());
    one.needs = laid.needs;
    one.group = laid.group;
    if (laid.group >= 0)
      launch.groups[static_cast<std::size_t>(laid.group)].phases.push_back(static_cast<int>(launch.phases.size()));
    launch.phases.push_back(one);
  }
  launch.groups[0].slug = "machine-1";
  launch.groups[1].slug = "machine-2";
  return commands_apart(launch, {{{"one"}, {"one again"}, {"one ends"}}, {{"two"}, {"two again"}, {"two ends"}}}, "X");
}

TEST(Apart, WhatIsNeededHasEndedBefore) {
  using Lines = std::vector<std::string>;
  // The first machine's second phase needs what the other one does.
  EXPECT_EQ(apart({{{}, 0}, {{}, 1}, {{0, 1}, 0}}).value(), (Lines{"two", "two ends", "one", "one ends"}));
  EXPECT_EQ(apart({{{}, 0}, {{0}, 1}}).value(), (Lines{"one", "one ends", "two", "two ends"}));
  // By way of the user's own machine.
  EXPECT_EQ(apart({{{}, 0}, {{}, 1}, {{1}, -1}, {{2}, 0}}).value(),
            (Lines{"two", "two ends", "bash phases/p2.sh  # on your own machine", "one", "one ends"}));
}

TEST(Apart, NeitherOfTwoThatNeedEachOtherIsStarted) {
  const auto commands = apart({{{}, 0}, {{0}, 1}, {{1}, 0}});
  ASSERT_FALSE(commands);
  EXPECT_EQ(commands.error().message,
            "machine-1 and machine-2 need each other's results while both run, and machines of X have no shared "
            "storage; choose another plan (--plan), or --to skypilot or kubernetes");
}

TEST(Apart, StepsByHandAreToldInTheirPlace) {
  const auto commands = apart({{{}, 0}, {{0}, 0}, {{1}, 1}}, true);
  ASSERT_TRUE(commands);
  ASSERT_EQ(commands->size(), 8U);
  EXPECT_EQ(commands->at(0), "mkdir -p runs/p0 && touch runs/p0/prepared  # when it is done: look");
  EXPECT_EQ(commands->at(1), "one");
  EXPECT_EQ(commands->at(2),
            "mkdir -p runs/p1 && touch runs/p1/prepared  # when p0 is done (the job ends there with exit code 78), and "
            "then this is: look");
  EXPECT_EQ(commands->at(3), "one again");
  EXPECT_EQ(commands->at(4), "one ends");
  EXPECT_EQ(commands->at(5), "mkdir -p runs/p2 && touch runs/p2/prepared  # when it is done: look");
}

TEST(SkyPilot, WritesAPipelineWhereGroupsFollowEachOther) {
  const Launched two(job_of(kTwoMachines));
  const auto set = skypilot_launcher(*two.launch);
  const std::string pipeline = file_of(set, "skypilot/pipeline.yaml");
  EXPECT_NE(pipeline.find("---\nname: two\n---\nname: two-01-a\n"), std::string::npos) << pipeline;
  EXPECT_NE(pipeline.find("\n---\nname: two-02-b\n"), std::string::npos);
  EXPECT_EQ(set->next.at(1),
            "sky jobs launch -n two skypilot/pipeline.yaml  # all groups in turn; asks before it rents");
}

TEST(SkyPilot, PassesTheTokenOnAndStartsNoErrorAgain) {
  const Launched lora(example_job("llama-8b-lora"));
  const auto set = skypilot_launcher(*lora.launch);
  ASSERT_TRUE(set);
  const std::string path = "skypilot/" + lora.launch->groups.front().slug + ".yaml";
  const std::string task = file_of(set, path);
  EXPECT_NE(task.find("HF_TOKEN: null"), std::string::npos) << task;
  // Reaching the time limit is an error, and would be started again with the others.
  EXPECT_NE(task.find("max_restarts_on_errors: 0"), std::string::npos) << task;
  EXPECT_NE(set->next.at(1).find(" --secret HF_TOKEN "), std::string::npos) << set->next.at(1);
}

TEST(Clouds, SayWhereWeightsAreFetched) {
  const Launched lora(example_job("llama-8b-lora"));
  for (const auto launcher :
       {skypilot_launcher, dstack_launcher, kubernetes_launcher, vast_launcher, runpod_launcher}) {
    const auto set = launcher(*lora.launch);
    ASSERT_TRUE(set);
    EXPECT_TRUE(said(set->notes, "HF_TOKEN"));
  }
}

TEST(Kubernetes, AsksForTheCardOrSaysThatItDoesNot) {
  const Launched two(job_of(kTwoMachines));
  const auto set = kubernetes_launcher(*two.launch);
  EXPECT_NE(file_of(set, "kubernetes/02-b.yaml").find("nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3"),
            std::string::npos);
  EXPECT_FALSE(said(set->notes, "any node with that many GPUs"));
  // Nobody knows what the driver calls it.
  const Launched unknown(job_of(R"(
job: unknown
market: {use: only, offers: [{gpu: GB300, gpus: 4, price: $20/h}]}
phases:
  - {name: a, fixed: {gpus: 4, time: 1 h}, command: 'true'}
)"));
  const auto other = kubernetes_launcher(*unknown.launch);
  EXPECT_EQ(file_of(other, "kubernetes/01-a.yaml").find("nodeSelector"), std::string::npos);
  EXPECT_TRUE(said(other->notes, "any node with that many GPUs"));
}

TEST(Kubernetes, SaysThatOnlyScriptsComeAlong) {
  const Launched trm(example_job("trm-nanochat"));
  const auto set = kubernetes_launcher(*trm.launch);
  ASSERT_TRUE(set);
  EXPECT_FALSE(said(set->notes, "in this folder"));
  EXPECT_FALSE(said(set->notes, "into this folder"));
  EXPECT_TRUE(said(set->notes, "which has only the scripts"));
  EXPECT_TRUE(said(set->notes, "/runs/trm-nanochat/gpuplan"));
}

TEST(Clouds, LimitNoPriceThatThePlanDoesNotKnow) {
  const Launched own(job_of(R"(
job: own
market: {use: only, own: [{name: box, gpu: RTX 4090, gpus: 4, usd_per_kwh: 0.3}]}
phases:
  - {name: t, fixed: {gpus: 1, time: 1 h}, command: 'true'}
)"));
  ASSERT_TRUE(own.launch);
  for (const auto launcher : {skypilot_launcher, dstack_launcher, vast_launcher}) {
    const auto set = launcher(*own.launch);
    ASSERT_TRUE(set);
    EXPECT_TRUE(said(set->notes, "No price limit for 01-t"));
    EXPECT_FALSE(said(set->notes, "Limits: the price"));
    for (const LaunchFile& file : set->files) {
      EXPECT_EQ(file.text.find("dph<="), std::string::npos) << file.path;
      EXPECT_EQ(file.text.find("max_price"), std::string::npos) << file.path;
      EXPECT_EQ(file.text.find("max_hourly_cost"), std::string::npos) << file.path;
    }
  }
}

Job training(std::string_view framework, std::string_view gpu, int nodes) {
  return job_of("market: {use: only, offers: [{gpu: " + std::string(gpu) +
                ", gpus: 8, price: $20/h, provider: aws}]}\n" + "where: {nodes: [" + std::to_string(nodes) +
                "]}\nphases:\n  - name: a\n    train: {model: Qwen/Qwen3-4B, data: {tokens: 500M}, sequence: 4096, "
                "batch: {sequences: 128}, start: scratch, framework: " +
                std::string(framework) + "}\n");
}

std::string task_of(const Result<LaunchSet>& set, const Launch& launch) {
  const std::string& slug = launch.groups.front().slug;
  for (const std::string& path : {"skypilot/" + slug + ".yaml", slug + ".dstack.yml"})
    for (const LaunchFile& file : set->files)
      if (file.path == path) return file.text;
  ADD_FAILURE() << "no task";
  return {};
}

// Their own images have CUDA and nothing of Transformer Engine; where they do, none is named.
TEST(Images, AreNamedWhereTheOwnOneLacksSomething) {
  struct Case {
    const char *framework, *gpu, *image;
  };
  for (const Case& one : {Case{"megatron", "H100 SXM", "nvcr.io/nvidia/pytorch:"}, Case{"torch", "H100 SXM", ""},
                          Case{"torch", "B300", "pytorch/pytorch:"}, Case{"torch", "MI300X", "rocm/pytorch"}}) {
    SCOPED_TRACE(std::string(one.framework) + " on " + one.gpu);
    const Launched launched(training(one.framework, one.gpu, 1));
    ASSERT_TRUE(launched.launch);
    for (const auto launcher : {skypilot_launcher, dstack_launcher}) {
      const auto set = launcher(*launched.launch);
      ASSERT_TRUE(set) << set.error().message;
      const std::string task = task_of(set, *launched.launch);
      const bool named = task.find("image: ") != std::string::npos || task.find("image_id: ") != std::string::npos;
      EXPECT_EQ(named, *one.image != '\0') << task;
      EXPECT_NE(task.find(one.image), std::string::npos) << task;
      // dstack takes either.
      EXPECT_FALSE(named && task.find("python: ") != std::string::npos) << task;
    }
  }
}

// torchtitan joins its last checkpoint while the machines run, Megatron goes on from parts of all of them.
TEST(Parts, AreNotLeftWhereNoMachineSeesThemAll) {
  struct Case {
    const char* framework;
    int nodes;
    bool skypilot, dstack;
  };
  for (const Case& one : {Case{"torchtitan", 1, true, true}, Case{"torchtitan", 2, false, false},
                          Case{"megatron", 2, true, false}, Case{"torch", 2, true, true}}) {
    SCOPED_TRACE(one.framework);
    const Launched launched(training(one.framework, "H100 SXM", one.nodes));
    ASSERT_TRUE(launched.launch);
    ASSERT_EQ(launched.launch->phases.front().nodes, one.nodes);
    const auto sky = skypilot_launcher(*launched.launch);
    EXPECT_EQ(sky.has_value(), one.skypilot);
    const auto dstack = dstack_launcher(*launched.launch);
    EXPECT_EQ(dstack.has_value(), one.dstack);
    EXPECT_TRUE(kubernetes_launcher(*launched.launch)) << "its claim is shared";
    if (!dstack) {
      EXPECT_NE(dstack.error().message.find("--to slurm or kubernetes"), std::string::npos) << dstack.error().message;
    }
  }
}

TEST(Dstack, SaysHowMuchItUploads) {
  const Launched lora(example_job("llama-8b-lora"));
  const auto set = dstack_launcher(*lora.launch);
  ASSERT_TRUE(set);
  EXPECT_TRUE(said(set->notes, "DSTACK_SERVER_CODE_UPLOAD_LIMIT"));
}

TEST(Kubernetes, StartsNothingAgainThatTookTooLong) {
  const Launched two(job_of(kTwoMachines));
  EXPECT_NE(file_of(kubernetes_launcher(*two.launch), "kubernetes/02-b.yaml").find("124"), std::string::npos);
}

TEST(Dstack, RepeatsNoGateThatStaysClosed) {
  const Launched two(job_of(kTwoMachines));
  const std::string task = file_of(dstack_launcher(*two.launch), "01-a.dstack.yml");
  EXPECT_NE(task.find("gpu: RTX4090:2\n"), std::string::npos) << task;
  EXPECT_NE(task.find("max_price: 2.2\n"), std::string::npos);
  EXPECT_NE(task.find("spot_policy: on-demand\n"), std::string::npos);
  EXPECT_EQ(task.find("- error"), std::string::npos);
  // Somebody's own program of fixed length: nobody knows that its GPUs are busy.
  EXPECT_EQ(task.find("utilization_policy"), std::string::npos);
}

TEST(Kubernetes, FailsAtOnceWhenAGateStaysClosed) {
  const Launched two(job_of(kTwoMachines));
  const std::string job = file_of(kubernetes_launcher(*two.launch), "kubernetes/01-a.yaml");
  EXPECT_NE(job.find("action: FailJob"), std::string::npos);
  EXPECT_NE(job.find("- 6\n            - 78\n"), std::string::npos) << job;
  EXPECT_NE(job.find("type: DisruptionTarget"), std::string::npos);
  EXPECT_NE(job.find("kueue.x-k8s.io/queue-name: user-queue\n"), std::string::npos);
}

TEST(Marketplaces, RefuseMachinesThatWorkTogether) {
  const Launched pretrain(example_job("pretrain-7b-2-nodes"));
  for (const auto launcher : {vast_launcher, runpod_launcher}) {
    const auto set = launcher(*pretrain.launch);
    ASSERT_FALSE(set);
    EXPECT_NE(set.error().message.find("rents single machines, but 01-pretrain needs 2"), std::string::npos);
  }
}

TEST(Marketplaces, TakeTheImageOfTheFramework) {
  const std::string job = R"(
job: mega
market: {use: only, offers: [{gpu: H100 SXM, gpus: 8, provider: PROVIDER, price: $20/h}]}
phases:
  - name: t
    train: {model: meta-llama/Llama-3.1-8B, framework: megatron, data: {tokens: 1B}, sequence: 4096, batch: {sequences: 256}}
)";
  const auto of = [&](std::string_view provider) {
    std::string text = job;
    text.replace(text.find("PROVIDER"), 8, provider);
    return text;
  };
  const Launched vast(job_of(of("vast")));
  ASSERT_TRUE(vast.launch);
  EXPECT_NE(file_of(vast_launcher(*vast.launch), "vast/rent.sh").find("image=${IMAGE:-nvcr.io/nvidia/pytorch:"),
            std::string::npos);
  const Launched runpod(job_of(of("runpod")));
  ASSERT_TRUE(runpod.launch);
  const auto set = runpod_launcher(*runpod.launch);
  ASSERT_TRUE(set);
  EXPECT_TRUE(said(set->notes, "needs the contents of nvcr.io/nvidia/pytorch:"));
  const Launched lora(example_job("llama-8b-lora"));
  EXPECT_FALSE(said(runpod_launcher(*lora.launch)->notes, "wants what"));
}

TEST(Clouds, WriteEveryExample) {
  for (const char* const example : kExamples) {
    const Launched laid(example_job(example));
    ASSERT_TRUE(laid.launch) << example;
    for (const auto launcher : {skypilot_launcher, dstack_launcher, kubernetes_launcher}) {
      const auto set = launcher(*laid.launch);
      // What a launcher has no name for it refuses.
      if (!set && set.error().message.find("has no name for") != std::string::npos) continue;
      ASSERT_TRUE(set) << example << ": " << set.error().message;
      EXPECT_FALSE(set->next.empty()) << example;
      EXPECT_FALSE(set->notes.empty()) << example;
    }
  }
}

/// Machines come with the ordinary network unless somebody asks for the one that the plan counts with.
TEST(SkyPilot, AsksForTheNetworkThatIsPlanned) {
  const auto launched = [](const std::string& provider, int nodes) {
    return Launched(
        job_of("job: wide\nmarket: {use: only, offers: [{gpu: H100 SXM, gpus: 8, price: $20/h, provider: " + provider +
               (provider == "aws" ? ", instance: p5.48xlarge" : "") + "}]}\nwhere: {nodes: " + std::to_string(nodes) +
               "}\nphases:\n  - name: a\n    train: {model: meta-llama/Llama-3.1-8B, framework: torch, steps: "
               "2000, batch: {sequences: 256}, sequence: 8192, start: scratch}\n"));
  };
  const auto file = [](const Launched& wide, const Result<LaunchSet>& set) {
    return file_of(set, "skypilot/" + wide.launch->groups.front().slug + ".yaml");
  };
  const Launched two = launched("aws", 2);
  EXPECT_NE(file(two, skypilot_launcher(*two.launch)).find("network_tier: best"), std::string::npos);
  const Launched one = launched("aws", 1);
  EXPECT_EQ(file(one, skypilot_launcher(*one.launch)).find("network_tier"), std::string::npos);
  const Launched other = launched("lambda", 2);
  const auto set = skypilot_launcher(*other.launch);
  EXPECT_EQ(file(other, set).find("network_tier"), std::string::npos) << "it would find no machine there";
}

}  // namespace
}  // namespace gpuplan
