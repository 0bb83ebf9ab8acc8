#include "platform/process_tree.h"

#include <csignal>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/environment.h"
#include "platform/files.h"
#include "platform/limits.h"

namespace bulkhead {
namespace {

class ProcessTreeTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(become_subreaper());
    folder_ = *make_unique_directory("/tmp", "bulkhead-tree-");
  }
  void TearDown() override {
    EXPECT_TRUE(living_descendants().empty());
    EXPECT_TRUE(remove_tree(folder_));
  }

  ProcessTree start(const std::string& script, std::int64_t descriptors = 0) {
    return start_command({"/bin/sh", "-c", script}, descriptors);
  }
  ProcessTree start_python(const std::string& script) {
    return start_command({"/usr/bin/python3", "-c", script}, 0);
  }
  ProcessTree start_command(std::vector<std::string> argv, std::int64_t descriptors) {
    auto tree = ProcessTree::start({.command = {.argv = std::move(argv),
                                                .working_directory = folder_,
                                                .environment = Environment{{"PATH", "/usr/bin:/bin"},
                                                                           {"X", "a b"}}},
                                    .log = log(),
                                    .descriptor_limit = descriptors});
    EXPECT_TRUE(tree) << tree.error().message;
    return std::move(*tree);
  }
  std::string log() const { return folder_ + "/log"; }
  std::string output() const { return *read_file(log()); }
  // Waits for a file that a child creates when it is ready.
  void await(const std::string& name) const {
    const double deadline = monotonic_s() + 30;
    while (!is_file(folder_ + "/" + name) && monotonic_s() < deadline) ::usleep(2000);
    ASSERT_TRUE(is_file(folder_ + "/" + name)) << output();
  }
  static bool alive(std::int64_t pid) { return ::kill(static_cast<pid_t>(pid), 0) == 0; }

  std::string folder_;
};

TEST_F(ProcessTreeTest, BothStreamsGoToTheLogAndStdinIsEmpty) {
  ProcessTree tree = start("pwd; cat; echo \"$X\" >&2; exit 3");
  EXPECT_EQ(tree.wait(30), ProcessTree::Wait::kEnded);
  EXPECT_EQ(tree.end().kind, ProcessEnd::Kind::kExited);
  EXPECT_EQ(tree.end().code, 3);
  EXPECT_EQ(output(), folder_ + "\na b\n");
}

TEST_F(ProcessTreeTest, ASignalIsNotFoldedIntoACode) {
  ProcessTree tree = start("kill -SEGV $$");
  EXPECT_EQ(tree.wait(30), ProcessTree::Wait::kEnded);
  EXPECT_EQ(tree.end().kind, ProcessEnd::Kind::kSignaled);
  EXPECT_EQ(tree.end().signal, SIGSEGV);
}

TEST_F(ProcessTreeTest, ALogThatGrowsWithoutEndTakesBoundedSpace) {
  constexpr std::int64_t kKeep = 64 * 1024;
  auto tree = ProcessTree::start(
      {.command = {.argv = {"/bin/sh", "-c", "head -c 8000000 /dev/zero; sleep 120"},
                   .environment = Environment{{"PATH", "/usr/bin:/bin"}}},
       .log = log(),
       .log_keep = kKeep});
  ASSERT_TRUE(tree);
  const auto blocks = [this] {
    struct stat info {};
    ::stat(log().c_str(), &info);
    return info.st_size == 8000000 ? info.st_blocks * 512 : 8000000;
  };
  const double deadline = monotonic_s() + 30;
  while (blocks() > 1000000 && monotonic_s() < deadline)
    EXPECT_EQ(tree->wait(0.05), ProcessTree::Wait::kTimedOut);
  EXPECT_LE(blocks(), 1000000);
}

TEST_F(ProcessTreeTest, WhatIsStoppedIsWokenAndSaid) {
  ProcessTree tree = start("trap 'exit 6' TERM; kill -STOP $$; : > woken; sleep 120 & wait");
  while (!tree.wake()) ASSERT_EQ(tree.wait(0.01), ProcessTree::Wait::kTimedOut);
  await("woken");
  EXPECT_FALSE(tree.wake());
  tree.terminate(30);
  EXPECT_EQ(tree.end().code, 6);
}

TEST_F(ProcessTreeTest, ACommandThatCannotRunIsOneClearError) {
  const auto missing = ProcessTree::start({.command = {.argv = {"/no/such/python"}}, .log = log()});
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message, "cannot run '/no/such/python': No such file or directory");
  const auto lost = ProcessTree::start(
      {.command = {.argv = {"/bin/true"}, .working_directory = "/no/such"}, .log = log()});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().message,
            "cannot enter the working directory of '/bin/true': No such file or directory");
  const auto high = ProcessTree::start(
      {.command = {.argv = {"/bin/true"}}, .log = log(), .descriptor_limit = 1LL << 40});
  EXPECT_FALSE(high);
}

TEST_F(ProcessTreeTest, OnlyTheThreeStandardDescriptorsAreOpen) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);  // inheritable
  // The listing itself has one more open: the folder it reads.
  ProcessTree tree = start_python("import os; print(sorted(os.listdir('/proc/self/fd')))");
  tree.wait(30);
  EXPECT_EQ(output(), "['0', '1', '2', '3']\n");
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_F(ProcessTreeTest, TheSoftDescriptorLimitIsSetAndTheHardOneKept) {
  ProcessTree tree = start_python("import resource; print(*resource.getrlimit(7))");
  tree.wait(30);
  const std::string before = output();
  ProcessTree limited = start("ulimit -Sn; ulimit -Hn", 200);
  limited.wait(30);
  EXPECT_EQ(output().substr(before.size(), 4), "200\n");
  EXPECT_EQ(descriptor_limit(200), 200);
}

