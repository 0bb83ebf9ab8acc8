// Which entries a running `ctest` was asked for, read off its command line, so that the report can
// tell an entry that was not selected from one that never reported.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace bulkhead {

struct CtestInvocation {
  enum class Mode {
    kRun,
    kList,     // -N, --show-only, --print-labels, --help, …: nothing runs, output must stay pure
    kUnknown,  // a dashboard script or a mode whose selection cannot be asked for
  };
  Mode mode = Mode::kRun;
  // Arguments behind `ctest` that select the same entries and print them as JSON: the selection's
  // own, then `--show-only=json-v1`. Empty unless kRun. Ask in the folder whose tests that process
  // runs; with a preset, in the source folder.
  std::vector<std::string> ask;
  bool selects = false;          // the arguments narrow the set of entries, or a preset may
  bool preset = false;
  bool stop_on_failure = false;  // entries may rightly be missing after a failure
  // The answer changes once that ctest has ended: it is CTest's own record of an earlier run.
  bool by_earlier_run = false;
};

// `command_line` with the program's name in front, as /proc/PID/cmdline has it.
CtestInvocation read_ctest_command_line(const std::vector<std::string>& command_line);

// The names in the answer of `ctest --show-only=json-v1`, in its order.
Result<std::vector<std::string>> names_in_show_only(std::string_view json);

}  // namespace bulkhead
