// The planning document of a job: the answer with everything that somebody needs who pays for it and runs it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "api/questions/plan_answer.h"
#include "output/page/body.h"
#include "output/report/document.h"

namespace gpuplan::api {

/// Files beside a report.
class FilesBeside {
 public:
  /// "run-job/README.md"
  virtual bool has(const std::string& path) const = 0;

 protected:
  ~FilesBeside() = default;
};

struct ReportTerms {
  /// "job.yaml --set ...": what is typed behind the name of a command. Empty: no commands are told.
  std::string arguments{};
  std::string charts{};                 ///< folder of drawings beside a guide; empty: the guide has none
  const FilesBeside* beside = nullptr;  ///< nullptr: nobody knows of any
  bool sensitivity = true;              ///< with what moves the plan most, which asks about as much as all the rest
};

/// What a guide remembers of the day it was made, so that it can say later what changed.
struct GuideRecord {
  struct Named {
    std::string name, value;
  };
  std::string version, command;  ///< of gpuplan; that made it
  std::string made{};            ///< "2026-11-22"; empty: nobody said
  std::string prices;            ///< in words, without their age
  std::vector<Named> job{};      ///< address and value of everything that it states
  std::vector<Named> offers{};   ///< of the plans that nothing beats: what an hour costs
  std::vector<Named> answer{};   ///< pick, hours, cost
  std::string market;            ///< hash of all prices looked at
};

class ReportAnswer {
 public:
  ReportAnswer(const ReportAnswer&) = delete;
  ReportAnswer& operator=(const ReportAnswer&) = delete;
  ReportAnswer(ReportAnswer&&) noexcept;
  ReportAnswer& operator=(ReportAnswer&&) noexcept;
  ~ReportAnswer();

  const ReportDocument& document() const;
  /// Its charts, each as it looks in light and dark.
  std::vector<DrawnChart> drawings() const;
  const PlanAnswer& plan() const;
  Verdict verdict() const { return plan().verdict(); }
  GuideRecord record() const;
  /// The document as JSON, "gpuplan/report@1" for those who read it.
  std::string json() const;

 private:
  struct Parts;
  explicit ReportAnswer(std::unique_ptr<Parts> parts);
  friend Result<ReportAnswer> ask_report(const Request&, const ReportTerms&, const Catalogue&);
  std::unique_ptr<Parts> parts_;
};

/// `catalogue` must outlive the answer. Fails for wrong input; that nothing fits is an answer.
Result<ReportAnswer> ask_report(const Request& request, const ReportTerms& terms, const Catalogue& catalogue);

}  // namespace gpuplan::api
