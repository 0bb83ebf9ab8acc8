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

// Whether a range is passed over in which somebody listens at `address`, whose port is set here.
template <class Address>
bool passes_over(int family, Address& address, in_port_t& port_of_address) {
  std::optional<PortRange> taken;
  taken.emplace(std::move(*PortRange::acquire(20)));
  const int port = taken->first() + 7;
  port_of_address = htons(static_cast<std::uint16_t>(port));
  const int listener = ::socket(family, SOCK_STREAM, 0);
  const bool listens =
      ::bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener, 1) == 0;
  EXPECT_TRUE(listens);
  taken.reset();
  const auto other = PortRange::acquire(20);
  ::close(listener);
  return other && !(other->first() <= port && port < other->first() + other->count());
}

TEST(PortRange, ARangeWithAListenerIsPassedOver) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  for (const in_addr_t host : {INADDR_ANY, INADDR_LOOPBACK, INADDR_LOOPBACK + 1}) {
    address.sin_addr.s_addr = htonl(host);
    EXPECT_TRUE(passes_over(AF_INET, address, address.sin_port)) << host;
  }
}

TEST(PortRange, ARangeWithAnIpv6ListenerIsPassedOver) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  const int probe = ::socket(AF_INET6, SOCK_STREAM, 0);
  const bool there =
      probe >= 0 &&
      ::bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  ::close(probe);
  if (!there) GTEST_SKIP() << "there is no IPv6 loopback here";
  EXPECT_TRUE(passes_over(AF_INET6, address, address.sin6_port));
}

TEST(PortRange, MorePortsThanThereAreIsAnError) { EXPECT_FALSE(PortRange::acquire(60000)); }

}  // namespace
}  // namespace bulkhead
