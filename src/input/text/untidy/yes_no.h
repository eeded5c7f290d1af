// Yes and no as people write them.
#pragma once

#include <optional>
#include <string_view>

namespace gpuplan {

/// "yes", "Ja", "oui", "sí", "true", "y" and "no", "nein", "non", "falsch", "none": in English, German, French and
/// Spanish; nullopt: something else. Figures (0, 1) are none: what they mean depends on what is asked.
std::optional<bool> read_yes_no(std::string_view text);

}  // namespace gpuplan
