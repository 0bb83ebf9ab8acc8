#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/strings.h"
#include "commands/commands.h"
#include "commands/report_steps.h"
#include "ctest/selection.h"
#include "events/reader.h"
#include "model/exit_codes.h"
#include "model/layout.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/process.h"
#include "report/summary.h"
#include "report/write.h"
#include "run/print.h"

namespace bulkhead {

namespace {

constexpr double kAskTimeoutS = 120;
constexpr double kTestFolderTimeoutS = 2;
constexpr double kTestFolderPollS = 0.005;

// The newest run of the state folder, by its symbolic link.
std::string newest_run(const StateFolder& state) {
  const std::string path = real_path(state.latest_run());
  return path == state.latest_run() ? std::string() : path.substr(parent_of(path).size() + 1);
}

// The folder that a CTest process runs the tests of. CTest changes into it, and for a moment into
// the folder of each process that it starts, so the one read off at first may be another's.
std::optional<std::string> test_folder(const ProcessInfo& ctest) {
  const double deadline = monotonic_s() + kTestFolderTimeoutS;
  for (std::string folder = ctest.working_directory;;) {
    if (is_file(join_path(folder, "CTestTestfile.cmake"))) return folder;
    if (monotonic_s() > deadline) return std::nullopt;
    sleep_s(kTestFolderPollS);
    const std::optional<ProcessInfo> now = process_info(ctest.pid);
    if (!now) return std::nullopt;
    folder = now->working_directory;
  }
}

// Where CMakePresets.json lies, by the cache of the build tree; a folder without one has none.
std::optional<std::string> source_folder(const std::string& build) {
  constexpr std::string_view kKey = "CMAKE_HOME_DIRECTORY:INTERNAL=";
  const Result<std::string> cache = read_file(join_path(build, "CMakeCache.txt"));
  if (!cache) return std::nullopt;
  for (const std::string_view line : split(*cache, '\n')) {
    if (line.starts_with(kKey)) return std::string(line.substr(kKey.size()));
  }
  return std::nullopt;
}

// The entries of `manifest` that the CTest process was asked to run; unset where it cannot be told.
std::optional<std::vector<EntryName>> expected_of(const ProcessInfo& ctest,
                                                  const CtestInvocation& invocation,
                                                  const Manifest& manifest) {
  std::vector<EntryName> all;
  for (const Entry& entry : manifest.entries) all.push_back({entry.name, entry.file});
  if (invocation.mode != CtestInvocation::Mode::kRun) return std::nullopt;
  if (!invocation.selects) return all;
  std::optional<std::string> folder = test_folder(ctest);
  if (folder && invocation.preset) folder = source_folder(*folder);
  if (!folder) return std::nullopt;
  Command command{.argv = {real_path(fmt::format("/proc/{}/exe", ctest.pid))},
                  .working_directory = *folder};
  command.argv.insert(command.argv.end(), invocation.ask.begin(), invocation.ask.end());
  const Result<CapturedProcess> answer = run_captured(command, kAskTimeoutS);
  if (!answer || answer->end.kind != ProcessEnd::Kind::kExited || answer->end.code != 0)
    return std::nullopt;
  const Result<std::vector<std::string>> names = names_in_show_only(answer->out);
  if (!names) return std::nullopt;
  const std::set<std::string> selected(names->begin(), names->end());
  std::erase_if(all, [&](const EntryName& entry) { return !selected.contains(entry.name); });
  return all;
}

// What the report printed last for a run: how many results it counted, and its verdict.
struct Reported {
  std::size_t results = 0;
  int exit_code = 0;
};

std::string reported_path(const StateFolder& state, const std::string& run) {
  return RunFolder(state.run(run)).run_json();
}

std::size_t count_results(const StateFolder& state, const std::string& run) {
  const auto items = list_directory(state.run(run));
  if (!items) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(
      *items, [&](const DirectoryItem& item) {
        return item.directory &&
               is_file(EntryFolder(join_path(state.run(run), item.name)).result());
      }));
}

bool is_reported(const StateFolder& state, const std::string& run) {
  const Result<std::string> text = read_file(reported_path(state, run));
  return text &&
         *text == fmt::format("{{\"version\":1,\"reported\":{}}}\n", count_results(state, run));
}

Status mark_reported(const StateFolder& state, const std::string& run) {
  return write_file_atomically(
      reported_path(state, run),
      fmt::format("{{\"version\":1,\"reported\":{}}}\n", count_results(state, run)));
}

}  // namespace

