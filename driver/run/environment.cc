#include "run/environment.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "run/command_line.h"

namespace bulkhead {

namespace {

// What passes of the caller's environment: where things lie and what the machine is. Nothing that
// may hold a credential (tokens, proxies with passwords) and nothing that changes what a test run
// does (PYTEST_ADDOPTS, CI) passes unless `pass-env` names it. docs/manual.md repeats this table.
struct Passed {
  std::string_view pattern;
  std::string_view why;
};
constexpr std::array kPassed = {
    Passed{"PATH", "where programs are"},
    Passed{"HOME", "where the user's files are"},
    Passed{"USER", "who runs"},
    Passed{"LOGNAME", "who runs"},
    Passed{"SHELL", "where the shell is"},
    Passed{"TERM", "what the terminal can do"},
    Passed{"PYTHONPATH", "where Python modules are"},
    Passed{"PYTHONHOME", "where Python is"},
    Passed{"VIRTUAL_ENV", "where Python is"},
    Passed{"PYENV_ROOT", "where Python is"},
    Passed{"PYENV_VERSION", "where Python is"},
    Passed{"CONDA_PREFIX", "where Python is"},
    Passed{"CONDA_DEFAULT_ENV", "where Python is"},
    Passed{"CONDA_EXE", "where Python is"},
    Passed{"CONDA_PYTHON_EXE", "where Python is"},
    Passed{"CONDA_SHLVL", "where Python is"},
    Passed{"LD_LIBRARY_PATH", "where libraries are"},
    Passed{"DYLD_LIBRARY_PATH", "where libraries are"},
    Passed{"DYLD_FALLBACK_LIBRARY_PATH", "where libraries are"},
    Passed{"DYLD_FRAMEWORK_PATH", "where libraries are"},
    Passed{"XDG_*", "where the desktop keeps files"},
    Passed{"DISPLAY", "which screen"},
    Passed{"XAUTHORITY", "which screen"},
    Passed{"WAYLAND_DISPLAY", "which screen"},
    Passed{"SSL_CERT_FILE", "where certificates are"},
    Passed{"SSL_CERT_DIR", "where certificates are"},
    Passed{"CTEST_RESOURCE_GROUP*", "what CTest allotted"},
    Passed{"CUDA_VISIBLE_DEVICES", "which devices"},
    Passed{"HIP_VISIBLE_DEVICES", "which devices"},
    Passed{"ROCR_VISIBLE_DEVICES", "which devices"},
    Passed{"OPENBLAS_CORETYPE", "which processor"},
    Passed{"OPENBLAS_NUM_THREADS", "how many processors"},
    Passed{"OMP_NUM_THREADS", "how many processors"},
    Passed{"MKL_NUM_THREADS", "how many processors"},
    Passed{"SYSTEMROOT", "where Windows is"},
    Passed{"SYSTEMDRIVE", "where Windows is"},
    Passed{"WINDIR", "where Windows is"},
    Passed{"COMSPEC", "where the shell is"},
    Passed{"PATHEXT", "what programs are called"},
    Passed{"APPDATA", "where the user's files are"},
    Passed{"LOCALAPPDATA", "where the user's files are"},
    Passed{"USERPROFILE", "where the user's files are"},
    Passed{"PROGRAMFILES*", "where programs are"},
    Passed{"PROGRAMDATA", "where programs are"},
};

// Why the caller's variable passes; empty where it does not.
std::string why_passed(const std::string& name, const std::vector<std::string>& pass_env) {
  for (const Passed& passed : kPassed) {
    if (glob_match(passed.pattern, name)) return "the caller's: " + std::string(passed.why);
  }
  for (const std::string& pattern : pass_env) {
    if (glob_match(pattern, name)) return "the caller's: pass-env '" + pattern + "'";
  }
  return {};
}

}  // namespace

std::vector<EntryVariable> entry_environment(const Suite& suite, const Entry& entry,
                                             const EnvironmentFacts& facts) {
  std::map<std::string, std::pair<std::string, std::string>> variables;
  const auto set = [&](const std::string& name, std::string value, std::string origin) {
    variables[name] = {std::move(value), std::move(origin)};
  };

  for (const auto& [name, value] : facts.caller) {
    std::string why = why_passed(name, suite.config.pass_env);
    if (!why.empty()) set(name, value, std::move(why));
  }

  set("TZ", "UTC", "the same everywhere");
  set("LANG", "C.UTF-8", "the same everywhere");
  set("LC_ALL", "C.UTF-8", "the same everywhere");
  set("PYTHONHASHSEED", "0", "the same everywhere");
  set("COLUMNS", "120", "pytest's lines are not cut at 80 columns");
  for (const char* name : {"TMPDIR", "TEMP", "TMP"})
    set(name, facts.temp_root, "a temporary root of the attempt's own");
  if (suite.config.bytecode != BytecodePolicy::kWrite)
    set("PYTHONDONTWRITEBYTECODE", "1", "bytecode: processes do not write the same cache at once");
  if (suite.config.bytecode == BytecodePolicy::kNone)
    set("PYTHONPYCACHEPREFIX", facts.temp_root + "/pycache", "bytecode = none: no cache is read");
  set("COVERAGE_FILE", facts.coverage, "coverage data of the attempt's own");
  set("BULKHEAD_ENTRY", entry.name, "which entry this is");
  set("BULKHEAD_RUN", facts.run_id, "which run this is");
  if (facts.port_first > 0) {
    set("BULKHEAD_PORT_FIRST", std::to_string(facts.port_first), "free TCP ports for this entry");
    set("BULKHEAD_PORT_COUNT", std::to_string(facts.port_count), "free TCP ports for this entry");
  }

  for (const auto& [name, value] : suite.config.env) set(name, value, "the configuration's env");

  set("BULKHEAD_EVENTS", facts.events, "for the plugin, which removes it");
  set("BULKHEAD_STACKS", facts.stacks, "for the plugin, which removes it");
  set("BULKHEAD_STACKS_SIGNAL", std::to_string(facts.stacks_signal),
      "for the plugin, which removes it");
  variables.erase(kRootdirVariable);
  if (rootdir_goes_by_variable(suite))
    set(kRootdirVariable, suite.rootdir, "for pytest's --rootdir; the plugin removes it");
  variables.erase("BULKHEAD_ONLY");
  if (!facts.only.empty()) set("BULKHEAD_ONLY", facts.only, "for the plugin, which removes it");
  const auto path = variables.find("PYTHONPATH");
  if (path == variables.end()) {
    set("PYTHONPATH", facts.plugin_folder, "where the plugin is, which removes it");
  } else {
    // An empty original also stays: an empty component means the working directory.
    path->second.first = facts.plugin_folder + ":" + path->second.first;
    path->second.second += "; in front the plugin's folder, which the plugin removes";
  }

  std::vector<EntryVariable> list;
  for (auto& [name, what] : variables)
    list.push_back({name, std::move(what.first), std::move(what.second)});
  return list;
}

Environment to_environment(const std::vector<EntryVariable>& variables) {
  Environment environment;
  for (const EntryVariable& variable : variables)
    environment.emplace_back(variable.name, variable.value);
  return environment;
}

std::string show(const std::vector<EntryVariable>& variables) {
  std::string text;
  for (const EntryVariable& variable : variables)
    text += variable.name + "=" + shell_quote(variable.value) + "  # " + variable.origin + "\n";
  return text;
}

}  // namespace bulkhead
