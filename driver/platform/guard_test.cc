#include "platform/guard.h"

#include <csignal>
#include <cstdlib>
#include <thread>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process_tree.h"

namespace bulkhead {
namespace {

// Runs a guarded tree in a process of its own, as CTest would, and signals it.
class GuardTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(become_subreaper());  // so that what the guard left would show up here
    folder_ = *make_unique_directory("/tmp", "bulkhead-guard-");
  }
  void TearDown() override { EXPECT_TRUE(remove_tree(folder_)); }

  // The tree holds two sleeping processes, one a daemon; its end is noted in the file `result`.
  pid_t start() {
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    const int code = run_guarded([this](StopSignals& stop) {
      auto tree = ProcessTree::start(
          {.command = {.argv = {"/bin/sh", "-c",
                                "setsid sh -c 'sleep 121 & :> ready' & sleep 122"},
                       .working_directory = folder_},
           .log = folder_ + "/log"});
      if (!tree || !write_file_atomically(folder_ + "/inner", std::to_string(::getpid())))
        return 9;
      if (tree->wait(60, &stop) != ProcessTree::Wait::kStopRequested) return 8;
      tree->terminate(0);
      if (!write_file_atomically(folder_ + "/result", stop.words())) return 7;
      return 5;
    });
    ::_exit(code);
  }

  std::string await(const std::string& name) const {
    const double deadline = monotonic_s() + 30;
    while (!is_file(folder_ + "/" + name) && monotonic_s() < deadline) ::usleep(2000);
    return read_file(folder_ + "/" + name).value_or("missing");
  }
  static int wait_for(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
  // Until nothing of the tree lives; it may take the inner process a moment.
  static bool all_gone() {
    const double deadline = monotonic_s() + 30;
    for (;;) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
      if (living_descendants().empty()) return true;
      if (monotonic_s() > deadline) return false;
      ::usleep(2000);
    }
  }

  std::string folder_;
};

TEST_F(GuardTest, TheExitCodeOfTheWorkIsHandedOn) {
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(run_guarded([](StopSignals&) { return 42; }));
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 42);
}

TEST_F(GuardTest, WhenTheOuterProcessIsKilledTheTreeDiesAndTheResultIsWritten) {
  const pid_t pid = start();
  await("ready");
  await("inner");
  ::kill(pid, SIGKILL);
  EXPECT_EQ(WTERMSIG(wait_for(pid)), SIGKILL);
  EXPECT_EQ(await("result"), "the driver was killed");
  EXPECT_TRUE(all_gone());
}

TEST_F(GuardTest, WhenTheInnerProcessIsKilledTheTreeDiesAndTheCodeSaysSo) {
  const pid_t pid = start();
  await("ready");
  ::kill(std::atoi(await("inner").c_str()), SIGKILL);
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 3);
  EXPECT_TRUE(living_descendants().empty());
}

TEST_F(GuardTest, ARequestToStopReachesTheWork) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const pid_t pid = start();
    await("ready");
    await("inner");
    ::kill(pid, signal);
    EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 5);
    EXPECT_TRUE(living_descendants().empty());
    EXPECT_EQ(await("result"), "stopped by " + signal_name(signal));
    for (const char* name : {"ready", "inner", "result"})
      ASSERT_TRUE(remove_tree(folder_ + "/" + name));
  }
}

TEST_F(GuardTest, TheEndOfTheThreadThatStartedItIsNoRequestToStop) {
  pid_t pid = 0;
  std::thread([&] {
    pid = ::fork();
    if (pid == 0) ::_exit(run_guarded([this](StopSignals& stop) {
      if (!write_file_atomically(folder_ + "/inner", "x")) return 9;
      await("thread-ended");
      pollfd request{stop.descriptor(), POLLIN, 0};
      return ::poll(&request, 1, 200) == 0 ? 4 : 9;
    }));
    await("inner");
  }).join();
  ASSERT_TRUE(write_file_atomically(folder_ + "/thread-ended", "x"));
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 4);
}

TEST_F(GuardTest, AProcessThatWasThereBeforeIsNotOurs) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    // Of a shell that started a server and then executes the driver.
    const pid_t server = ::fork();
    if (server == 0) {
      ::execlp("sleep", "sleep", "123", nullptr);
      ::_exit(127);
    }
    const int code = run_guarded([](StopSignals&) {
      ::kill(::getpid(), SIGKILL);
      return 0;
    });
    const bool lives = ::waitpid(server, nullptr, WNOHANG) == 0;
    ::kill(server, SIGKILL);
    ::waitpid(server, nullptr, 0);
    ::_exit(lives && code == 3 ? 0 : 1);
  }
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 0);
}

TEST_F(GuardTest, AStopThatNobodyAskedForIsUndone) {
  const pid_t pid = start();
  await("ready");
  const int inner = std::atoi(await("inner").c_str());
  ::kill(inner, SIGSTOP);
  ::kill(inner, SIGTERM);  // waits until it is continued
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 5);
}

TEST_F(GuardTest, CtrlZStopsTheTreeAndContinueGoesOn) {
  const pid_t pid = start();
  await("ready");
  await("inner");
  ::kill(pid, SIGTSTP);
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  ::kill(pid, SIGCONT);
  ::kill(pid, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), 5);
  EXPECT_TRUE(living_descendants().empty());
}

}  // namespace
}  // namespace bulkhead