Result<RunReport> report_run(const ReportRequest& request) {
  ReportInputs inputs{.state = request.state.path(),
                      .run_id = request.run_id,
                      .suite = request.manifest.suite.config.name,
                      .root = request.manifest.suite.config.root,
                      .expected = request.expected,
                      .stopped = request.stopped,
                      .stopped_by_signal = request.stopped_by_signal,
                      .keep_runs = request.manifest.suite.config.keep_runs,
                      .is_run_alive = is_run_alive};
  for (const Entry& entry : request.manifest.entries)
    inputs.known.push_back({entry.name, entry.file});
  inputs.rerun = request.manifest.suite.config.rerun;
  inputs.working_directory = working_directory();
  inputs.read_events = [](std::string_view text) { return parse_events(text).events; };
  // Only some of the tests of a file ran: that says nothing about how long the file takes.
  const std::vector<std::string>& arguments = request.manifest.suite.config.pytest_args;
  inputs.record_durations = std::ranges::none_of(arguments, [](const std::string& argument) {
    return argument.starts_with("-k") || argument.starts_with("-m") ||
           argument.find("::") != std::string::npos;
  });
  Result<RunReport> report = build_report(inputs);
  if (!report) return report;
  if (!request.manifest.suite.listing_error.empty()) {
    report->warnings.push_back("pytest could not list the suite as it is configured: " +
                               request.manifest.suite.listing_error);
  }
  if (!is_directory(request.state.run(request.run_id))) return report;
  Result<WrittenReports> written = write_reports(inputs, *report);
  if (!written) return propagate(written);
  report->warnings.insert(report->warnings.end(), written->warnings.begin(),
                          written->warnings.end());
  (void)mark_reported(request.state, request.run_id);
  return report;
}

void print_summary(const RunReport& report) {
  const std::string locale = environment_variable("LC_ALL").value_or(
      environment_variable("LC_CTYPE").value_or(environment_variable("LANG").value_or("")));
  SummaryStyle style;
  const bool utf8 = locale.find("UTF-8") != std::string::npos ||
                    locale.find("utf8") != std::string::npos;
  style.characters = utf8 ? SummaryStyle::Characters::kUtf8 : SummaryStyle::Characters::kAscii;
  print_report(summary_text(report, style));
}

Result<int> report_command(const ReportOptions& options) {
  const bool person = options.caller == ReportOptions::Caller::kPerson;
  const bool post_test = options.caller == ReportOptions::Caller::kPostTest;
  const StateFolder state(absolute_path(options.state.empty() ? ".bulkhead" : options.state));
  Result<Manifest> manifest = read_manifest(state.manifest());
  // After a discovery that failed there is nothing to report, and CTest has said why.
  if (!manifest && post_test) return kExitPassed;
  if (!manifest) return propagate(manifest);

  ReportRequest request{.state = state, .manifest = std::move(*manifest)};
  const RunIdentity run = person ? RunIdentity{} : current_run();
  request.run_id = !options.run.empty() ? options.run : person ? newest_run(state) : run.id;
  if (request.run_id.empty())
    return fail_usage(fmt::format("'{}' holds no run yet", state.path()));

  if (run.ctest) {
    const CtestInvocation invocation = read_ctest_command_line(run.ctest->command_line);
    if (invocation.mode == CtestInvocation::Mode::kList) return kExitPassed;
    if (post_test && is_reported(state, run.id)) return kExitPassed;
    // After the run CTest's record is this run's own, no longer what it was asked for.
    if (!(post_test && invocation.by_earlier_run))
      request.expected = expected_of(*run.ctest, invocation, request.manifest);
    const bool started = is_directory(state.run(run.id));
    // A run that selected nothing of this suite is none of ours.
    if (post_test && !started && (!request.expected || request.expected->empty()))
      return kExitPassed;
    if (invocation.stop_on_failure) request.stopped = "stopped at the first failure";
  }
  const Result<RunReport> report = report_run(request);
  if (!report) return propagate(report);
  print_summary(*report);
  if (person) return report->exit_code;
  // What an entry reported is red by that entry already: the caller adds what no entry shows.
  const bool shown_by_entries =
      (report->exit_code == kExitTestsFailed || report->exit_code == kExitInfrastructure) &&
      std::ranges::all_of(report->infrastructure, [&](std::size_t index) {
        return report->entries[index].state == EntryReport::State::kReported;
      });
  return shown_by_entries ? kExitPassed : report->exit_code;
}

}  // namespace bulkhead
