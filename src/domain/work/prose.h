// What a job says in words: told, never counted. No figure, order or id of a plan depends on any of it.
//
// Texts are Markdown of the user's own, in UTF-8, without control characters other than line feeds and tabs and without
// characters that hide text or turn it around: reading a job refuses those (input/job/prose.cpp). Markdown and HTML in
// them are as written: who writes a page escapes them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"
#include "base/units.h"

namespace gpuplan {

/// Work by hand that belongs to a job or a phase.
struct ManualTask {
  std::string what;                       ///< one line
  std::string who;                        ///< one line; empty: not said
  std::optional<Interval<Seconds>> time;  ///< as told; hours of a phase are its own
  std::string command;                    ///< code; empty: none
  std::string notes;                      ///< Markdown
};

/// How to judge what a phase gives, Markdown each.
struct Quality {
  std::string good;    ///< how it looks when it is good
  std::string bad;     ///< and when it is not
  std::string remedy;  ///< what to do then

  bool any() const { return !good.empty() || !bad.empty() || !remedy.empty(); }
};

/// Of the whole job.
struct JobProse {
  std::string title;    ///< one line
  std::string purpose;  ///< what it is for, Markdown
  std::string notes;    ///< Markdown
  std::vector<ManualTask> tasks;

  bool any() const { return !title.empty() || !purpose.empty() || !notes.empty() || !tasks.empty(); }
};

/// Of one phase.
struct PhaseProse {
  std::string title;    ///< one line
  std::string purpose;  ///< what it is for, Markdown
  std::string notes;    ///< Markdown
  std::vector<ManualTask> tasks;
  std::string expect;  ///< what its output looks like, Markdown
  Quality quality;

  bool any() const {
    return !title.empty() || !purpose.empty() || !notes.empty() || !tasks.empty() || !expect.empty() || quality.any();
  }
};

/// Of one way to run the job, which plans on these GPUs take.
struct OptionProse {
  std::string gpu;    ///< name in the catalogue; empty: any
  int gpus = 0;       ///< GPUs in all; 0: any number
  std::string title;  ///< one line
  std::string notes;  ///< Markdown
};

/// Of a variant: what its settings mean.
struct VariantProse {
  std::string title;  ///< one line
  std::string notes;  ///< Markdown
};

/// The words about plans on so many of these GPUs: those that name GPU and number, else the GPU, else the number, else
/// any. Null when the job says none.
const OptionProse* option_of(const std::vector<OptionProse>& options, const std::string& gpu, int gpus);

}  // namespace gpuplan
