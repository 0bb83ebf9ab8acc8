// Every exit code of the product, in one place.
#pragma once

namespace bulkhead {

// What `bulkhead` and `bulkhead test` exit with. A run ended by signal N exits 128 + N.
enum ExitCode : int {
  kExitPassed = 0,
  kExitTestsFailed = 1,
  kExitUsage = 2,
  kExitInfrastructure = 3,
  kExitNothingCollected = 4,
  // `bulkhead exec` only: a file that was empty or skipped. 77 is the GNU Automake convention for
  // a skipped test and CTest's SKIP_RETURN_CODE of every entry.
  kExitSkipped = 77,
};

}  // namespace bulkhead
