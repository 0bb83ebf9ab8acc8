// The report as a step that several commands take.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "commands/run_identity.h"
#include "model/layout.h"
#include "model/manifest.h"
#include "report/run_report.h"

namespace bulkhead {

struct ReportRequest {
  StateFolder state;
  Manifest manifest;
  std::string run_id;
  std::optional<std::vector<EntryName>> expected;  // unset: nobody knows
  std::string stopped;             // why the run ended early; empty where it did not
  int stopped_by_signal = 0;
};

// Builds the report of a run and writes all its files.
Result<RunReport> report_run(const ReportRequest& request);

// Prints the summary to standard output, in ASCII where the locale is not UTF-8.
void print_summary(const RunReport& report);

}  // namespace bulkhead
