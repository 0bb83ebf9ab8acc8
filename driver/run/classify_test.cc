#include "run/classify.h"

#include <csignal>
#include <string>
#include <utility>
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

ProcessEnd exited(int code) { return {.kind = ProcessEnd::Kind::kExited, .code = code}; }
ProcessEnd killed_by(int signal) {
  return {.kind = ProcessEnd::Kind::kSignaled, .signal = signal};
}

// A session of `a`, which passed, and `b`, which ended as `b_outcome` says.
AttemptFacts facts_of(const std::vector<Event>& events, ProcessEnd end) {
  AttemptFacts facts;
  facts.file = "t/test_x.py";
  facts.path = "/r/t/test_x.py";
  facts.python = "/usr/bin/python3";
  facts.end = end;
  facts.pid = kPid;
  facts.session = session_of(events, kPid);
  return facts;
}

std::vector<Event> session_with(TestOutcome b_outcome, std::int64_t status) {
  return {SessionStarted{kPid, "3.11.2", "7.2.1"}, Collected{{"a", "b"}, 0},
          TestStarted{"a", "/r/t/test_x.py", 3},   finished("a", TestOutcome::kPassed),
          TestStarted{"b", "/r/t/test_x.py", 5},   finished("b", b_outcome, "why b"),
          SessionFinished{status}};
}

// The same, ended while `b` was running.
std::vector<Event> session_cut_in_b() {
  std::vector<Event> events = session_with(TestOutcome::kPassed, 0);
  events.resize(events.size() - 2);
  return events;
}

std::vector<Event> session_of_nothing(std::int64_t status, std::int64_t deselected = 0) {
  return {SessionStarted{kPid, "", ""}, Collected{{}, deselected}, SessionFinished{status}};
}

struct Case {
  const char* name;
  std::vector<Event> events;
  ProcessEnd end;
  Outcome outcome;
  std::string cause;
};

void expect_all(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const Verdict verdict = classify(facts_of(each.events, each.end));
    EXPECT_EQ(to_string(verdict.outcome), to_string(each.outcome)) << each.name;
    EXPECT_EQ(verdict.cause, each.cause) << each.name;
    EXPECT_EQ(verdict.problems.empty(), !is_failure(each.outcome)) << each.name;
  }
}

TEST(Classify, AFinishedSessionIsWhatItSays) {
  expect_all({
      {"passed", session_with(TestOutcome::kPassed, 0), exited(0), Outcome::kPassed, ""},
      {"xfailed", session_with(TestOutcome::kXfailed, 0), exited(0), Outcome::kPassed, ""},
      {"one skipped", session_with(TestOutcome::kSkipped, 0), exited(0), Outcome::kPassed, ""},
      {"failed", session_with(TestOutcome::kFailed, 1), exited(1), Outcome::kFailed,
       "1 failed, 1 passed"},
      {"error", session_with(TestOutcome::kError, 1), exited(1), Outcome::kFailed,
       "1 error, 1 passed"},
      {"nothing", session_of_nothing(5), exited(5), Outcome::kEmpty, "no tests in this file"},
      {"nothing, status 0", session_of_nothing(0), exited(0), Outcome::kEmpty,
       "no tests in this file"},
      {"deselected", session_of_nothing(5, 3), exited(5), Outcome::kEmpty, "3 deselected"},
      {"warnings", session_with(TestOutcome::kPassed, 6), exited(6), Outcome::kFailed,
       "more warnings than --max-warnings allows"},
      {"unknown", session_with(TestOutcome::kPassed, 42), exited(42), Outcome::kFailed,
       "unexpected status 42"},
      {"unknown and failed", session_with(TestOutcome::kFailed, 42), exited(42), Outcome::kFailed,
       "1 failed, 1 passed, unexpected status 42"},
      {"1 without a failure", session_with(TestOutcome::kPassed, 1), exited(1), Outcome::kFailed,
       "exit status 1 although no test failed"},
  });
}

