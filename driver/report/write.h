// Writes what a run leaves for others: runs/<run>/junit.xml, a copy of it as <state>/junit.xml,
// runs/<run>/summary.txt and durations.json; and prunes old runs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "junit/model.h"
#include "model/durations.h"
#include "report/run_report.h"

namespace bulkhead {

struct WrittenReports {
  JunitTotals junit;
  std::vector<std::string> warnings;  // each for a person to see; none makes a green run red
};

// All of it. Each file is replaced in one step. An entry whose own report turns out unreadable is
// an infrastructure failure in `report` too. Errors: junit.xml or summary.txt cannot be written.
Result<WrittenReports> write_reports(const ReportInputs& inputs, RunReport& report);

// The durations a run teaches: of each file's last attempt, where it came to its end by itself. A
// time limit, a crash or an interruption says nothing about how long the file takes.
Durations durations_of(const RunReport& report);

// Puts `learnt` into the record at `path`, the last value winning, under the lock at `lock_path`:
// two runs may end at once. A damaged record is replaced and gives a warning; one of another
// version is left alone and is an error.
Result<std::vector<std::string>> merge_durations(const std::string& path,
                                                 const std::string& lock_path,
                                                 const Durations& learnt);

// Removes the oldest runs beyond `inputs.keep_runs`; never the current one, nor one that is going.
// Gives a warning for each that could not be removed.
std::vector<std::string> prune_runs(const ReportInputs& inputs);

}  // namespace bulkhead
