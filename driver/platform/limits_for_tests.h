// Limits and peaks of this very process, for tests that promise to stay within some.
#pragma once

#include <sys/resource.h>

namespace bulkhead {

// Peak resident memory so far, in KiB.
inline long peak_rss_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

// For good: call it in a process of its own.
inline void lower_descriptor_limit(rlim_t descriptors) {
  const rlimit limit{descriptors, descriptors};
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace bulkhead
