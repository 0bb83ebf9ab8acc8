#include "report/write.h"

#include <chrono>
#include <filesystem>

#include "junit/reader.h"
#include "report/run_folder_for_tests.h"

namespace bulkhead {
namespace {

class WriteReports : public RunOnDisk {
 protected:
  StateFolder state() const { return StateFolder(inputs_.state); }

  WrittenReports write_all() const {
    RunReport built = report();
    auto written = write_reports(inputs_, built);
    EXPECT_TRUE(written.has_value()) << written.error().message;
    return written ? *written : WrittenReports();
  }
};

TEST_F(WriteReports, TheMergedReportHoldsEveryEntryAndIsCopied) {
  finish("a.py", Outcome::kPassed);
  finish("b.py", Outcome::kUsageError, "usage error", {});
  inputs_.expected = {{"a.py", "a.py"}, {"b.py", "b.py"}, {"c.py", "c.py"}};
  const WrittenReports written = write_all();
  EXPECT_EQ(written.junit.suites, 3);
  EXPECT_EQ(written.junit.tests, 3);
  EXPECT_EQ(written.junit.errors, 2);
  const std::string merged = *read_file(RunFolder(state().run("run-1")).junit());
  EXPECT_EQ(*read_file(state().junit()), merged);
  EXPECT_TRUE(read_junit(merged).has_value());
  EXPECT_NE(read_file(RunFolder(state().run("run-1")).summary())->find("FAILED"),
            std::string::npos);
}

TEST_F(WriteReports, APassedFileWhoseReportIsTornIsAnInfrastructureFailure) {
  finish("a.py", Outcome::kPassed);
  finish("b.py", Outcome::kFailed, "1 of 1 test failed", {.collected = 1, .failed = 1});
  finish("c.py", Outcome::kPassed);
  for (const char* file : {"a.py", "b.py"})
    write(EntryFolder(folder_of(file)).junit(), "<testsuites><testsuite na");
  RunReport built = report();
  ASSERT_TRUE(write_reports(inputs_, built).has_value());
  EXPECT_EQ(built.entries[0].outcome, Outcome::kInfrastructure);
  EXPECT_NE(built.entries[0].cause.find("cannot read the report"), std::string::npos);
  EXPECT_EQ(built.entries[1].outcome, Outcome::kFailed);
  EXPECT_EQ(built.infrastructure, (std::vector<std::size_t>{0}));
  EXPECT_EQ(built.failed, (std::vector<std::size_t>{1}));
  EXPECT_EQ(built.tests.passed, 2);
  EXPECT_NE(read_file(RunFolder(state().run("run-1")).summary())->find("Infrastructure"),
            std::string::npos);

  ASSERT_TRUE(remove_tree(folder_of("b.py")).has_value());
  built = report();
  EXPECT_EQ(built.exit_code, 0);
  ASSERT_TRUE(write_reports(inputs_, built).has_value());
  EXPECT_EQ(built.exit_code, 3);
}

TEST_F(WriteReports, OnlyFilesThatCameToTheirEndTeachADuration) {
  finish("a.py", Outcome::kPassed, "", {.collected = 4, .passed = 4}, 3);
  finish("b.py", Outcome::kTimedOut, "", {}, 600);
  finish("c.py", Outcome::kInterrupted, "", {}, 1);
  finish("d.py", Outcome::kFailed, "", {.collected = 1, .failed = 1}, 7);
  write_all();
  const Durations durations = *durations_from_text(*read_file(state().durations()));
  ASSERT_EQ(durations.size(), 2u);
  EXPECT_DOUBLE_EQ(durations.at("a.py").seconds, 3);
  EXPECT_EQ(durations.at("a.py").tests, 4);
  EXPECT_DOUBLE_EQ(durations.at("d.py").seconds, 7);
}

TEST_F(WriteReports, DurationsOfOtherFilesAreKept) {
  write(state().durations(), durations_to_text({{"old.py", {9, 1}}, {"a.py", {1, 1}}}));
  finish("a.py", Outcome::kPassed);
  write_all();
  const Durations durations = *durations_from_text(*read_file(state().durations()));
  EXPECT_DOUBLE_EQ(durations.at("old.py").seconds, 9);
  EXPECT_DOUBLE_EQ(durations.at("a.py").seconds, 2);
}

TEST_F(WriteReports, ADamagedRecordOfDurationsIsReplacedWithAWarning) {
  write(state().durations(), "{torn");
  finish("a.py", Outcome::kPassed);
  const WrittenReports written = write_all();
  ASSERT_EQ(written.warnings.size(), 1u);
  EXPECT_NE(written.warnings[0].find("damaged"), std::string::npos);
  EXPECT_TRUE(durations_from_text(*read_file(state().durations())).has_value());
}

TEST_F(WriteReports, ARecordOfAnUnknownVersionIsLeftAlone) {
  const std::string newer = R"({"version":99,"files":{}})";
  write(state().durations(), newer);
  finish("a.py", Outcome::kPassed);
  const WrittenReports written = write_all();
  ASSERT_EQ(written.warnings.size(), 1u);
  EXPECT_NE(written.warnings[0].find("left alone"), std::string::npos);
  EXPECT_EQ(*read_file(state().durations()), newer);
}

TEST_F(WriteReports, OldRunsArePrunedButNeverOneThatIsGoing) {
  finish("a.py", Outcome::kPassed);
  for (int i = 0; i < 6; ++i) {
    const std::string run = state().run(fmt::format("old-{}", i));
    ASSERT_TRUE(make_directories(run).has_value());
    std::filesystem::last_write_time(
        run, std::filesystem::file_time_type::clock::now() - std::chrono::hours(10 - i));
  }
  inputs_.keep_runs = 3;
  inputs_.is_run_alive = [](std::string_view id) { return id == "old-0"; };
  EXPECT_TRUE(write_all().warnings.empty());
  std::vector<std::string> left;
  const auto items = list_directory(state().runs());
  ASSERT_TRUE(items.has_value());
  for (const DirectoryItem& item : *items) left.push_back(item.name);
  EXPECT_EQ(left, (std::vector<std::string>{"old-0", "old-4", "old-5", "run-1"}));
}

}  // namespace
}  // namespace bulkhead
