// Kubernetes: a Job for each group of phases on one machine, a JobSet for one on several, both held back until Kueue
// admits them. Keys after batch/v1, jobset.x-k8s.io/v1alpha2 and kueue.x-k8s.io.
#include <algorithm>
#include <utility>

#include "base/shell/shell_text.h"
#include "base/text.h"
#include "input/text/embedded_data.h"
#include "launch/script/phase_script.h"
#include "launch/to/cloud.h"
#include "launch/to/kubernetes_objects.h"
#include "launch/to/launchers.h"
#include "launch/to/versions.h"

namespace gpuplan {
namespace {

constexpr std::string_view kAssumedQueue = "user-queue";
/// A ConfigMap holds 1 MiB, its own fields among them.
constexpr std::size_t kMostScripts = 1'000'000;

KubernetesNames names_of(const Launch& launch) {
  const std::string slug = slug_of(launch.slug, kKubernetesName, "job");
  const std::string base = is_digit(slug.front()) ? "job-" + slug : slug;
  return {base + "-scripts", base + "-marks", base + "-runs", base + "-settings"};
}

std::string kubernetes_file(const LaunchGroup& group) { return "kubernetes/" + group.slug + ".yaml"; }

/// What a label may hold.
bool is_label(std::string_view text) {
  constexpr std::size_t kLongest = 63;
  const auto inner = [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.'; };
  return !text.empty() && text.size() <= kLongest && std::ranges::all_of(text, inner) &&
         std::string_view("-_.").find(text.front()) == std::string_view::npos &&
         std::string_view("-_.").find(text.back()) == std::string_view::npos;
}

/// Files that the pods read.
Result<std::vector<std::string>> script_paths(const Launch& launch) {
  std::vector<LaunchFile> files = {shared_script()};
  for (const LaunchPhase& laid : launch.phases) {
    if (laid.group < 0) continue;
    auto of_phase = phase_files(launch, laid);
    if (!of_phase) return std::unexpected(of_phase.error());
    std::ranges::move(*of_phase, std::back_inserter(files));
  }
  for (const LaunchGroup& group : launch.groups) files.push_back(group_script(launch, group));
  std::vector<std::string> paths;
  std::size_t bytes = 0;
  for (const LaunchFile& file : files) {
    paths.push_back(file.path);
    bytes += file.text.size() + 2 * file.path.size();
  }
  // What gpuplan check holds a log against.
  if (std::ranges::any_of(launch.phases, [](const LaunchPhase& laid) { return !laid.phase->succeed_when.empty(); }))
    paths.emplace_back("plan.json");
  if (bytes > kMostScripts)
    return failure("the scripts are " + count_text(static_cast<double>(bytes)) +
                   " bytes, more than the 1 MiB of a ConfigMap; move commands and setup into files of the image");
  return paths;
}

/// submit.sh after its head: everything in its order, each group when what it needs has ended.
std::string submit_text(const Launch& launch, const std::vector<KubernetesGroup>& asked, const KubernetesNames& names) {
  std::string text =
      "set -euo pipefail\n"
      "cd \"$(dirname \"${BASH_SOURCE[0]}\")/..\"\n"
      "export marks=" +
      names.marks + "\n# shellcheck source=/dev/null\n. kubernetes/lib.sh\n\nbash kubernetes/versions.sh\n";
  std::vector<std::string> queues;
  for (const KubernetesGroup& group : asked)
    if (std::ranges::find(queues, group.queue) == queues.end()) queues.push_back(group.queue);
  for (const std::string& queue : queues) text += "check_queue " + queue + "\n";
  text += "kubectl apply --server-side -k .\n";
  const auto words = [&](std::size_t g) {
    return std::string(asked[g].machine.nodes > 1 ? "jobset" : "job") + " " + asked[g].name;
  };
  std::vector<bool> started(asked.size(), false);
  std::vector<bool> awaited(asked.size(), false);
  const auto wait_for = [&](int group) {
    if (group < 0 || awaited[static_cast<std::size_t>(group)]) return;
    awaited[static_cast<std::size_t>(group)] = true;
    text += "ended " + words(static_cast<std::size_t>(group)) + "\n";
  };
  for (const LaunchPhase& laid : launch.phases) {
    const auto group = static_cast<std::size_t>(std::max(laid.group, 0));
    if (laid.group >= 0 && started[group]) continue;
    for (const int need : laid.needs) wait_for(launch.phases[static_cast<std::size_t>(need)].group);
    if (laid.group < 0) {
      text += "bash " + laid.script() + "\n";
      continue;
    }
    started[group] = true;
    text += "start " + words(group) + " kubernetes/" + asked[group].group.slug + ".yaml\n";
  }
  for (std::size_t g = 0; g < asked.size(); ++g) wait_for(static_cast<int>(g));
  return text;
}

/// "kubectl create secret generic ..."; empty: no phase needs a variable.
std::string secret_command(const std::vector<CloudNeeds>& needs, const KubernetesNames& names) {
  std::string literals;
  for (const RequiredVariable& variable : variables_of(needs))
    literals += " --from-literal=" + variable.name + "=\"$" + variable.name + "\"";
  if (std::ranges::any_of(needs, &CloudNeeds::hub)) literals += " --from-literal=HF_TOKEN=\"${HF_TOKEN:-}\"";
  return literals.empty() ? "" : "kubectl create secret generic " + names.settings + literals;
}

}  // namespace

Result<LaunchSet> kubernetes_launcher(const Launch& launch) {
  if (launch.groups.empty()) return failure("no phase of this plan needs a cluster; use --to bash");
  LaunchSet set;
  const KubernetesNames names = names_of(launch);
  std::vector<CloudNeeds> needs;
  std::vector<CloudMachine> machines;
  std::vector<std::string> queues;
  Bytes runs{};
  for (const LaunchGroup& group : launch.groups) {
    auto asked = cloud_group(launch, group);
    if (!asked) return std::unexpected(asked.error());
    auto& [machine, need] = *asked;
    runs += machine.runs;
    queues.push_back(machine.offer->queue.empty() ? std::string(kAssumedQueue) : machine.offer->queue.str());
    if (!is_label(queues.back()))
      return failure("market.pools: the queue \"" + printable(queues.back(), 60) + "\" of " +
                     printable(machine.offer->label, 60) +
                     " is not a valid Kueue queue name (letters, digits, '-', '_' and '.', at most 63)");
    machines.push_back(machine);
    needs.push_back(std::move(need));
  }
  const auto paths = script_paths(launch);
  if (!paths) return std::unexpected(paths.error());

  std::vector<KubernetesGroup> asked;
  for (std::size_t g = 0; g < launch.groups.size(); ++g) {
    const LaunchGroup& group = launch.groups[g];
    asked.push_back({group, machines[g], needs[g], object_name(launch, group, kKubernetesName), queues[g]});
    const Yaml object = kubernetes_object(launch, asked.back(), names, *paths);
    set.files.push_back({kubernetes_file(group), comments(banner_lines(launch)) + object.print(), false});
    set.files.push_back(group_script(launch, group));
  }
  set.files.push_back(runs_claim(launch, names, runs));
  set.files.push_back(kustomization(names, *paths));
  std::vector<LauncherProgram> programs = {
      {"kubernetes", "Kubernetes", "kubectl version | sed -n 's/^Server Version: //p'"}};
  if (std::ranges::any_of(machines, [](const CloudMachine& machine) { return machine.nodes > 1; }))
    programs.push_back({"jobset", "JobSet",
                        "kubectl get deployment jobset-controller-manager --namespace jobset-system "
                        "-o 'jsonpath={.spec.template.spec.containers[0].image}' | sed 's/.*://'"});
  std::ranges::move(version_files("kubernetes", programs), std::back_inserter(set.files));
  set.files.push_back({"kubernetes/lib.sh", std::string(embedded_data("templates/kubernetes.sh")), false});
  std::vector<std::string> head = banner_lines(launch);
  head.insert(head.begin() + 1, "Starts everything in order and waits; run it again to resume.");
  set.files.push_back(
      {"kubernetes/submit.sh", "#!/usr/bin/env bash\n" + comments(head) + submit_text(launch, asked, names), true});

  if (const std::string secret = secret_command(needs, names); !secret.empty())
    set.next.push_back(secret + "  # once: variables of the phases");
  for (const LaunchGroup& group : launch.groups)
    for (const ManualStep& step : manual_steps(launch, group))
      if (step.first) set.next.push_back(step.command);
  set.next.emplace_back("bash kubernetes/submit.sh  # starts everything in order, in kubectl's current context");
  for (const KubernetesGroup& group : asked)
    for (const ManualStep& step : manual_steps(launch, group.group)) {
      if (step.first) continue;
      set.next.push_back(step.command);
      set.next.push_back("kubectl delete " + std::string(group.machine.nodes > 1 ? "jobset " : "job ") + group.name +
                         "  # if it failed because of that; runs are kept");
      set.next.emplace_back("bash kubernetes/submit.sh  # " + std::string(kAgain));
    }
  for (const KubernetesGroup& group : asked) {
    const bool several = group.machine.nodes > 1;
    const std::string label = several ? "jobset.sigs.k8s.io/jobset-name=" : "job-name=";
    set.next.push_back("kubectl logs -f -l " + label + group.name + "  # logs");
    set.next.push_back("kubectl delete " + std::string(several ? "jobset " : "job ") + group.name +
                       "  # stop it; runs stay");
  }
  set.notes = cloud_notes(launch, needs, Sent::kScripts);
  if (std::ranges::find(queues, kAssumedQueue) != queues.end())
    set.notes.push_back("Assumed queue name: " + std::string(kAssumedQueue) +
                        " (set market.pools queue in the job to change it). Without Kueue: set suspend to false.");
  if (std::string note = assumed_price_note(launch); !note.empty()) set.notes.push_back(std::move(note));
  set.notes.emplace_back("The image is assumed; it needs bash and everything the phases do not install.");
  for (std::size_t g = 0; g < machines.size(); ++g)
    if (const std::string product = product_label(*machines[g].gpu); product.empty())
      set.notes.push_back(launch.groups[g].slug + ": any node with that many GPUs can be chosen: add a " +
                          "nodeSelector for " + printable(machines[g].gpu->name, 60) +
                          ", or let the flavor of the queue choose.");
    else
      set.notes.push_back(launch.groups[g].slug + " runs on nodes with the label " + std::string(kProductLabel) + ": " +
                          product + " (from GPU feature discovery; shared or partitioned GPUs have longer labels).");
  if (std::ranges::any_of(machines, [](const CloudMachine& machine) { return machine.nodes > 1; }))
    set.notes.emplace_back("Several nodes need JobSet in the cluster, and ReadWriteMany storage.");
  set.notes.emplace_back(
      "Limits: run time of a Job (activeDeadlineSeconds; in a JobSet from each start of all nodes), and of a phase "
      "over all its starts.");
  return set;
}

}  // namespace gpuplan
