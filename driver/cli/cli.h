// The command line: words in, one command run, an exit code out.
#pragma once

#include <span>

namespace bulkhead {

// The whole program but for `main`. Prints the one message of an error to standard error as
// `bulkhead: message`. `arguments` holds argv without the program's name.
int run_command_line(std::span<char* const> arguments);

}  // namespace bulkhead
