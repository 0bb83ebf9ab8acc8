// The report of one run: pure data, made from what the run's entries left on disk.
//
// Every number is recounted from the results. An entry whose result is torn, of another version or
// missing is an entry all the same, with the fault as its cause: nothing is dropped in silence.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "junit/model.h"
#include "model/entry_result.h"
#include "model/event.h"
#include "model/outcome.h"

namespace bulkhead {

// An entry by its CTest name, and the test file it runs.
struct EntryName {
  std::string name;
  std::string file;
};

struct ReportInputs {
  std::string state;    // the suite's state folder, absolute
  std::string run_id;   // the folder below `runs/`
  std::string suite = "tests";
  std::string root;     // absolute; paths below it are shown relative to it
  std::vector<EntryName> known;  // the manifest's entries: they name folders without a result
  // The entries that had to report; unset where nobody knows. Empty: nothing was selected.
  std::optional<std::vector<EntryName>> expected;
  // Why the run ended before all expected entries started: `interrupted by SIGINT`, `stopped at
  // the first failure`. Entries that never started are then no infrastructure failure.
  std::string stopped;
  int stopped_by_signal = 0;
  std::vector<std::string> rerun;  // as SuiteConfig::rerun
  std::string working_directory;   // absolute: the reader's, for names in `rerun`
  // events.jsonl to events, as far as they go: for entries that did not finish.
  std::function<std::vector<Event>(std::string_view text)> read_events;
  // Off where only some tests of a file ran (`-k`): such durations say nothing about the file.
  bool record_durations = true;
  int keep_runs = 0;  // prune to so many runs; 0: prune nothing
  // Whether the run of that id is still going; such a run is never pruned.
  std::function<bool(std::string_view run_id)> is_run_alive;
};

struct EntryReport {
  enum class State {
    kReported,
    kUnreadable,     // its result or its report is torn, missing or of an unknown version
    kDidNotFinish,   // began, and left no result
    kNeverReported,  // expected, and not a trace of it
    kNotStarted,     // expected, and the run was stopped before
  };
  std::string name;
  std::string file;
  std::string folder;  // absolute; empty where there is none
  State state = State::kReported;
  Outcome outcome = Outcome::kInfrastructure;
  std::string cause;
  std::vector<Attempt> attempts;
  std::string log;    // output.log of the last attempt, absolute; empty where there is none
  std::string junit;  // its report, absolute; empty where there is none
  double duration_s = 0;  // of all attempts
  std::string rerun;  // a command for a POSIX shell
};

struct RunReport {
  std::string run_id;
  std::string suite;
  std::string root;
  std::vector<EntryReport> entries;  // sorted by file, then name
  // Indexes into `entries`. Failed and infrastructure are disjoint; files that were never started
  // because the run was stopped are in neither.
  std::vector<std::size_t> failed;
  std::vector<std::size_t> infrastructure;
  std::vector<std::size_t> not_started;
  std::vector<std::size_t> flaky;
  std::vector<std::size_t> leaky;
  std::vector<std::size_t> skipped;  // skipped or empty
  std::vector<std::size_t> slowest;  // at most ten, the slowest first
  std::array<std::size_t, 13> files{};  // by Outcome, without those not started
  TestCounts tests;                     // of each entry's last attempt
  double duration_s = 0;                // from the first start to the last end
  std::vector<TestSuite> extra_suites;  // for the merged JUnit: entries without a report
  std::vector<std::string> warnings;
  int exit_code = 0;    // model/exit_codes.h, or 128 + N
  std::string verdict;  // one line: `1 of 3 files failed`
};

// Errors: the run does not exist and nobody knows what should have been in it.
Result<RunReport> build_report(const ReportInputs& inputs);

// Sorts the entries out and judges the run by them; again, where an entry has changed.
void judge_run(const ReportInputs& inputs, RunReport& report);

// `^tests/test_a\.py$`: matches the name alone, in CMake's and in POSIX extended syntax.
std::string exact_regex(std::string_view name);

// `rerun` (SuiteConfig::rerun) for one entry, quoted for a POSIX shell; empty where it is. A file
// below `working_directory` (absolute) is named relative to it, another by its whole path.
std::string rerun_command(const std::vector<std::string>& rerun, const EntryName& entry,
                          const std::string& root, const std::string& working_directory);

}  // namespace bulkhead