TEST(Classify, EveryTestSkippedIsASkipWithItsReason) {
  std::vector<Event> events = session_with(TestOutcome::kSkipped, 0);
  events[3] = finished("a", TestOutcome::kSkipped, "why b");
  EXPECT_EQ(classify(facts_of(events, exited(0))).outcome, Outcome::kSkipped);
  EXPECT_EQ(classify(facts_of(events, exited(0))).cause, "why b");
  events[3] = finished("a", TestOutcome::kSkipped, "why a");
  EXPECT_EQ(classify(facts_of(events, exited(0))).cause, "2 tests skipped for different reasons");
}

TEST(Classify, AModuleThatSkippedItselfIsASkipWithItsReason) {
  std::vector<Event> events = session_of_nothing(5);
  events.insert(events.begin() + 1, CollectionSkipped{"t/test_x.py", "could not import 'x'"});
  const Verdict verdict = classify(facts_of(events, exited(5)));
  EXPECT_EQ(verdict.outcome, Outcome::kSkipped);
  EXPECT_EQ(verdict.cause, "could not import 'x'");
}

TEST(Classify, TheProcessCannotTalkTheSessionsFailureAway) {
  expect_all({
      {"masked", session_with(TestOutcome::kFailed, 1), exited(0), Outcome::kFailed,
       "1 failed, 1 passed, though its exit status was 0"},
      {"status 0 announced", session_with(TestOutcome::kFailed, 0), exited(0), Outcome::kFailed,
       "1 failed, 1 passed, though its status was 0"},
      {"signal", session_with(TestOutcome::kFailed, 1), killed_by(SIGSEGV), Outcome::kFailed,
       "1 failed, 1 passed, then killed by SIGSEGV"},
  });
}

TEST(Classify, TheSessionCannotTalkTheProcesssFailureAway) {
  for (int code = 1; code < 256; ++code) {
    for (const std::int64_t announced : {0, 5}) {
      if (code == announced) continue;
      const auto events =
          announced == 0 ? session_with(TestOutcome::kPassed, 0) : session_of_nothing(5);
      const Verdict verdict = classify(facts_of(events, exited(code)));
      EXPECT_EQ(verdict.outcome, Outcome::kCrashed) << code << " after " << announced;
      EXPECT_NE(verdict.cause.find("exited " + std::to_string(code)), std::string::npos);
    }
  }
  for (int signal = 1; signal <= 64; ++signal) {
    for (const auto& events :
         {session_with(TestOutcome::kPassed, 0), session_with(TestOutcome::kSkipped, 0),
          session_of_nothing(5)})
      EXPECT_EQ(classify(facts_of(events, killed_by(signal))).outcome, Outcome::kCrashed) << signal;
  }
}

TEST(Classify, NoStatusIsAPassWithoutAFinishedSession) {
  for (int code = 0; code < 256; ++code) {
    EXPECT_TRUE(is_failure(classify(facts_of(session_cut_in_b(), exited(code))).outcome)) << code;
    EXPECT_TRUE(is_failure(classify(facts_of({}, exited(code))).outcome)) << code;
  }
}

TEST(Classify, AnUnfinishedSessionNamesTheTestInFlight) {
  expect_all({
      {"os._exit", session_cut_in_b(), exited(0), Outcome::kCrashed,
       "exited 0 without finishing its report while running b"},
      {"signal", session_cut_in_b(), killed_by(SIGSEGV), Outcome::kCrashed,
       "killed by SIGSEGV while running b"},
      {"out of memory", session_cut_in_b(), killed_by(SIGKILL), Outcome::kCrashed,
       "killed by SIGKILL (out of memory?) while running b"},
  });
  const Verdict verdict = classify(facts_of(session_cut_in_b(), killed_by(SIGSEGV)));
  ASSERT_EQ(verdict.problems.size(), 1U);
  EXPECT_EQ(verdict.problems[0].id, "b");
  EXPECT_EQ(verdict.problems[0].line, 5);
}

