#include <fmt/format.h>

#include "base/strings.h"
#include "commands/commands.h"
#include "commands/live_results.h"
#include "commands/report_steps.h"
#include "commands/suite_json.h"
#include "config/root.h"
#include "ctest/include_file.h"
#include "ctest/names.h"
#include "discover/discover.h"
#include "model/exit_codes.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "platform/guard.h"
#include "platform/process_tree.h"
#include "run/print.h"

namespace bulkhead {

namespace {

constexpr double kPollS = 0.05;

std::vector<std::string> pytest_arguments(const TestOptions& options) {
  std::vector<std::string> arguments;
  if (!options.expression.empty()) arguments.insert(arguments.end(), {"-k", options.expression});
  if (!options.marks.empty()) arguments.insert(arguments.end(), {"-m", options.marks});
  arguments.insert(arguments.end(), options.pytest_args.begin(), options.pytest_args.end());
  return arguments;
}

Result<std::vector<std::string>> absolute_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> absolute;
  for (const std::string& path : paths) {
    absolute.push_back(absolute_path(path));
    if (!stamp_of(absolute.back()))
      return fail_usage(fmt::format("no such file or folder: '{}'", path));
  }
  return absolute;
}

// What to run, relative to the suite's root where it lies in it. Called below the root without a
// path, it is the working directory, as with pytest; in the root, what the suite says.
std::vector<std::string> paths_below(const std::string& root, std::vector<std::string> paths,
                                     const std::string& working_directory) {
  if (paths.empty() && working_directory.starts_with(root + "/"))
    paths.push_back(working_directory);
  for (std::string& path : paths) path = path == root ? "." : relative_to(path, root);
  return paths;
}

// The call at hand, for one file.
std::vector<std::string> rerun_of(const TestOptions& options) {
  const bool by_path = options.program.find('/') != std::string::npos;
  std::vector<std::string> words = {
      by_path ? relative_to(absolute_path(options.program), working_directory()) : "bulkhead",
      "test", "{file}"};
  const auto add = [&](std::string_view option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {std::string(option), value});
  };
  add("--root", options.root);
  add("--python", options.python);
  add("-k", options.expression);
  add("-m", options.marks);
  for (const std::string& glob : options.pass_env) add("--pass-env", glob);
  if (!options.pytest_args.empty()) words.emplace_back("--");
  words.insert(words.end(), options.pytest_args.begin(), options.pytest_args.end());
  return words;
}

// The state folder with its configuration; git is told to leave it alone.
Status prepare_state(const StateFolder& state, const CommandLineConfig& given) {
  Status status = make_directories(join_path(state.path(), "ctest"));
  if (status) status = write_file_if_changed(join_path(state.path(), ".gitignore"), "*\n");
  if (status) status = write_file_if_changed(state.suite_json(), suite_json_text(given));
  if (status) {
    status = write_file_if_changed(
        join_path(state.path(), "ctest/CTestTestfile.cmake"),
        ctest_testfile_text({own_executable(), "discover", state.path()}, state.entries_cmake()));
  }
  return status;
}

std::string headline(const Manifest& manifest, int jobs) {
  const Suite& suite = manifest.suite;
  const std::string here = working_directory();
  return fmt::format("{}{}, {}, with {}\n({}; Python {}, pytest {})\n",
                     count_of(manifest.entries.size(), "file"),
                     suite.config.root == here
                         ? ""
                         : fmt::format(" of {}", printable(relative_to(suite.config.root, here), "")),
                     jobs == 1 ? "one at a time" : fmt::format("{} at a time", jobs), suite.python,
                     suite.python_reason, suite.python_version, suite.pytest_version);
}

class TestRun {
 public:
  TestRun(const StateFolder& state, Manifest manifest, int jobs)
      : state_(state), manifest_(std::move(manifest)), jobs_(jobs) {}

