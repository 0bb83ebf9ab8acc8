#include "events/session.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TestFinished finished(std::string id, TestOutcome outcome, std::string message = "") {
  TestFinished event;
  event.id = std::move(id);
  event.outcome = outcome;
  event.message = std::move(message);
  return event;
}

TEST(SessionSummary, OfNothingHasNotStarted) {
  const SessionSummary summary = summarize({});
  EXPECT_FALSE(summary.started);
  EXPECT_FALSE(summary.collected);
  EXPECT_FALSE(summary.status.has_value());
  EXPECT_EQ(summary.counts.collected, 0);
}

TEST(SessionSummary, CountsEachOutcome) {
  const std::vector<Event> events = {
      SessionStarted{7, "3.11.2", "7.2.1"},
      Collected{{"a", "b", "c", "d", "e", "f", "g"}, 3},
      finished("a", TestOutcome::kPassed),
      finished("b", TestOutcome::kFailed, "assert 0"),
      finished("c", TestOutcome::kError),
      finished("d", TestOutcome::kSkipped, "not here"),
      finished("e", TestOutcome::kXfailed),
      finished("f", TestOutcome::kXpassed),
      SessionFinished{1}};
  const SessionSummary summary = summarize(events);
  EXPECT_EQ(summary.pytest_version, "7.2.1");
  EXPECT_EQ(summary.counts.collected, 7);
  EXPECT_EQ(summary.counts.deselected, 3);
  EXPECT_EQ(summary.counts.passed, 1);
  EXPECT_EQ(summary.counts.failed, 1);
  EXPECT_EQ(summary.counts.errors, 1);
  EXPECT_EQ(summary.counts.skipped, 1);
  EXPECT_EQ(summary.counts.xfailed, 1);
  EXPECT_EQ(summary.counts.xpassed, 1);
  EXPECT_EQ(summary.counts.not_run, 1);
  EXPECT_EQ(summary.never_started, std::vector<std::string>{"g"});
  EXPECT_EQ(summary.skip_reasons, std::vector<std::string>{"not here"});
  ASSERT_EQ(summary.problems.size(), 2U);
  EXPECT_EQ(summary.problems[0].message, "assert 0");
  EXPECT_EQ(summary.status, 1);
}

TEST(SessionSummary, NamesTheTestInFlight) {
  const std::vector<Event> events = {SessionStarted{7, "", ""}, Collected{{"a", "b", "c"}, 0},
                                     TestStarted{"a", "", 0}, finished("a", TestOutcome::kPassed),
                                     TestStarted{"b", "/r/b.py", 9}};
  const SessionSummary summary = summarize(events);
  ASSERT_EQ(summary.in_flight.size(), 1U);
  EXPECT_EQ(summary.in_flight[0].id, "b");
  EXPECT_EQ(summary.in_flight[0].line, 9);
  EXPECT_EQ(summary.never_started, std::vector<std::string>{"c"});
  EXPECT_EQ(summary.counts.not_run, 2);
  EXPECT_FALSE(summary.status.has_value());
}

TEST(SessionSummary, ATestThatFinishesTwiceCountsOnceWithItsLastOutcome) {
  const std::vector<Event> events = {
      SessionStarted{7, "", ""}, Collected{{"a"}, 0}, finished("a", TestOutcome::kFailed),
      finished("a", TestOutcome::kPassed)};
  const SessionSummary summary = summarize(events);
  EXPECT_EQ(summary.counts.passed, 1);
  EXPECT_EQ(summary.counts.failed, 0);
  EXPECT_EQ(summary.counts.not_run, 0);
  EXPECT_TRUE(summary.problems.empty());
}

TEST(SessionSummary, AnotherProcessAddsNothing) {
  const std::vector<Event> events = {
      finished("x", TestOutcome::kPassed), SessionStarted{7, "", ""}, Collected{{"a"}, 0},
      finished("a", TestOutcome::kPassed), SessionStarted{8, "", ""},
      finished("a", TestOutcome::kFailed), SessionFinished{1}};
  const SessionSummary summary = summarize(events);
  EXPECT_EQ(summary.pid, 7);
  EXPECT_EQ(summary.counts.collected, 1);
  EXPECT_EQ(summary.counts.failed, 0);
  EXPECT_FALSE(summary.status.has_value());
}

TEST(SessionSummary, AFileThatCannotBeCollectedIsAProblem) {
  const std::vector<Event> events = {
      SessionStarted{7, "", ""}, CollectionFailed{"c.py", "/r/c.py", 3, "SystemExit: 0", ""},
      CollectionSkipped{"d.py", "no module"}, SessionFinished{2}};
  const SessionSummary summary = summarize(events);
  ASSERT_EQ(summary.problems.size(), 1U);
  EXPECT_EQ(summary.problems[0].id, "c.py");
  EXPECT_EQ(summary.collection_failures.size(), 1U);
  EXPECT_EQ(summary.skip_reasons, std::vector<std::string>{"no module"});
}

TEST(SessionSummary, KeepsInterruptionsInternalErrorsAndExhaustion) {
  const std::vector<Event> events = {SessionStarted{7, "", ""}, SessionInterrupted{"Exit: stop"},
                                     InternalError{"Traceback"},
                                     DescriptorsExhausted{"a", "EMFILE", 7, 10, 10}};
  const SessionSummary summary = summarize(events);
  EXPECT_EQ(summary.interrupted, "Exit: stop");
  EXPECT_EQ(summary.internal_errors, std::vector<std::string>{"Traceback"});
  EXPECT_EQ(summary.descriptors_exhausted.size(), 1U);
}

}  // namespace
}  // namespace bulkhead
