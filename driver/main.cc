#include <span>

#include "cli/cli.h"

int main(int argc, char** argv) {
  return bulkhead::run_command_line(
      std::span<char* const>(argv, static_cast<std::size_t>(argc)));
}
