// Servers of models that a job's command starts, and what their flags say against the plan.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "launch/command/words.h"

namespace gpuplan {

struct Server {
  std::string_view program, section;  ///< of data/interfaces
  std::string_view name;              ///< "vllm serve"
  std::size_t first = 0;              ///< position of the first word that may be a flag of its own
};
/// nullopt: the words start none that is known.
std::optional<Server> server_of(const std::vector<CommandWord>& words);

/// What a plan says of a server.
struct ServerPlan {
  int tp = 1, pp = 1;
  int replicas = 1;
  int requests = 1;           ///< of one replica at once
  double longest = 0;         ///< tokens of a prompt and its answer
  bool fp8_cache = false;     ///< keys and values in 8 bit
  bool whole_weights = true;  ///< in 16 or 32 bit
};
/// "has --tensor-parallel-size 4, but the plan has 2; write {tp} instead": the first flag that contradicts the plan; ""
/// where none does. Values that the shell fills in are not looked at.
std::string served_wrongly(const std::vector<CommandWord>& words, const Server& server, const ServerPlan& planned);

/// The server's own flags among the words, without values. Those that the shell fills in are left out.
std::vector<std::string> flags_of(const std::vector<CommandWord>& words, const Server& server);
/// Whether a flag is one of `known`, as argparse reads it: any spelling of the dashes inside, the beginning of a name,
/// "--no-NAME".
bool is_flag_of(std::span<const std::string_view> known, std::string_view flag);

}  // namespace gpuplan
