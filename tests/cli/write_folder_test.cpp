// Folders on a real disk: all files or none, and nothing of somebody else's is touched.
#include "cli/io/write_folder.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/folder_on_disk.h"
#include "cli/io/exit_code.h"
#include "launch/parts/launch_plan.h"

namespace gpuplan::cli {
namespace {

using Names = std::vector<std::string>;

const std::vector<LaunchFile> kFiles = {
    {"run.sh", "run\n", true}, {"phases/a.sh", "a\n", true}, {"README.md", "read\n"}};

bool says(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

struct WriteFolder : testing::Test {
  /// The exit code; the message stays.
  int write(const std::string& name, bool force = false, const std::vector<LaunchFile>& files = kFiles) {
    const auto written = write_folder_to_disk(disk.path(name), files, force);
    message = written ? "" : written.error().message;
    return written ? kDone : written.error().code;
  }
  FolderOnDisk disk;
  std::string message;
};

TEST_F(WriteFolder, AppearsWithEverythingInIt) {
  for (const std::string name : {"out", "deep/er/out", "slash/"}) {
    EXPECT_EQ(write(name), kDone) << message;
    EXPECT_EQ(disk.text(name + "/phases/a.sh"), "a\n");
    EXPECT_EQ(
        disk.rights(name + "/run.sh") & 0111U, 0111U & ~[] {
          const mode_t mask = ::umask(0);
          ::umask(mask);
          return mask;
        }());
    EXPECT_EQ(disk.rights(name + "/README.md") & 0111U, 0U);
  }
  EXPECT_EQ(disk.names(), (Names{"deep", "out", "slash"}));
}

TEST_F(WriteFolder, IntoAnEmptyOne) {
  disk.make("out");
  EXPECT_EQ(write("out"), kDone) << message;
  EXPECT_EQ(disk.text("out/run.sh"), "run\n");
}

TEST_F(WriteFolder, NothingIsOverwrittenWithoutForce) {
  disk.make("out");
  disk.write("out/run.sh", "mine");
  disk.write("out/notes.txt", "mine too");
  EXPECT_EQ(write("out"), kUsage);
  EXPECT_TRUE(says(message, "--force")) << message;
  EXPECT_EQ(disk.text("out/run.sh"), "mine");
  EXPECT_EQ(write("out", true), kDone) << message;
  EXPECT_EQ(disk.text("out/run.sh"), "run\n");
  EXPECT_EQ(disk.text("out/notes.txt"), "mine too");
  EXPECT_EQ(disk.names(), Names{"out"}) << "no temporary folder stays";
}

TEST_F(WriteFolder, NeverThroughALink) {
  disk.make("elsewhere");
  disk.make("out");
  disk.link("out/phases", disk.path("elsewhere"));
  EXPECT_EQ(write("out", true), kBadInput);
  EXPECT_TRUE(says(message, "out/phases exists and is not a folder")) << message;
  EXPECT_TRUE(FolderOnDisk().names().empty());
  EXPECT_EQ(disk.text("elsewhere/a.sh"), "");
  EXPECT_EQ(disk.text("out/run.sh"), "") << "none of the other files either";
  disk.link("gone", disk.path("nowhere"));
  EXPECT_EQ(write("gone"), kBadInput) << "a link to nothing is no place";
}

TEST_F(WriteFolder, WhatIsInTheWay) {
  disk.write("file", "a file");
  EXPECT_EQ(write("file", true), kUsage);
  EXPECT_EQ(disk.text("file"), "a file");
  disk.make("out/README.md");
  EXPECT_EQ(write("out", true), kBadInput);
  EXPECT_TRUE(says(message, "README.md exists and is not a file")) << message;
  EXPECT_EQ(disk.text("out/run.sh"), "");
  EXPECT_EQ(write("file/out"), kInternal) << "below a file there is no folder";
}

TEST_F(WriteFolder, NamesStayBelowTheFolder) {
  for (const char* name : {"../up", "/etc/x", "a/../b", "a//b", ".hidden", "a/.b", "a b", "a\nb", "", "a/"}) {
    EXPECT_EQ(write("out", false, {{name, "x"}}), kBadInput) << name;
    EXPECT_TRUE(disk.names().empty()) << name;
  }
}

TEST_F(WriteFolder, FoldersAboveGoAgainWhenNothingComesOfIt) {
  EXPECT_EQ(write("a/b/out", false, {{"run.sh", "x"}, {"run.sh", "twice"}}), kInternal);
  EXPECT_TRUE(disk.names().empty());
}

TEST_F(WriteFolder, AFileThatCanNotBeWrittenLeavesTheOldOnes) {
  EXPECT_EQ(write("out"), kDone);
  EXPECT_EQ(write("out", true, {{"run.sh", "new"}, {"x", "1"}, {"x", "twice"}}), kInternal);
  EXPECT_TRUE(says(message, "cannot write ")) << message;
  EXPECT_EQ(disk.text("out/run.sh"), "run\n");
  EXPECT_EQ(disk.text("out/x"), "");
  EXPECT_EQ(disk.names(), Names{"out"});
}

TEST_F(WriteFolder, WhatAKilledProcessLeftGoesWithTheNext) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  disk.make("out.tmp" + std::to_string(gone) + "/phases");
  EXPECT_EQ(write("out"), kDone) << message;
  EXPECT_EQ(disk.names(), Names{"out"});
  disk.make("out/.gpuplan.tmp" + std::to_string(gone));
  EXPECT_EQ(write("out", true), kDone) << message;
  EXPECT_FALSE(::access(disk.path("out/.gpuplan.tmp" + std::to_string(gone)).c_str(), F_OK) == 0);
}

}  // namespace
}  // namespace gpuplan::cli
