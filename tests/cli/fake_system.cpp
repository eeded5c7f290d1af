#include "cli/fake_system.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/io/growing_file.h"
#include "cli/io/read_file.h"
#include "cli/run.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan::cli {
namespace {

namespace fs = std::filesystem;

std::unexpected<std::error_code> failed(std::errc code) { return std::unexpected(std::make_error_code(code)); }

/// What is on the disk at the time of each reading.
class GrowingFakeFile : public GrowingFile {
 public:
  GrowingFakeFile(FakeSystem& system, const std::string& name) : GrowingFile(name), system_(system) {}

  bool is_open() const override { return open_; }
  bool is_regular() const override { return name() != "-"; }
  Result<void> open() override {
    constexpr std::size_t kAll = std::size_t{1} << 40U;
    if (name() != "-")
      if (const auto text = system_.read(name(), kAll); !text)
        return failure(unreadable_words(text.error()), {shown_name(name())});
    open_ = true;
    return {};
  }
  Result<std::string_view> read(int) override {
    const std::string& all = text();
    const std::string_view more = std::string_view(all).substr(std::min(read_, all.size()));
    read_ = all.size();
    return more;
  }
  Result<std::string_view> read_at(std::uint64_t offset, std::size_t size) override {
    const std::string_view all = text();
    return offset < all.size() ? all.substr(static_cast<std::size_t>(offset), size) : std::string_view();
  }
  bool ended() const override { return name() == "-" && system_.input_ends && read_ == system_.input.size(); }
  bool starts_anew() override {
    if (text().size() >= read_) return false;
    read_ = 0;
    return true;
  }

 private:
  const std::string& text() const { return name() == "-" ? system_.input : system_.files[system_.path(name())]; }

  FakeSystem& system_;
  bool open_ = false;
  std::size_t read_ = 0;
};

}  // namespace

int FakeSystem::run(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  out.clear();
  err.clear();
  paged_by.clear();
  paged.clear();
  return cli::run(pointers, *this);
}

std::string FakeSystem::lay(const std::string& name) {
  std::ifstream in(std::string(GPUPLAN_SOURCE_DIR) + "/" + name, std::ios::binary);
  return files[path(name)] = std::string(std::istreambuf_iterator<char>(in), {});
}

