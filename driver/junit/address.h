// How pytest names a test in its JUnit XML: the (classname, name) of a node id.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

struct CaseAddress {
  std::string classname;
  std::string name;
  friend auto operator<=>(const CaseAddress&, const CaseAddress&) = default;
};

// As pytest's `mangle_test_address` builds it: the path dotted and without `.py`, the classes
// appended with dots; the name is the rest with its parameters, forbidden characters spelled.
// `file` is the path that the id is known to begin with: with it, brackets and `::` in the path
// are no riddle. Without it (empty, or not how the id begins), the path ends at the first `::`.
CaseAddress case_address(std::string_view node_id, std::string_view file);

// Every address that some version of pytest gives the id, the likeliest first: versions differ
// where the path itself holds a bracket.
std::vector<CaseAddress> case_addresses(std::string_view node_id, std::string_view file);

}  // namespace bulkhead
