#include <cstdio>

#include <fmt/format.h>

#include "commands/commands.h"
#include "model/exit_codes.h"

namespace bulkhead {

int tell_error(const Error& error) {
  const std::string line = fmt::format("bulkhead: {}\n", error.message);
  std::fwrite(line.data(), 1, line.size(), stderr);
  switch (error.kind) {
    case ErrorKind::kUsage: return kExitUsage;
    case ErrorKind::kNothingCollected: return kExitNothingCollected;
    case ErrorKind::kInfrastructure: break;
  }
  return kExitInfrastructure;
}

}  // namespace bulkhead
