// Which run a process belongs to.
//
// A run is what one CTest process starts, whoever started that: a terminal, an IDE or a CI job. Its
// id is made of the boot, the pid and the start time of that process, which name it for good;
// nothing has to be handed from entry to entry. `bulkhead test`, which has to know its run before
// CTest starts, names it so by its own process, in the environment.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "platform/environment.h"

namespace bulkhead {

inline constexpr const char* kRunIdVariable = "BULKHEAD_RUN_ID";

struct RunIdentity {
  std::string id;
  std::optional<ProcessInfo> ctest;  // unset where no CTest process is among the ancestors
};

// $BULKHEAD_RUN_ID where it is set; else of the nearest ancestor that is CTest (there may be a
// launcher between: srun, valgrind); else of this process alone.
RunIdentity current_run();

// The id of the run that a process starts: CTest, or `bulkhead test`.
std::string run_id_of(const ProcessInfo& process);

// Whether the process that an id speaks of is still running.
bool is_run_alive(std::string_view run_id);

}  // namespace bulkhead
