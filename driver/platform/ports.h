// Free TCP ports for one entry, so that test files which run side by side do not collide.
#pragma once

#include <vector>

#include "base/result.h"

namespace bulkhead {

// A range of ports that no other Bulkhead entry of this network namespace has, and on which
// nothing listened when it was taken. Held while the object lives.
//
// Ports come in grains of 20 from 20000 up to the ephemeral range, from which the kernel hands out
// ports by itself. The lock of a grain is an abstract AF_UNIX socket with the name
// `bulkhead-ports-<first port>`: like the ports it belongs to the network namespace, and the kernel
// frees it when its holder dies, however it dies (unix(7)).
class PortRange {
 public:
  // `count` is at least 1. An error where no range is free.
  static Result<PortRange> acquire(int count);

  PortRange(PortRange&& other) noexcept;
  PortRange& operator=(PortRange&&) = delete;
  ~PortRange();

  int first() const { return first_; }
  int count() const { return count_; }

 private:
  PortRange(int first, int count) : first_(first), count_(count) {}
  int first_;
  int count_;
  std::vector<int> locks_;
};

}  // namespace bulkhead
