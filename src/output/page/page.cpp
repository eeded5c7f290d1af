#include "output/page/page.h"

#include <array>
#include <cstddef>
#include <utility>

#include "output/page/html_text.h"
#include "output/text/json_writer.h"

namespace gpuplan {
namespace {

std::string knobs_json(std::span<const Knob> knobs) {
  JsonWriter json(JsonWriter::Layout::kCompact);
  json.begin_array();
  for (const Knob& knob : knobs)
    json.begin_object()
        .member("group", knob.group)
        .member("address", knob.address)
        .member("title", knob.title)
        .member("now", knob.now)
        .member("hint", knob.hint)
        .member("choices", knob.choices)
        .member("list", knob.list)
        .end();
  json.end();
  return json.take();
}

}  // namespace

Result<std::string> page_of(const PageParts& parts) {
  if (parts.shell.empty())
    return failure(
        "this gpuplan was built without Node.js, so it cannot write pages; build it again where node and npm are, or "
        "write a guide: -o GUIDE.md");
  auto body = page_body(parts.report, parts.charts);
  if (!body) return std::unexpected(std::move(body.error()));

  const bool answers = !parts.question.empty() && !parts.engine.empty();
  const std::array<std::pair<std::string_view, std::string>, 8> places = {{
      {"@@gpuplan:title@@", html_text(body->title)},
      {"@@gpuplan:contents@@", std::move(body->contents)},
      {"@@gpuplan:body@@", std::move(body->html)},
      {"@@gpuplan:report@@", html_json(compact_json(parts.report))},
      {"@@gpuplan:plan@@", html_json(compact_json(parts.plan))},
      {"@@gpuplan:question@@", answers ? html_json(parts.question) : std::string("null")},
      {"@@gpuplan:knobs@@", answers ? html_json(knobs_json(parts.knobs)) : std::string("[]")},
      {"@@gpuplan:engine@@", answers ? base85_text(parts.engine) : std::string()},
  }};
  std::string page;
  std::size_t size = parts.shell.size();
  for (const auto& [place, text] : places) size += text.size();
  page.reserve(size);
  // One way through the shell: what is filled in is not looked at again.
  constexpr std::string_view kMark = "@@gpuplan:";
  std::size_t from = 0;
  for (std::size_t at = parts.shell.find(kMark); at != std::string_view::npos; at = parts.shell.find(kMark, from)) {
    page += parts.shell.substr(from, at - from);
    from = at;
    for (const auto& [place, text] : places) {
      if (!parts.shell.substr(at).starts_with(place)) continue;
      page += text;
      from = at + place.size();
      break;
    }
    if (from != at) continue;
    page += kMark;
    from = at + kMark.size();
  }
  page += parts.shell.substr(from);
  return page;
}

}  // namespace gpuplan
