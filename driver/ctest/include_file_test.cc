#include "ctest/include_file.h"

#include <filesystem>
#include <random>

#include <gtest/gtest.h>

#include "ctest/names.h"
#include "ctest/selection.h"
#include "model/json_text.h"
#include "platform/files.h"
#include "platform/process.h"

namespace bulkhead {
namespace {

class IncludeFile : public testing::Test {
 protected:
  IncludeFile() {
    folder_ = absolute_path(*make_unique_directory(testing::TempDir(), "include_file"));
    // CTest lists the command of an entry only where its program exists.
    driver_ = folder_ + "/bulk head";
    EXPECT_TRUE(replace_symlink(driver_, "/bin/true"));
    manifest_.suite.config.name = "tests";
    manifest_.suite.config.root = folder_;
    manifest_.suite.skip_token = "[bulkhead-skip-1f.]";
  }
  ~IncludeFile() override { (void)remove_tree(folder_); }

  Entry& add(const std::string& file) {
    Entry entry;
    entry.name = entry_name("", file);
    entry.file = file;
    manifest_.entries.push_back(entry);
    return manifest_.entries.back();
  }

  std::string text() const {
    return include_file_text(manifest_, {.driver = driver_, .state = "/s;t", .sizes = {}});
  }

  CapturedProcess ctest(std::vector<std::string> arguments) {
    EXPECT_TRUE(write_file_atomically(folder_ + "/CTestTestfile.cmake", text()));
    arguments.insert(arguments.begin(), "ctest");
    const auto process = run_captured({.argv = arguments, .working_directory = folder_, .environment = {}}, 60);
    EXPECT_TRUE(process) << process.error().message;
    return *process;
  }

  // `ctest --show-only=json-v1`: name → the entry's JSON.
  std::map<std::string, Json> listed() {
    const CapturedProcess process = ctest({"--show-only=json-v1"});
    std::map<std::string, Json> tests;
    EXPECT_EQ(process.err, "");
    const auto json = parse_json(process.out);
    EXPECT_TRUE(json) << json.error().message << process.out;
    for (const Json& test : (*json)["tests"]) tests[test["name"].get<std::string>()] = test;
    return tests;
  }

  static Json property(const Json& test, const std::string& name) {
    for (const Json& candidate : test["properties"]) {
      if (candidate["name"] == name) return candidate["value"];
    }
    return nullptr;
  }

