#include "events/session.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

constexpr std::int64_t kPid = 7;

TestFinished finished(std::string id, TestOutcome outcome, std::string message = "") {
  TestFinished event;
  event.id = std::move(id);
  event.outcome = outcome;
  event.message = std::move(message);
  return event;
}

Session session_of_events(const std::vector<Event>& events) { return session_of(events, kPid); }

TEST(Session, OfNothingHasNotStarted) {
  const Session session = session_of_events({});
  EXPECT_FALSE(session.started.has_value());
  EXPECT_FALSE(session.collected.has_value());
  EXPECT_FALSE(session.finished_status.has_value());
  EXPECT_EQ(session.counts().collected, 0);
}

TEST(Session, CountsEachOutcome) {
  const Session session = session_of_events(
      {SessionStarted{kPid, "3.11.2", "7.2.1"}, Collected{{"a", "b", "c", "d", "e", "f", "g"}, 3},
       finished("a", TestOutcome::kPassed), finished("b", TestOutcome::kFailed, "assert 0"),
       finished("c", TestOutcome::kError), finished("d", TestOutcome::kSkipped),
       finished("e", TestOutcome::kXfailed), finished("f", TestOutcome::kXpassed),
       SessionFinished{1}});
  EXPECT_EQ(session.started->pytest, "7.2.1");
  const TestCounts counts = session.counts();
  EXPECT_EQ(counts.collected, 7);
  EXPECT_EQ(counts.deselected, 3);
  EXPECT_EQ(counts.passed, 1);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.errors, 1);
  EXPECT_EQ(counts.skipped, 1);
  EXPECT_EQ(counts.xfailed, 1);
  EXPECT_EQ(counts.xpassed, 1);
  EXPECT_EQ(counts.not_run, 1);
  EXPECT_EQ(session.finished_status, 1);
}

TEST(Session, NamesTheTestInFlight) {
  const Session session = session_of_events(
      {SessionStarted{kPid, "", ""}, Collected{{"a", "b", "c"}, 0}, TestStarted{"a", "", 0},
       finished("a", TestOutcome::kPassed), TestStarted{"b", "/r/b.py", 9}});
  ASSERT_TRUE(session.in_flight.has_value());
  EXPECT_EQ(session.in_flight->id, "b");
  EXPECT_EQ(session.in_flight->line, 9);
  EXPECT_EQ(session.counts().not_run, 2);
  EXPECT_FALSE(session.finished_status.has_value());
}

TEST(Session, ATestThatIsRepeatedCountsOnceWithItsLastOutcome) {
  const Session session =
      session_of_events({SessionStarted{kPid, "", ""}, Collected{{"a"}, 0},
                         finished("a", TestOutcome::kFailed), finished("a", TestOutcome::kPassed)});
  EXPECT_EQ(session.counts().passed, 1);
  EXPECT_EQ(session.counts().failed, 0);
  EXPECT_EQ(session.counts().not_run, 0);
}

TEST(Session, ATestThatIsCollectedTwiceCountsTwice) {
  const Session session =
      session_of_events({SessionStarted{kPid, "", ""}, Collected{{"a", "a"}, 0},
                         finished("a", TestOutcome::kFailed), finished("a", TestOutcome::kPassed)});
  EXPECT_EQ(session.counts().passed, 1);
  EXPECT_EQ(session.counts().failed, 1);
  EXPECT_EQ(session.counts().collected, 2);
}

TEST(Session, TestsThatAPluginRunsWithoutCollectingThemCount) {
  const Session session = session_of_events({SessionStarted{kPid, "", ""}, Collected{{}, 0},
                                             finished("a", TestOutcome::kPassed)});
  EXPECT_EQ(session.counts().collected, 1);
  EXPECT_EQ(session.counts().not_run, 0);
}

TEST(Session, OnlyTheProcessThatWasStartedCounts) {
  const Session session = session_of_events(
      {finished("x", TestOutcome::kPassed), SessionStarted{8, "", ""}, Collected{{"b"}, 0},
       finished("b", TestOutcome::kFailed), SessionFinished{1}, SessionStarted{kPid, "", ""},
       Collected{{"a"}, 0}, finished("a", TestOutcome::kPassed), SessionStarted{9, "", ""},
       finished("a", TestOutcome::kFailed), SessionFinished{1}});
  EXPECT_EQ(session.started->pid, kPid);
  EXPECT_EQ(session.counts().collected, 1);
  EXPECT_EQ(session.counts().failed, 0);
  EXPECT_FALSE(session.finished_status.has_value());
}

TEST(Session, WhereThePythonIsAScriptThatForksTheFirstSessionCounts) {
  const Session session = session_of_events(
      {SessionStarted{8, "", ""}, Collected{{"a"}, 0}, finished("a", TestOutcome::kPassed),
       SessionFinished{0}, SessionStarted{9, "", ""}, SessionFinished{1}});
  EXPECT_EQ(session.started->pid, 8);
  EXPECT_EQ(session.finished_status, 0);
}

TEST(Session, KeepsWhatElseWasSaid) {
  const Session session = session_of_events(
      {SessionStarted{kPid, "", ""}, CollectionFailed{"c.py", "/r/c.py", 3, "SystemExit: 0", ""},
       CollectionSkipped{"d.py", "no module"}, SessionInterrupted{"Exit: stop"},
       InternalError{"Traceback"}, DescriptorsExhausted{"a", "EMFILE", kPid, 10, 10}});
  EXPECT_EQ(session.collection_failures.at(0).message, "SystemExit: 0");
  EXPECT_EQ(session.collection_skips.at(0).reason, "no module");
  EXPECT_EQ(session.interrupted->details, "Exit: stop");
  EXPECT_EQ(session.internal_errors.at(0).details, "Traceback");
  EXPECT_EQ(session.exhaustions.size(), 1U);
}

}  // namespace
}  // namespace bulkhead
