// The report of one file, complete whatever happened to its session.
//
// Three sources are put together: pytest's own XML, which exists only after a whole session and may
// be torn or ill-formed; the plugin's events, which are on disk test by test; and what the driver
// saw (the Attempt). The rules:
//   - One testcase a test. pytest's case is kept where there is one (properties, captured output);
//     everything else comes from the events. Of two verdicts on a test the stricter holds.
//   - The test that was running when the session ended is an `<error>` with the cause and the
//     stacks. Tests that were collected and never ran are `<skipped message="not run: …">`: they
//     did not pass, nor are they to blame, and the error beside them keeps the file red.
//   - What failed the file as a whole (usage error, collection error, leak policy, infrastructure,
//     a time limit between tests) is an `<error>` case named after the file.
//   - A case of pytest's without a name (a test that never finished) is the test in flight.
//   - Equal addresses are never folded: parametrised ids may repeat.
//   - A test that failed before it passed carries each failure as `<flakyFailure>`; one that never
//     passed keeps the first failure and carries the later ones as `<rerunFailure>`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "junit/model.h"
#include "model/entry_result.h"
#include "model/event.h"

namespace bulkhead {

struct AttemptRecord {
  Attempt attempt;
  std::vector<Event> events;
  std::optional<std::string> pytest_xml;  // as read; unset where the file does not exist
  std::string stacks;                     // faulthandler's dump, may be empty
  std::string output_tail;                // end of output.log, shown where the file itself failed
};

struct FileRecord {
  std::string file;  // Entry::file
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;
  std::vector<AttemptRecord> attempts;
};

struct CompletedReport {
  TestSuite suite;  // named after the file
  std::vector<std::string> warnings;  // e.g. `pytest's XML of attempt 1 is unusable: line 7: …`
};

CompletedReport complete_report(const FileRecord& record);

inline constexpr const char* kNotRunType = "bulkhead.not-run";

}  // namespace bulkhead
