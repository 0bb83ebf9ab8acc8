#include "junit/sanitize.h"

#include <random>

#include <gtest/gtest.h>

#include "base/strings.h"
#include "junit/reader.h"
#include "junit/writer.h"

namespace bulkhead {
namespace {

TEST(LegalXml, ForbiddenCharactersAreSpelled) {
  EXPECT_EQ(legal_xml_characters(std::string("a\0b\x1f\x7f\t\n\r", 8)), "a#x00b#x1F#x7F\t\n\r");
  EXPECT_EQ(legal_xml_characters("\xEF\xBF\xBE\xEF\xBF\xBF"), "#xFFFE#xFFFF");
}

TEST(LegalXml, BadUtf8BecomesTheReplacementCharacter) {
  EXPECT_EQ(legal_xml_characters("\xff\xfe caf\xe9"), "\uFFFD\uFFFD caf\uFFFD");
  EXPECT_EQ(legal_xml_characters("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // a lone surrogate
}

TEST(LegalXml, CharactersPastTheFirstPlaneAreKept) {
  EXPECT_EQ(legal_xml_text("\U0001F600 \u00e9"), "\U0001F600 \u00e9");
}

TEST(LegalXml, AnsiSequencesGoWholeRawOrSpelled) {
  EXPECT_EQ(legal_xml_text("\x1b[31;1mred\x1b[0m"), "red");
  EXPECT_EQ(legal_xml_text("#x1B[31;1mred#x1B[0m #xFFFE ]]>"), "red #xFFFE ]]>");
  EXPECT_EQ(legal_xml_text("#x1B]8;;http://x#x1B\\link#x1B]8;;#x07"), "link");
  EXPECT_EQ(legal_xml_text("#x1B]8;; never ends\nnext"), "#x1B]8;; never ends\nnext");
  EXPECT_EQ(legal_xml_text("#x1Bfoo"), "#x1Bfoo");
}

TEST(RestoreSpelled, EmojiThatOldPytestSpelledComeBack) {
  EXPECT_EQ(restore_spelled_characters("'#x1F600' #x10FFFD."), "'\U0001F600' \U0010FFFD.");
  EXPECT_EQ(restore_spelled_characters("&#x1F600; #xFFFE #x1B #x"), "&#x1F600; #xFFFE #x1B #x");
}

TEST(RepairXml, ReferencesToForbiddenCharactersAreSpelledOutsideCdata) {
  EXPECT_EQ(repair_xml_characters("<a>&#27;&#x1b;&#0;&#xD800;&#xFFFE;&#99999999999;&#10;&amp;</a>"),
            "<a>#x1B#x1B#x00#xD800#xFFFE\uFFFD&#10;&amp;</a>");
  EXPECT_EQ(repair_xml_characters("<![CDATA[&#27;\x1b]]>&#27;"), "<![CDATA[&#27;#x1B]]>#x1B");
}

TEST(LegalXml, RandomBytesAlwaysComeOutLegalAndReadable) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string bytes(static_cast<std::size_t>(random() % 200), ' ');
    for (char& c : bytes) c = static_cast<char>(random() % 4 == 0 ? "\x1b[]m<&>\"#"[random() % 9]
                                                                   : static_cast<int>(random() % 256));
    const std::string legal = legal_xml_text(bytes);
    EXPECT_EQ(legal_xml_characters(legal), legal);
    EXPECT_EQ(legal_xml_characters(repair_xml_characters(bytes)), repair_xml_characters(bytes));

    TestSuite suite;
    suite.name = bytes;
    TestCase test;
    test.name = "n" + bytes;
    test.problems.push_back({CaseProblem::Kind::kError, bytes, bytes, bytes});
    test.system_out = bytes;
    suite.cases.push_back(test);
    const auto read = read_junit(junit_document(suite, {}));
    ASSERT_TRUE(read.has_value()) << read.error().message;
    ASSERT_EQ(read->size(), 1u);
    ASSERT_EQ((*read)[0].cases.size(), 1u);
    EXPECT_EQ((*read)[0].cases[0].name, legal_xml_characters(test.name));
  }
}

}  // namespace
}  // namespace bulkhead
