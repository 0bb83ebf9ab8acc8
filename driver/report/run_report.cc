#include "report/run_report.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"
#include "junit/complete.h"
#include "model/exit_codes.h"
#include "model/layout.h"
#include "platform/files.h"
#include "report/entries_on_disk.h"

namespace bulkhead {

namespace {

using State = EntryReport::State;

constexpr std::size_t kSlowest = 10;

void add_expected(const ReportInputs& inputs, RunReport& report) {
  if (!inputs.expected) return;
  std::set<std::string> reported;
  for (const EntryReport& entry : report.entries) reported.insert(entry.name);
  for (const EntryName& expected : *inputs.expected) {
    if (!reported.insert(expected.name).second) continue;
    EntryReport missing;
    missing.name = expected.name;
    missing.file = expected.file;
    missing.state = inputs.stopped.empty() ? State::kNeverReported : State::kNotStarted;
    missing.cause = inputs.stopped.empty() ? "never reported: it left no trace in the run"
                                           : "not run: " + inputs.stopped;
    TestSuite suite;
    if (missing.state == State::kNotStarted) {
      suite.name = missing.file;
      suite.file = missing.file;
      suite.cases.push_back({.name = missing.file, .file = missing.file});
      suite.cases[0].problems.push_back(
          {CaseProblem::Kind::kSkipped, missing.cause, kNotRunType, ""});
    } else {
      suite = complete_report({missing.file, Outcome::kInfrastructure, missing.cause, {}}).suite;
    }
    report.extra_suites.push_back(std::move(suite));
    report.entries.push_back(std::move(missing));
  }
}

void add_counts(TestCounts& sum, const TestCounts& more) {
  sum.collected += more.collected;
  sum.deselected += more.deselected;
  sum.passed += more.passed;
  sum.failed += more.failed;
  sum.errors += more.errors;
  sum.skipped += more.skipped;
  sum.xfailed += more.xfailed;
  sum.xpassed += more.xpassed;
  sum.not_run += more.not_run;
}

void sort_out(RunReport& report) {
  double first_start = 0;
  double last_end = 0;
  for (std::size_t i = 0; i < report.entries.size(); ++i) {
    const EntryReport& entry = report.entries[i];
    if (entry.state == State::kNotStarted) {
      report.not_started.push_back(i);
      continue;
    }
    ++report.files[static_cast<std::size_t>(entry.outcome)];
    if (entry.outcome == Outcome::kInfrastructure) {
      report.infrastructure.push_back(i);
    } else if (is_failure(entry.outcome)) {
      report.failed.push_back(i);
    }
    if (entry.outcome == Outcome::kFlaky) report.flaky.push_back(i);
    if (entry.outcome == Outcome::kLeaky) report.leaky.push_back(i);
    if (entry.outcome == Outcome::kSkipped || entry.outcome == Outcome::kEmpty)
      report.skipped.push_back(i);
    if (!entry.attempts.empty()) add_counts(report.tests, entry.attempts.back().counts);
    for (const Attempt& attempt : entry.attempts) {
      if (attempt.started_at <= 0) continue;
      if (first_start <= 0) first_start = attempt.started_at;
      first_start = std::min(first_start, attempt.started_at);
      last_end = std::max(last_end, attempt.started_at + attempt.duration_s);
    }
    if (entry.duration_s > 0) report.slowest.push_back(i);
  }
  report.duration_s = std::max(0.0, last_end - first_start);
  std::stable_sort(report.slowest.begin(), report.slowest.end(),
                   [&](std::size_t a, std::size_t b) {
                     return report.entries[a].duration_s > report.entries[b].duration_s;
                   });
  if (report.slowest.size() > kSlowest) report.slowest.resize(kSlowest);
}

// A file skipped as a whole collected no test, and is none (pytest's exit 5 says so too).
bool ran_nothing(const RunReport& report) {
  const TestCounts& tests = report.tests;
  return tests.passed + tests.failed + tests.errors + tests.skipped + tests.xfailed +
             tests.xpassed + tests.not_run ==
         0;
}

// Failed tests are certain whatever else went wrong, and another machine would not cure them: they
// decide the exit code before infrastructure does.
void judge(const ReportInputs& inputs, RunReport& report) {
  const std::size_t files = report.entries.size();
  const std::size_t started = files - report.not_started.size();
  const std::string of_files = fmt::format("of {}", count_of(files, "file"));
  if (inputs.stopped_by_signal > 0) {
    report.exit_code = 128 + inputs.stopped_by_signal;
    report.verdict = fmt::format("{}: {} {} ran", inputs.stopped, started, of_files);
    return;
  }
  const auto infrastructure =
      fmt::format("{} {} not judged (infrastructure)", report.infrastructure.size(), of_files);
  if (!report.failed.empty()) {
    report.exit_code = kExitTestsFailed;
    report.verdict = fmt::format("{} {} failed", report.failed.size(), of_files);
    if (!report.infrastructure.empty()) report.verdict += ", " + infrastructure;
  } else if (!report.infrastructure.empty()) {
    report.exit_code = kExitInfrastructure;
    report.verdict = infrastructure;
  } else if (files == 0 && inputs.known.empty()) {
    report.exit_code = kExitNothingCollected;
    report.verdict = fmt::format("pytest finds no test file in '{}'", inputs.root);
  } else if (files == 0 && inputs.expected) {
    report.exit_code = kExitPassed;
    report.verdict = "no test file was selected";
  } else if (ran_nothing(report)) {
    report.exit_code = kExitNothingCollected;
    report.verdict = fmt::format("no tests ran in {}", count_of(files, "file"));
  } else {
    report.exit_code = kExitPassed;
    report.verdict = "all passed";
  }
  if (!inputs.stopped.empty()) report.verdict += "; " + inputs.stopped;
}

}  // namespace

std::string exact_regex(std::string_view name) {
  std::string regex = "^";
  for (const char c : name) {
    if (std::string_view(".^$*+?()[]{}|\\").find(c) != std::string_view::npos) regex += '\\';
    regex += c;
  }
  return regex + "$";
}

std::string rerun_command(const std::vector<std::string>& rerun, const EntryName& entry,
                          const std::string& root, const std::string& working_directory) {
  std::vector<std::string> words;
  for (const std::string& word : rerun) {
    if (word == "{file}") {
      const std::string path =
          entry.file.starts_with('/') ? entry.file : join_path(root, entry.file);
      words.push_back(shell_quote(relative_to(path, working_directory)));
    } else {
      words.push_back(shell_quote(word == "{regex}" ? exact_regex(entry.name) : word));
    }
  }
  return join(words, " ");
}

Result<RunReport> build_report(const ReportInputs& inputs) {
  const std::string run = StateFolder(inputs.state).run(inputs.run_id);
  if (!inputs.expected && !is_directory(run))
    return fail_usage(fmt::format("there is no run '{}' in '{}'", inputs.run_id, inputs.state));
  Result<EntriesOnDisk> found = read_entries(inputs);
  if (!found) return propagate(found);

  RunReport report;
  report.run_id = inputs.run_id;
  report.suite = inputs.suite;
  report.root = inputs.root;
  report.entries = std::move(found->entries);
  report.extra_suites = std::move(found->extra_suites);
  add_expected(inputs, report);
  std::sort(report.entries.begin(), report.entries.end(),
            [](const EntryReport& a, const EntryReport& b) {
              return a.file != b.file ? a.file < b.file : a.name < b.name;
            });
  for (EntryReport& entry : report.entries) {
    entry.rerun = rerun_command(inputs.rerun, {entry.name, entry.file}, inputs.root,
                                inputs.working_directory);
  }
  judge_run(inputs, report);
  return report;
}

void judge_run(const ReportInputs& inputs, RunReport& report) {
  for (auto* group : {&report.failed, &report.infrastructure, &report.not_started, &report.flaky,
                      &report.leaky, &report.skipped, &report.slowest})
    group->clear();
  report.files = {};
  report.tests = {};
  sort_out(report);
  judge(inputs, report);
}

}  // namespace bulkhead
