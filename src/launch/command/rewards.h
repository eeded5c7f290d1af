// Learning by rewards with TRL in a job's command (`trl grpo`): what its program would refuse after the model is
// loaded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/command/words.h"

namespace gpuplan {

/// Whether the words start `trl grpo`.
bool learns_by_rewards(const std::vector<CommandWord>& words);
/// What is wrong with it in so many processes: "starts trl grpo without a reward; ..."; "" where nothing is known to
/// be. `text` is the whole command. What stands in a file (--config) is not looked at. REQUIRES: learns_by_rewards().
std::string rewarded_wrongly(const std::vector<CommandWord>& words, std::string_view text, int processes);
/// A sentence for whoever reads the plan: what of the program it does not count. REQUIRES: learns_by_rewards().
std::string uncounted_of_rewards(const std::vector<CommandWord>& words);

}  // namespace gpuplan
