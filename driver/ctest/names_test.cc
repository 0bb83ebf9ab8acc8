#include "ctest/names.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "base/strings.h"

namespace bulkhead {
namespace {

TEST(EntryName, KeepsWhatCTestCarriesAndEncodesTheRest) {
  EXPECT_EQ(entry_name("", "tests/test_a.py"), "tests/test_a.py");
  EXPECT_EQ(entry_name("unit.", "tests/üñí/test_]==]g.py"), "unit.tests/üñí/test_]==]g.py");
  EXPECT_EQ(entry_name("", "dir with space/a.py"), "dir%20with%20space/a.py");
  EXPECT_EQ(entry_name("", "$ENV{HOME}/a.py"), "$ENV{HOME}/a.py");
  EXPECT_EQ(entry_name("", "a%20b;c\"d\\e\n\x7F\xC2\x85\xFF"), "a%2520b%3Bc%22d%5Ce%0A%7F%C2%85%FF");
}

TEST(EntryName, NeverLooksLikeAnOption) {
  EXPECT_EQ(entry_name("", "-k_test.py"), "%2Dk_test.py");
  EXPECT_EQ(entry_name("", "tests/-k/test_h.py"), "tests/-k/test_h.py");
}

TEST(EntryName, IsValidUtf8AndDistinctForDistinctFiles) {
  std::mt19937 random(7);
  std::set<std::string> files;
  std::set<std::string> names;
  for (int i = 0; i < 5000; ++i) {
    std::string file;
    for (auto length = random() % 4 + 1; length > 0; --length)
      file += static_cast<char>(random() % 255 + 1);
    files.insert(file);
    const std::string name = entry_name("", file);
    EXPECT_EQ(to_valid_utf8(name), name);
    EXPECT_EQ(name.find_first_of(" \t\n;\"\\"), std::string::npos);
    names.insert(name);
  }
  EXPECT_EQ(files.size(), names.size());
}

}  // namespace
}  // namespace bulkhead
