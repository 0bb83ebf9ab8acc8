// Limits of this process and the machine on open descriptors.
#pragma once

#include <cstdint>

namespace bulkhead {

// The soft RLIMIT_NOFILE an entry's processes get: `wanted`, or 65,536 where that is 0, but never
// over our own hard limit, which stays as it is. Higher soft limits help nobody: programs that
// close every possible descriptor take time in proportion to it.
std::int64_t descriptor_limit(std::int64_t wanted);

// The machine's limit on open files (/proc/sys/fs/file-max); -1 where it cannot be read.
std::int64_t machine_descriptor_limit();

// Whether the file system that holds `path` has no space left for us.
bool disk_is_full(const char* path);

}  // namespace bulkhead
