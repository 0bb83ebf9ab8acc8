#include "model/layout.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(Layout, EntryFoldersAreShortAndDistinct) {
  const std::string deep(400, 'd');
  EXPECT_EQ(RunFolder::entry_folder_name("tests/test_a.py"), "tests%2Ftest_a.py");
  EXPECT_LE(RunFolder::entry_folder_name(deep + "/a.py").size(), 150u);
  EXPECT_NE(RunFolder::entry_folder_name(deep + "/a.py"),
            RunFolder::entry_folder_name("x" + deep + "/a.py"));
}

}  // namespace
}  // namespace bulkhead
