#include "run/entry.h"

#include <algorithm>

#include <fmt/format.h>

#include "model/json_text.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process_tree.h"
#include "run/attempt.h"

namespace bulkhead {

namespace {

Status write_started(const EntryFolder& folder, const Entry& entry) {
  const Json started = {{"version", 1},
                        {"name", entry.name},
                        {"file", entry.file},
                        {"pid", own_pid()},
                        {"started_at", wall_clock_s()}};
  return write_file_atomically(folder.started(), dump_json(started) + "\n");
}

// Attempts of earlier invocations in this run. A result that cannot be read is as good as none:
// this invocation writes a whole new one.
std::vector<Attempt> earlier_attempts(const EntryFolder& folder) {
  if (!is_file(folder.result())) return {};
  const auto text = read_file(folder.result());
  if (!text) return {};
  auto result = result_from_text(*text);
  return result ? std::move(result->attempts) : std::vector<Attempt>();
}

bool passed(const Attempt& attempt) {
  return attempt.outcome == Outcome::kPassed || attempt.outcome == Outcome::kLeaky;
}

}  // namespace

bool may_retry(const Attempt& attempt) {
  switch (attempt.outcome) {
    case Outcome::kFailed:
    case Outcome::kCollectionError:
    case Outcome::kInterrupted:
    case Outcome::kInternalError:
    case Outcome::kCrashed:
      return true;
    default:
      return false;
  }
}

EntryVerdict judge_attempts(const std::vector<Attempt>& before,
                            const std::vector<Attempt>& attempts) {
  if (attempts.empty()) return {Outcome::kInfrastructure, "no attempt was made"};
  const Attempt& last = attempts.back();
  EntryVerdict verdict = {last.outcome, last.cause};
  if (!passed(last)) return verdict;
  const auto failed = [](const Attempt& attempt) { return may_retry(attempt); };
  const std::vector<Attempt>* where = &attempts;
  auto first = std::find_if(attempts.begin(), attempts.end(), failed);
  if (first == attempts.end()) {
    where = &before;
    first = std::find_if(before.begin(), before.end(), failed);
  }
  if (first == where->end()) return verdict;
  verdict.outcome = Outcome::kFlaky;
  verdict.cause = fmt::format("failed, then passed on attempt {}; first: {} ({})",
                              before.size() + attempts.size(), first->cause,
                              to_string(first->outcome));
  return verdict;
}

Result<EntryRun> run_entry(const EntryRequest& request, StopSignals& stop) {
  const RunFolder run(request.state.run(request.run_id));
  const EntryFolder folder(run.entry(request.entry.file));
  const bool first_of_run = !is_directory(run.path());
  if (const Status made = make_directories(folder.path()); !made) return propagate(made);
  if (first_of_run) {
    if (const Status linked = replace_symlink(request.state.latest_run(), request.run_id); !linked)
      return propagate(linked);
  }
  const std::vector<Attempt> before = earlier_attempts(folder);
  if (const Status written = write_started(folder, request.entry); !written)
    return propagate(written);

  EntryRun entry_run;
  EntryResult& result = entry_run.result;
  result.name = request.entry.name;
  result.file = request.entry.file;
  result.python = request.suite.python;
  result.python_version = request.suite.python_version;
  result.pytest_version = request.suite.pytest_version;

  const int retries = std::max(0, request.entry.settings.retries.value_or(0));
  std::vector<Attempt> attempts;
  do {
    const int number = static_cast<int>(before.size() + attempts.size()) + 1;
    AttemptRun attempt = run_attempt(request, folder, number, stop);
    if (!attempt.python_version.empty()) {
      result.python_version = attempt.python_version;
      result.pytest_version = attempt.pytest_version;
    }
    attempts.push_back(std::move(attempt.attempt));
    // One that came while nothing ran still counts.
    while (const auto signal = stop.take()) static_cast<void>(signal);
  } while (static_cast<int>(attempts.size()) <= retries && may_retry(attempts.back()) &&
           !stop.requested());

  EntryVerdict verdict = judge_attempts(before, attempts);
  result.outcome = verdict.outcome;
  result.cause = std::move(verdict.cause);
  result.attempts = before;
  result.attempts.insert(result.attempts.end(), attempts.begin(), attempts.end());
  // What was stopped after it had finished is finished.
  if (stop.requested() && result.outcome == Outcome::kInterrupted)
    entry_run.stopped = stop.words();

  // The process that keeps it does that too, unless it was killed.
  if (request.temp_root) static_cast<void>(remove_tree(*request.temp_root));

  // A test may have removed the folder.
  if (const Status made = make_directories(folder.path()); !made) return propagate(made);
  if (request.write_junit) {
    // The report step makes the file's XML from the result and the events where there is none.
    if (const Status written = request.write_junit(result, folder); !written) {
      result.cause += (result.cause.empty() ? "" : "; ") + written.error().message;
      if (!is_failure(result.outcome)) result.outcome = Outcome::kInfrastructure;
    }
  }
  if (const Status written = write_file_atomically(folder.result(), result_to_text(result));
      !written)
    return propagate(written);
  return entry_run;
}

std::vector<EntryVariable> preview_environment(const EntryRequest& request) {
  const EntryFolder entry(
      RunFolder(request.state.run(request.run_id)).entry(request.entry.file));
  const std::string folder = entry.attempt("1");
  const bool narrowed = request.entry.selection == Entry::Selection::kNarrowed;
  return entry_environment(
      request.suite, request.entry,
      {.caller = whole_environment(),
       .plugin_folder = request.state.python(),
       .temp_root = "/tmp/bhXXXXXX/1",
       .events = join_path(folder, kEventsFile),
       .stacks = join_path(folder, kStacksFile),
       .stacks_signal = stacks_signal(),
       .coverage = join_path(folder, kCoverageFile),
       .run_id = request.run_id,
       .only = narrowed ? join_path(request.suite.config.root, request.entry.file) : std::string(),
       .port_first = request.suite.config.ports > 0 ? 20000 : 0,
       .port_count = request.suite.config.ports});
}

}  // namespace bulkhead
