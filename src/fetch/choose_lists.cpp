#include "fetch/choose_lists.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/text.h"
#include "fetch/http/url.h"
#include "input/feeds/feed_names.h"

namespace gpuplan::fetch {
namespace {

std::vector<ListChoice> every_list(std::span<const PriceSource> sources) {
  std::vector<ListChoice> all;
  for (const PriceSource& source : sources) {
    if (source.parts.empty()) all.push_back({&source});
    for (const std::string& part : source.parts) all.push_back({&source, part});
  }
  return all;
}

std::unexpected<Error> unknown_list_name(const std::string& word, const std::vector<ListChoice>& all) {
  std::set<std::string> names;
  for (const ListChoice& list : all) {
    names.insert(list.source->name);
    names.insert(list.provider());
  }
  const std::vector<std::string_view> candidates(names.begin(), names.end());
  return wrong_use("no price list is called '" + printable(word, 60) + "'" + did_you_mean(word, candidates) +
                   "; gpuplan prices fetch --list shows all");
}

/// Marks what the word means; false: nothing.
bool mark_named(std::vector<ListChoice>& all, const std::string& word) {
  bool found = false;
  const auto mark = [&](auto&& meant) {
    for (ListChoice& list : all) {
      if (!meant(list)) continue;
      list.named = found = true;
    }
    return found;
  };
  if (mark([&](const ListChoice& list) { return iequals(list.source->name, word) || iequals(list.name(), word); }))
    return true;
  const std::string provider = usual_provider(word);
  const auto of_provider = [&](const ListChoice& list) {
    return iequals(list.provider(), provider) || iequals(list.provider(), word);
  };
  return mark([&](const ListChoice& list) { return of_provider(list) && !list.source->by_name_only; }) ||
         mark(of_provider);
}

Result<void> set_address(PriceSource& source, std::string_view what, const std::string& address, bool first) {
  if (what == "version") source.version_url = address;
  else if (what == "token") source.token_url = address;
  else {
    if (first) source.urls.clear();
    source.urls.push_back(address);
  }
  const auto url = parse_url(address);
  if (!url) return wrong_use("--url " + source.name + ": " + url.error().message);
  if (const auto allowed = may_ask(*url); !allowed)
    return wrong_use("--url " + source.name + ": " + allowed.error().message);
  return {};
}

}  // namespace

std::string ListChoice::provider() const {
  return usual_provider(source->provider == "{part}" ? part : source->provider);
}

Result<std::vector<ListChoice>> choose_lists(std::span<const PriceSource> sources, std::span<const std::string> words) {
  std::vector<ListChoice> all = every_list(sources);
  for (const std::string& word : words)
    if (!mark_named(all, word)) return unknown_list_name(word, all);
  std::erase_if(all, [&](const ListChoice& list) { return words.empty() ? list.source->by_name_only : !list.named; });
  return all;
}

Result<void> set_addresses(std::vector<PriceSource>& sources, std::span<const std::string> settings) {
  std::set<std::string_view> seen;
  for (const std::string& setting : settings) {
    const std::string_view text = setting;
    const std::size_t equals = text.find('=');
    const std::string_view whole = text.substr(0, equals);
    const std::size_t dot = whole.find('.');
    const std::string_view name = whole.substr(0, dot);
    const std::string_view what = dot == std::string_view::npos ? std::string_view{} : whole.substr(dot + 1);
    const auto source = std::ranges::find(sources, name, &PriceSource::name);
    if (equals == std::string_view::npos || source == sources.end() ||
        !(what.empty() || what == "version" || what == "token"))
      return wrong_use("--url takes NAME=ADDRESS with a name of gpuplan prices fetch --list");
    if (auto set = set_address(*source, what, setting.substr(equals + 1), seen.insert(whole).second); !set) return set;
  }
  return {};
}

}  // namespace gpuplan::fetch
