#include "discover/interpreter.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/strings.h"
#include "platform/environment.h"
#include "platform/files.h"

namespace bulkhead {

namespace {

constexpr double kProbeTimeoutS = 60;

// Prints a mark first, since start-up files of an installation may print what they like. It must
// be read by any Python, or its age could not be told.
constexpr std::string_view kProbe = R"(
import sys
words = ["", "bulkhead-probe", "%d.%d.%d" % sys.version_info[:3], sys.executable or ""]
try:
    import pytest
    words.append(getattr(pytest, "__version__", ""))
except ImportError:
    words += ["", str(sys.exc_info()[1])]
import os
data = "\n".join(words)
data = os.fsencode(data) if hasattr(os, "fsencode") else data
getattr(sys.stdout, "buffer", sys.stdout).write(data)
)";

struct Version {
  int major = 0;
  int minor = 0;
};

Version version_of(std::string_view text) {
  Version version;
  const char* end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ec == std::errc() && major.ptr != end && *major.ptr == '.')
    (void)std::from_chars(major.ptr + 1, end, version.minor);
  return version;
}

bool is_older(Version version, Version than) {
  return version.major < than.major ||
         (version.major == than.major && version.minor < than.minor);
}

std::string last_line(std::string_view text) {
  const std::string_view trimmed = trim(text);
  const auto newline = trimmed.rfind('\n');
  return to_valid_utf8(newline == std::string_view::npos ? trimmed
                                                         : trimmed.substr(newline + 1));
}

Result<Interpreter> probe(const SuiteConfig& config, const Candidate& candidate,
                          const std::optional<Environment>& environment) {
  Command command;
  command.argv = {candidate.path};
  command.argv.insert(command.argv.end(), config.python_args.begin(), config.python_args.end());
  command.argv.insert(command.argv.end(), {"-c", std::string(kProbe)});
  command.working_directory = config.root;
  command.environment = environment;
  const Result<CapturedProcess> process = run_captured(command, kProbeTimeoutS);
  if (!process) return propagate(process);
  const std::string& path = candidate.path;
  if (process->timed_out)
    return fail(fmt::format("{} did not answer within {:.0f} s", path, kProbeTimeoutS));
  const auto mark = process->out.find("\nbulkhead-probe\n");
  if (mark == std::string::npos) {
    const std::string why = last_line(process->err);
    return fail(fmt::format("{} ended with {}{}{}", path, describe(process->end),
                            why.empty() ? "" : ": ", why));
  }
  const std::vector<std::string_view> words =
      split(std::string_view(process->out).substr(mark + 1), '\n');
  const std::string_view python = words.size() > 1 ? words[1] : "";
  const std::string_view executable = words.size() > 2 ? words[2] : "";
  const std::string_view pytest = words.size() > 3 ? words[3] : "";
  if (is_older(version_of(python), {3, 9}))
    return fail(fmt::format("{} is Python {}; 3.9 is the oldest that is supported", path, python));
  if (pytest.empty()) {
    const std::string why = words.size() > 4 ? to_valid_utf8(words[4]) : std::string();
    const bool missing = why == "No module named 'pytest'";
    return fail(fmt::format("pytest not importable by {}{}", path,
                            missing || why.empty() ? "" : " (" + why + ")"));
  }
  if (is_older(version_of(pytest), {7, 2}))
    return fail(
        fmt::format("{} has pytest {}; 7.2 is the oldest that is supported", path, pytest));
  Interpreter interpreter;
  // A shim that looks up the real interpreter would do so again for each file.
  interpreter.path = executable.starts_with('/') && is_executable(std::string(executable))
                         ? std::string(executable)
                         : path;
  interpreter.reason = candidate.reason;
  interpreter.version = python;
  interpreter.pytest_version = pytest;
  return interpreter;
}

bool is_program(const std::string& path) { return is_file(path) && is_executable(path); }

std::vector<std::string> found_on(std::string_view search_path, const std::string& name) {
  std::vector<std::string> found;
  for (const std::string_view folder : split(search_path, ':')) {
    if (!folder.starts_with('/')) continue;  // a relative one depends on who asks
    const std::string path = join_path(folder, name);
    if (is_program(path)) found.push_back(path);
  }
  return found;
}

}  // namespace

InterpreterEnvironment InterpreterEnvironment::current() {
  return {.virtual_env = environment_variable("VIRTUAL_ENV").value_or(""),
          .path = environment_variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin")};
}

Result<std::vector<Candidate>> interpreter_candidates(const SuiteConfig& config,
                                                      const InterpreterEnvironment& environment) {
  std::vector<Candidate> candidates;
  const auto add = [&](const std::string& path, const std::string& reason) {
    if (std::ranges::find(candidates, path, &Candidate::path) == candidates.end() &&
        is_program(path))
      candidates.push_back({path, reason});
  };
  if (!config.python.empty()) {
    const bool bare = config.python.find('/') == std::string::npos;
    if (bare) {
      for (const std::string& path : found_on(environment.path, config.python)) {
        add(path, config.python_chosen_by);
        break;
      }
    } else {
      add(config.python.starts_with('/') ? config.python
                                         : absolute_path(join_path(config.root, config.python)),
          config.python_chosen_by);
    }
    if (candidates.empty())
      return fail(fmt::format("the interpreter '{}' given by the {} {}",
                              to_valid_utf8(config.python), config.python_chosen_by,
                              bare ? "is not on PATH" : "is no program"));
    return candidates;
  }
  if (!environment.virtual_env.empty())
    add(join_path(environment.virtual_env, "bin/python"), "active virtual environment");
  const std::vector<std::string> python3 = found_on(environment.path, "python3");
  if (!python3.empty()) add(python3.front(), "python3 on PATH");
  add("/usr/bin/python3", "/usr/bin/python3");
  for (const std::string& path : python3) add(path, "python3 on PATH");
  for (int minor = 20; minor >= 9; --minor) {
    const std::string name = fmt::format("python3.{}", minor);
    for (const std::string& path : found_on(environment.path, name)) add(path, name + " on PATH");
  }
  return candidates;
}

Result<Interpreter> choose_interpreter(const SuiteConfig& config,
                                       const std::vector<Candidate>& candidates,
                                       const std::optional<Environment>& environment) {
  std::string tried;
  for (const Candidate& candidate : candidates) {
    Result<Interpreter> interpreter = probe(config, candidate, environment);
    if (interpreter) return interpreter;
    if (!config.python.empty())
      return fail(fmt::format("{} (the interpreter given by the {})", interpreter.error().message,
                              candidate.reason));
    tried += fmt::format("\n  {}: {}", candidate.reason, interpreter.error().message);
  }
  if (tried.empty()) tried = "\n  nothing: there is no python3 on PATH nor in /usr/bin";
  return fail(fmt::format(
      "no Python with pytest found; tried{}\ninstall pytest for one of them (e.g. python3-pytest "
      "of Debian, or python3 -m pip install pytest), or name an interpreter that has it: --python, "
      "PYTHON in CMake, or python in the configuration",
      tried));
}

}  // namespace bulkhead
