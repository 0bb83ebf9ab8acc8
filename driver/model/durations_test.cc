#include "model/durations.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

const std::string kOddName = "t/\xff\xfe \"q\" \\ \xc3\xa9 \xf0\x9f\x98\x80 \n]==].py";

TEST(Durations, RoundTripByRelativePath) {
  const Durations durations = {{kOddName, {.seconds = 1.25, .tests = 3}}, {"b.py", {}}};
  const Result<Durations> read = durations_from_text(durations_to_text(durations));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->at(kOddName).tests, 3);
  EXPECT_FALSE(durations_from_text("{\"version\":2,\"files\":{}}"));
  EXPECT_FALSE(durations_from_text("{\"version\":1,\"files\":{\"a\":{\"seconds\":-1,\"tests\":0}}}"));
}

}  // namespace
}  // namespace bulkhead
