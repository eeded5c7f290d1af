// A job in a few words: what the flags of a command ask without a job file, as the text of one.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "domain/work/phase.h"
#include "input/job/job_reader.h"
#include "input/models/model_resolver.h"

namespace gpuplan {

/// The work, as typed; empty: not said.
struct Sketch {
  bool generate = false;
  bool forward_only = false;  ///< one pass over the prompts: embeddings, scores
  std::string model{}, params{}, layers{}, hidden{}, vocab{};
  std::string samples{}, batch{}, setup{};
  std::string tokens{}, tokens_per_sample{}, epochs{}, steps{}, sequence{}, micro{};
  std::string method{}, objective{}, rank{}, trainable{}, precision{}, optimizer{}, framework{};
  std::string prompt{}, new_tokens{}, weights{}, weight_bits{}, kv_cache{}, engine{}, situation{}, concurrency{};
  std::string tokens_per_second{}, first_token{}, per_token{};
};

/// Which offers count, the limits and the goal, as typed; empty: not said. They go with a job file too.
struct Wishes {
  std::vector<std::string> gpus{}, counts{}, nodes{}, providers{}, regions{};
  std::string spot{}, interruptions{}, max_price{}, deadline{}, budget{}, goal{}, value_of_time{};
};

/// A flag and what it says about the work.
struct SketchFlag {
  enum class Part { kModel, kAnyWork, kTraining, kGeneration };

  std::string_view name;  ///< "--tokens"
  std::string Sketch::* text;
  std::string_view value;  ///< what stands for its value in help: "N"
  std::string_view help;   ///< what it says, without the names that it takes where those are an enumeration's
  Part part;
};
std::span<const SketchFlag> sketch_flags();

/// A flag and the key of the job that it stands for. One of `text` and `list` is set.
struct WishFlag {
  std::string_view name;     ///< "--gpu"
  std::string_view address;  ///< "where.gpus"
  std::string Wishes::* text;
  std::vector<std::string> Wishes::* list;
  std::string_view value;
  std::string_view help;
};
std::span<const WishFlag> wish_flags();
/// Another spelling of a flag: "--seq-len" for "--sequence"; with a value, of the flag and that value ("--lora").
struct FlagAlias {
  std::string_view name, flag;
  std::string_view value{};
};
std::span<const FlagAlias> flag_aliases();

/// What the flag was given; empty: nothing.
std::vector<std::string> said_by(const Wishes& wishes, const WishFlag& flag);

/// The first flag given that says something about the work; "" when there is none.
std::string_view first_flag(const Sketch& sketch);

/// Whether prompts are only read: by --forward-only, or by --new 0.
bool only_reads(const Sketch& sketch);
/// Whether the work is generation, by --generate or by a flag of generation; whether a flag of training is given.
bool generates(const Sketch& sketch);
bool trains(const Sketch& sketch);
/// Full unless --method says otherwise; nullopt when it names none.
std::optional<Method> method_of(const Sketch& sketch);

/// Flags that exclude each other or need others, and amounts of work that are missing; usage errors.
Result<void> check_sketch(const Sketch& sketch, const Wishes& wishes);

/// A job file in the making.
struct SketchedJob {
  std::string text;                       ///< YAML with a comment on every key
  std::vector<std::string_view> flags{};  ///< the flag behind each line of the text; "" for what is assumed
  std::vector<std::string> assumed{};     ///< what no flag said, in words
};

/// The question as a job file that says everything it assumes. Every error is a usage error that names the flag, or
/// says which one is missing with an example.
Result<SketchedJob> sketch_job(const Sketch& sketch, const Wishes& wishes, const ModelResolver& models);

/// Its text, read; errors in its values name the flags.
Result<JobSource> read_sketch(const SketchedJob& sketched);

/// Puts wishes into a job as written. Errors that reading it finds in them name the flags.
Result<void> apply_wishes(JobSource& job, const Wishes& wishes);

}  // namespace gpuplan
