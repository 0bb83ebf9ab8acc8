// The cases of one attempt: pytest's XML and the events of its session put together. A part of
// complete.cc, which documents the rules in complete.h.
#pragma once

#include <string>
#include <vector>

#include "junit/complete.h"
#include "junit/model.h"

namespace bulkhead {

struct SessionCase {
  std::string id;  // node id; the file for the case of the file itself; empty where unknown
  TestCase test;
};

struct SessionCases {
  std::vector<SessionCase> cases;
  Properties properties;  // record_testsuite_property
  std::string hostname;
  std::string xml_error;  // why the XML could not be used; empty where it could, or is missing
};

SessionCases session_cases(const AttemptRecord& record, const std::string& file);

// The case that stands for the file as a whole.
SessionCase case_of_file(const std::string& file, CaseProblem problem);

}  // namespace bulkhead
