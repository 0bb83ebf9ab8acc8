// The command line of an entry's pytest process.
#pragma once

#include <string>
#include <vector>

#include "model/suite.h"

namespace bulkhead {

struct CommandLineFacts {
  std::string junit_xml;   // where pytest writes its own report
  std::string base_temp;   // does not exist yet; its parent does
  std::string cache;       // pytest's cache folder
};

// The process runs in the suite's rootdir. Bulkhead's options follow the suite's, so that they win
// over addopts too (`-n 8` there would multiply processes). An option that belongs to a plugin is
// given only where the suite has that plugin.
std::vector<std::string> pytest_command(const Suite& suite, const Entry& entry,
                                        const CommandLineFacts& facts);

// pytest expands variables in --rootdir, and a `$` cannot be quoted; what a variable holds is not
// expanded further. So a rootdir that holds a `$` goes by this one, which the plugin removes.
inline constexpr const char* kRootdirVariable = "BULKHEAD_ROOTDIR";
bool rootdir_goes_by_variable(const Suite& suite);

// What is named on the command line: the file, relative to rootdir where it lies below it; for a
// narrowed entry the deepest folder above it whose path holds neither `[` nor `::`, at which
// pytest would split it.
std::string selected_path(const Suite& suite, const Entry& entry);

}  // namespace bulkhead