TEST(Classify, AnUnfinishedSessionSaysWhenItStopped) {
  const std::vector<Event> whole = session_with(TestOutcome::kPassed, 0);
  const auto cause_after = [&](std::size_t events) {
    const auto end = whole.begin() + static_cast<std::ptrdiff_t>(events);
    return classify(facts_of({whole.begin(), end}, killed_by(SIGSEGV))).cause;
  };
  EXPECT_EQ(cause_after(0), "killed by SIGSEGV before pytest started");
  EXPECT_EQ(cause_after(1), "killed by SIGSEGV during collection");
  EXPECT_EQ(cause_after(2), "killed by SIGSEGV before the first test");
  EXPECT_EQ(cause_after(4), "killed by SIGSEGV between two tests");
  EXPECT_EQ(cause_after(6), "killed by SIGSEGV after the last test");
  EXPECT_EQ(cause_after(7), "killed by SIGSEGV after its session had finished");
}

TEST(Classify, ASessionThatEndedEarlyIsNotAPass) {
  std::vector<Event> events = session_with(TestOutcome::kPassed, 0);
  events.erase(events.begin() + 4, events.begin() + 6);
  events.insert(events.end() - 1, SessionInterrupted{"Exit: stop here"});
  for (const std::int64_t status : {0, 2, 5}) {
    events.back() = SessionFinished{status};
    const Verdict verdict = classify(facts_of(events, exited(static_cast<int>(status))));
    EXPECT_EQ(verdict.outcome, Outcome::kInterrupted) << status;
    EXPECT_EQ(verdict.cause, "session ended early: 2 collected, 1 finished (Exit: stop here)");
  }
}

TEST(Classify, AnErrorInCollectionIsSaidWithItsPlace) {
  for (const std::int64_t status : {0, 1, 2, 3, 5}) {
    const Verdict verdict = classify(facts_of(
        {SessionStarted{kPid, "", ""},
         CollectionFailed{"t/test_x.py", "/r/t/test_x.py", 4, "SyntaxError: bad", ""},
         Collected{{}, 0}, SessionFinished{status}},
        exited(static_cast<int>(status))));
    EXPECT_EQ(verdict.outcome, Outcome::kCollectionError) << status;
    EXPECT_EQ(verdict.cause.find("cannot collect t/test_x.py: SyntaxError: bad"), 0U);
    EXPECT_EQ(verdict.problems.at(0).line, 4);
  }
}

TEST(Classify, AnInternalErrorIsPytestsUnlessOnlyOurPluginSaysSo) {
  std::vector<Event> events = session_cut_in_b();
  events.push_back(
      InternalError{"bulkhead: 3 events could not be written: No space left on device"});
  events.push_back(InternalError{"Traceback\n  x\nRuntimeError: plugin bug\n"});
  events.push_back(SessionFinished{3});
  Verdict verdict = classify(facts_of(events, exited(3)));
  EXPECT_EQ(verdict.outcome, Outcome::kInternalError);
  EXPECT_EQ(verdict.cause, "RuntimeError: plugin bug");
  events.erase(events.end() - 2);
  verdict = classify(facts_of(events, exited(3)));
  EXPECT_EQ(verdict.outcome, Outcome::kInfrastructure);
  EXPECT_EQ(verdict.cause,
            "disk full: 3 events could not be written: No space left on device");
}

TEST(Classify, WithoutASessionTheOutputTells) {
  struct Told {
    int code;
    const char* log;
    Outcome outcome;
    const char* cause;
  };
  for (const Told& told : {
           Told{1, "/usr/bin/python3: No module named pytest\n", Outcome::kInfrastructure,
                "pytest is not importable by '/usr/bin/python3'"},
           Told{1, "OSError: [Errno 28] No space left on device\n", Outcome::kInfrastructure,
                "disk full: OSError: [Errno 28] No space left on device"},
           Told{4, "ERROR: usage: x\n__main__.py: error: unrecognized arguments: --odd\n",
                Outcome::kUsageError, "unrecognized arguments: --odd"},
           Told{1, "ImportError: Error importing plugin \"bulkhead_plugin\": gone\n",
                Outcome::kInfrastructure,
                "the Bulkhead plugin did not load (exit status 1): ImportError: Error importing "
                "plugin \"bulkhead_plugin\": gone"},
           Told{0, "", Outcome::kInfrastructure,
                "the Bulkhead plugin did not load (exit status 0)"},
           Told{9, "Fatal: no codec\n", Outcome::kInfrastructure,
                "'/usr/bin/python3' ended before pytest started (exit status 9): Fatal: no codec"},
       }) {
    AttemptFacts facts = facts_of({}, exited(told.code));
    facts.log_tail = told.log;
    const Verdict verdict = classify(facts);
    EXPECT_EQ(verdict.outcome, told.outcome) << told.log;
    EXPECT_EQ(verdict.cause, told.cause);
  }
}

