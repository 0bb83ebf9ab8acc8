// The discovery step: configuration and tree in, manifest and CTest include file out.
//
// Runs at every `ctest`, so it first asks its cache (freshness.h) whether anything changed. If not,
// nothing is written and no Python starts. If only test files changed inside, their directives are
// read anew; if only durations did, the costs. Anything else asks pytest (lister.h).
//
// Two `ctest` at once are fine: whoever comes second waits for the lock and finds the work done.
// Where discovery fails, the next one starts from nothing.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "model/manifest.h"
#include "platform/process.h"

namespace bulkhead {

struct DiscoverRequest {
  std::string state;     // the suite's state folder, absolute; holds suite.json
  bool refresh = false;  // ask pytest, however fresh the cache is
  std::string driver;    // for the CTest entries, absolute; empty: this executable
  // What pytest is started with; unset: the caller's, see lister_environment().
  std::optional<Environment> environment;
};

struct Discovery {
  enum class Work {
    kNone,     // all was fresh
    kUpdated,  // directives, costs or lost output files
    kListed,   // pytest was asked
  } work = Work::kNone;
  std::string reason;  // why pytest was asked
};

// Errors of the configuration and of directives are usage errors with `file:line`; what Python or
// the machine could not do is infrastructure. A suite that pytest can list only without its
// conftests or addopts is no error here: Suite::listing_error says so, and its run will be red.
Result<Discovery> discover(const DiscoverRequest& request);

}  // namespace bulkhead
