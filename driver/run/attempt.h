// One attempt at an entry.
#pragma once

#include <string>

#include "model/entry_result.h"
#include "model/layout.h"
#include "platform/stop_signals.h"
#include "run/entry.h"

namespace bulkhead {

struct AttemptRun {
  Attempt attempt;
  std::string python_version;  // empty where pytest never started
  std::string pytest_version;
};

// Runs it in the fresh folder `number` of the entry's folder. Never fails: what goes wrong is the
// attempt's outcome, infrastructure.
AttemptRun run_attempt(const EntryRequest& request, const EntryFolder& entry, int number,
                       StopSignals& stop);

}  // namespace bulkhead