TEST(Classify, AProcessThatCouldNotBeStartedIsInfrastructure) {
  AttemptFacts facts = facts_of({}, {});
  facts.start_error = "cannot run '/no/python': No such file or directory";
  const Verdict verdict = classify(facts);
  EXPECT_EQ(verdict.outcome, Outcome::kInfrastructure);
  EXPECT_EQ(verdict.cause, facts.start_error);
  EXPECT_EQ(verdict.problems.at(0).file, "/r/t/test_x.py");
}

TEST(Classify, ATimeLimitOutweighsHowTheProcessThenEnded) {
  for (const ProcessEnd& end : {exited(0), exited(1), killed_by(SIGTERM), killed_by(SIGKILL)}) {
    AttemptFacts facts = facts_of(session_cut_in_b(), end);
    facts.timed_out = true;
    facts.timeout_s = 2.5;
    const Verdict verdict = classify(facts);
    EXPECT_EQ(verdict.outcome, Outcome::kTimedOut);
    EXPECT_EQ(verdict.cause, "timed out after 2.5 s while running b");
  }
}

TEST(Classify, ATimeLimitOverASuspendedProcessSaysSo) {
  AttemptFacts facts = facts_of(session_cut_in_b(), killed_by(SIGKILL));
  facts.timed_out = true;
  facts.timeout_s = 2;
  facts.was_suspended = true;
  EXPECT_EQ(classify(facts).cause,
            "timed out after 2 s while running b, its process stopped by a signal");
}

TEST(Classify, AStopIsAnInterruptionInItsOwnWords) {
  AttemptFacts facts = facts_of(session_cut_in_b(), killed_by(SIGTERM));
  facts.stopped = "stopped by SIGINT";
  EXPECT_EQ(classify(facts).outcome, Outcome::kInterrupted);
  EXPECT_EQ(classify(facts).cause, "stopped by SIGINT while running b");
}

TEST(Classify, ADamagedRecordIsNeverGreen) {
  for (const auto& events : {session_with(TestOutcome::kPassed, 0), session_of_nothing(5),
                             std::vector<Event>()}) {
    const int code = events.size() == 3 ? 5 : 0;
    AttemptFacts facts = facts_of(events, exited(code));
    facts.record_error = "'e' was damaged while the file ran";
    const Verdict verdict = classify(facts);
    EXPECT_EQ(verdict.outcome, Outcome::kInfrastructure);
    EXPECT_EQ(verdict.cause, facts.record_error);
  }
  AttemptFacts facts = facts_of(session_with(TestOutcome::kFailed, 1), exited(1));
  facts.record_error = "'e' was damaged while the file ran";
  EXPECT_EQ(classify(facts).outcome, Outcome::kFailed);
  EXPECT_EQ(classify(facts).cause, "1 failed, 1 passed; 'e' was damaged while the file ran");
}

