#include "base/strings.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(Utf8, RefusesOverlongFormsSurrogatesAndTooLargeValues) {
  EXPECT_EQ(utf8_sequence_length("\xC0\x80"), 0u);
  EXPECT_EQ(utf8_sequence_length("\xED\xA0\x80"), 0u);
  EXPECT_EQ(utf8_sequence_length("\xF4\x90\x80\x80"), 0u);
  EXPECT_EQ(utf8_sequence_length("\xF0\x9F\x98\x80"), 4u);
  EXPECT_EQ(utf8_sequence_length("\xE2\x82"), 0u);
}

TEST(Utf8, EachBadByteBecomesOneReplacement) {
  EXPECT_EQ(to_valid_utf8("a\xFF\xFE" "b"), "a\xEF\xBF\xBD\xEF\xBF\xBD" "b");
}

TEST(CutMiddle, NeverCutsACharacter) {
  const std::string text = "\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9";
  for (std::size_t limit = 0; limit < text.size(); ++limit) {
    const std::string cut = cut_middle(text, limit, "[cut]");
    EXPECT_EQ(to_valid_utf8(cut), cut) << limit;
    EXPECT_NE(cut.find("[cut]"), std::string::npos);
  }
  EXPECT_EQ(cut_middle(text, text.size(), "[cut]"), text);
}

TEST(StripAnsi, RemovesSequencesWhole) {
  EXPECT_EQ(strip_ansi("\x1b[31;1mred\x1b[0m"), "red");
  EXPECT_EQ(strip_ansi("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\"), "link");
  EXPECT_EQ(strip_ansi("\x1b]0;title\atext"), "text");
  EXPECT_EQ(strip_ansi("torn\x1b["), "torn");
  EXPECT_EQ(strip_ansi("\x1b]never ends\nnext line"), "\nnext line");
}

TEST(Glob, StarStaysInItsFolderAndTwoStarsCrossFolders) {
  EXPECT_TRUE(glob_match("tests/*.py", "tests/a.py"));
  EXPECT_FALSE(glob_match("tests/*.py", "tests/b/a.py"));
  EXPECT_TRUE(glob_match("tests/**/*.py", "tests/a.py"));
  EXPECT_TRUE(glob_match("tests/**/*.py", "tests/b/c/a.py"));
  EXPECT_TRUE(glob_match("test_[a-c]?.py", "test_bx.py"));
  EXPECT_FALSE(glob_match("test_[!a-c].py", "test_b.py"));
  EXPECT_TRUE(glob_match("open[", "open["));
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  EXPECT_EQ(nearest("timout", {"timeout", "labels"}), "timeout");
  EXPECT_EQ(nearest("tets", {"list", "test"}), "test");
  EXPECT_EQ(nearest("zebra", {"timeout", "labels"}), "");
}

TEST(ShellQuote, QuotesOnlyWhereNeeded) {
  EXPECT_EQ(shell_quote("tests/test_a.py::test_b"), "tests/test_a.py::test_b");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quote(""), "''");
}

}  // namespace
}  // namespace bulkhead
