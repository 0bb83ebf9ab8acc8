// One event of a pytest session, as the plugin (python/bulkhead_plugin.py) writes it.
//
// events.jsonl holds one JSON object a line; docs/formats.md specifies each kind.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "model/outcome.h"

namespace bulkhead {

inline constexpr int kEventsVersion = 1;

struct SessionStarted {
  std::int64_t pid = 0;
  std::string python;  // version
  std::string pytest;  // version
};

// After deselection, just before the first test.
struct Collected {
  std::vector<std::string> tests;  // node ids, in the order they will run
  std::int64_t deselected = 0;
};

struct CollectionFailed {
  std::string id;
  std::string file;  // absolute, or empty
  std::int64_t line = 0;  // 1-based, 0 where unknown
  std::string message;
  std::string details;  // pytest's longrepr
};

// A module that skipped itself (pytest.importorskip, allow_module_level).
struct CollectionSkipped {
  std::string id;
  std::string reason;
};

struct TestStarted {
  std::string id;
  std::string file;
  std::int64_t line = 0;
};

struct TestFinished {
  std::string id;
  TestOutcome outcome = TestOutcome::kPassed;
  double duration_s = 0;
  std::string file;       // of the failing line in the suite's code, absolute; else of the test
  std::int64_t line = 0;  // 1-based
  std::string message;    // one line: the assertion, or the reason of a skip
  std::string details;    // failures: pytest's longrepr, cut in the middle at 64 KiB
  std::string output;     // failures: captured output, cut in the middle at 64 KiB
};

// A test met EMFILE (descriptors of the process) or ENFILE (of the machine).
struct DescriptorsExhausted {
  std::string id;
  std::string error;  // `EMFILE` or `ENFILE`
  std::int64_t pid = 0;
  std::int64_t open = 0;   // descriptors open then, -1 where it could not be counted
  std::int64_t limit = 0;  // the soft limit
};

struct SessionInterrupted {  // KeyboardInterrupt, or pytest.exit
  std::string details;
};

struct InternalError {
  std::string details;
};

struct SessionFinished {
  std::int64_t status = 0;  // the exit status pytest announces
};

using Event = std::variant<SessionStarted, Collected, CollectionFailed, CollectionSkipped,
                           TestStarted, TestFinished, DescriptorsExhausted, SessionInterrupted,
                           InternalError, SessionFinished>;

}  // namespace bulkhead
