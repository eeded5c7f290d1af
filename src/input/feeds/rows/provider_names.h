// Providers by the many names that lists and files call them.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan {

/// The usual name of a provider: "lambda" for "Lambda Labs" and "lambdalabs"; empty: it is not known.
std::string_view known_provider(std::string_view name);
/// The same; others stay as they are.
std::string usual_provider(std::string_view name);
/// What a file is called without folders and endings: "acme" of "lists.zip/Acme.csv.gz", for lists that say nothing
/// else.
std::string stem_of_file(std::string_view file);

}  // namespace gpuplan
