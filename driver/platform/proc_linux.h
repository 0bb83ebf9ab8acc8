// What process_tree_linux.cc reads of /proc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bulkhead {

struct ProcRow {
  std::int64_t pid = 0;
  std::int64_t parent = 0;
  char state = '?';  // proc(5): `Z` a zombie, `T` stopped, …
  std::uint64_t start_ticks = 0;
  bool stopped() const { return state == 'T'; }
  bool ended() const { return state == 'Z' || state == 'X' || state == 'x'; }
};

struct ProcFilter {
  std::int64_t above = 0;                    // only processes with a pid over this
  std::span<const std::int64_t> except = {};  // neither these nor what descends from them
};

// The descendants of `root`, zombies included.
// /proc/<pid>/task/<tid>/children would be quicker but exists only with CONFIG_PROC_CHILDREN, and
// "is not reliable" for processes that run (proc(5)): one pass over all parents it is.
std::vector<ProcRow> proc_descendants(std::int64_t root, const ProcFilter& filter = {});

// The command line with spaces between the arguments; `[comm]` where there is none.
std::string proc_command_line(std::int64_t pid);

double proc_age_s(const ProcRow& row);

// Open descriptors; -1 where they cannot be counted. Since Linux 6.2 the size of /proc/<pid>/fd
// is their number (proc(5)); before it is 0 and they are counted one by one.
std::int64_t proc_open_descriptors(std::int64_t pid);

// Whether the process has a handler for the signal (SigCgt of /proc/<pid>/status).
bool proc_catches(std::int64_t pid, int signal);

}  // namespace bulkhead
