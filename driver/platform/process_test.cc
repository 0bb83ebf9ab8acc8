#include "platform/process.h"

#include <csignal>

#include <gtest/gtest.h>

#include "platform/environment.h"

namespace bulkhead {
namespace {

CapturedProcess run_shell(const std::string& script, double timeout_s = 30) {
  Result<CapturedProcess> captured = run_captured({.argv = {"/bin/sh", "-c", script}}, timeout_s);
  EXPECT_TRUE(captured) << captured.error().message;
  return captured ? *captured : CapturedProcess{};
}

TEST(RunCaptured, KeepsOutputErrorAndStatusApart) {
  const CapturedProcess captured = run_shell("echo out; echo err >&2; exit 3");
  EXPECT_EQ(captured.out, "out\n");
  EXPECT_EQ(captured.err, "err\n");
  EXPECT_EQ(describe(captured.end), "exit status 3");
}

TEST(RunCaptured, ASignalIsNoCode) {
  const CapturedProcess captured = run_shell("kill -SEGV $$");
  EXPECT_EQ(captured.end.kind, ProcessEnd::Kind::kSignaled);
  EXPECT_EQ(describe(captured.end), "killed by SIGSEGV");
}

TEST(RunCaptured, AProgramThatIsNotThereIsOneClearError) {
  const auto captured = run_captured({.argv = {"/no/such/program"}}, 5);
  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().message, "cannot run '/no/such/program': No such file or directory");
}

TEST(RunCaptured, OneThatHangsIsKilled) {
  const CapturedProcess captured = run_shell("echo begun; sleep 600", 0.3);
  EXPECT_TRUE(captured.timed_out);
  EXPECT_EQ(captured.out, "begun\n");
}

TEST(RunCaptured, AHolderOfThePipeDelaysTheEndForABoundedTimeOnly) {
  const double start = monotonic_s();
  const CapturedProcess captured = run_shell("sleep 30 & echo done");
  EXPECT_EQ(captured.out, "done\n");
  EXPECT_LT(monotonic_s() - start, 10);
}

TEST(RunCaptured, TheEnvironmentIsTheOneGiven) {
  Command command{.argv = {"/usr/bin/env"}};
  command.environment = Environment{{"ONLY", "this"}};
  EXPECT_EQ(run_captured(command, 10)->out, "ONLY=this\n");
}

TEST(ProcessInfo, KnowsThisProcessAndItsParent) {
  const auto self = process_info(own_pid());
  ASSERT_TRUE(self);
  EXPECT_EQ(self->parent, parent_pid());
  EXPECT_GT(self->start_ticks, 0u);
  EXPECT_FALSE(self->command_line.empty());
  EXPECT_FALSE(process_info(0));
}

}  // namespace
}  // namespace bulkhead
