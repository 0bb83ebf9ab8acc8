#include "platform/files.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::string> folder = make_unique_directory(testing::TempDir(), "files");
    ASSERT_TRUE(folder) << folder.error().message;
    folder_ = *folder;
  }
  void TearDown() override { (void)remove_tree(folder_); }
  std::string path(std::string_view name) const { return join_path(folder_, name); }
  std::string folder_;
};

TEST_F(Files, AtomicWriteReplacesAndLeavesNothingBeside) {
  ASSERT_TRUE(write_file_atomically(path("a"), "one"));
  ASSERT_TRUE(write_file_atomically(path("a"), "two"));
  EXPECT_EQ(read_file(path("a")).value(), "two");
  EXPECT_EQ(list_directory(folder_)->size(), 1u);
}

TEST_F(Files, AFailedWriteLeavesTheOldFile) {
  ASSERT_TRUE(make_directories(path("folder")));
  EXPECT_FALSE(write_file_atomically(path("folder"), "x"));
  EXPECT_FALSE(write_file_atomically(path("missing/a"), "x"));
  EXPECT_EQ(list_directory(folder_)->size(), 1u) << "no temporary file is left";
}

TEST_F(Files, AnEqualFileKeepsItsTime) {
  ASSERT_TRUE(write_file_if_changed(path("a"), "one"));
  const auto before = stamp_of(path("a"));
  ASSERT_TRUE(write_file_if_changed(path("a"), "one"));
  EXPECT_EQ(stamp_of(path("a")), before);
  ASSERT_TRUE(write_file_if_changed(path("a"), "other"));
  EXPECT_NE(stamp_of(path("a")), before);
}

TEST_F(Files, HeadAndTailAreBounded) {
  ASSERT_TRUE(write_file_atomically(path("a"), "0123456789"));
  EXPECT_EQ(read_head(path("a"), 3).value(), "012");
  EXPECT_EQ(read_tail(path("a"), 3).value(), "789");
  EXPECT_EQ(read_tail(path("a"), 99).value(), "0123456789");
  EXPECT_NE(read_file(path("none")).error().message.find("No such file"), std::string::npos);
}

TEST_F(Files, RemoveTreeTakesReadOnlyFoldersAndFollowsNoLink) {
  ASSERT_TRUE(make_directories(path("outside")));
  ASSERT_TRUE(write_file_atomically(path("outside/kept"), "x"));
  ASSERT_TRUE(make_directories(path("tree/deep/deeper")));
  ASSERT_TRUE(write_file_atomically(path("tree/deep/deeper/f"), "x"));
  std::filesystem::create_symlink(path("outside"), path("tree/link"));
  std::filesystem::create_symlink("nowhere", path("tree/dangling"));
  std::filesystem::permissions(path("tree/deep/deeper"), std::filesystem::perms::none);
  std::filesystem::permissions(path("tree/deep"), std::filesystem::perms::owner_read);
  const Status removed = remove_tree(path("tree"));
  EXPECT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(stamp_of(path("tree")));
  EXPECT_TRUE(is_file(path("outside/kept")));
  EXPECT_TRUE(remove_tree(path("tree"))) << "one that does not exist is fine";
}

TEST_F(Files, PathsAreFolded) {
  EXPECT_EQ(absolute_path("/a/./b/../c//d"), "/a/c/d");
  EXPECT_EQ(absolute_path("/.."), "/");
  EXPECT_EQ(relative_to("/a/b/c", "/a/b"), "c");
  EXPECT_EQ(relative_to("/a/bc", "/a/b"), "/a/bc");
  EXPECT_EQ(parent_of("/a"), "/");
  EXPECT_EQ(join_path("/a", "/b"), "/b");
}

TEST_F(Files, TheMiddleOfAFileIsCutWithANote) {
  const std::string log = path("log");
  ASSERT_TRUE(write_file_atomically(log, "0123456789"));
  ASSERT_TRUE(cut_file_middle(log, 5));
  EXPECT_EQ(*read_file(log), "0123456789");
  ASSERT_TRUE(cut_file_middle(log, 3));
  EXPECT_EQ(*read_file(log), "012\n[... 4 bytes cut ...]\n789");
  EXPECT_TRUE(cut_file_middle(path("none"), 3));
}

TEST_F(Files, AHoleKeepsTheEndsAndTheSize) {
  const std::string log = path("log");
  constexpr std::size_t kKeep = 64 * 1024;
  const std::string text = std::string(kKeep, 'a') + std::string(kKeep * 9, 'b') +
                           std::string(kKeep, 'c');
  ASSERT_TRUE(write_file_atomically(log, text));
  punch_middle(log, kKeep);
  const std::string after = *read_file(log);
  ASSERT_EQ(after.size(), text.size());
  EXPECT_EQ(after.substr(0, kKeep), text.substr(0, kKeep));
  EXPECT_EQ(after.substr(after.size() - kKeep), text.substr(text.size() - kKeep));
  // A file system without holes keeps what was there.
  const std::string middle = after.substr(kKeep, kKeep * 9);
  EXPECT_TRUE(middle == std::string(kKeep * 9, '\0') || middle == std::string(kKeep * 9, 'b'));
}

}  // namespace
}  // namespace bulkhead
