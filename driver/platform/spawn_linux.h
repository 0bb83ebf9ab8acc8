// Starts one process of a tree.
#pragma once

#include <cstdint>

#include "base/result.h"
#include "platform/process_tree.h"

namespace bulkhead {

// The process's pid. See ProcessTree::start for its circumstances.
Result<std::int64_t> spawn(const TreeCommand& command);

}  // namespace bulkhead
