// What the events of one pytest session add up to: data in, data out, no judgement. Whether a
// session passed is decided in run/, from this and from how the process ended.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/entry_result.h"
#include "model/event.h"

namespace bulkhead {

struct SessionSummary {
  bool started = false;           // the plugin was loaded
  std::int64_t pid = 0;           // of the process that recorded the session
  std::string python_version;
  std::string pytest_version;
  bool collected = false;         // pytest came to the end of collection
  std::optional<std::int64_t> status;  // what pytest announced; unset: the session has no end
  TestCounts counts;

  // Tests that started and did not finish, in the order of their starts. One, or none, unless a
  // plugin runs tests side by side.
  std::vector<TestStarted> in_flight;
  // Collected tests that did not start, in order.
  std::vector<std::string> never_started;
  // Failures, errors and files that could not be collected, in the order of the events.
  std::vector<TestProblem> problems;

  std::vector<CollectionFailed> collection_failures;
  std::vector<CollectionSkipped> collection_skips;
  std::vector<std::string> skip_reasons;  // distinct, in order; of tests and of modules
  std::vector<DescriptorsExhausted> descriptors_exhausted;
  std::optional<std::string> interrupted;     // details, where the session was interrupted
  std::vector<std::string> internal_errors;   // details
};

// A test that finished more than once (a plugin that repeats tests) counts with its last outcome.
// Events in front of the first session_started are ignored, as is a second session_started of
// another process with all that follows it: only the process that was started counts.
SessionSummary summarize(std::span<const Event> events);

}  // namespace bulkhead
