#include "ctest/selection.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

using Mode = CtestInvocation::Mode;
using Words = std::vector<std::string>;

TEST(CtestSelection, KeepsWhatSelectsAndDropsWhatOnlyShowsOrRuns) {
  const auto run = read_ctest_command_line(
      {"ctest", "--test-dir", "b", "-j", "4", "-R", "-N", "--output-on-failure", "-V", "-LE", "slow",
       "--output-junit", "x.xml", "--repeat", "until-pass:3", "-Q", "-C", "Debug", "--preset=ci",
       "-T", "test", "-I", "0,0,0,3", "-j8", "--timeout", "3", "-F"});
  EXPECT_EQ(run.mode, Mode::kRun);
  EXPECT_EQ(run.ask, (Words{"-R", "-N", "-LE", "slow", "-C", "Debug",
                            "--preset=ci", "-I", "0,0,0,3", "-F", "--show-only=json-v1"}));
  EXPECT_TRUE(run.selects);
  EXPECT_TRUE(run.preset);
  EXPECT_FALSE(run.stop_on_failure);
}

TEST(CtestSelection, APlainRunSelectsEverything) {
  const auto run = read_ctest_command_line({"/usr/bin/ctest", "-j", "--stop-on-failure"});
  EXPECT_EQ(run.mode, Mode::kRun);
  EXPECT_FALSE(run.selects);
  EXPECT_TRUE(run.stop_on_failure);
  EXPECT_EQ(run.ask, Words{"--show-only=json-v1"});
}

TEST(CtestSelection, ListModesAreKnown) {
  for (const char* word : {"-N", "--show-only", "--show-only=json-v1", "--print-labels", "--help",
                           "--version", "--list-presets"})
    EXPECT_EQ(read_ctest_command_line({"ctest", "-R", "x", word}).mode, Mode::kList) << word;
  EXPECT_EQ(read_ctest_command_line({"ctest", "-S", "script.cmake", "-N"}).mode, Mode::kList);
  EXPECT_EQ(read_ctest_command_line({"ctest", "-R", "--show-only"}).mode, Mode::kRun);
  EXPECT_EQ(read_ctest_command_line({"ctest", "--", "-N"}).mode, Mode::kRun);
}

TEST(CtestSelection, DashboardsAreUnknown) {
  for (const Words& words :
       {Words{"ctest", "-S", "a.cmake"}, Words{"ctest", "-D", "Experimental"},
        Words{"ctest", "-T", "MemCheck"}, Words{"ctest", "--build-and-test", "a", "b"}}) {
    const auto run = read_ctest_command_line(words);
    EXPECT_EQ(run.mode, Mode::kUnknown) << words[1];
    EXPECT_TRUE(run.ask.empty());
  }
  EXPECT_EQ(read_ctest_command_line({"ctest", "-D", "A=b"}).mode, Mode::kRun);
}

TEST(CtestSelection, FindsTheRerunOfFailures) {
  EXPECT_TRUE(read_ctest_command_line({"ctest", "--rerun-failed"}).by_earlier_run);
  EXPECT_TRUE(read_ctest_command_line({"ctest", "--rerun-failed"}).selects);
}

TEST(CtestSelection, AnyPrefixOfACommandLineIsRead) {
  const Words words = {"ctest", "-R", "a", "-j", "4", "-D", "x=y", "--preset", "p", "-T"};
  for (std::size_t n = 0; n <= words.size(); ++n)
    (void)read_ctest_command_line(Words(words.begin(), words.begin() + static_cast<long>(n)));
}

TEST(CtestShowOnly, NamesComeInOrder) {
  const auto names =
      names_in_show_only(R"({"kind":"ctestInfo","tests":[{"name":"b"},{"name":"a","x":1}]})");
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (Words{"b", "a"}));
  EXPECT_FALSE(names_in_show_only("{}"));
  EXPECT_FALSE(names_in_show_only("CMake Error"));
}

}  // namespace
}  // namespace bulkhead
