// What the entries of a run left in their folders.
#pragma once

#include <vector>

#include "base/result.h"
#include "report/run_report.h"

namespace bulkhead {

struct EntriesOnDisk {
  std::vector<EntryReport> entries;
  std::vector<TestSuite> extra_suites;  // of entries that did not finish
};

// Every folder of the run is one entry. A run folder that does not exist has none.
Result<EntriesOnDisk> read_entries(const ReportInputs& inputs);

}  // namespace bulkhead
