#include "discover/discover.h"

#include <fmt/format.h>

#include "commands/commands.h"
#include "model/exit_codes.h"
#include "model/layout.h"
#include "platform/files.h"

namespace bulkhead {

Result<int> discover_command(const DiscoverOptions& options) {
  const std::string state = absolute_path(options.state);
  if (!is_file(StateFolder(state).suite_json())) {
    return fail_usage(fmt::format(
        "'{}' is no state folder of a suite: it has no suite.json; CMake's "
        "bulkhead_discover_pytest() and `bulkhead test` make one", state));
  }
  const Result<Discovery> done = discover({.state = state, .refresh = options.refresh});
  if (!done) return propagate(done);
  return kExitPassed;
}

}  // namespace bulkhead
