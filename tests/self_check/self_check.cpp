#include "self_check/self_check.h"

#include "self_check/hash.h"

namespace gpuplan {

std::uint64_t self_check_hash() {
  self_check::Hash hash;
  self_check::add_base(hash);
  self_check::add_models(hash);
  self_check::add_plans(hash);
  self_check::add_spot(hash);
  self_check::add_policies(hash);
  return hash.value();
}

}  // namespace gpuplan
