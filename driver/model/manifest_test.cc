#include "model/manifest.h"

#include <fstream>
#include <random>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

const std::string kOddName = "t/\xff\xfe \"q\" \\ \xc3\xa9 \xf0\x9f\x98\x80 \n]==].py";

// The name is random: tests run side by side.
std::string write_temporary(const std::string& text) {
  const std::string path =
      testing::TempDir() + "manifest." + std::to_string(std::random_device()()) + ".jsonl";
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

}  // namespace
}  // namespace bulkhead
