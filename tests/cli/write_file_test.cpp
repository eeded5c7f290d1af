// Files on a real disk: whole or not at all, with the rights and links they had.
#include "cli/io/write_file.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "cli/folder_on_disk.h"
#include "cli/io/files.h"

namespace gpuplan::cli {
namespace {

struct WriteFile : testing::Test {
  FolderOnDisk folder;
  std::string target = folder.path("target.txt");
};

TEST_F(WriteFile, ANewFile) {
  EXPECT_EQ(write_to_disk(target, "text"), std::error_code());
  EXPECT_EQ(folder.text("target.txt"), "text");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"target.txt"}) << "nothing else stays";
  EXPECT_EQ(write_to_disk(target, ""), std::error_code());
  EXPECT_EQ(folder.text("target.txt"), "");
}

TEST_F(WriteFile, WhoReadsTheOldFileKeepsIt) {
  folder.write("target.txt", "old");
  const OpenFile reader(target, 0);
  EXPECT_EQ(write_to_disk(target, "new and longer"), std::error_code());
  char read[20] = {};
  EXPECT_EQ(::read(reader.number(), read, sizeof read), 3);
  EXPECT_STREQ(read, "old");
  EXPECT_EQ(folder.text("target.txt"), "new and longer");
}

TEST_F(WriteFile, RightsAndLinksStay) {
  folder.write("target.txt", "old");
  ::chmod(target.c_str(), 0600);
  folder.link("link.txt", "target.txt");
  EXPECT_EQ(write_to_disk(folder.path("link.txt"), "new"), std::error_code());
  EXPECT_TRUE(folder.is_link("link.txt"));
  EXPECT_EQ(folder.rights("target.txt"), 0600U);
  EXPECT_EQ(folder.text("target.txt"), "new");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"link.txt", "target.txt"}));
}

TEST_F(WriteFile, ANewFileHasTheRightsOfTheUmask) {
  for (const mode_t mask : std::vector<mode_t>{022, 077, 002}) {
    const mode_t before = ::umask(mask);
    EXPECT_EQ(write_to_disk(target, "x"), std::error_code());
    ::umask(before);
    EXPECT_EQ(folder.rights("target.txt"), 0666U & ~mask);
    ::unlink(target.c_str());
  }
}

TEST_F(WriteFile, LinksOfLinksAndLinksToNothing) {
  folder.make("deep");
  folder.link("a", "deep/b");
  folder.link("deep/b", "../c");
  EXPECT_EQ(write_to_disk(folder.path("a"), "text"), std::error_code());
  EXPECT_TRUE(folder.is_link("a") && folder.is_link("deep/b"));
  EXPECT_EQ(folder.text("c"), "text");
  folder.link("x", "y");
  folder.link("y", "x");
  EXPECT_EQ(write_to_disk(folder.path("x"), "text"), std::errc::too_many_symbolic_link_levels);
}

TEST_F(WriteFile, NoPlaceToWrite) {
  folder.make("folder");
  EXPECT_EQ(write_to_disk(folder.path("missing/x"), "text"), std::errc::no_such_file_or_directory);
  EXPECT_EQ(write_to_disk(folder.path("folder"), "text"), std::errc::is_a_directory);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"folder"});
}

TEST_F(WriteFile, DevicesAreWrittenTo) {
  EXPECT_EQ(write_to_disk("/dev/null", "text"), std::error_code());
  EXPECT_EQ(write_to_disk("/dev/full", "text"), std::errc::no_space_on_device);
  struct stat facts{};
  EXPECT_TRUE(::stat("/dev/null", &facts) == 0 && S_ISCHR(facts.st_mode));
}

TEST_F(WriteFile, WhatAKilledProcessLeftGoesWithTheNext) {
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  folder.write("target.txt.tmp" + std::to_string(gone), "half");
  folder.write("target.txt.tmp", "no process is named here");
  folder.write("target.txt.tmp" + std::to_string(::getppid()), "its process lives");
  EXPECT_EQ(write_to_disk(target, "text"), std::error_code());
  std::vector<std::string> expected = {"target.txt", "target.txt.tmp", "target.txt.tmp" + std::to_string(::getppid())};
  std::ranges::sort(expected);
  EXPECT_EQ(folder.names(), expected);
}

/// Files may grow to so many bytes for as long as this lives: a disk that is full in the middle of a file.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t bytes) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit small{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, before_);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  void (*before_)(int);
  rlimit old_{};
};

TEST_F(WriteFile, ADiskThatIsFullInTheMiddleLosesNothing) {
  folder.write("target.txt", "old");
  for (const rlim_t room : std::vector<rlim_t>{0, 1, 64, 4095}) {
    std::error_code error;
    {
      const SmallDisk disk(room);
      error = write_to_disk(target, std::string(4096, 'x'));
    }
    EXPECT_EQ(error, std::errc::file_too_large) << room;
    EXPECT_EQ(folder.text("target.txt"), "old");
    EXPECT_EQ(folder.names(), std::vector<std::string>{"target.txt"});
  }
}

}  // namespace
}  // namespace gpuplan::cli
