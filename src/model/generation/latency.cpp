#include "model/generation/latency.h"

#include "base/math.h"

namespace gpuplan {
namespace {

using math::larger;
using math::smaller;

/// Share of the requests that come together with all others. Those that a run begins with do. Later ones come as others
/// end: one by one, unless all answers have one length and began together. They did where the engine reads all prompts
/// that wait before it goes on decoding (SGLang's scheduler, get_next_batch_to_run; vLLM and TensorRT-LLM read prompts
/// beside decoding, so that who is read first also ends first).
double in_waves(const ServerLoad& load, const EngineProfile& profile, const GenerationConstants& c) {
  const double begin = smaller(1, larger(load.asked, load.served) / larger(load.samples, 1));
  return profile.prompts_first && !load.varied ? c.waves + (1 - c.waves) * begin : begin;
}

}  // namespace

Latency latency_under(const ServerLoad& load, const EngineProfile& profile, const GenerationConstants& c) {
  const double waves = in_waves(load, profile, c);
  const double others = larger(0, load.served - 1) / load.lanes;
  Latency latency;
  // In a wave a request bears the prompts that are read after its own, half of all; else those of all others.
  latency.next_token = (load.decode + (1 - waves / 2) * others * load.prompt - load.hidden) / load.new_tokens;

  // In a wave it waits for the prompts before its own, half of all. Where requests come one by one, prompts are a queue
  // with one server that is busy prompt / (prompt + decode) of the time: rho / (2 (1 - rho)) prompts wait before a new
  // one (Pollaczek and Khinchine, prompts of one length), no more than in a wave.
  const Seconds all = (others + 1) * load.prompt;
  const double queue = smaller(others / 2, all.value / larger(2 * load.decode.value, 1e-12));
  const Seconds waiting = (waves * others / 2 + (1 - waves) * queue) * load.prompt;
  latency.first_token = Seconds{c.first_fixed_ms * 1e-3} + c.first_steps * load.step + load.prompt_alone + waiting;

  // More requests than are served at once wait for one of those to end: of all in the system, what the rate does not
  // explain is waiting (Little 1961). Of those that a run begins with, the first wait for none and the last for all.
  const double full = larger(0, load.asked / larger(load.served, 1) - 1);
  if (full > 0) {
    const double begin = smaller(1, load.asked / larger(load.samples, 1));
    const Seconds service = latency.first_token + load.new_tokens * latency.next_token;
    latency.first_token += full * (1 - begin / 2) * service;
  }
  latency.waiting = 1 - load.prompt_alone / latency.first_token;
  return latency;
}

}  // namespace gpuplan
