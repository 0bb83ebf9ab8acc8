// Work that leaves no process behind, however the driver itself ends.
#pragma once

#include <functional>

#include "platform/stop_signals.h"

namespace bulkhead {

// Runs `inner` in a process of its own and returns its exit code. Call it early, while this process
// is small and single-threaded: it forks.
//
// Two processes watch over each other. The outer one is what our caller sees: it waits, hands INT,
// TERM, HUP, QUIT and Ctrl-Z on, and if the inner one is killed kills everything that one left
// (both are subreapers) and returns 3. The inner one has a session of its own, so that no signal
// to our caller's group ends it half-way; it takes requests to stop from `StopSignals`, and one
// comes at once if the outer process is killed (PR_SET_PDEATHSIG), which CTest does with SIGKILL
// at its own time limit.
//
// A caller that is killed leaves nobody who would want the result: with kStop that is a request to
// stop too. With kGoOn the work outlives its caller, as `nohup` users expect.
enum class OnCallerDeath { kStop, kGoOn };
int run_guarded(const std::function<int(StopSignals&)>& inner,
                OnCallerDeath on_caller_death = OnCallerDeath::kStop);

}  // namespace bulkhead
