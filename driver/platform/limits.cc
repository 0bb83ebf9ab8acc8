#include "platform/limits.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace bulkhead {

std::int64_t descriptor_limit(std::int64_t wanted) {
  constexpr std::int64_t kDefault = 65536;
  std::int64_t limit = wanted > 0 ? wanted : kDefault;
  rlimit own{};
  if (::getrlimit(RLIMIT_NOFILE, &own) == 0 && own.rlim_max != RLIM_INFINITY) {
    constexpr rlim_t kLargest = std::numeric_limits<std::int64_t>::max();
    limit = std::min(limit, static_cast<std::int64_t>(std::min(own.rlim_max, kLargest)));
  }
  return limit;
}

std::int64_t machine_descriptor_limit() {
  std::ifstream file("/proc/sys/fs/file-max");
  std::int64_t limit = -1;
  return file >> limit ? limit : -1;
}

bool disk_is_full(const char* path) {
  struct statvfs space {};
  if (::statvfs(path, &space) != 0) return false;
  return space.f_blocks > 0 && space.f_bavail == 0;
}

}  // namespace bulkhead
