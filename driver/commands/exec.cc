#include <fmt/format.h>

#include "base/strings.h"
#include "commands/commands.h"
#include "commands/run_identity.h"
#include "events/reader.h"
#include "junit/complete.h"
#include "junit/writer.h"
#include "model/exit_codes.h"
#include "model/layout.h"
#include "model/manifest.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/guard.h"
#include "report/run_report.h"
#include "run/entry.h"
#include "run/print.h"
#include "run/temp_root.h"

namespace bulkhead {

namespace {

constexpr std::size_t kLogTail = 8 * 1024;
constexpr std::size_t kStacksLimit = 64 * 1024;

std::string text_or_nothing(const Result<std::string>& text) {
  return text ? *text : std::string();
}

// The entry's junit.xml: what pytest wrote, made legal and completed from the events.
Status write_entry_junit(const EntryResult& result, const EntryFolder& folder,
                         std::int64_t text_limit) {
  FileRecord record{.file = result.file, .outcome = result.outcome, .cause = result.cause};
  std::string last_log;
  for (const Attempt& attempt : result.attempts) {
    const std::string path = folder.attempt(attempt.folder);
    AttemptRecord recorded{.attempt = attempt};
    const auto events = read_events(join_path(path, kEventsFile));
    if (events && *events) recorded.events = (*events)->events;
    Result<std::string> xml = read_file(join_path(path, kPytestXmlFile));
    if (xml) recorded.pytest_xml = std::move(*xml);
    recorded.stacks = text_or_nothing(read_head(join_path(path, kStacksFile), kStacksLimit));
    last_log = join_path(path, kOutputFile);
    recorded.output_tail = text_or_nothing(read_tail(last_log, kLogTail));
    record.attempts.push_back(std::move(recorded));
  }
  const CompletedReport completed = complete_report(record);
  return write_file_atomically(
      folder.junit(), junit_document(completed.suite,
                                     {.text_limit = static_cast<std::size_t>(text_limit),
                                      .log_path = last_log}));
}

void print_entry(const EntryRequest& request, const EntryRun& run) {
  PrintFacts facts{.path = join_path(request.suite.config.root, request.entry.file),
                   .skip_token = request.suite.skip_token,
                   .rerun = rerun_command(request.suite.config.rerun,
                                          {request.entry.name, request.entry.file},
                                          request.suite.config.root, working_directory())};
  const EntryFolder folder(
      RunFolder(request.state.run(request.run_id)).entry(request.entry.file));
  const std::string attempt = folder.attempt(run.result.attempts.back().folder);
  facts.log_path = join_path(attempt, kOutputFile);
  facts.log_tail = text_or_nothing(read_tail(facts.log_path, kLogTail));
  facts.stacks = text_or_nothing(read_head(join_path(attempt, kStacksFile), kStacksLimit));
  print_report(entry_report(run.result, facts));
}

}  // namespace

Result<int> exec_command(const ExecOptions& options) {
  const StateFolder state(absolute_path(options.state));
  Result<SuiteAndEntry> found = read_manifest_entry(state.manifest(), options.entry);
  if (!found) return propagate(found);
  EntryRequest request{.suite = std::move(found->suite),
                       .entry = std::move(found->entry),
                       .state = state,
                       .run_id = current_run().id};
  const std::int64_t text_limit = request.suite.config.output_limit;
  request.write_junit = [text_limit](const EntryResult& result, const EntryFolder& folder) {
    return write_entry_junit(result, folder, text_limit);
  };
  if (options.show_env) {
    print_report(show(preview_environment(request)));
    return kExitPassed;
  }

  const Result<TempRoot> temp_root =
      TempRoot::create(environment_variable("TMPDIR").value_or(""));
  if (temp_root) {
    request.temp_root = temp_root->path();
  } else {
    request.temp_root = propagate(temp_root);
  }
  return run_guarded([&](StopSignals& stop) {
    const Result<EntryRun> run = run_entry(request, stop);
    if (!run) {
      print_report(fmt::format("{}: infrastructure, {}\n", options.entry, run.error().message));
      return static_cast<int>(kExitInfrastructure);
    }
    print_entry(request, *run);
    return exit_code_of(run->result);
  });
}

}  // namespace bulkhead