  std::string folder_;
  std::string driver_;
  Manifest manifest_;
};

TEST_F(IncludeFile, EveryHostileNameRoundTripsThroughCTest) {
  std::vector<std::string> files = {
      "tests/br[acket/test_b.py", "tests/quo'te\"s/test_e.py", "tests/dir with space/test_a.py",
      "tests/$ENV{HOME}/test_d.py", "tests/-k/test_h.py", "tests/üñí/test_]==]g.py",
      "tests/semi;colon/test_c.py", "tests/back\\slash #hash @at%25/test_f.py", "]", "]=", "]]",
      "]=]==]===]", "[[", "[=[", "${x}", "$<CONFIG>", "@x@", "a\\;b", "(", ")", "#[[", "\\", "-R",
      "a\nb", "\n", "\xFF\xFE"};
  std::mt19937 random(11);
  for (int i = 0; i < 300; ++i) {
    std::string file;
    for (auto length = random() % 12 + 1; length > 0; --length)
      file += random() % 3 == 0 ? static_cast<char>(random() % 255 + 1)
                                : "[]=;\\\"'$ {}()#\n"[random() % 16];
    files.push_back(file);
  }
  for (const std::string& file : files) add(file);
  const auto tests = listed();
  for (const std::string& file : files) {
    const auto found = tests.find(entry_name("", file));
    ASSERT_NE(found, tests.end()) << file;
    EXPECT_EQ(found->second["command"],
              (Json{driver_, "exec", "/s;t", entry_name("", file)}))
        << file;
  }
  EXPECT_EQ(text().find(std::string(getenv("HOME")) + "/test_d"), std::string::npos);
}

TEST_F(IncludeFile, SettingsBecomeProperties) {
  Entry& entry = add("a.py");
  entry.settings.labels = {"slow", "data base"};
  entry.settings.locks = {"postgres", "redis"};
  entry.settings.resources = {"gpus:1", "mem:4"};
  entry.settings.timeout_s = 60;
  entry.settings.retries = 1;
  entry.settings.processors = 3;
  entry.settings.serial = true;
  entry.cost_s = 2.5;
  add("b.py").settings.timeout_s = 0;
  const auto tests = listed();
  const Json& a = tests.at("a.py");
  EXPECT_EQ(property(a, "LABELS"), (Json{"data base", "slow"}));
  EXPECT_EQ(property(a, "RESOURCE_LOCK"), (Json{"postgres", "redis"}));
  EXPECT_EQ(property(a, "RESOURCE_GROUPS").size(), 2u);
  EXPECT_EQ(property(a, "TIMEOUT"), (60 + 5 + 0.5 + 10) * 2);
  EXPECT_EQ(property(a, "PROCESSORS"), 3);
  EXPECT_EQ(property(a, "RUN_SERIAL"), true);
  EXPECT_EQ(property(a, "COST"), 2.5);
  EXPECT_EQ(property(a, "SKIP_RETURN_CODE"), 77);
  EXPECT_EQ(property(a, "SKIP_REGULAR_EXPRESSION"), Json{"\\[bulkhead-skip-1f\\.\\]"});
  EXPECT_EQ(property(a, "FIXTURES_REQUIRED"), Json{"bulkhead-tests"});
  EXPECT_EQ(property(a, "WORKING_DIRECTORY"), folder_);
  EXPECT_EQ(property(tests.at("b.py"), "TIMEOUT"), 0.0);
  EXPECT_EQ(property(tests.at("b.py"), "COST"), 2.5) << "the median stands in for the unknown";
}

TEST_F(IncludeFile, EntriesPointToTheirFile) {
  add("dir;x/a.py");
  const CapturedProcess process = ctest({"--show-only=json-v1"});
  const auto json = parse_json(process.out);
  ASSERT_TRUE(json);
  EXPECT_EQ((*json)["backtraceGraph"]["files"], Json{folder_ + "/dir;x/a.py"});
  EXPECT_EQ((*json)["backtraceGraph"]["nodes"][0]["line"], 1);
  EXPECT_NE(text().find("DEF_SOURCE_LINE [[" + folder_ + "/dir;x/a.py:1]]"), std::string::npos);
}

TEST_F(IncludeFile, FilesNobodyTimedGoByTheirSize) {
  add("a.py");
  add("b.py");
  const std::string cmake = include_file_text(
      manifest_, {.driver = "/d", .state = "/s", .sizes = {{"a.py", 20'000}, {"b.py", 60'000}}});
  EXPECT_NE(cmake.find("COST [[1.000]]"), std::string::npos);
  EXPECT_NE(cmake.find("COST [[3.000]]"), std::string::npos);
}

TEST_F(IncludeFile, AnEmptySuiteStillHasItsFinaliser) {
  const auto tests = listed();
  ASSERT_EQ(tests.size(), 1u);
  const Json& finaliser = tests.at("bulkhead.report-tests");
  EXPECT_EQ(finaliser["command"], (Json{driver_, "report", "--finalize", "/s;t"}));
  EXPECT_EQ(property(finaliser, "FIXTURES_CLEANUP"), Json{"bulkhead-tests"});
}

TEST_F(IncludeFile, SelectingOneEntrySelectsItsFinaliser) {
  add("a(1).py");
  add("b.py");
  const CapturedProcess process = ctest({"-R", "^a\\(1\\)\\.py$", "--show-only=json-v1"});
  const auto names = names_in_show_only(process.out);
  ASSERT_TRUE(names);
  EXPECT_EQ(*names, (std::vector<std::string>{"a(1).py", "bulkhead.report-tests"}));
}

TEST_F(IncludeFile, ALauncherStandsInFrontOfEntries) {
  manifest_.suite.config.launcher = {"srun", "-n", "1"};
  add("a.py");
  EXPECT_NE(text().find("add_test([[a.py]] [[srun]] [[-n]] [[1]] [[" + driver_ + "]] [[exec]]"),
            std::string::npos);
}

TEST_F(IncludeFile, TheTestfileAsksTheDriverAndShowsItsError) {
  ASSERT_TRUE(write_file_atomically(folder_ + "/e.cmake", "add_test(x true)\n"));
  const auto run = [&](const std::vector<std::string>& discover) {
    EXPECT_TRUE(write_file_atomically(folder_ + "/CTestTestfile.cmake",
                                      ctest_testfile_text(discover, folder_ + "/e.cmake")));
    return *run_captured({.argv = {"ctest", "-N"}, .working_directory = folder_, .environment = {}}, 60);
  };
  const CapturedProcess good = run({"/bin/echo", "noise"});
  EXPECT_EQ(good.end.code, 0);
  EXPECT_EQ(good.out.find("noise"), std::string::npos);
  EXPECT_NE(good.out.find("Total Tests: 1"), std::string::npos);
  const CapturedProcess bad = run({"/bin/sh", "-c", "echo a.py:3: why; exit 2"});
  EXPECT_NE(bad.end.code, 0);
  EXPECT_NE((bad.out + bad.err).find("a.py:3: why"), std::string::npos);
}

TEST(BracketArgument, ChoosesALevelThatCannotCollide) {
  EXPECT_EQ(bracket_argument("a"), "[[a]]");
  EXPECT_EQ(bracket_argument("]"), "[=[]]=]");
  EXPECT_EQ(bracket_argument("a]=]"), "[==[a]=]]==]");
  EXPECT_EQ(bracket_argument("]="), "[[]=]]");
  EXPECT_EQ(bracket_argument("\na"), "[[\n\na]]");
}

}  // namespace
}  // namespace bulkhead
