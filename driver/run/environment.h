// The environment of an entry's processes: an allow-list, not the caller's whole environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/suite.h"
#include "platform/process.h"

namespace bulkhead {

struct EnvironmentFacts {
  Environment caller;         // ours
  std::string plugin_folder;  // first in PYTHONPATH until the plugin has loaded
  std::string temp_root;
  std::string events;         // files of the attempt
  std::string stacks;
  int stacks_signal = 0;
  std::string coverage;
  std::string run_id;
  std::string only;           // the one file to collect, absolute; empty: no narrowing
  int port_first = 0;         // 0: no ports
  int port_count = 0;
};

struct EntryVariable {
  std::string name;
  std::string value;
  std::string origin;  // why it is there, for `bulkhead exec --show-env`
};

// Sorted by name. Later sources win: what passes of the caller's, Bulkhead's fixed values, the
// configuration's `env`, and what the plugin needs.
std::vector<EntryVariable> entry_environment(const Suite& suite, const Entry& entry,
                                             const EnvironmentFacts& facts);

Environment to_environment(const std::vector<EntryVariable>& variables);

// `NAME=value  # why`, a line each; the value is quoted for a shell.
std::string show(const std::vector<EntryVariable>& variables);

}  // namespace bulkhead
