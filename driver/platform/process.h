// Child processes: one that is waited for with its output captured (short helpers such as the
// lister), and, in process_tree.h, one that is watched with all its descendants.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/entry_result.h"

namespace bulkhead {

using Environment = std::vector<std::pair<std::string, std::string>>;

struct Command {
  std::vector<std::string> argv;             // argv[0] is looked up on PATH where it has no `/`
  std::string working_directory;             // empty: ours
  std::optional<Environment> environment;    // unset: ours
};

struct CapturedProcess {
  ProcessEnd end;
  std::string out;  // each at most 16 MiB, then cut
  std::string err;
  bool timed_out = false;
};

// Runs `command` to its end with stdin at /dev/null, in a session of its own; after `timeout_s`
// its group is killed. An error only where it could not be started: `cannot run 'x': No such file
// or directory`. Its pipes are drained for at most a second after it ended, whoever holds them.
Result<CapturedProcess> run_captured(const Command& command, double timeout_s);

// `exit status 3`, `killed by SIGSEGV`, `not started`.
std::string describe(const ProcessEnd& end);
// `SIGSEGV`; `signal 77` where it has no name.
std::string signal_name(int signal);

}  // namespace bulkhead
