// Any bytes as a question in JSON: an answer in JSON whose figures are finite, or one clear line. No file is opened.
// seeds: fuzz/seeds/*.ask.json
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/gpuplan.h"
#include "input/text/json_text.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view question(reinterpret_cast<const char*>(data), size);
  const std::string answer = gpuplan::ask(question);
  const auto tree = gpuplan::parse_json(answer, "answer", {.bytes = 100'000'000, .values = 10'000'000});
  if (!tree) std::abort();
  const gpuplan::Tree* outcome = tree->find("outcome");
  if (outcome == nullptr) std::abort();
  const gpuplan::Tree* error = tree->find("error");
  if ((outcome->text == "wrong") != (error != nullptr) || (error == nullptr) != (tree->find("answer") != nullptr))
    std::abort();
  if (error != nullptr) {
    const gpuplan::Tree* message = error->find("message");
    if (message == nullptr || message->text.empty() || message->text.find('\n') != std::string::npos) std::abort();
  }
  return 0;
}
