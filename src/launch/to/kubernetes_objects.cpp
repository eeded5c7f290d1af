#include "launch/to/kubernetes_objects.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/whole.h"
#include "input/tables/launcher_names.h"
#include "launch/script/phase_script.h"

namespace gpuplan {
namespace {

constexpr std::string_view kWorkers = "workers";
constexpr int kMostErrors = 3;
/// Times that taken machines may be started again, at most.
constexpr double kMostRestarts = 1e6;
/// Of a node's capacity, what is left for pods beside the system's: assumed.
constexpr double kAllocatable = 0.9;
constexpr int kReadable = 0755;

/// A key of a ConfigMap: letters, digits, '-', '_' and '.'.
std::string key_of(std::string path) {
  std::ranges::replace(path, '/', '.');
  return path;
}

std::string mib(Bytes size) { return std::to_string(static_cast<long long>(std::ceil(size / units::MiB))) + "Mi"; }

std::string gpu_resource(const Gpu& gpu) {
  if (gpu.vendor == "amd") return "amd.com/gpu";
  if (gpu.vendor == "intel") return "gpu.intel.com/xe";
  if (gpu.vendor == "habana") return "habana.ai/gaudi";
  if (gpu.vendor == "google") return "google.com/tpu";
  if (gpu.vendor == "aws") return "aws.amazon.com/neuron";
  return "nvidia.com/gpu";
}

Yaml numbers(std::initializer_list<int> values) {
  Yaml list = Yaml::list();
  for (const int value : values) list.add(Yaml::whole(value));
  return list;
}

/// Scripts lie in one ConfigMap under names without '/', and get their folders back.
Yaml scripts_volume(const std::vector<std::string>& paths, const KubernetesNames& names) {
  Yaml items = Yaml::list();
  for (const std::string& path : paths) items.add(Yaml::map().set("key", key_of(path)).set("path", path));
  Yaml map = Yaml::map();
  map.set("name", names.scripts);
  map.set("defaultMode", Yaml::whole(kReadable), "0755");
  map.set("items", std::move(items));
  return Yaml::map().set("name", "scripts").set("configMap", std::move(map));
}

Yaml volumes(const std::vector<std::string>& paths, const KubernetesNames& names, const CloudMachine& machine) {
  Yaml memory = Yaml::map().set("medium", "Memory");
  if (machine.ram > Bytes{}) memory.set("sizeLimit", mib(machine.ram * 0.125));
  Yaml list = Yaml::list();
  list.add(scripts_volume(paths, names));
  list.add(Yaml::map()
               .set("name", "marks")
               .set("configMap", Yaml::map().set("name", names.marks).set("optional", Yaml::yes_no(true))));
  list.add(Yaml::map().set("name", "shared-memory").set("emptyDir", std::move(memory)));
  list.add(Yaml::map().set("name", "runs").set("persistentVolumeClaim", Yaml::map().set("claimName", names.runs)));
  return list;
}

Yaml mounts() {
  Yaml list = Yaml::list();
  list.add(Yaml::map().set("name", "scripts").set("mountPath", "/etc/gpuplan/scripts"));
  list.add(Yaml::map().set("name", "marks").set("mountPath", "/etc/gpuplan/marks"));
  list.add(Yaml::map().set("name", "shared-memory").set("mountPath", "/dev/shm"));
  list.add(Yaml::map().set("name", "runs").set("mountPath", "/runs"));
  return list;
}

Yaml environment(const Launch& launch, const CloudMachine& machine, const CloudNeeds& needs,
                 const KubernetesNames& names, const std::string& name) {
  Yaml env = Yaml::list();
  const auto add = [&](std::string_view key, std::string_view value) {
    env.add(Yaml::map().set("name", key).set("value", value));
  };
  add("GPUPLAN_RUNS", "/runs/" + launch.slug);
  add("GPUPLAN_NODES", std::to_string(machine.nodes));
  if (machine.nodes > 1) add("GPUPLAN_MASTER_ADDR", name + "-" + std::string(kWorkers) + "-0-0." + name);
  const auto from_secret = [&](std::string_view key, bool optional) {
    Yaml ref = Yaml::map().set("name", names.settings).set("key", key);
    if (optional) ref.set("optional", Yaml::yes_no(true));
    env.add(Yaml::map().set("name", key).set("valueFrom", Yaml::map().set("secretKeyRef", std::move(ref))));
  };
  for (const RequiredVariable& variable : needs.required) from_secret(variable.name, false);
  if (needs.hub) from_secret("HF_TOKEN", true);
  return env;
}

Yaml resources_of(const CloudMachine& machine) {
  const std::string gpus = std::to_string(machine.gpus);
  Yaml requests = Yaml::map();
  const int of_node = std::max(machine.offer->gpus, 1);
  const double share = std::min(1.0, static_cast<double>(machine.gpus) / of_node) * kAllocatable;
  if (machine.vcpus > 0)
    requests.set("cpu", Yaml::text(std::to_string(std::max(1, clamped<int>(machine.vcpus * share)))),
                 "the node's, by share of GPUs, minus 10% for the system");
  Bytes memory = machine.host_need * 1.2;
  if (machine.ram > Bytes{}) memory = std::min(memory, machine.ram * kAllocatable);
  if (memory > Bytes{}) requests.set("memory", mib(memory), "predicted CPU memory + 20%");
  requests.set("ephemeral-storage", std::to_string(whole_gb(machine.disk)) + "G");
  Yaml all = Yaml::map();
  all.set("limits", Yaml::map().set(gpu_resource(*machine.gpu), gpus));
  all.set("requests", std::move(requests));
  return all;
}

std::vector<std::string> start_lines(const LaunchGroup& group) {
  std::vector<std::string> lines = {
      "export GPUPLAN_NODE_RANK=\"${JOB_COMPLETION_INDEX:-0}\"",
      "mkdir -p /tmp/gpuplan/runs",
      "cp -rL /etc/gpuplan/scripts/. /tmp/gpuplan",
      "cd /tmp/gpuplan || exit",
      "# What was done elsewhere: 01-validate.done, 02-produce.prepared",
      "for mark in /etc/gpuplan/marks/*; do",
      "  [ -e \"$mark\" ] || continue",
      "  file=${mark##*/}",
      "  mkdir -p \"runs/${file%.*}\" && touch \"runs/${file%.*}/${file##*.}\"",
      "done",
  };
  std::ranges::move(arrival_lines(), std::back_inserter(lines));
  lines.push_back("exec bash " + group.slug + ".sh");
  return lines;
}

Yaml pod_of(const Launch& launch, const LaunchGroup& group, const CloudMachine& machine, const CloudNeeds& needs,
            const KubernetesNames& names, const std::string& name, const std::vector<std::string>& paths) {
  const std::string_view image = launcher_image("kubernetes", *machine.gpu, machine.framework);
  Yaml container = Yaml::map();
  container.set("name", "main");
  container.set("image", image.empty() ? "python:3.12" : image,
                "assumed: with driver libraries, PyTorch and bash; replace with yours");
  container.set("command",
                Yaml::list().add(Yaml::text("bash")).add(Yaml::text("-c")).add(Yaml::lines(start_lines(group))));
  container.set("env", environment(launch, machine, needs, names, name));
  container.set("resources", resources_of(machine));
  container.set("volumeMounts", mounts());
  Yaml pod = Yaml::map();
  pod.set("restartPolicy", "Never");
  pod.set("terminationGracePeriodSeconds", Yaml::whole(whole_seconds(machine.grace)), "time for a checkpoint");
  if (const std::string product = product_label(*machine.gpu); !product.empty())
    pod.set("nodeSelector", Yaml::map().set(kProductLabel, product), "of GPU feature discovery");
  pod.set("containers", Yaml::list().add(std::move(container)));
  pod.set("volumes", volumes(paths, names, machine));
  return pod;
}

/// A gate that stays closed, what nobody prepared and what took too long are not tried again; a pod that was taken away
/// is.
Yaml failure_policy(bool alone) {
  Yaml rules = Yaml::list();
  rules.add(Yaml::map()
                .set("action", "FailJob")
                .set("onExitCodes", Yaml::map()
                                        .set("containerName", "main")
                                        .set("operator", "In")
                                        .set("values", numbers({kGateClosed, kNotPrepared, kTimeIsUp}))));
  if (alone) {
    rules.add(Yaml::map()
                  .set("action", "Ignore")
                  .set("onPodConditions", Yaml::list().add(Yaml::map().set("type", "DisruptionTarget"))));
    rules.add(
        Yaml::map()
            .set("action", "Ignore")
            .set("onExitCodes",
                 Yaml::map().set("containerName", "main").set("operator", "In").set("values", numbers({kComeBack}))));
  }
  return Yaml::map().set("rules", std::move(rules));
}

Yaml metadata(const std::string& name, const std::string& queue) {
  Yaml labels = Yaml::map();
  labels.set("kueue.x-k8s.io/queue-name", queue);
  labels.set("app.kubernetes.io/created-by", "gpuplan");
  return Yaml::map().set("name", name).set("labels", std::move(labels));
}

Yaml job_spec(const CloudMachine& machine, const CloudNeeds& needs, Yaml pod) {
  const bool alone = machine.nodes == 1;
  Yaml spec = Yaml::map();
  if (alone) spec.set("suspend", Yaml::yes_no(true), "Kueue starts it when the queue has room");
  spec.set("completionMode", "Indexed");
  spec.set("completions", Yaml::whole(machine.nodes));
  spec.set("parallelism", Yaml::whole(machine.nodes));
  spec.set("backoffLimit", Yaml::whole(alone && needs.resumes ? kMostErrors : 0));
  spec.set("activeDeadlineSeconds", Yaml::whole(whole_seconds(machine.limit)),
           "P90 of all phases + 10%; then it is stopped");
  spec.set("podFailurePolicy", failure_policy(alone));
  spec.set("template", Yaml::map().set("spec", std::move(pod)),
           alone ? ""
                 : "machines near each other: metadata.annotations kueue.x-k8s.io/podset-required-topology with a "
                   "level of the topology of the queue's flavor");
  return spec;
}

Yaml job_of(const std::string& name, const std::string& queue, Yaml spec) {
  return Yaml::map()
      .set("apiVersion", "batch/v1")
      .set("kind", "Job")
      .set("metadata", metadata(name, queue))
      .set("spec", std::move(spec));
}

/// All machines start again together when one of them fails: the others would wait for it.
Yaml jobset_of(const Launch& launch, const std::string& name, const std::string& queue, const CloudNeeds& needs,
               Yaml spec) {
  const int taken_back = clamped<int>(std::min(std::ceil(2 * launch.plan.interruptions), kMostRestarts));
  Yaml policy = Yaml::map();
  policy.set("maxRestarts", Yaml::whole(needs.resumes ? kMostErrors + taken_back : 0),
             "of all nodes together, from the newest checkpoint");
  policy.set("rules",
             Yaml::list().add(Yaml::map()
                                  .set("name", "gate")
                                  .set("action", "FailJobSet")
                                  .set("onJobFailureReasons", Yaml::list({"PodFailurePolicy", "DeadlineExceeded"}))));
  Yaml job = Yaml::map();
  job.set("name", kWorkers);
  job.set("replicas", Yaml::whole(1));
  job.set("template", Yaml::map().set("spec", std::move(spec)));
  Yaml whole = Yaml::map();
  whole.set("suspend", Yaml::yes_no(true), "Kueue starts it when the queue has room");
  whole.set("network", Yaml::map().set("enableDNSHostnames", Yaml::yes_no(true)));
  whole.set("failurePolicy", std::move(policy));
  whole.set("replicatedJobs", Yaml::list().add(std::move(job)));
  return Yaml::map()
      .set("apiVersion", "jobset.x-k8s.io/v1alpha2")
      .set("kind", "JobSet")
      .set("metadata", metadata(name, queue))
      .set("spec", std::move(whole));
}

}  // namespace

std::string product_label(const Gpu& gpu) {
  const LauncherNames* names = launcher_names(gpu.name);
  // RunPod's ids are the driver's names.
  if (gpu.vendor != "nvidia" || names == nullptr) return {};
  std::string label = names->runpod;
  std::ranges::replace(label, ' ', '-');
  return label;
}

Yaml kubernetes_object(const Launch& launch, const KubernetesGroup& asked, const KubernetesNames& names,
                       const std::vector<std::string>& paths) {
  Yaml spec = job_spec(asked.machine, asked.needs,
                       pod_of(launch, asked.group, asked.machine, asked.needs, names, asked.name, paths));
  return asked.machine.nodes > 1 ? jobset_of(launch, asked.name, asked.queue, asked.needs, std::move(spec))
                                 : job_of(asked.name, asked.queue, std::move(spec));
}

LaunchFile runs_claim(const Launch& launch, const KubernetesNames& names, Bytes size) {
  const bool many = launch.groups.size() > 1 ||
                    std::ranges::any_of(launch.groups, [](const LaunchGroup& group) { return group.lease->nodes > 1; });
  Yaml modes = Yaml::list({many ? "ReadWriteMany" : "ReadWriteOnce"});
  Yaml spec = Yaml::map();
  spec.set("accessModes", std::move(modes), many ? "several nodes write: needs a ReadWriteMany storage class" : "");
  spec.set("resources", Yaml::map().set("requests", Yaml::map().set("storage", std::to_string(whole_gb(size)) + "G")),
           "checkpoints and results + 50% + 10 GB");
  const Yaml claim = Yaml::map()
                         .set("apiVersion", "v1")
                         .set("kind", "PersistentVolumeClaim")
                         .set("metadata", Yaml::map().set("name", names.runs))
                         .set("spec", std::move(spec));
  return {"kubernetes/runs.yaml", "# Checkpoints, logs and results: kept after the pods are gone.\n" + claim.print(),
          false};
}

LaunchFile kustomization(const KubernetesNames& names, const std::vector<std::string>& paths) {
  Yaml files = Yaml::list();
  for (const std::string& path : paths) files.add(Yaml::text(key_of(path) + "=" + path));
  Yaml generator = Yaml::map().set("name", names.scripts).set("files", std::move(files));
  Yaml whole = Yaml::map();
  whole.set("apiVersion", "kustomize.config.k8s.io/v1beta1");
  whole.set("kind", "Kustomization");
  whole.set("generatorOptions", Yaml::map().set("disableNameSuffixHash", Yaml::yes_no(true)));
  whole.set("configMapGenerator", Yaml::list().add(std::move(generator)));
  whole.set("resources", Yaml::list({"kubernetes/runs.yaml"}));
  return {"kustomization.yaml",
          "# The scripts as a ConfigMap, and the claim for runs: kubectl apply --server-side -k .\n" + whole.print(),
          false};
}

}  // namespace gpuplan
