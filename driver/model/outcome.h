// The outcome of an entry (one test file in one run), and of one test.
#pragma once

#include <optional>
#include <string_view>

namespace bulkhead {

// An outcome is a value, not an error: a crashed test file is an ordinary thing to report.
enum class Outcome {
  kPassed,
  kLeaky,            // passed, but left processes behind
  kFlaky,            // failed, then passed on a retry
  kSkipped,          // every test was skipped
  kEmpty,            // nothing collected, or everything deselected
  kFailed,           // at least one test failed
  kCollectionError,  // the file could not be collected
  kInterrupted,      // the session ended early
  kInternalError,    // pytest itself, or a plugin, failed
  kUsageError,       // pytest refused its options, or a conftest could not be imported
  kCrashed,          // died of a signal, of os._exit, or left no finished session
  kTimedOut,
  kInfrastructure,   // Bulkhead, Python or the machine failed, not a test
};

// `passed`, `timed out`, …: the words in results, reports and the manual.
std::string_view to_string(Outcome outcome);
std::optional<Outcome> outcome_from_string(std::string_view word);

// Whether the outcome alone makes its run red. Leaky counts as a pass here: the policy that makes
// it a failure (`on-leak = "fail"`) turns it into kFailed when the attempt is judged.
bool is_failure(Outcome outcome);

enum class TestOutcome { kPassed, kFailed, kError, kSkipped, kXfailed, kXpassed };

// `passed`, `failed`, `error`, `skipped`, `xfailed`, `xpassed`: pytest's own words.
std::string_view to_string(TestOutcome outcome);
std::optional<TestOutcome> test_outcome_from_string(std::string_view word);

// Failed or error.
bool is_failure(TestOutcome outcome);

}  // namespace bulkhead
