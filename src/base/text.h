// Small text tools that know nothing of files or terminals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpuplan {

/// ASCII, whatever the locale.
constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

std::string_view trim(std::string_view text);
std::string to_lower(std::string_view text);  ///< ASCII letters only
bool iequals(std::string_view a, std::string_view b);
/// Whether one of the words stands in the text, be it inside of another.
bool has_any(std::string_view text, std::initializer_list<std::string_view> words);
std::vector<std::string_view> split(std::string_view text, char separator);  ///< parts are trimmed; "" gives none
std::string join(std::span<const std::string> parts, std::string_view separator);
/// "A", "A and B", "A, B and C"; another word in place of "and".
std::string listed(std::span<const std::string> parts, std::string_view last = "and");

/// The spelling names are compared in: lower case letters and digits only ("RTX-4090 " and "rtx 4090" are one).
/// '+' becomes "plus" since it tells models apart (Command R+), and a point between digits stays (OPT-1.3B, OPT-13B).
std::string squeeze(std::string_view name);

/// User text made safe to print: control characters (ANSI escapes among them) and invalid UTF-8 become '?',
/// and text longer than `limit` bytes is cut with an ellipsis.
std::string printable(std::string_view text, std::size_t limit = 200);

/// Bytes of the UTF-8 character that starts at `at`; 0 when what stands there is none (overlong, surrogate, cut off).
std::size_t utf8_length(std::string_view text, std::size_t at);

/// Columns that UTF-8 text takes on a terminal, escape sequences of colour not counted.
int display_width(std::string_view text);

/// Edit distance with transpositions (Damerau-Levenshtein, optimal string alignment), over bytes.
int edit_distance(std::string_view a, std::string_view b);

/// The candidates closest to `name` by edit distance of their squeezed forms, nearest first, at most `most`;
/// none when all are too far to be a slip of the keyboard.
std::vector<std::string> nearest(std::string_view name, std::span<const std::string_view> candidates, int most = 3);

/// "; did you mean X or Y?" or "" when nothing is near. Candidates may be user text.
std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates);

/// FNV-1a, 64 bits: stable from one day, machine and library to the next.
std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0xcbf29ce484222325ULL);

/// Letters and digits of a hash, for plan names; of kLongestId different hashes never look alike. REQUIRES: signs in
/// [1, kLongestId].
inline constexpr int kShortId = 6, kLongestId = 13;
std::string short_id(std::uint64_t hash, int signs = kShortId);

/// Shortest text that reads back as the same double ("0.35"); integers have no point.
std::string number_text(double value);
/// Fixed number of decimals.
std::string fixed_text(double value, int decimals);
/// Rounded to `digits` significant digits, plain notation.
std::string significant_text(double value, int digits);
/// Counts with separators: 12,345.
std::string count_text(double value);
/// "1 phase", "4 phases", "2.5 phases", "12,345 phases".
std::string count_of(double count, const std::string& noun);

/// What stands between the ends of a range wherever figures are shown, and the head of a column of such ranges.
inline constexpr const char* kRangeDash = "–";
inline constexpr const char* kRangeHead = "P10–P90";
/// "1.5–1.7"; a unit that both ends have is written once: "195–277 ms", "$10.00–$15.00/h". "4" where both are alike.
std::string range_text(std::string_view low, std::string_view high);
/// "27%", "0.3%", "98%", "99.7%", "> 99.9%".
std::string percent_text(double share);

}  // namespace gpuplan
