// The verdict on one attempt: the stricter of how its process ended and what its events say.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/entry_result.h"
#include "model/suite.h"
#include "events/session.h"

namespace bulkhead {

struct AttemptFacts {
  std::string file;       // as in Entry::file
  std::string path;       // absolute
  std::string python;     // absolute
  ProcessEnd end;
  std::string start_error;  // why the process could not be started; empty where it was
  double timeout_s = 0;
  bool timed_out = false;
  bool was_suspended = false;  // by SIGSTOP or the like, when its time was over
  std::string stopped;  // `stopped by SIGINT`, `the driver was killed`; empty where it was not
  Session session;
  // Why the record of the session is not to be trusted; empty where it is.
  std::string record_error;
  std::string log_tail;  // of the output; the only source on what failed before there were events
  std::vector<Leftover> leftovers;
  EmptyPolicy on_empty = EmptyPolicy::kSkip;
  LeakPolicy on_leak = LeakPolicy::kWarn;
  bool disk_full = false;
  std::int64_t pid = 0;
  std::int64_t descriptor_limit = 0;
  std::int64_t machine_descriptor_limit = -1;
  std::int64_t peak_descriptors = 0;
  std::int64_t peak_descriptors_pid = 0;
};

struct Verdict {
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;  // empty only where all passed
  std::vector<TestProblem> problems;  // never empty where the outcome is a failure
};

Verdict classify(const AttemptFacts& facts);

// `1 failed, 2 errors, 3 passed`; what is zero is left out, `no tests` where all are.
std::string describe(const TestCounts& counts);

}  // namespace bulkhead
