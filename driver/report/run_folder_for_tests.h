// A state folder with one run in it, for tests of reports.
#pragma once

#include <fstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "junit/complete.h"
#include "junit/writer.h"
#include "model/layout.h"
#include "platform/files.h"
#include "report/run_report.h"

namespace bulkhead {

class RunOnDisk : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = make_unique_directory(::testing::TempDir(), "report-");
    ASSERT_TRUE(folder.has_value());
    inputs_.state = *folder;
    inputs_.run_id = "run-1";
    inputs_.root = "/repo";
    ASSERT_TRUE(make_directories(StateFolder(*folder).run("run-1")).has_value());
  }
  void TearDown() override { static_cast<void>(remove_tree(inputs_.state)); }

  std::string folder_of(const std::string& file) const {
    return RunFolder(StateFolder(inputs_.state).run(inputs_.run_id)).entry(file);
  }

  void write(const std::string& path, const std::string& text) const {
    ASSERT_TRUE(make_directories(parent_of(path)).has_value());
    std::ofstream(path, std::ios::binary) << text;
  }

  void start(const std::string& file, std::int64_t pid = 0) const {
    write(EntryFolder(folder_of(file)).started(),
          fmt::format(R"({{"name":"{0}","file":"{0}","pid":{1}}})", file, pid));
  }

  // A finished entry with a report of its own.
  void finish(const std::string& file, Outcome outcome, const std::string& cause = "",
              TestCounts counts = {.collected = 1, .passed = 1}, double duration_s = 2) const {
    EntryResult result;
    result.name = file;
    result.file = file;
    result.outcome = outcome;
    result.cause = cause;
    Attempt attempt;
    attempt.outcome = outcome;
    attempt.cause = cause;
    attempt.started_at = 1000;
    attempt.duration_s = duration_s;
    attempt.counts = counts;
    attempt.folder = "1";
    result.attempts.push_back(attempt);
    start(file);
    const EntryFolder folder(folder_of(file));
    write(folder.result(), result_to_text(result));
    AttemptRecord record;
    record.attempt = attempt;
    if (counts.passed > 0)
      record.events.push_back(TestFinished{.id = file + "::test_1", .outcome = TestOutcome::kPassed});
    write(folder.junit(),
          junit_document(complete_report({file, outcome, cause, {record}}).suite, {}));
  }

  RunReport report() const {
    auto built = build_report(inputs_);
    EXPECT_TRUE(built.has_value()) << built.error().message;
    return built ? *built : RunReport();
  }

  ReportInputs inputs_;
};

}  // namespace bulkhead