TEST(Classify, LeftoversAreNamedAndThePolicyDecides) {
  AttemptFacts facts = facts_of(session_with(TestOutcome::kPassed, 0), exited(0));
  facts.leftovers = {{.pid = 40, .command = "sleep 9", .age_s = 1}};
  EXPECT_EQ(classify(facts).outcome, Outcome::kLeaky);
  EXPECT_EQ(classify(facts).cause, "left 1 process behind: sleep 9 (pid 40)");
  facts.leftovers.push_back({.pid = 41, .command = "x", .age_s = 1});
  facts.on_leak = LeakPolicy::kFail;
  const Verdict verdict = classify(facts);
  EXPECT_EQ(verdict.outcome, Outcome::kFailed);
  EXPECT_EQ(verdict.cause, "left 2 processes behind: sleep 9 (pid 40) (on-leak = fail)");
  facts.session = session_of(session_of_nothing(5), kPid);
  facts.end = exited(5);
  EXPECT_EQ(classify(facts).outcome, Outcome::kFailed);
  facts.on_leak = LeakPolicy::kWarn;
  EXPECT_EQ(classify(facts).outcome, Outcome::kEmpty);
  EXPECT_NE(classify(facts).cause.find("left 2 processes behind"), std::string::npos);
}

TEST(Classify, ThePolicyForEmptyFilesDecides) {
  AttemptFacts facts = facts_of(session_of_nothing(5), exited(5));
  facts.on_empty = EmptyPolicy::kPass;
  EXPECT_EQ(classify(facts).outcome, Outcome::kPassed);
  facts.on_empty = EmptyPolicy::kFail;
  EXPECT_EQ(classify(facts).outcome, Outcome::kFailed);
  EXPECT_EQ(classify(facts).cause, "no tests in this file (on-empty = fail)");
}

TEST(Classify, AFullDiskIsBlamedOnlyForASessionThatItCutShort) {
  AttemptFacts facts = facts_of(session_cut_in_b(), exited(1));
  facts.disk_full = true;
  EXPECT_EQ(classify(facts).outcome, Outcome::kInfrastructure);
  EXPECT_EQ(classify(facts).cause.find("disk full: "), 0U);
  facts.session = session_of(session_with(TestOutcome::kFailed, 1), kPid);
  EXPECT_EQ(classify(facts).outcome, Outcome::kFailed);
}

TEST(Classify, RunningOutOfDescriptorsNamesLimitProcessAndPeak) {
  std::vector<Event> events = session_with(TestOutcome::kFailed, 1);
  events.insert(events.begin() + 5, DescriptorsExhausted{"b", "EMFILE", kPid, 250, 256});
  AttemptFacts facts = facts_of(events, exited(1));
  facts.peak_descriptors = 253;
  EXPECT_EQ(classify(facts).cause,
            "1 failed, 1 passed; out of descriptors (EMFILE): RLIMIT_NOFILE (soft) of process 7 is "
            "256, it had 250 open, the peak was 253");

  events[5] = DescriptorsExhausted{"b", "ENFILE", kPid, 250, 256};
  facts.session = session_of(events, kPid);
  facts.machine_descriptor_limit = 9000;
  EXPECT_EQ(classify(facts).cause,
            "1 failed, 1 passed; out of descriptors (ENFILE): the machine's limit on open files "
            "(fs.file-max) is 9000, the peak seen in one process was 253");
}

TEST(Classify, RunningOutOfDescriptorsElsewhereIsReadFromTheMessages) {
  std::vector<Event> events = session_with(TestOutcome::kFailed, 1);
  events[5] = finished("b", TestOutcome::kFailed, "child: Too many open files");
  AttemptFacts facts = facts_of(events, exited(1));
  facts.descriptor_limit = 256;
  facts.peak_descriptors = 255;
  facts.peak_descriptors_pid = 8;
  EXPECT_EQ(classify(facts).cause,
            "1 failed, 1 passed; out of descriptors (EMFILE): RLIMIT_NOFILE (soft) of process 7 is "
            "256, the peak seen was 255 in process 8");
}

TEST(DescribeCounts, LeavesOutWhatIsZero) {
  EXPECT_EQ(describe(TestCounts{}), "no tests");
  EXPECT_EQ(describe(TestCounts{.collected = 9, .deselected = 2, .passed = 1, .failed = 1,
                                .errors = 2, .skipped = 1, .xfailed = 1, .xpassed = 1,
                                .not_run = 2}),
            "1 failed, 2 errors, 1 passed, 1 skipped, 1 xfailed, 1 xpassed, 2 not run, "
            "2 deselected");
}

}  // namespace
}  // namespace bulkhead
