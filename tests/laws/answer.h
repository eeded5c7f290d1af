// What the program makes of a case: the job as read, what was searched and found, and the texts that tell it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "api/questions/question.h"
#include "laws/case.h"
#include "output/text/style.h"

namespace gpuplan::laws {

/// Facts compiled into the program, read once.
const Catalogue& built_in();

/// Why a case can not be asked, or the answer. Plans point into it: it stays in place.
struct Answer {
  Case asked;
  std::shared_ptr<const Catalogue> facts;  ///< null: the built-in ones
  JobSource source;
  std::vector<Offer> known;
  api::Searched searched{Job{}};
  std::optional<PlanReport> report;

  const Catalogue& catalogue() const { return facts ? *facts : built_in(); }
  const SearchResult& found() const { return searched.found; }
  const std::vector<Plan>& plans() const { return searched.found.plans; }
  const Plan* at(std::optional<int> position) const {
    return position ? &plans()[static_cast<std::size_t>(*position)] : nullptr;
  }
  const Plan* pick() const { return at(found().recommendations.pick); }
};
using Asked = Result<std::unique_ptr<Answer>>;

Asked ask(const Case& one, int threads = 1, std::shared_ptr<const Catalogue> facts = nullptr);
/// The same of a job that is read from its source, with a price list or none.
Asked ask(Case one, JobSource source, std::vector<Offer> known, int threads, std::shared_ptr<const Catalogue> facts);

/// `gpuplan plan --json --all`, without the time that it took and the text of the job. `tables`: every --show too.
std::string plan_document(const Answer& answer, bool tables);
/// `gpuplan plan` as a terminal or a page shows it: table, every --show, --explain of the pick.
std::string plan_page(const Answer& answer, const Screen& screen, bool tables);

}  // namespace gpuplan::laws