std::string FakeSystem::path(const std::string& name) const {
  std::string whole = (fs::path(here) / name).lexically_normal().string();
  if (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  const auto link = links.find(whole);
  return link == links.end() ? whole : path(link->second);
}

std::expected<std::string, std::error_code> FakeSystem::read(const std::string& name, std::size_t limit) {
  if (name == "-")
    return input.size() > limit ? failed(std::errc::file_too_large)
                                : std::expected<std::string, std::error_code>(input);
  const std::string whole = path(name);
  if (const auto wrong = unreadable.find(whole); wrong != unreadable.end()) return std::unexpected(wrong->second);
  const FileFacts facts = facts_of(name);
  if (facts.is_folder()) return failed(std::errc::is_a_directory);
  if (!facts.is_file()) return failed(std::errc::no_such_file_or_directory);
  const std::string& text = files[whole];
  if (text.size() > limit) return failed(std::errc::file_too_large);
  return text;
}

std::unique_ptr<GrowingFile> FakeSystem::growing_file(const std::string& name) {
  return std::make_unique<GrowingFakeFile>(*this, name);
}

FileFacts FakeSystem::facts_of(const std::string& name) {
  if (name.empty()) return {};
  const std::string whole = path(name);
  const std::uint64_t node = std::hash<std::string>{}(whole);
  const auto changed = modified.find(whole);
  if (files.contains(whole))
    return {FileFacts::Kind::kFile, 1, node, changed == modified.end() ? date : changed->second};
  const std::string inside = whole.ends_with('/') ? whole : whole + '/';
  const auto next = files.lower_bound(inside);
  if (folders.contains(whole) || (next != files.end() && next->first.starts_with(inside)))
    return {FileFacts::Kind::kFolder, 1, node, date};
  return {};
}

std::expected<std::vector<std::string>, std::error_code> FakeSystem::files_below(const std::string& folder) {
  if (!facts_of(folder).is_folder()) return std::unexpected(std::make_error_code(std::errc::not_a_directory));
  const std::string inside = path(folder) + '/';
  std::vector<std::string> found;
  for (const auto& [name, text] : files)
    if (name.starts_with(inside)) found.push_back(folder + name.substr(inside.size() - 1));
  return found;
}

std::string FakeSystem::real_path(const std::string& name) {
  const std::string whole = path(name);
  return facts_of(whole).kind == FileFacts::Kind::kNothing ? "" : whole;
}

std::error_code FakeSystem::write_file(const std::string& file, std::string_view text) {
  const std::string whole = path(file);
  if (facts_of(whole).is_folder()) return std::make_error_code(std::errc::is_a_directory);
  if (!facts_of(fs::path(whole).parent_path().string()).is_folder())
    return std::make_error_code(std::errc::no_such_file_or_directory);
  if (full) return std::make_error_code(std::errc::no_space_on_device);
  written.push_back(file);
  files[whole] = text;
  return {};
}

std::error_code FakeSystem::change_file(const std::string& file, std::size_t limit, const FileChange& change) {
  const std::string whole = path(file);
  std::string before;
  if (files.contains(whole)) {
    auto text = read(file, limit);
    if (!text) return text.error();
    before = *std::move(text);
  }
  const auto after = change.after(before);
  if (!after) return {};
  if (full) return std::make_error_code(std::errc::no_space_on_device);
  folders.insert(fs::path(whole).parent_path().string());
  written.push_back(file);
  files[whole] = *after;
  return {};
}

std::expected<void, FolderRefusal> FakeSystem::write_folder(const std::string& folder,
                                                            const std::vector<LaunchFile>& list, bool force) {
  if (no_folder) return std::unexpected(*no_folder);
  written.push_back(folder);
  forced = force;
  for (const LaunchFile& file : list) files[path(folder + '/' + file.path)] = file.text;
  return {};
}

std::error_code FakeSystem::write(Stream stream, std::string_view text) {
  if (stream == Stream::kOutput && out_fails) return out_fails;
  (stream == Stream::kOutput ? out : err) += text;
  return {};
}

std::optional<TerminalSize> FakeSystem::terminal(Stream stream) {
  return stream == Stream::kOutput ? out_terminal : err_terminal;
}

bool FakeSystem::page(const std::string& pager, std::string_view text) {
  if (!pager_starts) return false;
  paged_by = pager;
  paged = text;
  return true;
}

std::optional<std::string_view> FakeSystem::environment(const char* name) {
  const auto found = variables.find(name);
  return found != variables.end() ? std::optional<std::string_view>(found->second) : std::nullopt;
}

std::int64_t FakeSystem::now() { return clock += tick; }

void FakeSystem::sleep(int milliseconds) {
  clock += std::int64_t{milliseconds} * 1'000'000;
  if (meanwhile.empty()) {
    constexpr std::int64_t kLong = 3'600'000'000'000;
    if (clock > kLong) std::raise(SIGINT);  // nobody waits an hour for what does not come: the command ends with 130
    return;
  }
  const std::function<void()> next = std::move(meanwhile.front());
  meanwhile.pop_front();
  next();
}

std::expected<EndedProgram, std::error_code> FakeSystem::run_program(const std::vector<std::string>& words) {
  const auto program = programs.find(words.front());
  if (program == programs.end()) return failed(std::errc::no_such_file_or_directory);
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + word;
  started.push_back(line);
  return program->second;
}

bool is_one_line(const FakeSystem& system) {
  return system.out.empty() && std::ranges::count(system.err, '\n') == 1 && system.err.ends_with('\n') &&
         !has(system.err, "internal error");
}

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

}  // namespace gpuplan::cli
