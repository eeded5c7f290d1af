// What the launchers of marketplaces share: machines that are rented one by one, reached by ssh, and given back by
// hand.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "launch/to/cloud.h"
#include "launch/to/launchers.h"

namespace gpuplan {

/// A search of the market: what for, and the command.
using Search = std::pair<std::string, std::string>;

/// One group's script that rents. `more` are lines of shell that set the provider's own variables.
struct RentScript {
  std::string_view kind;  ///< folder, and name of the template: "vast"
  const LaunchGroup& group;
  const CloudMachine& machine;
  const CloudNeeds& needs;
  std::vector<Search> searches;
  std::vector<std::string> more;
};

/// "vast/rent.sh", or "vast/rent-02-sft.sh" where there are several groups.
std::string rent_path(const Launch& launch, std::string_view kind, const LaunchGroup& group);
LaunchFile rent_script(const Launch& launch, const RentScript& script);
/// What all of these scripts read.
std::vector<LaunchFile> rent_library(std::string_view kind);

/// NAME=TEXT for a shell, the text in quotes.
std::string assignment(std::string_view name, std::string_view text);

/// Fails where a group needs machines that work together: marketplaces rent machines that do not know each other.
Result<void> single_machines(const Launch& launch, std::string_view provider);

/// "12.8" of "pytorch/pytorch:2.7.0-cuda12.8-cudnn9-devel" and of "runpod/pytorch:1.0.3-cu1281-torch291-ubuntu2404"; ""
/// where the image does not say it.
std::string cuda_of(std::string_view image);

std::vector<std::string> rented_notes(const Launch& launch, const std::vector<CloudNeeds>& needs);

}  // namespace gpuplan
