#include "model/json_text.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

TEST(JsonText, LoneSurrogatesNeverStopTheReader) {
  const auto text = R"({"a":"x\ud800y","b":"\udcff\u00e9","c":"\ud83d\ude00","d":"\\ud800"})";
  const Result<Json> json = parse_json(text);
  ASSERT_TRUE(json) << json.error().message;
  EXPECT_EQ(string_at(*json, "a"), "x\xEF\xBF\xBDy");
  EXPECT_EQ(string_at(*json, "b"), "\xff\xc3\xa9");
  EXPECT_EQ(string_at(*json, "c"), "\xf0\x9f\x98\x80");
  EXPECT_EQ(string_at(*json, "d"), "\\ud800");
}

}  // namespace
}  // namespace bulkhead
