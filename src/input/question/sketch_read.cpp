// Sketches and wishes on their way into a job: every value remembers the flag that said it.
#include <utility>

#include "base/text.h"
#include "input/job/settings.h"
#include "input/question/sketch.h"

namespace gpuplan {

namespace {

/// What stands on a line that no flag said is still the question's.
void mark(Tree& tree, const std::vector<std::string_view>& flags) {
  const auto line = static_cast<std::size_t>(tree.line);
  const std::string_view flag = line >= 1 && line <= flags.size() ? flags[line - 1] : std::string_view();
  tree.from_setting = true;
  tree.flag = flag.empty() ? std::string_view("the command-line flags") : flag;
  for (Tree& child : tree.children) mark(child, flags);
}

Tree flagged(std::string_view text, std::string_view flag) {
  Tree tree = scalar_tree(text);
  tree.from_setting = true;
  tree.flag = flag;
  return tree;
}

}  // namespace

Result<JobSource> read_sketch(const SketchedJob& sketched) {
  auto source = parse_job(sketched.text, "");
  if (!source) return wrong_use("the flags cannot be read: " + source.error().message);
  mark(source->tree, sketched.flags);
  source->assumed = sketched.assumed;
  return source;
}

Result<void> apply_wishes(JobSource& job, const Wishes& wishes) {
  if (iequals(wishes.spot, "never") && !wishes.interruptions.empty())
    return wrong_use("--spot never and --interruptions cannot be combined");
  for (const WishFlag& flag : wish_flags()) {
    const std::vector<std::string> said = said_by(wishes, flag);
    if (said.empty()) continue;
    Tree value = flagged(said.front(), flag.name);
    if (flag.list != nullptr) {
      value.kind = Tree::Kind::kList;
      value.text.clear();
      for (const std::string& text : said) value.children.push_back(flagged(text, flag.name));
    }
    if (auto set = set_tree(job.tree, flag.address, value); !set)
      return wrong_use(std::string(flag.name) + ": " + set.error().message);
  }
  return {};
}

}  // namespace gpuplan
