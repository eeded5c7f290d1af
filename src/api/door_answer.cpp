#include "api/door_answer.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "api/accuracy/own_runs.h"
#include "api/questions/facts.h"
#include "base/text.h"
#include "output/text/json_writer.h"

namespace gpuplan::api {
namespace {

Result<Reply> replied_to(std::string_view question, Replier reply) {
  const auto asked = read_door_question(question);
  if (!asked) return std::unexpected(asked.error());
  std::vector<DataFile> own;
  for (const NamedText& table : asked->data) {
    const auto name = std::ranges::find(kDataFiles, table.name);
    if (name == kDataFiles.end())
      return failure("data: unknown table '" + printable(table.name, 40) + "'; gpus.csv and offers.csv are two",
                     {"question"});
    own.push_back({*name, table.name, table.text});
  }
  auto catalogue = read_facts(own);
  if (!catalogue) return std::unexpected(catalogue.error());
  if (!asked->own_runs) return reply(*asked, *catalogue);
  auto left_out = learn_from(*asked->own_runs, *catalogue);
  if (!left_out) return std::unexpected(std::move(left_out.error()));
  auto replied = reply(*asked, *catalogue);
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

std::string answer_to(std::string_view question, Replier reply) {
  const auto replied = replied_to(question, reply);
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
