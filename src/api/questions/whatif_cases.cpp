#include "api/questions/whatif_cases.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace gpuplan::api {
namespace {

constexpr std::size_t kMostCases = 200;

/// "a,[b,c],d" -> "a", "[b,c]", "d".
std::vector<std::string> values_of(std::string_view text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) quote = c == quote ? '\0' : quote;
    else if (c == '"' || c == '\'') quote = c;
    else if (c == '[' || c == '{') ++depth;
    else if (c == ']' || c == '}') --depth;
    if (c == ',' && depth <= 0 && quote == 0) values.emplace_back();
    else values.back() += c;
  }
  return values;
}

/// One --vary as the settings it stands for.
Result<std::vector<std::string>> settings_of(const std::string& vary) {
  const std::string shown = "--vary " + printable(vary, 80) + ": ";
  const std::size_t equals = vary.find('=');
  if (equals == std::string::npos) return wrong_use(shown + "expected ADDRESS=VALUE,VALUE such as epochs=4,8,16");
  std::vector<std::string> settings;
  for (const std::string& value : values_of(std::string_view(vary).substr(equals + 1))) {
    if (trim(value).empty()) return wrong_use(shown + "missing value; expected ADDRESS=VALUE,VALUE");
    settings.push_back(vary.substr(0, equals + 1) + std::string(trim(value)));
  }
  return settings;
}

}  // namespace

Result<std::vector<AskedCase>> whatif_cases(const std::vector<std::string>& sets,
                                            const std::vector<std::string>& varied) {
  if (sets.empty() && varied.empty())
    return wrong_use("nothing to vary. Add --set epochs=3, --vary batch=4,8 or --sensitivity");
  std::vector<AskedCase> asked{{"baseline", {}}};
  if (sets.size() > 1)
    for (const std::string& set : sets) asked.push_back({"", {set}});
  const AskedCase together = sets.size() > 2 ? AskedCase{"all together", sets, sets.size()} : AskedCase{"", sets};
  // Two values of one key are two questions, and no third.
  const auto key = [](const std::string& set) { return std::string_view(set).substr(0, set.find('=')); };
  std::vector<std::string_view> keys;
  for (const std::string& set : sets) keys.push_back(key(set));
  std::ranges::sort(keys);
  const bool twice = std::ranges::adjacent_find(keys) != keys.end();
  if (!sets.empty() && !(twice && varied.empty())) asked.push_back(together);
  if (asked.size() > kMostCases)
    return wrong_use("--set: " + count_text(static_cast<double>(asked.size())) + " rows, more than " +
                     count_text(static_cast<double>(kMostCases)) + "; change fewer values at a time");
  if (varied.empty()) return asked;

  double count = 1;  // of combinations; a list of long lists is more than any integer holds
  std::vector<std::vector<std::string>> lists;
  for (const std::string& vary : varied) {
    auto settings = settings_of(vary);
    if (!settings) return std::unexpected(settings.error());
    count *= static_cast<double>(settings->size());
    lists.push_back(*std::move(settings));
  }
  if (count + static_cast<double>(asked.size()) > static_cast<double>(kMostCases))
    return wrong_use("--vary: " + count_text(count) + " combinations, more than " +
                     count_text(static_cast<double>(kMostCases)) + "; vary fewer values at a time");
  std::vector<AskedCase> combined{together};
  for (const std::vector<std::string>& list : lists) {
    std::vector<AskedCase> next;
    for (const AskedCase& so_far : combined) {
      for (const std::string& setting : list) {
        AskedCase& one = next.emplace_back(so_far);
        one.settings.push_back(setting);
        ++one.varied;
      }
    }
    combined = std::move(next);
  }
  asked.insert(asked.end(), combined.begin(), combined.end());
  return asked;
}

Error blamed(Error error, const AskedCase& asked) {
  constexpr std::string_view kSet = "--set ";
  if (!error.message.starts_with(kSet) || asked.varied == 0) return error;
  const std::string_view about = std::string_view(error.message).substr(kSet.size());
  const std::size_t sets = asked.settings.size() - asked.varied;
  const bool from_set =
      std::any_of(asked.settings.begin(), asked.settings.begin() + static_cast<std::ptrdiff_t>(sets),
                  [&](const std::string& setting) { return about.starts_with(printable(setting, 80) + ": "); });
  if (!from_set) error.message.replace(0, kSet.size(), "--vary ");
  return error;
}

}  // namespace gpuplan::api
