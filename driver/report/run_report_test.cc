#include "report/run_report.h"

#include "model/exit_codes.h"
#include "report/run_folder_for_tests.h"

namespace bulkhead {
namespace {

class BuildReport : public RunOnDisk {};

TEST_F(BuildReport, EveryNumberIsRecountedFromTheResults) {
  finish("a.py", Outcome::kPassed, "", {.collected = 3, .passed = 2, .skipped = 1}, 1);
  finish("b.py", Outcome::kFailed, "1 of 2 tests failed", {.collected = 2, .passed = 1, .failed = 1}, 5);
  finish("c.py", Outcome::kEmpty, "no tests in this file", {});
  const RunReport run = report();
  EXPECT_EQ(run.entries.size(), 3u);
  EXPECT_EQ(run.tests.passed, 3);
  EXPECT_EQ(run.tests.failed, 1);
  EXPECT_EQ(run.failed, (std::vector<std::size_t>{1}));
  EXPECT_EQ(run.skipped, (std::vector<std::size_t>{2}));
  EXPECT_EQ(run.slowest.front(), 1u);
  EXPECT_DOUBLE_EQ(run.duration_s, 5);
  EXPECT_EQ(run.exit_code, kExitTestsFailed);
  EXPECT_EQ(run.verdict, "1 of 3 files failed");
}

TEST(RerunCommand, NamesTheFileAsSeenFromTheReader) {
  const EntryName entry{.name = "unit/a.py", .file = "a b.py"};
  const auto command = [&](const std::vector<std::string>& rerun, const std::string& here) {
    return rerun_command(rerun, entry, "/repo/unit", here);
  };
  EXPECT_EQ(command({"ctest", "-R", "{regex}"}, "/"), "ctest -R '^unit/a\\.py$'");
  EXPECT_EQ(command({"bulkhead", "test", "{file}", "-k", "x y"}, "/repo"),
            "bulkhead test 'unit/a b.py' -k 'x y'");
  EXPECT_EQ(command({"bulkhead", "test", "{file}"}, "/elsewhere"),
            "bulkhead test '/repo/unit/a b.py'");
  EXPECT_EQ(command({}, "/repo"), "");
}

TEST_F(BuildReport, ARunInWhichNothingRanIsRed) {
  for (const char* file : {"a.py", "b.py", "c.py", "d.py"})
    finish(file, Outcome::kEmpty, "1 deselected", {.deselected = 1});
  const RunReport run = report();
  EXPECT_EQ(run.exit_code, kExitNothingCollected);
  EXPECT_EQ(run.verdict, "no tests ran in 4 files");
}

TEST_F(BuildReport, FilesSkippedAsAWholeAreNothingThatRanButSkippedTestsAre) {
  finish("a.py", Outcome::kSkipped, "not here", {});
  EXPECT_EQ(report().exit_code, kExitNothingCollected);
  finish("b.py", Outcome::kSkipped, "not here", {.skipped = 1});
  EXPECT_EQ(report().exit_code, kExitPassed);
}

TEST_F(BuildReport, AnEmptySelectionIsANoteAndAnUnknownRunAnError) {
  inputs_.known = {{"a.py", "a.py"}};
  inputs_.expected.emplace();
  EXPECT_EQ(report().exit_code, kExitPassed);
  EXPECT_EQ(report().verdict, "no test file was selected");
  inputs_.expected.reset();
  inputs_.run_id = "other";
  EXPECT_EQ(build_report(inputs_).error().message.substr(0, 24), "there is no run 'other' ");
}

TEST_F(BuildReport, ASuiteWithoutATestFileIsRed) {
  inputs_.expected.emplace();
  EXPECT_EQ(report().exit_code, kExitNothingCollected);
}

TEST_F(BuildReport, AnExpectedEntryThatNeverReportedIsAnInfrastructureFailure) {
  finish("a.py", Outcome::kPassed);
  inputs_.expected = {{"a.py", "a.py"}, {"b.py", "b.py"}};
  const RunReport run = report();
  EXPECT_EQ(run.exit_code, kExitInfrastructure);
  ASSERT_EQ(run.infrastructure.size(), 1u);
  EXPECT_EQ(run.entries[1].state, EntryReport::State::kNeverReported);
  ASSERT_EQ(run.extra_suites.size(), 1u);
  EXPECT_EQ(totals_of(run.extra_suites[0]).errors, 1);
}

TEST_F(BuildReport, EntriesThatAStoppedRunDidNotStartAreNoFault) {
  finish("a.py", Outcome::kPassed);
  inputs_.expected = {{"a.py", "a.py"}, {"b.py", "b.py"}};
  inputs_.stopped = "interrupted by SIGINT";
  inputs_.stopped_by_signal = 2;
  const RunReport run = report();
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_EQ(run.verdict, "interrupted by SIGINT: 1 of 2 files ran");
  EXPECT_TRUE(run.infrastructure.empty());
  EXPECT_EQ(run.not_started.size(), 1u);
}

TEST_F(BuildReport, ResultsTornAnywhereAreInfrastructureFailuresThatNameTheFile) {
  finish("a.py", Outcome::kPassed);
  const std::string path = EntryFolder(folder_of("a.py")).result();
  const std::string whole = *read_file(path);
  const std::size_t end = whole.find_last_not_of('\n') + 1;
  for (std::size_t length = 0; length < end; length += 7) {
    write(path, whole.substr(0, length));
    const RunReport run = report();
    ASSERT_EQ(run.exit_code, kExitInfrastructure) << length;
    EXPECT_NE(run.entries[0].cause.find(path), std::string::npos);
    EXPECT_EQ(run.entries[0].name, "a.py");
  }
}

TEST_F(BuildReport, AResultWithoutAReportIsAnInfrastructureFailure) {
  finish("a.py", Outcome::kPassed);
  static_cast<void>(remove_tree(EntryFolder(folder_of("a.py")).junit()));
  EXPECT_EQ(report().exit_code, kExitInfrastructure);
}

TEST_F(BuildReport, AnEntryThatDidNotFinishIsCompletedFromItsEvents) {
  start("t/a.py");
  write(folder_of("t/a.py") + "/1/events.jsonl", "x");
  inputs_.read_events = [](std::string_view) {
    return std::vector<Event>{Collected{{"t/a.py::test_1", "t/a.py::test_2", "t/a.py::test_3"}},
                              TestStarted{"t/a.py::test_1"},
                              TestFinished{.id = "t/a.py::test_1"},
                              TestStarted{"t/a.py::test_2"}};
  };
  const RunReport run = report();
  EXPECT_EQ(run.exit_code, kExitInfrastructure);
  ASSERT_EQ(run.entries.size(), 1u);
  EXPECT_EQ(run.entries[0].file, "t/a.py");
  EXPECT_EQ(run.entries[0].state, EntryReport::State::kDidNotFinish);
  EXPECT_EQ(run.tests.passed, 1);
  EXPECT_EQ(run.tests.errors, 1);
  EXPECT_EQ(run.tests.not_run, 1);
  EXPECT_EQ(run.extra_suites.at(0).cases.size(), 4u);  // three tests, and the file
}

TEST_F(BuildReport, AFolderWithoutAnythingIsNamedByTheManifest) {
  ASSERT_TRUE(make_directories(folder_of("t/a b.py")).has_value());
  inputs_.known = {{"t/a%20b.py", "t/a b.py"}};
  const RunReport run = report();
  ASSERT_EQ(run.entries.size(), 1u);
  EXPECT_EQ(run.entries[0].name, "t/a%20b.py");
  EXPECT_EQ(run.exit_code, kExitInfrastructure);
}

TEST(ExactRegex, EscapesWhatCMakeAndPosixTakeForOperators) {
  EXPECT_EQ(exact_regex("t/a[1].py"), "^t/a\\[1\\]\\.py$");
}

}  // namespace
}  // namespace bulkhead
