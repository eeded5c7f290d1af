// The way out: results to stdout or a file, messages to stderr.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/io/system.h"

namespace gpuplan::cli {

/// Writes a result to `file`, whole or not at all, or to stdout when `file` is empty. A file that is there keeps its
/// rights, owner and the links to it. Returns `code`, or kInternal
/// after a message when the text can not be written. A reader that has gone (`| head`) is no failure. What is longer
/// than the terminal at stdout is shown in a pager (cli/io/pager.h) if `paged`.
int deliver(System& system, std::string_view text, const std::string& file, int code, bool paged = false);

/// Writes the files below a folder, whole or not at all (cli/io/write_folder.h). Returns kDone, or the exit code after
/// a message.
int deliver_folder(System& system, const std::string& folder, const std::vector<LaunchFile>& files, bool force);

/// One line on stderr.
void say(System& system, std::string_view line);

/// "file:line: message" on stderr ("gpuplan: message" when there is no place); returns the exit code that the error
/// calls for.
int complain(System& system, const Error& error);
inline int complain(System& system, const std::unexpected<Error>& wrong) { return complain(system, wrong.error()); }

}  // namespace gpuplan::cli
