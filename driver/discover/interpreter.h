// Which Python runs the suite.
//
// The first of these that imports pytest ≥ 7.2 on Python ≥ 3.9:
//   1. the option (command line, CMake)   2. the configuration's `python`
//   3. $VIRTUAL_ENV/bin/python            4. `python3` on PATH
//   5. /usr/bin/python3                   6. any other python3 or python3.x on PATH
// The first two are somebody's word: where they fail, that is the error, and nothing else is tried.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/suite.h"
#include "platform/process.h"

namespace bulkhead {

struct Candidate {
  std::string path;    // absolute
  std::string reason;  // `option`, `configuration`, `active virtual environment`, `python3 on PATH`, …
};

// What the environment says; taken from the process's own by `current()`.
struct InterpreterEnvironment {
  std::string virtual_env;
  std::string path;
  static InterpreterEnvironment current();
};

// Those there are, in order, without starting any. An error where the configured one is no program.
Result<std::vector<Candidate>> interpreter_candidates(const SuiteConfig& config,
                                                      const InterpreterEnvironment& environment);

struct Interpreter {
  std::string path;            // absolute: what the candidate calls itself (sys.executable)
  std::string reason;
  std::string version;         // 3.11.2
  std::string pytest_version;  // 7.2.1
};

// Starts the candidates until one will do. `environment` is what they are started with. Where none
// does the error says what was tried, why each failed, and what to do.
Result<Interpreter> choose_interpreter(const SuiteConfig& config,
                                       const std::vector<Candidate>& candidates,
                                       const std::optional<Environment>& environment);

}  // namespace bulkhead
