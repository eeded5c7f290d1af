// Addresses of the values of a job ("phases.train.train.epochs", "market.offers[2].price"), and the short ones that
// stand for them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/declaration/declaration.h"
#include "input/text/tree.h"

namespace gpuplan {

/// "offers" or "[2]".
struct AddressStep {
  std::string_view name;
  std::optional<std::size_t> index;
};

/// The steps of an address; they view its text. Fails, as all here, with a usage error.
Result<std::vector<AddressStep>> address_steps(std::string_view address);

/// A value that the job states, or one that it could state.
struct JobPlace {
  std::string address;
  const ValueType* type = nullptr;
  const Tree* tree = nullptr;  ///< null: not stated
};

/// Every place of a job but its variants, in the order of the declaration. Phases are called by their names, items of
/// other lists by their positions. Of lists and maps with free names only what is stated.
std::vector<JobPlace> places(const Tree& job);

/// The address in full. It may leave out the kind of a phase ("phases.train.epochs"), and its beginning where one
/// place of the job ends in what is left ("epochs", "data.samples"), or else steps between ("generate.samples"); a
/// place that the job states goes before those that it only could. Several are an error that lists them. "[*]" stands
/// for every item of a list, so that one address may become several. What is wrong inside an address that starts at the
/// top is not judged here.
Result<std::vector<std::string>> full_addresses(const Tree& job, std::string_view address);

/// The shortest end of the address that no other of the places has, and that full_addresses() would understand.
std::string short_address(const std::vector<JobPlace>& all, const std::string& address);

/// The value at an address in full; null when the job does not state it.
const Tree* value_at(const Tree& job, std::string_view address);

}  // namespace gpuplan
