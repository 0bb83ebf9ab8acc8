#include <fstream>

#include <gtest/gtest.h>

#include "model/durations.h"
#include "model/entry_result.h"
#include "model/json_text.h"
#include "model/layout.h"
#include "model/manifest.h"

namespace bulkhead {
namespace {

const std::string kOddName = "t/\xff\xfe \"q\" \\ \xc3\xa9 \xf0\x9f\x98\x80 \n]==].py";

std::string write_temporary(const std::string& text) {
  const std::string path = testing::TempDir() + "/manifest.jsonl";
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

Manifest sample() {
  Manifest manifest;
  manifest.suite.config.name = "tests";
  manifest.suite.config.root = "/r";
  manifest.suite.config.env = {{"A", "b;c"}};
  manifest.suite.rootdir = "/r";
  manifest.suite.plugins = {"xdist"};
  Entry odd{.name = kOddName, .file = kOddName};
  odd.settings.timeout_s = 2.5;
  odd.settings.locks = {"db"};
  odd.settings.on_leak = LeakPolicy::kFail;
  odd.selection = Entry::Selection::kNarrowed;
  manifest.entries = {Entry{.name = "a.py", .file = "a.py"}, odd};
  return manifest;
}

TEST(Manifest, RoundTripsBytesThatAreNotUtf8) {
  const std::string text = manifest_to_text(sample());
  EXPECT_EQ(text.find_first_of("\xff\xc3"), std::string::npos) << "the text is ASCII";
  const Result<Manifest> read = read_manifest(write_temporary(text));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(manifest_to_text(*read), text);
  EXPECT_EQ(read->entries[1].file, kOddName);
}

TEST(Manifest, OneEntryIsFoundByItsName) {
  const std::string path = write_temporary(manifest_to_text(sample()));
  const Result<SuiteAndEntry> found = read_manifest_entry(path, kOddName);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(found->entry.settings.locks, std::vector<std::string>{"db"});
  EXPECT_EQ(found->suite.config.env.at("A"), "b;c");
}

TEST(Manifest, AnUnknownEntryNamesTheNearest) {
  const std::string path = write_temporary(manifest_to_text(sample()));
  const Result<SuiteAndEntry> found = read_manifest_entry(path, "b.py");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().kind, ErrorKind::kUsage);
  EXPECT_NE(found.error().message.find("did you mean 'a.py'"), std::string::npos);
}

TEST(Manifest, AnUnknownVersionIsRefused) {
  std::string text = manifest_to_text(sample());
  text.replace(text.find("\"version\":1"), 11, "\"version\":7");
  const Result<Manifest> read = read_manifest(write_temporary(text));
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().message.find("version 7"), std::string::npos) << read.error().message;
}

TEST(EntryResult, RoundTripsAndATornOneIsAnError) {
  EntryResult result;
  result.name = kOddName;
  result.file = kOddName;
  result.outcome = Outcome::kCrashed;
  Attempt attempt;
  attempt.end = {.kind = ProcessEnd::Kind::kSignaled, .signal = 11};
  attempt.problems = {{.id = "a.py::t[\xff]", .file = "/r/a.py", .line = 3, .message = "m"}};
  attempt.leftovers = {{.pid = 7, .command = "sleep 1", .age_s = 0.5}};
  attempt.counts.passed = 3;
  result.attempts = {attempt};
  const std::string text = result_to_text(result);
  const Result<EntryResult> read = result_from_text(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(result_to_text(*read), text);
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(result_from_text(text.substr(0, length))) << length;
}

TEST(Durations, RoundTripByRelativePath) {
  const Durations durations = {{kOddName, {.seconds = 1.25, .tests = 3}}, {"b.py", {}}};
  const Result<Durations> read = durations_from_text(durations_to_text(durations));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at(kOddName).tests, 3);
  EXPECT_FALSE(durations_from_text("{\"version\":2,\"files\":{}}"));
  EXPECT_FALSE(durations_from_text("{\"version\":1,\"files\":{\"a\":{\"seconds\":-1,\"tests\":0}}}"));
}

TEST(JsonText, LoneSurrogatesNeverStopTheReader) {
  const auto text = R"({"a":"x\ud800y","b":"\udcff\u00e9","c":"\ud83d\ude00","d":"\\ud800"})";
  const Result<Json> json = parse_json(text);
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(string_at(*json, "a"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(string_at(*json, "b"), "\xff\xc3\xa9");
  EXPECT_EQ(string_at(*json, "c"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(string_at(*json, "d"), "\\ud800");
}

TEST(Layout, EntryFoldersAreShortAndDistinct) {
  const std::string deep(400, 'd');
  EXPECT_EQ(RunFolder::entry_folder_name("tests/test_a.py"), "tests%2Ftest_a.py");
  EXPECT_LE(RunFolder::entry_folder_name(deep + "/a.py").size(), 150u);
  EXPECT_NE(RunFolder::entry_folder_name(deep + "/a.py"),
            RunFolder::entry_folder_name("x" + deep + "/a.py"));
}

}  // namespace
}  // namespace bulkhead
