#include "junit/merge.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "junit/reader.h"
#include "platform/files.h"
#include "platform/limits_for_tests.h"

namespace bulkhead {
namespace {

class MergeJunit : public ::testing::Test {
 protected:
  void SetUp() override {
    auto folder = make_unique_directory(::testing::TempDir(), "merge-");
    ASSERT_TRUE(folder.has_value());
    folder_ = *folder;
  }
  void TearDown() override { static_cast<void>(remove_tree(folder_)); }

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ + "/" + name, std::ios::binary) << text;
    return folder_ + "/" + name;
  }
  std::string output() const { return folder_ + "/junit.xml"; }

  std::string folder_;
};

TEST_F(MergeJunit, CountsAreRecountedAndEqualNamesAreNotFolded) {
  const std::string a = write(
      "a.xml", "<testsuites><testsuite name='t' tests='9'><testcase classname='c' name='n'/>"
               "<testcase classname='c' name='n'><failure/></testcase></testsuite></testsuites>");
  const std::string b = write("b.xml", "<testsuite name='t'><testcase classname='c' name='n'/>"
                                       "</testsuite>");
  const auto totals = merge_junit(std::vector<std::string>{a, b}, output(), {.name = "tests"});
  ASSERT_TRUE(totals.has_value()) << totals.error().message;
  EXPECT_EQ(totals->tests, 3);
  EXPECT_EQ(totals->failures, 1);
  const std::string merged = *read_file(output());
  EXPECT_EQ(merged,
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tests" tests="3" failures="1" errors="0" skipped="0" time="0.000">
<testsuite name="t" tests="2" failures="1" errors="0" skipped="0" time="0.000">
<testcase name="n" classname="c" time="0.000"/>
<testcase name="n" classname="c" time="0.000">
<failure/>
</testcase>
</testsuite>
<testsuite name="t" tests="1" failures="0" errors="0" skipped="0" time="0.000">
<testcase name="n" classname="c" time="0.000"/>
</testsuite>
</testsuites>
)");
}

TEST_F(MergeJunit, AnInputThatCannotBeReadIsAnErrorSuiteNamedAfterIt) {
  const std::string torn = write("torn.xml", "<testsuite>\n<testcase");
  const auto report = merge_junit({{torn, "tests/test_a.py"}, {folder_ + "/none.xml", ""}},
                                  output(), {});
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_EQ(report->totals.tests, 2);
  EXPECT_EQ(report->totals.errors, 2);
  ASSERT_EQ(report->unreadable.size(), 2u);
  EXPECT_EQ(report->unreadable[1].input, 1u);
  const auto suites = read_junit(*read_file(output()));
  ASSERT_TRUE(suites.has_value());
  EXPECT_EQ(suites->at(0).name, "tests/test_a.py");
  EXPECT_NE(suites->at(0).cases.at(0).problems.at(0).message.find("line 2"), std::string::npos);
  EXPECT_EQ(suites->at(1).name, folder_ + "/none.xml");
}

TEST_F(MergeJunit, NothingIsLeftBesideTheOutput) {
  ASSERT_TRUE(merge_junit(std::vector<std::string>{}, output(), {}).has_value());
  const auto items = list_directory(folder_);
  ASSERT_TRUE(items.has_value());
  ASSERT_EQ(items->size(), 1u);
  EXPECT_EQ(items->at(0).name, "junit.xml");
}

TEST_F(MergeJunit, AnOutputThatCannotBeWrittenIsAnError) {
  const auto report =
      merge_junit(std::vector<std::string>{}, folder_ + "/no/such/junit.xml", {});
  ASSERT_FALSE(report.has_value());
  EXPECT_NE(report.error().message.find("no/such"), std::string::npos);
}

// In a process of its own, so that neither its limits nor its memory are shared with other tests.
[[noreturn]] void merge_within_limits(const std::vector<std::string>& inputs,
                                      const std::string& output) {
  lower_descriptor_limit(64);
  const long before = peak_rss_kib();
  const auto totals = merge_junit(inputs, output, {});
  const long used = peak_rss_kib() - before;
  const bool good = totals && totals->tests == static_cast<std::int64_t>(inputs.size()) * 20;
  if (!good) std::fprintf(stderr, "%s\n", totals ? "wrong count" : totals.error().message.c_str());
  std::fprintf(stderr, "peak grew by %ld KiB\n", used);
  std::_Exit(good && used < 64 * 1024 ? 0 : 1);
}

TEST_F(MergeJunit, TenThousandInputsNeedFewDescriptorsAndLittleMemory) {
  std::string document = "<testsuite name='t'>";
  for (int i = 0; i < 20; ++i) document += fmt::format("<testcase classname='c' name='n{}'/>", i);
  document += "</testsuite>";
  std::vector<std::string> inputs;
  for (int i = 0; i < 10000; ++i) inputs.push_back(write(fmt::format("{}.xml", i), document));
  GTEST_FLAG_SET(death_test_style, "fast");
  EXPECT_EXIT(merge_within_limits(inputs, output()), ::testing::ExitedWithCode(0), "peak grew");
  EXPECT_GT(std::filesystem::file_size(output()), 10000u * document.size());
}

}  // namespace
}  // namespace bulkhead
