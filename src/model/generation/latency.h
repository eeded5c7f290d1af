// How long one request among others at a server waits for its first token, and for each further one.
#pragma once

#include "base/units.h"
#include "domain/facts/engine_profile.h"
#include "domain/facts/generation_constants.h"

namespace gpuplan {

/// One replica of a server under load.
struct ServerLoad {
  double served = 1;         ///< requests at work at once
  double asked = 0;          ///< requests in the system, those that wait for a place among them; 0: nobody says
  double samples = 1;        ///< requests in all
  double lanes = 1;          ///< batches under way at once in a layer split
  bool varied = false;       ///< answers differ in length
  double new_tokens = 1;     ///< of an answer
  Seconds prompt{};          ///< of one among many that are read together
  Seconds prompt_alone{};    ///< of one that is read alone
  Seconds step{}, decode{};  ///< one pass over all sequences; all passes of an answer
  Seconds hidden{};          ///< of an answer, by reading prompts beside
};

/// Means over all requests.
struct Latency {
  Seconds first_token{}, next_token{};
  double waiting = 0;  ///< share of `first_token` that is not reading the own prompt
};

/// More load is never less of either.
Latency latency_under(const ServerLoad& load, const EngineProfile& profile, const GenerationConstants& constants);

}  // namespace gpuplan
