// Runs one entry to its end: every attempt, its verdict, and its result on disk.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "model/entry_result.h"
#include "model/layout.h"
#include "model/suite.h"
#include "platform/stop_signals.h"
#include "run/environment.h"

namespace bulkhead {

struct EntryRequest {
  Suite suite;
  Entry entry;
  StateFolder state;
  std::string run_id;
  Result<std::string> temp_root;  // run/temp_root.h; an error where there is none
  // Writes the entry's junit.xml from the artifacts of its attempts; called once, before
  // result.json is written. `attempts_folder` of each attempt is `entry.attempt(attempt.folder)`.
  std::function<Status(const EntryResult& result, const EntryFolder& entry)> write_junit;
};

// `result` is on disk. `stopped` is how the run of it was stopped, empty where it was not.
struct EntryRun {
  EntryResult result;
  std::string stopped;
};

// Call it in run_guarded: this process must be a subreaper. Attempts that this entry already made
// in the run (ctest --repeat) stay in front of the new ones. An error only where no result could
// be written at all.
Result<EntryRun> run_entry(const EntryRequest& request, StopSignals& stop);

// The environment it would get now; folders that would be made are placeholders.
std::vector<EntryVariable> preview_environment(const EntryRequest& request);

// What `attempts` of one invocation make of the entry. `before` are those of earlier ones.
struct EntryVerdict {
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;
};
EntryVerdict judge_attempts(const std::vector<Attempt>& before,
                            const std::vector<Attempt>& attempts);

// Whether another attempt may follow this one: not after a usage error or a fault of the machine,
// which would only come again, nor after a time-out, which a pass would not make a flake.
bool may_retry(const Attempt& attempt);

}  // namespace bulkhead
