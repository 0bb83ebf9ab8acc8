// Directives: settings that a test file carries in its own head.
//
//   # bulkhead: lock=postgres timeout=600 labels=slow,db processors=2 serial resource=gpus:1
//
// A directive is a comment line that begins with `# bulkhead:`. The head is what stands before the
// first statement: blank lines, comments and the module's docstring (in a text file: blank lines
// and lines that begin with `#` or `..`). Several lines add up; a scalar may be given once.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/result.h"
#include "model/suite.h"

namespace bulkhead {

// Reading more of a file than this finds no more directives.
inline constexpr std::size_t kDirectiveHeadBytes = 64 * 1024;

// `path` is for the messages, `path:line: message`, one a line, and its ending tells a text file
// from Python. Errors are usage errors.
Result<EntrySettings> parse_directives(std::string_view head, std::string_view path);

}  // namespace bulkhead
