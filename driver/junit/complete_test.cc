#include "junit/complete.h"

#include <gtest/gtest.h>

#include "junit/reader.h"
#include "junit/writer.h"

namespace bulkhead {
namespace {

constexpr const char* kFile = "tests/test_a.py";

std::string id_of(const std::string& name) { return std::string(kFile) + "::" + name; }

TestFinished finished(const std::string& name, TestOutcome outcome, const std::string& message = "") {
  return {.id = id_of(name), .outcome = outcome, .duration_s = 0.5, .message = message};
}

AttemptRecord attempt_of(Outcome outcome, const std::string& cause, std::vector<Event> events,
                         std::optional<std::string> xml = std::nullopt) {
  AttemptRecord record;
  record.attempt.outcome = outcome;
  record.attempt.cause = cause;
  record.events = std::move(events);
  record.pytest_xml = std::move(xml);
  return record;
}

FileRecord file_of(std::vector<AttemptRecord> attempts) {
  FileRecord record{.file = kFile};
  record.outcome = attempts.back().attempt.outcome;
  record.cause = attempts.back().attempt.cause;
  record.attempts = std::move(attempts);
  return record;
}

// `classname|name|strictest problem: message` a case.
std::vector<std::string> lines_of(const TestSuite& suite) {
  constexpr const char* kWords[] = {"skipped", "failure", "error"};
  std::vector<std::string> lines;
  for (const TestCase& test : suite.cases) {
    std::string line = test.classname + "|" + test.name;
    if (const CaseProblem* problem = strictest_problem(test))
      line += std::string("|") + kWords[static_cast<int>(problem->kind)] + ": " + problem->message;
    lines.push_back(line);
  }
  return lines;
}

using Lines = std::vector<std::string>;

TEST(CompleteReport, ACrashKeepsThePassesNamesTheVictimAndListsWhatNeverRan) {
  AttemptRecord crash = attempt_of(
      Outcome::kCrashed, "killed by SIGSEGV",
      {Collected{{id_of("test_1"), id_of("test_boom"), id_of("test_after")}},
       TestStarted{id_of("test_1")}, finished("test_1", TestOutcome::kPassed),
       TestStarted{id_of("test_boom"), "/r/tests/test_a.py", 9}});
  crash.stacks = "Fatal Python error: Segmentation fault";
  const TestSuite suite = complete_report(file_of({crash})).suite;
  EXPECT_EQ(lines_of(suite), (Lines{"tests.test_a|test_1", "tests.test_a|test_boom|error: killed by SIGSEGV",
                                    "tests.test_a|test_after|skipped: not run: killed by SIGSEGV"}));
  EXPECT_EQ(suite.cases[1].problems[0].text, crash.stacks);
  EXPECT_EQ(suite.cases[1].line, 9);
}

TEST(CompleteReport, TheStricterOfXmlAndEventsHolds) {
  const std::string xml =
      "<testsuite><testcase classname='tests.test_a' name='test_1'/>"
      "<testcase classname='tests.test_a' name='test_2'><failure message='xml says so'/></testcase>"
      "</testsuite>";
  const TestSuite suite =
      complete_report(file_of({attempt_of(Outcome::kFailed, "1 of 2 tests failed",
                                          {finished("test_1", TestOutcome::kFailed, "assert 0"),
                                           finished("test_2", TestOutcome::kPassed)},
                                          xml)}))
          .suite;
  EXPECT_EQ(lines_of(suite), (Lines{"tests.test_a|test_1|failure: assert 0",
                                    "tests.test_a|test_2|failure: xml says so"}));
}

TEST(CompleteReport, ACaseWithoutANameIsTheTestInFlight) {
  const TestSuite suite =
      complete_report(
          file_of({attempt_of(Outcome::kInterrupted, "session ended early: 2 collected, 0 finished",
                              {Collected{{id_of("test_stop"), id_of("test_never")}},
                               TestStarted{id_of("test_stop")}, SessionInterrupted{"stop here"},
                               SessionFinished{0}},
                              "<testsuite><testcase time='0.000' /></testsuite>")}))
          .suite;
  EXPECT_EQ(lines_of(suite),
            (Lines{"tests.test_a|test_stop|error: session ended early: 2 collected, 0 finished",
                   "tests.test_a|test_never|skipped: not run: session ended early: 2 collected, 0 "
                   "finished"}));
  EXPECT_EQ(suite.cases[0].problems[0].text, "stop here");
}

TEST(CompleteReport, WhatFailsTheFileAsAWholeIsACaseNamedAfterIt) {
  for (const Outcome outcome : {Outcome::kUsageError, Outcome::kInfrastructure, Outcome::kTimedOut,
                                Outcome::kFailed, Outcome::kInternalError, Outcome::kCrashed}) {
    AttemptRecord record =
        attempt_of(outcome, "the cause", {finished("test_1", TestOutcome::kPassed)});
    record.output_tail = "ERROR: unrecognized arguments";
    const TestSuite suite = complete_report(file_of({record})).suite;
    EXPECT_EQ(lines_of(suite), (Lines{"tests.test_a|test_1",
                                      "tests.test_a|tests/test_a.py|error: the cause"}));
    EXPECT_EQ(suite.cases[1].problems[0].text, record.output_tail);
  }
}

TEST(CompleteReport, ACollectionErrorIsToldOnce) {
  const std::vector<Event> events{CollectionFailed{kFile, "", 8, "SystemExit: 0", "trace"}};
  for (const auto& xml :
       {std::optional<std::string>(),
        std::optional<std::string>("<testsuite><testcase classname='' name='tests.test_a'>"
                                   "<error message='collection failure'>t</error></testcase>"
                                   "</testsuite>")}) {
    const TestSuite suite = complete_report(file_of({attempt_of(Outcome::kCollectionError,
                                                                "cannot collect", events, xml)}))
                                .suite;
    ASSERT_EQ(suite.cases.size(), 1u);
    EXPECT_EQ(totals_of(suite).errors, 1);
  }
}

TEST(CompleteReport, AFailureAndItsTeardownErrorAreOneTest) {
  const std::string xml =
      "<testsuite><testcase classname='tests.test_a' name='test_1'><failure message='f'/>"
      "</testcase><testcase classname='tests.test_a' name='test_1'>"
      "<error message='failed on teardown with &quot;x&quot;'/></testcase></testsuite>";
  const TestSuite suite =
      complete_report(file_of({attempt_of(Outcome::kFailed, "1 of 1 tests failed",
                                          {finished("test_1", TestOutcome::kError)}, xml)}))
          .suite;
  ASSERT_EQ(suite.cases.size(), 1u);
  EXPECT_EQ(suite.cases[0].problems.size(), 2u);
}

TEST(CompleteReport, EqualAddressesAreMatchedInOrderAndNeverFolded) {
  const std::string one = "<testcase classname='tests.test_a' name='test_1[x]' time='";
  const std::string xml = "<testsuite>" + one + "1'/>" + one + "2'/>" + one + "3'/></testsuite>";
  const TestSuite suite =
      complete_report(file_of({attempt_of(
                          Outcome::kFailed, "1 of 3 tests failed",
                          {Collected{{id_of("test_1[x]"), id_of("test_1[x]"), id_of("test_1[x]")}},
                           TestStarted{id_of("test_1[x]")}, finished("test_1[x]", TestOutcome::kPassed),
                           TestStarted{id_of("test_1[x]")}, finished("test_1[x]", TestOutcome::kFailed, "m"),
                           TestStarted{id_of("test_1[x]")}, finished("test_1[x]", TestOutcome::kPassed)},
                          xml)}))
          .suite;
  ASSERT_EQ(suite.cases.size(), 3u);
  EXPECT_EQ(totals_of(suite).failures, 1);
  EXPECT_TRUE(is_failing(suite.cases[1]));
  EXPECT_DOUBLE_EQ(suite.cases[1].time_s, 2);
}

TEST(CompleteReport, RenamedCasesAndPrefixesStillFindTheirTests) {
  const std::vector<Event> events{finished("test_1", TestOutcome::kPassed),
                                  finished("test_2", TestOutcome::kFailed, "m")};
  for (const std::string first : {"classname='pre.tests.test_a' name='test_1'", "classname='mine' name='x'"}) {
    const std::string second = first[11] == 'p' ? "classname='pre.tests.test_a' name='test_2'" : "classname='mine' name='y'";
    const TestSuite suite =
        complete_report(file_of({attempt_of(Outcome::kFailed, "f", events,
                                            "<testsuite><testcase " + first + "/><testcase " +
                                                second + "><failure/></testcase></testsuite>")}))
            .suite;
    ASSERT_EQ(suite.cases.size(), 2u) << first;
    EXPECT_EQ(totals_of(suite).failures, 1);
  }
}

TEST(CompleteReport, AFlakyTestCarriesItsFailures) {
  const AttemptRecord bad = attempt_of(Outcome::kFailed, "f",
                                       {finished("test_1", TestOutcome::kFailed, "first"),
                                        finished("test_2", TestOutcome::kPassed)});
  const AttemptRecord good = attempt_of(Outcome::kPassed, "",
                                        {finished("test_1", TestOutcome::kPassed),
                                         finished("test_2", TestOutcome::kPassed)});
  FileRecord record = file_of({bad, good});
  record.outcome = Outcome::kFlaky;
  const TestSuite suite = complete_report(record).suite;
  EXPECT_EQ(totals_of(suite).failures, 0);
  ASSERT_EQ(suite.cases[0].reruns.size(), 1u);
  EXPECT_EQ(suite.cases[0].reruns[0].problem.message, "first");
  EXPECT_NE(suite_to_xml(suite, {}).find("<flakyFailure message=\"first\" type=\"attempt 1\">"),
            std::string::npos);
}

TEST(CompleteReport, ATestThatNeverPassesKeepsItsFirstFailureAndCarriesTheRest) {
  const auto bad = [](const std::string& message) {
    return attempt_of(Outcome::kFailed, "f", {finished("test_1", TestOutcome::kFailed, message)});
  };
  const TestSuite suite = complete_report(file_of({bad("one"), bad("two")})).suite;
  EXPECT_EQ(lines_of(suite), (Lines{"tests.test_a|test_1|failure: one"}));
  EXPECT_NE(suite_to_xml(suite, {}).find("<rerunFailure message=\"two\" type=\"attempt 2\">"),
            std::string::npos);
}

TEST(CompleteReport, AFileThatFailedAsAWholeAndThenPassedIsNotRed) {
  const AttemptRecord bad = attempt_of(Outcome::kTimedOut, "no end after 5 s", {});
  const AttemptRecord good =
      attempt_of(Outcome::kPassed, "", {finished("test_1", TestOutcome::kPassed)});
  FileRecord record = file_of({bad, good});
  record.outcome = Outcome::kFlaky;
  const TestSuite suite = complete_report(record).suite;
  EXPECT_EQ(lines_of(suite), (Lines{"tests.test_a|test_1", "tests.test_a|tests/test_a.py"}));
  EXPECT_EQ(suite.cases[1].reruns.size(), 1u);
}

TEST(CompleteReport, TruncatedXmlIsReplacedByTheEvents) {
  const std::string xml =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites><testsuite name=\"pytest\">"
      "<testcase classname=\"tests.test_a\" name=\"test_1\" time=\"0.1\"/>"
      "<testcase classname=\"tests.test_a\" name=\"test_2\"><failure message=\"assert 0\">trace"
      "</failure></testcase></testsuite></testsuites>";
  for (std::size_t length = 0; length <= xml.size(); ++length) {
    const CompletedReport report = complete_report(
        file_of({attempt_of(Outcome::kFailed, "1 of 2 tests failed",
                            {finished("test_1", TestOutcome::kPassed),
                             finished("test_2", TestOutcome::kFailed, "assert 0")},
                            xml.substr(0, length))}));
    EXPECT_EQ(lines_of(report.suite), (Lines{"tests.test_a|test_1",
                                             "tests.test_a|test_2|failure: assert 0"}))
        << length;
    EXPECT_EQ(report.warnings.empty(), length == xml.size()) << length;
  }
}

TEST(CompleteReport, AFailedEntryNeverGivesAReportWithoutAFailure) {
  FileRecord record{.file = kFile, .outcome = Outcome::kInfrastructure, .cause = "python is gone"};
  EXPECT_EQ(lines_of(complete_report(record).suite),
            (Lines{"tests.test_a|tests/test_a.py|error: python is gone"}));
}

TEST(CompleteReport, TheDateOfTheFirstAttemptIsTheSuites) {
  AttemptRecord record = attempt_of(Outcome::kPassed, "", {});
  record.attempt.started_at = 1709210096.7;  // a leap day
  EXPECT_EQ(complete_report(file_of({record})).suite.timestamp, "2024-02-29T12:34:56Z");
}

}  // namespace
}  // namespace bulkhead
