// How a test file is named in CTest.
#pragma once

#include <string>
#include <string_view>

namespace bulkhead {

// `prefix` + `file`, with every byte that a CTest name cannot carry safely percent-encoded:
// blanks (CTest 3.25 never learns the cost of a name with one, and writes junk into its cost
// file), control characters, `;` (lists), `"`, `\`, `%` itself, bytes that are not UTF-8, and a `-`
// that would begin the name like an option. Distinct files get distinct names.
std::string entry_name(std::string_view prefix, std::string_view file);

// The suite's finaliser, `bulkhead.report-<suite>`: the entry that ends a run.
std::string finaliser_name(std::string_view suite);

// The fixture that ties entries to their finaliser, `bulkhead-<suite>`.
std::string fixture_name(std::string_view suite);

}  // namespace bulkhead
