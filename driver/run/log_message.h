// What pytest or the interpreter said on the terminal when it failed before there was any event.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace bulkhead {

struct LogMessage {
  std::string text;   // one line
  std::string file;   // absolute where one is named, else empty
  std::int64_t line = 0;
};

// Why pytest ended with status 4: its `ERROR:` line, argparse's `error:`, or the conftest that
// could not be imported with the exception; otherwise the last line.
LogMessage usage_message(std::string_view log);

// The last line that is not blank.
std::string last_line(std::string_view log);

}  // namespace bulkhead
