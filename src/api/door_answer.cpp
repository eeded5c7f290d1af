#include "api/door_answer.h"

#include <optional>
#include <utility>
#include <vector>

#include "api/accuracy/own_runs.h"
#include "output/text/json_writer.h"

namespace gpuplan::api {
namespace {

Result<Reply> replied_to(std::string_view question, const Door& door) {
  const auto asked = read_door_question(question);
  if (!asked) return std::unexpected(asked.error());
  auto catalogue = door.facts(*asked);
  if (!catalogue) return std::unexpected(catalogue.error());
  if (!asked->own_runs) return door.reply(*asked, *catalogue);
  auto left_out = learn_from(*asked->own_runs, *catalogue);
  if (!left_out) return std::unexpected(std::move(left_out.error()));
  auto replied = door.reply(*asked, *catalogue);
  if (replied) replied->left_out = *std::move(left_out);
  return replied;
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kMissesLimits:
      return "misses_limits";
    case Verdict::kNothingFits:
      return "nothing_fits";
    case Verdict::kFound:
      break;
  }
  return "found";
}

std::string wrong(const Error& error) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/answer@1").member("outcome", "wrong").key("error").begin_object();
  json.member("message", error.message);
  if (error.place.file.empty()) json.null_member("file");
  else json.member("file", error.place.file);
  json.member("line", error.place.line > 0 ? std::optional(error.place.line) : std::nullopt);
  json.member("column", error.place.column > 0 ? std::optional(error.place.column) : std::nullopt);
  json.end().end();
  return json.take();
}

void write_files(JsonWriter& json, const std::vector<LaunchFile>& files) {
  json.key("files").begin_array();
  for (const LaunchFile& file : files)
    json.begin_object().member("path", file.path).member("executable", file.executable).member("text", file.text).end();
  json.end();
}

}  // namespace

std::string answer_to(std::string_view question, const Door& door) {
  const auto replied = replied_to(question, door);
  if (!replied) return wrong(replied.error());
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/answer@1").member("outcome", word_of(replied->verdict));
  json.key("answer").document(replied->document);
  if (!replied->files.empty()) write_files(json, replied->files);
  if (!replied->why.empty()) json.member("why", replied->why);
  if (!replied->html.empty()) json.member("html", replied->html).member("contents", replied->contents);
  if (!replied->left_out.empty()) {
    json.key("own_runs_left_out").begin_array();
    for (const Error& row : replied->left_out)
      json.begin_object(true).member("line", row.place.line).member("message", row.message).end();
    json.end();
  }
  json.end();
  return json.take();
}

}  // namespace gpuplan::api
