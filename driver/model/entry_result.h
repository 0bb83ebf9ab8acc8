// The result of one entry in one run: what `exec` writes as result.json and `report` reads.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/outcome.h"

namespace bulkhead {

inline constexpr int kResultVersion = 1;

struct TestCounts {
  std::int64_t collected = 0;  // after deselection
  std::int64_t deselected = 0;
  std::int64_t passed = 0;
  std::int64_t failed = 0;
  std::int64_t errors = 0;
  std::int64_t skipped = 0;
  std::int64_t xfailed = 0;
  std::int64_t xpassed = 0;
  std::int64_t not_run = 0;  // collected, never finished
};

// How a process ended. A signal is never folded into a code.
struct ProcessEnd {
  enum class Kind { kNotStarted, kExited, kSignaled } kind = Kind::kNotStarted;
  int code = 0;    // kExited
  int signal = 0;  // kSignaled
};

// A test that did not pass: failed, in error, or in flight when the process ended.
struct TestProblem {
  std::string id;       // node id; the file's name where the file itself failed
  std::string file;     // absolute
  std::int64_t line = 0;  // 1-based, 0 where unknown
  std::string message;  // one line
};

struct Leftover {
  std::int64_t pid = 0;
  std::string command;
  double age_s = 0;
};

struct Attempt {
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;  // one line for a person: `exited 0 without finishing its report`
  ProcessEnd end;
  double started_at = 0;  // seconds since the epoch
  double duration_s = 0;
  double user_s = 0;  // CPU of the whole tree
  double system_s = 0;
  std::int64_t peak_rss_kib = 0;
  std::int64_t peak_descriptors = 0;
  std::int64_t peak_descriptors_pid = 0;
  std::int64_t descriptor_limit = 0;
  TestCounts counts;
  std::string in_flight;  // node id of the test that was running when the process ended
  std::vector<TestProblem> problems;
  std::vector<Leftover> leftovers;
  std::string folder;  // of its artifacts, relative to the entry's folder: `1`, `2`, …
};

struct EntryResult {
  std::string name;
  std::string file;
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;
  std::string python;          // the interpreter
  std::string python_version;
  std::string pytest_version;
  std::vector<Attempt> attempts;  // at least one; the last one decides, but for flaky
};

std::string result_to_text(const EntryResult& result);

// Errors name what is wrong with the text; an unknown version is refused.
Result<EntryResult> result_from_text(std::string_view text);

}  // namespace bulkhead
