#include "cli/cli.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/strings.h"
#include "commands/commands.h"
#include "model/exit_codes.h"

namespace bulkhead {

namespace {

using Runner = std::function<Result<int>()>;

// Everything the commands may be told, and which of them was chosen.
struct Parsed {
  DiscoverOptions discover;
  ExecOptions exec;
  ReportOptions report;
  TestOptions test;
  PythonOptions python;
  bool finalize = false;
  bool post_test = false;
  bool version = false;
  Runner run;
};

void add_discover(CLI::App& app, Parsed& parsed) {
  CLI::App* command = app.add_subcommand("discover", "Bring a suite's CTest entries up to date");
  command->add_option("STATE", parsed.discover.state, "The suite's state folder")->required();
  command->add_flag("--refresh", parsed.discover.refresh, "Ask pytest again, whatever the cache");
  command->callback([&] { parsed.run = [&] { return discover_command(parsed.discover); }; });
}

void add_exec(CLI::App& app, Parsed& parsed) {
  CLI::App* command = app.add_subcommand("exec", "Run one entry, as CTest does");
  command->add_option("STATE", parsed.exec.state, "The suite's state folder")->required();
  command->add_option("NAME", parsed.exec.entry, "The entry's CTest name")->required();
  command->add_flag("--show-env", parsed.exec.show_env,
                    "Print the environment it would get, and run nothing");
  command->callback([&] { parsed.run = [&] { return exec_command(parsed.exec); }; });
}

void add_report(CLI::App& app, Parsed& parsed) {
  CLI::App* command = app.add_subcommand("report", "Report a run again");
  command->add_option("STATE", parsed.report.state, "The suite's state folder (default .bulkhead)");
  command->add_option("--run", parsed.report.run, "A run's id (default: the newest)");
  CLI::Option* finalize = command->add_flag("--finalize", parsed.finalize,
                                            "As the last entry of a CTest run");
  command->add_flag("--post-test", parsed.post_test, "As CTest's hook after a run")
      ->excludes(finalize);
  command->callback([&] {
    if (parsed.finalize) parsed.report.caller = ReportOptions::Caller::kFinaliser;
    if (parsed.post_test) parsed.report.caller = ReportOptions::Caller::kPostTest;
    parsed.run = [&] { return report_command(parsed.report); };
  });
}

void add_test(CLI::App& app, Parsed& parsed) {
  CLI::App* command = app.add_subcommand(
      "test", "Run a suite that has no CMake project; what follows -- goes to pytest");
  command->add_option("PATH", parsed.test.paths, "Files or folders (default: the suite's own)");
  command->add_option("--root", parsed.test.root, "The suite's root (default: found as pytest does)");
  command->add_option("--python", parsed.test.python, "The interpreter to test with");
  command->add_option("-j,--jobs", parsed.test.jobs,
                      "Files at once (default: the processors that may be used)")
      ->check(CLI::PositiveNumber);
  command->add_option("-k", parsed.test.expression, "Only tests that match, as pytest's -k");
  command->add_option("-m", parsed.test.marks, "Only tests with marks, as pytest's -m");
  command->add_option("--pass-env", parsed.test.pass_env,
                      "Variables to let through to the tests (globs)");
  command->callback([&] { parsed.run = [&] { return test_command(parsed.test); }; });
}

void add_python(CLI::App& app, Parsed& parsed) {
  CLI::App* command =
      app.add_subcommand("python", "Print the interpreter that a suite would run with, and why");
  command->add_option("ROOT", parsed.python.root, "The suite's root (default: found as pytest does)");
  command->add_option("--python", parsed.python.python, "The interpreter to test with");
  command->callback([&] { parsed.run = [&] { return python_command(parsed.python); }; });
}

// CLI11's own words say neither which word is near nor where to look further.
std::string explain(const CLI::ParseError& error, const CLI::App& app,
                    std::span<const std::string> words) {
  std::vector<std::string_view> known;
  std::vector<std::string> names;
  const CLI::App* chosen = &app;
  if (!app.get_subcommands().empty()) chosen = app.get_subcommands().front();
  if (chosen == &app) {
    // With a filter it lists the known commands, without one those that were called.
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
      names.push_back(command->get_name());
  } else {
    for (const CLI::Option* option : chosen->get_options())
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  for (const std::string& name : names) known.push_back(name);
  const std::string help = chosen == &app ? "bulkhead --help"
                                          : fmt::format("bulkhead {} --help", chosen->get_name());
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // The first word that the chosen command does not know.
    const std::vector<std::string> extras = chosen->remaining(true);
    const std::string word = extras.empty() ? std::string(words.back()) : extras.front();
    return fmt::format("unknown {} '{}'{}; see `{}`",
                       chosen == &app ? "command" : "argument", word, did_you_mean(word, known),
                       help);
  }
  return fmt::format("{}{}; see `{}`",
                     chosen == &app ? "" : fmt::format("{}: ", chosen->get_name()), error.what(),
                     help);
}

}  // namespace

int run_command_line(std::span<char* const> arguments) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  Parsed parsed;
  if (!words.empty()) {
    parsed.test.program = words[0];
    words.erase(words.begin());
  }
  if (!words.empty() && words[0] == "test") {
    const auto dashes = std::ranges::find(words, "--");
    if (dashes != words.end()) {
      parsed.test.pytest_args.assign(dashes + 1, words.end());
      words.erase(dashes, words.end());
    }
  }

  CLI::App app("Every Python test file a CTest entry, each in a clean process", "bulkhead");
  // Not set_version_flag(): it throws, and the first exception in a static executable sorts the
  // unwind tables of all its functions, which costs more than all the rest of the start.
  app.add_flag("--version", parsed.version, "Print the version");
  add_test(app, parsed);
  add_discover(app, parsed);
  add_exec(app, parsed);
  add_report(app, parsed);
  add_python(app, parsed);
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app.parse(reversed);
  } catch (const CLI::Success& success) {  // --help
    return app.exit(success);
  } catch (const CLI::ParseError& error) {
    return tell_error({explain(error, app, words), ErrorKind::kUsage});
  }
  if (parsed.version) {
    std::puts("bulkhead " BULKHEAD_VERSION);
    return kExitPassed;
  }
  if (!parsed.run) {
    std::fputs(app.help().c_str(), stdout);
    return kExitUsage;
  }
  const Result<int> code = parsed.run();
  return code ? *code : tell_error(code.error());
}

}  // namespace bulkhead
