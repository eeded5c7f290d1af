#include "cli/io/on_signal.h"

#include <csignal>

namespace gpuplan::cli {

OnSignal::OnSignal(std::initializer_list<int> signals, void (*handler)(int)) {
  for (const int signal : signals) before_.emplace_back(signal, std::signal(signal, handler));
}

void OnSignal::restore() const {
  for (const auto& [signal, handler] : before_) std::signal(signal, handler);
}

}  // namespace gpuplan::cli
