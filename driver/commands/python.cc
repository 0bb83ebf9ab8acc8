#include <fmt/format.h>

#include "commands/commands.h"
#include "commands/suite_json.h"
#include "config/config.h"
#include "config/root.h"
#include "discover/interpreter.h"
#include "model/exit_codes.h"
#include "platform/environment.h"
#include "platform/files.h"
#include "run/print.h"

namespace bulkhead {

Result<int> python_command(const PythonOptions& options) {
  const std::string root = options.root.empty() ? find_suite_root(working_directory(), {})
                                                : absolute_path(options.root);
  const Result<SuiteConfig> config = configure({.root = root, .python = options.python});
  if (!config) return propagate(config);
  const Result<std::vector<Candidate>> candidates =
      interpreter_candidates(*config, InterpreterEnvironment::current());
  if (!candidates) return propagate(candidates);
  const Result<Interpreter> chosen = choose_interpreter(*config, *candidates, std::nullopt);
  if (!chosen) return propagate(chosen);
  print_report(fmt::format("{} ({}): Python {}, pytest {}\n", chosen->path, chosen->reason,
                           chosen->version, chosen->pytest_version));
  return kExitPassed;
}

}  // namespace bulkhead
