// This process and the machine around it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace bulkhead {

std::optional<std::string> environment_variable(const char* name);
std::vector<std::pair<std::string, std::string>> whole_environment();

std::string working_directory();
// Of the running driver, absolute.
std::string own_executable();
std::int64_t own_pid();

// Seconds since the epoch.
double wall_clock_s();
// Seconds of a clock that never goes back.
double monotonic_s();
void sleep_s(double seconds);

// A process as /proc shows it.
struct ProcessInfo {
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  std::uint64_t start_ticks = 0;  // since boot: pid and start name a process for good
  std::string name;               // comm
  std::vector<std::string> command_line;
  std::string working_directory;
};
std::optional<ProcessInfo> process_info(std::int64_t pid);
std::int64_t parent_pid();

// Eight hexadecimal digits that differ from boot to boot.
std::string boot_id();

// Processors that this process may really use: the least of affinity and cgroup quota.
int usable_processors();

// The executable `name` on PATH, absolute; empty where there is none.
std::string find_on_path(const std::string& name);

}  // namespace bulkhead
