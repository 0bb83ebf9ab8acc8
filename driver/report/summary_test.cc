#include "report/summary.h"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/strings.h"

namespace bulkhead {
namespace {

EntryReport entry_of(const std::string& file, Outcome outcome, const std::string& cause = "",
                     double duration_s = 0.5) {
  EntryReport entry;
  entry.name = file;
  entry.file = file;
  entry.outcome = outcome;
  entry.cause = cause;
  entry.duration_s = duration_s;
  Attempt attempt;
  attempt.outcome = outcome;
  attempt.cause = cause;
  entry.attempts.push_back(attempt);
  return entry;
}

// A red run with one of each kind.
RunReport mixed() {
  RunReport report;
  report.root = "/repo";
  EntryReport failed = entry_of("tests/test_bad.py", Outcome::kFailed, "2 of 12 tests failed", 3);
  failed.attempts[0].problems = {
      {"tests/test_bad.py::TestX::test_a[1]", "/repo/tests/helper.py", 12, "assert 1 == 2\nwhere"},
      {"tests/test_bad.py::test_b", "/repo/tests/test_bad.py", 40, "\x1b[31mE\x1b[0m " + std::string(100, 'x')}};
  failed.log = "/repo/build/bulkhead/tests/runs/r/tests%2Ftest_bad.py/1/output.log";
  failed.rerun = "ctest --test-dir build -R '^tests/test_bad\\.py$'";
  EntryReport flaky = entry_of("tests/test_flaky.py", Outcome::kFlaky, "passed on attempt 2");
  flaky.attempts[0].outcome = Outcome::kFailed;
  flaky.attempts[0].problems = {{"tests/test_flaky.py::test_f", "", 3, "assert 0"}};
  EntryReport leaky = entry_of("tests/test_leaky.py", Outcome::kLeaky);
  leaky.attempts[0].leftovers = {{77, "sleep 60", 1.0}};
  EntryReport lost = entry_of("tests/test_lost.py", Outcome::kInfrastructure,
                              "never reported: it left no trace in the run", 0);
  lost.attempts.clear();
  report.entries = {failed, flaky, leaky, lost,
                    entry_of("tests/test_ok.py", Outcome::kPassed, "", 12.34),
                    entry_of("tests/test_win.py", Outcome::kSkipped, "no module 'winreg'")};
  report.failed = {0};
  report.flaky = {1};
  report.leaky = {2};
  report.infrastructure = {3};
  report.skipped = {5};
  report.slowest = {4, 0, 1};
  for (const EntryReport& entry : report.entries)
    ++report.files[static_cast<std::size_t>(entry.outcome)];
  report.tests = {.collected = 20, .passed = 17, .failed = 2, .skipped = 1};
  report.duration_s = 75.4;
  report.exit_code = 1;
  report.verdict = "1 of 6 files failed, 1 of 6 files not judged (infrastructure)";
  return report;
}

TEST(Summary, OfARedRunShowsFailuresFirstThenListsThenTheVerdict) {
  EXPECT_EQ(summary_text(mixed(), {}), R"(── Failures ────────────────────────────────────────────────────────────────────
✗ tests/test_bad.py
  failed: 2 of 12 tests failed
    tests/helper.py:12: TestX::test_a[1]
      assert 1 == 2 where
    tests/test_bad.py:40: test_b
      E xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
  log:   /repo/build/bulkhead/tests/runs/r/tests%2Ftest_bad.py/1/output.log
  rerun: ctest --test-dir build -R '^tests/test_bad\.py$'

── Infrastructure failures ─────────────────────────────────────────────────────
✗ tests/test_lost.py
  infrastructure: never reported: it left no trace in the run

1 file flaky:
  tests/test_flaky.py: test_f: assert 0
1 file leaky:
  tests/test_leaky.py: left sleep 60 (77)
1 file skipped:
  tests/test_win.py: no module 'winreg'
slowest: tests/test_ok.py 12.3 s, tests/test_bad.py 3.0 s
✗ FAILED  1 of 6 files failed, 1 of 6 files not judged (infrastructure)
6 files: 1 passed, 1 flaky, 1 leaky, 1 failed, 1 infrastructure, 1 skipped
20 tests: 17 passed, 2 failed, 1 skipped; 1 min 15 s
)");
}

TEST(Summary, OfAGreenRunOf250FilesIsShorterThanTenLines) {
  RunReport report;
  for (std::size_t i = 0; i < 250; ++i) {
    const bool skipped = i % 10 == 0;
    report.entries.push_back(entry_of(fmt::format("tests/test_{}.py", i),
                                      skipped ? Outcome::kSkipped : Outcome::kPassed,
                                      skipped ? "not on this platform" : "", 300.0 - static_cast<double>(i)));
    if (skipped) report.skipped.push_back(i);
    if (i < 10) report.slowest.push_back(i);
    ++report.files[static_cast<std::size_t>(report.entries.back().outcome)];
  }
  report.tests = {.collected = 3412, .passed = 3400, .skipped = 12};
  report.duration_s = 41.34;
  report.verdict = "all passed";
  EXPECT_EQ(summary_text(report, {}), R"(25 files skipped:
  tests/test_0.py: not on this platform
  tests/test_10.py: not on this platform
  tests/test_20.py: not on this platform
  … and 22 more
slowest: tests/test_0.py 5 min 00 s
         tests/test_1.py 4 min 59 s
         tests/test_2.py 4 min 58 s
✓ PASSED  all passed
250 files: 225 passed, 25 skipped; 3412 tests: 3400 passed, 12 skipped; 41.3 s
)");
}

TEST(Summary, WithoutUtf8ItIsAscii) {
  RunReport report = mixed();
  report.entries[0].attempts[0].problems[0].message = "caf\u00e9 \U0001F600 \xff";
  const std::string text =
      summary_text(report, {.characters = SummaryStyle::Characters::kAscii});
  EXPECT_TRUE(std::all_of(text.begin(), text.end(), [](char c) {
    return c == '\n' || (c >= ' ' && c <= '~');
  })) << text;
  EXPECT_NE(text.find("caf? ? ?"), std::string::npos);
}

TEST(Summary, ColoursAreTheOnlyEscapesAndOnlyWhereAskedFor) {
  const std::string plain = summary_text(mixed(), {});
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  const std::string coloured = summary_text(mixed(), {.colour = SummaryStyle::Colour::kAnsi});
  EXPECT_NE(coloured, plain);
  EXPECT_EQ(strip_ansi(coloured), plain);
}

TEST(Summary, HostileNamesStayOnTheirLine) {
  RunReport report = mixed();
  report.entries[0].file = "tests/test_\n\x1b[2J\xff.py";
  const std::string text = summary_text(report, {});
  EXPECT_NE(text.find("tests/test_ \uFFFD.py\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace bulkhead
