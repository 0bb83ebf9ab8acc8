#include "platform/ports.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace bulkhead {

namespace {

constexpr int kFirst = 20000;
constexpr int kGrain = 20;

// The first port the kernel hands out by itself (ip(7)).
int ephemeral_start() {
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  int start = 0;
  constexpr int kDefault = 32768;
  if (!(file >> start) || start < kFirst + kGrain) return kDefault;
  return start;
}

// The lock's descriptor, or -1 where somebody has it.
int lock_grain(int first) {
  const int lock = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (lock < 0) return -1;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string name = "bulkhead-ports-" + std::to_string(first);
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // a leading NUL: abstract
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  if (::bind(lock, reinterpret_cast<const sockaddr*>(&address), size) == 0) return lock;
  ::close(lock);
  return -1;
}

// Whether a socket can be bound to `address`. To bind the wildcard address collides with whoever
// holds the port on any address of the family.
template <class Address>
bool can_bind(int family, const Address& address) {
  const int probe = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return true;  // no such family here: nothing can be in the way
  if (family == AF_INET6) {
    const int only = 1;  // the other family is asked by itself
    ::setsockopt(probe, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only);
  }
  const bool free =
      ::bind(probe, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 ||
      errno == EADDRNOTAVAIL;  // the family is there, but disabled
  ::close(probe);
  return free;
}

bool port_is_free(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  sockaddr_in6 address6{};
  address6.sin6_family = AF_INET6;
  address6.sin6_port = address.sin_port;
  address6.sin6_addr = in6addr_any;
  return can_bind(AF_INET, address) && can_bind(AF_INET6, address6);
}

}  // namespace

Result<PortRange> PortRange::acquire(int count) {
  const int grains = (count + kGrain - 1) / kGrain;
  const int total = (ephemeral_start() - kFirst) / kGrain;
  const int places = total - grains + 1;
  // Each process starts its search elsewhere, so that ports just used by one entry, some of them
  // still in TIME_WAIT, are not the next one's.
  const int offset = places > 0 ? static_cast<int>(::getpid() % places) : 0;
  for (int place = 0; place < places; ++place) {
    PortRange range(kFirst + (offset + place) % places * kGrain, count);
    for (int grain = 0; grain < grains; ++grain) {
      const int lock = lock_grain(range.first_ + grain * kGrain);
      if (lock < 0) break;
      range.locks_.push_back(lock);
    }
    if (range.locks_.size() != static_cast<std::size_t>(grains)) continue;
    bool free = true;
    for (int port = range.first_; free && port < range.first_ + count; ++port)
      free = port_is_free(port);
    if (free) return Result<PortRange>(std::move(range));
  }
  return fail(fmt::format("no {} free ports between {} and {}", count, kFirst, ephemeral_start()));
}

PortRange::PortRange(PortRange&& other) noexcept
    : first_(other.first_), count_(other.count_), locks_(std::move(other.locks_)) {
  other.locks_.clear();
}

PortRange::~PortRange() {
  for (const int lock : locks_) ::close(lock);
}

}  // namespace bulkhead
