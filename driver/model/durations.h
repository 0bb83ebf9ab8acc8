// durations.json: how long each file took, for COST, balanced shards and estimates.
//
// Keys are paths relative to the suite's root with `/`, so that the file can be carried between
// machines. {"version":1,"files":{"tests/test_a.py":{"seconds":1.25,"tests":12}}}
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace bulkhead {

inline constexpr int kDurationsVersion = 1;

struct FileDuration {
  double seconds = 0;
  std::int64_t tests = 0;
};

using Durations = std::map<std::string, FileDuration>;

std::string durations_to_text(const Durations& durations);
Result<Durations> durations_from_text(std::string_view text);

}  // namespace bulkhead
