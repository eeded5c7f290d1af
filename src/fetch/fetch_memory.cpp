#include "fetch/fetch_memory.h"

#include <algorithm>
#include <charconv>

#include "input/text/csv.h"
#include "input/text/json_text.h"
#include "output/text/json_writer.h"

namespace gpuplan::fetch {
namespace {

/// Goes into headers: a file that somebody changed must not end a line there.
std::string plain_member(const Tree& one, std::string_view name) {
  const Tree* value = one.find(name);
  if (value == nullptr || !value->is_scalar()) return "";
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f'; };
  return std::ranges::all_of(value->text, plain) ? value->text : std::string();
}

}  // namespace

FetchMemory read_fetch_memory(std::string_view text) {
  FetchMemory memory;
  const auto tree = parse_json(text, "");
  const Tree* lists = tree ? tree->find("lists") : nullptr;
  if (lists == nullptr || !lists->is_map()) return memory;
  for (const Tree& one : lists->children) {
    Remembered& last = memory[one.key];
    last = {{plain_member(one, "etag"), plain_member(one, "last_modified")},
            plain_member(one, "url"),
            plain_member(one, "date")};
    if (!is_iso_date(last.date)) last.date.clear();
    const std::string number = plain_member(one, "import");
    std::from_chars(number.data(), number.data() + number.size(), last.import);
  }
  return memory;
}

std::string fetch_memory_text(const FetchMemory& memory) {
  JsonWriter json;
  json.begin_object().member("schema", "gpuplan/fetched@1").key("lists").begin_object();
  for (const auto& [name, last] : memory) {
    json.key(name).begin_object(true).member("url", last.url).member("date", last.date).member("import", last.import);
    if (!last.validators.etag.empty()) json.member("etag", last.validators.etag);
    if (!last.validators.last_modified.empty()) json.member("last_modified", last.validators.last_modified);
    json.end();
  }
  json.end().end();
  return json.take();
}

}  // namespace gpuplan::fetch
