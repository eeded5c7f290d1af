// Whole command lines about a random case, and cases that are broken on purpose.
#include <ctime>

#include "base/text.h"
#include "laws/command.h"
#include "laws/figures.h"
#include "laws/launchable.h"
#include "laws/laws.h"
#include "laws/mutate.h"
#include "laws/questions.h"

namespace gpuplan::laws {
namespace {

/// A command about the case ends as documented, and its document has no wrong figure.
Verdict command(const Answer& base, std::vector<std::string> words) {
  const CaseFiles files = write_files(base.asked);
  words.insert(words.begin() + 1, files.job);
  words.insert(words.end(), {"--json", "--no-config"});
  if (!files.prices.empty() && words.front() != "fit") words.insert(words.end(), {"--prices", files.prices});
  if (words.front() != "fit") words.insert(words.end(), {"--jobs", "1"});
  const Ran ran = run_command(words);
  if (std::string wrong = wrong_end(ran); !wrong.empty()) return broken(join(words, " ") + ": " + wrong);
  if (ran.code == 2 || ran.code == 5) return silent();
  if (std::string wrong = wrong_document(ran.out); !wrong.empty()) return broken(join(words, " ") + ": " + wrong);
  return holds();
}

Verdict simulate(const Answer& base, Random& random) {
  if (base.plans().empty()) return silent();
  return command(base, {"simulate", "--trials", "60", "--interruptions", std::string(one_of(random, {"1%/h", "30%/h"})),
                        "--set", "where.spot=allow"});
}

Verdict whatif(const Answer& base, Random& random) {
  if (base.plans().empty()) return silent();
  return command(
      base, {"whatif", "--set", std::string(one_of(random, {"buffer=20%", "goal=cheapest", "value_of_time=$3/h"}))});
}

Verdict sensitivity(const Answer& base, Random&) {
  if (base.plans().empty()) return silent();
  return command(base, {"whatif", "--sensitivity"});
}

Verdict fit(const Answer& base, Random&) { return command(base, {"fit", "--gpu", "H100 SXM,RTX 4090,T4"}); }

Verdict launch(const Answer& base, Random&) {
  if (base.plans().empty()) return silent();
  std::string words = wrong_folders(base);
  return words.empty() ? holds() : broken(std::move(words));
}

Verdict mutated(const Answer& base, Random& random) {
  Case other = base.asked;
  const std::string text = mutated_text(random, other);
  const std::clock_t start = std::clock();  // of the processor: how busy the machine is decides nothing
  std::string wrong = wrong_answer(text, other.prices.empty() ? "" : price_text(other.prices));
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (wrong.empty() && seconds > 5) wrong = "takes " + fixed_text(seconds, 1) + " s";
  return wrong.empty() ? holds() : broken(std::move(wrong) + "\n" + text);
}

constexpr Law kLaws[] = {
    {"simulate", "simulate ends as documented and states no wrong figure", simulate},
    {"whatif", "whatif ends as documented and states no wrong figure", whatif},
    {"sensitivity", "whatif --sensitivity ends as documented and states no wrong figure", sensitivity},
    {"fit", "fit ends as documented and states no wrong figure", fit},
    {"launch", "every launcher writes the pick, or refuses it in one line", launch},
    {"mutated", "a broken job is answered without a wrong figure, or refused in one line with its place, within 5 s",
     mutated},
};

}  // namespace

std::span<const Law> command_laws() { return kLaws; }

}  // namespace gpuplan::laws
