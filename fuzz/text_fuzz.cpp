// What users write appears in messages, tables and JSON: whatever the bytes are, output stays whole.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/shell/shell_words.h"
#include "base/text.h"
#include "output/text/json_writer.h"
#include "output/text/table.h"

namespace {

/// Valid UTF-8 without control characters.
bool harmless(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = gpuplan::utf8_length(text, at);
    if (length == 0 || static_cast<unsigned char>(text[at]) < 0x20) return false;
    at += length;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpuplan;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string shown = printable(text, 40);
  if (!harmless(shown) || shown.size() > 43) __builtin_trap();

  JsonWriter json(JsonWriter::Layout::kCompact);
  std::string line = json.begin_array().value(text).end().take();
  line.pop_back();  // its own line feed
  if (!harmless(line)) __builtin_trap();

  if (display_width(shortened(shown, 7)) > 7) __builtin_trap();
  Table table({{.title = "A", .narrowest = 5, .wrap = true},
               {.title = "B", .drop = 1, .around = "-"},
               {.title = "C", .narrowest = 4}});
  table.add({shown, printable(text, 10), shown});
  table.add({"x", "1-2"});
  const std::string set = table.text({.columns = 50});
  if (set.find(" \n") != std::string::npos || set.back() != '\n') __builtin_trap();

  // Commands stand one after the other in the text, and the words of each in it.
  std::size_t at = 0;
  for (const ShellSpan& command : shell_commands(text)) {
    if (command.begin < at || command.end <= command.begin || command.end > text.size()) __builtin_trap();
    at = command.begin;
    for (const ShellSpan& word : shell_words(text, command)) {
      if (word.begin < at || word.end <= word.begin || word.end > command.end) __builtin_trap();
      at = word.end;
    }
    at = command.end;
  }
  (void)takes_more_words(text);

  const std::string_view names[] = {"H100 SXM", "RTX 4090", "deadline"};
  (void)did_you_mean(text, names);
  if (squeeze(squeeze(text)).size() > squeeze(text).size()) __builtin_trap();
  return 0;
}
