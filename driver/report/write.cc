#include "report/write.h"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "junit/merge.h"
#include "model/layout.h"
#include "platform/files.h"
#include "report/summary.h"

namespace bulkhead {

namespace {

bool tells_duration(Outcome outcome) {
  switch (outcome) {
    case Outcome::kPassed:
    case Outcome::kLeaky:
    case Outcome::kFlaky:
    case Outcome::kSkipped:
    case Outcome::kEmpty:
    case Outcome::kFailed: return true;
    case Outcome::kCollectionError:
    case Outcome::kInterrupted:
    case Outcome::kInternalError:
    case Outcome::kUsageError:
    case Outcome::kCrashed:
    case Outcome::kTimedOut:
    case Outcome::kInfrastructure: return false;
  }
  return false;
}

// By file system copy and not through memory: the merged report of a large suite is large.
Status copy_atomically(const std::string& from, const std::string& to) {
  const Result<std::string> folder = make_unique_directory(parent_of(to), ".junit-");
  if (!folder) return propagate(folder, fmt::format("cannot write '{}'", to));
  const std::string copy = join_path(*folder, "copy");
  std::error_code error;
  std::filesystem::copy_file(from, copy, error);
  if (!error) std::filesystem::rename(copy, to, error);
  static_cast<void>(remove_tree(*folder));
  if (error) return fail(fmt::format("cannot write '{}': {}", to, error.message()));
  return {};
}

}  // namespace

Durations durations_of(const RunReport& report) {
  Durations durations;
  for (const EntryReport& entry : report.entries) {
    if (entry.state != EntryReport::State::kReported || entry.attempts.empty()) continue;
    const Attempt& last = entry.attempts.back();
    if (!tells_duration(entry.outcome) || !tells_duration(last.outcome)) continue;
    durations[entry.file] = {.seconds = last.duration_s, .tests = last.counts.collected};
  }
  return durations;
}

Result<std::vector<std::string>> merge_durations(const std::string& path,
                                                 const std::string& lock_path,
                                                 const Durations& learnt) {
  std::vector<std::string> warnings;
  const Result<FileLock> lock = FileLock::acquire(lock_path);
  if (!lock) return propagate(lock);
  Durations merged;
  if (is_file(path)) {
    const Result<std::string> text = read_file(path);
    if (!text) return propagate(text);
    Result<Durations> recorded = durations_from_text(*text);
    if (recorded) {
      merged = std::move(*recorded);
    } else if (recorded.error().message.find("has version") != std::string::npos) {
      return fail(fmt::format("'{}' {}; it was left alone", path, recorded.error().message));
    } else {
      warnings.push_back(fmt::format("the damaged record of durations '{}' was replaced: {}", path,
                                     recorded.error().message));
    }
  }
  for (const auto& [file, duration] : learnt) merged[file] = duration;
  if (const Status written = write_file_if_changed(path, durations_to_text(merged)); !written)
    return propagate(written);
  return warnings;
}

std::vector<std::string> prune_runs(const ReportInputs& inputs) {
  std::vector<std::string> warnings;
  if (inputs.keep_runs <= 0) return warnings;
  const StateFolder state(inputs.state);
  const auto items = list_directory(state.runs());
  if (!items) return warnings;
  struct Run {
    std::int64_t changed_ns;
    std::string id;
  };
  std::vector<Run> runs;
  const std::string latest = real_path(state.latest_run());
  for (const DirectoryItem& item : *items) {
    if (!item.directory || item.name == "latest" || item.name == inputs.run_id) continue;
    const std::string path = state.run(item.name);
    if (real_path(path) == latest) continue;
    if (const auto stamp = stamp_of(path)) runs.push_back({stamp->mtime_ns, item.name});
  }
  std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) {
    return a.changed_ns != b.changed_ns ? a.changed_ns > b.changed_ns : a.id > b.id;
  });
  // The current run is one of those kept.
  for (std::size_t i = static_cast<std::size_t>(inputs.keep_runs) - 1; i < runs.size(); ++i) {
    if (inputs.is_run_alive && inputs.is_run_alive(runs[i].id)) continue;
    if (const Status removed = remove_tree(state.run(runs[i].id)); !removed)
      warnings.push_back(removed.error().message);
  }
  return warnings;
}

Result<WrittenReports> write_reports(const ReportInputs& inputs, RunReport& report) {
  const StateFolder state(inputs.state);
  const RunFolder run(state.run(inputs.run_id));
  if (const Status made = make_directories(run.path()); !made) return propagate(made);

  WrittenReports written;
  std::vector<MergeInput> reports;
  std::vector<std::size_t> entries;  // of each input
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const EntryReport& entry = report.entries[i];
    if (entry.junit.empty()) continue;
    reports.push_back({entry.junit, entry.file});
    entries.push_back(i);
  }
  MergeOptions options;
  options.name = report.suite;
  options.time_s = report.duration_s;
  options.extra = report.extra_suites;
  const Result<MergeReport> merged = merge_junit(reports, run.junit(), options);
  if (!merged) return propagate(merged);
  written.junit = merged->totals;
  for (const MergeReport::Unreadable& unreadable : merged->unreadable) {
    EntryReport& entry = report.entries[entries[unreadable.input]];
    entry.state = EntryReport::State::kUnreadable;
    if (is_failure(entry.outcome)) {
      written.warnings.push_back(unreadable.why);
    } else {
      entry.outcome = Outcome::kInfrastructure;
      entry.cause = unreadable.why;
    }
  }
  if (!merged->unreadable.empty()) judge_run(inputs, report);
  if (const Status copied = copy_atomically(run.junit(), state.junit()); !copied)
    return propagate(copied);
  if (const Status summary = write_file_atomically(run.summary(), summary_text(report, {}));
      !summary)
    return propagate(summary);

  if (inputs.record_durations) {
    const auto warnings =
        merge_durations(state.durations(), state.durations_lock(), durations_of(report));
    if (!warnings) {
      written.warnings.push_back(warnings.error().message);
    } else {
      written.warnings.insert(written.warnings.end(), warnings->begin(), warnings->end());
    }
  }
  for (std::string& warning : prune_runs(inputs)) written.warnings.push_back(std::move(warning));
  return written;
}

}  // namespace bulkhead
