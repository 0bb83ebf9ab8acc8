// The configuration of a suite: bulkhead.toml or [tool.bulkhead] of pyproject.toml in its root,
// with what CMake or the command line gave (suite.json) on top.
//
// suite.json is a JSON object with the same keys, and `root` and `where` besides. Scalars of
// suite.json win; so do `paths` and `launcher`, which say one thing as a whole; variables win one
// by one; all other lists add up, TOML's first; rules are TOML's, then suite.json's.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/suite.h"

namespace bulkhead {

inline constexpr double kDefaultTimeoutS = 1500;  // CTest's own default

struct LoadedConfig {
  SuiteConfig config;
  // Every file whose content decides, existing or not: suite.json first.
  std::vector<std::string> inputs;
};

// Reads suite.json and the root's TOML. Each wrong thing is a line `file:line: message`; at most
// twenty of one file are told. Usage errors, but for a file that cannot be read.
Result<LoadedConfig> load_suite_config(const std::string& suite_json);

// The same of texts in hand; `json` and `toml` may be absent. `toml_section` is the dotted table
// that holds the keys: empty for bulkhead.toml, `tool.bulkhead` for pyproject.toml.
struct ConfigText {
  std::string path;
  std::string text;
  bool pyproject = false;
};
Result<SuiteConfig> read_config(const std::optional<ConfigText>& toml,
                                const std::optional<ConfigText>& json);

// What holds for `file` (relative to the root): the directive over the rules, the last match
// first, over the suite, over the defaults. Every scalar is set in the answer.
EntrySettings resolve_settings(const SuiteConfig& config, std::string_view file,
                               const EntrySettings& directive);

}  // namespace bulkhead
