#include "junit/reader.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

std::vector<TestSuite> read(std::string_view document) {
  auto suites = read_junit(document);
  EXPECT_TRUE(suites.has_value()) << suites.error().message;
  return suites ? *suites : std::vector<TestSuite>();
}

std::string error_of(std::string_view document) {
  const auto suites = read_junit(document);
  return suites ? "" : suites.error().message;
}

TEST(ReadJunit, TakesEitherRootAndNestedSuites) {
  EXPECT_EQ(read("<testsuite name='a'><testcase name='x'/></testsuite>").size(), 1u);
  const auto suites = read(
      "<testsuites><testsuite name='a'><testcase name='x'/><testsuite name='b'>"
      "<testcase name='y'/></testsuite><testcase name='z'/></testsuite></testsuites>");
  ASSERT_EQ(suites.size(), 2u);
  EXPECT_EQ(suites[0].cases.size(), 2u);
  EXPECT_EQ(suites[1].name, "b");
  EXPECT_EQ(suites[1].cases[0].name, "y");
  EXPECT_TRUE(read("<testsuites/>").empty());
}

TEST(ReadJunit, KeepsEveryOutcomeOfACase) {
  const auto suites = read(
      "<testsuite><testcase classname='c' name='n' time='1,234.5'><failure message='m' type='t'>"
      "text<![CDATA[ & more]]></failure><error message='e'/><system-out>o</system-out>"
      "<properties><property name='k' value='v'/></properties></testcase><testcase/></testsuite>");
  const TestCase& test = suites.at(0).cases.at(0);
  ASSERT_EQ(test.problems.size(), 2u);
  EXPECT_EQ(test.problems[0].text, "text & more");
  EXPECT_EQ(test.problems[1].kind, CaseProblem::Kind::kError);
  EXPECT_EQ(test.system_out, "o");
  EXPECT_EQ(test.properties.at(0).second, "v");
  EXPECT_DOUBLE_EQ(test.time_s, 1234.5);
  EXPECT_EQ(suites[0].cases.at(1).name, "");
  EXPECT_EQ(totals_of(suites[0]).errors, 1);
  EXPECT_EQ(totals_of(suites[0]).failures, 0);
}

TEST(ReadJunit, RepairsRawControlCharactersAndReferencesToThem) {
  const auto suites = read(
      "<testsuite><testcase name='a'><skipped message='\x1b[31;1mansi\x1b[0m \xEF\xBF\xBE &#27;[0mx'/>"
      "</testcase></testsuite>");
  EXPECT_EQ(suites.at(0).cases.at(0).problems.at(0).message, "ansi #xFFFE x");
}

TEST(ReadJunit, ErrorsNameTheLine) {
  EXPECT_EQ(error_of("<testsuite>\n<testcase>\n</testsuite>").substr(0, 7), "line 3:");
  EXPECT_EQ(error_of("<html/>"), "the root is <html>, not <testsuites>");
  EXPECT_EQ(error_of(""), "it holds no XML element");
  EXPECT_EQ(error_of("<testsuite/><testsuite/>"), "<testsuite> follows the end of the document");
}

TEST(ReadJunit, EntitiesAreNotExpanded) {
  std::string bomb = "<?xml version='1.0'?><!DOCTYPE x [<!ENTITY a 'lol'>";
  for (char c = 'b'; c <= 'j'; ++c) {
    bomb += std::string("<!ENTITY ") + c + " '";
    for (int i = 0; i < 10; ++i) bomb += std::string("&") + static_cast<char>(c - 1) + ";";
    bomb += "'>";
  }
  bomb += "]><testsuite><testcase name='&j;'/></testsuite>";
  const auto suites = read(bomb);
  EXPECT_EQ(suites.at(0).cases.at(0).name, "&j;");
}

TEST(ReadJunit, SuitesNestedWithoutEndAreRefused) {
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "<testsuite>";
  for (int i = 0; i < 5000; ++i) deep += "</testsuite>";
  EXPECT_EQ(error_of(deep), "suites are nested too deeply");
}

TEST(ReadJunit, TruncatedAnywhereItIsAnErrorAndNeverAShorterReport) {
  const std::string document =
      "<?xml version=\"1.0\" encoding=\"utf-8\"?><testsuites><testsuite name=\"pytest\">"
      "<testcase classname=\"a\" name=\"\u00e9[&lt;]\" time=\"0.1\"><failure message=\"m\">t"
      "</failure></testcase><testcase name=\"b\"/></testsuite></testsuites>";
  for (std::size_t length = 0; length < document.size(); ++length)
    EXPECT_FALSE(read_junit(document.substr(0, length)).has_value()) << length;
  EXPECT_TRUE(read_junit(document).has_value());
}

}  // namespace
}  // namespace bulkhead
