// Writes suites as XML that a strict parser takes, whatever bytes the tests put into them.
//
// The same suites give the same bytes: attributes come in one order, counts are recounted, and
// times have three decimals.
#pragma once

#include <cstddef>
#include <string>

#include "junit/model.h"

namespace bulkhead {

struct JunitWriteOptions {
  // A longer failure text, system-out or system-err is cut in its middle at a character.
  std::size_t text_limit = 256 * 1024;
  // Where the whole of it is, named at the cut; may be empty.
  std::string log_path;
};

inline constexpr std::size_t kLongestMessage = 2000;  // bytes of a message attribute

// One `<testsuite>` element with a final newline. A case or suite without a name gets the file's,
// or else `unnamed`: `name` is never empty.
std::string suite_to_xml(const TestSuite& suite, const JunitWriteOptions& options);

// The declaration and the start tag of the root, with its totals, and its end tag.
std::string junit_header(const std::string& name, const JunitTotals& totals);
std::string junit_footer();

// A whole document of one suite.
std::string junit_document(const TestSuite& suite, const JunitWriteOptions& options);

}  // namespace bulkhead
