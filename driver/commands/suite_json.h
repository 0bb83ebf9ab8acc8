// The configuration that the command line gives, in the form that CMake gives it too.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/suite.h"

namespace bulkhead {

struct CommandLineConfig {
  std::string root;  // absolute
  std::string python;
  std::vector<std::string> paths;
  std::vector<std::string> pytest_args;
  std::vector<std::string> pass_env;
  std::vector<std::string> rerun;  // as SuiteConfig::rerun; empty: its default
};

// The text of a suite.json.
std::string suite_json_text(const CommandLineConfig& given);

// The whole configuration: the command line over the root's own bulkhead.toml or pyproject.toml.
Result<SuiteConfig> configure(const CommandLineConfig& given);

}  // namespace bulkhead
