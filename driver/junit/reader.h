// Reads any JUnit-like XML: `testsuites` or `testsuite` at the root, suites in suites, cases
// without a name, missing attributes.
//
// Forbidden characters and bad UTF-8 are repaired first (junit/sanitize.h): pytest before 8.1
// writes them. Entities beyond XML's five are not expanded but kept as they are written, so a
// document cannot grow; a document type is skipped.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "junit/model.h"

namespace bulkhead {

// The suites in document order; those that nest come out flat, each with its own cases.
// Messages and texts have lost their ANSI sequences; names are as they were.
// Errors: `line 7: Start-end tags mismatch`, `the root is <html>, not <testsuites>`.
Result<std::vector<TestSuite>> read_junit(std::string_view document);

}  // namespace bulkhead
