// What the program owes to any text of a job and any price list, question by question: an answer without a wrong
// figure, or an error of one line with its place. Each returns what is wrong, or nothing. The fuzzers assert them.
#pragma once

#include <string>
#include <string_view>

namespace gpuplan::laws {

/// Read, planned, shown in every form and launched in memory. An empty price list: the job's own market, or the
/// built-in one.
std::string wrong_answer(const std::string& job, std::string_view prices);

// These write the job and prices into files of their own, as the commands read them.
std::string wrong_whatif(const std::string& job, std::string_view prices, const std::string& setting);
std::string wrong_simulation(const std::string& job, std::string_view prices);
std::string wrong_fit(const std::string& job);
std::string wrong_check(const std::string& job, std::string_view prices, std::string_view log);

}  // namespace gpuplan::laws
