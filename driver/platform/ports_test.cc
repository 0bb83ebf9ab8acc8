#include "platform/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>
#include <optional>
#include <utility>

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

bool apart(const PortRange& a, const PortRange& b) {
  return a.first() + a.count() <= b.first() || b.first() + b.count() <= a.first();
}

TEST(PortRange, TwoHoldersNeverShareAPort) {
  const auto first = PortRange::acquire(20);
  const auto second = PortRange::acquire(45);
  const auto third = PortRange::acquire(1);
  ASSERT_TRUE(first && second && third);
  EXPECT_TRUE(apart(*first, *second));
  EXPECT_TRUE(apart(*second, *third));
  EXPECT_TRUE(apart(*first, *third));
  EXPECT_GE(first->first(), 20000);
}

TEST(PortRange, IsFreeAgainAfterItsHolder) {
  int first = 0;
  {
    const auto held = PortRange::acquire(20);
    ASSERT_TRUE(held);
    first = held->first();
  }
  const auto again = PortRange::acquire(20);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->first(), first);
}

TEST(PortRange, ARangeWithAListenerIsPassedOver) {
  std::optional<PortRange> taken;
  taken.emplace(std::move(*PortRange::acquire(20)));
  const int port = taken->first() + 7;
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  taken.reset();
  const auto other = PortRange::acquire(20);
  ASSERT_TRUE(other);
  EXPECT_FALSE(other->first() <= port && port < other->first() + other->count());
  ::close(listener);
}

TEST(PortRange, MorePortsThanThereAreIsAnError) { EXPECT_FALSE(PortRange::acquire(60000)); }

}  // namespace
}  // namespace bulkhead