  Result<int> operator()(StopSignals& stop) {
    const std::string ctest = find_on_path("ctest");
    if (ctest.empty()) return fail("cannot find 'ctest' on PATH: install CMake 3.25 or newer");
    const std::string log = join_path(state_.path(), "ctest.log");
    (void)remove_tree(log);
    // Named by this process: what is called `ctest` may be a script that starts the real one.
    const auto self = process_info(own_pid());
    if (!self) return fail("cannot read this process's own line in /proc");
    const std::string run = run_id_of(*self);
    Environment environment = whole_environment();
    std::erase_if(environment, [](const auto& one) { return one.first == kRunIdVariable; });
    environment.emplace_back(kRunIdVariable, run);
    TreeCommand command{.command = {.argv = {ctest, "--test-dir",
                                             join_path(state_.path(), "ctest"), "-j",
                                             std::to_string(jobs_), "-E",
                                             "^" + escape_cmake_regex(finaliser_name(
                                                       manifest_.suite.config.name)) + "$"},
                                    .environment = std::move(environment)},
                        .log = log};
    Result<ProcessTree> tree = ProcessTree::start(command);
    if (!tree) return propagate(tree);

    print_report(headline(manifest_, jobs_));
    LiveResults live(state_.run(run), manifest_.suite.config.root, manifest_.entries.size());
    bool stopped = false;
    for (ProcessTree::Wait wait = ProcessTree::Wait::kTimedOut; wait != ProcessTree::Wait::kEnded;) {
      wait = tree->wait(kPollS, &stop);
      live.poll();
      if (wait == ProcessTree::Wait::kStopRequested) {
        stopped = true;
        tree->terminate(manifest_.suite.config.term_grace_s * 2, &stop);
        break;
      }
    }
    live.poll();
    if (!is_directory(state_.run(run)) && !stopped) return failed_to_start(*tree, log);
    return report(run, stopped ? stop.requested().value_or(0) : 0);
  }

 private:
  tl::unexpected<Error> failed_to_start(const ProcessTree& tree, const std::string& log) const {
    const Result<std::string> text = read_tail(log, 4096);
    return fail(fmt::format("ctest ran no entry ({}):\n{}", describe(tree.end()),
                            text ? printable(*text, "") : ""));
  }

  Result<int> report(const std::string& run, int signal) {
    ReportRequest request{.state = state_, .manifest = manifest_, .run_id = run};
    request.expected.emplace();
    for (const Entry& entry : manifest_.entries)
      request.expected->push_back({entry.name, entry.file});
    if (signal != 0) {
      request.stopped = "stopped by " + signal_name(signal);
      request.stopped_by_signal = signal;
    }
    const Result<RunReport> report = report_run(request);
    if (!report) return propagate(report);
    print_summary(*report);
    return report->exit_code;
  }

  StateFolder state_;
  Manifest manifest_;
  int jobs_;
};

}  // namespace

Result<int> test_command(const TestOptions& options) {
  const std::string here = working_directory();
  const Result<std::vector<std::string>> paths = absolute_paths(options.paths);
  if (!paths) return propagate(paths);
  const std::string root =
      options.root.empty() ? find_suite_root(here, *paths) : absolute_path(options.root);
  if (!is_directory(root)) return fail_usage(fmt::format("no such folder: '{}'", options.root));
  if (root.find('\\') != std::string::npos) {
    return fail_usage(fmt::format(
        "'{}': ctest takes a backslash for a slash, so a suite in such a folder cannot be run: "
        "rename the folder", root));
  }
  const StateFolder state(join_path(root, ".bulkhead"));
  const Status prepared = prepare_state(state, {.root = root,
                                                .python = options.python,
                                                .paths = paths_below(root, *paths, here),
                                                .pytest_args = pytest_arguments(options),
                                                .pass_env = options.pass_env,
                                                .rerun = rerun_of(options)});
  if (!prepared) return propagate(prepared);
  const Result<Discovery> discovery = discover({.state = state.path()});
  if (!discovery) return propagate(discovery);
  Result<Manifest> manifest = read_manifest(state.manifest());
  if (!manifest) return propagate(manifest);
  if (manifest->entries.empty()) {
    return fail(fmt::format("pytest finds no test file in '{}'{}", root,
                            options.paths.empty() ? "" : " under the paths given"),
                ErrorKind::kNothingCollected);
  }
  const int jobs = options.jobs > 0 ? options.jobs : usable_processors();
  TestRun run(state, std::move(*manifest), jobs);
  return run_guarded([&](StopSignals& stop) {
    const Result<int> code = run(stop);
    return code ? *code : tell_error(code.error());
  }, OnCallerDeath::kGoOn);
}

}  // namespace bulkhead
