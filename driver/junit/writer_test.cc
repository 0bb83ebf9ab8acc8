#include "junit/writer.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

using Kind = CaseProblem::Kind;

TEST(WriteJunit, TheWholeDocumentIsStable) {
  TestSuite suite;
  suite.name = "tests/test_a.py";
  suite.file = "tests/test_a.py";
  suite.timestamp = "2024-05-01T10:00:00Z";
  suite.time_s = 1.5;
  suite.properties = {{"ARCH", "PPC"}};
  TestCase passed{.name = "test_ok", .classname = "tests.test_a", .line = 3, .time_s = 0.25};
  TestCase failed{.name = "test_bad[<&\"'>\n]", .classname = "tests.test_a", .time_s = 0.5};
  failed.problems.push_back({Kind::kFailure, "assert 1 == 2\nmore", "", "E assert ]]> \x01"});
  failed.system_out = "\x1b[1mout\x1b[0m";
  TestCase flaky{.name = "", .classname = "tests.test_a"};
  flaky.reruns.push_back({{Kind::kFailure, "first", "attempt 1", "trace"}, "out", ""});
  TestCase both{.name = "test_both", .classname = "tests.test_a"};
  both.problems = {{Kind::kFailure, "f", "", ""}, {Kind::kError, "e", "", ""}};
  both.reruns.push_back({{Kind::kError, "again", "", ""}, "", ""});
  suite.cases = {passed, failed, flaky, both};
  EXPECT_EQ(junit_document(suite, {}),
            R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="tests/test_a.py" tests="4" failures="1" errors="1" skipped="0" time="1.500">
<testsuite name="tests/test_a.py" file="tests/test_a.py" tests="4" failures="1" errors="1" skipped="0" time="1.500" timestamp="2024-05-01T10:00:00Z">
<properties>
<property name="ARCH" value="PPC"/>
</properties>
<testcase name="test_ok" classname="tests.test_a" file="tests/test_a.py" line="3" time="0.250"/>
<testcase name="test_bad[&lt;&amp;&quot;'&gt;&#10;]" classname="tests.test_a" file="tests/test_a.py" time="0.500">
<failure message="assert 1 == 2&#10;more">E assert ]]&gt; #x01</failure>
<system-out>out</system-out>
</testcase>
<testcase name="tests/test_a.py" classname="tests.test_a" file="tests/test_a.py" time="0.000">
<flakyFailure message="first" type="attempt 1">
<stackTrace>trace</stackTrace>
<system-out>out</system-out>
</flakyFailure>
</testcase>
<testcase name="test_both" classname="tests.test_a" file="tests/test_a.py" time="0.000">
<failure message="f"/>
<error message="e"/>
<rerunError message="again" type="failure">
</rerunError>
</testcase>
</testsuite>
</testsuites>
)");
}

TEST(WriteJunit, LongTextIsCutInItsMiddleAndNamesTheWholeLog) {
  TestSuite suite;
  suite.cases.push_back({.name = "t"});
  for (int i = 0; i < 1000; ++i) suite.cases[0].system_out += "\u00e9";
  const std::string text = suite_to_xml(suite, {.text_limit = 101, .log_path = "/x/output.log"});
  EXPECT_NE(text.find("\n[cut: 2000 bytes in all, whole in /x/output.log]\n\u00e9"),
            std::string::npos);
  EXPECT_LT(text.size(), 500u);
  EXPECT_EQ(text.find("\uFFFD"), std::string::npos);
}

}  // namespace
}  // namespace bulkhead
