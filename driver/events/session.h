// What the events of one pytest session add up to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/entry_result.h"
#include "model/event.h"

namespace bulkhead {

struct Session {
  std::optional<SessionStarted> started;
  std::optional<Collected> collected;
  std::vector<CollectionFailed> collection_failures;
  std::vector<CollectionSkipped> collection_skips;
  // One for each time a test was collected: where a plugin repeats a test, its last end counts.
  std::vector<TestFinished> finished_tests;
  std::optional<TestStarted> in_flight;  // started, not finished
  std::vector<DescriptorsExhausted> exhaustions;
  std::optional<SessionInterrupted> interrupted;
  std::vector<InternalError> internal_errors;
  std::optional<std::int64_t> finished_status;

  TestCounts counts() const;
};

// `pid` is the process that was started. Only its events count, not those of a second session that
// found the event file; where no session has that pid (`python` may be a script that forks), those
// of the first session that started.
Session session_of(const std::vector<Event>& events, std::int64_t pid);

}  // namespace bulkhead
