#include "model/entry_result.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

const std::string kOddName = "t/\xff\xfe \"q\" \\ \xc3\xa9 \xf0\x9f\x98\x80 \n]==].py";

TEST(EntryResult, RoundTripsAndATornOneIsAnError) {
  EntryResult result;
  result.name = kOddName;
  result.file = kOddName;
  result.outcome = Outcome::kCrashed;
  Attempt attempt;
  attempt.end = {.kind = ProcessEnd::Kind::kSignaled, .signal = 11};
  attempt.problems = {{.id = "a.py::t[\xff]", .file = "/r/a.py", .line = 3, .message = "m"}};
  attempt.leftovers = {{.pid = 7, .command = "sleep 1", .age_s = 0.5}};
  attempt.counts.passed = 3;
  result.attempts = {attempt};
  const std::string text = result_to_text(result);
  const Result<EntryResult> read = result_from_text(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(result_to_text(*read), text);
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    EXPECT_FALSE(result_from_text(text.substr(0, length))) << length;
}

}  // namespace
}  // namespace bulkhead
