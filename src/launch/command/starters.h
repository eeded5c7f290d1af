// Programs of a job's command that start processes themselves: one for each GPU, or one that hands out work to all.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launch/command/words.h"

namespace gpuplan {

/// Whether a line starts processes for the GPUs itself.
bool starts_processes(const std::vector<CommandWord>& words);

/// Whether one of the words is a program that is one process for all GPUs and has Ray start the others: of verl,
/// OpenRLHF, SkyRL, NeMo RL, ROLL.
bool is_ray_program(const std::vector<CommandWord>& words);

/// Whether one of the words is a program that is known to need torchrun, whatever it is told of GPUs.
bool is_torchrun_program(const std::vector<CommandWord>& words);

/// What a line that starts processes itself leaves undone where the plan has so many machines and GPUs in each: as a
/// sentence goes on after "its command", with what to write instead; "" where nothing is known to be wrong. `text` is
/// the whole command.
std::string started_wrongly(const std::vector<CommandWord>& words, std::string_view text, int nodes, int gpus);

/// Options that `accelerate launch` needs on several machines and that the line does not have.
std::string missing_of_accelerate(const std::vector<CommandWord>& words);

}  // namespace gpuplan
