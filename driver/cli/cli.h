// The command line: words in, one command run, an exit code out.
#pragma once

#include <span>

namespace bulkhead {

// The whole program but for `main`. Prints the one message of an error to standard error as
// `bulkhead: message`. `arguments` is argv, the program's name first.
int run_command_line(std::span<char* const> arguments);

}  // namespace bulkhead
