#include "events/reader.h"

#include <fstream>
#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "platform/files.h"

namespace bulkhead {
namespace {

// One event of each kind, as the plugin writes them.
constexpr std::string_view kSession =
    R"({"event":"session_started","version":1,"pid":7,"python":"3.11.2","pytest":"7.2.1"}
{"event":"collection_skipped","id":"b.py","reason":"no module"}
{"event":"collection_failed","id":"c.py","file":"/r/c.py","line":3,"message":"SyntaxError: x","details":"d"}
{"event":"collected","tests":["a.py::test_x","a.py::test_\u00fc"],"deselected":2}
{"event":"test_started","id":"a.py::test_x","file":"/r/a.py","line":4}
{"event":"descriptors_exhausted","id":"a.py::test_x","error":"EMFILE","pid":7,"open":1024,"limit":1024}
{"event":"test_finished","id":"a.py::test_x","outcome":"failed","duration_s":0.25,"file":"/r/a.py","line":5,"message":"assert 0","details":"long","output":"out"}
{"event":"session_interrupted","details":"Exit: stop"}
{"event":"internal_error","details":"Traceback"}
{"event":"session_finished","status":2}
)";

template <class T>
T only(std::string_view text) {
  const ParsedEvents parsed = parse_events(text);
  EXPECT_EQ(parsed.damaged_lines, 0) << text;
  EXPECT_EQ(parsed.events.size(), 1U) << text;
  if (parsed.events.empty() || !std::holds_alternative<T>(parsed.events[0])) {
    ADD_FAILURE() << "not the kind of event that was expected: " << text;
    return {};
  }
  return std::get<T>(parsed.events[0]);
}

TEST(EventReader, ReadsEachKindOfEvent) {
  const ParsedEvents parsed = parse_events(kSession);
  EXPECT_EQ(parsed.damaged_lines, 0);
  ASSERT_EQ(parsed.events.size(), 10U);
  EXPECT_EQ(std::get<SessionStarted>(parsed.events[0]).pid, 7);
  EXPECT_EQ(std::get<SessionStarted>(parsed.events[0]).pytest, "7.2.1");
  EXPECT_EQ(std::get<CollectionSkipped>(parsed.events[1]).reason, "no module");
  EXPECT_EQ(std::get<CollectionFailed>(parsed.events[2]).line, 3);
  EXPECT_EQ(std::get<Collected>(parsed.events[3]).tests[1], "a.py::test_\xc3\xbc");
  EXPECT_EQ(std::get<Collected>(parsed.events[3]).deselected, 2);
  EXPECT_EQ(std::get<TestStarted>(parsed.events[4]).line, 4);
  EXPECT_EQ(std::get<DescriptorsExhausted>(parsed.events[5]).open, 1024);
  const TestFinished& finished = std::get<TestFinished>(parsed.events[6]);
  EXPECT_EQ(finished.outcome, TestOutcome::kFailed);
  EXPECT_EQ(finished.duration_s, 0.25);
  EXPECT_EQ(finished.message, "assert 0");
  EXPECT_EQ(finished.output, "out");
  EXPECT_EQ(std::get<SessionInterrupted>(parsed.events[7]).details, "Exit: stop");
  EXPECT_EQ(std::get<InternalError>(parsed.events[8]).details, "Traceback");
  EXPECT_EQ(std::get<SessionFinished>(parsed.events[9]).status, 2);
}

TEST(EventReader, TextThatEndsAnywhereGivesTheWholeLinesBeforeThat) {
  std::size_t whole_lines = 0;
  for (std::size_t length = 0; length <= kSession.size(); ++length) {
    if (length > 0 && kSession[length - 1] == '\n') ++whole_lines;
    const ParsedEvents parsed = parse_events(kSession.substr(0, length));
    EXPECT_EQ(parsed.events.size(), whole_lines) << length;
    EXPECT_EQ(parsed.damaged_lines, 0) << length;
  }
}

TEST(EventReader, ARecordAfterATornOneIsRead) {
  const ParsedEvents parsed = parse_events(
      "{\"event\":\"test_star\n{\"event\":\"session_finished\",\"status\":0}\n");
  EXPECT_EQ(parsed.damaged_lines, 1);
  ASSERT_EQ(parsed.events.size(), 1U);
}

TEST(EventReader, ATornRecordThatWasWrittenAgainIsNoDamage) {
  const ParsedEvents parsed = parse_events(
      "{\"event\":\"session_fin\n{\"event\":\"session_finished\",\"status\":0}\n");
  EXPECT_EQ(parsed.damaged_lines, 0);
  ASSERT_EQ(parsed.events.size(), 1U);
}

TEST(EventReader, LinesThatAreNoEventsAreCountedAndLeftOut) {
  for (const std::string_view line :
       {"hello", "[]", "12", "null", "{}", "{\"event\":7}", "{\"event\":\"unknown\",\"id\":\"x\"}",
        "{\"event\":\"test_started\"}", "{\"event\":\"test_finished\",\"id\":\"x\",\"outcome\":\"odd\"}",
        "{\"event\":\"collected\",\"tests\":7}", "{\"event\":\"collected\",\"tests\":[7]}",
        "{\"event\":\"session_finished\"}", "{\"event\":\"session_started\",\"version\":2}",
        "{\"event\":\"test_started\",\"id\":\"\\ud8\"}", "\xff\xfe"}) {
    const ParsedEvents parsed = parse_events(std::string(line) + "\n");
    EXPECT_EQ(parsed.damaged_lines, 1) << line;
    EXPECT_TRUE(parsed.events.empty()) << line;
  }
}

TEST(EventReader, DeeplyNestedJsonIsDamageNotACrash) {
  EXPECT_EQ(parse_events(std::string(200000, '[') + "\n").damaged_lines, 1);
}

TEST(EventReader, LoneSurrogatesBecomeTheReplacementCharacter) {
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"a\\ud800b\"}\n").id,
            "a\xef\xbf\xbd" "b");
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"\\uDCFF\"}\n").id,
            "\xef\xbf\xbd");
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"\\ud83d\\ud83d\\ude00\"}\n").id,
            "\xef\xbf\xbd\xf0\x9f\x98\x80");
}