TEST_F(ProcessTreeTest, SignalsAreAtTheirDefaults) {
  ::signal(SIGPIPE, SIG_IGN);
  ProcessTree tree = start("kill -PIPE $$");
  tree.wait(30);
  EXPECT_EQ(tree.end().signal, SIGPIPE);
}

TEST_F(ProcessTreeTest, TheEndIsSeenWhileADescendantHoldsTheLog) {
  ProcessTree tree = start("sleep 120 & exit 0");
  EXPECT_EQ(tree.wait(60), ProcessTree::Wait::kEnded);
  const auto left = tree.take_leftovers(0.05);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].command, "sleep 120");
  EXPECT_LT(left[0].age_s, 60);
  EXPECT_FALSE(alive(left[0].pid));
}

TEST_F(ProcessTreeTest, ADaemonThatForkedTwiceAndCalledSetsidIsFoundAndKilled) {
  ProcessTree tree = start_python(
      "import os, time\n"
      "if os.fork() == 0:\n"
      "    os.setsid()\n"
      "    if os.fork() == 0:\n"
      "        os.closerange(0, 100)\n"
      "        time.sleep(120)\n"
      "    os._exit(0)\n"
      "os.wait()\n");
  EXPECT_EQ(tree.wait(60), ProcessTree::Wait::kEnded);
  const auto left = tree.take_leftovers(0.05);
  ASSERT_EQ(left.size(), 1U);
  EXPECT_FALSE(alive(left[0].pid));
}

TEST_F(ProcessTreeTest, AProcessThatEndsWithinTheGraceIsNoLeftover) {
  ProcessTree tree = start("(while [ ! -e gone ]; do sleep 0.01; done) & : > ready; exit 0");
  tree.wait(60);
  await("ready");
  ASSERT_TRUE(write_file_atomically(folder_ + "/gone", ""));
  EXPECT_TRUE(tree.take_leftovers(30).empty());
}

TEST_F(ProcessTreeTest, TerminateAsksFirst) {
  ProcessTree tree = start("trap 'echo asked; exit 4' TERM; : > ready; while :; do :; done");
  await("ready");
  EXPECT_EQ(tree.wait(0.01), ProcessTree::Wait::kTimedOut);
  tree.terminate(30);
  EXPECT_EQ(tree.end().code, 4);
  EXPECT_EQ(output(), "asked\n");
}

TEST_F(ProcessTreeTest, TerminateKillsWhatIgnoresTheRequest) {
  ProcessTree tree =
      start("trap '' TERM; setsid sh -c 'sleep 120 & : > ready; sleep 120' & wait");
  await("ready");
  tree.terminate(0.05);
  EXPECT_EQ(tree.end().signal, SIGKILL);
  EXPECT_TRUE(living_descendants().empty());
}

TEST_F(ProcessTreeTest, ProcessesThatKeepForkingAndEndingAreKilled) {
  ProcessTree tree = start_python(
      "import os, time\n"
      "for _ in range(4):\n"
      "    if os.fork() == 0: break\n"
      "else:\n"
      "    open('ready', 'w').close()\n"
      "    time.sleep(60)\n"
      "end = time.time() + 60\n"
      "while time.time() < end:\n"
      "    os.setsid() if os.getsid(0) != os.getpid() else None\n"
      "    if os.fork(): os._exit(0)\n");
  await("ready");
  tree.terminate(0);
  EXPECT_TRUE(living_descendants().empty());
}

TEST_F(ProcessTreeTest, ASignalGoesOnlyToAProcessThatCatchesIt) {
  ProcessTree tree = start("trap 'echo caught; exit 0' USR1; : > ready; while :; do :; done");
  await("ready");
  EXPECT_FALSE(tree.signal_if_caught(tree.pid(), SIGUSR2));
  EXPECT_TRUE(tree.signal_if_caught(tree.pid(), SIGUSR1));
  EXPECT_EQ(tree.wait(30), ProcessTree::Wait::kEnded);
  EXPECT_EQ(output(), "caught\n");
}

TEST_F(ProcessTreeTest, ThePeakOfOpenDescriptorsIsSeenInADescendantToo) {
  ProcessTree tree = start(
      "python3 -c \"import time; f = [open('/dev/null') for _ in range(150)]; "
      "open('ready', 'w').close(); time.sleep(120)\" & wait");
  await("ready");
  while (tree.usage().peak_descriptors < 150 && tree.wait(0.3) != ProcessTree::Wait::kEnded) {
  }
  EXPECT_GE(tree.usage().peak_descriptors, 150);
  EXPECT_NE(tree.usage().peak_descriptors_pid, tree.pid());
  tree.terminate(0);
}

TEST_F(ProcessTreeTest, CpuOfDescendantsCounts) {
  ProcessTree tree = start_python(
      "import os, time\n"
      "if os.fork() == 0:\n"
      "    while time.process_time() < 0.2: pass\n"
      "    os._exit(0)\n"
      "os.wait()\n");
  tree.wait(60);
  EXPECT_GE(tree.usage().user_s + tree.usage().system_s, 0.2);
  EXPECT_GT(tree.usage().peak_rss_kib, 1000);
}

}  // namespace
}  // namespace bulkhead
