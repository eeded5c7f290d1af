// gpuplan_laws [JOBS|FIRST-LAST] [SEED] [LAW...]: random jobs and markets held against the laws, the first JOBS of them
// or those with the numbers FIRST to LAST. Every violation is shrunk and printed as the files that show it. The last
// line is "counted HELD BROKEN" laws, for ./test.
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/text.h"
#include "laws/draw.h"
#include "laws/shrink.h"

namespace {

using namespace gpuplan;
using namespace gpuplan::laws;

struct Count {
  const Law* law = nullptr;
  long cases = 0, broken = 0;
  double seconds = 0;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::vector<Count> asked_laws(const std::vector<std::string>& names) {
  std::vector<Count> counts;
  for (const auto laws :
       {search_laws(), facts_laws(), limit_laws(), figure_laws(), form_laws(), prose_laws(), command_laws()})
    for (const Law& law : laws)
      if (names.empty() || std::ranges::find(names, law.name) != names.end()) counts.push_back({&law});
  return counts;
}

void print_case(const Case& one, const char* file) {
  std::printf("--- %s.yaml\n%s", file, job_text(one.job).c_str());
  if (!one.prices.empty()) std::printf("--- %s.csv\n%s", file, price_text(one.prices).c_str());
}

/// The smallest case of a violation, with the one that it was compared with.
void report(const Law& law, const Case& found, std::uint64_t number) {
  const Case small = shrunk(law, found);
  const Verdict verdict = judge(law, small);
  std::printf("\nBROKEN %.*s (job %llu): %.*s\n  %s\n", static_cast<int>(law.name.size()), law.name.data(),
              static_cast<unsigned long long>(number), static_cast<int>(law.says.size()), law.says.data(),
              verdict.broken.c_str());
  print_case(small, "a");
  if (verdict.other) print_case(*verdict.other, "b");
  std::fflush(stdout);
}

/// What is asked when a signal comes: a crash must name its case.
const Case* asked_now = nullptr;
const Law* law_now = nullptr;
int output_then = 1;  ///< what standard output was before a command's was captured

/// Two minutes of processor time for one law and job is a hang. Not safe in a handler, and the process is lost anyway.
extern "C" void tell_and_leave(int signal) {
  ::dup2(output_then, STDOUT_FILENO);
  std::printf("\nBROKEN %s: signal %d\n", law_now != nullptr ? law_now->name.data() : "reading", signal);
  if (asked_now != nullptr) print_case(*asked_now, "a");
  std::printf("counted 0 1\n");
  std::fflush(stdout);
  std::_Exit(1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto number_at = [&](std::size_t at, std::uint64_t otherwise) {
    return words.size() > at ? std::strtoull(words[at].c_str(), nullptr, 10) : otherwise;
  };
  const std::size_t dash = words.empty() ? std::string::npos : words[0].find('-');
  const std::uint64_t first = dash == std::string::npos ? 0 : number_at(0, 0);
  const std::uint64_t end =
      dash == std::string::npos ? number_at(0, 2000) : std::strtoull(words[0].c_str() + dash + 1, nullptr, 10) + 1;
  const std::uint64_t jobs = end - std::min(first, end), seed = number_at(1, 1);
  std::vector<Count> counts = asked_laws({words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)), words.end()});
  output_then = ::dup(STDOUT_FILENO);
  ::setenv("GPUPLAN_CONFIG", "", 1);
  for (const int signal : {SIGSEGV, SIGABRT, SIGFPE, SIGPROF}) std::signal(signal, tell_and_leave);
  constexpr long kShown = 3;
  long unread = 0, empty = 0;
  std::string why;
  for (std::uint64_t number = first; number < end; ++number) {
    const Case one = drawn_case(seed, number);
    asked_now = &one;
    law_now = nullptr;
    constexpr itimerval kHang{.it_interval = {}, .it_value = {.tv_sec = 120, .tv_usec = 0}};
    ::setitimer(ITIMER_PROF, &kHang, nullptr);
    const Asked base = ask(one);
    if (!base) {
      ++unread;
      why = base.error().message;
      if (std::getenv("GPUPLAN_LAWS_REFUSED") != nullptr)
        std::printf("%llu: %s\n", static_cast<unsigned long long>(number), why.c_str());
      continue;
    }
    if ((*base)->plans().empty()) ++empty;
    for (Count& count : counts) {
      const double start = now();
      law_now = count.law;
      Random random(one.salt, hash_of(count.law->name));
      const Verdict verdict = count.law->check(**base, random);
      count.cases += verdict.asked ? 1 : 0;
      if (!verdict.broken.empty() && ++count.broken <= kShown) report(*count.law, one, number);
      count.seconds += now() - start;
    }
  }
  std::printf("\n%-18s %8s %8s %8s\n", "LAW", "CASES", "BROKEN", "SECONDS");
  long held = 0;
  for (const Count& count : counts) {
    std::printf("%-18.*s %8ld %8ld %8.1f\n", static_cast<int>(count.law->name.size()), count.law->name.data(),
                count.cases, count.broken, count.seconds);
    held += count.broken == 0 ? 1 : 0;
  }
  std::printf("%llu jobs of seed %llu; %ld were refused%s%s, nothing fits %ld\n", static_cast<unsigned long long>(jobs),
              static_cast<unsigned long long>(seed), unread, unread > 0 ? ", such as: " : "", why.c_str(), empty);
  std::printf("counted %ld %ld\n", held, static_cast<long>(counts.size()) - held);
  return held == static_cast<long>(counts.size()) ? 0 : 1;
}