TEST(EventReader, SurrogatePairsAndEscapedBackslashesAreKept) {
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"\\ud83d\\ude00\"}\n").id,
            "\xf0\x9f\x98\x80");
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"\\\\ud800\"}\n").id,
            "\\ud800");
}

TEST(EventReader, BytesThatAreNotUtf8BecomeTheReplacementCharacter) {
  EXPECT_EQ(only<TestStarted>("{\"event\":\"test_started\",\"id\":\"a\xff\"}\n").id,
            "a\xef\xbf\xbd");
}

TEST(EventReader, FieldsOfAnotherTypeGetTheirDefault) {
  const TestFinished finished = only<TestFinished>(
      R"({"event":"test_finished","id":"x","outcome":"passed","duration_s":"fast","line":1.5,)"
      R"("file":null,"message":[]})"
      "\n");
  EXPECT_EQ(finished.duration_s, 0);
  EXPECT_EQ(finished.line, 0);
  EXPECT_EQ(finished.file, "");
}

TEST(EventReader, AMissingFileIsAnAnswerOfItsOwn) {
  const Result<std::optional<ParsedEvents>> events = read_events("/nonexistent/events.jsonl");
  ASSERT_TRUE(events.has_value());
  EXPECT_FALSE(events->has_value());
}

TEST(EventReader, AnEmptyFileHasNoEvents) {
  const std::string folder = *make_unique_directory(testing::TempDir(), "events");
  const std::string path = folder + "/events.jsonl";
  std::ofstream(path).close();
  const Result<std::optional<ParsedEvents>> events = read_events(path);
  ASSERT_TRUE(events.has_value());
  ASSERT_TRUE(events->has_value());
  EXPECT_TRUE((*events)->events.empty());
  EXPECT_TRUE(remove_tree(folder));
}

}  // namespace
}  // namespace bulkhead
